//! One cell of order entry: reset, ramp-up, measure, check, and what came of it.

use std::time::Instant;

use database::Instance;
use experiment::{Mode, Pacing, Profile, Tpcc};
use notebook::{CellRecord, CellState, Event as CellEvent, Phase};
use oltp::Together as _;
use oltp::tpcc::{self, RunOptions, RunOutcome, Stage};

use crate::conduct::{Conductor, seconds_since};
use crate::data_set::DataSet;
use crate::fleet::{self, Fleet, numbered};
use crate::measurements::{self, OrderEntryFacts};
use crate::order::CellKey;
use crate::watch::Watched;
use crate::{Event, instances, reset, watch};

/// Runs the cell. Never fails: what goes wrong becomes the reason of an invalid cell.
pub(crate) fn cell(conductor: &Conductor<'_>, key: CellKey, tpcc: &Tpcc) -> CellRecord {
    try_cell(conductor, key, tpcc).unwrap_or_else(invalid)
}

/// A cell that came to nothing, and why.
pub(crate) fn invalid(reason: String) -> CellRecord {
    CellRecord { state: CellState::Invalid, reason: Some(reason), ..CellRecord::default() }
}

fn try_cell(conductor: &Conductor<'_>, key: CellKey, tpcc: &Tpcc) -> Result<CellRecord, String> {
    let clock = Instant::now();
    conductor.observer.event(Event::Phase { name: "reset" });
    let seed = cell_seed(conductor.seed, key);
    let mut fleet = reset::fresh(conductor, key, seed)?;
    let reset_s = seconds_since(clock);
    let options = options(conductor, key, tpcc, seed);
    let loaded =
        watch::under_load(conductor, &fleet.instances, "new orders/s", |number, instance, control| {
            // Equal instances are asked alike, not the same.
            let options = RunOptions { seed: options.seed.wrapping_add(number as u64), ..options.clone() };
            tpcc::run(instance, &options, control).map_err(|e| with_log(instance, e.to_string()))
        })?;
    let (loaded, rates) = taken_together(loaded)?;
    let (settings, felt) = (fleet.settings(), fleet.felt());
    let data = DataSet::OrderEntry { warehouses: tpcc.warehouses };
    let verdict = verdict(conductor, key, &data, &mut fleet, Load::of(&loaded.outcome));
    let mut phases =
        phases(reset_s, loaded.outcome.ramp_up.as_secs_f64(), loaded.outcome.measured.as_secs_f64());
    verdict.add_phase(&mut phases);
    let facts = OrderEntryFacts {
        virtual_users: options.virtual_users * fleet.instances.len() as u32,
        rates,
        keeps_bands: options.profile == tpcc::Profile::Standard,
        reset_s,
        reset_method: fleet.reset_method.clone(),
        settings,
    };
    drop(fleet);
    let mut record = measurements::of_order_entry(loaded, &facts, phases, verdict);
    record.measurements.extend(felt);
    Ok(record)
}

/// The runs of all instances as one, and the NOPM of each. Those that came to nothing make the whole fatal, with the others' figures kept.
fn taken_together(
    loaded: Watched<Vec<Result<RunOutcome, String>>>,
) -> Result<(Watched<RunOutcome>, Vec<f64>), String> {
    let (results, loaded) = loaded.apart();
    let (runs, faults) = fleet::sort_out(results);
    let rates: Vec<f64> = runs.iter().map(|run| run.nopm).collect();
    let Some(mut outcome) = RunOutcome::together(runs) else { return Err(faults.join("; ")) };
    fleet::add_faults(&mut outcome.fatal, faults);
    Ok((loaded.with(outcome), rates))
}

fn options(conductor: &Conductor<'_>, key: CellKey, tpcc: &Tpcc, seed: u64) -> RunOptions {
    RunOptions {
        virtual_users: tpcc.virtual_users[key.level],
        warehouses: tpcc.warehouses,
        home: match tpcc.home {
            experiment::Home::Fixed => tpcc::Home::Fixed,
            experiment::Home::All => tpcc::Home::All,
        },
        profile: match tpcc.profile {
            None => tpcc::Profile::Standard,
            Some(Profile::HammerdbLike) => tpcc::Profile::HammerdbLike,
        },
        ramp_up: tpcc.ramp_up.0,
        measure: tpcc.measure.0,
        seed,
        mode: mode_of(conductor),
        pacing: match tpcc.pacing {
            Pacing::None => oltp::Pacing::None,
            Pacing::Keyed => oltp::Pacing::Keyed { factor: 1.0 },
            Pacing::ArrivalsPerSecond(per_second) => oltp::Pacing::Arrivals { per_second },
        },
        connections: tpcc.connections,
        ..RunOptions::default()
    }
}

