//! One cell of a noisy neighbour: one arm of the comparison, always with the same victims.

use std::path::Path;
use std::time::Duration;

use words::{EventKind, HistogramName, Latency, Metric, PhaseName, Reason, Reasons, Step};

use database::group::{Drive, Group, Limits};
use database::{Backing, Instance};
use experiment::{Arm, Mitigation, Neighbour, NeighbourKind};
use measure::Histogram;
use notebook::{CellRecord, CellState, Phase};
use oltp::Requests;
use oltp::tpcc::{self, RunOptions, RunOutcome};

use super::activity::{Activity, Disturber, Signals};
use super::{rules_of, told};
use crate::bed::fleet::{self, Fleet};
use crate::bed::instances;
use crate::bed::reset;
use crate::conductor::Conductor;
use crate::event::Event;
use crate::metrics::{self, Metrics, event, one, phase};
use crate::needs::data_set::DataSet;
use crate::order::CellKey;
use crate::watch::cell::{mode_of, phases, with_log};
use crate::watch::gate::{Ended, Gate, gate};
use crate::watch::load::{self, Watched};
use crate::watch::measurements;
use crate::watch::meter::{Meter, Seen};

/// The interval of looks at whether a wait is over.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// Share of a calm second's rate at which victims count as recovered.
const RECOVERED: f64 = 0.9;
/// Calm seconds needed for a baseline.
const CALM_SECONDS_MIN: usize = 3;

pub(super) fn cell(
    conductor: &Conductor<'_>,
    key: CellKey,
    asked: &Neighbour,
) -> Result<CellRecord, Reasons> {
    let bench = Bench { conductor, key, asked, seed: conductor.cell_seed(key) };
    match bench.arm() {
        None => Err(Reason::ArmUnknown.into()),
        Some(arm) if !bench.takes_part(arm) => Ok(bench.stand_by()),
        Some(Arm::Alone) => bench.one_after_the_other(),
        Some(arm) => bench.side_by_side(arm),
    }
}

/// The tools of a cell.
struct Bench<'a> {
    conductor: &'a Conductor<'a>,
    key: CellKey,
    asked: &'a Neighbour,
    seed: u64,
}

/// The result of one load of victims, with that of the neighbour beside it.
struct Turn {
    /// Of each victim.
    outcomes: Vec<RunOutcome>,
    faults: Reasons,
    watched: Watched<()>,
    activities: Vec<Activity>,
    seen: Seen,
    /// The effect of their limits on the victims.
    held_back: Vec<notebook::Measurement>,
    settings: Vec<(String, String)>,
}

