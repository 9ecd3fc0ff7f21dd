//! HammerDB's job report, `hammerdb-job-report-v1`.

use jiff::Timestamp;
use jiff::civil::DateTime;
use words::{Latency, LevelName, Metric, NoteKind, PhaseName, Remark, Statistic, WorkloadKind};

use super::agree::falling;
use super::{ToolCell, ToolResult, series_of};
use crate::fault::{AS_WRITTEN, FileFault};
use crate::moment::{Zone, read_time, seconds_between};
use crate::steps::LONGEST_S;
use crate::tree::{self, Node};

/// The schema that the report names.
pub(crate) const SCHEMA: &str = "hammerdb-job-report-v1";
/// The forms of its times, which have no zone.
const TIMES: [&str; 2] = ["%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"];
/// The transactions by HammerDB's names.
const TRANSACTIONS: [(&str, Latency); 5] = [
    ("NEWORD", Latency::NewOrder),
    ("PAYMENT", Latency::Payment),
    ("OSTAT", Latency::OrderStatus),
    ("DELIVERY", Latency::Delivery),
    ("SLEV", Latency::StockLevel),
];
/// The figures of a transaction, all of them milliseconds.
const FIGURES: [(&str, Statistic); 5] = [
    ("avg_ms", Statistic::Mean),
    ("p50_ms", Statistic::P50),
    ("p95_ms", Statistic::P95),
    ("p99_ms", Statistic::P99),
    ("max_ms", Statistic::Max),
];
/// The most users of a job.
const USERS_MOST: u32 = 1_000_000;

/// Reads a report.
pub(super) fn read(text: &str, zone: Option<&Zone>) -> Result<ToolResult, FileFault> {
    let value = tree::document(text, 1)?;
    let root = Node::root(&value);
    let schema = root.get("schema")?;
    if schema.text()? != SCHEMA {
        let message = format!("is {:?}, not {SCHEMA:?}", schema.text()?);
        return Err(schema.fault(message, "write the report with HammerDB 6: jobs JOBID summaryjson"));
    }
    let job = root.get("job")?;
    let benchmark = job.get("benchmark")?;
    if benchmark.text()? != "TPROC-C" {
        let message = format!("is {:?}; only jobs of TPROC-C are imported", benchmark.text()?);
        return Err(
            benchmark.fault(message, "drivetrain has no workload that is like the queries of TPROC-H")
        );
    }
    let assumed = Zone::utc();
    let clock = Clock { zone: zone.unwrap_or(&assumed) };
    let (config, result) = (root.get("benchmark_config")?, root.get("result")?);
    let started_at = clock.moment(&job.get("timestamp")?)?;
    let cell = cell(&root, &config, &result, &clock, started_at)?;
    let database = job.get("database_display").or_else(|_| job.get("database"))?.text()?;
    let warehouses = config.get("warehouses")?.amount()?;
    let release = job.find("release").map(|node| node.text()).transpose()?;
    let is_percentile = |(metric, _): &(Metric, f64)| matches!(metric, Metric::Latency(_, statistic) if *statistic == Statistic::P99);
    let mut remarks = Vec::new();
    if cell.values.iter().any(is_percentile) {
        remarks.push((NoteKind::Warning, Remark::ImportedHammerdbPercentiles));
    }
    if zone.is_none() {
        remarks.push((NoteKind::Warning, Remark::ImportedWithoutZone { zone: assumed.to_string() }));
    }
    Ok(ToolResult {
        tool: "HammerDB",
        version: Some(job.get("hdb_version")?.text()?.trim_start_matches('v').to_owned()),
        title: format!("TPROC-C on {database}, {warehouses} warehouses"),
        started_at: Some(started_at),
        asked: asked(&config, &database)?,
        host: host(&root, &database, release)?,
        cells: vec![cell],
        remarks,
    })
}

/// The zone of the report's times.
struct Clock<'a> {
    zone: &'a Zone,
}

