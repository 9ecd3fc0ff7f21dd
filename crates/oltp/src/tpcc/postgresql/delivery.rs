//! Delivery (2.7): the oldest order of each district goes out. All ten districts in one database transaction
//! (2.7.2 allows 1 to 10) and one round trip.

use tokio::join;
use tokio_postgres::{Client, Row, Statement};

use super::codec::Moment;
use super::failure::{failure, missing};
use super::sql::{BEGIN, COMMIT, ROLLBACK, delivery as sql};
use super::{prepare, procedures};
use crate::driver::Failure;
use crate::tpcc::ask::commit::CommitClock;
use crate::tpcc::ask::input::Delivery;
use crate::tpcc::ask::mode::Mode;
use crate::tpcc::ask::terminal::DeliveryScreen;

pub(super) enum DeliveryStatements {
    Statements { turn: Statement, deliver: Statement },
    Procedure(Statement),
}

impl DeliveryStatements {
    pub(super) async fn prepare(client: &Client, mode: Mode) -> Result<Self, Failure> {
        Ok(match mode {
            Mode::Procedures => Self::Procedure(prepare(client, procedures::DELIVERY).await?),
            Mode::Statements => Self::Statements {
                turn: prepare(client, sql::TURN).await?,
                deliver: prepare(client, sql::DELIVER).await?,
            },
        })
    }

    pub(super) async fn run(
        &self,
        client: &Client,
        commits: &CommitClock,
        input: &Delivery,
    ) -> Result<DeliveryScreen, Failure> {
        let (warehouse, carrier, at) = (input.warehouse as i32, input.carrier as i32, Moment(input.at_ms));
        let rows = match self {
            Self::Procedure(statement) => client.query(statement, &[&warehouse, &carrier, &at]).await,
            Self::Statements { turn, deliver } => {
                let place: [&(dyn tokio_postgres::types::ToSql + Sync); 1] = [&warehouse];
                let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 3] = [&warehouse, &carrier, &at];
                let (begun, turn, (rows, ended)) = join!(
                    client.batch_execute(BEGIN),
                    client.execute(turn, &place),
                    // After an error the commit rolls back.
                    commits.behind(client.query(deliver, &parameters), client.batch_execute(COMMIT)),
                );
                let all = begun.and(turn).and(rows).and_then(|rows| ended.map(|()| rows));
                if all.as_ref().is_err_and(|error| !error.is_closed()) {
                    client.batch_execute(ROLLBACK).await.map_err(failure)?;
                }
                all
            }
        };
        let mut delivered = DeliveryScreen::default();
        for row in rows.map_err(failure)? {
            let (district, order) = read(&row).map_err(failure)?;
            let slot =
                delivered.0.get_mut(district as usize - 1).ok_or_else(|| missing("a district of 1 to 10"))?;
            *slot = Some(order as u32);
        }
        Ok(delivered)
    }
}

fn read(row: &Row) -> Result<(i32, i32), tokio_postgres::Error> {
    Ok((row.try_get(0)?, row.try_get(1)?))
}
