//! Cells of block I/O as fio's `--output-format=json+`, for fio's own tools and those built on them.
//!
//! Differences between the two: `lat_ns` is the latency from the intended start, `clat_ns` the same (an I/O
//! is handed to the kernel at the same moment), and `slat_ns` is empty. Percentiles come from the histogram,
//! as everywhere.

use measure::{Histogram, Series};
use serde_json::{Map, Value, json};
use words::{Latency, Metric, PhaseName};

use super::fio_job::FioCell;
use crate::error::NotebookError;
use crate::open::Notebook;
use crate::records::{CellId, RunId};

/// fio's percentiles when none are asked for.
const PERCENTILES: [f64; 17] =
    [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];
/// Upper ends of fio's coarse latency distribution, in each of its three units.
const COARSE: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];

impl Notebook {
    /// One document of fio's json+ with a job for each of `cells`, which [`fio_cells`](Notebook::fio_cells)
    /// lists.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`] and what reading a cell can answer.
    pub fn fio_json(&self, run: RunId, cells: &[FioCell]) -> Result<Value, NotebookError> {
        let record = self.run(run)?;
        let jobs = cells.iter().map(|cell| self.fio_job_json(cell)).collect::<Result<Vec<_>, _>>()?;
        let started = jiff_seconds(&record.started_at);
        Ok(json!({
            // fio-plot and others need a version of fio's form; the origin of the figures is beside it.
            "fio version": "fio-3.33",
            "tool version": record.tool_version,
            "timestamp": started,
            "timestamp_ms": started * 1000,
            "time": record.started_at,
            "global options": {},
            "jobs": jobs,
            "disk_util": [],
        }))
    }

    fn fio_job_json(&self, cell: &FioCell) -> Result<Value, NotebookError> {
        let id = cell.cell.id;
        let number =
            |metric: Metric| Ok::<f64, NotebookError>(self.measurement(id, &metric.name())?.unwrap_or(0.0));
        // Reads and writes may differ in their sizes; older notebooks have one mean of both.
        let bytes_of = |iops: Metric, throughput: Metric| {
            let (ios_per_s, megabytes_per_s) = (number(iops)?, number(throughput)?);
            let is_known = ios_per_s > 0.0 && megabytes_per_s > 0.0;
            Ok::<f64, NotebookError>(match is_known {
                true => 1e6 * megabytes_per_s / ios_per_s,
                false => cell.job.mean_bytes,
            })
        };
        let phases = self.phases(id)?;
        let measured = phases.iter().rfind(|phase| phase.name == PhaseName::Measure);
        let mut runtime_ms = measured.map_or(0.0, |phase| (phase.end_s - phase.start_s) * 1e3).round() as u64;
        let mut series = self.series(id)?;
        let read = self.histogram(id, Latency::Read)?.unwrap_or_default();
        let write = self.histogram(id, Latency::Write)?.unwrap_or_default();
        let discard = self.histogram(id, Latency::Discard)?.unwrap_or_default();
        let mut all = read.clone();
        all.merge(&write);
        all.merge(&discard);
        // The result of several points is one of them: its I/Os and rate, not the time and the seconds of the
        // whole cell.
        if !self.points(id)?.is_empty() {
            let ios_per_s = number(Metric::Iops)?;
            runtime_ms =
                if ios_per_s > 0.0 { (1e3 * all.len() as f64 / ios_per_s).round() as u64 } else { 0 };
            series.clear();
        }
        let errors = number(Metric::Errors)?;
        let ios = all.len().max(1) as f64;
        // Our own processor time over the measured time, in per cent of one processor.
        let cpu = number(Metric::CpuPerIo)? * ios / 1e6 / (runtime_ms.max(1) as f64) * 100.0;
        let mut job = json!({
            "jobname": cell.job.name,
            "groupid": 0,
            "job_start": jiff_seconds(cell.cell.started_at.as_deref().unwrap_or_default()) * 1000,
            "error": 0,
            "total_err": errors as u64,
            "eta": 0,
            "elapsed": runtime_ms.div_ceil(1000),
            "job options": options(cell),
            "read": direction(&read, (number(Metric::ReadIops)?, bytes_of(Metric::ReadIops, Metric::ReadThroughput)?), runtime_ms, &of_direction(&series, Metric::ReadIops, read.len(), all.len())),
            "write": direction(&write, (number(Metric::WriteIops)?, bytes_of(Metric::WriteIops, Metric::WriteThroughput)?), runtime_ms, &of_direction(&series, Metric::WriteIops, write.len(), all.len())),
            "trim": direction(&discard, (number(Metric::DiscardIops)?, cell.job.mean_bytes), runtime_ms, &of_direction(&series, Metric::DiscardIops, discard.len(), all.len())),
            "sync": self.sync(id)?,
            "job_runtime": runtime_ms,
            "usr_cpu": cpu,
            "sys_cpu": 0.0,
            "ctx": 0, "majf": 0, "minf": 0,
        });
        let depths = depth_levels(cell.job.iodepth);
        job["iodepth_level"] = depths.clone();
        job["iodepth_submit"] = depths.clone();
        job["iodepth_complete"] = depths;
        for (unit, ns) in [("ns", 1), ("us", 1000), ("ms", 1_000_000)] {
            job[format!("latency_{unit}")] = coarse(&all, unit, ns);
        }
        job["latency_depth"] = cell.job.iodepth.into();
        job["latency_target"] = 0.into();
        job["latency_percentile"] = 100.0.into();
        job["latency_window"] = 0.into();
        Ok(job)
    }

