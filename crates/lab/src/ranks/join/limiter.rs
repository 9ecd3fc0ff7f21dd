//! The limiter of a fleet's cell: what limits most hosts; among equals, what limits the slowest.

use words::LimiterFigures;

use super::Part;
use crate::ranks::hosts::main_rate;

/// The limiter, and the figures of the slowest host that has it.
pub(super) fn joined(parts: &[Part]) -> (Option<String>, Option<LimiterFigures>) {
    let count =
        |limiter: &str| parts.iter().filter(|part| part.record.limiter.as_deref() == Some(limiter)).count();
    let mut slowest_first: Vec<&Part> = parts.iter().filter(|part| part.record.limiter.is_some()).collect();
    slowest_first.sort_by(|one, other| rate(one).total_cmp(&rate(other)));
    let mut chosen: Option<(usize, &Part)> = None;
    for part in slowest_first {
        let hosts = part.record.limiter.as_deref().map_or(0, count);
        if chosen.is_none_or(|(most, _)| hosts > most) {
            chosen = Some((hosts, part));
        }
    }
    let Some((_, part)) = chosen else { return (None, None) };
    (part.record.limiter.clone(), part.record.limiter_figures.clone())
}

fn rate(part: &Part) -> f64 {
    main_rate(&part.record.measurements).map_or(0.0, |(_, rate)| rate)
}
