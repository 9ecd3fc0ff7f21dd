//! The charge of an operation on the mount: the drive's time, less the time of the path through the kernel.

use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use device::Op;
use fuser::INodeNo;

use ground::Clock;

use super::callers::{Callers, UnderWay};
use super::node::is_witness;
use super::servants::Servants;
use super::ways::{SIZES, Ways, size_class};
use crate::EmulatedDrive;
use crate::drive::clock::wait_until;
use crate::drive::realtime;
use crate::fault::Faults;
use crate::recorder::{Done, IoKind, Recorder, Role};
use crate::way::{WAYS, way_place};

/// See [`Started::answerable_ns`].
const EARLY_PART: u64 = 50;
const EARLY_MOST_NS: u64 = 5_000;
/// Steps of a whole way in which [`Charging::follow`] goes.
const STEPS: u64 = 128;

/// Charges the operations of one mount to a drive.
pub(super) struct Charging {
    pub(super) drive: Arc<EmulatedDrive>,
    pub(super) recorder: Recorder,
    pub(super) faults: Faults,
    pub(super) servants: Servants,
    takes_time: bool,
    /// Who uses the mount.
    pub(super) callers: Arc<Callers>,
    /// Known from the rehearsal on, before programs use the mount.
    foreseen: OnceLock<Foreseen>,
    /// The most that is foreseen of the way by kind and size, ns: see [`Charging::follow`].
    most_foreseen_ns: [AtomicU64; WAYS],
    /// While the mount itself is measured nothing of its own operations is charged, and they take these
    /// times: reads, writes and flushes, ns.
    paused: AtomicBool,
    rehearsed_ns: [AtomicU64; 3],
    /// The sum of the times from requests of our own to their answers, ns.
    own_ns: AtomicU64,
}

/// The known way before the load begins.
#[derive(Clone, Copy, Default)]
pub(super) struct Foreseen {
    /// Time that a caller loses before we see its request and after we have answered it: part of the
    /// modelled time, not added to it.
    pub(super) ways: Ways,
    /// The times of the witness's operations, by kind and size, ns.
    pub(super) witness_ns: [[u64; SIZES.len()]; 3],
    /// The part of the way of one caller that is the usual lateness of the mount itself, by kind and size,
    /// ns.
    pub(super) late_ns: [[u64; SIZES.len()]; 3],
    /// The usual wait of a woken caller for its processor, ns.
    pub(super) usual_wait_ns: u64,
}

