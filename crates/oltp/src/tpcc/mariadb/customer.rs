//! Finding a customer by name, for Payment and Order-Status.

use super::failure::{missing, odd};
use super::sql;
use super::statements::Statements;
use crate::driver::Failure;
use crate::tpcc::ask::input::Who;

/// The customer's number: as given, or the one in the middle of those who bear the name, position n/2 rounded
/// up (2.5.2.2), which is index (n - 1) / 2 counted from 0.
pub(super) async fn find(
    statements: &mut Statements,
    warehouse: u32,
    district: u32,
    who: &Who,
) -> Result<u32, Failure> {
    let name = match who {
        Who::Id(id) => return Ok(*id),
        Who::Name(name) => name,
    };
    let rows = statements.rows(sql::BY_NAME, (warehouse, district, name.as_str())).await?;
    let middle = rows.len().checked_sub(1).ok_or_else(|| missing("a customer of that name"))? / 2;
    rows[middle].get_opt::<u32, _>(0).ok_or_else(|| missing("a customer's number"))?.map_err(odd)
}
