//! The figures of simulated order entry, under the names of measured ones.

use experiment::{Pacing, Tpcc};
use measure::Histogram;
use notebook::{CellRecord, CellState, Phase};
use simulate::{Bed, Load, Outcome};

use super::study::{Study, window};
use crate::limiter::{self, Pace};
use crate::metrics::{Metrics, one};

pub(super) fn cell(study: &Study<'_>, tpcc: &Tpcc) -> Result<CellRecord, String> {
    let database = study.experiment.database.as_ref();
    let (asked, is_keyed) = (window(tpcc.ramp_up, tpcc.measure), tpcc.pacing == Pacing::Keyed);
    let load = Load {
        users: tpcc.virtual_users[study.key.level],
        warehouses: tpcc.warehouses,
        machines: database.map_or(1, |d| d.instances),
        window: if is_keyed { asked.keyed() } else { asked },
        pacing: if is_keyed { simulate::Pacing::Keyed } else { simulate::Pacing::None },
        ..study.load()
    };
    let outcome = simulate::run(&study.on.bed, &load, study.cell_seed()).map_err(|e| e.to_string())?;
    let mut record = record(&study.on.bed, &load, &outcome);
    if is_keyed {
        let users = load.users * load.machines;
        Pace::of_keyed(users, &outcome.latency())
            .limits(&mut record, outcome.transactions_per_minute() / 60.0);
    }
    Ok(record)
}

fn record(bed: &Bed, load: &Load, outcome: &Outcome) -> CellRecord {
    let limiter = limiter::of_simulation(&outcome.time, outcome.cpu_idle);
    let state = if outcome.lost.is_some() { CellState::Invalid } else { CellState::Done };
    let event = |kind: &str, message: String| notebook::Event { kind: kind.to_owned(), count: 1, message };
    CellRecord {
        state,
        reason: outcome.lost.clone(),
        limiter: Some(limiter.name.to_owned()),
        limiter_detail: Some(limiter.detail),
        phases: phases(outcome),
        measurements: metrics(bed, load, outcome).0,
        series: series(outcome),
        histograms: histograms(outcome),
        events: vec![event(
            "simulated",
            format!(
                "{:.1} s of virtual time stand for {:.0} s: the 95 % interval of the throughput is {:.1} % wide on either side",
                outcome.measured_s,
                load.window.measure_ns as f64 / 1e9,
                outcome.precision * 100.0
            ),
        )],
        ..CellRecord::default()
    }
}

pub(super) fn phases(outcome: &Outcome) -> Vec<Phase> {
    let phase = |name: &str, start_s: f64, end_s: f64| Phase { name: name.to_owned(), start_s, end_s };
    let (settled_s, measured_s) = (outcome.settled_s, outcome.measured_s);
    vec![phase("ramp-up", 0.0, settled_s), phase("measure", settled_s, settled_s + measured_s)]
}

fn metrics(bed: &Bed, load: &Load, outcome: &Outcome) -> Metrics {
    let mut metrics = Metrics::default();
    let machines = f64::from(outcome.machines);
    let tpm = outcome.transactions_per_minute();
    metrics.add("nopm", outcome.nopm(), "1/min");
    metrics.add("tpm", tpm, "1/min");
    metrics.add("tpm_per_user", tpm / f64::from(load.users), "1/min");
    let batches = outcome.nopm() * bed.database.batches_per_new_order;
    metrics.add("tpm_batches", batches, "1/min");
    metrics.add("tpm_batches_per_user", batches / f64::from(load.users), "1/min");
    metrics.add_latency("latency", &outcome.latency());
    for (kind, histogram) in &outcome.per {
        metrics.add_latency(&format!("{}_latency", kind.name()), histogram);
    }
    let transactions = (outcome.transactions() as f64).max(1.0);
    metrics.add("reads_per_transaction", outcome.reads.len() as f64 / transactions, "I/O");
    let writes = (outcome.writes.len() + outcome.log_writes.len()) as f64;
    metrics.add("writes_per_transaction", writes / transactions, "I/O");
    metrics.add("ios_per_transaction", (outcome.reads.len() as f64 + writes) / transactions, "I/O");
    metrics.add("read_bytes_per_transaction", outcome.read_bytes as f64 / transactions, "B");
    metrics.add("written_bytes_per_transaction", outcome.written_bytes as f64 / transactions, "B");
    metrics.add("read_iops", outcome.reads_per_s(), "1/s");
    metrics.add("write_iops", outcome.writes_per_s(), "1/s");
    for (name, histogram) in drive_waits(outcome) {
        if !histogram.is_empty() {
            metrics.add(&format!("{name}_latency_mean"), histogram.mean_ns() / 1e3, "us");
            metrics.add(&format!("{name}_latency_p99"), histogram.quantile_ns(0.99) as f64 / 1e3, "us");
        }
    }
    metrics.add("cpu_idle", outcome.cpu_idle * 100.0, "%");
    let per_transaction_us = |ns: u64| ns as f64 / 1e3 / transactions;
    metrics.add("engine_cpu_per_transaction", per_transaction_us(outcome.time.cpu_ns), "us");
    metrics.add(
        "backup_bandwidth",
        outcome.backup_bytes as f64 / outcome.measured_s / 1e6 / machines,
        "MB/s",
    );
    metrics.add("simulated_s", outcome.measured_s, "s");
    metrics.add("precision", outcome.precision * 100.0, "%");
    metrics
}

fn drive_waits(outcome: &Outcome) -> [(&'static str, Histogram); 2] {
    let mut writes = outcome.writes.clone();
    writes.merge(&outcome.log_writes);
    [("drive_read", outcome.reads.clone()), ("drive_write", writes)]
}

fn histograms(outcome: &Outcome) -> Vec<(String, Histogram)> {
    let mut kept = vec![("latency".to_owned(), outcome.latency())];
    kept.extend(outcome.per.iter().map(|(kind, histogram)| (kind.name().to_owned(), histogram.clone())));
    kept.extend(drive_waits(outcome).into_iter().map(|(name, histogram)| (name.to_owned(), histogram)));
    kept.retain(|(_, histogram)| !histogram.is_empty());
    kept
}

/// Whole simulated seconds; the last one is cut short where the simulation stopped.
fn series(outcome: &Outcome) -> Vec<measure::Series> {
    let whole = (outcome.settled_s + outcome.measured_s) as usize;
    let machines = f64::from(outcome.machines);
    let (all, orders) = (outcome.timeline_all.seconds(), outcome.timeline_new_order.seconds());
    let per_minute = |count: u64| count as f64 * 60.0 / machines;
    vec![
        one("tpm", "1/min", all.iter().take(whole).map(|s| per_minute(s.count))),
        one("nopm", "1/min", orders.iter().take(whole).map(|s| per_minute(s.count))),
        one("latency_mean", "ms", all.iter().take(whole).map(|s| s.mean_ns / 1e6)),
        one("latency_p99", "ms", all.iter().take(whole).map(|s| s.p99_ns as f64 / 1e6)),
    ]
}
