//! A run as the report reads it: everything that is small, read once. Only this file asks the notebook for
//! cells.
//!
//! Invariant: only cells that are done count. Invalid, interrupted and missing cells are kept apart and
//! named.

use crate::error::ReportError;
use crate::kind;
use crate::level::{LevelUnit, NO_LEVELS};
use experiment::{SmallestEffect, Workload};
use measure::{Histogram, Series};
use notebook::{
    Bed, COMMAND, COMMAND_LINE, Cell, CellState, Event, Measurement, Note, Notebook, Phase, PublishedNumber,
    Run, RunId, RunState,
};
use std::collections::BTreeMap;
use words::{EffectKey, EventKind, Latency, LevelName, MetricName, NoteKind, Realm, Remark, Unit, say};

use crate::figure::seconds::beside::Beside;
use crate::profile::Profile;
use crate::ranks::Ranks;

/// Facts by key.
pub(crate) type Facts = BTreeMap<String, String>;

/// A cell with its numbers.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) cell: Cell,
    pub(crate) values: Values,
    pub(crate) events: Vec<Event>,
    /// The users' rate beside its backups, where users worked meanwhile.
    pub(crate) beside: Option<Beside>,
    /// Latencies behind its percentiles, where a histogram was kept.
    pub(crate) samples: Option<u64>,
}

impl Measured {
    /// The settings of its databases, by name. An event keeps one as `name = value`.
    pub(crate) fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        let settings = self.events.iter().filter(|event| event.kind == EventKind::Setting);
        settings.filter_map(|event| event.message.split_once(" = "))
    }
}

/// The numbers of a cell by metric, in the units of today.
#[derive(Debug)]
pub(crate) struct Values(BTreeMap<MetricName, f64>);

impl Values {
    fn new(measurements: Vec<Measurement>) -> Values {
        let named = measurements.into_iter().map(|one| {
            let name = MetricName::read(&one.metric);
            let value = name.in_unit_of_today(one.value, &one.unit);
            (name, value)
        });
        Values(named.collect())
    }

    /// The value of one metric, where the cell has it.
    pub(crate) fn get(&self, metric: impl Into<MetricName>) -> Option<f64> {
        self.0.get(&metric.into()).copied()
    }

    /// Every metric that the cell has.
    pub(crate) fn names(&self) -> impl Iterator<Item = &MetricName> {
        self.0.keys()
    }
}

/// A run with everything about it but series and histograms.
#[derive(Debug)]
pub(crate) struct LoadedRun {
    pub(crate) run: Run,
    /// Names of the workloads in the order of the experiment file, others after them.
    order: Vec<String>,
    /// Places of the cells of each workload in `cells`, and its own in `order`.
    index: BTreeMap<String, Indexed>,
    /// The smallest effects that the experiment declares, by key.
    effects: BTreeMap<String, f64>,
    /// The loads of the experiment by name; empty where it cannot be read.
    asked: BTreeMap<String, Workload>,
    ranks: Ranks,
    /// The model of the drive, for a run that profiles one.
    pub(crate) profile: Option<Profile>,
    /// In the order of the experiment file.
    pub(crate) beds: Vec<Bed>,
    /// In the order in which they were run.
    pub(crate) cells: Vec<Measured>,
    /// Scope (`host`, `bed:nvme`, ...) and facts.
    pub(crate) facts: Vec<(String, Facts)>,
    pub(crate) notes: Vec<Note>,
    pub(crate) published: Vec<PublishedNumber>,
}

/// One workload within a run.
#[derive(Debug)]
struct Indexed {
    /// Its place among the workloads.
    place: usize,
    /// The places of its cells.
    cells: Vec<usize>,
    /// The unit of its levels.
    level_name: LevelUnit,
}

/// The workloads of these cells by name, and their names in this order, others after them. A run may have
/// thousands of workloads, and every table and figure asks for the cells of each.
fn indexed(cells: &[Measured], order: &[&str]) -> (BTreeMap<String, Indexed>, Vec<String>) {
    let mut index: BTreeMap<String, Indexed> = BTreeMap::new();
    for (at, measured) in cells.iter().enumerate() {
        let new =
            || Indexed { place: 0, cells: Vec::new(), level_name: measured.cell.level_name.as_str().into() };
        index.entry(measured.cell.workload.clone()).or_insert_with(new).cells.push(at);
    }
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, name) in order.iter().enumerate() {
        places.entry(name).or_insert(place);
    }
    let mut names: Vec<String> = index.keys().cloned().collect();
    names.sort_by_key(|name| places.get(name.as_str()).copied().unwrap_or(usize::MAX));
    for (place, name) in names.iter().enumerate() {
        if let Some(known) = index.get_mut(name) {
            known.place = place;
        }
    }
    (index, names)
}

