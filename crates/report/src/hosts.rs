//! The hosts of a fleet beside each other: what each did, and how well they started together.

use crate::level::LevelUnit;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::number::{self, Digits};
use crate::table::{Entry, Table, columns};
use words::{EventKind, Family, Limiter, Metric, MetricName, say, spoken};

/// The hosts of one bed at one level, means over the valid cells.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetResult {
    /// Name of the workload.
    pub workload: String,
    /// The load.
    pub level: f64,
    /// The unit of levels.
    pub level_name: LevelUnit,
    /// Name of the bed.
    pub bed: String,
    /// The metric of the rates.
    pub metric: Metric,
    /// The rate of all hosts together.
    pub all: f64,
    /// Jain's index over the hosts: 1 when all did the same.
    pub fairness: Option<f64>,
    /// Time between the first and the last start, ms; the largest of the cells.
    pub skew_ms: Option<f64>,
    /// Time between the first and the last begin of the measure phase, ms, beside the error of the clocks;
    /// the largest of the cells.
    pub measure_skew_ms: Option<f64>,
    /// When the first and the last host were done, s after the start.
    pub done_s: (Option<f64>, Option<f64>),
    /// In the order of ranks.
    pub hosts: Vec<Host>,
    /// Hosts whose part is that of a neighbour of the others; their rates are MB/s.
    pub neighbours: Vec<Host>,
}

/// One host.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// The number of its rank, from 0.
    pub rank: u32,
    /// Its name.
    pub name: String,
    /// Its throughput.
    pub rate: f64,
    /// Its 99th percentile, ms.
    pub p99_ms: Option<f64>,
    /// Idle processors, %.
    pub cpu_idle: Option<f64>,
    /// Its limiters, by the number of cells.
    pub limiters: Vec<Limiter>,
    /// Time from the agreed moment to its start, ms; the largest of the cells.
    pub late_ms: Option<f64>,
    /// Its date minus that of the lead, ms, and the bound of its error.
    pub clock_ms: (Option<f64>, Option<f64>),
}

/// The hosts of every bed at every level; empty for a run of one process.
pub(crate) fn of_all(loaded: &LoadedRun) -> Vec<FleetResult> {
    loaded.places().filter_map(|place| of(loaded, &place)).collect()
}

fn of(loaded: &LoadedRun, place: &GroupKey<'_>) -> Option<FleetResult> {
    let count = loaded.mean(place, Metric::HostsTogether)? as u32;
    let metric = Metric::OF_HOSTS.into_iter().find(|metric| loaded.mean(place, *metric).is_some())?;
    let most = |metric: Metric| largest(loaded, place, metric.into());
    let hosts: Vec<Host> = (0..count).filter_map(|rank| host(loaded, place, metric, rank)).collect();
    let is_neighbour = |rank: &u32| !hosts.iter().any(|host| host.rank == *rank);
    let neighbours = (0..count).filter(is_neighbour);
    let neighbours = neighbours.filter_map(|rank| host(loaded, place, Metric::NeighbourRate, rank)).collect();
    Some(FleetResult {
        workload: place.workload.to_owned(),
        level: place.level,
        level_name: loaded.level_name(place.workload).clone(),
        bed: place.bed.to_owned(),
        metric,
        all: loaded.mean(place, metric)?,
        fairness: loaded.mean(place, Metric::Fairness),
        skew_ms: most(Metric::StartSkew),
        measure_skew_ms: most(Metric::MeasureSkew),
        done_s: (loaded.mean(place, Metric::FirstDone), loaded.mean(place, Metric::LastDone)),
        hosts,
        neighbours,
    })
}

/// The largest of the valid cells.
fn largest(loaded: &LoadedRun, place: &GroupKey<'_>, metric: MetricName) -> Option<f64> {
    loaded.values(place, metric).into_iter().map(|pair| pair.1).reduce(f64::max)
}

