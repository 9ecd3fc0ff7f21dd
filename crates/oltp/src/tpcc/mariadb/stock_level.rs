//! Stock-Level (2.8): how many of the recently sold items run short. Reads only.

use super::sql;
use super::statements::Statements;
use crate::driver::Failure;
use crate::tpcc::ask::input::StockLevel;

pub(super) async fn run(statements: &mut Statements, input: &StockLevel) -> Result<u32, Failure> {
    let parameters = (input.warehouse, input.district, input.threshold);
    statements.row::<(u32,)>("a count", sql::STOCK_LEVEL, parameters).await.map(|(count,)| count)
}
