//! Starting the workers of a run together, waiting for them with a limit, and adding up what they found.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Barrier, OnceLock};
use std::thread;
use std::time::Duration;

use crate::arrivals::Schedule;
use crate::buffer::Buffers;
use crate::clock;
use crate::control::Control;
use crate::engine::{Engine, Modelled, Null, Psync, Uring, open_ring};
use crate::error::BlockError;
use crate::generate::{Cursors, Generator, cursors};
use crate::job::{EngineKind, Job, Shape};
use crate::ledger::Ledger;
use crate::outcome::{DirectionOutcome, Ended, Outcome, OwnCpu, StreamOutcome};
use crate::random::Random;
use crate::record::{Phases, Recorder};
use crate::target::{OpenTarget, Span};
use crate::worker::{Arriving, Ending, Worker, WorkerResult};

/// Random stream of buffer contents, apart from those of the workers' choices.
const BUFFER_STREAM: u64 = 1 << 32;
/// Beyond the drain limit, so long may a worker take before it counts as stuck.
const GRACE: Duration = Duration::from_secs(5);
/// Stack of a worker thread: psync may start thousands.
const STACK_BYTES: usize = 512 << 10;

/// Everything the workers of one run have in common.
pub(crate) struct Crew {
    pub(crate) job: Job,
    pub(crate) target: Arc<OpenTarget>,
    pub(crate) spans: Vec<Span>,
    pub(crate) ledger: Option<Ledger>,
    pub(crate) control: Control,
    cursors: Cursors,
    next_arrival: AtomicU64,
    /// All workers are set up and start together.
    ready: Barrier,
    phases: OnceLock<Phases>,
}

type Report = (u32, Result<WorkerResult, BlockError>);

impl Crew {
    pub(crate) fn new(
        job: &Job,
        target: Arc<OpenTarget>,
        spans: Vec<Span>,
        ledger: Option<Ledger>,
        control: &Control,
    ) -> Crew {
        Crew {
            cursors: cursors(job),
            ready: Barrier::new(workers_of(job) as usize),
            job: job.clone(),
            target,
            spans,
            ledger,
            control: control.clone(),
            next_arrival: AtomicU64::new(0),
            phases: OnceLock::new(),
        }
    }

    /// Runs all workers and adds up their results.
    pub(crate) fn run(self: &Arc<Crew>) -> Result<Outcome, BlockError> {
        let workers = workers_of(&self.job);
        let (sender, receiver) = mpsc::channel();
        let mut threads = Vec::with_capacity(workers as usize);
        for worker in 0..workers {
            threads.push(self.spawn(worker, sender.clone())?);
        }
        drop(sender);
        let (results, panicked) = self.collect(workers, &receiver)?;
        if panicked {
            for thread in threads {
                if let Err(panic) = thread.join() {
                    std::panic::resume_unwind(panic);
                }
            }
        }
        // Otherwise threads are not joined: the kernel may hold one at its exit until I/Os that were given up return.
        let phases = *self.phases.get_or_init(|| self.phases_from(clock::now_ns()));
        Ok(add_up(&self.job, phases, workers, results))
    }

    fn spawn(
        self: &Arc<Crew>,
        worker: u32,
        sender: Sender<Report>,
    ) -> Result<thread::JoinHandle<()>, BlockError> {
        let crew = Arc::clone(self);
        thread::Builder::new()
            .name(format!("block-{worker}"))
            .stack_size(STACK_BYTES)
            .spawn(move || {
                let result = crew.work(worker);
                // The receiver is gone only when the run was given up.
                let _ = sender.send((worker, result));
            })
            .map_err(|source| BlockError::Engine {
                engine: self.job.engine.name(),
                action: "start a thread",
                source,
                help: "use a smaller depth or engine io_uring",
            })
    }

    /// Waits for every worker, but not longer than the phases and the drain limit allow. The results, and whether a
    /// worker panicked.
    fn collect(
        &self,
        workers: u32,
        receiver: &Receiver<Report>,
    ) -> Result<(Vec<(u32, WorkerResult)>, bool), BlockError> {
        let mut results = Vec::with_capacity(workers as usize);
        let mut stopped_ns = None;
        while results.len() < workers as usize {
            match receiver.recv_timeout(Duration::from_millis(50)) {
                Ok((worker, result)) => results.push((worker, result?)),
                // Every worker is over, one of them without a result.
                Err(RecvTimeoutError::Disconnected) => return Ok((results, true)),
                Err(RecvTimeoutError::Timeout) => {
                    let end_ns = if self.control.is_stopped() {
                        *stopped_ns.get_or_insert_with(clock::now_ns)
                    } else {
                        self.phases.get().map_or(u64::MAX, |phases| phases.measure_end_ns)
                    };
                    let patience_ns = nanoseconds(self.job.drain_max.saturating_add(GRACE));
                    if clock::now_ns() > end_ns.saturating_add(patience_ns) {
                        return Ok((results, false));
                    }
                }
            }
        }
        Ok((results, false))
    }

    fn phases_from(&self, started_ns: u64) -> Phases {
        let measure_start_ns = started_ns.saturating_add(nanoseconds(self.job.ramp_up));
        Phases {
            started_ns,
            measure_start_ns,
            measure_end_ns: measure_start_ns.saturating_add(nanoseconds(self.job.measure)),
        }
    }

