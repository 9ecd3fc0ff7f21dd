//! The lead of a fleet: it tells the ranks the plan, brings them together in every cell, and keeps the merged
//! cells. It measures nothing itself.

mod cell;
mod watch;

use std::collections::BTreeMap;
use std::time::Duration;

use fleet::{Coordinator, Meeting, Wait, decode, encode};
use notebook::{Notebook, RunId};
use words::{NoteKind, Remark, say};

use crate::conduct::Again;
use crate::conduct::cells::Cells;
use crate::conduct::opening::{describe_led, new_beds, new_run, planned};
use crate::error::LabError;
use crate::event::{Event, Observer};
use crate::interrupt::Interrupt;
use crate::levels::Levels;
use crate::membership::{
    Asked, At, Found, Membership, Next, SCOPE, Terms, check_shares, shared_beds, was_led,
};
use crate::order::{CellKey, cells_in_order};
use crate::plan::plan_of;
use crate::ranks::compare;
use crate::request::{Finished, Request, finish, or_failed};
use crate::storage::drives;
use watch::Watcher;

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

/// Leads a fleet through a new run and keeps the merged cells in `notebook`. Each rank keeps its own.
///
/// # Errors
/// As [`run`](crate::run); and [`LabError::Fleet`] with the rank that failed, is gone or does not come. A run
/// that a rank refuses before it begins is not kept. Cells that were merged before stay, and those of each
/// rank in its own notebook.
pub fn lead(
    request: &Request,
    mut led: Led,
    notebook: &mut Notebook,
    interrupt: &Interrupt,
    observer: &dyn Observer,
) -> Result<Finished, LabError> {
    let experiment = &request.experiment;
    let size = led.coordinator.size();
    check_shares(experiment, size)?;
    let drives =
        experiment.bed.iter().map(|bed| drives::choose(experiment, bed)).collect::<Result<Vec<_>, _>>()?;
    let asked = asked(request, &led.terms);
    let levels = Levels::of_ranks(experiment, size);
    let mut lead = Lead::new(levels, request.seed, asked, (&mut led, interrupt, observer));
    let all: Vec<(u32, CellKey)> = (0..).zip(cells_in_order(experiment, request.seed)).collect();
    let found = lead.tell(&all)?;
    let beds = new_beds(experiment, &drives);
    let run = notebook.start_run(&new_run(request, &drives), &beds, &planned(levels, request.seed))?;
    or_failed(notebook, run, |notebook| {
        describe_led(notebook, run, experiment, &drives)?;
        lead.go(run, &found, notebook)
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
    let size = led.coordinator.size();
    let ranks = was_led(notebook, run)?.and_then(|facts| facts.get("ranks")?.parse::<u32>().ok());
    if ranks.is_some_and(|ranks| ranks != size) {
        let why = say!("resume-other-size", was = ranks.unwrap_or(0), is = size);
        return Err(LabError::Resume { run: run.0, why });
    }
    notebook.become_writer()?;
    let parsed = experiment::parse(&stored.experiment_toml, &stored.name);
    let experiment = &parsed.map_err(|e| LabError::Resume {
        run: run.0,
        why: format!("its stored experiment no longer parses:\n{e}"),
    })?;
    let levels = Levels::of_ranks(experiment, size);
    let more = again.check(notebook, run, (levels, stored.seed))?;
    again.apply(notebook, run, &more)?;
    // The ranks are told which cells are open.
    notebook.repeat_cells(run, &again.cells)?;
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
    let mut lead = Lead::new(levels, stored.seed, asked, (&mut led, interrupt, observer));
    or_failed(notebook, run, |notebook| {
        let membership = Membership::default();
        let open = lead.cells(run, &membership).open(notebook)?;
        let found = lead.tell(&open.places())?;
        lead.go(run, &found, notebook)
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
    levels: Levels<'a>,
    seed: u64,
    asked: Asked,
    led: &'a mut Led,
    interrupt: &'a Interrupt,
    observer: &'a dyn Observer,
    /// The ranks that are at a cell and have no answer yet.
    at: Vec<Option<At>>,
    /// The machine of each rank, once the ranks have said it.
    machines: Vec<String>,
}

impl<'a> Lead<'a> {
    fn new(
        levels: Levels<'a>,
        seed: u64,
        asked: Asked,
        (led, interrupt, observer): (&'a mut Led, &'a Interrupt, &'a dyn Observer),
    ) -> Lead<'a> {
        let at = (0..led.coordinator.size()).map(|_| None).collect();
        Lead { levels, seed, asked, led, interrupt, observer, at, machines: Vec::new() }
    }

    fn cells<'c>(&self, run: RunId, membership: &'c Membership) -> Cells<'c>
    where
        'a: 'c,
    {
        Cells {
            levels: self.levels,
            run,
            again: &[],
            membership,
            interrupt: self.interrupt,
            observer: self.observer,
        }
    }

    fn watcher(&self) -> Watcher<'a> {
        Watcher::new(self.led.coordinator.size(), self.interrupt, self.observer)
    }

    /// Plan agreed: every rank reads it with its own of these cells, and says what it found on its machine.
    fn tell(&mut self, open: &[(u32, CellKey)]) -> Result<Vec<Found>, LabError> {
        let watcher = self.watcher();
        let all = self.led.coordinator.all();
        let wait = Wait { ranks: &all, limit: UNPLANNED };
        self.led.coordinator.words(Meeting::Plan, wait, &watcher)?;
        let hosts = self.led.coordinator.hosts();
        for (&rank, host) in all.iter().zip(&hosts) {
            let own = open.iter().filter(|(_, key)| self.ranks_of(*key).contains(&rank));
            let open = own.map(|(position, _)| *position).collect();
            let asked = Asked { host: host.clone(), open, ..self.asked.clone() };
            self.led.coordinator.answer(&[rank], &encode(&asked));
        }
        let words = self.led.coordinator.words(Meeting::Plan, wait, &watcher)?;
        Ok(words.iter().map(|word| decode(word)).collect::<Result<_, _>>()?)
    }

    fn go(&mut self, run: RunId, found: &[Found], notebook: &mut Notebook) -> Result<Finished, LabError> {
        let membership = Membership::default();
        let cells = self.cells(run, &membership);
        let (open, plan) = (cells.open(notebook)?, plan_of(self.levels, self.seed)?);
        let expected = |key: CellKey| plan.cell[key.workload];
        let watcher = self.watcher();
        self.keep(run, found, notebook)?;
        self.machines = found.iter().map(|found| found.machine.clone()).collect();
        for (&rank, own) in self.led.coordinator.all().iter().zip(&self.machines) {
            let here = (0..).zip(&self.machines).filter(|(_, other)| *other == own);
            let here: Vec<u32> = here.map(|(other, _)| other).collect();
            self.led.coordinator.answer(&[rank], &encode(&here));
        }
        cells.announce(&open, expected);
        let mut left = open.places();
        // All ranks prepare at once, also those that begin later.
        let preparing: Vec<u32> = self.ranks_in(&left);
        if !preparing.is_empty() {
            let limit = plan.load * SLACK + UNPLANNED;
            self.bring(Wait { ranks: &preparing, limit }, &watcher)?;
        }
        cells.each(notebook, &open, expected, |_, position, key| {
            left.retain(|(place, _)| *place != position);
            self.cell((position, key), (plan.load, expected(key)), &watcher)
        })?;
        let left_behind = self.end(&left, plan.load, &watcher)?;
        let mut finished = finish(notebook, run)?;
        for left in left_behind {
            notebook.add_note(run, NoteKind::Warning, left.clone())?;
            finished.left_behind = Some(left);
        }
        Ok(finished)
    }

    /// The ranks that take part in any of these cells.
    fn ranks_in(&self, cells: &[(u32, CellKey)]) -> Vec<u32> {
        cells.iter().map(|(_, key)| self.ranks_of(*key)).max_by_key(Vec::len).unwrap_or_default()
    }

    /// Keeps the names of the hosts and what was found on them.
    fn keep(&self, run: RunId, found: &[Found], notebook: &Notebook) -> Result<(), LabError> {
        let coordinator = &self.led.coordinator;
        let hosts = coordinator.hosts();
        let mut facts = self.led.started_by.clone();
        facts.insert("ranks".to_owned(), hosts.len().to_string());
        let hellos = coordinator.hellos();
        for (number, (hello, (host, found))) in (1..).zip(hellos.iter().zip(hosts.iter().zip(found))) {
            facts.insert(format!("host.{number}"), host.clone());
            facts.insert(format!("host.{number}.machine"), hello.machine.clone());
            facts.insert(format!("host.{number}.notebook"), found.notebook.clone());
        }
        notebook.add_fact_set(run, SCOPE, &facts)?;
        for text in compare::keep(notebook, run, &hosts, found)? {
            self.observer.event(Event::Warning { text });
        }
        Ok(())
    }

    /// The end: ranks that wait for a cell that nobody runs any more hear so, and all say farewell. The data
    /// that they could not remove.
    fn end(
        &mut self,
        left: &[(u32, CellKey)],
        load: Duration,
        watcher: &Watcher<'_>,
    ) -> Result<Vec<Remark>, LabError> {
        let waiting = self.ranks_in(left);
        if !waiting.is_empty() {
            self.bring(Wait { ranks: &waiting, limit: load * SLACK + UNPLANNED }, watcher)?;
            self.led.coordinator.answer(&waiting, &encode(&Next::End));
        }
        let coordinator = &mut self.led.coordinator;
        let hosts = coordinator.hosts();
        let byes = coordinator.byes(UNPLANNED, watcher)?;
        let mut left_behind = Vec::new();
        for (rank, (host, bye)) in hosts.iter().zip(byes).enumerate() {
            let (_, _, left): (usize, usize, Option<Remark>) = decode(&bye)?;
            left_behind.extend(left.map(|left| {
                let (rank, host) = (rank as u32, host.clone());
                Remark::OfHost { rank, host, found: Box::new(left) }
            }));
        }
        Ok(left_behind)
    }
}
