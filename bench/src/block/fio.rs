//! Running fio with its defaults and reading its JSON.

use std::path::Path;
use std::process::Command;

use anyhow::Context;
use serde_json::Value;

use super::{Case, Figures};

const MISSING: &str = "cannot run fio, the peer of this bench; install it (Debian: apt-get install fio)";

/// fio's own name and version.
pub(crate) fn version() -> anyhow::Result<String> {
    let output = Command::new("fio").arg("--version").output().context(MISSING)?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Its null engine, with its usual accounting.
pub(crate) fn null(depth: u32, io_bytes: u32, size_bytes: u64, seconds: f64) -> anyhow::Result<Figures> {
    let options = ["--ioengine=null".to_owned(), "--rw=randread".to_owned(), format!("--size={size_bytes}")];
    run(&options, depth, io_bytes, seconds)
}

/// Its io_uring engine on a file, with its defaults.
pub(crate) fn io_uring(path: &Path, case: &Case, seconds: f64) -> anyhow::Result<Figures> {
    let options = [
        "--ioengine=io_uring".to_owned(),
        format!("--direct={}", u8::from(case.direct)),
        "--readonly".to_owned(),
        // Its default empties the page cache of the file before it begins.
        format!("--invalidate={}", u8::from(case.direct)),
        format!("--filename={}", path.display()),
        format!("--rw={}", if case.sequential { "read" } else { "randread" }),
    ];
    run(&options, case.depth, case.io_bytes, seconds)
}

fn run(options: &[String], depth: u32, io_bytes: u32, seconds: f64) -> anyhow::Result<Figures> {
    let output = Command::new("fio")
        .args(["--name=peer", "--time_based", "--output-format=json", "--lat_percentiles=1"])
        .arg(format!("--bs={io_bytes}"))
        .arg(format!("--iodepth={depth}"))
        .arg(format!("--runtime={}ms", (seconds * 1e3).round()))
        .args(options)
        .output()
        .context(MISSING)?;
    anyhow::ensure!(
        output.status.success(),
        "fio failed with {}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr).trim()
    );
    parse(&output.stdout)
}

/// Figures of the only job. Latency is its `lat`, from submission to completion, as ours is from the moment
/// the slot was free. CPU time is what fio itself reports for the job: its start-up is left out in its
/// favour.
fn parse(json: &[u8]) -> anyhow::Result<Figures> {
    let report: Value = serde_json::from_slice(json).context("fio's output is not JSON")?;
    let job = &report["jobs"][0];
    let number = |value: &Value, what: &str| {
        value.as_f64().filter(|number| *number > 0.0).with_context(|| format!("fio's output has no {what}"))
    };
    let read = &job["read"];
    let share = job["usr_cpu"].as_f64().unwrap_or(0.0) + job["sys_cpu"].as_f64().unwrap_or(0.0);
    let runtime_ms = number(&job["job_runtime"], "job_runtime")?;
    let ios = number(&read["total_ios"], "total_ios")?;
    let percentiles = &read["lat_ns"]["percentile"];
    let percentile = |key: &str| percentiles[key].as_f64().unwrap_or(f64::NAN) / 1e3;
    Ok(Figures {
        cpu_ns_per_io: share / 100.0 * runtime_ms * 1e6 / ios,
        iops: number(&read["iops"], "iops")?,
        mean_us: read["lat_ns"]["mean"].as_f64().unwrap_or(f64::NAN) / 1e3,
        p50_us: percentile("50.000000"),
        p99_us: percentile("99.000000"),
        p999_us: percentile("99.900000"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_come_from_the_only_job() {
        let json = br#"{"jobs":[{"usr_cpu":10.0,"sys_cpu":40.0,"job_runtime":2000,
            "read":{"total_ios":100000,"iops":50000.0,
            "lat_ns":{"mean":400000.0,"percentile":{"50.000000":362496,"99.000000":593920,"99.900000":700000}}}}]}"#;
        let figures = parse(json).unwrap();
        assert_eq!(
            figures,
            Figures {
                cpu_ns_per_io: 10_000.0,
                iops: 50_000.0,
                mean_us: 400.0,
                p50_us: 362.496,
                p99_us: 593.92,
                p999_us: 700.0
            }
        );
        assert!(parse(b"no").is_err());
        assert!(parse(br#"{"jobs":[{}]}"#).unwrap_err().to_string().contains("job_runtime"));
    }
}
