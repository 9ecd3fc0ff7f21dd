//! The answer sentence, also when there is nothing to compare.

use crate::caution;
use crate::comparison::Comparison;
use crate::contrast::Unjudged;
use crate::durability;
use crate::figure::line::Point;
use crate::finding;
use crate::kind::block;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::number;
use crate::sentences::{self, Span};
use notebook::CellState;
use words::say;

/// The answer of a comparison of beds, in pieces.
pub(crate) fn of(loaded: &LoadedRun, comparison: &Comparison) -> Vec<Span> {
    if let Some(profile) = &loaded.profile {
        return profile.answer(loaded);
    }
    // Where the answer is no comparison of beds at the highest level.
    let first = loaded.first_workload().map(|workload| loaded.kind(workload));
    let apart = first.is_some_and(|kind| kind.answers_first);
    if let Some(answer) = finding::answer(&comparison.operations).filter(|_| apart) {
        return answer;
    }
    if let Some(headline) = &comparison.headline {
        if let Some(own) = (loaded.kind(&headline.workload).answer)(loaded, comparison, headline) {
            return own;
        }
        let at = loaded.place_said(&headline.workload, headline.level);
        let names = comparison.names(&headline.treatment_bed, &headline.baseline_bed);
        return sentences::answer(headline, &at, &names);
    }
    if let Some(answer) = durability::answer(&comparison.crashes, |bed| comparison.shown(bed))
        .or_else(|| finding::answer(&comparison.operations))
    {
        return answer;
    }
    let valid = loaded.cells.iter().filter(|measured| measured.cell.state == CellState::Done).count();
    if valid == 0 {
        return vec![Span::Plain(say!("answer-nothing-yet", cells = sentences::grouped(loaded.cells.len())))];
    }
    if loaded.beds.len() == 1 {
        return single_bed(loaded, comparison);
    }
    let no_verdict = |reason: String| vec![Span::Plain(say!("answer-no-verdict", reason))];
    match throughput_unjudged(loaded, comparison) {
        Some(unjudged) => {
            let names = comparison.names(&unjudged.treatment_bed, &unjudged.baseline_bed);
            let at = loaded.place_said(&unjudged.workload, unjudged.level);
            sentences::side_by_side(unjudged, &at, &names)
                .unwrap_or_else(|| no_verdict(sentences::unjudged(unjudged, &names)))
        }
        None => no_verdict(say!("answer-no-common-level").to_owned()),
    }
}

/// The throughput that could not be judged, at the highest level.
pub(crate) fn throughput_unjudged<'a>(
    loaded: &LoadedRun,
    comparison: &'a Comparison,
) -> Option<&'a Unjudged> {
    let workload = loaded.first_workload()?;
    let throughput = loaded.kind(workload).throughput;
    let here = comparison.unjudged.iter().filter(|u| u.workload == workload && u.metric == throughput);
    here.max_by(|a, b| a.level.total_cmp(&b.level))
}

/// The points of a matrix that the figure of the answer is the mean of, where they are unlike. A profile
/// answers from each of its points.
pub(crate) fn of_points(loaded: &LoadedRun) -> Option<Span> {
    let first = loaded.first_workload().filter(|_| loaded.profile.is_none())?;
    let points = loaded.asked(first).and_then(block::points_together)?;
    Some(Span::Plain(format!(" {}", say!("answer-points", points))))
}

/// The scale of a run that was made smaller: its question and its answer are about another size.
pub(crate) fn scaled(loaded: &LoadedRun) -> Option<Span> {
    let scale = loaded.run.scale;
    (scale < 1.0).then(|| Span::Plain(format!(" {}", say!("answer-scaled", scale = number::scale(scale)))))
}

/// The interval of a simulated comparison: it is no error of the model.
pub(crate) fn simulated(loaded: &LoadedRun, comparison: &Comparison) -> Option<Span> {
    let has_interval = loaded.is_simulated() && comparison.headline.is_some();
    has_interval.then(|| Span::Plain(format!(" {}", say!("answer-simulated"))))
}

/// The verdict of the answer without completions that came later than the drive's model said, where it is
/// another one.
pub(crate) fn late(loaded: &LoadedRun, comparison: &Comparison) -> Option<Span> {
    let headline = comparison.headline.as_ref().filter(|headline| {
        headline.primary && loaded.kind(&headline.workload).throughput == headline.metric
    })?;
    let verdict = caution::late::verdict_without(loaded, headline)?;
    Some(Span::Plain(format!(" {}", say!("answer-late", verdict))))
}

/// One bed is described at its highest level, not compared.
fn single_bed(loaded: &LoadedRun, comparison: &Comparison) -> Vec<Span> {
    let bed = &loaded.beds[0];
    for workload in loaded.workloads() {
        let Some(metric) = loaded.kind(workload).throughput.shown() else { continue };
        for level in loaded.levels(workload).into_iter().rev() {
            let values = loaded.values(&GroupKey { workload, level, bed: &bed.name }, metric.metric);
            let Some(point) = Point::new(level, values.into_iter().map(|pair| pair.1).collect()) else {
                continue;
            };
            let at = loaded.place_said(workload, level);
            let repeats = sentences::grouped(point.repeats.len());
            let reached = sentences::strong(&format!("{} {}", point.shown(), metric.axis_label));
            let bed = comparison.shown(&bed.name);
            return sentences::spans(&match point.interval {
                Some((low, high)) if number::is_useless(low, high) => {
                    say!("answer-one-bed-no-useful-interval", at, bed, reached, repeats)
                }
                Some(_) => {
                    say!("answer-one-bed", at, bed, reached, interval = point.interval_shown(), repeats)
                }
                None => say!("answer-one-bed-no-interval", at, bed, reached, repeats),
            });
        }
    }
    vec![Span::Plain(say!("answer-no-throughput", bed = comparison.shown(&bed.name)))]
}
