//! One simulated arm of the comparison beside a noisy neighbour: the same victims, arms and figures as a
//! measured one.

use experiment::{Arm, Neighbour, NeighbourKind};
use measure::Histogram;
use notebook::{CellRecord, Event, Phase};
use simulate::{Backups, Load, MachineOutcome, Outcome};
use words::{EventKind, Happening, HistogramName, Latency, Metric, PhaseName, Reason, Reasons, Statistic};

use super::told;
use crate::bed::fleet;
use crate::kind::simulated_cell::{SimulatedCell, window};
use crate::metrics::{self, Metrics, event, one, phase};
use crate::order::{CellKey, cell_seed};
use crate::watch::cell::ended;
use crate::watch::limiter;

pub(super) fn cell(simulated: &SimulatedCell<'_>, asked: &Neighbour) -> Result<CellRecord, Reasons> {
    let asked = &as_in_study(simulated, asked);
    let arms = asked.arms();
    let arm = *arms.get(simulated.key.level).ok_or(Reason::ArmUnknown)?;
    let turns = turns(simulated, asked, arm)?;
    let last = turns.last().ok_or(Reason::NoVictims)?;
    let victims: Vec<MachineOutcome> = turns.iter().flat_map(|turn| turn.victims.iter().cloned()).collect();
    let mut metrics = Metrics::default();
    add_victims(&mut metrics, &victims, last.outcome.measured_s);
    add_neighbours(&mut metrics, &last.outcome, &last.neighbours);
    if arm == Arm::Together {
        add_baseline(&mut metrics, simulated, asked, &last.outcome);
    }
    metrics.add(Metric::SimulatedTime, last.outcome.measured_s);
    metrics.add(Metric::Precision, last.outcome.precision * 100.0);
    let limiter = limiter::of_simulation(&last.outcome.time, last.outcome.cpu_idle);
    let reasons = Reasons::from(last.outcome.lost.clone());
    Ok(CellRecord {
        limiter: (!victims.is_empty()).then(|| limiter.name.into()),
        limiter_figures: (!victims.is_empty()).then_some(limiter.figures),
        phases: phases(&last.outcome),
        measurements: metrics.0,
        series: series(&victims, &last.outcome),
        histograms: histograms(&victims),
        events: events(asked, arm, last),
        ..ended(reasons)
    })
}

/// With as many machines as the study had on this bed, in the proportions of the experiment: nine for twelve,
/// six for eight, three for four.
fn as_in_study(simulated: &SimulatedCell<'_>, asked: &Neighbour) -> Neighbour {
    let Some(machines) = simulated.on.machines else { return asked.clone() };
    let share =
        |count: u32| (u64::from(count) * u64::from(machines) / u64::from(asked.victims.max(1))) as u32;
    Neighbour {
        victims: machines,
        neighbours: share(asked.neighbours).max(1),
        victims_taken_away: asked.victims_taken_away.map(share),
        ..asked.clone()
    }
}

/// One simulation: its victims, and neighbours that are databases themselves.
struct Turn {
    load: Load,
    outcome: Outcome,
    victims: Vec<MachineOutcome>,
    neighbours: Vec<MachineOutcome>,
}

/// All simulations of an arm: one for each victim where each runs alone.
fn turns(simulated: &SimulatedCell<'_>, asked: &Neighbour, arm: Arm) -> Result<Vec<Turn>, Reasons> {
    // The same in every arm: a victim has the same requests beside any neighbour.
    let seed = cell_seed(simulated.seed, CellKey { level: 0, ..simulated.key });
    if arm == Arm::Alone {
        return (0..asked.victims)
            .map(|n| turn(simulated, asked, arm, 1, seed.wrapping_add(u64::from(n))))
            .collect();
    }
    let victims = match arm {
        Arm::Together => asked.victims,
        Arm::NeighbourAlone => 0,
        _ => asked.victims_beside(),
    };
    turn(simulated, asked, arm, victims, seed).map(|turn| vec![turn])
}

fn turn(
    simulated: &SimulatedCell<'_>,
    asked: &Neighbour,
    arm: Arm,
    victims: u32,
    seed: u64,
) -> Result<Turn, Reasons> {
    let beside = !matches!(arm, Arm::Alone | Arm::Together);
    let neighbours = if beside { asked.neighbours } else { 0 };
    let (databases, backups) = match asked.neighbour {
        NeighbourKind::Database => (neighbours, 0),
        NeighbourKind::Backup => (0, neighbours),
        _ => (0, 0),
    };
    let load = Load {
        machines: victims + databases,
        backup_machines: backups,
        backup_cycles: u32::MAX,
        backup_pause_ns: 0,
        backup_every_ns: asked.interval.0.as_nanos() as u64,
        backup_limit_bytes_per_s: asked.limit.filter(|_| arm == Arm::Mitigated).map(|limit| limit.0),
        users: asked.virtual_users,
        warehouses: asked.warehouses,
        window: window(asked.ramp_up, asked.measure),
        ..simulated.load()
    };
    if load.machines + load.backup_machines == 0 {
        return Err(Reason::ArmIdle.into());
    }
    let outcome = simulate::run(&simulated.on.bed, &load, seed).map_err(|e| e.to_string())?;
    let (victims, neighbours) = outcome.per_machine.split_at(victims as usize);
    Ok(Turn { load, victims: victims.to_vec(), neighbours: neighbours.to_vec(), outcome })
}

