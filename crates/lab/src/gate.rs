//! The gate behind a load: whether its cell counts.

use std::time::{Duration, Instant};
use words::{EventKind, PhaseName};

use database::Instance;
use notebook::{CellState, Event as CellEvent, Phase};
use oltp::Requests;
use oltp::tpcc::{RunOutcome, Stage};

use crate::cell::with_log;
use crate::conductor::{Conductor, seconds_since};
use crate::data_set::DataSet;
use crate::fleet::{Fleet, numbered};
use crate::metrics::{event, phase};
use crate::order::CellKey;
use crate::{Event, instances, lives};

/// So long a server has to come to an end with what nobody waits for any more.
const SETTLE: Duration = Duration::from_secs(3);

/// What the gate needs to know of a load.
pub(crate) struct Ended {
    pub(crate) interrupted: bool,
    pub(crate) fatal: Option<String>,
    /// Whether anything that counts was completed.
    pub(crate) completed: bool,
    pub(crate) errors: Vec<(String, u64)>,
    /// What became of the requests that were due.
    pub(crate) requests: Requests,
    /// Servers that crashed or were started again meanwhile, in words.
    pub(crate) restarts: Vec<String>,
}

impl Ended {
    pub(crate) fn of(outcome: &RunOutcome, restarts: &[String]) -> Self {
        Self {
            interrupted: outcome.interrupted,
            fatal: outcome.fatal.clone(),
            completed: outcome.nopm > 0.0,
            errors: outcome.errors.iter().map(|(kind, &count)| (kind.clone(), count)).collect(),
            requests: outcome.requests.clone(),
            restarts: restarts.to_vec(),
        }
    }

    /// Why the load says nothing of the bed though it went on to its end: a server that recovered, or lost
    /// all its clients, has begun anew in the middle of it.
    fn begun_anew(&self) -> Option<String> {
        let faults: Vec<String> = self.restarts.iter().cloned().chain(self.requests.fault()).collect();
        (!faults.is_empty()).then(|| faults.join("; "))
    }
}

/// Whether the cell counts, and why not.
pub(crate) struct Gate {
    pub(crate) state: CellState,
    pub(crate) reason: Option<String>,
    pub(crate) events: Vec<CellEvent>,
    check_s: f64,
}

impl Gate {
    /// Puts the check behind the phases so far.
    pub(crate) fn add_phase(&self, phases: &mut Vec<Phase>) {
        let start_s = phases.last().map_or(0.0, |phase| phase.end_s);
        phases.push(phase(PhaseName::Check, start_s, start_s + self.check_s));
    }
}

/// The gate: an interrupted or broken load does not count, nor does one that left the data inconsistent.
/// Stops the instances.
pub(crate) fn gate(
    conductor: &Conductor<'_>,
    key: CellKey,
    data: &DataSet,
    fleet: &mut Fleet,
    load: Ended,
) -> Gate {
    let begun_anew = load.begun_anew();
    let mut events: Vec<CellEvent> = load
        .errors
        .into_iter()
        .map(|(kind, count)| CellEvent { count, ..event(EventKind::Error, kind) })
        .collect();
    events.extend(load.requests.warnings().into_iter().map(|warning| event(EventKind::Warning, warning)));
    let and_anew = |reason: String| match &begun_anew {
        Some(faults) => format!("{reason}; {faults}"),
        None => reason,
    };
    if let Some(fatal) = load.fatal {
        let fatal = and_anew(fatal) + &fleet.starved();
        let reason = match &fleet.instances[..] {
            [instance] => with_log(&**instance, fatal),
            _ => fatal,
        };
        return Gate { state: CellState::Invalid, reason: Some(reason), events, check_s: 0.0 };
    }
    if conductor.interrupt.at_once() {
        return Gate { state: CellState::Interrupted, reason: Some(unchecked()), events, check_s: 0.0 };
    }
    if load.requests.unfinished > 0
        && let Some(why) = lives::silent(&fleet.instances)
        && !conductor.interrupt.at_once()
    {
        // Its check would wait for it, too.
        let reason =
            Some(and_anew(format!("{} requests were not answered, and {why}", load.requests.unfinished)));
        return Gate { state: CellState::Invalid, reason, events, check_s: 0.0 };
    }
    let checking = Instant::now();
    conductor.observer.event(Event::Phase { name: "check" });
    fleet.lift_limits();
    let starved = fleet.starved();
    let checked = check(conductor, key, data, fleet, load.requests.unfinished > 0);
    let check_s = seconds_since(checking);
    let (state, reason) = match checked {
        Err(_) if conductor.interrupt.at_once() => (CellState::Interrupted, Some(unchecked())),
        Err(why) => {
            let reason = format!("consistency could not be checked: {why}{starved}");
            (CellState::Invalid, Some(and_anew(reason)))
        }
        Ok(violated) if !violated.is_empty() => {
            let reason = format!("consistency violated: {}", violated.join("; "));
            events.extend(violated.into_iter().map(|message| event(EventKind::Consistency, message)));
            (CellState::Invalid, Some(and_anew(reason)))
        }
        Ok(_) if begun_anew.is_some() => (CellState::Invalid, begun_anew.clone().map(|why| why + &starved)),
        Ok(_) if load.interrupted => {
            let reason = "stopped by the user before the measure phase was over";
            (CellState::Interrupted, Some(reason.to_owned()))
        }
        Ok(_) if !load.completed => {
            (CellState::Invalid, Some("nothing was completed in the measure phase".to_owned()))
        }
        Ok(_) => (CellState::Done, None),
    };
    Gate { state, reason, events, check_s }
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
    settles: bool,
) -> Result<Vec<String>, String> {
    let several = fleet.instances.len() > 1;
    let mut violated = Vec::new();
    for (index, instance) in fleet.instances.iter_mut().enumerate() {
        let found = check_one(conductor, key, data, (index, settles), &mut **instance);
        let found = found.map_err(|why| numbered(several, index, &why))?;
        violated.extend(found.iter().map(|what| numbered(several, index, what)));
    }
    Ok(violated)
}

/// Lets the server come to an end, unless everything is to end.
fn settle(conductor: &Conductor<'_>) {
    let since = Instant::now();
    while since.elapsed() < SETTLE && !conductor.interrupt.at_once() {
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A server is checked while it still runs, the embedded engine through free storage. Where requests were
/// given up, the server may still have been at work on them (`settles`): what is violated then has to be so a
/// second time.
fn check_one(
    conductor: &Conductor<'_>,
    key: CellKey,
    data: &DataSet,
    (index, settles): (usize, bool),
    instance: &mut dyn Instance,
) -> Result<Vec<String>, String> {
    let database = conductor.experiment.database.as_ref();
    if instances::engine(database).is_server() {
        let look = |instance: &dyn Instance| {
            data.violations(instance, Stage::AfterRun, &conductor.interrupt.flag_at_once())
        };
        let mut violated = look(instance)?;
        if settles && !violated.is_empty() {
            settle(conductor);
            violated = look(instance)?;
        }
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
