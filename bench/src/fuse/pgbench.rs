//! pgbench with 8 clients on PostgreSQL: over a mount with a free drive, and in the plain directory, in turn.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};
use database::postgresql::PostgreSql;
use database::{Access, Instance, Server};
use device::DriveSpec;
use emulate::{EmulatedDrive, FuseMount, FuseOptions};

use crate::options::Options;
use crate::pairs::{Goal, Row, interleave, table};
use crate::servers::provision;

/// About 15 MB each.
const SCALE: u32 = 20;
const SMOKE_SCALE: u32 = 1;
const MEMORY_BYTES: u64 = 256 << 20;
/// The goal: the least share of the plain directory's rate that the mount keeps; bindfs keeps 0.54.
const AT_LEAST: f64 = 0.93;

/// The comparison as a table. A sync is one of the real storage on both sides, and both have the page cache.
pub(super) fn compare(
    options: &Options,
    dir: &Path,
    transport: &str,
    over_rings: bool,
) -> anyhow::Result<String> {
    let (plain_dir, mounted_dir) =
        (dir.join(format!("plain-{transport}")), dir.join(format!("mounted-{transport}")));
    for dir in [&plain_dir, &mounted_dir] {
        std::fs::create_dir_all(dir)?;
    }
    let drive = EmulatedDrive::new("free", &DriveSpec::free(), 1);
    let mount = FuseOptions {
        sync_backing: true,
        may_have_rings: over_rings,
        ..FuseOptions::new(&mounted_dir, &mounted_dir, drive)
    };
    let _mount = FuseMount::attach(mount)?;
    let mounted = provision("postgresql", &mounted_dir.join("server"), MEMORY_BYTES)?;
    let plain = provision("postgresql", &plain_dir.join("server"), MEMORY_BYTES)?;
    let scale = if options.smoke { SMOKE_SCALE } else { SCALE };
    for server in [&mounted, &plain] {
        pgbench(server, &["-i", "-q", "-s", &scale.to_string()])?;
    }
    let seconds = options.seconds.ceil().to_string();
    let tps = |server: &Server| -> anyhow::Result<f64> {
        let printed = pgbench(server, &["-c", "8", "-j", "2", "-T", &seconds])?;
        let line = printed
            .lines()
            .find_map(|line| line.strip_prefix("tps = "))
            .context("pgbench printed no rate")?;
        Ok(line.split(' ').next().unwrap_or_default().parse()?)
    };
    let pairs = interleave("pgbench over a mount", options, || tps(&mounted), || tps(&plain))?;
    let rates = Row {
        what: "transactions per second".to_owned(),
        pairs: pairs.runs.clone(),
        digits: 0,
        goal: Some(Goal::RatioAtLeast(AT_LEAST)),
    };
    let title = format!("pgbench, 8 clients, over a mount with a free drive, {transport}");
    Ok(table(&title, "plain directory", &[rates]) + &pairs.circumstances())
}

fn pgbench(server: &Server, arguments: &[&str]) -> anyhow::Result<String> {
    let Access::PostgreSql(PostgreSql(endpoint)) = server.access() else {
        anyhow::bail!("it is no PostgreSQL")
    };
    let password = endpoint.password.as_ref().map(|secret| secret.reveal().to_owned()).unwrap_or_default();
    let output = Command::new(program()?)
        .args(arguments)
        .args([
            "-h",
            &endpoint.host,
            "-p",
            &endpoint.port.to_string(),
            "-U",
            &endpoint.user,
            &endpoint.database,
        ])
        .env("PGPASSWORD", password)
        .output()?;
    ensure!(output.status.success(), "pgbench: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

fn program() -> anyhow::Result<std::path::PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").context("PostgreSQL is not installed")?;
    let found =
        versions.flatten().map(|entry| entry.path().join("bin/pgbench")).filter(|path| path.is_file());
    found.max().context("pgbench is not installed: apt-get install postgresql-contrib")
}
