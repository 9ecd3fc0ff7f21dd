//! Clones of a loaded server: on file systems that share blocks, and on ext4 beside `cp`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use database::image::Image;
use database::{Backing, Instance as _, InstanceSpec, Server, Synchronous};
use ground::Clock;

use super::{MEMORY_BYTES, folder, loaded, seconds, sync_filesystem};
use crate::options::Options;
use crate::pairs::{self, Goal, Row};

const CLONES: usize = 12;
const SHARED_MAX_S: f64 = 10.0;
const WAREHOUSES: u32 = 10;
const IMAGE_BYTES: u64 = 12 << 30;
const SMOKE_IMAGE_BYTES: u64 = 1 << 30;

pub(super) fn run(options: &Options) -> anyhow::Result<String> {
    let temp = folder(options)?;
    let warehouses = if options.smoke { 1 } else { WAREHOUSES };
    let mut server = loaded(&temp.path().join("loaded"), warehouses, options.smoke)?;
    let size_mb = server.size_bytes() as f64 / 1e6;
    let golden = temp.path().join("golden");
    server.snapshot(&golden)?;
    drop(server);
    let mut text = format!("## {CLONES} clones of a loaded server of {size_mb:.0} MB\n\n");
    text += "| file system | copied by | all clones, s | goal |\n|---|---|---:|---|\n";
    for kind in ["xfs", "btrfs"] {
        text += &shared(options, temp.path(), &golden, kind)?;
    }
    Ok(text + "\n" + &copied(options, temp.path(), &golden)?)
}

/// On a file system of our own in an image, which needs root.
fn shared(options: &Options, temp: &Path, golden: &Path, kind: &str) -> anyhow::Result<String> {
    let bytes = if options.smoke { SMOKE_IMAGE_BYTES } else { IMAGE_BYTES };
    let dir = temp.join(format!("image-{kind}"));
    std::fs::create_dir(&dir)?;
    let image = match Image::make(&dir, kind, bytes) {
        Ok(image) => image,
        Err(error) => return Ok(format!("| {kind} | not available here: {error} | | |\n")),
    };
    // The copy that is cloned lies on the same file system.
    let (kept, first) = (image.root().join("golden"), image.root().join("first"));
    let mut server = server(&first)?;
    server.restore(golden)?;
    server.snapshot(&kept)?;
    drop(server);
    sync_filesystem(image.root())?;
    let start = Clock::Wall.stopwatch();
    let mut method = String::new();
    for number in 0..CLONES {
        method =
            self::server(&image.root().join(format!("clone-{number}")))?.restore(&kept)?.method.to_string();
    }
    let all_s = seconds(start.elapsed());
    let kept = if all_s <= SHARED_MAX_S { "kept" } else { "MISSED" };
    let mut line = String::new();
    let _ = writeln!(line, "| {kind} in an image | {method} | {all_s:.2} | <= {SHARED_MAX_S}: {kept} |");
    Ok(line)
}

/// The case without shared blocks: a clone beside a plain copy that is synced, in turn.
fn copied(options: &Options, temp: &Path, golden: &Path) -> anyhow::Result<String> {
    let target = temp.join("clone");
    let by_hand = temp.join("by-hand");
    let ours = || {
        database::Marker::remove_ours(&target)?;
        let mut clone = server(&target)?;
        sync_filesystem(temp)?;
        let start = Clock::Wall.stopwatch();
        clone.restore(golden)?;
        sync_filesystem(temp)?;
        Ok(seconds(start.elapsed()))
    };
    let peer = || {
        let _ = std::fs::remove_dir_all(&by_hand);
        sync_filesystem(temp)?;
        let start = Clock::Wall.stopwatch();
        let mut command = Command::new("cp");
        command.args(["-r", "--reflink=never"]).arg(golden).arg(&by_hand);
        anyhow::ensure!(command.status()?.success(), "cp failed");
        sync_filesystem(temp)?;
        Ok(seconds(start.elapsed()))
    };
    let pairs = pairs::interleave("clones beside cp", options, ours, peer)?;
    let rows = [Row {
        what: "one clone on the disk, synced, s".to_owned(),
        pairs: pairs.runs.clone(),
        digits: 2,
        goal: Some(Goal::RatioAtMost(1.1)),
    }];
    Ok(pairs::table("ext4 or whatever is at --dir", "cp", &rows) + "\n" + &pairs.circumstances() + "\n")
}

fn server(dir: &Path) -> anyhow::Result<Server> {
    Ok(database::postgresql::provision(InstanceSpec {
        dir: PathBuf::from(dir),
        data: Backing::Real,
        log: Backing::Real,
        log_dir: None,
        memory_bytes: MEMORY_BYTES,
        synchronous: Synchronous::Full,
        page_cache: false,
    })?)
}
