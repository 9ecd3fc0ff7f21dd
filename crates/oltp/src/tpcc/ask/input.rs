//! The input of a virtual user: the data of the five transactions (2.4.1, 2.5.1, 2.6.1, 2.7.1, 2.8.1). No SQL
//! here.

use super::deck::{Deck, TransactionKind};
use super::profile::Profile;
use crate::tpcc::data::money::Cents;
use crate::tpcc::data::names::{LastName, last_name};
use crate::tpcc::data::nurand::{self, Constants};
use crate::tpcc::data::population::{DISTRICTS, Population};
use crate::tpcc::data::stream::Stream;

/// The warehouses of a virtual user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Home {
    /// One for the whole run (2.4.1.1): users spread evenly over the warehouses. Few users touch few
    /// warehouses, and those may all fit into memory.
    Fixed,
    /// Every warehouse has its user, and each transaction draws one of its user's warehouses (HammerDB's "use
    /// all warehouses"): the whole database is touched whatever the number of users, so that there is I/O. A
    /// deviation from 2.4.1.1.
    #[default]
    All,
}

/// A customer as given: by number, or by last name (60 % of Payment and Order-Status).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Id(u32),
    Name(LastName),
}

/// One line of an order as typed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) item: u32,
    pub(crate) supply_warehouse: u32,
    pub(crate) quantity: u32,
}

/// Input of New-Order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewOrder {
    pub(crate) warehouse: u32,
    pub(crate) district: u32,
    pub(crate) customer: u32,
    /// 5 to 15. The last one names an unused item when the order is to be rolled back.
    pub(crate) lines: Vec<Line>,
    /// True if the last item does not exist, on purpose (2.4.1.4: 1 %).
    pub(crate) rolls_back: bool,
    /// When it was entered, ms since 1970.
    pub(crate) at_ms: i64,
}

impl NewOrder {
    /// O_ALL_LOCAL: whether the home warehouse supplies every line.
    pub(crate) fn all_local(&self) -> bool {
        self.lines.iter().all(|line| line.supply_warehouse == self.warehouse)
    }
}

/// Input of Payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Payment {
    pub(crate) warehouse: u32,
    pub(crate) district: u32,
    pub(crate) customer_warehouse: u32,
    pub(crate) customer_district: u32,
    pub(crate) who: Who,
    pub(crate) amount: Cents,
    pub(crate) at_ms: i64,
}

/// Input of Order-Status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OrderStatus {
    pub(crate) warehouse: u32,
    pub(crate) district: u32,
    pub(crate) who: Who,
}

/// Input of Delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Delivery {
    pub(crate) warehouse: u32,
    pub(crate) carrier: u32,
    pub(crate) at_ms: i64,
}

/// Input of Stock-Level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StockLevel {
    pub(crate) warehouse: u32,
    pub(crate) district: u32,
    pub(crate) threshold: u32,
}

/// One transaction as asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    NewOrder(NewOrder),
    Payment(Payment),
    OrderStatus(OrderStatus),
    Delivery(Delivery),
    StockLevel(StockLevel),
}

impl Input {
    pub(crate) fn kind(&self) -> TransactionKind {
        match self {
            Self::NewOrder(_) => TransactionKind::NewOrder,
            Self::Payment(_) => TransactionKind::Payment,
            Self::OrderStatus(_) => TransactionKind::OrderStatus,
            Self::Delivery(_) => TransactionKind::Delivery,
            Self::StockLevel(_) => TransactionKind::StockLevel,
        }
    }
}

/// The database as its users know it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    pub(crate) warehouses: u32,
    pub(crate) population: Population,
    pub(crate) constants: Constants,
}

/// One virtual user's endless list of inputs.
#[derive(Clone, Debug)]
pub(crate) struct Inputs {
    world: World,
    stream: Stream,
    deck: Deck,
    homes: Homes,
    profile: Profile,
    /// The district of this user's Stock-Level (2.8.1.1: constant for a terminal).
    district: u32,
}

