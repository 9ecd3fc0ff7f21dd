//! Events second by second, in a form that can be merged.

use crate::histogram::HIGHEST_NS;

/// Latency buckets of a second: exact below 64 ns, then 1/32 of their value wide.
type Buckets = ground::Buckets<5>;
/// Number of buckets from 0 to the highest latency.
const BUCKETS: usize = Buckets::of(HIGHEST_NS) + 1;

const SECOND_NS: u64 = 1_000_000_000;
/// Seconds that there is room for from the first on.
const ROOM_S: usize = 1200;
/// Hit buckets that there is room for in all of them: more than ten minutes of 120 in each second.
const ROOM_HITS: usize = 76_800;
/// Buckets of an octave, as a power of two: coarser than one for each of them nothing becomes.
const COARSE_BITS_MAX: u32 = 5;
/// Seven days: events later than that after the origin are counted in the last second, so that one wrong time
/// stamp cannot take all memory.
const HIGHEST_INDEX: usize = 7 * 24 * 3600 - 1;

/// Counts, bytes, errors and the distribution of latencies in each second since an origin.
///
/// Second k holds the events *completed* from `origin + k` to `origin + k + 1` seconds. Timelines of workers
/// are merged bin by bin, so a percentile of a second is that of all its events together, never an average of
/// percentiles.
///
/// Cost: one dense bin of 10 KB for the newest second, and for each earlier one 40 bytes plus 8 for each
/// latency bucket that was hit (a second of a drive: 100 buckets or fewer, so below 1 KB). Memory does not
/// grow with the number of events, and hardly with time: room is taken and touched when the first second is
/// over, and where the buckets of a long run fill it, neighbours are put together, for half the resolution in
/// each step down to one for an octave ([`error`](Self::error)). Beyond twenty minutes a second takes its 40
/// bytes, 3.5 MB a day. An event of an earlier second is accepted at any time, more slowly.
#[derive(Clone, Debug)]
pub struct Timeline {
    origin_ns: u64,
    /// Start of the newest second.
    newest_start_ns: u64,
    newest: Bin<Dense>,
    /// All seconds before the newest.
    earlier: Vec<Bin<End>>,
    /// Their buckets that were hit, second by second and ascending within each, with their counts.
    hits: Vec<Hit>,
    /// Buckets are put together by this power of two, when hits become as many as `thin_at`.
    coarse_bits: u32,
    thin_at: usize,
}

/// One second of a [`Timeline`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Second {
    /// Events completed in this second, errors not included.
    pub count: u64,
    /// Errors in this second.
    pub errors: u64,
    /// Bytes of the events.
    pub bytes: u64,
    /// Mean latency, ns (exact); 0 without events.
    pub mean_ns: f64,
    /// Median latency, ns, at most [`Timeline::error`] off; 0 without events.
    pub p50_ns: u64,
    /// Latency that 99 % of events did not exceed, ns, at most [`Timeline::error`] off; 0 without events.
    pub p99_ns: u64,
    /// Latency that 99.9 % of events did not exceed, likewise.
    pub p999_ns: u64,
    /// Longest latency, ns (exact up to one hour).
    pub max_ns: u64,
}

#[derive(Clone, Debug, Default)]
struct Bin<Latencies> {
    errors: u64,
    bytes: u64,
    sum_ns: u64,
    max_ns: u64,
    latencies: Latencies,
}

/// Counts of every bucket: for the second that is being filled.
#[derive(Clone, Debug)]
struct Dense(Box<[u64; BUCKETS]>);

/// For a second that is over: where its hits end in those of all.
#[derive(Clone, Copy, Debug, Default)]
struct End(usize);

/// A bucket and how often it was hit.
type Hit = (u16, u32);

impl Timeline {
    /// An empty timeline whose second 0 starts at `origin_ns`. Workers that will be merged share their
    /// origin.
    pub fn new(origin_ns: u64) -> Self {
        Self {
            origin_ns,
            newest_start_ns: origin_ns,
            newest: Bin::default(),
            earlier: Vec::new(),
            hits: Vec::new(),
            coarse_bits: 0,
            thin_at: ROOM_HITS,
        }
    }

