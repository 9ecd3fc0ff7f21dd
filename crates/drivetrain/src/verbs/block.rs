//! `drivetrain block`: block load on one file or modelled drive, without an experiment file.

mod modelled;
mod shapes;
mod watched;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use block::{
    BlockError, Control, DirectionOutcome, Discard, Ended, EngineKind, Job, JournalPlace, Outcome, Pattern,
    Stream, Target, Verify, WritePermit,
};
use clap::{Args, ValueEnum};
use disk::Output;
use experiment::{Size, Span};
use lab::Interrupt;
use measure::Histogram;
use modelled::Modelled;
use remains::Note;
use watched::watched;

use crate::console::Console;
use crate::destroy::{self, DestroyArgs};
use crate::exit::{Coded, Exit};
use crate::outputs::{self, ForceArgs};
use crate::printable::in_one_line;
use crate::verbs::drives;
use crate::{signals, targets};

/// Arguments of `block`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  drivetrain block --rw randread --bs 4k --depth 32 --time 30s FILE
  drivetrain block --rw randrw --read 70 --bs 8k --rate 5000 --time 30s --size 4GiB NEWFILE
  drivetrain block --rw randread --bs 4k --depth 32 --drive micron-5200-eco-1920g --time 10s
  drivetrain block --rw write --bs 4k --depth 1 --fdatasync 1 --time 30s --size 1GiB NEWFILE
  drivetrain block --rw randread --bs 4k:60,64k:40 --hot 20/80 --workers 4 --pin --time 30s FILE
  drivetrain block --rw randwrite --verify --fsync 32 --journal /other/device/run.journal --keep NEWFILE
  drivetrain block --rw randwrite --time 30s --destroy /dev/disk/by-id/nvme-EXAMPLE=S3RIAL

A FILE that only gets reads may be any file or device and is opened read-only. A run that writes makes its own
file and refuses one that it did not make. A device is overwritten only when --destroy names it by its identity and its
serial, and when neither it nor anything on it is in use.")]
pub(crate) struct BlockArgs {
    /// File or device to read, or the new file to write; none with --drive or --engine null
    target: Option<PathBuf>,

    /// Direction and order of the I/Os
    #[arg(long, value_enum, default_value_t = Rw::Randread)]
    rw: Rw,

    /// Block size; k, m, g mean KiB, MiB, GiB as in fio; or a mix with shares of
    /// 100 %: 4k:60,64k:40
    #[arg(long, default_value = "4k", value_name = "SIZE")]
    bs: String,

    /// Number of outstanding I/Os (closed loop)
    #[arg(long, default_value_t = 32)]
    depth: u32,

    /// I/Os per second, however slow the target is (open loop); latency counts from the intended start
    #[arg(long, value_name = "IOPS")]
    rate: Option<f64>,

    /// Percentage of reads for rw and randrw
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u8).range(0..=100))]
    read: u8,

    /// Zipf distribution with this exponent instead of uniform
    #[arg(long, value_name = "THETA")]
    zipf: Option<f64>,

    /// Measured time
    #[arg(long, default_value = "30s", value_name = "TIME")]
    time: String,

    /// Time under load before the measurement
    #[arg(long, default_value = "0s", value_name = "TIME")]
    ramp: String,

    /// Engine of the I/Os
    #[arg(long, value_enum, default_value_t = Engine::IoUring)]
    engine: Engine,

    /// A modelled drive instead of a file: a name from `drivetrain drives` or a TOML file
    #[arg(long, value_name = "DRIVE", conflicts_with = "target")]
    drive: Option<String>,

    /// Size of the file to create for writing, or of the address space of a modelled drive
    #[arg(long, default_value = "1GiB", value_name = "SIZE")]
    size: String,

    /// Use the page cache instead of O_DIRECT
    #[arg(long)]
    buffered: bool,

    /// Check every written block after the run
    #[arg(long)]
    verify: bool,

    /// With --verify and --fsync, --fdatasync or --write-through: record the durable writes in this file,
    /// best on another device; after a crash `drivetrain verify` compares the target with it
    #[arg(long, value_name = "FILE", requires = "verify")]
    journal: Option<PathBuf>,

    /// Start an existing journal again; otherwise a journal is never overwritten
    #[arg(long, requires = "journal")]
    new_journal: bool,

    /// Write a trace of the run in fio's iolog format
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgs,

    /// Keep the file that was created for writing
    #[arg(long)]
    keep: bool,

    #[command(flatten)]
    destroy: DestroyArgs,

    #[command(flatten)]
    shapes: shapes::ShapeArgs,

    /// Seed of every random choice
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// fio's words for direction and order.
#[allow(clippy::enum_variant_names)] // `rw` is fio's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Rw {
    Read,
    Write,
    Rw,
    Randread,
    Randwrite,
    Randrw,
    /// Discards: BLKDISCARD on a device, holes in a file
    Trim,
    Randtrim,
    /// A discard of the place before each write
    Trimwrite,
}

