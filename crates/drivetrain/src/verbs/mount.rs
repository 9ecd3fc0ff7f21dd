//! `drivetrain mount`: directories on a modelled drive, for any program.

mod orders;
mod statistics;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use device::DriveSpec;
use emulate::fuse::{Departure, Hidden, Repaired, Silent};
use emulate::{EmulatedDrive, FuseMount, FuseOptions};
use ground::Clock;
use lab::Interrupt;

use crate::allow_uring::UringArgs;
use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::signals;
use crate::verbs::drives;

use orders::Orders;
use statistics::Reading;

/// The name of the drive that takes no time.
const FREE: &str = "free";
/// The interval at which the end is checked, at most.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// The interval of looks at deeds of others to the mounts: each reads the table of mounts of the machine.
const OTHERS_INTERVAL: Duration = Duration::from_millis(250);
/// The reason for a warning at the end.
const IN_USE: &str = "programs still used it when it was unmounted";
const ORDERS: &str = "\
While the drive is mounted, each line on stdin is a command:
  stats          Print the statistics so far, and since the last ones
  slow FACTOR    Multiply the time of every operation by 0.001 to 1000000
  stall SECONDS  Complete no operation for 0 to 3600 s
  read-error, write-error, sync-error, full
                 Fail reads, writes or syncs, or writes as on a full file system
  lie            Report success of syncs and keep nothing, which a cut shows
  heal           End all of these
  cut, power     Cut the power, and give it back (with --power-cuts)
  quit           Unmount, as Ctrl-C does";

/// Arguments of `mount`.
#[derive(Debug, Args)]
#[command(after_help = ORDERS)]
pub(crate) struct MountArgs {
    /// Modelled drive: a name of the catalogue or a part of it, a drive's TOML file, or `free` for a drive
    /// that takes no time
    #[arg(long, value_name = "DRIVE", required_unless_present = "repair")]
    drive: Option<String>,

    /// Directory of the data, and mount point, an empty directory; several pairs share the drive. One
    /// directory may be both. Directories of the system are refused
    #[arg(value_name = "BACKING MOUNTPOINT", required_unless_present = "repair")]
    directories: Vec<PathBuf>,

    /// Keep the data that unsynced writes replace, so that the command `cut` can simulate a loss of power
    #[arg(long)]
    power_cuts: bool,

    /// A sync also syncs the backing files: synced data then survives a loss of this machine's power
    #[arg(long)]
    sync_backing: bool,

    /// Bypass the kernel's page cache: every read and write goes to the drive, as if all programs used
    /// O_DIRECT
    #[arg(long)]
    no_page_cache: bool,

    /// Seed of the model's random draws, and of the losses of a power cut
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Unmount after this time, such as `90s` (default: at Ctrl-C)
    #[arg(long, value_name = "TIME")]
    time: Option<String>,

    #[command(flatten)]
    uring: UringArgs,

    /// Unmount the mounts of killed drivetrain processes at PATH or below, and do nothing else
    #[arg(long, value_name = "PATH", conflicts_with_all = ["drive", "directories"])]
    repair: Option<PathBuf>,
}

/// Mounts, obeys, unmounts, and prints the statistics.
pub(crate) fn mount(args: &MountArgs, console: &Console) -> anyhow::Result<Exit> {
    if let Some(path) = &args.repair {
        return repair(path, console);
    }
    let pairs = pairs(&args.directories)?;
    let time = args.time.as_deref().map(time).transpose()?;
    let Modelled { drive, spec, caution } = drive(args.drive.as_deref().unwrap_or(FREE), args.seed, console)?;
    // From here on a signal ends the loop below, and the mounts with it.
    let interrupt = signals::listen(*console, signals::OF_OTHERS)?;
    let _switch = args.uring.switch(console);
    let mut mounts = Vec::with_capacity(pairs.len());
    for (backing, mountpoint) in pairs {
        let options = FuseOptions {
            power_cuts: args.power_cuts,
            sync_backing: args.sync_backing,
            page_cache: !args.no_page_cache,
            ..FuseOptions::new(backing, mountpoint, Arc::clone(&drive))
        };
        mounts.push(FuseMount::attach(options)?);
    }
    announce(&mounts, &spec, console);
    let started = Clock::Wall.stopwatch();
    let mut orders = Orders::listen(args.power_cuts, args.seed);
    let (mut told, mut looked) = (None, Clock::Wall.stopwatch());
    while !interrupt.requested() && time.is_none_or(|time| started.elapsed() < time) {
        if orders.obey(&mut mounts, console)? {
            break;
        }
        if looked.elapsed() < OTHERS_INTERVAL {
            continue;
        }
        looked = Clock::Wall.stopwatch();
        if told.is_none() && mounts.iter().any(|mount| mount.is_gone() || !mount.is_served()) {
            // The server of a mount that nobody uses ends a moment after the mount.
            Clock::Wall.sleep(LOOK_INTERVAL);
            told = mounts.iter().find_map(by_others);
            told.iter().for_each(|told: &String| console.warn(told));
        }
        if mounts.iter().any(|mount| !mount.is_served()) {
            break;
        }
    }
    await_operations(&mut mounts, &mut orders, &interrupt, console)?;
    Ok(conclude(mounts, started.elapsed(), caution.as_deref(), console))
}

