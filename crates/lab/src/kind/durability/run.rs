//! One round of the durability test (clause 3.5.4): load, a crash in the middle of it, recovery, and every
//! acknowledged order looked for.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use words::{EventKind, Metric, PhaseName};

use database::Instance;
use experiment::{Crash, Durability};
use notebook::{CellRecord, CellState};
use oltp::tpcc::{self, Acknowledged, Control, Phase, RunOptions, RunOutcome, Stage};

use crate::cell::{cell_seed, mode_of, phases, with_log};
use crate::conductor::{Conductor, seconds_since};
use crate::data_set::DataSet;
use crate::measurements;
use crate::metrics::{Metrics, event, phase};
use crate::order::CellKey;
use crate::{Event, reset};

/// How often the crasher looks whether the time has come.
const POLL: Duration = Duration::from_millis(20);
/// How long the load may go on after the crash before it has to have noticed.
const NOTICE: Duration = Duration::from_secs(30);
/// Lost orders that are named one by one.
const NAMED: usize = 5;

pub(super) fn cell(
    conductor: &Conductor<'_>,
    key: CellKey,
    durability: &Durability,
) -> Result<CellRecord, String> {
    let clock = Instant::now();
    conductor.observer.event(Event::Phase { name: "reset" });
    let seed = cell_seed(conductor.seed, key);
    let mut fleet = reset::fresh(conductor, key, seed)?;
    let [instance] = &mut fleet.instances[..] else {
        return Err("the durability test crashes one instance".to_owned());
    };
    let reset_s = seconds_since(clock);
    if durability.lying_flush {
        instance.set_lying_flush(true).map_err(|e| e.to_string())?;
    }
    let loaded = Instant::now();
    let (outcome, acknowledged) = crash_under_load(conductor, &**instance, durability, seed)?;
    let load_s = seconds_since(loaded);
    if conductor.interrupt.requested() {
        let reason = Some("stopped by the user before the round was over".to_owned());
        return Ok(CellRecord { state: CellState::Interrupted, reason, ..CellRecord::default() });
    }
    let checking = Instant::now();
    let found = find(conductor, &mut **instance, durability, acknowledged);
    let settings = instance.settings();
    // A database that is damaged may not stop cleanly; its end is not what is asked here.
    let stopped = instance.stop().err().map(|e| e.to_string());
    let mut record = found.record(&outcome);
    record.phases = phases(reset_s, 0.0, load_s);
    let end_s = load_s + seconds_since(checking);
    record.phases.push(phase(PhaseName::RecoverAndCheck, load_s, end_s));
    record.events.extend(stopped.map(|message| event(EventKind::Stop, message)));
    record.events.extend(measurements::settings_and_reset(&settings, &fleet.reset_method, reset_s));
    Ok(record)
}

/// Recovers the database and looks for every order. One that cannot be read any more has lost them all.
fn find(
    conductor: &Conductor<'_>,
    instance: &mut dyn Instance,
    durability: &Durability,
    acknowledged: Vec<Acknowledged>,
) -> Found {
    conductor.observer.event(Event::Phase { name: "recover" });
    let mut found = Found { acknowledged: acknowledged.len(), ..Found::default() };
    let recovering = Instant::now();
    let back = match durability.crash {
        Crash::Kill => instance.recover(),
        Crash::Power => instance.power_on(),
    };
    let looked = back.map_err(|e| with_log(instance, format!("it did not recover: {e}"))).and_then(|()| {
        found.recovery_s = Some(seconds_since(recovering));
        conductor.observer.event(Event::Phase { name: "check" });
        found.lost = tpcc::missing_orders(instance, &acknowledged).map_err(|e| e.to_string())?;
        let data = DataSet::OrderEntry { warehouses: durability.warehouses };
        found.violated = data.violations(instance, Stage::AfterRun, &conductor.interrupt.flag_at_once())?;
        Ok(())
    });
    if let Err(why) = looked {
        found.lost = acknowledged;
        found.damage = Some(why);
    }
    found
}

/// Lets users work, crashes the database under them, and returns what the load came to and the orders whose
/// commit had returned.
fn crash_under_load(
    conductor: &Conductor<'_>,
    instance: &dyn Instance,
    durability: &Durability,
    seed: u64,
) -> Result<(RunOutcome, Vec<Acknowledged>), String> {
    let orders: Arc<Mutex<Vec<Acknowledged>>> = Arc::default();
    let log = Arc::clone(&orders);
    let on_acknowledged = move |order| {
        if let Ok(mut orders) = log.lock() {
            orders.push(order);
        }
    };
    let control = Control::default();
    let options = RunOptions {
        virtual_users: durability.virtual_users,
        warehouses: durability.warehouses,
        ramp_up: Duration::ZERO,
        measure: durability.load_for.0 + NOTICE,
        seed,
        mode: mode_of(conductor),
        patience: Duration::ZERO,
        ..RunOptions::default()
    };
    conductor.observer.event(Event::Phase { name: "load" });
    let (outcome, crashed) = std::thread::scope(|scope| {
        let crasher = scope.spawn(|| {
            await_the_moment(conductor, &control, durability.load_for.0);
            conductor.observer.event(Event::Phase { name: "crash" });
            let crashed = match durability.crash {
                Crash::Kill => instance.crash_under_load(seed),
                Crash::Power => instance.cut_power(seed),
            };
            crashed.map_err(|e| e.to_string())
        });
        let outcome = tpcc::run_acknowledging(instance, &options, &control, &on_acknowledged)
            .map_err(|e| with_log(instance, e.to_string()));
        let crashed = crasher.join().unwrap_or_else(|_| Err("the thread that crashes failed".to_owned()));
        (outcome, crashed)
    });
    // The run ends as fatal: that is the point. Only one that could not begin is an error.
    let outcome = outcome?;
    crashed?;
    let orders = orders.lock().map_err(|_| "the log of acknowledged orders broke".to_owned())?;
    Ok((outcome, orders.clone()))
}