/// The warehouses of one user: `first`, `first + step`, ... up to the last.
#[derive(Clone, Copy, Debug)]
struct Homes {
    first: u32,
    step: u32,
    count: u32,
}

impl Homes {
    fn of(home: Home, user: u32, users: u32, warehouses: u32) -> Self {
        let first = user % warehouses + 1;
        match home {
            Home::All if users < warehouses => {
                Self { first, step: users, count: (warehouses - first) / users + 1 }
            }
            Home::All | Home::Fixed => Self { first, step: 0, count: 1 },
        }
    }
}

impl Inputs {
    /// The inputs of user `user` (from 0) of `users`.
    pub(crate) fn new(world: World, home: Home, profile: Profile, seed: u64, user: u32, users: u32) -> Self {
        let mut stream = Stream::new(seed, u64::from(user));
        let homes = match (profile, home) {
            (Profile::HammerdbLike, Home::Fixed) => {
                Homes { first: stream.uniform(1, world.warehouses), step: 0, count: 1 }
            }
            _ => Homes::of(home, user, users, world.warehouses),
        };
        Self {
            world,
            stream,
            deck: Deck::new(profile),
            homes,
            profile,
            district: user / world.warehouses % DISTRICTS + 1,
        }
    }

    /// The next input, entered at `at_ms`.
    pub(crate) fn next(&mut self, at_ms: i64) -> Input {
        let kind = self.deck.next(&mut self.stream);
        let warehouse = self.home();
        match kind {
            TransactionKind::NewOrder => Input::NewOrder(self.new_order(warehouse, at_ms)),
            TransactionKind::Payment => Input::Payment(self.payment(warehouse, at_ms)),
            TransactionKind::OrderStatus => {
                let district = self.any_district();
                Input::OrderStatus(OrderStatus { warehouse, district, who: self.who() })
            }
            TransactionKind::Delivery => {
                Input::Delivery(Delivery { warehouse, carrier: self.stream.uniform(1, 10), at_ms })
            }
            TransactionKind::StockLevel => {
                let threshold = self.stream.uniform(10, 20);
                Input::StockLevel(StockLevel { warehouse, district: self.district, threshold })
            }
        }
    }

    /// The kind of the next input.
    pub(crate) fn peek(&mut self) -> TransactionKind {
        self.deck.peek(&mut self.stream)
    }

    fn new_order(&mut self, warehouse: u32, at_ms: i64) -> NewOrder {
        let district = self.any_district();
        let customer = self.customer();
        let count = self.stream.uniform(5, 15);
        let mut lines: Vec<Line> = (0..count).map(|_| self.line(warehouse)).collect();
        let rolls_back = self.profile.is_standard() && self.stream.percent(1);
        if rolls_back && let Some(last) = lines.last_mut() {
            last.item = self.world.population.items + 1;
        }
        NewOrder { warehouse, district, customer, lines, rolls_back, at_ms }
    }

    fn line(&mut self, warehouse: u32) -> Line {
        let item = self.item();
        let remote = self.stream.percent(1);
        let supply_warehouse = if remote { self.other_warehouse(warehouse) } else { warehouse };
        Line { item, supply_warehouse, quantity: self.stream.uniform(1, 10) }
    }

    fn payment(&mut self, warehouse: u32, at_ms: i64) -> Payment {
        let district = self.any_district();
        let (mut customer_warehouse, mut customer_district) = (warehouse, district);
        if self.stream.percent(15) {
            customer_warehouse = self.other_warehouse(warehouse);
            if customer_warehouse != warehouse {
                customer_district = self.any_district();
            }
        }
        let who = self.who();
        let amount = Cents(i64::from(self.stream.uniform(100, 500_000)));
        Payment { warehouse, district, customer_warehouse, customer_district, who, amount, at_ms }
    }

    fn who(&mut self) -> Who {
        let World { constants, population, .. } = self.world;
        if self.profile.is_standard() && self.stream.percent(60) {
            Who::Name(last_name(nurand::last_name(&mut self.stream, constants.last_name, population.names)))
        } else {
            Who::Id(self.customer())
        }
    }

