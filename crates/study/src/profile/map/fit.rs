//! From a latency map to the numbers of a drive.

use device::{Bucket, DriveSpec, Duplex, ReadLatency};

use super::boundary::{self, Budget};
use super::fitted::{FittedNumber, FittedWord};
use super::{Fitted, LatencyMap};

/// Reads at which a drive is idle: the lowest read rates above the first, without writes.
const IDLE_POINTS: usize = 3;
/// Reads, and writes of a MiB, that pass at once.
const BURST_READS: f64 = 256.0;
const BURST_WRITES: f64 = 8.0;
/// Commands of a drive whose queue the map does not show.
const QUEUE: u32 = 65_536;

/// Fits a drive to a map; hidden points are not looked at.
#[must_use]
pub fn fit_map(map: &LatencyMap) -> Fitted {
    let mut numbers = Vec::new();
    let mut add = |key, value, interval| numbers.push(number(key, value, interval));
    let idle = idle(map);
    add("read.latency_4k_us", idle.0 / 1e3, Some((idle.1 / 1e3, idle.2 / 1e3)));
    let most = most(map);
    let ((reads_per_s, reads_interval), (write_bytes_per_s, write_interval)) = most;
    add("read.rate_4k_per_s", reads_per_s, reads_interval);
    let scaled = |(low, high): (f64, f64)| (low / 1e6, high / 1e6);
    add("link.write_bandwidth_mb_per_s", write_bytes_per_s / 1e6, write_interval.map(scaled));
    add("link.read_bandwidth_mb_per_s", f64::INFINITY, None);
    add("link.queue_limit", f64::from(QUEUE), None);
    let ack_ns = (4096.0 / write_bytes_per_s * 1e9).ceil();
    add("write.ack_us", ack_ns / 1e3, None);
    add("write.rate_4k_per_s", (write_bytes_per_s / 4096.0).floor(), None);
    add("write.rate_8k_per_s", (write_bytes_per_s / 8192.0).floor(), None);
    add("write.buffer_bytes", 0.0, None);
    add("flush.cost_us", 0.0, None);
    let budget = boundary::budget(map);
    if let Some(budget) = &budget {
        let (weight, interval) = weight(budget);
        add("limit.shared_per_s", budget.reads_per_s, Some(budget.reads_interval));
        add("limit.shared_per_read", 1.0, Some((1.0, 1.0)));
        add("limit.shared_per_write_mb", weight, Some(interval));
        add("limit.shared_burst", burst(budget), None);
    }
    let mut limits: Vec<Bucket> = budget
        .map(|budget| Bucket {
            read_tokens: 1.0,
            write_byte_tokens: weight(&budget).0 / 1e6,
            ..Bucket::new(budget.reads_per_s, burst(&budget))
        })
        .into_iter()
        .collect();
    // The line of the budget lies beyond all loads that were kept, and where they bend it lies too far out.
    if let Some((low, high)) = reads_interval {
        let most = f64::midpoint(low, high);
        add("limit.read_operations_per_s", most, Some((low, high)));
        add("limit.read_operations_burst", BURST_READS, None);
        limits.push(Bucket { read_tokens: 1.0, ..Bucket::new(most, BURST_READS) });
    }
    let spec = DriveSpec {
        read_latency: vec![ReadLatency { size_bytes: 4096, latency_ns: idle.0 as u64 }],
        read_4k_per_s: reads_per_s,
        write_bandwidth_bytes_per_s: write_bytes_per_s,
        duplex: Duplex::Full,
        queue_limit: QUEUE,
        write_ack_ns: ack_ns as u64,
        write_4k_per_s: (write_bytes_per_s / 4096.0).floor(),
        write_8k_per_s: (write_bytes_per_s / 8192.0).floor(),
        read_map: Some(map.to_map()),
        limits,
        ..DriveSpec::free()
    };
    Fitted { spec, numbers, words: words() }
}

/// One number with what it means, or why the map does not say it.
fn number(key: &'static str, value: f64, interval: Option<(f64, f64)>) -> FittedNumber {
    let source = if interval.is_some() { meaning(key) } else { meaning_unknown(key) };
    FittedNumber { key, value, interval, source: source.to_owned() }
}

/// The properties of which a map says nothing.
fn words() -> Vec<FittedWord> {
    let word = |key, value: &str, source: &str| FittedWord {
        key,
        value: value.to_owned(),
        is_identified: false,
        source: source.to_owned(),
    };
    vec![
        word("link.duplex", "\"full\"", "the map has one direction's latency"),
        word("flush.power_loss_protection", "true", "nothing was flushed"),
    ]
}

/// Room of the budget: below it the latencies of the map count alone, so it takes unevenness that passes
/// without a wait of its own.
fn burst(budget: &Budget) -> f64 {
    let large_write = 1.048_576 * weight(budget).0;
    (BURST_READS.max(BURST_WRITES * large_write)).ceil()
}

