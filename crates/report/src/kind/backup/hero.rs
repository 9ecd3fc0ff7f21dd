//! The first figure of backups: how long a backup and a restore take on each bed, and on what.

use super::phases::{self, WORKS, Work};
use crate::figure::line::Point;
use crate::figure::phases::{self as drawn, Bar, Chart, Group};
use crate::figure::{Caption, Figure};
use crate::loaded_run::GroupKey;
use crate::naming::BedName;
use crate::number;
use crate::source::Source;
use crate::table::{Column, Entry, Table, columns};
use crate::titles::{id, titled};
use measure::Verdict;
use words::{Metric, say};

/// Backup and restore at the level of the answer, the others smaller; `None` where nothing was measured.
pub(super) fn of(source: &Source<'_>, workload: &str) -> Option<Figure> {
    let mut levels = source.loaded.levels(workload);
    let has_levels = levels.len() > 1;
    let level = levels.pop()?;
    let main: Vec<Group> = groups(source, workload, level, false);
    // Loads between the lowest and the highest are in the table of numbers.
    let others = levels.first().map(|level| groups(source, workload, *level, true)).unwrap_or_default();
    let title = title(source, workload, level)?;
    let is_simulated = source.loaded.is_simulated();
    let of_bed = !phases::are_told(source.loaded, workload);
    let reading = match (of_bed, is_simulated) {
        (true, _) => say!("backup-bars-reading"),
        (false, true) => say!("backup-phases-reading-simulated"),
        (false, false) => say!("backup-phases-reading"),
    };
    let reading = match has_levels {
        true => say!("backup-phases-at", reading, at = super::at(source.loaded, workload, level)),
        false => reading.to_owned(),
    };
    let caption = Caption {
        id: id(source, workload, "times"),
        title: titled(source, workload, &title),
        reading,
        description: title,
    };
    let parts = if of_bed { phases::of_bed() } else { phases::parts() };
    let chart = Chart { parts, of_bed, main, others, axis: say!("backup-bars-axis").to_owned() };
    let table = table(&chart);
    Some(drawn::figure(caption, &chart, table))
}

/// Backup and restore at one level; a small group says its level.
fn groups(source: &Source<'_>, workload: &str, level: f64, is_small: bool) -> Vec<Group> {
    let of_work = |work: &Work| {
        let name = (work.name)(source.loaded.is_simulated());
        let title = match is_small {
            true => {
                say!("backup-bars-at", work = (work.short)(), at = super::at(source.loaded, workload, level))
            }
            false => name.to_owned(),
        };
        let beds = source.comparison.beds.iter();
        let bars: Vec<Bar> = beds
            .filter_map(|bed| bar(source, &GroupKey { workload, level, bed: &bed.name }, bed, work))
            .collect();
        (!bars.is_empty()).then_some(Group { title, bars })
    };
    WORKS.iter().filter_map(of_work).collect()
}

fn bar(source: &Source<'_>, key: &GroupKey<'_>, bed: &BedName, work: &Work) -> Option<Bar> {
    let values = source.loaded.values(key, work.whole).into_iter().map(|pair| pair.1).collect();
    let point = Point::new(key.level, values)?;
    let note = match point.repeats.len() {
        1 => say!("figure-one-repeat").to_owned(),
        _ => point.interval_shown(),
    };
    let mut lengths = match phases::are_told(source.loaded, key.workload) {
        true => phases::lengths(source.loaded, key, work, point.mean),
        false => vec![point.mean],
    };
    lengths.push(work.check.and_then(|check| source.loaded.mean(key, check)).unwrap_or(0.0));
    Some(Bar {
        bed: bed.mark.clone(),
        lengths,
        interval: point.drawn_interval(),
        shown: say!("figure-seconds", value = point.shown()),
        note,
    })
}

