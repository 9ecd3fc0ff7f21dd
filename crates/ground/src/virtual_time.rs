//! Virtual time: participants take turns, and time moves to the nearest moment that one of them waits for.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, SystemTime};

use rustix::thread::{CpuSet, sched_getcpu, sched_setaffinity};

/// The moment at which virtual time begins: a moment before it can be spoken of.
const START_NS: u64 = 1_000_000_000;
/// A moment that never comes.
pub(crate) const NEVER_NS: u64 = u64::MAX;

/// Shared by all clones of a virtual clock.
#[derive(Debug)]
pub(crate) struct VirtualTime {
    date: SystemTime,
    /// The processor of its threads. Only one of them runs, and handing over to another processor costs more
    /// than the work between.
    processor: usize,
    now_ns: AtomicU64,
    table: Mutex<Table>,
}

/// The participants. Exactly one of them runs.
#[derive(Debug)]
struct Table {
    seats: BTreeMap<u32, Seat>,
    /// The seat that runs.
    running: u32,
    /// Seats that wait, by the moment and, among equals, in the order in which they began to.
    waiting: BTreeMap<Turn, u32>,
    seats_given: u32,
    turns_given: u64,
    /// Everybody waits for something that nobody is left to do.
    is_stuck: bool,
}

/// Runs when the last participant has gone, and when all are stuck.
const NOBODY: u32 = u32::MAX;

/// A moment, and a number that rises with every wait.
type Turn = (u64, u64);

#[derive(Debug, Default)]
struct Seat {
    /// Known once the thread has begun.
    thread: Option<Thread>,
    /// Its place in the queue, and the event that brings it forward.
    waits: Option<(Turn, Option<Event>)>,
}

/// Something that a participant can wait for besides a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A change under the monitor at this address.
    Change(usize),
    /// The end of the thread on this seat.
    End(u32),
}

impl VirtualTime {
    /// With the calling thread as the one that runs.
    pub(crate) fn new(date: SystemTime) -> VirtualTime {
        let first = Seat { thread: Some(thread::current()), waits: None };
        let table = Table {
            seats: BTreeMap::from([(0, first)]),
            running: 0,
            waiting: BTreeMap::new(),
            seats_given: 1,
            turns_given: 0,
            is_stuck: false,
        };
        let (processor, now_ns) = (sched_getcpu(), AtomicU64::new(START_NS));
        VirtualTime { date, processor, now_ns, table: Mutex::new(table) }
    }

    #[inline]
    pub(crate) fn now_ns(&self) -> u64 {
        self.now_ns.load(Ordering::Relaxed)
    }

    pub(crate) fn date(&self) -> SystemTime {
        self.date + Duration::from_nanos(self.now_ns() - START_NS)
    }

    pub(crate) fn sleep_until(&self, until_ns: u64) {
        self.wait(until_ns, None);
    }

    /// Lets the others have their turns until a moment has come or an event has happened.
    ///
    /// # Panics
    /// When the calling thread is not the participant that runs; when nobody is left who could do anything.
    pub(crate) fn wait(&self, until_ns: u64, event: Option<Event>) {
        let mut table = self.lock();
        let seat = table.running_here();
        let at_ns = until_ns.max(self.now_ns());
        if event.is_none() && table.waiting.first_key_value().is_none_or(|((next_ns, _), _)| *next_ns > at_ns)
        {
            // Nobody else has anything to do before.
            self.now_ns.store(at_ns, Ordering::Relaxed);
            return;
        }
        table.queue(seat, at_ns, event);
        self.next(table);
        self.await_turn(seat);
    }

    /// Brings all who wait for an event to the present.
    pub(crate) fn happened(&self, event: Event) {
        self.lock().bring_forward(event, self.now_ns());
    }

    /// Waits for the end of the thread on a seat.
    pub(crate) fn await_end(&self, seat: u32) {
        while self.lock().seats.contains_key(&seat) {
            self.wait(NEVER_NS, Some(Event::End(seat)));
        }
    }

