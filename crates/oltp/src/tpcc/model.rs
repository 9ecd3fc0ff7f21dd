//! Order entry in memory, written from the clauses alone and without a look at the SQL: the reference for the
//! database.

use std::collections::{BTreeMap, BTreeSet};

use super::ask::input::{Delivery, Input, NewOrder, OrderStatus, Payment, StockLevel, Who};
use super::ask::terminal::{
    DeliveryScreen, Executed, Failure, OrderLineScreen, OrderScreen, PaymentScreen, Screen, StatusLine,
    StatusScreen, Terminal,
};
use super::data::generate::{Batch, Plan};
use super::data::money::{Cents, Rate, order_total};

/// Warehouse, district.
pub(crate) type DistrictKey = (u32, u32);
/// Warehouse, district, number.
pub(crate) type Key = (u32, u32, u32);

#[derive(Clone, Debug)]
pub(crate) struct ModelDistrict {
    pub(crate) ytd: i64,
    pub(crate) next_order: u32,
    tax: Rate,
    name: String,
}

#[derive(Clone, Debug)]
pub(crate) struct ModelCustomer {
    pub(crate) balance: i64,
    pub(crate) ytd_payment: i64,
    pub(crate) payments: u32,
    pub(crate) deliveries: u32,
    pub(crate) data: String,
    first: String,
    last: String,
    credit: &'static str,
    discount: Rate,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModelOrder {
    pub(crate) customer: u32,
    pub(crate) carrier: Option<u32>,
    pub(crate) all_local: bool,
    pub(crate) lines: Vec<ModelLine>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModelLine {
    pub(crate) item: u32,
    pub(crate) supply_warehouse: u32,
    pub(crate) quantity: u32,
    pub(crate) amount: i64,
    pub(crate) delivered_at: Option<i64>,
    pub(crate) dist_info: String,
}

#[derive(Clone, Debug)]
pub(crate) struct ModelStock {
    pub(crate) quantity: i64,
    pub(crate) ytd: i64,
    pub(crate) orders: i64,
    pub(crate) remote: i64,
    districts: Vec<String>,
    original: bool,
}

/// H_C_W_ID, H_C_D_ID, H_C_ID, H_W_ID, H_D_ID, H_AMOUNT, H_DATA.
pub(crate) type ModelHistory = (u32, u32, u32, u32, u32, i64, String);

/// The whole company.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    /// W_YTD, W_TAX, W_NAME.
    pub(crate) warehouses: BTreeMap<u32, (i64, Rate, String)>,
    pub(crate) districts: BTreeMap<DistrictKey, ModelDistrict>,
    pub(crate) customers: BTreeMap<Key, ModelCustomer>,
    pub(crate) orders: BTreeMap<Key, ModelOrder>,
    pub(crate) waiting: BTreeSet<Key>,
    pub(crate) history: Vec<ModelHistory>,
    pub(crate) stock: BTreeMap<DistrictKey, ModelStock>,
    /// Name, price, ORIGINAL.
    items: BTreeMap<u32, (String, i64, bool)>,
}

impl Model {
    /// The company right after `plan` was loaded.
    pub(crate) fn populated(plan: &Plan) -> Self {
        let mut model = Self::default();
        for job in plan.jobs() {
            model.take(plan, plan.generate(job));
        }
        model
    }

