//! `drivetrain block`: block load on one file or modelled drive, without an experiment file.

mod asked;
mod modelled;
mod shapes;
mod shown;
mod watched;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use block::{Bursts, Control, Ended, EngineKind, Job, JournalPlace, Outcome, Target, Verify, WritePermit};
use clap::{Args, ValueEnum};
use disk::{Output, Outputs};
use experiment::{Size, Span};
use ground::Zipf;
use lab::{Bystanders, Interrupt, Load};
use modelled::Modelled;
use remains::Note;
use watched::watched;
use words::{EventKind, Happening, NoteKind, Reason, Remark, shell};

use crate::console::Console;
use crate::destroy::{self, DestroyArgs};
use crate::exit::{Coded, Exit};
use crate::kept::{KeepArgs, Keeping};
use crate::outputs::{self, ForceArgs};
use crate::printable::in_one_line;
use crate::signals;
use crate::targets::{self, TargetBed};
use crate::verbs::run;

/// Arguments of `block`.
#[derive(Debug, Args)]
#[command(after_help = "\
A load that only reads accepts any file or device and opens it read-only. A load that writes creates its own file and \
refuses any other. A device is overwritten only when --destroy names it by its identity and its serial number, and when \
neither it nor anything on it is in use.")]
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

    /// Zipf distribution with this exponent instead of uniform: above 0, up to 5
    #[arg(long, value_name = "THETA", value_parser = theta)]
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

    /// Restart an existing journal; otherwise a journal is never overwritten
    #[arg(long, requires = "journal")]
    new_journal: bool,

    /// Write a trace of the run in fio's iolog format
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgs,

    /// Keep the file that was created for writing (the result is kept without it)
    #[arg(long)]
    keep: bool,

    #[command(flatten)]
    destroy: DestroyArgs,

    #[command(flatten)]
    shapes: shapes::ShapeArgs,

    #[command(flatten)]
    kept: KeepArgs,

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

/// Runs the load, keeps its result and prints it.
pub(crate) fn block(args: &BlockArgs, notebook: &Path, console: &Console) -> anyhow::Result<Exit> {
    args.target.iter().try_for_each(|target| emulate::fuse::check_answers(target))?;
    let interrupt = signals::listen(*console, signals::OF_A_LOAD)?;
    let clock = run::clock();
    let control = Control::on(&clock);
    let modelled = args.modelled(console)?;
    let mut outputs = outputs::beside_notebook(notebook, args.force, console);
    let trace = args.plan_outputs(&mut outputs)?;
    let report = args.kept.plan(&mut outputs)?;
    let Asked { mut job, load, bed, note } = args.asked(modelled.as_ref(), console, &control, &interrupt)?;
    block::check(&job).map_err(Coded::block)?;
    let keeping =
        Keeping::begin(&args.kept, report, args.experiment(&load, &bed), &clock, (notebook, console))?;
    let recording = trace.map(|trace| record(&mut job, trace)).transpose()?;
    destroy::announce(&args.destroy, &job.targets[0], console)?;
    let bystanders = Bystanders::since_now(&keeping.single.request.world);
    let outcome = watched(&job, &control, &interrupt, &clock, console).map_err(Coded::block)?;
    let processors = bystanders.processors();
    job.record = None; // The writer ends when the last recorder is gone.
    let (mut events, mut recorded) = (Vec::new(), Ok(()));
    if let (Some(thread), Some(path)) = (recording, &args.record) {
        match thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)) {
            Ok((ios, left_out)) => {
                console.note(&format!("wrote {ios} I/Os to {}, left out {left_out}", path.display()));
                let path = path.display().to_string();
                events.push((EventKind::Trace, Happening::Trace { ios, path, left_out }));
            }
            Err(error) => recorded = Err(given_up(path, error)),
        }
    }
    let (engine, bursts) = (job.engine.clone(), Bursts::of(&job.shape));
    let let_go = targets::let_go(job.targets.into_iter().next(), args.keep, note);
    let is_null = matches!(engine, EngineKind::Null);
    let remarks = is_null.then_some((NoteKind::Model, Remark::NoIo)).into_iter().collect();
    let load = Load { outcome: &outcome, engine: &engine, due_for: None, processors, remarks, events };
    let kept = keeping.end(&load)?;
    if console.json() {
        let mut document = shown::document(args, bursts, &outcome);
        if let Some(modelled) = &modelled {
            document["modelled"] = modelled.document(&clock);
        }
        kept.add_to(&mut document);
        console.document(&document);
    } else {
        let head = modelled.as_ref().map(|modelled| modelled.text(&clock)).unwrap_or_default();
        kept.print((&head, &shown::remarks(args, bursts, &outcome), &crate::details::of(&outcome)), console)?;
    }
    let_go.map_err(Coded::block)?;
    recorded?;
    Ok(exit_of(&outcome))
}

