//! One cell of order entry: reset, ramp-up, measure, check, and what came of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use database::Instance;
use database::sqlite::Sqlite;
use experiment::Tpcc;
use host::Sampler;
use notebook::{CellRecord, CellState, Event as CellEvent, Phase};
use oltp::tpcc::{self, Control, RunOptions, RunOutcome, Stage};

use crate::conduct::{Conductor, seconds_since};
use crate::measurements::{self, OrderEntryFacts};
use crate::order::CellKey;
use crate::{Event, reset};

/// How often the watcher looks at the load: often enough that Ctrl-C feels immediate, seldom enough to cost nothing.
const WATCH_INTERVAL: Duration = Duration::from_millis(200);

/// Runs the cell. Never fails: what goes wrong becomes the reason of an invalid cell.
pub(crate) fn cell(conductor: &Conductor<'_>, key: CellKey, tpcc: &Tpcc) -> CellRecord {
    match try_cell(conductor, key, tpcc) {
        Ok(record) => record,
        Err(reason) => {
            CellRecord { state: CellState::Invalid, reason: Some(reason), ..CellRecord::default() }
        }
    }
}

fn try_cell(conductor: &Conductor<'_>, key: CellKey, tpcc: &Tpcc) -> Result<CellRecord, String> {
    let clock = Instant::now();
    let mut phases = Vec::new();
    conductor.observer.event(Event::Phase { name: "reset" });
    let seed = cell_seed(conductor.seed, key);
    let spec = reset::cell_instance(conductor, key.bed, seed);
    let bed = &conductor.experiment.bed[key.bed];
    reset::remove_dir(&spec.dir).map_err(|e| format!("reset: {e}"))?;
    let mut instance = Sqlite::new(spec).map_err(|e| format!("reset: {e}"))?;
    let copied =
        instance.restore(&conductor.work.golden(bed, key.workload)).map_err(|e| format!("reset: {e}"))?;
    instance.start().map_err(|e| format!("start: {e}"))?;
    let reset_s = seconds_since(clock);
    phases.push(Phase { name: "reset".to_owned(), start_s: -reset_s, end_s: 0.0 });

    let options = RunOptions {
        virtual_users: tpcc.virtual_users[key.level],
        warehouses: tpcc.warehouses,
        home: match tpcc.home {
            experiment::Home::Fixed => tpcc::Home::Fixed,
            experiment::Home::All => tpcc::Home::All,
        },
        ramp_up: tpcc.ramp_up.0,
        measure: tpcc.measure.0,
        seed,
    };
    let loaded = under_load(conductor, &instance, &options)?;
    let settings = instance.settings();
    instance.stop().map_err(|e| format!("stop: {e}"))?;
    drop(instance);

    let ramp_s = loaded.outcome.ramp_up.as_secs_f64();
    let end_s = ramp_s + loaded.outcome.measured.as_secs_f64();
    phases.push(Phase { name: "ramp-up".to_owned(), start_s: 0.0, end_s: ramp_s });
    phases.push(Phase { name: "measure".to_owned(), start_s: ramp_s, end_s });
    let verdict = verdict(conductor, key, &loaded.outcome);
    phases.push(Phase { name: "check".to_owned(), start_s: end_s, end_s: end_s + verdict.check_s });
    let facts = OrderEntryFacts {
        virtual_users: options.virtual_users,
        reset_s,
        reset_method: copied.method.to_string(),
        settings,
    };
    Ok(measurements::of_order_entry(loaded, &facts, phases, verdict))
}

/// The outcome of the load with what the host counted meanwhile.
pub(crate) struct Loaded {
    pub(crate) outcome: RunOutcome,
    /// Host counters about every second from the start of the load to its end.
    pub(crate) host: Vec<host::Counters>,
    /// What the host did during the measure phase.
    pub(crate) usage: Option<host::Usage>,
    /// Storage counters second by second, for the series.
    pub(crate) storage_seconds: Vec<emulate::Counters>,
}

/// Drives the load while a watcher passes on interrupts, shows progress and samples the storage.
fn under_load(conductor: &Conductor<'_>, instance: &Sqlite, options: &RunOptions) -> Result<Loaded, String> {
    let at_measure: Arc<OnceLock<host::Counters>> = Arc::default();
    let control = Control { on_phase: Some(on_phase(&at_measure)), ..Control::default() };
    let over = AtomicBool::new(false);
    let sampler = Sampler::start(Duration::from_secs(1));
    let (outcome, at_end, watched) = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(conductor, instance, &control, &over));
        let outcome = tpcc::run(instance, options, &control);
        let at_end = host::Counters::read();
        over.store(true, Ordering::Release);
        (outcome, at_end, watcher.join())
    });
    let host = sampler.stop();
    let storage_seconds = watched.map_err(|_| "the watcher of the load failed".to_owned())?;
    let usage = at_measure.get().zip(at_end.ok()).map(|(start, end)| end.since(start));
    Ok(Loaded { outcome: outcome.map_err(|e| e.to_string())?, host, usage, storage_seconds })
}

