//! One thread of load: the closed and the open loop. Between two reaps it reads the clock once, allocates
//! nothing and takes no lock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ground::{CpuTimes, nanoseconds};

use crate::arrivals::{Next, Source};
use crate::bursts::BurstClock;
use crate::clock;
use crate::content::Writer;
use crate::control::{Control, LivePhase};
use crate::durable::Durable;
use crate::engine::{Completion, Engine, Wait};
use crate::error::BlockError;
use crate::flushes::Flushes;
use crate::generate::{Generator, Io, Op};
use crate::job::{Job, Think};
use crate::ledger::Ledger;
use crate::outcome::OwnCpu;
use crate::record::{FAILURES_IN_A_ROW_MAX, Flight, Phases, Recorder};
use crate::trace::TraceRecorder;
use crate::verify::Running;

/// Progress buckets are published this often.
const PUBLISH_EVERY_NS: u64 = 100_000_000;
/// A worker without an arrival looks this often whether the others have spent the job's bytes.
const LOOK_EVERY_NS: u64 = 100_000_000;

/// A worker before its run.
pub(crate) struct Worker<'job, E> {
    pub(crate) engine: E,
    pub(crate) generator: Generator,
    pub(crate) recorder: Recorder,
    pub(crate) control: &'job Control,
    /// The expected contents of each target; empty when nothing is verified.
    pub(crate) ledgers: &'job [Option<Arc<Ledger>>],
    pub(crate) depth: u32,
    pub(crate) drain_max_ns: u64,
    flights: Vec<Flight>,
    in_flight: u32,
    under_way: Vec<bool>,
    /// Makes the bytes of writes that are not verified.
    writer: Writer,
    flushes: Flushes,
    /// Bytes that the job's workers may still start, when it has a limit.
    bytes_left: Option<&'job AtomicU64>,
    /// The clock that announces bursts of this job to the others.
    bursts: Option<&'job BurstClock>,
    in_burst: bool,
    /// Takes every I/O, for a trace of the run.
    record: Option<TraceRecorder>,
    /// Verifies reads as they come back.
    running: Option<Running>,
    /// Tells the journal of durable writes.
    durable: Option<Durable>,
    /// When `turn` has to look closer.
    next_event_ns: u64,
    /// 0 before the first one.
    last_answer_ns: u64,
    ending: Ending,
    /// The processor time of its thread at the start of the measure phase, and the part that it spun, ns.
    cpu_at_start: Option<(CpuTimes, u64)>,
    cpu: OwnCpu,
}

/// The terms of a worker besides its shape.
pub(crate) struct Terms<'job> {
    /// Longest wait for I/Os after the end of the measure phase.
    pub(crate) drain_max_ns: u64,
    pub(crate) writer: Writer,
    pub(crate) flushes: Flushes,
    /// Bytes that the job's workers may still start, when it has a limit.
    pub(crate) bytes_left: Option<&'job AtomicU64>,
    /// The clock that announces bursts of this job to the others; `None` for a job without bursts.
    pub(crate) bursts: Option<&'job BurstClock>,
    /// Takes every I/O, for a trace of the run.
    pub(crate) record: Option<TraceRecorder>,
    /// Length of the longest I/O, in bytes.
    pub(crate) largest_bytes: u32,
    /// Tells the journal of durable writes.
    pub(crate) durable: Option<Durable>,
}

impl Terms<'_> {
    /// The terms of a job whose workers share nothing and whose data is not verified.
    pub(crate) fn of(job: &Job, writer: Writer) -> Self {
        Terms {
            drain_max_ns: nanoseconds(job.drain_max),
            writer,
            flushes: Flushes::new(&job.streams),
            bytes_left: None,
            bursts: None,
            record: job.record.clone(),
            largest_bytes: job.largest_io_bytes(),
            durable: None,
        }
    }
}

/// The results of a worker.
#[derive(Debug)]
pub(crate) struct WorkerResult {
    pub(crate) recorder: Recorder,
    pub(crate) cpu: OwnCpu,
    pub(crate) features: Vec<&'static str>,
    pub(crate) ending: Ending,
}

