//! The initial population (4.3.3.1), in batches that can be made in any order and on any thread: each has a
//! random stream of its own.

use super::money::{Cents, Rate};
use super::names::{LastName, last_name};
use super::nurand;
use super::population::{DISTRICTS, Population};
use super::stream::Stream;
use super::text::Text;

/// Rows of stock or items in a batch.
const BATCH_ROWS: u32 = 10_000;
/// H_AMOUNT of every customer's first payment, and C_YTD_PAYMENT.
const FIRST_PAYMENT: Cents = Cents(1_000);

/// The data to populate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) warehouses: u32,
    pub(crate) population: Population,
    pub(crate) seed: u64,
    /// C of NURand for last names.
    pub(crate) c_last: u32,
    /// The date in every row, ms since 1970.
    pub(crate) at_ms: i64,
}

/// One batch to be generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    Items { from: u32, to: u32 },
    Warehouse { warehouse: u32 },
    Stock { warehouse: u32, from: u32, to: u32 },
    Customers { warehouse: u32, district: u32 },
    Orders { warehouse: u32, district: u32 },
}

/// The rows of one job.
#[derive(Debug)]
pub(crate) enum Batch {
    Items(Vec<Item>),
    Warehouse(Warehouse, Vec<District>),
    Stock(u32, Vec<Stock>),
    Customers(u32, u32, Vec<Customer>),
    Orders(u32, u32, Vec<Order>),
}

/// An address.
#[derive(Debug)]
pub(crate) struct Address {
    pub(crate) street_1: Text<20>,
    pub(crate) street_2: Text<20>,
    pub(crate) city: Text<20>,
    pub(crate) state: Text<2>,
    pub(crate) zip: Text<9>,
}

#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) id: u32,
    pub(crate) image: u32,
    pub(crate) name: Text<24>,
    pub(crate) price: Cents,
    pub(crate) data: Text<50>,
}

#[derive(Debug)]
pub(crate) struct Warehouse {
    pub(crate) id: u32,
    pub(crate) name: Text<10>,
    pub(crate) address: Address,
    pub(crate) tax: Rate,
    pub(crate) ytd: Cents,
}

#[derive(Debug)]
pub(crate) struct District {
    pub(crate) id: u32,
    pub(crate) warehouse: u32,
    pub(crate) name: Text<10>,
    pub(crate) address: Address,
    pub(crate) tax: Rate,
    pub(crate) ytd: Cents,
    pub(crate) next_order: u32,
}

#[derive(Debug)]
pub(crate) struct Stock {
    pub(crate) item: u32,
    pub(crate) quantity: u32,
    pub(crate) districts: [Text<24>; DISTRICTS as usize],
    pub(crate) data: Text<50>,
}

/// A customer with the one payment in the history.
#[derive(Debug)]
pub(crate) struct Customer {
    pub(crate) id: u32,
    pub(crate) first: Text<16>,
    pub(crate) last: LastName,
    pub(crate) address: Address,
    pub(crate) phone: Text<16>,
    pub(crate) bad_credit: bool,
    pub(crate) discount: Rate,
    pub(crate) data: Text<500>,
    pub(crate) history_data: Text<24>,
}

#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) id: u32,
    pub(crate) customer: u32,
    /// `None` for orders that wait for delivery.
    pub(crate) carrier: Option<u32>,
    pub(crate) lines: Vec<OrderLine>,
}

#[derive(Debug)]
pub(crate) struct OrderLine {
    pub(crate) item: u32,
    pub(crate) amount: Cents,
    pub(crate) dist_info: Text<24>,
}

impl Plan {
    /// All batches in the order in which they are to be stored.
    pub(crate) fn jobs(self) -> impl Iterator<Item = Job> + Clone {
        let items = ranges(self.population.items).map(|(from, to)| Job::Items { from, to });
        let warehouses = (1..=self.warehouses).flat_map(move |warehouse| {
            let stock =
                ranges(self.population.items).map(move |(from, to)| Job::Stock { warehouse, from, to });
            let customers = (1..=DISTRICTS).map(move |district| Job::Customers { warehouse, district });
            let orders = (1..=DISTRICTS).map(move |district| Job::Orders { warehouse, district });
            std::iter::once(Job::Warehouse { warehouse }).chain(stock).chain(customers).chain(orders)
        });
        items.chain(warehouses)
    }

    /// Rows that the load will store, order lines at their mean of ten an order.
    pub(crate) fn rows(self) -> u64 {
        let Population { items, customers, .. } = self.population;
        let waiting = customers - self.population.first_undelivered() + 1;
        let district = 1 + customers * (1 + 1 + 1 + 10) + waiting;
        u64::from(items) + u64::from(self.warehouses) * u64::from(1 + items + DISTRICTS * district)
    }

