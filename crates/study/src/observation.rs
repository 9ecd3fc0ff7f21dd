//! The demands of somebody else's load that was observed on a server, and what they would get from another
//! drive.

use device::catalogue::Entry;
use notebook::{CellState, Facts, Measurement, Notebook, RunId};
use words::{Engine, Latency, Metric, Statistic, WorkloadKind};

use crate::StudyError;
use crate::predict::{Demand, Drives, Figure, IMAGE_BYTES, KINDS, KnownWaits, Layer, predict, writing};

/// Spread of a rate that was observed for too short a time to know it.
const SPREAD_NOT_KNOWN: f64 = 0.1;
/// The widest spread that is taken for one.
const SPREAD_MOST: f64 = 0.5;

/// The time in seconds below which an observation says little: clients are seen once a second, and their
/// mean number from nine readings is known to about a third.
pub const OBSERVED_LEAST_S: f64 = 10.0;

/// Bytes that the drive reads for a server, at most, as a multiple of the pages that it asked for: the kernel
/// reads ahead, and pages that nobody wants in the end are few.
const READ_AHEAD_MOST: f64 = 2.0;

/// Demands per transaction of a load that was observed.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The engine.
    pub engine: Engine,
    /// Version and address of the server.
    pub server: String,
    /// The drive that it was observed on, as it was named.
    pub drive: Option<String>,
    /// The observed time, seconds.
    pub observed_s: f64,
    /// Transactions per second.
    pub per_s: f64,
    /// Half the 95 % interval of that, as a share of it.
    pub spread: f64,
    /// Clients of the load in the mean.
    pub clients: f64,
    /// Of these, clients in a transaction.
    pub at_work: f64,
    /// Wait of a transaction for locks of others, nanoseconds.
    pub lock_ns: f64,
    /// Processors of the server's machine.
    pub processors: u32,
    /// Processor time of a transaction, microseconds.
    pub cpu_us: f64,
    /// Share of the processors that programs beside this load took, where it is known.
    pub others_share: Option<f64>,
    /// Share of the transactions that write and wait for the log.
    pub writing_share: f64,
    /// False if hardly any sample met a client in a transaction: how long one takes was not told.
    pub knows_latency: bool,
    /// True if the server did not answer at the end.
    pub went_away: bool,
    /// Reads of a transaction.
    pub reads: f64,
    /// Bytes that were read from the drive for each transaction, beyond the pages that the server asked for:
    /// by other programs, or for its temporary files, its log or a backup.
    pub foreign_bytes: f64,
    /// Bytes of a read.
    pub read_bytes: f64,
    /// Bytes of log of a transaction.
    pub log_bytes: f64,
    /// Share of the log that is images of whole pages.
    pub image_share: f64,
    /// Pages that a transaction wrote itself to make room.
    pub waited_writes: f64,
    /// Other page writes of a transaction.
    pub writes: f64,
    /// Bytes of a page of the server.
    pub page_bytes: f64,
    /// Bytes of the database.
    pub data_bytes: f64,
}

/// The load on another drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObservedElsewhere {
    /// Transactions per second.
    pub per_s: Figure,
    /// Mean latency of a transaction, nanoseconds.
    pub latency_mean_ns: Figure,
    /// Waits per transaction on the observed drive that neither processor nor storage explain, pauses of the
    /// clients left out, nanoseconds.
    pub unexplained_ns: f64,
}

impl Observation {
    /// The observation of a run; `None` for a run of another kind.
    ///
    /// # Errors
    /// When the notebook cannot be read, or its figures do not say what is needed.
    pub fn of_run(notebook: &Notebook, run: RunId) -> Result<Option<Observation>, StudyError> {
        let cells = notebook.cells(run)?;
        let Some(cell) = cells.iter().find(|cell| cell.kind == WorkloadKind::Observed) else {
            return Ok(None);
        };
        if cell.state != CellState::Done {
            return Err(StudyError::question(format!("run {run} has no valid cell")));
        }
        let sets = notebook.fact_sets(run)?;
        let facts = sets.into_iter().find(|(scope, _)| scope == SCOPE).map(|(_, facts)| facts);
        let observed_s = notebook.phases(cell.id)?.iter().map(|phase| phase.end_s - phase.start_s).sum();
        let measured = notebook.measurements(cell.id)?;
        Read { run, facts: facts.unwrap_or_default(), measured, observed_s }.observation().map(Some)
    }

