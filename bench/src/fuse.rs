//! Drives mounted with FUSE: what the mount itself costs, PostgreSQL on it, and fio's figures beside the
//! model's own.

mod fio;
mod model;
mod pgbench;
mod processors;
mod rows;

use std::fmt::Write as _;
use std::path::Path;

use device::DriveSpec;
use emulate::fuse::Transport;
use emulate::{EmulatedDrive, FuseMount, FuseOptions};

use crate::machine;
use crate::options::Options;

/// Goals with a drive that takes no time.
const DEPTH_1_AT_MOST_US: f64 = 12.0;
const FOUR_THREADS_AT_LEAST: f64 = 140_000.0;

/// The transports that are compared: the name of each, and whether it is over io_uring.
const TRANSPORTS: [(&str, bool); 2] = [("device", false), ("io_uring", true)];

/// Runs the bench.
pub(crate) fn run(options: &Options) -> anyhow::Result<String> {
    emulate::fuse::check()?;
    let dir = tempfile::Builder::new().prefix("bench-fuse-").tempdir_in(&options.dir)?;
    let mut text = format!("# Drives mounted with FUSE\n\n{}\n\n", machine::describe());
    let transports = transports(dir.path())?;
    if transports.len() < TRANSPORTS.len() {
        text += "Mounts over io_uring are switched off here: `echo Y > /sys/module/fuse/parameters/enable_uring`.\n\n";
    }
    free_drive(options, dir.path(), transports, &mut text)?;
    for (transport, over_rings) in transports {
        text += &pgbench::compare(options, dir.path(), transport, *over_rings)?;
    }
    processors::table(options, dir.path(), transports, &mut text)?;
    rows::all(options, dir.path(), transports, &mut text)?;
    writeln!(text, "\nAt the end: {}.", machine::load())?;
    if options.smoke {
        text += "These are figures of a smoke test: they mean nothing.\n";
    }
    Ok(text)
}

/// The transports of this machine.
fn transports(dir: &Path) -> anyhow::Result<&'static [(&'static str, bool)]> {
    let mount = mounted(dir, "trial", &DriveSpec::free(), true)?;
    let has_rings = matches!(mount.transport(), Some(Transport::Rings { .. }));
    Ok(if has_rings { &TRANSPORTS } else { &TRANSPORTS[..1] })
}

/// A folder of its own, mounted over itself with `spec`, the page cache left out.
fn mounted(dir: &Path, name: &str, spec: &DriveSpec, over_rings: bool) -> anyhow::Result<FuseMount> {
    let folder = dir.join(name);
    std::fs::create_dir_all(&folder)?;
    let options = FuseOptions {
        page_cache: false,
        may_have_rings: over_rings,
        ..FuseOptions::new(&folder, &folder, EmulatedDrive::new(name, spec, 1))
    };
    Ok(FuseMount::attach(options)?)
}

/// A figure of the free drive: its name, how it is read from a pair of runs, its goal, and whether less is
/// better.
type Figure = (&'static str, fn(&[f64; 4]) -> f64, f64, bool);

/// The cost of the mount itself, the transports in turn.
fn free_drive(
    options: &Options,
    dir: &Path,
    transports: &[(&str, bool)],
    text: &mut String,
) -> anyhow::Result<()> {
    let mut mounts = Vec::new();
    for (name, over_rings) in transports {
        let mount = mounted(dir, &format!("free-{name}"), &DriveSpec::free(), *over_rings)?;
        let file = fio::lay_out(mount.mountpoint(), options)?;
        mounts.push((mount, file, Vec::new()));
    }
    for _ in 0..options.pairs {
        for (mount, file, runs) in &mut mounts {
            let before = mount.counters();
            let one = fio::run(file, &fio::MountLoad { reads: 100, depth: 1, threads: 1 }, options)?;
            let four = fio::run(file, &fio::MountLoad { reads: 100, depth: 1, threads: 4 }, options)?;
            let counted = mount.counters().since(&before);
            let cpu_us = counted.cpu_ns as f64 / 1e3 / counted.data.reads.max(1) as f64;
            runs.push([one.read_us, four.iops, cpu_us, 0.0]);
        }
    }
    let figures: [Figure; 3] = [
        ("4 KiB random read, O_DIRECT, depth 1: mean (us)", |run| run[0], DEPTH_1_AT_MOST_US, true),
        ("the same from four threads: I/Os per second", |run| run[1], FOUR_THREADS_AT_LEAST, false),
        ("processor time of the layer for each of them (us)", |run| run[2], 0.0, true),
    ];
    writeln!(
        text,
        "| a drive that takes no time | transport | median of {} | goal | |\n|---|---|---:|---:|---|",
        options.pairs
    )?;
    for (what, of, goal, is_less) in figures {
        for ((transport, _), (_, _, runs)) in transports.iter().zip(&mounts) {
            let median = crate::pairs::median(&runs.iter().map(of).collect::<Vec<_>>());
            let is_met = if is_less { median <= goal } else { median >= goal };
            let (goal, met) = match goal {
                0.0 => (String::new(), ""),
                goal => (
                    format!("{} {goal}", if is_less { "at most" } else { "at least" }),
                    if is_met { "met" } else { "missed" },
                ),
            };
            writeln!(text, "| {what} | {transport} | {median:.1} | {goal} | {met} |")?;
        }
    }
    text.push('\n');
    Ok(())
}