/// The note in the language of the reader, where it is made of data: its text is that of the run.
fn said_today(note: Note) -> Note {
    let said = note.remark.as_ref().map(ToString::to_string);
    Note { text: said.unwrap_or(note.text), ..note }
}

/// The state of a cell: nothing runs in a run that has ended, however it ended.
fn state_of(cell: CellState, run: RunState) -> CellState {
    match cell {
        CellState::Running if run != RunState::Running => CellState::Interrupted,
        state => state,
    }
}

impl LoadedRun {
    /// Reads a run.
    pub(crate) fn read(notebook: &Notebook, run: RunId) -> Result<LoadedRun, ReportError> {
        let record = notebook.run(run)?;
        let experiment = experiment::parse(&record.experiment_toml, &record.name).ok();
        let facts = notebook.fact_sets(run)?;
        let ranks = Ranks::of(experiment.as_ref(), &facts);
        let profile = Profile::of(notebook, &record, experiment.as_ref(), &facts)?;
        let workloads = experiment.map(|experiment| experiment.workload).unwrap_or_default();
        let cells = notebook
            .cells(run)?
            .into_iter()
            .map(|mut cell| {
                cell.state = state_of(cell.state, record.state);
                let values = Values::new(notebook.measurements(cell.id)?);
                let events = notebook.events(cell.id)?;
                let samples = notebook.histogram(cell.id, Latency::Answer)?.map(|histogram| histogram.len());
                let beside = (kind::of(cell.kind).beside)(notebook, &cell)?;
                Ok(Measured { cell, values, events, beside, samples })
            })
            .collect::<Result<Vec<_>, ReportError>>()?;
        let beds = notebook.beds(run)?;
        for (what, missing) in [("beds", beds.is_empty()), ("cells", cells.is_empty())] {
            if missing {
                return Err(ReportError::Empty { run, what });
            }
        }
        let order: Vec<&str> = match record.realm == Realm::Imported {
            // Its cells are in the order of its file.
            true => cells.iter().map(|measured| measured.cell.workload.as_str()).collect(),
            false => workloads.iter().map(Workload::name).collect(),
        };
        let (mut index, order) = indexed(&cells, &order);
        for load in &workloads {
            let known = index.get_mut(load.name()).filter(|known| known.level_name == LevelName::Depth);
            if let (Some(known), Some(each)) = (known, kind::block::depth_of_each(load, ranks.on_own_beds()))
            {
                known.level_name = each;
            }
        }
        Ok(LoadedRun {
            effects: SmallestEffect::stored(&record.experiment_toml),
            run: record,
            order,
            index,
            asked: workloads.into_iter().map(|workload| (workload.name().to_owned(), workload)).collect(),
            beds,
            cells,
            facts,
            ranks,
            profile,
            notes: notebook.notes(run)?.into_iter().map(said_today).collect(),
            published: notebook.published(run)?,
        })
    }

    /// Names of the workloads in the order of the experiment file, others after them.
    pub(crate) fn workloads(&self) -> Vec<&str> {
        self.names().collect()
    }

