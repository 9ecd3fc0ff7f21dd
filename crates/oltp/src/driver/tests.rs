//! The driver against servers that exist only here: quick, slow, failing, cut off, dead.

mod holes;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use database::HangUp;

use super::record::Record;
use super::*;

/// Every user asks for its own number; every third request is of the second class.
pub(super) struct Numbers;

impl Work for Numbers {
    type User = (u32, u32);
    type Request = (u32, u32);
    type Answer = u32;
    type Tally = Vec<u32>;

    const CLASSES: &'static [&'static str] = &["first", "second"];
    const MEAN_PAUSE: Duration = Duration::from_millis(500);

    fn user(&self, user: u32) -> (u32, u32) {
        (user, 0)
    }

    fn next(&self, user: &mut (u32, u32)) -> (u32, u32) {
        user.1 += 1;
        *user
    }

    fn class(&self, request: &(u32, u32)) -> usize {
        usize::from(request.1.is_multiple_of(3))
    }

    fn pause(&self, _: &mut (u32, u32), _: Option<usize>) -> Pause {
        Pause { fixed: Duration::from_millis(200), mean: Duration::from_millis(300) }
    }

    fn completed(&self, tally: &mut Vec<u32>, request: &(u32, u32), answer: &u32, counts: Counts) -> Ending {
        assert_eq!(request.0, *answer);
        if counts.throughput {
            tally.push(*answer);
        }
        if request.1.is_multiple_of(10) { Ending::RolledBack } else { Ending::Committed }
    }
}

/// A server whose answer to call number `n` is `answer(n)`, after a time.
struct Puppet<F> {
    answer: F,
    takes: Duration,
    calls: AtomicU64,
    connections: AtomicU32,
    /// Connections that it takes at all.
    connections_max: u32,
    /// From when to when after its first call it answers nobody.
    hole: Option<(Duration, Duration)>,
    first_call: OnceLock<Instant>,
    /// When after its first call it dies with all its connections; it takes new ones at once.
    dies: Option<Duration>,
    /// The time to connect again.
    reconnect: Duration,
    /// True if idle connections are dead.
    idle_are_dead: AtomicBool,
}

impl<F: Fn(u64) -> Result<(), Failure>> Puppet<F> {
    fn new(takes: Duration, answer: F) -> Self {
        let (calls, connections) = (AtomicU64::new(0), AtomicU32::new(0));
        Self {
            answer,
            takes,
            calls,
            connections,
            connections_max: u32::MAX,
            hole: None,
            first_call: OnceLock::new(),
            dies: None,
            reconnect: Duration::ZERO,
            idle_are_dead: AtomicBool::new(false),
        }
    }

    fn has_died_since(&self, born: Instant) -> bool {
        let died = self.dies.zip(self.first_call.get()).map(|(after, first)| *first + after);
        died.is_some_and(|died| born < died && died <= Instant::now())
    }

    /// Waits until the hole is over, if it is open now.
    async fn fall_into_the_hole(&self) {
        let since = *self.first_call.get_or_init(Instant::now);
        if let Some((from, to)) = self.hole
            && (from..to).contains(&since.elapsed())
        {
            tokio::time::sleep(to.saturating_sub(since.elapsed())).await;
        }
    }
}

/// Sessions share the puppet through its address as a number: it outlives them all.
struct PuppetSession<F: 'static>(&'static Puppet<F>, Instant);

impl<F: Fn(u64) -> Result<(), Failure> + Sync> Session for PuppetSession<F> {
    type Request = (u32, u32);
    type Answer = u32;

    async fn execute(&mut self, request: &(u32, u32)) -> Result<u32, Failure> {
        if !self.0.takes.is_zero() {
            tokio::time::sleep(self.0.takes).await;
        } else {
            tokio::task::yield_now().await;
        }
        self.0.fall_into_the_hole().await;
        if self.0.has_died_since(self.1) {
            return Err(Failure::Lost("died".to_owned()));
        }
        let call = self.0.calls.fetch_add(1, Ordering::Relaxed);
        (self.0.answer)(call).map(|()| request.0)
    }

