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
/// Steps of a whole way in which [`follow`] goes.
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
    /// The most that is foreseen of the way by kind and size, for threads that wait for each operation and
    /// for those that have several under way, ns: see [`follow`].
    most_foreseen_ns: [[AtomicU64; WAYS]; 2],
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
    /// A stall of the drive put off its end.
    is_stalled: bool,
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
            most_foreseen_ns: std::array::from_fn(|_| std::array::from_fn(|_| AtomicU64::new(u64::MAX))),
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
        let foreseen_ns = (!requester.continues).then(|| self.foreseen_ns(kind, bytes, &under_way));
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
        let (worked_ns, is_stalled) = (0, false);
        Started {
            op,
            kind,
            received_ns,
            started_ns,
            deadline_ns,
            worked_ns,
            of,
            foreseen_ns,
            under_way,
            is_stalled,
        }
    }

    /// Puts off the end of an operation of the load that would complete at this moment, if the drive stalls.
    pub(super) fn stalls(&self, started: &mut Started, now_ns: u64) -> bool {
        let next_ns = if started.of == Of::Load { self.drive.stalls(now_ns) } else { None };
        if let Some(next_ns) = next_ns {
            (started.deadline_ns, started.is_stalled) = (next_ns, true);
        }
        next_ns.is_some()
    }

    /// The real work is done: waits for the modelled completion and counts.
    pub(super) fn end(&self, mut started: Started) {
        started.worked(Clock::Wall.now_ns());
        let mut ended_ns = wait_until(started.deadline_ns);
        while self.stalls(&mut started, ended_ns) {
            ended_ns = wait_until(started.deadline_ns);
        }
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
        if started.is_stalled {
            self.recorder.stalled();
        }
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

    /// The way of an operation that has begun, ns: that of the rehearsal for so many threads at once, and no
    /// more than the run shows.
    fn foreseen_ns(&self, kind: IoKind, bytes: u64, under_way: &UnderWay) -> u64 {
        let Some(foreseen) = self.foreseen.get() else { return 0 };
        // Operations of one thread do not wait for each other's processor.
        let threads = if under_way.goes_on { 1 } else { under_way.at_once };
        let way_ns = foreseen.ways.ns(kind as usize, bytes, threads);
        let most_ns = &self.most_foreseen_ns[usize::from(under_way.goes_on)][way_place(kind, bytes)];
        if let Some(gap_ns) = under_way.gap_ns {
            follow(most_ns, foreseen.ways.ns(kind as usize, bytes, 1), gap_ns);
        }
        way_ns.min(most_ns.load(Relaxed))
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

/// A thread of the load asked for its next operation so long after an answer. The rehearsal may have found
/// the machine busier than it is now, and a way that is foreseen too long lets operations end before their
/// model. No way is longer than such a time, so no more is foreseen than the median of these, which is
/// followed by steps; and never more than was rehearsed, which holds for a thread that thinks for long.
fn follow(most_ns: &AtomicU64, rehearsed_ns: u64, gap_ns: u64) {
    let step_ns = (rehearsed_ns / STEPS).max(1);
    // Threads that do so at the same moment may lose a step, which the next ones make up for.
    let now_ns = most_ns.load(Relaxed).min(rehearsed_ns);
    let next_ns = if gap_ns < now_ns { now_ns.saturating_sub(step_ns) } else { now_ns + step_ns };
    most_ns.store(next_ns.min(rehearsed_ns), Relaxed);
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
        let most_ns = AtomicU64::new(u64::MAX);
        let after = |gaps_ns: &[u64]| {
            (0..2_000).for_each(|turn| follow(&most_ns, 20_000, gaps_ns[turn % gaps_ns.len()]));
            most_ns.load(Relaxed)
        };
        assert_eq!(after(&[30_000]), 20_000, "never more than rehearsed");
        let median_ns = after(&[8_000, 14_000, 15_000, 16_000, 90_000]);
        assert!((14_500..15_500).contains(&median_ns), "{median_ns}");
        assert_eq!(after(&[30_000, 25_000]), 20_000);
    }

    #[test]
    fn threads_with_several_operations_have_a_way_of_their_own() {
        let charging = Charging::new(EmulatedDrive::new("free", &DriveSpec::free(), 1));
        let mut foreseen = Foreseen::default();
        foreseen.ways.0[0] = [[20_000, 8_000, 8_000]; 4];
        charging.resume(foreseen);
        let read = Op::Read { offset: 0, len: 4096 };
        let mut now_ns = 1_000_000_000;
        let mut begin = |after_ns| {
            now_ns += after_ns;
            charging.begin_at(program(2), read, now_ns)
        };
        // One at a time, asked for 6 us after each answer.
        for _ in 0..2_000 {
            let one = begin(6_000);
            one.under_way.answered(one.received_ns, 0);
        }
        let first = begin(6_000);
        let second = begin(0);
        let foreseen_ns = |of: &Started| of.foreseen_ns.unwrap();
        assert!((5_800..6_200).contains(&foreseen_ns(&first)), "{}", foreseen_ns(&first));
        assert_eq!(foreseen_ns(&second), 20_000, "nothing is known of it, and it is the same thread");
        let other = charging.begin_at(Requester { thread: 2, ..program(2) }, read, 1_000_000_000);
        assert!(foreseen_ns(&other) <= 6_200, "another thread, one of three at once");
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