    /// The load on the drive `to`, observed on `from`.
    ///
    /// # Errors
    /// When a demand is absurd, or a drive cannot be.
    pub fn on(&self, from: &Entry, to: &Entry, seed: u64) -> Result<ObservedElsewhere, StudyError> {
        let found = predict(&self.demand(), Drives::of(from, to), seed)?;
        let pause_ns = self.pause_ns();
        // Little's law, without the pauses, which stay as they are.
        let latency_ns = |per_s: f64| (self.clients / per_s * 1e9 - pause_ns).max(0.0);
        Ok(ObservedElsewhere {
            per_s: found.per_s,
            latency_mean_ns: Figure {
                value: latency_ns(found.per_s.value),
                low: latency_ns(found.per_s.high),
                high: latency_ns(found.per_s.low),
            },
            unexplained_ns: (found.unexplained_ns - pause_ns).max(0.0),
        })
    }

    /// Mean latency of a transaction as observed, ns.
    #[must_use]
    pub fn latency_ns(&self) -> f64 {
        self.at_work / self.per_s * 1e9
    }

    /// Mean pause of a client between two transactions, ns.
    fn pause_ns(&self) -> f64 {
        (self.clients - self.at_work).max(0.0) / self.per_s * 1e9
    }

    fn demand(&self) -> Demand {
        let whole = |bytes: f64| bytes.clamp(512.0, 1e6) as u32;
        Demand {
            users: self.clients.round().clamp(1.0, 100_000.0) as u32,
            processors: self.processors,
            cpu_ns: self.cpu_us * 1e3,
            reads: self.reads,
            read_bytes: whole(self.read_bytes),
            log_bytes: self.log_bytes,
            log_page_bytes: self.engine.log_page_bytes(),
            image_share: self.image_share,
            mix: writing(self.writing_share),
            weights: [1.0; KINDS.len()],
            waited_writes: self.waited_writes,
            writes: self.writes,
            write_bytes: whole(self.page_bytes),
            layer: Layer::default(),
            data_bytes: (self.data_bytes as u64).max(1 << 20),
            one_writer: false,
            known_waits: Some(KnownWaits { pause_ns: self.pause_ns(), lock_ns: self.lock_ns }),
            measured_per_s: self.per_s,
            measured_spread: self.spread,
            measured_latency: None,
            measured_commit: None,
        }
    }
}

/// The scope of the facts of an observation in a notebook.
pub const SCOPE: &str = "observed";

/// An observation as stored in a notebook.
struct Read {
    run: RunId,
    facts: Facts,
    measured: Vec<Measurement>,
    observed_s: f64,
}

impl Read {
    fn value(&self, metric: Metric) -> Option<f64> {
        self.measured.iter().find_map(|one| one.of(metric)).filter(|value| value.is_finite())
    }

    fn need<T>(&self, what: &str, found: Option<T>) -> Result<T, StudyError> {
        found.ok_or_else(|| {
            let run = self.run;
            StudyError::question(format!(
                "run {run} has no `{what}`: it cannot say what transactions asked for"
            ))
        })
    }

