//! Operations a second against the processors that the mount and its callers may use, as `taskset` gives
//! them.

use std::fmt::Write as _;
use std::path::Path;

use device::DriveSpec;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::{fio, mounted};
use crate::options::Options;
use crate::pairs::median;

/// Callers of each row; enough to keep two processors busy.
const THREADS: u32 = 4;

/// One row for each number of processors and each transport, in turn; the median of the pairs.
pub(super) fn table(
    options: &Options,
    dir: &Path,
    transports: &[(&str, bool)],
    text: &mut String,
) -> anyhow::Result<()> {
    let all = sched_getaffinity(None)?;
    let ours: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|processor| all.is_set(*processor)).collect();
    writeln!(
        text,
        "## Processors\n\n4 KiB at random places past the page cache, a drive that takes no time, {THREADS} threads with one operation each.\n"
    )?;
    writeln!(
        text,
        "| processors | transport | reads a second | writes a second | CPU of the layer for each: reads (us) | writes |"
    )?;
    writeln!(text, "|---:|---|---:|---:|---:|---:|")?;
    for count in 1..=ours.len() {
        let mut few = CpuSet::new();
        ours.iter().take(count).for_each(|processor| few.set(*processor));
        sched_setaffinity(None, &few)?;
        // Threads of a mount, and fio, take these processors over from us.
        let rows = measure(options, dir, count, transports);
        sched_setaffinity(None, &all)?;
        for ((transport, _), runs) in transports.iter().zip(rows?) {
            let of = |at: usize| median(&runs.iter().map(|run| run[at]).collect::<Vec<_>>());
            writeln!(
                text,
                "| {count} | {transport} | {:.0} | {:.0} | {:.1} | {:.1} |",
                of(0),
                of(1),
                of(2),
                of(3)
            )?;
        }
    }
    text.push('\n');
    Ok(())
}

/// Reads and writes a second, and the layer's time for each, us: for each transport all runs.
fn measure(
    options: &Options,
    dir: &Path,
    count: usize,
    transports: &[(&str, bool)],
) -> anyhow::Result<Vec<Vec<[f64; 4]>>> {
    let mut sides = Vec::new();
    for (transport, over_rings) in transports {
        let mount = mounted(dir, &format!("on-{count}-{transport}"), &DriveSpec::free(), *over_rings)?;
        let file = fio::lay_out(mount.mountpoint(), options)?;
        sides.push((mount, file, Vec::new()));
    }
    for _ in 0..options.pairs {
        for (mount, file, runs) in &mut sides {
            let mut run = [0.0; 4];
            for (place, reads) in [100, 0].into_iter().enumerate() {
                let before = mount.counters();
                let load = fio::MountLoad { reads, depth: 1, threads: THREADS };
                run[place] = fio::run(file, &load, options)?.iops;
                let counted = mount.counters().since(&before);
                let operations = (counted.data.reads + counted.data.writes).max(1);
                run[place + 2] = counted.cpu_ns as f64 / 1e3 / operations as f64;
            }
            runs.push(run);
        }
    }
    Ok(sides.into_iter().map(|(.., runs)| runs).collect())
}