    /// The least that [`error`](Self::error) is: half a bucket of the finest.
    pub const FINEST_ERROR: f64 = 1.0 / 64.0;

    /// The largest relative error of a second's percentiles: 1/64 until a long run fills its memory. A bucket
    /// is 1/32 of its value wide, and the value of merged buckets is at most half a bucket from their middle.
    pub fn error(&self) -> f64 {
        let buckets = if self.coarse_bits == 0 { 1 } else { (1_u32 << self.coarse_bits) + 1 };
        f64::from(buckets) / 64.0
    }

    /// Start of second 0, ns.
    pub fn origin_ns(&self) -> u64 {
        self.origin_ns
    }

    /// Count one event that ended at `completed_at_ns` after `latency_ns` and moved `bytes`. Hot while time
    /// moves forward.
    ///
    /// An event before the origin is counted in second 0; a latency above one hour counts as one hour.
    #[inline]
    pub fn record(&mut self, completed_at_ns: u64, latency_ns: u64, bytes: u64) {
        if completed_at_ns.wrapping_sub(self.newest_start_ns) < SECOND_NS {
            self.newest.record(latency_ns, bytes);
        } else {
            self.record_elsewhere(completed_at_ns, latency_ns, bytes);
        }
    }

    /// Count one failed event at `at_ns`. Its latency is nowhere in the distribution.
    pub fn record_error(&mut self, at_ns: u64) {
        match self.reach(self.index_of(at_ns)) {
            None => self.newest.errors += 1,
            Some(index) => self.earlier[index].errors += 1,
        }
    }

    /// Make every second up to that of `at_ns` exist, empty where nothing happened: a load that stood still
    /// to its end has a time line to its end. An empty timeline whose only second would be the first stays
    /// empty.
    pub fn cover(&mut self, at_ns: u64) {
        self.reach(self.index_of(at_ns));
    }

    /// Add every event of `other`, as if it had been recorded here.
    ///
    /// Origins should be equal. If not, whole seconds are moved by the difference rounded to seconds; what
    /// lies before this timeline's origin is counted in its second 0.
    pub fn merge(&mut self, other: &Timeline) {
        let shift_ns = other.origin_ns as i128 - self.origin_ns as i128;
        let shift = shift_ns.saturating_add(i128::from(SECOND_NS / 2)).div_euclid(i128::from(SECOND_NS));
        let place = |index: usize| (index as i128 + shift).clamp(0, HIGHEST_INDEX as i128) as usize;
        if other.len_s() == 0 {
            return;
        }
        let mine = std::mem::replace(self, Timeline::new(self.origin_ns));
        self.coarse_bits = mine.coarse_bits.max(other.coarse_bits);
        let last = mine.len_s().max(place(other.len_s() - 1) + 1) - 1;
        let mut theirs = 0;
        for index in 0..=last {
            self.reach(index);
            mine.add_to(index, &mut self.newest);
            while theirs < other.len_s() && place(theirs) == index {
                other.add_to(theirs, &mut self.newest);
                theirs += 1;
            }
        }
    }

    /// Adds second `index` to a bin.
    fn add_to(&self, index: usize, bin: &mut Bin<Dense>) {
        match self.earlier.get(index) {
            Some(earlier) => bin.add(earlier, self.hits_of(index)),
            None if index == self.earlier.len() => bin.add(&self.newest, &self.newest.hits()),
            None => {}
        }
    }

    /// The buckets that were hit in an earlier second.
    fn hits_of(&self, index: usize) -> &[Hit] {
        let start = index.checked_sub(1).map_or(0, |before| self.earlier[before].latencies.0);
        &self.hits[start..self.earlier[index].latencies.0]
    }

    /// Every second from the origin to the newest with an event, empty ones included. The last is usually not
    /// a whole second long: leave it out of rates.
    pub fn seconds(&self) -> Vec<Second> {
        (0..self.len_s()).filter_map(|index| self.second(index)).collect()
    }

