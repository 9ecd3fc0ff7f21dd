//! A finished cell in one line for the watcher.

use notebook::CellRecord;
use words::{Limiter, Metric, say, spoken};

use crate::kind::LabKind;

/// The main figures of a cell of this kind, or why it does not count.
pub(crate) fn result_line(kind: &dyn LabKind, record: &CellRecord) -> String {
    record.reasons.text().or_else(|| kind.headline(record)).unwrap_or_else(|| of_load(record))
}

/// A load: its rate, its p99 and its limiter.
fn of_load(record: &CellRecord) -> String {
    let rates = [Metric::Nopm, Metric::Tps, Metric::Iops];
    let main = rates.into_iter().find_map(|metric| Some((metric, record.value(metric)?)));
    // The same figure as in every table: over all transactions.
    let p99 = record.value(Metric::LATENCY_P99);
    let parts = [
        main.map(|(metric, value)| format!("{value:.0} {}", metric.short())),
        p99.map(|p99| {
            say!("result-p99", latency = format!("{p99:.2} {}", Metric::LATENCY_P99.unit().name()))
        }),
        bounded_by(record),
    ];
    words::list(parts.into_iter().flatten())
}

/// The limiter, and a pace that was missed.
fn bounded_by(record: &CellRecord) -> Option<String> {
    let limiter = record.limiter.as_deref()?;
    let known = Limiter::of(limiter).unwrap_or(Limiter::NotKnown);
    let l = spoken::<Limiter>(limiter).to_owned();
    let is_behind = record.limiter_figures.as_ref().is_some_and(|figures| figures.missed_pace(known));
    Some(if is_behind { say!("result-behind", l) } else { say!("result-bounded-by", l) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Metrics;

    fn line(workload: &str, values: &[(Metric, f64)]) -> String {
        let text = format!(
            "schema = 1\ntitle = \"x\"\n[[bed]]\nname = \"a\"\nstorage = {{ real = \".\" }}\n\
             [database]\nengine = \"sqlite\"\nmemory = \"16MiB\"\n[[workload]]\n{workload}\n"
        );
        let parsed = experiment::parse(&text, "x.toml").unwrap_or_else(|faults| panic!("{faults}"));
        let mut metrics = Metrics::default();
        values.iter().for_each(|(metric, value)| metrics.add(*metric, *value));
        let limiter = Some(Limiter::Drive.into());
        let record = CellRecord { limiter, measurements: metrics.0, ..CellRecord::default() };
        result_line(crate::kind::of(&parsed.workload[0]), &record)
    }

    #[test]
    fn a_kind_has_its_own_figures_and_a_load_its_rate() {
        let load = "kind = \"tpcc\"\nwarehouses = 1\nvirtual_users = [1]\nramp_up = \"1s\"\nmeasure = \"1s\"";
        let figures = [(Metric::Nopm, 1234.4), (Metric::LATENCY_P99, 2.5)];
        assert_eq!(line(load, &figures), "1234 NOPM, p99 2.50 ms, bounded by drive");
        let backup = "kind = \"backup\"\nwarehouses = 1";
        let times = [(Metric::BackupTime, 1.0), (Metric::RestoreTime, 2.0)];
        assert_eq!(line(backup, &times), "backup 1.00 s, restore 2.00 s");
        let proven = [&times[..], &[(Metric::ProvenRestores, 3.0), (Metric::Cycles, 3.0)]].concat();
        assert_eq!(line(backup, &proven), "backup 1.00 s, restore 2.00 s, 3 of 3 restores proven");
        assert_eq!(
            line(backup, &figures),
            "1234 NOPM, p99 2.50 ms, bounded by drive",
            "a backup that failed"
        );
        let neighbour = "kind = \"neighbour\"\nneighbour = \"backup\"\nvictims = 1\nwarehouses = 1\nvirtual_users = 1\n\
             ramp_up = \"1s\"\nmeasure = \"1s\"";
        let alone = [(Metric::NeighbourRate, 80.0)];
        assert_eq!(line(neighbour, &alone), "neighbour alone at 80 MB/s");
        assert!(line(neighbour, &[&alone[..], &figures].concat()).starts_with("1234 NOPM"), "victims");
    }
}
