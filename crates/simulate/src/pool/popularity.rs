//! The access frequency of each page of the order-entry workload, from the workload's own random
//! distributions.

use super::{PAGE_BYTES, PageClass, characteristic_time};

/// The five transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Transaction {
    /// New order.
    NewOrder,
    /// Payment.
    Payment,
    /// Order status.
    OrderStatus,
    /// Delivery.
    Delivery,
    /// Stock level.
    StockLevel,
}

impl Transaction {
    /// All five, in the order of the deck.
    pub const ALL: [Transaction; 5] = [
        Transaction::NewOrder,
        Transaction::Payment,
        Transaction::OrderStatus,
        Transaction::Delivery,
        Transaction::StockLevel,
    ];

    /// Cards of the deck of 23 (TPC-C 5.2.4.2, the mix of HammerDB).
    #[must_use]
    pub fn cards(self) -> u32 {
        match self {
            Transaction::NewOrder | Transaction::Payment => 10,
            _ => 1,
        }
    }

    /// True if it ends with a commit that waits for the log.
    #[must_use]
    pub fn writes(self) -> bool {
        matches!(self, Transaction::NewOrder | Transaction::Payment | Transaction::Delivery)
    }

    /// Seconds that a user takes to key it in (TPC-C 5.2.5.2).
    #[must_use]
    pub fn keying_s(self) -> f64 {
        match self {
            Transaction::NewOrder => 18.0,
            Transaction::Payment => 3.0,
            _ => 2.0,
        }
    }

    /// Mean seconds that a user thinks about it afterwards (TPC-C 5.2.5.4).
    #[must_use]
    pub fn think_s(self) -> f64 {
        match self {
            Transaction::NewOrder | Transaction::Payment => 12.0,
            Transaction::OrderStatus => 10.0,
            Transaction::Delivery | Transaction::StockLevel => 5.0,
        }
    }

    /// Its name in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Transaction::NewOrder => "new_order",
            Transaction::Payment => "payment",
            Transaction::OrderStatus => "order_status",
            Transaction::Delivery => "delivery",
            Transaction::StockLevel => "stock_level",
        }
    }
}

/// Accesses of one kind of transaction to one group of classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    transaction: Transaction,
    /// The number in one transaction.
    count: f64,
    /// Classes, and the share of these accesses that goes to each.
    over: Vec<(usize, f64)>,
    /// For rows that were all used within the last transactions, this many; 0 for rows used at any time.
    used_within: f64,
}

/// All pages of a database with who asks for them.
#[derive(Clone, Debug, PartialEq)]
pub struct Pages {
    classes: Vec<PageClass>,
    accesses: Vec<Access>,
    growth_pages: f64,
}

const ITEMS: usize = 100_000;
const CUSTOMERS: usize = 3000;
/// Rows of a page at SQL Server's widths.
const STOCK_ROWS: usize = 25;
const CUSTOMER_ROWS: usize = 11;
/// Orders whose lines fill a page, and order rows of a page.
const ORDERS_PER_LINE_PAGE: f64 = 13.0;
const ORDERS_PER_PAGE: f64 = 200.0;
/// Groups into which pages of nearly equal popularity are put.
const CLASSES: usize = 100;
const CARDS: f64 = 23.0;

/// The pages of a database of `warehouses` under users that are spread over all of them.
#[must_use]
pub fn order_entry(warehouses: u32) -> Pages {
    let w = f64::from(warehouses);
    let mut pages = Pages { classes: Vec::new(), accesses: Vec::new(), growth_pages: 0.0 };
    let stock = pages.add(w, &by_page(&nurand(8191, ITEMS), STOCK_ROWS));
    let customer_pages = by_page(&nurand(1023, CUSTOMERS), CUSTOMER_ROWS);
    let customers = pages.add(w * 10.0, &customer_pages);
    let any_customer = pages.evenly_over(&customers);
    let hot = pages.add(w * 10.0 + 1200.0, &[1.0]);
    let tails = pages.add(w * 10.0 * 3.0, &[1.0]);
    let oldest = pages.add(w * 10.0 * 3.0, &[1.0]);
    // Pages of old orders and their lines: 3000 orders of each district.
    let old_orders = pages.add(w * 10.0 * 3000.0 / ORDERS_PER_PAGE, &[1.0]);
    let old_lines = pages.add(w * 10.0 * 3000.0 / ORDERS_PER_LINE_PAGE, &[1.0]);
    use Transaction::{Delivery, NewOrder, OrderStatus, Payment, StockLevel};
    // Of three customers with one name, one is chosen by name and two lie anywhere.
    for (by, count) in [(NewOrder, 1.0), (Payment, 0.4 + 0.6), (OrderStatus, 0.4 + 0.6)] {
        pages.ask(by, count, &customers);
    }
    for by in [Payment, OrderStatus] {
        pages.ask(by, 0.6 * 2.0, &any_customer);
    }
    pages.ask(NewOrder, 10.0, &stock);
    pages.ask(NewOrder, 12.0, &hot);
    pages.ask(NewOrder, 3.0, &tails);
    pages.ask(Payment, 3.0, &hot);
    pages.ask(OrderStatus, 1.0, &old_orders);
    pages.ask(OrderStatus, 1.0, &old_lines);
    pages.ask(Delivery, 10.0, &any_customer);
    pages.ask(Delivery, 30.0, &oldest);
    // After this many deliveries the oldest order is on a page that was not used for long.
    pages.ask(Delivery, 10.0 / ORDERS_PER_LINE_PAGE, &old_lines);
    pages.ask(Delivery, 10.0 / ORDERS_PER_PAGE, &old_orders);
    pages.ask(StockLevel, 2.0, &tails);
    // The stock of the last 20 orders of a district (10 lines each): used as long ago as it takes for them to
    // come in.
    let window = 20.0 * w * 10.0 * CARDS / f64::from(NewOrder.cards());
    pages.accesses.push(Access { transaction: StockLevel, count: 200.0, over: stock, used_within: window });
    // Lines, order, new order and history of each new order: pages that fill up and are left.
    pages.growth_pages = f64::from(NewOrder.cards()) / CARDS
        * (1.0 / ORDERS_PER_LINE_PAGE + 1.0 / ORDERS_PER_PAGE + 2.0 * 60.0 / PAGE_BYTES as f64);
    pages
}

