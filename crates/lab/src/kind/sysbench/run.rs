//! One cell of a sysbench test: reset, ramp-up, measure, check, and the result.

use words::{HistogramName, Latency, Metric, PhaseName, Reasons};

use experiment::{Sysbench, SysbenchTest};
use measure::Histogram;
use notebook::CellRecord;
use oltp::Together as _;
use oltp::sysbench::{self, Options, RunOutcome, Test};

use crate::bed::fleet;
use crate::bed::reset;
use crate::conductor::Conductor;
use crate::event::Event;
use crate::metrics::{self, Metrics, one};
use crate::needs::data_set::{self, DataSet};
use crate::order::CellKey;
use crate::watch::cell::{phases, with_log};
use crate::watch::gate::{Ended, gate};
use crate::watch::limiter::{self, Pace};
use crate::watch::load::{Watched, under_load};
use crate::watch::measurements;
use crate::watch::server;

pub(super) fn cell(conductor: &Conductor<'_>, key: CellKey, asked: &Sysbench) -> Result<CellRecord, Reasons> {
    let clock = conductor.clock().stopwatch();
    conductor.observer.event(Event::Phase { name: PhaseName::Reset });
    let seed = conductor.cell_seed(key);
    let mut fleet = reset::fresh(conductor, key, seed)?;
    let reset_s = clock.seconds();
    let (membership, bed) = (&conductor.world.membership, &conductor.experiment.bed[key.bed]);
    let rate = asked.rate.map(|rate| rate / f64::from(membership.sharers(bed)));
    let threads = membership.deal(bed, asked.threads[key.level]).1;
    let options = Options { asking: conductor.asking(key), ..options(asked, (threads, rate), seed) };
    let watched =
        under_load(conductor, key, &fleet.instances, "transactions/s", |number, instance, control| {
            let options = Options { seed: options.seed.wrapping_add(number as u64), ..options.clone() };
            sysbench::run(instance.access(), &options, control).map_err(|e| with_log(instance, e.to_string()))
        })?;
    let (watched, rates, faults) = taken_together(watched)?;
    let (settings, held_back) = (fleet.settings(), fleet.held_back());
    let outcome = &watched.outcome;
    let data =
        DataSet::Sysbench { tables: asked.tables, rows: asked.rows, distribution: options.distribution };
    let ended = Ended {
        interrupted: outcome.interrupted,
        faults,
        completed: outcome.transactions > 0,
        errors: outcome.errors.iter().map(|(kind, &count)| (kind.clone(), count)).collect(),
        requests: outcome.requests.clone(),
        restarts: watched.restarts.clone(),
    };
    let mut gate = gate(conductor, key, &data, &mut fleet, ended);
    let first_state = fleet.first_state;
    drop(fleet);
    let mut phases = phases(reset_s, outcome.ramp_up.as_secs_f64(), outcome.measured.as_secs_f64());
    gate.add_phase(&mut phases);
    gate.events.extend(measurements::settings_and_reset(&settings, first_state, reset_s));
    let processors = measurements::processors_of(&watched, outcome.client_cpu_ns);
    let pace = rate.map(|rate| {
        let per_s = rate * rates.len().max(1) as f64;
        Pace::of_arrivals(per_s, outcome.transactions, outcome.measured.as_secs_f64(), &outcome.latency)
    });
    let limiter = gate.reasons.is_empty().then(|| {
        let moving = limiter::of_server(&watched.waits, processors);
        limiter::or_no_answer(moving, outcome.requests.stood_still(), outcome.measured)
    });
    let mut record = CellRecord {
        state: gate.state,
        reasons: gate.reasons,
        limiter: limiter.as_ref().map(|l| l.name.into()),
        limiter_figures: limiter.map(|l| l.figures),
        phases,
        measurements: [metrics(&watched, &rates, reset_s), held_back].concat(),
        series: series(&watched),
        histograms: histograms(outcome),
        events: gate.events,
        ..CellRecord::default()
    };
    if let Some(pace) = pace {
        pace.limits(&mut record, outcome.tps);
    }
    Ok(record)
}

