//! Tables that somebody else loaded under the standard's names: accepted when nothing is missing and the
//! consistency conditions hold.

use std::collections::BTreeMap;

use database::Instance;

use super::Prove;
use super::check::{Stage, check_loaded};
use crate::admin::{Admin, Server, TextRow, blocking_while_it_answers};
use crate::error::OltpError;
use crate::tpcc::data::population::{DISTRICTS, Population};
use crate::tpcc::data::tables::{NAMES, TABLES};
use crate::tpcc::load::loaded::Loaded;
use crate::tpcc::server::OrderEntryServer;

/// The constant C of last names that is taken for a foreign load, which does not tell its own: HammerDB's. A
/// run keeps the distance of 2.1.6.1 to it.
const C_LAST: u32 = 123;

/// Accepts the order-entry tables of a server that another tool loaded: looks for every column in a type that
/// the transactions can work with, counts the rows, checks the consistency conditions, then adds our routines
/// and a note, so that [`run`](crate::tpcc::run) and [`check`](crate::tpcc::check()) know the database from
/// now on. `None` when none of the nine tables is there.
///
/// # Errors
/// [`OltpError::NotLoaded`] with what is missing, of another type, or violated; when the server does not let
/// us create a table.
pub fn adopt(instance: &dyn Instance) -> Result<Option<Loaded>, OltpError> {
    database::on_engine!(instance.access(), engine => engine.adopt())
}

/// The same on a server.
pub(super) fn adopt_on(server: impl OrderEntryServer) -> Result<Option<Loaded>, OltpError> {
    let found = blocking_while_it_answers(server, async {
        let mut admin = Admin::enter(server).await?;
        let found = look(&mut admin).await;
        admin.leave().await;
        found
    })?;
    let Some(loaded) = found else { return Ok(None) };
    let violated: Vec<String> = check_loaded(server, Stage::AfterRun, &loaded)?
        .into_iter()
        .filter(|condition| condition.violations > 0)
        .map(|condition| {
            format!("condition {} ({}): {}", condition.number, condition.clause, condition.detail)
        })
        .collect();
    if !violated.is_empty() {
        return Err(refused(format!("its tables are not consistent: {}", violated.join("; "))));
    }
    blocking_while_it_answers(server, server.note(&loaded))?;
    Ok(Some(loaded))
}

fn refused(why: String) -> OltpError {
    OltpError::NotLoaded { why }
}

/// The contents of the tables, if they are there and complete.
async fn look<S: Server>(admin: &mut Admin<S>) -> Result<Option<Loaded>, OltpError> {
    let names: Vec<String> = NAMES.iter().map(|name| format!("'{name}'")).collect();
    let sql = format!(
        "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = {} AND table_name IN ({})",
        S::SCHEMA,
        names.join(", ")
    );
    let columns = admin.rows("looking for the tables", &sql).await?;
    if columns.is_empty() {
        return Ok(None);
    }
    let faults = column_faults::<S>(&types(columns));
    if !faults.is_empty() {
        return Err(refused(faults.join("; ")));
    }
    count(admin).await.map(Some)
}

/// The type of each column by table and column.
fn types(rows: Vec<TextRow>) -> BTreeMap<(String, String), String> {
    let words = |row: TextRow| -> Option<((String, String), String)> {
        let [table, column, kind] = <[Option<String>; 3]>::try_from(row).ok()?;
        Some(((table?, column?), kind?.to_ascii_lowercase()))
    };
    rows.into_iter().filter_map(words).collect()
}

/// Every column that is missing or of a type that our statements cannot send or read.
fn column_faults<S: Server>(found: &BTreeMap<(String, String), String>) -> Vec<String> {
    let mut faults = Vec::new();
    for table in &TABLES {
        let (columns, table) = (table.columns(), table.name);
        if !found.keys().any(|(name, _)| name == table) {
            faults.push(format!("there is no table `{table}`"));
            continue;
        }
        for (column, wanted) in columns {
            match found.get(&(table.to_owned(), column.to_owned())) {
                None => faults.push(format!("table `{table}` has no column `{column}`")),
                Some(kind) if !suits::<S>(wanted, kind) => {
                    faults.push(format!("column `{table}.{column}` is {kind}, and {wanted} is needed"));
                }
                Some(_) => {}
            }
        }
    }
    faults
}

