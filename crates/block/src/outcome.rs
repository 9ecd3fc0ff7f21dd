//! The results of a block run.

use std::collections::BTreeMap;
use std::time::Duration;

use measure::{Histogram, Timeline};
use words::{Reason, Reasons};

use crate::bursts::BurstSplit;
use crate::journal::JournalSummary;
use crate::standstill::Standstill;
use crate::verify::VerifyReport;

/// Standstills of a run that are told one by one.
const STANDSTILLS_TOLD: usize = 5;

/// The result of one block run.
///
/// A latency belongs to the measure phase when its I/O was *meant to start* in it: in a closed loop that is
/// when its slot became free, in an open loop its arrival. `ios` and `bytes` hold the I/Os that came back in
/// the phase, so that no rate is above that of the target, however short the phase is. Timelines hold every
/// I/O by the second of its completion, ramp-up and drain included.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// All reads.
    pub read: DirectionOutcome,
    /// All writes.
    pub write: DirectionOutcome,
    /// All discards.
    pub discard: DirectionOutcome,
    /// All calls of fsync and fdatasync; they are no I/Os of the totals.
    pub flush: DirectionOutcome,
    /// The same, stream by stream, in the job's order.
    pub streams: Vec<StreamOutcome>,
    /// Actual start minus intended start of each I/O, in an open loop; empty in a closed loop, where it is
    /// zero by construction. A large lag means that the generator or the depth limit, not the target, held
    /// I/Os back.
    pub lag: Histogram,
    /// Latencies inside and between the bursts of a load that ran beside this one, if one did.
    pub bursts: Option<BurstSplit>,
    /// Failed I/Os by errno, over the whole run including ramp-up.
    pub errors: BTreeMap<i32, u64>,
    /// I/Os that moved fewer bytes than asked, over the whole run.
    pub short_ios: u64,
    /// I/Os of the measure phase that were not back (or, in an open loop, not even started) when the drain
    /// limit was reached. They are in the latency histogram with their age at that moment, which is a lower
    /// bound.
    pub unfinished: u64,
    /// I/Os of an open loop that were due in the measure phase and came back after its end. They are in the
    /// latency histogram, and in no rate.
    pub after_end: u64,
    /// Targets that were deleted, moved or unmounted while the load ran.
    pub displaced: Vec<Reason>,
    /// Times of the measure phase in which this program did not run.
    pub standstills: Vec<Standstill>,
    /// The end of the run.
    pub ended: Ended,
    /// CLOCK_MONOTONIC at the start of the run; origin of the timelines.
    pub started_ns: u64,
    /// Length of the ramp-up phase as it was.
    pub ramp_up: Duration,
    /// Length of the measure phase as it was: shorter than asked when stopped.
    pub elapsed: Duration,
    /// The processor time that we ourselves used during the measure phase.
    pub cpu: OwnCpu,
    /// Workers (threads) that carried the load.
    pub workers: u32,
    /// The features that the engine could use on this machine ("registered buffers", "defer_taskrun", ...),
    /// for the record.
    pub engine_features: Vec<&'static str>,
    /// Judgement of the written data, when asked for.
    pub verify: Option<VerifyReport>,
    /// The summary of the journal, if one was requested.
    pub journal: Option<JournalSummary>,
}

/// Reads or writes of a run or of one of its streams.
#[derive(Clone, Debug)]
pub struct DirectionOutcome {
    /// I/Os without error that completed in the measure phase.
    pub ios: u64,
    /// Bytes they moved.
    pub bytes: u64,
    /// From the intended start to completion: the latency for the caller.
    pub latency: Histogram,
    /// From the actual start (handed to the engine) to completion. Equal to `latency` in a closed loop.
    pub service: Histogram,
    /// Second by second over the whole run; latency from the intended start.
    pub timeline: Timeline,
}

/// One stream's part of a run.
#[derive(Clone, Debug)]
pub struct StreamOutcome {
    /// Name from the job.
    pub name: String,
    /// Its reads.
    pub read: DirectionOutcome,
    /// Its writes.
    pub write: DirectionOutcome,
    /// Its discards.
    pub discard: DirectionOutcome,
    /// Its flushes.
    pub flush: DirectionOutcome,
    /// The part of the measure phase in which its load ran.
    pub elapsed: Duration,
}

