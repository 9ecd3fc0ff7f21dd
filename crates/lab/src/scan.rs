//! One cell of scans against lookups: the same rows by both ways, each from a cold cache and again from a warm one.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use database::{Access, Instance};
use experiment::Scan;
use notebook::{CellRecord, CellState, Event as CellEvent, Phase};
use oltp::scan::{self, Answer, Path, Table};

use crate::cell::{cell_seed, invalid, with_log};
use crate::conductor::{Conductor, seconds_since};
use crate::measurements;
use crate::meter::Meter;
use crate::metrics::Metrics;
use crate::order::CellKey;
use crate::{Event, reset};

/// A server tells its counts when the session has gone; this long it may take.
const COUNTS_SETTLE: Duration = Duration::from_millis(200);
const BOTH: [Path; 2] = [Path::Scan, Path::Lookup];

/// Runs the cell. Never fails: what goes wrong becomes the reason of an invalid cell.
pub(crate) fn cell(conductor: &Conductor<'_>, key: CellKey, asked: &Scan) -> CellRecord {
    try_cell(conductor, key, asked).unwrap_or_else(invalid)
}

/// One read and what it cost.
pub(crate) struct Read {
    pub(crate) answer: Answer,
    /// Processor time: our own process's for the embedded engine, else the whole machine's.
    cpu_s: f64,
    /// What the engine counted meanwhile, by our names.
    counts: BTreeMap<&'static str, f64>,
}

fn try_cell(conductor: &Conductor<'_>, key: CellKey, asked: &Scan) -> Result<CellRecord, String> {
    let clock = Instant::now();
    conductor.observer.event(Event::Phase { name: "reset" });
    let seed = cell_seed(conductor.seed, key);
    let fleet = reset::fresh(conductor, key, seed)?;
    let reset_s = seconds_since(clock);
    let mut instance = fleet.instances.into_iter().next().ok_or("the bed has no instance")?;
    let settings = instance.settings();
    let table = Table { rows: asked.rows, row_bytes: asked.row_bytes };
    let share = asked.selectivity[key.level].0;
    let meter = Meter::start(&[&instance.backings().0], || 0);
    let mut reads: Vec<(Path, bool, Read)> = Vec::new();
    let mut phases = vec![Phase { name: "reset".to_owned(), start_s: -reset_s, end_s: 0.0 }];
    // Which way comes first is drawn: whatever the machine does slowly meets both alike.
    let order = if seed & 1 == 0 { BOTH } else { [Path::Lookup, Path::Scan] };
    for path in order {
        instance.cool().map_err(|e| format!("emptying the caches: {e}"))?;
        for cold in [true, false] {
            if conductor.interrupt.requested() {
                return Ok(interrupted(phases));
            }
            let phase = phase_name(path, cold);
            conductor.observer.event(Event::Phase { name: phase });
            let start_s = meter.now_s();
            let read = read(&*instance, table, share, path).map_err(|why| with_log(&*instance, why))?;
            phases.push(Phase { name: phase.to_owned(), start_s, end_s: meter.now_s() });
            reads.push((path, cold, read));
        }
    }
    let seen = meter.stop();
    instance.stop().map_err(|e| e.to_string())?;
    let differs = reads.iter().find(|(_, _, read)| !read.answer.same_rows(&reads[0].2.answer));
    let reason = differs.map(|(path, ..)| {
        format!("a {} found other rows than a {}: {:?}", path.name(), reads[0].0.name(), reads[0].2.answer)
    });
    let mut metrics = Metrics::default();
    for (path, cold, read) in &reads {
        read.add_to(&mut metrics, &format!("{}_{}", path.name(), if *cold { "cold" } else { "warm" }));
    }
    ratios(&mut metrics);
    metrics.add("rows_asked", f64::from(scan::asked_rows(table, share)), "count");
    seen.add_totals(&mut metrics);
    metrics.add("reset_s", reset_s, "s");
    let mut events = measurements::settings_and_reset(&settings, &fleet.reset_method, reset_s);
    events.extend(plans(&reads));
    Ok(CellRecord {
        state: if reason.is_some() { CellState::Invalid } else { CellState::Done },
        reason,
        phases,
        measurements: metrics.0,
        series: seen.series(None),
        events,
        ..CellRecord::default()
    })
}

