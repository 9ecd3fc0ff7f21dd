//! The history as a page: the answer, the metric that says most as the first figure, the others, and every
//! run with what changed before it.

mod answer;
mod figure;
mod tables;
mod tiles;

use askama::Template;

use super::shift::Shift;
use super::{Line, RUNS_LEAST, Trend, moment};
use crate::error::ReportError;
use crate::figure::{Figure, Width};
use crate::lines;
use crate::page::{Part, copy, style};
use crate::sentences;
use measure::{Direction, Verdict};
use std::cmp::Ordering;
use words::say;

/// The links to the runs of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// A page in a file: the runs have numbers only.
    None,
    /// A page of the server: `/run/7` is the report of run 7.
    Served,
}

impl Links {
    /// The address of a report.
    fn of(self, run: i64) -> Option<String> {
        (self == Links::Served).then(|| format!("/run/{run}"))
    }
}

/// The page as its template sees it.
#[derive(Template)]
#[template(path = "trend.html")]
struct Page {
    version: &'static str,
    title: String,
    style: String,
    script: &'static str,
    script_source: &'static str,
    kicker: String,
    is_served: bool,
    /// As markup.
    answer: String,
    /// Figures as markup: the first, the ones beside it, and those that a reader unfolds.
    hero: String,
    others: Vec<String>,
    folded: Vec<String>,
    folded_title: String,
    tiles: Vec<tiles::Tile>,
    /// Tables as markup: what the page shows, and what a reader unfolds.
    runs: String,
    turns_lead: String,
    all_runs: String,
    all_runs_more: String,
    keys: String,
    keys_more: String,
}

/// Figures of metrics without a change that are shown from the start, where none has one.
const STEADY_OPEN: usize = 2;

impl Trend {
    /// The history as one HTML document that needs no network.
    ///
    /// # Errors
    /// When the page cannot be put together, which is an error of this program.
    pub fn to_html(&self, links: Links) -> Result<String, ReportError> {
        let mut lines: Vec<&Line> = self.lines.iter().collect();
        // The largest change first; metrics without any after all that have one.
        lines.sort_by(|a, b| compare(self.rank_of(b), self.rank_of(a)));
        let first = lines.first().copied();
        let changed = lines.iter().skip(1).take_while(|line| !line.shifts.is_empty()).count();
        let open = if changed == 0 { STEADY_OPEN } else { changed };
        let of = |index: usize, line: &Line| self.figure_html(index, line, links);
        let figures = lines.iter().enumerate().map(|(index, line)| of(index, line));
        let mut figures: Vec<String> = figures.collect::<Result<_, _>>()?;
        let folded = figures.split_off(figures.len().min(1 + open));
        let others = figures.split_off(figures.len().min(1));
        let (runs, all_runs) = self.run_tables(&lines, links);
        let values = lines.iter().map(|line| line.values.len()).sum::<usize>();
        let facts = self.turns.iter().map(|turn| turn.facts.len()).sum::<usize>();
        let page = Page {
            version: env!("CARGO_PKG_VERSION"),
            title: say!("trend-question", name = self.name_short()),
            style: style::sheet(),
            script: copy::SCRIPT,
            script_source: crate::script_source(),
            kicker: self.kicker(),
            is_served: links == Links::Served,
            answer: self.answer(first),
            hero: figures.pop().unwrap_or_default(),
            others,
            folded_title: say!("trend-steady-ones", count = sentences::grouped(folded.len())),
            folded,
            tiles: first.map(|line| self.tiles(line)).unwrap_or_default(),
            runs,
            turns_lead: if self.turns.is_empty() { "" } else { say!("trend-breaks-lead") }.to_owned(),
            all_runs,
            all_runs_more: say!("trend-values-count", values = sentences::grouped(values)),
            keys: self.key_table(),
            keys_more: say!("trend-keys-count", count = sentences::grouped(facts)),
        };
        Ok(page.render()?)
    }

    /// `demo, 14 runs, 2026-05-01 to 2026-06-01`; of one day, that day once.
    fn kicker(&self) -> String {
        let day = |run: Option<&(notebook::RunId, String)>| {
            run.map(|(_, started)| moment::day(started)).unwrap_or_default()
        };
        let (first, last) = (day(self.runs.first()), day(self.runs.last()));
        let (name, runs) = (self.name_short(), self.runs.len());
        match first == last {
            true => say!("trend-kicker-day", name, runs, day = first),
            false => say!("trend-kicker", name, runs, first, last),
        }
    }

