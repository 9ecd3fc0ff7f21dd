//! Every sentence that is made from data, in one place: the terminal, the page and later languages take them
//! from here.
//!
//! Rules: "2.33x" or "+133 %", never "233 % more"; latency is lower or higher, never
//! "faster"; both absolute values stand near each ratio; "no difference" is never said of what is
//! inconclusive.

use crate::contrast::{Contrast, Printed, Unjudged};
use crate::number::{self, Digits};
use std::borrow::Cow;

use measure::{Direction, Judgement, Ratio, StatisticsError, Verdict};
use words::{Arm, Grouped, Metric, say};

/// A piece of a sentence; the page sets strong pieces and verdicts apart, the terminal joins them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Span {
    /// Running text.
    Plain(String),
    /// A number that the sentence is about.
    Strong(String),
    /// A verdict and its word.
    Verdict(Verdict, String),
}

impl Span {
    /// The text of the piece.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        match self {
            Span::Plain(text) | Span::Strong(text) | Span::Verdict(_, text) => text.into(),
        }
    }

    /// Running text as markup, with its commands set as code.
    pub(crate) fn markup(&self) -> String {
        crate::html::prose(&self.text())
    }

    /// The class by which the page sets it apart; empty for running text.
    pub(crate) fn class(&self) -> &'static str {
        match self {
            Span::Plain(_) => "",
            Span::Strong(_) => "strong",
            Span::Verdict(found, _) => verdict_class(*found),
        }
    }
}

/// The sentence without its marks.
pub(crate) fn join(spans: &[Span]) -> String {
    spans.iter().map(Span::text).collect()
}

/// A text without data that a constant list holds.
pub(crate) type Text = fn() -> &'static str;

/// A text with one datum that a constant list holds.
pub(crate) type TextOf = fn(&str) -> String;

/// Marks in the data of a sentence, of the private use area, so that no text of a user has them.
const STRONG: char = '\u{e000}';
const VERDICT: char = '\u{e001}';
const END: char = '\u{e002}';

/// Data that the page sets apart.
pub(crate) fn strong(text: &str) -> String {
    format!("{STRONG}{text}{END}")
}

/// A sentence in its pieces.
pub(crate) fn spans(said: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    for part in said.split_inclusive(END) {
        let (plain, marked) = part.split_at(part.find([STRONG, VERDICT]).unwrap_or(part.len()));
        if !plain.is_empty() {
            spans.push(Span::Plain(plain.to_owned()));
        }
        let text = |mark: char| Some(marked.strip_prefix(mark)?.trim_end_matches(END).to_owned());
        let found = || text(VERDICT).and_then(|marked| verdict_of(&marked));
        spans.extend(text(STRONG).map(Span::Strong).or_else(found));
    }
    spans
}

/// A count as data of a sentence.
pub(crate) fn grouped(count: usize) -> Grouped {
    Grouped(count)
}

/// `1 cell`, `2 cells`.
pub(crate) fn cells(count: usize) -> String {
    say!("count-cells", count = grouped(count))
}

/// `a and b`.
pub(crate) fn and(texts: &[&str]) -> String {
    let joined = texts.iter().map(|text| (*text).to_owned());
    joined.reduce(|first, second| say!("list-and", first, second)).unwrap_or_default()
}

/// The verdict as a word.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    Printed::plain(verdict).word()
}

/// The class of a verdict on the page, in every language the same.
pub(crate) fn verdict_class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "v-better",
        Verdict::Worse => "v-worse",
        Verdict::Equivalent => "v-equivalent",
        Verdict::Inconclusive => "v-open",
    }
}

/// All verdicts; a mark in a sentence names one by its place here.
const VERDICTS: [Verdict; 4] = [Verdict::Better, Verdict::Worse, Verdict::Equivalent, Verdict::Inconclusive];

/// The verdict of a contrast as data that the page sets apart.
fn marked(contrast: &Contrast) -> String {
    let place = VERDICTS.iter().position(|known| *known == contrast.verdict()).unwrap_or_default();
    format!("{VERDICT}{place}{}{END}", contrast.judged())
}

/// The verdict that [`marked`] wrote.
fn verdict_of(marked: &str) -> Option<Span> {
    let place = marked.chars().next()?;
    let verdict = VERDICTS.get(place.to_digit(10)? as usize)?;
    Some(Span::Verdict(*verdict, marked[place.len_utf8()..].to_owned()))
}

