//! Runs a modelled drive in virtual time: clients that wait for their own completions (closed loop), and
//! writers that start by the clock with a bounded number in flight (open loop).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use device::{Drive, DriveSpec, Op};
use ground::Random;

pub(crate) const MS: u64 = 1_000_000;
pub(crate) const S: u64 = 1_000_000_000;

/// The load on the drive.
#[derive(Clone, Debug)]
pub(crate) struct DriveLoad {
    pub(crate) readers: u32,
    pub(crate) writers: u32,
    /// Clients that draw before every operation whether it is a read.
    pub(crate) mixed: u32,
    pub(crate) read_share: f64,
    /// Threads that write open loop, each at its share of the rate.
    pub(crate) paced_writers: u32,
    pub(crate) paced_writes_per_s: f64,
    pub(crate) paced_depth: u32,
    pub(crate) block_bytes: u32,
    /// One stream of reads and one of writes instead of random offsets.
    pub(crate) sequential: bool,
    pub(crate) span_bytes: u64,
    pub(crate) warm_up_ns: u64,
    pub(crate) measure_ns: u64,
    pub(crate) seed: u64,
}

impl Default for DriveLoad {
    fn default() -> DriveLoad {
        DriveLoad {
            readers: 0,
            writers: 0,
            mixed: 0,
            read_share: 0.7,
            paced_writers: 0,
            paced_writes_per_s: 0.0,
            paced_depth: 64,
            block_bytes: 4096,
            sequential: false,
            span_bytes: 40 << 30,
            warm_up_ns: S / 2,
            measure_ns: S,
            seed: 1,
        }
    }
}

/// Latencies of the completions in the measured time, sorted.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) read_ns: Vec<u64>,
    pub(crate) write_ns: Vec<u64>,
    seconds: f64,
}

impl Outcome {
    pub(crate) fn reads_per_s(&self) -> f64 {
        self.read_ns.len() as f64 / self.seconds
    }

    pub(crate) fn writes_per_s(&self) -> f64 {
        self.write_ns.len() as f64 / self.seconds
    }
}

pub(crate) fn mean_us(latencies_ns: &[u64]) -> f64 {
    latencies_ns.iter().map(|&ns| ns as f64).sum::<f64>() / latencies_ns.len() as f64 / 1e3
}

pub(crate) fn quantile_us(sorted_ns: &[u64], quantile: f64) -> f64 {
    sorted_ns[((sorted_ns.len() - 1) as f64 * quantile) as usize] as f64 / 1e3
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Tick(usize),
    PacedDone(usize),
    ReadDone,
    WriteDone,
    MixedDone,
}

struct Run<'a> {
    load: &'a DriveLoad,
    drive: Drive,
    random: Random,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    in_flight: Vec<u32>,
    waiting: Vec<u64>,
    next_read: u64,
    next_write: u64,
    outcome: Outcome,
}

pub(crate) fn run(spec: &DriveSpec, load: &DriveLoad) -> Outcome {
    let threads = load.paced_writers as usize;
    let mut run = Run {
        load,
        drive: Drive::new(spec, load.seed),
        random: Random::new(load.seed ^ 0xA5A5),
        events: BinaryHeap::new(),
        in_flight: vec![0; threads],
        waiting: vec![0; threads],
        next_read: 0,
        next_write: load.span_bytes,
        outcome: Outcome { seconds: load.measure_ns as f64 / S as f64, ..Outcome::default() },
    };
    for (clients, event) in
        [(load.readers, Event::ReadDone), (load.writers, Event::WriteDone), (load.mixed, Event::MixedDone)]
    {
        (0..clients).for_each(|_| run.submit(0, event));
    }
    for thread in 0..threads {
        // Threads start at moments of their own, as real ones do.
        let at_ns = run.random.next_u64() % MS;
        run.events.push(Reverse((at_ns, Event::Tick(thread))));
    }
    let end_ns = load.warm_up_ns + load.measure_ns;
    while let Some(Reverse((now_ns, event))) = run.events.pop() {
        if now_ns >= end_ns {
            break;
        }
        run.step(now_ns, event);
    }
    run.outcome.read_ns.sort_unstable();
    run.outcome.write_ns.sort_unstable();
    run.outcome
}

impl Run<'_> {
    fn step(&mut self, now_ns: u64, event: Event) {
        match event {
            Event::ReadDone | Event::WriteDone | Event::MixedDone => self.submit(now_ns, event),
            Event::Tick(thread) => {
                if self.in_flight[thread] < self.load.paced_depth {
                    self.in_flight[thread] += 1;
                    self.submit(now_ns, Event::PacedDone(thread));
                } else {
                    self.waiting[thread] += 1;
                }
                let gap_ns = f64::from(self.load.paced_writers) / self.load.paced_writes_per_s * 1e9;
                self.events.push(Reverse((now_ns + gap_ns as u64, Event::Tick(thread))));
            }
            Event::PacedDone(thread) => {
                if self.waiting[thread] > 0 {
                    self.waiting[thread] -= 1;
                    self.submit(now_ns, Event::PacedDone(thread));
                } else {
                    self.in_flight[thread] -= 1;
                }
            }
        }
    }

    fn submit(&mut self, now_ns: u64, done: Event) {
        let read = match done {
            Event::ReadDone => true,
            Event::MixedDone => self.random.unit() <= self.load.read_share,
            Event::Tick(_) | Event::PacedDone(_) | Event::WriteDone => false,
        };
        let len = self.load.block_bytes;
        let offset = if self.load.sequential {
            let next = if read { &mut self.next_read } else { &mut self.next_write };
            *next += u64::from(len);
            *next
        } else {
            self.random.next_u64() % (self.load.span_bytes / u64::from(len)) * u64::from(len)
        };
        let op = if read { Op::Read { offset, len } } else { Op::Write { offset, len } };
        let end_ns = self.drive.submit(now_ns, op);
        assert!(end_ns >= now_ns, "completion {end_ns} before submission {now_ns}");
        let measured = self.load.warm_up_ns..self.load.warm_up_ns + self.load.measure_ns;
        if measured.contains(&end_ns) {
            let latencies = if read { &mut self.outcome.read_ns } else { &mut self.outcome.write_ns };
            latencies.push(end_ns - now_ns);
        }
        self.events.push(Reverse((end_ns, done)));
    }
}