    /// Makes the rows of one batch.
    pub(crate) fn generate(&self, job: Job) -> Batch {
        let mut stream = Stream::new(self.seed, stream_number(job));
        let stream = &mut stream;
        match job {
            Job::Items { from, to } => Batch::Items((from..=to).map(|id| item(stream, id)).collect()),
            Job::Warehouse { warehouse } => {
                let districts = (1..=DISTRICTS).map(|id| self.district(stream, warehouse, id)).collect();
                Batch::Warehouse(self.warehouse(stream, warehouse), districts)
            }
            Job::Stock { warehouse, from, to } => {
                Batch::Stock(warehouse, (from..=to).map(|id| stock(stream, id)).collect())
            }
            Job::Customers { warehouse, district } => {
                let customers = (1..=self.population.customers).map(|id| self.customer(stream, id)).collect();
                Batch::Customers(warehouse, district, customers)
            }
            Job::Orders { warehouse, district } => Batch::Orders(warehouse, district, self.orders(stream)),
        }
    }

    fn warehouse(&self, stream: &mut Stream, id: u32) -> Warehouse {
        Warehouse {
            id,
            name: stream.letters(6, 10),
            address: address(stream),
            tax: Rate(stream.uniform(0, 2_000).into()),
            ytd: Cents(FIRST_PAYMENT.0 * i64::from(self.population.customers * DISTRICTS)),
        }
    }

    fn district(&self, stream: &mut Stream, warehouse: u32, id: u32) -> District {
        District {
            id,
            warehouse,
            name: stream.letters(6, 10),
            address: address(stream),
            tax: Rate(stream.uniform(0, 2_000).into()),
            ytd: Cents(FIRST_PAYMENT.0 * i64::from(self.population.customers)),
            next_order: self.population.customers + 1,
        }
    }

    fn customer(&self, stream: &mut Stream, id: u32) -> Customer {
        let names = self.population.names;
        let name = if id <= names { id - 1 } else { nurand::last_name(stream, self.c_last, names) };
        Customer {
            id,
            first: stream.letters(8, 16),
            last: last_name(name),
            address: address(stream),
            phone: stream.digits(16, 16),
            bad_credit: stream.percent(10),
            discount: Rate(stream.uniform(0, 5_000).into()),
            data: stream.letters(300, 500),
            history_data: stream.letters(12, 24),
        }
    }

    /// A district's orders: every customer has one, in random order.
    fn orders(&self, stream: &mut Stream) -> Vec<Order> {
        let mut customers: Vec<u32> = (1..=self.population.customers).collect();
        stream.shuffle(&mut customers);
        (1..).zip(customers).map(|(id, customer)| self.order(stream, id, customer)).collect()
    }

    fn order(&self, stream: &mut Stream, id: u32, customer: u32) -> Order {
        let delivered = id < self.population.first_undelivered();
        let line = |stream: &mut Stream| OrderLine {
            item: stream.uniform(1, self.population.items),
            amount: if delivered { Cents(0) } else { Cents(stream.uniform(1, 999_999).into()) },
            dist_info: stream.letters(24, 24),
        };
        let carrier = delivered.then(|| stream.uniform(1, 10));
        let count = stream.uniform(5, 15);
        Order { id, customer, carrier, lines: (0..count).map(|_| line(stream)).collect() }
    }
}

fn ranges(rows: u32) -> impl Iterator<Item = (u32, u32)> + Clone {
    (0..rows).step_by(BATCH_ROWS as usize).map(move |start| (start + 1, (start + BATCH_ROWS).min(rows)))
}

/// A number that no other job of the plan has, whatever the number of warehouses.
fn stream_number(job: Job) -> u64 {
    let (kind, warehouse, part) = match job {
        Job::Items { from, .. } => (1, 0, from),
        Job::Warehouse { warehouse } => (2, warehouse, 0),
        Job::Stock { warehouse, from, .. } => (3, warehouse, from),
        Job::Customers { warehouse, district } => (4, warehouse, district),
        Job::Orders { warehouse, district } => (5, warehouse, district),
    };
    kind << 56 | u64::from(warehouse) << 24 | u64::from(part)
}

fn address(stream: &mut Stream) -> Address {
    // 4.3.2.7: a zip code is four random digits and 11111.
    let mut zip: Text<9> = stream.digits(4, 4);
    zip.push_str("11111");
    Address {
        street_1: stream.letters(10, 20),
        street_2: stream.letters(10, 20),
        city: stream.letters(10, 20),
        state: stream.letters(2, 2),
        zip,
    }
}

fn item(stream: &mut Stream, id: u32) -> Item {
    Item {
        id,
        image: stream.uniform(1, 10_000),
        name: stream.letters(14, 24),
        price: Cents(stream.uniform(100, 10_000).into()),
        data: maybe_original(stream),
    }
}

fn stock(stream: &mut Stream, item: u32) -> Stock {
    Stock {
        item,
        quantity: stream.uniform(10, 100),
        districts: std::array::from_fn(|_| stream.letters(24, 24)),
        data: maybe_original(stream),
    }
}