/// The finding: what the baseline's backup takes longer for than that of the first other bed, where the
/// verdict says that it does and the parts are known; else both times of both beds.
fn title(source: &Source<'_>, workload: &str, level: f64) -> Option<String> {
    let comparison = source.comparison;
    let baseline = comparison.beds.iter().find(|bed| bed.name == comparison.baseline);
    let first = comparison.beds.iter().find(|bed| bed.name != comparison.baseline).or(baseline)?;
    let time = |bed: &BedName, work: &Work| {
        let key = GroupKey { workload, level, bed: &bed.name };
        let values = source.loaded.values(&key, work.whole).into_iter().map(|pair| pair.1).collect();
        Point::new(level, values).map(|point| say!("figure-seconds", value = point.shown()))
    };
    let times = |bed: &BedName| Some([time(bed, &WORKS[0])?, time(bed, &WORKS[1]).unwrap_or("-".to_owned())]);
    let other = baseline.filter(|bed| bed.name != first.name);
    match (times(first), other.and_then(times), other) {
        (Some([backup, restore]), Some([backup_there, restore_there]), Some(other)) => {
            Some(longer(source, (workload, level), first, other).unwrap_or_else(|| {
                say!(
                    "backup-title-against",
                    bed = first.mark.name,
                    baseline = other.mark.name,
                    backup,
                    restore,
                    backup_there,
                    restore_there
                )
            }))
        }
        (Some([backup, restore]), ..) => Some(say!("backup-title", bed = first.mark.name, backup, restore)),
        (None, ..) => None,
    }
}

/// The part that most of the difference of two backups is, where their verdict is settled.
fn longer(source: &Source<'_>, (workload, level): (&str, f64), a: &BedName, b: &BedName) -> Option<String> {
    let mut here = source.comparison.of_metric(workload, Metric::BackupBandwidth);
    let contrast = here.find(|one| one.level == level && one.treatment_bed == a.name)?;
    if contrast.verdict() == Verdict::Inconclusive || !phases::are_told(source.loaded, workload) {
        return None;
    }
    let lengths = |bed: &BedName| {
        let key = GroupKey { workload, level, bed: &bed.name };
        let whole = source.loaded.mean(&key, WORKS[0].whole)?;
        Some((whole, phases::lengths(source.loaded, &key, &WORKS[0], whole)))
    };
    let ((whole_a, of_a), (whole_b, of_b)) = (lengths(a)?, lengths(b)?);
    let (fast, slow) = if whole_a < whole_b { (a, b) } else { (b, a) };
    let more = (whole_a - whole_b).abs();
    let differences = of_a.iter().zip(&of_b).map(|(a, b)| if whole_a < whole_b { b - a } else { a - b });
    let (part, most) = phases::parts().into_iter().zip(differences).max_by(|a, b| a.1.total_cmp(&b.1))?;
    // A part that is less than a third of it, or more than all of it, explains nothing.
    (most > more / 3.0 && most <= more * 1.02).then(|| {
        let [most, more] = [most, more].map(number::plain);
        say!(
            "backup-title-longer",
            slow = slow.mark.name,
            fast = fast.mark.name,
            most,
            more,
            part = part.name
        )
    })
}

/// Every bar with its parts: groups, beds, parts, the whole and its interval.
fn table(chart: &Chart) -> Table {
    let mut columns = columns![text say!("column-what"), text say!("column-bed")];
    columns
        .extend(chart.parts.iter().map(|part| Column::number(say!("backup-head-seconds", name = part.name))));
    columns.extend(columns![number say!("column-value"), text say!("column-interval-95")]);
    let mut table = Table::new(columns);
    for group in chart.main.iter().chain(&chart.others) {
        for bar in &group.bars {
            let mut row: Vec<Entry> = vec![group.title.clone().into(), bar.bed.name.clone().into()];
            row.extend(bar.lengths.iter().map(|length| Entry::from(number::plain(*length))));
            row.extend([&bar.shown, &bar.note].map(|text| Entry::from(text.clone())));
            table.row(row);
        }
    }
    table
}