/// The program behind a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Requester {
    /// The file that it is about.
    pub(super) ino: INodeNo,
    /// The thread that asks; 0 for the kernel itself, as when it writes pages back.
    pub(super) thread: u32,
    /// True if its request came with the operation before it, as the sync of a write that is followed by one:
    /// it has no way of its own.
    pub(super) continues: bool,
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
    /// The way that is part of its time, ns; `None` where it has none.
    foreseen_ns: Option<u64>,
    under_way: UnderWay,
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

    /// True if the thread that wants it works on meanwhile.
    pub(super) fn caller_goes_on(&self) -> bool {
        self.under_way.goes_on
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
            callers: Callers::new(),
            foreseen: OnceLock::new(),
            most_foreseen_ns: std::array::from_fn(|_| AtomicU64::new(u64::MAX)),
            paused: AtomicBool::new(false),
            rehearsed_ns: Default::default(),
            own_ns: AtomicU64::new(0),
        }
    }

    /// True if the drive ever lets a caller wait.
    pub(super) fn takes_time(&self) -> bool {
        self.takes_time
    }

    /// An operation begins: the drive takes it in before the real work is done, so that its queue is in the
    /// order of arrival.
    pub(super) fn begin(&self, requester: Requester, op: Op) -> Started {
        self.enlist();
        self.begin_at(requester, op, Clock::Wall.now_ns())
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
    pub(super) fn begin_at(&self, requester: Requester, op: Op, received_ns: u64) -> Started {
        let (kind, bytes) = kind_and_bytes(op);
        let of = match self.paused.load(Relaxed) {
            true if is_of_this_process(requester.thread) => Of::Rehearsal,
            false if is_witness(requester.ino) => Of::Witness,
            // A program that found the mount before its measurement was over has the drive all the same.
            _ => Of::Load,
        };
        let thread = if of == Of::Load { requester.thread } else { 0 };
        let under_way = self.callers.begin(thread, received_ns);
        let foreseen = self.foreseen.get();
        let foreseen_ns = (!requester.continues).then(|| {
            let way_ns = foreseen.map_or(0, |known| known.ways.ns(kind as usize, bytes, under_way.at_once));
            if let Some(gap_ns) = under_way.gap_ns {
                self.follow(kind, bytes, gap_ns);
            }
            way_ns.min(self.most_foreseen_ns[way_place(kind, bytes)].load(Relaxed))
        });
        let began_ns = received_ns.saturating_sub(foreseen_ns.unwrap_or(0));
        let (started_ns, deadline_ns) = match of {
            Of::Load => (began_ns, self.drive.submit(op, began_ns)),
            Of::Rehearsal => (received_ns, received_ns + self.rehearsed_ns[kind as usize].load(Relaxed)),
            Of::Witness => {
                let size = size_class(kind as usize, bytes);
                let asked_ns = foreseen.map_or(0, |known| known.witness_ns[kind as usize][size]);
                // A way that is longer than the time asked for has passed already.
                (began_ns, (began_ns + asked_ns).max(received_ns))
            }
        };
        Started { op, kind, received_ns, started_ns, deadline_ns, worked_ns: 0, of, foreseen_ns, under_way }
    }

    /// The real work is done: waits for the modelled completion and counts.
    pub(super) fn end(&self, mut started: Started) {
        started.worked(Clock::Wall.now_ns());
        let ended_ns = wait_until(started.deadline_ns);
        self.count(started, ended_ns);
    }

    /// Counts an operation whose work is done and that is answered at this moment.
    pub(super) fn count(&self, started: Started, ended_ns: u64) {
        let took_ns = ended_ns.saturating_sub(started.started_ns);
        started.under_way.answered(ended_ns, took_ns);
        match started.of {
            Of::Load => {}
            Of::Rehearsal | Of::Witness => {
                self.own_ns.fetch_add(ended_ns.saturating_sub(started.received_ns), Relaxed);
                return;
            }
        }
        let (_, bytes) = kind_and_bytes(started.op);
        self.recorder.done(Done {
            role: Role::Data,
            kind: started.kind,
            bytes,
            actual_ns: took_ns,
            model_ns: Some(started.deadline_ns.saturating_sub(started.started_ns)),
            work_ns: started.worked_ns.saturating_sub(started.received_ns),
        });
        let Some(foreseen_ns) = started.foreseen_ns else { return };
        let usually_late_ns = self.foreseen.get().map_or(0, |known| {
            known.late_ns[started.kind as usize][size_class(started.kind as usize, bytes)]
        });
        let path_ns = foreseen_ns.saturating_sub(usually_late_ns);
        self.recorder.pass(started.kind, bytes, (foreseen_ns, path_ns));
    }

    /// The sum of the times from requests of our own, in a rehearsal or by the witness, to their answers, ns.
    pub(super) fn took_for_own_ns(&self) -> u64 {
        self.own_ns.load(Relaxed)
    }

    /// See [`Foreseen::usual_wait_ns`].
    pub(super) fn usual_wait_ns(&self) -> u64 {
        self.foreseen.get().map_or(0, |foreseen| foreseen.usual_wait_ns)
    }

    /// A thread of the load asked for an operation of this kind and size so long after its last answer. The
    /// rehearsal may have found the machine busier than it is now, and a way that is foreseen too long lets
    /// operations end before their model. No way is longer than such a time, so no more is foreseen than the
    /// lower quartile of these, followed by steps that are three times as long downwards; and never more than
    /// was rehearsed.
    fn follow(&self, kind: IoKind, bytes: u64, gap_ns: u64) {
        let Some(foreseen) = self.foreseen.get() else { return };
        let rehearsed_ns = foreseen.ways.ns(kind as usize, bytes, 1);
        let step_ns = (rehearsed_ns / STEPS).max(1);
        // Threads that do so at the same moment may lose a step, which the next ones make up for.
        let most = &self.most_foreseen_ns[way_place(kind, bytes)];
        let now_ns = most.load(Relaxed).min(rehearsed_ns);
        let next_ns = if gap_ns < now_ns { now_ns.saturating_sub(3 * step_ns) } else { now_ns + step_ns };
        most.store(next_ns.min(rehearsed_ns), Relaxed);
    }

    /// Charges no operations of this process until [`Charging::resume`]; they take these times instead:
    /// reads, writes, flushes, ns.
    pub(super) fn pause(&self, rehearsed_ns: [u64; 3]) {
        for (time, ns) in self.rehearsed_ns.iter().zip(rehearsed_ns) {
            time.store(ns, Relaxed);
        }
        self.paused.store(true, Relaxed);
    }

    /// Charges again, with what a rehearsal has shown: the first one counts.
    pub(super) fn resume(&self, foreseen: Foreseen) {
        let _ = self.foreseen.set(foreseen);
        self.paused.store(false, Relaxed);
    }
}

/// True for the kernel itself and for threads of this process, which alone measures a new mount.
fn is_of_this_process(thread: u32) -> bool {
    // The last one that was, so that the times that are measured do not contain the look.
    thread_local!(static LAST: Cell<u32> = const { Cell::new(0) });
    if thread != LAST.get() && Path::new(&format!("/proc/self/task/{thread}")).exists() {
        LAST.set(thread);
    }
    thread == 0 || thread == LAST.get()
}

