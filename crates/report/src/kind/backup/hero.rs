//! The first figure of backups: how long a backup and a restore take on each bed.

use crate::figure::bars::{self, Bar, Chart, Group};
use crate::figure::line::Point;
use crate::figure::{Caption, Figure};
use crate::loaded_run::GroupKey;
use crate::naming::BedName;
use crate::source::Source;
use crate::table::{Entry, Table, columns};
use crate::titles::{id, titled};
use words::{Metric, say};

/// What is done, and the times that it is made of, in their order.
struct Work {
    /// True: of a model, whose restore ends elsewhere.
    name: fn(bool) -> &'static str,
    parts: &'static [Metric],
}

const WORKS: [Work; 2] = [
    Work { name: |_| say!("backup-bars-backup"), parts: &[Metric::BackupTime, Metric::VerifyTime] },
    Work {
        name: |is_simulated| match is_simulated {
            true => say!("backup-bars-restore-simulated"),
            false => say!("backup-bars-restore"),
        },
        parts: &[Metric::RestoreTime],
    },
];

/// Bars for every level; `None` where nothing was measured.
pub(super) fn of(source: &Source<'_>, workload: &str) -> Option<Figure> {
    let mut groups = Vec::new();
    for level in source.loaded.levels(workload) {
        for work in &WORKS {
            let bars: Vec<Bar> = source
                .comparison
                .beds
                .iter()
                .filter_map(|bed| bar(&HeroLevel { source, workload, level }, bed, work))
                .collect();
            let work = (work.name)(source.loaded.is_simulated());
            let title = match source.loaded.levels(workload).as_slice() {
                [_] => work.to_owned(),
                _ => say!("backup-bars-at", work, at = super::at(source.loaded, workload, level)),
            };
            if !bars.is_empty() {
                groups.push(Group { title, bed: None, bars });
            }
        }
    }
    let title = title(source, workload)?;
    let has_check = groups.iter().flat_map(|group| &group.bars).any(|bar| bar.parts.len() > 1);
    let key = match has_check {
        true => vec![say!("backup-bars-copy").to_owned(), say!("backup-bars-check").to_owned()],
        false => Vec::new(),
    };
    let caption = Caption {
        id: id(source, workload, "times"),
        title: titled(source, workload, &title),
        reading: say!("backup-bars-reading").to_owned(),
        description: title,
    };
    let chart = Chart { groups, key, axis: say!("backup-bars-axis").to_owned() };
    let table = table(&chart);
    Some(bars::figure(caption, &chart, table))
}

struct HeroLevel<'a> {
    source: &'a Source<'a>,
    workload: &'a str,
    level: f64,
}

fn bar(place: &HeroLevel<'_>, bed: &BedName, work: &Work) -> Option<Bar> {
    let key = GroupKey { workload: place.workload, level: place.level, bed: &bed.name };
    let loaded = place.source.loaded;
    let first = loaded.values(&key, work.parts[0]);
    let parts: Vec<f64> = work.parts.iter().filter_map(|metric| loaded.mean(&key, *metric)).collect();
    // The whole of each repeat, so that the interval is that of the whole.
    let later = |repeat: u32| -> f64 {
        let of = |metric: &Metric| loaded.values(&key, *metric).into_iter().find(|pair| pair.0 == repeat);
        work.parts[1..].iter().filter_map(of).map(|pair| pair.1).sum()
    };
    let wholes = first.iter().map(|(repeat, value)| value + later(*repeat)).collect();
    let point = Point::new(place.level, wholes)?;
    let note = match point.repeats.len() {
        1 => say!("figure-one-repeat").to_owned(),
        _ => point.interval_shown(),
    };
    Some(Bar {
        bed: bed.mark.clone(),
        label: String::new(),
        parts,
        interval: point.drawn_interval(),
        shown: say!("figure-seconds", value = point.shown()),
        note,
    })
}

/// The finding: backup and restore of the first bed that is not the baseline against those of the baseline.
fn title(source: &Source<'_>, workload: &str) -> Option<String> {
    let comparison = source.comparison;
    let level = source.loaded.levels(workload).last().copied()?;
    let baseline = comparison.beds.iter().find(|bed| bed.name == comparison.baseline);
    let first = comparison.beds.iter().find(|bed| bed.name != comparison.baseline).or(baseline)?;
    // The backup alone, as in the answer: its check is a part of the bar.
    let times = |bed: &BedName| -> Option<[String; 2]> {
        let key = GroupKey { workload, level, bed: &bed.name };
        let time = |work: &Work| {
            let values = source.loaded.values(&key, work.parts[0]).into_iter().map(|pair| pair.1).collect();
            Point::new(level, values).map(|point| say!("figure-seconds", value = point.shown()))
        };
        Some([time(&WORKS[0])?, time(&WORKS[1]).unwrap_or_else(|| "-".to_owned())])
    };
    let other = baseline.filter(|bed| bed.name != first.name);
    match (times(first), other.and_then(times), other) {
        (Some([backup, restore]), Some([backup_there, restore_there]), Some(other)) => Some(say!(
            "backup-title-against",
            bed = first.mark.name,
            baseline = other.mark.name,
            backup,
            restore,
            backup_there,
            restore_there
        )),
        (Some([backup, restore]), ..) => Some(say!("backup-title", bed = first.mark.name, backup, restore)),
        (None, ..) => None,
    }
}

fn table(chart: &Chart) -> Table {
    let mut table = Table::new(
        columns![text say!("column-what"), text say!("column-bed"), number say!("column-value"), text say!("column-interval-95")],
    );
    for (group, bar) in chart.groups.iter().flat_map(|group| group.bars.iter().map(move |bar| (group, bar))) {
        let entries = [&group.title, &bar.bed.name, &bar.shown, &bar.note];
        table.row(entries.map(|text| Entry::from(text.clone())));
    }
    table
}
