//! The parts of the machine that a server uses: programs, an account, processes, memory, space, and trees of
//! files.

pub(crate) mod account;
pub(crate) mod binaries;
pub(crate) mod process;
pub(crate) mod room;
pub(crate) mod tree;

pub(crate) use account::Account;
pub(crate) use tree::{Tree, copy_file};
