//! `drivetrain replay`: the I/Os of a trace on a file or device.

use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use block::{
    BlockError, Control, Ended, EngineKind, Pace, Replay, Replayed, Target, TraceReader, WritePermit,
};
use clap::Args;
use experiment::Size;
use ground::Clock;
use remains::Note;

use crate::console::Console;
use crate::destroy::{self, DestroyArgs};
use crate::exit::{Coded, Exit};
use crate::printable::in_one_line;
use crate::{signals, targets};

/// Arguments of `replay`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  drivetrain replay io.log NEWFILE --size 10GiB      in its own time, on a file made for it
  drivetrain replay trace.csv FILE --reads-only --fast
  drivetrain replay blkparse.txt --speed 4 --destroy /dev/disk/by-id/nvme-EXAMPLE=S3RIAL

Traces are read as they are replayed, whatever their length: fio's iolog (versions 2 and 3), blkparse's text, CSV after MSR Cambridge (SNIA)
or SPC, or with a header line that names time, op, offset and size.")]
pub(crate) struct ReplayArgs {
    /// The trace
    trace: PathBuf,

    /// File or device; without --reads-only a new file, which is created and filled first
    target: Option<PathBuf>,

    /// Speed relative to the recording
    #[arg(long, default_value_t = 1.0, conflicts_with = "fast")]
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

    /// Keep the file that was created
    #[arg(long)]
    keep: bool,

    #[command(flatten)]
    destroy: DestroyArgs,
}

/// Replays and prints the results.
pub(crate) fn replay(args: &ReplayArgs, console: &Console) -> anyhow::Result<Exit> {
    let interrupt = signals::listen(*console, signals::OF_A_LOAD)?;
    let control = Control::new();
    let file = crate::input::open(&args.trace)?;
    let trace = TraceReader::new(BufReader::with_capacity(1 << 20, file)).map_err(|why| {
        match interrupt.requested() {
            true => crate::input::stopped(&args.trace),
            false => Coded::usage(format!("{}: {why}", args.trace.display())),
        }
    })?;
    let format = trace.format().name();
    let (target, note) = target(args, &interrupt, console)?;
    let asked = Replay {
        target,
        engine: EngineKind::IoUring,
        direct: !args.buffered,
        depth_max: args.depth,
        pace: if args.fast { Pace::Fast } else { Pace::Times(args.speed) },
        reads_only: args.reads_only,
    };
    block::check_replay(&asked).map_err(coded)?;
    destroy::announce(&args.destroy, &asked.target, console)?;
    let over = std::sync::atomic::AtomicBool::new(false);
    let replayed = std::thread::scope(|scope| {
        scope.spawn(|| watch(&control, &interrupt, &over, console));
        let replayed = block::replay(&asked, trace, &control);
        over.store(true, std::sync::atomic::Ordering::Release);
        replayed
    });
    let replayed = replayed.map_err(coded)?;
    if let Target::Permitted(permit) = asked.target
        && let Some(permit) = Arc::into_inner(permit)
    {
        if args.keep || permit.was_kept() { permit.keep() } else { permit.remove() }.map_err(coded)?;
    }
    drop(note); // Nothing is left that it could speak of.
    if console.json() {
        console.document(&document(format, &replayed));
    } else {
        console.answer(&text(format, &replayed));
    }
    Ok(match replayed.outcome.ended {
        Ended::Stopped => Exit::Interrupted,
        Ended::Complete if replayed.outcome.failures() == 0 => Exit::Done,
        _ => Exit::InvalidCells,
    })
}