fn phase_name(path: Path, cold: bool) -> &'static str {
    match (path, cold) {
        (Path::Scan, true) => "scan, cold",
        (Path::Scan, false) => "scan, warm",
        (Path::Lookup, true) => "lookup, cold",
        (Path::Lookup, false) => "lookup, warm",
    }
}

fn interrupted(phases: Vec<Phase>) -> CellRecord {
    let reason = Some("stopped by the user before all ways were read".to_owned());
    CellRecord { state: CellState::Interrupted, reason, phases, ..CellRecord::default() }
}

/// Reads by one way, with what the engine and the processors did meanwhile.
pub(crate) fn read(instance: &dyn Instance, table: Table, share: f64, path: Path) -> Result<Read, String> {
    let before = (host::Counters::read(), counts(instance)?);
    let answer = scan::read(instance, table, share, path).map_err(|e| e.to_string())?;
    let host_after = host::Counters::read();
    let embedded = matches!(instance.access(), Access::Sqlite(_));
    if !embedded {
        std::thread::sleep(COUNTS_SETTLE);
    }
    let after = counts(instance)?;
    let grown = after.iter().map(|(name, value)| (*name, value - before.1.get(name).unwrap_or(&0.0)));
    let cpu_s = match (before.0, host_after) {
        (Ok(before), Ok(after)) if embedded => {
            let own = after.since(&before).own;
            (own.user_ns + own.system_ns) as f64 / 1e9
        }
        (Ok(before), Ok(after)) => {
            let usage = after.since(&before);
            usage.cpu.busy() * usage.elapsed_ns as f64 / 1e9 * f64::from(after.cpu.cpus.max(1))
        }
        _ => f64::NAN,
    };
    Ok(Read { answer, cpu_s, counts: grown.collect() })
}

/// What the engine has counted, growing: pages asked for, pages that were not in memory, and those that it read ahead.
fn counts(instance: &dyn Instance) -> Result<BTreeMap<&'static str, f64>, String> {
    if matches!(instance.access(), Access::Sqlite(_)) {
        let data = instance.storage_counters().data;
        return Ok(BTreeMap::from([
            ("logical_reads", (data.hits + data.misses) as f64),
            ("physical_reads", data.reads as f64),
            ("read_bytes", data.read_bytes as f64),
        ]));
    }
    let counters = instance.server_counters().map_err(|e| e.to_string())?;
    let of = |name: &str| counters.get(name).copied();
    let mut counts = BTreeMap::new();
    if let (Some(hits), Some(reads)) = (of("buffer_hits"), of("buffer_reads")) {
        counts.insert("logical_reads", hits + reads);
        counts.insert("physical_reads", reads);
    }
    counts.extend(of("Innodb_buffer_pool_read_ahead").map(|pages| ("read_ahead", pages)));
    counts.extend(of("Innodb_data_read").map(|bytes| ("read_bytes", bytes)));
    Ok(counts)
}

impl Read {
    /// The figures of this read under names that begin with `prefix`.
    pub(crate) fn add_to(&self, metrics: &mut Metrics, prefix: &str) {
        metrics.add(&format!("{prefix}_time"), self.answer.elapsed.as_secs_f64(), "s");
        metrics.add(&format!("{prefix}_cpu"), self.cpu_s, "s");
        for (name, value) in &self.counts {
            let unit = if *name == "read_bytes" { "B" } else { "page" };
            metrics.add(&format!("{prefix}_{name}"), *value, unit);
        }
    }
}

/// The time of the lookup in times of the scan: above 1 the scan wins.
fn ratios(metrics: &mut Metrics) {
    for state in ["cold", "warm"] {
        let time =
            |way: &str| metrics.0.iter().find(|m| m.metric == format!("{way}_{state}_time")).map(|m| m.value);
        if let (Some(lookup), Some(scan)) = (time("lookup"), time("scan"))
            && scan > 0.0
        {
            metrics.add(&format!("lookup_over_scan_{state}"), lookup / scan, "x");
        }
    }
}

/// Each way's plan once.
fn plans(reads: &[(Path, bool, Read)]) -> Vec<CellEvent> {
    let cold = reads.iter().filter(|(_, cold, _)| *cold);
    let event = |(path, _, read): &(Path, bool, Read)| CellEvent {
        kind: "plan".to_owned(),
        count: 1,
        message: format!("{}: {}", path.name(), read.answer.plan),
    };
    cold.map(event).collect()
}