/// Reads the host's counters at the very moment at which the measure phase begins.
fn on_phase(at_measure: &Arc<OnceLock<host::Counters>>) -> Box<dyn Fn(tpcc::Phase) + Send + Sync> {
    let at_measure = Arc::clone(at_measure);
    Box::new(move |phase| {
        if phase == tpcc::Phase::Measure
            && let Ok(counters) = host::Counters::read()
        {
            let _ = at_measure.set(counters); // There is one measure phase; a second value cannot come.
        }
    })
}

/// Shows progress until the load is over; returns the storage's counters second by second.
fn watch(
    conductor: &Conductor<'_>,
    instance: &Sqlite,
    control: &Control,
    over: &AtomicBool,
) -> Vec<emulate::Counters> {
    let start = Instant::now();
    let mut seconds = vec![instance.storage_counters()];
    let mut phase = tpcc::Phase::Preparing;
    let mut last = (start, 0_u64);
    while !over.load(Ordering::Acquire) {
        std::thread::sleep(WATCH_INTERVAL);
        if conductor.interrupt.requested() {
            control.stop.store(true, Ordering::Release);
        }
        if control.live.phase() != phase {
            phase = control.live.phase();
            conductor.observer.event(Event::Phase { name: phase.name() });
        }
        if start.elapsed().as_secs() as usize >= seconds.len() {
            seconds.push(instance.storage_counters());
        }
        if last.0.elapsed() >= Duration::from_millis(500) {
            let orders = control.live.new_orders.load(Ordering::Relaxed);
            let rate_per_s = orders.saturating_sub(last.1) as f64 / last.0.elapsed().as_secs_f64();
            let p99 = control.live.p99_ns.load(Ordering::Relaxed);
            last = (Instant::now(), orders);
            let p99_ns = (p99 > 0).then_some(p99);
            conductor.observer.event(Event::Live {
                rate_per_s,
                unit: "new orders/s",
                p99_ns,
                elapsed: start.elapsed(),
            });
        }
    }
    seconds
}

/// Whether the cell counts, and why not.
pub(crate) struct Verdict {
    pub(crate) state: CellState,
    pub(crate) reason: Option<String>,
    pub(crate) events: Vec<CellEvent>,
    pub(crate) check_s: f64,
}

/// The gate: an interrupted or broken load does not count, nor does one that left the database inconsistent.
fn verdict(conductor: &Conductor<'_>, key: CellKey, outcome: &RunOutcome) -> Verdict {
    let mut events: Vec<CellEvent> = outcome
        .errors
        .iter()
        .map(|(kind, &count)| CellEvent { kind: "error".to_owned(), count, message: kind.clone() })
        .collect();
    if let Some(fatal) = &outcome.fatal {
        return Verdict { state: CellState::Invalid, reason: Some(fatal.clone()), events, check_s: 0.0 };
    }
    if conductor.interrupt.at_once() {
        let reason = "stopped at once, consistency not checked".to_owned();
        return Verdict { state: CellState::Interrupted, reason: Some(reason), events, check_s: 0.0 };
    }
    let checking = Instant::now();
    conductor.observer.event(Event::Phase { name: "check" });
    let checked = check(conductor, key);
    let check_s = seconds_since(checking);
    let (state, reason) = match checked {
        Err(why) => (CellState::Invalid, Some(format!("consistency could not be checked: {why}"))),
        Ok(violated) if !violated.is_empty() => {
            let reason = format!("consistency conditions violated: {}", violated.join("; "));
            events.extend(violated.into_iter().map(|message| CellEvent {
                kind: "consistency".to_owned(),
                count: 1,
                message,
            }));
            (CellState::Invalid, Some(reason))
        }
        Ok(_) if outcome.interrupted => {
            (CellState::Interrupted, Some("stopped by the user before the measure phase was over".to_owned()))
        }
        Ok(_) if outcome.nopm <= 0.0 => {
            (CellState::Invalid, Some("no new order was completed in the measure phase".to_owned()))
        }
        Ok(_) => (CellState::Done, None),
    };
    Verdict { state, reason, events, check_s }
}

/// Checks the twelve conditions on the cell's database through free storage, off the clock.
fn check(conductor: &Conductor<'_>, key: CellKey) -> Result<Vec<String>, String> {
    let dir = conductor.work.bed(&conductor.experiment.bed[key.bed]);
    let mut spec = reset::work_instance(&dir);
    spec.log_dir = conductor.work.log(&conductor.experiment.bed[key.bed]);
    let mut instance = Sqlite::new(spec).map_err(|e| e.to_string())?;
    instance.start().map_err(|e| e.to_string())?;
    let conditions = tpcc::check(&instance, Stage::AfterRun).map_err(|e| e.to_string())?;
    instance.stop().map_err(|e| e.to_string())?;
    Ok(conditions
        .into_iter()
        .filter(|c| c.violations > 0)
        .map(|c| format!("{} ({}): {}", c.number, c.clause, c.detail))
        .collect())
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
