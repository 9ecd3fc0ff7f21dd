//! `drivetrain replay`: the I/Os of a trace on a file or device.

mod asked;
mod shown;

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use block::{
    Control, Ended, EngineKind, Pace, Replay, Replayed, Target, TraceFormat, TraceReader, WritePermit,
};
use clap::Args;
use experiment::Size;
use ground::{Clock, Laps};
use lab::{Bystanders, Load};
use remains::Note;
use words::say;

use crate::console::Console;
use crate::destroy::{self, DestroyArgs};
use crate::exit::{Coded, Exit};
use crate::kept::{KeepArgs, Keeping};
use crate::outputs::{self, ForceArgs};
use crate::printable::in_one_line;
use crate::targets::{self, TargetBed};
use crate::{details, signals};

/// The formats of traces, for the list of verbs.
pub(crate) fn formats() -> String {
    TraceFormat::ALL.iter().map(|format| format.title()).collect::<Vec<_>>().join(", ")
}

/// Arguments of `replay`.
#[derive(Debug, Args)]
#[command(after_help = format!(
    "Traces are read as they are replayed, whatever their length: {}. A trace is a regular file; one that another program writes \
     comes as /dev/stdin: zcat trace.gz | drivetrain replay /dev/stdin TARGET.",
    TraceFormat::all_about(", "),
))]
pub(crate) struct ReplayArgs {
    /// The trace: a regular file, or /dev/stdin
    trace: PathBuf,

    /// File or device; without --reads-only a new file, which is created and filled first
    target: Option<PathBuf>,

    /// Speed relative to the recording
    #[arg(long, default_value_t = 1.0, conflicts_with = "fast", value_parser = speed)]
    speed: f64,

    /// Replay as fast as the depth allows
    #[arg(long)]
    fast: bool,

    /// Maximum number of outstanding I/Os; further ones wait, and their wait counts
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=1024))]
    depth: u32,

    /// Leave out writes: the target is opened read-only
    #[arg(long)]
    reads_only: bool,

    /// Size of the file to create
    #[arg(long, default_value = "1GiB", value_name = "SIZE")]
    size: String,

    /// Use the page cache instead of O_DIRECT
    #[arg(long)]
    buffered: bool,

    /// Keep the file that was created (the result is kept without it)
    #[arg(long)]
    keep: bool,

    #[command(flatten)]
    destroy: DestroyArgs,

    #[command(flatten)]
    kept: KeepArgs,

    #[command(flatten)]
    force: ForceArgs,
}

/// Reads a speed; nothing is made for one that no replay can have.
fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse::<f64>().ok().filter(|speed| block::SPEEDS.contains(speed));
    let (least, most) = (block::SPEEDS.start(), block::SPEEDS.end());
    speed.ok_or_else(|| format!("use {least} to {most}, or --fast"))
}

