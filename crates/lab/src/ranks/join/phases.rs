//! The phases of a fleet's cell, and the shifts between the clocks of its hosts' cells.
//!
//! All loads started at one moment, so each cell's clock is moved until the starts of the loads agree; a host
//! whose seconds count from later than that moment is moved by the difference as well.

use notebook::Phase;
use words::PhaseName;

use super::Part;

/// The seconds by which each rank's clock is moved.
pub(super) fn shifts(parts: &[Part]) -> Vec<f64> {
    let starts: Vec<f64> = parts.iter().map(start_of_load_s).collect();
    let latest = starts.iter().copied().fold(0.0, f64::max);
    let after_s = |part: &Part| part.done.counts_after_ns as f64 / 1e9;
    starts.iter().zip(parts).map(|(start, part)| latest - start + after_s(part)).collect()
}

/// The start of the load on the cell's own clock.
fn start_of_load_s(part: &Part) -> f64 {
    let is_load = |phase: &&Phase| phase.name == PhaseName::RampUp || phase.name == PhaseName::Measure;
    let starts = part.record.phases.iter().filter(is_load).map(|phase| phase.start_s);
    starts.reduce(f64::min).unwrap_or(0.0).max(0.0)
}

/// The time between the first and the last begin of the measure phase; `None` for a load without one.
pub(super) fn measure_skew_s(parts: &[Part], shifts: &[f64]) -> Option<f64> {
    let begin = |(part, shift): (&Part, &f64)| {
        let measure = part.record.phases.iter().find(|phase| phase.name == PhaseName::Measure)?;
        Some(measure.start_s + shift)
    };
    let begins: Vec<f64> = parts.iter().zip(shifts).filter_map(begin).collect();
    let (first, last) = (begins.iter().copied().reduce(f64::min)?, begins.iter().copied().reduce(f64::max)?);
    Some(last - first)
}

/// Each phase from its first start on any host to its last end.
pub(super) fn joined(parts: &[Part], shifts: &[f64]) -> Vec<Phase> {
    let mut all: Vec<Phase> = Vec::new();
    for (part, shift) in parts.iter().zip(shifts) {
        for phase in &part.record.phases {
            let (start_s, end_s) = (phase.start_s + shift, phase.end_s + shift);
            match all.iter_mut().find(|known| known.name == phase.name) {
                Some(known) => {
                    known.start_s = known.start_s.min(start_s);
                    known.end_s = known.end_s.max(end_s);
                }
                None => all.push(Phase { name: phase.name.clone(), start_s, end_s }),
            }
        }
    }
    all
}