    async fn is_alive(&mut self) -> bool {
        !self.0.idle_are_dead.load(Ordering::Relaxed)
    }
}

impl<F: Fn(u64) -> Result<(), Failure> + Sync + 'static> Connect for &'static Puppet<F> {
    type Session = PuppetSession<F>;

    async fn connect(&self) -> Result<PuppetSession<F>, Failure> {
        if self.connections.fetch_add(1, Ordering::Relaxed) >= self.connections_max {
            return Err(Failure::Lost("nobody there".to_owned()));
        }
        if self.first_call.get().is_some() {
            tokio::time::sleep(self.reconnect).await;
        }
        Ok(PuppetSession(self, Instant::now()))
    }
}

fn plan(users: u32, pacing: Pacing, measure_ms: u64) -> Plan {
    Plan {
        asking: Asking { patience: Duration::from_millis(300), ..Asking::default() },
        users,
        connections: 4,
        pacing,
        ramp_up: Duration::from_millis(30),
        measure: Duration::from_millis(measure_ms),
        seed: 1,
        drain_max: DRAIN_MAX,
        answer_max: None,
    }
}

/// Drives `users` against a server.
fn against<F: Fn(u64) -> Result<(), Failure> + Sync + Send + 'static>(
    puppet: Puppet<F>,
    plan: &Plan,
) -> Driven<Vec<u32>> {
    let puppet: &'static Puppet<F> = Box::leak(Box::new(puppet));
    let mut boundaries = Vec::new();
    let driven =
        drive(&Numbers, &puppet, plan, &Control::default(), &mut |boundary| boundaries.push(boundary))
            .unwrap();
    assert_eq!(boundaries.last(), Some(&Boundary::End));
    driven
}

/// Nobody answers for an hour, and an hour would be waited.
#[test]
fn a_run_that_is_to_end_now_waits_for_no_answer() {
    let hour = Duration::from_secs(3_600);
    for pacing in [Pacing::None, Pacing::Arrivals { per_second: 100.0 }] {
        let flag = Arc::new(AtomicBool::new(false));
        let control = Control { hang_up: HangUp::when(Arc::clone(&flag)), ..Control::default() };
        let puppet: &'static Puppet<_> = Box::leak(Box::new(Puppet::new(hour, |_| Ok(()))));
        let plan = Plan { drain_max: hour, ramp_up: Duration::ZERO, ..plan(5, pacing, 3_600_000) };
        let driven = thread::scope(|scope| {
            let run = scope.spawn(|| drive(&Numbers, &puppet, &plan, &control, &mut |_| {}).unwrap());
            while control.live.phase() < Phase::Measure {
                thread::sleep(Duration::from_millis(5));
            }
            // The load stands still for a while.
            thread::sleep(Duration::from_millis(300));
            control.stop.store(true, Ordering::Release);
            flag.store(true, Ordering::Release);
            run.join().unwrap()
        });
        let requests = driven.record.requests;
        assert!(driven.interrupted && driven.fatal.is_none());
        assert!(requests.due > 0 && requests.unfinished == requests.due, "what waits is kept: {requests:?}");
    }
}

/// As the tests above, of a server that takes connections and says nothing.
#[test]
fn getting_ready_ends_when_the_run_is_to_end_now() {
    let control = Control { hang_up: HangUp::when(Arc::new(AtomicBool::new(true))), ..Control::default() };
    let mut puppet = Puppet::new(Duration::ZERO, |_| Ok(()));
    puppet.reconnect = Duration::from_secs(3_600);
    puppet.first_call.set(Instant::now()).unwrap();
    let puppet: &'static Puppet<_> = Box::leak(Box::new(puppet));
    let ended = drive(&Numbers, &puppet, &plan(5, Pacing::None, 200), &control, &mut |_| {});
    assert!(matches!(ended, Err(crate::error::OltpError::Stopped)), "{:?}", ended.map(drop));
}

fn completed(record: &Record) -> u64 {
    record.classes.iter().map(|class: &ClassRecord| class.committed + class.rolled_back).sum()
}

fn latencies(record: &Record) -> u64 {
    record.classes.iter().map(|class| class.latency.len()).sum()
}