fn repair(path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let repaired =
        emulate::fuse::repair_stale(path).with_context(|| format!("unmounting below {}", path.display()))?;
    if console.json() {
        let paths: Vec<String> = repaired.unmounted.iter().map(|path| path.display().to_string()).collect();
        let hidden = |hidden: &Hidden| {
            serde_json::json!({
                "path": hidden.point.display().to_string(),
                "by": hidden.by.display().to_string(),
                "by_system": hidden.system,
            })
        };
        let hidden: Vec<serde_json::Value> = repaired.hidden.iter().map(hidden).collect();
        let silent = |silent: &Silent| serde_json::json!({ "path": silent.point.display().to_string(), "process": silent.process });
        let silent: Vec<serde_json::Value> = repaired.silent.iter().map(silent).collect();
        console.document(&serde_json::json!({ "unmounted": paths, "hidden": hidden, "silent": silent }));
    } else if repaired == Repaired::default() {
        console.answer(&format!("no dead mount of ours at {} or below", path.display()));
    } else {
        repaired.unmounted.iter().for_each(|path| console.answer(&format!("unmounted {}", path.display())));
    }
    for Hidden { point, by, system } in &repaired.hidden {
        console.warn(&format!(
            "a mount of ours at {} is hidden by another one over {} ({system}), so that nobody can ask whether it is dead; unmount that one \
             first (umount {}), then repair again",
            point.display(),
            by.display(),
            by.display()
        ));
    }
    for silent in &repaired.silent {
        console.warn(&format!("{silent}, so that nobody knows whether it is dead; {}", silent.remedy()));
    }
    Ok(if repaired.hidden.is_empty() { Exit::Done } else { Exit::Error })
}

fn pairs(directories: &[PathBuf]) -> anyhow::Result<Vec<(&Path, &Path)>> {
    match directories {
        [one] => Ok(vec![(one, one)]),
        many if many.len().is_multiple_of(2) => {
            let pairs: Vec<_> =
                many.chunks_exact(2).map(|pair| (pair[0].as_path(), pair[1].as_path())).collect();
            let resolved = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
            let mut seen = Vec::new();
            for (_, given) in &pairs {
                let point = resolved(given);
                if seen.contains(&point) {
                    return Err(Coded::usage(format!(
                        "{}: named twice as a mount point; give each pair one of its own",
                        given.display()
                    )));
                }
                seen.push(point);
            }
            Ok(pairs)
        }
        odd => Err(Coded::usage(format!(
            "{} directories: give pairs of a backing directory and a mount point, or one directory that is both",
            odd.len()
        ))),
    }
}

fn time(text: &str) -> anyhow::Result<Duration> {
    let span: experiment::Span = text.parse().map_err(|why| Coded::usage(format!("--time {text}: {why}")))?;
    Ok(span.0)
}

/// The drive of all mounts.
struct Modelled {
    drive: Arc<EmulatedDrive>,
    spec: DriveSpec,
    /// A warning about the error of its model.
    caution: Option<String>,
}

fn drive(name: &str, seed: u64, console: &Console) -> anyhow::Result<Modelled> {
    if name == FREE {
        let spec = DriveSpec::free();
        return Ok(Modelled { drive: EmulatedDrive::new(FREE, &spec, seed), spec, caution: None });
    }
    let entry = drives::find(name)?;
    let caution = drives::warn_of_error(name, &entry, console);
    Ok(Modelled { drive: EmulatedDrive::new(&entry.name, &entry.spec, seed), spec: entry.spec, caution })
}

