//! The results of a cell's loads while they are gathered: its clock, its phases and points, and what counts.

use std::time::Duration;

use block::{Ended, Outcome};
use measure::{Histogram, Timeline};
use notebook::{Phase, Point};
use words::{EventKind, Happening, HistogramName, Latency, PhaseName, Reasons};

use crate::watch::limiter::Processors;

/// The results of all loads of one cell.
pub(super) struct Results {
    pub(super) phases: Vec<Phase>,
    pub(super) points: Vec<Point>,
    /// Latencies of the directions of points, by name.
    pub(super) of_points: Vec<(HistogramName, Histogram)>,
    /// Everything that counts, one run after the other.
    pub(super) counted: Option<Outcome>,
    /// Notes for the reader: the preparation of the drive, and the findings.
    pub(super) notes: Vec<(EventKind, Happening)>,
    /// Reads and writes of all runs, second by second; it begins with the cell's first load.
    pub(super) timeline: Option<Timeline>,
    /// The same for reads, writes and discards alone.
    pub(super) directions: Option<[Timeline; 3]>,
    /// Bytes written by all runs.
    pub(super) written_bytes: u64,
    /// The faults of all runs.
    pub(super) warnings: Reasons,
    /// True if the figures hold in spite of the warnings.
    pub(super) figures_hold: bool,
    pub(super) ended: Ended,
    /// The use of the machine's processors in each run that was measured, and its length in seconds.
    pub(super) processors: Vec<(Processors, f64)>,
    /// The bytes that other programs moved on the drive in the runs that were measured, and the seconds of
    /// those for which that is known.
    pub(super) drive_others: (f64, f64),
}

impl Default for Results {
    fn default() -> Results {
        Results {
            phases: Vec::new(),
            points: Vec::new(),
            of_points: Vec::new(),
            counted: None,
            notes: Vec::new(),
            timeline: None,
            directions: None,
            written_bytes: 0,
            warnings: Reasons::default(),
            figures_hold: true,
            ended: Ended::Complete,
            processors: Vec::new(),
            drive_others: (0.0, 0.0),
        }
    }
}

impl Results {
    /// Adds a run to the cell's timelines, whether or not it counts.
    pub(super) fn note_run(&mut self, outcome: &Outcome) {
        let timeline = self.timeline.get_or_insert_with(|| Timeline::new(outcome.started_ns));
        timeline.merge(&outcome.timeline());
        let empty = || Timeline::new(outcome.started_ns);
        let directions = self.directions.get_or_insert_with(|| [empty(), empty(), empty()]);
        for (all, own) in directions.iter_mut().zip([&outcome.read, &outcome.write, &outcome.discard]) {
            all.merge(&own.timeline);
        }
        // Ramp-ups write too: the timeline counts them.
        self.written_bytes += outcome.write.timeline.seconds().iter().map(|second| second.bytes).sum::<u64>();
        self.figures_hold &= outcome.figures_hold();
        for warning in outcome.warnings() {
            if !self.warnings.0.contains(&warning) {
                self.warnings.0.push(warning);
            }
        }
        if self.ended == Ended::Complete {
            self.ended = outcome.ended;
        }
    }

    /// Notes the use of the processors while a run of this length was measured.
    pub(super) fn note_processors(&mut self, used: Processors, measured: Duration) {
        self.processors.push((used, measured.as_secs_f64()));
    }

    /// Notes the bytes per second of other programs on the drive, where they are known.
    pub(super) fn note_drive(&mut self, bytes_per_s: Option<f64>, measured: Duration) {
        if let Some(bytes_per_s) = bytes_per_s {
            self.drive_others.0 += bytes_per_s * measured.as_secs_f64();
            self.drive_others.1 += measured.as_secs_f64();
        }
    }

    /// The use of the machine's processors by all; `None` where it is not known.
    pub(super) fn processors(&self) -> Option<Processors> {
        Processors::mean(&self.processors)
    }

    /// Seconds on the cell's clock at which the measuring of a run began and ended.
    pub(super) fn place_in_time(&self, outcome: &Outcome) -> (f64, f64) {
        let origin_ns = self.timeline.as_ref().map_or(outcome.started_ns, Timeline::origin_ns);
        let start_s = outcome.started_ns.saturating_sub(origin_ns) as f64 / 1e9;
        let measure_s = start_s + outcome.ramp_up.as_secs_f64();
        (measure_s, measure_s + outcome.elapsed.as_secs_f64())
    }

    /// Adds a phase, or makes the last one longer when it has the same name.
    pub(super) fn phase(&mut self, name: PhaseName, start_s: f64, end_s: f64) {
        match self.phases.last_mut() {
            Some(last) if last.name == name => last.end_s = end_s,
            _ => self.phases.push(Phase { name: name.into(), start_s, end_s }),
        }
    }

    /// Adds a point with the latencies of its directions: each run of a point is a load of its own.
    pub(super) fn add_point(&mut self, point: Point, outcome: &Outcome) {
        self.points.push(point);
        let number = self.points.len() as u32;
        for (latency, direction) in [
            (Latency::Read, &outcome.read),
            (Latency::Write, &outcome.write),
            (Latency::Flush, &outcome.flush),
        ] {
            if !direction.latency.is_empty() {
                self.of_points.push((HistogramName::Point(number, latency), direction.latency.clone()));
            }
        }
    }

    /// Adds a run to the cell's report.
    pub(super) fn count(&mut self, outcome: Outcome) {
        match &mut self.counted {
            None => self.counted = Some(outcome),
            Some(counted) => counted.add_after(outcome),
        }
    }

    /// Adds the one run of a cell without points: it ramps up, then all of it counts.
    pub(super) fn count_alone(&mut self, outcome: Outcome) {
        let (start_s, end_s) = self.place_in_time(&outcome);
        self.phase(PhaseName::RampUp, start_s - outcome.ramp_up.as_secs_f64(), start_s);
        self.phase(PhaseName::Measure, start_s, end_s);
        self.count(outcome);
    }
}