/// The intended difference between beds, in words; a name that is no key of today stays.
pub(crate) fn treatment(name: &str) -> &str {
    match name {
        "storage" => say!("treatment-storage"),
        "memory" => say!("treatment-memory"),
        "log" => say!("treatment-log"),
        other => other,
    }
}

/// The arms of a neighbour workload by their numbers: in a sentence, and by what tells them apart in a narrow
/// column.
pub(crate) fn arm(number: f64) -> (&'static str, &'static str) {
    match Arm::of_number(number) {
        Some(Arm::Alone) => (say!("arm-alone"), say!("arm-alone.short")),
        Some(Arm::Together) => (say!("arm-together"), say!("arm-together.short")),
        Some(Arm::WithNeighbour) => (say!("arm-with-neighbour"), say!("arm-with-neighbour.short")),
        Some(Arm::Mitigated) => (say!("arm-mitigated"), say!("arm-mitigated.short")),
        Some(Arm::NeighbourAlone) | None => (say!("arm-neighbour-alone"), say!("arm-neighbour-alone.short")),
    }
}

/// The pair of a bed in a run compared with another: names as they stand in a sentence.
pub(crate) struct Names {
    pub(crate) treatment: String,
    pub(crate) baseline: String,
}

/// The answer: what, how much, how sure, and the verdict, in one sentence.
pub(crate) fn answer(contrast: &Contrast, at: &str, names: &Names) -> Vec<Span> {
    let Names { treatment, baseline } = names;
    let [value, sure] = measured(contrast);
    let compared = match contrast.metric {
        Metric::Nopm => say!("answer-nopm", at, treatment, value, baseline, sure),
        Metric::Tps => say!("answer-tps", at, treatment, value, baseline, sure),
        Metric::Iops => say!("answer-iops", at, treatment, value, baseline, sure),
        metric => say!("answer-metric", at, metric = metric.short(), treatment, value, baseline, sure),
    };
    spans(&judged(contrast, &compared))
}

/// The ratio of an answer, set apart, and how sure it is, in brackets.
pub(crate) fn measured(contrast: &Contrast) -> [String; 2] {
    let [value, interval] = number::decided(&contrast.judgement);
    [strong(&value), say!("answer-sure", interval, basis = basis(&contrast.judgement.ratio))]
}

/// The compared pair, with the verdict and its reason after it.
pub(crate) fn judged(contrast: &Contrast, compared: &str) -> String {
    let why = reason(&contrast.judgement, contrast.verdict());
    say!("answer-verdict", compared, verdict = marked(contrast), why)
}

/// The open question of a contrast, and what would settle it as far as that is known; `None` where it is
/// settled.
pub(crate) fn open(contrast: &Contrast, at: &str, bed: &str) -> Option<String> {
    let verdict = contrast.judged();
    let why = reason(&contrast.judgement, contrast.verdict());
    (contrast.verdict() == Verdict::Inconclusive)
        .then(|| say!("open-contrast", metric = contrast.metric.short(), at, bed, verdict, why))
}

/// Two beds that are the same: an A/A comparison in one sentence.
pub(crate) fn same_bed(contrast: &Contrast, names: &Names) -> String {
    let [value, interval] = number::decided(&contrast.judgement);
    say!(
        "answer-same-bed",
        treatment = names.treatment,
        baseline = names.baseline,
        at = contrast.level_name.said(contrast.level),
        metric = contrast.metric.short(),
        value,
        interval,
        verdict = verdict(contrast.verdict()),
    )
}

/// `6 interleaved pairs` or `6 and 5 cells, not paired`.
pub(crate) fn basis(ratio: &Ratio) -> String {
    match (ratio.paired, ratio.pairs_or_runs) {
        (true, (pairs, _)) => say!("basis-pairs", pairs),
        (false, (treatment, baseline)) => say!("basis-cells", treatment, baseline),
    }
}