    /// Second `index` alone (live displays); `None` after the newest.
    pub fn second(&self, index: usize) -> Option<Second> {
        match self.earlier.get(index) {
            Some(bin) => Some(bin.summary(self.hits_of(index))),
            None => (index < self.len_s()).then(|| self.newest.summary(&self.newest.hits())),
        }
    }

    /// The number of seconds that [`seconds`](Self::seconds) returns.
    pub fn len_s(&self) -> usize {
        self.earlier.len() + usize::from(!self.newest.is_empty() || !self.earlier.is_empty())
    }

    fn index_of(&self, at_ns: u64) -> usize {
        let index = at_ns.saturating_sub(self.origin_ns) / SECOND_NS;
        index.min(HIGHEST_INDEX as u64) as usize
    }

    #[cold]
    #[inline(never)]
    fn record_elsewhere(&mut self, completed_at_ns: u64, latency_ns: u64, bytes: u64) {
        match self.reach(self.index_of(completed_at_ns)) {
            None => self.newest.record(latency_ns, bytes),
            Some(index) => {
                let latency_ns = latency_ns.min(HIGHEST_NS);
                self.earlier[index].add_totals(&Bin {
                    errors: 0,
                    bytes,
                    sum_ns: latency_ns,
                    max_ns: latency_ns,
                    latencies: (),
                });
                self.hit(index, Buckets::of(latency_ns) as u16);
            }
        }
    }

    /// Counts one event more of an earlier second.
    fn hit(&mut self, index: usize, bucket: u16) {
        let start = index.checked_sub(1).map_or(0, |before| self.earlier[before].latencies.0);
        match self.hits_of(index).binary_search_by_key(&bucket, |hit| hit.0) {
            Ok(at) => self.hits[start + at].1 = self.hits[start + at].1.saturating_add(1),
            Err(at) => {
                self.hits.insert(start + at, (bucket, 1));
                self.earlier[index..].iter_mut().for_each(|bin| bin.latencies.0 += 1);
            }
        }
    }

    /// Make second `index` exist: `None` when it is the newest, else its place among the earlier ones. A
    /// second after the newest closes the newest and all seconds between.
    fn reach(&mut self, index: usize) -> Option<usize> {
        if index > self.earlier.len() {
            self.make_room();
            let hits = self.newest.hits();
            if self.hits.len() + hits.len() > self.thin_at {
                self.thin();
            }
            self.hits.extend(hits);
            let end = End(self.hits.len());
            let mut closed = Bin { latencies: end, ..Bin::default() };
            closed.add_totals(&self.newest);
            self.earlier.push(closed);
            self.earlier.resize_with(index, || Bin { latencies: end, ..Bin::default() });
            self.newest.clear();
            self.newest_start_ns = self.origin_ns.saturating_add(index as u64 * SECOND_NS);
        }
        (index < self.earlier.len()).then_some(index)
    }

    /// Takes memory once, and touches it, so that it is not taken bit by bit while a run goes on.
    fn make_room(&mut self) {
        if self.earlier.capacity() == 0 {
            self.earlier = vec![Bin { errors: 1, ..Bin::default() }; ROOM_S];
            self.hits = vec![(1, 1); ROOM_HITS];
            self.earlier.clear();
            self.hits.clear();
        }
    }

    /// Puts neighbouring buckets of the seconds that are over together, until a quarter of the room is free
    /// or they are as coarse as they may become.
    #[cold]
    fn thin(&mut self) {
        self.coarse_bits = self.coarse_bits.max(1);
        loop {
            self.put_together();
            if self.hits.len() <= ROOM_HITS / 4 * 3 || self.coarse_bits == COARSE_BITS_MAX {
                break;
            }
            self.coarse_bits += 1;
        }
        self.thin_at = ROOM_HITS.max(self.hits.len() / 3 * 4);
    }