    fn observation(&self) -> Result<Observation, StudyError> {
        let fact = |name: &str| self.facts.get(name).cloned();
        let number = |name: &str| fact(name).and_then(|text| text.parse::<f64>().ok());
        let needed = |metric: Metric| self.need(&metric.name(), self.value(metric));
        let or_zero = |metric: Metric| self.value(metric).unwrap_or(0.0).max(0.0);
        let page_bytes = self.need("page_bytes", number("page_bytes"))?;
        // Seconds in which the server was silent do not count.
        let observed_s = number("observed_s").unwrap_or(self.observed_s);
        let pages = self.value(Metric::BufferReadsPerTransaction);
        let all_bytes = or_zero(Metric::ReadBytesPerTransaction);
        let (reads, read_bytes) = match (self.value(Metric::ReadsPerTransaction), pages) {
            (Some(reads), Some(pages)) if reads > pages => (pages, page_bytes),
            (Some(reads), _) if reads > 0.0 => {
                let asked = pages.map_or(f64::INFINITY, |pages| READ_AHEAD_MOST * pages * page_bytes);
                (reads, all_bytes.min(asked) / reads)
            }
            (Some(_), _) => (0.0, page_bytes),
            (None, pages) => (pages.unwrap_or(0.0).max(0.0), page_bytes),
        };
        let log_bytes = or_zero(Metric::LogBytesPerTransaction);
        let images = or_zero(Metric::LogImagesPerTransaction);
        let waited_writes = or_zero(Metric::WaitedWritesPerTransaction);
        let at_work = needed(Metric::ActiveClients)?;
        if at_work <= 0.0 {
            let run = self.run;
            return Err(StudyError::question(format!(
                "no sample of run {run} met a client in a transaction, so that nobody knows how long one takes; observe for longer"
            )));
        }
        let spread = self.value(Metric::Precision).map_or(SPREAD_NOT_KNOWN, |percent| percent / 1e2);
        let (per_s, cpu_us) = (needed(Metric::Tps)?, needed(Metric::CpuPerTransaction)?);
        let processors = self.need("processors", number("processors"))?;
        let free = self.value(Metric::CpuIdle).map(|idle| idle + or_zero(Metric::CpuSteal));
        let of_load = per_s * cpu_us / 1e6 / processors.max(1.0);
        Ok(Observation {
            engine: self
                .need("database.engine", fact("database.engine").and_then(|name| Engine::of(&name)))?,
            server: fact("server").unwrap_or_default(),
            drive: fact("drive"),
            observed_s,
            knows_latency: self.value(Metric::Latency(Latency::Answer, Statistic::Mean)).is_some(),
            went_away: fact("went_away").is_some(),
            per_s,
            spread: spread.clamp(0.0, SPREAD_MOST),
            clients: self.need("clients", number("clients"))?,
            at_work,
            lock_ns: or_zero(Metric::Latency(Latency::LockWait, Statistic::Mean)) * 1e6,
            processors: processors as u32,
            cpu_us,
            others_share: free.map(|free| (1.0 - free / 1e2 - of_load).max(0.0)),
            writing_share: (needed(Metric::WritingShare)? / 1e2).clamp(0.0, 1.0),
            reads,
            foreign_bytes: (all_bytes - reads * read_bytes).max(0.0),
            read_bytes,
            log_bytes,
            image_share: (images * IMAGE_BYTES / log_bytes.max(1.0)).clamp(0.0, 0.95),
            waited_writes,
            writes: (or_zero(Metric::PageWritesPerTransaction) - waited_writes).max(0.0),
            page_bytes,
            data_bytes: or_zero(Metric::DatabaseSize) * 1e6,
        })
    }
}

#[cfg(test)]
mod tests {
    use device::catalogue;

    use super::*;

    fn measured(more: &[(Metric, f64)]) -> Read {
        let common = [
            (Metric::Tps, 1200.0),
            (Metric::ActiveClients, 3.6),
            (Metric::CpuPerTransaction, 500.0),
            (Metric::WritingShare, 75.0),
            (Metric::BufferReadsPerTransaction, 2.0),
            (Metric::LogBytesPerTransaction, 3000.0),
            (Metric::LogImagesPerTransaction, 0.1),
            (Metric::PageWritesPerTransaction, 1.5),
            (Metric::WaitedWritesPerTransaction, 0.5),
            (Metric::DatabaseSize, 1000.0),
        ];
        let facts = [
            ("database.engine", "postgresql"),
            ("processors", "2"),
            ("clients", "4.0"),
            ("page_bytes", "8192"),
        ];
        let one = |(metric, value): &(Metric, f64)| Measurement {
            metric: metric.name(),
            value: *value,
            unit: metric.unit().name().to_owned(),
        };
        Read {
            run: RunId(1),
            facts: facts.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
            measured: common.iter().chain(more).map(one).collect(),
            observed_s: 60.0,
        }
    }