impl Pages {
    /// Every class with its rate per transaction.
    #[must_use]
    pub fn classes(&self) -> &[PageClass] {
        &self.classes
    }

    /// Adds `copies` of pages with these weights, grouped by popularity; returns the classes and their shares
    /// of the accesses.
    fn add(&mut self, copies: f64, weights: &[f64]) -> Vec<(usize, f64)> {
        let mut sorted = weights.to_vec();
        sorted.sort_by(f64::total_cmp);
        let total: f64 = sorted.iter().sum();
        let size = sorted.len().div_ceil(CLASSES);
        let mut over = Vec::new();
        for group in sorted.chunks(size) {
            over.push((self.classes.len(), group.iter().sum::<f64>() / total));
            self.classes.push(PageClass { pages: group.len() as f64 * copies, rate: 0.0 });
        }
        over
    }

    /// The same pages, each asked for equally often.
    fn evenly_over(&self, over: &[(usize, f64)]) -> Vec<(usize, f64)> {
        let pages = |class: usize| self.classes[class].pages;
        let total: f64 = over.iter().map(|&(class, _)| pages(class)).sum();
        over.iter().map(|&(class, _)| (class, pages(class) / total)).collect()
    }

    fn ask(&mut self, transaction: Transaction, count: f64, over: &[(usize, f64)]) {
        let per_transaction = count * f64::from(transaction.cards()) / CARDS;
        for &(class, share) in over {
            let class = &mut self.classes[class];
            class.rate += per_transaction * share / class.pages;
        }
        self.accesses.push(Access { transaction, count, over: over.to_vec(), used_within: 0.0 });
    }

    /// Accesses of one transaction of this kind and the share of them that misses a pool of `pool_bytes`,
    /// group by group.
    #[must_use]
    pub fn misses(&self, transaction: Transaction, pool_bytes: f64) -> Vec<(f64, f64)> {
        let time = self.time(pool_bytes);
        let of_class = |class: usize| (-self.classes[class].rate * time).exp();
        let share = |access: &Access| {
            let long_ago =
                if access.used_within > 0.0 { (1.0 - time / access.used_within).max(0.0) } else { 1.0 };
            long_ago * access.over.iter().map(|&(class, share)| share * of_class(class)).sum::<f64>()
        };
        let own = self.accesses.iter().filter(|access| access.transaction == transaction);
        own.map(|access| (access.count, if time.is_infinite() { 0.0 } else { share(access) })).collect()
    }

    /// Page reads of an average transaction.
    #[must_use]
    pub fn reads_per_transaction(&self, pool_bytes: f64) -> f64 {
        let reads =
            |t: Transaction| self.misses(t, pool_bytes).iter().map(|(count, miss)| count * miss).sum::<f64>();
        Transaction::ALL.iter().map(|&t| f64::from(t.cards()) / CARDS * reads(t)).sum()
    }

    /// Transactions after which an unused page has left the pool.
    fn time(&self, pool_bytes: f64) -> f64 {
        let total: f64 = self.classes.iter().map(|class| class.pages).sum();
        let pool_pages = pool_bytes / PAGE_BYTES as f64;
        // A database that fits with room to grow never misses in the time of a run.
        if total * 1.02 < pool_pages {
            return f64::INFINITY;
        }
        characteristic_time(&self.classes, self.growth_pages, pool_pages)
    }
}

/// Probability of each of `count` values of NURand(a, 0, count - 1): the bits of a are ored into a uniform
/// value (TPC-C 2.1.6).
fn nurand(a: usize, count: usize) -> Vec<f64> {
    let mut chance = vec![0.0; count];
    let bits = (a + 1).trailing_zeros() as usize;
    for block in (0..count).step_by(a + 1) {
        // Of a whole block every low part is equally likely; of the last, cut short, only the first ones.
        let lows = (count - block).min(a + 1);
        let each = lows as f64 / count as f64;
        let mut low = vec![0.0; a + 1];
        for chance in low.iter_mut().take(lows) {
            *chance = 1.0 / lows as f64;
        }
        // Oring in a random bit: half of what has the bit clear moves to where it is set.
        for bit in 0..bits {
            for value in (0..=a).filter(|value| value & (1 << bit) == 0) {
                let half = low[value] / 2.0;
                low[value] -= half;
                low[value | (1 << bit)] += half;
            }
        }
        for (value, chance_of) in low.into_iter().enumerate() {
            chance[(block + value) % count] += each * chance_of;
        }
    }
    chance
}

/// Chances of pages of `rows` neighbouring rows.
fn by_page(rows: &[f64], per_page: usize) -> Vec<f64> {
    rows.chunks(per_page).map(|page| page.iter().sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nurand_is_a_distribution_with_the_known_skew() {
        let pages = by_page(&nurand(8191, ITEMS), STOCK_ROWS);
        assert!((pages.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let mut sorted = pages.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let top: f64 = sorted[..sorted.len() / 5].iter().sum();
        // A fifth of the stock pages has 72 % of the accesses.
        assert!((top - 0.72).abs() < 0.03, "{top}");
    }
}
