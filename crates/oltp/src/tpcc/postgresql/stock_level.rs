//! Stock-Level (2.8): how many of the recently sold items run short. Reads only, in one round trip.

use tokio_postgres::{Client, Statement};

use super::failure::failure;
use super::sql;
use super::{prepare, procedures};
use crate::driver::Failure;
use crate::tpcc::ask::input::StockLevel;
use crate::tpcc::ask::mode::Mode;

pub(super) struct StockLevelStatements {
    low: Statement,
}

impl StockLevelStatements {
    pub(super) async fn prepare(client: &Client, mode: Mode) -> Result<Self, Failure> {
        let sql = match mode {
            Mode::Statements => sql::STOCK_LEVEL,
            Mode::Procedures => procedures::STOCK_LEVEL,
        };
        Ok(Self { low: prepare(client, sql).await? })
    }

    pub(super) async fn run(&self, client: &Client, input: &StockLevel) -> Result<u32, Failure> {
        let (warehouse, district, threshold) =
            (input.warehouse as i32, input.district as i32, input.threshold as i32);
        let row = client.query_one(&self.low, &[&warehouse, &district, &threshold]).await.map_err(failure)?;
        row.try_get::<_, i32>(0).map(|count| count as u32).map_err(failure)
    }
}
