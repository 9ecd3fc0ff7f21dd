//! Starting the workers of a run together, waiting for them with a limit, and adding up their results.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use ground::{Monitor, Random, Thread, nanoseconds};

use crate::arrivals::{Arriving, Schedule};
use crate::buffer::Buffers;
use crate::bursts::Beside;
use crate::clock;
use crate::content::Writer;
use crate::control::Control;
use crate::durable::Durable;
use crate::engine::{Engine, Modelled, Null, Psync, Uring, open_ring};
use crate::error::BlockError;
use crate::generate::{Cursors, Generator, cursors};
use crate::job::{EngineKind, Job, Shape};
use crate::journal::JournalSender;
use crate::ledgers::{LedgersOf, Opened};
use crate::outcome::{Ended, Outcome, StreamOutcome};
use crate::pin;
use crate::record::{LANES, Phases, Recorder};
use crate::standstill::{self, Looks};
use crate::start::Start;
use crate::target::{OpenTarget, Span};
use crate::worker::{Ending, Terms, Worker, WorkerResult};

/// Random stream of buffer contents, apart from those of the workers' choices.
const BUFFER_STREAM: u64 = 1 << 32;
/// Beyond the drain limit, so long may a worker take before it counts as stuck.
const GRACE: Duration = Duration::from_secs(5);
/// The interval between checks for stuck workers.
const LOOK_NS: u64 = 50_000_000;
/// Stack of a worker thread: psync may start thousands.
const STACK_BYTES: usize = 512 << 10;

/// Everything the workers of one run have in common.
pub(crate) struct Crew {
    pub(crate) job: Job,
    pub(crate) targets: Arc<[OpenTarget]>,
    pub(crate) spans: Vec<Span>,
    pub(crate) ledgers: LedgersOf,
    /// The key of the marks in written data.
    key: u64,
    journal: Option<JournalSender>,
    pub(crate) control: Control,
    cursors: Cursors,
    next_arrival: AtomicU64,
    bytes_left: Option<AtomicU64>,
    start: Arc<Start>,
}

type Report = (u32, Result<WorkerResult, BlockError>);

/// The results of workers as they come, and the workers that are still to hand in theirs.
struct Reports {
    come: Vec<Report>,
    missing: u32,
}

/// Counts a worker as gone, also one that panics.
struct Gone(Arc<Monitor<Reports>>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.change(|reports| reports.missing -= 1);
    }
}

impl Crew {
    pub(crate) fn new(
        opened: Opened<'_>,
        ledgers: LedgersOf,
        key: u64,
        journal: Option<JournalSender>,
        control: &Control,
        start: Arc<Start>,
    ) -> Crew {
        let Opened { job, targets, spans } = opened;
        Crew {
            cursors: cursors(job),
            bytes_left: job.bytes_max.map(AtomicU64::new),
            job: job.clone(),
            targets: targets.into(),
            spans,
            ledgers,
            key,
            journal,
            control: control.clone(),
            next_arrival: AtomicU64::new(0),
            start,
        }
    }

    /// Runs all workers and adds up their results.
    pub(crate) fn run(self: &Arc<Crew>) -> Result<Outcome, BlockError> {
        let workers = workers_of(&self.job);
        let reports = Reports { come: Vec::with_capacity(workers as usize), missing: workers };
        let reports = Arc::new(Monitor::new(&self.control.clock, reports));
        let mut threads = Vec::with_capacity(workers as usize);
        for worker in 0..workers {
            let spawned = self.spawn(worker, Arc::clone(&reports)).inspect_err(|_| self.start.give_up());
            threads.push(spawned?);
        }
        let mut looks = Looks::new(&self.control.clock, LOOK_NS);
        let (results, panicked) = self.collect(workers, &reports, &mut looks)?;
        if panicked {
            for thread in threads {
                if let Err(panic) = thread.join() {
                    std::panic::resume_unwind(panic);
                }
            }
        }
        // Otherwise threads are not joined: the kernel may hold one at its exit until I/Os that were given up
        // return.
        let phases = self.phases_from(self.start.started_ns());
        let mut outcome = add_up(&self.job, phases, workers, results);
        let measured = (phases.measure_start_ns, phases.measure_start_ns + nanoseconds(outcome.elapsed));
        outcome.standstills = standstill::within(&looks.found, phases.started_ns, measured);
        Ok(outcome)
    }

    fn spawn(
        self: &Arc<Crew>,
        worker: u32,
        reports: Arc<Monitor<Reports>>,
    ) -> Result<Thread<JoinHandle<()>>, BlockError> {
        let crew = Arc::clone(self);
        let work = move || {
            let Gone(reports) = &Gone(reports);
            let result = crew.work(worker);
            // Whoever has all results may use the targets again: no worker holds them open any more.
            drop(crew);
            reports.change(|reports| reports.come.push((worker, result)));
        };
        let builder = Builder::new().name(format!("block-{worker}")).stack_size(STACK_BYTES);
        self.control.clock.spawn(builder, work).map_err(|source| BlockError::Engine {
            engine: self.job.engine.name(),
            action: "start a thread",
            source,
            help: "use a smaller depth or engine io_uring",
        })
    }

