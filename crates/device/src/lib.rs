//! The drive model: how long one read, write or flush takes on a given drive or datastore, and the catalogue
//! of drives.
//!
//! Invariant: pure. Time is an argument, the only randomness is a seeded generator, and nothing here reads a
//! clock, a file or an environment variable, so the same specification, seed and sequence of operations give
//! the same completion times on every run. [`Drive::submit`] allocates nothing and its cost does not grow
//! with the number of operations already submitted.
//!
//! Read in this order: [`DriveSpec`] (the numbers), [`Drive`] (the model that uses them), [`catalogue`]
//! (drives with the source of every number, and the file format for a user's own), [`datastore`] (drives put
//! together).

mod bounds;
mod check;
mod draw;
mod limit;
mod line;
mod map;
mod property;
mod slots;
mod spec;
mod streams;
mod table;
mod traffic;
mod units;
mod writes;

pub mod catalogue;
pub mod datastore;
mod drive;

pub use check::SpecError;
pub use drive::{Drive, Op};
pub use limit::Bucket;
pub use map::ReadMap;
pub use spec::{
    CollectionBurst, DriveSpec, Duplex, ReadLatency, read_limit_from, reads_per_s_at, reads_per_s_by_depth,
};
pub use traffic::Traffic;
