//! Order entry on PostgreSQL and MariaDB: load time, throughput and the client's own processor time, beside
//! what was measured of other tools with the same settings on such a machine (2 cores, 10 warehouses, 2 GiB
//! of memory for the server).

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::Context as _;
use database::{Backing, Instance, InstanceSpec, Server, Synchronous};
use ground::Clock;
use oltp::tpcc::{self, LoadOptions, Mode, Population, RunOptions, RunOutcome, Stage};
use oltp::{Control, Phase};

use crate::machine::{self, Others};
use crate::options::Options;

const USERS: u32 = 16;
/// Of the published SQL test: 4 databases of 15,000 users.
const CROWD: u32 = 60_000;
const WAREHOUSES: u32 = 10;
const MEMORY_BYTES: u64 = 2 << 30;

/// Figures of go-tpc and what is promised against them.
struct Promise {
    engine: &'static str,
    load_s: f64,
    load_at_most_s: f64,
    /// In statements and in procedures mode; none is promised for MariaDB.
    nopm_at_least: [Option<f64>; 2],
    cpu_at_most_ms: [Option<f64>; 2],
}

const PROMISES: [Promise; 2] = [
    Promise {
        engine: "postgresql",
        load_s: 42.0,
        load_at_most_s: 42.0 / 4.0,
        nopm_at_least: [Some(1.3 * 38_000.0), Some(2.0 * 38_000.0)],
        cpu_at_most_ms: [Some(0.39 / 4.0), Some(0.39 / 10.0)],
    },
    Promise {
        engine: "mariadb",
        load_s: 23.0,
        load_at_most_s: 23.0 / 3.0,
        nopm_at_least: [None, None],
        cpu_at_most_ms: [None, None],
    },
];

/// Runs the bench.
pub(crate) fn run(options: &Options) -> anyhow::Result<String> {
    let mut text = format!("# Order entry on database servers\n\n{}\n\n", machine::describe());
    text += "Reference: go-tpc on 2 cores, 10 warehouses, shared_buffers 2 GB, 16 users on PostgreSQL: 38,000 NOPM, 0.39 ms of client processor \
        time per transaction; load with 8 threads 42 s, on MariaDB 23 s.\n\n";
    for promise in &PROMISES {
        text += &engine(promise, options).with_context(|| promise.engine.to_owned())?;
    }
    if options.smoke {
        text += "These are figures of a smoke test: they mean nothing.\n";
    }
    Ok(text)
}

/// A fresh instance in `dir`.
pub(crate) fn provision(engine: &str, dir: &Path, memory_bytes: u64) -> anyhow::Result<Server> {
    let spec = InstanceSpec {
        dir: dir.to_owned(),
        data: Backing::Real,
        log: Backing::Real,
        log_dir: None,
        memory_bytes,
        synchronous: Synchronous::Full,
        page_cache: false,
    };
    let mut server = match engine {
        "postgresql" => database::postgresql::provision(spec)?,
        "mariadb" => database::mariadb::provision(spec)?,
        other => anyhow::bail!("`{other}` is neither postgresql nor mariadb"),
    };
    server.start()?;
    Ok(server)
}

