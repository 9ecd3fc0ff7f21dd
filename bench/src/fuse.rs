//! Drives mounted with FUSE: what the mount itself costs, PostgreSQL on it, and fio's figures beside the
//! model's own.

mod fio;
mod model;
mod pgbench;

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use device::{DriveSpec, catalogue};
use emulate::{EmulatedDrive, FuseMount, FuseOptions};

use crate::machine;
use crate::options::Options;

/// Drives whose figures are promised within [`NEAR`] of the model wherever the floor allows.
const DRIVES: [&str; 3] = ["kingston-dc1500m-960g", "kingston-dc500m-1920g", "micron-5200-eco-1920g"];
const DEPTHS: [u32; 4] = [1, 4, 16, 32];
const NEAR: f64 = 0.10;
/// Goals with a drive that takes no time.
const DEPTH_1_AT_MOST_US: f64 = 40.0;
const FOUR_THREADS_AT_LEAST: f64 = 60_000.0;

/// One load: its name and the share of reads, percent.
const LOADS: [(&str, u8); 3] = [("read", 100), ("write", 0), ("70/30", 70)];

/// Runs the bench.
pub(crate) fn run(options: &Options) -> anyhow::Result<String> {
    emulate::fuse::check()?;
    let dir = tempfile::Builder::new().prefix("bench-fuse-").tempdir_in(&options.dir)?;
    let mut text = format!("# Drives mounted with FUSE\n\n{}\n\n", machine::describe());
    free_drive(options, dir.path(), &mut text)?;
    text += &pgbench::compare(options, dir.path())?;
    for name in DRIVES {
        against_the_model(options, dir.path(), name, &mut text).with_context(|| name.to_owned())?;
    }
    writeln!(text, "\nAt the end: {}.", machine::load())?;
    if options.smoke {
        text += "These are figures of a smoke test: they mean nothing.\n";
    }
    Ok(text)
}

/// A folder of its own, mounted over itself with `spec`, the page cache left out.
fn mounted(dir: &Path, name: &str, spec: &DriveSpec) -> anyhow::Result<FuseMount> {
    let folder = dir.join(name);
    std::fs::create_dir_all(&folder)?;
    let options = FuseOptions {
        page_cache: false,
        ..FuseOptions::new(&folder, &folder, EmulatedDrive::new(name, spec, 1))
    };
    Ok(FuseMount::attach(options)?)
}

/// The cost of the mount itself.
fn free_drive(options: &Options, dir: &Path, text: &mut String) -> anyhow::Result<()> {
    let mount = mounted(dir, "free", &DriveSpec::free())?;
    let file = fio::lay_out(mount.mountpoint(), options)?;
    let mut runs = Vec::new();
    for _ in 0..options.pairs {
        let one = fio::run(&file, &fio::MountLoad { reads: 100, depth: 1, threads: 1 }, options)?;
        let four = fio::run(&file, &fio::MountLoad { reads: 100, depth: 1, threads: 4 }, options)?;
        runs.push((one.read_us, four.iops));
    }
    let median = |of: fn(&(f64, f64)) -> f64| crate::pairs::median(&runs.iter().map(of).collect::<Vec<_>>());
    let (mean_us, iops) = (median(|run| run.0), median(|run| run.1));
    let met = |is: bool| if is { "met" } else { "missed" };
    writeln!(
        text,
        "| a drive that takes no time | median of {} | goal | |\n|---|---:|---:|---|",
        options.pairs
    )?;
    let is_met = met(mean_us <= DEPTH_1_AT_MOST_US);
    writeln!(
        text,
        "| 4 KiB random read, O_DIRECT, depth 1: mean (us) | {mean_us:.1} | at most {DEPTH_1_AT_MOST_US} | {is_met} |"
    )?;
    let is_met = met(iops >= FOUR_THREADS_AT_LEAST);
    writeln!(
        text,
        "| the same from four threads: I/Os per second | {iops:.0} | at least {FOUR_THREADS_AT_LEAST} | {is_met} |\n"
    )?;
    Ok(())
}

/// fio's figures on the mount beside those of the model alone, driven alike without any clock.
fn against_the_model(options: &Options, dir: &Path, name: &str, text: &mut String) -> anyhow::Result<()> {
    let entry = catalogue::find(name).with_context(|| format!("no drive {name} in the catalogue"))?;
    let mount = mounted(dir, name, &entry.spec)?;
    let file = fio::lay_out(mount.mountpoint(), options)?;
    let rehearsal = mount.rehearsal().context("this drive takes time, so its mount was rehearsed")?;
    let [read_us, write_us, _] = rehearsal.ways_ns().map(|ns| ns as f64 / 1e3);
    writeln!(
        text,
        "\n## {}\n\nThe way: reads {read_us:.1} us, writes {write_us:.1} us; the mount completes {:.0} operations a second.\n",
        entry.title,
        rehearsal.most_per_second()
    )?;
    writeln!(text, "| load | depth | IOPS, model | fio | ratio | mean us, model | fio | ratio | |")?;
    writeln!(text, "|---|---:|---:|---:|---:|---:|---:|---:|---|")?;
    let depths: &[u32] = if options.smoke { &DEPTHS[..1] } else { &DEPTHS };
    for (load_name, reads) in LOADS {
        for &depth in depths {
            let expected = model::closed_loop(&entry.spec, reads, depth, options.seconds);
            let before = mount.counters();
            let seen = fio::run(&file, &fio::MountLoad { reads, depth, threads: 1 }, options)?;
            let counted = mount.counters().since(&before);
            let ratios = (seen.iops / expected.iops, seen.mean_us() / expected.mean_us());
            let is_near = [ratios.0, ratios.1].iter().all(|ratio| (ratio - 1.0).abs() <= NEAR);
            let late = counted.late as f64 / (counted.data.reads + counted.data.writes).max(1) as f64;
            let flag = match rehearsal.flags_at(reads, expected.iops, expected.mean_us()) {
                Some(why) => format!("flagged: {why}"),
                None if late > NEAR => format!("flagged: {:.0} % of the completions late", late * 1e2),
                None => String::new(),
            };
            writeln!(
                text,
                "| {load_name} | {depth} | {:.0} | {:.0} | {:.2} | {:.1} | {:.1} | {:.2} | {}{flag} |",
                expected.iops,
                seen.iops,
                ratios.0,
                expected.mean_us(),
                seen.mean_us(),
                ratios.1,
                if is_near { "" } else { "**beyond 10 %** " },
            )?;
        }
    }
    Ok(())
}
