//! What a database was loaded with, kept inside it: the mark of a complete load, and what a run must know of
//! it.

use database::sqlite::Connection;
use database::{Access, Instance};
use rusqlite::OptionalExtension as _;

use crate::tpcc::asker::{Asker, Place, blocking_while_it_answers};
use crate::tpcc::data::generate::Plan;
use crate::tpcc::data::population::Population;
use crate::tpcc::error::OltpError;

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
    /// What `plan` stores.
    pub(crate) fn of(plan: &Plan) -> Self {
        let Plan { warehouses, population, seed, c_last, .. } = *plan;
        Self { warehouses, population, seed, c_last }
    }

    /// The statement that notes this as stored completely.
    pub(crate) fn insert(&self) -> String {
        let Self { warehouses, population: Population { items, customers, names }, seed, c_last } = self;
        // The seed as text: not every engine has unsigned 64-bit integers.
        format!(
            "INSERT INTO drivetrain_load (warehouses, items, customers, names, seed, c_last)
            VALUES ({warehouses}, {items}, {customers}, {names}, '{seed}', {c_last})"
        )
    }

    /// Notes in SQLite that this has been stored completely.
    pub(crate) fn write(&self, connection: &Connection) -> Result<(), OltpError> {
        connection.execute(&self.insert(), []).map(drop).map_err(OltpError::sql("noting what was loaded"))
    }

    /// Reads what a running instance was loaded with.
    ///
    /// # Errors
    /// [`OltpError::NotLoaded`] when the load is not complete or never took place; when the database cannot
    /// be read.
    pub fn of_instance(instance: &dyn Instance) -> Result<Self, OltpError> {
        match (instance.access(), Place::of(instance.access())) {
            (Access::Sqlite(sqlite), _) => Self::read(&sqlite.connect()?)
                .map_err(|error| error.with_cause(instance.first_storage_error())),
            (_, Some(place)) => blocking_while_it_answers(place, async {
                let mut asker = Asker::enter(place).await?;
                let loaded = Self::ask(&mut asker).await;
                asker.leave().await;
                loaded
            }),
            (_, None) => Err(OltpError::NotLoaded { why: "there is no server".to_owned() }),
        }
    }

    /// Reads what a server was loaded with.
    pub(crate) async fn ask(asker: &mut Asker) -> Result<Self, OltpError> {
        let not_loaded = |why: &str| OltpError::NotLoaded { why: why.to_owned() };
        let doing = "looking for the tables";
        let table = "SELECT 1 FROM information_schema.tables WHERE table_name = 'drivetrain_load' AND table_schema = {schema}";
        if asker.rows(doing, &table.replace("{schema}", asker.schema())).await?.is_empty() {
            return Err(not_loaded("there is no note of a load"));
        }
        let sql = "SELECT warehouses, items, customers, names, seed, c_last FROM drivetrain_load";
        let rows = asker.rows("reading what was loaded", sql).await?;
        let row = rows.first().ok_or_else(|| not_loaded("the load was never finished"))?;
        let numbers: Vec<u64> = row.iter().flatten().filter_map(|text| text.parse().ok()).collect();
        let damaged = || not_loaded("its note of the load is damaged");
        let [warehouses, items, customers, names, seed, c_last] = numbers[..] else { return Err(damaged()) };
        let small = |number: u64| u32::try_from(number).map_err(|_| damaged());
        let population =
            Population { items: small(items)?, customers: small(customers)?, names: small(names)? };
        Ok(Self { warehouses: small(warehouses)?, population, seed, c_last: small(c_last)? })
    }

    /// Reads what an SQLite database was loaded with.
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