    fn take(&mut self, plan: &Plan, batch: Batch) {
        match batch {
            Batch::Items(rows) => {
                let item = |row: &super::data::generate::Item| {
                    (row.name.as_str().to_owned(), row.price.0, row.data.as_str().contains("ORIGINAL"))
                };
                self.items.extend(rows.iter().map(|row| (row.id, item(row))));
            }
            Batch::Warehouse(row, districts) => {
                self.warehouses.insert(row.id, (row.ytd.0, row.tax, row.name.as_str().to_owned()));
                for row in districts {
                    let district = ModelDistrict {
                        ytd: row.ytd.0,
                        next_order: row.next_order,
                        tax: row.tax,
                        name: row.name.as_str().to_owned(),
                    };
                    self.districts.insert((row.warehouse, row.id), district);
                }
            }
            Batch::Stock(warehouse, rows) => {
                for row in rows {
                    let districts = row.districts.iter().map(|d| d.as_str().to_owned()).collect();
                    let original = row.data.as_str().contains("ORIGINAL");
                    let stock = ModelStock {
                        quantity: row.quantity.into(),
                        ytd: 0,
                        orders: 0,
                        remote: 0,
                        districts,
                        original,
                    };
                    self.stock.insert((warehouse, row.item), stock);
                }
            }
            Batch::Customers(warehouse, district, rows) => {
                for row in rows {
                    let customer = ModelCustomer {
                        balance: -1_000,
                        ytd_payment: 1_000,
                        payments: 1,
                        deliveries: 0,
                        data: row.data.as_str().to_owned(),
                        first: row.first.as_str().to_owned(),
                        last: row.last.as_str().to_owned(),
                        credit: if row.bad_credit { "BC" } else { "GC" },
                        discount: row.discount,
                    };
                    self.customers.insert((warehouse, district, row.id), customer);
                    let data = row.history_data.as_str().to_owned();
                    self.history.push((warehouse, district, row.id, warehouse, district, 1_000, data));
                }
            }
            Batch::Orders(warehouse, district, rows) => {
                for row in rows {
                    let line = |line: &super::data::generate::OrderLine| ModelLine {
                        item: line.item,
                        supply_warehouse: warehouse,
                        quantity: 5,
                        amount: line.amount.0,
                        delivered_at: row.carrier.map(|_| plan.at_ms),
                        dist_info: line.dist_info.as_str().to_owned(),
                    };
                    let lines = row.lines.iter().map(line).collect();
                    let order =
                        ModelOrder { customer: row.customer, carrier: row.carrier, all_local: true, lines };
                    if order.carrier.is_none() {
                        self.waiting.insert((warehouse, district, row.id));
                    }
                    self.orders.insert((warehouse, district, row.id), order);
                }
            }
        }
    }

    /// 2.5.2.2: all customers of the name, by first name; the one at position n/2 rounded up, counted from 1.
    fn find(&self, warehouse: u32, district: u32, who: &Who) -> Option<u32> {
        let name = match who {
            Who::Id(id) => return Some(*id),
            Who::Name(name) => name,
        };
        let of_district = self.customers.range((warehouse, district, 0)..=(warehouse, district, u32::MAX));
        let mut named: Vec<_> = of_district
            .filter(|(_, c)| c.last == name.as_str())
            .map(|(key, c)| (c.first.clone(), key.2))
            .collect();
        named.sort();
        let position = named.len().div_ceil(2);
        named.get(position.checked_sub(1)?).map(|(_, id)| *id)
    }

    fn new_order(&mut self, input: &NewOrder) -> Option<Screen> {
        let before = self.clone();
        let screen = self.enter_order(input);
        if screen == Some(Screen::InvalidItem) {
            *self = before;
        }
        screen
    }

    fn enter_order(&mut self, input: &NewOrder) -> Option<Screen> {
        let (warehouse_tax, district) = (
            self.warehouses.get(&input.warehouse)?.1,
            self.districts.get_mut(&(input.warehouse, input.district))?,
        );
        let number = district.next_order;
        district.next_order += 1;
        let district_tax = district.tax;
        let customer = self.customers.get(&(input.warehouse, input.district, input.customer))?.clone();
        let (mut lines, mut shown, mut sum) = (Vec::new(), Vec::new(), 0);
        for line in &input.lines {
            let Some((name, price, item_is_original)) = self.items.get(&line.item).cloned() else {
                return Some(Screen::InvalidItem);
            };
            let stock = self.stock.get_mut(&(line.supply_warehouse, line.item))?;
            let quantity = i64::from(line.quantity);
            stock.quantity -= quantity;
            if stock.quantity < 10 {
                stock.quantity += 91;
            }
            stock.ytd += quantity;
            stock.orders += 1;
            stock.remote += i64::from(line.supply_warehouse != input.warehouse);
            let amount = price * quantity;
            sum += amount;
            lines.push(ModelLine {
                item: line.item,
                supply_warehouse: line.supply_warehouse,
                quantity: line.quantity,
                amount,
                delivered_at: None,
                dist_info: stock.districts[input.district as usize - 1].clone(),
            });
            let brand_generic = if item_is_original && stock.original { 'B' } else { 'G' };
            shown.push(OrderLineScreen {
                name,
                price: Cents(price),
                amount: Cents(amount),
                stock_quantity: stock.quantity,
                brand_generic,
            });
        }
        let key = (input.warehouse, input.district, number);
        let all_local =
            input.lines.iter().filter(|line| line.supply_warehouse != input.warehouse).count() == 0;
        self.orders.insert(key, ModelOrder { customer: input.customer, carrier: None, all_local, lines });
        self.waiting.insert(key);
        Some(Screen::NewOrder(OrderScreen {
            order: number,
            total: order_total(Cents(sum), customer.discount, warehouse_tax, district_tax),
            last_name: customer.last,
            credit: customer.credit.to_owned(),
            lines: shown,
        }))
    }

