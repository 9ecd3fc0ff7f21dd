//! From counts to the metrics, series and histograms of a cell, under the names that reports read.

use emulate::{CallersSeen, Counters as Storage};
use measure::{Histogram, Second, Series};
use notebook::{CellRecord, Event, Phase};
use oltp::Requests;
use oltp::tpcc::RunOutcome;
use words::{EventKind, Happening, HistogramName, Latency, Metric, MetricName, Statistic};

use crate::bed::fleet::{self, FirstState};
use crate::metrics::{self, Metrics, event, latency_of, one};
use crate::watch::gate::Gate;
use crate::watch::limiter::{self, Processors, UserTime};
use crate::watch::load::{Traffic, Watched};
use crate::watch::server;
use crate::watch::steps::Steps;

/// An order-entry load with the outside view of it.
type Loaded = Watched<RunOutcome>;

/// The conductor's knowledge of a cell besides its outcome.
pub(crate) struct OrderEntryFacts {
    /// Of all instances together.
    pub(crate) virtual_users: u32,
    /// True if the engine is a server: it may not have reported its counters.
    pub(crate) is_server: bool,
    /// NOPM of each instance.
    pub(crate) rates: Vec<f64>,
    /// True where users pause, or arrive at a rate.
    pub(crate) is_paced: bool,
    /// True if the input is to keep the limits of 5.5.1.5.
    pub(crate) keeps_bands: bool,
    pub(crate) reset_s: f64,
    pub(crate) first_state: FirstState,
    pub(crate) settings: Vec<(String, String)>,
}

/// The record of an order-entry cell.
pub(crate) fn of_order_entry(
    loaded: Loaded,
    facts: &OrderEntryFacts,
    phases: Vec<Phase>,
    gate: Gate,
) -> CellRecord {
    let outcome = &loaded.outcome;
    let all = all_latencies(outcome);
    let storage = &outcome.storage;
    let shares = processors_of(&loaded, outcome.client_cpu_ns);
    let metrics = metrics_of(&loaded, facts, &all, shares);
    let is_server = facts.is_server;
    let limiter = gate.reasons.is_empty().then(|| {
        let moving = match is_server {
            true => limiter::of_server(&loaded.waits, shares),
            false => limiter::of_order_entry(user_time(outcome, storage, facts), shares),
        };
        limiter::or_no_answer(moving, outcome.requests.stood_still(), outcome.measured)
    });
    let mut events = gate.events;
    events.extend(outcome.inputs.violated().filter(|_| facts.keeps_bands).map(|band| {
        let (name, unit) = (band.name.to_owned(), band.unit.to_owned());
        let (low, high) = (band.low.to_string(), band.high.to_string());
        event(EventKind::Input, Happening::InputOutside { name, value: band.value, unit, low, high })
    }));
    events.extend(server::differences(outcome));
    events.extend(settings_and_reset(&facts.settings, facts.first_state, facts.reset_s));
    CellRecord {
        state: gate.state,
        reasons: gate.reasons,
        limiter: limiter.as_ref().map(|l| l.name.into()),
        limiter_figures: limiter.map(|l| l.figures),
        phases,
        measurements: metrics.0,
        series: series(&loaded, is_server),
        histograms: histograms(outcome, all, storage),
        events,
        ..CellRecord::default()
    }
}