    fn sync(&self, cell: CellId) -> Result<Value, NotebookError> {
        let flushes = self.histogram(cell, Latency::Flush)?.unwrap_or_default();
        Ok(json!({ "lat_ns": latency(&flushes), "total_ios": flushes.len() }))
    }
}

/// The per-second samples of a direction with `own` of the cell's `all` I/Os: its own series, or the cell's
/// when it did nothing else.
pub(super) fn of_direction(series: &[Series], iops: Metric, own: u64, all: u64) -> Vec<f64> {
    let plain = || values(series, Metric::Iops).filter(|_| own > 0 && own == all);
    values(series, iops).or_else(plain).unwrap_or_default()
}

/// The samples of a metric, if the cell has them.
pub(super) fn values(series: &[Series], metric: Metric) -> Option<Vec<f64>> {
    let name = metric.name();
    series.iter().find(|series| series.metric == name).map(|series| series.values.clone())
}

fn options(cell: &FioCell) -> Value {
    let job = &cell.job;
    let mut options = json!({
        "name": job.name,
        "rw": job.rw,
        "bs": job.bs,
        "iodepth": job.iodepth.to_string(),
        "numjobs": job.numjobs.to_string(),
        "ioengine": job.ioengine,
        "direct": u8::from(job.direct).to_string(),
    });
    // fio's word for whatever a person has to say of a job.
    if let Some(modelled) = &cell.modelled {
        options["description"] = modelled.clone().into();
    }
    options
}

/// A direction with its rate and the mean bytes of its I/Os.
fn direction(
    histogram: &Histogram,
    (iops, mean_bytes): (f64, f64),
    runtime_ms: u64,
    seconds: &[f64],
) -> Value {
    let bytes = (histogram.len() as f64 * mean_bytes).round() as u64;
    let bytes_per_s = iops * mean_bytes;
    let finite: Vec<f64> = seconds.iter().copied().filter(|value| value.is_finite()).collect();
    let stat = statistics(&finite);
    let kib = mean_bytes / 1024.0;
    json!({
        "io_bytes": bytes,
        "io_kbytes": bytes / 1024,
        "bw_bytes": bytes_per_s as u64,
        "bw": (bytes_per_s / 1024.0) as u64,
        "iops": iops,
        "runtime": if histogram.is_empty() { 0 } else { runtime_ms },
        "total_ios": histogram.len(),
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": { "min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0 },
        "clat_ns": latency(histogram),
        "lat_ns": latency(histogram),
        "bw_min": (stat.min * kib) as u64,
        "bw_max": (stat.max * kib) as u64,
        "bw_agg": if finite.is_empty() { 0.0 } else { 100.0 },
        "bw_mean": stat.mean * kib,
        "bw_dev": stat.deviation * kib,
        "bw_samples": finite.len(),
        "iops_min": stat.min as u64,
        "iops_max": stat.max as u64,
        "iops_mean": stat.mean,
        "iops_stddev": stat.deviation,
        "iops_samples": finite.len(),
    })
}