impl Bench<'_> {
    fn arm(&self) -> Option<Arm> {
        self.asked.arms().get(self.key.level).copied()
    }

    /// True if a machine of this process works in the arm. In a fleet to which the machines are dealt some
    /// have none: only the victims of the first rank are measured alone, because the ranks do not wait for
    /// each other within a cell.
    fn takes_part(&self, arm: Arm) -> bool {
        let Neighbour { victims, neighbours, victims_before, .. } = *self.asked;
        match arm {
            Arm::Alone => victims > 0 && victims_before == 0,
            Arm::Together => victims > 0,
            Arm::NeighbourAlone => neighbours > 0,
            Arm::WithNeighbour | Arm::Mitigated => true,
        }
    }

    fn has_all(&self) -> bool {
        let Neighbour { victims, neighbours, victims_before, .. } = *self.asked;
        victims > 0 && neighbours > 0 && victims_before == 0
    }

    /// The cell of a process without a machine in the arm.
    fn stand_by(&self) -> CellRecord {
        self.conductor.observer.event(Event::Phase { name: PhaseName::Measure });
        self.conductor.meeting.start();
        self.conductor.meeting.done();
        if self.conductor.interrupt.requested() {
            let reasons = Reason::StoppedMeasuring.into();
            return CellRecord { state: CellState::Interrupted, reasons, ..CellRecord::default() };
        }
        CellRecord { state: CellState::Done, ..CellRecord::default() }
    }

    fn options(&self, number: usize) -> RunOptions {
        RunOptions {
            virtual_users: self.asked.virtual_users,
            warehouses: self.asked.warehouses,
            ramp_up: self.asked.ramp_up.0,
            measure: self.asked.measure.0,
            // The same in every arm: a victim has the same requests beside any neighbour.
            seed: self.arm_free_seed().wrapping_add(number as u64),
            mode: mode_of(self.conductor),
            asking: self.conductor.asking(self.key),
            ..RunOptions::default()
        }
    }

    fn arm_free_seed(&self) -> u64 {
        self.conductor.cell_seed(CellKey { level: 0, ..self.key })
    }

    /// The arm `alone`: as many turns as there are victims, each with the storage for itself.
    fn one_after_the_other(&self) -> Result<CellRecord, Reasons> {
        let clock = self.conductor.clock().stopwatch();
        let (mut outcomes, mut last) = (Vec::new(), None);
        for number in 0..self.asked.victims as usize {
            self.conductor.observer.event(Event::Phase { name: PhaseName::Reset });
            let mut fleet = self.fleet(1, &|_| Limits::default())?;
            let reset_s = clock.seconds();
            let turn = self.turn(Arm::Alone, &fleet, (number, 1), None)?;
            let gate = self.gate_of(&mut fleet, &turn);
            outcomes.extend(turn.outcomes.iter().cloned());
            let counts = gate.state == CellState::Done;
            last = Some((fleet, turn, gate, reset_s));
            if !counts {
                break;
            }
        }
        let (fleet, turn, gate, reset_s) = last.ok_or(Reason::NoVictims)?;
        let turn = Turn { outcomes, ..turn };
        Ok(self.record(Arm::Alone, &fleet, turn, gate, reset_s))
    }

    fn side_by_side(&self, arm: Arm) -> Result<CellRecord, Reasons> {
        let clock = self.conductor.clock().stopwatch();
        self.conductor.observer.event(Event::Phase { name: PhaseName::Reset });
        let victims = match arm {
            Arm::Together => self.asked.victims,
            Arm::NeighbourAlone => 0,
            _ => self.asked.victims_beside(),
        } as usize;
        let beside = arm != Arm::Together && self.asked.neighbour != NeighbourKind::Idle;
        let own = matches!(
            self.asked.neighbour,
            NeighbourKind::Backup | NeighbourKind::Database | NeighbourKind::Scan
        );
        let neighbours = if beside { self.asked.neighbours as usize } else { 0 };
        let databases = if own { neighbours } else { 0 };
        let mitigation = if arm == Arm::Mitigated { self.mitigation()? } else { Limits::default() };
        // The tool of a backup runs in a group of its own; other neighbours are servers, held back whole.
        let by_tool = self.asked.neighbour == NeighbourKind::Backup;
        let of_server = |number: usize| match number >= victims && !by_tool {
            true => mitigation.clone(),
            false => Limits::default(),
        };
        let mut fleet = self.fleet(victims + databases, &of_server)?;
        let mut neighbour_instances = fleet.instances.split_off(victims);
        let group = match by_tool && !mitigation.rules.is_empty() {
            true => Some(Group::make(&mitigation.rules).map_err(|e| Step::Mitigation.failed(e))?),
            false => None,
        };
        let reset_s = clock.seconds();
        let disturber = Disturber {
            bench_dir: self.conductor.work.root(self.bed()),
            asked: self.asked,
            backing: self.backing(&fleet, &neighbour_instances),
            mitigated: arm == Arm::Mitigated,
            cgroup: group.as_ref().and_then(|group| group.path()).map(Path::to_owned),
            options: self.options(1000),
        };
        let beside = (neighbours > 0).then_some((&disturber, &*neighbour_instances));
        let turn = self.turn(arm, &fleet, (0, victims), beside)?;
        for instance in &mut neighbour_instances {
            instance.stop().map_err(|e| of_neighbour(Reason::error(e)))?;
        }
        let gate = self.gate_of(&mut fleet, &turn);
        Ok(self.record(arm, &fleet, turn, gate, reset_s))
    }

    fn bed(&self) -> &experiment::Bed {
        &self.conductor.experiment.bed[self.key.bed]
    }

    fn fleet(&self, count: usize, more: &dyn Fn(usize) -> Limits) -> Result<Fleet, Reasons> {
        let specs = instances::for_many(self.conductor, self.key.bed, self.seed, count as u32);
        reset::bring_back(self.conductor, self.key, specs, more)
    }

    /// The kernel's mitigation of the neighbour; none if the tool limits itself. A limit that the machine
    /// does not support is an error that says so.
    fn mitigation(&self) -> Result<Limits, Reasons> {
        if self.asked.mitigation.is_none_or(|mitigation| mitigation == Mitigation::RateLimit) {
            return Ok(Limits::default());
        }
        let drive = Drive::under(&self.conductor.work.root(self.bed())).map_err(|e| e.to_string())?;
        if self.asked.mitigation == Some(Mitigation::IdleIo) {
            drive.check_idle_io().map_err(|e| Step::Mitigation.failed(e))?;
            return Ok(Limits { rules: Vec::new(), idle_io: true });
        }
        Ok(Limits { rules: rules_of(self.asked, drive), idle_io: false })
    }

    /// The storage that all share: a modelled drive's handle, or the real one.
    fn backing(&self, fleet: &Fleet, neighbours: &[Box<dyn Instance>]) -> Backing {
        let first = fleet.instances.first().or(neighbours.first());
        first.map_or(Backing::Real, |instance| instance.backings().0)
    }

    /// Puts the victims under load, and the neighbour beside them from the moment at which measuring begins.
    fn turn(
        &self,
        arm: Arm,
        fleet: &Fleet,
        (first, victims): (usize, usize),
        beside: Option<(&Disturber<'_>, &[Box<dyn Instance>])>,
    ) -> Result<Turn, Reasons> {
        let neighbours = beside.map_or(0, |(d, _)| d.asked.neighbours as usize);
        let signals = Signals::new(neighbours, self.conductor.clock());
        let backing = beside.map_or_else(|| self.backing(fleet, &[]), |(d, _)| d.backing.clone());
        let progress = signals.clone();
        let meter = Meter::start(&self.conductor.sampler, &[&backing], move || progress.bytes());
        let (watched, activities) = std::thread::scope(|scope| {
            let neighbours: Vec<_> = (0..signals.count())
                .filter_map(|number| Some((number, beside?)))
                .map(|(number, (disturber, own))| {
                    let (signals, meter) = (signals.clone(), &meter);
                    scope.spawn(move || {
                        disturber.work(number, own.get(number).map(|own| &**own), &signals, meter)
                    })
                })
                .collect();
            let watched = if victims == 0 {
                self.let_the_neighbour_work(&signals, self.calm(arm));
                None
            } else {
                Some(self.load(fleet, first, &signals))
            };
            signals.end();
            let activities: Vec<Activity> = neighbours
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|_| Activity::failed(Reason::LoadFailed)))
                .collect();
            (watched, activities)
        });
        let seen = meter.stop();
        let (held_back, settings) = (fleet.held_back(), fleet.settings());
        let Some(watched) = watched.transpose()? else {
            return Ok(Turn {
                outcomes: Vec::new(),
                faults: Reasons::default(),
                watched: Watched::<()>::of_nothing(),
                activities,
                seen,
                held_back,
                settings,
            });
        };
        let (results, watched) = watched.apart();
        let (outcomes, faults) = fleet::sort_out(results);
        Ok(Turn { outcomes, faults, watched, activities, seen, held_back, settings })
    }

    fn load(
        &self,
        fleet: &Fleet,
        first: usize,
        signals: &Signals,
    ) -> Result<Watched<Vec<Result<RunOutcome, Reasons>>>, Reason> {
        load::under_load(
            self.conductor,
            self.key,
            &fleet.instances,
            "new orders/s",
            |number, instance, control| {
                std::thread::scope(|scope| {
                    if number == 0 {
                        scope.spawn(|| signals.begin_with(control));
                    }
                    let run = tpcc::run(instance, &self.options(first + number), control);
                    run.map_err(|e| with_log(instance, e.to_string()))
                })
            },
        )
    }

    /// Time under load before the neighbour begins. Without victims there is none, unless they are on other
    /// ranks.
    fn calm(&self, arm: Arm) -> Duration {
        if arm == Arm::NeighbourAlone { Duration::ZERO } else { self.asked.ramp_up.0 }
    }

    /// No victim is here: the neighbour works from the end of the calm on, for as long as it would be beside
    /// victims of this process.
    fn let_the_neighbour_work(&self, signals: &Signals, calm: Duration) {
        self.conductor.meeting.start();
        let start = self.conductor.clock().stopwatch();
        let wait_until = |end: Duration| {
            while start.elapsed() < end && !self.conductor.stops() {
                self.conductor.clock().sleep(LOOK_INTERVAL.min(end.saturating_sub(start.elapsed())));
            }
        };
        wait_until(calm);
        self.conductor.observer.event(Event::Phase { name: PhaseName::Measure });
        signals.begin();
        wait_until(calm + self.asked.measure.0);
    }

    fn gate_of(&self, fleet: &mut Fleet, turn: &Turn) -> Gate {
        let data = DataSet::OrderEntry { warehouses: self.asked.warehouses };
        let of_neighbours =
            turn.activities.iter().flat_map(|activity| activity.faults.clone()).map(of_neighbour);
        let faults = turn.faults.clone().into_iter().chain(of_neighbours).collect();
        let worked = turn.outcomes.iter().all(|outcome| outcome.nopm > 0.0);
        let errors = turn.outcomes.iter().flat_map(|outcome| outcome.errors.clone()).collect();
        let interrupted =
            turn.outcomes.iter().any(|outcome| outcome.interrupted) || self.conductor.interrupt.requested();
        gate(
            self.conductor,
            self.key,
            &data,
            fleet,
            Ended {
                interrupted,
                faults,
                completed: worked,
                errors,
                requests: of_all_victims(&turn.outcomes),
                restarts: turn.watched.restarts.clone(),
            },
        )
    }

    fn record(&self, arm: Arm, fleet: &Fleet, turn: Turn, gate: Gate, reset_s: f64) -> CellRecord {
        let first = turn.outcomes.first();
        let ramp_s = first.map_or(self.calm(arm).as_secs_f64(), |outcome| outcome.ramp_up.as_secs_f64());
        let measured_s = first.map_or(self.asked.measure.0.as_secs_f64(), |o| o.measured.as_secs_f64());
        let mut all_phases = phases(reset_s, ramp_s, measured_s);
        gate.add_phase(&mut all_phases);
        all_phases.extend(turn.activities.iter().flat_map(Activity::phases));
        let mut metrics = Metrics::default();
        self.add_victims(&mut metrics, &turn.outcomes);
        if arm == Arm::Together {
            add_baseline(&mut metrics, &turn.outcomes);
        }
        add_neighbours(&mut metrics, &turn.activities, measured_s);
        metrics.add(
            Metric::NeighbourRecoveryTime,
            recovery_s(&turn, ramp_s, ramp_s + measured_s).unwrap_or(f64::NAN),
        );
        turn.seen.add_totals(&mut metrics, turn.watched.usage.as_ref());
        metrics.add(Metric::ResetTime, reset_s);
        metrics.0.extend(turn.held_back.iter().cloned());
        let mut events = gate.events;
        // A rank of a fleet knows its own part of the arm, which is not the arm.
        if self.has_all() {
            events.push(event(EventKind::Arm, told(self.asked, arm)));
        }
        events.extend(measurements::settings_and_reset(&turn.settings, fleet.first_state, reset_s));
        CellRecord {
            state: gate.state,
            reasons: gate.reasons,
            phases: all_phases,
            measurements: metrics.0,
            series: self.series(&turn),
            histograms: histograms(&turn.outcomes),
            events,
            ..CellRecord::default()
        }
    }

    /// The number of a victim over all ranks, from 1.
    fn victim(&self, number: usize) -> u32 {
        self.asked.victims_before + number as u32 + 1
    }

    fn series(&self, turn: &Turn) -> Vec<measure::Series> {
        let mut series = turn.seen.series(Some(Metric::NeighbourRate));
        if !turn.outcomes.is_empty() {
            series.push(one(Metric::Tpm, all_victims(turn).into_iter()));
        }
        for (number, outcome) in turn.outcomes.iter().enumerate() {
            let seconds = outcome.timeline_all.seconds();
            let name = Metric::LATENCY_P99.of_victim(self.victim(number));
            series.push(measurements::by_second(name, &seconds, |second| second.p99_ns as f64));
        }
        series
    }

    /// Every victim's figures, and all together.
    fn add_victims(&self, metrics: &mut Metrics, outcomes: &[RunOutcome]) {
        if outcomes.is_empty() {
            return;
        }
        let nopm: Vec<f64> = outcomes.iter().map(|outcome| outcome.nopm).collect();
        metrics.add(Metric::Nopm, nopm.iter().sum());
        metrics.add(Metric::Tpm, outcomes.iter().map(|outcome| outcome.tpm).sum());
        let all: Vec<Histogram> = outcomes.iter().map(of_all_kinds).collect();
        let mut merged = Histogram::new();
        for (number, (outcome, histogram)) in outcomes.iter().zip(&all).enumerate() {
            merged.merge(histogram);
            let of_victim = |metric: Metric| metric.of_victim(self.victim(number));
            metrics.add(of_victim(Metric::Nopm), outcome.nopm);
            for (metric, quantile) in [(Metric::LATENCY_P99, 0.99), (Metric::LATENCY_P999, 0.999)] {
                metrics.add(of_victim(metric), histogram.quantile_ns(quantile) as f64 / 1e6);
            }
            metrics.add(of_victim(Metric::WorstSecond), worst_second(outcome));
        }
        metrics.add_latency(Latency::Answer, &merged);
        measurements::requests(metrics, &of_all_victims(outcomes));
        let completed: u64 = outcomes.iter().map(RunOutcome::completed).sum();
        let client_ns: u64 = outcomes.iter().map(|outcome| outcome.client_cpu_ns).sum();
        metrics.add(Metric::ClientCpuPerTransaction, client_ns as f64 / 1e3 / (completed.max(1)) as f64);
        // Of the victims alone: the drive's own counters hold the neighbour's writes too.
        let written: Option<f64> = outcomes.iter().map(RunOutcome::own_written_bytes).sum();
        let each_bytes = written.map_or(f64::NAN, |bytes| bytes / (completed.max(1)) as f64);
        metrics.add(Metric::WrittenBytesPerTransaction, each_bytes);
        metrics.add(Metric::Errors, outcomes.iter().flat_map(|o| o.errors.values()).sum::<u64>() as f64);
        fleet::add_fairness(metrics, Metric::Nopm, &nopm);
    }
}

