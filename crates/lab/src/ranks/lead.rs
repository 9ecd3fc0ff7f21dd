//! The lead of a fleet: it tells the ranks the plan, brings them together in every cell, and keeps the merged
//! cells. It measures nothing itself.

mod cell;
mod watch;

use std::collections::BTreeMap;
use std::time::Duration;

use experiment::Experiment;
use fleet::{Coordinator, Meeting, decode, encode};
use notebook::{Notebook, RunId};
use words::{NoteKind, Remark, say};

use crate::conduct::Again;
use crate::conduct::cells::{Cells, Open};
use crate::conduct::opening::{describe_led, new_beds, new_run, planned_cells};
use crate::order::CellKey;
use crate::plan::plan;
use crate::ranks::agreed::{Asked, Found, Next, Terms};
use crate::ranks::share::{check_shares, shared_beds};
use crate::ranks::{Membership, compare};
use crate::request::{Finished, Request, finish, or_failed};
use crate::storage::drives;
use crate::{Event, Interrupt, LabError, Observer};
use watch::Watcher;

/// The scope of the facts of a fleet.
const SCOPE: &str = "fleet";
/// A rank has so long for what is not planned by its length: reading a plan, looking at its machine, tidying
/// up.
const UNPLANNED: Duration = Duration::from_secs(600);
/// Planned work may take so many times as long.
const SLACK: u32 = 5;

/// A fleet that is ready, and how it was started.
#[derive(Debug)]
pub struct Led {
    /// Its ranks.
    pub coordinator: Coordinator,
    /// The terms for every rank.
    pub terms: Terms,
    /// The words by which it was started, for `resume`.
    pub started_by: BTreeMap<String, String>,
}

/// The words by which the fleet of a run was started; `None` for a run of one process.
///
/// # Errors
/// The notebook's own.
pub fn was_led(notebook: &Notebook, run: RunId) -> Result<Option<BTreeMap<String, String>>, LabError> {
    let sets = notebook.fact_sets(run)?;
    Ok(sets.into_iter().find(|(scope, _)| scope == SCOPE).map(|(_, facts)| facts.into_iter().collect()))
}

/// Leads a fleet through a new run and keeps the merged cells in `notebook`. Each rank keeps its own.
///
/// # Errors
/// As [`run`](crate::run); and [`LabError::Fleet`] with the rank that failed, is gone or does not come. Cells
/// that were merged before stay, and those of each rank in its own notebook.
pub fn lead(
    request: &Request,
    mut led: Led,
    notebook: &mut Notebook,
    interrupt: &Interrupt,
    observer: &dyn Observer,
) -> Result<Finished, LabError> {
    let experiment = &request.experiment;
    check_shares(experiment, led.coordinator.size())?;
    let drives =
        experiment.bed.iter().map(|bed| drives::choose(experiment, bed)).collect::<Result<Vec<_>, _>>()?;
    let beds = new_beds(experiment, &drives);
    let run = notebook.start_run(&new_run(request, &drives), &beds, &planned_cells(request))?;
    or_failed(notebook, run, |notebook| {
        describe_led(notebook, run, experiment, &drives)?;
        let asked = asked(request, &led.terms);
        Lead { experiment, seed: request.seed, run, asked, led: &mut led, interrupt, observer }.go(notebook)
    })
}

/// Goes on with a run of a fleet.
///
/// # Errors
/// As [`lead`]; and [`LabError::Resume`] for another number of ranks.
pub fn resume_led(
    (run, again): (RunId, &Again),
    tool_version: &str,
    mut led: Led,
    notebook: &mut Notebook,
    interrupt: &Interrupt,
    observer: &dyn Observer,
) -> Result<Finished, LabError> {
    let stored = notebook.run(run)?;
    let ranks = was_led(notebook, run)?.and_then(|facts| facts.get("ranks")?.parse::<u32>().ok());
    if ranks.is_some_and(|ranks| ranks != led.coordinator.size()) {
        let why = say!("resume-other-size", was = ranks.unwrap_or(0), is = led.coordinator.size());
        return Err(LabError::Resume { run: run.0, why });
    }
    notebook.become_writer()?;
    let parsed = experiment::parse(&stored.experiment_toml, &stored.name);
    let experiment = &parsed.map_err(|e| LabError::Resume {
        run: run.0,
        why: format!("its stored experiment no longer parses:\n{e}"),
    })?;
    again.apply(notebook, run, (experiment, stored.seed))?;
    notebook.reset_unfinished(run)?;
    let most = notebook.cells(run)?.iter().map(|cell| cell.repeat + 1).max();
    let asked = Asked {
        toml: stored.experiment_toml.clone(),
        name: stored.name.clone(),
        scale: stored.scale,
        scale_statement: stored.scale_statement.clone(),
        seed: stored.seed,
        work_dir: stored.work_dir.clone(),
        tool_version: tool_version.to_owned(),
        host: String::new(),
        shared: shared_beds(experiment),
        open: Vec::new(),
        repeats: most.filter(|most| *most > experiment.design.repeats),
        terms: led.terms.clone(),
    };
    or_failed(notebook, run, |notebook| {
        Lead { experiment, seed: stored.seed, run, asked, led: &mut led, interrupt, observer }.go(notebook)
    })
}