    /// A metric at a place: its finding as the title, the drawings, and the table behind them; one value has
    /// a table alone.
    fn figure_html(&self, index: usize, line: &Line, links: Links) -> Result<String, ReportError> {
        let widths: &[Width] = if index == 0 { &Width::LEAD } else { &Width::SHARED };
        let leading = self.leading(line);
        let title = match leading {
            Some(shift) => self.change_title(line, shift),
            None => self.steady(line),
        };
        let drawings = match line.values.len() {
            0 | 1 => Vec::new(),
            _ => widths.iter().map(|at| figure::draw(self, index, line, (&title, *at), links)).collect(),
        };
        // A steady metric has its place in its title, and the way to read a figure is said once.
        let place = leading.map(|_| line.place.clone());
        let reading = (index == 0 && !drawings.is_empty()).then(|| self.reading(line));
        let reading = place.into_iter().chain(reading).collect::<Vec<_>>().join(" \u{b7} ");
        let table = self.value_table(line);
        let id = format!("trend-{index}");
        let figure = Figure { id, title, reading, drawings, table, wide: false };
        let ends = [self.runs.first(), self.runs.last()];
        let [first, last] = ends.map(|run| run.map(|run| run.0.to_string()).unwrap_or_default());
        let (name, place, mark) = (self.name_short(), &line.place, &self.conditions);
        let origin = say!("trend-source", mark, first, last, name, place);
        Ok(Part { figure: &figure, mark, origin: &origin }.render()?)
    }

    /// The way to read a figure, of the things that it has.
    fn reading(&self, line: &Line) -> String {
        let has_whisker = line.intervals.iter().any(Option::is_some);
        let has_band = line.stretches.iter().any(|stretch| stretch.band.is_some());
        let mut reading = vec![say!("trend-reading")];
        reading.push(if has_band { say!("trend-reading-band") } else { say!("trend-reading-mean") });
        reading.extend(has_whisker.then(|| say!("trend-reading-whisker")));
        let has_letter = self.turns.iter().any(|turn| !turn.is_break());
        reading.extend(has_letter.then(|| say!("trend-reading-letters")));
        lines::bound(&reading.join(answer::between_sentences()))
    }

    /// `NOPM at 4 virtual users: −9.6 % since run 7, the only change of this metric`.
    fn change_title(&self, line: &Line, shift: &Shift) -> String {
        let run = self.runs[line.values[shift.at].0].0.to_string();
        let (ratio, _) = line.parts(shift);
        say!(
            "trend-title-change",
            label = line.label,
            ratio,
            run,
            changes = sentences::grouped(line.shifts.len())
        )
    }
}

/// The standing of a change: its direction, if it can be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// For the better or for the worse.
    Judged(Verdict),
    /// The ranks of the runs show a change, and the interval of the means has "no change" in it.
    SizeOpen,
    /// It lies at a break: the runs on both sides are not of one machine.
    AcrossBreak,
}

impl Trend {
    /// The standing of a change; `None` for a metric without a direction.
    fn standing(&self, line: &Line, shift: &Shift) -> Option<Standing> {
        let is_loss = (shift.after < shift.before) == is_rate(line)?;
        // Without a ratio nothing is open about it: the means are told, and their ranks differ.
        let is_sure = shift.size.is_none_or(super::size::Size::is_sure);
        Some(match (self.is_at_break(line, shift), is_sure, is_loss) {
            (true, _, _) => Standing::AcrossBreak,
            (false, false, _) => Standing::SizeOpen,
            (false, true, true) => Standing::Judged(Verdict::Worse),
            (false, true, false) => Standing::Judged(Verdict::Better),
        })
    }

    fn is_at_break(&self, line: &Line, shift: &Shift) -> bool {
        self.turn_before(line.values[shift.at].0).is_some_and(|(_, turn)| turn.is_break())
    }

    /// The change of a metric that says most: the largest of those that are not at a break, else of all.
    fn leading<'a>(&self, line: &'a Line) -> Option<&'a Shift> {
        let order = |a: &&Shift, b: &&Shift| compare(self.rank(line, a), self.rank(line, b));
        line.shifts.iter().max_by(order)
    }

    /// The larger, the more a metric says; `None` without a change.
    fn rank_of(&self, line: &Line) -> Option<(bool, f64)> {
        self.leading(line).map(|shift| self.rank(line, shift))
    }

    fn rank(&self, line: &Line, shift: &Shift) -> (bool, f64) {
        let size = shift.size.map_or(f64::INFINITY, |size| size.ratio.ln().abs());
        (!self.is_at_break(line, shift), size)
    }
}

fn compare<T: PartialOrd>(a: T, b: T) -> Ordering {
    a.partial_cmp(&b).unwrap_or(Ordering::Equal)
}

/// True if more of the metric is better; `None` without a direction.
fn is_rate(line: &Line) -> Option<bool> {
    Some(line.metric.shown()?.direction? == Direction::HigherIsBetter)
}