fn announce(mounts: &[FuseMount], spec: &DriveSpec, console: &Console) {
    for mount in mounts {
        let floor = mount.floor();
        console.note(&format!(
            "mounted {} on {} ({}; path through the kernel: read {:.0} \u{b5}s, write {:.0} \u{b5}s, sync {:.0} \u{b5}s)",
            mount.mountpoint().display(),
            mount.drive().name(),
            mount.transport().map(|transport| transport.to_string()).unwrap_or_default(),
            floor.read.p50_ns as f64 / 1e3,
            floor.write.p50_ns as f64 / 1e3,
            floor.sync.p50_ns as f64 / 1e3
        ));
        if spec.is_free() {
            continue;
        }
        let rehearsed = mount.rehearsal().map(|rehearsal| rehearsal.beyond()).unwrap_or_default();
        let beyond: Vec<words::Beyond> = floor.beyond(spec).into_iter().chain(rehearsed).collect();
        for flag in words::Beyond::sentences(&beyond) {
            console.note(&format!("warning: {flag}"));
        }
    }
    console.note("Ctrl-C unmounts; `drivetrain mount --help` lists the commands that stdin takes");
}

/// The deed of somebody else to a mount.
fn by_others(mount: &FuseMount) -> Option<String> {
    let done = match (mount.is_gone(), mount.is_served()) {
        (false, true) => return None,
        (true, true) => "somebody else unmounted it while programs use it; it ends when they have left it",
        (true, false) => "somebody else unmounted it; the mounts end",
        (false, false) => "somebody else ended its connection: calls of programs fail; the mounts end",
    };
    Some(format!("{}: {done}", mount.mountpoint().display()))
}

/// Waits until the operations have completed that are under way, as on a drive that stalls, and takes
/// commands meanwhile; until another signal or `quit` comes. What is left then no longer waits for a stall.
fn await_operations(
    mounts: &mut [FuseMount],
    orders: &mut Orders,
    interrupt: &Interrupt,
    console: &Console,
) -> anyhow::Result<()> {
    let longest =
        |mounts: &[FuseMount]| mounts.iter().map(|mount| mount.drive().works_for()).max().unwrap_or_default();
    let works = longest(mounts);
    if works > LOOK_INTERVAL {
        let left_s = works.as_secs_f64();
        console.note(&format!(
            "operations that are under way complete within {left_s:.1} s, then the mounts end; `heal` or Ctrl-C ends this wait"
        ));
        let (since, was_asked) = (Clock::Wall.stopwatch(), interrupt.requested());
        let is_asked_again = || interrupt.at_once() || (interrupt.requested() && !was_asked);
        // Programs may go on, so the drive is perhaps never idle.
        while since.elapsed() < works && longest(mounts) > LOOK_INTERVAL && !is_asked_again() {
            if orders.obey(mounts, console)? {
                break;
            }
        }
    }
    mounts.iter().for_each(|mount| mount.drive().end_stall());
    Clock::Wall.sleep(longest(mounts).min(2 * LOOK_INTERVAL));
    Ok(())
}

/// Unmounts, and prints the statistics, mount by mount. They are those from before, as the kernel writes data
/// back with syncs of its own.
fn conclude(mounts: Vec<FuseMount>, elapsed: Duration, caution: Option<&str>, console: &Console) -> Exit {
    let table = |mount| statistics::table(mount, &Reading::now(mount, elapsed), None);
    let tables: Vec<String> = mounts.iter().map(table).collect();
    let documents: Vec<serde_json::Value> = mounts.iter().map(statistics::document).collect();
    let points: Vec<String> = mounts.iter().map(|mount| mount.mountpoint().display().to_string()).collect();
    // What the kernel writes back now is in no figure, and waits for no slow drive.
    mounts.iter().for_each(|mount| mount.drive().heal());
    let (mut left, mut lost) = (Vec::new(), Vec::new());
    for (mount, point) in mounts.into_iter().zip(&points) {
        if mount.is_gone() && mount.is_served() {
            console.warn(&format!(
                "{point}: {IN_USE} by somebody else, and data that they had written may be lost"
            ));
            lost.push(point);
        }
        // Without power a drive takes nothing, which is no fault.
        let has_power = mount.has_power();
        match mount.detach() {
            Ok(Departure::Unused) => {}
            Ok(Departure::Lost(why)) if has_power => {
                console.warn(&format!("{point}: {IN_USE}, and data that they had written are lost: {why}"));
                lost.push(point);
            }
            Ok(Departure::InUse | Departure::Lost(_)) => console.warn(&format!(
                "{point}: {IN_USE}: their calls fail from now on. What they had written before was written back"
            )),
            Err(error) => {
                console.warn(&error.to_string());
                left.push(point);
            }
        }
    }
    if console.json() {
        let seconds = elapsed.as_secs_f64();
        let cautions: Vec<&str> = caution.into_iter().collect();
        console.document(&serde_json::json!({
            "seconds": seconds, "mounts": documents, "still_mounted": left, "lost_data": lost, "cautions": cautions,
        }));
    } else {
        tables.iter().for_each(|table| console.answer(table));
    }
    if left.is_empty() && lost.is_empty() { Exit::Done } else { Exit::Error }
}