/// The engine of the I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// Asynchronous, one thread
    #[value(name = "io_uring")]
    IoUring,
    /// pread and pwrite, one thread per outstanding I/O
    Psync,
    /// Completes at once: measures the cost of drivetrain itself
    Null,
}

/// Runs the load and prints the results.
pub(crate) fn block(args: &BlockArgs, notebook: &Path, console: &Console) -> anyhow::Result<Exit> {
    let interrupt = signals::listen(*console, signals::OF_A_LOAD)?;
    let control = Control::new();
    let modelled = args.modelled()?;
    let trace = args.plan_outputs(notebook, console)?;
    let (mut job, note) = args.job(modelled.as_ref(), console, &control, &interrupt)?;
    block::check(&job).map_err(coded)?;
    let recording = trace.map(|trace| record(&mut job, trace)).transpose()?;
    destroy::announce(&args.destroy, &job.targets[0], console)?;
    let outcome = watched(&job, &control, &interrupt, console).map_err(coded)?;
    job.record = None; // The writer ends when the last recorder is gone.
    if let (Some(thread), Some(path)) = (recording, &args.record) {
        let written = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let (ios, left_out) = written.with_context(|| format!("writing {}", path.display()))?;
        console.note(&format!("wrote {ios} I/Os to {}, left out {left_out}", path.display()));
    }
    if let Some(Target::Permitted(permit)) = job.targets.into_iter().next()
        && let Some(permit) = Arc::into_inner(permit)
    {
        if args.keep || permit.was_kept() { permit.keep() } else { permit.remove() }.map_err(coded)?;
    }
    drop(note); // Nothing is left that it could speak of.
    if console.json() {
        let mut document = document(args, &outcome);
        if let Some(modelled) = &modelled {
            document["modelled"] = modelled.document();
        }
        console.document(&document);
    } else {
        let head = modelled.as_ref().map(Modelled::text).unwrap_or_default();
        console.answer(&(head + &text(args, &outcome)));
    }
    Ok(match outcome.ended {
        Ended::Stopped => Exit::Interrupted,
        Ended::Complete
            if outcome.failures() == 0
                && outcome.verify.as_ref().is_none_or(|v| v.faulty_blocks == 0)
                && outcome.journal.as_ref().is_none_or(|journal| journal.error.is_none()) =>
        {
            Exit::Done
        }
        _ => Exit::InvalidCells,
    })
}

/// The result of a recording thread: I/Os written and left out.
type Recording = std::thread::JoinHandle<std::io::Result<(u64, u64)>>;

/// Starts a trace of the run in a file.
fn record(job: &mut Job, trace: Output) -> anyhow::Result<Recording> {
    let file = trace.grow(&[]).map_err(outputs::coded)?;
    let (recorder, writer) = block::recording();
    job.record = Some(recorder);
    Ok(std::thread::spawn(move || writer.write(&["/target".to_owned()], &mut std::io::BufWriter::new(file))))
}