impl StreamOutcome {
    pub(crate) fn empty(name: &str, origin_ns: u64) -> StreamOutcome {
        StreamOutcome {
            name: name.to_owned(),
            read: DirectionOutcome::empty(origin_ns),
            write: DirectionOutcome::empty(origin_ns),
            discard: DirectionOutcome::empty(origin_ns),
            flush: DirectionOutcome::empty(origin_ns),
            elapsed: Duration::ZERO,
        }
    }

    /// Adds the counts of the same stream elsewhere at the same time.
    fn merge(&mut self, other: &StreamOutcome) {
        self.read.merge(&other.read);
        self.write.merge(&other.write);
        self.discard.merge(&other.discard);
        self.flush.merge(&other.flush);
    }

    /// Reads, writes and discards per second while its load ran.
    pub fn iops(&self) -> f64 {
        self.per_second(self.read.ios + self.write.ios + self.discard.ios)
    }

    /// Bytes of reads, writes and discards per second while its load ran.
    pub fn bytes_per_second(&self) -> f64 {
        self.per_second(self.read.bytes + self.write.bytes + self.discard.bytes)
    }

    /// A count of the stream per second while its load ran.
    pub fn per_second(&self, count: u64) -> f64 {
        per_second(count, self.elapsed)
    }
}

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The measure phase ran its full length.
    Complete,
    /// The caller asked to stop.
    Stopped,
    /// Every one of the last [`FAILURES_IN_A_ROW_MAX`](crate::FAILURES_IN_A_ROW_MAX) I/Os failed; the run was
    /// cut short.
    TargetFailing {
        /// The last error.
        errno: i32,
    },
    /// Some workers did not come back: their system calls never returned. Their I/Os are missing from the
    /// results.
    WorkersStuck {
        /// Their number.
        workers: u32,
    },
}

/// CPU time this process used during the measure phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnCpu {
    /// User time of the workers, ns.
    pub user_ns: u64,
    /// The part of it that they spun, waiting for a moment on time, ns: no I/O needed it.
    pub spun_ns: u64,
    /// System time of the workers, ns.
    pub system_ns: u64,
    /// Everything the process used, kernel helper threads of io_uring included, ns.
    pub process_ns: u64,
}

impl Outcome {
    /// An outcome without I/Os, to be filled.
    pub(crate) fn empty(started_ns: u64, workers: u32) -> Outcome {
        Outcome {
            read: DirectionOutcome::empty(started_ns),
            write: DirectionOutcome::empty(started_ns),
            discard: DirectionOutcome::empty(started_ns),
            flush: DirectionOutcome::empty(started_ns),
            streams: Vec::new(),
            lag: Histogram::new(),
            bursts: None,
            errors: BTreeMap::new(),
            short_ios: 0,
            unfinished: 0,
            after_end: 0,
            displaced: Vec::new(),
            standstills: Vec::new(),
            ended: Ended::Complete,
            started_ns,
            ramp_up: Duration::MAX,
            elapsed: Duration::ZERO,
            cpu: OwnCpu::default(),
            workers,
            engine_features: Vec::new(),
            verify: None,
            journal: None,
        }
    }

    /// Adds a load that ran beside this at the same time: see [`run_together`](crate::run_together).
    pub fn add_beside(&mut self, other: Outcome) {
        self.read.merge(&other.read);
        self.write.merge(&other.write);
        self.discard.merge(&other.discard);
        self.flush.merge(&other.flush);
        self.streams.extend(other.streams);
        self.lag.merge(&other.lag);
        self.add_bursts(other.bursts.as_ref());
        for (errno, count) in other.errors {
            *self.errors.entry(errno).or_default() += count;
        }
        self.short_ios += other.short_ios;
        self.unfinished += other.unfinished;
        self.after_end += other.after_end;
        for reason in other.displaced {
            // Loads side by side may share a target.
            if !self.displaced.contains(&reason) {
                self.displaced.push(reason);
            }
        }
        for other in other.standstills {
            // All loads stand still with the program.
            let ends = |still: &Standstill| still.from + still.length;
            if !self.standstills.iter().any(|mine| mine.from < ends(&other) && other.from < ends(mine)) {
                self.standstills.push(other);
            }
        }
        if self.ended == Ended::Complete {
            self.ended = other.ended;
        }
        self.ramp_up = self.ramp_up.max(other.ramp_up);
        self.elapsed = self.elapsed.max(other.elapsed);
        self.cpu.user_ns += other.cpu.user_ns;
        self.cpu.spun_ns += other.cpu.spun_ns;
        self.cpu.system_ns += other.cpu.system_ns;
        self.cpu.process_ns = self.cpu.process_ns.max(other.cpu.process_ns);
        self.workers += other.workers;
        for feature in other.engine_features {
            if !self.engine_features.contains(&feature) {
                self.engine_features.push(feature);
            }
        }
        match (&mut self.verify, other.verify) {
            (Some(all), Some(report)) => all.add(report),
            (verify, report) => *verify = verify.take().or(report),
        }
        self.journal = self.journal.take().or(other.journal);
    }

