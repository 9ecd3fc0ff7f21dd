//! A rank: it takes the plan from the lead and conducts its share of it into its own notebook.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use block::DestroyOrder;
use fleet::{Fleet as _, Meeting, Member, decode, encode};
use notebook::{CellState, Notebook, RunId};
use simulate::BedSource;

use crate::conduct::opening::Surroundings;
use crate::conduct::{self, Again};
use crate::error::LabError;
use crate::event::Observer;
use crate::interrupt::Interrupt;
use crate::membership::{Asked, Found, Membership, experiment_of, of_rank};
use crate::request::{Finished, Request};
use crate::storage::drive_facts;
use crate::world::World;

/// A rank and what its process knows.
pub struct Worker<'a> {
    /// Its way to the lead.
    pub member: Arc<Member>,
    /// The working directory, where the experiment's relative paths begin.
    pub directory: Option<String>,
    /// The clock of the run, and what else the process brings; its membership is made here.
    pub world: World,
    /// The beds of simulated runs.
    pub source: &'a dyn BedSource,
    /// Ends the run.
    pub interrupt: &'a Interrupt,
    /// Watches it.
    pub observer: &'a dyn Observer,
}

/// Runs the share of a rank, from the plan to the end.
///
/// # Errors
/// As [`run`](crate::run), and [`LabError::Fleet`] when the lead is gone. The lead is told, if it is there.
pub fn serve_rank(worker: &Worker<'_>) -> Result<Finished, LabError> {
    let member = &worker.member;
    let finished = serve(worker).inspect_err(|error| member.fail(&error.to_string()))?;
    member.bye(&encode(&(finished.done, finished.invalid, finished.left_behind.clone())))?;
    Ok(finished)
}

fn serve(worker: &Worker<'_>) -> Result<Finished, LabError> {
    let (member, rank) = (&worker.member, worker.member.rank());
    let asked: Asked = decode(&member.agree(Meeting::Plan, &[])?)?;
    let request = request(&asked, worker)?;
    let path = PathBuf::from(of_rank(&asked.terms.notebook, rank, &asked.host));
    let mut notebook = Notebook::open_or_create(&path)?;
    let before = notebook.runs_in(&request.work_dir)?.last().map(|run| run.id);
    match agree(&request, before, &notebook, member) {
        Ok(here) => request.world.membership.are_here(here),
        Err(error) => {
            // Refused by this rank or by another, and nothing came of it.
            notebook.discard_empty()?;
            return Err(error);
        }
    }
    match before {
        None => conduct::run(&request, &mut notebook, worker.interrupt, worker.observer),
        Some(run) => {
            let again = again(&notebook, run, &asked)?;
            let watch = (worker.interrupt, worker.observer);
            conduct::resume((run, &again), worker.source, &mut notebook, &request.world, watch.0, watch.1)
        }
    }
}

/// Says what this machine is, if it can do its share. The ranks on it.
fn agree(
    request: &Request,
    before: Option<RunId>,
    notebook: &Notebook,
    member: &Member,
) -> Result<Vec<u32>, LabError> {
    if before.is_none() {
        conduct::check(&request.experiment, &request.world)?;
    }
    let surroundings = Surroundings::look(&request.experiment, &request.world);
    let found = Found {
        host: surroundings.host,
        findings: surroundings.findings,
        notebook: notebook.path().display().to_string(),
        machine: host::machine_id(),
        drives: drive_facts::of_real(&request.experiment),
    };
    Ok(decode(&member.agree(Meeting::Plan, &encode(&found))?)?)
}

/// The work that the rank repeats: cells that it has and the lead has not, because another rank did not hand
/// them in.
fn again(notebook: &Notebook, run: RunId, asked: &Asked) -> Result<Again, LabError> {
    let open: BTreeSet<u32> = asked.open.iter().copied().collect();
    let stored = notebook.cells(run)?;
    let is_more = asked.open.iter().any(|position| stored.iter().all(|cell| cell.position != *position));
    let mut cells: Vec<u32> = stored
        .iter()
        .filter(|cell| cell.state == CellState::Done && open.contains(&cell.position))
        .map(|cell| cell.position)
        .collect();
    cells.sort_unstable();
    Ok(Again { repeats: asked.repeats.filter(|_| is_more), cells })
}

/// The share of this rank as a run of its own.
fn request(asked: &Asked, worker: &Worker<'_>) -> Result<Request, LabError> {
    let (rank, size) = (worker.member.rank(), worker.member.size());
    let experiment = experiment_of(&asked.toml, &asked.host, (rank, size))?;
    let orders = asked.terms.destroy.iter().map(|text| DestroyOrder::parse(text, &asked.terms.overwrite));
    let destroy = orders.collect::<Result<Vec<_>, _>>().map_err(LabError::Refused)?;
    let membership = Membership::of(
        Arc::clone(&worker.member) as Arc<dyn fleet::Fleet>,
        Some(asked.open.iter().copied().collect()),
        asked.shared.iter().cloned().collect(),
    );
    Ok(Request {
        experiment_toml: experiment::to_toml(&experiment),
        experiment,
        name: asked.name.clone(),
        scale: asked.scale,
        scale_statement: asked.scale_statement.clone(),
        seed: asked.seed,
        work_dir: asked.work_dir_of(worker.member.rank()),
        directory: worker.directory.clone(),
        tool_version: asked.tool_version.clone(),
        world: World { destroy, membership, ..worker.world.clone() },
    })
}
