//! From what a transaction asked of one storage to what it would get from another.
//!
//! A measured run gives the demands of an average transaction: processor time, page reads, log writes, other
//! writes. A closed network of users, processors, log and drive with these demands is simulated on the drive
//! it was measured on and on the other. What the measurement has beyond the model on its own drive is carried
//! over. One drive cannot tell whether that stays as long as it is or grows with all the rest, so throughput
//! and means lie between both, a p99 grows, and the interval holds both, with the spread of the measurement
//! and the model's known error. Commits wait for processors, which are idle during that time or busy with it:
//! they are simulated with it and without it, and the prediction lies between both.

mod accuracy;
mod carry;
mod drives;
mod kinds;
mod layer;
mod locks;
mod measured;
mod network;
mod run;
mod work;

pub use accuracy::{Accuracy, accuracy};
pub(crate) use run::of_one_process;
pub use run::{
    FindDrive, Predicted, PredictedBed, PredictedFigure, PredictedLevel, Question, Taken, predict_run,
};

pub(crate) use drives::Drives;
pub(crate) use kinds::{KINDS, writing};
pub(crate) use measured::IMAGE_BYTES;

use device::DriveSpec;
use measure::Histogram;

use carry::{Part, carried};
use kinds::{Mix, committing_share, kind_weights};
use layer::LayerWork;
use locks::Locks;
use network::{Tried, simulate};
use work::{COLD_RANGE, cpu_there_ns, moved};

/// The demands of an average transaction of a measured load. Times are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Demand {
    /// Users without think time.
    pub(crate) users: u32,
    /// Processors that they share.
    pub(crate) processors: u32,
    /// Processor time of engine and client, without the layer's.
    pub(crate) cpu_ns: f64,
    /// Page reads.
    pub(crate) reads: f64,
    /// Bytes of a read.
    pub(crate) read_bytes: u32,
    /// Bytes of log of a transaction.
    pub(crate) log_bytes: f64,
    /// The log is written in whole pages of this many bytes; a page that was begun is written again each
    /// time.
    pub(crate) log_page_bytes: u32,
    /// Share of the log's bytes that are images of whole pages.
    pub(crate) image_share: f64,
    /// The kinds of transactions.
    pub(crate) mix: Mix,
    /// Work of a transaction of each kind against the average one.
    pub(crate) weights: [f64; 5],
    /// Pages that it wrote itself to make room, waiting for each.
    pub(crate) waited_writes: f64,
    /// Other page writes, which nobody waits for.
    pub(crate) writes: f64,
    /// Bytes of a page write.
    pub(crate) write_bytes: u32,
    /// The demands of an emulated drive's layer.
    pub(crate) layer: Layer,
    /// Bytes of the database.
    pub(crate) data_bytes: u64,
    /// True if one writer at a time is let in, as in SQLite.
    pub(crate) one_writer: bool,
    /// The part of its time that waits outside of processors and storage are known to take.
    pub(crate) known_waits: Option<KnownWaits>,
    /// Transactions per second that were measured.
    pub(crate) measured_per_s: f64,
    /// Half the 95 % interval of that, as a share of it.
    pub(crate) measured_spread: f64,
    /// Mean and p99 of the transactions' latencies that were measured.
    pub(crate) measured_latency: Option<Latency>,
    /// The same of their commits, if those could be distinguished.
    pub(crate) measured_commit: Option<Latency>,
}

/// Waits of a transaction whose nature is known, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct KnownWaits {
    /// Pauses of the client, the same on every drive.
    pub(crate) pause_ns: f64,
    /// For locks of other transactions, which grow with the time for which those hold them.
    pub(crate) lock_ns: f64,
}

/// The layer between a caller and an emulated drive. It belongs to the machine, so it is the same for another
/// emulated drive; nothing for a real one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Layer {
    /// Processor time of an operation in the mean, ns. It passes while the drive works; but where all
    /// processors are busy the answer comes late.
    pub(crate) work_ns: f64,
    /// By how much an answer to a read comes later than the drive is done, ns.
    pub(crate) read_late_ns: f64,
    /// The part of a flush that costs the drive nothing, ns.
    pub(crate) sync_ns: f64,
}

/// Mean and 99th percentile of a latency, ns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Latency {
    /// Mean.
    pub(crate) mean_ns: f64,
    /// 99th percentile.
    pub(crate) p99_ns: f64,
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

/// The prediction for a load on another drive.
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

/// The reason why nothing can be predicted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PredictError {
    /// The demands are no demands.
    #[error("the run does not tell what is needed: {0}")]
    Demand(String),
    /// A drive that cannot be.
    #[error(transparent)]
    Drive(#[from] device::SpecError),
}

/// Waits that take less than this share of the throughput do not show in a measurement. While processors are
/// busy for all but this share of the time such waits may be long, and count on a drive that leaves the
/// processors idle.
const HIDDEN_SHARE: f64 = 0.02;
/// Tries of a bisection.
const TRIES: u32 = 12;