#[test]
fn a_closed_loop_counts_what_was_answered() {
    let driven = against(Puppet::new(Duration::ZERO, |_| Ok(())), &plan(5, Pacing::None, 200));
    let Driven { record, tallies, fatal, interrupted, ramp_up, measured } = driven;
    assert_eq!(
        (fatal, interrupted, measured, ramp_up),
        (None, false, Duration::from_millis(200), Duration::from_millis(30))
    );
    let told: usize = tallies.iter().map(Vec::len).sum();
    assert!(told > 100);
    assert_eq!(completed(&record), told as u64);
    let users: std::collections::BTreeSet<u32> = tallies.into_iter().flatten().collect();
    assert_eq!(users, (0..5).collect(), "everybody was served");
    let due = record.requests.due;
    assert_eq!((record.service.len(), latencies(&record)), (due, due));
    assert!(due.abs_diff(told as u64) <= 5, "one for each user comes in, and goes out: {due} and {told}");
    assert_eq!((record.pool_wait.max_ns(), record.lateness.max_ns()), (0, 0));
    assert!(record.classes[1].committed > 0 && record.classes[0].rolled_back > 0);
    assert!(record.client_cpu_ns > 0);
    let Requests { answered_late, unfinished, unknown, failed, .. } = record.requests;
    assert!(answered_late <= 5 && (unfinished, unknown, failed) == (0, 0, 0));
    assert_eq!(record.requests.warnings(), []);
    let seconds: u64 = record.timeline_all.seconds().iter().map(|second| second.count).sum();
    assert!(seconds >= told as u64, "the timeline has the ramp-up too");
}

#[test]
fn paced_users_share_a_pool_and_none_is_forgotten() {
    let driven =
        against(Puppet::new(Duration::ZERO, |_| Ok(())), &plan(60_000, Pacing::Keyed { factor: 1.0 }, 1_000));
    let served: std::collections::BTreeSet<u32> = driven.tallies.into_iter().flatten().collect();
    // Each comes about twice a second; some come in the ramp-up or after the end only.
    assert!(served.len() > 30_000 || completed(&driven.record) < 30_000, "{} of 60,000", served.len());
    assert_eq!(driven.record.lateness.len(), driven.record.requests.due);
    assert_eq!((driven.fatal, driven.record.errors.len()), (None, 0));
}

#[test]
fn arrivals_do_not_wait_for_a_slow_server() {
    // Four connections of 20 ms each serve 200 a second; 1,000 arrive.
    let slow = Puppet::new(Duration::from_millis(20), |_| Ok(()));
    let driven = against(slow, &plan(100, Pacing::Arrivals { per_second: 1_000.0 }, 500));
    let record = &driven.record;
    let latency = &record.classes[0].latency;
    assert!(latency.max_ns() > 3 * record.service.quantile_ns(0.5), "latency runs from the intended start");
    assert!(
        record.pool_wait.max_ns() > record.service.quantile_ns(0.5),
        "and the wait for a connection is told"
    );
    let longest_ns = record.classes.iter().map(|class| class.latency.max_ns()).max().unwrap();
    assert!(longest_ns >= record.pool_wait.max_ns(), "of which it is a part");
}

#[test]
fn attempts_that_were_in_the_way_are_repeated_and_counted() {
    let every_second =
        |call: u64| if call.is_multiple_of(2) { Err(Failure::Retry("deadlock")) } else { Ok(()) };
    let record = against(Puppet::new(Duration::ZERO, every_second), &plan(1, Pacing::None, 100)).record;
    assert_eq!(record.errors.len(), 0);
    assert!(record.retries >= completed(&record) && completed(&record) > 10);
    let never = |_: u64| Err(Failure::Retry("deadlock"));
    let driven = against(Puppet::new(Duration::ZERO, never), &plan(1, Pacing::None, 3_600_000));
    assert!(driven.fatal.unwrap().contains("10 retries in vain"));
    assert!(driven.record.errors.keys().all(|kind| kind.ends_with(": deadlock")));
}