/// The single figures of an order-entry cell.
fn metrics_of(loaded: &Loaded, facts: &OrderEntryFacts, all: &Histogram, shares: Processors) -> Metrics {
    let outcome = &loaded.outcome;
    let (storage, usage) = (&outcome.storage, &loaded.usage);
    let mut metrics = Metrics::default();
    throughput(&mut metrics, outcome, facts);
    fleet::add_fairness(&mut metrics, Metric::Nopm, &facts.rates);
    metrics.add_latency(Latency::Answer, all);
    for (kind, per) in &outcome.per {
        metrics.add_latency(latency_of(*kind), &per.latency);
    }
    let is_counted = storage.data.reads + storage.data.writes + storage.log.writes > 0;
    if !facts.is_server || is_counted {
        storage_per_transaction(&mut metrics, storage, outcome, facts.is_server);
        late_time(&mut metrics, storage, user_time(outcome, storage, facts).total_s);
    }
    if let Some(usage) = usage {
        metrics.add_processors(usage);
        metrics.add(Metric::CpuOthers, shares.others_of_all() * 100.0);
    }
    self::requests(&mut metrics, &outcome.requests);
    let per_transaction_us = |ns: u64| ns as f64 / 1e3 / transactions(outcome).max(1.0);
    metrics.add(Metric::ClientCpuPerTransaction, per_transaction_us(outcome.client_cpu_ns));
    if outcome.engine_cpu_ns > 0 {
        // A server's is its own, and counted there.
        metrics.add(Metric::EngineCpuPerTransaction, per_transaction_us(outcome.engine_cpu_ns));
    }
    if let Some(usage) = usage {
        // Clients and a modelled drive's layer: with a server's own time this is all that the load asks of
        // the processors.
        let own_ns = usage.own.user_ns + usage.own.system_ns;
        metrics.add(Metric::OwnCpuPerTransaction, per_transaction_us(own_ns));
    }
    if !outcome.lock_wait.is_empty() {
        metrics.add(Metric::Latency(Latency::LockWait, Statistic::Mean), outcome.lock_wait.mean_ns() / 1e6);
    }
    metrics.add_latency(Latency::PoolWait, &outcome.pool_wait);
    metrics.add_latency(Latency::Lateness, &outcome.lateness);
    metrics.add_latency(Latency::Commit, &outcome.commit);
    metrics.add(Metric::ConnectionsLost, outcome.connections_lost as f64);
    metrics.add(Metric::ResetTime, facts.reset_s);
    for band in outcome.inputs.bands().iter().filter(|band| band.applies) {
        metrics.add_input(band.name, (band.value, band.unit), band.sample);
    }
    // The counters of a mounted drive are of the server alone; those of the host's drives are of all
    // programs.
    server::figures(&mut metrics, outcome, usage.as_ref().filter(|_| !is_counted));
    metrics
}

/// Every setting of the engine and how the cell got its first state, as events of the cell.
pub(crate) fn settings_and_reset(
    settings: &[(String, String)],
    first_state: FirstState,
    reset_s: f64,
) -> Vec<Event> {
    let setting = |(key, value): &(String, String)| event(EventKind::Setting, format!("{key} = {value}"));
    let reset = match first_state {
        FirstState::OfNone => None,
        FirstState::Copied(method) => Some(Happening::Reset { method: method.to_string(), reset_s }),
        FirstState::Kept => Some(Happening::NotReset),
    };
    settings.iter().map(setting).chain(reset.map(|reset| event(EventKind::Reset, reset))).collect()
}

/// Latencies of transactions of all kinds.
pub(crate) fn all_latencies(outcome: &RunOutcome) -> Histogram {
    let mut all = Histogram::new();
    for per in outcome.per.values() {
        all.merge(&per.latency);
    }
    all
}

/// Transactions of the measure phase, rolled-back new orders included: the work of the storage.
fn transactions(outcome: &RunOutcome) -> f64 {
    outcome.completed() as f64
}

fn throughput(metrics: &mut Metrics, outcome: &RunOutcome, facts: &OrderEntryFacts) {
    metrics.add(Metric::Nopm, outcome.nopm);
    metrics.add(Metric::NopmWithRollbacks, outcome.nopm_with_rollbacks);
    metrics.add(Metric::Tpm, outcome.tpm);
    metrics.add(Metric::TpmWithRollbacks, outcome.tpm_with_rollbacks);
    metrics.add(Metric::TpmPerUser, outcome.tpm / f64::from(facts.virtual_users));
    metrics.add(Metric::Errors, outcome.errors.values().sum::<u64>() as f64);
    metrics.add(Metric::Retries, outcome.retries as f64);
    metrics.add(Metric::Rollbacks, outcome.per.values().map(|p| p.rolled_back).sum::<u64>() as f64);
}

