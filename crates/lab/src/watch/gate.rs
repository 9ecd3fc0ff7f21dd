//! The gate behind a load: whether its cell counts.

use std::time::Duration;
use words::{EventKind, PhaseName, Reason, Reasons};

use database::Instance;
use notebook::{CellState, Event as CellEvent, Phase};
use oltp::Requests;
use oltp::tpcc::{RunOutcome, Stage};

use crate::bed::fleet::{Fleet, numbered};
use crate::bed::instances;
use crate::bed::lives;
use crate::conductor::Conductor;
use crate::event::Event;
use crate::metrics::{event, phase};
use crate::needs::data_set::DataSet;
use crate::order::CellKey;
use crate::watch::cell::with_log;

/// The time limit for a server to finish work that nobody waits for any more.
const SETTLE: Duration = Duration::from_secs(3);

/// The facts about a load that the gate needs.
pub(crate) struct Ended {
    pub(crate) interrupted: bool,
    /// The events that ended it before its time, or kept instances from it.
    pub(crate) faults: Reasons,
    /// True if any counted request was completed.
    pub(crate) completed: bool,
    pub(crate) errors: Vec<(String, u64)>,
    /// The fates of the requests that were due.
    pub(crate) requests: Requests,
    /// Servers that crashed or were started again meanwhile.
    pub(crate) restarts: Reasons,
}

impl Ended {
    pub(crate) fn of(outcome: &RunOutcome, faults: Reasons, restarts: &Reasons) -> Self {
        Self {
            interrupted: outcome.interrupted,
            faults,
            completed: outcome.nopm > 0.0,
            errors: outcome.errors.iter().map(|(kind, &count)| (kind.clone(), count)).collect(),
            requests: outcome.requests.clone(),
            restarts: restarts.clone(),
        }
    }

    /// The reasons why the load says nothing about the bed, although it went on to its end: a server that
    /// recovered, or lost all its clients, started again during the load.
    fn begun_anew(&self) -> Reasons {
        self.restarts.clone().into_iter().chain(self.requests.fault()).collect()
    }
}

/// The decision whether the cell counts, with the reasons.
pub(crate) struct Gate {
    pub(crate) state: CellState,
    pub(crate) reasons: Reasons,
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
    conductor.meeting.done();
    let begun_anew = load.begun_anew();
    let mut events: Vec<CellEvent> = load
        .errors
        .into_iter()
        .map(|(kind, count)| CellEvent { count, ..event(EventKind::Error, kind) })
        .collect();
    events.extend(load.requests.warnings().into_iter().map(|warning| event(EventKind::Warning, warning)));
    let unfinished = load.requests.unfinished;
    // A check opens the data by their path, which may lead to somebody else's folder now.
    let faults = conductor.claimed.displaced().into_iter().chain(load.faults).collect();
    if let Some((state, reasons)) = without_check(conductor, fleet, faults, &begun_anew, unfinished) {
        return Gate { state, reasons, events, check_s: 0.0 };
    }
    let checking = conductor.clock().stopwatch();
    conductor.observer.event(Event::Phase { name: PhaseName::Check });
    fleet.lift_limits();
    let starved = fleet.starved();
    // The load of all ranks together is checked by one of them.
    let is_guest = conductor.world.membership.is_guest(&conductor.experiment.bed[key.bed]);
    let checked =
        if is_guest { Ok(Reasons::default()) } else { check(conductor, key, data, fleet, unfinished > 0) };
    let check_s = checking.seconds();
    let (state, reasons) = match checked {
        Err(_) if conductor.interrupt.at_once() => (CellState::Interrupted, Reason::StoppedUnchecked.into()),
        Err(why) => {
            let why = Reason::NotChecked { why: why.into() };
            (CellState::Invalid, std::iter::once(why).chain(starved).chain(begun_anew).collect())
        }
        Ok(conditions) if !conditions.is_empty() => {
            events.extend(conditions.0.iter().map(|what| event(EventKind::Consistency, what.clone())));
            let why = Reason::Violated { conditions };
            (CellState::Invalid, std::iter::once(why).chain(begun_anew).collect())
        }
        Ok(_) if !begun_anew.is_empty() => {
            (CellState::Invalid, begun_anew.into_iter().chain(starved).collect())
        }
        Ok(_) if load.interrupted => (CellState::Interrupted, Reason::StoppedMeasuring.into()),
        Ok(_) if !load.completed => (CellState::Invalid, Reason::NothingCompleted.into()),
        Ok(_) => (CellState::Done, Reasons::default()),
    };
    Gate { state, reasons, events, check_s }
}