    /// Waits for every worker, but not longer than the phases and the drain limit allow. The results, and
    /// whether a worker panicked.
    fn collect(
        &self,
        workers: u32,
        reports: &Monitor<Reports>,
        looks: &mut Looks<'_>,
    ) -> Result<(Vec<(u32, WorkerResult)>, bool), BlockError> {
        let clock = &self.control.clock;
        let mut results = Vec::with_capacity(workers as usize);
        let mut stopped_ns = None;
        let mut not_started = 0;
        while results.len() + not_started < workers as usize {
            let come = reports.wait_until(clock.now_ns() + LOOK_NS, |reports| {
                let is_news = !reports.come.is_empty() || reports.missing == 0;
                is_news.then(|| std::mem::take(&mut reports.come))
            });
            looks.look();
            // Every worker is over, one of them without a result.
            if come.as_ref().is_some_and(Vec::is_empty) {
                return Ok((results, true));
            }
            let is_silent = come.is_none();
            for report in come.into_iter().flatten() {
                match report {
                    // Some other worker knows why.
                    (_, Err(BlockError::NotStarted)) => not_started += 1,
                    (worker, result) => results.push((worker, result?)),
                }
            }
            let end_ns = if self.control.is_stopped() {
                *stopped_ns.get_or_insert_with(|| clock.now_ns())
            } else {
                self.start.since().map_or(u64::MAX, |ns| self.phases_from(ns).measure_end_ns)
            };
            let patience_ns = nanoseconds(self.job.drain_max.saturating_add(GRACE));
            if is_silent && clock.now_ns() > end_ns.saturating_add(patience_ns) {
                return Ok((results, false));
            }
        }
        if not_started > 0 { Err(BlockError::NotStarted) } else { Ok((results, false)) }
    }

    /// The phases of this job's load within a run that started then.
    fn phases_from(&self, started_ns: u64) -> Phases {
        let load_start_ns = started_ns.saturating_add(nanoseconds(self.job.start_after));
        let measure_start_ns = started_ns.saturating_add(nanoseconds(self.job.ramp_up));
        let run_end_ns = measure_start_ns.saturating_add(nanoseconds(self.job.measure));
        let load_end_ns =
            self.job.run_for.map_or(u64::MAX, |time| load_start_ns.saturating_add(nanoseconds(time)));
        let measure_end_ns = run_end_ns.min(load_end_ns);
        Phases {
            started_ns,
            load_start_ns,
            measure_start_ns: measure_start_ns.max(load_start_ns).min(measure_end_ns),
            measure_end_ns,
        }
    }

    /// The body of one worker thread.
    fn work(&self, worker: u32) -> Result<WorkerResult, BlockError> {
        clock::sleep_precisely();
        if let Some(first) = self.job.pin_from {
            pin::to_processor(first.saturating_add(worker));
        }
        let depth = self.job.shape.depth();
        match &self.job.engine {
            EngineKind::Null => self.run_engine(worker, depth, Ok(Null::new(depth))),
            EngineKind::Modelled(drive) => {
                let sizes: Vec<u64> = self.targets.iter().map(|target| target.size_bytes).collect();
                self.run_engine(worker, depth, Ok(Modelled::new(drive.clone(), &sizes, depth)))
            }
            EngineKind::Psync => {
                let engine = Psync::new(Arc::clone(&self.targets), self.buffers(worker, 1));
                self.run_engine(worker, 1, Ok(engine))
            }
            EngineKind::IoUring => match open_ring(depth) {
                Err(error) => self.run_engine::<Null>(worker, depth, Err(error)),
                Ok((mut ring, mode)) => {
                    let buffers = self.buffers(worker, depth as usize);
                    let engine = Uring::new(&mut ring, mode, &self.targets, buffers);
                    self.run_engine(worker, depth, engine)
                }
            },
        }
    }

    /// Joins the others at the start, also when this worker has no engine: they would wait for it.
    pub(crate) fn run_engine<E: Engine>(
        &self,
        worker: u32,
        depth: u32,
        engine: Result<E, BlockError>,
    ) -> Result<WorkerResult, BlockError> {
        let generator = Generator::new(&self.job, &self.spans, Arc::clone(&self.cursors), u64::from(worker));
        let writer = Writer::new(self.job.content, self.job.seed, self.key, u64::from(worker))
            .mixing(self.targets.len() > 1)
            .odd(self.job.streams.iter().any(|stream| stream.writes_odd(self.job.align_bytes)));
        if engine.is_err() {
            self.start.give_up();
        }
        let all_there = self.start.wait();
        let engine = engine?;
        if !all_there {
            return Err(BlockError::NotStarted);
        }
        let phases = self.phases_from(self.start.started_ns());
        let schedule = Schedule::of(&self.job.shape, phases.load_start_ns, self.job.seed);
        let mut recorder = Recorder::new(phases, self.job.streams.len(), schedule.is_some());
        let comes_in_bursts = matches!(self.job.shape, Shape::Bursts { .. });
        let burst_clock = self.start.bursts.as_ref();
        recorder.beside = burst_clock.filter(|_| !comes_in_bursts).cloned().map(Beside::new);
        let terms = Terms {
            bytes_left: self.bytes_left.as_ref(),
            bursts: burst_clock.filter(|_| comes_in_bursts).map(|clock| &**clock),
            durable: self.journal.clone().map(|journal| Durable::new(journal, depth)),
            ..Terms::of(&self.job, writer)
        };
        let worker = Worker::new(engine, generator, recorder, &self.control, &self.ledgers, depth, terms);
        self.start.begin(&self.control);
        match (schedule, self.job.think) {
            (Some(schedule), _) => worker.open_loop(Arriving::new(schedule, &self.next_arrival)),
            (None, Some(think)) => worker.thinking_loop(think),
            (None, None) => worker.closed_loop(),
        }
    }

