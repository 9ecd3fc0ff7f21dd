//! Counting, with an engine that does as it is told.

use std::collections::BTreeMap;
use std::time::Duration;

use super::*;
use crate::driver::{Control, DRAIN_MAX};
use crate::tpcc::ask::input::{Home, World};
use crate::tpcc::ask::profile::Profile;
use crate::tpcc::ask::terminal::{DeliveryScreen, OrderScreen};
use crate::tpcc::data::nurand::Constants;
use crate::tpcc::data::population::Population;
use crate::tpcc::run::outcome::PerTransaction;

/// Answers as `answer` says; the run is over before the last of `calls` answers is given, so that one does
/// not count.
struct Puppet<'a, F> {
    schedule: &'a Schedule,
    calls: u32,
    answer: F,
}

impl<F: FnMut(&Input) -> Result<Screen, Failure>> Terminal for Puppet<'_, F> {
    fn execute(&mut self, input: &Input) -> Result<Executed, Failure> {
        self.calls = self.calls.saturating_sub(1);
        if self.calls == 0 {
            self.schedule.end_ns.store(0, Ordering::Release);
        }
        (self.answer)(input).map(|screen| Executed { screen, waited_ns: Some(5) })
    }
}

fn shared_by(control: &Control, schedule: Schedule) -> Shared<'_> {
    let silence = Silence::new(schedule.measure_ns);
    Shared { schedule, live: &control.live, on_acknowledged: &|_| {}, fatal: Mutex::new(None), silence }
}

fn shared(control: &Control, measure_ns: u64) -> Shared<'_> {
    let long = Duration::from_secs(3_600);
    let schedule = Schedule { measure_ns, ..Schedule::starting_now(Duration::ZERO, long, DRAIN_MAX) };
    shared_by(control, schedule)
}

/// Works through `calls` calls, of which all but the last count.
fn work_through(
    shared: &Shared<'_>,
    calls: u32,
    answer: impl FnMut(&Input) -> Result<Screen, Failure>,
) -> Tally {
    let constants = Constants { last_name: 1, customer: 2, item: 3 };
    let world = World { warehouses: 2, population: Population::MINIATURE, constants };
    let inputs = Inputs::new(world, Home::All, Profile::Standard, 8, 0, 1);
    let mut puppet = Puppet { schedule: &shared.schedule, calls, answer };
    work(&mut puppet, inputs, 0, shared)
}

fn per(tally: &Tally) -> BTreeMap<TransactionKind, PerTransaction> {
    PerTransaction::of_classes(tally.record.classes.clone())
}

/// What a database would answer.
fn good(input: &Input) -> Result<Screen, Failure> {
    Ok(match input {
        Input::NewOrder(order) if order.rolls_back => Screen::InvalidItem,
        Input::NewOrder(_) => {
            let screen = OrderScreen {
                order: 7,
                total: Default::default(),
                last_name: String::new(),
                credit: String::new(),
                lines: vec![],
            };
            Screen::NewOrder(screen)
        }
        Input::Delivery(_) => Screen::Delivery(DeliveryScreen([
            Some(1),
            None,
            None,
            Some(1),
            Some(1),
            Some(1),
            Some(1),
            Some(1),
            Some(1),
            Some(1),
        ])),
        _ => Screen::StockLevel(0),
    })
}

fn broken(kind: &'static str) -> Failure {
    Failure::Error { kind, message: "it broke".to_owned() }
}

#[test]
fn everything_is_counted_once_by_kind() {
    let control = Control::default();
    let shared = shared(&control, 0);
    let tally = work_through(&shared, 2_301, good);
    let count = |kind| per(&tally)[&kind].committed + per(&tally)[&kind].rolled_back;
    let counts = TransactionKind::ALL.map(count);
    assert_eq!(counts, [1_000, 1_000, 100, 100, 100], "one hundred decks");
    let rolled_back = per(&tally)[&TransactionKind::NewOrder].rolled_back;
    assert!((1..30).contains(&rolled_back), "{rolled_back}");
    assert_eq!(per(&tally)[&TransactionKind::Payment].rolled_back, 0);
    assert_eq!(
        per(&tally)[&TransactionKind::NewOrder].latency.len(),
        1_000,
        "rolled-back ones took time too"
    );
    assert_eq!(tally.record.timeline_all.seconds().iter().map(|s| s.count).sum::<u64>(), 2_300);
    assert_eq!(
        tally.record.timeline_first.seconds().iter().map(|s| s.count).sum::<u64>(),
        1_000 - rolled_back
    );
    assert_eq!(tally.skipped_deliveries, 200, "two districts in each delivery");
    assert_eq!(tally.lock_wait.len(), 2_300);
    assert!(tally.record.errors.is_empty());
    assert_eq!(control.live.transactions.load(Ordering::Relaxed), 2_301, "the live counter runs on");
}

#[test]
fn ramp_up_is_seen_but_not_counted() {
    let control = Control::default();
    let shared = shared(&control, u64::MAX);
    let tally = work_through(&shared, 101, good);
    assert!(per(&tally).values().all(|per| per.committed == 0 && per.latency.is_empty()));
    assert_eq!(tally.record.timeline_all.seconds().iter().map(|s| s.count).sum::<u64>(), 100);
    assert_eq!((tally.client_cpu_ns, tally.engine_cpu_ns), (0, 0));
}