fn storage_per_transaction(metrics: &mut Metrics, storage: &Storage, outcome: &RunOutcome, is_server: bool) {
    let transactions = transactions(outcome).max(1.0);
    let per = |count: u64| count as f64 / transactions;
    let (data, log) = (&storage.data, &storage.log);
    metrics.add(Metric::IosPerTransaction, per(data.reads + data.writes + log.reads + log.writes));
    metrics.add(Metric::ReadsPerTransaction, per(data.reads + log.reads));
    metrics.add(Metric::WritesPerTransaction, per(data.writes + log.writes));
    let bytes = data.read_bytes + data.write_bytes + log.read_bytes + log.write_bytes;
    metrics.add(Metric::BytesPerTransaction, per(bytes));
    metrics.add(Metric::ReadBytesPerTransaction, per(data.read_bytes + log.read_bytes));
    metrics.add(Metric::WrittenBytesPerTransaction, per(data.write_bytes + log.write_bytes));
    // A server counts its own log and pool.
    if !is_server {
        metrics.add(Metric::LogBytesPerTransaction, per(log.write_bytes));
        metrics.add(Metric::CacheHitRatio, data.hit_ratio().unwrap_or(f64::NAN) * 100.0);
    }
    metrics.add(Metric::SyncsPerTransaction, per(data.syncs + log.syncs));
    metrics.add(Metric::WrittenBytes, (data.write_bytes + log.write_bytes) as f64);
    let waits = waits(storage);
    let judged = storage.judged();
    for ((wait, model), seen) in waits.iter().zip(modelled(storage)).zip(judged.kinds) {
        if !model.is_empty() {
            // The callers' latency, where it is known; otherwise the layer's own. Callers' waits for a
            // processor are the machine's, and not in it.
            let seen_ns = seen.map_or_else(|| wait.histogram.mean_ns(), |seen| seen.seen_ns);
            metrics.add(wait.delay, (seen_ns - model.mean_ns()) / 1e6);
            metrics.add(wait.model, model.mean_ns() / 1e6);
        }
        if !wait.histogram.is_empty() {
            metrics.add_mean_and_p99(wait.latency, &wait.histogram);
        }
    }
    let operations: u64 = waits.iter().map(|wait| wait.histogram.len()).sum();
    if operations > 0 {
        metrics.add(Metric::LateCompletions, storage.late as f64 / operations as f64 * 100.0);
    }
    if let Some(all) = judged.all.filter(|_| storage.callers != CallersSeen::default()) {
        metrics.add(Metric::DriveCallerWaits, all.waits_ns / 1e6);
    }
    if operations > 0 && storage.cpu_ns > 0 {
        metrics.add(Metric::DriveLayerCpuPerIo, storage.cpu_ns as f64 / 1e3 / operations as f64);
    }
    metrics.add(Metric::DriveBusy, data.busy_ns as f64 / 1e9 / outcome.measured.as_secs_f64() * 100.0);
}

/// The share of the callers' time that late completions took: an upper bound, as nobody waits for some I/Os.
fn late_time(metrics: &mut Metrics, storage: &Storage, callers_s: f64) {
    let is_modelled = modelled(storage).iter().any(|times| !times.is_empty());
    if is_modelled && callers_s > 0.0 {
        let late_s = storage.late_ns_total as f64 / 1e9;
        metrics.add(Metric::LateTime, (late_s / callers_s).min(1.0) * 100.0);
    }
}

/// One kind of wait for the drive.
struct DriveWait {
    latency: Latency,
    /// By how much it was longer than the model's.
    delay: Metric,
    /// The model's own mean.
    model: Metric,
    histogram: Histogram,
}

/// The waits of callers for the drive, data and log together: percentiles come from the merged histograms.
fn waits(storage: &Storage) -> [DriveWait; 3] {
    let (data, log) = (&storage.data, &storage.log);
    let wait = |latency, (delay, model), histogram| DriveWait { latency, delay, model, histogram };
    let (read, write, sync) =
        (both(&data.read, &log.read), both(&data.write, &log.write), both(&data.sync, &log.sync));
    [
        wait(Latency::DriveRead, (Metric::DriveReadDelay, Metric::DriveReadModel), read),
        wait(Latency::DriveWrite, (Metric::DriveWriteDelay, Metric::DriveWriteModel), write),
        wait(Latency::DriveSync, (Metric::DriveSyncDelay, Metric::DriveSyncModel), sync),
    ]
}

/// The model's own times of the same operations. Empty on real storage.
fn modelled(storage: &Storage) -> [Histogram; 3] {
    let (data, log) = (&storage.data, &storage.log);
    [
        both(&data.model_read, &log.model_read),
        both(&data.model_write, &log.model_write),
        both(&data.model_sync, &log.model_sync),
    ]
}

fn both(data: &Histogram, log: &Histogram) -> Histogram {
    let mut all = data.clone();
    all.merge(log);
    all
}

/// Users wait for reads of the data and for the log; data pages are written by the checkpointer in the
/// background.
fn user_time(outcome: &RunOutcome, storage: &Storage, facts: &OrderEntryFacts) -> UserTime {
    let total = |h: &Histogram| h.mean_ns() * h.len() as f64 / 1e9;
    UserTime {
        // Users at a pace spend most of their time with pauses, which nothing limits.
        total_s: match facts.is_paced {
            true => total(&outcome.service),
            false => f64::from(facts.virtual_users) * outcome.measured.as_secs_f64(),
        },
        drive_reads_s: total(&storage.data.read),
        log_s: total(&storage.log.write) + total(&storage.log.sync),
        lock_s: total(&outcome.lock_wait),
    }
}