    fn customer(&mut self) -> u32 {
        let World { constants, population, .. } = self.world;
        match self.profile {
            Profile::Standard => nurand::customer(&mut self.stream, constants.customer, population.customers),
            Profile::HammerdbLike => self.stream.uniform(1, population.customers),
        }
    }

    fn item(&mut self) -> u32 {
        let World { constants, population, .. } = self.world;
        match self.profile {
            Profile::Standard => nurand::item(&mut self.stream, constants.item, population.items),
            Profile::HammerdbLike => self.stream.uniform(1, population.items),
        }
    }

    fn any_district(&mut self) -> u32 {
        self.stream.uniform(1, DISTRICTS)
    }

    fn home(&mut self) -> u32 {
        let Homes { first, step, count } = self.homes;
        if count == 1 { first } else { first + step * self.stream.uniform(0, count - 1) }
    }

    /// Uniform over the warehouses but `warehouse`; itself when it is the only one (2.4.1.5 and 2.5.1.2 for a
    /// single warehouse).
    fn other_warehouse(&mut self, warehouse: u32) -> u32 {
        if self.world.warehouses == 1 {
            return warehouse;
        }
        let other = self.stream.uniform(1, self.world.warehouses - 1);
        if other >= warehouse { other + 1 } else { other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn world(warehouses: u32) -> World {
        let constants = Constants { last_name: 11, customer: 22, item: 33 };
        World { warehouses, population: Population::STANDARD, constants }
    }

    fn many(home: Home, user: u32, users: u32, warehouses: u32, count: usize) -> Vec<Input> {
        let mut inputs = Inputs::new(world(warehouses), home, Profile::Standard, 9, user, users);
        (0..count).map(|_| inputs.next(0)).collect()
    }

    fn warehouse_of(input: &Input) -> u32 {
        match input {
            Input::NewOrder(i) => i.warehouse,
            Input::Payment(i) => i.warehouse,
            Input::OrderStatus(i) => i.warehouse,
            Input::Delivery(i) => i.warehouse,
            Input::StockLevel(i) => i.warehouse,
        }
    }

    fn warehouses_touched(home: Home, users: u32, warehouses: u32) -> Vec<BTreeSet<u32>> {
        (0..users)
            .map(|user| many(home, user, users, warehouses, 600).iter().map(warehouse_of).collect())
            .collect()
    }

    #[test]
    fn a_fixed_home_stays() {
        let touched = warehouses_touched(Home::Fixed, 5, 3);
        assert_eq!(touched, [1, 2, 3, 1, 2].map(|w| BTreeSet::from([w])));
    }

    #[test]
    fn all_warehouses_are_shared_out_without_overlap() {
        for (users, warehouses) in [(1, 7), (2, 7), (3, 7), (7, 7)] {
            let touched = warehouses_touched(Home::All, users, warehouses);
            let sizes: usize = touched.iter().map(BTreeSet::len).sum();
            let union: BTreeSet<u32> = touched.into_iter().flatten().collect();
            assert_eq!(union, (1..=warehouses).collect(), "{users} users");
            assert_eq!(sizes, warehouses as usize, "{users} users: no warehouse has two");
        }
        let crowd = warehouses_touched(Home::All, 5, 2);
        assert!(crowd.iter().all(|set| set.len() == 1));
    }

    #[test]
    fn terminals_have_their_own_district() {
        let district = |user| {
            many(Home::Fixed, user, 40, 4, 200).into_iter().find_map(|input| match input {
                Input::StockLevel(i) => Some((i.warehouse, i.district)),
                _ => None,
            })
        };
        let places: BTreeSet<_> = (0..40).map(district).collect();
        assert_eq!(places.len(), 40);
    }

    #[test]
    fn shares_are_those_of_the_clauses() {
        let inputs = many(Home::All, 0, 1, 10, 230_000);
        let orders: Vec<&NewOrder> =
            inputs.iter().filter_map(|i| if let Input::NewOrder(o) = i { Some(o) } else { None }).collect();
        let payments: Vec<&Payment> =
            inputs.iter().filter_map(|i| if let Input::Payment(p) = i { Some(p) } else { None }).collect();
        assert_eq!((orders.len(), payments.len()), (100_000, 100_000));
        let share = |part: usize, whole: usize| part as f64 / whole as f64 * 100.0;
        let lines: Vec<_> =
            orders.iter().flat_map(|o| o.lines.iter().map(move |l| (o.warehouse, l))).collect();
        let remote = lines.iter().filter(|(w, l)| *w != l.supply_warehouse).count();
        let bands = [
            (share(orders.iter().filter(|o| o.rolls_back).count(), orders.len()), 0.9, 1.1),
            (lines.len() as f64 / orders.len() as f64, 9.9, 10.1),
            (share(remote, lines.len()), 0.95, 1.05),
            (
                share(
                    payments.iter().filter(|p| p.warehouse != p.customer_warehouse).count(),
                    payments.len(),
                ),
                14.5,
                15.5,
            ),
            (
                share(payments.iter().filter(|p| matches!(p.who, Who::Name(_))).count(), payments.len()),
                59.0,
                61.0,
            ),
        ];
        for (index, (value, low, high)) in bands.into_iter().enumerate() {
            assert!((low..=high).contains(&value), "band {index}: {value}");
        }
        assert!(orders.iter().all(|o| (5..=15).contains(&o.lines.len())));
        assert!(orders.iter().all(|o| (o.lines.last().unwrap().item == 100_001) == o.rolls_back));
        assert!(
            lines
                .iter()
                .all(|(_, l)| (1..=10).contains(&l.quantity) && (1..=10).contains(&l.supply_warehouse))
        );
        assert!(payments.iter().all(|p| (100..=500_000).contains(&p.amount.0)));
        assert!(
            payments.iter().all(|p| p.warehouse != p.customer_warehouse || p.district == p.customer_district)
        );
    }

    #[test]
    fn one_warehouse_has_no_remote_work() {
        for input in many(Home::All, 0, 3, 1, 5_000) {
            match input {
                Input::NewOrder(order) => assert!(order.all_local()),
                Input::Payment(payment) => assert_eq!(payment.customer_warehouse, 1),
                _ => {}
            }
        }
    }

    #[test]
    fn a_paced_user_costs_less_than_two_kibibytes() {
        // The driver keeps the moment of the next request and the user's number.
        let (turn, inputs) = (size_of::<(u64, u32)>(), size_of::<Inputs>());
        // A vector and a heap may be twice as large as their contents.
        assert!(2 * (turn + inputs) < 2048, "{turn} + {inputs}");
    }

    #[test]
    fn the_same_seed_asks_the_same() {
        assert_eq!(many(Home::All, 1, 4, 9, 100), many(Home::All, 1, 4, 9, 100));
        assert_ne!(many(Home::All, 1, 4, 9, 100), many(Home::All, 2, 4, 9, 100));
    }

    #[test]
    fn the_hammerdb_like_profile_is_flat_and_asks_by_number() {
        let mut inputs = Inputs::new(world(10), Home::Fixed, Profile::HammerdbLike, 9, 3, 16);
        let mut hits = vec![0_u32; 10];
        for _ in 0..50_000 {
            match inputs.next(0) {
                Input::NewOrder(order) => {
                    assert!(!order.rolls_back);
                    order.lines.iter().for_each(|line| hits[(line.item as usize - 1) / 10_000] += 1);
                }
                Input::Payment(payment) => assert!(matches!(payment.who, Who::Id(1..=3_000))),
                Input::OrderStatus(status) => assert!(matches!(status.who, Who::Id(1..=3_000))),
                Input::Delivery(_) | Input::StockLevel(_) => {}
            }
        }
        let (least, most) = (hits.iter().min().unwrap(), hits.iter().max().unwrap());
        assert!(f64::from(*most) / f64::from(*least) < 1.05, "{hits:?}");
    }
}
