//! The storage of a run: drives under the beds, directories of its bytes, and the removal of both.

pub(crate) mod marked;
pub(crate) mod targets;
pub(crate) mod floor_files;
pub(crate) mod seal;
pub(crate) mod workdir;
pub(crate) mod origin;
pub(crate) mod drives;
pub(crate) mod cell_drives;
pub(crate) mod drive_facts;
pub(crate) mod replaced;
pub mod clean;
