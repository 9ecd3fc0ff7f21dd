//! The figures of simulated order entry, under the names of measured ones.

use experiment::{Pacing, Tpcc};
use measure::Histogram;
use notebook::{CellRecord, Phase};
use simulate::pool::Transaction;
use simulate::{Bed, Load, Outcome};
use words::{EventKind, Happening, HistogramName, Latency, Metric, PhaseName, Reasons};

use crate::kind::simulated_cell::{SimulatedCell, window};
use crate::metrics::{self, Metrics, event, one, phase};
use crate::watch::cell::ended;
use crate::watch::limiter::{self, Pace};

pub(super) fn cell(simulated: &SimulatedCell<'_>, tpcc: &Tpcc) -> Result<CellRecord, Reasons> {
    let database = simulated.experiment.database.as_ref();
    let (asked, is_keyed) = (window(tpcc.ramp_up, tpcc.measure), tpcc.pacing == Pacing::Keyed);
    let load = Load {
        users: tpcc.virtual_users[simulated.key.level],
        warehouses: tpcc.warehouses,
        machines: database.map_or(1, |d| d.instances) * simulated.ranks,
        window: if is_keyed { asked.keyed() } else { asked },
        pacing: if is_keyed { simulate::Pacing::Keyed } else { simulate::Pacing::None },
        ..simulated.load()
    };
    let outcome =
        simulate::run(&simulated.on.bed, &load, simulated.cell_seed()).map_err(|e| e.to_string())?;
    let mut record = record((&simulated.on.bed, simulated.ranks), &load, &outcome);
    if is_keyed {
        let users = load.users * load.machines;
        Pace::of_keyed(users, 1.0, &outcome.latency())
            .limits(&mut record, outcome.transactions_per_minute() / 60.0);
    }
    Ok(record)
}

fn record((bed, ranks): (&Bed, u32), load: &Load, outcome: &Outcome) -> CellRecord {
    let limiter = limiter::of_simulation(&outcome.time, outcome.cpu_idle);
    let reasons = Reasons::from(outcome.lost.clone());
    let stands_for = Happening::SimulatedFor {
        virtual_s: outcome.measured_s,
        whole_s: load.window.measure_ns as f64 / 1e9,
        precision_percent: outcome.precision * 100.0,
    };
    CellRecord {
        limiter: Some(limiter.name.into()),
        limiter_figures: Some(limiter.figures),
        phases: phases(outcome),
        measurements: metrics((bed, ranks), load, outcome).0,
        series: series(outcome, ranks),
        histograms: histograms(outcome),
        events: vec![event(EventKind::Simulated, stands_for)],
        ..ended(reasons)
    }
}

pub(crate) fn phases(outcome: &Outcome) -> Vec<Phase> {
    let (settled_s, measured_s) = (outcome.settled_s, outcome.measured_s);
    vec![
        phase(PhaseName::RampUp, 0.0, settled_s),
        phase(PhaseName::Measure, settled_s, settled_s + measured_s),
    ]
}