    /// Gives the turn to whoever is due first.
    fn next(&self, mut table: MutexGuard<'_, Table>) {
        match table.waiting.pop_first() {
            Some(((at_ns, _), seat)) if at_ns < NEVER_NS => {
                self.now_ns.fetch_max(at_ns, Ordering::Relaxed);
                table.running = seat;
                let due = table.seats.get_mut(&seat).and_then(|seat| {
                    seat.waits = None;
                    seat.thread.clone()
                });
                drop(table); // The thread that wakes needs it.
                due.iter().for_each(Thread::unpark);
            }
            None => table.running = NOBODY,
            Some(_) => {
                (table.running, table.is_stuck) = (NOBODY, true);
                table.seats.values().filter_map(|seat| seat.thread.as_ref()).for_each(Thread::unpark);
            }
        }
    }

    fn await_turn(&self, seat: u32) {
        loop {
            let table = self.lock();
            if table.running == seat {
                return;
            }
            assert!(!table.is_stuck, "virtual time: all participants wait, and nobody is left to end a wait");
            drop(table);
            thread::park();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// The seat of the calling thread, which must be the one that runs.
    fn running_here(&self) -> u32 {
        let thread = self.seats.get(&self.running).and_then(|seat| seat.thread.as_ref());
        let is_here = thread.is_some_and(|thread| thread.id() == thread::current().id());
        assert!(is_here, "a thread that is no participant waits by a virtual clock; spawn it by the clock");
        self.running
    }

    fn queue(&mut self, seat: u32, at_ns: u64, event: Option<Event>) {
        self.turns_given += 1;
        let turn = (at_ns, self.turns_given);
        self.waiting.insert(turn, seat);
        if let Some(seat) = self.seats.get_mut(&seat) {
            seat.waits = Some((turn, event));
        }
    }

    fn bring_forward(&mut self, event: Event, now_ns: u64) {
        let waits = |seat: &Seat| seat.waits.filter(|(_, waits_for)| *waits_for == Some(event));
        let all = self.seats.iter();
        let found: Vec<(u32, Turn)> = all.filter_map(|(&seat, of)| Some((seat, waits(of)?.0))).collect();
        for (seat, turn) in found {
            self.waiting.remove(&turn);
            self.queue(seat, now_ns, None);
        }
    }
}

/// A place among the participants, taken for a thread before it begins and left when it ends.
#[derive(Debug)]
pub(crate) struct Participant {
    time: Arc<VirtualTime>,
    pub(crate) seat: u32,
}

impl Participant {
    pub(crate) fn new(time: &Arc<VirtualTime>) -> Participant {
        let mut table = time.lock();
        let seat = table.seats_given;
        table.seats_given += 1;
        table.seats.insert(seat, Seat::default());
        table.queue(seat, time.now_ns(), None);
        drop(table);
        Participant { time: Arc::clone(time), seat }
    }

    /// Called by the thread when it begins: waits for its first turn.
    pub(crate) fn sit_down(&self) {
        if self.time.processor < CpuSet::MAX_CPU {
            let mut one = CpuSet::new();
            one.set(self.time.processor);
            let _ = sched_setaffinity(None, &one); // Refused, the thread runs wherever it may.
        }
        if let Some(seat) = self.time.lock().seats.get_mut(&self.seat) {
            seat.thread = Some(thread::current());
        }
        self.time.await_turn(self.seat);
    }
}

impl Drop for Participant {
    fn drop(&mut self) {
        let mut table = self.time.lock();
        if let Some((turn, _)) = table.seats.remove(&self.seat).and_then(|seat| seat.waits) {
            table.waiting.remove(&turn);
        }
        table.bring_forward(Event::End(self.seat), self.time.now_ns());
        if table.running == self.seat {
            self.time.next(table);
        }
    }
}
