//! The history as a page: the answer, the metric that says most as the first figure, the others, and every
//! run with what changed before it.

mod figure;

use askama::Template;

use super::{Line, RUNS_LEAST, Trend};
use crate::error::ReportError;
use crate::figure::Width;
use crate::html::prose;
use crate::naming;
use crate::number;
use crate::page::style;
use crate::sentences;
use crate::svg::escape;
use crate::table::{Entry, Table, columns};
use measure::{Change, Direction};
use words::say;

/// Whether the runs of a history have addresses.
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
    kicker: String,
    is_served: bool,
    /// As markup.
    answer: String,
    /// Figures as markup: the first, the ones beside it, and those that a reader unfolds.
    hero: String,
    others: Vec<String>,
    folded: Vec<String>,
    folded_title: String,
    tiles: Vec<Tile>,
    runs: String,
    breaks_lead: String,
}

/// One fact beside the first figure.
struct Tile {
    name: String,
    value: String,
    detail: String,
}

/// Figures of metrics without a change that are shown from the start, where none has one.
const STEADY_OPEN: usize = 2;

impl Trend {
    /// The history as one HTML document without scripts.
    ///
    /// # Errors
    /// When the page cannot be put together, which is an error of this program.
    pub fn to_html(&self, links: Links) -> Result<String, ReportError> {
        let mut lines: Vec<&Line> = self.lines.iter().collect();
        // The largest change first; metrics without any after all that have one.
        lines.sort_by(|a, b| size(b).total_cmp(&size(a)));
        let of =
            |(index, line): (usize, &&Line), widths: &[Width]| self.figure_html(index, line, widths, links);
        let hero = lines.first().map(|line| of((0, line), &Width::LEAD)).unwrap_or_default();
        let changed = lines.iter().skip(1).take_while(|line| !line.changes.is_empty()).count();
        let open = if changed == 0 { STEADY_OPEN } else { changed };
        let shared = |pair| of(pair, &Width::SHARED);
        let others: Vec<String> = lines.iter().enumerate().skip(1).take(open).map(shared).collect();
        let folded: Vec<String> = lines.iter().enumerate().skip(1 + open).map(shared).collect();
        let page = Page {
            version: env!("CARGO_PKG_VERSION"),
            title: say!("trend-question", name = self.name_short()),
            style: style::sheet(),
            kicker: self.kicker(),
            is_served: links == Links::Served,
            answer: self.answer(lines.first().copied()),
            hero,
            others,
            folded_title: say!("trend-steady-ones", count = sentences::grouped(folded.len())),
            folded,
            tiles: lines.first().map(|line| self.tiles(line)).unwrap_or_default(),
            runs: self.run_table(lines.first().copied(), links),
            breaks_lead: if self.breaks.is_empty() {
                String::new()
            } else {
                say!("trend-breaks-lead").to_owned()
            },
        };
        Ok(page.render()?)
    }

    /// `demo, 14 runs, 2026-05-01 to 2026-06-01`.
    fn kicker(&self) -> String {
        let day = |run: Option<&(notebook::RunId, String)>| {
            run.map(|(_, started)| naming::minute(started)).unwrap_or_default()
        };
        let (first, last) = (day(self.runs.first()), day(self.runs.last()));
        say!("trend-kicker", name = self.name_short(), runs = self.runs.len(), first, last)
    }

    /// The finding as markup: the largest change with its verdict, or that there is none.
    fn answer(&self, line: Option<&Line>) -> String {
        let Some((line, change)) = line.and_then(|line| Some((line, largest(line)?))) else {
            return escape(&self.headline());
        };
        let said = prose(&self.changed(line, change));
        let verdict = verdict_of(line, change)
            .map(|(class, word)| format!(" <span class=\"verdict {class}\">{word}</span>"))
            .unwrap_or_default();
        format!("{}. {said}{verdict}", escape(&self.headline()))
    }

    /// A metric at a place: its finding as the title, then the drawings; one value is a sentence, no figure.
    fn figure_html(&self, index: usize, line: &Line, widths: &[Width], links: Links) -> String {
        let title = match largest(line) {
            Some(change) => self.change_title(line, change),
            None => self.steady(line),
        };
        let drawings: String = match line.values.len() {
            0 | 1 => String::new(),
            _ => widths.iter().map(|at| figure::draw(self, index, line, (&title, *at), links)).collect(),
        };
        // A steady metric has its place in its title, and the way to read a figure is said once.
        let place = largest(line).map(|_| line.place.as_str());
        let reading = (index == 0 && !drawings.is_empty()).then(|| self.reading(line));
        let below: Vec<&str> = place.into_iter().chain(reading.as_deref()).collect();
        format!(
            "<figure><figcaption><h3>{}</h3><p>{}</p></figcaption><div class=\"plot\">{drawings}</div></figure>\n",
            escape(&title),
            escape(&below.join(" \u{b7} "))
        )
    }