/// Reads that a written MB costs, and its interval.
fn weight(budget: &Budget) -> (f64, (f64, f64)) {
    let of = |reads: f64, bytes: f64| reads / (bytes / 1e6);
    let weight = of(budget.reads_per_s, budget.write_bytes_per_s);
    let low = of(budget.reads_interval.0, budget.write_interval.1).min(weight);
    let high = of(budget.reads_interval.1, budget.write_interval.0).max(weight);
    (weight, (low, high))
}

/// Mean read latency of the idle drive, and the least and the most among its points, ns. The mean of a
/// log-normal through median and 95th percentile.
fn idle(map: &LatencyMap) -> (f64, f64, f64) {
    let all = map.places().filter(|place| place.1 > 0).filter_map(|(row, column)| map.known(row, column));
    let means: Vec<f64> = all
        .take(IDLE_POINTS)
        .map(|values| {
            let sigma = (values.p95_ns / values.p50_ns).ln() / 1.644_853_627;
            // A few slow reads make no slow drive: what lies beyond the percentiles is not known.
            values.p50_ns * (sigma * sigma / 2.0).min(1.0).exp()
        })
        .collect();
    let mut sorted = means.clone();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.get(sorted.len() / 2).copied().unwrap_or(1e6);
    (middle, sorted.first().copied().unwrap_or(middle), sorted.last().copied().unwrap_or(middle))
}

type Most = (f64, Option<(f64, f64)>);

/// The highest rates at which the drive kept up: of reads without writes, of writes with the fewest reads.
/// The interval ends where it did not; without such a point the data do not say.
fn most(map: &LatencyMap) -> (Most, Most) {
    let kept = map.kept_up();
    let columns = map.columns();
    let bound = |axis: &[f64], least: f64, kept: &dyn Fn(usize) -> Option<bool>| -> Most {
        // The least that a drive of the model does, and more than any map asks for.
        let axis: Vec<f64> =
            axis.iter().map(|value| if *value > 0.0 { value.max(least) } else { 0.0 }).collect();
        let highest = axis.last().copied().unwrap_or(least);
        let last = (0..axis.len()).rev().find(|index| kept(*index) == Some(true));
        let Some(last) = last.filter(|last| axis[*last] > 0.0) else { return (highest, None) };
        let beyond = (last + 1..axis.len()).find(|index| kept(*index) == Some(false));
        (axis[last], beyond.map(|beyond| (axis[last], axis[beyond])))
    };
    let seen = |row: usize, column: usize| {
        let is_seen = column < columns && map.cell(row, column) != super::Cell::Hidden;
        is_seen.then(|| kept[row * columns + column])
    };
    let reads = bound(&map.reads_per_s, 1.0, &|column| if column == 0 { None } else { seen(0, column) });
    // A hidden point gives way to the next column.
    let writes = bound(&map.write_bytes_per_s, 8192.0, &|row| seen(row, 1).or_else(|| seen(row, 2)));
    let write_max = map.write_bytes_per_s.last().copied().unwrap_or(0.0);
    let writes = if write_max > 0.0 { writes } else { (f64::INFINITY, None) };
    (reads, writes)
}

fn meaning(key: &str) -> &'static str {
    match key {
        "read.latency_4k_us" => "the mean at the lowest read rates without writes; reads of up to 4 KiB",
        "read.rate_4k_per_s" => "the highest rate without writes that was kept, and the lowest that was not",
        "link.write_bandwidth_mb_per_s" => "the highest bandwidth that was kept, and the lowest that was not",
        "limit.read_operations_per_s" => {
            "between the highest rate without writes that was kept and the lowest that was not"
        }
        "limit.shared_per_s" => {
            "reads per second at the line between loads that were kept and those that were not"
        }
        "limit.shared_per_read" => "the unit of the budget",
        "limit.shared_per_write_mb" => "reads that a written MB costs, from the slope of that line",
        _ => "a number of the fit",
    }
}

fn meaning_unknown(key: &str) -> &'static str {
    match key {
        "read.rate_4k_per_s" => "the drive kept every read rate of the map, so it does this or more",
        "link.write_bandwidth_mb_per_s" => {
            "the drive kept every bandwidth of the map, so it does this or more"
        }
        "link.read_bandwidth_mb_per_s" => "the reads of the map are small",
        "link.queue_limit" => "the map has rates, no depths",
        "write.ack_us" => "the map has no write latency; the least possible, 4 KiB at the write bandwidth",
        "write.rate_4k_per_s" | "write.rate_8k_per_s" => {
            "the writes of the map are sequential; the most possible, the write bandwidth"
        }
        "limit.shared_burst" | "limit.read_operations_burst" => {
            "room for uneven arrivals, so that below the limit the latencies of the map count alone"
        }
        "write.buffer_bytes" => "the map has no write latency",
        "flush.cost_us" => "nothing was flushed",
        _ => "the map does not say",
    }
}