/// Removes a trace that could not be written to its end.
fn given_up(path: &Path, error: std::io::Error) -> anyhow::Error {
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    let is_removed = is_file && disk::remove_file(path).is_ok();
    let rest = if is_removed { "its part is removed" } else { "its part stays" };
    let path = path.display();
    anyhow::Error::new(error)
        .context(format!("writing {path}: the trace is not whole, and {rest}; the load's result stands"))
}

/// Clean results, those that do not count, and those of a part.
fn exit_of(outcome: &Outcome) -> Exit {
    match outcome.ended {
        Ended::Stopped => Exit::Interrupted,
        Ended::Complete if outcome.did_nothing() => Exit::InvalidCells,
        Ended::Complete
            if outcome.failures() == 0
                && outcome.displaced.is_empty()
                && outcome.verify.as_ref().is_none_or(|v| v.faulty_blocks == 0)
                && outcome.journal.as_ref().is_none_or(|journal| journal.error.is_none()) =>
        {
            Exit::Done
        }
        _ => Exit::InvalidCells,
    }
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

impl BlockArgs {
    fn journal(&self) -> Option<JournalPlace> {
        self.journal.clone().map(|path| JournalPlace { path, start_over: self.new_journal })
    }

    /// Checks the files that are written beside the load, before a target is filled for it; the trace is
    /// returned.
    fn plan_outputs(&self, outputs: &mut Outputs) -> anyhow::Result<Option<Output>> {
        let orders = self.destroy.orders()?;
        let targets = orders.iter().map(|order| order.path.as_path()).chain(self.target.as_deref());
        targets.for_each(|target| {
            outputs.keep(target, "the target");
            outputs.keep(&block::marker_of(target), "the marker of the target");
        });
        if let Some(drive) = &self.drive {
            outputs::keep_drives(outputs, [drive.as_str()]);
        }
        if let Some(journal) = self.journal() {
            journal.plan(outputs).map_err(Coded::block)?;
        }
        let trace = self.record.as_deref().map(|path| outputs.plan(path, outputs::TRACE));
        trace.transpose().map_err(outputs::coded)
    }

    /// The drive that answers in place of a real one, when one is named.
    fn modelled(&self, console: &Console) -> anyhow::Result<Option<Modelled>> {
        self.drive.as_ref().map(|name| Modelled::find(name, self.seed, console)).transpose()
    }

    /// The load with its target.
    fn asked(
        &self,
        modelled: Option<&Modelled>,
        console: &Console,
        control: &Control,
        interrupt: &Interrupt,
    ) -> anyhow::Result<Asked> {
        let load = self.workload()?;
        let size = Size(size(&self.size, "--size")?);
        let (engine, target, bed, note) = match (modelled, self.engine) {
            (Some(modelled), _) => {
                let engine = EngineKind::Modelled(modelled.drive.clone());
                (engine, Target::AddressSpace { size_bytes: size.0 }, modelled.bed(size), None)
            }
            (None, Engine::Null) => {
                let target = Target::AddressSpace { size_bytes: size.0 };
                (EngineKind::Null, target, TargetBed::none(size), None)
            }
            (None, engine) => {
                let kind = if engine == Engine::Psync { EngineKind::Psync } else { EngineKind::IoUring };
                self.check_load(&load, size)?;
                let (path, target, note) = self.file(size.0, console, control, interrupt)?;
                let bed = TargetBed::of_file(&path, &target);
                (kind, target, bed, note)
            }
        };
        let mut job = lab::single_job(&load, engine, (target, bed.size.0), self.seed).map_err(no_job)?;
        job.journal = self.journal();
        job.verify = if self.verify { Verify::Write } else { Verify::Off };
        Ok(Asked { job, load, bed, note })
    }

    /// Checks the load against a target of this size that is nowhere, so that nothing is made for one that
    /// cannot be.
    fn check_load(&self, load: &experiment::Block, size: Size) -> anyhow::Result<()> {
        if self.target.as_deref().is_none_or(Path::exists) {
            return Ok(()); // It has a size of its own.
        }
        let nowhere = Target::AddressSpace { size_bytes: size.0 };
        let job = lab::single_job(load, EngineKind::Null, (nowhere, size.0), self.seed);
        // Nowhere are no bytes to verify.
        let job = Job { verify: Verify::Off, ..job.map_err(no_job)? };
        if matches!(self.engine, Engine::Psync) {
            job.check_for_psync().map_err(Coded::block)?;
        }
        block::check(&job).map_err(Coded::block)
    }

    /// The file or device under the load, and the permission to write to it.
    fn file(
        &self,
        size_bytes: u64,
        console: &Console,
        control: &Control,
        interrupt: &Interrupt,
    ) -> anyhow::Result<(PathBuf, Target, Option<Note>)> {
        let orders = self.destroy.orders()?;
        let path = self
            .target
            .as_deref()
            .or(orders.first().map(|order| order.path.as_path()))
            .ok_or_else(|| Coded::usage("name a file or device, or a modelled drive with --drive"))?
            .to_path_buf();
        if path.extension().is_some_and(|ending| ending == "fio" || ending == "toml") && path.is_file() {
            return Err(Coded::usage(format!(
                "{} looks like a job file or an experiment, not like a target: `drivetrain run {}` runs it",
                path.display(),
                shell::path(&path)
            )));
        }
        if self.read_share() >= 1.0 {
            return Ok((path.clone(), Target::ReadOnly(path), None));
        }
        if let Some(order) = orders.iter().find(|order| order.is_for(&path)) {
            let permit = WritePermit::claim_device(order).map_err(Coded::block)?;
            return Ok((path, Target::Permitted(Arc::new(permit)), None));
        }
        let note = targets::note(&path, console)?;
        let permit = own_file(&path, size_bytes, console, control, interrupt)?;
        let note = targets::note_found(note, &permit, console)?;
        // A file that is to be kept, or compared with its journal after a crash, belongs to the user once it
        // is whole.
        let note = note.filter(|_| !self.keep && self.journal.is_none());
        Ok((path, Target::Permitted(Arc::new(permit)), note))
    }
}

/// A load that may begin.
struct Asked {
    job: Job,
    /// The same as a workload, without its target.
    load: experiment::Block,
    bed: TargetBed,
    /// Speaks of the file that was made for it.
    note: Option<Note>,
}

/// A load that makes no job.
fn no_job(why: Reason) -> anyhow::Error {
    Coded::usage(why.to_string())
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
    WritePermit::claim(path, size_bytes, &mut go_on).map_err(Coded::block)
}

/// Sizes as fio users type them: `4k` is 4 KiB; `4KiB` and `4kB` have their usual meanings.
fn size(text: &str, flag: &str) -> anyhow::Result<u64> {
    Ok(Size::parse_like_fio(text).map_err(|e| Coded::usage(format!("{flag} {text}: {e}")))?.0)
}

/// The exponent of a Zipf distribution.
fn theta(text: &str) -> Result<f64, String> {
    let theta = text.parse::<f64>().map_err(|_| "it is no number".to_owned())?;
    match Zipf::is_theta(theta) {
        true => Ok(theta),
        false => Err(format!("the exponent lies above 0 and up to {}; 1.1 is a usual one", Zipf::THETA_MAX)),
    }
}

fn span(text: &str, flag: &str) -> anyhow::Result<Duration> {
    let parsed: Span = text.parse().map_err(|e| Coded::usage(format!("{flag} {text}: {e}")))?;
    Ok(parsed.0)
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
