//! Every sentence that is made from data, in one place: the terminal, the page and later languages take them
//! from here.
//!
//! Rules: "2.33x" or "+133 %", never "233 % more"; latency is lower or higher, never
//! "faster"; both absolute values stand near each ratio; "no difference" is never said of what is
//! inconclusive.

use crate::contrast::{Contrast, Unjudged};
use crate::number::{self, Digits};
use measure::{Direction, Judgement, Ratio, StatisticsError, Verdict};
use words::{Arm, LevelName, Metric};

/// A piece of a sentence; the page sets strong pieces and verdicts apart, the terminal joins them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Span {
    /// Running text.
    Plain(String),
    /// A number that the sentence is about.
    Strong(String),
    /// A verdict word.
    Verdict(String),
}

impl Span {
    /// The text of the piece.
    pub(crate) fn text(&self) -> &str {
        match self {
            Span::Plain(text) | Span::Strong(text) | Span::Verdict(text) => text,
        }
    }
}

/// The sentence without its marks.
pub(crate) fn join(spans: &[Span]) -> String {
    spans.iter().map(Span::text).collect()
}

fn plain(text: impl Into<String>) -> Span {
    Span::Plain(text.into())
}

/// The verdict as a word.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::Equivalent => "equivalent",
        Verdict::Inconclusive => "inconclusive",
    }
}

/// Ends the name of the depth of each of several workers.
const OF_EACH: &str = " x depth";

/// What the depths of a block load with several workers count: `2 x depth`.
pub(crate) fn depth_of_each(workers: u32) -> String {
    format!("{workers}{OF_EACH}")
}

/// `8 virtual users`, `1 virtual user`, `queue depth 32`, `2 x queue depth 8`, `5,000 IOPS`.
pub(crate) fn level(level: f64, level_name: &str) -> String {
    let value = number::level(level);
    match LevelName::of(level_name) {
        Some(LevelName::VirtualUsers) if level == 0.0 => "no virtual users".to_owned(),
        Some(LevelName::VirtualUsers) if level == 1.0 => "1 virtual user".to_owned(),
        Some(LevelName::Depth) => format!("queue depth {value}"),
        Some(LevelName::Iops) => format!("{value} IOPS offered"),
        Some(LevelName::Arm) => arm(level).0.to_owned(),
        Some(LevelName::Pieces) if level == 0.0 => "one piece".to_owned(),
        None if level_name.ends_with(OF_EACH) => {
            format!("{}queue depth {value}", level_name.trim_end_matches(LevelName::Depth.name()))
        }
        _ => format!("{value} {level_name}"),
    }
}

/// A level under a heading that says what levels count: an arm by what tells it apart, anything else by its
/// number.
pub(crate) fn level_under(level: f64, level_name: &str) -> String {
    if *level_name == LevelName::Arm { arm(level).1.to_owned() } else { number::level(level) }
}

/// The arms of a neighbour workload by their numbers: in a sentence, and by what tells them apart in a narrow
/// column.
fn arm(number: f64) -> (&'static str, &'static str) {
    match Arm::of_number(number) {
        Some(Arm::Alone) => ("each victim alone", "alone"),
        Some(Arm::Together) => ("victims together", "together"),
        Some(Arm::WithNeighbour) => ("victims with neighbour", "with neighbour"),
        Some(Arm::Mitigated) => ("victims with neighbour, mitigated", "mitigated"),
        Some(Arm::NeighbourAlone) | None => ("neighbour alone", "neighbour alone"),
    }
}

/// The unit of levels, in one word for a narrow column: `users`.
pub(crate) fn level_short(level_name: &str) -> &str {
    level_name.rsplit(' ').next().unwrap_or(level_name)
}

/// `1 cell`, `2 cells`.
pub(crate) fn count(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", number::count(count as u64), if count == 1 { one } else { many })
}

/// The pair of a bed in a run compared with another: names as they stand in a sentence.
pub(crate) struct Names {
    pub(crate) treatment: String,
    pub(crate) baseline: String,
}

/// The answer: what, how much, how sure, and the verdict, in one sentence.
pub(crate) fn answer(contrast: &Contrast, names: &Names) -> Vec<Span> {
    let ratio = &contrast.judgement.ratio;
    let [value, interval] = number::decided(&contrast.judgement);
    let at = level(contrast.level, &contrast.level_name);
    let Names { treatment, baseline } = names;
    let (before, after) = match contrast.metric {
        Metric::Nopm => {
            (format!("At {at}, {treatment} completed "), format!(" the new orders per minute of {baseline} "))
        }
        Metric::Tps => (
            format!("At {at}, {treatment} completed "),
            format!(" the transactions per second of {baseline} "),
        ),
        Metric::Iops => (
            format!("At {at}, {treatment} delivered "),
            format!(" the I/O operations per second of {baseline} "),
        ),
        metric => {
            let title = metric.short();
            (format!("At {at}, the {title} of {treatment} was "), format!(" that of {baseline} "))
        }
    };
    vec![
        plain(before),
        Span::Strong(value),
        plain(after),
        plain(format!("({interval}, {})", basis(ratio))),
        plain(": "),
        Span::Verdict(verdict(contrast.verdict()).to_owned()),
        plain(reason(&contrast.judgement, contrast.verdict())),
    ]
}

