//! The sysbench workload against sysbench itself: `oltp_read_write` on the same server, tables and socket.

mod peer;

use std::path::Path;
use std::time::Duration;

use database::{
    Access, Backing, DatabaseError, Instance, InstanceSpec, Server, Synchronous, mariadb, postgresql,
};
use ground::Clock;
use oltp::Control;
use oltp::sysbench::{LoadOptions, load};

use crate::machine;
use crate::options::Options;
use crate::pairs::{Goal, Row, table};

/// Concurrency levels: alone, several for each processor, many.
const THREADS: [u32; 3] = [1, 8, 32];
const TABLES: u32 = 8;
/// sysbench's default.
const ROWS: u32 = 10_000;
/// All of the data fits, so that the client is seen as well as it can be.
const MEMORY_BYTES: u64 = 256 << 20;
const SEED: u64 = 1;

/// The figures that one run of either side reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figures {
    /// Transactions per second.
    pub(crate) tps: f64,
    /// User and system time of the client's process, start and connections included, for each transaction.
    pub(crate) cpu_us: f64,
}

type Provision = fn(InstanceSpec) -> Result<Server, DatabaseError>;

/// Runs all pairs and returns the tables.
pub(crate) fn run(options: &Options) -> anyhow::Result<String> {
    let version = peer::version()?;
    let mut report = format!(
        "sysbench: oltp_read_write, {TABLES} tables of {ROWS} rows, unix socket, no sync at commit (the client is to be seen, not the drive); \
         {} pairs of {} s, interleaved, data restored before each pair; {}\nours {}, peer {version}\n",
        options.pairs,
        seconds(options),
        machine::describe(),
        env!("CARGO_PKG_VERSION"),
    );
    if cfg!(debug_assertions) || options.smoke {
        report +=
            "These figures mean nothing: a smoke run or a build without optimisation (use --release).\n";
    }
    let dir = tempfile::Builder::new().prefix("drivetrain-bench-").tempdir_in(&options.dir)?;
    open_to_servers(dir.path())?;
    let engines: [(&str, Provision); 2] =
        [("postgresql", postgresql::provision), ("mariadb", mariadb::provision)];
    for (name, provision) in engines {
        let mut server = provision(spec(&dir.path().join(name)))?;
        report += &on_engine(options, &mut server, dir.path())?;
        server.remove()?;
    }
    report += &format!("\nAt the end: {}.\n", machine::load());
    Ok(report)
}

/// sysbench counts whole seconds.
fn seconds(options: &Options) -> f64 {
    options.seconds.ceil()
}

/// A temporary directory is closed to all accounts but its owner's; servers never run as root.
fn open_to_servers(dir: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o755))?)
}

fn spec(dir: &Path) -> InstanceSpec {
    InstanceSpec {
        dir: dir.to_owned(),
        data: Backing::Real,
        log: Backing::Real,
        log_dir: None,
        memory_bytes: MEMORY_BYTES,
        synchronous: Synchronous::Off,
        page_cache: false,
    }
}

fn on_engine(options: &Options, server: &mut Server, dir: &Path) -> anyhow::Result<String> {
    server.start()?;
    let loaded = load(server.access(), &LoadOptions::new(TABLES, ROWS, SEED), &|_| {})?;
    let mut report = format!(
        "\n{} {}: loaded by {} in {:.2} s\n",
        server.engine(),
        server.version(),
        loaded.method,
        loaded.elapsed.as_secs_f64()
    );
    let copy = dir.join(format!("{}-copy", server.engine()));
    server.snapshot(&copy)?;
    // One level shows that all works.
    let levels = if options.smoke { &THREADS[..1] } else { &THREADS[..] };
    for &threads in levels {
        let mut pairs = Vec::new();
        for pair in 0..options.pairs {
            server.restore(&copy)?;
            server.start()?;
            let seed = SEED + pair as u64;
            let ours = || ours(server.access(), threads, seconds(options), seed);
            let peer = || peer::run(server.access(), threads, seconds(options), TABLES, ROWS);
            pairs.push(if pair % 2 == 0 {
                let first = ours()?;
                (first, peer()?)
            } else {
                let first = peer()?;
                (ours()?, first)
            });
        }
        let rows = [
            row("client CPU (us/transaction)", 1, &pairs, |run| run.cpu_us, Goal::RatioAtMost(0.75)),
            row("transactions per second", 0, &pairs, |run| run.tps, Goal::RatioAtLeast(0.95)),
        ];
        report += "\n";
        report += &table(&format!("{}, {threads} threads", server.engine()), "sysbench", &rows);
    }
    server.stop()?;
    Ok(report)
}

fn row(
    what: &str,
    digits: usize,
    pairs: &[(Figures, Figures)],
    figure: impl Fn(&Figures) -> f64,
    goal: Goal,
) -> Row {
    let pairs = pairs.iter().map(|(ours, peer)| (figure(ours), figure(peer))).collect();
    Row { what: what.to_owned(), pairs, digits, goal: Some(goal) }
}

/// Ours, counted as the peer is: everything that the process does from the first connection on.
fn ours(access: Access<'_>, threads: u32, seconds: f64, seed: u64) -> anyhow::Result<Figures> {
    let options = oltp::sysbench::Options {
        tables: TABLES,
        rows: ROWS,
        threads,
        measure: Duration::from_secs_f64(seconds),
        // Another one for each run; the peer takes the time.
        seed,
        ..oltp::sysbench::Options::default()
    };
    let before_us = processor_time_us();
    let outcome = oltp::sysbench::run(access, &options, &Control::default())?;
    let cpu_us = processor_time_us() - before_us;
    anyhow::ensure!(outcome.fatal.is_none(), "our run failed: {}", outcome.fatal.unwrap_or_default());
    let clean = outcome.errors.is_empty() && outcome.missing == 0;
    anyhow::ensure!(clean, "our run has errors: {:?}", outcome.errors);
    Ok(Figures { tps: outcome.tps, cpu_us: cpu_us / outcome.transactions.max(1) as f64 })
}

/// User and system time of this process, us.
fn processor_time_us() -> f64 {
    Clock::Wall.cpu().process_ns as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smoke_run_prints_a_table_of_each_engine() {
        if peer::version().is_err() {
            return; // `cargo xtask test` installs it; a bare `cargo test` need not have it.
        }
        let dir = tempfile::tempdir().unwrap();
        open_to_servers(dir.path()).unwrap();
        let options = Options::for_test(1.0, dir.path());
        let report = run(&options).unwrap();
        for title in ["| postgresql, 1 threads |", "| mariadb, 1 threads |"] {
            assert!(report.contains(title), "{report}");
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
