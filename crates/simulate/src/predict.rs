//! From what a transaction asked of one storage to what it would get from another.
//!
//! A measured run gives the demands of an average transaction: processor time, page reads, log writes, other writes. A closed network of
//! users, processors, log and drive with these demands is brought to the measured throughput on the drive it was measured on, by one
//! unknown: waits that are independent of the storage, or else work that goes with the processor. The likelier one, carried over to the
//! other drive, is the prediction; the other bounds its interval, with the spread of the measurement and the model's known error. What the
//! measured latencies have beyond the model's on the measured drive is carried over.

mod kinds;
mod network;

pub use kinds::{committing_share, kind_weights};

use device::DriveSpec;
use measure::Histogram;

use network::{Fitted, Tried, simulate};

/// What an average transaction of a measured load asked for. Times are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// Users without think time.
    pub users: u32,
    /// Processors that they share.
    pub processors: u32,
    /// Processor time of engine and client, without the layer's.
    pub cpu_ns: f64,
    /// Page reads.
    pub reads: f64,
    /// Bytes of a read.
    pub read_bytes: u32,
    /// Bytes of log of a transaction.
    pub log_bytes: f64,
    /// The log is written in whole pages of so many bytes, the begun one again each time.
    pub log_page_bytes: u32,
    /// Share of the log's bytes that are images of whole pages.
    pub image_share: f64,
    /// Work of a transaction of each kind against the average one: new order, payment, order status, delivery, stock level.
    pub weights: [f64; 5],
    /// Pages that it wrote itself to make room, waiting for each.
    pub waited_writes: f64,
    /// Other page writes, which nobody waits for.
    pub writes: f64,
    /// Bytes of such a write.
    pub write_bytes: u32,
    /// What the layer of an emulated drive asks for.
    pub layer: Layer,
    /// Bytes of the database.
    pub data_bytes: u64,
    /// Whether one writer at a time is let in, as SQLite does.
    pub one_writer: bool,
    /// Transactions per second that were measured.
    pub measured_per_s: f64,
    /// Half the 95 % interval of that, as a share of it.
    pub measured_spread: f64,
    /// Mean and p99 of the transactions' latencies that were measured.
    pub measured_latency: Option<Latency>,
    /// The same of their commits, where those could be told apart.
    pub measured_commit: Option<Latency>,
}

/// What stands between a caller and an emulated drive. It belongs to the machine, so it is the same for another emulated drive; nothing for a
/// real one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Layer {
    /// Processor time of an operation, ns. It passes while the drive works; but where all processors are busy the answer comes late.
    pub work_ns: f64,
    /// What a flush takes that costs the drive nothing, ns.
    pub sync_ns: f64,
}

/// Mean and 99th percentile of a latency, ns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latency {
    /// Mean.
    pub mean_ns: f64,
    /// 99th percentile.
    pub p99_ns: f64,
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
/// Tries of a bisection.
const TRIES: u32 = 12;

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
    let (a, b) =
        (Explained::of(demand, from, to, likely, seed), Explained::of(demand, from, to, other, seed));
    let spread = demand.measured_spread + MODEL_SPREAD;
    let between = |of: fn(&Explained) -> f64, wide: f64| {
        let (x, y) = (of(&a), of(&b));
        Figure { value: x, low: x.min(y) * (1.0 - wide), high: x.max(y) * (1.0 + wide) }
    };
    Ok(Prediction {
        per_s: between(|told| told.per_s, spread),
        latency_mean_ns: between(|told| told.latency.mean_ns, spread),
        latency_p99_ns: between(|told| told.latency.p99_ns, 3.0 * spread),
        commit_mean_ns: between(|told| told.commit.mean_ns, spread),
        commit_p99_ns: between(|told| told.commit.p99_ns, 3.0 * spread),
        unexplained_ns: by_wait.map_or(0.0, |fitted| fitted.wait_ns),
    })
}

/// What one explanation of the measurement says of the other drive.
struct Explained {
    per_s: f64,
    latency: Latency,
    commit: Latency,
}

impl Explained {
    fn of(demand: &Demand, from: &DriveSpec, to: &DriveSpec, fitted: Fitted, seed: u64) -> Explained {
        let (here, there) = (simulate(demand, from, fitted, seed), simulate(demand, to, fitted, seed));
        let carried = |of: fn(&Tried) -> &Histogram, measured: Option<Latency>| {
            let (here, there) = (Latency::of(of(&here)), Latency::of(of(&there)));
            measured.map_or(there, |measured| Latency {
                mean_ns: carry(measured.mean_ns, here.mean_ns, there.mean_ns),
                p99_ns: carry(measured.p99_ns, here.p99_ns, there.p99_ns),
            })
        };
        Explained {
            per_s: there.per_s,
            latency: carried(|tried| &tried.latency, demand.measured_latency),
            commit: carried(|tried| &tried.commit, demand.measured_commit),
        }
    }
}

/// What was `measured` where the model says `here`, for a place where it says `there`. One drive cannot tell whether time beyond the model
/// is the machine's and stays as long as it is, or grows with the drive's times: the geometric mean of both. Where the model has too much, it
/// has too much by a factor.
fn carry(measured: f64, here: f64, there: f64) -> f64 {
    let by_factor = there * measured / here.max(1.0);
    if measured >= here { (by_factor * (there + measured - here)).sqrt() } else { by_factor }
}

impl Latency {
    fn of(histogram: &Histogram) -> Latency {
        Latency { mean_ns: histogram.mean_ns(), p99_ns: histogram.quantile_ns(0.99) as f64 }
    }
}

fn check(demand: &Demand) -> Result<(), PredictError> {
    let amounts = [
        ("processor time", demand.cpu_ns),
        ("reads", demand.reads),
        ("log bytes", demand.log_bytes),
        ("waited writes", demand.waited_writes),
        ("writes", demand.writes),
        ("the layer's work", demand.layer.work_ns),
        ("the layer's flush", demand.layer.sync_ns),
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
            log_bytes: 8000.0,
            log_page_bytes: 8192,
            image_share: 0.3,
            weights: [1.2, 0.6, 0.5, 4.0, 0.7],
            waited_writes: 0.5,
            writes: 1.0,
            write_bytes: 8192,
            layer: Layer { work_ns: 20_000.0, sync_ns: 9_000.0 },
            data_bytes: 1 << 33,
            one_writer,
            measured_per_s: 0.0,
            measured_spread: 0.02,
            measured_latency: None,
            measured_commit: None,
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
