//! The charge of an operation on the mount: the drive's time, less the time of the path through the kernel.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use device::Op;
use fuser::INodeNo;

use ground::Clock;

use super::node::is_witness;
use super::servants::Servants;
use crate::EmulatedDrive;
use crate::drive::clock::wait_until;
use crate::drive::realtime;
use crate::fault::Faults;
use crate::recorder::{Done, IoKind, Recorder, Role};

/// See [`Started::answerable_ns`].
const EARLY_PART: u64 = 50;
const EARLY_MOST_NS: u64 = 5_000;

/// Charges the operations of one mount to a drive.
pub(super) struct Charging {
    pub(super) drive: Arc<EmulatedDrive>,
    pub(super) recorder: Recorder,
    pub(super) faults: Faults,
    pub(super) servants: Servants,
    /// True if the drive ever lets a caller wait.
    takes_time: bool,
    /// Time that a caller loses before we see its request and after we have answered it: part of the modelled
    /// time, not added to it. Reads, writes and flushes, ns.
    ways_ns: [AtomicU64; 3],
    /// While the mount itself is measured nothing is charged, and operations take these times: reads, writes
    /// and flushes, ns.
    paused: AtomicBool,
    rehearsed_ns: [AtomicU64; 3],
    /// The times of the witness's reads and writes, ns, and the sum of the times by which we answered it
    /// late, ns.
    witness_ns: [AtomicU64; 2],
    witness_late_ns: AtomicU64,
}

/// An operation under way.
pub(super) struct Started {
    op: Op,
    kind: IoKind,
    received_ns: u64,
    /// When it began for the caller, and when it is to be complete.
    started_ns: u64,
    deadline_ns: u64,
    /// When the real work under it was done; 0 until then.
    worked_ns: u64,
    of: Of,
}

/// Whose operation it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Load,
    Rehearsal,
    Witness,
}

impl Started {
    /// When it is to be complete (`CLOCK_MONOTONIC`).
    pub(super) fn deadline_ns(&self) -> u64 {
        self.deadline_ns
    }

    /// From when on it may be answered (`CLOCK_MONOTONIC`): a fiftieth of its time before its end, at most 5
    /// us, so that what is due together is answered together.
    pub(super) fn answerable_ns(&self) -> u64 {
        let model_ns = self.deadline_ns.saturating_sub(self.started_ns);
        self.deadline_ns - (model_ns / EARLY_PART).min(EARLY_MOST_NS)
    }

    /// The real work was done at this moment, if it was not done before.
    pub(super) fn worked(&mut self, now_ns: u64) {
        if self.worked_ns == 0 {
            self.worked_ns = now_ns;
        }
    }
}

impl Charging {
    pub(super) fn new(drive: Arc<EmulatedDrive>) -> Charging {
        let takes_time = !drive.spec().is_free();
        Charging {
            takes_time,
            drive,
            recorder: Recorder::default(),
            faults: Faults::default(),
            servants: Servants::default(),
            ways_ns: Default::default(),
            paused: AtomicBool::new(false),
            rehearsed_ns: Default::default(),
            witness_ns: Default::default(),
            witness_late_ns: AtomicU64::new(0),
        }
    }

    /// An operation begins: the drive takes it in before the real work is done, so that its queue is in the
    /// order of arrival.
    pub(super) fn begin(&self, ino: INodeNo, op: Op) -> Started {
        self.enlist();
        self.begin_at(ino, op, Clock::Wall.now_ns())
    }

    /// The calling thread answers for the mount: its processor time is counted, and where the drive takes
    /// time it comes first.
    pub(super) fn enlist(&self) {
        self.servants.enlist();
        if self.takes_time {
            realtime::come_first();
        }
    }

    /// [`Charging::begin`] of an operation that was received at this moment.
    pub(super) fn begin_at(&self, ino: INodeNo, op: Op, received_ns: u64) -> Started {
        let kind = match op {
            Op::Read { .. } => IoKind::Read,
            Op::Write { .. } => IoKind::Write,
            Op::Flush => IoKind::Sync,
        };
        let of = match self.paused.load(Relaxed) {
            true => Of::Rehearsal,
            false if is_witness(ino) => Of::Witness,
            false => Of::Load,
        };
        let foreseen_ns = received_ns - self.ways_ns[kind as usize].load(Relaxed);
        let (started_ns, deadline_ns) = match of {
            Of::Load => (foreseen_ns, self.drive.submit(op, foreseen_ns)),
            Of::Rehearsal => (received_ns, received_ns + self.rehearsed_ns[kind as usize].load(Relaxed)),
            Of::Witness => {
                let asked_ns = self.witness_ns.get(kind as usize).map_or(0, |asked| asked.load(Relaxed));
                // A way that is longer than the time asked for has passed already.
                (foreseen_ns, (foreseen_ns + asked_ns).max(received_ns))
            }
        };
        Started { op, kind, received_ns, started_ns, deadline_ns, worked_ns: 0, of }
    }

