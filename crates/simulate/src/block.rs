//! Block procedures in virtual time: threads that each keep one request under way on the disks of a bed,
//! bursts of page writes between.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use device::Op;
use ground::Random;
use measure::{Histogram, Timeline, mean_interval};

use crate::bed::Bed;
use crate::load::Window;
use crate::run::SimulateError;
use crate::store::{Disk, Store};

/// A block load.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockLoad {
    /// Machines, spread over the hosts.
    pub machines: u32,
    /// Disks of each machine.
    pub disks: u32,
    /// Bytes of each disk.
    pub disk_bytes: u64,
    /// Requests under way on each disk.
    pub depth: u32,
    /// Sizes of the requests with the share of each; the shares add up to 1.
    pub sizes: Vec<(u32, f64)>,
    /// Share of reads, 0 to 1.
    pub read_share: f64,
    /// True if each thread reads its disk in sequence.
    pub is_sequential: bool,
    /// Requests per second over all machines; `None` for as many as there can be.
    pub rate_per_s: Option<f64>,
    /// Page writes that are handed in all at once.
    pub burst: Option<Burst>,
    /// The time span.
    pub window: Window,
}

/// Page writes that are handed in all at once, again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// Pages of 8 KiB.
    pub pages: u32,
    /// Nanoseconds from one burst to the next.
    pub every_ns: u64,
    /// Writes of it under way at once.
    pub depth: u32,
}

/// The result of a block load in its measured part.
#[derive(Clone, Debug)]
pub struct BlockOutcome {
    /// Seconds simulated and measured.
    pub measured_s: f64,
    /// Seconds simulated before.
    pub settled_s: f64,
    /// Half the 95 % interval of the rate, as a share of it.
    pub precision: f64,
    /// Latencies of reads, bursts left out.
    pub reads: Histogram,
    /// Latencies of writes, bursts left out.
    pub writes: Histogram,
    /// Ages at the end of requests that were due by then and not started, at an asked rate: lower bounds of
    /// their latencies. They are in no rate.
    pub waiting: Histogram,
    /// Bytes of reads and writes.
    pub bytes: u64,
    /// Reads per second while a burst was being written, where there are bursts.
    pub burst_reads_per_s: Option<f64>,
    /// Reads per second between bursts.
    pub calm_reads_per_s: f64,
    /// Completions second by second from the start of the simulation.
    pub timeline: Timeline,
    /// The event that ended the load early: lost data.
    pub lost: Option<String>,
}

impl BlockOutcome {
    /// Requests per second.
    #[must_use]
    pub fn iops(&self) -> f64 {
        (self.reads.len() + self.writes.len()) as f64 / self.measured_s
    }

    /// Bytes per second.
    #[must_use]
    pub fn bandwidth_bytes_per_s(&self) -> f64 {
        self.bytes as f64 / self.measured_s
    }

    /// Mean latency of all requests in nanoseconds.
    #[must_use]
    pub fn latency_mean_ns(&self) -> f64 {
        let (r, w) = (self.reads.len() as f64, self.writes.len() as f64);
        if r + w == 0.0 { 0.0 } else { (self.reads.mean_ns() * r + self.writes.mean_ns() * w) / (r + w) }
    }
}

/// One thread: its disk and where it goes on.
struct Thread {
    host: u32,
    disk: Disk,
    next_offset: u64,
    /// When its next request is due, at an asked rate.
    due_ns: u64,
}

/// Bytes of a page of a burst.
const PAGE_BYTES: u32 = 8192;
/// Different ages that the waiting requests of one thread get at most.
const WAITING_STEPS: u64 = 64;
/// Parts of the measured time of which the spread is taken.
const PART_NS: u64 = 100_000_000;

