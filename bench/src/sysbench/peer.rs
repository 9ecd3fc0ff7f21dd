//! Running sysbench and reading its report.

use std::fs;
use std::process::Command;

use anyhow::Context;
use database::mariadb::MariaDb;
use database::postgresql::PostgreSql;
use database::{Access, Endpoint};

use super::Figures;

const MISSING: &str =
    "cannot run sysbench, the peer of this bench; install it (Debian: apt-get install sysbench)";
/// Unit of /proc/self/stat (USER_HZ).
const TICK_US: f64 = 10_000.0;

/// sysbench's own name and version.
pub(super) fn version() -> anyhow::Result<String> {
    let output = Command::new("sysbench").arg("--version").output().context(MISSING)?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// One run with sysbench's defaults but for tables, threads and time.
pub(super) fn run(
    access: Access<'_>,
    threads: u32,
    seconds: f64,
    tables: u32,
    rows: u32,
) -> anyhow::Result<Figures> {
    let mut command = Command::new("sysbench");
    command.arg("oltp_read_write").args(connection(access)?);
    command.arg(format!("--threads={threads}")).arg(format!("--time={seconds}"));
    command.arg(format!("--tables={tables}")).arg(format!("--table-size={rows}")).arg("run");
    let before_us = children_us();
    let output = command.output().context(MISSING)?;
    let cpu_us = children_us() - before_us;
    let text = String::from_utf8_lossy(&output.stdout);
    anyhow::ensure!(
        output.status.success(),
        "sysbench failed: {text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let (transactions, tps) =
        transactions(&text).with_context(|| format!("no count of transactions in: {text}"))?;
    Ok(Figures { tps, cpu_us: cpu_us / transactions })
}

fn connection(access: Access<'_>) -> anyhow::Result<Vec<String>> {
    let password =
        |endpoint: &Endpoint| endpoint.password.as_ref().map_or("", |secret| secret.reveal()).to_owned();
    Ok(match access {
        Access::PostgreSql(PostgreSql(endpoint)) => vec![
            "--db-driver=pgsql".to_owned(),
            format!("--pgsql-host={}", endpoint.socket_dir().context("no socket")?.display()),
            format!("--pgsql-port={}", endpoint.port),
            format!("--pgsql-user={}", endpoint.user),
            format!("--pgsql-password={}", password(endpoint)),
            format!("--pgsql-db={}", endpoint.database),
        ],
        Access::MariaDb(MariaDb(endpoint)) => vec![
            "--db-driver=mysql".to_owned(),
            format!("--mysql-socket={}", endpoint.socket.as_ref().context("no socket")?.display()),
            format!("--mysql-user={}", endpoint.user),
            format!("--mysql-password={}", password(endpoint)),
            format!("--mysql-db={}", endpoint.database),
        ],
        Access::Sqlite(_) => anyhow::bail!("sysbench 1.0 knows no SQLite"),
    })
}

/// `    transactions:                        5510   (1101.71 per sec.)`
fn transactions(report: &str) -> Option<(f64, f64)> {
    let line = report.lines().find_map(|line| line.trim().strip_prefix("transactions:"))?;
    let (count, rate) = line.split_once('(')?;
    Some((count.trim().parse().ok()?, rate.split_whitespace().next()?.parse().ok()?))
}

/// User and system time of finished children, us: fields 16 and 17 of the process's stat file.
fn children_us() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks =
        after_name.split_whitespace().skip(13).take(2).filter_map(|number| number.parse::<f64>().ok());
    ticks.sum::<f64>() * TICK_US
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_is_read() {
        let report = "SQL statistics:\n    transactions:                        5510   (1101.71 per sec.)\n    queries: 1 (2 per sec.)\n";
        assert_eq!(transactions(report), Some((5510.0, 1101.71)));
        assert_eq!(transactions("FATAL: no"), None);
    }
}
