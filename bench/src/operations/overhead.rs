//! Our backup runner beside the same tool started by hand with the same words, in turn.
//!
//! The target is in memory where there is room: a drive under it scatters by far more than the hundredth that
//! is asked for. What the runner adds is the same on any target.

use std::path::{Path, PathBuf};
use std::process::Command;

use database::backup::{BackupRequest, BackupWatch};
use database::{Instance as _, Server};
use ground::Clock;

use super::{folder, loaded, seconds, sync_filesystem};
use crate::options::Options;
use crate::pairs::{self, Goal, Row};

const WAREHOUSES: u32 = 4;
const RATIO_MAX: f64 = 1.01;
/// A backup takes about a second: more pairs than elsewhere for the same time.
const TIMES_PAIRS: usize = 5;
const MEMORY: &str = "/dev/shm";
/// Two backups lie there at a time, and the machine is to keep some memory.
const ROOM_TIMES_SIZE: u64 = 3;

pub(super) fn run(options: &Options) -> anyhow::Result<String> {
    let temp = folder(options)?;
    let warehouses = if options.smoke { 1 } else { WAREHOUSES };
    let mut server = loaded(&temp.path().join("loaded"), warehouses, options.smoke)?;
    server.allow_backups();
    server.stop()?;
    server.start()?;
    let in_memory = Options { dir: PathBuf::from(MEMORY), ..options.clone() };
    let fits = room_bytes(Path::new(MEMORY)) > ROOM_TIMES_SIZE * server.size_bytes();
    let target = folder(if fits { &in_memory } else { options })?;
    let (ours_dir, by_hand) = (target.path().join("ours"), target.path().join("by-hand"));
    // The first of each fills the page cache for all that follow.
    ours(&server, &ours_dir)?;
    peer(&server, &by_hand)?;
    let pairs = match options.smoke {
        true => options.pairs,
        false => TIMES_PAIRS * options.pairs,
    };
    let more = Options { pairs, ..options.clone() };
    let pairs = pairs::interleave("backups", &more, || ours(&server, &ours_dir), || peer(&server, &by_hand))?;
    let column = |of: fn(&(f64, f64)) -> f64| {
        pairs.runs.iter().map(|(ours, peer)| (of(ours), peer.0)).collect::<Vec<(f64, f64)>>()
    };
    let row = |what: &str, of: fn(&(f64, f64)) -> f64, goal| Row {
        what: what.to_owned(),
        pairs: column(of),
        digits: 3,
        goal,
    };
    let rows = [
        row("time of a backup, synced, s", |run| run.0, Some(Goal::RatioAtMost(RATIO_MAX))),
        row("with our list of checksums, which is never part of a time, s", |run| run.1, None),
    ];
    let size_mb = server.size_bytes() as f64 / 1e6;
    let place = if fits { "in memory" } else { "at --dir" };
    let title = format!("## A backup of {size_mb:.0} MB to a target {place}, {} pairs\n\n", pairs.runs.len());
    Ok(title
        + &pairs::table("PostgreSQL", "pg_basebackup by hand", &rows)
        + "\n"
        + &pairs.circumstances()
        + "\n")
}

/// Free bytes of the file system of `dir`; 0 where there is none.
fn room_bytes(dir: &Path) -> u64 {
    rustix::fs::statvfs(dir).map_or(0, |room| room.f_bavail.saturating_mul(room.f_frsize))
}

/// The time that is reported, and the time until everything is done.
fn ours(server: &Server, dir: &Path) -> anyhow::Result<(f64, f64)> {
    database::Marker::remove_ours(dir)?;
    sync_filesystem(dir.parent().unwrap_or(dir))?;
    let start = Clock::Wall.stopwatch();
    let made = server.back_up(&BackupRequest::new(dir), &BackupWatch::new())?;
    Ok((seconds(made.elapsed), seconds(start.elapsed())))
}

fn peer(server: &Server, dir: &Path) -> anyhow::Result<(f64, f64)> {
    let _ = std::fs::remove_dir_all(dir);
    sync_filesystem(dir.parent().unwrap_or(dir))?;
    let endpoint = server.endpoint();
    let socket = endpoint.socket.as_deref().and_then(Path::parent);
    let socket = socket.ok_or_else(|| anyhow::anyhow!("the server has no socket"))?;
    let start = Clock::Wall.stopwatch();
    let mut command = Command::new("pg_basebackup");
    command.arg("--host").arg(socket).arg(format!("--port={}", endpoint.port));
    command.arg("--username").arg(&endpoint.user).arg("--no-password");
    command.args(["--checkpoint=fast", "--wal-method=stream", "--format=plain"]).arg("--pgdata").arg(dir);
    let output = command.output()?;
    anyhow::ensure!(output.status.success(), "pg_basebackup: {}", String::from_utf8_lossy(&output.stderr));
    sync_filesystem(dir)?;
    let elapsed = seconds(start.elapsed());
    Ok((elapsed, elapsed))
}
