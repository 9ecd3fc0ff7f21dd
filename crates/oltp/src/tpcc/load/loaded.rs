//! The parameters of a load, kept inside the database: the mark of a complete load, and the facts that a run
//! needs.

use database::Instance;

use crate::admin::{Admin, Server, blocking_while_it_answers};
use crate::error::OltpError;
use crate::tpcc::data::generate::Plan;
use crate::tpcc::data::population::Population;

/// The contents of a database.
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
    /// The contents that `plan` stores.
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

    /// Reads the parameters of a running instance's load.
    ///
    /// # Errors
    /// [`OltpError::NotLoaded`] when the load is not complete or never took place; when the database cannot
    /// be read.
    pub fn of_instance(instance: &dyn Instance) -> Result<Self, OltpError> {
        database::on_engine!(instance.access(), engine => engine.loaded())
    }

    /// Reads the parameters of a server's load.
    pub(crate) async fn ask<S: Server>(admin: &mut Admin<S>) -> Result<Self, OltpError> {
        let not_loaded = |why: &str| OltpError::NotLoaded { why: why.to_owned() };
        let doing = "looking for the tables";
        let table = "SELECT 1 FROM information_schema.tables WHERE table_name = 'drivetrain_load' AND table_schema = {schema}";
        if admin.rows(doing, &table.replace("{schema}", S::SCHEMA)).await?.is_empty() {
            return Err(not_loaded("there is no note of a load"));
        }
        let sql = "SELECT warehouses, items, customers, names, seed, c_last FROM drivetrain_load";
        let rows = admin.rows("reading what was loaded", sql).await?;
        let row = rows.first().ok_or_else(|| not_loaded("the load was never finished"))?;
        let numbers: Vec<u64> = row.iter().flatten().filter_map(|text| text.parse().ok()).collect();
        let damaged = || not_loaded("its note of the load is damaged");
        let [warehouses, items, customers, names, seed, c_last] = numbers[..] else { return Err(damaged()) };
        let small = |number: u64| u32::try_from(number).map_err(|_| damaged());
        let population =
            Population { items: small(items)?, customers: small(customers)?, names: small(names)? };
        Ok(Self { warehouses: small(warehouses)?, population, seed, c_last: small(c_last)? })
    }
}

/// A database that may hold a note of a load.
pub(crate) trait Noted {
    /// The parameters of its load.
    fn loaded(self) -> Result<Loaded, OltpError>;
}

impl<S: Server> Noted for S {
    fn loaded(self) -> Result<Loaded, OltpError> {
        blocking_while_it_answers(self, async {
            let mut admin = Admin::enter(self).await?;
            let loaded = Loaded::ask(&mut admin).await;
            admin.leave().await;
            loaded
        })
    }
}
