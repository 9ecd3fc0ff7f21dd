//! One simulated cell of backup and restore: the same cycles and figures as a measured one, without a
//! verification, because nothing was written.

use experiment::Backup;
use measure::{Histogram, Series, Timeline};
use notebook::{CellRecord, CellState, Event, Phase};
use simulate::{CopyKind, CopyOutcome, Load, run_copy};
use words::{
    EventKind, Family, Happening, HistogramName, Latency, Metric, MetricName, PhaseName, Reasons, Statistic,
};

use crate::kind::simulated_cell::SimulatedCell;
use crate::metrics::{Metrics, event, one, phase};

/// A backup and the restore of it.
struct Cycle {
    backup: CopyOutcome,
    restore: CopyOutcome,
}

pub(super) fn cell(simulated: &SimulatedCell<'_>, asked: &Backup) -> Result<CellRecord, Reasons> {
    let bytes = Load { warehouses: asked.warehouses, ..simulated.load() }.database_bytes();
    let limit = asked.rate_limit.map(|rate| rate.0);
    let mut cycles = Vec::new();
    for number in 0..u64::from(asked.cycles) {
        let seed = simulated.cell_seed().wrapping_add(number);
        let copy = |kind| run_copy(&simulated.on.bed, kind, bytes, limit, seed).map_err(|e| e.to_string());
        cycles.push(Cycle { backup: copy(CopyKind::Backup)?, restore: copy(CopyKind::Restore)? });
    }
    let (phases, rates) = in_time(asked, &cycles);
    let mut events: Vec<Event> =
        (1..).zip(&cycles).map(|(n, cycle)| event(EventKind::Cycle, cycle.told(n))).collect();
    events.push(event(EventKind::Simulated, Happening::SimulatedCopies));
    Ok(CellRecord {
        state: CellState::Done,
        phases,
        measurements: metrics(asked, &cycles).0,
        series: vec![rates],
        histograms: histograms(&cycles),
        events,
        ..CellRecord::default()
    })
}

impl Cycle {
    fn told(&self, number: u32) -> Happening {
        Happening::CycleSimulated {
            number,
            backup_mb: self.backup.bytes as f64 / 1e6,
            backup_s: self.backup.elapsed_s,
            restore_s: self.restore.elapsed_s,
        }
    }
}

/// The cycles one after the other with the pauses between them: phases, and the copied bytes second by
/// second.
fn in_time(asked: &Backup, cycles: &[Cycle]) -> (Vec<Phase>, Series) {
    let (mut phases, mut rates, mut now_s) = (Vec::new(), Vec::new(), 0.0);
    for (number, cycle) in (1..).zip(cycles) {
        for (name, copy) in [(PhaseName::Backup, &cycle.backup), (PhaseName::Restore, &cycle.restore)] {
            let end_s = now_s + copy.elapsed_s;
            phases.push(phase(name.numbered(number), now_s, end_s));
            add_rates(&mut rates, now_s, &copy.timeline);
            now_s = end_s;
        }
        now_s += asked.pause.0.as_secs_f64();
    }
    (phases, one(Metric::BackupRate, rates.into_iter()))
}

/// Adds the seconds of a copy that began at `from_s`, to the nearest second.
fn add_rates(rates: &mut Vec<f64>, from_s: f64, timeline: &Timeline) {
    let first = from_s.round() as usize;
    for (index, second) in timeline.seconds().iter().enumerate() {
        if rates.len() <= first + index {
            rates.resize(first + index + 1, 0.0);
        }
        rates[first + index] += second.bytes as f64 / 1e6;
    }
}

fn metrics(asked: &Backup, cycles: &[Cycle]) -> Metrics {
    let mut metrics = Metrics::default();
    let mean = |of: &dyn Fn(&Cycle) -> f64| cycles.iter().map(of).sum::<f64>() / (cycles.len().max(1)) as f64;
    let (backup_s, restore_s) = (mean(&|c| c.backup.elapsed_s), mean(&|c| c.restore.elapsed_s));
    let megabytes = mean(&|c| c.backup.bytes as f64 / 1e6);
    metrics.add(Metric::BackupTime, backup_s);
    metrics.add(Metric::RestoreTime, restore_s);
    metrics.add(Metric::BackupBandwidth, megabytes / backup_s);
    metrics.add(Metric::RestoreBandwidth, megabytes / restore_s);
    metrics.add(
        Metric::Latency(Latency::BackupTransfer, Statistic::Mean),
        mean(&|c| c.backup.latency.mean_ns() / 1e6),
    );
    metrics.add(
        Metric::Latency(Latency::RestoreTransfer, Statistic::Mean),
        mean(&|c| c.restore.latency.mean_ns() / 1e6),
    );
    metrics.add(Metric::DatabaseSize, megabytes);
    metrics.add(Metric::BackupSize, megabytes);
    metrics.add(Metric::Cycles, cycles.len() as f64);
    metrics.add(Metric::CyclesAsked, f64::from(asked.cycles));
    for (metric, seconds) in [
        (Metric::BackupReadTime, mean(&|c| c.backup.read_s)),
        (Metric::BackupWriteTime, mean(&|c| c.backup.write_s)),
        (Metric::BackupProcessorTime, mean(&|c| c.backup.processor_s)),
        (Metric::RestoreReadTime, mean(&|c| c.restore.read_s)),
        (Metric::RestoreWriteTime, mean(&|c| c.restore.write_s)),
        (Metric::RestoreProcessorTime, mean(&|c| c.restore.processor_s)),
    ] {
        metrics.add(metric, seconds);
    }
    for (number, cycle) in (1..).zip(cycles) {
        let of_cycle = |metric| MetricName::Of(metric, Family::Cycle(number));
        metrics.add(of_cycle(Metric::BackupTime), cycle.backup.elapsed_s);
        metrics.add(of_cycle(Metric::RestoreTime), cycle.restore.elapsed_s);
    }
    metrics
}

fn histograms(cycles: &[Cycle]) -> Vec<(HistogramName, Histogram)> {
    let merged = |of: fn(&Cycle) -> &Histogram| {
        let mut all = Histogram::new();
        cycles.iter().for_each(|cycle| all.merge(of(cycle)));
        all
    };
    let (backup, restore) = (merged(|c| &c.backup.latency), merged(|c| &c.restore.latency));
    vec![(Latency::BackupTransfer.into(), backup), (Latency::RestoreTransfer.into(), restore)]
}
