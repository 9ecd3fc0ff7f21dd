//! The block load engine against fio: what one I/O costs with nothing behind it, and on a file through io_uring.

mod fio;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use block::{Control, EngineKind, Job, Outcome, Pattern, Shape, SizeMix, Stream, Target, WritePermit};

use crate::machine;
use crate::options::Options;
use crate::pairs::{Goal, Pairs, Row, interleave, table};

const DEPTH: u32 = 32;
const IO_BYTES: u32 = 4096;
/// Large enough that no cache of a small drive holds it, small enough to be written in seconds.
const FILE_BYTES: u64 = 1 << 30;
const SMOKE_FILE_BYTES: u64 = 16 << 20;

/// What one run of either side says about itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figures {
    /// User and system time per I/O.
    pub(crate) cpu_ns_per_io: f64,
    pub(crate) iops: f64,
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
}

/// Runs all pairs and returns the tables.
pub(crate) fn run(options: &Options) -> anyhow::Result<String> {
    let version = fio::version()?;
    let mut report = format!(
        "block: {} pairs of {} s, interleaved; {}\nours {}, peer {version}\n\n",
        options.pairs,
        options.seconds,
        machine::describe(),
        env!("CARGO_PKG_VERSION"),
    );
    if cfg!(debug_assertions) || options.smoke {
        report +=
            "These figures mean nothing: a smoke run or a build without optimisation (use --release).\n\n";
    }
    report += &null_engine(options)?;
    report += "\n";
    report += &io_uring(options)?;
    report += &format!("\nAt the end: {}.\n", machine::load());
    Ok(report)
}

fn null_engine(options: &Options) -> anyhow::Result<String> {
    let job = job(options, EngineKind::Null, Target::AddressSpace { size_bytes: FILE_BYTES });
    let pairs =
        interleave(options, || ours(&job), || fio::null(DEPTH, IO_BYTES, FILE_BYTES, options.seconds))?;
    let rows = [
        row("CPU per I/O (ns)", 1, &pairs, |run| run.cpu_ns_per_io, Some(Goal::OursAtMost(60.0))),
        row("CPU per I/O, ratio", 1, &pairs, |run| run.cpu_ns_per_io, Some(Goal::RatioAtMost(0.357))),
        row("I/Os per second (millions)", 2, &pairs, |run| run.iops / 1e6, None),
    ];
    Ok(table("null engine, depth 32", "fio", &rows) + &pairs.circumstances())
}

fn io_uring(options: &Options) -> anyhow::Result<String> {
    let file = TargetFile::make(options)?;
    let job = job(options, EngineKind::IoUring, Target::ReadOnly(file.path().to_owned()));
    let peer = || fio::io_uring(file.path(), DEPTH, IO_BYTES, options.seconds);
    let pairs = interleave(options, || ours(&job), peer)?;
    let rows = [
        row("CPU per I/O (us)", 2, &pairs, |run| run.cpu_ns_per_io / 1e3, Some(Goal::RatioAtMost(0.75))),
        row("I/Os per second", 0, &pairs, |run| run.iops, Some(Goal::RatioAtLeast(0.97))),
        row("p50 (us)", 1, &pairs, |run| run.p50_us, Some(Goal::RatioWithin(0.1))),
        row("p99 (us)", 1, &pairs, |run| run.p99_us, Some(Goal::RatioWithin(0.1))),
    ];
    Ok(table("io_uring, 4 KiB random read, O_DIRECT, depth 32", "fio", &rows) + &pairs.circumstances())
}

fn row(
    what: &str,
    digits: usize,
    pairs: &Pairs<Figures>,
    figure: impl Fn(&Figures) -> f64,
    goal: Option<Goal>,
) -> Row {
    let pairs = pairs.runs.iter().map(|(ours, peer)| (figure(ours), figure(peer))).collect();
    Row { what: what.to_owned(), pairs, digits, goal }
}

fn job(options: &Options, engine: EngineKind, target: Target) -> Job {
    let stream = Stream::new("random read", Pattern::Uniform, 1.0, SizeMix::fixed(IO_BYTES));
    let mut job = Job::new(stream, Shape::ClosedLoop { depth: DEPTH }, engine, target);
    job.measure = Duration::from_secs_f64(options.seconds);
    job
}

fn ours(job: &Job) -> anyhow::Result<Figures> {
    let outcome = block::run(job, &Control::new())?;
    anyhow::ensure!(outcome.is_clean(), "our run is not clean: {}", outcome.warnings().join("; "));
    figures(&outcome).context("our run did no I/O")
}

fn figures(outcome: &Outcome) -> Option<Figures> {
    let latency = outcome.latency();
    Some(Figures {
        cpu_ns_per_io: outcome.cpu_per_io_ns()?,
        iops: outcome.iops(),
        p50_us: latency.quantile_ns(0.5) as f64 / 1e3,
        p99_us: latency.quantile_ns(0.99) as f64 / 1e3,
    })
}

/// The file both sides read, deleted at the end.
struct TargetFile(Option<Arc<WritePermit>>);

impl TargetFile {
    fn make(options: &Options) -> anyhow::Result<TargetFile> {
        let size = if options.smoke { SMOKE_FILE_BYTES } else { FILE_BYTES };
        let path = options.dir.join(format!("drivetrain-bench-{}.data", std::process::id()));
        Ok(TargetFile(Some(Arc::new(WritePermit::create_file(&path, size)?))))
    }

    fn path(&self) -> &Path {
        self.0.as_ref().map_or(Path::new(""), |permit| permit.path())
    }
}

impl Drop for TargetFile {
    fn drop(&mut self) {
        if let Some(Ok(permit)) = self.0.take().map(Arc::try_unwrap)
            && let Err(error) = permit.remove()
        {
            eprintln!("bench block: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smoke_run_prints_both_tables_and_cleans_up() {
        if fio::version().is_err() {
            return; // `cargo xtask test` installs fio; a bare `cargo test` need not have it.
        }
        let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let options =
            Options { smoke: true, pairs: 1, seconds: 0.2, quiet: false, dir: directory.path().to_owned() };
        let report = run(&options).unwrap();
        assert!(report.contains("| null engine, depth 32 |") && report.contains("| p99 (us) |"), "{report}");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