fn metrics((bed, ranks): (&Bed, u32), load: &Load, outcome: &Outcome) -> Metrics {
    let mut metrics = Metrics::default();
    let machines = f64::from(outcome.machines);
    let tpm = outcome.transactions_per_minute();
    // Of a machine; of all load generators, where their number is the level.
    metrics.add(Metric::Nopm, outcome.nopm() * f64::from(ranks));
    metrics.add(Metric::Tpm, tpm * f64::from(ranks));
    metrics.add(Metric::TpmPerUser, tpm / f64::from(load.users));
    let batches = outcome.nopm() * bed.database.batches_per_new_order;
    metrics.add(Metric::TpmBatches, batches);
    metrics.add(Metric::TpmBatchesPerUser, batches / f64::from(load.users));
    metrics.add_latency(Latency::Answer, &outcome.latency());
    for (kind, histogram) in &outcome.per {
        metrics.add_latency(latency_of(*kind), histogram);
    }
    let transactions = (outcome.transactions() as f64).max(1.0);
    metrics.add(Metric::ReadsPerTransaction, outcome.reads.len() as f64 / transactions);
    let writes = (outcome.writes.len() + outcome.log_writes.len()) as f64;
    metrics.add(Metric::WritesPerTransaction, writes / transactions);
    metrics.add(Metric::IosPerTransaction, (outcome.reads.len() as f64 + writes) / transactions);
    metrics.add(Metric::ReadBytesPerTransaction, outcome.read_bytes as f64 / transactions);
    metrics.add(Metric::WrittenBytesPerTransaction, outcome.written_bytes as f64 / transactions);
    metrics.add(Metric::ReadIops, outcome.reads_per_s());
    metrics.add(Metric::WriteIops, outcome.writes_per_s());
    for (latency, histogram) in drive_waits(outcome) {
        if !histogram.is_empty() {
            metrics.add_mean_and_p99(latency, &histogram);
        }
    }
    metrics.add(Metric::CpuIdle, outcome.cpu_idle * 100.0);
    let per_transaction_us = |ns: u64| ns as f64 / 1e3 / transactions;
    metrics.add(Metric::EngineCpuPerTransaction, per_transaction_us(outcome.time.cpu_ns));
    let backup_bytes = outcome.backup_bytes as f64;
    metrics.add(Metric::BackupBandwidth, backup_bytes / outcome.measured_s / 1e6 / machines);
    metrics.add(Metric::SimulatedTime, outcome.measured_s);
    metrics.add(Metric::Precision, outcome.precision * 100.0);
    metrics
}

fn latency_of(kind: Transaction) -> Latency {
    match kind {
        Transaction::NewOrder => Latency::NewOrder,
        Transaction::Payment => Latency::Payment,
        Transaction::OrderStatus => Latency::OrderStatus,
        Transaction::Delivery => Latency::Delivery,
        Transaction::StockLevel => Latency::StockLevel,
    }
}

fn drive_waits(outcome: &Outcome) -> [(Latency, Histogram); 2] {
    let mut writes = outcome.writes.clone();
    writes.merge(&outcome.log_writes);
    [(Latency::DriveRead, outcome.reads.clone()), (Latency::DriveWrite, writes)]
}

fn histograms(outcome: &Outcome) -> Vec<(HistogramName, Histogram)> {
    let mut kept = vec![(Latency::Answer, outcome.latency())];
    kept.extend(outcome.per.iter().map(|(kind, histogram)| (latency_of(*kind), histogram.clone())));
    kept.extend(drive_waits(outcome));
    metrics::named(kept)
}

/// Whole simulated seconds; the last one is cut short where the simulation stopped.
fn series(outcome: &Outcome, ranks: u32) -> Vec<measure::Series> {
    let whole = (outcome.settled_s + outcome.measured_s) as usize;
    let machines = f64::from(outcome.machines / ranks.max(1));
    let (all, orders) = (outcome.timeline_all.seconds(), outcome.timeline_new_order.seconds());
    let per_minute = |count: u64| count as f64 * 60.0 / machines;
    vec![
        one(Metric::Tpm, all.iter().take(whole).map(|s| per_minute(s.count))),
        one(Metric::Nopm, orders.iter().take(whole).map(|s| per_minute(s.count))),
        one(Metric::LATENCY_MEAN, all.iter().take(whole).map(|s| s.mean_ns / 1e6)),
        one(Metric::LATENCY_P50, all.iter().take(whole).map(|s| s.p50_ns as f64 / 1e6)),
        one(Metric::LATENCY_P99, all.iter().take(whole).map(|s| s.p99_ns as f64 / 1e6)),
        one(Metric::LATENCY_P999, all.iter().take(whole).map(|s| s.p999_ns as f64 / 1e6)),
    ]
}