fn engine(promise: &Promise, options: &Options) -> anyhow::Result<String> {
    let temp = tempfile::Builder::new().prefix("drivetrain-bench-").tempdir_in(&options.dir)?;
    let (memory_bytes, warehouses, population) = match options.smoke {
        true => (64 << 20, 2, Population::MINIATURE),
        false => (MEMORY_BYTES, WAREHOUSES, Population::STANDARD),
    };
    let mut server = provision(promise.engine, temp.path(), memory_bytes)?;
    let mut text = format!("## {} {}\n\n", promise.engine, server.version());
    for (name, value) in server.settings() {
        if ["synchronous_commit", "flush_log_at_trx_commit", ".fsync", "shared_buffers", "buffer_pool_size"]
            .iter()
            .any(|part| name.contains(part))
        {
            let _ = writeln!(text, "- {name} = {value}");
        }
    }
    text += "\n| what | ours | go-tpc | goal | other processes, the server's included |\n|---|---:|---:|---|---:|\n";
    let load = LoadOptions { population, ..LoadOptions::new(warehouses, 1) };
    let others = Others::watch();
    let start = Clock::Wall.stopwatch();
    tpcc::load(&server, &load, &|_| {})?;
    let load_s = start.elapsed().as_secs_f64();
    row(
        &mut text,
        "load of 10 warehouses, s",
        load_s,
        Some(promise.load_s),
        Some((promise.load_at_most_s, false)),
        others.share(),
    );
    consistent(&server, Stage::AfterLoad)?;
    let kept = temp.path().with_extension("kept");
    server.snapshot(&kept)?;
    for (number, mode) in [Mode::Statements, Mode::Procedures].into_iter().enumerate() {
        let mut best: Option<Measured> = None;
        for _ in 0..options.pairs {
            server.restore(&kept)?;
            let measured = measure(&server, mode, warehouses, options)?;
            if best.as_ref().is_none_or(|best| measured.outcome.nopm > best.outcome.nopm) {
                best = Some(measured);
            }
        }
        rows_of(&mut text, promise, (number, mode), best.context("no run")?);
        consistent(&server, Stage::AfterRun)?;
    }
    if promise.engine == "postgresql" {
        crowd(&mut text, &server, warehouses, options)?;
        consistent(&server, Stage::AfterRun)?;
    }
    let _ = writeln!(text, "\nAll consistency conditions hold after the load and after each run.\n");
    drop(server);
    for dir in [temp.path(), kept.as_path()] {
        let _ = std::fs::remove_dir_all(dir);
    }
    Ok(text)
}

/// The rows of one mode beside its promises.
fn rows_of(text: &mut String, promise: &Promise, (number, mode): (usize, Mode), best: Measured) {
    let Measured { outcome, cpu_ms, others } = best;
    let goal = |goal: Option<f64>, more: bool| goal.map(|goal| (goal, more));
    let name = mode.name();
    row(
        text,
        &format!("{name}: NOPM at {USERS} users"),
        outcome.nopm,
        None,
        goal(promise.nopm_at_least[number], true),
        others,
    );
    row(
        text,
        &format!("{name}: client CPU per transaction, ms"),
        cpu_ms,
        None,
        goal(promise.cpu_at_most_ms[number], false),
        others,
    );
    let p99_ms = outcome.service.quantile_ns(0.99) as f64 / 1e6;
    row(text, &format!("{name}: p99, ms"), p99_ms, None, None, others);
    let server_nopm = outcome.server.as_ref().map_or(f64::NAN, |server| server.nopm);
    row(text, &format!("{name}: NOPM by D_NEXT_O_ID"), server_nopm, None, None, others);
}

/// 60,000 users who key and think, on a pool of 64 connections. Twice the clause's times: 60,000 users at its
/// pace ask for about 2,900 transactions a second, more than two processors can serve beside the client.
fn crowd(text: &mut String, server: &Server, warehouses: u32, options: &Options) -> anyhow::Result<()> {
    let users = if options.smoke { 2_000 } else { CROWD };
    let run = RunOptions {
        virtual_users: users,
        warehouses,
        ramp_up: Duration::from_secs_f64(options.seconds),
        measure: Duration::from_secs_f64(4.0 * options.seconds),
        mode: Mode::Procedures,
        pacing: oltp::Pacing::Keyed { factor: 2.0 },
        ..RunOptions::default()
    };
    let others = Others::watch();
    let before = resident_bytes();
    let during: Arc<OnceLock<f64>> = Arc::default();
    let at_measure = Arc::clone(&during);
    let control = Control {
        on_phase: Some(Box::new(move |phase| {
            if phase == Phase::Measure {
                let _ = at_measure.set(resident_bytes());
            }
        })),
        ..Control::default()
    };
    let outcome = tpcc::run(server, &run, &control)?;
    anyhow::ensure!(outcome.fatal.is_none(), "{}", outcome.fatal.unwrap_or_default());
    let ms = |histogram: &measure::Histogram| histogram.quantile_ns(0.99) as f64 / 1e6;
    let what = format!("{users} paced users (times x 2)");
    let share = others.share();
    let bytes = (during.get().context("no measure phase")? - before).max(0.0) / f64::from(users);
    row(
        text,
        &format!("{what}: p99 lateness of a start, ms"),
        ms(&outcome.lateness),
        None,
        Some((10.0, false)),
        share,
    );
    row(text, &format!("{what}: memory each, pool included, B"), bytes, None, Some((2048.0, false)), share);
    row(text, &format!("{what}: p99 wait for the pool, ms"), ms(&outcome.pool_wait), None, None, share);
    row(text, &format!("{what}: transactions per minute"), outcome.tpm_with_rollbacks, None, None, share);
    Ok(())
}

