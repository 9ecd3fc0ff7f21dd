//! One worker thread: a runtime, a share of the connections, a share of the users.

use std::cell::{Cell, RefCell};
use std::io;
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use ground::{Clock, SplitMix64};
use tokio::runtime::{Builder, Runtime};
use tokio::task::LocalSet;
use tokio::time::{sleep, timeout};

use super::alarm::Alarm;
use super::control::Control;
use super::first_due::first_due_ns;
use super::pacing::Pacing;
use super::plan::Plan;
use super::pool::Pool;
use super::record::Record;
use super::roster::Roster;
use super::session::{CONNECT_MAX, Shared, WorkerState};
use super::work::{Connect, Failure, Session, Work};

/// A worker none of whose transactions ends for so long has a server that hangs.
const ANSWER_MAX: Duration = Duration::from_secs(120);
/// The interval at which the arrival of answers is checked.
const LOOK: Duration = Duration::from_millis(250);

/// The share of one worker.
#[derive(Clone, Debug)]
pub(super) struct Share {
    pub(super) number: u32,
    pub(super) workers: u32,
    pub(super) connections: u32,
    pub(super) users: Range<u32>,
}

/// A worker from its first connection to its last transaction.
pub(super) struct Worker<'a, W: Work, C: Connect> {
    pub(super) work: &'a W,
    pub(super) connect: &'a C,
    pub(super) plan: &'a Plan,
    pub(super) control: &'a Control,
    pub(super) share: Share,
}

/// The counts of a worker.
pub(super) type Counted<W> = (Record, <W as Work>::Tally);

impl<'a, W, C> Worker<'a, W, C>
where
    W: Work,
    C: Connect,
    C::Session: Session<Request = W::Request, Answer = W::Answer>,
{
    /// Gets ready, reports, waits for the start, works. `None` when somebody could not get ready.
    pub(super) fn run(
        self,
        ready: Sender<Result<(), Failure>>,
        start_signal: &Receiver<&'a Shared<'a>>,
    ) -> Option<Counted<W>> {
        let (runtime, alarm) = match runtime(C::BLOCKS) {
            Ok(both) => both,
            Err(error) => {
                let _ = ready.send(Err(Failure::Fatal(format!("starting a runtime: {error}"))));
                return None;
            }
        };
        let local = LocalSet::new();
        let connected = runtime.block_on(local.run_until(async {
            tokio::select! {
                connected = self.connect_all() => connected,
                () = self.control.hang_up.asked() => Err(Failure::Lost("stopped".to_owned())),
            }
        }));
        let (report, sessions) = match connected {
            Ok(sessions) => (Ok(()), Some(sessions)),
            Err(failure) => (Err(failure), None),
        };
        let _ = ready.send(report);
        drop(ready);
        let counted = match (sessions, start_signal.recv()) {
            (Some(sessions), Ok(shared)) => {
                Some(self.work(&runtime, &local, sessions, self.state(shared, alarm)))
            }
            // Dropped inside the runtime: sessions may want it for their farewell.
            (sessions, _) => {
                let _inside = runtime.enter();
                drop(sessions);
                None
            }
        };
        // Lets the sessions' helpers say goodbye to the server; a server that hangs is not waited for.
        runtime.block_on(async {
            let _ = timeout(Duration::from_millis(200), local).await;
        });
        counted
    }

    async fn connect_all(&self) -> Result<Vec<C::Session>, Failure> {
        let mut sessions = Vec::with_capacity(self.share.connections as usize);
        for _ in 0..self.share.connections {
            let session = timeout(CONNECT_MAX, self.connect.connect()).await;
            let late = || Failure::Lost(format!("no answer within {} s", CONNECT_MAX.as_secs()));
            sessions.push(session.map_err(|_| late())??);
        }
        Ok(sessions)
    }

    fn work(
        &self,
        runtime: &Runtime,
        local: &LocalSet,
        sessions: Vec<C::Session>,
        state: WorkerState<'_, W, C>,
    ) -> Counted<W> {
        let closed = self.plan.pacing == Pacing::None;
        let cpu_ns = ProcessorTime::new(None);
        runtime.block_on(local.run_until(async {
            let mut at_work: FuturesUnordered<_> = (0..)
                .zip(sessions)
                .map(|(number, session)| state.serve(number as usize, session, closed.then_some(number)))
                .collect();
            tokio::select! {
                () = async { while at_work.next().await.is_some() {} } => {}
                () = watch(&state) => {}
                () = note_processor_time(state.shared, &cpu_ns) => {}
            }
        }));
        state.give_up();
        let mut record = state.record.into_inner();
        record.losses.sessions = u64::from(self.share.connections);
        // Sessions that wait in their calls have told it with each transaction.
        if !C::BLOCKS {
            record.client_cpu_ns = cpu_ns.get().map_or(0, |(before_ns, after_ns)| {
                // A phase that was cut short, or sessions that went home at its end, before the end was
                // noted.
                after_ns.unwrap_or_else(|| Clock::Wall.thread_cpu_ns()) - before_ns
            });
        }
        (record, state.tally.into_inner())
    }

    fn state<'d>(&'d self, shared: &'d Shared<'d>, alarm: Alarm) -> WorkerState<'d, W, C> {
        let Share { number, workers, ref users, .. } = self.share;
        let mut all: Vec<W::User> = users.clone().map(|user| self.work.user(user)).collect();
        let mut chance = SplitMix64::stream(self.plan.seed, u64::from(number) + 1);
        let start_ns = shared.schedule.start_ns;
        let roster = match self.plan.pacing {
            Pacing::None => Roster::users(std::iter::empty()),
            Pacing::Keyed { factor } => {
                let first = (0..).zip(&mut all).map(|(user, state)| {
                    (start_ns.saturating_add(first_due_ns(self.work, state, factor, &mut chance)), user)
                });
                Roster::users(first)
            }
            Pacing::Arrivals { per_second } => {
                let mean_ns = 1e9 * f64::from(workers) / per_second;
                Roster::arrivals(start_ns, mean_ns, chance.clone(), all.len() as u32)
            }
        };
        WorkerState {
            work: self.work,
            connect: self.connect,
            plan: self.plan,
            shared,
            pool: Pool::new(roster, alarm),
            users: RefCell::new(all),
            chance: RefCell::new(chance),
            record: RefCell::new(Record::new(W::CLASSES, start_ns)),
            tally: RefCell::new(W::Tally::default()),
            number,
            under_way: RefCell::new(vec![None; self.share.connections as usize]),
            last_end_ns: Cell::new(start_ns),
        }
    }
}

