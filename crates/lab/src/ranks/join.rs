//! One cell from the cells of all ranks: histograms and series are merged, counts are summed, and every
//! percentile comes from a merged histogram.

mod figures;
mod limiter;
mod machines;
mod measurements;
mod phases;
mod series;

use std::collections::BTreeMap;

use fleet::{Done, Offset};
use measure::Histogram;
use notebook::{CellRecord, CellState, Event};
use words::{EventKind, HistogramName, Reason};

use crate::ranks::hosts;

/// A cell as one rank recorded it.
#[derive(Debug)]
pub struct Part {
    /// The number of the rank, from 0.
    pub rank: u32,
    /// The name of its host.
    pub host: String,
    /// Its machine, by name and present life: ranks of one share its processors.
    pub machine: String,
    /// Its cell.
    pub record: CellRecord,
    /// The times of its load.
    pub done: Done,
    /// Its clock against the lead's.
    pub offset: Offset,
}

/// The cells of the ranks so far. Histograms are merged at once, so that memory does not grow with the ranks.
#[derive(Debug, Default)]
pub struct Joined {
    parts: Vec<Part>,
    histograms: BTreeMap<HistogramName, Histogram>,
    /// In the order of the first rank.
    names: Vec<HistogramName>,
    /// True if the bed is one that all ranks load together.
    shares: bool,
    /// The parts of the load that were dealt to the ranks, where it was dealt.
    dealt: Option<u32>,
}

impl Joined {
    /// None so far; `shares` for a bed that all ranks load together, `dealt` for a load of so many parts of
    /// which each rank has its own.
    #[must_use]
    pub fn new(shares: bool, dealt: Option<u32>) -> Joined {
        Joined { shares, dealt, ..Joined::default() }
    }

    /// Adds the cell of a rank, in any order.
    pub fn add(&mut self, mut part: Part) {
        for (name, histogram) in std::mem::take(&mut part.record.histograms) {
            match self.histograms.get_mut(&name) {
                Some(all) => all.merge(&histogram),
                None => {
                    self.names.push(name.clone());
                    self.histograms.insert(name, histogram);
                }
            }
        }
        self.parts.push(part);
    }

    /// The cell of the fleet.
    #[must_use]
    pub fn record(mut self) -> CellRecord {
        self.parts.sort_by_key(|part| part.rank);
        machines::know_each_other(&mut self.parts);
        let ended = self.ended();
        let shifts = phases::shifts(&self.parts);
        let mut measurements = measurements::joined(&self.parts, &self.histograms, self.shares);
        let measure_skew_s = phases::measure_skew_s(&self.parts, &shifts);
        let fair = hosts::fair(&self.parts, self.dealt);
        measurements.extend(hosts::measurements(&self.parts, &fair, measure_skew_s));
        let (limiter, limiter_figures) = limiter::joined(&self.parts);
        let mut events = events(&mut self.parts);
        events.extend(hosts::events(&self.parts, &fair));
        let histograms = &mut self.histograms;
        let named = self.names.iter().filter_map(|name| Some((name.clone(), histograms.remove(name)?)));
        CellRecord {
            limiter,
            limiter_figures,
            phases: phases::joined(&self.parts, &shifts),
            series: series::joined(&self.parts, &shifts),
            histograms: named.collect(),
            points: measurements::points(&self.parts),
            measurements,
            events,
            // Figures without a rule of joining are absent: each rank's notebook has them.
            ..ended
        }
    }

    /// A cell counts when every rank's counts.
    fn ended(&self) -> CellRecord {
        let is = |state| self.parts.iter().any(|part| part.record.state == state);
        let state = match (is(CellState::Invalid), is(CellState::Interrupted)) {
            (true, _) => CellState::Invalid,
            (false, true) => CellState::Interrupted,
            (false, false) => CellState::Done,
        };
        let of_host = |part: &Part| {
            let (rank, host) = (part.rank, part.host.clone());
            let of = move |why| Reason::OfHost { rank, host: host.clone(), why: Box::new(why) };
            part.record.reasons.clone().into_iter().map(of)
        };
        let reasons = self.parts.iter().flat_map(of_host).collect();
        CellRecord { state, reasons, ..CellRecord::default() }
    }
}

/// The events of all hosts: the same sentence once, with the sum of its counts.
fn events(parts: &mut [Part]) -> Vec<Event> {
    let mut all: Vec<Event> = Vec::new();
    for event in parts.iter_mut().flat_map(|part| std::mem::take(&mut part.record.events)) {
        let is_same = |known: &&mut Event| known.kind == event.kind && known.message == event.message;
        match all.iter_mut().find(is_same) {
            // A setting is one setting, on however many hosts.
            Some(known) if event.kind == EventKind::Error => known.count += event.count,
            Some(_) => {}
            None => all.push(event),
        }
    }
    all
}

#[cfg(test)]
mod tests;
