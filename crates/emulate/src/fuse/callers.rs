//! The threads of programs that use a mount, as the mount sees them: how many operations each has under way,
//! and how often. From that follows what nobody inside a mount can see otherwise: the whole time of its
//! callers.
//!
//! A thread that has one operation under way at a time waits for each: from the beginning to the end of its
//! work its time is that of its operations, and of its own thinking between them. So its time for each
//! operation is a bound that no honest figure of its waits exceeds, way and queues of the kernel included. Of
//! a thread that keeps several under way it is its time for each, times their number (Little's law); what of
//! that lies neither at the mount nor on the way is spent by the thread, running or waiting for a processor.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use rustix::thread::Pid;

use super::scheduled::Scheduled;
use crate::way::CallersSeen;

/// Threads that are told apart at one moment; more than that go uncounted.
const PLACES: usize = 128;
/// Places that are tried for one thread.
const TRIES: usize = 8;
/// Looks after which a thread that did nothing makes room.
const IDLE_LOOKS: u32 = 16;
/// Operations of one thread under way from which on it works on meanwhile.
const SEVERAL: u32 = 2;
/// A thread that sleeps less than this for each operation does not wait for it, ns: no drive is so fast.
const AWAKE_NS: u64 = 3_000;
/// Answers of a thread whose moments are kept.
const KEPT: usize = 16;
/// Operations below which that says nothing.
const OPERATIONS_LEAST: u64 = 20;

/// One thread's figures, on a cache line of their own.
#[derive(Default)]
#[repr(align(64))]
struct ThreadFigures {
    /// 0: nobody's.
    thread: AtomicU32,
    under_way: AtomicU32,
    /// The most at once since the last look.
    most: AtomicU32,
    ended: AtomicU64,
    /// The time of all that have ended, ns.
    took_ns: AtomicU64,
    /// Answers so far, those for which a next request came, and when the last ones were given, ns.
    answers: AtomicU64,
    followed: AtomicU64,
    answered_at_ns: [AtomicU64; KEPT],
    /// It does not sleep while its operations are under way, as the last look found.
    is_awake: AtomicBool,
}

/// All threads that use one mount.
pub(super) struct Callers {
    under_way: AtomicU32,
    /// The most that the mount takes at a time; further ones wait in the kernel.
    room: AtomicU32,
    /// Operations of programs that took the last of the room.
    crowded: AtomicU64,
    places: [ThreadFigures; PLACES],
}

/// An operation while it is under way.
pub(super) struct UnderWay {
    callers: Arc<Callers>,
    place: Option<usize>,
    /// Operations at the mount when it came, itself included.
    pub(super) at_once: u32,
    /// True if its thread works on meanwhile.
    pub(super) goes_on: bool,
    /// The time since the answer for which its thread asks again, ns: the way back, what the thread did, and
    /// the way here. `None` for a thread that does not sleep, or that asks for more than it was answered.
    pub(super) gap_ns: Option<u64>,
}

impl Callers {
    pub(super) fn new() -> Arc<Callers> {
        Arc::new(Callers {
            under_way: AtomicU32::new(0),
            room: AtomicU32::new(u32::MAX),
            crowded: AtomicU64::new(0),
            places: std::array::from_fn(|_| ThreadFigures::default()),
        })
    }

    /// The mount takes so many operations at a time from now on.
    pub(super) fn have_room_for(&self, operations: usize) {
        self.room.store(u32::try_from(operations).unwrap_or(u32::MAX), Relaxed);
    }

    /// The operations of programs after which the mount had no more room: others may have waited in the
    /// kernel, where nobody sees them.
    pub(super) fn crowded(&self) -> u64 {
        self.crowded.load(Relaxed)
    }

    /// An operation of a thread begins. 0: of nobody who is to be told apart, as the kernel itself.
    pub(super) fn begin(self: &Arc<Callers>, thread: u32, received_ns: u64) -> UnderWay {
        let at_once = self.under_way.fetch_add(1, Relaxed) + 1;
        if thread != 0 && at_once >= self.room.load(Relaxed) {
            self.crowded.fetch_add(1, Relaxed);
        }
        let place = self.place(thread);
        let (mut goes_on, mut gap_ns) = (false, None);
        if let Some(place) = place {
            let of = &self.places[place];
            let mine = of.under_way.fetch_add(1, Relaxed) + 1;
            of.most.fetch_max(mine, Relaxed);
            let is_awake = of.is_awake.load(Relaxed);
            goes_on = mine >= SEVERAL || is_awake;
            let answered_ns = of.next_answer_ns(mine == 1).filter(|_| !is_awake);
            gap_ns = answered_ns.map(|answered_ns| received_ns.saturating_sub(answered_ns));
        }
        UnderWay { callers: self.clone(), place, at_once, goes_on, gap_ns }
    }