    /// Slots for the largest I/O, random when anything is written.
    fn buffers(&self, worker: u32, slots: usize) -> Buffers {
        let mut buffers = Buffers::new(slots, self.job.largest_io_bytes() as usize);
        if self.job.writes() {
            let mut random = Random::stream(self.job.seed, BUFFER_STREAM + u64::from(worker));
            (0..slots).for_each(|slot| self.job.content.fill(&mut random, self.key, buffers.slot(slot)));
        }
        buffers
    }
}

/// Threads of a job.
pub(crate) fn workers_of(job: &Job) -> u32 {
    match job.engine {
        EngineKind::Psync => job.shape.depth().saturating_mul(job.workers),
        _ => job.workers,
    }
}

pub(crate) fn add_up(
    job: &Job,
    phases: Phases,
    workers: u32,
    mut results: Vec<(u32, WorkerResult)>,
) -> Outcome {
    results.sort_by_key(|(worker, _)| *worker);
    let mut outcome = Outcome::empty(phases.started_ns, workers);
    outcome.streams =
        job.streams.iter().map(|stream| StreamOutcome::empty(&stream.name, phases.started_ns)).collect();
    let lost = workers - results.len() as u32;
    for (_, result) in results {
        outcome.add(&result, phases, !matches!(job.shape, Shape::ClosedLoop { .. }));
    }
    for stream in &mut outcome.streams {
        stream.elapsed = outcome.elapsed;
        outcome.read.merge(&stream.read);
        outcome.write.merge(&stream.write);
        outcome.discard.merge(&stream.discard);
        outcome.flush.merge(&stream.flush);
    }
    outcome.ramp_up = outcome.ramp_up.min(job.ramp_up);
    outcome.cpu.process_ns = outcome.cpu.process_ns.max(outcome.cpu.user_ns + outcome.cpu.system_ns);
    if lost > 0 {
        outcome.ended = Ended::WorkersStuck { workers: lost };
    }
    outcome
}

impl Outcome {
    fn add(&mut self, result: &WorkerResult, phases: Phases, open: bool) {
        let recorder = &result.recorder;
        for (stream, lanes) in self.streams.iter_mut().zip(recorder.lanes.chunks_exact(LANES)) {
            let directions = [&mut stream.read, &mut stream.write, &mut stream.discard, &mut stream.flush];
            for (direction, lane) in directions.into_iter().zip(lanes) {
                direction.ios += lane.ios;
                direction.bytes += lane.bytes;
                direction.latency.merge(&lane.latency);
                // A closed loop starts every I/O when it is meant to: both times are one.
                direction.service.merge(if open { &lane.service } else { &lane.latency });
                direction.timeline.merge(&lane.timeline);
            }
        }
        self.lag.merge(&recorder.lag);
        self.add_bursts(recorder.beside.as_ref().map(|beside| &beside.split));
        for (errno, &count) in recorder.errors.iter().enumerate().filter(|(_, count)| **count > 0) {
            *self.errors.entry(errno as i32).or_default() += count;
        }
        self.short_ios += recorder.short_ios;
        self.unfinished += recorder.unfinished;
        self.after_end += recorder.after_end;
        self.cpu.user_ns += result.cpu.user_ns;
        self.cpu.spun_ns += result.cpu.spun_ns;
        self.cpu.system_ns += result.cpu.system_ns;
        self.cpu.process_ns = self.cpu.process_ns.max(result.cpu.process_ns);
        let end_ns = recorder.phases.measure_end_ns;
        let measured = Duration::from_nanos(end_ns.saturating_sub(phases.measure_start_ns));
        self.elapsed = self.elapsed.max(measured);
        self.ramp_up = self.ramp_up.min(Duration::from_nanos(end_ns.saturating_sub(phases.started_ns)));
        match result.ending {
            Ending::Failures { errno } => self.ended = Ended::TargetFailing { errno },
            Ending::Stop if self.ended == Ended::Complete => self.ended = Ended::Stopped,
            _ => {}
        }
        for feature in &result.features {
            if !self.engine_features.contains(feature) {
                self.engine_features.push(feature);
            }
        }
    }
}