    fn put_together(&mut self) {
        let middle = |bucket: u16| {
            let low = usize::from(bucket) >> self.coarse_bits << self.coarse_bits;
            (low + (1 << self.coarse_bits) / 2).min(BUCKETS - 1) as u16
        };
        let (mut kept, mut from) = (0, 0);
        for bin in &mut self.earlier {
            let first = kept;
            for at in from..bin.latencies.0 {
                let (bucket, count) = self.hits[at];
                let bucket = middle(bucket);
                if kept > first && self.hits[kept - 1].0 == bucket {
                    self.hits[kept - 1].1 = self.hits[kept - 1].1.saturating_add(count);
                } else {
                    self.hits[kept] = (bucket, count);
                    kept += 1;
                }
            }
            from = bin.latencies.0;
            bin.latencies.0 = kept;
        }
        self.hits.truncate(kept);
    }
}

impl<Latencies> Bin<Latencies> {
    fn add_totals<Others>(&mut self, other: &Bin<Others>) {
        self.errors = self.errors.saturating_add(other.errors);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }
}

impl Bin<Dense> {
    #[inline]
    fn record(&mut self, latency_ns: u64, bytes: u64) {
        let latency_ns = latency_ns.min(HIGHEST_NS);
        self.bytes = self.bytes.saturating_add(bytes);
        self.sum_ns = self.sum_ns.saturating_add(latency_ns);
        self.max_ns = self.max_ns.max(latency_ns);
        self.latencies.0[Buckets::of(latency_ns)] += 1;
    }

    fn is_empty(&self) -> bool {
        self.errors == 0 && self.latencies.0.iter().all(|&count| count == 0)
    }

    fn clear(&mut self) {
        (self.errors, self.bytes, self.sum_ns, self.max_ns) = (0, 0, 0, 0);
        self.latencies.0.fill(0);
    }

    fn add<Others>(&mut self, other: &Bin<Others>, hits: &[Hit]) {
        self.add_totals(other);
        for &(bucket, count) in hits {
            self.latencies.0[usize::from(bucket)] += u64::from(count);
        }
    }

    /// The buckets that were hit, ascending.
    fn hits(&self) -> Vec<Hit> {
        let hit = self.latencies.0.iter().enumerate().filter(|&(_, &count)| count > 0);
        hit.map(|(bucket, &count)| (bucket as u16, saturate(count))).collect()
    }
}

impl<Latencies> Bin<Latencies> {
    fn summary(&self, hits: &[Hit]) -> Second {
        let count = hits.iter().map(|&(_, count)| u64::from(count)).sum();
        Second {
            count,
            errors: self.errors,
            bytes: self.bytes,
            mean_ns: if count == 0 { 0.0 } else { self.sum_ns as f64 / count as f64 },
            p50_ns: self.quantile_ns(0.50, count, hits),
            p99_ns: self.quantile_ns(0.99, count, hits),
            p999_ns: self.quantile_ns(0.999, count, hits),
            max_ns: self.max_ns,
        }
    }

