//! The way through a mount while programs use it: figures that can be added and subtracted, as all of
//! [`Counters`](crate::Counters).

use measure::Histogram;

use crate::recorder::IoKind;

/// Sizes of operations that are told apart.
const SIZES: usize = 4;
/// Kinds and sizes of operations: reads and writes of 4, 16, 128 KiB and 1 MiB, each with what is nearest to
/// it, and syncs.
pub const WAYS: usize = 2 * SIZES + 1;

/// The place of an operation of this kind and length among [`WAYS`].
pub(crate) fn way_place(kind: IoKind, bytes: u64) -> usize {
    kind as usize * SIZES + crate::fuse::size_class(kind as usize, bytes)
}

/// The places of a kind among [`WAYS`].
pub(crate) fn places(kind: usize) -> std::ops::Range<usize> {
    kind * SIZES..((kind + 1) * SIZES).min(WAYS)
}

/// Operations of one kind and size, and their way to a mount and back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Way {
    /// Operations of programs.
    pub operations: u64,
    /// The way that was taken off their modelled times, ns in all.
    pub foreseen_ns: u64,
    /// The part of that which is the path to the mount and back, without the time by which the mount itself
    /// is usually late, ns in all.
    pub path_ns: u64,
    /// The way that operations of our own took meanwhile, without their waits for a processor, ns.
    pub probes: Histogram,
}

impl Way {
    pub(crate) fn since(&self, earlier: &Way) -> Way {
        Way {
            operations: self.operations.saturating_sub(earlier.operations),
            foreseen_ns: self.foreseen_ns.saturating_sub(earlier.foreseen_ns),
            path_ns: self.path_ns.saturating_sub(earlier.path_ns),
            probes: difference(&self.probes, &earlier.probes),
        }
    }

    pub(crate) fn merge(&mut self, other: &Way) {
        self.operations += other.operations;
        self.foreseen_ns += other.foreseen_ns;
        self.path_ns += other.path_ns;
        self.probes.merge(&other.probes);
    }
}

/// The time of threads that used a mount.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallersSeen {
    /// Operations of threads that had one under way at a time.
    pub alone: u64,
    /// The time of these threads meanwhile, their own work included, ns: no operation of theirs took longer
    /// on average.
    pub alone_ns: u64,
    /// Their waits for a processor, beyond those of an idle machine, ns.
    pub waited_ns: u64,
    /// Operations of threads that had several under way.
    pub queued: u64,
    /// The time of these threads, as often as they had operations under way at most, ns: what an operation
    /// takes on average if they never had fewer.
    pub queued_ns: u64,
    /// The part of that for which they ran or waited for a processor, ns.
    pub queued_awake_ns: u64,
    /// The time of all these operations as the mount saw it, ns.
    pub took_ns: u64,
    /// Operations of programs, of all threads, that took the last of the mount's room: further ones may have
    /// waited in the kernel, for a time that nobody knows.
    pub crowded: u64,
}

impl CallersSeen {
    pub(crate) fn since(&self, earlier: &CallersSeen) -> CallersSeen {
        CallersSeen {
            alone: self.alone.saturating_sub(earlier.alone),
            alone_ns: self.alone_ns.saturating_sub(earlier.alone_ns),
            waited_ns: self.waited_ns.saturating_sub(earlier.waited_ns),
            queued: self.queued.saturating_sub(earlier.queued),
            queued_ns: self.queued_ns.saturating_sub(earlier.queued_ns),
            queued_awake_ns: self.queued_awake_ns.saturating_sub(earlier.queued_awake_ns),
            took_ns: self.took_ns.saturating_sub(earlier.took_ns),
            crowded: self.crowded.saturating_sub(earlier.crowded),
        }
    }

    pub(crate) fn merge(&mut self, other: &CallersSeen) {
        self.alone += other.alone;
        self.alone_ns += other.alone_ns;
        self.waited_ns += other.waited_ns;
        self.queued += other.queued;
        self.queued_ns += other.queued_ns;
        self.queued_awake_ns += other.queued_awake_ns;
        self.took_ns += other.took_ns;
        self.crowded += other.crowded;
    }
}

/// Events of `now` that `earlier` does not have. Both come from one histogram, so they share their buckets
/// and counts only grow.
pub(crate) fn difference(now: &Histogram, earlier: &Histogram) -> Histogram {
    let mut result = Histogram::new();
    let mut old = earlier.recorded().peekable();
    for (value_ns, count) in now.recorded() {
        while old.next_if(|(old_ns, _)| *old_ns < value_ns).is_some() {}
        let before = old.next_if(|(old_ns, _)| *old_ns == value_ns).map_or(0, |(_, count)| count);
        if count > before {
            result.record_n(value_ns, count - before);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_of_histograms_is_what_was_recorded_in_between() {
        let mut histogram = Histogram::new();
        for value in [10, 90_000, 90_000, 5_000_000] {
            histogram.record(value);
        }
        let earlier = histogram.clone();
        let mut expected = Histogram::new();
        for value in [7, 90_000, 123_456_789] {
            histogram.record(value);
            expected.record(value);
        }
        let between = difference(&histogram, &earlier);
        assert_eq!(between.recorded().collect::<Vec<_>>(), expected.recorded().collect::<Vec<_>>());
        assert!(difference(&histogram, &histogram).is_empty());
        assert_eq!(difference(&histogram, &Histogram::new()).len(), 7);
    }

    #[test]
    fn kinds_and_sizes_have_a_place_each() {
        let places = [(IoKind::Read, 4096), (IoKind::Read, 1 << 20), (IoKind::Write, 0), (IoKind::Sync, 0)];
        assert_eq!(places.map(|(kind, bytes)| way_place(kind, bytes)), [0, 3, 4, 8]);
        assert_eq!([super::places(0), super::places(2)], [0..4, 8..9]);
    }

    #[test]
    fn what_was_added_can_be_taken_off() {
        let mut probes = Histogram::new();
        probes.record(5_000);
        let way = Way { operations: 3, foreseen_ns: 9, path_ns: 8, probes };
        let callers = CallersSeen {
            alone: 1,
            alone_ns: 2,
            waited_ns: 3,
            queued: 4,
            queued_ns: 5,
            queued_awake_ns: 6,
            took_ns: 7,
            crowded: 8,
        };
        let (mut ways, mut all) = (way.clone(), callers);
        ways.merge(&way);
        all.merge(&callers);
        assert_eq!((ways.operations, ways.since(&way), all.since(&callers)), (6, way, callers));
    }
}
