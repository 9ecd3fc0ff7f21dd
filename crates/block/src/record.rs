//! The books of one worker: histograms, timelines and counts. Written by one thread, merged after the run.

use measure::{Histogram, Timeline};

use crate::bursts::Beside;
use crate::control::{Coarse, Control};
use crate::generate::{Io, Op};

/// So many failures without a success between them mean that the target is gone, and the run ends.
pub const FAILURES_IN_A_ROW_MAX: u32 = 1000;

/// Lanes of a stream: reads, writes, discards, flushes.
pub(crate) const LANES: usize = 4;

/// Linux error numbers end at 133; higher ones are counted at the end.
const ERRNO_END: usize = 134;

/// One I/O that is under way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flight {
    pub(crate) io: Io,
    /// When it was meant to start.
    pub(crate) intended_ns: u64,
    /// When it was handed to the engine.
    pub(crate) started_ns: u64,
}

/// Boundaries of the run's phases on CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Phases {
    pub(crate) started_ns: u64,
    /// When the load of this job begins; the run may have begun before.
    pub(crate) load_start_ns: u64,
    pub(crate) measure_start_ns: u64,
    pub(crate) measure_end_ns: u64,
}

/// The counts of one worker.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) phases: Phases,
    /// The end of the measure phase by its length; a load of so many bytes ends before it.
    planned_end_ns: u64,
    /// Open loop: start and intended start differ.
    open: bool,
    /// [`LANES`] for each stream.
    pub(crate) lanes: Vec<Lane>,
    pub(crate) lag: Histogram,
    /// Splits latencies by the bursts of another load, when there is one.
    pub(crate) beside: Option<Beside>,
    pub(crate) errors: [u64; ERRNO_END],
    pub(crate) short_ios: u64,
    pub(crate) unfinished: u64,
    /// Open loop: I/Os of the phase that came back after its end.
    pub(crate) after_end: u64,
    pub(crate) failures_in_a_row: u32,
    pub(crate) last_errno: i32,
    live_buckets: [u32; Coarse::COUNT],
    live_ios: u64,
    live_bytes: u64,
    live_errors: u64,
}

/// One direction of one stream.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) ios: u64,
    pub(crate) bytes: u64,
    pub(crate) latency: Histogram,
    pub(crate) service: Histogram,
    pub(crate) timeline: Timeline,
}

impl Recorder {
    pub(crate) fn new(phases: Phases, streams: usize, open: bool) -> Recorder {
        let lane = || Lane {
            ios: 0,
            bytes: 0,
            latency: Histogram::new(),
            service: Histogram::new(),
            timeline: Timeline::new(phases.started_ns),
        };
        Recorder {
            planned_end_ns: phases.measure_end_ns,
            phases,
            open,
            lanes: (0..LANES * streams).map(|_| lane()).collect(),
            lag: Histogram::new(),
            beside: None,
            errors: [0; ERRNO_END],
            short_ios: 0,
            unfinished: 0,
            after_end: 0,
            failures_in_a_row: 0,
            last_errno: 0,
            live_buckets: [0; Coarse::COUNT],
            live_ios: 0,
            live_bytes: 0,
            live_errors: 0,
        }
    }

    /// Counts one I/O that came back at `now_ns` with bytes moved or a negated errno. True when all bytes
    /// were moved.
    #[inline]
    pub(crate) fn completed(&mut self, flight: &Flight, result: i32, now_ns: u64) -> bool {
        if result != flight.io.length as i32 {
            self.failed(flight, result, now_ns);
            return false;
        }
        let is_throughput = self.is_throughput(now_ns);
        let lane = &mut self.lanes[lane_of(&flight.io)];
        let latency_ns = now_ns.saturating_sub(flight.intended_ns);
        let bytes = u64::from(flight.io.length);
        lane.timeline.record(now_ns, latency_ns, bytes);
        if is_throughput {
            lane.ios += 1;
            lane.bytes += bytes;
        }
        if self.phases.measured(flight.intended_ns) {
            lane.latency.record(latency_ns);
            if let Some(beside) = self.beside.as_mut().filter(|_| !flight.io.op.flushes()) {
                beside.record(flight.io.op, latency_ns);
            }
            if self.open {
                lane.service.record(now_ns.saturating_sub(flight.started_ns));
                self.lag.record(flight.started_ns.saturating_sub(flight.intended_ns));
                self.after_end += u64::from(now_ns >= self.planned_end_ns && !flight.io.op.flushes());
            }
        }
        self.failures_in_a_row = 0;
        if flight.io.op.flushes() {
            return true;
        }
        self.live_ios += 1;
        self.live_bytes += bytes;
        self.live_buckets[Coarse::of(latency_ns)] += 1;
        true
    }

    /// True if a completion counts into the rates of the measure phase: what comes back after it, such as
    /// arrivals that a target is behind with or the last I/Os of a queue, is no throughput of it.
    #[inline]
    fn is_throughput(&self, now_ns: u64) -> bool {
        let end_ns = if self.open { self.planned_end_ns } else { self.phases.measure_end_ns };
        now_ns >= self.phases.measure_start_ns && now_ns < end_ns
    }

    #[cold]
    fn failed(&mut self, flight: &Flight, result: i32, now_ns: u64) {
        match usize::try_from(-i64::from(result)) {
            Ok(errno) if errno > 0 => {
                self.errors[errno.min(ERRNO_END - 1)] += 1;
                self.last_errno = errno as i32;
            }
            _ => {
                self.short_ios += 1;
                self.last_errno = 0;
            }
        }
        self.lanes[lane_of(&flight.io)].timeline.record_error(now_ns);
        self.failures_in_a_row += 1;
        self.live_errors += 1;
    }

