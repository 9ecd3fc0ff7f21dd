//! The one line in which some drives serve reads and writes by turns.

use crate::bounds::TIME_MAX_NS;
use crate::spec::DriveSpec;
use crate::table::SizeTable;

/// One server for both kinds: an operation keeps it for as long as it costs at the highest rate of its kind,
/// and a change from one kind to the other costs a turnaround.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    turnaround_ns: u64,
    /// Of random reads by size.
    read_cost: SizeTable,
    free_ns: u64,
    last_is_write: bool,
}

impl Line {
    /// `None` for a drive whose reads and writes have ways of their own.
    pub(crate) fn of(spec: &DriveSpec) -> Option<Line> {
        let turnaround_ns = spec.turnaround_ns?.min(TIME_MAX_NS);
        let read_cost = SizeTable::new(|bytes| spec.read_cost_ns(bytes));
        Some(Line { turnaround_ns, read_cost, free_ns: 0, last_is_write: false })
    }

    /// The time for which a random read keeps the line, ns.
    #[inline]
    pub(crate) fn read_cost_ns(&self, len: u32) -> u64 {
        self.read_cost.get(len)
    }

    /// Books the line for an operation of this cost and returns its wait until its turn, ns.
    #[inline]
    pub(crate) fn book(&mut self, now_ns: u64, cost_ns: u64, is_write: bool) -> u64 {
        let turnaround_ns = if is_write == self.last_is_write { 0 } else { self.turnaround_ns };
        self.last_is_write = is_write;
        let start_ns = self.free_ns.max(now_ns).saturating_add(turnaround_ns);
        self.free_ns = start_ns.saturating_add(cost_ns);
        start_ns - now_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_cost_and_a_change_its_turnaround() {
        let spec = DriveSpec { read_4k_per_s: 1e5, turnaround_ns: Some(7000), ..DriveSpec::free() };
        let mut line = Line::of(&spec).unwrap();
        let read_ns = line.read_cost_ns(4096);
        assert_eq!(read_ns, 10_000);
        assert_eq!([0, 0, 0].map(|now_ns| line.book(now_ns, read_ns, false)), [0, 10_000, 20_000]);
        assert_eq!([0, 0].map(|now_ns| line.book(now_ns, 20_000, true)), [37_000, 57_000]);
        assert_eq!(line.book(1_000_000, read_ns, false), 7000, "an idle drive turns as well");
        assert!(Line::of(&DriveSpec::free()).is_none());
    }
}