/// Predicts `demand`, measured on the first of `drives`, for the second.
///
/// # Errors
/// When a demand is missing or absurd, or a drive cannot be.
pub(crate) fn predict(demand: &Demand, drives: Drives<'_>, seed: u64) -> Result<Prediction, PredictError> {
    check(demand)?;
    drives.from.validate()?;
    drives.to.validate()?;
    let both = Both::of(demand, drives, seed)?;
    let (here, there) = (ended(both.here(0.0))?, ended(both.there(0.0))?);
    let (per_s, wait_ns) = both.per_s(&here, &there);
    // Waits that nothing explains leave the processors idle, unless they are waits for processors: commits,
    // which wait there, take less time with them than without.
    let (slowed_here, slowed_there) = (both.here(wait_ns), both.there(wait_ns));
    let (asked, slowed) = ([&here, &there], [&slowed_here, &slowed_there]);
    let spread = spread_of(demand, drives.model_spread);
    let latency = |part| {
        let (value, bounds) = carried(asked, |tried| &tried.latency, part, demand.measured_latency);
        between(value, bounds, part.spread(spread))
    };
    let commit = |part| {
        let [(busy, (x, y)), (idle, (u, v))] =
            [asked, slowed].map(|tried| carried(tried, |tried| &tried.commit, part, demand.measured_commit));
        let bounds = (x.min(y).min(u).min(v), x.max(y).max(u).max(v));
        between((busy * idle).sqrt(), bounds, part.spread(spread))
    };
    let (latency_mean_ns, commit_mean_ns) = (latency(Part::Mean), commit(Part::Mean));
    Ok(Prediction {
        per_s,
        latency_mean_ns,
        latency_p99_ns: at_least(latency(Part::P99), latency_mean_ns),
        commit_mean_ns,
        commit_p99_ns: at_least(commit(Part::P99), commit_mean_ns),
        unexplained_ns: if is_hidden(demand, &here) { 0.0 } else { wait_ns },
    })
}

/// A try in which transactions ended.
fn ended(tried: Tried) -> Result<Tried, PredictError> {
    if tried.per_s > 0.0 {
        return Ok(tried);
    }
    let message =
        "on one of the drives no transaction would end within minutes, or within millions of operations";
    Err(PredictError::Demand(message.to_owned()))
}

/// A range wider by a share, by factors: nothing that is predicted can be below zero.
fn between(value: f64, (x, y): (f64, f64), wide: f64) -> Figure {
    Figure { value, low: x.min(y) / (1.0 + wide), high: x.max(y) * (1.0 + wide) }
}

/// A p99 that is not below its mean: each is carried over by itself, and with little spread they would cross.
fn at_least(p99: Figure, mean: Figure) -> Figure {
    Figure { value: p99.value.max(mean.value), low: p99.low.max(mean.low), high: p99.high.max(mean.high) }
}

/// A load on the drive that it was measured on and on another one.
struct Both<'a> {
    demand: &'a Demand,
    /// The demand on the other drive.
    moved: Demand,
    layer: LayerWork,
    /// Share of the time that processors are idle here.
    idle_share: f64,
    /// Waits of a transaction for the drive here in which a process sleeps.
    sleeps: f64,
    drives: Drives<'a>,
    seed: u64,
    /// Waits for locks, here as they are known.
    known: KnownWaits,
    locks: Locks,
}

