//! One connection at work: takes whoever is due, asks, waits for the answer, counts, and connects again when it was cut off.

use std::cell::{Cell, RefCell};
use std::sync::atomic::Ordering;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{sleep, timeout};

use super::clock::{Schedule, now_ns};
use super::pacing::{Chance, Pacing};
use super::plan::Plan;
use super::pool::{Pool, Turn};
use super::record::{Record, Times};
use super::work::{Connect, Failure, Session, Work};
use crate::tpcc::Control;

/// How often one transaction is tried again when another is in the way.
const RETRIES_MAX: u32 = 10;
/// So many errors in a row on one connection mean that nothing works any more.
const ERRORS_IN_A_ROW_MAX: u32 = 100;
/// An attempt to connect that takes longer is given up.
pub(super) const CONNECT_MAX: Duration = Duration::from_secs(10);
/// Pauses between attempts to connect again: the first and the longest.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(500));

/// What all workers of a run share.
pub(super) struct Shared<'a> {
    pub(super) schedule: Schedule,
    pub(super) control: &'a Control,
    /// The first reason why the run is worthless.
    pub(super) fatal: Mutex<Option<String>>,
}

impl Shared<'_> {
    /// Ends the run for everyone; the first reason stays.
    pub(super) fn fail(&self, reason: String) {
        self.fatal.lock().get_or_insert(reason);
        self.schedule.cut(now_ns());
    }
}

/// One worker's desk: its users, its counts. Only its own thread touches it.
pub(super) struct Desk<'a, W: Work, C> {
    pub(super) work: &'a W,
    pub(super) connect: &'a C,
    pub(super) plan: &'a Plan,
    pub(super) shared: &'a Shared<'a>,
    pub(super) pool: Pool,
    pub(super) users: RefCell<Vec<W::User>>,
    pub(super) chance: RefCell<Chance>,
    pub(super) record: RefCell<Record>,
    pub(super) tally: RefCell<W::Tally>,
    /// Transactions that are under way, and when the last one ended.
    pub(super) under_way: Cell<u32>,
    pub(super) last_end_ns: Cell<u64>,
}

impl<W, C> Desk<'_, W, C>
where
    W: Work,
    C: Connect,
    C::Session: Session<Request = W::Request, Answer = W::Answer>,
{
    /// One connection's whole working life. `own` is its only user where users do not share connections.
    pub(super) async fn serve(&self, mut session: C::Session, own: Option<u32>) {
        let mut errors_in_a_row = 0;
        while let Some(turn) = self.turn(own).await {
            let request = self.work.next(&mut self.users.borrow_mut()[turn.user as usize]);
            let class = self.work.class(&request);
            let start_ns = now_ns();
            self.under_way.set(self.under_way.get() + 1);
            let answer = self.execute(&mut session, &request).await;
            let at_ns = now_ns();
            let commit_ns = session.take_commit_ns();
            self.under_way.set(self.under_way.get() - 1);
            self.last_end_ns.set(at_ns);
            let measured = self.shared.schedule.is_measured(at_ns);
            let failure = match answer {
                Ok(answer) => {
                    let times = Times { turn, start_ns, at_ns, commit_ns, measured };
                    self.answered(class, &request, &answer, times);
                    errors_in_a_row = 0;
                    None
                }
                Err(failure) => {
                    errors_in_a_row += 1;
                    Some(self.failed(class, &request, failure, at_ns, measured, errors_in_a_row))
                }
            };
            if own.is_none() {
                self.send_home(turn.user, class, at_ns);
            }
            if let Some(Failed::Lost(why)) = failure {
                match self.connect_again(why).await {
                    Some(new) => session = new,
                    None => return,
                }
            }
        }
    }

    async fn turn(&self, own: Option<u32>) -> Option<Turn> {
        let Some(user) = own else { return self.pool.take(&self.shared.schedule).await };
        let now = now_ns();
        (!self.shared.schedule.is_over(now)).then_some(Turn { user, due_ns: now, late_ns: 0, waited_ns: 0 })
    }

    /// Asks until there is an answer or too many attempts were in vain.
    async fn execute(&self, session: &mut C::Session, request: &W::Request) -> Result<W::Answer, Failure> {
        let mut attempt = 0;
        loop {
            match session.execute(request).await {
                Err(Failure::Retry(_)) if attempt < RETRIES_MAX => {
                    attempt += 1;
                    self.record.borrow_mut().retries += 1;
                }
                answer => return answer,
            }
        }
    }

    fn answered(&self, class: usize, request: &W::Request, answer: &W::Answer, times: Times) {
        let ending = self.work.completed(&mut self.tally.borrow_mut(), request, answer, times.measured);
        self.record.borrow_mut().completed(class, ending, times);
        let first = class == 0 && ending == super::Ending::Committed;
        self.shared.control.live.record(times.at_ns - times.turn.due_ns, first);
    }

    fn failed(
        &self,
        class: usize,
        request: &W::Request,
        failure: Failure,
        at_ns: u64,
        measured: bool,
        in_a_row: u32,
    ) -> Failed {
        let (kind, message) = match failure {
            Failure::Retry(kind) => (kind, format!("{kind}, {RETRIES_MAX} retries in vain")),
            Failure::Error { kind, message } => (kind, message),
            Failure::Lost(message) => ("connection lost", message),
            Failure::Fatal(message) => ("storage or database broken", message),
        };
        let fatal = kind == "storage or database broken" || in_a_row >= ERRORS_IN_A_ROW_MAX;
        self.work.failed(&mut self.tally.borrow_mut(), request, measured);
        self.record.borrow_mut().failed(class, kind, at_ns, measured);
        self.shared.control.live.errors.fetch_add(1, Ordering::Relaxed);
        if fatal {
            self.shared.fail(format!("{}: {message}", W::CLASSES[class]));
        }
        if kind == "connection lost" { Failed::Lost(message) } else { Failed::Counted }
    }

    /// The user thinks, and is due again.
    fn send_home(&self, user: u32, class: usize, at_ns: u64) {
        if let Pacing::Keyed { factor } = self.plan.pacing {
            let pause = self.work.pause(&mut self.users.borrow_mut()[user as usize], Some(class));
            let pause_ns = pause.draw_ns(factor, &mut self.chance.borrow_mut());
            self.pool.put(at_ns + pause_ns, user);
        }
    }

    /// Connects again, with growing pauses. `None` when the run is over, or is ended because nobody answers for too long.
    async fn connect_again(&self, mut why: String) -> Option<C::Session> {
        let since_ns = now_ns();
        self.record.borrow_mut().connections_lost += 1;
        let mut pause = BACKOFF.0;
        loop {
            if self.shared.schedule.is_over(now_ns()) {
                return None;
            }
            match timeout(CONNECT_MAX.min(self.plan.patience), self.connect.connect()).await {
                Ok(Ok(session)) => return Some(session),
                Ok(Err(
                    Failure::Lost(message) | Failure::Fatal(message) | Failure::Error { message, .. },
                )) => {
                    why = message;
                }
                Ok(Err(Failure::Retry(_))) | Err(_) => {}
            }
            if Duration::from_nanos(now_ns() - since_ns) > self.plan.patience {
                let seconds = self.plan.patience.as_secs_f64();
                self.shared.fail(format!("the server has not taken a connection for {seconds} s: {why}"));
                return None;
            }
            sleep(pause).await;
            pause = (pause * 2).min(BACKOFF.1);
        }
    }
}

/// What becomes of a connection after a failure.
enum Failed {
    Counted,
    Lost(String),
}