    /// As [`LoadedRun::workloads`], one after the other.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(String::as_str)
    }

    /// The place of a workload among them, from 0.
    pub(crate) fn place_of(&self, workload: &str) -> usize {
        self.index.get(workload).map_or(0, |known| known.place)
    }

    /// True if the run has more than one workload.
    pub(crate) fn has_several_workloads(&self) -> bool {
        self.order.len() > 1
    }

    /// True if any cell was measured more than once, so that figures are means.
    pub(crate) fn has_repeats(&self) -> bool {
        self.cells.iter().any(|measured| measured.cell.repeat > 0)
    }

    /// The first workload.
    pub(crate) fn first_workload(&self) -> Option<&str> {
        self.order.first().map(String::as_str)
    }

    /// The smallest throughput effect of a key that the experiment declares, as it was stored.
    pub(crate) fn smallest_effect(&self, key: EffectKey) -> Option<f64> {
        self.effects.get(key.name()).copied()
    }

    /// The load of a workload as the experiment asks for it.
    pub(crate) fn asked(&self, workload: &str) -> Option<&Workload> {
        self.asked.get(workload)
    }

    /// Levels of a workload, ascending.
    pub(crate) fn levels(&self, workload: &str) -> Vec<f64> {
        let mut levels: Vec<f64> = self.of(workload).map(|measured| measured.cell.level).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        levels
    }

    /// The unit of a workload's levels: `virtual users`, `depth`, `IOPS`.
    pub(crate) fn level_name(&self, workload: &str) -> &LevelUnit {
        self.index.get(workload).map_or(&NO_LEVELS, |known| &known.level_name)
    }

    /// A level as the answer says it: `8 virtual users`, and of a fleet what each of its ranks has of them.
    pub(crate) fn level_said(&self, workload: &str, level: f64) -> String {
        self.ranks.level_said((level, self.level_name(workload)), self.asked(workload))
    }

    /// A level as the answer says it, with the workload where the run has several.
    pub(crate) fn place_said(&self, workload: &str, level: f64) -> String {
        let at = self.level_said(workload, level);
        if self.has_several_workloads() { say!("level-of-workload", at, workload) } else { at }
    }

    /// The ranks of a fleet of several; `None` for a run of one process.
    pub(crate) fn ranks(&self) -> Option<u32> {
        self.ranks.several()
    }

    /// Cells of a workload in the order of the run.
    pub(crate) fn of<'a>(&'a self, workload: &str) -> impl Iterator<Item = &'a Measured> + use<'a> {
        self.index.get(workload).into_iter().flat_map(|known| &known.cells).map(|at| &self.cells[*at])
    }

    /// Cells of one bed at one level, whatever their state, by repeat.
    pub(crate) fn group(&self, place: &GroupKey<'_>) -> Vec<&Measured> {
        let mut group: Vec<&Measured> = self
            .of(place.workload)
            .filter(|measured| measured.cell.bed == place.bed && measured.cell.level == place.level)
            .collect();
        group.sort_by_key(|measured| measured.cell.repeat);
        group
    }

    /// Cells of one bed at one level that count, by repeat.
    pub(crate) fn valid(&self, place: &GroupKey<'_>) -> Vec<&Measured> {
        let mut group = self.group(place);
        group.retain(|measured| measured.cell.state == CellState::Done);
        group
    }

    /// One metric over the cells that count: repeat and value, by repeat.
    pub(crate) fn values(&self, place: &GroupKey<'_>, metric: impl Into<MetricName>) -> Vec<(u32, f64)> {
        let (cells, metric) = (self.valid(place), metric.into());
        cells.iter().filter_map(|m| Some((m.cell.repeat, m.values.get(metric.clone())?))).collect()
    }

    /// The typical value of one metric of the valid cells (see [`measure::typical`]), of a share the
    /// arithmetic mean; `None` if none has it.
    pub(crate) fn mean(&self, place: &GroupKey<'_>, metric: impl Into<MetricName>) -> Option<f64> {
        let metric = metric.into();
        let is_share = matches!(&metric, MetricName::Plain(metric) | MetricName::Of(metric, _) if metric.unit() == Unit::Percent);
        let values: Vec<f64> = self.values(place, metric).into_iter().map(|pair| pair.1).collect();
        if is_share { measure::arithmetic_mean(&values) } else { measure::typical(&values) }
    }

    /// Every bed at every level of every workload: by workload, level and bed.
    pub(crate) fn places(&self) -> impl Iterator<Item = GroupKey<'_>> {
        self.workloads().into_iter().flat_map(move |workload| {
            let at =
                move |level| self.beds.iter().map(move |bed| GroupKey { workload, level, bed: &bed.name });
            self.levels(workload).into_iter().flat_map(at)
        })
    }

    /// The facts of a scope, empty when there are none.
    pub(crate) fn scope(&self, scope: &str) -> Option<&Facts> {
        self.facts.iter().find(|(name, _)| name == scope).map(|(_, facts)| facts)
    }

    /// The command that made the run, where no experiment did.
    pub(crate) fn command(&self) -> Option<&str> {
        self.scope(COMMAND)?.get(COMMAND_LINE).map(String::as_str)
    }

    /// Sentences of one kind of note.
    pub(crate) fn notes_of(&self, kind: NoteKind) -> impl Iterator<Item = &str> {
        self.notes.iter().filter(move |note| note.kind == kind).map(|note| note.text.as_str())
    }

    /// True if modelled drives answered in virtual time.
    pub(crate) fn was_virtual(&self) -> bool {
        self.notes.iter().any(|note| note.remark == Some(Remark::VirtualTime))
    }

    /// True if every load is one without I/Os, of the null engine.
    pub(crate) fn moves_nothing(&self) -> bool {
        !self.asked.is_empty() && self.asked.values().all(kind::block::moves_nothing)
    }

    /// True if whole beds were simulated.
    pub(crate) fn is_simulated(&self) -> bool {
        self.run.realm == Realm::Simulated
    }

    /// True if another program measured it.
    pub(crate) fn is_imported(&self) -> bool {
        self.run.realm == Realm::Imported
    }

    /// True if it is of a server under somebody else's load.
    pub(crate) fn is_observed(&self) -> bool {
        self.cells.iter().any(|measured| kind::of(measured.cell.kind).is_observed)
    }

    /// True if its cells name their limiters: results of another program never do.
    pub(crate) fn has_limiters(&self) -> bool {
        !self.is_imported() || self.is_observed()
    }

    /// True if any bed keeps its bytes behind a drive model.
    pub(crate) fn is_emulated(&self) -> bool {
        !(self.run.realm == Realm::Real || self.is_simulated() || self.is_imported())
            || self.beds.iter().any(|bed| bed.realm == Realm::Emulated)
    }
}

