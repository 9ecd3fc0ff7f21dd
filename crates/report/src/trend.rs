//! The history of an experiment: each declared metric of a bed at a level over runs, the changes in it, and
//! the runs before which the surroundings changed.
//!
//! Changes are found by [`measure::changes`]. Runs of another realm, scale or name are no part of a history.

mod page;

pub use page::Links;

use crate::compare;
use crate::error::ReportError;
use crate::figure::line::Point;
use crate::lines;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::number::{self, Digits};
use crate::{alike, naming, nuisance, sentences};
use measure::Change;
use notebook::{Notebook, RunId, RunState};
use serde_json::{Value, json};
use words::{Metric, say};

/// The history of the runs of one experiment.
#[derive(Debug)]
pub struct Trend {
    /// Name of the experiment.
    pub name: String,
    /// The runs and their starts (RFC 3339, UTC), the oldest first.
    pub runs: Vec<(RunId, String)>,
    /// A metric at a place each.
    pub lines: Vec<Line>,
    /// The runs before which something around them changed, and what.
    pub breaks: Vec<(RunId, Vec<String>)>,
}

/// One metric of a bed at a level over runs.
#[derive(Debug)]
pub struct Line {
    /// `NOPM of tpcc at 4 virtual users on NVMe`.
    pub place: String,
    /// Name of the bed.
    pub bed: String,
    /// Name of the workload.
    pub workload: String,
    /// Level of the load.
    pub level: f64,
    /// Name of the metric.
    pub metric: Metric,
    /// Its unit.
    pub unit: String,
    /// The typical value of the cells of each run (see [`measure::typical`]): index of the run, value.
    pub values: Vec<(usize, f64)>,
    /// Ends of the 95 % interval of each of them, where it rests on enough cells to be drawn.
    pub intervals: Vec<Option<(f64, f64)>>,
    /// Changes; their indices are into `values`.
    pub changes: Vec<Change>,
}

/// The history of the experiment of `run`, up to the latest run, by the time at which each began.
///
/// # Errors
/// When the notebook cannot be read.
pub fn trend(notebook: &Notebook, run: RunId) -> Result<Trend, ReportError> {
    let of = LoadedRun::read(notebook, run)?;
    let mut history = Vec::new();
    for known in notebook.runs()? {
        let is_alike =
            (&known.name, &known.realm, known.scale) == (&of.run.name, &of.run.realm, of.run.scale);
        if is_alike && known.state == RunState::Finished {
            history.push(LoadedRun::read(notebook, known.id)?);
        }
    }
    // An import adds runs that are older than others of this notebook.
    history.sort_by(|a, b| (&a.run.started_at, a.run.id).cmp(&(&b.run.started_at, b.run.id)));
    let lines = of.places().flat_map(|place| lines(&of, &history, place)).collect();
    let breaks = history.windows(2).filter_map(|pair| broken(&pair[0], &pair[1])).collect();
    let runs = history.iter().map(|loaded| (loaded.run.id, loaded.run.started_at.clone())).collect();
    Ok(Trend { name: of.run.name.clone(), runs, lines, breaks })
}

/// The lines of the declared metrics at a place.
fn lines(of: &LoadedRun, history: &[LoadedRun], place: GroupKey<'_>) -> Vec<Line> {
    let level_name = of.level_name(place.workload);
    let line = |metric: &Metric| {
        let shown = metric.shown()?;
        let values: Vec<(usize, f64)> = history
            .iter()
            .enumerate()
            .filter_map(|(index, loaded)| Some((index, loaded.mean(&place, *metric)?)))
            .collect();
        let alone: Vec<f64> = values.iter().map(|pair| pair.1).collect();
        let interval = |(index, _): &(usize, f64)| {
            let cells: Vec<f64> =
                history[*index].values(&place, *metric).into_iter().map(|one| one.1).collect();
            Point::new(place.level, cells)?.drawn_interval()
        };
        let intervals = values.iter().map(interval).collect();
        let at = sentences::level(place.level, level_name);
        let changes = measure::changes(&alone, compare::smallest_effect(of, place.workload, &shown));
        (!values.is_empty()).then(|| Line {
            place: say!(
                "gate-place",
                metric = metric.short(),
                workload = lines::in_the_middle(place.workload, NAME_LONGEST),
                at,
                bed = place.bed
            ),
            bed: place.bed.to_owned(),
            workload: place.workload.to_owned(),
            level: place.level,
            metric: *metric,
            unit: shown.unit.to_owned(),
            values,
            intervals,
            changes,
        })
    };
    of.kind(place.workload).primary.iter().filter_map(line).collect()
}

/// The later run, if something around it is not as in the run before it.
fn broken(before: &LoadedRun, after: &LoadedRun) -> Option<(RunId, Vec<String>)> {
    let names = [after, before].map(|loaded| loaded.run.id.to_string());
    let told = |difference: &nuisance::Nuisance| {
        let value = |at: usize| difference.values.get(at).and_then(|(_, value)| value.as_deref());
        let shown = |at| value(at).unwrap_or(say!("not-recorded")).to_owned();
        format!("{}: {} -> {}", difference.fact, shown(1), shown(0))
    };
    let mut facts: Vec<String> = alike::differences(after, before).iter().map(ToString::to_string).collect();
    facts.extend(nuisance::between_runs(after, before, [&names[0], &names[1]]).iter().map(told));
    (!facts.is_empty()).then_some((after.run.id, facts))
}

/// Runs below which no change can be found.
const RUNS_LEAST: usize = measure::CHANGE_VALUES_LEAST;
/// The most columns of a name in a sentence: the documents for other programs have all of it.
const NAME_LONGEST: usize = 40;
/// Facts that a break tells, at most.
const FACTS_TOLD_MOST: usize = 3;

