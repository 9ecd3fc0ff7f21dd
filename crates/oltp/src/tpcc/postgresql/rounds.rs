//! An order's lines as the server takes them: in columns, and in rounds that change no row of stock twice.

use std::collections::BTreeSet;

use crate::tpcc::ask::input::NewOrder;
use crate::tpcc::data::money::Cents;

/// Lines in columns, as the server takes them: sorted by stock, so that any two orders lock their common rows
/// in the same order.
#[derive(Default)]
pub(super) struct Columns {
    pub(super) numbers: Vec<i32>,
    pub(super) items: Vec<i32>,
    pub(super) supplies: Vec<i32>,
    pub(super) quantities: Vec<i32>,
    pub(super) amounts: Vec<Cents>,
}

/// The lines in rounds: in each every row of stock at most once (one statement changes a row only once), and
/// each row's lines in the order in which they were typed in.
pub(super) fn rounds(input: &NewOrder, amounts: &[(usize, Cents)]) -> Vec<Columns> {
    let mut left: Vec<(usize, Cents)> = amounts.to_vec();
    left.sort_by_key(|&(number, _)| {
        let line = &input.lines[number];
        (line.supply_warehouse, line.item, number)
    });
    let mut rounds = Vec::with_capacity(1);
    while !left.is_empty() {
        let mut columns = Columns::default();
        let mut seen = BTreeSet::new();
        left.retain(|&(number, amount)| {
            let line = &input.lines[number];
            if !seen.insert((line.supply_warehouse, line.item)) {
                return true;
            }
            columns.numbers.push(number as i32 + 1);
            columns.items.push(line.item as i32);
            columns.supplies.push(line.supply_warehouse as i32);
            columns.quantities.push(line.quantity as i32);
            columns.amounts.push(amount);
            false
        });
        rounds.push(columns);
    }
    rounds
}
