//! The list of engines: the one place of this crate that tells them apart.
//!
//! Each workload says in a trait what it needs of an engine, and each engine's room beside that workload
//! implements the trait for its type here. A further engine is a type and an arm of [`on_engine!`], and its
//! rooms.

use database::Endpoint;
use database::sqlite::Sqlite;

/// A database inside our own process.
#[derive(Clone, Copy)]
pub(crate) struct SqliteEngine<'a>(pub(crate) &'a Sqlite);

/// A server that speaks PostgreSQL's protocol.
#[derive(Clone, Copy)]
pub(crate) struct PostgreSqlEngine<'a>(pub(crate) &'a Endpoint);

/// A server that speaks the protocol of MariaDB and MySQL.
#[derive(Clone, Copy)]
pub(crate) struct MariaDbEngine<'a>(pub(crate) &'a Endpoint);

/// Evaluates an expression with the engine behind a way in: `on_engine!(instance.access(), engine =>
/// engine.load(…))`. The expression is compiled once for each engine, so that nothing is looked up while a
/// workload runs.
macro_rules! on_engine {
    ($access:expr, $engine:ident => $answer:expr) => {
        match $access {
            ::database::Access::Sqlite(instance) => {
                let $engine = $crate::engine::SqliteEngine(instance);
                $answer
            }
            ::database::Access::PostgreSql(endpoint) => {
                let $engine = $crate::engine::PostgreSqlEngine(endpoint);
                $answer
            }
            ::database::Access::MariaDb(endpoint) => {
                let $engine = $crate::engine::MariaDbEngine(endpoint);
                $answer
            }
        }
    };
}
pub(crate) use on_engine;