/// Returns when the load has lasted long enough, or is to stop, or has ended by itself.
fn await_the_moment(conductor: &Conductor<'_>, control: &Control, load_for: Duration) {
    let mut began = None;
    while control.live.phase() != Phase::Done {
        if conductor.interrupt.requested() {
            control.stop.store(true, Ordering::Release);
        }
        if control.live.phase() == Phase::Measure {
            let began: &mut Instant = began.get_or_insert_with(Instant::now);
            if began.elapsed() >= load_for {
                return;
            }
        }
        std::thread::sleep(POLL);
    }
}

/// What was found after the recovery.
#[derive(Default)]
struct Found {
    acknowledged: usize,
    lost: Vec<Acknowledged>,
    violated: Vec<String>,
    /// Why the database cannot be read any more.
    damage: Option<String>,
    /// `None` when it did not recover.
    recovery_s: Option<f64>,
}

impl Found {
    fn record(&self, outcome: &RunOutcome) -> CellRecord {
        let mut metrics = Metrics::default();
        metrics.add(Metric::OrdersAcknowledged, self.acknowledged as f64);
        metrics.add(Metric::OrdersLost, self.lost.len() as f64);
        metrics.add(Metric::ConditionsViolated, self.violated.len() as f64);
        metrics.add(Metric::RecoveryTime, self.recovery_s.unwrap_or(f64::NAN));
        let ended =
            outcome.fatal.iter().map(|why| event(EventKind::Crash, format!("the load ended with: {why}")));
        let reason = self.reason();
        CellRecord {
            state: if reason.is_none() { CellState::Done } else { CellState::Invalid },
            reason,
            measurements: metrics.0,
            events: ended
                .chain(self.violated.iter().map(|what| event(EventKind::Consistency, what.clone())))
                .collect(),
            ..CellRecord::default()
        }
    }

    /// Why the round is not passed, if it is not.
    fn reason(&self) -> Option<String> {
        if self.acknowledged == 0 {
            return Some(
                "no order was acknowledged before the crash, so nothing is proven; load longer".to_owned(),
            );
        }
        if let Some(damage) = &self.damage {
            let orders = self.acknowledged;
            return Some(format!(
                "the database is damaged after the crash, and all {orders} acknowledged orders are lost: {damage}"
            ));
        }
        let mut faults = Vec::new();
        if !self.lost.is_empty() {
            let name =
                |order: &Acknowledged| format!("({}, {}, {})", order.warehouse, order.district, order.order);
            let named: Vec<String> = self.lost.iter().take(NAMED).map(name).collect();
            let more = if self.lost.len() > NAMED { ", ..." } else { "" };
            faults.push(format!(
                "{} of {} acknowledged orders are lost: (warehouse, district, order) {}{more}",
                self.lost.len(),
                self.acknowledged,
                named.join(", ")
            ));
        }
        if !self.violated.is_empty() {
            faults.push(format!("consistency violated: {}", self.violated.join("; ")));
        }
        (!faults.is_empty()).then(|| faults.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(acknowledged: usize, lost: u32) -> Found {
        let order = |order| Acknowledged { warehouse: 1, district: 2, order };
        Found {
            acknowledged,
            lost: (1..=lost).map(order).collect(),
            recovery_s: Some(1.0),
            ..Found::default()
        }
    }

    #[test]
    fn a_round_is_passed_only_with_orders_and_without_loss() {
        assert_eq!(found(10, 0).reason(), None);
        assert!(found(0, 0).reason().is_some_and(|why| why.contains("nothing is proven")));
        let damaged = Found { damage: Some("malformed".to_owned()), ..found(10, 0) };
        assert!(
            damaged
                .reason()
                .is_some_and(|why| why.contains("all 10 acknowledged orders are lost: malformed"))
        );
        assert_eq!(
            found(10, 7).reason().as_deref(),
            Some(
                "7 of 10 acknowledged orders are lost: (warehouse, district, order) (1, 2, 1), (1, 2, 2), (1, 2, 3), (1, 2, 4), (1, 2, 5), ..."
            )
        );
    }
}