/// Simulates a block load on `bed`, with every draw from `seed`.
///
/// # Errors
/// When the bed cannot be, when the data does not fit, or when the requests take no time, so that virtual
/// time would stand still.
pub fn run_block(bed: &Bed, load: &BlockLoad, seed: u64) -> Result<BlockOutcome, SimulateError> {
    let name = || bed.name.clone();
    let fault = |problem: &str| SimulateError::Load { bed: name(), problem: problem.to_owned() };
    if load.machines == 0 || load.disks == 0 || load.depth == 0 || load.sizes.is_empty() {
        return Err(fault("a block load needs a machine, a disk, a request under way and a size"));
    }
    if load.rate_per_s.is_some_and(|rate| !(rate > 0.0 && rate.is_finite())) {
        return Err(fault("a rate must be above zero"));
    }
    if u64::from(load.machines) * u64::from(load.disks) * u64::from(load.depth) > 1_000_000 {
        return Err(fault(
            "more than a million requests under way would need more memory than a simulation should",
        ));
    }
    let mut random = Random::new(seed);
    let mut store = Store::new(&bed.store, random.next_u64())
        .map_err(|error| SimulateError::Storage { bed: name(), error })?;
    let mut threads = Vec::new();
    for number in 0..load.machines * load.disks {
        let (machine, nth) = (number / load.disks, number % load.disks);
        let disk = store
            .disk(number, u64::from(nth) * load.disk_bytes, load.disk_bytes)
            .map_err(|error| SimulateError::Data { bed: name(), error })?;
        for thread in 0..load.depth {
            let next_offset = (load.disk_bytes / u64::from(load.depth) * u64::from(thread)) & !0xFFFF;
            threads.push(Thread { host: machine % bed.hosts.count, disk, next_offset, due_ns: 0 });
        }
    }
    store.hasten(load.window.haste());
    Blocks::new(load, store, threads, random).go().map_err(|StandsStill| fault(STANDS_STILL))
}

const STANDS_STILL: &str = "its storage answers in no time, so virtual time stands still; simulate a drive that takes time, or ask for a rate";

/// Every thread came back again and again at one instant.
struct StandsStill;

struct Blocks<'a> {
    load: &'a BlockLoad,
    store: Store,
    threads: Vec<Thread>,
    random: Random,
    events: BinaryHeap<Reverse<(u64, u64, usize)>>,
    sequence: u64,
    settle_ns: u64,
    burst_left: u32,
    burst_flying: u32,
    burst_ns: u64,
    burst_since_ns: u64,
    burst_reads: u64,
    parts: Vec<f64>,
    part_count: f64,
    outcome: BlockOutcome,
}

/// Numbers of events that are no threads: the start of a burst, and the end of one of its writes.
const BURST: usize = usize::MAX;
const BURST_WRITE: usize = usize::MAX - 1;

