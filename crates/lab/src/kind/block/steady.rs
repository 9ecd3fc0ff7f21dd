//! Rounds until a steady state: the tracked figures, the criterion, and the sentences about it.

use std::collections::VecDeque;
use words::say;

use block::Outcome;
use experiment::{Share, Size, Steady, SteadyMetric, Track};
use measure::{SteadyCriteria, SteadyState, assess_steady_state};
use notebook::Event;

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
    end: Option<&'static str>,
    round: u32,
}

/// The result of the rounds.
pub(super) struct Steadiness {
    /// Name and unit of each tracked figure, its rounds, and the last window.
    pub(super) tracked: Vec<(String, &'static str, Vec<f64>, Option<SteadyState>)>,
    pub(super) attained: bool,
    pub(super) rounds: u32,
    /// The rounds of the window that is reported.
    pub(super) window_rounds: Vec<u32>,
    /// The reason of its end.
    pub(super) end: &'static str,
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
                self.end = Some(say!("steady-steady"));
            }
        }
        if self.end.is_none() && self.asked.stop_after_writes.is_some_and(|times| written_times >= times) {
            self.end = Some(say!("steady-enough-written"));
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
        let names = self.asked.track.iter().map(name_of);
        let tracked = names
            .zip(self.values)
            .zip(states)
            .map(|(((name, unit), rounds), state)| (name, unit, rounds, state))
            .collect();
        let steadiness = Steadiness {
            tracked,
            attained,
            rounds: self.round,
            window_rounds: self.recent.iter().map(|(round, _)| *round).collect(),
            end: self.end.unwrap_or(say!("steady-no-more-rounds")),
        };
        (steadiness, self.recent.into_iter().flat_map(|(_, outcomes)| outcomes).collect())
    }
}

fn is_point_of(track: &Track, (read, block_size): (Option<Share>, Option<Size>)) -> bool {
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

fn name_of(track: &Track) -> (String, &'static str) {
    let (name, unit) = match track.metric {
        SteadyMetric::Iops => ("IOPS", "1/s"),
        SteadyMetric::Bandwidth => (say!("steady-bandwidth"), "B/s"),
        SteadyMetric::Latency => (say!("steady-mean-latency"), "ns"),
    };
    let point = [
        track.read.map(|read| say!("steady-reads", read = read.to_string())),
        track.block_size.map(|size| size.to_string()),
    ];
    let point: Vec<String> = point.into_iter().flatten().collect();
    let name =
        if point.is_empty() { name.to_owned() } else { say!("steady-at", name, points = words::list(point)) };
    (name, unit)
}

impl Steadiness {
    /// The list that a report must have: rounds, window, both criteria with the allowed and the measured
    /// values, and the fitted line.
    pub(super) fn events(&self) -> Vec<Event> {
        let (rounds, end) = (self.rounds, self.end);
        let summary = match (self.attained, self.window_rounds.first(), self.window_rounds.last()) {
            (true, Some(first), Some(last)) => say!("steady-attained-window", rounds, end, first, last),
            (false, Some(first), Some(last)) => say!("steady-missed-window", rounds, end, first, last),
            (true, ..) => say!("steady-attained", rounds, end),
            (false, ..) => say!("steady-missed", rounds, end),
        };
        let event = |message| Event { kind: "steady".to_owned(), count: 1, message };
        let mut events = vec![event(summary)];
        for (name, unit, rounds, state) in &self.tracked {
            events.push(event(match state {
                None => say!("steady-few-rounds", name, rounds = rounds.len()),
                Some(state) => say!(
                    "steady-figure",
                    name,
                    average = words::decimals(state.average, 1),
                    unit,
                    excursion = words::decimals(state.excursion_measured, 1),
                    excursion_allowed = words::decimals(state.excursion_allowed, 1),
                    slope = words::decimals(state.slope_measured, 1),
                    slope_allowed = words::decimals(state.slope_allowed, 1),
                    fit = words::decimals(state.slope, 3),
                    base = words::decimals(state.intercept, 1)
                ),
            }));
        }
        events
    }
}