    /// Counts an I/O that is given up at `now_ns`: its age so far is a lower bound of its latency.
    pub(crate) fn given_up(&mut self, flight: &Flight, now_ns: u64) {
        if self.phases.measured(flight.intended_ns) {
            let lane = &mut self.lanes[lane_of(&flight.io)];
            lane.latency.record(now_ns.saturating_sub(flight.intended_ns));
            if self.open {
                lane.service.record(now_ns.saturating_sub(flight.started_ns));
                self.lag.record(flight.started_ns.saturating_sub(flight.intended_ns));
            }
            self.unfinished += 1;
        }
    }

    /// Counts `count` arrivals around `intended_ns` that never started; `io` is the I/O of each.
    pub(crate) fn never_started(&mut self, io: &Io, intended_ns: u64, now_ns: u64, count: u64) {
        if self.phases.measured(intended_ns) {
            let age_ns = now_ns.saturating_sub(intended_ns);
            self.lanes[lane_of(io)].latency.record_n(age_ns, count);
            self.lag.record_n(age_ns, count);
            self.unfinished += count;
        }
    }

    /// Publishes counts for progress; called once per batch.
    #[inline]
    pub(crate) fn publish(&mut self, control: &Control) {
        if self.live_ios | self.live_errors != 0 {
            control.add(self.live_ios, self.live_bytes, self.live_errors);
            (self.live_ios, self.live_bytes, self.live_errors) = (0, 0, 0);
        }
    }

    /// Publishes the latency buckets for progress; called now and then.
    pub(crate) fn publish_buckets(&mut self, control: &Control) {
        control.add_buckets(&mut self.live_buckets);
    }
}

impl Phases {
    /// True if an I/O with that intended start belongs to the measure phase.
    #[inline]
    pub(crate) fn measured(&self, intended_ns: u64) -> bool {
        intended_ns >= self.measure_start_ns && intended_ns < self.measure_end_ns
    }
}

#[inline]
fn lane_of(io: &Io) -> usize {
    let direction = match io.op {
        Op::Read => 0,
        Op::Write | Op::WriteThrough => 1,
        Op::Discard => 2,
        Op::Fsync | Op::Fdatasync => 3,
    };
    usize::from(io.stream) * LANES + direction
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flight(intended_ns: u64, started_ns: u64) -> Flight {
        Flight { io: Io { length: 4096, ..Io::default() }, intended_ns, started_ns }
    }

    fn recorder(open: bool) -> Recorder {
        Recorder::new(
            Phases { started_ns: 0, load_start_ns: 0, measure_start_ns: 1000, measure_end_ns: 2000 },
            1,
            open,
        )
    }

    #[test]
    fn a_latency_belongs_to_the_phase_of_its_start_and_throughput_to_that_of_its_end() {
        let mut recorder = recorder(false);
        for (intended, completed) in [(900, 999), (999, 1000), (1000, 1999), (1999, 2000)] {
            assert!(recorder.completed(&flight(intended, intended), 4096, completed));
        }
        let lane = &recorder.lanes[0];
        assert_eq!((lane.ios, lane.bytes, lane.latency.len()), (2, 8192, 2));
        assert_eq!(lane.timeline.seconds()[0].count, 4);
        assert_eq!((lane.service.len(), recorder.lag.len()), (0, 0));
    }

    #[test]
    fn an_open_loop_counts_throughput_by_completion_and_latency_by_intended_start() {
        let mut recorder = recorder(true);
        for (intended, completed) in [(999, 1500), (1000, 1999), (1500, 2000), (1999, 9000)] {
            assert!(recorder.completed(&flight(intended, intended), 4096, completed));
        }
        let lane = &recorder.lanes[0];
        assert_eq!((lane.ios, lane.bytes, lane.latency.len()), (2, 8192, 3));
        assert_eq!(recorder.after_end, 2, "they were due in the phase, and are no throughput of it");
    }

    #[test]
    fn an_open_loop_keeps_both_times_and_the_lag() {
        let mut recorder = recorder(true);
        recorder.completed(&flight(1000, 1400), 4096, 1900);
        let lane = &recorder.lanes[0];
        assert_eq!((lane.latency.max_ns(), lane.service.max_ns(), recorder.lag.max_ns()), (900, 500, 400));
    }

    #[test]
    fn failures_are_counted_by_errno_and_kept_out_of_the_histogram() {
        let mut recorder = recorder(false);
        for result in [-libc::EIO, -libc::EIO, -libc::ENOSPC, 512, 0, -100_000] {
            assert!(!recorder.completed(&flight(1000, 1000), result, 1500));
        }
        assert_eq!(recorder.errors[libc::EIO as usize], 2);
        assert_eq!(recorder.errors[libc::ENOSPC as usize], 1);
        assert_eq!(recorder.errors[ERRNO_END - 1], 1);
        assert_eq!((recorder.short_ios, recorder.failures_in_a_row), (2, 6));
        assert_eq!(recorder.lanes[0].latency.len(), 0);
        assert_eq!(recorder.lanes[0].timeline.seconds()[0].errors, 6);
        recorder.completed(&flight(1000, 1000), 4096, 1500);
        assert_eq!(recorder.failures_in_a_row, 0);
    }

    #[test]
    fn what_never_came_back_is_kept_with_its_age() {
        let mut recorder = recorder(true);
        recorder.given_up(&flight(1500, 1600), 9500);
        recorder.never_started(&flight(1500, 0).io, 1700, 9500, 10);
        recorder.never_started(&flight(1500, 0).io, 2700, 9500, 10);
        assert_eq!((recorder.unfinished, recorder.lanes[0].latency.len()), (11, 11));
        assert_eq!(recorder.lanes[0].ios, 0);
    }
}