/// The reason why no more I/Os are started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// They are: the run goes on.
    NotYet,
    Time,
    Stop,
    Failures {
        errno: i32,
    },
}

impl<'job, E: Engine> Worker<'job, E> {
    pub(crate) fn new(
        engine: E,
        generator: Generator,
        recorder: Recorder,
        control: &'job Control,
        ledgers: &'job [Option<Arc<Ledger>>],
        depth: u32,
        terms: Terms<'job>,
    ) -> Worker<'job, E> {
        let smallest_bytes = ledgers.iter().flatten().map(|ledger| ledger.block_bytes()).min();
        Worker {
            engine,
            generator,
            recorder,
            control,
            ledgers,
            depth,
            drain_max_ns: terms.drain_max_ns,
            flights: vec![Flight::default(); depth as usize],
            in_flight: 0,
            under_way: vec![false; depth as usize],
            writer: terms.writer,
            flushes: terms.flushes,
            bytes_left: terms.bytes_left,
            bursts: terms.bursts,
            record: terms.record,
            running: smallest_bytes.map(|bytes| Running::new(bytes, depth, terms.largest_bytes)),
            durable: terms.durable,
            in_burst: false,
            next_event_ns: 0,
            last_answer_ns: 0,
            ending: Ending::NotYet,
            cpu_at_start: None,
            cpu: OwnCpu::default(),
        }
    }

    /// Keeps `depth` I/Os under way until the measure phase is over.
    pub(crate) fn closed_loop(mut self) -> Result<WorkerResult, BlockError> {
        let mut done: Vec<Completion> = Vec::with_capacity(self.depth as usize);
        let mut now_ns = self.wait_for_start();
        if self.turn(now_ns) {
            for slot in 0..self.depth {
                if !self.has_spent_its_bytes() {
                    self.start(slot, now_ns, now_ns);
                }
            }
        }
        self.end_if_spent();
        while self.in_flight > 0 {
            now_ns = self.reap(Wait::Completion, &mut done)?;
            let more = self.turn(now_ns);
            for completion in done.drain(..) {
                self.finish(completion, now_ns);
                if more && !self.has_spent_its_bytes() {
                    self.start(completion.slot, now_ns, now_ns);
                }
            }
            self.end_if_spent();
            self.recorder.publish(self.control);
            if !more && now_ns >= self.drain_deadline_ns() {
                break;
            }
        }
        Ok(self.end(now_ns))
    }

    /// Keeps `depth` I/Os under way, and pauses whenever `think.after` of them are back.
    pub(crate) fn thinking_loop(mut self, think: Think) -> Result<WorkerResult, BlockError> {
        let mut done: Vec<Completion> = Vec::with_capacity(self.depth as usize);
        let mut free: Vec<u32> = (0..self.depth).rev().collect();
        let mut now_ns = self.wait_for_start();
        let (mut left, mut resume_ns) = (think.after, now_ns);
        loop {
            while now_ns >= resume_ns
                && left > 0
                && self.turn(now_ns)
                && !self.has_spent_its_bytes()
                && let Some(slot) = free.pop()
            {
                self.start(slot, now_ns, now_ns);
                left -= 1;
            }
            if self.in_flight == 0 {
                self.end_if_spent();
                if !self.turn(now_ns) {
                    break;
                }
                if left == 0 {
                    left = think.after;
                    resume_ns = now_ns.saturating_add(think.time.as_nanos() as u64);
                }
                clock::wait_until(&self.control.clock, resume_ns.min(self.recorder.phases.measure_end_ns));
                now_ns = self.control.clock.now_ns();
                continue;
            }
            now_ns = self.reap(Wait::Completion, &mut done)?;
            let more = self.turn(now_ns);
            for completion in done.drain(..) {
                self.finish(completion, now_ns);
                free.push(completion.slot);
            }
            self.recorder.publish(self.control);
            if !more && now_ns >= self.drain_deadline_ns() {
                break;
            }
        }
        Ok(self.end(now_ns))
    }

    /// Starts I/Os when they arrive, whatever became of the earlier ones.
    pub(crate) fn open_loop(mut self, mut source: impl Source) -> Result<WorkerResult, BlockError> {
        let mut done: Vec<Completion> = Vec::with_capacity(self.depth as usize);
        let mut free: Vec<u32> = (0..self.depth).rev().collect();
        let mut now_ns = self.wait_for_start();
        self.turn(now_ns);
        loop {
            while self.flushes.is_due()
                && let Some(slot) = free.pop()
            {
                self.start(slot, now_ns, now_ns);
            }
            // Arrivals of the measure phase are started even after its end, up to the drain limit.
            let next = self.next(&mut source, &mut now_ns);
            let end_ns = self.recorder.phases.measure_end_ns;
            if let Next::At(due_ns) = next
                && due_ns <= now_ns
                && due_ns < end_ns
                && !self.has_spent_its_bytes()
                && let Some(slot) = free.pop()
            {
                self.burst(true, now_ns);
                let io = source.take(&mut self.generator);
                self.start_io(slot, io, due_ns, now_ns);
                continue;
            }
            let (next_ns, arrivals_left) = match next {
                Next::At(due_ns) => (due_ns, due_ns < end_ns),
                Next::AskAt(ask_ns) => (ask_ns, true),
                Next::End => (u64::MAX, false),
            };
            if self.in_flight == 0 {
                self.burst(false, now_ns);
                self.end_if_spent();
            }
            let over = !arrivals_left && self.ending != Ending::NotYet;
            if over && self.in_flight == 0 {
                break;
            }
            // Another worker may spend the last byte at this moment: without an I/O nothing would come back.
            let is_last = self.in_flight > 0 && self.has_spent_its_bytes();
            let wait = if free.is_empty() || over || is_last {
                Wait::Completion
            } else {
                // The phase lasts to its end even when nothing more arrives in it, but not beyond the last
                // byte, which another worker may move.
                let look_ns = self.bytes_left.map_or(u64::MAX, |_| now_ns.saturating_add(LOOK_EVERY_NS));
                Wait::Until(next_ns.min(self.recorder.phases.measure_end_ns).min(look_ns))
            };
            now_ns = self.reap(wait, &mut done)?;
            self.turn(now_ns);
            for completion in done.drain(..) {
                self.finish(completion, now_ns);
                free.push(completion.slot);
            }
            self.recorder.publish(self.control);
            if self.ending != Ending::NotYet && now_ns >= self.drain_deadline_ns() {
                break;
            }
        }
        self.burst(false, now_ns);
        // Arrivals that were due in the measure phase and never got a slot are part of the result; those
        // after the last byte of a limited job are no load.
        if !self.has_spent_its_bytes() {
            source.give_up(self.recorder.phases.measure_end_ns, |intended_ns, count| {
                let io = self.generator.next();
                self.recorder.never_started(&io, intended_ns, now_ns, count);
            });
        }
        Ok(self.end(now_ns))
    }

    /// The next arrival; none after the last byte of a limit. A source at its end ends the measure phase; a
    /// stop or a failing target ends both.
    #[inline]
    fn next(&mut self, source: &mut impl Source, now_ns: &mut u64) -> Next {
        if !matches!(self.ending, Ending::NotYet | Ending::Time) || self.has_spent_its_bytes() {
            return Next::End;
        }
        let next = source.next(&self.control.clock, now_ns, self.in_flight == 0);
        if next == Next::End && self.ending == Ending::NotYet {
            // I/Os that started at this very moment belong to the phase.
            self.finish_measuring(*now_ns + 1, Ending::Time);
        }
        next
    }

    /// The completed I/Os, and the time of their completion.
    #[inline]
    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<u64, BlockError> {
        self.engine.reap(&self.control.clock, wait, done)?;
        Ok(self.control.clock.now_ns())
    }

    /// Tells the other loads that a burst begins or is over, once.
    #[inline]
    fn burst(&mut self, is_on: bool, now_ns: u64) {
        let Some(clock) = self.bursts.filter(|_| self.in_burst != is_on) else { return };
        let Phases { measure_start_ns, measure_end_ns, .. } = self.recorder.phases;
        let at_ns = now_ns.clamp(measure_start_ns, measure_end_ns.max(measure_start_ns));
        self.in_burst = is_on;
        if is_on { clock.enter(at_ns) } else { clock.leave(at_ns) }
    }

    /// Waits until the load of this job begins, or the run is stopped.
    fn wait_for_start(&mut self) -> u64 {
        loop {
            let now_ns = self.control.clock.now_ns();
            if now_ns >= self.recorder.phases.load_start_ns || !self.turn(now_ns) {
                return now_ns;
            }
            clock::wait_until(&self.control.clock, self.recorder.phases.load_start_ns);
        }
    }

    /// Takes the bytes of an I/O from those that the job may still start; false if another worker took the
    /// last ones since this one looked. Bytes of the ramp-up, which are not counted, do not use them up.
    #[inline]
    fn claim(&self, io: &Io, intended_ns: u64) -> bool {
        let Some(left) = self.bytes_left else { return true };
        if io.length == 0 || intended_ns < self.recorder.phases.measure_start_ns {
            return true;
        }
        let bytes = u64::from(io.length);
        let less = |left: u64| (left > 0).then(|| left.saturating_sub(bytes));
        left.fetch_update(Relaxed, Relaxed, less).is_ok()
    }

    /// Ends the measure phase with the last answer of this worker once the job's limit of bytes is spent: the
    /// rate is that of whole I/Os.
    #[inline]
    fn end_if_spent(&mut self) {
        if self.in_flight == 0 && self.ending == Ending::NotYet && self.has_spent_its_bytes() {
            // I/Os that started at this very moment belong to the phase.
            let end_ns = match self.last_answer_ns {
                0 => self.recorder.phases.measure_start_ns,
                last_ns => last_ns + 1,
            };
            self.finish_measuring(end_ns, Ending::Time);
        }
    }

    /// True after the last byte that the job's limit allows.
    #[inline]
    fn has_spent_its_bytes(&self) -> bool {
        self.bytes_left.is_some_and(|left| left.load(Relaxed) == 0)
    }

    #[inline]
    fn start(&mut self, slot: u32, intended_ns: u64, started_ns: u64) {
        let io = match self.flushes.take() {
            None => self.generator.next(),
            Some((stream, data_only)) => self.generator.flush(stream, data_only),
        };
        self.start_io(slot, io, intended_ns, started_ns);
    }

    #[inline]
    fn start_io(&mut self, slot: u32, io: Io, intended_ns: u64, started_ns: u64) {
        if !self.claim(&io, intended_ns) {
            return;
        }
        if io.op.writes() {
            self.prepare_write(slot, &io);
        } else if let Some(ledger) = self.ledger(&io) {
            match (io.op, &mut self.running) {
                (Op::Discard, _) => ledger.begin_discard(io.offset, io.length),
                (Op::Read, Some(running)) => running.started(ledger, slot, &io),
                _ => {}
            }
        }
        if let (Some(durable), true) = (&mut self.durable, io.op.flushes()) {
            durable.flush_started(slot);
        }
        if let Some(record) = &self.record {
            record.note(io.target, io.traced(started_ns));
        }
        self.flights[slot as usize] = Flight { io, intended_ns, started_ns };
        self.under_way[slot as usize] = true;
        self.in_flight += 1;
        self.engine.queue(slot, &io, started_ns);
    }

    #[inline]
    fn finish(&mut self, completion: Completion, now_ns: u64) {
        let flight = self.flights[completion.slot as usize];
        self.under_way[completion.slot as usize] = false;
        self.in_flight -= 1;
        self.last_answer_ns = now_ns;
        let whole = self.recorder.completed(&flight, completion.result, now_ns);
        if flight.io.op.writes() {
            self.flushes.written(&flight.io);
            match (self.ledger(&flight.io), &mut self.durable) {
                (Some(ledger), Some(durable)) => durable.written(ledger, &flight.io, whole),
                (Some(ledger), None) => {
                    ledger.end(flight.io.offset, flight.io.length, whole, |_, _| ());
                }
                (None, _) => {}
            }
        } else if let (true, Some(durable)) = (flight.io.op.flushes(), &mut self.durable) {
            durable.flushed(completion.slot, whole);
        } else if let Some(ledger) = self.ledger(&flight.io) {
            match (flight.io.op, &self.running) {
                (Op::Discard, _) => ledger.end_discard(flight.io.offset, flight.io.length),
                (Op::Read, Some(running)) if whole => {
                    let bytes = self.engine.buffer(completion.slot);
                    running.finished(ledger, completion.slot, &flight.io, bytes);
                }
                _ => {}
            }
        }
    }

    /// The expected contents of an I/O's target, if it is verified.
    #[inline]
    fn ledger(&self, io: &Io) -> Option<&'job Ledger> {
        self.ledgers.get(usize::from(io.target))?.as_deref()
    }

    fn prepare_write(&mut self, slot: u32, io: &Io) {
        let ledger = self.ledger(io);
        let buffer = self.engine.buffer(slot);
        let Some(bytes) = buffer.get_mut(..io.length as usize) else { return };
        if let Some(ledger) = ledger {
            ledger.begin(io.offset, bytes);
            return;
        }
        self.writer.prepare(bytes, io.offset);
    }

    /// Notices phase boundaries, the stop flag and a failing target. True while I/Os are to be started.
    #[inline]
    fn turn(&mut self, now_ns: u64) -> bool {
        if now_ns >= self.next_event_ns {
            self.event(now_ns);
        }
        if self.ending == Ending::NotYet {
            if self.control.is_stopped() {
                self.finish_measuring(now_ns, Ending::Stop);
            } else if self.control.has_enough() {
                self.finish_measuring(now_ns, Ending::Time);
            } else if self.recorder.failures_in_a_row >= FAILURES_IN_A_ROW_MAX {
                self.finish_measuring(now_ns, Ending::Failures { errno: self.recorder.last_errno });
            }
        }
        self.ending == Ending::NotYet
    }

    #[cold]
    fn event(&mut self, now_ns: u64) {
        self.recorder.publish_buckets(self.control);
        let Phases { measure_start_ns, measure_end_ns, .. } = self.recorder.phases;
        if self.ending != Ending::NotYet {
            self.next_event_ns = now_ns + PUBLISH_EVERY_NS;
            return;
        }
        if now_ns >= measure_start_ns && self.cpu_at_start.is_none() {
            self.cpu_at_start = Some((self.control.clock.cpu(), clock::spun_ns()));
            self.control.advance(LivePhase::Measure);
        } else if self.cpu_at_start.is_none() {
            self.control.advance(LivePhase::RampUp);
        }
        if now_ns >= measure_end_ns {
            self.finish_measuring(measure_end_ns, Ending::Time);
        }
        let boundary = if now_ns < measure_start_ns { measure_start_ns } else { measure_end_ns };
        self.next_event_ns = (now_ns + PUBLISH_EVERY_NS).min(boundary.max(now_ns + 1));
    }

    fn finish_measuring(&mut self, end_ns: u64, ending: Ending) {
        self.ending = ending;
        self.recorder.phases.measure_end_ns = end_ns.min(self.recorder.phases.measure_end_ns);
        if let Some((before, spun_before_ns)) = self.cpu_at_start {
            let CpuTimes { user_ns, system_ns, process_ns } = self.control.clock.cpu().since(before);
            let spun_ns = clock::spun_ns() - spun_before_ns;
            self.cpu = OwnCpu { user_ns, spun_ns, system_ns, process_ns };
        }
        self.control.advance(LivePhase::Drain);
    }

    fn drain_deadline_ns(&self) -> u64 {
        self.recorder.phases.measure_end_ns.saturating_add(self.drain_max_ns)
    }

    fn end(mut self, now_ns: u64) -> WorkerResult {
        for (flight, _) in self.flights.iter().zip(&self.under_way).filter(|(_, under_way)| **under_way) {
            self.recorder.given_up(flight, now_ns);
        }
        self.recorder.publish(self.control);
        self.recorder.publish_buckets(self.control);
        WorkerResult {
            features: self.engine.features(),
            recorder: self.recorder,
            cpu: self.cpu,
            ending: self.ending,
        }
    }
}

#[cfg(test)]
mod tests;
