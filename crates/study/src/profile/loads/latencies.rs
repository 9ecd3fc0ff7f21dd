//! Times of single reads: by size, their tail, and those that go on where the last one ended.

use device::{DriveSpec, ReadLatency};

use super::super::load::Load;
use super::UnfitLoads;
use super::mixes::mean_up_to;
use super::sheet::{Estimate, Sheet, repeats, size_name, tail_ratio, together};

/// The sizes that a drive file has a latency for.
const SIZES: [(u64, &str); 9] = [
    (4 << 10, "read.latency_4k_us"),
    (8 << 10, "read.latency_8k_us"),
    (16 << 10, "read.latency_16k_us"),
    (32 << 10, "read.latency_32k_us"),
    (64 << 10, "read.latency_64k_us"),
    (128 << 10, "read.latency_128k_us"),
    (256 << 10, "read.latency_256k_us"),
    (512 << 10, "read.latency_512k_us"),
    (1 << 20, "read.latency_1m_us"),
];
/// The deepest load that stands in for depth 1: its reads hardly wait.
const SHALLOW: u32 = 4;
/// Reads of more medians than this waited for a pause of the target. The tail of a drive is shorter.
const PAUSE: f64 = 100.0;
/// A read that goes on is told from any other if it takes less than this share of its time.
const SEQUENTIAL: f64 = 0.9;

fn random_reads<'a>(loads: &[&'a Load]) -> impl Iterator<Item = &'a Load> {
    loads.iter().copied().filter(|load| load.is_random_reads())
}

/// Mean latency of reads but for pauses, with the unevenness of their load: one read of 0.5 s among seventy
/// would be the time of all larger ones as well.
fn mean(load: &Load) -> Option<(f64, f64)> {
    let latency = &load.reads.as_ref()?.latency;
    let has_pauses = latency.max_ns() as f64 > PAUSE * latency.quantile_ns(0.5) as f64;
    Some((if has_pauses { mean_up_to(latency, PAUSE) } else { latency.mean_ns() }, load.noise()))
}

fn means(loads: &[&Load]) -> Option<Estimate> {
    Estimate::of_repeats(&loads.iter().filter_map(|load| mean(load)).collect::<Vec<_>>())
}

/// Mean latency at depth 1 by size. Without one of 4 KiB, that of the shallowest load stands in.
pub(super) fn by_size(loads: &[&Load], spec: &mut DriveSpec, sheet: &mut Sheet) -> Result<(), UnfitLoads> {
    let alone: Vec<&Load> = random_reads(loads).filter(|load| load.depth == 1).collect();
    let mut latencies: Vec<ReadLatency> = Vec::new();
    for (size_bytes, key) in SIZES {
        let of_size: Vec<&Load> =
            alone.iter().copied().filter(|load| load.block_bytes == size_bytes).collect();
        let found = means(&of_size);
        let value_ns = match found {
            Some(estimate) => Some(estimate.value),
            None if latencies.is_empty() => Some(shallowest(loads).ok_or(UnfitLoads::NoReads)?),
            None => None,
        };
        let Some(value_ns) = value_ns else { continue };
        // A larger read cannot be quicker than a smaller one, and not than its bytes at the interface.
        let least_ns = latencies.last().map_or(0, |last| last.latency_ns);
        let transfer_ns = size_bytes as f64 / spec.read_bandwidth_bytes_per_s * 1e9;
        let latency_ns = (value_ns.max(transfer_ns).ceil() as u64).max(least_ns);
        match found {
            Some(estimate) if estimate.high < least_ns as f64 => {
                let why = "its reads were quicker than smaller ones, whose time stands in";
                sheet.open(key, latency_ns as f64 / 1e3, why);
            }
            Some(estimate) => {
                let raised = latency_ns as f64 / estimate.value;
                sheet.found(key, estimate.times(raised / 1e3), "mean of random reads at depth 1");
            }
            None => {
                sheet.open(key, latency_ns as f64 / 1e3, "no such reads at depth 1; from the nearest load")
            }
        }
        latencies.push(ReadLatency { size_bytes, latency_ns });
    }
    spec.read_latency = latencies;
    Ok(())
}

/// The time of a read in the shallowest load of the smallest blocks: at a few reads at once they hardly wait.
/// Where a limit holds all those back, that at the lowest rate.
fn shallowest(loads: &[&Load]) -> Option<f64> {
    let shallow = random_reads(loads).filter(|load| load.depth <= SHALLOW);
    let at_rate = loads.iter().copied().filter(|load| load.only_reads() && !load.is_sequential);
    let slowest = || {
        let by_rate = |load: &&Load| load.offered_per_s.map(f64::to_bits);
        at_rate.filter(|load| load.offered_per_s.is_some()).min_by_key(by_rate)
    };
    let first = shallow.min_by_key(|load| (load.block_bytes, load.depth)).or_else(slowest)?;
    mean(first).map(|(mean_ns, _)| mean_ns)
}

/// Tail of the idle drive: p99 over p50 of the smallest random reads at depth 1, less what the interface
/// takes.
pub(super) fn tail(loads: &[&Load], spec: &mut DriveSpec, sheet: &mut Sheet) {
    let key = "read.tail_ratio";
    let alone = || random_reads(loads).filter(|load| load.depth == 1);
    let smallest_bytes = alone().map(|load| load.block_bytes).min().unwrap_or(0);
    let smallest = alone().filter(|load| load.block_bytes == smallest_bytes);
    let all = together(smallest.filter_map(|load| load.reads.as_ref()));
    let link_ns = smallest_bytes as f64 / spec.read_bandwidth_bytes_per_s * 1e9;
    let Some(estimate) = tail_ratio(&all, link_ns) else {
        spec.read_tail_ratio = 1.5;
        let why = "too few reads at depth 1 for a p99; the usual value of solid-state drives";
        return sheet.open(key, spec.read_tail_ratio, why);
    };
    spec.read_tail_ratio = estimate.value;
    let source = format!("p99 over p50 of random reads of {} at depth 1", size_name(smallest_bytes));
    sheet.found(key, estimate, source);
}

/// The time of a read that goes on where the last one ended, where it is shorter.
pub(super) fn sequential(loads: &[&Load], spec: &mut DriveSpec, sheet: &mut Sheet) {
    let key = "read.sequential_latency_us";
    let one = |load: &&&Load| load.only_reads() && load.is_closed() && load.is_sequential && load.depth == 1;
    let Some(smallest) = loads.iter().filter(one).min_by_key(|load| load.block_bytes) else { return };
    let all = repeats(loads.iter().copied().filter(|load| load.asks_the_same(smallest)));
    let Some(estimate) = all.first().and_then(|same| means(same)) else { return };
    let random_ns = spec.read_latency_ns(smallest.block_bytes);
    if estimate.value >= SEQUENTIAL * random_ns {
        // Such a read costs as much as any other.
        return;
    }
    let link_ns = smallest.block_bytes as f64 / spec.read_bandwidth_bytes_per_s * 1e9;
    let less = |ns: f64| (ns - link_ns).max(0.0);
    let beyond = Estimate { value: less(estimate.value), low: less(estimate.low), high: less(estimate.high) };
    spec.sequential_read_ns = Some(beyond.value as u64);
    let source = format!("mean of sequential reads of {} at depth 1", size_name(smallest.block_bytes));
    sheet.found(key, beyond.times(1e-3), source);
}
