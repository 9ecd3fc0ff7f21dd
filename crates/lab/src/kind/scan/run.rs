//! One cell of scans against lookups: the same rows by both ways, each from a cold cache and again from a
//! warm one.

use std::collections::BTreeMap;
use std::time::Duration;
use words::{EventKind, Happening, Metric, PhaseName, ReadFigure, Reason, Reasons, RowsRead, Step};

use database::Instance;
use experiment::Scan;
use ground::nanoseconds;
use notebook::{CellRecord, CellState, Event as CellEvent, Phase};
use oltp::Until;
use oltp::scan::{self, Answer, Path, Table};

use crate::bed::reset;
use crate::conductor::Conductor;
use crate::event::Event;
use crate::metrics::{Metrics, event, phase};
use crate::order::CellKey;
use crate::watch::cell::with_log;
use crate::watch::measurements;
use crate::watch::meter::Meter;

/// A server tells its counts when the session has gone; this long it may take.
const COUNTS_SETTLE: Duration = Duration::from_millis(200);
const BOTH: [Path; 2] = [Path::Scan, Path::Lookup];
/// The ratio of a lookup's time to the scan's at which the lookup has lost; its end does not matter, and on a
/// disk it may take days.
pub(crate) const LOST: u32 = 10;
/// Shorter lookups are never ended.
const LOST_MIN: Duration = Duration::from_secs(1);
/// Reads of one cell: both ways, each from a cold cache and again from a warm one.
const READS: usize = 2 * BOTH.len();

/// One read and its cost.
pub(crate) struct Read {
    pub(crate) answer: Answer,
    /// Processor time: our own process's for the embedded engine, else the whole machine's.
    cpu_s: f64,
    /// The engine's counters meanwhile, by our names.
    counts: BTreeMap<ReadFigure, f64>,
}

/// The results of a cell's reads.
#[derive(Default)]
struct Reads {
    /// Each with its way and whether the cache was cold.
    done: Vec<(Path, bool, Read)>,
    /// Lookups that had lost and were stopped: true for a cold cache, and the time taken.
    lost: Vec<(bool, Duration)>,
    phases: Vec<Phase>,
}

pub(super) fn cell(conductor: &Conductor<'_>, key: CellKey, asked: &Scan) -> Result<CellRecord, Reasons> {
    let clock = conductor.clock().stopwatch();
    conductor.observer.event(Event::Phase { name: PhaseName::Reset });
    let seed = conductor.cell_seed(key);
    let fleet = reset::fresh(conductor, key, seed)?;
    let reset_s = clock.seconds();
    let mut instance = fleet.instances.into_iter().next().ok_or(Reason::NoInstance)?;
    let settings = instance.settings();
    let table = Table { rows: asked.rows, row_bytes: asked.row_bytes };
    let share = asked.selectivity[key.level].0;
    conductor.meeting.start();
    let meter = Meter::start(&conductor.sampler, &[&instance.backings().0], || 0);
    // The first path is drawn at random: anything that the machine does slowly affects both alike.
    let order = if seed & 1 == 0 { BOTH } else { [Path::Lookup, Path::Scan] };
    let reads = read_all(conductor, &mut *instance, (table, share), order, &meter)?;
    let seen = meter.stop();
    conductor.meeting.done();
    instance.stop().map_err(|e| e.to_string())?;
    let (state, reasons) = judged(&reads);
    let mut metrics = Metrics::default();
    for (path, cold, read) in &reads.done {
        read.add_to(&mut metrics, read_of(*path, *cold));
    }
    for (cold, elapsed) in &reads.lost {
        let lost = if *cold { Metric::LookupColdLost } else { Metric::LookupWarmLost };
        metrics.add(lost, elapsed.as_secs_f64());
    }
    ratios(&mut metrics);
    metrics.add(Metric::RowsAsked, f64::from(scan::asked_rows(table, share)));
    seen.add_totals(&mut metrics, None);
    metrics.add(Metric::ResetTime, reset_s);
    let mut events = measurements::settings_and_reset(&settings, fleet.first_state, reset_s);
    events.extend(plans(&reads.done));
    let reset = phase(PhaseName::Reset, -reset_s, 0.0);
    Ok(CellRecord {
        state,
        reasons,
        phases: std::iter::once(reset).chain(reads.phases).collect(),
        measurements: metrics.0,
        series: seen.series(None),
        events,
        ..CellRecord::default()
    })
}