    fn quantile_ns(&self, quantile: f64, count: u64, hits: &[Hit]) -> u64 {
        let rank = ((quantile * count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for &(bucket, count) in hits {
            seen += u64::from(count);
            if seen >= rank {
                return Buckets::middle(usize::from(bucket)).min(self.max_ns);
            }
        }
        0
    }
}

impl Default for Dense {
    fn default() -> Self {
        Self(Box::new([0; BUCKETS]))
    }
}

/// No second of real time holds 2^32 events of one bucket.
fn saturate(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ORIGIN_NS: u64 = 5_000_000_123;

    #[test]
    fn seconds_in_which_nothing_happens_are_there_when_they_are_covered() {
        let mut timeline = Timeline::new(0);
        timeline.record(100, 5, 0);
        timeline.cover(3 * SECOND_NS - 1);
        timeline.cover(SECOND_NS);
        let counts: Vec<u64> = timeline.seconds().iter().map(|second| second.count).collect();
        assert_eq!(counts, [1, 0, 0]);
    }

    #[test]
    fn a_long_run_takes_no_more_room_and_says_what_it_costs() {
        let mut timeline = Timeline::new(0);
        for second in 0..1100_u64 {
            for step in 0..200_u64 {
                timeline.record(second * SECOND_NS + step, 50_000 + step * step * 100, 4096);
            }
        }
        assert_eq!((timeline.hits.capacity(), timeline.earlier.capacity()), (ROOM_HITS, ROOM_S));
        assert!(timeline.error() > 1.0 / 64.0 && timeline.error() < 0.15, "{}", timeline.error());
        let seconds = timeline.seconds();
        assert!(seconds.iter().all(|second| second.count == 200 && second.bytes == 200 * 4096));
        for (second, exact_ns) in
            seconds.iter().flat_map(|s| [(s.p50_ns, 1_030_100.0), (s.p99_ns, 3_930_900.0)])
        {
            assert!((second as f64 / exact_ns - 1.0).abs() <= timeline.error(), "{second} for {exact_ns}");
        }
        let mut merged = Timeline::new(0);
        merged.merge(&timeline);
        assert_eq!(merged.seconds().len(), 1100);
        assert!(merged.error() >= timeline.error());
    }

    #[test]
    fn events_fall_into_the_second_of_their_completion() {
        let mut timeline = Timeline::new(ORIGIN_NS);
        timeline.record(ORIGIN_NS, 1000, 4096);
        timeline.record(ORIGIN_NS + SECOND_NS - 1, 3000, 4096);
        timeline.record(ORIGIN_NS + SECOND_NS, 40, 512);
        timeline.record_error(ORIGIN_NS + 3 * SECOND_NS);
        let seconds = timeline.seconds();
        assert_eq!(seconds.len(), 4);
        let expected = Second { count: 2, bytes: 8192, mean_ns: 2000.0, max_ns: 3000, ..seconds[0].clone() };
        assert_eq!(seconds[0], expected);
        let exact = Second {
            count: 1,
            bytes: 512,
            mean_ns: 40.0,
            p50_ns: 40,
            p99_ns: 40,
            p999_ns: 40,
            max_ns: 40,
            errors: 0,
        };
        assert_eq!(seconds[1], exact);
        assert_eq!(seconds[2], Second::default());
        assert_eq!(seconds[3], Second { errors: 1, ..Second::default() });
        assert_eq!((timeline.second(1), timeline.second(4)), (Some(exact), None));
    }

    #[test]
    fn nothing_recorded_is_no_second() {
        let timeline = Timeline::new(ORIGIN_NS);
        assert_eq!((timeline.seconds(), timeline.len_s(), timeline.second(0)), (vec![], 0, None));
        assert_eq!(timeline.origin_ns(), ORIGIN_NS);
    }

    #[test]
    fn wrong_times_are_counted_at_the_ends() {
        let mut timeline = Timeline::new(ORIGIN_NS);
        timeline.record(u64::MAX, u64::MAX, u64::MAX);
        timeline.record(u64::MAX - 1, u64::MAX, u64::MAX);
        timeline.record(0, 7, 1);
        timeline.record_error(0);
        assert_eq!(timeline.len_s(), HIGHEST_INDEX + 1);
        let first = timeline.second(0).unwrap();
        assert_eq!((first.count, first.errors, first.p99_ns), (1, 1, 7));
        let last = timeline.second(HIGHEST_INDEX).unwrap();
        assert_eq!((last.count, last.max_ns, last.bytes), (2, HIGHEST_NS, u64::MAX));
    }

    #[test]
    fn percentiles_of_a_second_come_from_all_workers_together() {
        // One worker fast, one slow: the average of their p99 would be half of the truth.
        let (mut fast, mut slow) = (Timeline::new(0), Timeline::new(0));
        (0..950).for_each(|_| fast.record(1, 100_000, 0));
        (0..50).for_each(|_| slow.record(2, 10_000_000, 0));
        fast.merge(&slow);
        let second = fast.second(0).unwrap();
        let near = |value: u64, truth: f64| (value as f64 / truth - 1.0).abs() <= 1.0 / 64.0;
        assert!(near(second.p50_ns, 100_000.0) && near(second.p99_ns, 10_000_000.0), "{second:?}");
        assert_eq!(second.max_ns, 10_000_000);
    }

    #[test]
    fn other_origins_are_moved_by_whole_seconds() {
        let mut later = Timeline::new(2 * SECOND_NS + 400_000_000);
        later.record(3 * SECOND_NS, 5, 0);
        let mut timeline = Timeline::new(0);
        timeline.merge(&later);
        assert_eq!(timeline.seconds().iter().map(|second| second.count).collect::<Vec<_>>(), [0, 0, 1]);
        let mut from_later = Timeline::new(2 * SECOND_NS);
        from_later.merge(&timeline);
        assert_eq!(from_later.seconds().iter().map(|second| second.count).collect::<Vec<_>>(), [1]);
        let mut far = Timeline::new(u64::MAX);
        far.merge(&timeline);
        assert_eq!(far.second(0).unwrap().count, 1);
    }

    #[test]
    fn ten_minutes_take_no_more_than_the_first_second() {
        let mut timeline = Timeline::new(0);
        let room = |timeline: &Timeline| (timeline.earlier.capacity(), timeline.hits.capacity());
        let mut first = None;
        for event in 0..600_000_u64 {
            timeline.record(event * 1_000_000, 100_000 + event * 7919 % 100_000, 4096);
            if event == 1001 {
                first = Some(room(&timeline));
            }
        }
        assert_eq!((timeline.len_s(), Some(room(&timeline))), (600, first));
    }

    #[test]
    fn a_long_busy_run_stays_small() {
        let mut timeline = Timeline::new(0);
        for event in 0..600_000_u64 {
            timeline.record(event * 10_000_000, 60_000 + event * 7919 % 400_000, 4096);
        }
        let buckets = timeline.hits.len();
        assert_eq!(timeline.len_s(), 6000);
        let bytes = buckets * size_of::<Hit>() + timeline.earlier.len() * size_of::<Bin<End>>();
        assert!(bytes < 6000 * 1000, "{bytes} bytes for 6000 s");
    }

    fn build(events: &[(u64, u64, bool)]) -> Timeline {
        let mut timeline = Timeline::new(0);
        for &(at_ms, latency_ns, failed) in events {
            match failed {
                true => timeline.record_error(at_ms * 1_000_000),
                false => timeline.record(at_ms * 1_000_000, latency_ns, 512),
            }
        }
        timeline
    }

    fn events() -> impl Strategy<Value = Vec<(u64, u64, bool)>> {
        prop::collection::vec((0..6000_u64, 0..5_000_000_000_u64, prop::bool::weighted(0.1)), 0..200)
    }

    proptest! {
        #[test]
        fn order_and_division_among_workers_do_not_matter(all in events(), split in 0..200_usize) {
            let whole = build(&all).seconds();
            let mut sorted = all.clone();
            sorted.sort_unstable();
            prop_assert_eq!(&build(&sorted).seconds(), &whole);
            let (mine, theirs) = all.split_at(split.min(all.len()));
            let mut merged = build(mine);
            merged.merge(&build(theirs));
            prop_assert_eq!(&merged.seconds(), &whole);
        }

        #[test]
        fn each_second_agrees_with_its_sorted_events(all in events()) {
            for (index, second) in build(&all).seconds().into_iter().enumerate() {
                let inside = |event: &&(u64, u64, bool)| event.0 / 1000 == index as u64;
                let (failed, ended): (Vec<&(u64, u64, bool)>, Vec<_>) = all.iter().filter(inside).partition(|event| event.2);
                let errors = failed.len() as u64;
                let mut latencies: Vec<u64> = ended.iter().map(|event| event.1).collect();
                latencies.sort_unstable();
                prop_assert_eq!((second.count, second.errors), (latencies.len() as u64, errors));
                prop_assert_eq!(second.bytes, 512 * second.count);
                prop_assert_eq!(second.max_ns, latencies.last().copied().unwrap_or(0));
                for (quantile, value) in [(0.5, second.p50_ns), (0.99, second.p99_ns)] {
                    let rank = (quantile * latencies.len() as f64).ceil() as usize;
                    let truth = rank.checked_sub(1).map_or(0, |rank| latencies[rank]);
                    let off = value.abs_diff(truth) as f64;
                    prop_assert!(off <= truth as f64 / 64.0 + 0.5, "{value} for {truth}");
                }
            }
        }
    }
}