    /// The way to read a figure, of the things that it has.
    fn reading(&self, line: &Line) -> String {
        let mut reading = say!("trend-reading").to_owned();
        let has_whisker = line.intervals.iter().any(Option::is_some);
        let parts = [
            (has_whisker, say!("trend-reading-whisker")),
            (!self.breaks.is_empty(), say!("trend-reading-letters")),
        ];
        for (_, part) in parts.iter().filter(|(is_drawn, _)| *is_drawn) {
            reading = format!("{reading} {part}");
        }
        reading
    }

    /// `0.90x since run 7, and 17,100 1/min there`.
    fn change_title(&self, line: &Line, change: &Change) -> String {
        let run = self.runs[line.values[change.at].0].0.to_string();
        let ratio = number::ratio_alone(change.after / change.before);
        say!("trend-title-change", ratio, run, changes = line.changes.len())
    }

    /// The latest run against the stretch before it, the changes, and what the history holds.
    fn tiles(&self, line: &Line) -> Vec<Tile> {
        let mut tiles: Vec<Tile> = self.latest(line).into_iter().collect();
        let found = self.lines.iter().flat_map(|line| line.changes.iter().map(move |change| (line, change)));
        let worse = found.clone().filter(|(line, change)| is_loss(line, change) == Some(true)).count();
        let name = say!("trend-tile-changes").to_owned();
        tiles.push(match self.lines.iter().all(|line| line.values.len() < RUNS_LEAST) {
            true => Tile {
                name,
                value: say!("trend-tile-too-few").to_owned(),
                detail: say!("trend-tile-least", least = RUNS_LEAST),
            },
            false => Tile {
                name,
                value: number::count(found.count() as u64),
                detail: say!("trend-tile-of-series", worse, series = self.lines.len()),
            },
        });
        tiles.push(Tile {
            name: say!("trend-tile-runs").to_owned(),
            value: number::count(self.runs.len() as u64),
            detail: say!("trend-tile-breaks", breaks = self.breaks.len()),
        });
        tiles
    }

    /// The latest run beside the mean of the runs since the last change.
    fn latest(&self, line: &Line) -> Option<Tile> {
        let start = line.changes.last().map_or(0, |change| change.at);
        let (run, value) = line.values.last()?;
        let before = &line.values[start..line.values.len() - 1];
        let mean = measure::typical(&before.iter().map(|pair| pair.1).collect::<Vec<_>>())?;
        let difference = value / mean - 1.0;
        let sign = if difference < 0.0 { "\u{2212}" } else { "+" };
        Some(Tile {
            name: say!("trend-tile-latest", run = self.runs[*run].0.to_string()),
            value: format!("{sign}{}", number::percent_rounded(difference.abs())),
            detail: match line.changes.is_empty() {
                true => say!("trend-tile-no-change", runs = sentences::grouped(before.len())),
                false => say!("trend-tile-stretch", runs = sentences::grouped(before.len())),
            },
        })
    }

    /// Every run, the latest first, with what changed around it.
    fn run_table(&self, line: Option<&Line>, links: Links) -> String {
        let value_head = line.map_or_else(String::new, |line| line.place.clone());
        let mut table = Table::new(columns![
            text say!("trend-column-run"),
            number say!("trend-column-started"),
            number value_head,
            text say!("trend-column-before"),
        ]);
        for (index, (run, started)) in self.runs.iter().enumerate().rev() {
            let value = line.and_then(|line| {
                let pair = line.values.iter().find(|pair| pair.0 == index)?;
                Some(line.shown(pair.1))
            });
            let changed = line.and_then(|line| {
                let change = line.changes.iter().find(|change| line.values[change.at].0 == index)?;
                Some(say!("trend-here", ratio = number::ratio_alone(change.after / change.before)))
            });
            let broken = self.breaks.iter().position(|(of, _)| of == run).map(|at| {
                say!("trend-facts", mark = figure::letter(at), facts = words::parts(&self.breaks[at].1))
            });
            table.row([
                Entry { text: run.to_string(), link: links.of(run.0), ..Entry::default() },
                naming::minute(started).into(),
                value.unwrap_or_else(|| "-".to_owned()).into(),
                words::parts(changed.into_iter().chain(broken)).into(),
            ]);
        }
        table.to_html(&say!("trend-runs-caption", runs = self.runs.len()))
    }
}

/// The largest change of a metric.
fn largest(line: &Line) -> Option<&Change> {
    line.changes.iter().max_by(|a, b| weight(a).total_cmp(&weight(b)))
}

fn weight(change: &Change) -> f64 {
    (change.after / change.before).ln().abs()
}

fn size(line: &Line) -> f64 {
    largest(line).map_or(0.0, weight)
}

/// True if a change is for the worse; `None` for a metric without a direction.
fn is_loss(line: &Line, change: &Change) -> Option<bool> {
    let falls = change.after < change.before;
    Some(match line.metric.shown()?.direction? {
        Direction::HigherIsBetter => falls,
        Direction::LowerIsBetter => !falls,
    })
}

/// The class and the word of a change.
fn verdict_of(line: &Line, change: &Change) -> Option<(&'static str, &'static str)> {
    let verdict = if is_loss(line, change)? { measure::Verdict::Worse } else { measure::Verdict::Better };
    Some((sentences::verdict_class(verdict), sentences::verdict(verdict)))
}