    fn place(&self, thread: u32) -> Option<usize> {
        if thread == 0 {
            return None;
        }
        (0..TRIES).map(|step| (thread as usize + step) % PLACES).find(|place| {
            let owner = &self.places[*place].thread;
            let is_mine = |owner: u32| owner == thread;
            match owner.load(Relaxed) {
                0 => owner.compare_exchange(0, thread, Relaxed, Relaxed).map_or_else(is_mine, |_| true),
                known => is_mine(known),
            }
        })
    }
}

impl ThreadFigures {
    /// A request comes for an answer: the oldest one that has none yet, or the last one if the thread had
    /// nothing under way. Gives the moment of that answer, ns. Threads of the mount that do so at the same
    /// moment may lose an answer, which only says less.
    fn next_answer_ns(&self, is_alone: bool) -> Option<u64> {
        let answers = self.answers.load(Relaxed);
        let kept = if is_alone { 1 } else { KEPT as u64 };
        let next = self.followed.load(Relaxed).max(answers.saturating_sub(kept));
        if next >= answers {
            return None;
        }
        self.followed.store(next + 1, Relaxed);
        Some(self.answered_at_ns[next as usize % KEPT].load(Relaxed))
    }

    /// The moment of the last answer, ns; 0 before any.
    fn last_answer_ns(&self) -> u64 {
        let last = self.answers.load(Relaxed).wrapping_sub(1);
        self.answered_at_ns[last as usize % KEPT].load(Relaxed)
    }

    fn answered(&self, now_ns: u64) {
        let answers = self.answers.load(Relaxed);
        self.answered_at_ns[answers as usize % KEPT].store(now_ns, Relaxed);
        self.answers.store(answers + 1, Relaxed);
    }

    /// Nobody's from now on.
    fn make_room(&self) {
        self.is_awake.store(false, Relaxed);
        self.followed.store(self.answers.load(Relaxed), Relaxed);
        self.thread.store(0, Relaxed);
    }
}

impl UnderWay {
    /// It is answered at this moment, and took so long.
    pub(super) fn answered(&self, now_ns: u64, took_ns: u64) {
        if let Some(place) = self.place {
            let of = &self.callers.places[place];
            of.answered(now_ns);
            of.took_ns.fetch_add(took_ns, Relaxed);
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.callers.under_way.fetch_sub(1, Relaxed);
        if let Some(place) = self.place {
            let of = &self.callers.places[place];
            of.under_way.fetch_sub(1, Relaxed);
            of.ended.fetch_add(1, Relaxed);
        }
    }
}

/// The state of a thread at the last look.
struct Known {
    at_ns: u64,
    ended: u64,
    took_ns: u64,
    scheduled: Scheduled,
    idle_looks: u32,
}

/// The looks at all callers of a mount, a few times a second.
#[derive(Default)]
pub(super) struct Looks {
    known: HashMap<u32, Known>,
}

impl Looks {
    /// The waits of the callers since the last look, at this moment. A wait of `usual_wait_ns` for a
    /// processor belongs to each operation even on an idle machine.
    pub(super) fn look(&mut self, callers: &Callers, now_ns: u64, usual_wait_ns: u64) -> CallersSeen {
        let scheduled = |thread: u32| Pid::from_raw(thread.cast_signed()).and_then(Scheduled::of);
        let mut seen = CallersSeen::default();
        for place in callers.places.iter().filter(|place| place.thread.load(Relaxed) != 0) {
            self.look_at(place, now_ns, usual_wait_ns, scheduled, &mut seen);
        }
        seen
    }