/// The runtime of a worker, and the alarm in it. A session that waits in its calls needs no sockets, of which
/// there may be thousands.
fn runtime(blocks: bool) -> io::Result<(Runtime, Alarm)> {
    let mut builder = Builder::new_current_thread();
    let runtime = if blocks { builder.enable_time() } else { builder.enable_all() }.build()?;
    let alarm = {
        let _inside = runtime.enter();
        Alarm::new(blocks)?
    };
    Ok((runtime, alarm))
}

/// Returns when answers no longer come, or nobody waits for them any more.
async fn watch<W: Work, C>(state: &WorkerState<'_, W, C>) {
    loop {
        sleep(LOOK).await;
        let now = Clock::Wall.now_ns();
        let under_way = state.under_way.borrow().iter().flatten().count();
        let silent = Duration::from_nanos(now.saturating_sub(state.last_end_ns.get()));
        if under_way > 0 && silent > state.plan.answer_max.unwrap_or(ANSWER_MAX) {
            let seconds = silent.as_secs();
            state.shared.fail(format!(
                "the server hangs: {under_way} transactions without an answer for {seconds} s"
            ));
            return;
        }
        if state.shared.schedule.is_drained(now) {
            return;
        }
    }
}

/// Processor time of a worker's thread at the beginning of the measure phase, and at its end once that has
/// come.
type ProcessorTime = Cell<Option<(u64, Option<u64>)>>;

/// Notes this thread's processor time at the beginning and the end of the measure phase. Never returns.
async fn note_processor_time(shared: &Shared<'_>, cpu_ns: &ProcessorTime) {
    let schedule = &shared.schedule;
    sleep(Duration::from_nanos(schedule.measure_ns.saturating_sub(Clock::Wall.now_ns()))).await;
    let before_ns = Clock::Wall.thread_cpu_ns();
    cpu_ns.set(Some((before_ns, None)));
    // The end may come nearer meanwhile.
    while !schedule.is_over(Clock::Wall.now_ns()) {
        sleep(Duration::from_nanos(schedule.end_ns().saturating_sub(Clock::Wall.now_ns())).min(LOOK)).await;
    }
    cpu_ns.set(Some((before_ns, Some(Clock::Wall.thread_cpu_ns()))));
    std::future::pending::<()>().await;
}
