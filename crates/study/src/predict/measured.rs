//! The measurements of one bed and level of a run, and the demands of an average transaction behind them.

use std::collections::BTreeMap;

use experiment::data_size::BYTES_PER_WAREHOUSE;
use experiment::{Bed, Engine, Experiment, Workload};
use measure::Histogram;
use notebook::{CellState, Notebook, RunId};
use words::{HistogramName, Metric, MetricName};

use super::{Demand, KINDS, Latency, Layer, committing_share, kind_weights};
use crate::StudyError;

/// A page image in PostgreSQL's log, without the free room of the page, bytes.
pub(crate) const IMAGE_BYTES: f64 = 7500.0;
/// The log that reaches a drive, at most, as a multiple of what the server counts. PostgreSQL's came to 1.2
/// to 1.4 times on a mount.
const LOG_MOST: f64 = 1.5;

/// All valid cells of order entry of one bed at one level.
#[derive(Debug)]
pub(super) struct Measured {
    values: BTreeMap<MetricName, Vec<f64>>,
    latency: Histogram,
    commit: Histogram,
    kinds: BTreeMap<words::Latency, Histogram>,
}

impl Measured {
    fn new() -> Measured {
        let (latency, commit) = (Histogram::new(), Histogram::new());
        Measured { values: BTreeMap::new(), latency, commit, kinds: BTreeMap::new() }
    }

    /// By level.
    pub(super) fn of_bed(
        notebook: &Notebook,
        run: RunId,
        experiment: &Experiment,
        bed: &Bed,
    ) -> Result<BTreeMap<u64, Measured>, StudyError> {
        let is_order_entry = |workload: &str| {
            experiment.workload.iter().any(|w| matches!(w, Workload::Tpcc(_)) && w.name() == workload)
        };
        let mut levels: BTreeMap<u64, Measured> = BTreeMap::new();
        for cell in notebook.cells(run)? {
            if cell.bed != bed.name || cell.state != CellState::Done || !is_order_entry(&cell.workload) {
                continue;
            }
            let level = levels.entry(cell.level as u64).or_insert_with(Measured::new);
            for m in notebook.measurements(cell.id)? {
                let name = MetricName::read(&m.metric);
                let value = name.in_unit_of_today(m.value, &m.unit);
                level.values.entry(name).or_default().push(value);
            }
            for (name, histogram) in notebook.histograms(cell.id)? {
                match name {
                    HistogramName::Of(words::Latency::Answer) => level.latency.merge(&histogram),
                    HistogramName::Of(words::Latency::Commit) => level.commit.merge(&histogram),
                    HistogramName::Of(kind) => level.kinds.entry(kind).or_default().merge(&histogram),
                    _ => {}
                }
            }
        }
        Ok(levels)
    }

    /// New orders per minute.
    pub(super) fn nopm(&self) -> f64 {
        self.mean(Metric::Nopm).unwrap_or(0.0)
    }

    /// Of all transactions.
    pub(super) fn latency(&self) -> Option<Latency> {
        latency(&self.latency)
    }

    /// Of the commits that were messages of their own.
    pub(super) fn commit(&self) -> Option<Latency> {
        latency(&self.commit)
    }

    /// Of all cells; nothing for a metric that some cell has no number of.
    fn mean(&self, metric: Metric) -> Option<f64> {
        let all = self.values.get(&metric.into())?;
        Some(all.iter().sum::<f64>() / all.len() as f64).filter(|mean| mean.is_finite())
    }

    fn need(&self, metric: Metric) -> Result<f64, StudyError> {
        self.mean(metric).ok_or_else(|| {
            let message = format!("the run has no `{metric}`: it cannot say what its transactions asked for");
            StudyError::Question(message)
        })
    }

    /// Processor time of a transaction, ns: of the engine and its clients, and of the layer under them. Where
    /// a server's own time is not known it is all that the machine was busy.
    fn cpu_ns(&self, is_server: bool, processors: u32, per_s: f64) -> (f64, f64) {
        let ns = |metric| self.mean(metric).unwrap_or(0.0) * 1e3;
        let client_ns = ns(Metric::ClientCpuPerTransaction);
        if !is_server {
            return (client_ns + ns(Metric::EngineCpuPerTransaction), 0.0);
        }
        match (self.mean(Metric::ServerCpuPerTransaction), self.mean(Metric::OwnCpuPerTransaction)) {
            (Some(server), Some(own)) => (server * 1e3 + client_ns, (own * 1e3 - client_ns).max(0.0)),
            _ => {
                let idle = self.mean(Metric::CpuIdle).unwrap_or(100.0);
                ((1.0 - idle / 100.0) * f64::from(processors) / per_s * 1e9, 0.0)
            }
        }
    }

    /// Work of each kind of transaction against the average one.
    fn weights(&self) -> [f64; 5] {
        let known = |kind| self.kinds.get(&kind).filter(|histogram| !histogram.is_empty());
        let commit_ns = self.commit().map_or(0.0, |commit| commit.mean_ns);
        kind_weights(|kind| known(kind).map(Histogram::mean_ns), commit_ns)
    }