impl Clock<'_> {
    fn moment(&self, node: &Node<'_>) -> Result<Timestamp, FileFault> {
        let text = node.text()?;
        let shown: Option<DateTime> = read_time(&text, &TIMES);
        shown.and_then(|shown| self.zone.moment(shown)).ok_or_else(|| {
            node.fault(format!("is {text:?}, not a time such as 2026-06-20 12:35:30"), "mend this time")
        })
    }

    /// Times and values of the points of a series, seconds after the start.
    fn readings(
        &self,
        points: &Node<'_>,
        key: &str,
        started_at: Timestamp,
    ) -> Result<Vec<(f64, f64)>, FileFault> {
        let mut readings: Vec<(f64, f64)> = Vec::new();
        for point in points.items()? {
            let (stamp, value) = (point.get("timestamp")?, point.get(key)?.amount()?);
            let at_s = seconds_between(started_at, self.moment(&stamp)?);
            let before = readings.last().map_or(f64::NEG_INFINITY, |last| last.0);
            if at_s < before {
                return Err(stamp.fault("is earlier than the point before", "sort the points by time"));
            }
            if at_s.abs() > LONGEST_S {
                return Err(stamp.fault("is more than a week from the start of the job", "mend this time"));
            }
            readings.push((at_s, value));
        }
        Ok(readings)
    }
}

fn cell(
    root: &Node<'_>,
    config: &Node<'_>,
    result: &Node<'_>,
    clock: &Clock<'_>,
    started_at: Timestamp,
) -> Result<ToolCell, FileFault> {
    let minutes = |key: &str| {
        let node = config.get(key)?;
        let seconds = node.amount()? * 60.0;
        match seconds <= LONGEST_S {
            true => Ok(seconds),
            false => Err(node.fault("is more than a week", "mend this number")),
        }
    };
    let (ramp_s, measure_s) = (minutes("rampup_minutes")?, minutes("duration_minutes")?);
    let users = match result.find("active_virtual_users") {
        Some(users) => users.count(USERS_MOST)?,
        None => config.get("virtual_users")?.count(USERS_MOST)?,
    };
    // The load begins with the first transactions; schema checks and logins come before.
    let window = root.find("analysis_hints").and_then(|hints| hints.find("active_window"));
    let begun_s = match window.and_then(|window| window.find("start")) {
        Some(start) => seconds_between(started_at, clock.moment(&start)?).clamp(0.0, LONGEST_S),
        None => 0.0,
    };
    let measured_from = begun_s + ramp_s;
    let phases = vec![
        (PhaseName::RampUp, 0.0, measured_from),
        (PhaseName::Measure, measured_from, measured_from + measure_s),
    ];
    let mut cell = ToolCell {
        workload: "TPROC-C".to_owned(),
        kind: WorkloadKind::Tpcc,
        level: f64::from(users),
        level_name: LevelName::VirtualUsers,
        repeat: 0,
        start_s: 0.0,
        phases,
        values: vec![
            (Metric::Nopm, result.get("nopm")?.amount()?),
            (Metric::Tpm, result.get("tpm")?.amount()?),
        ],
        series: Vec::new(),
        histograms: Vec::new(),
        failed: None,
    };
    if let Some(times) = root.find("response_times") {
        cell.values.extend(response_times(&times)?);
    }
    add_series(root, clock, started_at, &mut cell)?;
    if cell.values[0].1 == 0.0 {
        cell.failed = Some("HammerDB counted no new order".to_owned());
    }
    Ok(cell)
}

/// The figures of each transaction, and the mean of all.
fn response_times(times: &Node<'_>) -> Result<Vec<(Metric, f64)>, FileFault> {
    let (mut values, mut calls, mut total_ms) = (Vec::new(), 0.0, 0.0);
    // Without the time profiler there are none.
    let rows = times.find("rows").map(|rows| rows.items()).transpose()?.unwrap_or_default();
    for row in rows {
        let name = row.get("name")?;
        let Some((_, of)) = TRANSACTIONS.iter().find(|(known, _)| name.text().is_ok_and(|n| n == *known))
        else {
            continue;
        };
        if values.iter().any(|(metric, _)| matches!(metric, Metric::Latency(other, _) if other == of)) {
            return Err(name.fault("occurs twice", "keep one row of each transaction"));
        }
        check_order(&row)?;
        for (key, statistic) in FIGURES {
            if let Some(node) = row.find(key) {
                values.push((Metric::Latency(*of, statistic), node.amount()?));
            }
        }
        let count = row.get("calls")?.amount()?;
        values.push((Metric::Latency(*of, Statistic::Count), count));
        if let Some(total) = row.find("total_ms") {
            (calls, total_ms) = (calls + count, total_ms + total.amount()?);
        }
    }
    if calls > 0.0 {
        values.push((Metric::LATENCY_MEAN, total_ms / calls));
        values.push((Metric::Latency(Latency::Answer, Statistic::Count), calls));
    }
    Ok(values)
}