/// One bed at one level of one workload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupKey<'a> {
    pub(crate) workload: &'a str,
    pub(crate) level: f64,
    pub(crate) bed: &'a str,
}

/// The latencies of several cells together.
///
/// # Errors
/// When the notebook cannot be read.
pub(crate) fn merged_histogram(
    notebook: &Notebook,
    cells: &[&Measured],
    of: Latency,
) -> Result<Histogram, ReportError> {
    let mut merged = Histogram::new();
    for measured in cells {
        if let Some(histogram) = notebook.histogram(measured.cell.id, of)? {
            merged.merge(&histogram);
        }
    }
    Ok(merged)
}

/// Series and phases of one cell.
///
/// # Errors
/// When the notebook cannot be read.
pub(crate) fn series_of(
    notebook: &Notebook,
    measured: &Measured,
) -> Result<(Vec<Series>, Vec<Phase>), ReportError> {
    Ok((notebook.series(measured.cell.id)?, notebook.phases(measured.cell.id)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(workload: &str) -> Measured {
        let plan = notebook::PlannedCell { workload: workload.to_owned(), ..Default::default() };
        let cell = Cell {
            id: notebook::CellId(1),
            plan,
            attempt: 1,
            state: CellState::Done,
            reasons: Default::default(),
            limiter: None,
            limiter_figures: None,
            started_at: None,
            ended_at: None,
        };
        Measured { cell, values: Values(BTreeMap::new()), events: Vec::new(), beside: None, samples: None }
    }

    #[test]
    fn no_cell_runs_in_a_run_that_has_ended() {
        for (run, cell) in [
            (RunState::Running, CellState::Running),
            (RunState::Killed, CellState::Interrupted),
            (RunState::Failed, CellState::Interrupted),
        ] {
            assert_eq!(state_of(CellState::Running, run), cell);
            assert_eq!(state_of(CellState::Done, run), CellState::Done);
        }
    }

    #[test]
    fn notes_that_are_data_are_said_anew_and_texts_stay() {
        let note =
            |remark| said_today(Note { kind: "model".to_owned(), text: "as it was".to_owned(), remark });
        assert_eq!(note(Some(Remark::VirtualTime)).text, Remark::VirtualTime.to_string());
        assert_eq!(note(None).text, "as it was");
    }

    #[test]
    fn workloads_keep_the_order_of_the_experiment_and_their_cells() {
        let cells = ["b", "a", "other", "b", "a"].map(cell);
        let (index, order) = indexed(&cells, &["b", "missing", "a", "b"]);
        assert_eq!(order, ["b", "a", "other"]);
        assert_eq!(index["a"].cells, [1, 4]);
        assert_eq!((index["b"].place, index["a"].place, index["other"].place), (0, 1, 2));
        assert_eq!(indexed(&[], &["a"]).1, [""; 0]);
    }
}
