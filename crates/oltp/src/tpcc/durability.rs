//! What was acknowledged must be there after a crash (3.5.4).

use database::sqlite::Sqlite;
use rusqlite::OptionalExtension as _;

use super::error::OltpError;

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

/// Those of `acknowledged` that the database does not hold, or holds without all their lines. Empty is what durability means.
///
/// # Errors
/// When the database cannot be read.
pub fn missing_orders(
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
