//! Counting of order entry, with a scripted engine.

use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;

use super::*;
use crate::driver::{Control, Failure};
use crate::tpcc::ask::terminal::{DeliveryScreen, Executed, OrderScreen};
use crate::tpcc::data::nurand::Constants;
use crate::tpcc::data::population::Population;

/// Answers at once, and stops the run with the last of `calls`.
struct Puppet<'a> {
    control: &'a Control,
    calls: &'a AtomicU32,
}

impl Session for Puppet<'_> {
    type Request = Input;
    type Answer = Executed;

    async fn execute(&mut self, input: &Input) -> Result<Executed, Failure> {
        if self.calls.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.control.stop.store(true, Ordering::Release);
        }
        Ok(Executed { screen: good(input), waited_ns: Some(5) })
    }
}

struct Puppets<'a> {
    control: &'a Control,
    calls: &'a AtomicU32,
}

impl<'a> Connect for Puppets<'a> {
    const BLOCKS: bool = true;

    type Session = Puppet<'a>;

    async fn connect(&self) -> Result<Puppet<'a>, Failure> {
        Ok(Puppet { control: self.control, calls: self.calls })
    }
}

/// The answer of a sound database.
fn good(input: &Input) -> Screen {
    match input {
        Input::NewOrder(order) if order.rolls_back => Screen::InvalidItem,
        Input::NewOrder(_) => Screen::NewOrder(OrderScreen {
            order: 7,
            total: Default::default(),
            last_name: String::new(),
            credit: String::new(),
            lines: vec![],
        }),
        Input::Delivery(_) => {
            let mut delivered = [Some(1); 10];
            delivered[1..3].fill(None);
            Screen::Delivery(DeliveryScreen(delivered))
        }
        _ => Screen::StockLevel(0),
    }
}

fn options() -> RunOptions {
    let (ramp_up, measure) = (Duration::ZERO, Duration::from_secs(3_600));
    RunOptions { warehouses: 2, ramp_up, measure, seed: 8, ..RunOptions::default() }
}

#[test]
fn everything_is_counted_once_and_orders_are_told_when_committed_only() {
    let temp = tempfile::tempdir().unwrap();
    let instance = crate::tpcc::testing::empty(temp.path(), 1 << 20);
    let (control, calls) = (Control::default(), AtomicU32::new(10_000));
    let told = Mutex::new(Vec::new());
    let constants = Constants { last_name: 1, customer: 2, item: 3 };
    let world = World { warehouses: 2, population: Population::MINIATURE, constants };
    let hear = |order: Acknowledged| told.lock().push(order);
    let options = options();
    let task = Task { options: &options, control: &control, on_acknowledged: &hear, world };
    let connect = Puppets { control: &control, calls: &calls };
    let mut boundaries = Vec::new();
    let (driven, storage) = go(&instance, &connect, &task, |boundary| boundaries.push(boundary)).unwrap();
    assert_eq!(boundaries, [Boundary::Measure, Boundary::End]);
    let outcome = outcome(driven, storage, world);
    assert!(outcome.interrupted && outcome.fatal.is_none() && outcome.server.is_none());
    let orders = &outcome.per[&TransactionKind::NewOrder];
    let completed = outcome.completed();
    assert!(completed >= 10_000, "{completed}");
    assert_eq!(outcome.lock_wait.len(), outcome.requests.due);
    assert_eq!(outcome.skipped_deliveries, 2 * outcome.per[&TransactionKind::Delivery].committed);
    assert!(outcome.engine_cpu_ns > 0 && outcome.client_cpu_ns > 0);
    let told = told.into_inner();
    // The request in flight at the end was recorded as well.
    assert!((told.len() as u64).abs_diff(orders.committed) <= 1);
    assert!(orders.rolled_back > 0 && told.iter().all(|order| order.order == 7 && order.warehouse <= 2));
    assert!(control.live.transactions.load(Ordering::Relaxed) >= completed);
}
