//! The answer of the page: the largest change with its interval and what changed there, as one sentence with
//! a verdict; then what limits it.

use super::{Line, Standing, Trend, is_rate, moment};
use crate::html::prose;
use crate::sentences::{self, Span};
use crate::svg::escape;
use crate::trend::shift::Shift;
use measure::Verdict;
use words::say;

/// Stands for the verdict in a sentence: of the private use area, so that no text of a user has it.
const CHIP: char = '\u{e010}';

impl Trend {
    /// The finding as markup: the largest change with its verdict, or that there is none.
    pub(super) fn answer(&self, line: Option<&Line>) -> String {
        let Some((line, shift)) = line.and_then(|line| Some((line, self.leading(line)?))) else {
            return sentences_of([self.headline()].into_iter().chain(self.break_sentence(None)));
        };
        let run = line.values[shift.at].0;
        let answer = markup(&self.moved(line, shift));
        let answer = match self.standing(line, shift) {
            Some(standing) => {
                let (class, word) = chip(standing);
                answer.replace(CHIP, &format!("<span class=\"verdict {class}\">{}</span>", escape(word)))
            }
            None => answer.trim_end_matches([CHIP, ' ', ':', '\u{ff1a}']).to_owned(),
        };
        let others = self.lines.iter().map(|line| line.shifts.len()).sum::<usize>() - 1;
        let more = (others > 0).then(|| say!("trend-more", more = sentences::grouped(others)));
        let rest = sentences_of(more.into_iter().chain(self.break_sentence(Some(run))));
        let join = if rest.is_empty() { "" } else { between_sentences() };
        format!("{}{join}{rest}", sentences::sentence(&answer))
    }

    /// `IOPS of block on nvme lost 9.6 % (8.8 to 10.4) when the kernel changed on 2026-10-21`.
    fn moved(&self, line: &Line, shift: &Shift) -> String {
        let run = line.values[shift.at].0;
        let place = &line.place;
        let moved = match shift.size {
            Some(size) => size.moved(is_rate(line).unwrap_or(false)),
            None => say!("trend-moved-means", size = sentences::strong(&line.parts(shift).0)),
        };
        let (number, started) = &self.runs[run];
        let (number, day, verdict) = (number.to_string(), moment::day(started), CHIP.to_string());
        match self.turn_before(run) {
            Some((_, turn)) => {
                say!("trend-moved-when", place, moved, facts = turn.names(2), run = number, day, verdict)
            }
            None => say!("trend-moved", place, moved, run = number, day, verdict),
        }
    }

    /// The meaning of the breaks for the answer: a change at a break need not come from the drive; elsewhere
    /// no mean is carried across one. `run` is the place of the change.
    fn break_sentence(&self, run: Option<usize>) -> Option<String> {
        if run.and_then(|run| self.turn_before(run)).is_some_and(|(_, turn)| turn.is_break()) {
            return Some(say!("trend-at-break").to_owned());
        }
        let last = self.turns.iter().rfind(|turn| turn.is_break())?;
        Some(say!("trend-beside-break", run = last.run.to_string(), facts = last.names(2)))
    }
}

/// Sentences after each other as markup.
fn sentences_of(texts: impl Iterator<Item = String>) -> String {
    texts.map(|text| prose(&sentences::sentence(&text))).collect::<Vec<_>>().join(between_sentences())
}

/// The text between two sentences.
pub(super) fn between_sentences() -> &'static str {
    if words::Language::writes_spaces() { " " } else { "" }
}

/// The class and the word of a verdict; of an open one, what is open.
fn chip(standing: Standing) -> (&'static str, &'static str) {
    let open = sentences::verdict_class(Verdict::Inconclusive);
    match standing {
        Standing::Judged(verdict) => (sentences::verdict_class(verdict), sentences::verdict(verdict)),
        Standing::SizeOpen => (open, say!("trend-size-open")),
        Standing::AcrossBreak => (open, say!("trend-not-compared")),
    }
}

/// A sentence with its number set apart.
fn markup(said: &str) -> String {
    let piece = |span: &Span| match span {
        Span::Strong(text) => format!("<b>{}</b>", prose(text)),
        other => prose(&other.text()),
    };
    sentences::spans(said).iter().map(piece).collect()
}
