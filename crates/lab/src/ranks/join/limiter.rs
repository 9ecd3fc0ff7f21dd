//! The limiter of a fleet's cell: what limits most hosts; among equals, what limits the slowest.

use words::LimiterFigures;

use super::{Part, figures};
use crate::ranks::hosts::rates;

/// The limiter, and the figures of all hosts in the form of the slowest one that has it.
pub(super) fn joined(parts: &[Part]) -> (Option<String>, Option<LimiterFigures>) {
    let count =
        |limiter: &str| parts.iter().filter(|part| part.record.limiter.as_deref() == Some(limiter)).count();
    let limited = parts.iter().zip(rates(parts)).filter(|(part, _)| part.record.limiter.is_some());
    let mut slowest_first: Vec<(&Part, f64)> =
        limited.map(|(part, rate)| (part, rate.unwrap_or(0.0))).collect();
    slowest_first.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    let mut chosen: Option<(usize, &Part)> = None;
    for (part, _) in slowest_first {
        let hosts = part.record.limiter.as_deref().map_or(0, count);
        if chosen.is_none_or(|(most, _)| hosts > most) {
            chosen = Some((hosts, part));
        }
    }
    let Some((_, part)) = chosen else { return (None, None) };
    let others = parts.iter().filter(|other| other.rank != part.rank);
    let others: Vec<&LimiterFigures> =
        others.filter_map(|other| other.record.limiter_figures.as_ref()).collect();
    let figures = part.record.limiter_figures.as_ref().map(|own| figures::joined(own, &others));
    (part.record.limiter.clone(), figures)
}