impl Trend {
    /// The name of the experiment as sentences say it: of a file without its folder.
    fn name_short(&self) -> String {
        let name = match self.name.rsplit_once('/') {
            Some((_, file)) if file.ends_with(".toml") => file,
            _ => &self.name,
        };
        lines::in_the_middle(name, NAME_LONGEST)
    }

    /// `2 changes in 14 runs of demo`.
    fn headline(&self) -> String {
        let changed = self.lines.iter().map(|line| line.changes.len()).sum::<usize>();
        let (name, runs) = (self.name_short(), self.runs.len());
        match changed {
            0 if runs < RUNS_LEAST => say!("trend-few", runs, name, least = RUNS_LEAST),
            0 => say!("trend-none", name, runs),
            _ => say!("trend-headline", name, runs, changes = sentences::grouped(changed)),
        }
    }

    /// The changes first, then every line with its latest value, then the breaks.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("{}\n", self.headline());
        for line in &self.lines {
            line.changes
                .iter()
                .for_each(|change| text.push_str(&format!("  {}\n", self.changed(line, change))));
        }
        for line in self.lines.iter().filter(|line| line.changes.is_empty()) {
            text.push_str(&format!("  {}\n", self.steady(line)));
        }
        for (run, facts) in &self.breaks {
            let mut told = words::parts(&facts[..facts.len().min(FACTS_TOLD_MOST)]);
            if facts.len() > FACTS_TOLD_MOST {
                told.push_str(say!("trend-more-facts"));
            }
            text.push_str(&format!("  {}\n", say!("trend-break", run = run.to_string(), facts = told)));
        }
        text
    }

    /// `NOPM of tpcc at 4 virtual users on NVMe: no change; 17,100 1/min in the latest run`; nothing is
    /// said of a change where too few runs were measured to find one.
    fn steady(&self, line: &Line) -> String {
        let value = line.values.last().map_or(String::new(), |pair| line.shown(pair.1));
        match line.values.len() < RUNS_LEAST {
            true => say!("trend-not-known", place = line.place, value),
            false => say!("trend-steady", place = line.place, value),
        }
    }

    /// `NOPM of tpcc at 4 virtual users on NVMe: 0.90x since run 7 (2026-11-20 10:07), 17,100 1/min before`.
    fn changed(&self, line: &Line, change: &Change) -> String {
        let (run, started) = &self.runs[line.values[change.at].0];
        say!(
            "trend-change",
            place = line.place,
            ratio = number::ratio_alone(change.after / change.before),
            run = run.to_string(),
            started = naming::minute(started),
            before = line.shown(change.before),
            after = line.shown(change.after)
        )
    }

    /// The history as one JSON object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let value = |(index, value): &(usize, f64)| json!({ "run": self.runs[*index].0, "value": value });
        let change = |line: &Line, change: &Change| {
            let run = self.runs[line.values[change.at].0].0;
            json!({ "run": run, "before": change.before, "after": change.after, "p": change.p })
        };
        let line = |line: &Line| {
            json!({
                "bed": line.bed, "workload": line.workload, "level": line.level, "metric": line.metric.name(),
                "unit": line.unit, "values": line.values.iter().map(value).collect::<Vec<_>>(),
                "changes": line.changes.iter().map(|found| change(line, found)).collect::<Vec<_>>(),
            })
        };
        json!({
            "format": "drivetrain.trend/1",
            "name": self.name,
            "runs": self.runs.iter().map(|(run, at)| json!({ "run": run, "started_at": at })).collect::<Vec<_>>(),
            "lines": self.lines.iter().map(line).collect::<Vec<_>>(),
            "breaks": self.breaks.iter().map(|(run, facts)| json!({ "run": run, "facts": facts })).collect::<Vec<_>>(),
        })
    }

    /// The table that Otava's CSV importer reads: a row for each run, with its time and one column a metric.
    #[must_use]
    pub fn to_otava_csv(&self) -> String {
        let mut text = "time,run".to_owned();
        self.lines.iter().for_each(|line| text.push_str(&format!(",{}", line.key())));
        text.push('\n');
        for (index, (run, started)) in self.runs.iter().enumerate() {
            text.push_str(&format!("{started},{run}"));
            for line in &self.lines {
                let value = line.values.iter().find(|pair| pair.0 == index);
                text.push_str(&value.map_or_else(|| ",".to_owned(), |pair| format!(",{}", pair.1)));
            }
            text.push('\n');
        }
        text
    }

    /// The latest run in Bencher's metric format: a benchmark for each place, a measure for each metric.
    #[must_use]
    pub fn to_bencher_json(&self) -> Value {
        let mut benchmarks = serde_json::Map::new();
        for line in &self.lines {
            let Some((_, value)) = line.values.last().filter(|pair| pair.0 + 1 == self.runs.len()) else {
                continue;
            };
            let name = format!("{}/{}/{}", line.bed, line.workload, line.level);
            let measures = benchmarks.entry(name).or_insert_with(|| json!({}));
            measures[line.metric.name().as_ref() as &str] = json!({ "value": value });
        }
        Value::Object(benchmarks)
    }
}

impl Line {
    /// `17,100 1/min`.
    fn shown(&self, value: f64) -> String {
        format!("{} {}", Digits::alone(value).show(value), self.unit)
    }

    /// A name for a column: letters, digits, dots and underscores.
    fn key(&self) -> String {
        let name = format!("{}.{}.{}.{}", self.bed, self.workload, self.level, self.metric.name());
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' }).collect()
    }
}
