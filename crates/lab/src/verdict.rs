//! The gate behind a load: whether its cell counts.

use std::time::Instant;

use database::Instance;
use notebook::{CellState, Event as CellEvent, Phase};
use oltp::tpcc::{RunOutcome, Stage};

use crate::cell::with_log;
use crate::conductor::{Conductor, seconds_since};
use crate::data_set::DataSet;
use crate::fleet::{Fleet, numbered};
use crate::order::CellKey;
use crate::{Event, instances};

/// What the gate needs to know of a load.
pub(crate) struct Load {
    pub(crate) interrupted: bool,
    pub(crate) fatal: Option<String>,
    /// Whether anything that counts was completed.
    pub(crate) completed: bool,
    pub(crate) errors: Vec<(String, u64)>,
}

impl Load {
    pub(crate) fn of(outcome: &RunOutcome) -> Self {
        Self {
            interrupted: outcome.interrupted,
            fatal: outcome.fatal.clone(),
            completed: outcome.nopm > 0.0,
            errors: outcome.errors.iter().map(|(kind, &count)| (kind.clone(), count)).collect(),
        }
    }
}

/// Whether the cell counts, and why not.
pub(crate) struct Verdict {
    pub(crate) state: CellState,
    pub(crate) reason: Option<String>,
    pub(crate) events: Vec<CellEvent>,
    check_s: f64,
}

impl Verdict {
    /// Puts the check behind the phases so far.
    pub(crate) fn add_phase(&self, phases: &mut Vec<Phase>) {
        let start_s = phases.last().map_or(0.0, |phase| phase.end_s);
        phases.push(Phase { name: "check".to_owned(), start_s, end_s: start_s + self.check_s });
    }
}

/// The gate: an interrupted or broken load does not count, nor does one that left the data inconsistent. Stops the instances.
pub(crate) fn verdict(
    conductor: &Conductor<'_>,
    key: CellKey,
    data: &DataSet,
    fleet: &mut Fleet,
    load: Load,
) -> Verdict {
    let event = |kind: &str, count, message| CellEvent { kind: kind.to_owned(), count, message };
    let mut events: Vec<CellEvent> =
        load.errors.into_iter().map(|(kind, count)| event("error", count, kind)).collect();
    if let Some(fatal) = load.fatal {
        let fatal = fatal + &fleet.starved();
        let reason = match &fleet.instances[..] {
            [instance] => with_log(&**instance, fatal),
            _ => fatal,
        };
        return Verdict { state: CellState::Invalid, reason: Some(reason), events, check_s: 0.0 };
    }
    if conductor.interrupt.at_once() {
        return Verdict { state: CellState::Interrupted, reason: Some(unchecked()), events, check_s: 0.0 };
    }
    let checking = Instant::now();
    conductor.observer.event(Event::Phase { name: "check" });
    fleet.lift_limits();
    let starved = fleet.starved();
    let checked = check(conductor, key, data, fleet);
    let check_s = seconds_since(checking);
    let (state, reason) = match checked {
        Err(_) if conductor.interrupt.at_once() => (CellState::Interrupted, Some(unchecked())),
        Err(why) => (CellState::Invalid, Some(format!("consistency could not be checked: {why}{starved}"))),
        Ok(violated) if !violated.is_empty() => {
            let reason = format!("consistency violated: {}", violated.join("; "));
            events.extend(violated.into_iter().map(|message| event("consistency", 1, message)));
            (CellState::Invalid, Some(reason))
        }
        Ok(_) if load.interrupted => {
            let reason = "stopped by the user before the measure phase was over";
            (CellState::Interrupted, Some(reason.to_owned()))
        }
        Ok(_) if !load.completed => {
            (CellState::Invalid, Some("nothing was completed in the measure phase".to_owned()))
        }
        Ok(_) => (CellState::Done, None),
    };
    Verdict { state, reason, events, check_s }
}

fn unchecked() -> String {
    "stopped at once, consistency not checked".to_owned()
}

/// Checks the cell's data off the clock, one instance after the other.
fn check(
    conductor: &Conductor<'_>,
    key: CellKey,
    data: &DataSet,
    fleet: &mut Fleet,
) -> Result<Vec<String>, String> {
    let several = fleet.instances.len() > 1;
    let mut violated = Vec::new();
    for (index, instance) in fleet.instances.iter_mut().enumerate() {
        let found = check_one(conductor, key, data, index, &mut **instance);
        let found = found.map_err(|why| numbered(several, index, &why))?;
        violated.extend(found.iter().map(|what| numbered(several, index, what)));
    }
    Ok(violated)
}

/// A server is checked while it still runs, the embedded engine through free storage.
fn check_one(
    conductor: &Conductor<'_>,
    key: CellKey,
    data: &DataSet,
    index: usize,
    instance: &mut dyn Instance,
) -> Result<Vec<String>, String> {
    let database = conductor.experiment.database.as_ref();
    if instances::engine(database).is_server() {
        let violated = data.violations(instance, Stage::AfterRun, &conductor.interrupt.flag_at_once())?;
        instance.stop().map_err(|e| e.to_string())?;
        return Ok(violated);
    }
    instance.stop().map_err(|e| e.to_string())?;
    let bed = &conductor.experiment.bed[key.bed];
    let mut spec = instances::for_work(database, &conductor.work.instance(bed, index as u32));
    spec.log_dir = conductor.work.log(bed, index as u32);
    let mut free = instances::make(conductor.experiment, spec).map_err(|e| e.to_string())?;
    free.start().map_err(|e| e.to_string())?;
    let violated = data.violations(&*free, Stage::AfterRun, &conductor.interrupt.flag_at_once())?;
    free.stop().map_err(|e| e.to_string())?;
    Ok(violated)
}
