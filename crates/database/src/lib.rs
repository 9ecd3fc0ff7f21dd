//! Database engines as beds use them: provision, start, connect, copy, restore, crash.
//!
//! Invariant: nothing is written or deleted outside a directory that bears our [`Marker`] (but for the folder
//! of a server's socket), a restored copy holds exactly the bytes that were copied, and no server that we
//! started outlives us. What workloads do inside a database is not known here.

pub mod backup;
mod copy;
pub mod dead;
mod error;
mod gate;
pub mod group;
pub mod image;
mod instance;
pub mod mariadb;
mod marker;
pub mod postgresql;
mod rewrite;
mod server;
pub mod sqlite;

pub use copy::{CopyMethod, CopyReport};
pub use emulate::{Backing, Counters};
pub use error::DatabaseError;
pub use gate::{WriteGate, WriteTurn};
pub use instance::{Access, Instance, InstanceSpec, RunsIn, Synchronous};
pub use marker::Marker;

/// Name of the file by which a directory of ours is known.
pub const MARKER_NAME: &str = marker::NAME;

pub use server::{Endpoint, Existing, HangUp, Life, Secret, Server, ServerError};

/// Doors into what has no public one, for the targets of `fuzz/` alone.
#[cfg(fuzzing)]
pub mod fuzzing {
    /// Reads an address of PostgreSQL, or else of MariaDB; `None` when it is refused.
    pub fn address(url: &str, postgresql: bool) -> Option<crate::Endpoint> {
        crate::server::address(url, postgresql).ok()
    }
}
