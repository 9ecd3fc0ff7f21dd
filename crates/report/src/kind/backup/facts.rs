//! The facts beside the first figure of backups: the restore, and the cost for the users.

use super::answer;
use super::users::Cost;
use crate::contrast::Contrast;
use crate::figure::line::Point;
use crate::kind::Fact;
use crate::loaded_run::GroupKey;
use crate::number;
use crate::sentences::Span;
use crate::source::Source;
use words::{Metric, say};

/// Facts that the answer does not contain yet; fewer where they are not known.
pub(super) fn of(source: &Source<'_>, headline: &Contrast) -> Vec<Fact> {
    let second = users(source, headline).or_else(|| rate(source, headline));
    restore(source, headline).into_iter().chain(second).collect()
}

fn restore(source: &Source<'_>, headline: &Contrast) -> Option<Fact> {
    let contrast = source.comparison.beside(headline, Metric::RestoreBandwidth)?;
    let [value, interval] = number::decided(&contrast.judgement);
    let key = |bed| GroupKey { workload: &headline.workload, level: headline.level, bed };
    let [here, there] = [&headline.treatment_bed, &headline.baseline_bed].map(|bed| key(bed.as_str()));
    let time = |place: &GroupKey<'_>| {
        let values =
            source.loaded.values(place, Metric::RestoreTime).into_iter().map(|pair| pair.1).collect();
        Point::new(place.level, values).map(|point| say!("figure-seconds", value = point.shown()))
    };
    let (time, time_there) = (time(&here)?, time(&there)?);
    let sure = if contrast.judgement.exploratory { say!("tile-hint", compared = interval) } else { interval };
    let detail = match answer::sizes(source.loaded, &here, &there) {
        None => say!("backup-tile-times", time, time_there, sure),
        Some(_) => say!("backup-tile-times-sizes", time, time_there, sure),
    };
    Some(Fact {
        name: say!("backup-tile-restore", at = super::at(source.loaded, &headline.workload, headline.level)),
        value,
        small: say!("backup-tile-as-fast", bed = source.comparison.shown(&headline.baseline_bed)),
        detail,
        verdict: Some(Span::Verdict(contrast.verdict(), contrast.judged())),
        ..Fact::default()
    })
}

/// Transactions that one backup costs, of each bed; the number is that of the bed that costs most among those
/// where a loss is seen.
fn users(source: &Source<'_>, headline: &Contrast) -> Option<Fact> {
    let (workload, level) = (&headline.workload, headline.level);
    let cost = |bed: &str| Cost::of(source.loaded, &GroupKey { workload, level, bed });
    let beds = &source.comparison.beds;
    let costs: Vec<_> = beds.iter().filter_map(|bed| Some((bed, cost(&bed.name)?))).collect();
    let seen = costs.iter().filter(|(_, cost)| cost.is_seen());
    let most = seen.max_by(|a, b| a.1.transactions.value.total_cmp(&b.1.transactions.value));
    let first = costs.first()?;
    let at = source.loaded.level_name(workload).said(level);
    let (value, small) = match most {
        Some((bed, cost)) => {
            (number::plain(cost.transactions.value), say!("backup-tile-on", bed = bed.shown))
        }
        None => ("?".to_owned(), say!("verdict-inconclusive").to_owned()),
    };
    let rows = match costs.as_slice() {
        // One bed alone is told by the number.
        [_] => Vec::new(),
        _ => costs.iter().map(|(bed, cost)| (bed.name.clone(), cost.transactions())).collect(),
    };
    let is_alone = rows.is_empty();
    Some(Fact {
        name: say!("backup-tile-cost", at),
        value,
        small,
        rows,
        detail: if is_alone { first.1.transactions() } else { say!("backup-tile-cost-interval").to_owned() },
        verdict: None,
    })
}

/// The rate of the backup of each bed, where no user loses anything.
fn rate(source: &Source<'_>, headline: &Contrast) -> Option<Fact> {
    let (workload, level) = (&headline.workload, headline.level);
    let rate = |bed: &str| {
        let values = source.loaded.values(&GroupKey { workload, level, bed }, Metric::BackupBandwidth);
        Point::new(level, values.into_iter().map(|pair| pair.1).collect()).map(|point| point.shown())
    };
    let with_unit = |value: String| format!("{value} {}", headline.unit);
    let beds = source.comparison.beds.iter();
    let size =
        source.loaded.mean(&GroupKey { workload, level, bed: &headline.treatment_bed }, Metric::DatabaseSize);
    Some(Fact {
        name: say!("backup-tile-rate").to_owned(),
        value: rate(&headline.treatment_bed)?,
        small: headline.unit.clone(),
        rows: beds.filter_map(|bed| Some((bed.name.clone(), with_unit(rate(&bed.name)?)))).collect(),
        detail: size.map(|size| say!("backup-tile-size", size = number::plain(size))).unwrap_or_default(),
        verdict: None,
    })
}
