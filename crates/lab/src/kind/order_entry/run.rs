//! One cell of order entry: reset, ramp-up, measure, check, and the result.

use experiment::{Pacing, Profile, Tpcc};
use notebook::CellRecord;
use oltp::Together as _;
use oltp::tpcc::{self, RunOptions, RunOutcome};
use words::{EventKind, PhaseName, Reasons};

use crate::bed::fleet;
use crate::bed::reset;
use crate::conductor::Conductor;
use crate::event::Event;
use crate::needs::data_set::DataSet;
use crate::order::CellKey;
use crate::watch::cell::{mode_of, phases, with_log};
use crate::watch::gate::{Ended, gate};
use crate::watch::limiter::Pace;
use crate::watch::load::{self, Watched};
use crate::watch::measurements::{self, OrderEntryFacts};

pub(super) fn cell(conductor: &Conductor<'_>, key: CellKey, tpcc: &Tpcc) -> Result<CellRecord, Reasons> {
    let clock = conductor.clock().stopwatch();
    conductor.observer.event(Event::Phase { name: PhaseName::Reset });
    let seed = conductor.cell_seed(key);
    let mut fleet = reset::fresh(conductor, key, seed)?;
    let reset_s = clock.seconds();
    let options = options(conductor, key, tpcc, seed);
    let loaded =
        load::under_load(conductor, key, &fleet.instances, "new orders/s", |number, instance, control| {
            // Equal instances are asked alike, not the same.
            let options = RunOptions { seed: options.seed.wrapping_add(number as u64), ..options.clone() };
            tpcc::run(instance, &options, control).map_err(|e| with_log(instance, e.to_string()))
        })?;
    let (loaded, rates, faults) = taken_together(loaded)?;
    let (settings, held_back) = (fleet.settings(), fleet.held_back());
    let data = DataSet::OrderEntry { warehouses: tpcc.warehouses };
    let gate = gate(conductor, key, &data, &mut fleet, Ended::of(&loaded.outcome, faults, &loaded.restarts));
    let mut phases =
        phases(reset_s, loaded.outcome.ramp_up.as_secs_f64(), loaded.outcome.measured.as_secs_f64());
    gate.add_phase(&mut phases);
    let facts = OrderEntryFacts {
        virtual_users: options.virtual_users * fleet.instances.len() as u32,
        is_server: conductor.experiment.engine().is_server(),
        rates,
        is_paced: tpcc.pacing.is_paced(),
        keeps_bands: options.profile == tpcc::Profile::Standard,
        reset_s,
        first_state: fleet.first_state,
        settings,
    };
    drop(fleet);
    let sharers = conductor.world.membership.sharers(&conductor.experiment.bed[key.bed]);
    let (pace, per_s) =
        (pace(tpcc, sharers, &facts, &loaded.outcome), loaded.outcome.tpm_with_rollbacks / 60.0);
    let mut record = measurements::of_order_entry(loaded, &facts, phases, gate);
    if let Some(pace) = pace {
        pace.limits(&mut record, per_s);
    }
    record.measurements.extend(held_back);
    if sharers > 1 {
        // The server counts the work of all hosts, and this one knows its own.
        record.events.retain(|event| event.kind != EventKind::ServerCounts);
    }
    Ok(record)
}

/// The pace that the users of all instances were asked to keep together.
fn pace(tpcc: &Tpcc, sharers: u32, facts: &OrderEntryFacts, outcome: &RunOutcome) -> Option<Pace> {
    let latency = measurements::all_latencies(outcome);
    match tpcc.pacing {
        Pacing::None => None,
        Pacing::Keyed | Pacing::KeyedTimes(_) => {
            let factor = tpcc.pacing.keyed_factor().unwrap_or(1.0);
            Some(Pace::of_keyed(facts.virtual_users, factor, &latency))
        }
        Pacing::ArrivalsPerSecond(rate) => {
            let per_s = rate / f64::from(sharers) * facts.rates.len().max(1) as f64;
            Some(Pace::of_arrivals(per_s, outcome.completed(), outcome.measured.as_secs_f64(), &latency))
        }
    }
}

/// The runs of all instances as one, the NOPM of each, and the fault that ended any of them; fails if all of
/// them failed.
fn taken_together(
    loaded: Watched<Vec<Result<RunOutcome, Reasons>>>,
) -> Result<(Watched<RunOutcome>, Vec<f64>, Reasons), Reasons> {
    let (results, loaded) = loaded.apart();
    let (runs, faults) = fleet::sort_out(results);
    let rates: Vec<f64> = runs.iter().map(|run| run.nopm).collect();
    let Some(outcome) = RunOutcome::together(runs) else { return Err(faults) };
    Ok((loaded.with(outcome), rates, faults))
}

fn options(conductor: &Conductor<'_>, key: CellKey, tpcc: &Tpcc, seed: u64) -> RunOptions {
    let (membership, bed) = (&conductor.world.membership, &conductor.experiment.bed[key.bed]);
    let of_all = tpcc.virtual_users[key.level];
    let (first_user, virtual_users) = membership.deal(bed, of_all);
    RunOptions {
        virtual_users,
        first_user,
        users_of_all: Some(of_all),
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
            Pacing::KeyedTimes(factor) => oltp::Pacing::Keyed { factor },
            Pacing::ArrivalsPerSecond(per_second) => {
                oltp::Pacing::Arrivals { per_second: per_second / f64::from(membership.sharers(bed)) }
            }
        },
        connections: tpcc.connections.map(|all| membership.deal(bed, all).1.max(1)),
        asking: conductor.asking(key),
        counts_server: !membership.is_guest(bed),
    }
}
