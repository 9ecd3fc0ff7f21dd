//! From what a transaction asked of one storage to what it would get from another.
//!
//! A measured run gives the demands of an average transaction: processor time, page reads, log writes, other writes. A closed network of
//! users, processors, log and drive with these demands is brought to the measured throughput on the drive it was measured on, by one
//! unknown: waits that are independent of the storage, or else work that goes with the processor. The likelier one, carried over to the
//! other drive, is the prediction; the other bounds its interval, with the spread of the measurement and the model's known error.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use device::{Drive, DriveSpec, Op};
use measure::Histogram;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// What an average transaction of a measured load asked for. Times are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// Users without think time.
    pub users: u32,
    /// Processors that they share.
    pub processors: u32,
    /// Processor time of engine and client.
    pub cpu_ns: f64,
    /// Page reads.
    pub reads: f64,
    /// Bytes of a read.
    pub read_bytes: u32,
    /// Flushes of the log that a transaction waits for.
    pub syncs: f64,
    /// Bytes of log of a transaction.
    pub log_bytes: f64,
    /// Other page writes.
    pub writes: f64,
    /// Bytes of such a write.
    pub write_bytes: u32,
    /// Bytes of the database.
    pub data_bytes: u64,
    /// Whether one writer at a time is let in, as SQLite does.
    pub one_writer: bool,
    /// Transactions per second that were measured.
    pub measured_per_s: f64,
    /// Half the 95 % interval of that, as a share of it.
    pub measured_spread: f64,
}

/// One predicted figure with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// Best guess.
    pub value: f64,
    /// Least that is to be expected.
    pub low: f64,
    /// Most that is to be expected.
    pub high: f64,
}

/// What is predicted of a load on another drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Transactions per second.
    pub per_s: Figure,
    /// Mean latency of a transaction, nanoseconds.
    pub latency_mean_ns: Figure,
    /// p99 latency of a transaction, nanoseconds.
    pub latency_p99_ns: Figure,
    /// Mean time of a commit, nanoseconds.
    pub commit_mean_ns: Figure,
    /// p99 time of a commit, nanoseconds.
    pub commit_p99_ns: Figure,
    /// Waits per transaction that neither processor nor storage explain on the measured drive, nanoseconds.
    pub unexplained_ns: f64,
}

/// Why nothing can be predicted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PredictError {
    /// The demands are no demands.
    #[error("the run does not tell what is needed: {0}")]
    Demand(String),
    /// A drive that cannot be.
    #[error(transparent)]
    Drive(#[from] device::SpecError),
}

/// What the model of a drive is off by where its numbers were measured (crates/device/tests/model): a share of its times.
const MODEL_SPREAD: f64 = 0.05;
/// Simulated time of one try.
const TRY_NS: u64 = 3_000_000_000;
/// Tries of a bisection.
const TRIES: u32 = 16;

