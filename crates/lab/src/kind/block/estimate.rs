//! The time and the bytes of a block cell, for the plan.

use std::time::Duration;

use device::DriveSpec;
use experiment::{Block, Pattern, Stream, WHOLE};

use crate::needs::cost::{ASSUMED_IOPS, ASSUMED_WRITE_BYTES_PER_SECOND, FILL_BYTES_PER_SECOND};

/// Probes that a search is expected to need.
const PROBES: u32 = 12;
/// Rounds beyond the window that a drive is expected to need until it is steady.
const ROUNDS_BEYOND: u32 = 5;

/// The rounds of a cell that waits for a steady state: those that a drive is expected to need.
fn rounds_expected(block: &Block) -> u32 {
    block.steady.as_ref().map_or(1, |steady| {
        (steady.window * steady.every).saturating_add(ROUNDS_BEYOND).min(steady.max_rounds)
    })
}

/// The rounds of a drive that never becomes steady.
fn rounds_most(block: &Block) -> u32 {
    block.steady.as_ref().map_or(1, |steady| steady.max_rounds)
}

/// Runs of the load in a cell of so many rounds: the steps of a curve, the pairs of a matrix in all rounds,
/// the probes that a search is expected to need.
fn runs(block: &Block, rounds: u32) -> u32 {
    let axis = |length: usize| u32::try_from(length.max(1)).unwrap_or(u32::MAX);
    let pairs =
        block.matrix.as_ref().map_or(1, |matrix| axis(matrix.read.len()) * axis(matrix.block_size.len()));
    match (&block.curve, block.find) {
        (Some(curve), _) => axis(curve.len()) + 1,
        (None, Some(_)) => PROBES,
        (None, None) => pairs.saturating_mul(rounds),
    }
}

/// Bytes of the files that a cell makes; an existing file of that size counts as nothing.
pub(crate) fn made_bytes(block: &Block) -> u64 {
    if block.size == WHOLE { 0 } else { block.size.0.saturating_mul(u64::from(block.file_count())) }
}

fn bytes_of_files(block: &Block) -> f64 {
    made_bytes(block) as f64
}

/// Bytes that a cell writes to make its files. Those that are reused are made once, which no cell counts.
fn fill_bytes(block: &Block) -> f64 {
    if block.reuse { 0.0 } else { bytes_of_files(block) }
}

/// Time that a cell is expected to take, its preconditioning included.
pub(crate) fn time(block: &Block) -> Duration {
    let mut seconds =
        (block.ramp_up.0 + block.measure.0).as_secs_f64() * f64::from(runs(block, rounds_expected(block)));
    seconds += fill_bytes(block) / FILL_BYTES_PER_SECOND;
    if let Some(precondition) = block.precondition {
        seconds += bytes_of_files(block) * f64::from(precondition.passes) / FILL_BYTES_PER_SECOND;
        seconds += precondition.run_for.map_or(0.0, |span| span.0.as_secs_f64());
    }
    Duration::from_secs_f64(seconds)
}

/// The most bytes that a cell writes: its files, their filling, and the writes of its load, as fast as
/// `drive` takes them, or as fast as is assumed of a drive that nobody knows.
pub(crate) fn written_bytes(block: &Block, drive: Option<&DriveSpec>) -> f64 {
    let passes = block.precondition.map_or(0, |precondition| precondition.passes);
    let filled = fill_bytes(block) + bytes_of_files(block) * f64::from(passes);
    let run_s = (block.ramp_up.0 + block.measure.0).as_secs_f64();
    let (reads, sizes) = block.matrix.as_ref().map_or((Vec::new(), Vec::new()), |matrix| {
        let reads = matrix.read.iter().map(|read| Some(read.0)).collect();
        (reads, matrix.block_size.iter().map(|size| Some(size.0 as f64)).collect())
    });
    let (reads, sizes) = (or_as_written(reads), or_as_written(sizes));
    let points = reads.iter().flat_map(|read| sizes.iter().map(|size| (*read, *size)));
    let of_points: f64 = points.map(|point| load_bytes(block, point, run_s, drive)).sum();
    let of_run = of_points / (reads.len() * sizes.len()) as f64;
    let run_for_s = block.precondition.and_then(|all| all.run_for).map_or(0.0, |span| span.0.as_secs_f64());
    filled + of_run * (runs_at_full_rate(block) + run_for_s / run_s.max(1e-9))
}

/// The values of an axis; one that leaves the streams as they are where it has none.
fn or_as_written(values: Vec<Option<f64>>) -> Vec<Option<f64>> {
    if values.is_empty() { vec![None] } else { values }
}

/// The most runs of a cell as those at the full rate: the steps of a curve are parts of it.
fn runs_at_full_rate(block: &Block) -> f64 {
    match &block.curve {
        Some(shares) => 1.0 + shares.iter().map(|percent| percent.0 / 100.0).sum::<f64>(),
        None => f64::from(runs(block, rounds_most(block))),
    }
}

/// The writes of one load.
struct Writes {
    /// Bytes of one of them.
    bytes: f64,
    /// Their share of the I/Os.
    share: f64,
    /// I/Os per second that are asked for.
    asked_per_s: Option<f64>,
    depth: f64,
    is_sequential: bool,
    seconds: f64,
}