/// Safety refusals and impossible jobs have exit codes of their own.
fn coded(error: BlockError) -> anyhow::Error {
    match error {
        BlockError::Refused { .. } => Coded::refused(error.to_string()),
        BlockError::BadJob { .. } => Coded::usage(error.to_string()),
        BlockError::Stopped { .. } => Coded::interrupted(error.to_string()),
        BlockError::Output(error) => outputs::coded(error),
        other => other.into(),
    }
}

impl BlockArgs {
    fn journal(&self) -> Option<JournalPlace> {
        self.journal.clone().map(|path| JournalPlace { path, start_over: self.new_journal })
    }

    /// Checks the files that are written beside the load, before a target is filled for it; the trace is
    /// returned.
    fn plan_outputs(&self, notebook: &Path, console: &Console) -> anyhow::Result<Option<Output>> {
        let mut outputs = outputs::beside_notebook(notebook, self.force, console);
        let orders = self.destroy.orders()?;
        let targets = orders.iter().map(|order| order.path.as_path()).chain(self.target.as_deref());
        targets.for_each(|target| {
            outputs.keep(target, "the target");
            outputs.keep(&block::marker_of(target), "the marker of the target");
        });
        if let Some(drive) = &self.drive {
            outputs.keep(Path::new(drive), "the drive's file");
        }
        if let Some(journal) = self.journal() {
            journal.plan(&mut outputs).map_err(coded)?;
        }
        let trace = self.record.as_deref().map(|path| outputs.plan(path, outputs::TRACE));
        trace.transpose().map_err(outputs::coded)
    }

    /// The drive that answers in place of a real one, when one is named.
    fn modelled(&self) -> anyhow::Result<Option<Modelled>> {
        self.drive.as_ref().map(|name| Ok(Modelled::new(drives::find(name)?, self.seed))).transpose()
    }

    fn job(
        &self,
        modelled: Option<&Modelled>,
        console: &Console,
        control: &Control,
        interrupt: &Interrupt,
    ) -> anyhow::Result<(Job, Option<Note>)> {
        let shape = self.shapes.shape(self.rate, self.depth)?;
        let sizes = shapes::sizes(&self.bs)?;
        let mut stream = Stream::new("stream-1", self.pattern()?, self.read_share(), sizes);
        stream.discard = self.discard();
        let (measure, ramp_up) = (span(&self.time, "--time")?, span(&self.ramp, "--ramp")?);
        let (engine, target, note) = self.engine_and_target(modelled, console, control, interrupt)?;
        let mut job = Job {
            measure,
            ramp_up,
            seed: self.seed,
            direct: !self.buffered,
            journal: self.journal(),
            verify: if self.verify { Verify::Write } else { Verify::Off },
            ..Job::new(stream, shape, engine, target)
        };
        self.shapes.apply(&mut job)?;
        Ok((job, note))
    }

    fn pattern(&self) -> anyhow::Result<Pattern> {
        Ok(match (self.rw, self.zipf) {
            (Rw::Read | Rw::Write | Rw::Rw | Rw::Trim | Rw::Trimwrite, _) => Pattern::Sequential,
            (_, Some(theta)) => Pattern::Zipf { theta },
            (_, None) => self.shapes.pattern()?.unwrap_or(Pattern::Uniform),
        })
    }

    fn discard(&self) -> Discard {
        match self.rw {
            Rw::Trim | Rw::Randtrim => Discard::Share(1.0),
            Rw::Trimwrite => Discard::BeforeWrites,
            _ => Discard::Never,
        }
    }

    fn read_share(&self) -> f64 {
        match self.rw {
            Rw::Read | Rw::Randread => 1.0,
            Rw::Write | Rw::Randwrite | Rw::Trim | Rw::Randtrim | Rw::Trimwrite => 0.0,
            Rw::Rw | Rw::Randrw => f64::from(self.read) / 100.0,
        }
    }

