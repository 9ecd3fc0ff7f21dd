//! What a server takes of the machine: its programs, an account, processes, memory, room, and trees of files.

pub(crate) mod account;
pub(crate) mod binaries;
pub(crate) mod process;
pub(crate) mod room;
pub(crate) mod tree;

pub(crate) use account::Account;
pub(crate) use tree::Tree;
