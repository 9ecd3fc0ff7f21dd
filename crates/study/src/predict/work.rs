//! Processor time of a transaction on another drive, which leaves the processors idle for another share of
//! the time and lets processes sleep more or less often.

use device::DriveSpec;

use super::Demand;
use super::layer::LayerWork;
use super::network::{Tried, simulate};

/// By what share work takes longer on processors that are all idle than on busy ones: what it had at hand in
/// their caches is gone after a wait. In nine runs of `predict/postgresql` the clients worked 8 to 23 %
/// longer for the same transactions on the drive that left the processors idle for 3 to 25 % more of the
/// time. Of 0, 0.3 and 0.6 this predicts the throughput of those runs best, by little.
pub(super) const COLD: f64 = 0.3;
/// The least and the most of the shares that were tried: they predict those runs hardly worse, so that the
/// interval holds both.
pub(super) const COLD_RANGE: [f64; 2] = [0.0, 0.6];
/// Processor time of a server for each wait for the drive in which a process sleeps, ns: to fall asleep, to
/// be woken up, and to fetch again what others pushed out of the caches; the middle of the measurements on
/// two kinds of machines. With writes acknowledged after 96 us in place of 31, so that four waits of a
/// transaction became sleeps and all else stayed, PostgreSQL worked 8 (eight users) and 13 us (four) longer
/// for each of them on an AMD EPYC, and on a SATA drive against an NVMe drive 16 us (three runs of
/// `predict/postgresql`); on an Intel Xeon 10 to 32 us (two runs, four and eight users, beside the work that
/// idle processors add).
pub(super) const SLEEP_WORK_NS: f64 = 18_000.0;
/// Steps to the work, the idleness and the sleeps that belong together.
const STEPS: u32 = 3;

/// `demand` on the drive `to`, which leaves the processors idle for another share of the time than the drive
/// of `here`, and lets processes sleep more or less often.
pub(super) fn moved(demand: &Demand, layer: LayerWork, to: &DriveSpec, here: &Tried, seed: u64) -> Demand {
    let mut moved = *demand;
    for _ in 0..STEPS {
        let there = simulate(&moved, layer, to, 0.0, seed);
        moved.cpu_ns = cpu_there_ns(demand, COLD, (here.idle_share, here.sleeps), &there);
    }
    moved
}

/// Processor time of a transaction there, ns, given the idleness and the sleeps here, where work on idle
/// processors takes longer by the share `cold`.
pub(super) fn cpu_there_ns(
    demand: &Demand,
    cold: f64,
    (idle_share, sleeps): (f64, f64),
    there: &Tried,
) -> f64 {
    let warm_ns = demand.cpu_ns / (1.0 + cold * idle_share) * (1.0 + cold * there.idle_share);
    // Fewer sleeps do not take away the work itself, whatever a run says of it.
    (warm_ns + SLEEP_WORK_NS * (there.sleeps - sleeps)).max(warm_ns / 2.0)
}
