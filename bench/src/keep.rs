//! `bench keep ENGINE DIR`: leaves a loaded and exercised order-entry database running for outside checkers
//! (`bench/keep.sh`).

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use database::Instance as _;
use oltp::Control;
use oltp::tpcc::{self, LoadOptions, Mode, RunOptions, Stage};

use crate::servers::provision;

const USAGE: &str = "usage: bench keep postgresql|mariadb DIR [WAREHOUSES [SECONDS]]";
const USERS: u32 = 16;
const MEMORY_BYTES: u64 = 1 << 30;

/// Loads, runs half of the time in each mode, prints the address, and waits until standard input ends; then
/// stops the server cleanly.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<String> {
    let [engine, dir, rest @ ..] = arguments else { anyhow::bail!(USAGE) };
    let warehouses: u32 = rest.first().map_or(Ok(2), |text| text.parse()).context(USAGE)?;
    let seconds: f64 = rest.get(1).map_or(Ok(60.0), |text| text.parse()).context(USAGE)?;
    let mut server = provision(engine, Path::new(dir), MEMORY_BYTES)?;
    tpcc::load(&server, &LoadOptions::new(warehouses, 1), &|_| {})?;
    conditions(&server, Stage::AfterLoad)?;
    for mode in [Mode::Statements, Mode::Procedures] {
        let options = RunOptions {
            virtual_users: USERS,
            warehouses,
            ramp_up: Duration::ZERO,
            measure: Duration::from_secs_f64(seconds / 2.0),
            mode,
            ..RunOptions::default()
        };
        let outcome = tpcc::run(&server, &options, &Control::default())?;
        anyhow::ensure!(outcome.fatal.is_none(), "{}", outcome.fatal.unwrap_or_default());
        println!(
            "{}: {:.0} NOPM, {} errors",
            mode.name(),
            outcome.nopm,
            outcome.errors.values().sum::<u64>()
        );
    }
    conditions(&server, Stage::AfterRun)?;
    let endpoint = server.endpoint();
    let password = endpoint.password.as_ref().map_or("", |secret| secret.reveal());
    println!(
        "ready engine={engine} host={} port={} user={} password={password} database={} warehouses={warehouses}",
        endpoint.host, endpoint.port, endpoint.user, endpoint.database
    );
    std::io::stdout().flush()?;
    // Ends with the one who keeps us.
    std::io::stdin().read_to_end(&mut Vec::new())?;
    server.stop()?;
    Ok(String::new())
}

fn conditions(server: &database::Server, stage: Stage) -> anyhow::Result<()> {
    let all = tpcc::check(server, stage)?;
    for condition in &all {
        anyhow::ensure!(condition.violations == 0, "{}: {}", condition.clause, condition.detail);
    }
    println!("{} consistency conditions hold", all.len());
    Ok(())
}