/// Resident memory of this process, bytes; 0 where that is unknown.
fn resident_bytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0.0) * 1024.0
}

struct Measured {
    outcome: RunOutcome,
    cpu_ms: f64,
    others: f64,
}

fn measure(server: &Server, mode: Mode, warehouses: u32, options: &Options) -> anyhow::Result<Measured> {
    let run = RunOptions {
        virtual_users: USERS,
        warehouses,
        ramp_up: Duration::from_secs_f64(options.seconds.min(5.0)),
        measure: Duration::from_secs_f64(options.seconds),
        mode,
        ..RunOptions::default()
    };
    let begin: Arc<OnceLock<(f64, Others)>> = Arc::default();
    let end: Arc<OnceLock<(f64, f64)>> = Arc::default();
    let (at_measure, at_done) = (Arc::clone(&begin), Arc::clone(&end));
    let control = Control {
        on_phase: Some(Box::new(move |phase| {
            if phase == Phase::Measure {
                let _ = at_measure.set((own_cpu_s(), Others::watch()));
            } else if phase == Phase::Done
                && let Some((_, others)) = at_measure.get()
            {
                let _ = at_done.set((own_cpu_s(), others.share()));
            }
        })),
        ..Control::default()
    };
    let outcome = tpcc::run(server, &run, &control)?;
    anyhow::ensure!(outcome.fatal.is_none(), "{}", outcome.fatal.unwrap_or_default());
    anyhow::ensure!(outcome.errors.is_empty(), "errors: {:?}", outcome.errors);
    let (before_s, _) = begin.get().context("no measure phase")?;
    let (after_s, others) = end.get().context("no end")?;
    let cpu_ms = (after_s - before_s) * 1e3 / outcome.completed() as f64;
    Ok(Measured { outcome, cpu_ms, others: *others })
}

/// User and system time of this process, s.
fn own_cpu_s() -> f64 {
    Clock::Wall.cpu().process_ns as f64 / 1e9
}

fn consistent(server: &Server, stage: Stage) -> anyhow::Result<()> {
    for condition in tpcc::check(server, stage)? {
        anyhow::ensure!(condition.violations == 0, "{}: {}", condition.clause, condition.detail);
    }
    Ok(())
}

fn row(
    text: &mut String,
    what: &str,
    ours: f64,
    theirs: Option<f64>,
    goal: Option<(f64, bool)>,
    others: f64,
) {
    let theirs = theirs.map_or("-".to_owned(), |value| format!("{value}"));
    let goal = goal.map_or(String::new(), |(goal, more)| {
        let kept = if more { ours >= goal } else { ours <= goal };
        format!("{} {goal:.4}: {}", if more { ">=" } else { "<=" }, if kept { "kept" } else { "MISSED" })
    });
    let _ = writeln!(text, "| {what} | {ours:.4} | {theirs} | {goal} | {:.0} % |", 100.0 * others);
}