    /// The body of one worker thread.
    fn work(&self, worker: u32) -> Result<WorkerResult, BlockError> {
        clock::sleep_precisely();
        let depth = self.job.shape.depth();
        match &self.job.engine {
            EngineKind::Null => self.run_engine(worker, depth, Ok(Null::new(depth))),
            EngineKind::Modelled(spec) => {
                self.run_engine(worker, depth, Ok(Modelled::new(spec, self.job.seed, depth)))
            }
            EngineKind::Psync => {
                let engine = Psync::new(Arc::clone(&self.target), self.buffers(worker, 1));
                self.run_engine(worker, 1, Ok(engine))
            }
            EngineKind::IoUring => match open_ring(depth) {
                Err(error) => self.run_engine::<Null>(worker, depth, Err(error)),
                Ok((mut ring, mode)) => {
                    let buffers = self.buffers(worker, depth as usize);
                    let engine = Uring::new(&mut ring, mode, &self.target, buffers);
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
        self.ready.wait();
        let engine = engine?;
        let phases = *self.phases.get_or_init(|| self.phases_from(clock::now_ns()));
        let open = matches!(self.job.shape, Shape::OpenLoop { .. });
        let recorder = Recorder::new(phases, self.job.streams.len(), open);
        let worker = Worker::new(
            engine,
            generator,
            recorder,
            &self.control,
            self.ledger.as_ref(),
            depth,
            nanoseconds(self.job.drain_max),
        );
        match self.job.shape {
            Shape::ClosedLoop { .. } => worker.closed_loop(),
            Shape::OpenLoop { rate, arrivals, .. } => worker.open_loop(Arriving {
                schedule: Schedule::new(arrivals, rate, phases.started_ns, self.job.seed),
                next_number: &self.next_arrival,
            }),
        }
    }

    /// Slots for the largest I/O, random when anything is written.
    fn buffers(&self, worker: u32, slots: usize) -> Buffers {
        let mut buffers = Buffers::new(slots, self.job.largest_io_bytes() as usize);
        if self.job.writes() {
            let mut random = Random::new(self.job.seed, BUFFER_STREAM + u64::from(worker));
            (0..slots).for_each(|slot| random.fill(buffers.slot(slot)));
        }
        buffers
    }
}

fn workers_of(job: &Job) -> u32 {
    match job.engine {
        EngineKind::Psync => job.shape.depth(),
        _ => 1,
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn add_up(job: &Job, phases: Phases, workers: u32, mut results: Vec<(u32, WorkerResult)>) -> Outcome {
    results.sort_by_key(|(worker, _)| *worker);
    let mut outcome = Outcome {
        read: DirectionOutcome::empty(phases.started_ns),
        write: DirectionOutcome::empty(phases.started_ns),
        streams: Vec::with_capacity(job.streams.len()),
        lag: measure::Histogram::new(),
        errors: BTreeMap::new(),
        short_ios: 0,
        unfinished: 0,
        ended: Ended::Complete,
        started_ns: phases.started_ns,
        ramp_up: job.ramp_up,
        elapsed: Duration::ZERO,
        cpu: OwnCpu::default(),
        workers,
        engine_features: Vec::new(),
        verify: None,
    };
    for stream in &job.streams {
        outcome.streams.push(StreamOutcome {
            name: stream.name.clone(),
            read: DirectionOutcome::empty(phases.started_ns),
            write: DirectionOutcome::empty(phases.started_ns),
        });
    }
    let lost = workers - results.len() as u32;
    for (_, result) in results {
        outcome.add(&result, phases, matches!(job.shape, Shape::OpenLoop { .. }));
    }
    for stream in &outcome.streams {
        outcome.read.merge(&stream.read);
        outcome.write.merge(&stream.write);
    }
    outcome.cpu.process_ns = outcome.cpu.process_ns.max(outcome.cpu.user_ns + outcome.cpu.system_ns);
    if lost > 0 {
        outcome.ended = Ended::WorkersStuck { workers: lost };
    }
    outcome
}

impl Outcome {
    fn add(&mut self, result: &WorkerResult, phases: Phases, open: bool) {
        let recorder = &result.recorder;
        for (stream, lanes) in self.streams.iter_mut().zip(recorder.lanes.chunks_exact(2)) {
            for (direction, lane) in [(&mut stream.read, &lanes[0]), (&mut stream.write, &lanes[1])] {
                direction.ios += lane.ios;
                direction.bytes += lane.bytes;
                direction.latency.merge(&lane.latency);
                // A closed loop starts every I/O when it is meant to: both times are one.
                direction.service.merge(if open { &lane.service } else { &lane.latency });
                direction.timeline.merge(&lane.timeline);
            }
        }
        self.lag.merge(&recorder.lag);
        for (errno, &count) in recorder.errors.iter().enumerate().filter(|(_, count)| **count > 0) {
            *self.errors.entry(errno as i32).or_default() += count;
        }
        self.short_ios += recorder.short_ios;
        self.unfinished += recorder.unfinished;
        self.cpu.user_ns += result.cpu.user_ns;
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