/// The text after the verdict word, up to the full stop.
fn reason(judgement: &Judgement, verdict: Verdict) -> String {
    let smallest = number::percent(judgement.smallest_effect);
    let measure::Interval { low, high, .. } = judgement.deciding();
    let reason = match verdict {
        Verdict::Better | Verdict::Worse => say!("why-different", smallest),
        Verdict::Equivalent => say!("why-equivalent", smallest),
        Verdict::Inconclusive => {
            let known = match low > 1.0 || high < 1.0 {
                true => say!("why-direction-only", smallest),
                false => say!("why-nothing-shown", smallest),
            };
            match judgement.more_runs {
                Some(more) if judgement.ratio.paired => say!("why-more-pairs", why = known, more),
                Some(more) => say!("why-more-cells", why = known, more),
                None => known,
            }
        }
    };
    if judgement.exploratory { say!("why-few-repeats", why = reason) } else { reason }
}

/// A text from elsewhere as a sentence: with a full stop at its end.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim();
    let ends = ['.', '!', '?', '\u{3002}', '\u{ff01}', '\u{ff1f}'];
    if text.ends_with(ends) { text.to_owned() } else { say!("language-sentence", text) }
}

/// `higher is better` or `lower is better`.
pub(crate) fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::HigherIsBetter => say!("better-higher"),
        Direction::LowerIsBetter => say!("better-lower"),
    }
}

/// The reason why a contrast has no ratio, in the terms of the run.
pub(crate) fn unjudged(unjudged: &Unjudged, names: &Names) -> String {
    let metric = unjudged.metric.short();
    let at = unjudged.level_name.said(unjudged.level);
    let Names { treatment, baseline } = names;
    let why = match &unjudged.reason {
        StatisticsError::TooFew { treatment: above, baseline: below } => {
            say!("unjudged-too-few", treatment, cells = grouped(*above), baseline, baseline_cells = *below)
        }
        StatisticsError::NotPositive { value, .. } => {
            say!("unjudged-not-positive", value = Digits::alone(*value).show(*value))
        }
        other => other.to_string(),
    };
    say!("unjudged", metric, treatment, at, why)
}

/// The values of both sides where a ratio has no interval; `None` where one of them measured nothing.
pub(crate) fn side_by_side(unjudged: &Unjudged, at: &str, names: &Names) -> Option<Vec<Span>> {
    let (above, below) = unjudged.both()?;
    let unit = unjudged.metric.shown()?.axis_label;
    let digits = |value: f64| Digits::alone(value).show(value);
    let basis = match unjudged.cells {
        (1, 1) => say!("basis-one-each").to_owned(),
        (above, below) => say!("basis-few-each", above = grouped(above), below = grouped(below)),
    };
    let Names { treatment, baseline } = names;
    let value = strong(&format!("{} {unit}", digits(above)));
    let other = digits(below);
    Some(spans(&say!("answer-side-by-side", at, treatment, value, baseline, other, basis)))
}

/// The kind of these numbers.
pub(crate) mod basis {
    use crate::number;
    use words::say;

    /// The scaled parts.
    pub(crate) fn scaled(scale: f64, statement: &str) -> String {
        let scale = number::scale(scale);
        let mut letters = scale.chars();
        let scale = letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str());
        let statement = super::sentence(statement);
        say!("basis-scaled", scale = scale.unwrap_or_default(), statement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_of_a_run_or_a_cell_has_its_text() {
        use notebook::{CellState, RunState};
        let runs = [
            RunState::Running,
            RunState::Killed,
            RunState::Finished,
            RunState::Interrupted,
            RunState::Failed,
        ];
        let cells = [
            CellState::Planned,
            CellState::Running,
            CellState::Done,
            CellState::Invalid,
            CellState::Interrupted,
        ];
        let names = runs.map(RunState::name).into_iter().chain(cells.map(CellState::name));
        let known: Vec<String> = words::messages().map(|(id, _)| id).collect();
        for name in names {
            assert!(known.contains(&format!("word-state-{name}")), "{name}");
        }
    }

    #[test]
    fn arms_differ_where_a_narrow_column_cuts_them_off() {
        let short: std::collections::BTreeSet<String> =
            (1..=5).map(|number| arm(f64::from(number)).1.chars().take(12).collect()).collect();
        assert_eq!(short.len(), 5, "{short:?}");
    }

    #[test]
    fn a_command_in_an_answer_is_code_and_a_name_no_markup() {
        let answer = Span::Plain("<b>: `drivetrain resume 1` completes it.".to_owned());
        assert_eq!(answer.markup(), "&lt;b&gt;: <code>drivetrain resume 1</code> completes it.");
    }
}
