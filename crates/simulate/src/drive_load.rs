//! One load on one drive in virtual time: the instrument that a drive is profiled with, without a machine.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use device::{Drive, DriveSpec, Op};
use ground::Random;
use measure::Histogram;

use crate::load::NS_PER_S;

/// Bytes of the part of the drive in which operations are at random places.
const SPAN_BYTES: u64 = 1 << 40;
/// A load ends after this many operations, whatever its time: a drive that costs nothing never ends one.
const OPERATIONS_MAX: u64 = 20_000_000;

/// One mix of reads and writes, held for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveLoad {
    /// Share of reads among the operations, 0 to 1.
    pub read_share: f64,
    /// Bytes of each operation.
    pub block_bytes: u32,
    /// True if reads follow each other, and writes too.
    pub is_sequential: bool,
    /// Outstanding operations; with an offered rate the most of them.
    pub depth: u32,
    /// Operations that arrive per second, as a Poisson process; `None` for a closed loop.
    pub offered_per_s: Option<f64>,
    /// Writes after which a flush follows; `None` without flushes.
    pub flush_every: Option<u32>,
    /// Seconds before the measurement.
    pub before_s: f64,
    /// Seconds of the measurement.
    pub measured_s: f64,
    /// Seconds of one interval of the counts.
    pub interval_s: f64,
}

/// The results of a load on a drive.
#[derive(Clone, Debug)]
pub struct DriveOutcome {
    /// Latencies of the reads that completed in the measured time; those of an open load from their arrival.
    pub reads: Histogram,
    /// Latencies of the writes.
    pub writes: Histogram,
    /// Latencies of the flushes.
    pub flushes: Histogram,
    /// Reads and writes that completed in each interval, from the first operation on.
    pub counts: Vec<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum OpKind {
    /// A place that has not served yet.
    Free,
    Read,
    Write,
    Flush,
}

/// An operation under way, in the order of completion.
type Flight = Reverse<(u64, u64, OpKind)>;

/// Puts a load on an idle drive of these numbers. The same seed gives the same results.
#[must_use]
pub fn run_on_drive(spec: &DriveSpec, load: &DriveLoad, seed: u64) -> DriveOutcome {
    let mut bench = Bench::new(spec, load, seed);
    let mut flights: BinaryHeap<Flight> =
        (0..u64::from(load.depth.max(1))).map(|place| Reverse((0, place, OpKind::Free))).collect();
    let mut started = 0;
    while let Some(Reverse((free_ns, place, ended))) = flights.pop() {
        bench.ended(ended);
        let due_ns = bench.due_ns(free_ns);
        let start_ns = due_ns.max(free_ns);
        if start_ns >= bench.end_ns || started >= OPERATIONS_MAX {
            break;
        }
        started += 1;
        let (kind, op) = bench.next();
        let done_ns = bench.drive.submit(start_ns, op);
        bench.count(kind, due_ns, done_ns);
        flights.push(Reverse((done_ns, place, kind)));
    }
    bench.outcome
}

struct Bench<'load> {
    drive: Drive,
    load: &'load DriveLoad,
    random: Random,
    blocks: u64,
    /// Ends of the last sequential read and write.
    ends: [u64; 2],
    written: u32,
    arrival_ns: f64,
    from_ns: u64,
    end_ns: u64,
    interval_ns: f64,
    outcome: DriveOutcome,
}