    /// The real work is done: waits for the modelled completion and counts.
    pub(super) fn end(&self, mut started: Started) {
        started.worked(Clock::Wall.now_ns());
        let ended_ns = wait_until(started.deadline_ns);
        self.count(&started, ended_ns);
    }

    /// Counts an operation whose work is done and that is answered at this moment.
    pub(super) fn count(&self, started: &Started, ended_ns: u64) {
        match started.of {
            Of::Load => {}
            Of::Rehearsal => return,
            Of::Witness => {
                let late_ns = ended_ns.saturating_sub(started.deadline_ns);
                self.witness_late_ns.fetch_add(late_ns, Relaxed);
                return;
            }
        }
        let bytes = match started.op {
            Op::Read { len, .. } | Op::Write { len, .. } => u64::from(len),
            Op::Flush => 0,
        };
        self.recorder.done(Done {
            role: Role::Data,
            kind: started.kind,
            bytes,
            actual_ns: ended_ns.saturating_sub(started.started_ns),
            model_ns: Some(started.deadline_ns.saturating_sub(started.started_ns)),
            work_ns: started.worked_ns.saturating_sub(started.received_ns),
        });
    }

    /// Reads and writes of the witness take these times from now on, ns.
    pub(super) fn witness_asks(&self, asked_ns: [u64; 2]) {
        for (time, ns) in self.witness_ns.iter().zip(asked_ns) {
            time.store(ns, Relaxed);
        }
    }

    /// The sum of the times by which the witness was answered late, ns.
    pub(super) fn late_of_witness_ns(&self) -> u64 {
        self.witness_late_ns.load(Relaxed)
    }

    /// Charges nothing until [`Charging::resume`]; operations take these times instead: reads, writes,
    /// flushes, ns.
    pub(super) fn pause(&self, rehearsed_ns: [u64; 3]) {
        for (time, ns) in self.rehearsed_ns.iter().zip(rehearsed_ns) {
            time.store(ns, Relaxed);
        }
        self.paused.store(true, Relaxed);
    }

    /// Charges again, with these times of the way to us and back: reads, writes, flushes, ns.
    pub(super) fn resume(&self, ways_ns: [u64; 3]) {
        for (way, ns) in self.ways_ns.iter().zip(ways_ns) {
            way.store(ns, Relaxed);
        }
        self.paused.store(false, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use device::DriveSpec;

    #[test]
    fn the_way_through_the_kernel_is_part_of_the_time() {
        let spec = DriveSpec { write_ack_ns: 2_000_000, write_buffer_bytes: 1 << 20, ..DriveSpec::free() };
        let charging = Charging::new(EmulatedDrive::new("slow", &spec, 1));
        let op = Op::Write { offset: 0, len: 4096 };
        charging.pause([0, 700_000, 0]);
        let before_ns = Clock::Wall.now_ns();
        charging.end(charging.begin(INodeNo(2), op));
        assert!(Clock::Wall.now_ns() - before_ns >= 700_000, "the rehearsed time is waited for");
        assert_eq!(charging.recorder.counts().data.writes, 0, "nothing is charged while paused");
        charging.resume([0, 500_000, 0]);
        let started = charging.begin_at(INodeNo(2), op, Clock::Wall.now_ns());
        let early_ns = started.deadline_ns() - started.answerable_ns();
        assert_eq!(early_ns, 5_000, "a fiftieth would be 40 us");
        let before_ns = Clock::Wall.now_ns();
        charging.end(charging.begin(INodeNo(2), op));
        assert!(Clock::Wall.now_ns() - before_ns >= 1_500_000, "the rest is waited for");
        let counters = charging.recorder.counters();
        assert_eq!((counters.data.writes, counters.data.write_bytes), (1, 4096));
        charging.witness_asks([0, 600_000]);
        let before_ns = Clock::Wall.now_ns();
        charging.end(charging.begin(INodeNo(super::super::node::WITNESS), op));
        let took_ns = Clock::Wall.now_ns() - before_ns;
        assert!(took_ns >= 100_000, "the time asked for, less the way");
        assert_eq!(charging.recorder.counts().data.writes, 1, "the witness is no load");
        assert!(counters.data.write.quantile_ns(0.5) >= 1_990_000, "what the caller sees includes the way");
    }
}