fn of_neighbour(why: Reason) -> Reason {
    Reason::Neighbour { why: Box::new(why) }
}

/// Means of a victim where all run together without a neighbour: a study's printed baseline.
fn add_baseline(metrics: &mut Metrics, outcomes: &[RunOutcome]) {
    let mean = |of: fn(&RunOutcome) -> f64| outcomes.iter().map(of).sum::<f64>() / outcomes.len() as f64;
    metrics.add(Metric::BaselineNopm, mean(|outcome| outcome.nopm));
    metrics.add(Metric::BaselineTpm, mean(|outcome| outcome.tpm));
}

fn of_all_victims(outcomes: &[RunOutcome]) -> Requests {
    let mut all = Requests::default();
    outcomes.iter().for_each(|outcome| all.add(outcome.requests.clone()));
    all
}

fn of_all_kinds(outcome: &RunOutcome) -> Histogram {
    let mut all = Histogram::new();
    outcome.per.values().for_each(|per| all.merge(&per.latency));
    all
}

/// Transactions per minute in the worst second of a hundred of the measure phase.
fn worst_second(outcome: &RunOutcome) -> f64 {
    let from = outcome.ramp_up.as_secs_f64().ceil() as usize;
    let whole = outcome.measured.as_secs() as usize;
    let seconds = outcome.timeline_all.seconds();
    let mut rates: Vec<u64> = seconds.iter().skip(from).take(whole).map(|second| second.count).collect();
    rates.sort_unstable();
    let index = (rates.len().div_ceil(100)).saturating_sub(1);
    rates.get(index).map_or(f64::NAN, |count| *count as f64 * 60.0)
}

