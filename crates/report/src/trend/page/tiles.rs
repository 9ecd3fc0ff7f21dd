//! Three facts beside the first figure: the latest run, the noise of a run, and what the history holds. None
//! of them is the number of the answer.

use super::{Line, RUNS_LEAST, Trend, answer, moment};
use crate::number;
use crate::sentences;
use crate::trend::shift;
use words::say;

/// One fact.
pub(super) struct Tile {
    pub(super) name: String,
    pub(super) value: String,
    /// Beside the value: its interval.
    pub(super) small: String,
    pub(super) detail: String,
}

impl Trend {
    /// The tiles beside the figure of a metric.
    pub(super) fn tiles(&self, line: &Line) -> Vec<Tile> {
        let mut tiles: Vec<Tile> = self.latest(line).into_iter().collect();
        tiles.push(self.noise(line));
        tiles.push(self.held());
        tiles
    }

    /// The latest run with a value beside the mean of the runs before it in its stretch.
    fn latest(&self, line: &Line) -> Option<Tile> {
        let (run, value) = line.values.last()?;
        let number = self.runs[*run].0.to_string();
        let name = match run + 1 == self.runs.len() {
            true => say!("trend-tile-latest", run = number),
            false => say!("trend-tile-latest-value", run = number),
        };
        let Some(latest) = shift::latest(&line.values, &line.stretches) else {
            let is_alone = line.stretches.len() < 2;
            let detail =
                if is_alone { say!("trend-tile-alone") } else { say!("trend-tile-first") }.to_owned();
            return Some(Tile { name, value: line.shown(*value), small: String::new(), detail });
        };
        let first = line.stretches.last().map_or(0, |stretch| line.values[stretch.of.start].0);
        let since = moment::day(&self.runs[first].1);
        let runs = sentences::grouped(latest.runs);
        let Some(size) = latest.size else {
            let detail = say!("trend-tile-mean", runs, since, mean = line.shown(latest.mean));
            return Some(Tile { name, value: line.shown(*value), small: String::new(), detail });
        };
        let (value, small) = size.parts();
        let mean = say!("trend-tile-stretch", runs, since);
        let next = match size.ends {
            Some((low, high)) if low <= 1.0 && 1.0 <= high => say!("trend-tile-within"),
            _ => say!("trend-tile-second"),
        };
        let join = answer::between_sentences();
        Some(Tile { name, value, small, detail: format!("{mean}{join}{next}") })
    }

    /// The noise of a run, or that the values have none to tell; of too few runs or values, how many are
    /// needed.
    fn noise(&self, line: &Line) -> Tile {
        let (name, value, detail) = match shift::noise(&line.values, &line.stretches) {
            _ if self.runs.len() < RUNS_LEAST => (
                say!("trend-tile-changes"),
                say!("trend-tile-too-few").to_owned(),
                say!("trend-tile-least", least = RUNS_LEAST),
            ),
            _ if line.is_too_few() => (
                say!("trend-tile-changes"),
                say!("trend-tile-too-few-values").to_owned(),
                say!("trend-tile-least-values", least = RUNS_LEAST),
            ),
            Some((share, runs)) => (
                say!("trend-tile-noise"),
                number::percent_rounded(share),
                say!("trend-tile-noise-detail", runs = sentences::grouped(runs)),
            ),
            None => (say!("trend-tile-noise"), "-".to_owned(), say!("trend-tile-noise-none").to_owned()),
        };
        Tile { name: name.to_owned(), value, small: String::new(), detail }
    }

    /// The extent of the history.
    fn held(&self) -> Tile {
        let since = self.runs.first().map(|run| moment::day(&run.1)).unwrap_or_default();
        let breaks = self.turns.iter().filter(|turn| turn.is_break()).count();
        let (notebook, mark) = (&self.notebook, &self.conditions);
        Tile {
            name: say!("trend-tile-held", notebook),
            value: say!("trend-tile-runs", runs = sentences::grouped(self.runs.len())),
            small: say!("trend-tile-series", series = sentences::grouped(self.lines.len())),
            detail: match breaks {
                0 => say!("trend-tile-no-break", mark, since),
                _ => say!("trend-tile-breaks", mark, since, breaks),
            },
        }
    }
}
