//! The house rules as code, so that a test can hold the tree to them.
//!
//! Invariant: reads the tree; writes only what `cargo xtask schema` names below `fuzz/target`, and what `cargo xtask golden keep` is told to write, and installs packages only for `cargo xtask test`, which runs cargo.

use std::path::{Path, PathBuf};

pub mod fuzz;
pub mod golden;
pub mod packages;
pub mod schema;
pub mod tidy;
pub mod trial;

/// The root of the workspace that this crate was built in.
pub fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_path_buf()
}
