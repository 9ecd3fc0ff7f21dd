//! A cell in progress: runs its loads one after the other, keeps its clock, and gathers the results.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use block::{Control, Ended, Job, LivePhase, Outcome};
use experiment::Block;
use ground::Laps;
use words::{EventKind, Happening, PhaseName, Reason};

use super::jobs::{self, Asked, LevelLoad};
use super::place::BlockStorage;
use super::recording::Recording;
use super::results::Results;
use super::settling::Settling;
use crate::conductor::Conductor;
use crate::event::{Event, Live};
use crate::order::CellKey;
use crate::watch::limiter::Processors;
use crate::watch::meter::SECOND;
use crate::watch::others::{Bystanders, DriveShare};

/// One cell of block I/O.
pub(super) struct Session<'a> {
    pub(super) conductor: &'a Conductor<'a>,
    pub(super) key: CellKey,
    pub(super) block: &'a Block,
    pub(super) place: BlockStorage,
    pub(super) results: Results,
    /// The trace of the cell, when one is asked for.
    pub(super) recording: Option<Recording>,
    /// True from the first load that is measured: it begins on all hosts of a fleet at once.
    pub(super) meets: bool,
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
            results: Results::default(),
            recording,
            meets: false,
            runs: 0,
        }
    }

    /// True if another run may begin: nobody asked to stop, and the target still answers.
    pub(super) fn goes_on(&self) -> bool {
        self.results.ended == Ended::Complete && !self.conductor.stops()
    }

    /// The level's load as the workload says it.
    pub(super) fn level(&self) -> LevelLoad {
        LevelLoad::of(self.block, self.key.level)
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
            seed: ground::seed_of_part(self.conductor.cell_seed(self.key), self.runs),
        }
    }

    /// Runs the workload's streams as asked.
    pub(super) fn run(&mut self, asked: &Asked) -> Result<Outcome, Reason> {
        let mut jobs = jobs::jobs(self.block, &self.place, asked)?;
        if let Some(recording) = &self.recording {
            for (job, on_log) in jobs.iter_mut().zip(jobs::on_log(self.block)) {
                recording.attach(job, on_log && !self.place.is_one);
            }
        }
        self.run_jobs(&jobs, PhaseName::Measure)
    }

    /// Runs jobs together while a watcher passes on interrupts and shows progress; `phase` is the phase for
    /// the watcher.
    pub(super) fn run_jobs(&mut self, jobs: &[Job], phase: PhaseName) -> Result<Outcome, Reason> {
        self.runs += 1;
        let conductor = self.conductor;
        let meeting = conductor.meeting.clone();
        let control = Control::on(conductor.clock());
        let control = match self.meets {
            true => control.beginning_with(Arc::new(meeting)),
            false => control,
        };
        let over = AtomicBool::new(false);
        let window = self
            .block
            .until_settled
            .filter(|_| phase == PhaseName::Measure && conductor.world.membership.is_alone());
        let settled = AtomicBool::new(false);
        let (others, drive) = (OnceLock::new(), self.place.path_of_data());
        let outcomes = conductor.clock().scope(|scope| {
            scope.spawn(|| {
                let settling = window.map(|window| (Settling::over(window.0), &settled));
                let beside = watch((conductor, drive), &control, &over, phase, settling);
                if let Some(beside) = beside {
                    let _ = others.set(beside); // One watcher sets it once.
                }
            });
            let outcomes = block::run_together(jobs, &control);
            over.store(true, Ordering::Release);
            outcomes.map_err(Reason::error)
        })?;
        let mut outcomes = outcomes.into_iter();
        let mut all = outcomes.next().ok_or(Reason::NoLoad)?;
        outcomes.for_each(|outcome| all.add_beside(outcome));
        all.join_streams();
        if settled.into_inner() {
            let most = jobs.iter().map(|job| job.measure).max().unwrap_or_default();
            let (measured_s, most_s) = (all.elapsed.as_secs_f64(), most.as_secs_f64());
            self.results.notes.push((EventKind::Steady, Happening::Settled { measured_s, most_s }));
        }
        self.results.note_run(&all);
        if let (Some((processors, drive_bytes_per_s)), true) =
            (others.into_inner(), phase == PhaseName::Measure)
        {
            self.results.note_processors(processors, all.elapsed);
            self.results.note_drive(drive_bytes_per_s, all.elapsed);
        }
        Ok(all)
    }
}

/// Watches until `over`, and ends a load that has settled. Gives the use of the machine's processors after
/// the ramp-up, and the bytes per second of others on the drive at a path.
fn watch(
    (conductor, drive): (&Conductor<'_>, Option<&Path>),
    control: &Control,
    over: &AtomicBool,
    phase: PhaseName,
    mut settling: Option<(Settling, &AtomicBool)>,
) -> Option<(Processors, Option<f64>)> {
    let start = conductor.clock().stopwatch();
    conductor.observer.event(Event::Phase { name: phase });
    let (mut laps, mut before) = (Laps::of(conductor.clock(), SECOND), control.live());
    let mut pause = Duration::from_millis(1);
    let mut bystanders = None;
    while !over.load(Ordering::Acquire) {
        // In a fleet the load begins later than this watcher: when all ranks are ready.
        if bystanders.is_none() && control.live().phase >= LivePhase::Measure {
            let share = drive.and_then(|drive| DriveShare::since_now(drive, conductor.world));
            bystanders = Some((Bystanders::since_now(conductor.world), share));
        }
        conductor.clock().sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(100));
        if conductor.stops() {
            control.stop();
        }
        if let Some(lap) = laps.ended() {
            let live = control.live();
            let rate_per_s = (live.ios - before.ios) as f64 / lap.as_secs_f64();
            if let Some((rates, settled)) = &mut settling
                && rates.is_over_with(rate_per_s)
            {
                settled.store(true, Ordering::Release);
                control.enough();
            }
            let [p50_ns, p99_ns, p999_ns] = live.quantiles_ns_since(&before, [0.5, 0.99, 0.999]);
            let (unit, elapsed_s) = ("IOPS".to_owned(), start.seconds());
            let told = Live { rate_per_s, unit, p50_ns, p99_ns, p999_ns, elapsed_s, ..Live::default() };
            conductor.observer.event(Event::Live(told));
            before = live;
        }
    }
    let (bystanders, share) = bystanders?;
    let drive_bytes_per_s = share.and_then(|share| bystanders.drive_bytes_per_s(&share));
    Some((bystanders.processors()?, drive_bytes_per_s))
}
