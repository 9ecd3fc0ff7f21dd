//! Token buckets in front of the drive, and the loads that they hold back.

use device::{Bucket, DriveSpec};

use super::super::course::{INTERVALS_MIN, course};
use super::super::limiter::{Completed, FittedLimit, Shape, find_limit, shared_budget};
use super::super::load::{Direction, Load};
use super::sheet::{Estimate, Sheet, repeats};

/// A load at this share of a limit or more is held back by it; far beyond, it goes on what the bucket held.
const HELD: (f64, f64) = (0.95, 1.05);
/// Two rates are the same limit within this share.
const SAME: f64 = 0.05;
/// A limit's rate is known to this share, its burst to the second.
const KNOWN: (f64, f64) = (0.03, 0.10);

/// The limits that the loads ran into.
pub(super) fn find(loads: &[&Load], spec: &mut DriveSpec, sheet: &mut Sheet) {
    for shape in [Shape::Operations, Shape::Bytes] {
        let Some(reads) = of_direction(loads, true, shape) else {
            // Of writes alone only slices prove a limit: a cache has a step and a knee as well.
            if let Some(writes) = of_direction(loads, false, shape).filter(FittedLimit::is_sliced) {
                add((Names::writes(shape), [0.0, 1.0]), writes, "writes", (spec, sheet));
            }
            continue;
        };
        // A write cache bends the ladder as a limit does, so one of writes is looked for beside one of reads.
        let writes = of_direction(loads, false, shape).or_else(|| alike(loads, shape, reads));
        let same = writes.is_some_and(|writes| (writes.per_s / reads.per_s - 1.0).abs() <= SAME);
        match (writes, shape) {
            (Some(_), _) if same && is_shared(loads, shape, reads.per_s) => {
                add(
                    (Names::both(shape), [1.0, 1.0]),
                    reads,
                    "reads, writes and both together",
                    (spec, sheet),
                );
            }
            (None, Shape::Operations) if add_budget(loads, reads, (spec, sheet)) => {}
            (writes, _) => {
                add((Names::reads(shape), [1.0, 0.0]), reads, "reads", (spec, sheet));
                if let Some(writes) = writes {
                    add((Names::writes(shape), [0.0, 1.0]), writes, "writes", (spec, sheet));
                }
            }
        }
    }
}

/// True if a limit could show: random reads of two sizes lasted for six intervals of their counts or more.
/// Shorter loads have no lasting rate, so that a limit in front of the drive stays unseen.
#[must_use]
pub fn can_show_limit(loads: &[Load]) -> bool {
    let is_lasting =
        |load: &&Load| load.is_random_reads() && load.depth > 1 && load.counts.len() >= INTERVALS_MIN;
    let mut sizes = loads.iter().filter(is_lasting).map(|load| load.block_bytes);
    let first = sizes.next();
    sizes.any(|size| Some(size) != first)
}

/// True if a limit holds the load back.
pub(super) fn holds(limits: &[Bucket], load: &Load) -> bool {
    let of = |direction: &Option<Direction>| direction.as_ref().map_or(0.0, |some| some.per_s);
    let (reads, writes, size) = (of(&load.reads), of(&load.writes), load.block_bytes as f64);
    limits.iter().any(|bucket| {
        let used = reads * (bucket.read_tokens + size * bucket.read_byte_tokens)
            + writes * (bucket.write_tokens + size * bucket.write_byte_tokens);
        let share = used / bucket.tokens_per_s;
        let has_step = || course(&load.counts, load.interval_s).is_none_or(|course| course.beyond > 0.0);
        // A short load may have one slice more than its time holds, or one less.
        let slices = bucket.slice_ns as f64 / 1e9 / load.measured_s;
        share >= HELD.0 - slices && (share <= HELD.1 + slices || has_step())
    })
}

/// The keys of a limit, and the factor from what it counts to the unit of the keys.
struct Names {
    per_s: &'static str,
    burst: &'static str,
    unit: f64,
}

impl Names {
    fn of(shape: Shape, operations: [&'static str; 2], bytes: [&'static str; 2]) -> Names {
        let ([per_s, burst], unit) = match shape {
            Shape::Operations => (operations, 1.0),
            Shape::Bytes => (bytes, 1e-6),
        };
        Names { per_s, burst, unit }
    }

    fn both(shape: Shape) -> Names {
        Names::of(
            shape,
            ["limit.operations_per_s", "limit.operations_burst"],
            ["limit.bandwidth_mb_per_s", "limit.bandwidth_burst_mb"],
        )
    }

