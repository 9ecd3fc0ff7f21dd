//! Backups, clones and many servers at once: what one process costs that drives them, and what our backup
//! runner costs beside the tool.

mod clones;
mod many;
mod overhead;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use database::Server;
use oltp::tpcc::{self, LoadOptions, Population};

use crate::machine;
use crate::options::Options;
use crate::servers::provision;

const ENGINE: &str = "postgresql";
const MEMORY_BYTES: u64 = 64 << 20;

/// Runs the bench.
pub(crate) fn run(options: &Options) -> anyhow::Result<String> {
    let mut text = format!("# Operations\n\n{}\n\n", machine::describe());
    text += &many::run(options)?;
    text += &clones::run(options)?;
    text += &overhead::run(options)?;
    Ok(text)
}

/// A folder that the servers' account can reach, gone when dropped.
fn folder(options: &Options) -> anyhow::Result<tempfile::TempDir> {
    let temp = tempfile::Builder::new().prefix("drivetrain-bench-").tempdir_in(&options.dir)?;
    std::fs::set_permissions(temp.path(), std::fs::Permissions::from_mode(0o755))?;
    Ok(temp)
}

/// A loaded server of roughly 100 MB per warehouse, running.
fn loaded(dir: &Path, warehouses: u32, smoke: bool) -> anyhow::Result<Server> {
    std::fs::create_dir_all(dir)?;
    let server = provision(ENGINE, dir, MEMORY_BYTES)?;
    let population = if smoke { Population::MINIATURE } else { Population::STANDARD };
    tpcc::load(&server, &LoadOptions { population, ..LoadOptions::new(warehouses, 1) }, &|_| {})
        .context("loading")?;
    anyhow::ensure!(server.is_running(), "the server ended after the load");
    Ok(server)
}

/// Everything that is written on the file system of `dir` is on its drive when this returns.
fn sync_filesystem(dir: &Path) -> anyhow::Result<()> {
    rustix::fs::syncfs(std::fs::File::open(dir)?)?;
    Ok(())
}

fn seconds(time: Duration) -> f64 {
    time.as_secs_f64()
}
