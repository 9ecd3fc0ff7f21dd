//! One connection at work: takes the next due user, sends the request, waits for the answer, counts, and
//! connects again after a loss.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ground::{Clock, SplitMix64};
use parking_lot::Mutex;
use tokio::time::{sleep, timeout};

use super::clock::Schedule;
use super::control::Control;
use super::due::Counts;
use super::losses::Death;
use super::pacing::Pacing;
use super::plan::Plan;
use super::pool::{Pool, Turn};
use super::record::{Fault, Flight, Record, Times};
use super::silence::Silence;
use super::work::{Connect, Ending, Failure, Session, Work};

/// So many errors in a row on one connection mean that nothing works any more.
const ERRORS_IN_A_ROW_MAX: u32 = 100;
/// An attempt to connect that takes longer is given up.
pub(super) const CONNECT_MAX: Duration = Duration::from_secs(10);
/// Pauses between attempts to connect again: the first and the longest.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(500));
/// An idle connection that does not answer within this may be alive all the same.
const ALIVE_MAX: Duration = Duration::from_secs(1);
/// So many requests that never began are looked at one by one.
const LEFT_LISTED_MAX: u64 = 100_000;

/// The shared state of a run's workers.
pub(super) struct Shared<'a> {
    pub(super) schedule: Schedule,
    pub(super) control: &'a Control,
    /// The first reason why the run is worthless.
    pub(super) fatal: Mutex<Option<String>>,
    /// Follows everybody's answers.
    pub(super) silence: Silence,
    /// True after the loss of any connection.
    pub(super) any_lost: AtomicBool,
}

impl Shared<'_> {
    /// Ends the run for everyone; the first reason stays.
    pub(super) fn fail(&self, reason: String) {
        self.fatal.lock().get_or_insert(reason);
        self.schedule.cut(Clock::Wall.now_ns());
    }
}

/// One worker's users and counts. Only its own thread touches it.
pub(super) struct WorkerState<'a, W: Work, C> {
    pub(super) work: &'a W,
    pub(super) connect: &'a C,
    pub(super) plan: &'a Plan,
    pub(super) shared: &'a Shared<'a>,
    pub(super) pool: Pool,
    pub(super) users: RefCell<Vec<W::User>>,
    pub(super) chance: RefCell<SplitMix64>,
    pub(super) record: RefCell<Record>,
    pub(super) tally: RefCell<W::Tally>,
    /// Number of this worker, for the numbers of its sessions.
    pub(super) number: u32,
    /// The request of each session, and the time at which the last one ended.
    pub(super) under_way: RefCell<Vec<Option<Flight>>>,
    pub(super) last_end_ns: Cell<u64>,
}