    /// Adds a load that ran after this, at another time; streams of one name become one. The timelines keep
    /// their own seconds.
    pub fn add_after(&mut self, other: Outcome) {
        let (elapsed, cpu, workers) = (self.elapsed + other.elapsed, other.cpu, self.workers);
        let process_ns = self.cpu.process_ns + cpu.process_ns;
        let mut others = other;
        self.standstills.append(&mut others.standstills);
        for stream in std::mem::take(&mut others.streams) {
            match self.streams.iter_mut().find(|mine| mine.name == stream.name) {
                Some(mine) => {
                    mine.merge(&stream);
                    mine.elapsed += stream.elapsed;
                }
                None => self.streams.push(stream),
            }
        }
        let inside = |outcome: &Outcome| outcome.bursts.as_ref().map_or(Duration::ZERO, |split| split.inside);
        let inside = inside(self) + inside(&others);
        self.add_beside(others);
        (self.elapsed, self.cpu.process_ns, self.workers) = (elapsed, process_ns, workers);
        if let Some(split) = &mut self.bursts {
            split.inside = inside;
        }
    }

    /// Makes one stream of all streams that have one name, as those of several files have.
    pub fn join_streams(&mut self) {
        for stream in std::mem::take(&mut self.streams) {
            match self.streams.iter_mut().find(|mine| mine.name == stream.name) {
                Some(mine) => mine.merge(&stream),
                None => self.streams.push(stream),
            }
        }
    }

    pub(crate) fn add_bursts(&mut self, other: Option<&BurstSplit>) {
        match (&mut self.bursts, other) {
            (Some(mine), Some(other)) => mine.merge(other),
            (None, Some(other)) => self.bursts = Some(other.clone()),
            (_, None) => {}
        }
    }

    /// Latencies of reads, writes and discards together, from the intended start.
    pub fn latency(&self) -> Histogram {
        let mut all = self.read.latency.clone();
        all.merge(&self.write.latency);
        all.merge(&self.discard.latency);
        all
    }

    /// Service times of reads, writes and discards together.
    pub fn service(&self) -> Histogram {
        let mut all = self.read.service.clone();
        all.merge(&self.write.service);
        all.merge(&self.discard.service);
        all
    }

    /// Timeline of reads, writes and discards together.
    pub fn timeline(&self) -> Timeline {
        let mut all = self.read.timeline.clone();
        all.merge(&self.write.timeline);
        all.merge(&self.discard.timeline);
        all
    }

    /// I/Os of the measure phase.
    pub fn ios(&self) -> u64 {
        self.read.ios + self.write.ios + self.discard.ios
    }

    /// True if the measure phase has neither an I/O nor a flush.
    pub fn did_nothing(&self) -> bool {
        self.ios() == 0 && self.flush.ios == 0
    }

    /// I/Os per second over the measure phase.
    pub fn iops(&self) -> f64 {
        per_second(self.ios(), self.elapsed)
    }

    /// Reads per second over the measure phase.
    pub fn read_iops(&self) -> f64 {
        per_second(self.read.ios, self.elapsed)
    }

    /// Writes per second over the measure phase.
    pub fn write_iops(&self) -> f64 {
        per_second(self.write.ios, self.elapsed)
    }

    /// Discards per second over the measure phase.
    pub fn discard_iops(&self) -> f64 {
        per_second(self.discard.ios, self.elapsed)
    }

    /// Bytes per second over the measure phase, all directions.
    pub fn bytes_per_second(&self) -> f64 {
        per_second(self.read.bytes + self.write.bytes + self.discard.bytes, self.elapsed)
    }

    /// Our own CPU time (user and system, whole process) per I/O, in ns; `None` without I/Os. In an open loop
    /// and with the modelled engine it includes spinning for exact start times.
    pub fn cpu_per_io_ns(&self) -> Option<f64> {
        (self.ios() > 0).then(|| self.cpu.process_ns as f64 / self.ios() as f64)
    }

    /// Failed and short I/Os.
    pub fn failures(&self) -> u64 {
        self.errors.values().sum::<u64>() + self.short_ios
    }

