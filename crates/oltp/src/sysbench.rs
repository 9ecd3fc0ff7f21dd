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

mod server;
mod mariadb;
mod postgresql;
mod sqlite;

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

/// Conversations with a server that says whatever it likes, for `fuzz/` and for tests.
#[cfg(any(test, fuzzing))]
pub mod fuzzing {
    use database::{Endpoint, Secret};
    use futures_util::FutureExt as _;

    fn endpoint() -> Endpoint {
        Endpoint {
            socket: None,
            host: "h".to_owned(),
            port: 1,
            user: "u".to_owned(),
            password: Some(Secret::new("secret")),
            database: "d".to_owned(),
            hang_up: database::HangUp::default(),
        }
    }

    /// A client of MariaDB or MySQL hears these bytes.
    pub fn mysql(bytes: &[u8]) {
        let ended =
            super::mariadb::converse(bytes, &endpoint()).now_or_never().expect("nothing is waited for");
        assert!(!ended.expect_err("all words end").to_string().is_empty());
    }

    /// A client of PostgreSQL hears these bytes.
    pub fn postgres(bytes: &[u8]) {
        let ended =
            super::postgresql::converse(bytes, &endpoint()).now_or_never().expect("nothing is waited for");
        let said = bytes.windows(6).any(|word| word == b"secret");
        assert!(said || !ended.expect_err("all words end").to_string().contains("secret"));
    }
}
