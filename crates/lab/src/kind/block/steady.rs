//! Rounds until a steady state: the tracked figures, the criterion, and what is told about it.

use std::collections::VecDeque;
use words::{EventKind, Happening, RoundsEnd, SteadyFigure, Tracked};

use block::Outcome;
use experiment::{Share, Size, Steady, SteadyMetric, Track};
use measure::{SteadyCriteria, SteadyState, assess_steady_state};
use notebook::Event;

use crate::metrics;

/// The rounds so far.
pub(super) struct Rounds<'a> {
    asked: &'a Steady,
    /// Of each tracked figure, its value in each round that is looked at.
    values: Vec<Vec<f64>>,
    /// The results of the tracked points, for as many rounds as a window has.
    recent: VecDeque<(u32, Vec<Outcome>)>,
    /// Of the round under way, each tracked figure.
    now: Vec<Option<f64>>,
    now_outcomes: Vec<Outcome>,
    end: Option<RoundsEnd>,
    round: u32,
}

/// The result of the rounds.
pub(super) struct Steadiness {
    /// Each tracked figure with its unit, its rounds, and the last window.
    pub(super) tracked: Vec<(Tracked, &'static str, Vec<f64>, Option<SteadyState>)>,
    pub(super) attained: bool,
    pub(super) rounds: u32,
    /// The rounds of the window that is reported.
    pub(super) window_rounds: Vec<u32>,
    /// The reason of its end.
    pub(super) end: RoundsEnd,
}

impl<'a> Rounds<'a> {
    pub(super) fn new(asked: &'a Steady) -> Rounds<'a> {
        let tracks = asked.track.len();
        Rounds {
            asked,
            values: vec![Vec::new(); tracks],
            recent: VecDeque::new(),
            now: vec![None; tracks],
            now_outcomes: Vec::new(),
            end: None,
            round: 0,
        }
    }

    /// Records the result of one point of a round.
    pub(super) fn take(&mut self, round: u32, pair: (Option<Share>, Option<Size>), outcome: Outcome) {
        if !round.is_multiple_of(self.asked.every) {
            return;
        }
        let mut is_tracked = false;
        for (track, now) in self.asked.track.iter().zip(&mut self.now) {
            if is_point_of(track, pair) {
                *now = Some(figure(track.metric, &outcome));
                is_tracked = true;
            }
        }
        if is_tracked {
            self.now_outcomes.push(outcome);
        }
    }

    /// Ends a round, and says whether it was the last: all tracked figures are steady, or enough was written.
    pub(super) fn is_over(&mut self, round: u32, written_times: f64) -> bool {
        self.round = round;
        if round.is_multiple_of(self.asked.every) {
            for (values, now) in self.values.iter_mut().zip(&mut self.now) {
                values.push(now.take().unwrap_or(f64::NAN));
            }
            self.recent.push_back((round, std::mem::take(&mut self.now_outcomes)));
            if self.recent.len() > self.asked.window as usize {
                self.recent.pop_front();
            }
            if self.states().iter().all(|state| state.is_some_and(|state| state.attained)) {
                self.end = Some(RoundsEnd::Steady);
            }
        }
        if self.end.is_none() && self.asked.stop_after_writes.is_some_and(|times| written_times >= times) {
            self.end = Some(RoundsEnd::EnoughWritten);
        }
        self.end.is_some()
    }

    fn states(&self) -> Vec<Option<SteadyState>> {
        let criteria = SteadyCriteria {
            window: self.asked.window as usize,
            excursion: self.asked.excursion.0,
            slope: self.asked.slope.0,
            max_rounds: self.asked.max_rounds as usize,
        };
        self.values.iter().map(|rounds| assess_steady_state(rounds, &criteria)).collect()
    }

    /// The result of the rounds, and the results of the window's tracked points.
    pub(super) fn finish(self) -> (Steadiness, Vec<Outcome>) {
        let states = self.states();
        let attained = !states.is_empty() && states.iter().all(|s| s.is_some_and(|state| state.attained));
        let figures = self.asked.track.iter().map(tracked);
        let tracked = figures
            .zip(self.values)
            .zip(states)
            .map(|(((figure, unit), rounds), state)| (figure, unit, rounds, state))
            .collect();
        let steadiness = Steadiness {
            tracked,
            attained,
            rounds: self.round,
            window_rounds: self.recent.iter().map(|(round, _)| *round).collect(),
            end: self.end.unwrap_or(RoundsEnd::NoMore),
        };
        (steadiness, self.recent.into_iter().flat_map(|(_, outcomes)| outcomes).collect())
    }
}

pub(super) fn is_point_of(track: &Track, (read, block_size): (Option<Share>, Option<Size>)) -> bool {
    track.read.is_none_or(|wanted| read == Some(wanted))
        && track.block_size.is_none_or(|wanted| block_size == Some(wanted))
}

/// A tracked figure: latencies in nanoseconds, unrounded.
fn figure(metric: SteadyMetric, outcome: &Outcome) -> f64 {
    match metric {
        SteadyMetric::Iops => outcome.iops(),
        SteadyMetric::Bandwidth => outcome.bytes_per_second(),
        SteadyMetric::Latency => outcome.latency().mean_ns(),
    }
}

/// A tracked figure and its unit.
fn tracked(track: &Track) -> (Tracked, &'static str) {
    let (figure, unit) = match track.metric {
        SteadyMetric::Iops => (SteadyFigure::Iops, "1/s"),
        SteadyMetric::Bandwidth => (SteadyFigure::Bandwidth, "B/s"),
        SteadyMetric::Latency => (SteadyFigure::MeanLatency, "ns"),
    };
    let read = track.read.map(|read| read.to_string());
    (Tracked { figure, read, block_size: track.block_size.map(|size| size.to_string()) }, unit)
}

impl Steadiness {
    /// The list that a report must have: rounds, window, both criteria with the allowed and the measured
    /// values, and the fitted line.
    pub(super) fn events(&self) -> Vec<Event> {
        let (rounds, end) = (self.rounds, self.end.clone());
        let window = self.window_rounds.first().copied().zip(self.window_rounds.last().copied());
        let summary = match (self.attained, window) {
            (true, Some((first, last))) => Happening::SteadyAttainedWindow { rounds, end, first, last },
            (false, Some((first, last))) => Happening::SteadyMissedWindow { rounds, end, first, last },
            (true, None) => Happening::SteadyAttained { rounds, end },
            (false, None) => Happening::SteadyMissed { rounds, end },
        };
        let event = |message| metrics::event(EventKind::Steady, message);
        let mut events = vec![event(summary)];
        for (figure, unit, rounds, state) in &self.tracked {
            let figure = figure.clone();
            events.push(event(match state {
                None => Happening::SteadyFewRounds { figure, rounds: rounds.len() as u64 },
                Some(state) => Happening::SteadyFigure {
                    figure,
                    unit: (*unit).to_owned(),
                    average: state.average,
                    excursion: state.excursion_measured,
                    excursion_allowed: state.excursion_allowed,
                    slope: state.slope_measured,
                    slope_allowed: state.slope_allowed,
                    fit: state.slope,
                    base: state.intercept,
                },
            }));
        }
        events
    }
}
