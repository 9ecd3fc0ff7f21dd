//! Stock-Level (2.8): how many of the recently sold items run short. Reads only.

use super::session::MariadbSession;
use super::sql;
use crate::driver::Failure;
use crate::tpcc::input::StockLevel;

pub(super) async fn run(session: &mut MariadbSession, input: &StockLevel) -> Result<u32, Failure> {
    let parameters = (input.warehouse, input.district, input.threshold);
    session.row::<(u32,)>("a count", sql::STOCK_LEVEL, parameters).await.map(|(count,)| count)
}
