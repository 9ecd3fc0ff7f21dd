//! Order entry, derived from TPC-C v5.11 (clause numbers in these modules are that document's).
//!
//! A warehouse company's order desk: [`load`] populates a database, [`run`] lets virtual users work on it and
//! counts, [`check`] proves with the twelve consistency conditions that nothing was lost or doubled. The
//! results are not TPC-C results: see [`deviations`].

mod deviations;

mod data;
mod ask;
mod load;
mod run;
mod prove;

mod server;
mod mariadb;
mod postgresql;
mod sqlite;

#[cfg(test)]
mod model;
#[cfg(test)]
mod engines_tests;
#[cfg(test)]
mod testing;

pub use crate::admin::answers;
pub use crate::error::OltpError;
pub use ask::bands::{Band, InputBands};
pub use ask::deck::TransactionKind;
pub use ask::input::Home;
pub use ask::mode::Mode;
pub use ask::profile::Profile;
pub use ask::terminal::Acknowledged;
pub use data::population::Population;
pub use deviations::{Deviation, STRETCHED, deviations};
pub use load::loaded::Loaded;
pub use load::options::{LoadOptions, LoadProgress};
pub use load::{LoadReport, load};
pub use prove::adopt::adopt;
pub use prove::check::{Condition, Stage, check, check_until};
pub use prove::durability::missing_orders;

pub use run::options::RunOptions;
pub use run::outcome::{PerTransaction, RunOutcome, ServerFigures};
pub use run::pace::MEAN_PAUSE;
pub use run::{run, run_acknowledging};
pub use sqlite::run::CONNECTIONS_MAX as SQLITE_CONNECTIONS_MAX;
