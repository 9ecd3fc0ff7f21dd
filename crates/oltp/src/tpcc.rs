//! Order entry, derived from TPC-C v5.11 (clause numbers in these modules are that document's).
//!
//! A warehouse company's order desk: [`load`] populates a database, [`run`] lets virtual users work on it and counts, [`check`] proves
//! with the twelve consistency conditions that nothing was lost or doubled. The results are not TPC-C results: see [`DISCLAIMER`] and
//! [`deviations`].

mod error;
mod population;

mod money;
mod names;
mod nurand;
mod stream;
mod text;

mod deck;
mod profile;
mod input;
mod terminal;

mod encode;
mod generate;
mod load_options;
mod lanes;
mod load;
mod loaded;
mod adopt;

pub(crate) mod asker;
mod commit;
mod mariadb;
mod mode;
mod postgresql;
mod sqlite;

mod bands;
mod start_line;
mod live;
mod outcome;
mod together;
mod pace;
mod run_options;
mod run;
mod serve;
mod user;

mod check;
mod deviations;
mod durability;

#[cfg(test)]
mod model;
#[cfg(test)]
mod engines_tests;
#[cfg(test)]
mod testing;

pub use adopt::adopt;
pub use asker::answers;
pub use bands::{Band, InputBands};
pub use check::{Condition, Stage, check, check_until};
pub use deck::TransactionKind;
pub use deviations::{DISCLAIMER, Deviation, deviations};
pub use durability::{Acknowledged, missing_orders};
pub use error::OltpError;
pub use input::Home;
pub use live::{Control, Live, Phase};
pub use load::{LoadReport, load};
pub use load_options::{LoadOptions, LoadProgress};
pub use loaded::Loaded;
pub use mode::Mode;
pub use outcome::{PerTransaction, RunOutcome, ServerFigures};
pub use population::Population;
pub use profile::Profile;
pub use run::run;
pub use run_options::RunOptions;
pub use start_line::{StartLine, StartPlace};

/// What one paced user of order entry takes in memory, bytes.
#[cfg(test)]
pub(crate) fn user_size_bytes() -> usize {
    size_of::<input::Inputs>()
}