/// Refuses percentiles of which a higher one is shorter.
fn check_order(row: &Node<'_>) -> Result<(), FileFault> {
    let mut found = Vec::new();
    for (percent, key) in [(50.0, "p50_ms"), (95.0, "p95_ms"), (99.0, "p99_ms")] {
        found.extend(row.find(key).map(|node| node.amount()).transpose()?.map(|ms| (percent, ms)));
    }
    falling(&mut found).map_or(Ok(()), |[lower, higher]| {
        let message = format!("has a p{} of {} ms and a p{} of {} ms", lower.0, lower.1, higher.0, higher.1);
        Err(row.fault(message, AS_WRITTEN))
    })
}

/// The host's figures by the keys of the report: each a list of points, with the key of its value.
const HOST_SERIES: [(&str, &str, Metric); 5] = [
    ("cpu_percent", "usr_pct", Metric::CpuUser),
    ("cpu_percent", "sys_pct", Metric::CpuSystem),
    ("cpu_percent", "idle_pct", Metric::CpuIdle),
    ("iops", "value", Metric::Iops),
    ("mbps", "value", Metric::Bandwidth),
];

fn add_series(
    root: &Node<'_>,
    clock: &Clock<'_>,
    started_at: Timestamp,
    cell: &mut ToolCell,
) -> Result<(), FileFault> {
    let length_s = cell.length_s();
    let mut add = |metric, points: Node<'_>, key: &str| {
        let readings = clock.readings(&points, key, started_at)?;
        cell.series.extend(series_of(metric, &readings, length_s));
        Ok(())
    };
    if let Some(count) = root.find("transaction_count").and_then(|count| count.find("series")) {
        for series in count.items()? {
            if series.get("metric")?.text()? == "tpm" {
                add(Metric::Tpm, series.get("points")?, "value")?;
                break;
            }
        }
    }
    let Some(metrics) = root.find("metrics") else { return Ok(()) };
    for (list, key, metric) in HOST_SERIES {
        if let Some(points) = metrics.find(list) {
            add(metric, points, key)?;
        }
    }
    Ok(())
}

/// The requested load: everything on which the figures depend and that the report states.
fn asked(config: &Node<'_>, database: &str) -> Result<toml::Table, FileFault> {
    let mut asked = toml::Table::new();
    asked.insert("database".to_owned(), database.into());
    for (key, node) in config.entries() {
        // The users are the level.
        if key != "virtual_users" {
            asked.insert(key.to_owned(), node.text()?.into());
        }
    }
    Ok(asked)
}

/// Facts of the host by HammerDB's keys, under the names of our own.
const HOST: [(&str, &str); 9] = [
    ("cpumodel", "cpu.model"),
    ("cpucount", "cpu.count"),
    ("memory", "memory.total"),
    ("os_name", "system.name"),
    ("storage", "storage.drives"),
    ("system_vendor", "system.vendor"),
    ("system_type", "system.type"),
    ("nic", "network.cards"),
    ("cloud_instance", "system.cloud"),
];

fn host(
    root: &Node<'_>,
    database: &str,
    release: Option<String>,
) -> Result<Vec<(String, String)>, FileFault> {
    let mut facts = vec![("database".to_owned(), database.to_owned())];
    facts.extend(release.map(|release| ("database.version".to_owned(), release)));
    if let Some(system) = root.find("system") {
        for (key, name) in HOST {
            if let Some(node) = system.find(key) {
                facts.push((name.to_owned(), node.text()?));
            }
        }
    }
    Ok(facts)
}
