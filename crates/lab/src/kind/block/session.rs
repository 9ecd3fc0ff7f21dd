//! A cell in progress: runs its loads one after the other, keeps its clock, and gathers the results.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use words::{EventKind, PhaseName, Reasons};

use block::{Control, Ended, Job, Outcome};
use experiment::Block;
use measure::Timeline;
use notebook::{Phase, Point};

use super::jobs::{self, Asked, LevelLoad};
use super::place::BlockStorage;
use super::recording::Recording;
use crate::Event;
use crate::conductor::Conductor;
use crate::order::CellKey;
use crate::watch::cell::cell_seed;
use crate::watch::meter::SECOND;

/// One cell of block I/O.
pub(super) struct Session<'a> {
    pub(super) conductor: &'a Conductor<'a>,
    pub(super) key: CellKey,
    pub(super) block: &'a Block,
    pub(super) place: BlockStorage,
    pub(super) phases: Vec<Phase>,
    pub(super) points: Vec<Point>,
    /// Everything that counts, one run after the other.
    pub(super) counted: Option<Outcome>,
    /// Sentences for the reader: the preparation of the drive, and the findings.
    pub(super) notes: Vec<(EventKind, String)>,
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
    /// The trace of the cell, when one is asked for.
    pub(super) recording: Option<Recording>,
    runs: u64,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        conductor: &'a Conductor<'a>,
        key: CellKey,
        block: &'a Block,
        place: BlockStorage,
        recording: Option<Recording>,
    ) -> Session<'a> {
        Session {
            conductor,
            key,
            block,
            place,
            phases: Vec::new(),
            points: Vec::new(),
            counted: None,
            notes: Vec::new(),
            timeline: None,
            directions: None,
            written_bytes: 0,
            warnings: Reasons::default(),
            figures_hold: true,
            ended: Ended::Complete,
            recording,
            runs: 0,
        }
    }

    /// True if another run may begin: nobody asked to stop, and the target still answers.
    pub(super) fn goes_on(&self) -> bool {
        self.ended == Ended::Complete && !self.conductor.interrupt.requested()
    }

    /// The level's load as the workload says it.
    pub(super) fn level(&self) -> LevelLoad {
        match (&self.block.rate, self.block.depth.get(self.key.level)) {
            (Some(rates), _) => {
                LevelLoad::Rate { rate: rates[self.key.level], depth_max: self.block.depth_max }
            }
            (None, Some(depth)) => LevelLoad::Depth(*depth),
            (None, None) => LevelLoad::None,
        }
    }

    /// The workload's parameters, with another load.
    pub(super) fn asked(&self, load: LevelLoad) -> Asked {
        Asked {
            load,
            read: None,
            block_size: None,
            ramp_up: self.block.ramp_up.0,
            measure: self.block.measure.0,
            // Each run draws other I/Os; the same run of another bed draws the same.
            seed: cell_seed(self.conductor.seed, self.key) ^ self.runs.wrapping_mul(0xd134_2543_de82_ef95),
        }
    }

    /// Runs the workload's streams as asked.
    pub(super) fn run(&mut self, asked: &Asked) -> Result<Outcome, String> {
        let mut jobs = jobs::jobs(self.block, &self.place, asked)?;
        if let Some(recording) = &self.recording {
            for (job, on_log) in jobs.iter_mut().zip(jobs::on_log(self.block)) {
                recording.attach(job, on_log && !self.place.is_one);
            }
        }
        self.run_jobs(&jobs, "measure")
    }

    /// Runs jobs together while a watcher passes on interrupts and shows progress; `phase` is the phase for
    /// the watcher.
    pub(super) fn run_jobs(&mut self, jobs: &[Job], phase: &'static str) -> Result<Outcome, String> {
        self.runs += 1;
        let conductor = self.conductor;
        let (control, over) = (Control::on(conductor.clock()), AtomicBool::new(false));
        let outcomes = conductor.clock().scope(|scope| {
            scope.spawn(|| watch(conductor, &control, &over, phase));
            let outcomes = block::run_together(jobs, &control);
            over.store(true, Ordering::Release);
            outcomes.map_err(|e| e.to_string())
        })?;
        let mut outcomes = outcomes.into_iter();
        let mut all = outcomes.next().ok_or("the workload has no load")?;
        outcomes.for_each(|outcome| all.add_beside(outcome));
        all.join_streams();
        self.note_run(&all);
        Ok(all)
    }

    fn note_run(&mut self, outcome: &Outcome) {
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

    /// Adds a run to the cell's report.
    pub(super) fn count(&mut self, outcome: Outcome) {
        match &mut self.counted {
            None => self.counted = Some(outcome),
            Some(counted) => counted.add_after(outcome),
        }
    }
}

fn watch(conductor: &Conductor<'_>, control: &Control, over: &AtomicBool, phase: &'static str) {
    let start = conductor.clock().stopwatch();
    conductor.observer.event(Event::Phase { name: phase });
    let mut last = (conductor.clock().stopwatch(), control.live());
    let mut pause = Duration::from_millis(1);
    while !over.load(Ordering::Acquire) {
        conductor.clock().sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(100));
        if conductor.interrupt.requested() {
            control.stop();
        }
        if last.0.elapsed() >= SECOND {
            let live = control.live();
            let rate_per_s = (live.ios - last.1.ios) as f64 / last.0.seconds();
            let [p50_ns, p99_ns, p999_ns] = live.quantiles_ns_since(&last.1, [0.5, 0.99, 0.999]);
            conductor.observer.event(Event::Live {
                rate_per_s,
                unit: "IOPS",
                p50_ns,
                p99_ns,
                p999_ns,
                elapsed: start.elapsed(),
            });
            last = (conductor.clock().stopwatch(), live);
        }
    }
}
