//! The history of an experiment: each declared metric of a bed at a level over runs, the changes in it, and
//! the runs before which something around them changed.
//!
//! Changes are found by [`measure::changes`]. Runs of another realm, scale or name are no part of a history.

mod documents;
mod factor;
mod moment;
mod page;
mod shift;
mod size;
mod turn;

pub use page::Links;

use crate::compare;
use crate::error::ReportError;
use crate::figure::line::Point;
use crate::lines;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::number::{self, Digits};
use crate::{naming, sentences};
use notebook::{Notebook, RunId, RunState};
use shift::{Shift, Stretch};
use turn::Turn;
use words::{Metric, Realm, say, spoken};

/// The history of the runs of one experiment.
#[derive(Debug)]
pub struct Trend {
    /// Name of the experiment.
    name: String,
    /// Realm and scale, which all runs share: `emulated, scale 1/600`.
    conditions: String,
    /// Name of the file of the notebook.
    notebook: String,
    /// The runs and their starts (RFC 3339, UTC), the oldest first.
    runs: Vec<(RunId, String)>,
    /// A metric at a place each.
    lines: Vec<Line>,
    /// The runs before which something around them changed, and what.
    turns: Vec<Turn>,
}

/// One metric of a bed at a level over runs.
#[derive(Debug)]
pub(crate) struct Line {
    /// `NOPM of tpcc at 4 virtual users on NVMe`.
    place: String,
    /// `NOPM at 4 virtual users`: the metric for a title whose place is told beside it.
    label: String,
    /// Name of the bed.
    bed: String,
    /// Name of the workload.
    workload: String,
    /// Level of the load.
    level: f64,
    /// Name of the metric.
    metric: Metric,
    /// Its unit.
    unit: String,
    /// The typical value of the cells of each run (see [`measure::typical`]): index of the run, value.
    values: Vec<(usize, f64)>,
    /// Ends of the 95 % interval of each of them, where it rests on enough cells to be drawn.
    intervals: Vec<Option<(f64, f64)>>,
    /// Changes; their indices are into `values`.
    shifts: Vec<Shift>,
    /// Runs in a row without a change or a break; their indices are into `values`.
    stretches: Vec<Stretch>,
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
    let turns: Vec<Turn> = history.windows(2).filter_map(|pair| turn::between(&pair[0], &pair[1])).collect();
    let is_break = |loaded: &LoadedRun| turns.iter().any(|turn| turn.run == loaded.run.id && turn.is_break());
    let broken = history.iter().enumerate().filter(|(_, loaded)| is_break(loaded));
    let breaks: Vec<usize> = broken.map(|(index, _)| index).collect();
    let lines = of.places().flat_map(|place| lines(&of, &history, place, &breaks)).collect();
    let runs = history.iter().map(|loaded| (loaded.run.id, loaded.run.started_at.clone())).collect();
    let file = notebook.path().file_name().unwrap_or_default();
    Ok(Trend {
        name: of.run.name.clone(),
        conditions: format!("{}, {}", spoken::<Realm>(&of.run.realm), number::scale(of.run.scale)),
        notebook: file.to_string_lossy().into_owned(),
        runs,
        lines,
        turns,
    })
}

/// The lines of the declared metrics at a place. `breaks` are the runs before which the machine changed.
fn lines(of: &LoadedRun, history: &[LoadedRun], place: GroupKey<'_>, breaks: &[usize]) -> Vec<Line> {
    let level_name = of.level_name(place.workload);
    let label = of.beds.iter().find(|bed| bed.name == place.bed).and_then(|bed| bed.label.as_deref());
    let line = |metric: &Metric| {
        let shown = metric.shown()?;
        let values: Vec<(usize, f64)> = history
            .iter()
            .enumerate()
            .filter_map(|(index, loaded)| Some((index, loaded.mean(&place, *metric)?)))
            .collect();
        let interval = |(index, _): &(usize, f64)| {
            let cells: Vec<f64> =
                history[*index].values(&place, *metric).into_iter().map(|one| one.1).collect();
            Point::new(place.level, cells)?.drawn_interval()
        };
        let intervals = values.iter().map(interval).collect();
        let at = level_name.said(place.level);
        let smallest = compare::smallest_effect(of, place.workload, &shown);
        let shifts = shift::shifts(&values, breaks, smallest);
        (!values.is_empty()).then(|| Line {
            place: say!(
                "gate-place",
                metric = metric.short(),
                workload = lines::in_the_middle(place.workload, NAME_LONGEST),
                at = at.as_str(),
                bed = label.unwrap_or(place.bed)
            ),
            label: say!("trend-label", metric = metric.short(), at),
            bed: place.bed.to_owned(),
            workload: place.workload.to_owned(),
            level: place.level,
            metric: *metric,
            unit: shown.unit.to_owned(),
            stretches: shift::stretches(&values, &shifts, breaks),
            values,
            intervals,
            shifts,
        })
    };
    of.kind(place.workload).primary.iter().filter_map(line).collect()
}