#[test]
fn errors_are_counted_by_class_and_never_as_work() {
    let control = Control::default();
    let shared = shared(&control, 0);
    let tally = work_through(&shared, 231, |input| {
        if matches!(input, Input::Payment(_)) { Err(broken("constraint violated")) } else { good(input) }
    });
    assert_eq!(per(&tally)[&TransactionKind::Payment].errors, 100);
    assert_eq!(per(&tally)[&TransactionKind::Payment].committed, 0);
    assert!(per(&tally)[&TransactionKind::Payment].latency.is_empty());
    let errors: Vec<_> = tally.record.errors.iter().map(|(kind, &count)| (kind.as_str(), count)).collect();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].0, "payment: constraint violated");
    assert!((100..=101).contains(&errors[0].1), "the one after the end is an error as well");
    assert_eq!(tally.record.timeline_all.seconds().iter().map(|s| s.errors).sum::<u64>(), errors[0].1);
    assert!(shared.fatal.lock().is_none());
}

#[test]
fn who_is_in_the_way_is_asked_again() {
    let control = Control::default();
    let shared = shared(&control, 0);
    let mut turn = 0;
    let tally = work_through(&shared, 301, |input| {
        turn += 1;
        if turn % 3 == 0 { good(input) } else { Err(Failure::Retry("database busy")) }
    });
    assert_eq!(per(&tally).values().map(|per| per.committed + per.rolled_back).sum::<u64>(), 100);
    assert_eq!(tally.record.retries, 202, "two before each success, the one after the end included");
    assert!(tally.record.errors.is_empty());
}

#[test]
fn who_is_always_in_the_way_becomes_an_error() {
    let control = Control::default();
    let shared = shared(&control, 0);
    let tally = work_through(&shared, 111, |_| Err(Failure::Retry("database busy")));
    assert_eq!(tally.record.retries, 11 * 10, "ten for each of eleven transactions");
    assert_eq!(tally.record.errors.values().sum::<u64>(), 11);
    assert!(tally.record.errors.keys().all(|kind| kind.ends_with(": database busy")));
}

#[test]
fn a_broken_database_ends_the_run_with_the_reason() {
    let control = Control::default();
    let shared = shared(&control, 0);
    let mut turn = 0;
    let tally = work_through(&shared, 1_000, |input| {
        turn += 1;
        if turn == 50 { Err(Failure::Fatal("disk I/O error".to_owned())) } else { good(input) }
    });
    assert_eq!(turn, 50);
    assert_eq!(per(&tally).values().map(|per| per.committed + per.rolled_back).sum::<u64>(), 49);
    let reason = shared.fatal.lock().clone().unwrap();
    assert!(reason.ends_with("of user 1: disk I/O error"), "{reason}");
    assert_eq!(control.live.errors.load(Ordering::Relaxed), 1);
}

#[test]
fn nothing_but_errors_ends_the_run() {
    let control = Control::default();
    let shared = shared(&control, 0);
    let tally = work_through(&shared, 10_000, |_| Err(broken("missing row")));
    assert_eq!(tally.record.errors.values().sum::<u64>(), u64::from(ERRORS_IN_A_ROW_MAX));
    assert!(shared.fatal.lock().is_some());
}

#[test]
fn acknowledged_orders_are_told_when_committed_only() {
    let told = Mutex::new(Vec::new());
    let hear = |order: Acknowledged| told.lock().push(order);
    let control = Control::default();
    let shared = Shared { on_acknowledged: &hear, ..shared(&control, u64::MAX) };
    let mut committed = 0;
    work_through(&shared, 2_300, |input| {
        let answer = good(input);
        committed += usize::from(matches!(answer, Ok(Screen::NewOrder(_))));
        answer
    });
    assert!((900..1_000).contains(&committed));
    assert_eq!(told.lock().len(), committed);
    assert!(told.lock().iter().all(|order| order.order == 7 && order.warehouse <= 2));
}

#[test]
fn tallies_merge() {
    let control = Control::default();
    let mut total = Tally::new(0);
    for _ in 0..3 {
        let shared = shared(&control, 0);
        total.merge(&work_through(&shared, 24, |input| {
            if matches!(input, Input::OrderStatus(_)) { Err(broken("missing row")) } else { good(input) }
        }));
    }
    assert_eq!(per(&total)[&TransactionKind::NewOrder].latency.len(), 30);
    assert_eq!(per(&total)[&TransactionKind::OrderStatus].errors, 3);
    assert_eq!(total.record.errors["order_status: missing row"], 3);
    assert_eq!(total.lock_wait.len(), 66);
}

#[test]
fn what_is_under_way_at_the_end_counts_with_its_latency_and_not_as_throughput() {
    let control = Control::default();
    let end = Duration::from_millis(60);
    for (takes, drain, late, unfinished) in [(120, 3_600_000, 1, 0), (120, 5, 0, 1)] {
        let drain_max = Duration::from_millis(drain);
        let shared = shared_by(&control, Schedule::starting_now(Duration::ZERO, end, drain_max));
        let tally = work_through(&shared, u32::MAX, |input| {
            std::thread::sleep(Duration::from_millis(takes));
            good(input)
        });
        let requests = &tally.record.requests;
        assert_eq!((requests.due, requests.answered_late, requests.unfinished), (1, late, unfinished));
        assert!(per(&tally).values().all(|per| per.committed + per.rolled_back == 0));
        let latency_ns = per(&tally).values().map(|per| per.latency.max_ns()).max().unwrap();
        let least = if unfinished > 0 { end + drain_max } else { Duration::from_millis(takes) };
        // It began a moment after the run.
        assert!(latency_ns >= least.as_nanos() as u64 / 2, "{latency_ns}");
    }
}