/// The kind of an operation, and its length, which syncs do not have.
fn kind_and_bytes(op: Op) -> (IoKind, u64) {
    match op {
        Op::Read { len, .. } => (IoKind::Read, len.into()),
        Op::Write { len, .. } => (IoKind::Write, len.into()),
        Op::Flush => (IoKind::Sync, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuse::node::WITNESS;
    use device::DriveSpec;

    fn program(ino: u64) -> Requester {
        Requester { ino: INodeNo(ino), thread: 1, continues: false }
    }

    #[test]
    fn no_more_is_foreseen_than_the_run_shows() {
        let charging = Charging::new(EmulatedDrive::new("free", &DriveSpec::free(), 1));
        let mut foreseen = Foreseen::default();
        foreseen.ways.0[0] = [[20_000; 3]; 4];
        charging.resume(foreseen);
        let foreseen_ns = || {
            charging
                .begin_at(program(2), Op::Read { offset: 0, len: 4096 }, 1_000_000_000)
                .foreseen_ns
                .unwrap()
        };
        (0..100).for_each(|_| charging.follow(IoKind::Read, 4096, 30_000));
        assert_eq!(foreseen_ns(), 20_000, "never more than rehearsed");
        // One in four is short: the lower quartile.
        (0..2_000).for_each(|turn| {
            charging.follow(IoKind::Read, 4096, [8_000, 14_000, 15_000, 90_000][turn % 4]);
        });
        assert!((7_000..14_600).contains(&foreseen_ns()), "{}", foreseen_ns());
        (0..2_000).for_each(|_| charging.follow(IoKind::Read, 4096, 30_000));
        assert_eq!(foreseen_ns(), 20_000);
        charging.follow(IoKind::Write, 4096, 10);
        assert_eq!(foreseen_ns(), 20_000, "another kind");
    }

    #[test]
    fn the_way_through_the_kernel_is_part_of_the_time() {
        let spec = DriveSpec { write_ack_ns: 2_000_000, write_buffer_bytes: 1 << 20, ..DriveSpec::free() };
        let charging = Charging::new(EmulatedDrive::new("slow", &spec, 1));
        let op = Op::Write { offset: 0, len: 4096 };
        charging.pause([0, 700_000, 0]);
        let before_ns = Clock::Wall.now_ns();
        let own = Requester { thread: rustix::thread::gettid().as_raw_pid().cast_unsigned(), ..program(2) };
        charging.end(charging.begin(own, op));
        assert!(Clock::Wall.now_ns() - before_ns >= 700_000, "the rehearsed time is waited for");
        assert_eq!(charging.recorder.counts().data.writes, 0, "nothing of our own is charged while paused");
        let early = charging.begin(program(2), op);
        assert_eq!(early.deadline_ns() - early.received_ns, 2_000_000, "a program is charged from the first");
        let mut foreseen = Foreseen::default();
        foreseen.ways.0[1] = [[500_000; 3]; 4];
        foreseen.late_ns[1] = [20_000; 4];
        foreseen.witness_ns[1] = [600_000; 4];
        charging.resume(foreseen);
        let started = charging.begin_at(program(2), op, Clock::Wall.now_ns());
        assert_eq!(started.foreseen_ns, Some(500_000));
        let then = Requester { continues: true, ..program(2) };
        let sync = charging.begin_at(then, op, Clock::Wall.now_ns());
        assert_eq!((sync.foreseen_ns, sync.started_ns), (None, sync.received_ns), "it came with another");
        drop(sync);
        let early_ns = started.deadline_ns() - started.answerable_ns();
        assert_eq!(early_ns, 5_000, "a fiftieth would be 40 us");
        let before_ns = Clock::Wall.now_ns();
        charging.end(charging.begin(program(2), op));
        assert!(Clock::Wall.now_ns() - before_ns >= 1_500_000, "the rest is waited for");
        let counters = charging.recorder.counters();
        assert_eq!((counters.data.writes, counters.data.write_bytes), (1, 4096));
        let way = &counters.ways[way_place(IoKind::Write, 4096)];
        assert_eq!((way.foreseen_ns, way.path_ns), (500_000, 480_000));
        let before_ns = Clock::Wall.now_ns();
        let own_ns = charging.took_for_own_ns();
        charging.end(charging.begin(program(WITNESS), op));
        let took_ns = Clock::Wall.now_ns() - before_ns;
        assert!(took_ns >= 100_000, "the time asked for, less the way");
        assert!((100_000..=took_ns).contains(&(charging.took_for_own_ns() - own_ns)));
        assert_eq!(charging.recorder.counts().data.writes, 1, "the witness is no load");
        assert!(counters.data.write.quantile_ns(0.5) >= 1_990_000, "what the caller sees includes the way");
    }
}