    /// The caveats about the figures; empty for a clean run.
    pub fn warnings(&self) -> Reasons {
        let name = |errno| crate::errno_name(errno).map_or_else(|| format!("errno {errno}"), str::to_owned);
        let mut warnings: Vec<Reason> =
            self.errors.iter().map(|(&errno, &ios)| Reason::IosFailed { ios, error: name(errno) }).collect();
        if self.short_ios > 0 {
            warnings.push(Reason::IosShort { ios: self.short_ios });
        }
        if self.unfinished > 0 {
            warnings.push(Reason::IosUnfinished { ios: self.unfinished });
        }
        match self.ended {
            Ended::Complete => {}
            Ended::Stopped => warnings.push(Reason::RunStopped),
            Ended::TargetFailing { errno } => warnings.push(Reason::TargetFailing { error: name(errno) }),
            Ended::WorkersStuck { workers } => {
                warnings.push(Reason::WorkersStuck { workers: u64::from(workers) });
            }
        }
        warnings.extend(self.displaced.iter().cloned());
        warnings.extend(self.standstills.iter().take(STANDSTILLS_TOLD).map(|still| {
            Reason::ProgramStoodStill {
                seconds: still.length.as_secs_f64(),
                from_second: still.from.as_secs_f64(),
            }
        }));
        let error = self.timeline().error();
        if error > Timeline::FINEST_ERROR {
            warnings.push(Reason::CoarseSeconds { error_percent: error * 100.0 });
        }
        if let Some(journal) = &self.journal {
            warnings.extend(journal.error.iter().map(|error| Reason::JournalEnded { error: error.clone() }));
            if journal.left_out > 0 {
                warnings.push(Reason::JournalIncomplete { writes: journal.left_out });
            }
        }
        if let Some(report) = &self.verify {
            if report.faulty_blocks > 0 {
                warnings.push(Reason::BlocksWrong { blocks: report.faulty_blocks, kinds: report.kinds() });
            }
            if !report.complete {
                warnings.push(Reason::NotVerified);
            }
        }
        Reasons(warnings)
    }

    /// True if the figures hold in spite of the warnings: late I/Os have a lower bound, and coarse
    /// percentiles of single seconds are only drawn. After a failed or interrupted I/O, an early end of the
    /// run, or on a target that was taken away, no figure is reliable.
    pub fn figures_hold(&self) -> bool {
        let is_journal_whole =
            self.journal.as_ref().is_none_or(|journal| journal.error.is_none() && journal.left_out == 0);
        let is_verified =
            self.verify.as_ref().is_none_or(|report| report.faulty_blocks == 0 && report.complete);
        let is_all_there = self.ended == Ended::Complete && self.displaced.is_empty();
        is_all_there && self.failures() == 0 && is_journal_whole && is_verified
    }

    /// True if the figures may be used as a measurement: the run had its full length and nothing failed.
    pub fn is_clean(&self) -> bool {
        self.ended == Ended::Complete && self.warnings().is_empty()
    }
}

impl DirectionOutcome {
    pub(crate) fn empty(origin_ns: u64) -> DirectionOutcome {
        DirectionOutcome {
            ios: 0,
            bytes: 0,
            latency: Histogram::new(),
            service: Histogram::new(),
            timeline: Timeline::new(origin_ns),
        }
    }

    /// Adds the counts of another load in the same direction.
    pub fn merge(&mut self, other: &DirectionOutcome) {
        self.ios += other.ios;
        self.bytes += other.bytes;
        self.latency.merge(&other.latency);
        self.service.merge(&other.service);
        self.timeline.merge(&other.timeline);
    }
}

fn per_second(count: u64, elapsed: Duration) -> f64 {
    if elapsed.is_zero() { 0.0 } else { count as f64 / elapsed.as_secs_f64() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_answers_leave_the_figures_standing_and_failures_do_not() {
        let mut outcome = Outcome { ended: Ended::Complete, ..Outcome::empty(0, 1) };
        outcome.unfinished = 3;
        assert!(!outcome.is_clean() && outcome.figures_hold(), "{:?}", outcome.warnings());
        let short = Outcome { short_ios: 1, ..outcome.clone() };
        assert!(!short.figures_hold(), "{:?}", short.warnings());
        let failed = Outcome { errors: BTreeMap::from([(5, 1)]), ..outcome.clone() };
        assert!(!failed.figures_hold(), "{:?}", failed.warnings());
        let stopped = Outcome { ended: Ended::Stopped, ..outcome };
        assert!(!stopped.figures_hold(), "{:?}", stopped.warnings());
    }
}
