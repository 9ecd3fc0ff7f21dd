//! Backups in numbers: of each bed the phases with their times, rates, bytes and proofs, and how it compares.

use super::users::Cost;
use crate::figure::line::Point;
use crate::loaded_run::GroupKey;
use crate::naming::BedName;
use crate::number;
use crate::source::Source;
use crate::table::{Column, Entry, Table, Tone};
use words::{Metric, say};

/// A column of the table: its head, and the entry of a bed; none of it is shown where no bed has an entry.
struct Part {
    head: String,
    of: fn(&TableLevel<'_>, &BedName) -> Option<Entry>,
}

struct TableLevel<'a> {
    source: &'a Source<'a>,
    workload: &'a str,
    level: f64,
}

/// The table; `None` where nothing was measured.
pub(super) fn table(source: &Source<'_>, workload: &str) -> Option<Table> {
    let levels = source.loaded.levels(workload);
    let mut rows: Vec<(TableLevel<'_>, &BedName)> = Vec::new();
    for level in &levels {
        let place = || TableLevel { source, workload, level: *level };
        let beds = source.comparison.beds.iter();
        rows.extend(
            beds.map(|bed| (place(), bed))
                .filter(|(place, bed)| place.point(bed, Metric::BackupTime).is_some()),
        );
    }
    if rows.is_empty() {
        return None;
    }
    let mut parts = parts();
    parts.retain(|part| rows.iter().any(|(place, bed)| (part.of)(place, bed).is_some()));
    let mut columns = vec![Column::text(say!("column-bed"))];
    let has_levels = levels.len() > 1;
    if has_levels {
        // A narrow column of words would break them apart.
        columns.push(Column::number(say!("column-load")));
    }
    columns.extend(parts.iter().map(|part| Column::number(part.head.clone())));
    let mut table = Table::new(columns);
    for (place, bed) in &rows {
        // A name of two words would take two lines.
        let mut row = vec![Entry::toned(bed.shown.replace(' ', "\u{a0}"), Tone::Strong)];
        if has_levels {
            row.push(source.loaded.level_name(workload).said(place.level).into());
        }
        row.extend(parts.iter().map(|part| (part.of)(place, bed).unwrap_or_else(|| "-".into())));
        table.row(row);
    }
    Some(table)
}

fn parts() -> Vec<Part> {
    let part = |head: String, of| Part { head, of };
    let seconds = |name: &str| say!("backup-head-seconds", name);
    let rate = |name: &str| say!("backup-head-rate", name);
    let ratio = |name: &str| say!("backup-head-ratio", name);
    let [backup, restore] = [say!("backup-backup"), say!("backup-bars-restored")];
    vec![
        part(seconds(backup), |place, bed| place.mean(bed, Metric::BackupTime)),
        part(say!("backup-head-database").to_owned(), |place, bed| place.mean(bed, Metric::DatabaseSize)),
        part(rate(backup), |place, bed| place.mean(bed, Metric::BackupBandwidth)),
        part(ratio(backup), |place, bed| place.ratio(bed, Metric::BackupBandwidth)),
        part(seconds(restore), |place, bed| place.mean(bed, Metric::RestoreTime)),
        part(ratio(restore), |place, bed| place.ratio(bed, Metric::RestoreBandwidth)),
        part(say!("backup-head-proven").to_owned(), |place, bed| place.proven(bed)),
        part(say!("backup-head-otherwise").to_owned(), |place, bed| {
            Some(number::plain(place.rates(bed)?.1).into())
        }),
        part(say!("backup-head-during").to_owned(), |place, bed| {
            Some(number::plain(place.rates(bed)?.0).into())
        }),
    ]
}

impl TableLevel<'_> {
    fn values(&self, bed: &BedName, metric: Metric) -> Vec<f64> {
        let key = GroupKey { workload: self.workload, level: self.level, bed: &bed.name };
        self.source.loaded.values(&key, metric).into_iter().map(|pair| pair.1).collect()
    }

    fn point(&self, bed: &BedName, metric: Metric) -> Option<Point> {
        Point::of(metric, self.level, self.values(bed, metric))
    }

    fn mean(&self, bed: &BedName, metric: Metric) -> Option<Entry> {
        let key = GroupKey { workload: self.workload, level: self.level, bed: &bed.name };
        Some(self.point(bed, metric)?.shown_of(metric, self.source.loaded.valid(&key).len())?.into())
    }

    /// Transactions per minute during backups, and otherwise.
    fn rates(&self, bed: &BedName) -> Option<(f64, f64)> {
        let key = GroupKey { workload: self.workload, level: self.level, bed: &bed.name };
        Some(Cost::of(self.source.loaded, &key)?.rates)
    }

    /// Restores that were proven, of the cycles that were run; nothing of simulated ones.
    fn proven(&self, bed: &BedName) -> Option<Entry> {
        let sum = |metric| self.values(bed, metric).iter().sum::<f64>();
        let cycles = sum(Metric::Cycles);
        if cycles == 0.0 || self.source.loaded.is_simulated() {
            return None;
        }
        let [proven, all] = [sum(Metric::ProvenRestores), cycles].map(number::level);
        let tone = if proven == all { Tone::Plain } else { Tone::Flag };
        Some(Entry::toned(say!("backup-of-cycles", proven, all), tone))
    }

    /// A rate over that of the baseline, with the interval that decided its verdict.
    fn ratio(&self, bed: &BedName, metric: Metric) -> Option<Entry> {
        let comparison = self.source.comparison;
        if comparison.beds.len() < 2 {
            return None;
        }
        if bed.name == comparison.baseline {
            return Some(Entry::toned(say!("brief-baseline"), Tone::Soft));
        }
        let of = comparison.of_metric(self.workload, metric);
        let mut here = of.filter(|one| one.level == self.level && one.treatment_bed == bed.name);
        if let Some(contrast) = here.next() {
            let [value, interval] = number::decided_columns(&contrast.judgement);
            return Some(say!("backup-ratio", value, interval).into());
        }
        let baseline = comparison.beds.iter().find(|bed| bed.name == comparison.baseline)?;
        let ratio =
            measure::typical(&self.values(bed, metric))? / measure::typical(&self.values(baseline, metric))?;
        let interval = say!("brief-no-interval");
        (ratio.is_finite() && ratio > 0.0)
            .then(|| say!("backup-ratio", value = number::times(ratio), interval).into())
    }
}
