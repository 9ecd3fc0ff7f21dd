//! The drive's command queue: no more commands inside the drive than its limit, the rest wait at the host.

/// Completion times of the commands inside the drive, the earliest first.
///
/// A heap with four children per node: at most five levels deep at a limit of 1024, one or two at the depths
/// that databases use, and it never grows past the room reserved at the start.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    heap_ns: Vec<u64>,
    limit: usize,
    /// The first command has ended and the next one takes its place in the heap.
    first_ended: bool,
}

const CHILDREN: usize = 4;
/// More commands than any interface has in one queue.
const LIMIT_MAX: u32 = 65_536;

impl Slots {
    pub(crate) fn new(limit: u32) -> Slots {
        let limit = limit.clamp(1, LIMIT_MAX) as usize;
        Slots { heap_ns: Vec::with_capacity(limit), limit, first_ended: false }
    }

    /// When a command that arrives at `now_ns` gets into the drive: at once, or when the first command ends.
    /// [`Slots::occupy`] follows with its completion time.
    #[inline]
    pub(crate) fn admit(&mut self, now_ns: u64) -> u64 {
        self.first_ended = false;
        while let Some(&first_ns) = self.heap_ns.first() {
            if first_ns > now_ns {
                self.first_ended = self.heap_ns.len() >= self.limit;
                return if self.first_ended { first_ns } else { now_ns };
            }
            let next = &self.heap_ns[1..(1 + CHILDREN).min(self.heap_ns.len())];
            if next.iter().all(|&next_ns| next_ns > now_ns) {
                self.first_ended = true;
                return now_ns;
            }
            if let Some(last_ns) = self.heap_ns.pop() {
                self.sink(last_ns);
            }
        }
        now_ns
    }

    /// Notes the completion time of the command that was let in last.
    #[inline]
    pub(crate) fn occupy(&mut self, until_ns: u64) {
        if self.first_ended {
            self.sink(until_ns);
            return;
        }
        let mut at = self.heap_ns.len();
        self.heap_ns.push(until_ns);
        while at > 0 {
            let parent = (at - 1) / CHILDREN;
            if self.heap_ns[parent] <= until_ns {
                break;
            }
            self.heap_ns[at] = self.heap_ns[parent];
            at = parent;
        }
        self.heap_ns[at] = until_ns;
    }

    /// Puts a time in the place of the first and moves it down to where it belongs.
    #[inline]
    fn sink(&mut self, moved_ns: u64) {
        let heap_ns = self.heap_ns.as_mut_slice();
        let mut at = 0;
        loop {
            let first = at * CHILDREN + 1;
            let least = if let Some([a, b, c, d]) = heap_ns.get(first..first + CHILDREN) {
                // Two halves and a final: no branch for the processor to guess.
                let (left, left_ns) = if b < a { (1, b) } else { (0, a) };
                let (right, right_ns) = if d < c { (3, d) } else { (2, c) };
                first + if right_ns < left_ns { right } else { left }
            } else if first < heap_ns.len() {
                (first..heap_ns.len()).min_by_key(|&child| heap_ns[child]).unwrap_or(first)
            } else {
                break;
            };
            if heap_ns[least] >= moved_ns {
                break;
            }
            heap_ns[at] = heap_ns[least];
            at = least;
        }
        heap_ns[at] = moved_ns;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_full_queue_waits_for_the_first_completion() {
        let mut slots = Slots::new(2);
        assert_eq!(slots.admit(0), 0);
        slots.occupy(100);
        assert_eq!(slots.admit(0), 0);
        slots.occupy(50);
        assert_eq!(slots.admit(10), 50);
        slots.occupy(70);
        assert_eq!(slots.admit(20), 70);
        slots.occupy(200);
        assert_eq!(slots.admit(300), 300);
    }

    proptest! {
        #[test]
        fn agrees_with_a_sorted_list(limit in 1u32..40, steps in prop::collection::vec((0u64..50, 1u64..2000), 1..400)) {
            let mut slots = Slots::new(limit);
            let mut list: Vec<u64> = Vec::new();
            let (mut now, mut clock) = (0, 0);
            for (gap, length) in steps {
                now += gap;
                let arrival = now.max(clock);
                list.retain(|&end| end > arrival);
                list.sort_unstable();
                let expected = if list.len() < limit as usize { arrival } else { list.remove(0) };
                let start = slots.admit(arrival);
                prop_assert_eq!(start, expected);
                clock = start;
                slots.occupy(start + length);
                list.push(start + length);
            }
        }
    }
}