    fn payment(&mut self, input: &Payment) -> Option<Screen> {
        let amount = input.amount.0;
        let id = self.find(input.customer_warehouse, input.customer_district, &input.who)?;
        let key = (input.customer_warehouse, input.customer_district, id);
        let customer = self.customers.get_mut(&key)?;
        customer.balance -= amount;
        customer.ytd_payment += amount;
        customer.payments += 1;
        let bad = customer.credit == "BC";
        if bad {
            let place = format!("{id} {} {} {} {}", key.1, key.0, input.district, input.warehouse);
            let paid = format!("{}.{:02}", amount / 100, amount % 100);
            customer.data = format!("{place} {paid}|{}", customer.data).chars().take(500).collect();
        }
        let data = bad.then(|| customer.data.chars().take(200).collect());
        let balance = Cents(customer.balance);
        let warehouse = self.warehouses.get_mut(&input.warehouse)?;
        warehouse.0 += amount;
        let district = self.districts.get_mut(&(input.warehouse, input.district))?;
        district.ytd += amount;
        let names = format!("{}    {}", warehouse.2, district.name);
        self.history.push((key.0, key.1, id, input.warehouse, input.district, amount, names));
        Some(Screen::Payment(PaymentScreen { customer: id, balance, data }))
    }

    fn order_status(&self, input: &OrderStatus) -> Option<Screen> {
        let customer = self.find(input.warehouse, input.district, &input.who)?;
        let balance = Cents(self.customers.get(&(input.warehouse, input.district, customer))?.balance);
        let of_district = self
            .orders
            .range((input.warehouse, input.district, 0)..=(input.warehouse, input.district, u32::MAX));
        let (key, order) = of_district.rev().find(|(_, order)| order.customer == customer)?;
        let line = |line: &ModelLine| StatusLine {
            item: line.item,
            supply_warehouse: line.supply_warehouse,
            quantity: line.quantity,
            amount: Cents(line.amount),
            delivered: line.delivered_at.is_some(),
        };
        let lines = order.lines.iter().map(line).collect();
        Some(Screen::OrderStatus(StatusScreen {
            customer,
            balance,
            order: key.2,
            carrier: order.carrier,
            lines,
        }))
    }

    fn delivery(&mut self, input: &Delivery) -> Option<Screen> {
        let mut screen = DeliveryScreen::default();
        for district in 1..=10 {
            let of_district = (input.warehouse, district, 0)..=(input.warehouse, district, u32::MAX);
            let Some(&key) = self.waiting.range(of_district).next() else { continue };
            self.waiting.remove(&key);
            let order = self.orders.get_mut(&key)?;
            order.carrier = Some(input.carrier);
            let mut total = 0;
            for line in &mut order.lines {
                line.delivered_at = Some(input.at_ms);
                total += line.amount;
            }
            let customer = self.customers.get_mut(&(input.warehouse, district, order.customer))?;
            customer.balance += total;
            customer.deliveries += 1;
            screen.0[district as usize - 1] = Some(key.2);
        }
        Some(Screen::Delivery(screen))
    }

    fn stock_level(&self, input: &StockLevel) -> Option<Screen> {
        let next = self.districts.get(&(input.warehouse, input.district))?.next_order;
        let recent = self.orders.range(
            (input.warehouse, input.district, next.saturating_sub(20))
                ..(input.warehouse, input.district, next),
        );
        let items: BTreeSet<u32> =
            recent.flat_map(|(_, order)| order.lines.iter().map(|line| line.item)).collect();
        let low = items
            .iter()
            .filter(|&&item| self.stock[&(input.warehouse, item)].quantity < i64::from(input.threshold));
        Some(Screen::StockLevel(low.count() as u32))
    }
}

impl Terminal for Model {
    fn execute(&mut self, input: &Input) -> Result<Executed, Failure> {
        let screen = match input {
            Input::NewOrder(input) => self.new_order(input),
            Input::Payment(input) => self.payment(input),
            Input::OrderStatus(input) => self.order_status(input),
            Input::Delivery(input) => self.delivery(input),
            Input::StockLevel(input) => self.stock_level(input),
        };
        let missing = || Failure::Error { kind: "missing row", message: String::new() };
        Ok(Executed { screen: screen.ok_or_else(missing)?, waited_ns: None })
    }
}
