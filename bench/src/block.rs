//! The block load engine against fio: what one I/O costs with nothing behind it, and on a file through
//! io_uring.

mod bare;
mod fio;
mod own;

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

/// The figures that one run of either side reports.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figures {
    /// User and system time per I/O.
    pub(crate) cpu_ns_per_io: f64,
    pub(crate) iops: f64,
    pub(crate) mean_us: f64,
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
    pub(crate) p999_us: f64,
}

/// One load on the file that both sides read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) depth: u32,
    pub(crate) io_bytes: u32,
    pub(crate) sequential: bool,
    pub(crate) direct: bool,
    /// Processor time per I/O that is allowed, as a part of the peer's.
    cpu_ratio_max: f64,
}

const CASES: [Case; 5] = [
    case("4 KiB random read, O_DIRECT, depth 1", 1, 4096, false, true, 1.0),
    case("4 KiB random read, O_DIRECT, depth 32", 32, 4096, false, true, 0.65),
    case("4 KiB random read, O_DIRECT, depth 128", 128, 4096, false, true, 0.65),
    case("64 KiB sequential read, O_DIRECT, depth 8", 8, 65536, true, true, 1.0),
    case("4 KiB random read, page cache, depth 32", 32, 4096, false, false, 0.75),
];

const fn case(
    name: &'static str,
    depth: u32,
    io_bytes: u32,
    sequential: bool,
    direct: bool,
    cpu_ratio_max: f64,
) -> Case {
    Case { name, depth, io_bytes, sequential, direct, cpu_ratio_max }
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
    report += &on_a_file(options)?;
    report += &own::lateness(options)?;
    report += &own::memory(options)?;
    report += &format!("\nAt the end: {}.\n", machine::load());
    Ok(report)
}

fn null_engine(options: &Options) -> anyhow::Result<String> {
    let job = job(options, EngineKind::Null, Target::AddressSpace { size_bytes: FILE_BYTES });
    let pairs = interleave(
        "null engine",
        options,
        || ours(&job),
        || fio::null(DEPTH, IO_BYTES, FILE_BYTES, options.seconds),
    )?;
    let rows = [
        row("CPU per I/O (ns)", 1, &pairs, |run| run.cpu_ns_per_io, Some(Goal::OursAtMost(60.0))),
        row("CPU per I/O, ratio", 1, &pairs, |run| run.cpu_ns_per_io, Some(Goal::RatioAtMost(0.357))),
        row("I/Os per second (millions)", 2, &pairs, |run| run.iops / 1e6, None),
    ];
    Ok(table("null engine, depth 32", "fio", &rows) + &pairs.circumstances())
}

/// The same file and flags on both sides, load by load; and the barest loop beside ours.
fn on_a_file(options: &Options) -> anyhow::Result<String> {
    let file = TargetFile::make(options)?;
    let mut report = String::new();
    for case in &CASES {
        let job = job_of(options, case, file.path());
        let pairs = interleave(
            case.name,
            options,
            || ours(&job),
            || fio::io_uring(file.path(), case, options.seconds),
        )?;
        let near = Some(Goal::RatioWithin(0.1));
        let cpu = Some(Goal::RatioAtMost(case.cpu_ratio_max));
        let rows = [
            row("CPU per I/O (us)", 2, &pairs, |run| run.cpu_ns_per_io / 1e3, cpu),
            row("I/Os per second", 0, &pairs, |run| run.iops, Some(Goal::RatioAtLeast(0.97))),
            row("mean (us)", 1, &pairs, |run| run.mean_us, near),
            row("p50 (us)", 1, &pairs, |run| run.p50_us, near),
            row("p99 (us)", 1, &pairs, |run| run.p99_us, near),
            row("p99.9 (us)", 1, &pairs, |run| run.p999_us, near),
        ];
        report += &(table(case.name, "fio", &rows) + &pairs.circumstances() + "\n");
    }
    for case in CASES.iter().filter(|case| !case.sequential && case.depth > 1) {
        report += &against_the_bare_loop(options, case, file.path())?;
    }
    Ok(report)
}

fn against_the_bare_loop(options: &Options, case: &Case, path: &Path) -> anyhow::Result<String> {
    let job = job_of(options, case, path);
    let bare = || {
        let (cpu_ns_per_io, iops) = bare::run(path, case.depth, case.io_bytes, case.direct, options.seconds)?;
        let none = f64::NAN;
        Ok(Figures { cpu_ns_per_io, iops, mean_us: none, p50_us: none, p99_us: none, p999_us: none })
    };
    let pairs = interleave(case.name, options, || ours(&job), bare)?;
    let cpu = Some(Goal::RatioAtMost(1.15));
    let rows = [
        row("CPU per I/O (us)", 2, &pairs, |run| run.cpu_ns_per_io / 1e3, cpu),
        row("I/Os per second", 0, &pairs, |run| run.iops, None),
    ];
    Ok(table(case.name, "barest loop", &rows) + &pairs.circumstances() + "\n")
}

fn job_of(options: &Options, case: &Case, path: &Path) -> Job {
    let mut job = job(options, EngineKind::IoUring, Target::ReadOnly(path.to_owned()));
    let pattern = if case.sequential { Pattern::Sequential } else { Pattern::Uniform };
    job.streams = vec![Stream::new("read", pattern, 1.0, SizeMix::fixed(case.io_bytes))];
    job.shape = Shape::ClosedLoop { depth: case.depth };
    job.direct = case.direct;
    job
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
    anyhow::ensure!(outcome.is_clean(), "our run is not clean: {}", outcome.warnings());
    figures(&outcome).context("our run did no I/O")
}

fn figures(outcome: &Outcome) -> Option<Figures> {
    let latency = outcome.latency();
    Some(Figures {
        cpu_ns_per_io: outcome.cpu_per_io_ns()?,
        iops: outcome.iops(),
        mean_us: latency.mean_ns() / 1e3,
        p50_us: latency.quantile_ns(0.5) as f64 / 1e3,
        p99_us: latency.quantile_ns(0.99) as f64 / 1e3,
        p999_us: latency.quantile_ns(0.999) as f64 / 1e3,
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
        let options = Options::for_test(0.6, directory.path());
        let report = run(&options).unwrap();
        assert!(report.contains("| null engine, depth 32 |") && report.contains("| p99 (us) |"), "{report}");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