/// Predicts `demand`, measured on `from`, for the drive `to`.
///
/// # Errors
/// When a demand is missing or absurd, or a drive cannot be.
pub fn predict(
    demand: &Demand,
    from: &DriveSpec,
    to: &DriveSpec,
    seed: u64,
) -> Result<Prediction, PredictError> {
    check(demand)?;
    from.validate()?;
    to.validate()?;
    let free = Fitted { wait_ns: 0.0, work: 1.0 };
    let without = simulate(demand, from, free, seed);
    let target = demand.measured_per_s;
    // Faster than measured without anything unexplained: then something waits. Slower: then its work is less than was counted.
    let by_wait = (without.per_s > target).then(|| {
        let span = f64::from(demand.users) / target * 1e9;
        let at = |wait_ns| simulate(demand, from, Fitted { wait_ns, work: 1.0 }, seed).per_s;
        Fitted { wait_ns: bisect(0.0, span, |wait| at(wait) > target), work: 1.0 }
    });
    let work = |work| simulate(demand, from, Fitted { wait_ns: 0.0, work }, seed).per_s;
    let by_work = Fitted { wait_ns: 0.0, work: bisect(0.02, 50.0, |by| work(by) > target) };
    // Processor time was measured, so what is left over is a wait sooner than work. But where one writer at a time is let in, it is what
    // the writer does that counts, and waits outside of the lock hardly do.
    let (likely, other) = match by_wait {
        Some(wait) if !demand.one_writer => (wait, by_work),
        Some(wait) => (by_work, wait),
        None => (by_work, by_work),
    };
    let (a, b) = (simulate(demand, to, likely, seed), simulate(demand, to, other, seed));
    let spread = demand.measured_spread + MODEL_SPREAD;
    let between = |x: f64, y: f64, wide: f64| Figure {
        value: x,
        low: x.min(y) * (1.0 - wide),
        high: x.max(y) * (1.0 + wide),
    };
    Ok(Prediction {
        per_s: between(a.per_s, b.per_s, spread),
        latency_mean_ns: between(a.latency.mean_ns(), b.latency.mean_ns(), spread),
        latency_p99_ns: between(p99(&a.latency), p99(&b.latency), 3.0 * spread),
        commit_mean_ns: between(a.commit.mean_ns(), b.commit.mean_ns(), spread),
        commit_p99_ns: between(p99(&a.commit), p99(&b.commit), 3.0 * spread),
        unexplained_ns: by_wait.map_or(0.0, |fitted| fitted.wait_ns),
    })
}

fn p99(histogram: &Histogram) -> f64 {
    histogram.quantile_ns(0.99) as f64
}

fn check(demand: &Demand) -> Result<(), PredictError> {
    let amounts = [
        ("processor time", demand.cpu_ns),
        ("reads", demand.reads),
        ("flushes", demand.syncs),
        ("log bytes", demand.log_bytes),
        ("writes", demand.writes),
    ];
    for (name, amount) in amounts {
        if !(0.0..1e12).contains(&amount) {
            return Err(PredictError::Demand(format!("{name} per transaction of {amount}")));
        }
    }
    let counts = (1..=100_000).contains(&demand.users) && (1..=4096).contains(&demand.processors);
    let measured = demand.measured_per_s > 0.0 && demand.measured_per_s < 1e9;
    if !(counts && measured) {
        return Err(PredictError::Demand(
            "users, processors and a throughput above zero are needed".to_owned(),
        ));
    }
    Ok(())
}

/// The greatest value between `low` and `high` at which `below` still holds, on a logarithmic scale.
fn bisect(low: f64, high: f64, below: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (low.max(high * 1e-6), high);
    for _ in 0..TRIES {
        let middle = (low * high).sqrt();
        if below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low * high).sqrt()
}

/// The unknown that brings the model to the measurement.
#[derive(Clone, Copy, Debug)]
struct Fitted {
    wait_ns: f64,
    work: f64,
}

struct Tried {
    per_s: f64,
    latency: Histogram,
    commit: Histogram,
}

/// A user's transaction under way.
#[derive(Clone, Copy, Default)]
struct User {
    started_ns: u64,
    reads_left: u32,
    commits: bool,
    holds: bool,
    committing_ns: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Begin(u32),
    Slice(u32),
    Read(u32),
    Flushed,
}

struct Network<'a> {
    demand: &'a Demand,
    fitted: Fitted,
    drive: Drive,
    random: Xoshiro256PlusPlus,
    users: Vec<User>,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    sequence: u64,
    busy: u32,
    ready: VecDeque<u32>,
    writer: bool,
    writers: VecDeque<u32>,
    waiting: Vec<u32>,
    flushing: Vec<u32>,
    log_offset: u64,
    owed: f64,
    done: u64,
    tried: Tried,
}

/// Where the log lies on the drive: behind the data.
const LOG_AT: u64 = 1 << 50;

