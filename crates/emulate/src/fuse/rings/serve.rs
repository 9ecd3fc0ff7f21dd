//! The thread of a ring: takes requests in, lets each wait for its drive, and commits answers.
//!
//! Waiting needs no thread of its own: completions of the drive are moments in a heap. The thread sleeps
//! until the next of them, or until a request comes, and spins for the last microseconds where it comes
//! first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ground::Clock;

use super::abi::put_answer;
use super::answer::{self, Step, Waiting, Work};
use super::helpers::{Helpers, Inbox, Task};
use super::ring::{Event, Ring};
use super::seat::Seat;
use crate::drive::clock;
use crate::fuse::front::Front;

/// An alarm that goes off later than the one that is needed, by no more than this, serves as well, ns.
const SLIGHTLY_LATER_NS: u64 = 2_000;

/// The server of one ring.
pub(super) struct Service {
    ring: Ring,
    seat: Seat,
    front: Arc<Front>,
    /// Threads that sync backing files, where that was asked for, and their results.
    helpers: Option<Arc<Helpers>>,
    inbox: Arc<Inbox>,
    /// Requests that wait for their drive or for work, each at the number of its entry.
    waiting: Vec<Option<Waiting>>,
    /// Moments at which requests are complete, the next one first, with the numbers of their entries.
    due: BinaryHeap<Reverse<(u64, usize)>>,
    /// When an operation was answered last, ns.
    answered_ns: u64,
    /// The moment of the alarm that is set, if one is, ns.
    alarm_ns: Option<u64>,
    /// Entries that take part.
    alive: usize,
    /// Events that came before anybody was served.
    early: Vec<Event>,
}

impl Service {
    /// Offers all `depth` entries of a ring to the kernel.
    ///
    /// # Errors
    /// The kernel does not take them.
    pub(super) fn open(
        mut ring: Ring,
        front: Arc<Front>,
        helpers: Option<Arc<Helpers>>,
        seat: Seat,
        depth: usize,
    ) -> io::Result<Service> {
        let inbox = Arc::new(Inbox::new()?);
        if helpers.is_some() {
            ring.watch(inbox.bell())?;
        }
        for index in 0..depth {
            ring.register(index)?;
        }
        ring.turn(false)?;
        let early: Vec<Event> = std::iter::from_fn(|| ring.event()).collect();
        if let Some(Event::Gone(_, error)) = early.iter().find(|event| matches!(event, Event::Gone(..))) {
            return Err(io::Error::from_raw_os_error(*error));
        }
        let waiting = (0..depth).map(|_| None).collect();
        let due = BinaryHeap::with_capacity(depth);
        let (answered_ns, alarm_ns) = (0, None);
        Ok(Service {
            ring,
            seat,
            front,
            helpers,
            inbox,
            waiting,
            due,
            answered_ns,
            alarm_ns,
            alive: depth,
            early,
        })
    }

    /// Serves until the mount has ended.
    pub(super) fn run(mut self) {
        self.front.files.charging.enlist();
        clock::ask_for_exact_timers();
        for event in std::mem::take(&mut self.early) {
            self.event(event);
        }
        while self.alive > 0 {
            self.complete_due(Clock::Wall.now_ns());
            if self.wait().is_err() {
                return; // The kernel ends the connection when the mount's descriptors are closed.
            }
            while let Some(event) = self.ring.event() {
                self.event(event);
            }
        }
    }

    /// Hands in what is to be handed in, and waits for an event or the next completion.
    fn wait(&mut self) -> io::Result<()> {
        let Some(Reverse((due_ns, _))) = self.due.peek().copied() else { return self.ring.turn(true) };
        let mut now_ns = Clock::Wall.now_ns();
        let early_ns = clock::early_ns();
        let (wake_ns, shortest_ns) = (due_ns.saturating_sub(early_ns), clock::shortest_sleep_ns());
        if wake_ns > now_ns + shortest_ns {
            if self.alarm_ns.is_none_or(|alarm_ns| alarm_ns > wake_ns + SLIGHTLY_LATER_NS) {
                if self.seat.is_apart() && self.next_request_comes(now_ns, wake_ns)? {
                    return Ok(());
                }
                self.ring.set_alarm(wake_ns)?;
                self.alarm_ns = Some(wake_ns);
            }
            return self.ring.turn(true);
        }
        while now_ns < due_ns && !self.ring.is_due() {
            clock::pause(now_ns);
            now_ns = Clock::Wall.now_ns();
        }
        if self.ring.is_due() { self.ring.turn(false) } else { Ok(()) }
    }