/// The end of a cell whose data need no check: the load broke or lost its storage, everything is to end at
/// once, or a server is silent, so that its check would wait for it, too.
fn without_check(
    conductor: &Conductor<'_>,
    fleet: &Fleet,
    faults: Reasons,
    begun_anew: &Reasons,
    unfinished: u64,
) -> Option<(CellState, Reasons)> {
    let at_once = || conductor.interrupt.at_once();
    if !faults.is_empty() {
        let reasons: Reasons = faults.into_iter().chain(begun_anew.clone()).chain(fleet.starved()).collect();
        let reasons = match &fleet.instances[..] {
            [instance] => with_log(&**instance, reasons),
            _ => reasons,
        };
        return Some((CellState::Invalid, reasons));
    }
    if at_once() {
        return Some((CellState::Interrupted, Reason::StoppedUnchecked.into()));
    }
    let silent = (unfinished > 0).then(|| lives::silent(&fleet.instances)).flatten();
    silent.filter(|_| !at_once()).map(|why| {
        let why = Reason::Unanswered { requests: unfinished, why: Box::new(why) };
        (CellState::Invalid, std::iter::once(why).chain(begun_anew.clone()).collect())
    })
}

/// Checks the cell's data, one instance after the other; the time is not measured.
fn check(
    conductor: &Conductor<'_>,
    key: CellKey,
    data: &DataSet,
    fleet: &mut Fleet,
    settles: bool,
) -> Result<Reasons, Reason> {
    let several = fleet.instances.len() > 1;
    let mut violated = Reasons::default();
    for (index, instance) in fleet.instances.iter_mut().enumerate() {
        let found = check_one(conductor, key, data, (index, settles), &mut **instance);
        let found = found.map_err(|error| numbered(several, index, Reason::Error { error }))?;
        violated.extend(found.into_iter().map(|what| numbered(several, index, what)));
    }
    Ok(violated)
}

/// Lets the server come to an end, unless everything is to end.
fn settle(conductor: &Conductor<'_>) {
    let since = conductor.clock().stopwatch();
    while since.elapsed() < SETTLE && !conductor.interrupt.at_once() {
        conductor.clock().sleep(Duration::from_millis(50));
    }
}

/// A server is checked while it still runs, the embedded engine through storage without cost. Where requests
/// were given up, the server may still have been working on them (`settles`): a violation must then be found
/// a second time.
fn check_one(
    conductor: &Conductor<'_>,
    key: CellKey,
    data: &DataSet,
    (index, settles): (usize, bool),
    instance: &mut dyn Instance,
) -> Result<Reasons, String> {
    if conductor.experiment.engine().is_server() {
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
    let mut spec = instances::for_work(conductor.experiment, &conductor.work.instance(bed, index as u32));
    spec.log_dir = conductor.work.log(bed, index as u32);
    let mut free = instances::make(conductor, spec).map_err(|e| e.to_string())?;
    free.start().map_err(|e| e.to_string())?;
    let violated = data.violations(&*free, Stage::AfterRun, &conductor.interrupt.flag_at_once())?;
    free.stop().map_err(|e| e.to_string())?;
    Ok(violated)
}
