//! Database servers as beds use them: processes of their own on real or modelled drives, created by us, or
//! somebody's that we only visit.
//!
//! An own server runs as an unprivileged account, listens on a socket in a folder of its own and on a free
//! port of the loopback interface, and never outlives us: the kernel ends it when we die, and one that
//! slipped through is found at the next start.

mod back_up;
mod clearing;
mod control;
mod copy;
mod drives;
mod engine;
mod existing;
mod files;
mod launch;
mod layout;
mod look;
mod own;
mod pattern;
mod printed;
mod record;
mod socket;
mod url;
mod warm;
mod watched;

use std::path::Path;

pub(crate) use clearing::{remove_trees, survey};
pub(crate) use control::Control;
pub(crate) use engine::{
    BackupJob, BackupTools, RestoreJob, ServerConfig, ServerEngine, ServerProgram, Setting, SocketName,
};
pub use engine::{Needs, ServerSizes};
pub use existing::Existing;
pub(crate) use files::Files;
pub(crate) use layout::Layout;
pub(crate) use look::MAY_SHRINK;
pub use look::{Clients, Grown, Look, ServerPlace, Work};
pub use own::Server;
pub(crate) use socket::{is_dead as is_dead_socket_folder, remove_dead as remove_dead_socket_folder};
pub use watched::Watched;

#[cfg(any(test, fuzzing))]
use crate::client::Endpoint;
use crate::engine::SERVERS;
use crate::error::DatabaseError;
#[cfg(any(test, fuzzing))]
use crate::error::ServerError;

/// True if a note in `dir` still names a server that an earlier drivetrain left behind.
pub(crate) fn is_left_behind(dir: &Path) -> bool {
    record::Record::exists(dir)
}

/// Ends a server that a drivetrain of the past left behind in `dir`, which is ours.
pub(crate) fn end_left_behind(dir: &Path) -> Result<(), DatabaseError> {
    if !record::Record::exists(dir) {
        return Ok(());
    }
    // Absolute, as the server's command line has it.
    let dir = std::fs::canonicalize(dir).map_err(DatabaseError::io("resolving", dir))?;
    let _lock = record::Lock::take(&dir)?;
    record::end_stale(&dir);
    SERVERS.iter().for_each(|engine| (engine.clean_up)(&dir.join(layout::DATA)));
    Ok(())
}

#[cfg(any(test, fuzzing))]
pub(crate) fn address(url: &str, engine: &ServerEngine) -> Result<Endpoint, ServerError> {
    url::parse(url, engine, None)
}