    /// Hands in what is to be handed in, and looks out for the next request of a caller that was answered
    /// just now and keeps several operations under way; true if something came before `until_ns`. The request
    /// would wait for the end of a call that sets an alarm, which takes a virtual machine longer than it
    /// takes the caller to ask.
    fn next_request_comes(&mut self, now_ns: u64, until_ns: u64) -> io::Result<bool> {
        let until_ns = until_ns.min(self.answered_ns.saturating_add(clock::shortest_sleep_ns()));
        if now_ns >= until_ns {
            return Ok(false);
        }
        self.ring.turn(false)?;
        while !self.ring.has_news() {
            let now_ns = Clock::Wall.now_ns();
            if now_ns >= until_ns {
                return Ok(false);
            }
            clock::pause(now_ns);
        }
        self.ring.turn(false)?;
        Ok(true)
    }

    /// Completes all whose time has come, and with them those that may be answered: one alone never comes
    /// early.
    fn complete_due(&mut self, now_ns: u64) {
        let mut is_with_others = false;
        while let Some(Reverse((due_ns, index))) = self.due.peek().copied() {
            let may_be = |waiting: &Waiting| waiting.answerable_ns() <= now_ns;
            let is_due =
                due_ns <= now_ns || is_with_others && self.waiting[index].as_ref().is_none_or(may_be);
            if !is_due {
                return;
            }
            is_with_others = true;
            self.due.pop();
            self.complete(index, now_ns);
        }
    }

    fn event(&mut self, event: Event) {
        let now_ns = Clock::Wall.now_ns();
        match event {
            Event::Request(index) => {
                let (header, payload) = self.ring.entry(index);
                let front = &self.front;
                let taken = guarded(|| answer::take(front, header, payload, now_ns));
                self.go_on(index, taken);
            }
            Event::Worked(index, result) => self.worked(index, result, now_ns),
            Event::Rung { goes_on } => {
                for (index, result) in self.inbox.take() {
                    self.worked(index, result, now_ns);
                }
                if !goes_on {
                    // A ring that takes nothing more ends with the next wait.
                    let _ = self.ring.watch(self.inbox.bell());
                }
            }
            Event::Alarm => {
                if let Some(alarm_ns) = self.alarm_ns.take_if(|alarm_ns| *alarm_ns <= now_ns) {
                    clock::follow(now_ns - alarm_ns);
                }
            }
            Event::Gone(..) => self.alive -= 1,
        }
    }

    /// Work for an entry's request is done.
    fn worked(&mut self, index: usize, result: i32, now_ns: u64) {
        let Some(waiting) = self.waiting[index].take() else { return };
        let front = &self.front;
        let step = guarded(|| answer::worked(front, waiting, result, now_ns));
        self.go_on(index, step);
    }

    /// The time of an entry's request has come.
    fn complete(&mut self, index: usize, now_ns: u64) {
        let Some(waiting) = self.waiting[index].take() else { return };
        let front = &self.front;
        let step = guarded(|| answer::due(front, waiting, now_ns));
        self.go_on(index, step);
    }

    fn go_on(&mut self, index: usize, step: Step) {
        let kept = match step {
            Step::Answer { error, len } => {
                put_answer(self.ring.entry(index).0, error, len);
                self.answered_ns = Clock::Wall.now_ns();
                self.ring.commit(index)
            }
            Step::Wait(mut waiting) => {
                let now_ns = Clock::Wall.now_ns();
                waiting.started.worked(now_ns);
                self.seat.follow(waiting.started.caller_goes_on(), now_ns);
                self.due.push(Reverse((waiting.deadline_ns(), index)));
                self.waiting[index] = Some(waiting);
                Ok(())
            }
            Step::Work(work, waiting) => {
                self.waiting[index] = Some(waiting);
                self.work(index, work)
            }
        };
        if kept.is_err() {
            self.alive -= 1; // A ring that takes nothing more; the kernel ends the connection with us.
        }
    }
}

impl Service {
    /// Gives work on a backing file to the kernel or to a helper.
    fn work(&mut self, index: usize, work: Work) -> io::Result<()> {
        match (work, &self.helpers) {
            (Work::Read { file, offset, len }, _) => self.ring.read(index, file, offset, len),
            (Work::Sync { file, only_data }, Some(helpers)) => {
                helpers.give(Task { file, only_data, index, inbox: self.inbox.clone() });
                Ok(())
            }
            (Work::Sync { .. }, None) => Err(io::Error::other("nobody syncs for this mount")),
        }
    }
}

/// A fault of ours fails the one request.
fn guarded(work: impl FnOnce() -> Step) -> Step {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Step::Answer { error: libc::EIO, len: 0 })
}