#[test]
fn a_cut_connection_is_opened_again_and_counted() {
    let cut = |call: u64| if call == 20 { Err(Failure::Lost("cut".to_owned())) } else { Ok(()) };
    let driven = against(Puppet::new(Duration::from_millis(1), cut), &plan(2, Pacing::None, 400));
    assert_eq!((driven.fatal, driven.record.connections_lost), (None, 1));
    assert_eq!(driven.record.errors.values().sum::<u64>(), 1);
    assert!(completed(&driven.record) > 20, "it went on");
}

#[test]
fn a_dead_server_ends_the_run() {
    let dead = |call: u64| if call > 20 { Err(Failure::Lost("gone".to_owned())) } else { Ok(()) };
    let puppet = Puppet { connections_max: 2, ..Puppet::new(Duration::from_millis(1), dead) };
    let driven = against(puppet, &plan(2, Pacing::None, 3_600_000));
    let fatal = driven.fatal.unwrap();
    assert!(fatal.contains("has not taken a connection for 0.3 s: nobody there"), "{fatal}");
    let broken = Puppet::new(Duration::ZERO, |_| Err(Failure::Fatal("disk full".to_owned())));
    let driven = against(broken, &plan(2, Pacing::Keyed { factor: 0.1 }, 3_600_000));
    assert!(driven.fatal.unwrap().contains("disk full"));
}

#[test]
fn a_server_that_hangs_ends_the_run() {
    let puppet = Puppet::new(Duration::from_secs(3_600), |_| Ok(()));
    let plan = Plan { answer_max: Some(Duration::from_millis(200)), ..plan(3, Pacing::None, 3_600_000) };
    let fatal = against(puppet, &plan).fatal.unwrap();
    assert!(fatal.contains("the server hangs"), "{fatal}");
}

#[test]
fn a_server_that_takes_nobody_is_an_error_and_bad_plans_are_refused() {
    let puppet: &'static _ =
        Box::leak(Box::new(Puppet { connections_max: 1, ..Puppet::new(Duration::ZERO, |_| Ok(())) }));
    let try_with = |plan: &Plan| drive(&Numbers, &puppet, plan, &Control::default(), &mut |_| {}).map(drop);
    let error = try_with(&plan(3, Pacing::None, 100)).unwrap_err();
    assert_eq!(error.to_string(), "getting virtual users ready: nobody there");
    for (bad, word) in [
        (plan(0, Pacing::None, 1), "0 virtual users"),
        (Plan { connections: 0, ..plan(1, Pacing::None, 1) }, "0 connections"),
        (plan(1, Pacing::Keyed { factor: f64::NAN }, 1), "NaN"),
        (plan(1, Pacing::Arrivals { per_second: 0.0 }, 1), "0 arrivals"),
    ] {
        assert!(try_with(&bad).unwrap_err().to_string().contains(word), "{word}");
    }
}

#[test]
fn a_stop_keeps_what_was_measured() {
    let puppet: &'static _ = Box::leak(Box::new(Puppet::new(Duration::from_millis(1), |_| Ok(()))));
    for pacing in [Pacing::None, Pacing::Keyed { factor: 0.01 }, Pacing::Arrivals { per_second: 500.0 }] {
        let control = Control::default();
        let driven = thread::scope(|scope| {
            let running = scope.spawn(|| {
                drive(&Numbers, &puppet, &plan(8, pacing, 3_600_000), &control, &mut |_| {}).unwrap()
            });
            let wait = |count: u64| {
                while control.live.phase() < Phase::Measure
                    || control.live.transactions.load(Ordering::Relaxed) < count
                {
                    thread::sleep(Duration::from_millis(2));
                }
            };
            wait(0);
            // So many later than the beginning of the measure phase that some of them count.
            wait(control.live.transactions.load(Ordering::Relaxed) + 50);
            control.stop.store(true, Ordering::Release);
            running.join().unwrap()
        });
        assert!(driven.interrupted && driven.fatal.is_none(), "{pacing:?}: {:?}", driven.fatal);
        assert!(completed(&driven.record) > 0 && driven.measured < Duration::from_secs(3_600));
    }
}