/// Reads by both ways in `order`, each from a cold cache and again; reads after the user's stop are missing.
fn read_all(
    conductor: &Conductor<'_>,
    instance: &mut dyn Instance,
    (table, share): (Table, f64),
    order: [Path; 2],
    meter: &Meter,
) -> Result<Reads, Reasons> {
    let user = Until::stopped(conductor.interrupt.flag());
    let mut reads = Reads::default();
    let mut scan: Option<Duration> = None;
    if order[0] == Path::Lookup {
        // The time limit of a lookup must be known before it begins.
        conductor.observer.event(Event::Phase { name: PhaseName::TrialScan });
        instance.cool().map_err(cooling)?;
        let Some(trial) = attempt(conductor, instance, (table, share), (Path::Scan, &user))? else {
            return Ok(reads);
        };
        scan = Some(trial.answer.elapsed);
    }
    for path in order {
        instance.cool().map_err(cooling)?;
        for cold in [true, false] {
            let name = phase_name(path, cold);
            conductor.observer.event(Event::Phase { name });
            let (start_s, begun_ns) = (meter.now_s(), conductor.clock().now_ns());
            let limit = scan.filter(|_| path == Path::Lookup).map(|scan| (scan * LOST).max(LOST_MIN));
            let until =
                Until { deadline_ns: limit.map(|limit| begun_ns + nanoseconds(limit)), ..user.clone() };
            match attempt(conductor, instance, (table, share), (path, &until))? {
                Some(read) => {
                    scan = scan.or(Some(read.answer.elapsed));
                    reads.done.push((path, cold, read));
                }
                None if conductor.interrupt.requested() => return Ok(reads),
                None => reads.lost.push((cold, conductor.clock().since(begun_ns))),
            }
            reads.phases.push(phase(name, start_s, meter.now_s()));
        }
    }
    Ok(reads)
}

fn cooling(error: database::DatabaseError) -> Reason {
    Step::EmptyCaches.failed(error)
}

/// A read; `None` when `until` was over before it.
fn attempt(
    conductor: &Conductor<'_>,
    instance: &dyn Instance,
    asked: (Table, f64),
    (path, until): (Path, &Until),
) -> Result<Option<Read>, Reasons> {
    match read(conductor, instance, asked, path, until) {
        Err(_) if until.is_over() => Ok(None),
        read => read.map(Some).map_err(|why| with_log(instance, why)),
    }
}

/// The judgement of the reads: they count if all were done and found the same rows.
fn judged(reads: &Reads) -> (CellState, Reasons) {
    let first = reads.done.first();
    let differs =
        first.and_then(|first| reads.done.iter().find(|one| !one.2.answer.same_rows(&first.2.answer)));
    if let (Some((first, _, with)), Some((way, _, other))) = (first, differs) {
        let rows = |Answer { rows, sum_of_places, bytes, .. }: &Answer| RowsRead {
            rows: *rows,
            sum_of_places: *sum_of_places,
            bytes: *bytes,
        };
        let why = Reason::OtherRows {
            way: way.name().to_owned(),
            found: rows(&other.answer),
            first: first.name().to_owned(),
            expected: rows(&with.answer),
        };
        return (CellState::Invalid, why.into());
    }
    let done = reads.done.len() + reads.lost.len();
    if done < READS {
        let stopped = Reason::StoppedAfterReads { done: done as u32, all: READS as u32 };
        return (CellState::Interrupted, stopped.into());
    }
    (CellState::Done, Reasons::default())
}

fn phase_name(path: Path, cold: bool) -> PhaseName {
    match (path, cold) {
        (Path::Scan, true) => PhaseName::ScanCold,
        (Path::Scan, false) => PhaseName::ScanWarm,
        (Path::Lookup, true) => PhaseName::LookupCold,
        (Path::Lookup, false) => PhaseName::LookupWarm,
    }
}