impl<'load> Bench<'load> {
    fn new(spec: &DriveSpec, load: &'load DriveLoad, seed: u64) -> Bench<'load> {
        let ns = |seconds: f64| (seconds * NS_PER_S as f64) as u64;
        let all_s = load.before_s + load.measured_s;
        let intervals = (all_s / load.interval_s).round().clamp(1.0, 1e6) as usize;
        Bench {
            drive: Drive::new(spec, seed),
            load,
            random: Random::stream(seed, 1),
            blocks: (SPAN_BYTES / u64::from(load.block_bytes.max(1))).max(1),
            ends: [SPAN_BYTES, 2 * SPAN_BYTES],
            written: 0,
            arrival_ns: 0.0,
            from_ns: ns(load.before_s),
            end_ns: ns(all_s),
            interval_ns: load.interval_s * NS_PER_S as f64,
            outcome: DriveOutcome {
                reads: Histogram::new(),
                writes: Histogram::new(),
                flushes: Histogram::new(),
                counts: vec![0.0; intervals],
            },
        }
    }

    fn ended(&mut self, kind: OpKind) {
        if kind == OpKind::Write {
            self.written += 1;
        }
    }

    /// When the next operation is due: as soon as there is a place, or when it arrives.
    fn due_ns(&mut self, free_ns: u64) -> u64 {
        let Some(per_s) = self.load.offered_per_s else { return free_ns };
        if self.is_flush_due() {
            return free_ns;
        }
        self.arrival_ns += self.random.exponential() / per_s * NS_PER_S as f64;
        self.arrival_ns as u64
    }

    fn is_flush_due(&self) -> bool {
        self.load.flush_every.is_some_and(|every| self.written >= every.max(1))
    }

    fn next(&mut self) -> (OpKind, Op) {
        if self.is_flush_due() {
            self.written = 0;
            return (OpKind::Flush, Op::Flush);
        }
        let len = self.load.block_bytes;
        let is_read = self.load.read_share >= 1.0 || self.random.unit() < self.load.read_share;
        let offset = if self.load.is_sequential {
            let end = &mut self.ends[usize::from(!is_read)];
            *end += u64::from(len);
            *end - u64::from(len)
        } else {
            self.random.below(self.blocks) * u64::from(len)
        };
        if is_read {
            (OpKind::Read, Op::Read { offset, len })
        } else {
            (OpKind::Write, Op::Write { offset, len })
        }
    }

    fn count(&mut self, kind: OpKind, due_ns: u64, done_ns: u64) {
        if kind != OpKind::Flush
            && let Some(count) = self.outcome.counts.get_mut((done_ns as f64 / self.interval_ns) as usize)
        {
            *count += 1.0;
        }
        if done_ns < self.from_ns || done_ns >= self.end_ns {
            return;
        }
        let latency = match kind {
            OpKind::Read => &mut self.outcome.reads,
            OpKind::Write => &mut self.outcome.writes,
            OpKind::Flush | OpKind::Free => &mut self.outcome.flushes,
        };
        latency.record(done_ns.saturating_sub(due_ns));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use device::catalogue;

    fn load() -> DriveLoad {
        DriveLoad {
            read_share: 1.0,
            block_bytes: 4096,
            is_sequential: false,
            depth: 1,
            offered_per_s: None,
            flush_every: None,
            before_s: 0.05,
            measured_s: 0.2,
            interval_s: 0.01,
        }
    }

    fn spec() -> DriveSpec {
        catalogue::find("micron-5200-eco-1920g").expect("in the catalogue").spec.clone()
    }

    #[test]
    fn one_reader_finds_the_latency_and_many_the_rate() {
        let alone = run_on_drive(&spec(), &load(), 1);
        assert!((alone.reads.mean_ns() / 145e3 - 1.0).abs() < 0.05, "{}", alone.reads.mean_ns());
        assert_eq!(alone.counts.len(), 25);
        let many = run_on_drive(&spec(), &DriveLoad { depth: 32, ..load() }, 1);
        let per_s = many.reads.len() as f64 / 0.2;
        assert!((per_s / 95e3 - 1.0).abs() < 0.05, "{per_s}");
        assert_eq!(run_on_drive(&spec(), &load(), 1).counts, alone.counts, "the same seed");
    }

    #[test]
    fn an_open_load_keeps_its_rate_and_counts_from_arrival() {
        let open = DriveLoad { offered_per_s: Some(20_000.0), depth: 64, read_share: 0.5, ..load() };
        let outcome = run_on_drive(&spec(), &open, 2);
        let per_s = (outcome.reads.len() + outcome.writes.len()) as f64 / 0.2;
        assert!((per_s / 20_000.0 - 1.0).abs() < 0.05, "{per_s}");
        let behind = run_on_drive(&spec(), &DriveLoad { offered_per_s: Some(400e3), ..open }, 2);
        assert!(behind.reads.mean_ns() > 20e6, "arrivals wait: {}", behind.reads.mean_ns());
    }

    #[test]
    fn flushes_follow_after_so_many_writes() {
        let slow = DriveSpec { power_loss_protection: false, flush_ns: 2_000_000, ..spec() };
        let written = DriveLoad { read_share: 0.0, flush_every: Some(4), ..load() };
        let outcome = run_on_drive(&slow, &written, 3);
        let each = outcome.writes.len() as f64 / outcome.flushes.len() as f64;
        assert!((each - 4.0).abs() < 0.2, "{each}");
        assert!(outcome.flushes.min_ns() >= 2_000_000);
    }

    #[test]
    fn a_drive_that_costs_nothing_ends() {
        let short = DriveLoad { offered_per_s: Some(1e4), ..load() };
        assert!(run_on_drive(&DriveSpec::free(), &short, 1).reads.max_ns() <= 1);
    }
}
