//! The answer of backups: both times, the ratio of the verdict, and what the users lose.

use super::users;
use crate::comparison::Comparison;
use crate::contrast::Contrast;
use crate::figure::line::Point;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::naming::BedName;
use crate::number;
use crate::sentences::{self, Span};
use words::{Metric, say};

/// Databases whose sizes differ by more than this share are said with their sizes: the ratio of the verdict
/// is that of megabytes per second, and no longer that of the times.
const SAME_SIZE: f64 = 0.02;

/// The answer from the contrast of the rate of backups; `None` where it is of another metric or a time is
/// missing.
pub(super) fn of(loaded: &LoadedRun, comparison: &Comparison, headline: &Contrast) -> Option<Vec<Span>> {
    if headline.metric != Metric::BackupBandwidth {
        return None;
    }
    let key = |bed| GroupKey { workload: &headline.workload, level: headline.level, bed };
    let [here, there] = [&headline.treatment_bed, &headline.baseline_bed].map(|bed| key(bed.as_str()));
    let time = |place: &GroupKey<'_>| {
        let values = loaded.values(place, Metric::BackupTime).into_iter().map(|pair| pair.1).collect();
        Point::new(place.level, values)
            .map(|point| sentences::strong(&say!("figure-seconds", value = point.shown())))
    };
    let sentences::Names { treatment, baseline } = comparison.names(here.bed, there.bed);
    let (time, time_there) = (time(&here)?, time(&there)?);
    let at = super::at(loaded, &headline.workload, headline.level);
    let [value, sure] = sentences::measured(headline);
    let compared = match sizes(loaded, &here, &there) {
        None => say!("backup-answer", at, treatment, baseline, time, time_there, value, sure),
        Some([size, size_there]) => say!(
            "backup-answer-sizes",
            at,
            treatment,
            baseline,
            time,
            time_there,
            size,
            size_there,
            value,
            sure
        ),
    };
    let mut spans = sentences::spans(&sentences::judged(headline, &compared));
    let beds: Vec<&BedName> = [here.bed, there.bed]
        .iter()
        .filter_map(|name| comparison.beds.iter().find(|bed| bed.name == **name))
        .collect();
    let lost = users::sentence(loaded, (&headline.workload, headline.level), &beds);
    spans.extend(lost.map(|lost| Span::Plain(format!(" {lost}"))));
    Some(spans)
}

/// The sizes of both databases where they differ: users go on writing while a slower drive is backed up.
pub(super) fn sizes(loaded: &LoadedRun, here: &GroupKey<'_>, there: &GroupKey<'_>) -> Option<[String; 2]> {
    let size = |place| loaded.mean(place, Metric::DatabaseSize);
    let (a, b) = (size(here)?, size(there)?);
    let differ = (a / b - 1.0).abs() > SAME_SIZE;
    differ.then(|| [a, b].map(|megabytes| number::plain(number::two_digits(megabytes))))
}
