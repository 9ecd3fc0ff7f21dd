//! The tables of the page: the runs with the metrics that changed, all of them with every metric, the values
//! behind a figure, and what changed by its keys.

use super::{Line, Links, Trend, figure, moment};
use crate::naming;
use crate::number;
use crate::table::{Column, Entry, Table, columns};
use words::say;

/// Metrics beside each other in the table of runs: more do not fit beside what changed.
const SERIES_MOST: usize = 3;
/// Runs that the open table has; the others are in the folded one.
const RUNS_MOST: usize = 30;

impl Trend {
    /// The latest runs with the metrics that changed, or with the first ones where none did, and the folded
    /// table of all runs and all metrics, which is empty where the first has them all. `lines` begin with
    /// those that changed.
    pub(super) fn run_tables(&self, lines: &[&Line], links: Links) -> (String, String) {
        let changed = lines.iter().take_while(|line| !line.shifts.is_empty()).count();
        let wanted = if changed == 0 { lines.len() } else { changed };
        let shown = &lines[..wanted.min(SERIES_MOST)];
        let runs = self.runs.len();
        let caption = match runs > RUNS_MOST {
            true => say!("trend-runs-latest", runs, shown = RUNS_MOST),
            false => say!("trend-runs-caption", runs),
        };
        let open = self.run_table(shown, RUNS_MOST, links).to_html(&caption);
        let all = match shown.len() < lines.len() || runs > RUNS_MOST {
            true => self.run_table(lines, runs, links).to_html(&say!("trend-runs-caption", runs)),
            false => String::new(),
        };
        (open, all)
    }

    /// Runs, the latest first, with what changed around them.
    fn run_table(&self, lines: &[&Line], most: usize, links: Links) -> Table {
        let mut heads = columns![text say!("trend-column-run"), text say!("trend-column-started")];
        heads.extend(lines.iter().map(|line| Column::number(format!("{} ({})", line.place, line.unit))));
        let has_changes = !self.turns.is_empty() || lines.iter().any(|line| !line.shifts.is_empty());
        heads.extend(has_changes.then(|| Column::text(say!("trend-column-before"))));
        let mut table = Table::new(heads);
        for (index, (run, started)) in self.runs.iter().enumerate().rev().take(most) {
            let mut row = vec![
                Entry { text: run.to_string(), link: links.of(run.0), ..Entry::default() },
                naming::minute(started).into(),
            ];
            row.extend(lines.iter().map(|line| Entry::from(value_at(line, index))));
            row.extend(has_changes.then(|| self.changed_at(lines, index).into()));
            table.row(row);
        }
        table
    }

    /// The changes at a run, and all that changed around it.
    fn changed_at(&self, lines: &[&Line], run: usize) -> String {
        let several = lines.len() > 1;
        let found = lines.iter().filter_map(|line| {
            let shift = line.shifts.iter().find(|shift| line.values[shift.at].0 == run)?;
            let ratio = line.signed(shift);
            Some(match several {
                true => say!("trend-here-of", place = line.place, ratio),
                false => say!("trend-here", ratio),
            })
        });
        let turned = self.turn_before(run).map(|(index, turn)| match turn.is_break() {
            true => say!("trend-break-facts", facts = turn.whole()),
            false => say!("trend-facts", mark = figure::letter(index), facts = turn.whole()),
        });
        words::parts(found.chain(turned))
    }

    /// The numbers behind a figure: each run with its interval, the mean of its stretch and the change there.
    pub(super) fn value_table(&self, line: &Line) -> Table {
        let unit = &line.unit;
        let mut table = Table::new(columns![
            text say!("trend-column-run"),
            text say!("trend-column-started"),
            number say!("trend-column-value", unit),
            number say!("trend-column-interval"),
            number say!("trend-column-mean"),
            text say!("trend-column-change"),
        ]);
        for stretch in line.stretches.iter().rev() {
            for at in stretch.of.clone().rev() {
                let (run, value) = line.values[at];
                let (number, started) = &self.runs[run];
                let digits = number::Digits::alone(value);
                let interval = line.intervals[at].map(|ends| number::span(ends, |end| digits.show(end)));
                let shift = line.shifts.iter().find(|shift| shift.at == at);
                table.row([
                    number.to_string(),
                    naming::minute(started),
                    digits.show(value),
                    interval.unwrap_or_default(),
                    number::Digits::alone(stretch.mean).show(stretch.mean),
                    shift.map(|shift| line.signed(shift)).unwrap_or_default(),
                ]);
            }
        }
        table
    }

    /// Everything that changed around the runs, by the keys under which it was recorded; empty for nothing.
    pub(super) fn key_table(&self) -> String {
        if self.turns.is_empty() {
            return String::new();
        }
        let mut table = Table::new(columns![
            text say!("trend-column-run"),
            text say!("trend-column-day"),
            text say!("trend-column-fact"),
            text say!("trend-column-key"),
            text say!("trend-column-earlier"),
            text say!("trend-column-later"),
        ]);
        for turn in &self.turns {
            let started = self.runs.iter().find(|run| run.0 == turn.run).map(|run| moment::day(&run.1));
            for fact in &turn.facts {
                let value = |value: &Option<String>| value.clone().unwrap_or(say!("not-recorded").to_owned());
                table.row([
                    turn.run.to_string(),
                    started.clone().unwrap_or_default(),
                    fact.name(),
                    fact.key.clone(),
                    value(&fact.before),
                    value(&fact.after),
                ]);
            }
        }
        table.to_html(say!("trend-keys"))
    }
}

/// The value of a metric in a run, or a dash.
fn value_at(line: &Line, run: usize) -> String {
    let value = line.values.iter().find(|pair| pair.0 == run);
    value.map_or_else(|| "-".to_owned(), |pair| number::Digits::alone(pair.1).show(pair.1))
}