/// Every victim's figures, and all together.
fn add_victims(metrics: &mut Metrics, victims: &[MachineOutcome], measured_s: f64) {
    if victims.is_empty() {
        return;
    }
    let per_minute = |count: u64| count as f64 / measured_s * 60.0;
    let nopm: Vec<f64> = victims.iter().map(|victim| per_minute(victim.new_orders)).collect();
    metrics.add(Metric::Nopm, nopm.iter().sum());
    metrics.add(Metric::Tpm, victims.iter().map(|victim| per_minute(victim.latency.len())).sum());
    for (number, victim) in (1..).zip(victims) {
        let of_victim = |metric: Metric| metric.of_victim(number);
        metrics.add(of_victim(Metric::Nopm), per_minute(victim.new_orders));
        for (metric, quantile) in [(Metric::LATENCY_P99, 0.99), (Metric::LATENCY_P999, 0.999)] {
            metrics.add(of_victim(metric), victim.latency.quantile_ns(quantile) as f64 / 1e6);
        }
    }
    metrics.add_latency(Latency::Answer, &merged(victims));
    fleet::add_fairness(metrics, Metric::Nopm, &nopm);
}

/// The neighbours' own progress, in the time that the simulated part represents.
fn add_neighbours(metrics: &mut Metrics, outcome: &Outcome, databases: &[MachineOutcome]) {
    if !databases.is_empty() {
        let orders: u64 = databases.iter().map(|database| database.new_orders).sum();
        metrics.add(Metric::NeighbourNopm, orders as f64 / outcome.measured_s * 60.0);
    }
    if outcome.backups.is_empty() {
        return;
    }
    metrics.add(Metric::NeighbourRate, outcome.backup_bytes as f64 / 1e6 / outcome.measured_s);
    let times: Vec<f64> = outcome
        .backups
        .iter()
        .flat_map(|backups| backups.done.iter().map(|(from, to)| (to - from) * backups.haste))
        .collect();
    metrics.add(Metric::NeighbourActions, times.len() as f64);
    metrics.add(Metric::NeighbourActionTime, times.iter().sum::<f64>() / times.len() as f64);
}

/// A study's printed figures of its baseline, all victims together and no neighbour: means of a victim, and
/// the cluster's I/O.
fn add_baseline(metrics: &mut Metrics, simulated: &SimulatedCell<'_>, asked: &Neighbour, outcome: &Outcome) {
    let nopm = outcome.nopm();
    metrics.add(Metric::BaselineNopm, nopm);
    metrics.add(Metric::BaselineTpm, outcome.transactions_per_minute());
    metrics.add(Metric::BaselineTpmBatches, nopm * simulated.on.bed.database.batches_per_new_order);
    let (reads, writes) = (outcome.reads_per_s(), outcome.writes_per_s());
    metrics.add(Metric::BaselineReadIops, reads);
    metrics.add(Metric::BaselineWriteIops, writes);
    let (read_ms, write_ms) = (outcome.reads.mean_ns() / 1e6, outcome.write_latency_ns() / 1e6);
    metrics.add(Metric::Latency(Latency::BaselineRead, Statistic::Mean), read_ms);
    metrics.add(Metric::Latency(Latency::BaselineWrite, Statistic::Mean), write_ms);
    metrics.add(
        Metric::Latency(Latency::Baseline, Statistic::Mean),
        (read_ms * reads + write_ms * writes) / (reads + writes).max(1.0),
    );
    metrics.add(Metric::Victims, f64::from(asked.victims));
}

fn merged(victims: &[MachineOutcome]) -> Histogram {
    let mut all = Histogram::new();
    victims.iter().for_each(|victim| all.merge(&victim.latency));
    all
}

fn histograms(victims: &[MachineOutcome]) -> Vec<(HistogramName, Histogram)> {
    metrics::named([(Latency::Answer, merged(victims))])
}

fn phases(outcome: &Outcome) -> Vec<Phase> {
    let mut phases = crate::kind::order_entry::simulated::phases(outcome);
    let spans = outcome.backups.iter().flat_map(|backups: &Backups| backups.done.iter().copied());
    phases.extend(spans.map(|(start_s, end_s)| phase(PhaseName::Neighbour, start_s, end_s)));
    phases
}

/// Whole simulated seconds of all victims, and the slow end of each.
fn series(victims: &[MachineOutcome], outcome: &Outcome) -> Vec<measure::Series> {
    let whole = (outcome.settled_s + outcome.measured_s) as usize;
    let seconds: Vec<Vec<measure::Second>> = victims.iter().map(|victim| victim.timeline.seconds()).collect();
    let of_all = |second: usize| {
        seconds.iter().filter_map(|of| of.get(second)).map(|s| s.count as f64 * 60.0).sum::<f64>()
    };
    let mut series = Vec::new();
    if !victims.is_empty() {
        series.push(one(Metric::Tpm, (0..whole).map(of_all)));
    }
    for (number, of) in (1..).zip(&seconds) {
        let values = of.iter().take(whole).map(|second| second.p99_ns as f64 / 1e6);
        series.push(one(Metric::LATENCY_P99.of_victim(number), values));
    }
    series
}

fn events(asked: &Neighbour, arm: Arm, turn: &Turn) -> Vec<Event> {
    let window = &turn.load.window;
    let (virtual_s, whole_s) = (turn.outcome.measured_s, window.measure_ns as f64 / 1e9);
    let stands_for = Happening::SimulatedSlowFor { virtual_s, whole_s, haste: window.haste() };
    vec![event(EventKind::Arm, told(asked, arm)), event(EventKind::Simulated, stands_for)]
}