/// Reads by one way, with the counters of the engine and the processors. Fails soon after `until` is over.
pub(crate) fn read(
    conductor: &Conductor<'_>,
    instance: &dyn Instance,
    (table, share): (Table, f64),
    path: Path,
    until: &Until,
) -> Result<Read, String> {
    let world = conductor.world;
    let before = (world.counters.read(), counts(instance)?);
    let answer = scan::read(instance, table, share, path, until).map_err(|e| e.to_string())?;
    let host_after = world.counters.read();
    let embedded = !instance.engine().is_server();
    if !embedded {
        world.clock.sleep(COUNTS_SETTLE);
    }
    let after = counts(instance)?;
    let grown = after.iter().map(|(name, value)| (*name, value - before.1.get(name).unwrap_or(&0.0)));
    let cpu_s = match (before.0, host_after) {
        (Some(before), Some(after)) if embedded => {
            let own = after.since(&before).own;
            (own.user_ns + own.system_ns) as f64 / 1e9
        }
        (Some(before), Some(after)) => {
            let usage = after.since(&before);
            usage.cpu.busy() * usage.elapsed_ns as f64 / 1e9 * f64::from(after.cpu.cpus.max(1))
        }
        _ => f64::NAN,
    };
    Ok(Read { answer, cpu_s, counts: grown.collect() })
}

/// The engine's growing counters: pages requested, pages that were not in memory, and pages read ahead.
fn counts(instance: &dyn Instance) -> Result<BTreeMap<ReadFigure, f64>, String> {
    if !instance.engine().is_server() {
        let data = instance.storage_counters().data;
        return Ok(BTreeMap::from([
            (ReadFigure::LogicalReads, (data.hits + data.misses) as f64),
            (ReadFigure::PhysicalReads, data.reads as f64),
            (ReadFigure::ReadBytes, data.read_bytes as f64),
        ]));
    }
    let counters = instance.server_counters().map_err(|e| e.to_string())?;
    let of = |name: &str| counters.get(name).copied();
    let mut counts = BTreeMap::new();
    if let (Some(hits), Some(reads)) = (of("buffer_hits"), of("buffer_reads")) {
        counts.insert(ReadFigure::LogicalReads, hits + reads);
        counts.insert(ReadFigure::PhysicalReads, reads);
    }
    counts.extend(of("read_ahead").map(|pages| (ReadFigure::ReadAhead, pages)));
    counts.extend(of("bytes_read").map(|bytes| (ReadFigure::ReadBytes, bytes)));
    Ok(counts)
}

impl Read {
    /// The figures of this read.
    pub(crate) fn add_to(&self, metrics: &mut Metrics, read: words::Read) {
        metrics.add(Metric::Read(read, ReadFigure::Time), self.answer.elapsed.as_secs_f64());
        metrics.add(Metric::Read(read, ReadFigure::Cpu), self.cpu_s);
        for (figure, value) in &self.counts {
            metrics.add(Metric::Read(read, *figure), *value);
        }
    }
}

/// The ratio of the lookup's time to the scan's: above 1 the scan wins. For a lookup that was stopped, its
/// time until then.
fn ratios(metrics: &mut Metrics) {
    for (cold, lost, ratio) in [
        (true, Metric::LookupColdLost, Metric::LookupOverScanCold),
        (false, Metric::LookupWarmLost, Metric::LookupOverScanWarm),
    ] {
        let time = |path| metrics.value(Metric::Read(read_of(path, cold), ReadFigure::Time));
        let lookup = time(Path::Lookup).or_else(|| metrics.value(lost));
        if let (Some(lookup), Some(scan)) = (lookup, time(Path::Scan))
            && scan > 0.0
        {
            metrics.add(ratio, lookup / scan);
        }
    }
}

/// The read of one way from one state of the cache.
fn read_of(path: Path, cold: bool) -> words::Read {
    match (path, cold) {
        (Path::Scan, true) => words::Read::ScanCold,
        (Path::Scan, false) => words::Read::ScanWarm,
        (Path::Lookup, true) => words::Read::LookupCold,
        (Path::Lookup, false) => words::Read::LookupWarm,
    }
}

/// Each way's plan once.
fn plans(reads: &[(Path, bool, Read)]) -> Vec<CellEvent> {
    let cold = reads.iter().filter(|(_, cold, _)| *cold);
    let told = |(path, _, read): &(Path, bool, Read)| {
        let plan = read.answer.plan.clone();
        event(
            EventKind::Plan,
            match path {
                Path::Scan => Happening::PlanOfScan { plan },
                Path::Lookup => Happening::PlanOfLookup { plan },
            },
        )
    };
    cold.map(told).collect()
}
