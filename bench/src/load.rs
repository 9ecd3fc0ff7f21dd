//! Loading order entry into SQLite through the storage layer, with a drive that costs nothing: what
//! generating, storing and indexing take.
//!
//! The twelve consistency conditions are checked after each load and timed apart. There is no peer to run
//! here: the tools in use do not load SQLite. What is required is a rate.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, ensure};
use database::sqlite::Sqlite;
use database::{Backing, Instance, InstanceSpec, Synchronous};
use device::DriveSpec;
use emulate::EmulatedDrive;
use ground::Clock;
use oltp::tpcc::{self, LoadOptions, LoadReport, Stage};

use crate::machine;
use crate::options::Options;

/// The goal, warehouses per minute.
const PROMISED_PER_MINUTE: f64 = 25.0;
/// Warehouses of one load: enough for the common part (100,000 items, both indexes) to weigh as it does in
/// use.
const WAREHOUSES: u32 = 10;
/// Buffer pool while loading, the size that `drivetrain run` loads with.
const MEMORY_BYTES: u64 = 256 << 20;

/// One load and its check.
struct Outcome {
    report: LoadReport,
    check: Duration,
    cpu_s: f64,
    others: f64,
}

impl Outcome {
    fn per_minute(&self) -> f64 {
        f64::from(self.report.warehouses) * 60.0 / self.report.elapsed.as_secs_f64()
    }
}

/// Runs the bench and gives its report.
pub(crate) fn run(options: &Options) -> anyhow::Result<String> {
    let warehouses = if options.smoke { 1 } else { WAREHOUSES };
    let mut text = format!("# Loading order entry into SQLite\n\n{}\n\n{HEADER}", machine::describe());
    let mut rates = Vec::new();
    for seed in 1..=options.pairs as u64 {
        let dir = tempfile::tempdir_in(&options.dir)
            .with_context(|| format!("no temporary directory in {}", options.dir.display()))?;
        let outcome = load_and_check(dir.path(), warehouses, seed)?;
        rates.push(outcome.per_minute());
        row(&mut text, &outcome);
    }
    rates.sort_by(f64::total_cmp);
    let (median, slowest) = (measure::median(&rates).context("at least one load")?, rates[0]);
    let met = if slowest >= PROMISED_PER_MINUTE { "met by every load" } else { "NOT met by every load" };
    writeln!(
        text,
        "\nmedian {median:.1} warehouses/min, slowest {slowest:.1}; promised {PROMISED_PER_MINUTE}: {met}; {}",
        machine::load()
    )?;
    Ok(text)
}

const HEADER: &str = "\
| warehouses | rows | MB | load s | of it indexes s | warehouses/min | MB/s | CPU s | CPUs of others | check of 12 conditions s |
|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
";

fn row(text: &mut String, outcome: &Outcome) {
    let LoadReport { warehouses, rows, bytes, elapsed, index_elapsed } = &outcome.report;
    let (seconds, megabytes) = (elapsed.as_secs_f64(), *bytes as f64 / 1e6);
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "| {warehouses} | {rows} | {megabytes:.0} | {seconds:.2} | {:.2} | {:.1} | {:.0} | {:.2} | {:.2} | {:.2} |",
        index_elapsed.as_secs_f64(),
        outcome.per_minute(),
        megabytes / seconds,
        outcome.cpu_s,
        outcome.others,
        outcome.check.as_secs_f64(),
    );
}

fn load_and_check(dir: &Path, warehouses: u32, seed: u64) -> anyhow::Result<Outcome> {
    let free = Backing::Emulated(EmulatedDrive::new("free", &DriveSpec::free(), 0));
    let spec = InstanceSpec {
        dir: dir.to_owned(),
        data: free.clone(),
        log: free,
        log_dir: None,
        memory_bytes: MEMORY_BYTES,
        synchronous: Synchronous::Full,
        page_cache: false,
    };
    let mut instance = Sqlite::new(spec)?;
    instance.start()?;
    let others = machine::Others::watch();
    let cpu_before_s = cpu_s();
    let report = tpcc::load(&instance, &LoadOptions::new(warehouses, seed), &|_| {})?;
    let (cpu_s, others) = (cpu_s() - cpu_before_s, others.share());
    let checking = Clock::Wall.stopwatch();
    let conditions = tpcc::check(&instance, Stage::AfterLoad)?;
    let check = checking.elapsed();
    let violated: Vec<_> = conditions.iter().filter(|condition| condition.violations > 0).collect();
    ensure!(
        conditions.len() == 12 && violated.is_empty(),
        "the loaded database does not add up: {violated:?}"
    );
    instance.stop()?;
    Ok(Outcome { report, check, cpu_s, others })
}

/// Processor time of this process, s.
fn cpu_s() -> f64 {
    Clock::Wall.cpu().process_ns as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smoke_run_loads_checks_and_reports() {
        let dir = tempfile::tempdir().unwrap();
        let options = Options::for_test(0.3, dir.path());
        let text = run(&options).unwrap();
        assert!(text.contains("| 1 | 599"), "{text}");
        assert!(text.contains("promised 25"), "{text}");
    }
}
