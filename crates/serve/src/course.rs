//! The seconds of the running cell as the feed tells them, kept between requests: a page that asks each
//! second costs the reading of one second and one drawing.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use measure::Series;
use notebook::{Notebook, Phase, RunId};
use report::{Course, ReportError};
use serde_json::Value;
use words::{Latency, Metric, PhaseName, Statistic, StoredPhase};

use crate::follow::Follower;
use crate::written::Written;

/// The unit of an event's rate, the metric of the notebook that it is, and the factor between them.
const RATES: [(&str, Metric, f64); 3] =
    [("new orders/s", Metric::Nopm, 60.0), ("transactions/s", Metric::Tps, 1.0), ("IOPS", Metric::Iops, 1.0)];
/// The latencies of an event.
const LATENCIES: [(&str, Statistic); 3] =
    [("p50_ns", Statistic::P50), ("p99_ns", Statistic::P99), ("p999_ns", Statistic::P999)];
/// Seconds of processors and drives that are kept.
const MACHINE_SECONDS: usize = 60;
/// Two events closer than this are one second.
const APART_S: f64 = 0.9;

/// The running cell of a notebook, for all pages.
pub(crate) struct Courses(Mutex<State>);

struct State {
    follower: Follower,
    cell: Running,
    /// The course that was drawn last, with the run and the start of its cell.
    drawn: Option<(RunId, u64, Course)>,
    /// The bytes that the bed wrote before its running cell, with the run and the start of that cell.
    written: Option<(RunId, u64, Written)>,
}

/// The running cell as its events tell it.
#[derive(Default)]
struct Running {
    /// Its number, from 1; 0 before the first cell.
    number: u32,
    began_ms: u64,
    unit: String,
    rates: Vec<f64>,
    latencies: [Vec<f64>; 3],
    /// Name and start in s, in their order.
    phases: Vec<(StoredPhase, f64)>,
    /// The last seconds of processors and drives, the latest last.
    machine: Vec<Value>,
}

impl Running {
    fn take(&mut self, event: &Value) {
        let at_ms = event["at_ms"].as_u64().unwrap_or_default();
        match event["event"].as_str().unwrap_or_default() {
            "cell" => {
                let number = event["number"].as_u64().and_then(|number| u32::try_from(number).ok());
                // A part of a long cell's feed begins with its cell, too.
                if (number, at_ms) != (Some(self.number), self.began_ms) {
                    *self =
                        Running { number: number.unwrap_or_default(), began_ms: at_ms, ..Running::default() };
                }
            }
            "phase" => {
                let name = StoredPhase::read(event["phase"].as_str().unwrap_or_default());
                if self.phases.last().is_none_or(|(last, _)| *last != name) {
                    self.phases.push((name, self.rates.len() as f64));
                }
            }
            "live" => self.second(event),
            "second" => {
                self.machine.push(event.clone());
                let old = self.machine.len().saturating_sub(MACHINE_SECONDS);
                self.machine.drain(..old);
            }
            "ended" => *self = Running::default(),
            _ => {}
        }
    }

    /// A second is drawn at its beginning, as those of the notebook are; one that was lost is a gap.
    fn second(&mut self, event: &Value) {
        let start_s = (event["elapsed_s"].as_f64().unwrap_or_default() - 1.0).max(0.0);
        if !self.rates.is_empty() && start_s - (self.rates.len() - 1) as f64 <= APART_S / 2.0 {
            return;
        }
        let index = (start_s.round() as usize).max(self.rates.len());
        let rate = event["rate_per_s"].as_f64().unwrap_or(f64::NAN);
        self.unit = event["unit"].as_str().unwrap_or_default().to_owned();
        let put = |values: &mut Vec<f64>, value: f64| {
            values.resize(index, f64::NAN);
            values.push(value);
        };
        put(&mut self.rates, rate);
        for ((key, _), values) in LATENCIES.iter().zip(&mut self.latencies) {
            put(values, event[key].as_f64().filter(|ns| *ns > 0.0).map_or(f64::NAN, |ns| ns / 1e6));
        }
    }

    /// Writes the seconds into a course.
    fn fill(&self, course: &mut Course) {
        let known = RATES.iter().find(|(unit, ..)| *unit == self.unit);
        let shown = &mut course.shown;
        shown.rate = match known {
            Some((_, metric, factor)) => {
                let values = self.rates.iter().map(|rate| rate * factor).collect();
                Series::new(metric.name(), metric.unit().name(), 0.0, values)
            }
            None => Series::new(self.unit.clone(), self.unit.clone(), 0.0, self.rates.clone()),
        };
        let latencies = LATENCIES.iter().zip(&self.latencies);
        shown.latencies = latencies
            .map(|((_, statistic), values)| {
                let metric = Metric::Latency(Latency::Answer, *statistic);
                (*statistic, Series::new(metric.name(), metric.unit().name(), 0.0, values.clone()))
            })
            .collect();
        shown.phases = self.phases();
    }

