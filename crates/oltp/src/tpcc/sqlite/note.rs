//! The note of a load in an SQLite database.

use database::Instance as _;
use database::sqlite::{Connection, Sqlite};
use rusqlite::OptionalExtension as _;

use crate::error::OltpError;
use crate::tpcc::data::population::Population;
use crate::tpcc::load::loaded::{Loaded, Noted};

impl Noted for &Sqlite {
    fn loaded(self) -> Result<Loaded, OltpError> {
        read_note(&self.connect()?).map_err(|error| error.with_cause(self.first_storage_error()))
    }
}

/// Notes in SQLite that this has been stored completely.
pub(super) fn write_note(loaded: &Loaded, connection: &Connection) -> Result<(), OltpError> {
    connection.execute(&loaded.insert(), []).map(drop).map_err(OltpError::sql("noting what was loaded"))
}

/// Reads the parameters of an SQLite database's load.
///
/// # Errors
/// [`OltpError::NotLoaded`] when the load is not complete or never took place.
pub(crate) fn read_note(connection: &Connection) -> Result<Loaded, OltpError> {
    let not_loaded = |why: &str| OltpError::NotLoaded { why: why.to_owned() };
    let table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'drivetrain_load'";
    let exists: Option<u32> = connection
        .query_row(table, [], |row| row.get(0))
        .optional()
        .map_err(OltpError::sql("looking for the tables"))?;
    if exists.is_none() {
        return Err(not_loaded("there are no tables"));
    }
    let sql = "SELECT warehouses, items, customers, names, seed, c_last FROM drivetrain_load";
    let row = connection
        .query_row(sql, [], |row| {
            let population = Population { items: row.get(1)?, customers: row.get(2)?, names: row.get(3)? };
            Ok((row.get(0)?, population, row.get::<_, String>(4)?, row.get(5)?))
        })
        .optional()
        .map_err(OltpError::sql("reading what was loaded"))?;
    let (warehouses, population, seed, c_last) =
        row.ok_or_else(|| not_loaded("the load was never finished"))?;
    let seed = seed.parse().map_err(|_| not_loaded("its note of the load is damaged"))?;
    Ok(Loaded { warehouses, population, seed, c_last })
}