fn target(
    args: &ReplayArgs,
    interrupt: &lab::Interrupt,
    console: &Console,
) -> anyhow::Result<(Target, Option<Note>)> {
    let orders = args.destroy.orders()?;
    let path = args.target.as_deref().or(orders.first().map(|order| order.path.as_path()));
    let path = path.ok_or_else(|| Coded::usage("name a file or device to replay the trace on"))?;
    if args.reads_only {
        return Ok((Target::ReadOnly(path.to_path_buf()), None));
    }
    if let Some(order) = orders.iter().find(|order| order.is_for(path)) {
        let permit = WritePermit::claim_device(order).map_err(coded)?;
        return Ok((Target::Permitted(Arc::new(permit)), None));
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
    let note = targets::note(path);
    let permit = WritePermit::claim(path, size.0, &mut tell).map_err(coded)?;
    Ok((Target::Permitted(Arc::new(permit)), note.filter(|_| !args.keep)))
}

fn coded(error: BlockError) -> anyhow::Error {
    match error {
        BlockError::Refused { .. } => Coded::refused(error.to_string()),
        BlockError::BadJob { .. } => Coded::usage(error.to_string()),
        BlockError::Stopped { .. } => Coded::interrupted(error.to_string()),
        other => other.into(),
    }
}

fn watch(
    control: &Control,
    interrupt: &lab::Interrupt,
    over: &std::sync::atomic::AtomicBool,
    console: &Console,
) {
    let mut last = (Clock::Wall.stopwatch(), control.live());
    while !over.load(std::sync::atomic::Ordering::Acquire) {
        Clock::Wall.sleep(Duration::from_millis(50));
        if interrupt.requested() {
            control.stop();
        }
        if last.0.elapsed() >= Duration::from_secs(10) {
            let live = control.live();
            let rate = (live.ios - last.1.ios) as f64 / last.0.seconds();
            console.note(&format!("{rate:.0} IOPS, {} I/Os so far, {} errors", live.ios, live.errors));
            last = (Clock::Wall.stopwatch(), live);
        }
    }
}

/// The caveats about fitting the trace to the target.
fn remarks(replayed: &Replayed) -> Vec<String> {
    let counts = [
        (replayed.skipped, "left out (writes and discards of a read-only replay)"),
        (replayed.wrapped, "beyond the end of the target, moved into it"),
        (replayed.rounded, "rounded to the block size of direct I/O"),
        (replayed.cut, "cut to 1 MiB"),
    ];
    let mut remarks: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} I/Os {what}"))
        .collect();
    if let Some((line, why)) = &replayed.lines.first_broken {
        remarks.push(format!("{} broken lines, the first is line {line}: {why}", replayed.lines.broken));
    }
    remarks.extend(replayed.outcome.warnings().sentences());
    remarks
}

fn text(format: &str, replayed: &Replayed) -> String {
    let outcome = &replayed.outcome;
    let us = |ns: u64| ns as f64 / 1e3;
    let mut text = format!(
        "{} I/Os of a {format} trace in {:.1} s: {:.0} IOPS, {:.1} MB/s\n",
        outcome.ios(),
        outcome.elapsed.as_secs_f64(),
        outcome.iops(),
        outcome.bytes_per_second() / 1e6
    );
    for (name, latency) in [
        ("read", &outcome.read.latency),
        ("write", &outcome.write.latency),
        ("discard", &outcome.discard.latency),
        ("flush", &outcome.flush.latency),
        ("lag", &outcome.lag),
    ] {
        if !latency.is_empty() {
            text.push_str(&format!(
                "{name:6} {:>9} mean {:>9.1} us  p50 {:>9.1}  p99 {:>9.1}  max {:>9.1}\n",
                latency.len(),
                latency.mean_ns() / 1e3,
                us(latency.quantile_ns(0.5)),
                us(latency.quantile_ns(0.99)),
                us(latency.max_ns())
            ));
        }
    }
    for remark in remarks(replayed) {
        text.push_str(&format!("note: {remark}\n"));
    }
    text
}

fn document(format: &str, replayed: &Replayed) -> serde_json::Value {
    let outcome = &replayed.outcome;
    let latency = |histogram: &measure::Histogram| {
        (!histogram.is_empty()).then(|| {
            let us = |quantile: f64| histogram.quantile_ns(quantile) as f64 / 1e3;
            serde_json::json!({
                "count": histogram.len(), "mean": histogram.mean_ns() / 1e3, "p50": us(0.5), "p99": us(0.99),
                "p999": us(0.999), "max": histogram.max_ns() as f64 / 1e3,
            })
        })
    };
    serde_json::json!({
        "format": format,
        "elapsed_s": outcome.elapsed.as_secs_f64(),
        "iops": outcome.iops(),
        "bandwidth_mb_s": outcome.bytes_per_second() / 1e6,
        "read_latency_us": latency(&outcome.read.latency),
        "write_latency_us": latency(&outcome.write.latency),
        "discard_latency_us": latency(&outcome.discard.latency),
        "flush_latency_us": latency(&outcome.flush.latency),
        "lag_us": latency(&outcome.lag),
        "lines": replayed.lines.lines,
        "broken_lines": replayed.lines.broken,
        "skipped": replayed.skipped,
        "wrapped": replayed.wrapped,
        "rounded": replayed.rounded,
        "cut": replayed.cut,
        "errors": outcome.failures(),
        "remarks": remarks(replayed),
    })
}
