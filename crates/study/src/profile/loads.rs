//! From loads to the numbers of a drive.
//!
//! Each step takes the loads that say its numbers, in the order in which the numbers depend on each other:
//! limits, latencies and bandwidths, the units behind the reads, writes, flushes, interference. A number that
//! no load says is a stand-in and marked so.

mod bandwidths;
mod flushes;
mod interference;
mod judge;
mod ladder;
mod latencies;
mod limits;
mod line;
mod mixes;
mod passed;
mod pauses;
mod residuals;
mod rungs;
mod sheet;
mod sound;
mod writes;

use device::DriveSpec;

use super::Fitted;
use super::load::Load;
use sheet::Sheet;

pub use judge::{JudgedPoint, LoadJudgement, Side, judge_loads};
pub use limits::can_show_limit;
pub use pauses::{Pauses, pauses};
pub use residuals::{Form, Systematic};

/// The reason why loads make no drive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfitLoads {
    /// A drive needs the latency of a read.
    #[error(
        "no load has random reads at depth 1 or a few more, or at a rate, without writes and below a limit; measure \
         random 4 KiB reads at depth 1, and where a limit in front of the drive holds those back, at half its rate"
    )]
    NoReads,
    /// A load has a size, a time or a depth of 0.
    #[error("the load \"{0}\" has no size, no depth or no time; measure it again")]
    Empty(String),
}

/// The pains that a fit takes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pains<'a> {
    /// The model is run as often as it takes.
    Full,
    /// The model is run near a drive whose numbers are about right: a fit to almost the same loads.
    Near(&'a DriveSpec),
    /// The model is not run: enough to know which numbers the loads say.
    Draft,
}

/// Fits a drive to loads. The same loads give the same drive.
///
/// # Errors
/// Without random reads of a low depth there is no drive; a load without size, depth or time is refused.
pub fn fit_loads(loads: &[Load]) -> Result<Fitted, UnfitLoads> {
    let all: Vec<&Load> = loads.iter().collect();
    fit(&all, Pains::Full)
}

fn fit(loads: &[&Load], pains: Pains<'_>) -> Result<Fitted, UnfitLoads> {
    let is_good = |load: &&&Load| {
        load.block_bytes > 0 && load.depth > 0 && load.measured_s > 0.0 && load.interval_s > 0.0
    };
    if let Some(empty) = loads.iter().find(|load| !is_good(load)) {
        return Err(UnfitLoads::Empty(empty.name.clone()));
    }
    let mut spec = DriveSpec { queue_limit: sheet::QUEUE, ..DriveSpec::free() };
    let mut sheet = Sheet::of(loads);
    limits::find(loads, &mut spec, &mut sheet);
    // A load that a limit holds back says nothing of the drive behind it, beside operations that passed.
    let (held, mut free): (Vec<&Load>, Vec<&Load>) =
        loads.iter().copied().partition(|load| limits::holds(&spec.limits, load));
    let passed: Vec<Load> = held.into_iter().filter_map(|load| passed::passed(&spec.limits, load)).collect();
    free.extend(&passed);
    bandwidths::read(&free, &mut spec, &mut sheet);
    bandwidths::write(&free, &mut spec, &mut sheet);
    latencies::by_size(&free, &mut spec, &mut sheet)?;
    latencies::tail(&free, &mut spec, &mut sheet);
    ladder::units(&free, pains, &mut spec, &mut sheet);
    ladder::larger_reads(&free, &mut spec, &mut sheet);
    latencies::sequential(&free, &mut spec, &mut sheet);
    writes::rates(&free, &mut spec, &mut sheet);
    writes::acknowledgement(&free, &mut spec, &mut sheet);
    writes::buffer(&free, &mut spec, &mut sheet);
    bandwidths::likely_duplex(&free, &mut spec);
    flushes::cost(&free, &mut spec, &mut sheet);
    sound::make(&mut spec);
    flushes::held_writes(&free, pains, &mut spec, &mut sheet);
    interference::reads_beside_writes(&free, pains, &mut spec, &mut sheet);
    bandwidths::duplex(&free, pains, &mut spec, &mut sheet);
    sound::make(&mut spec);
    Ok(sheet.fitted(spec))
}

#[cfg(test)]
mod tests;