/// The options of one host, which runs so many threads, at this rate if any.
fn options(asked: &Sysbench, (threads, rate): (u32, Option<f64>), seed: u64) -> Options {
    Options {
        test: match asked.test {
            SysbenchTest::OltpReadWrite => Test::ReadWrite,
            SysbenchTest::OltpReadOnly => Test::ReadOnly,
            SysbenchTest::OltpWriteOnly => Test::WriteOnly,
            SysbenchTest::OltpPointSelect => Test::PointSelect,
            SysbenchTest::OltpUpdateIndex => Test::UpdateIndex,
            SysbenchTest::OltpUpdateNonIndex => Test::UpdateNonIndex,
        },
        tables: asked.tables,
        rows: asked.rows,
        threads,
        distribution: data_set::distribution(asked.distribution),
        range_size: asked.range_size,
        rate,
        ramp_up: asked.ramp_up.0,
        measure: asked.measure.0,
        seed,
        ..Options::default()
    }
}

/// The runs of all instances as one, the transactions per second of each, and the fault that ended any of
/// them; fails if all of them failed.
fn taken_together(
    watched: Watched<Vec<Result<RunOutcome, Reasons>>>,
) -> Result<(Watched<RunOutcome>, Vec<f64>, Reasons), Reasons> {
    let (results, watched) = watched.apart();
    let (runs, faults) = fleet::sort_out(results);
    let rates: Vec<f64> = runs.iter().map(|run| run.tps).collect();
    let Some(outcome) = RunOutcome::together(runs) else { return Err(faults) };
    Ok((watched.with(outcome), rates, faults))
}

fn metrics(watched: &Watched<RunOutcome>, rates: &[f64], reset_s: f64) -> Vec<notebook::Measurement> {
    let outcome = &watched.outcome;
    let mut metrics = Metrics::default();
    metrics.add(Metric::Tps, outcome.tps);
    metrics.add(Metric::Qps, outcome.qps);
    fleet::add_fairness(&mut metrics, Metric::Tps, rates);
    metrics.add_latency(Latency::Answer, &outcome.latency);
    metrics.add_latency(Latency::Service, &outcome.service);
    measurements::requests(&mut metrics, &outcome.requests);
    metrics.add(Metric::ClientCpuPerTransaction, outcome.client_cpu_per_transaction_us());
    metrics.add(Metric::Errors, outcome.errors.values().sum::<u64>() as f64);
    metrics.add(Metric::Retries, outcome.retries as f64);
    metrics.add(Metric::Reconnects, outcome.reconnects as f64);
    metrics.add(Metric::ResetTime, reset_s);
    if let Some(usage) = &watched.usage {
        metrics.add_processors(usage);
        let processors = measurements::processors_of(watched, outcome.client_cpu_ns);
        metrics.add(Metric::CpuOthers, processors.others_of_all() * 100.0);
    }
    server::drives(&mut metrics, watched.usage.as_ref(), (outcome.transactions as f64).max(1.0));
    metrics.0
}

fn series(watched: &Watched<RunOutcome>) -> Vec<measure::Series> {
    let seconds = watched.outcome.timeline.seconds();
    vec![
        one(Metric::Tps, seconds.iter().map(|s| s.count as f64)),
        measurements::by_second(Metric::LATENCY_MEAN, &seconds, |s| s.mean_ns),
        measurements::by_second(Metric::LATENCY_P50, &seconds, |s| s.p50_ns as f64),
        measurements::by_second(Metric::LATENCY_P99, &seconds, |s| s.p99_ns as f64),
        measurements::by_second(Metric::LATENCY_P999, &seconds, |s| s.p999_ns as f64),
        metrics::cpu_idle(&watched.host),
    ]
}

fn histograms(outcome: &RunOutcome) -> Vec<(HistogramName, Histogram)> {
    let named = [
        (Latency::Answer.into(), &outcome.latency),
        (Latency::Service.into(), &outcome.service),
        (Latency::LockWait.into(), &outcome.lock_wait),
    ];
    let statements = outcome.statements.iter();
    let statements = statements.map(|(statement, times)| (HistogramName::read(statement.name()), times));
    let all = named.into_iter().chain(statements).filter(|(_, histogram)| !histogram.is_empty());
    all.map(|(name, histogram)| (name, histogram.clone())).collect()
}
