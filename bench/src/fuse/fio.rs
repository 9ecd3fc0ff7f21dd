//! fio on a file under a mount.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use crate::options::Options;

const FILE_BYTES: u64 = 1 << 30;
const SMOKE_FILE_BYTES: u64 = 16 << 20;

/// The load on the file: 4 KiB at random places past the page cache.
pub(super) struct MountLoad {
    /// Share of reads, percent.
    pub(super) reads: u8,
    pub(super) depth: u32,
    pub(super) threads: u32,
}

/// fio's results. Means in us, of completion as the caller sees it.
pub(super) struct Seen {
    pub(super) iops: f64,
    pub(super) read_us: f64,
    read_share: f64,
    write_us: f64,
}

impl Seen {
    pub(super) fn mean_us(&self) -> f64 {
        self.read_us * self.read_share + self.write_us * (1.0 - self.read_share)
    }
}

/// A written file under `dir`.
pub(super) fn lay_out(dir: &Path, options: &Options) -> anyhow::Result<PathBuf> {
    let path = dir.join("file");
    let bytes = if options.smoke { SMOKE_FILE_BYTES } else { FILE_BYTES };
    // Written below the drive's clock: a file that exists is laid out by its owner, not by the load.
    let file = std::fs::File::create(&path)?;
    rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, bytes)?;
    Ok(path)
}

/// Runs fio for the options' time.
pub(super) fn run(file: &Path, load: &MountLoad, options: &Options) -> anyhow::Result<Seen> {
    let engine = if load.depth == 1 { "psync" } else { "libaio" };
    let output = Command::new("fio")
        .args(["--name=x", "--direct=1", "--bs=4k", "--time_based", "--randrepeat=0", "--norandommap"])
        .args(["--rw=randrw", "--output-format=json", "--group_reporting", "--thread", "--invalidate=0"])
        .arg(format!("--ioengine={engine}"))
        .arg(format!("--filename={}", file.display()))
        .arg(format!("--rwmixread={}", load.reads))
        .arg(format!("--iodepth={}", load.depth))
        .arg(format!("--numjobs={}", load.threads))
        .arg(format!("--runtime={}ms", (options.seconds * 1e3) as u64))
        .output()
        .context("running fio; install it with: apt-get install fio")?;
    ensure!(output.status.success(), "fio: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout)?;
    let start = text.find('{').context("fio printed no JSON")?;
    let job = &serde_json::from_str::<Value>(&text[start..])?["jobs"][0];
    let number = |side: &str, path: [&str; 2]| job[side][path[0]][path[1]].as_f64().unwrap_or(0.0);
    let rate = |side: &str| job[side]["iops"].as_f64().unwrap_or(0.0);
    let (reads, writes) = (rate("read"), rate("write"));
    ensure!(reads + writes > 0.0, "fio did no I/O");
    Ok(Seen {
        iops: reads + writes,
        read_us: number("read", ["lat_ns", "mean"]) / 1e3,
        write_us: number("write", ["lat_ns", "mean"]) / 1e3,
        read_share: reads / (reads + writes),
    })
}