    fn look_at(
        &mut self,
        place: &ThreadFigures,
        now_ns: u64,
        usual_wait_ns: u64,
        scheduled: impl Fn(u32) -> Option<Scheduled>,
        seen: &mut CallersSeen,
    ) {
        let (thread, ended) = (place.thread.load(Relaxed), place.ended.load(Relaxed));
        let (under_way, took_ns) = (place.under_way.load(Relaxed), place.took_ns.load(Relaxed));
        let Some(known) = self.known.get_mut(&thread) else {
            let scheduled = scheduled(thread).unwrap_or_default();
            place.most.store(under_way, Relaxed);
            self.known.insert(thread, Known { at_ns: now_ns, ended, took_ns, scheduled, idle_looks: 0 });
            return;
        };
        let operations = ended.saturating_sub(known.ended);
        if operations == 0 && under_way > 0 {
            return; // A long one: its time counts with its end.
        }
        let now = scheduled(thread);
        // The thread's time after its last operation may be the end of its work.
        let answered_ns = place.last_answer_ns();
        let is_over = under_way == 0 && operations > 0 && answered_ns > known.at_ns;
        let until_ns = if is_over { answered_ns.min(now_ns) } else { now_ns };
        if operations == 0 {
            known.idle_looks += 1;
            if known.idle_looks > IDLE_LOOKS || now.is_none() {
                place.make_room();
                self.known.remove(&thread);
                return;
            }
        } else {
            let most = place.most.swap(under_way, Relaxed).max(1);
            let elapsed_ns = until_ns.saturating_sub(known.at_ns);
            // Of one that has ended since it is not known for how much of the time it was there.
            if let Some(of) = now.map(|now| now.since(known.scheduled)) {
                let slept_ns = elapsed_ns.saturating_sub(of.ran_ns + of.waited_ns);
                let is_awake = operations >= OPERATIONS_LEAST && slept_ns < operations * AWAKE_NS;
                place.is_awake.store(is_awake, Relaxed);
                count(seen, operations, most, (elapsed_ns, of), usual_wait_ns);
                seen.took_ns += took_ns.saturating_sub(known.took_ns);
            }
            known.idle_looks = 0;
        }
        (known.at_ns, known.ended, known.took_ns) = (until_ns, ended, took_ns);
        known.scheduled = now.unwrap_or(known.scheduled);
    }
}

/// Adds what one thread did in a time.
fn count(
    seen: &mut CallersSeen,
    operations: u64,
    most: u32,
    (elapsed_ns, of): (u64, Scheduled),
    usual_wait_ns: u64,
) {
    if most == 1 {
        seen.alone += operations;
        seen.alone_ns += elapsed_ns;
        seen.waited_ns += of.waited_ns.saturating_sub(operations * usual_wait_ns);
        return;
    }
    seen.queued += operations;
    seen.queued_ns += u64::from(most) * elapsed_ns;
    seen.queued_awake_ns += u64::from(most) * (of.ran_ns + of.waited_ns).min(elapsed_ns);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(looks: &mut Looks, callers: &Callers, now_ns: u64, of: Scheduled) -> CallersSeen {
        let mut seen = CallersSeen::default();
        for place in callers.places.iter().filter(|place| place.thread.load(Relaxed) != 0) {
            looks.look_at(place, now_ns, 1_000, |_| Some(of), &mut seen);
        }
        seen
    }

    #[test]
    fn the_time_of_a_thread_with_one_operation_at_a_time_is_that_of_its_operations() {
        let (callers, mut looks) = (Callers::new(), Looks::default());
        drop(callers.begin(7, 0));
        assert_eq!(look(&mut looks, &callers, 0, Scheduled::default()), CallersSeen::default());
        (0..10).for_each(|_| callers.begin(7, 0).answered(0, 70));
        let long = callers.begin(7, 0);
        let of = Scheduled { ran_ns: 50_000, waited_ns: 30_000 };
        let seen = look(&mut looks, &callers, 1_000_000, of);
        assert_eq!((seen.alone, seen.alone_ns, seen.waited_ns, seen.took_ns), (10, 1_000_000, 20_000, 700));
        assert_eq!(look(&mut looks, &callers, 2_000_000, of), CallersSeen::default(), "it lasts");
        drop(long);
        let seen = look(&mut looks, &callers, 5_000_000, of);
        assert_eq!((seen.alone, seen.alone_ns), (1, 4_000_000));
        assert_eq!(look(&mut looks, &callers, 9_000_000, of), CallersSeen::default(), "it thinks");
        drop(callers.begin(7, 0));
        assert_eq!(look(&mut looks, &callers, 10_000_000, of).alone_ns, 1_000_000);
    }

    #[test]
    fn a_thread_with_several_under_way_counts_as_often() {
        let (callers, mut looks) = (Callers::new(), Looks::default());
        drop(callers.begin(9, 0));
        look(&mut looks, &callers, 0, Scheduled::default());
        let four = || (0..4).map(|_| callers.begin(9, 0)).collect::<Vec<_>>();
        assert_eq!(four().iter().map(|of| of.at_once).collect::<Vec<_>>(), [1, 2, 3, 4]);
        let seen = look(&mut looks, &callers, 100_000, Scheduled { ran_ns: 50_000, waited_ns: 0 });
        assert_eq!((seen.queued, seen.queued_ns, seen.queued_awake_ns), (4, 400_000, 200_000));
        assert_eq!(seen.alone, 0);
        drop(four());
        let seen = look(&mut looks, &callers, 200_000, Scheduled { ran_ns: 60_000, waited_ns: 90_000 });
        assert_eq!((seen.queued, seen.queued_ns, seen.queued_awake_ns), (4, 400_000, 400_000));
    }

    #[test]
    fn a_thread_that_never_sleeps_goes_on_even_if_its_operations_come_one_by_one() {
        let (callers, mut looks) = (Callers::new(), Looks::default());
        drop(callers.begin(5, 0));
        look(&mut looks, &callers, 0, Scheduled::default());
        (0..OPERATIONS_LEAST).for_each(|_| drop(callers.begin(5, 0)));
        look(&mut looks, &callers, 1_000_000, Scheduled { ran_ns: 400_000, waited_ns: 570_000 });
        assert!(callers.begin(5, 0).goes_on, "a ring on its processor keeps it from the next one");
        (0..OPERATIONS_LEAST).for_each(|_| drop(callers.begin(5, 0)));
        look(&mut looks, &callers, 2_000_000, Scheduled { ran_ns: 600_000, waited_ns: 570_000 });
        assert!(!callers.begin(5, 0).goes_on);
        let all: Vec<bool> = (0..SEVERAL)
            .map(|_| callers.begin(6, 0))
            .collect::<Vec<_>>()
            .iter()
            .map(|of| of.goes_on)
            .collect();
        assert_eq!(all, [false, true]);
    }

    #[test]
    fn the_time_between_an_answer_and_the_next_request_is_that_of_one_thread() {
        let callers = Callers::new();
        let first = callers.begin(7, 1_000);
        assert_eq!(first.gap_ns, None);
        first.answered(5_000, 4_000);
        drop(first);
        assert_eq!(callers.begin(8, 9_000).gap_ns, None, "another thread");
        let next = callers.begin(7, 30_000);
        assert_eq!((next.gap_ns, callers.begin(7, 31_000).gap_ns), (Some(25_000), None));
    }

    #[test]
    fn of_several_answers_each_has_its_next_request() {
        let callers = Callers::new();
        let three = [0; 3].map(|_| callers.begin(7, 1_000));
        let answer = |of: UnderWay, now_ns| of.answered(now_ns, 1);
        let [first, second, third] = three;
        answer(first, 10_000);
        answer(second, 11_000);
        let next = [30_000, 30_500, 31_000].map(|now_ns| callers.begin(7, now_ns));
        let gaps_ns = next.each_ref().map(|of| of.gap_ns);
        assert_eq!(gaps_ns, [Some(20_000), Some(19_500), None], "the third asks for more");
        answer(third, 40_000);
        assert_eq!(callers.begin(7, 47_000).gap_ns, Some(7_000));
        // A thread that waits for all of a batch before the next one: only the last answer can have woken it.
        let batch = [0; 3].map(|_| callers.begin(8, 0));
        for (of, now_ns) in batch.into_iter().zip([5_000, 6_000, 7_000]) {
            answer(of, now_ns);
        }
        let next = [callers.begin(8, 9_000), callers.begin(8, 9_100)];
        assert_eq!(next.map(|of| of.gap_ns), [Some(2_000), None]);
        // More than are kept: the oldest of those.
        let many = [0; KEPT + 2].map(|_| callers.begin(9, 0));
        let last = callers.begin(9, 0);
        for (number, of) in many.into_iter().enumerate() {
            answer(of, 1_000 + number as u64);
        }
        assert_eq!(callers.begin(9, 9_002).gap_ns, Some(8_000));
        drop(last);
    }

    #[test]
    fn operations_that_take_the_last_of_the_room_are_counted() {
        let callers = Callers::new();
        let two = || [callers.begin(7, 0), callers.begin(8, 0)].len();
        assert_eq!((two(), callers.crowded()), (2, 0));
        callers.have_room_for(2);
        assert_eq!((two(), callers.crowded()), (2, 1));
        let writes_back = [callers.begin(0, 0), callers.begin(0, 0)];
        assert_eq!(callers.crowded(), 1, "not for the kernel itself");
        drop((callers.begin(7, 0), writes_back));
        assert_eq!(callers.crowded(), 2);
    }

    #[test]
    fn threads_make_room_and_those_beyond_it_are_not_told_apart() {
        let (callers, mut looks) = (Callers::new(), Looks::default());
        let all: Vec<UnderWay> = (1..=PLACES as u32 + 5).map(|thread| callers.begin(thread, 0)).collect();
        assert_eq!(all.iter().filter(|of| of.place.is_none()).count(), 5);
        assert_eq!(callers.begin(0, 0).place, None);
        drop(all);
        assert_eq!(callers.under_way.load(Relaxed), 0);
        (0..IDLE_LOOKS + 3).for_each(|round| {
            look(&mut looks, &callers, u64::from(round), Scheduled::default());
        });
        assert!(looks.known.is_empty() && callers.begin(999, 0).place.is_some());
    }
}