/// True if a column of type `kind`, as the server names it, is suitable for `wanted`.
fn suits<S: Server>(wanted: &str, kind: &str) -> bool {
    match wanted.split('(').next().unwrap_or(wanted) {
        "int" => S::INTEGERS.contains(&kind),
        "numeric" => matches!(kind, "numeric" | "decimal"),
        "timestamp" => S::MOMENTS.contains(&kind),
        _ => kind.contains("char") || kind.contains("text"),
    }
}

/// The number of rows of each kind; the districts and customers must fit them.
async fn count<S: Server>(admin: &mut Admin<S>) -> Result<Loaded, OltpError> {
    let sql = "SELECT (SELECT count(*) FROM warehouse), (SELECT max(w_id) FROM warehouse), (SELECT count(*) FROM district),
        (SELECT count(*) FROM customer), (SELECT count(*) FROM item), (SELECT count(*) FROM stock)";
    let rows = admin.rows("counting what is loaded", sql).await?;
    let numbers: Vec<u64> = rows
        .iter()
        .flatten()
        .map(|cell| cell.as_ref().and_then(|text| text.parse().ok()).unwrap_or(0))
        .collect();
    let [warehouses, last, districts, customers, items, stock] = numbers[..] else {
        return Err(refused("its rows cannot be counted".to_owned()));
    };
    let per_district = customers / districts.max(1);
    let whole = warehouses > 0
        && last == warehouses
        && districts == warehouses * u64::from(DISTRICTS)
        && customers == districts * per_district
        && stock == warehouses * items;
    let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let (items, customers) = (small(items), small(per_district));
    let population = Population { items, customers, names: customers.min(Population::STANDARD.names) };
    if !whole || population.fault().is_some() {
        return Err(refused(format!(
            "its rows do not fit together: {warehouses} warehouses up to number {last}, {districts} districts, {customers} customers in each, {items} items, {stock} rows of stock"
        )));
    }
    Ok(Loaded { warehouses: small(warehouses), population, seed: 0, c_last: C_LAST })
}

#[cfg(test)]
mod tests {
    use database::mariadb::MariaDb;
    use database::postgresql::PostgreSql;

    use super::*;

    fn ours() -> BTreeMap<(String, String), String> {
        let mut found = BTreeMap::new();
        for table in &TABLES {
            for (column, kind) in table.columns() {
                let kind = match kind.split('(').next().unwrap() {
                    "int" => "integer",
                    "timestamp" => "timestamp without time zone",
                    "numeric" => "numeric",
                    _ => "character varying",
                };
                found.insert((table.name.to_owned(), column.to_owned()), kind.to_owned());
            }
        }
        found
    }

    #[test]
    fn our_own_tables_have_no_fault() {
        assert_eq!(column_faults::<PostgreSql<'_>>(&ours()), Vec::<String>::new());
        assert_eq!(ours().len(), 92, "the standard's columns (1.3)");
    }

    #[test]
    fn what_is_missing_or_of_another_type_is_named() {
        let key = |table: &str, column: &str| (table.to_owned(), column.to_owned());
        let mut found = ours();
        found.remove(&key("customer", "c_since"));
        found.insert(key("district", "d_id"), "smallint".to_owned());
        found.insert(key("warehouse", "w_ytd"), "double precision".to_owned());
        found.retain(|(table, _), _| table != "history");
        assert_eq!(
            column_faults::<PostgreSql<'_>>(&found),
            [
                "column `warehouse.w_ytd` is double precision, and numeric(12,2) is needed",
                "column `district.d_id` is smallint, and int is needed",
                "table `customer` has no column `c_since`",
                "there is no table `history`",
            ]
        );
        found.insert(key("warehouse", "w_ytd"), "decimal".to_owned());
        for kind in found.values_mut() {
            *kind = kind.replace("integer", "int").replace("timestamp without time zone", "datetime");
        }
        assert_eq!(column_faults::<MariaDb<'_>>(&found).len(), 2, "MariaDB converts integers");
    }
}