    fn reads(shape: Shape) -> Names {
        Names::of(
            shape,
            ["limit.read_operations_per_s", "limit.read_operations_burst"],
            ["limit.read_bandwidth_mb_per_s", "limit.read_bandwidth_burst_mb"],
        )
    }

    fn writes(shape: Shape) -> Names {
        Names::of(
            shape,
            ["limit.write_operations_per_s", "limit.write_operations_burst"],
            ["limit.write_bandwidth_mb_per_s", "limit.write_bandwidth_burst_mb"],
        )
    }
}

fn add(
    (names, [read, write]): (Names, [f64; 2]),
    limit: FittedLimit,
    of: &str,
    (spec, sheet): (&mut DriveSpec, &mut Sheet),
) {
    let mut bucket = Bucket::new(limit.per_s, limit.burst);
    let (operations, what) = match limit.counts {
        Shape::Operations => ((&mut bucket.read_tokens, &mut bucket.write_tokens), "operations"),
        Shape::Bytes => ((&mut bucket.read_byte_tokens, &mut bucket.write_byte_tokens), "bytes"),
    };
    (*operations.0, *operations.1) = (read, write);
    spec.limits.push(bucket);
    let slices = if limit.slice_s().is_some() { "; latencies of two kinds with nothing between" } else { "" };
    let source = format!("{of} of two sizes end at the same {what} per second{slices}");
    sheet.found(names.per_s, Estimate::within(limit.per_s, KNOWN.0).times(names.unit), source);
    if limit.burst > 0.0 {
        let burst = Estimate::within(limit.burst, KNOWN.1).times(names.unit);
        sheet.found(names.burst, burst, "passed beyond that rate from a full bucket");
    } else {
        sheet.open(names.burst, 0.0, "no load began with a full bucket that could be seen");
    }
    // A drive has one slice for all its limits: that of the first that shows one.
    let mut slice_ns = spec.limits.iter().map(|bucket| bucket.slice_ns).max().unwrap_or(0);
    if let Some((slice_s, low, high)) = limit.slice_s().filter(|_| slice_ns == 0) {
        let slice = Estimate { value: slice_s, low: low * (1.0 - KNOWN.1), high: high * (1.0 + KNOWN.1) };
        sheet.found("limit.slice_ms", slice.times(1e3), "the share of operations that each slice holds back");
        slice_ns = (slice_s * 1e9).round() as u64;
    }
    spec.limits.iter_mut().for_each(|bucket| bucket.slice_ns = slice_ns);
}

/// One budget for reads and written bytes, where mixes lie on a line.
fn add_budget(loads: &[&Load], reads: FittedLimit, (spec, sheet): (&mut DriveSpec, &mut Sheet)) -> bool {
    let of = |direction: &Option<Direction>| direction.as_ref().map_or(0.0, |some| some.per_s);
    let deepest = loads.iter().map(|load| load.depth).max().unwrap_or(1);
    let is_one = |load: &&&Load| {
        load.is_closed() && !load.is_sequential && load.flush_every.is_none() && 2 * load.depth >= deepest
    };
    let mut mixes: Vec<(f64, f64)> = loads
        .iter()
        .filter(is_one)
        .map(|load| (of(&load.reads), of(&load.writes) * load.block_bytes as f64 / 1e6))
        .collect();
    mixes.retain(|(_, write)| *write > 0.0);
    mixes.push((reads.per_s, 0.0));
    let Some((weight, per_s)) = shared_budget(&mixes) else { return false };
    let write_byte_tokens = weight / 1e6;
    spec.limits.push(Bucket { read_tokens: 1.0, write_byte_tokens, ..Bucket::new(per_s, reads.burst) });
    let source = "reads, writes and mixes end on one line of reads per second and written MB per second";
    sheet.found("limit.shared_per_s", Estimate::within(per_s, KNOWN.0), source);
    sheet.found("limit.shared_per_read", Estimate::within(1.0, 0.0), "the unit of the budget");
    sheet.found(
        "limit.shared_per_write_mb",
        Estimate::within(weight, 2.0 * KNOWN.0),
        "the slope of that line",
    );
    sheet.open("limit.shared_burst", reads.burst, "what reads passed beyond their lasting rate");
    true
}