/// fio's latency object with its json+ bins.
fn latency(histogram: &Histogram) -> Value {
    if histogram.is_empty() {
        return json!({ "min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0 });
    }
    let percentile = |percent: &f64| (format!("{percent:.6}"), histogram.quantile_ns(percent / 100.0).into());
    let bins: Map<String, Value> =
        histogram.recorded().map(|(ns, count)| (ns.to_string(), count.into())).collect();
    json!({
        "min": histogram.min_ns(),
        "max": histogram.max_ns(),
        "mean": histogram.mean_ns(),
        "stddev": histogram.stddev_ns(),
        "N": histogram.len(),
        "percentile": PERCENTILES.iter().map(percentile).collect::<Map<String, Value>>(),
        "bins": bins,
    })
}

/// Shares of I/Os in per cent by fio's coarse classes of one unit.
fn coarse(histogram: &Histogram, unit: &str, unit_ns: u64) -> Value {
    let total = histogram.len().max(1) as f64;
    let mut classes = Map::new();
    // The first class of a coarser unit begins where the finer one ends.
    let mut low = if unit_ns == 1 { 0 } else { unit_ns };
    for bound in COARSE {
        let high = bound * unit_ns;
        let count: u64 =
            histogram.recorded().filter(|(ns, _)| (low..high).contains(ns)).map(|(_, count)| count).sum();
        classes.insert(bound.to_string(), json!(count as f64 / total * 100.0));
        low = high;
    }
    if unit == "ms" {
        let between = |from: u64, to: u64| {
            let counts =
                histogram.recorded().filter(|(ns, _)| (from..to).contains(ns)).map(|(_, count)| count);
            json!(counts.sum::<u64>() as f64 / total * 100.0)
        };
        classes.insert("2000".to_owned(), between(1_000_000_000, 2_000_000_000));
        classes.insert(">=2000".to_owned(), between(2_000_000_000, u64::MAX));
    }
    Value::Object(classes)
}

fn depth_levels(depth: u32) -> Value {
    let classes = [1, 2, 4, 8, 16, 32];
    let own = classes.iter().rev().find(|class| depth >= **class).copied().unwrap_or(1);
    let name = |class: u32| if class == 32 && depth >= 64 { None } else { Some(class.to_string()) };
    let mut levels = Map::new();
    for class in classes {
        let key = if class == 32 { "32".to_owned() } else { class.to_string() };
        levels.insert(key, json!(if class == own && name(class).is_some() { 100.0 } else { 0.0 }));
    }
    levels.insert(">=64".to_owned(), json!(if depth >= 64 { 100.0 } else { 0.0 }));
    Value::Object(levels)
}

struct Statistics {
    min: f64,
    max: f64,
    mean: f64,
    deviation: f64,
}

fn statistics(values: &[f64]) -> Statistics {
    if values.is_empty() {
        return Statistics { min: 0.0, max: 0.0, mean: 0.0, deviation: 0.0 };
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    let fold = |pick: fn(f64, f64) -> f64| values.iter().copied().fold(values[0], pick);
    Statistics { min: fold(f64::min), max: fold(f64::max), mean, deviation: variance.sqrt() }
}

/// Seconds since 1970 of a moment in the notebook's form; 0 for none.
pub(super) fn jiff_seconds(moment: &str) -> i64 {
    moment.parse::<jiff::Timestamp>().map_or(0, |moment| moment.as_second())
}