/// Two beds that are the same: an A/A comparison in one sentence.
pub(crate) fn same_bed(contrast: &Contrast, names: &Names) -> String {
    let [value, interval] = number::decided(&contrast.judgement);
    let metric = contrast.metric.short();
    format!(
        "{} and {} are the same bed twice (A/A): at {} the ratio of their {metric} is {value} ({interval}), {}; what lies within is noise.",
        names.treatment,
        names.baseline,
        level(contrast.level, &contrast.level_name),
        verdict(contrast.verdict()),
    )
}

/// `6 interleaved pairs` or `6 and 5 cells, not paired`.
pub(crate) fn basis(ratio: &Ratio) -> String {
    match (ratio.paired, ratio.pairs_or_runs) {
        (true, (pairs, _)) => format!("{pairs} interleaved {}", if pairs == 1 { "pair" } else { "pairs" }),
        (false, (treatment, baseline)) => format!("{treatment} and {baseline} cells, not paired"),
    }
}

/// The text after the verdict word, up to the full stop.
fn reason(judgement: &Judgement, verdict: Verdict) -> String {
    let smallest = number::percent(judgement.smallest_effect);
    let unit = if judgement.ratio.paired { "pairs" } else { "cells on each side" };
    let measure::Interval { low, high, .. } = judgement.deciding();
    let reason = match verdict {
        Verdict::Better | Verdict::Worse => {
            format!(", by more than the declared smallest effect of {smallest}")
        }
        Verdict::Equivalent => {
            format!(", any difference is within the declared smallest effect of {smallest}")
        }
        Verdict::Inconclusive => {
            let known = if low > 1.0 || high < 1.0 {
                format!(
                    ", the direction is clear but not that it exceeds the declared smallest effect of {smallest}"
                )
            } else {
                format!(", neither a difference beyond {smallest} nor its absence is shown")
            };
            match judgement.more_runs {
                Some(more) => {
                    format!("{known}; about {} more {unit} would settle it", number::count(more as u64))
                }
                None => known,
            }
        }
    };
    let few = if judgement.exploratory { "; too few repeats to be more than exploratory" } else { "" };
    format!("{reason}{few}.")
}

/// A text from elsewhere as a sentence: with a full stop at its end.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

/// A latency ratio in words: `6.5x lower`, `1.2x higher`, `the same`.
pub(crate) fn lower_or_higher(ratio: f64) -> String {
    let times = |ratio: f64| number::ratio_alone(ratio);
    if ratio < 1.0 && ratio > 0.0 {
        format!("{} lower", times(1.0 / ratio))
    } else if ratio > 1.0 {
        format!("{} higher", times(ratio))
    } else {
        "the same".to_owned()
    }
}

/// `higher is better` or `lower is better`.
pub(crate) fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::HigherIsBetter => "higher is better",
        Direction::LowerIsBetter => "lower is better",
    }
}

/// The reason why a contrast has no ratio, in the terms of the run.
pub(crate) fn unjudged(unjudged: &Unjudged, names: &Names) -> String {
    let metric = unjudged.metric.short();
    let at = level(unjudged.level, &unjudged.level_name);
    let Names { treatment, baseline } = names;
    let why = match &unjudged.reason {
        StatisticsError::TooFew { treatment: above, baseline: below } => format!(
            "{treatment} has {} with this metric and {baseline} {}; an interval needs two or more of each",
            count(*above, "valid cell", "valid cells"),
            below
        ),
        StatisticsError::NotPositive { value, .. } => {
            format!("a cell measured {}, of which no ratio can be taken", Digits::alone(*value).show(*value))
        }
        other => other.to_string(),
    };
    format!("{metric} of {treatment} at {at} could not be compared: {why}.")
}

/// The kind of these numbers.
pub(crate) mod basis {
    use crate::number;

    /// Emulated drives.
    pub(crate) const EMULATED: &str = "Emulated drives: the bytes, the transactions and the database are real; the time of each I/O comes \
         from a model of the drive, waited for in real time.";
    /// Real storage.
    pub(crate) const REAL: &str = "Real storage: every I/O went to the path that each bed names.";
    /// Whole beds in virtual time.
    pub(crate) const SIMULATED: &str = "Simulated: no byte was moved and no database ran; users, processors, memory, log and storage of \
         whole test beds are models in virtual time.";
    /// Both.
    pub(crate) const MIXED: &str = "Some beds use real storage and some emulated drives, whose times come from a model: \
         the two kinds are not measured alike.";

    /// The scaled parts.
    pub(crate) fn scaled(scale: f64, statement: &str) -> String {
        let scale = number::scale(scale);
        let mut letters = scale.chars();
        let scale = letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str());
        let end = if statement.ends_with('.') { "" } else { "." };
        format!("{}: {statement}{end} No number here equals one of the full size.", scale.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arms_differ_where_a_narrow_column_cuts_them_off() {
        let short: std::collections::BTreeSet<String> =
            (1..=5).map(|arm| level_under(f64::from(arm), "arm").chars().take(12).collect()).collect();
        assert_eq!(short.len(), 5, "{short:?}");
        assert_eq!(level_under(64.0, "virtual users"), "64");
    }

    #[test]
    fn a_depth_of_each_of_several_workers_is_called_so() {
        let both = depth_of_each(2);
        assert_eq!((level(8.0, &both).as_str(), level_short(&both)), ("2 x queue depth 8", "depth"));
        assert_eq!(level(8.0, "depth"), "queue depth 8");
    }
}
