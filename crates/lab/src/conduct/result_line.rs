//! A finished cell in one line for the watcher.

use notebook::CellRecord;
use words::{Limiter, Metric, Read, ReadFigure, say};

/// The main figures of `record`, or why it does not count.
pub(crate) fn result_line(record: &CellRecord) -> String {
    if let Some(reasons) = record.reasons.text() {
        return reasons;
    }
    let find = |metric: Metric| record.measurements.iter().find(|m| m.of(metric).is_some());
    if let (Some(orders), Some(recovery)) = (find(Metric::OrdersAcknowledged), find(Metric::RecoveryTime)) {
        return say!(
            "result-none-lost",
            orders = orders.value.to_string(),
            recovery = words::decimals(recovery.value, 1)
        );
    }
    if let Some(line) = operation_line(&find) {
        return line;
    }
    let main = find(Metric::Nopm).or_else(|| find(Metric::Tps)).or_else(|| find(Metric::Iops));
    // The same figure as in every table: over all transactions.
    let p99 = find(Metric::LATENCY_P99);
    let figure =
        |m: &notebook::Measurement, name: &str, digits: usize| format!("{:.digits$} {name}", m.value);
    let parts = [
        main.map(|m| figure(m, &Metric::of(&m.metric).map(Metric::short).unwrap_or_default(), 0)),
        p99.map(|m| say!("result-p99", latency = figure(m, &m.unit, 2))),
        bounded_by(record),
    ];
    words::list(parts.into_iter().flatten())
}

/// The limiter, and a pace that was missed.
fn bounded_by(record: &CellRecord) -> Option<String> {
    let l = record.limiter.clone()?;
    let known = Limiter::of(&l).unwrap_or(Limiter::NotKnown);
    let is_behind = record.limiter_figures.as_ref().is_some_and(|figures| figures.missed_pace(known));
    Some(if is_behind { say!("result-behind", l) } else { say!("result-bounded-by", l) })
}

/// The main figures of a backup, a scan, a layout or a neighbour by itself.
fn operation_line<'a>(find: &impl Fn(Metric) -> Option<&'a notebook::Measurement>) -> Option<String> {
    let value = |metric: Metric| find(metric).map(|m| m.value);
    if let (Some(backup), Some(restore)) = (value(Metric::BackupTime), value(Metric::RestoreTime)) {
        let (backup, restore) = (words::decimals(backup, 2), words::decimals(restore, 2));
        return Some(match (value(Metric::ProvenRestores), value(Metric::Cycles)) {
            (Some(proven), Some(cycles)) => {
                let (proven, cycles) = (proven.to_string(), cycles.to_string());
                say!("result-backup-proven", backup, restore, proven, cycles)
            }
            _ => say!("result-backup", backup, restore),
        });
    }
    if let Some(scan) = value(Metric::Read(Read::ScanCold, ReadFigure::Time)) {
        let lookup =
            value(Metric::Read(Read::LookupCold, ReadFigure::Time)).map(|lookup| format!("{lookup:.3} s"));
        let lost = || {
            value(Metric::LookupColdLost)
                .map(|lost| say!("result-lookup-lost", lost = words::decimals(lost, 3)))
        };
        return Some(say!("result-scan", scan = words::decimals(scan, 3), lookup = lookup.or_else(lost)?));
    }
    if let (Some(time), Some(fragments)) = (value(Metric::ColdScanTime), value(Metric::Fragments)) {
        return Some(say!(
            "result-layout",
            time = words::decimals(time, 3),
            fragments = fragments.to_string()
        ));
    }
    match (value(Metric::Nopm), value(Metric::NeighbourRate)) {
        (None, Some(rate)) => Some(say!("result-neighbour", rate = words::decimals(rate, 0))),
        _ => None,
    }
}