    fn engine_and_target(
        &self,
        modelled: Option<&Modelled>,
        console: &Console,
        control: &Control,
        interrupt: &Interrupt,
    ) -> anyhow::Result<(EngineKind, Target, Option<Note>)> {
        let size_bytes = size(&self.size, "--size")?;
        if let Some(modelled) = modelled {
            let target = Target::AddressSpace { size_bytes };
            return Ok((EngineKind::Modelled(modelled.drive.clone()), target, None));
        }
        if self.engine == Engine::Null {
            return Ok((EngineKind::Null, Target::AddressSpace { size_bytes }, None));
        }
        let orders = self.destroy.orders()?;
        let path = self
            .target
            .as_deref()
            .or(orders.first().map(|order| order.path.as_path()))
            .ok_or_else(|| Coded::usage("name a file or device, or a modelled drive with --drive"))?;
        let engine = if self.engine == Engine::Psync { EngineKind::Psync } else { EngineKind::IoUring };
        if self.read_share() >= 1.0 {
            return Ok((engine, Target::ReadOnly(path.to_path_buf()), None));
        }
        if let Some(order) = orders.iter().find(|order| order.is_for(path)) {
            let permit = WritePermit::claim_device(order).map_err(coded)?;
            return Ok((engine, Target::Permitted(Arc::new(permit)), None));
        }
        let note = targets::note(path);
        let permit = own_file(path, size_bytes, console, control, interrupt)?;
        // A file that is to be kept, or compared with its journal after a crash, belongs to the user once it
        // is whole.
        let note = note.filter(|_| !self.keep && self.journal.is_none());
        Ok((engine, Target::Permitted(Arc::new(permit)), note))
    }
}

/// Makes the file that will be written, or takes the one that an earlier run made.
fn own_file(
    path: &Path,
    size_bytes: u64,
    console: &Console,
    control: &Control,
    interrupt: &Interrupt,
) -> anyhow::Result<WritePermit> {
    let mut told = false;
    // The first progress comes only when something is done: a file that is refused is not said to be filled.
    let mut go_on = |done: u64| {
        if done > 0 && !std::mem::replace(&mut told, true) {
            console.note(&format!(
                "filling {} with {:.1} MB",
                in_one_line(&path.display().to_string()),
                size_bytes as f64 / 1e6
            ));
        }
        !interrupt.requested() && !control.is_stopped()
    };
    WritePermit::claim(path, size_bytes, &mut go_on).map_err(coded)
}

/// Sizes as fio users type them: `4k` is 4 KiB; `4KiB` and `4kB` have their usual meanings.
fn size(text: &str, flag: &str) -> anyhow::Result<u64> {
    Ok(Size::parse_like_fio(text).map_err(|e| Coded::usage(format!("{flag} {text}: {e}")))?.0)
}

fn span(text: &str, flag: &str) -> anyhow::Result<Duration> {
    let parsed: Span = text.parse().map_err(|e| Coded::usage(format!("{flag} {text}: {e}")))?;
    Ok(parsed.0)
}

fn text(args: &BlockArgs, outcome: &Outcome) -> String {
    let load =
        args.rate.map_or_else(|| format!("depth {}", args.depth), |rate| format!("{rate} IOPS requested"));
    let mut text = format!(
        "{:.0} IOPS, {:.1} MB/s over {:.1} s at {load}\n\n{:7} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n",
        outcome.iops(),
        outcome.bytes_per_second() / 1e6,
        outcome.elapsed.as_secs_f64(),
        "",
        "IOPS",
        "mean us",
        "p50 us",
        "p90 us",
        "p99 us",
        "p99.9 us",
        "max us"
    );
    for (name, direction, iops) in [
        ("read", &outcome.read, outcome.read_iops()),
        ("write", &outcome.write, outcome.write_iops()),
        ("discard", &outcome.discard, outcome.discard_iops()),
    ] {
        if direction.ios > 0 {
            text.push_str(&row(name, iops, &direction.latency));
            if args.rate.is_some() {
                text.push_str(&row("service", iops, &direction.service));
            }
        }
    }
    if outcome.flush.ios > 0 {
        let rate = outcome.flush.ios as f64 / outcome.elapsed.as_secs_f64().max(1e-9);
        text.push_str(&row("flush", rate, &outcome.flush.latency));
    }
    if let Some(cpu) = outcome.cpu_per_io_ns() {
        text.push_str(&format!("\nour own cost {cpu:.0} ns of processor time per I/O\n"));
    }
    if let Some(report) = &outcome.verify {
        text.push_str(&format!("verified: {}\n", report.summary()));
    }
    if let Some(journal) = &outcome.journal {
        text.push_str(&format!("journal: {} durable writes of blocks\n", journal.records));
    }
    for warning in outcome.warnings() {
        text.push_str(&format!("warning: {warning}\n"));
    }
    text
}