impl<'a> Blocks<'a> {
    fn new(load: &'a BlockLoad, store: Store, threads: Vec<Thread>, random: Random) -> Blocks<'a> {
        let settle_ns = load.window.settle_ns();
        let outcome = BlockOutcome {
            measured_s: 0.0,
            settled_s: settle_ns as f64 / 1e9,
            precision: f64::INFINITY,
            reads: Histogram::new(),
            writes: Histogram::new(),
            waiting: Histogram::new(),
            bytes: 0,
            burst_reads_per_s: None,
            calm_reads_per_s: 0.0,
            timeline: Timeline::new(0),
            lost: None,
        };
        Blocks {
            load,
            store,
            threads,
            random,
            events: BinaryHeap::new(),
            sequence: 0,
            settle_ns,
            burst_left: 0,
            burst_flying: 0,
            burst_ns: 0,
            burst_since_ns: 0,
            burst_reads: 0,
            parts: Vec::new(),
            part_count: 0.0,
            outcome,
        }
    }

    fn schedule(&mut self, at_ns: u64, what: usize) {
        self.sequence += 1;
        self.events.push(Reverse((at_ns, self.sequence, what)));
    }

    fn go(mut self) -> Result<BlockOutcome, StandsStill> {
        for thread in 0..self.threads.len() {
            let first_ns = self.load.rate_per_s.map_or(0, |rate| self.next_due(thread, rate));
            self.schedule(first_ns, thread);
        }
        if let Some(burst) = self.load.burst {
            self.schedule(self.settle_ns + burst.every_ns / 2, BURST);
        }
        // Between two instants every thread and every write of a burst comes back once; more often only where
        // nothing takes time.
        let burst = self.load.burst.map_or(0, |burst| u64::from(burst.pages));
        let at_once_max = 1000 * (self.threads.len() as u64 + burst + 1);
        let (mut now_ns, mut at_once) = (0, 0);
        while let Some(Reverse((at_ns, _, what))) = self.events.pop() {
            at_once = if at_ns == now_ns { at_once + 1 } else { 0 };
            if at_once > at_once_max {
                return Err(StandsStill);
            }
            now_ns = at_ns;
            if now_ns >= self.settle_ns && self.is_over(now_ns) {
                break;
            }
            let went = match what {
                BURST => self.burst(now_ns),
                BURST_WRITE => {
                    self.burst_flying -= 1;
                    self.burst_write(now_ns)
                }
                thread => self.request(now_ns, thread),
            };
            if let Err(error) = went {
                self.outcome.lost = Some(error.to_string());
                break;
            }
        }
        Ok(self.conclude(now_ns))
    }

    fn is_over(&mut self, now_ns: u64) -> bool {
        let passed_ns = now_ns - self.settle_ns;
        while (self.parts.len() as u64 + 1) * PART_NS <= passed_ns {
            self.parts.push(self.part_count);
            self.part_count = 0.0;
        }
        let window = &self.load.window;
        passed_ns >= window.measure_ns
            || (passed_ns >= window.least_ns
                && self.load.burst.is_none()
                && self.precision() < window.precision)
    }

    fn precision(&self) -> f64 {
        let interval = mean_interval(&self.parts).map(|e| (e.high - e.low) / 2.0 / e.value);
        interval.filter(|share| share.is_finite()).unwrap_or(f64::INFINITY)
    }

    fn chance(&mut self) -> f64 {
        self.random.unit()
    }

    fn request(&mut self, now_ns: u64, number: usize) -> Result<(), device::datastore::DatastoreError> {
        let len = self.size();
        let is_read = self.chance() < self.load.read_share;
        let spot = self.random.next_u64();
        let thread = &mut self.threads[number];
        let places = (thread.disk.bytes / u64::from(len)).max(1);
        let offset = if self.load.is_sequential {
            let offset = thread.next_offset;
            thread.next_offset = (offset + u64::from(len)) % (places * u64::from(len));
            offset
        } else {
            spot % places * u64::from(len)
        };
        let op = if is_read { Op::Read { offset, len } } else { Op::Write { offset, len } };
        // At an asked rate a request that comes late has waited, and its waiting counts.
        let due_ns = if self.load.rate_per_s.is_some() { thread.due_ns } else { now_ns };
        let done_ns = self.store.submit(now_ns, thread.host, thread.disk, op)?;
        if now_ns >= self.settle_ns {
            let histogram = if is_read { &mut self.outcome.reads } else { &mut self.outcome.writes };
            histogram.record(done_ns - due_ns);
            self.outcome.bytes += u64::from(len);
            self.part_count += 1.0;
            if is_read && self.burst_flying > 0 {
                self.burst_reads += 1;
            }
        }
        self.outcome.timeline.record(done_ns, done_ns - due_ns, u64::from(len));
        let next_ns = self.load.rate_per_s.map_or(0, |rate| self.next_due(number, rate));
        self.schedule(done_ns.max(next_ns), number);
        Ok(())
    }

    /// When a thread's next request is due: each has its own share of the rate, at gaps of chance (together a
    /// Poisson process).
    fn next_due(&mut self, number: usize, rate: f64) -> u64 {
        let gap_ns = -(1.0 - self.chance()).ln() * self.threads.len() as f64 / rate * 1e9;
        let thread = &mut self.threads[number];
        thread.due_ns += gap_ns as u64;
        thread.due_ns
    }

    fn size(&mut self) -> u32 {
        if let [(only, _)] = self.load.sizes[..] {
            return only;
        }
        let mut chance = self.chance();
        for &(size, share) in &self.load.sizes {
            if chance < share {
                return size;
            }
            chance -= share;
        }
        self.load.sizes[0].0
    }

    fn burst(&mut self, now_ns: u64) -> Result<(), device::datastore::DatastoreError> {
        let Some(burst) = self.load.burst else { return Ok(()) };
        self.burst_left += burst.pages;
        self.schedule(now_ns + burst.every_ns, BURST);
        while self.burst_flying < burst.depth && self.burst_left > 0 {
            self.burst_write(now_ns)?;
        }
        Ok(())
    }

    fn burst_write(&mut self, now_ns: u64) -> Result<(), device::datastore::DatastoreError> {
        if self.burst_left == 0 {
            if self.burst_flying == 0 {
                self.burst_ns += now_ns - self.burst_since_ns;
            }
            return Ok(());
        }
        if self.burst_flying == 0 {
            self.burst_since_ns = now_ns;
        }
        self.burst_left -= 1;
        self.burst_flying += 1;
        let spot = self.random.next_u64();
        let thread = &self.threads[0];
        let offset = spot % (thread.disk.bytes / u64::from(PAGE_BYTES)).max(1) * u64::from(PAGE_BYTES);
        let done_ns =
            self.store.submit(now_ns, thread.host, thread.disk, Op::Write { offset, len: PAGE_BYTES })?;
        self.schedule(done_ns, BURST_WRITE);
        Ok(())
    }

    /// Counts the requests that each thread is behind with, spread evenly over the time since its next one
    /// was due: there may be too many to draw each.
    fn count_waiting(&mut self, rate: f64, now_ns: u64) {
        let gap_ns = self.threads.len() as f64 / rate * 1e9;
        for thread in &self.threads {
            let behind_ns = now_ns.saturating_sub(thread.due_ns.max(self.settle_ns));
            if behind_ns == 0 {
                continue;
            }
            let count = 1 + (behind_ns as f64 / gap_ns) as u64;
            let steps = count.min(WAITING_STEPS);
            for step in 1..=steps {
                let share = count * step / steps - count * (step - 1) / steps;
                self.outcome.waiting.record_n(behind_ns / steps * step, share);
            }
        }
    }

    fn conclude(mut self, now_ns: u64) -> BlockOutcome {
        if let Some(rate) = self.load.rate_per_s {
            self.count_waiting(rate, now_ns);
        }
        let measured_ns = now_ns.saturating_sub(self.settle_ns).max(1);
        self.outcome.measured_s = measured_ns as f64 / 1e9;
        self.outcome.precision = self.precision();
        let calm_ns = measured_ns.saturating_sub(self.burst_ns).max(1);
        let calm_reads = self.outcome.reads.len() - self.burst_reads;
        self.outcome.calm_reads_per_s = calm_reads as f64 / (calm_ns as f64 / 1e9);
        if self.burst_ns > 0 {
            self.outcome.burst_reads_per_s = Some(self.burst_reads as f64 / (self.burst_ns as f64 / 1e9));
        }
        self.outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bed::{DatabaseCosts, Hosts, StoreSpec};
    use crate::load::Window;
    use device::datastore::DatastoreSpec;
    use device::{DriveSpec, ReadLatency};

    fn free_bed() -> Bed {
        Bed {
            name: "free".to_owned(),
            title: "one host with one drive that takes no time".to_owned(),
            hosts: Hosts { count: 1, cores: 16, threads: 32, memory_gib: 64 },
            store: StoreSpec::Datastore(Box::new(DatastoreSpec::of_drive(&DriveSpec::free(), 1 << 40))),
            database: DatabaseCosts::default(),
        }
    }

    fn reads() -> BlockLoad {
        BlockLoad {
            machines: 1,
            disks: 1,
            disk_bytes: 1 << 30,
            depth: 4,
            sizes: vec![(4096, 1.0)],
            read_share: 1.0,
            is_sequential: false,
            rate_per_s: None,
            burst: None,
            window: Window::published(1, 2),
        }
    }

    #[test]
    fn storage_that_takes_no_time_is_refused_and_not_run_for_ever() {
        let error = run_block(&free_bed(), &reads(), 1).unwrap_err();
        assert!(error.to_string().contains("virtual time stands still"), "{error}");
    }

    #[test]
    fn a_rate_moves_time_on_also_where_nothing_else_does() {
        let load = BlockLoad { rate_per_s: Some(1000.0), ..reads() };
        let outcome = run_block(&free_bed(), &load, 1).unwrap();
        assert!((outcome.iops() / 1000.0 - 1.0).abs() < 0.1, "{}", outcome.iops());
    }

    #[test]
    fn requests_that_wait_at_the_end_are_counted_with_their_ages() {
        let latency = ReadLatency { size_bytes: 4096, latency_ns: 1_000_000 };
        let spec = DriveSpec { read_latency: vec![latency], ..DriveSpec::free() };
        let store = StoreSpec::Datastore(Box::new(DatastoreSpec::of_drive(&spec, 1 << 40)));
        let bed = Bed { store, ..free_bed() };
        let run = |rate: f64| {
            let load = BlockLoad { rate_per_s: Some(rate), depth: 1, ..reads() };
            run_block(&bed, &load, 1).unwrap()
        };
        let kept = run(100.0);
        assert!(kept.waiting.len() <= 1, "{}", kept.waiting.len());
        // A thousand a second come back; the others wait, however many they are.
        for rate in [10_000.0, 1e12] {
            let behind = run(rate);
            let due = rate * behind.measured_s;
            assert!(
                (behind.waiting.len() as f64 / due - 1.0).abs() < 0.02,
                "{rate}: {}",
                behind.waiting.len()
            );
            assert!(behind.waiting.max_ns() as f64 <= behind.measured_s * 1.01e9);
            assert!(behind.iops() < 1100.0, "{}", behind.iops());
        }
    }
}
