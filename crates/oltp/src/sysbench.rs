//! sysbench's OLTP tests (akopytov/sysbench 1.0.20): its tables, its statements, its random numbers, so that
//! users can switch without a break. [`load`] makes the tables, [`run`] lets connections work on them,
//! [`check`] proves that they still add up.
//!
//! The statements, their number and order, the tables, the texts, the distributions and the round trips are
//! sysbench's; what is counted and how is ours. Tables that sysbench made are accepted, and sysbench accepts
//! ours. Differences, all on purpose: an attempt that met a deadlock is repeated with the same ids (sysbench
//! draws new ones); duplicates are repeated and counted on every engine (sysbench ends the run on MySQL); a
//! repeated transaction is given up and counted as an error after ten retries.

mod error;
mod options;
mod statement;

mod distribution;
mod pattern;
mod random;

mod query;
mod sql;
mod wire;

mod load;
mod tables;

mod outcome;
mod run;
mod session;

mod check;

#[cfg(test)]
mod tests;

pub use check::{Condition, check};
pub use distribution::Distribution;
pub use error::SysbenchError;
pub use load::{LoadOptions, LoadProgress, LoadReport, load};
pub use options::{Options, Test};
pub use outcome::RunOutcome;
pub use run::run;
pub use statement::Statement;
#[cfg(fuzzing)]
pub use wire::fuzzing;