/// I_DATA and S_DATA: 26 to 50 characters, a tenth of them with ORIGINAL somewhere inside.
fn maybe_original(stream: &mut Stream) -> Text<50> {
    const WORD: &[u8] = b"ORIGINAL";
    let mut data: Text<50> = stream.letters(26, 50);
    if stream.percent(10) {
        let length = data.as_str().len();
        let at = stream.uniform(0, (length - WORD.len()) as u32) as usize;
        data.resize(length)[at..at + WORD.len()].copy_from_slice(WORD);
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const PLAN: Plan =
        Plan { warehouses: 2, population: Population::STANDARD, seed: 7, c_last: 100, at_ms: 0 };

    fn batch(job: Job) -> Batch {
        PLAN.generate(job)
    }

    #[test]
    fn jobs_cover_everything_once() {
        let jobs: Vec<Job> = PLAN.jobs().collect();
        assert_eq!(jobs.len(), 10 + 2 * (1 + 10 + 10 + 10));
        assert_eq!(jobs[9], Job::Items { from: 90_001, to: 100_000 });
        assert_eq!(jobs[10], Job::Warehouse { warehouse: 1 });
        let numbers: BTreeSet<u64> = jobs.iter().map(|&job| stream_number(job)).collect();
        assert_eq!(numbers.len(), jobs.len());
        let small = Plan { population: Population::MINIATURE, ..PLAN };
        assert_eq!(small.jobs().next(), Some(Job::Items { from: 1, to: 100 }));
    }

    #[test]
    fn rows_are_those_of_4_2_2() {
        assert_eq!(
            PLAN.rows(),
            100_000 + 2 * (1 + 10 + 30_000 + 30_000 + 30_000 + 9_000 + 300_000 + 100_000)
        );
    }

    #[test]
    fn customers_follow_4_3_3_1() {
        let Batch::Customers(1, 3, rows) = batch(Job::Customers { warehouse: 1, district: 3 }) else {
            panic!("wrong batch")
        };
        assert_eq!(rows.len(), 3_000);
        for (number, row) in (0..1_000).zip(&rows) {
            assert_eq!(row.last.as_str(), last_name(number).as_str());
        }
        let bad = rows.iter().filter(|row| row.bad_credit).count();
        assert!((250..350).contains(&bad), "{bad}");
        assert!(rows.iter().all(|row| (300..=500).contains(&row.data.as_str().len())));
        assert!(rows.iter().all(|row| row.address.zip.as_str().len() == 9 && row.address.zip.as_str().ends_with("11111")));
        assert!(rows.iter().all(|row| (0..=5_000).contains(&row.discount.0)));
    }

    #[test]
    fn orders_follow_4_3_3_1() {
        let Batch::Orders(2, 1, rows) = batch(Job::Orders { warehouse: 2, district: 1 }) else {
            panic!("wrong batch")
        };
        let customers: BTreeSet<u32> = rows.iter().map(|row| row.customer).collect();
        assert_eq!(customers, (1..=3_000).collect());
        assert!(
            rows.windows(2).any(|pair| pair[0].customer > pair[1].customer),
            "a permutation, not the identity"
        );
        for row in &rows {
            assert_eq!(row.carrier.is_some(), row.id < 2_101);
            assert!((5..=15).contains(&row.lines.len()));
            for line in &row.lines {
                let allowed = if row.id < 2_101 { 0..=0 } else { 1..=999_999 };
                assert!(allowed.contains(&line.amount.0));
                assert_eq!(line.dist_info.as_str().len(), 24);
            }
        }
        let lines: usize = rows.iter().map(|row| row.lines.len()).sum();
        assert!((29_000..31_000).contains(&lines), "{lines}");
    }

    #[test]
    fn a_tenth_of_items_and_stock_is_original() {
        let Batch::Items(items) = batch(Job::Items { from: 1, to: 10_000 }) else { panic!("wrong batch") };
        let Batch::Stock(1, stock) = batch(Job::Stock { warehouse: 1, from: 1, to: 10_000 }) else {
            panic!("wrong batch")
        };
        let original = |texts: Vec<&str>| texts.iter().filter(|text| text.contains("ORIGINAL")).count();
        for count in [
            original(items.iter().map(|i| i.data.as_str()).collect()),
            original(stock.iter().map(|s| s.data.as_str()).collect()),
        ] {
            assert!((900..1_100).contains(&count), "{count}");
        }
        assert!(
            items
                .iter()
                .all(|i| (100..=10_000).contains(&i.price.0) && (26..=50).contains(&i.data.as_str().len()))
        );
        assert!(stock.iter().all(|s| (10..=100).contains(&s.quantity)));
    }

    #[test]
    fn a_batch_is_the_same_whenever_it_is_made() {
        let job = Job::Stock { warehouse: 2, from: 1, to: 10 };
        assert_eq!(format!("{:?}", batch(job)), format!("{:?}", batch(job)));
        let other = Job::Stock { warehouse: 1, from: 1, to: 10 };
        assert_ne!(format!("{:?}", batch(job)), format!("{:?}", batch(other)));
    }
}
