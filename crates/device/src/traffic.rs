//! The account of a drive in use.

use crate::drive::Op;

/// The operations of a drive since it was made, by the model's times. A flush moves no bytes and counts as
/// busy time alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Read operations.
    pub reads: u64,
    /// Bytes they transferred.
    pub read_bytes: u64,
    /// Their times, summed, ns.
    pub read_ns: u64,
    /// Write operations.
    pub writes: u64,
    /// Bytes they transferred.
    pub write_bytes: u64,
    /// Their times, summed, ns.
    pub write_ns: u64,
    /// Time during which at least one operation was under way, ns.
    pub busy_ns: u64,
    /// The end of the latest operation, ns on the clock of the operations.
    pub busy_until_ns: u64,
}

impl Traffic {
    /// Counts an operation that began and ended then. Operations come in the order of their beginnings.
    pub fn add(&mut self, op: Op, start_ns: u64, end_ns: u64) {
        let took_ns = end_ns.saturating_sub(start_ns);
        match op {
            Op::Read { len, .. } => {
                self.reads += 1;
                self.read_bytes += u64::from(len);
                self.read_ns += took_ns;
            }
            Op::Write { len, .. } => {
                self.writes += 1;
                self.write_bytes += u64::from(len);
                self.write_ns += took_ns;
            }
            Op::Flush => {}
        }
        // Busy is the union of the operations' times, like a disk's own counter.
        self.busy_ns += end_ns.saturating_sub(start_ns.max(self.busy_until_ns));
        self.busy_until_ns = self.busy_until_ns.max(end_ns);
    }

    /// Adds the operations of another drive. Busy times are added, so the sum can be longer than the time.
    pub fn add_all(&mut self, other: &Self) {
        self.reads += other.reads;
        self.read_bytes += other.read_bytes;
        self.read_ns += other.read_ns;
        self.writes += other.writes;
        self.write_bytes += other.write_bytes;
        self.write_ns += other.write_ns;
        self.busy_ns += other.busy_ns;
        self.busy_until_ns = self.busy_until_ns.max(other.busy_until_ns);
    }

    /// The operations since an earlier reading. A counter that began anew counts from its beginning.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let grown = |now: u64, before: u64| now.checked_sub(before).unwrap_or(now);
        Self {
            reads: grown(self.reads, earlier.reads),
            read_bytes: grown(self.read_bytes, earlier.read_bytes),
            read_ns: grown(self.read_ns, earlier.read_ns),
            writes: grown(self.writes, earlier.writes),
            write_bytes: grown(self.write_bytes, earlier.write_bytes),
            write_ns: grown(self.write_ns, earlier.write_ns),
            busy_ns: grown(self.busy_ns, earlier.busy_ns),
            busy_until_ns: self.busy_until_ns,
        }
    }

    /// Mean time of a read or write, ns; `None` without any.
    #[must_use]
    pub fn await_ns(&self) -> Option<f64> {
        let operations = self.reads + self.writes;
        (operations > 0).then(|| (self.read_ns + self.write_ns) as f64 / operations as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_overlap_are_busy_once() {
        let mut traffic = Traffic::default();
        traffic.add(Op::Read { offset: 0, len: 4096 }, 0, 100);
        let before = traffic;
        traffic.add(Op::Write { offset: 0, len: 512 }, 50, 120);
        traffic.add(Op::Flush, 200, 210);
        assert_eq!((traffic.busy_ns, traffic.busy_until_ns), (130, 210));
        assert_eq!((traffic.reads, traffic.read_bytes, traffic.read_ns), (1, 4096, 100));
        assert_eq!((traffic.writes, traffic.write_bytes, traffic.write_ns), (1, 512, 70));
        let since = traffic.since(&before);
        assert_eq!((since.reads, since.writes, since.busy_ns), (0, 1, 30));
        assert_eq!((since.await_ns(), Traffic::default().await_ns()), (Some(70.0), None));
        assert_eq!(before.since(&traffic).busy_ns, 100, "a counter that began anew");
        let mut both = before;
        both.add_all(&since);
        assert_eq!((both.reads, both.writes, both.busy_ns), (1, 1, 130));
    }
}