/// Replays, keeps the result and prints it.
pub(crate) fn replay(args: &ReplayArgs, notebook: &Path, console: &Console) -> anyhow::Result<Exit> {
    args.target.iter().try_for_each(|target| emulate::fuse::check_answers(target))?;
    let interrupt = signals::listen(*console, signals::OF_A_LOAD)?;
    let control = Control::new();
    let mut outputs = outputs::beside_notebook(notebook, args.force, console);
    outputs.keep(&args.trace, "the trace");
    args.target.iter().for_each(|target| outputs.keep(target, "the target"));
    let report = args.kept.plan(&mut outputs)?;
    let (file, checksum) = asked::Summed::new(crate::input::at_hand(&args.trace)?);
    let whole = asked::Whole::of(&args.trace);
    let trace = TraceReader::new(BufReader::with_capacity(1 << 20, file)).map_err(|why| {
        match interrupt.requested() {
            true => crate::input::stopped(&args.trace),
            false => Coded::usage(format!("{}: {why}", args.trace.display())),
        }
    })?;
    let format = trace.format().name();
    let (path, target, note) = target(args, &interrupt, console)?;
    let bed = TargetBed::of_file(&path, &target);
    let asked = Replay {
        target,
        engine: EngineKind::IoUring,
        direct: !args.buffered,
        depth_max: args.depth,
        pace: if args.fast { Pace::Fast } else { Pace::Times(args.speed) },
        reads_only: args.reads_only,
    };
    block::check_replay(&asked).map_err(Coded::block)?;
    let mut keeping =
        Keeping::begin(&args.kept, report, args.experiment(&bed), &Clock::Wall, (notebook, console))?;
    destroy::announce(&args.destroy, &asked.target, console)?;
    let bystanders = Bystanders::since_now(&keeping.single.request.world);
    let over = std::sync::atomic::AtomicBool::new(false);
    let replayed = std::thread::scope(|scope| {
        scope.spawn(|| watch(&control, &interrupt, &over, console));
        let replayed = block::replay(&asked, trace, &control);
        over.store(true, std::sync::atomic::Ordering::Release);
        replayed
    });
    let (replayed, processors) = (replayed.map_err(Coded::block)?, bystanders.processors());
    whole.check(&args.trace)?;
    let remarks = shown::remarks((&args.trace_name(), format), &asked, &replayed);
    asked::with_checksum(&mut keeping.single.request.experiment, &checksum);
    let let_go = targets::let_go(Some(asked.target), args.keep, note);
    let caveats = shown::caveats(&remarks, &replayed);
    let kept = keeping.end(&Load {
        outcome: &replayed.outcome,
        engine: &asked.engine,
        due_for: (!args.fast).then_some(replayed.due_for),
        processors,
        remarks,
        events: Vec::new(),
    })?;
    if console.json() {
        let mut document = shown::document(format, &replayed, &caveats);
        kept.add_to(&mut document);
        console.document(&document);
    } else {
        let notes: Vec<String> = caveats.iter().map(|note| say!("load-note", note)).collect();
        kept.print(("", &notes, &details::of(&replayed.outcome)), console)?;
    }
    let_go.map_err(Coded::block)?;
    Ok(exit_of(&replayed))
}

fn exit_of(replayed: &Replayed) -> Exit {
    match replayed.outcome.ended {
        Ended::Stopped => Exit::Interrupted,
        Ended::Complete if replayed.outcome.did_nothing() => Exit::InvalidCells,
        Ended::Complete if replayed.outcome.failures() == 0 && replayed.outcome.displaced.is_empty() => {
            Exit::Done
        }
        _ => Exit::InvalidCells,
    }
}

fn target(
    args: &ReplayArgs,
    interrupt: &lab::Interrupt,
    console: &Console,
) -> anyhow::Result<(PathBuf, Target, Option<Note>)> {
    let orders = args.destroy.orders()?;
    let path = args.target.as_deref().or(orders.first().map(|order| order.path.as_path()));
    let missing = || Coded::usage("name a file or device to replay the trace on");
    let path = path.ok_or_else(missing)?.to_path_buf();
    if args.reads_only {
        return Ok((path.clone(), Target::ReadOnly(path), None));
    }
    if let Some(order) = orders.iter().find(|order| order.is_for(&path)) {
        let permit = WritePermit::claim_device(order).map_err(Coded::block)?;
        return Ok((path, Target::Permitted(Arc::new(permit)), None));
    }
    let size =
        Size::parse_like_fio(&args.size).map_err(|e| Coded::usage(format!("--size {}: {e}", args.size)))?;
    let mut told = false;
    let mut tell = |done: u64| {
        if done > 0 && !std::mem::replace(&mut told, true) {
            console.note(&format!("filling {} with {size}", in_one_line(&path.display().to_string())));
        }
        !interrupt.requested()
    };
    let note = targets::note(&path, console)?;
    let permit = WritePermit::claim(&path, size.0, &mut tell).map_err(Coded::block)?;
    let note = targets::note_found(note, &permit, console)?;
    Ok((path, Target::Permitted(Arc::new(permit)), note.filter(|_| !args.keep)))
}

fn watch(
    control: &Control,
    interrupt: &lab::Interrupt,
    over: &std::sync::atomic::AtomicBool,
    console: &Console,
) {
    let (mut laps, mut before) = (Laps::of(&Clock::Wall, Duration::from_secs(10)), control.live());
    while !over.load(std::sync::atomic::Ordering::Acquire) {
        Clock::Wall.sleep(Duration::from_millis(50));
        if interrupt.requested() {
            control.stop();
        }
        if let Some(lap) = laps.ended() {
            let live = control.live();
            let rate = (live.ios - before.ios) as f64 / lap.as_secs_f64();
            console.note(&format!("{rate:.0} IOPS, {} I/Os so far, {} errors", live.ios, live.errors));
            before = live;
        }
    }
}