impl<W, C> WorkerState<'_, W, C>
where
    W: Work,
    C: Connect,
    C::Session: Session<Request = W::Request, Answer = W::Answer>,
{
    /// One connection's whole working life. `own` is its only user where users do not share connections.
    pub(super) async fn serve(&self, number: usize, mut session: C::Session, own: Option<u32>) {
        let mut errors_in_a_row = 0;
        let mut alive_ns = self.shared.schedule.start_ns;
        let mut cpu_ns = self.engine_cpu_ns();
        // Since when a user without a pace wants to ask, but has no connection.
        let mut wants_ns = None;
        while let Some(turn) = self.turn(own, wants_ns.take()).await {
            let request = self.work.next(&mut self.users.borrow_mut()[turn.user as usize]);
            let flight = Flight { class: self.work.class(&request), turn, start_ns: Clock::Wall.now_ns() };
            self.under_way.borrow_mut()[number] = Some(flight);
            let begun_cpu_ns = self.engine_cpu_ns();
            let answer = self.execute(&mut session, &request).await;
            let ended_cpu_ns = self.engine_cpu_ns();
            let at_ns = Clock::Wall.now_ns();
            if self.shared.schedule.is_drained(at_ns) {
                // Too late for any answer: requests in flight now are given up.
                return;
            }
            let commit_ns = session.take_commit_ns();
            self.under_way.borrow_mut()[number] = None;
            self.last_end_ns.set(at_ns);
            let counts = self.shared.schedule.counts(turn.due_ns, at_ns);
            self.spent(
                begun_cpu_ns.saturating_sub(cpu_ns),
                ended_cpu_ns.saturating_sub(begun_cpu_ns),
                counts,
            );
            cpu_ns = ended_cpu_ns;
            let failure = match answer {
                Ok(answer) => {
                    self.answered(flight, &request, &answer, (at_ns, commit_ns, counts));
                    errors_in_a_row = 0;
                    None
                }
                Err(failure) => {
                    errors_in_a_row += 1;
                    Some(self.failed(flight, &request, failure, (at_ns, counts), errors_in_a_row))
                }
            };
            if own.is_none() {
                self.send_home(turn.user, flight.class, at_ns);
            }
            if let Some(Failed::Lost(why)) = failure {
                self.died(number, alive_ns, at_ns);
                match self.connect_again(own.is_some(), why).await {
                    Some(new) => session = new,
                    None => return self.never_asked(own, at_ns),
                }
                wants_ns = Some(at_ns);
                alive_ns = Clock::Wall.now_ns();
            } else {
                alive_ns = at_ns;
            }
        }
        // Of a server that died an idle connection has heard nothing.
        if own.is_none() && self.shared.any_lost.load(Ordering::Acquire) {
            let alive = timeout(ALIVE_MAX, session.is_alive()).await.unwrap_or(true);
            if !alive {
                self.died(number, alive_ns, Clock::Wall.now_ns());
            }
        }
    }

    /// Processor time of this thread, where an engine runs on it and shares it with the load; 0 elsewhere.
    fn engine_cpu_ns(&self) -> u64 {
        if C::BLOCKS { Clock::Wall.thread_cpu_ns() } else { 0 }
    }

    /// Notes processor time of this thread: of the load, and of an engine that runs on it.
    fn spent(&self, client_ns: u64, engine_ns: u64, counts: Counts) {
        if counts.throughput {
            let mut record = self.record.borrow_mut();
            record.client_cpu_ns += client_ns;
            record.engine_cpu_ns += engine_ns;
        }
    }

    /// The user whose turn it is on this connection. A user without a pace is due when it has its answer:
    /// now, or since it lost its connection.
    async fn turn(&self, own: Option<u32>, wants_ns: Option<u64>) -> Option<Turn> {
        let Some(user) = own else { return self.pool.take(&self.shared.schedule).await };
        let now = Clock::Wall.now_ns();
        let due_ns = wants_ns.unwrap_or(now);
        (!self.shared.schedule.is_over(now)).then_some(Turn {
            user,
            due_ns,
            late_ns: 0,
            waited_ns: now - due_ns,
        })
    }

    /// Notes that a connection died.
    fn died(&self, number: usize, alive_ns: u64, noticed_ns: u64) {
        self.shared.any_lost.store(true, Ordering::Release);
        let session = u64::from(self.number) << 32 | number as u64;
        if alive_ns < self.shared.schedule.end_ns() {
            self.record.borrow_mut().losses.add(Death { session, alive_ns, noticed_ns });
        }
    }

    /// A user without a pace wanted to ask since `due_ns` and got no connection.
    fn never_asked(&self, own: Option<u32>, due_ns: u64) {
        if let Some(user) = own {
            self.never_began(user, due_ns, 1);
        }
    }

    fn never_began(&self, user: u32, due_ns: u64, count: u64) {
        let schedule = &self.shared.schedule;
        let now = Clock::Wall.now_ns();
        self.shared.silence.answered(due_ns, now.max(schedule.end_ns()), schedule.end_ns());
        if schedule.counts(due_ns, now).latency {
            // The request that it would have sent.
            let request = self.work.next(&mut self.users.borrow_mut()[user as usize]);
            let class = self.work.class(&request);
            self.record.borrow_mut().never_begun(class, due_ns, now, count);
        }
    }

    /// Counts the requests in flight, and those that were due and have not begun: nobody waits for them any
    /// more.
    pub(super) fn give_up(&self) {
        let schedule = &self.shared.schedule;
        let now = Clock::Wall.now_ns();
        for flight in self.under_way.borrow_mut().iter_mut().filter_map(Option::take) {
            let due_ns = flight.turn.due_ns;
            self.shared.silence.answered(due_ns, now.max(schedule.end_ns()), schedule.end_ns());
            if schedule.counts(due_ns, now).latency {
                self.record.borrow_mut().given_up(flight, now);
            }
        }
        for (user, due_ns, count) in self.pool.leftovers(schedule.end_ns(), LEFT_LISTED_MAX) {
            self.never_began(user, due_ns, count);
        }
    }

    /// Asks until there is an answer or too many attempts were in vain.
    async fn execute(&self, session: &mut C::Session, request: &W::Request) -> Result<W::Answer, Failure> {
        let mut attempt = 0;
        loop {
            match session.execute(request).await {
                Err(Failure::Retry(_)) if attempt < self.plan.asking.retries_max => {
                    attempt += 1;
                    self.record.borrow_mut().retries += 1;
                }
                answer => return answer,
            }
        }
    }

    fn answered(
        &self,
        flight: Flight,
        request: &W::Request,
        answer: &W::Answer,
        (at_ns, commit_ns, counts): (u64, Option<u64>, Counts),
    ) {
        let Flight { class, turn, start_ns } = flight;
        let ending = self.work.completed(&mut self.tally.borrow_mut(), request, answer, counts);
        let times = Times { turn, start_ns, at_ns, commit_ns, counts };
        self.record.borrow_mut().completed(class, ending, times);
        self.shared.silence.answered(turn.due_ns, at_ns, self.shared.schedule.end_ns());
        let is_first_class = class == 0 && ending == Ending::Committed;
        self.shared.control.live.record(at_ns - turn.due_ns, is_first_class);
    }

    fn failed(
        &self,
        flight: Flight,
        request: &W::Request,
        failure: Failure,
        (at_ns, counts): (u64, Counts),
        in_a_row: u32,
    ) -> Failed {
        let broken = matches!(failure, Failure::Fatal(_));
        let (fault, message) = match failure {
            Failure::Retry(kind) => {
                (Fault::Refused(kind), format!("{kind}, {} retries in vain", self.plan.asking.retries_max))
            }
            Failure::Error { kind, message } => (Fault::Refused(kind), message),
            Failure::Lost(message) => (Fault::Lost, message),
            Failure::Fatal(message) => (Fault::Refused("storage or database broken"), message),
        };
        self.work.failed(&mut self.tally.borrow_mut(), request, counts);
        self.record.borrow_mut().failed(flight, fault, at_ns, counts);
        self.shared.control.live.errors.fetch_add(1, Ordering::Relaxed);
        if broken || in_a_row >= ERRORS_IN_A_ROW_MAX {
            self.shared.fail(format!("{}: {message}", W::CLASSES[flight.class]));
        }
        let due_ns = flight.turn.due_ns;
        if fault == Fault::Lost {
            self.shared.silence.lost(due_ns);
            return Failed::Lost(message);
        }
        self.shared.silence.answered(due_ns, at_ns, self.shared.schedule.end_ns());
        Failed::Counted
    }

    /// The user thinks, and is due again.
    fn send_home(&self, user: u32, class: usize, at_ns: u64) {
        if let Pacing::Keyed { factor } = self.plan.pacing {
            let pause = self.work.pause(&mut self.users.borrow_mut()[user as usize], Some(class));
            let pause_ns = pause.draw_ns(factor, &mut self.chance.borrow_mut());
            self.pool.put(at_ns + pause_ns, user);
        }
    }

    /// Connects again, with growing pauses. `None` when nothing is left to be asked, or the run is ended
    /// because nobody answers for too long.
    async fn connect_again(&self, has_own_user: bool, mut why: String) -> Option<C::Session> {
        let since_ns = Clock::Wall.now_ns();
        self.record.borrow_mut().connections_lost += 1;
        let mut pause = BACKOFF.0;
        loop {
            let now = Clock::Wall.now_ns();
            let schedule = &self.shared.schedule;
            let is_done = if has_own_user { schedule.is_over(now) } else { self.pool.is_done(schedule, now) };
            if is_done {
                return None;
            }
            match timeout(CONNECT_MAX.min(self.plan.asking.patience), self.connect.connect()).await {
                Ok(Ok(session)) => return Some(session),
                Ok(Err(
                    Failure::Lost(message) | Failure::Fatal(message) | Failure::Error { message, .. },
                )) => {
                    why = message;
                }
                Ok(Err(Failure::Retry(_))) | Err(_) => {}
            }
            if Duration::from_nanos(Clock::Wall.now_ns() - since_ns) > self.plan.asking.patience {
                let seconds = self.plan.asking.patience.as_secs_f64();
                self.shared.fail(format!("the server has not taken a connection for {seconds} s: {why}"));
                return None;
            }
            sleep(pause).await;
            pause = (pause * 2).min(BACKOFF.1);
        }
    }
}

/// The fate of a connection after a failure.
enum Failed {
    Counted,
    Lost(String),
}