/// The most bytes that one run of all streams writes at a point of a matrix.
fn load_bytes(
    block: &Block,
    (read, size): (Option<f64>, Option<f64>),
    run_s: f64,
    drive: Option<&DriveSpec>,
) -> f64 {
    let weight: f64 = block.shared().map(|stream| stream.weight).sum();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let depths: Vec<f64> = block.depth.iter().map(|depth| f64::from(*depth * block.workers)).collect();
    let of_stream = |stream: &Stream| {
        let sizes = stream.write_block_size.as_ref().unwrap_or(&stream.block_size);
        let of_mix = || sizes.parts().iter().map(|part| part.size.0 as f64 * part.share.0).sum::<f64>();
        let part = if stream.has_own_load() { 1.0 } else { stream.weight / weight.max(1e-9) };
        let rate = if stream.has_own_load() { stream.rate } else { block.rate.as_deref().map(mean) };
        let own_depth = stream.depth.map(|depth| f64::from(depth * stream.workers));
        let waits_s = stream.start_after.map_or(0.0, |span| span.0.as_secs_f64());
        let lasts_s = stream.run_for.map_or(f64::INFINITY, |span| span.0.as_secs_f64());
        most_bytes(
            &Writes {
                bytes: size.unwrap_or_else(of_mix),
                share: (1.0 - read.unwrap_or(stream.read.0)) * part,
                asked_per_s: rate,
                depth: own_depth.unwrap_or_else(|| mean(&depths).max(1.0)),
                is_sequential: stream.pattern == Pattern::Sequential,
                seconds: (run_s - waits_s).max(0.0).min(lasts_s),
            },
            drive,
        )
    };
    let all: f64 = block.streams.iter().map(of_stream).sum();
    all.min(drive.map_or(f64::INFINITY, |drive| drive.write_bandwidth_bytes_per_s) * run_s)
}

/// The most bytes of these writes: as many as are asked for, and never more than the drive takes.
fn most_bytes(writes: &Writes, drive: Option<&DriveSpec>) -> f64 {
    if writes.share <= 0.0 {
        return 0.0;
    }
    let asked = writes.asked_per_s.map(|rate| rate * writes.share * writes.bytes * writes.seconds);
    let Some(drive) = drive else {
        let per_s = (ASSUMED_IOPS * writes.share * writes.bytes).min(ASSUMED_WRITE_BYTES_PER_SECOND);
        return asked.unwrap_or(per_s * writes.seconds);
    };
    // Acknowledged one after the other by each that is outstanding; the medium takes them as fast as it
    // can, but for what its buffer holds.
    let acknowledged_per_s = writes.depth * 1e9 / (drive.write_ack_ns as f64).max(1.0);
    let medium_per_s = match writes.is_sequential {
        true => f64::INFINITY,
        false => 1e9 / drive.write_cost_ns(writes.bytes as u64).max(1e-9),
    };
    // A closed loop that reads as well waits for its reads.
    let beside_reads = writes.share / (1.0 - writes.share).max(1e-9) * drive.read_4k_per_s;
    let in_time = |per_s: f64| per_s * writes.bytes * writes.seconds;
    [
        in_time(acknowledged_per_s),
        in_time(medium_per_s) + drive.write_buffer_bytes as f64,
        drive.write_bandwidth_bytes_per_s * writes.seconds,
        in_time(if writes.asked_per_s.is_some() { f64::INFINITY } else { beside_reads }),
        asked.unwrap_or(f64::INFINITY),
    ]
    .into_iter()
    .fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use experiment::Workload;

    fn all_bytes(drive: Option<&DriveSpec>) -> f64 {
        let named = experiment::find_named("profile/quick").expect("it is built in");
        let experiment = experiment::parse(named.text, named.name).expect("it parses");
        let of = |workload: &Workload| match workload {
            Workload::Block(block) => written_bytes(block, drive) * block.depth.len().max(1) as f64,
            _ => 0.0,
        };
        experiment.workload.iter().map(of).sum()
    }

    #[test]
    fn a_plan_knows_that_large_writes_are_fewer() {
        let entry = device::catalogue::find("kingston-dc1500m-960g").expect("it is in the catalogue");
        let (known, assumed) = (all_bytes(Some(&entry.spec)) / 1e9, all_bytes(None) / 1e9);
        // Two minutes of writes at its 2 GB/s or less, and a few seconds of each other load.
        assert!((100.0..240.0).contains(&known), "{known} GB");
        assert!((100.0..400.0).contains(&assumed), "{assumed} GB");
        let slow = device::catalogue::find("kingston-dc500m-1920g").expect("it is in the catalogue");
        assert!(all_bytes(Some(&slow.spec)) / 1e9 < known, "a SATA drive takes less");
    }

    #[test]
    fn the_most_bytes_are_those_of_a_drive_that_never_becomes_steady() {
        let all =
            experiment::named().iter().filter_map(|named| experiment::parse(named.text, named.name).ok());
        let steady = all.flat_map(|experiment| experiment.workload).find_map(|workload| match workload {
            Workload::Block(block) if block.steady.is_some() => Some(block),
            _ => None,
        });
        let mut block = steady.expect("one waits for a steady state");
        let mut of = |max_rounds: u32| {
            block.steady.as_mut().expect("it waits").max_rounds = max_rounds;
            (written_bytes(&block, None), time(&block))
        };
        let (few, many) = (of(100), of(400));
        assert!(many.0 > 3.0 * few.0, "{} against {} bytes", many.0, few.0);
        assert_eq!(many.1, few.1, "the time is that of the expected rounds");
    }
}