/// Runs below which no change can be found.
const RUNS_LEAST: usize = measure::CHANGE_VALUES_LEAST;
/// The most columns of a name in a sentence: the documents for other programs have all of it.
const NAME_LONGEST: usize = 40;

impl Trend {
    /// The name of the experiment as sentences say it: of a file without its folder and its ending.
    fn name_short(&self) -> String {
        let name = match self.name.strip_suffix(".toml") {
            Some(path) => path.rsplit_once('/').map_or(path, |(_, file)| file),
            None => &self.name,
        };
        lines::in_the_middle(name, NAME_LONGEST)
    }

    /// `2 changes in 14 runs of demo`.
    fn headline(&self) -> String {
        let changed = self.lines.iter().map(|line| line.shifts.len()).sum::<usize>();
        let (name, runs) = (self.name_short(), self.runs.len());
        let is_known = self.lines.iter().any(|line| !line.is_too_few());
        match changed {
            0 if runs < RUNS_LEAST => say!("trend-few", runs, name, least = RUNS_LEAST),
            0 if !is_known => say!("trend-no-values", runs, name, least = RUNS_LEAST),
            0 => say!("trend-none", name, runs),
            _ => say!("trend-headline", name, runs, changes = sentences::grouped(changed)),
        }
    }

    /// The changes first, then every line with its latest value, then what changed around the runs.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("{}\n", self.headline());
        for line in &self.lines {
            line.shifts.iter().for_each(|shift| text.push_str(&format!("  {}\n", self.changed(line, shift))));
        }
        for line in self.lines.iter().filter(|line| line.shifts.is_empty()) {
            text.push_str(&format!("  {}\n", self.steady(line)));
        }
        for turn in &self.turns {
            text.push_str(&format!("  {}\n", turned(turn, turn.short())));
        }
        text
    }

    /// `NOPM of tpcc at 4 virtual users on NVMe: no change found; 17,100 1/min in the latest run`, or in run
    /// 35 where the latest one has no value; nothing is said of a change where too few runs have a value to
    /// find one.
    fn steady(&self, line: &Line) -> String {
        let value = line.values.last().map_or(String::new(), |(run, value)| {
            let value = line.shown(*value);
            match run + 1 == self.runs.len() {
                true => say!("trend-in-latest", value),
                false => say!("trend-in-run", value, run = self.runs[*run].0.to_string()),
            }
        });
        match line.is_too_few() {
            true => say!("trend-not-known", place = line.place, value),
            false => say!("trend-steady", place = line.place, value),
        }
    }

    /// `NOPM of tpcc at 4 virtual users on NVMe: −9.6 % (−10.4 to −8.8) since run 7 (2026-11-20 10:07): ...`;
    /// without a ratio, the means alone.
    fn changed(&self, line: &Line, shift: &Shift) -> String {
        let (run, started) = &self.runs[line.values[shift.at].0];
        let (place, run, started) = (&line.place, run.to_string(), naming::minute(started));
        let (before, after) = (line.shown(shift.before), line.shown(shift.after));
        match shift.size {
            Some(size) => {
                say!("trend-change", place, ratio = size.signed(), run, started, before, after)
            }
            None => say!("trend-change-means", place, run, started, before, after),
        }
    }

    /// The changes of facts around the run at this place in the history.
    fn turn_before(&self, run: usize) -> Option<(usize, &Turn)> {
        let id = self.runs.get(run)?.0;
        self.turns.iter().enumerate().find(|(_, turn)| turn.run == id)
    }
}

/// `before run 7 changed: kernel 6.1 to 6.12`; of a break, that the machine or its software changed.
fn turned(turn: &Turn, facts: String) -> String {
    let run = turn.run.to_string();
    match turn.is_break() {
        true => say!("trend-break", run, facts),
        false => say!("trend-turn", run, facts),
    }
}

impl Line {
    /// True if too few runs have a value to find a change.
    fn is_too_few(&self) -> bool {
        self.values.len() < RUNS_LEAST
    }

    /// The number of a change with its sign and its interval, which is empty where there is none: see
    /// [`size::Size::parts`]. Without a ratio it is both means: `100 to 0 1/min`.
    fn parts(&self, shift: &Shift) -> (String, String) {
        match shift.size {
            Some(size) => size.parts(),
            None => {
                let before = Digits::alone(shift.before).show(shift.before);
                (say!("trend-means", before, after = self.shown(shift.after)), String::new())
            }
        }
    }

    /// The number of a change and its interval as one text: `−9.6 % (−10.4 to −8.8)`.
    fn signed(&self, shift: &Shift) -> String {
        shift.size.map_or_else(|| self.parts(shift).0, size::Size::signed)
    }

    /// `17,100 1/min`.
    fn shown(&self, value: f64) -> String {
        format!("{} {}", Digits::alone(value).show(value), self.unit)
    }
}