impl<'a> Both<'a> {
    fn of(demand: &'a Demand, drives: Drives<'a>, seed: u64) -> Result<Both<'a>, PredictError> {
        let layer = layer_of(demand, drives.from, seed);
        let here = ended(simulate(demand, layer, drives.from, 0.0, seed))?;
        let (idle_share, sleeps) = (here.idle_share, here.sleeps);
        let moved = moved(demand, layer, drives.to, &here, seed);
        let known = demand.known_waits.unwrap_or_default();
        let locks = Locks::default();
        let mut both = Both { demand, moved, layer, idle_share, sleeps, drives, seed, known, locks };
        if known.lock_ns > 0.0 {
            let (there, here_per_s) = (both.with(0.0), both.here(0.0).per_s);
            both.locks =
                Locks::on(known.lock_ns, (&here, &there), here_per_s, |wait_ns| both.with(wait_ns).per_s);
        }
        Ok(both)
    }

    /// Here, with further waits beside those for locks.
    fn here(&self, wait_ns: f64) -> Tried {
        simulate(self.demand, self.layer, self.drives.from, self.known.lock_ns + wait_ns, self.seed)
    }

    /// There, with further waits beside those for locks.
    fn there(&self, wait_ns: f64) -> Tried {
        self.with(self.locks.likely_ns + wait_ns)
    }

    /// There, with these waits alone.
    fn with(&self, wait_ns: f64) -> Tried {
        simulate(&self.moved, self.layer, self.drives.to, wait_ns, self.seed)
    }

    /// There, where work on idle processors takes longer by that share; they are idle about as in `there`.
    fn as_cold(&self, cold: f64, there: &Tried) -> Tried {
        let cpu_ns = cpu_there_ns(self.demand, cold, (self.idle_share, self.sleeps), there);
        let moved = Demand { cpu_ns, ..self.moved };
        simulate(&moved, self.layer, self.drives.to, self.locks.likely_ns, self.seed)
    }

    /// Transactions per second there, and the waits here that nothing explains or that hide, ns.
    fn per_s(&self, here: &Tried, there: &Tried) -> (Figure, f64) {
        let demand = self.demand;
        let wait_ns = unexplained_ns(demand, here, |wait_ns| self.here(wait_ns).per_s);
        let most = |tried: &Tried, demand: &Demand| tried.per_s.max(most_per_s(demand, self.layer));
        // A load that did more here than its processor time allows has proved that it takes less.
        let understated = (demand.measured_per_s / most(here, demand)).max(1.0);
        let most_there = understated * most(there, &self.moved);
        let carried = |there: f64, here: f64| (there * demand.measured_per_s / here).min(most_there);
        let by_factor = carried(there.per_s, here.per_s);
        // Known pauses stay as they are; the rest may stay, or grow with the time of a transaction.
        let slowed_per_s = self.here(wait_ns).per_s;
        let pause_ns = self.known.pause_ns.min(wait_ns);
        let growth = there.latency.mean_ns() / here.latency.mean_ns().max(1.0);
        let stays = carried(self.there(wait_ns).per_s, slowed_per_s);
        let grows = carried(self.there(pause_ns + (wait_ns - pause_ns) * growth).per_s, slowed_per_s);
        // Where one writer at a time is let in, it is what the writer does that counts, and waits outside of
        // the lock hardly do.
        let likely = if demand.one_writer { by_factor } else { (stays * grows).sqrt() };
        let or_none = if is_hidden(demand, here) { by_factor } else { likely };
        let all = [stays, grows, likely, or_none];
        let bounds = (all.into_iter().fold(likely, f64::min), all.into_iter().fold(likely, f64::max));
        let mut figure = between(likely, bounds, spread_of(demand, self.drives.model_spread));
        let colder = COLD_RANGE.map(|cold| self.as_cold(cold, there).per_s / there.per_s);
        figure.low *= colder.into_iter().fold(1.0, f64::min);
        figure.high *= colder.into_iter().fold(1.0, f64::max);
        if self.known.lock_ns > 0.0 {
            figure.low *= (self.with(self.locks.most_ns).per_s / there.per_s).min(1.0);
            figure.high *= (self.with(self.locks.least_ns).per_s / there.per_s).max(1.0);
        }
        (figure, wait_ns)
    }
}

/// The share by which a measurement there may be off on both sides, beside what the model cannot tell: it
/// varies as the one here did, and both do so on their own; and the drive's model has its error.
fn spread_of(demand: &Demand, model_spread: f64) -> f64 {
    demand.measured_spread.hypot(demand.measured_spread) + model_spread
}

/// Work of the layer that `demand` was measured with on `from`.
fn layer_of(demand: &Demand, from: &DriveSpec, seed: u64) -> LayerWork {
    LayerWork::of(demand.layer.work_ns, |layer| simulate(demand, layer, from, 0.0, seed).waiting_share())
}

/// True if the model leaves no room for waits that show in a measurement.
fn is_hidden(demand: &Demand, here: &Tried) -> bool {
    demand.measured_per_s >= (1.0 - HIDDEN_SHARE) * here.per_s
}

/// Waits of a transaction that bring the model down to the measured throughput, ns. Where the model is above
/// that by no more than [`HIDDEN_SHARE`] there are none; but where it saturates the processors they are as
/// long as hides in a measurement.
fn unexplained_ns(demand: &Demand, here: &Tried, per_s: impl Fn(f64) -> f64) -> f64 {
    let is_saturated = here.idle_share <= HIDDEN_SHARE;
    if is_hidden(demand, here) && !is_saturated {
        return 0.0;
    }
    let target = demand.measured_per_s.min((1.0 - HIDDEN_SHARE) * here.per_s);
    bisect(0.0, f64::from(demand.users) / target * 1e9, |wait_ns| per_s(wait_ns) > target)
}

/// Transactions per second that the processors can do, whatever the drive.
fn most_per_s(demand: &Demand, layer: LayerWork) -> f64 {
    let operations = demand.reads + demand.waited_writes + demand.writes;
    let work_ns = demand.cpu_ns + operations * layer.of_operation(0) as f64;
    f64::from(demand.processors) * 1e9 / work_ns.max(1.0)
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
        ("the layer's lateness", demand.layer.read_late_ns),
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
mod tests;
