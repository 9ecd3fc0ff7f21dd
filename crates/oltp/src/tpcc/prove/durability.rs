//! The check that all acknowledged orders are there after a crash (3.5.4).

use std::collections::{BTreeMap, BTreeSet};

use database::Instance;

use super::Prove;
use crate::admin::{Admin, Server, blocking_while_it_answers};
use crate::error::OltpError;
use crate::tpcc::ask::terminal::Acknowledged;

/// Orders that are asked for in one statement of a server.
const ASKED_AT_ONCE: usize = 1_000;

/// Those of `acknowledged` that the database does not hold, or holds without all their lines. Durability
/// means that there are none.
///
/// # Errors
/// When the database cannot be read.
pub fn missing_orders(
    instance: &dyn Instance,
    acknowledged: &[Acknowledged],
) -> Result<Vec<Acknowledged>, OltpError> {
    database::on_engine!(instance.access(), engine => engine.missing(acknowledged))
}

/// The same of a server.
pub(super) fn missing_on_server(
    server: impl Server,
    acknowledged: &[Acknowledged],
) -> Result<Vec<Acknowledged>, OltpError> {
    blocking_while_it_answers(server, async {
        let mut admin = Admin::enter(server).await?;
        let mut missing = Vec::new();
        for orders in acknowledged.chunks(ASKED_AT_ONCE) {
            let mut districts: BTreeMap<(u32, u32), Vec<String>> = BTreeMap::new();
            for Acknowledged { warehouse, district, order } in orders {
                districts.entry((*warehouse, *district)).or_default().push(order.to_string());
            }
            let keys = districts.iter().map(|((warehouse, district), orders)| {
                let orders = orders.join(", ");
                format!("(o_w_id = {warehouse} AND o_d_id = {district} AND o_id IN ({orders}))")
            });
            let sql = format!(
                "SELECT o_w_id, o_d_id, o_id FROM orders WHERE ({}) AND o_ol_cnt =
                (SELECT count(*) FROM order_line WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id)",
                keys.collect::<Vec<_>>().join(" OR ")
            );
            let rows = admin.rows("looking for acknowledged orders", &sql).await?;
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
        admin.leave().await;
        Ok(missing)
    })
}