/// True if mixes reach the limit of one direction and no more. Without a mix that fills both, one bucket is
/// what most limiters have.
fn is_shared(loads: &[&Load], shape: Shape, per_s: f64) -> bool {
    of_mixes(loads, shape) <= per_s * (1.0 + 2.0 * SAME)
}

/// The most that mixes reach lastingly; 0 without any.
fn of_mixes(loads: &[&Load], shape: Shape) -> f64 {
    let used = |load: &&Load| {
        let lasting = course(&load.counts, load.interval_s).map_or(load.per_s(), |course| course.per_s);
        if shape == Shape::Operations { lasting } else { lasting * load.block_bytes as f64 }
    };
    let mixes = || loads.iter().filter(|load| load.is_closed() && load.is_mix());
    // A short load goes on what the bucket held.
    let longest_s = mixes().map(|load| load.whole_s()).fold(0.0, f64::max);
    mixes().filter(|load| load.whole_s() >= longest_s / 2.0).map(used).fold(0.0, f64::max)
}

/// The limit that random loads of one direction have run into: the same for two sizes. Short loads of a size
/// between them may say nothing.
fn of_direction(loads: &[&Load], is_read: bool, shape: Shape) -> Option<FittedLimit> {
    let completed = by_size(loads, is_read);
    let larger = |index: usize| completed[index + 1..].iter();
    let pairs = completed
        .iter()
        .enumerate()
        .flat_map(|(index, small)| larger(index).filter_map(|large| find_limit(small, large)));
    // Of the pairs that tell, the one that went on for longest has the surest rate; all have run into it.
    pairs.filter(|limit| limit.counts == shape).max_by(|a, b| a.burst.total_cmp(&b.burst))
}

/// The random loads of one direction, by size.
fn by_size(loads: &[&Load], is_read: bool) -> Vec<Completed> {
    let is_one = |load: &&Load| {
        if is_read { load.is_random_reads() } else { load.is_random_writes() }
    };
    let of_direction: Vec<&Load> = loads.iter().copied().filter(is_one).collect();
    let mut sizes: Vec<u64> = of_direction.iter().map(|load| load.block_bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.into_iter().filter_map(|size_bytes| completed(&of_direction, size_bytes, is_read)).collect()
}

/// Writes of two sizes that end where the reads do: what holds both is one limit, or two of the same rate.
fn alike(loads: &[&Load], shape: Shape, reads: FittedLimit) -> Option<FittedLimit> {
    let of_size = |completed: &Completed| {
        let unit = if shape == Shape::Operations { 1.0 } else { f64::from(completed.block_bytes) };
        course(&completed.counts, completed.interval_s)
            .map(|course| (course.per_s * unit, course.beyond * unit))
    };
    let is_same = |(per_s, _): &(f64, f64)| (per_s / reads.per_s - 1.0).abs() <= SAME;
    let ends: Vec<(f64, f64)> = by_size(loads, false).iter().filter_map(of_size).filter(is_same).collect();
    // One size says as much where a mix of both ends there as well.
    let is_proven = ends.len() >= 2 || (of_mixes(loads, shape) / reads.per_s - 1.0).abs() <= SAME;
    let (_, burst) = ends.first().copied().filter(|_| is_proven)?;
    Some(FittedLimit { burst, ..reads })
}

/// The deepest load of a size with the most intervals, and the rates at each depth.
fn completed(loads: &[&Load], size_bytes: u64, is_read: bool) -> Option<Completed> {
    let of_size = || loads.iter().copied().filter(move |load| load.block_bytes == size_bytes);
    let deepest = of_size().map(|load| load.depth).max()?;
    let deep = of_size().filter(|load| 4 * load.depth >= deepest);
    let longest = deep.max_by(|a, b| a.whole_s().total_cmp(&b.whole_s()).then(a.depth.cmp(&b.depth)))?;
    let mut ladder: Vec<(u32, f64)> = repeats(of_size())
        .into_iter()
        .map(|same| (same[0].depth, same.iter().map(|load| load.per_s()).sum::<f64>() / same.len() as f64))
        .collect();
    ladder.sort_by_key(|(depth, _)| *depth);
    let direction = if is_read { &longest.reads } else { &longest.writes };
    Some(Completed {
        block_bytes: u32::try_from(size_bytes).ok()?,
        depth: longest.depth,
        is_read,
        interval_s: longest.interval_s,
        counts: longest.counts.clone(),
        latency: direction.as_ref()?.latency.clone(),
        ladder,
    })
}