/// Where the transactions' logic runs.
pub(crate) fn mode_of(conductor: &Conductor<'_>) -> tpcc::Mode {
    match conductor.experiment.database.as_ref().map(|d| d.mode).unwrap_or_default() {
        Mode::Statements => tpcc::Mode::Statements,
        Mode::Procedures => tpcc::Mode::Procedures,
    }
}

/// An error with the last lines of the server's log, where there is one.
pub(crate) fn with_log(instance: &dyn Instance, error: String) -> String {
    match instance.server_log(5) {
        Some(log) if !log.is_empty() => format!("{error}\nlast lines of the server's log:\n{log}"),
        _ => error,
    }
}

/// Reset, ramp-up and measure on the cell's own clock, whose zero is the start of the load.
pub(crate) fn phases(reset_s: f64, ramp_s: f64, measured_s: f64) -> Vec<Phase> {
    let phase = |name: &str, start_s: f64, end_s: f64| Phase { name: name.to_owned(), start_s, end_s };
    vec![
        phase("reset", -reset_s, 0.0),
        phase("ramp-up", 0.0, ramp_s),
        phase("measure", ramp_s, ramp_s + measured_s),
    ]
}

/// What the gate needs to know of a load.
pub(crate) struct Load {
    pub(crate) interrupted: bool,
    pub(crate) fatal: Option<String>,
    /// Whether anything that counts was completed.
    pub(crate) completed: bool,
    pub(crate) errors: Vec<(String, u64)>,
}

impl Load {
    fn of(outcome: &RunOutcome) -> Self {
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
        let reason = Some("stopped at once, consistency not checked".to_owned());
        return Verdict { state: CellState::Interrupted, reason, events, check_s: 0.0 };
    }
    let checking = Instant::now();
    conductor.observer.event(Event::Phase { name: "check" });
    fleet.lift_limits();
    let starved = fleet.starved();
    let checked = check(conductor, key, data, fleet);
    let check_s = seconds_since(checking);
    let (state, reason) = match checked {
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
        let violated = data.violations(instance, Stage::AfterRun)?;
        instance.stop().map_err(|e| e.to_string())?;
        return Ok(violated);
    }
    instance.stop().map_err(|e| e.to_string())?;
    let bed = &conductor.experiment.bed[key.bed];
    let mut spec = instances::for_work(database, &conductor.work.instance(bed, index as u32));
    spec.log_dir = conductor.work.log(bed, index as u32);
    let mut free = instances::make(conductor.experiment, spec).map_err(|e| e.to_string())?;
    free.start().map_err(|e| e.to_string())?;
    let violated = data.violations(&*free, Stage::AfterRun)?;
    free.stop().map_err(|e| e.to_string())?;
    Ok(violated)
}

/// The seed of a cell's random streams: the same for all beds of one workload, level and repeat, so that they are asked the same.
pub(crate) fn cell_seed(seed: u64, key: CellKey) -> u64 {
    let parts = [key.workload as u64, key.level as u64, u64::from(key.repeat)];
    // FNV-1a over the parts: any fixed mixing will do, it only has to keep cells apart.
    parts.iter().fold(seed ^ 0xcbf2_9ce4_8422_2325, |hash, part| (hash ^ part).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beds_are_asked_the_same_and_repeats_are_not() {
        let key = CellKey { bed: 0, workload: 0, level: 1, repeat: 2 };
        assert_eq!(cell_seed(7, key), cell_seed(7, CellKey { bed: 1, ..key }));
        assert_ne!(cell_seed(7, key), cell_seed(7, CellKey { repeat: 3, ..key }));
        assert_ne!(cell_seed(7, key), cell_seed(8, key));
    }
}