fn row(name: &str, iops: f64, latency: &Histogram) -> String {
    let us = |ns: f64| format!("{:.1}", ns / 1e3);
    let quantile =
        |q: f64| if latency.supports(q) { us(latency.quantile_ns(q) as f64) } else { "-".to_owned() };
    format!(
        "{name:7} {iops:>10.0} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n",
        us(latency.mean_ns()),
        quantile(0.5),
        quantile(0.9),
        quantile(0.99),
        quantile(0.999),
        us(latency.max_ns() as f64)
    )
}

fn document(args: &BlockArgs, outcome: &Outcome) -> serde_json::Value {
    serde_json::json!({
        "rw": args.rw.to_possible_value().map(|v| v.get_name().to_owned()),
        "bs": args.bs,
        "depth": args.rate.is_none().then_some(args.depth),
        "rate_asked_iops": args.rate,
        "elapsed_s": outcome.elapsed.as_secs_f64(),
        "iops": outcome.iops(),
        "bandwidth_mb_s": outcome.bytes_per_second() / 1e6,
        "cpu_per_io_ns": outcome.cpu_per_io_ns(),
        "read": direction(&outcome.read, outcome.read_iops()),
        "write": direction(&outcome.write, outcome.write_iops()),
        "discard": (outcome.discard.ios > 0).then(|| direction(&outcome.discard, outcome.discard_iops())),
        "flush": (outcome.flush.ios > 0).then(|| latencies(&outcome.flush.latency)),
        "lag_p99_us": (!outcome.lag.is_empty()).then(|| outcome.lag.quantile_ns(0.99) as f64 / 1e3),
        "errors": outcome.failures(),
        "unfinished": outcome.unfinished,
        "engine_features": outcome.engine_features,
        "verified": outcome.verify.as_ref().map(|v| v.summary()),
        "journaled": outcome.journal.as_ref().map(|journal| journal.records),
        "warnings": outcome.warnings().sentences(),
    })
}

fn direction(direction: &DirectionOutcome, iops: f64) -> serde_json::Value {
    let second = |s: &measure::Second| serde_json::json!({ "ios": s.count, "bytes": s.bytes, "mean_us": s.mean_ns / 1e3, "p99_us": s.p99_ns as f64 / 1e3 });
    serde_json::json!({
        "ios": direction.ios,
        "bytes": direction.bytes,
        "iops": iops,
        "latency_us": latencies(&direction.latency),
        "service_us": latencies(&direction.service),
        "seconds": direction.timeline.seconds().iter().map(second).collect::<Vec<_>>(),
    })
}

fn latencies(histogram: &Histogram) -> serde_json::Value {
    if histogram.is_empty() {
        return serde_json::Value::Null;
    }
    let us = |q: f64| histogram.supports(q).then(|| histogram.quantile_ns(q) as f64 / 1e3);
    serde_json::json!({
        "mean": histogram.mean_ns() / 1e3, "min": histogram.min_ns() as f64 / 1e3, "max": histogram.max_ns() as f64 / 1e3,
        "p50": us(0.5), "p90": us(0.9), "p95": us(0.95), "p99": us(0.99), "p999": us(0.999), "p9999": us(0.9999),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_fio_users_type_them() {
        assert_eq!(size("4k", "--bs").unwrap(), 4096);
        assert_eq!(size("4096", "--bs").unwrap(), 4096);
        assert_eq!(size("4kB", "--bs").unwrap(), 4000);
        assert_eq!(size("1m", "--bs").unwrap(), 1 << 20);
        let error = size("4 apples", "--bs").unwrap_err();
        assert_eq!(Exit::of(&error), Exit::Usage);
    }
}