fn asked(request: &Request, terms: &Terms) -> Asked {
    Asked {
        toml: request.experiment_toml.clone(),
        name: request.name.clone(),
        scale: request.scale,
        scale_statement: request.scale_statement.clone(),
        seed: request.seed,
        work_dir: request.work_dir.clone(),
        tool_version: request.tool_version.clone(),
        host: String::new(),
        shared: shared_beds(&request.experiment),
        open: Vec::new(),
        repeats: None,
        terms: terms.clone(),
    }
}

/// One run of a fleet in progress.
struct Lead<'a> {
    experiment: &'a Experiment,
    seed: u64,
    run: RunId,
    asked: Asked,
    led: &'a mut Led,
    interrupt: &'a Interrupt,
    observer: &'a dyn Observer,
}

impl Lead<'_> {
    fn go(&mut self, notebook: &mut Notebook) -> Result<Finished, LabError> {
        let membership = Membership::default();
        let cells = Cells {
            experiment: self.experiment,
            run: self.run,
            membership: &membership,
            interrupt: self.interrupt,
            observer: self.observer,
        };
        let (open, plan) = (cells.open(notebook)?, plan(self.experiment, self.seed)?);
        let expected = |key: CellKey| plan.cell[key.workload];
        let watcher = Watcher::new(self.led.coordinator.size(), self.interrupt, self.observer);
        self.agree(notebook, &open, &watcher)?;
        cells.announce(&open, expected);
        let mut left = open.positions().len();
        cells.each(notebook, &open, expected, |position, key| {
            left -= 1;
            self.cell((position, key), (plan.load, expected(key)), &watcher)
        })?;
        let left_behind = self.end(left, plan.load, &watcher)?;
        let mut finished = finish(notebook, self.run)?;
        for text in left_behind {
            notebook.add_note(self.run, NoteKind::Warning, Remark::Told { text: text.clone() })?;
            finished.left_behind = Some(text);
        }
        Ok(finished)
    }

    /// Plan agreed: every rank reads it, says what it found on its machine, and hears that all have.
    fn agree(&mut self, notebook: &Notebook, open: &Open, watcher: &Watcher<'_>) -> Result<(), LabError> {
        let coordinator = &mut self.led.coordinator;
        coordinator.words(Meeting::Plan, UNPLANNED, watcher)?;
        let hosts = coordinator.hosts();
        for (rank, host) in (0..).zip(&hosts) {
            let asked = Asked { host: host.clone(), open: open.positions(), ..self.asked.clone() };
            coordinator.answer_one(rank, &encode(&asked));
        }
        let words = coordinator.words(Meeting::Plan, UNPLANNED, watcher)?;
        let found = words.iter().map(|word| decode(word)).collect::<Result<Vec<Found>, _>>()?;
        let mut facts = self.led.started_by.clone();
        facts.insert("ranks".to_owned(), hosts.len().to_string());
        for (rank, (hello, (host, found))) in
            coordinator.hellos().iter().zip(hosts.iter().zip(&found)).enumerate()
        {
            let number = rank + 1;
            facts.insert(format!("host.{number}"), host.clone());
            facts.insert(format!("host.{number}.machine"), hello.machine.clone());
            facts.insert(format!("host.{number}.notebook"), found.notebook.clone());
        }
        notebook.add_fact_set(self.run, SCOPE, &facts)?;
        for text in compare::keep(notebook, self.run, &hosts, &found)? {
            self.observer.event(Event::Warning { text });
        }
        self.led.coordinator.answer(&[]);
        Ok(())
    }

    /// The end: ranks that wait for a cell that nobody runs any more hear so, and all say farewell. The data
    /// that they could not remove.
    fn end(&mut self, left: usize, load: Duration, watcher: &Watcher<'_>) -> Result<Vec<String>, LabError> {
        let coordinator = &mut self.led.coordinator;
        let limit = load * SLACK + UNPLANNED;
        let mut waits = left > 0;
        while waits {
            let (at, _) = coordinator.words_at(&[Meeting::Shared, Meeting::Cell], limit, watcher)?;
            coordinator.answer(&encode(&Next::End));
            waits = at == Meeting::Shared;
        }
        let hosts = coordinator.hosts();
        let byes = coordinator.byes(UNPLANNED, watcher)?;
        let mut left_behind = Vec::new();
        for (rank, (host, bye)) in hosts.iter().zip(byes).enumerate() {
            let (_, _, left): (usize, usize, Option<String>) = decode(&bye)?;
            left_behind.extend(left.map(|left| {
                let found = Box::new(Remark::Told { text: left });
                Remark::OfHost { rank: rank as u32, host: host.clone(), found }.to_string()
            }));
        }
        Ok(left_behind)
    }
}