    #[test]
    fn the_drive_says_more_of_reads_than_the_server() {
        let asked = measured(&[]).observation().expect("all is there");
        assert_eq!((asked.reads, asked.read_bytes, asked.writes), (2.0, 8192.0, 1.0));
        assert!((asked.image_share - 0.25).abs() < 1e-9 && asked.spread == SPREAD_NOT_KNOWN);
        let drive = [(Metric::ReadsPerTransaction, 0.5), (Metric::ReadBytesPerTransaction, 16_384.0)];
        let seen = measured(&drive).observation().expect("all is there");
        assert_eq!((seen.reads, seen.read_bytes), (0.5, 32_768.0));
        let none = measured(&[(Metric::ReadsPerTransaction, 0.0)]).observation().expect("all is there");
        assert_eq!((none.reads, none.read_bytes), (0.0, 8192.0));
        assert_eq!((none.others_share, none.foreign_bytes), (None, 0.0));
        // Another program reads from the drive: the server asked for two pages.
        let scanned = [(Metric::ReadsPerTransaction, 60.0), (Metric::ReadBytesPerTransaction, 245_760.0)];
        let beside = measured(&scanned).observation().expect("all is there");
        assert_eq!((beside.reads, beside.read_bytes, beside.foreign_bytes), (2.0, 8192.0, 229_376.0));
        let large = [(Metric::ReadsPerTransaction, 1.5), (Metric::ReadBytesPerTransaction, 393_216.0)];
        let beside = measured(&large).observation().expect("all is there");
        assert_eq!((beside.reads * beside.read_bytes, beside.foreign_bytes), (32_768.0, 360_448.0));
        // 1,200 transactions of 0.5 ms are 30 % of two processors.
        let beside = [(Metric::CpuIdle, 45.0), (Metric::CpuSteal, 5.0)];
        let busy = measured(&beside).observation().expect("all is there");
        assert!((busy.others_share.expect("known") - 0.2).abs() < 1e-9, "{busy:?}");
        // Seconds of silence do not count, and a server that went away is known.
        let mut away = measured(&[]);
        away.facts.extend(
            [("observed_s", "3.0"), ("went_away", "refused")].map(|(k, v)| (k.to_owned(), v.to_owned())),
        );
        let away = away.observation().expect("all is there");
        assert!(away.went_away && away.observed_s == 3.0 && !away.knows_latency, "{away:?}");
        let mut unknown = measured(&[]);
        unknown.facts.clear();
        assert!(unknown.observation().unwrap_err().to_string().contains("page_bytes"));
    }

    #[test]
    fn a_slower_drive_is_predicted_slower_and_pauses_stay() {
        let found = measured(&[]).observation().expect("all is there");
        let drive = |name: &str| catalogue::find(name).expect("in the catalogue");
        let (nvme, sata) = (drive("kingston-dc1500m-960g"), drive("micron-5200-eco-1920g"));
        let there = found.on(nvme, sata, 1).expect("a prediction");
        let per_s = there.per_s;
        assert!(
            per_s.value < found.per_s && per_s.low <= per_s.value && per_s.value <= per_s.high,
            "{per_s:?}"
        );
        let latency = there.latency_mean_ns;
        assert!(latency.low <= latency.value && latency.value <= latency.high, "{latency:?}");
        assert!(latency.value > found.latency_ns());
        let here = found.on(nvme, nvme, 1).expect("a prediction");
        assert!((here.per_s.value / found.per_s - 1.0).abs() < 0.002, "{here:?}");
        assert!((here.latency_mean_ns.value / found.latency_ns() - 1.0).abs() < 0.002, "{here:?}");
    }
}
