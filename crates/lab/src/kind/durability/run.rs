//! One round of the durability test (clause 3.5.4): load, a crash in the middle of it, recovery, and every
//! acknowledged order looked for.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use words::{EventKind, Happening, Metric, OrdersNamed, PhaseName, Reason, Reasons};

use database::{DatabaseError, Instance};
use experiment::{Crash, Durability};
use notebook::{CellRecord, CellState};
use oltp::Asking;
use oltp::tpcc::{self, Acknowledged, RunOptions, RunOutcome, Stage};
use oltp::{Control, Phase};

use crate::bed::reset;
use crate::conductor::Conductor;
use crate::event::Event;
use crate::metrics::{Metrics, event, phase};
use crate::needs::data_set::DataSet;
use crate::order::CellKey;
use crate::watch::cell::{ended, mode_of, phases, with_log};
use crate::watch::measurements;

/// The interval at which the crasher checks the time.
const POLL: Duration = Duration::from_millis(20);
/// The time in which the load must notice the crash.
const NOTICE: Duration = Duration::from_secs(30);
/// Lost orders that are named one by one.
const NAMED: usize = 5;

pub(super) fn cell(
    conductor: &Conductor<'_>,
    key: CellKey,
    durability: &Durability,
) -> Result<CellRecord, Reasons> {
    let clock = conductor.clock().stopwatch();
    conductor.observer.event(Event::Phase { name: PhaseName::Reset });
    let seed = conductor.cell_seed(key);
    let mut fleet = reset::fresh(conductor, key, seed)?;
    let [instance] = &mut fleet.instances[..] else {
        return Err(Reason::OneInstance.into());
    };
    let reset_s = clock.seconds();
    if durability.lying_flush {
        instance.set_lying_flush(true).map_err(|e| e.to_string())?;
    }
    let loaded = conductor.clock().stopwatch();
    conductor.meeting.start();
    let (outcome, acknowledged) = crash_under_load(conductor, key, &**instance, durability)?;
    let load_s = loaded.seconds();
    if conductor.interrupt.requested() {
        let reasons = Reason::StoppedInRound.into();
        return Ok(CellRecord { state: CellState::Interrupted, reasons, ..CellRecord::default() });
    }
    let checking = conductor.clock().stopwatch();
    let found = find(conductor, &mut **instance, durability, acknowledged);
    let settings = instance.settings();
    // A damaged database may not stop cleanly; its end does not matter here.
    let stopped = instance.stop().err().map(|e| e.to_string());
    let mut record = found.record(&outcome);
    record.phases = phases(reset_s, 0.0, load_s);
    let end_s = load_s + checking.seconds();
    record.phases.push(phase(PhaseName::RecoverAndCheck, load_s, end_s));
    record.events.extend(stopped.map(|message| event(EventKind::Stop, message)));
    record.events.extend(measurements::settings_and_reset(&settings, fleet.first_state, reset_s));
    Ok(record)
}

/// Recovers the database and looks for every order. One that cannot be read any more has lost them all.
fn find(
    conductor: &Conductor<'_>,
    instance: &mut dyn Instance,
    durability: &Durability,
    acknowledged: Vec<Acknowledged>,
) -> Found {
    conductor.observer.event(Event::Phase { name: PhaseName::Recover });
    let mut found = Found { acknowledged: acknowledged.len(), ..Found::default() };
    let recovering = conductor.clock().stopwatch();
    let back = match durability.crash {
        Crash::Kill => instance.recover(),
        Crash::Power => instance.power_on(),
    };
    let not_recovered =
        |error: DatabaseError| with_log(instance, Reason::NotRecovered { error: error.to_string() });
    let looked = back.map_err(not_recovered).and_then(|()| {
        found.recovery_s = Some(recovering.seconds());
        conductor.observer.event(Event::Phase { name: PhaseName::Check });
        found.lost = tpcc::missing_orders(instance, &acknowledged).map_err(|e| e.to_string())?;
        let data = DataSet::OrderEntry { warehouses: durability.warehouses };
        found.violated = data.violations(instance, Stage::AfterRun, &conductor.interrupt.flag_at_once())?;
        Ok(())
    });
    if let Err(why) = looked {
        found.lost = acknowledged;
        found.damage = why;
    }
    found
}