fn simulate(demand: &Demand, drive: &DriveSpec, fitted: Fitted, seed: u64) -> Tried {
    let mut network = Network {
        demand,
        fitted,
        drive: Drive::new(drive, seed),
        random: Xoshiro256PlusPlus::seed_from_u64(seed ^ 0xD1B5_4A32_D192_ED03),
        users: vec![User::default(); demand.users as usize],
        events: BinaryHeap::new(),
        sequence: 0,
        busy: 0,
        ready: VecDeque::new(),
        writer: false,
        writers: VecDeque::new(),
        waiting: Vec::new(),
        flushing: Vec::new(),
        log_offset: LOG_AT,
        owed: 0.0,
        done: 0,
        tried: Tried { per_s: 0.0, latency: Histogram::new(), commit: Histogram::new() },
    };
    // Long enough for many transactions of the measured rate, whatever it is.
    let span_ns = TRY_NS.max((2000.0 / demand.measured_per_s * 1e9) as u64).min(600_000_000_000);
    network.go(span_ns);
    network.tried
}

impl Network<'_> {
    fn at(&mut self, at_ns: u64, event: Event) {
        self.sequence += 1;
        self.events.push(Reverse((at_ns, self.sequence, event)));
    }

    fn chance(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number whose mean is `mean`.
    fn count(&mut self, mean: f64) -> u32 {
        mean as u32 + u32::from(self.chance() < mean.fract())
    }

    fn go(&mut self, span_ns: u64) {
        let settle_ns = span_ns / 5;
        for user in 0..self.demand.users {
            self.at(u64::from(user), Event::Begin(user));
        }
        let mut from = None;
        while let Some(Reverse((now_ns, _, event))) = self.events.pop() {
            if from.is_none() && now_ns >= settle_ns {
                from = Some(self.done);
                self.tried.latency = Histogram::new();
                self.tried.commit = Histogram::new();
            }
            if now_ns >= span_ns {
                break;
            }
            match event {
                Event::Begin(user) => self.begin(now_ns, user),
                Event::Slice(user) => self.slice_done(now_ns, user),
                Event::Read(user) => self.enter(now_ns, user),
                Event::Flushed => self.flushed(now_ns),
            }
        }
        let seconds = (span_ns - settle_ns) as f64 / 1e9;
        self.tried.per_s = (self.done - from.unwrap_or(0)) as f64 / seconds;
    }

    fn begin(&mut self, now_ns: u64, user: u32) {
        let commits = self.chance() < self.demand.syncs.min(1.0);
        let reads_left = self.count(self.demand.reads);
        // The time of the transaction began before its waits.
        let started_ns = self.users[user as usize].started_ns;
        self.users[user as usize] = User { started_ns, reads_left, commits, holds: false, committing_ns: 0 };
        if self.demand.one_writer && commits {
            if self.writer {
                self.writers.push_back(user);
                return;
            }
            self.writer = true;
            self.users[user as usize].holds = true;
        }
        self.enter(now_ns, user);
    }

    fn enter(&mut self, now_ns: u64, user: u32) {
        if self.busy >= self.demand.processors {
            self.ready.push_back(user);
            return;
        }
        self.busy += 1;
        let reads = self.demand.reads + 1.0;
        let draw = 0.5 + self.chance();
        let slice_ns = self.demand.cpu_ns * self.fitted.work / reads * draw;
        self.at(now_ns + slice_ns as u64, Event::Slice(user));
    }

    fn slice_done(&mut self, now_ns: u64, user: u32) {
        self.busy -= 1;
        if let Some(next) = self.ready.pop_front() {
            self.enter(now_ns, next);
        }
        if self.users[user as usize].reads_left > 0 {
            self.users[user as usize].reads_left -= 1;
            let len = self.demand.read_bytes;
            let offset =
                self.random.next_u64() % (self.demand.data_bytes / u64::from(len)).max(1) * u64::from(len);
            let done_ns = self.drive.submit(now_ns, Op::Read { offset, len });
            self.at(done_ns, Event::Read(user));
            return;
        }
        if !self.users[user as usize].commits {
            self.finish(now_ns, user);
            return;
        }
        self.users[user as usize].committing_ns = now_ns;
        self.waiting.push(user);
        self.flush(now_ns);
    }

    fn flush(&mut self, now_ns: u64) {
        if self.waiting.is_empty() || !self.flushing.is_empty() {
            return;
        }
        std::mem::swap(&mut self.waiting, &mut self.flushing);
        let per_commit = self.demand.log_bytes / self.demand.syncs.max(0.01);
        let len = (per_commit * self.flushing.len() as f64).clamp(512.0, 16e6) as u32;
        let written_ns = self.drive.submit(now_ns, Op::Write { offset: self.log_offset, len });
        self.log_offset += u64::from(len);
        let done_ns = self.drive.submit(written_ns, Op::Flush);
        self.at(done_ns.max(written_ns), Event::Flushed);
    }

    fn flushed(&mut self, now_ns: u64) {
        for user in std::mem::take(&mut self.flushing) {
            let began_ns = self.users[user as usize].committing_ns;
            self.tried.commit.record(now_ns - began_ns);
            self.finish(now_ns, user);
        }
        self.flush(now_ns);
    }

    fn finish(&mut self, now_ns: u64, number: u32) {
        let user = self.users[number as usize];
        self.done += 1;
        self.tried.latency.record(now_ns.saturating_sub(user.started_ns).max(1));
        self.users[number as usize].started_ns = now_ns;
        if user.holds {
            self.writer = false;
            if let Some(next) = self.writers.pop_front() {
                self.writer = true;
                self.users[next as usize].holds = true;
                self.enter(now_ns, next);
            }
        }
        self.owed += self.demand.writes;
        while self.owed >= 1.0 {
            self.owed -= 1.0;
            let len = self.demand.write_bytes;
            let offset =
                self.random.next_u64() % (self.demand.data_bytes / u64::from(len)).max(1) * u64::from(len);
            self.drive.submit(now_ns, Op::Write { offset, len });
        }
        let wait_ns = self.fitted.wait_ns * (0.5 + self.chance());
        self.at(now_ns + wait_ns as u64, Event::Begin(number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use device::catalogue;

    fn drive(name: &str) -> DriveSpec {
        catalogue::find(name).expect("it is in the catalogue").spec.clone()
    }

    fn demand(one_writer: bool) -> Demand {
        Demand {
            users: 8,
            processors: 4,
            cpu_ns: 300_000.0,
            reads: 2.0,
            read_bytes: 8192,
            syncs: 0.9,
            log_bytes: 8000.0,
            writes: 1.0,
            write_bytes: 8192,
            data_bytes: 1 << 33,
            one_writer,
            measured_per_s: 0.0,
            measured_spread: 0.02,
        }
    }

    /// A load with waits of its own is simulated on both drives; from what it does on one the other is predicted.
    #[test]
    fn what_happens_on_one_drive_tells_what_happens_on_the_other_and_back() {
        let (nvme, sata) = (drive("kingston-dc1500m-960g"), drive("micron-5200-eco-1920g"));
        for one_writer in [false, true] {
            for (from, to) in [(&sata, &nvme), (&nvme, &sata)] {
                let hidden = Fitted { wait_ns: 400_000.0, work: 1.1 };
                let on = |drive| {
                    simulate(&Demand { measured_per_s: 1000.0, ..demand(one_writer) }, drive, hidden, 7).per_s
                };
                let measured = Demand { measured_per_s: on(from), ..demand(one_writer) };
                let found = predict(&measured, from, to, 1).expect("the demands are good");
                let truth = on(to);
                assert!(
                    (found.per_s.value / truth - 1.0).abs() < 0.1,
                    "{one_writer}: {found:?} against {truth}"
                );
                assert!(
                    found.per_s.low < truth && truth < found.per_s.high,
                    "{one_writer}: {found:?} against {truth}"
                );
            }
        }
    }

    #[test]
    fn demands_that_cannot_be_are_refused() {
        let nvme = drive("kingston-dc1500m-960g");
        let bad = Demand { cpu_ns: f64::NAN, measured_per_s: 100.0, ..demand(false) };
        assert!(predict(&bad, &nvme, &nvme, 1).is_err());
        assert!(predict(&demand(false), &nvme, &nvme, 1).is_err(), "no throughput was measured");
    }
}