fn add_neighbours(metrics: &mut Metrics, activities: &[Activity], measured_s: f64) {
    if activities.is_empty() {
        return;
    }
    let bytes: u64 = activities.iter().map(|activity| activity.bytes).sum();
    let done: usize = activities.iter().map(|activity| activity.done.len()).sum();
    metrics.add(Metric::NeighbourRate, bytes as f64 / 1e6 / measured_s.max(1e-3));
    metrics.add(Metric::NeighbourActions, done as f64);
    let times: f64 = activities.iter().flat_map(|activity| &activity.done).map(|(from, to)| to - from).sum();
    metrics.add(Metric::NeighbourActionTime, if done > 0 { times / done as f64 } else { f64::NAN });
    let work: f64 = activities.iter().map(|activity| activity.work).sum();
    metrics.add(Metric::NeighbourNopm, if work > 0.0 { work } else { f64::NAN });
}

/// Mean time from the end of a neighbour's action until the victims together are back at 90 % of their rate
/// in calm seconds. `None` where no action ends, or too few seconds are calm.
fn recovery_s(turn: &Turn, from_s: f64, to_s: f64) -> Option<f64> {
    let rates = all_victims(turn);
    let spans: Vec<(f64, f64)> = turn.activities.iter().flat_map(|activity| activity.spans()).collect();
    let second = |index: usize| index as f64 + 0.5;
    let measured = |index: &usize| second(*index) > from_s && second(*index) < to_s.floor();
    let is_calm =
        |index: &usize| !spans.iter().any(|(from, to)| second(*index) > *from && second(*index) < to + 1.0);
    let calm: Vec<f64> =
        (0..rates.len()).filter(measured).filter(is_calm).map(|index| rates[index]).collect();
    if calm.len() < CALM_SECONDS_MIN || spans.is_empty() {
        return None;
    }
    let enough = measure::median(&calm)? * RECOVERED;
    let ends = spans.iter().map(|span| span.1).filter(|end| *end < to_s - 1.0);
    let back = |end: f64| {
        let index = (end.ceil() as usize..rates.len()).find(|index| rates[*index] >= enough)?;
        Some(index as f64 - end)
    };
    let times: Vec<f64> = ends.filter_map(back).collect();
    (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
}

/// Transactions per minute of all victims of a turn, second by second.
fn all_victims(turn: &Turn) -> Vec<f64> {
    let mut rates: Vec<f64> = Vec::new();
    for outcome in &turn.outcomes {
        for (index, second) in outcome.timeline_all.seconds().iter().enumerate() {
            if rates.len() <= index {
                rates.push(0.0);
            }
            rates[index] += second.count as f64 * 60.0;
        }
    }
    rates
}

fn histograms(outcomes: &[RunOutcome]) -> Vec<(HistogramName, Histogram)> {
    let mut merged = Histogram::new();
    outcomes.iter().for_each(|outcome| merged.merge(&of_all_kinds(outcome)));
    metrics::named([(Latency::Answer, merged)])
}

impl Activity {
    /// Its activity, as phases of the cell.
    fn phases(&self) -> impl Iterator<Item = Phase> + '_ {
        self.spans().into_iter().map(|(start_s, end_s)| phase(PhaseName::Neighbour, start_s, end_s))
    }
}