    /// The phases with their ends; what is measured ends with the last second so far.
    fn phases(&self) -> Vec<Phase> {
        let end = self.rates.len() as f64;
        let ends = self.phases.iter().skip(1).map(|(_, start_s)| *start_s).chain([end]);
        let phases = self.phases.iter().zip(ends);
        let drawn =
            phases.map(|((name, start_s), end_s)| Phase { name: name.clone(), start_s: *start_s, end_s });
        drawn.filter(|phase| phase.end_s > phase.start_s || phase.name == PhaseName::Measure).collect()
    }
}

impl Courses {
    /// Of the feed beside this notebook.
    pub(crate) fn of(path: &Path) -> Self {
        let follower = Follower::of(path);
        Self(Mutex::new(State { follower, cell: Running::default(), drawn: None, written: None }))
    }

    /// Uses the course of the running cell; `None` where no cell of the run is known to run. The notebook is
    /// opened once in each cell.
    pub(crate) fn with<T>(
        &self,
        run: RunId,
        open: impl FnOnce() -> Result<Notebook, notebook::NotebookError>,
        then: impl FnOnce(&Course) -> T,
    ) -> Result<Option<T>, ReportError> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let State { follower, cell, drawn, .. } = &mut *state;
        read(follower, cell);
        if cell.number == 0 {
            *drawn = None;
            return Ok(None);
        }
        if drawn.as_ref().is_none_or(|(of, began, _)| (*of, *began) != (run, cell.began_ms)) {
            let begun = Course::begun(&open()?, run, cell.number)?;
            *drawn = begun.map(|course| (run, cell.began_ms, course));
        }
        let Some((.., course)) = drawn else { return Ok(None) };
        cell.fill(course);
        Ok(Some(then(course)))
    }

    /// Number of the running cell, from 1.
    pub(crate) fn number(&self) -> Option<u32> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let State { follower, cell, .. } = &mut *state;
        read(follower, cell);
        Some(cell.number).filter(|number| *number > 0)
    }

    /// The last seconds of processors and drives in the running cell, the latest last.
    pub(crate) fn machine(&self) -> Vec<Value> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let State { follower, cell, .. } = &mut *state;
        read(follower, cell);
        cell.machine.clone()
    }

    /// The bytes that the bed of the running cell wrote in the cells before it. The notebook is opened once
    /// in each cell.
    pub(crate) fn written(
        &self,
        run: RunId,
        open: impl FnOnce() -> Result<Notebook, notebook::NotebookError>,
    ) -> Result<Written, notebook::NotebookError> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let State { follower, cell, written, .. } = &mut *state;
        read(follower, cell);
        if let Some((of, began, before)) = written
            && (*of, *began) == (run, cell.began_ms)
        {
            return Ok(*before);
        }
        let before = Written::before(&open()?, run, cell.number)?;
        *written = Some((run, cell.began_ms, before));
        Ok(before)
    }
}

/// Takes the events that came since the last time.
fn read(follower: &mut Follower, cell: &mut Running) {
    loop {
        let lines = follower.next();
        if lines.is_empty() {
            return;
        }
        let events = lines.iter().filter_map(|line| serde_json::from_str::<Value>(&line.text).ok());
        events.for_each(|event| cell.take(&event));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn live(elapsed_s: f64, rate_per_s: f64) -> Value {
        json!({ "event": "live", "elapsed_s": elapsed_s, "rate_per_s": rate_per_s, "unit": "IOPS", "p99_ns": 2e6 })
    }

    #[test]
    fn seconds_stand_where_they_began_and_a_lost_one_is_a_gap() {
        let mut cell = Running::default();
        cell.take(&json!({ "event": "cell", "number": 3, "at_ms": 5 }));
        for (elapsed, rate) in [(1.0, 10.0), (2.01, 20.0), (2.3, 99.0), (4.02, 40.0)] {
            cell.take(&live(elapsed, rate));
        }
        assert_eq!(cell.rates.len(), 4, "{:?}", cell.rates);
        assert!(cell.rates[2].is_nan() && cell.rates[3] == 40.0, "{:?}", cell.rates);
        assert_eq!((cell.latencies[1][0], cell.latencies[0][0].is_nan()), (2.0, true));
        cell.take(&json!({ "event": "cell", "number": 3, "at_ms": 5 }));
        assert_eq!(cell.rates.len(), 4, "another part of the same cell");
        cell.take(&json!({ "event": "cell", "number": 4, "at_ms": 9 }));
        assert!(cell.rates.is_empty() && cell.number == 4);
        cell.take(&json!({ "event": "ended" }));
        assert_eq!(cell.number, 0);
    }

    #[test]
    fn phases_follow_each_other_and_measuring_lasts_until_now() {
        let mut cell = Running::default();
        cell.take(&json!({ "event": "cell", "number": 1, "at_ms": 5 }));
        for phase in ["reset", "ramp-up"] {
            cell.take(&json!({ "event": "phase", "phase": phase }));
        }
        (1..=3).for_each(|second| cell.take(&live(f64::from(second), 1.0)));
        cell.take(&json!({ "event": "phase", "phase": "measure" }));
        (4..=6).for_each(|second| cell.take(&live(f64::from(second), 1.0)));
        let phases: Vec<_> = cell.phases().into_iter().map(|p| (p.name, p.start_s, p.end_s)).collect();
        assert_eq!(phases, [(PhaseName::RampUp.into(), 0.0, 3.0), (PhaseName::Measure.into(), 3.0, 6.0)]);
    }
}