    /// Bytes of one of `count` operations that moved the metric `bytes`; a usual page where there are none.
    fn size(&self, bytes: Metric, count: f64) -> f64 {
        let bytes = self.mean(bytes).filter(|_| count > 0.01);
        bytes.map_or(8192.0, |bytes| (bytes / count).clamp(512.0, 1e6))
    }

    /// The writes of a transaction, of which `writes` operations are known.
    fn written(&self, engine: Engine, writes: f64, syncs: f64, page_bytes: f64) -> Written {
        let log_writes = self.mean(Metric::LogWritesPerTransaction).unwrap_or(syncs).max(0.0);
        let log_page_bytes = engine.log_page_bytes();
        let pages = (writes - log_writes).max(0.0);
        let bytes = self.mean(Metric::WrittenBytesPerTransaction).unwrap_or(writes * page_bytes);
        let told_bytes = self.mean(Metric::LogBytesPerTransaction).unwrap_or(8000.0).max(1.0);
        // Bytes beyond pages are log, which is as long as the server says with the page begun by the write
        // before it; a server's own count may leave out writes for others. Bytes beyond that went along with
        // pages.
        let begun_bytes = log_writes * f64::from(log_page_bytes);
        let least_bytes = told_bytes + begun_bytes;
        let log_bytes = (bytes - pages * page_bytes).clamp(least_bytes, LOG_MOST * least_bytes);
        let page_bytes = if pages > 0.01 { (bytes - log_bytes) / pages } else { page_bytes };
        let images = self.mean(Metric::LogImagesPerTransaction).unwrap_or(0.0);
        Written {
            pages,
            page_bytes: page_bytes.clamp(4096.0, 1e6) as u32,
            log_bytes: log_bytes - begun_bytes,
            log_page_bytes,
            image_share: (images * IMAGE_BYTES / told_bytes).clamp(0.0, 0.95),
        }
    }

    /// The demands of an average transaction.
    pub(super) fn demand(
        &self,
        experiment: &Experiment,
        users: u32,
        processors: u32,
    ) -> Result<Demand, StudyError> {
        let tpm = self.mean(Metric::TpmWithRollbacks).map_or_else(|| self.need(Metric::Tpm), Ok)?;
        let per_s = tpm / 60.0;
        let (reads, writes) =
            (self.need(Metric::ReadsPerTransaction)?, self.need(Metric::WritesPerTransaction)?);
        let all_syncs = self.mean(Metric::SyncsPerTransaction);
        let syncs = self.mean(Metric::LogSyncsPerTransaction).or(all_syncs).unwrap_or_else(committing_share);
        let engine = experiment.engine();
        let read_bytes = self.size(Metric::ReadBytesPerTransaction, reads);
        let written = self.written(engine, writes, syncs, read_bytes);
        let waited_writes = self.mean(Metric::WaitedWritesPerTransaction).unwrap_or(0.0);
        let warehouses = experiment.workload.iter().find_map(|w| match w {
            Workload::Tpcc(tpcc) => Some(u64::from(tpcc.warehouses)),
            _ => None,
        });
        let (cpu_ns, layer_ns) = self.cpu_ns(engine.is_server(), processors, per_s);
        let operations = reads + writes + all_syncs.unwrap_or(syncs);
        let delay_ns = |metric| self.mean(metric).unwrap_or(0.0).max(0.0) * 1e6;
        let layer = Layer {
            work_ns: layer_ns / operations.max(0.01),
            read_late_ns: delay_ns(Metric::DriveReadDelay),
            sync_ns: delay_ns(Metric::DriveSyncDelay),
        };
        Ok(Demand {
            users,
            processors,
            cpu_ns,
            reads,
            read_bytes: read_bytes as u32,
            log_bytes: written.log_bytes,
            log_page_bytes: written.log_page_bytes,
            image_share: written.image_share,
            mix: KINDS,
            weights: self.weights(),
            waited_writes,
            writes: (written.pages - waited_writes).max(0.0),
            write_bytes: written.page_bytes,
            layer,
            data_bytes: warehouses.unwrap_or(1) * BYTES_PER_WAREHOUSE,
            one_writer: !engine.is_server(),
            known_waits: None,
            measured_per_s: per_s,
            measured_spread: self.spread(),
            measured_latency: self.latency(),
            measured_commit: self.commit(),
        })
    }

    /// Half the 95 % interval of the throughput as a share of it; 0 where one repeat knows none.
    fn spread(&self) -> f64 {
        let interval = self.values.get(&Metric::Tpm.into()).and_then(|all| measure::mean_interval(all));
        let spread = interval.map_or(0.0, |e| (e.high - e.low) / 2.0 / e.value);
        if spread.is_finite() { spread.min(0.5) } else { 0.0 }
    }
}

/// The writes of an average transaction.
struct Written {
    /// Pages, by whomever.
    pages: f64,
    page_bytes: u32,
    /// Bytes of log, each once.
    log_bytes: f64,
    log_page_bytes: u32,
    /// Share of the log that is images of whole pages.
    image_share: f64,
}

fn latency(histogram: &Histogram) -> Option<Latency> {
    (!histogram.is_empty()).then(|| Latency::of(histogram))
}