fn host(loaded: &LoadedRun, place: &GroupKey<'_>, metric: Metric, rank: u32) -> Option<Host> {
    let mean = |metric| loaded.mean(place, MetricName::Of(metric, Family::Host(rank + 1)));
    let facts = loaded.scope("fleet");
    let name = facts.and_then(|facts| facts.get(&format!("host.{}", rank + 1))).cloned();
    let begins = format!("{}: ", rank + 1);
    let cells = loaded.valid(place);
    let events =
        cells.iter().flat_map(|cell| &cell.events).filter(|event| event.kind == EventKind::HostLimiter);
    let mut limiters: Vec<Limiter> = Vec::new();
    for limiter in events.filter_map(|event| event.message.strip_prefix(&begins).and_then(Limiter::of)) {
        if !limiters.contains(&limiter) {
            limiters.push(limiter);
        }
    }
    Some(Host {
        rank,
        name: name.unwrap_or_default(),
        rate: mean(metric)?,
        p99_ms: mean(Metric::LATENCY_P99),
        cpu_idle: mean(Metric::CpuIdle),
        limiters,
        late_ms: largest(loaded, place, MetricName::Of(Metric::StartDelay, Family::Host(rank + 1))),
        clock_ms: (mean(Metric::ClockOffset), mean(Metric::ClockError)),
    })
}

/// One line for each host of each bed and level, and one for all of them together.
pub(crate) fn table<'a>(fleets: &'a [FleetResult], shown: impl Fn(&'a str) -> &'a str) -> Table {
    let mut table = Table::new(
        columns![text say!("column-bed"), text say!("column-load"), text say!("column-host"), number say!("column-rate"), number say!("column-of-mean"), number say!("column-host-p99"), number say!("column-host-idle"), text say!("column-limited-by"), number say!("column-host-late"), number say!("column-host-clock"), number say!("column-host-clock-error")],
    );
    for fleet in fleets {
        let mean = fleet.all / fleet.hosts.len().max(1) as f64;
        let of_mean = |host: &Host| format!("{} %", words::decimals(host.rate / mean * 100.0, 0));
        let named = |host: &Host| format!("{} {}", host.rank, host.name);
        let hosts = fleet.hosts.iter().map(|host| (host, named(host), of_mean(host)));
        let neighbours = fleet
            .neighbours
            .iter()
            .map(|host| (host, say!("host-neighbour", host = named(host)), "-".to_owned()));
        for (host, name, of_mean) in hosts.chain(neighbours) {
            let figure = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), number::plain);
            let limiters = words::list(host.limiters.iter().map(|limiter| spoken::<Limiter>(limiter.name())));
            table.row([
                Entry::from(shown(&fleet.bed)),
                Entry::from(fleet.level_name.said(fleet.level)),
                Entry::from(name),
                Entry::from(Digits::alone(host.rate).show(host.rate)),
                Entry::from(of_mean),
                Entry::from(figure(host.p99_ms)),
                Entry::from(figure(host.cpu_idle)),
                Entry::from(limiters),
                Entry::from(figure(host.late_ms)),
                Entry::from(figure(host.clock_ms.0)),
                Entry::from(figure(host.clock_ms.1)),
            ]);
        }
    }
    table
}

/// One sentence for each bed and level: the sum, its spread, and the times of start and end.
pub(crate) fn sentences<'a>(fleets: &'a [FleetResult], shown: impl Fn(&'a str) -> &'a str) -> Vec<String> {
    let decimals =
        |value: Option<f64>, digits| value.map_or_else(|| "-".to_owned(), |v| words::decimals(v, digits));
    let sentence = |fleet: &'a FleetResult| {
        let by_rate = |one: &&Host, other: &&Host| one.rate.total_cmp(&other.rate);
        let (slowest, fastest) = (fleet.hosts.iter().min_by(by_rate)?, fleet.hosts.iter().max_by(by_rate)?);
        let named = |host: &Host| format!("{} {}", host.rank, host.name);
        let sum = say!(
            "hosts-sum",
            bed = shown(&fleet.bed),
            load = fleet.level_name.said(fleet.level),
            hosts = fleet.hosts.len(),
            all = Digits::alone(fleet.all).show(fleet.all),
            metric = fleet.metric.short(),
            fairness = decimals(fleet.fairness, 3),
            slowest = named(slowest),
            fastest = named(fastest),
            skew = decimals(fleet.skew_ms, 2),
            measured = decimals(fleet.measure_skew_ms, 2),
            first = decimals(fleet.done_s.0, 1),
            last = decimals(fleet.done_s.1, 1)
        );
        let beside: f64 = fleet.neighbours.iter().map(|host| host.rate).sum();
        Some(match fleet.neighbours.len() {
            0 => sum,
            count => say!("hosts-beside", sum, count, rate = words::decimals(beside, 1)),
        })
    };
    fleets.iter().filter_map(sentence).collect()
}
