//! Database servers as beds use them: processes of their own on real or modelled drives, created by us, or
//! somebody's that we only visit.
//!
//! An own server runs as an unprivileged account, listens on a socket in a folder of its own and on a free
//! port of the loopback interface, and never outlives us: the kernel ends it when we die, and one that
//! slipped through is found at the next start.

mod account;
mod back_up;
pub(crate) mod binaries;
mod blocking;
mod clearing;
mod copy;
mod drives;
mod endpoint;
mod engine;
mod error;
mod existing;
mod hang_up;
mod launch;
mod layout;
pub(crate) mod leftovers;
mod life;
mod names;
mod own;
mod pattern;
mod printed;
pub(crate) mod process;
mod record;
mod room;
mod socket;
mod tree;
mod url;
mod warm;

pub use endpoint::{Endpoint, Secret};
pub use error::ServerError;
pub use existing::Existing;
pub(crate) use existing::Visit;
pub use hang_up::HangUp;
pub use life::Life;
pub use own::Server;

pub(crate) use account::Account;
pub(crate) use blocking::{ANSWER_LIMIT, Blocking, SAMPLE_LIMIT};
pub(crate) use clearing::{remove_trees, survey};
pub(crate) use engine::{BackupJob, Control, Engine, RestoreJob, ServerConfig, Setting};
pub(crate) use launch::describe as describe_exit;
pub(crate) use layout::Layout;
pub(crate) use life::LIFE_LIMIT;
pub(crate) use process::{kill_tree, processor_time, spawn, written_bytes};
pub(crate) use tree::Tree;
pub(crate) use url::{MARIADB as MARIADB_URLS, POSTGRESQL as POSTGRESQL_URLS};

use std::path::Path;

use crate::DatabaseError;

pub(crate) use socket::{is_dead as is_dead_socket_folder, remove_dead as remove_dead_socket_folder};

/// Whether a server that a drivetrain of the past left behind in `dir` is still noted there.
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
    leftovers::clear(&dir.join(layout::DATA));
    Ok(())
}

#[cfg(fuzzing)]
pub(crate) fn address(url: &str, postgresql: bool) -> Result<Endpoint, ServerError> {
    url::parse(url, if postgresql { &url::POSTGRESQL } else { &url::MARIADB }, None)
}
