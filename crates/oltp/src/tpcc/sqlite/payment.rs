//! Payment (2.5): a customer pays; warehouse and district keep the sum.

use std::fmt::Write as _;

use database::sqlite::Connection;
use rusqlite::Statement;

use super::customer::FindCustomer;
use super::prepare;
use super::sql::payment as sql;
use crate::tpcc::ask::input::Payment;
use crate::tpcc::ask::terminal::PaymentScreen;
use crate::tpcc::data::money::Cents;
use crate::tpcc::data::text::Text;

pub(super) struct PaymentStatements<'c> {
    find: FindCustomer<'c>,
    warehouse: Statement<'c>,
    district: Statement<'c>,
    customer: Statement<'c>,
    history: Statement<'c>,
}

impl<'c> PaymentStatements<'c> {
    pub(super) fn prepare(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            find: FindCustomer::prepare(connection)?,
            warehouse: prepare(connection, sql::WAREHOUSE)?,
            district: prepare(connection, sql::DISTRICT)?,
            customer: prepare(connection, sql::CUSTOMER)?,
            history: prepare(connection, sql::HISTORY)?,
        })
    }

    pub(super) fn run(&mut self, input: &Payment) -> rusqlite::Result<PaymentScreen> {
        let amount = input.amount.0;
        // H_DATA is W_NAME and D_NAME with four spaces between them (2.5.2.2): two names of 10 characters at
        // most.
        let mut data = Text::<24>::EMPTY;
        let mut rows = self.warehouse.query((amount, input.warehouse))?;
        data.push_str(rows.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?.get_ref(0)?.as_str()?);
        data.push_str("    ");
        let mut rows = self.district.query((amount, input.warehouse, input.district))?;
        data.push_str(rows.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?.get_ref(0)?.as_str()?);

        let customer = self.find.find(input.customer_warehouse, input.customer_district, &input.who)?;
        let note = bad_credit_note(input, customer);
        let place = (amount, input.customer_warehouse, input.customer_district, customer, note.as_str());
        let (balance, kept) = self.customer.query_row(place, |row| {
            let bad = row.get_ref(1)?.as_str()? == "BC";
            let kept = if bad { Some(row.get(2)?) } else { None };
            Ok((Cents(row.get(0)?), kept))
        })?;
        self.history.execute((
            customer,
            input.customer_district,
            input.customer_warehouse,
            input.district,
            input.warehouse,
            input.at_ms,
            amount,
            data.as_str(),
        ))?;
        Ok(PaymentScreen { customer, balance, data: kept })
    }
}

/// The text before the C_DATA of a customer of bad credit: C_ID, C_D_ID, C_W_ID, D_ID, W_ID and H_AMOUNT.
fn bad_credit_note(input: &Payment, customer: u32) -> Text<80> {
    let mut note = Text::EMPTY;
    let Payment { warehouse, district, customer_warehouse, customer_district, amount, .. } = input;
    let _ =
        write!(note, "{customer} {customer_district} {customer_warehouse} {district} {warehouse} {amount}|");
    note
}
