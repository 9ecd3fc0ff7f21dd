//! The initial population as bytes for a server's bulk load: the order of columns here, their format with the
//! engine.

use crate::tpcc::data::generate::{Address, Batch, Customer, District, Item, Order, Stock, Warehouse};
use crate::tpcc::data::money::{Cents, Rate};

const ITEM: usize = 0;
const WAREHOUSE: usize = 1;
const DISTRICT: usize = 2;
const STOCK: usize = 3;
const CUSTOMER: usize = 4;
const HISTORY: usize = 5;
const ORDERS: usize = 6;
const NEW_ORDER: usize = 7;
const ORDER_LINE: usize = 8;

/// 4.3.3.1: limit, balance, year to date.
const CREDIT_LIMIT: Cents = Cents(5_000_000);
const BALANCE: Cents = Cents(-1_000);
const FIRST_PAYMENT: Cents = Cents(1_000);

/// The format of rows in an engine's bulk load.
pub(crate) trait Format {
    /// Begins a row of this many columns.
    fn begin(&mut self, columns: u16);
    fn int(&mut self, value: u32);
    /// ASCII letters, digits and spaces.
    fn text(&mut self, value: &str);
    fn cents(&mut self, value: Cents);
    fn rate(&mut self, value: Rate);
    /// ms since 1970.
    fn moment(&mut self, at_ms: i64);
    fn null(&mut self);
    fn end(&mut self);
    fn into_bytes(self) -> Vec<u8>;
}

/// Rows of one table.
#[derive(Debug)]
pub(crate) struct Piece {
    /// Index into [`TABLES`](crate::tpcc::data::tables::TABLES).
    pub(crate) table: usize,
    pub(crate) rows: u64,
    pub(crate) bytes: Vec<u8>,
}

/// Rows of one table in the making.
struct Rows<F> {
    table: usize,
    rows: u64,
    format: F,
}

impl<F: Format + Default> Rows<F> {
    fn of(table: usize) -> Self {
        Self { table, rows: 0, format: F::default() }
    }

    fn row(&mut self, columns: u16, write: impl FnOnce(&mut F)) {
        self.format.begin(columns);
        write(&mut self.format);
        self.format.end();
        self.rows += 1;
    }

    fn piece(self) -> Piece {
        Piece { table: self.table, rows: self.rows, bytes: self.format.into_bytes() }
    }
}

/// Encodes one batch: one piece for each table that it fills.
pub(crate) fn encode<F: Format + Default>(batch: &Batch, at_ms: i64) -> Vec<Piece> {
    match batch {
        Batch::Items(rows) => vec![items::<F>(rows)],
        Batch::Warehouse(row, rows) => vec![warehouse::<F>(row), districts::<F>(rows)],
        Batch::Stock(warehouse, rows) => vec![stock::<F>(*warehouse, rows)],
        Batch::Customers(warehouse, district, rows) => customers::<F>(*warehouse, *district, rows, at_ms),
        Batch::Orders(warehouse, district, rows) => orders::<F>(*warehouse, *district, rows, at_ms),
    }
}

fn items<F: Format + Default>(rows: &[Item]) -> Piece {
    let mut out = Rows::<F>::of(ITEM);
    for row in rows {
        out.row(5, |f| {
            f.int(row.id);
            f.int(row.image);
            f.text(row.name.as_str());
            f.cents(row.price);
            f.text(row.data.as_str());
        });
    }
    out.piece()
}

fn address<F: Format>(f: &mut F, address: &Address) {
    f.text(address.street_1.as_str());
    f.text(address.street_2.as_str());
    f.text(address.city.as_str());
    f.text(address.state.as_str());
    f.text(address.zip.as_str());
}

fn warehouse<F: Format + Default>(row: &Warehouse) -> Piece {
    let mut out = Rows::<F>::of(WAREHOUSE);
    out.row(9, |f| {
        f.int(row.id);
        f.text(row.name.as_str());
        address(f, &row.address);
        f.rate(row.tax);
        f.cents(row.ytd);
    });
    out.piece()
}

fn districts<F: Format + Default>(rows: &[District]) -> Piece {
    let mut out = Rows::<F>::of(DISTRICT);
    for row in rows {
        out.row(11, |f| {
            f.int(row.id);
            f.int(row.warehouse);
            f.text(row.name.as_str());
            address(f, &row.address);
            f.rate(row.tax);
            f.cents(row.ytd);
            f.int(row.next_order);
        });
    }
    out.piece()
}

fn stock<F: Format + Default>(warehouse: u32, rows: &[Stock]) -> Piece {
    let mut out = Rows::<F>::of(STOCK);
    for row in rows {
        out.row(17, |f| {
            f.int(row.item);
            f.int(warehouse);
            f.int(row.quantity);
            row.districts.iter().for_each(|text| f.text(text.as_str()));
            // Year to date, orders, remote orders.
            (0..3).for_each(|_| f.int(0));
            f.text(row.data.as_str());
        });
    }
    out.piece()
}

fn customers<F: Format + Default>(
    warehouse: u32,
    district: u32,
    rows: &[Customer],
    at_ms: i64,
) -> Vec<Piece> {
    let (mut out, mut history) = (Rows::<F>::of(CUSTOMER), Rows::<F>::of(HISTORY));
    for row in rows {
        out.row(21, |f| {
            f.int(row.id);
            f.int(district);
            f.int(warehouse);
            f.text(row.first.as_str());
            f.text("OE");
            f.text(row.last.as_str());
            address(f, &row.address);
            f.text(row.phone.as_str());
            f.moment(at_ms);
            f.text(if row.bad_credit { "BC" } else { "GC" });
            f.cents(CREDIT_LIMIT);
            f.rate(row.discount);
            f.cents(BALANCE);
            f.cents(FIRST_PAYMENT);
            // One payment so far, no delivery.
            f.int(1);
            f.int(0);
            f.text(row.data.as_str());
        });
        history.row(8, |f| {
            [row.id, district, warehouse, district, warehouse].into_iter().for_each(|value| f.int(value));
            f.moment(at_ms);
            f.cents(FIRST_PAYMENT);
            f.text(row.history_data.as_str());
        });
    }
    vec![out.piece(), history.piece()]
}

fn orders<F: Format + Default>(warehouse: u32, district: u32, rows: &[Order], at_ms: i64) -> Vec<Piece> {
    let (mut out, mut waiting, mut lines) =
        (Rows::<F>::of(ORDERS), Rows::<F>::of(NEW_ORDER), Rows::<F>::of(ORDER_LINE));
    for row in rows {
        out.row(8, |f| {
            [row.id, district, warehouse, row.customer].into_iter().for_each(|value| f.int(value));
            f.moment(at_ms);
            match row.carrier {
                Some(carrier) => f.int(carrier),
                None => f.null(),
            }
            f.int(row.lines.len() as u32);
            f.int(1);
        });
        if row.carrier.is_none() {
            waiting.row(3, |f| [row.id, district, warehouse].into_iter().for_each(|value| f.int(value)));
        }
        for (number, line) in (1..).zip(&row.lines) {
            lines.row(10, |f| {
                [row.id, district, warehouse, number, line.item, warehouse]
                    .into_iter()
                    .for_each(|value| f.int(value));
                // 4.3.3.1: a delivered line bears the date of its order; quantity 5.
                match row.carrier {
                    Some(_) => f.moment(at_ms),
                    None => f.null(),
                }
                f.int(5);
                f.cents(line.amount);
                f.text(line.dist_info.as_str());
            });
        }
    }
    vec![out.piece(), waiting.piece(), lines.piece()]
}