/// The machine's processors during the measure phase, for the limiter.
pub(crate) fn processors_of<T>(watched: &Watched<T>, client_cpu_ns: u64) -> Processors {
    let Some(usage) = &watched.usage else { return Processors { idle: 1.0, ..Processors::default() } };
    let cpu = &usage.cpu;
    let processors = watched.host.first().map_or(1, |counters| counters.cpu.cpus);
    let busy_ns = cpu.busy() * usage.elapsed_ns as f64 * f64::from(processors);
    let of_busy = |ns: f64| if busy_ns > 0.0 { ns / busy_ns } else { 0.0 };
    let ours_ns = (usage.own.user_ns + usage.own.system_ns) as f64;
    // The embedded engine and a modelled drive work inside our process, a server in its own: other processor
    // time is of other programs.
    let known_ns = watched.server_cpu.map(|server| ours_ns + server.as_nanos() as f64);
    Processors {
        idle: cpu.idle + cpu.iowait,
        busy: cpu.busy(),
        steal: cpu.steal,
        client: of_busy(client_cpu_ns as f64),
        others: known_ns.filter(|_| busy_ns > 0.0).map(|known| (1.0 - of_busy(known)).clamp(0.0, 1.0)),
        are_elsewhere: false,
    }
}

fn histograms(outcome: &RunOutcome, all: Histogram, storage: &Storage) -> Vec<(HistogramName, Histogram)> {
    let mut kept = vec![
        (Latency::Answer, all),
        (Latency::Commit, outcome.commit.clone()),
        (Latency::LockWait, outcome.lock_wait.clone()),
        (Latency::Lateness, outcome.lateness.clone()),
        (Latency::PoolWait, outcome.pool_wait.clone()),
    ];
    kept.extend(outcome.per.iter().map(|(kind, per)| (latency_of(*kind), per.latency.clone())));
    kept.extend(waits(storage).map(|wait| (wait.latency, wait.histogram)));
    metrics::named(kept)
}

fn series(loaded: &Loaded, is_server: bool) -> Vec<Series> {
    let outcome = &loaded.outcome;
    let (all, orders) = (outcome.timeline_all.seconds(), outcome.timeline_new_order.seconds());
    let mut series = vec![
        one(Metric::Tpm, all.iter().map(|s| s.count as f64 * 60.0)),
        one(Metric::Nopm, orders.iter().map(|s| s.count as f64 * 60.0)),
        by_second(Metric::LATENCY_MEAN, &all, |s| s.mean_ns),
        by_second(Metric::LATENCY_P50, &all, |s| s.p50_ns as f64),
        by_second(Metric::LATENCY_P99, &all, |s| s.p99_ns as f64),
        by_second(Metric::LATENCY_P999, &all, |s| s.p999_ns as f64),
        metrics::cpu_idle(&loaded.host),
    ];
    if is_server {
        return series; // The drive's operations are counted by the mount, and a server has none.
    }
    let steps = Steps::between(loaded.storage.iter().map(|storage| storage.at_ns));
    let grown = |metric: Metric, scale: f64, of: fn(&Traffic) -> u64| {
        let grown = loaded.storage.windows(2).map(|pair| of(&pair[1]).saturating_sub(of(&pair[0])));
        one(metric, steps.rates(grown.map(|grown| grown as f64 * scale)).into_iter())
    };
    series.push(grown(Metric::DriveReads, 1.0, |t| t.reads));
    series.push(grown(Metric::DriveWrites, 1.0, |t| t.writes));
    series.push(grown(Metric::ReadBandwidth, 1e-6, |t| t.read_bytes));
    series.push(grown(Metric::WriteBandwidth, 1e-6, |t| t.write_bytes));
    series
}

/// A latency second by second, ms; a gap where nothing was answered.
pub(crate) fn by_second(
    metric: impl Into<MetricName>,
    seconds: &[Second],
    of_ns: fn(&Second) -> f64,
) -> Series {
    let value = |second: &Second| if second.count > 0 { of_ns(second) / 1e6 } else { f64::NAN };
    one(metric, seconds.iter().map(value))
}

/// The fates of the requests that were due in the measure phase, and the times without any answer.
pub(crate) fn requests(metrics: &mut Metrics, requests: &Requests) {
    metrics.add(Metric::RequestsDue, requests.due as f64);
    metrics.add(Metric::RequestsAnsweredLate, requests.answered_late as f64);
    metrics.add(Metric::RequestsUnfinished, requests.unfinished as f64);
    metrics.add(Metric::RequestsUnknown, requests.unknown as f64);
    metrics.add(Metric::LongestGap, requests.longest_gap.as_secs_f64());
    metrics.add(Metric::StoodStill, requests.stood_still().as_secs_f64());
}