/// Lets users work, crashes the database under them, and returns the result of the load and the orders whose
/// commit had returned.
fn crash_under_load(
    conductor: &Conductor<'_>,
    key: CellKey,
    instance: &dyn Instance,
    durability: &Durability,
) -> Result<(RunOutcome, Vec<Acknowledged>), Reasons> {
    let seed = conductor.cell_seed(key);
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
        asking: Asking { patience: Duration::ZERO, ..conductor.asking(key) },
        ..RunOptions::default()
    };
    conductor.observer.event(Event::Phase { name: PhaseName::Load });
    let (outcome, crashed) = std::thread::scope(|scope| {
        let crasher = scope.spawn(|| {
            await_the_moment(conductor, &control, durability.load_for.0);
            conductor.observer.event(Event::Phase { name: PhaseName::Crash });
            let crashed = match durability.crash {
                Crash::Kill => instance.crash_under_load(seed),
                Crash::Power => instance.cut_power(seed),
            };
            crashed.map_err(Reason::error)
        });
        let outcome = tpcc::run_acknowledging(instance, &options, &control, &on_acknowledged)
            .map_err(|e| with_log(instance, e.to_string()));
        let crashed = crasher.join().unwrap_or(Err(Reason::CrasherFailed));
        (outcome, crashed)
    });
    // The run ends as fatal: that is the point. Only one that could not begin is an error.
    let outcome = outcome?;
    crashed?;
    let orders = orders.lock().map_err(|_| Reason::LoadFailed)?;
    Ok((outcome, orders.clone()))
}

/// Returns when the load has lasted long enough, or is to stop, or has ended by itself.
fn await_the_moment(conductor: &Conductor<'_>, control: &Control, load_for: Duration) {
    let mut began_ns = None;
    while control.live.phase() != Phase::Done {
        if conductor.interrupt.requested() {
            control.stop.store(true, Ordering::Release);
        }
        if control.live.phase() == Phase::Measure {
            let began_ns: u64 = *began_ns.get_or_insert_with(|| conductor.clock().now_ns());
            if conductor.clock().since(began_ns) >= load_for {
                return;
            }
        }
        conductor.clock().sleep(POLL);
    }
}

/// The findings after the recovery.
#[derive(Default)]
struct Found {
    acknowledged: usize,
    lost: Vec<Acknowledged>,
    violated: Reasons,
    /// The reasons why the database cannot be read any more; empty if it can.
    damage: Reasons,
    /// `None` when it did not recover.
    recovery_s: Option<f64>,
}

impl Found {
    fn record(&self, outcome: &RunOutcome) -> CellRecord {
        let mut metrics = Metrics::default();
        metrics.add(Metric::OrdersAcknowledged, self.acknowledged as f64);
        metrics.add(Metric::OrdersLost, self.lost.len() as f64);
        metrics.add(Metric::ConditionsViolated, self.violated.0.len() as f64);
        metrics.add(Metric::RecoveryTime, self.recovery_s.unwrap_or(f64::NAN));
        let crashes = outcome
            .fatal
            .iter()
            .map(|why| event(EventKind::Crash, Happening::LoadEnded { error: why.clone() }));
        let reasons = self.reasons();
        CellRecord {
            measurements: metrics.0,
            events: crashes
                .chain(self.violated.0.iter().map(|what| event(EventKind::Consistency, what.clone())))
                .collect(),
            ..ended(reasons)
        }
    }

    /// The reasons why the round is not passed, if it is not.
    fn reasons(&self) -> Reasons {
        let (lost, acknowledged) = (self.lost.len(), self.acknowledged as u64);
        if acknowledged == 0 {
            return Reason::NothingAcknowledged.into();
        }
        if !self.damage.is_empty() {
            return Reason::Damaged { orders: acknowledged, why: self.damage.clone() }.into();
        }
        let named = || {
            let first =
                self.lost.iter().take(NAMED).map(|order| (order.warehouse, order.district, order.order));
            OrdersNamed { first: first.collect(), more: lost.saturating_sub(NAMED) as u64 }
        };
        let orders =
            (lost > 0).then(|| Reason::OrdersLost { lost: lost as u64, acknowledged, named: named() });
        let violated =
            (!self.violated.is_empty()).then(|| Reason::Violated { conditions: self.violated.clone() });
        orders.into_iter().chain(violated).collect()
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
        let told = |found: Found| found.reasons().to_string();
        assert_eq!(told(found(10, 0)), "");
        assert!(told(found(0, 0)).contains("nothing is proven"));
        let damaged = Found { damage: Reason::error("malformed").into(), ..found(10, 0) };
        assert!(told(damaged).contains("all 10 acknowledged orders are lost: malformed"));
        assert_eq!(
            told(found(10, 7)),
            "7 of 10 acknowledged orders are lost: (warehouse, district, order) (1, 2, 1), (1, 2, 2), (1, 2, 3), (1, 2, 4), (1, 2, 5), ..."
        );
    }
}
