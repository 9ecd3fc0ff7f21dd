//! Finding a customer by name, for Payment and Order-Status.

use database::sqlite::Connection;
use rusqlite::Statement;

use super::{prepare, sql};
use crate::tpcc::ask::input::Who;

pub(super) struct FindCustomer<'c> {
    by_name: Statement<'c>,
}

impl<'c> FindCustomer<'c> {
    pub(super) fn prepare(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self { by_name: prepare(connection, sql::customer::BY_NAME)? })
    }

    /// The customer's number: as given, or the one in the middle of those who bear the name, position n/2
    /// rounded up (2.5.2.2), which is index (n - 1) / 2 counted from 0.
    pub(super) fn find(&mut self, warehouse: u32, district: u32, who: &Who) -> rusqlite::Result<u32> {
        let name = match who {
            Who::Id(id) => return Ok(*id),
            Who::Name(name) => name,
        };
        let mut rows = self.by_name.query((warehouse, district, name.as_str()))?;
        let mut ids: Vec<u32> = Vec::with_capacity(8);
        while let Some(row) = rows.next()? {
            ids.push(row.get(0)?);
        }
        let middle = ids.len().checked_sub(1).ok_or(rusqlite::Error::QueryReturnedNoRows)? / 2;
        Ok(ids[middle])
    }
}
