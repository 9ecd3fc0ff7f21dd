//! What a database was loaded with, kept inside it: the mark of a complete load, and what a run must know of it.

use database::sqlite::Connection;
use rusqlite::OptionalExtension as _;

use super::error::OltpError;
use super::generate::Plan;
use super::population::Population;

/// What a database holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Warehouses.
    pub warehouses: u32,
    /// Rows of each.
    pub population: Population,
    /// Seed of the load.
    pub seed: u64,
    /// The constant C of last names in the load; a run chooses another by 2.1.6.1.
    pub c_last: u32,
}

impl Loaded {
    /// Notes that `plan` has been stored completely.
    pub(crate) fn write(connection: &Connection, plan: &Plan) -> Result<(), OltpError> {
        let Population { items, customers, names } = plan.population;
        let sql = "INSERT INTO drivetrain_load (warehouses, items, customers, names, seed, c_last) VALUES (?, ?, ?, ?, ?, ?)";
        // The seed as text: SQLite has no unsigned 64-bit integers.
        connection
            .execute(sql, (plan.warehouses, items, customers, names, plan.seed.to_string(), plan.c_last))
            .map_err(OltpError::sql("noting what was loaded"))?;
        Ok(())
    }

    /// Reads what was loaded.
    ///
    /// # Errors
    /// [`OltpError::NotLoaded`] when the load is not complete or never took place.
    pub fn read(connection: &Connection) -> Result<Self, OltpError> {
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
                let population =
                    Population { items: row.get(1)?, customers: row.get(2)?, names: row.get(3)? };
                Ok((row.get(0)?, population, row.get::<_, String>(4)?, row.get(5)?))
            })
            .optional()
            .map_err(OltpError::sql("reading what was loaded"))?;
        let (warehouses, population, seed, c_last) =
            row.ok_or_else(|| not_loaded("the load was never finished"))?;
        let seed = seed.parse().map_err(|_| not_loaded("its note of the load is damaged"))?;
        Ok(Self { warehouses, population, seed, c_last })
    }
}
