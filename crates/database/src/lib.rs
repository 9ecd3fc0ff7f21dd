//! Database engines as beds use them: provision, start, connect, copy, restore, crash, back up; and servers
//! of somebody else, which are only [visited](visit) or [watched](watch).
//!
//! Invariant: no file is written or deleted outside a directory that bears our [`Marker`] (but for the folder
//! of a server's socket and our own control groups), a restored copy holds exactly the bytes that were
//! copied, and no server that we started outlives us. What workloads do inside a database is not known here.

pub mod backup;
mod client;
mod copy;
pub mod dead;
mod engine;
mod error;
mod gate;
pub mod group;
pub mod image;
mod instance;
mod machine;
mod marker;
mod rewrite;
mod server;
mod waits;

pub use client::{Endpoint, HangUp, Life, Secret};
pub use copy::{CopyMethod, CopyReport};
pub use emulate::{Backing, Counters};
pub use engine::*;
pub use error::{DatabaseError, ServerError, bounded_text, with_causes};
pub use gate::{WriteGate, WriteTurn};
pub use instance::{Instance, InstanceSpec, RunsIn};
pub use marker::Marker;
pub use server::{Clients, Existing, Grown, Look, Needs, Server, ServerPlace, ServerSizes, Watched, Work};
pub use waits::{WaitClass, Waits};
pub use words::{Engine, Synchronous};

/// Name of the file by which a directory of ours is known.
pub const MARKER_NAME: &str = marker::NAME;

/// Access to private parts, for `fuzz/` and for tests.
#[cfg(any(test, fuzzing))]
pub mod fuzzing {
    /// Reads an address by the rules of each engine that is a server.
    ///
    /// # Panics
    /// When one that was taken names no user, no database or no place that can be connected to.
    pub fn address(text: &str) {
        let taken =
            crate::engine::SERVERS.iter().filter_map(|engine| crate::server::address(text, engine).ok());
        for endpoint in taken {
            assert!(!endpoint.user.is_empty() && !endpoint.database.is_empty() && endpoint.port > 0);
            for word in [&endpoint.user, &endpoint.database, &endpoint.host] {
                assert!(!word.contains('\0'), "{word:?} would end early");
            }
            match &endpoint.socket {
                Some(socket) => {
                    assert!(
                        socket.is_absolute() && !socket.as_os_str().as_encoded_bytes().contains(&0),
                        "{socket:?}"
                    );
                }
                None => assert!(!endpoint.host.is_empty()),
            }
        }
    }
}
