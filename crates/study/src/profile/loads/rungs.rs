//! Rates of reads by depth, and the units and limits that mean value analysis has for them.

use device::{DriveSpec, reads_per_s_by_depth};

use super::super::load::Load;
use super::super::virtual_load::replay_part;
use super::sheet::{Estimate, QUEUE, rate, repeats};

/// Operations of the model's run at a depth: at the deeper ones many wait for each other.
const OPERATIONS: (f64, f64) = (12_000.0, 50_000.0);
const DEEP: u32 = 32;
/// Standard error of such a run, as a share: latencies vary by a quarter.
const DRAWN: f64 = 0.0025;
/// More units than any drive has at such rates.
pub(super) const UNITS_MAX: u32 = 4096;
/// The first numbers of units that are tried are this factor apart.
const COARSE: f64 = 1.5;
/// Steps of the search for a limit, which narrow its span by the golden section.
const STEPS: usize = 26;
/// A queue limit is there if it explains so much more: it takes one of few depths, so chance has little room.
const BETTER: f64 = 16.0;

/// The rate at one depth.
pub(super) struct Rung<'a> {
    pub(super) load: &'a Load,
    pub(super) depth: u32,
    pub(super) per_s: f64,
    /// Standard error, as a share.
    pub(super) error: f64,
    /// Rate of the model as a share of the approximation.
    correction: f64,
}

/// Units and limits, and how far they are from the rates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) units: u32,
    pub(super) limit_per_s: f64,
    pub(super) queue: u32,
    /// Sum of the squares, in standard errors.
    pub(super) distance: f64,
}

/// All rates of random reads of a size, and their time at depth 1.
pub(super) struct Ladder<'a> {
    pub(super) rungs: Vec<Rung<'a>>,
    latency_ns: f64,
}

impl<'a> Ladder<'a> {
    /// The rates of random reads of that size, by depth, ascending.
    pub(super) fn of(loads: &[&'a Load], size_bytes: u64, latency_ns: f64) -> Ladder<'a> {
        let is_one = |load: &&Load| load.is_random_reads() && load.block_bytes == size_bytes;
        let mut rungs: Vec<Rung> = repeats(loads.iter().copied().filter(is_one))
            .into_iter()
            .filter_map(|same| {
                let Estimate { value, high, .. } = rate(&same).filter(|rate| rate.value > 0.0)?;
                let error = ((high / value - 1.0) / 2.0).hypot(DRAWN);
                Some(Rung { load: same[0], depth: same[0].depth, per_s: value, error, correction: 1.0 })
            })
            .collect();
        rungs.sort_by_key(|rung| rung.depth);
        Ladder { rungs, latency_ns }
    }

    pub(super) fn highest_per_s(&self) -> f64 {
        self.rungs.iter().map(|rung| rung.per_s).fold(0.0, f64::max)
    }

    pub(super) fn deepest(&self) -> u32 {
        self.rungs.last().map_or(0, |rung| rung.depth)
    }

    /// Runs the model with these units and limits: what it does beside the approximation corrects the next
    /// ones.
    pub(super) fn correct(&mut self, spec: &DriveSpec, found: Found) {
        let spec = DriveSpec {
            read_units: found.units,
            read_4k_per_s: found.limit_per_s,
            queue_limit: found.queue,
            limits: Vec::new(),
            ..spec.clone()
        };
        let by_depth = reads_per_s_by_depth(self.deepest(), found.units, found.limit_per_s, self.latency_ns);
        for (number, rung) in self.rungs.iter_mut().enumerate() {
            let operations = if rung.depth < DEEP { OPERATIONS.0 } else { OPERATIONS.1 };
            let again = replay_part(&spec, rung.load, operations, number as u64);
            let plain = by_depth[(rung.depth.min(found.queue) - 1) as usize];
            rung.correction = again.per_s() / plain;
        }
    }

    /// The best units and limits at the present corrections.
    pub(super) fn search(&self) -> Found {
        let without = self.with_queue(QUEUE);
        // A queue limit shows at a depth after which no deeper one does more.
        let steps = self.rungs.windows(2).filter(|pair| pair[1].per_s < 1.02 * pair[0].per_s);
        let depths = steps.map(|pair| pair[0].depth).filter(|depth| *depth > 1);
        let with = depths.map(|depth| self.with_queue(depth));
        let best = with.min_by(|a, b| a.distance.total_cmp(&b.distance));
        let is_better = |with: &Found| {
            without.distance - with.distance > BETTER && with.distance < without.distance / 4.0
        };
        best.filter(is_better).unwrap_or(without)
    }

    /// The best units and limit for a queue limit.
    fn with_queue(&self, queue: u32) -> Found {
        let best_of = |candidates: &mut dyn Iterator<Item = u32>| {
            let found = candidates.map(|units| self.with_units(units, queue));
            found.min_by(|a, b| a.distance.total_cmp(&b.distance))
        };
        let mut coarse = Vec::from([1u32]);
        while let Some(last) = coarse.last().copied().filter(|last| *last < UNITS_MAX) {
            coarse.push((f64::from(last) * COARSE).ceil() as u32);
        }
        let first = best_of(&mut coarse.iter().copied());
        let near = f64::from(first.map_or(1, |found| found.units));
        let (low, high) = ((near / COARSE).floor().max(1.0) as u32, (near * COARSE).ceil() as u32);
        let step = ((high - low) / 12).max(1) as usize;
        let none = Found { units: 1, limit_per_s: f64::INFINITY, queue, distance: f64::INFINITY };
        best_of(&mut (low..=high).step_by(step).chain([near as u32])).unwrap_or(none)
    }

    /// The best limit for a number of units: by the golden section over its logarithm.
    pub(super) fn with_units(&self, units: u32, queue: u32) -> Found {
        let highest = self.highest_per_s();
        let at = |limit_ln: f64| self.distance(queue, units, limit_ln.exp());
        // A unit is busy with a read for its whole time at most.
        let least = (0.9 * highest).max(f64::from(units) / self.latency_ns * 1e9);
        let (mut low, mut high) = (least.ln(), (8.0 * highest).max(2.0 * least).ln());
        let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
        let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
        let (mut at_left, mut at_right) = (at(left), at(right));
        for _ in 0..STEPS {
            if at_left <= at_right {
                (high, right, at_right) = (right, left, at_left);
                left = high - golden * (high - low);
                at_left = at(left);
            } else {
                (low, left, at_left) = (left, right, at_right);
                right = low + golden * (high - low);
                at_right = at(right);
            }
        }
        let limit_ln = f64::midpoint(low, high);
        Found { units, limit_per_s: limit_ln.exp(), queue, distance: at(limit_ln) }
    }

    fn distance(&self, queue: u32, units: u32, limit_per_s: f64) -> f64 {
        let deepest = self.deepest().min(queue);
        let by_depth = reads_per_s_by_depth(deepest, units, limit_per_s, self.latency_ns);
        let of = |rung: &Rung<'_>| {
            let per_s = by_depth[(rung.depth.min(queue) - 1) as usize] * rung.correction;
            ((rung.per_s / per_s).ln() / rung.error).powi(2)
        };
        self.rungs.iter().map(of).sum()
    }
}
