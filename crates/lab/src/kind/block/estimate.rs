//! The time and the bytes of a block cell, for the plan.

use std::time::Duration;

use experiment::{Block, OneOrMix, WHOLE};

use crate::needs::cost::{ASSUMED_IOPS, FILL_BYTES_PER_SECOND};

/// Probes that a search is expected to need.
const PROBES: u32 = 12;
/// Rounds beyond the window that a drive is expected to need until it is steady.
const ROUNDS_BEYOND: u32 = 5;

/// Runs of the load that a cell is expected to need: the steps of a curve, the pairs of a matrix in all
/// rounds, the probes of a search.
fn runs(block: &Block) -> u32 {
    let axis = |length: usize| u32::try_from(length.max(1)).unwrap_or(u32::MAX);
    let pairs =
        block.matrix.as_ref().map_or(1, |matrix| axis(matrix.read.len()) * axis(matrix.block_size.len()));
    let rounds = block.steady.as_ref().map_or(1, |steady| {
        (steady.window * steady.every).saturating_add(ROUNDS_BEYOND).min(steady.max_rounds)
    });
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
    let mut seconds = (block.ramp_up.0 + block.measure.0).as_secs_f64() * f64::from(runs(block));
    seconds += fill_bytes(block) / FILL_BYTES_PER_SECOND;
    if let Some(precondition) = block.precondition {
        seconds += bytes_of_files(block) * f64::from(precondition.passes) / FILL_BYTES_PER_SECOND;
        seconds += precondition.run_for.map_or(0.0, |span| span.0.as_secs_f64());
    }
    Duration::from_secs_f64(seconds)
}

/// Bytes that a cell is expected to write: its files, their filling, and the writes of its load.
pub(crate) fn written_bytes(block: &Block) -> f64 {
    let passes = block.precondition.map_or(0, |precondition| precondition.passes);
    let filled = fill_bytes(block) + bytes_of_files(block) * f64::from(passes);
    let seconds = time(block).as_secs_f64() - filled / FILL_BYTES_PER_SECOND;
    let weight: f64 = block.streams.iter().map(|stream| stream.weight).sum();
    let bytes_per_write =
        |mix: &OneOrMix| mix.parts().iter().map(|p| p.size.0 as f64 * p.share.0).sum::<f64>();
    let written = block.streams.iter().map(|stream| {
        let sizes = stream.write_block_size.as_ref().unwrap_or(&stream.block_size);
        bytes_per_write(sizes) * (1.0 - stream.read.0) * stream.weight / weight.max(1e-9)
    });
    let rate = block.rate.as_ref().and_then(|rates| rates.first().copied()).unwrap_or(ASSUMED_IOPS);
    filled + written.sum::<f64>() * rate * seconds.max(0.0)
}
