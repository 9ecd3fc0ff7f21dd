//! What was acknowledged must be there after a crash (3.5.4).

use std::collections::BTreeSet;

use database::sqlite::Sqlite;
use database::{Access, Instance};
use rusqlite::OptionalExtension as _;

use crate::tpcc::asker::{Asker, Place, blocking_while_it_answers};
use crate::tpcc::error::OltpError;

/// An order whose commit has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Acknowledged {
    /// O_W_ID.
    pub warehouse: u32,
    /// O_D_ID.
    pub district: u32,
    /// O_ID.
    pub order: u32,
}

/// Orders that are asked for in one statement of a server.
const ASKED_AT_ONCE: usize = 1_000;

/// Those of `acknowledged` that the database does not hold, or holds without all their lines. Empty is what
/// durability means.
///
/// # Errors
/// When the database cannot be read.
pub fn missing_orders(
    instance: &dyn Instance,
    acknowledged: &[Acknowledged],
) -> Result<Vec<Acknowledged>, OltpError> {
    match (instance.access(), Place::of(instance.access())) {
        (Access::Sqlite(sqlite), _) => missing_in_sqlite(sqlite, acknowledged),
        (_, Some(place)) => missing_on_server(place, acknowledged),
        (_, None) => Err(OltpError::NotLoaded { why: "there is no server".to_owned() }),
    }
}

fn missing_in_sqlite(
    instance: &Sqlite,
    acknowledged: &[Acknowledged],
) -> Result<Vec<Acknowledged>, OltpError> {
    let connection = instance.connect()?;
    let sql = "SELECT o_ol_cnt = (SELECT count(*) FROM order_line WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id)
        FROM orders WHERE o_w_id = ?1 AND o_d_id = ?2 AND o_id = ?3";
    let mut statement = connection.prepare(sql).map_err(OltpError::sql("preparing the durability check"))?;
    let mut missing = Vec::new();
    for &order in acknowledged {
        let whole: Option<bool> = statement
            .query_row((order.warehouse, order.district, order.order), |row| row.get(0))
            .optional()
            .map_err(OltpError::sql("looking for an acknowledged order"))?;
        if whole != Some(true) {
            missing.push(order);
        }
    }
    Ok(missing)
}

fn missing_on_server(
    place: Place<'_>,
    acknowledged: &[Acknowledged],
) -> Result<Vec<Acknowledged>, OltpError> {
    blocking_while_it_answers(place, async {
        let mut asker = Asker::enter(place).await?;
        let mut missing = Vec::new();
        for orders in acknowledged.chunks(ASKED_AT_ONCE) {
            let keys: Vec<String> = orders
                .iter()
                .map(|order| format!("({}, {}, {})", order.warehouse, order.district, order.order))
                .collect();
            let sql = format!(
                "SELECT o_w_id, o_d_id, o_id FROM orders WHERE (o_w_id, o_d_id, o_id) IN ({}) AND o_ol_cnt =
                (SELECT count(*) FROM order_line WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id)",
                keys.join(", ")
            );
            let rows = asker.rows("looking for acknowledged orders", &sql).await?;
            let number = |text: &Option<String>| text.as_ref().and_then(|text| text.parse::<u32>().ok());
            let whole: BTreeSet<Acknowledged> = rows
                .iter()
                .filter_map(|row| {
                    let [warehouse, district, order] = row.as_slice() else { return None };
                    let (warehouse, district, order) =
                        (number(warehouse)?, number(district)?, number(order)?);
                    Some(Acknowledged { warehouse, district, order })
                })
                .collect();
            missing.extend(orders.iter().filter(|order| !whole.contains(order)));
        }
        asker.leave().await;
        Ok(missing)
    })
}
