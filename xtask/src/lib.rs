//! The house rules as code, so that a test can hold the tree to them.
//!
//! Invariant: reads the tree. Only `schema` (the files it names), `fuzz` (below `fuzz/target`) and `golden
//! keep` (the folder it is given) write; only `test` installs packages.

use std::path::{Path, PathBuf};

mod crowd;
pub mod dist;
mod fast;
pub mod features;
pub mod fuzz;
pub mod golden;
pub mod licences;
mod packages;
pub mod schema;
pub mod tidy;
pub mod trial;

/// The root of the workspace that this crate was built in.
pub fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_path_buf()
}
