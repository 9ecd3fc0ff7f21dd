//! Whole test beds in virtual time.
//!
//! A [`Bed`] is a test bed in numbers; [`run`](fn@run) puts a [`Load`] of order entry on it and gives an
//! [`Outcome`]. [`run_scan`], [`run_copy`] and [`run_block`] do the same for scans, backups and restores, and
//! block I/O. [`run_on_drive`] puts a load on one drive alone.
//!
//! Invariant: deterministic. Nothing here reads a clock, a file or the environment; the same bed, load and
//! seed give the same results to the last bit.

pub mod pool;

mod bed;
mod block;
mod copy;
mod demand;
mod drive_load;
mod load;
mod machine;
mod outcome;
mod run;
mod scan;
mod store;
mod stream;

pub use bed::{Bed, BedSource, DatabaseCosts, Hosts, LoadedBed, StoreSpec};
pub use block::{BlockLoad, BlockOutcome, Burst, run_block};
pub use copy::{CopyKind, CopyOutcome, run_copy};
pub use drive_load::{DriveLoad, DriveOutcome, run_on_drive};
pub use load::{Driver, Load, NS_PER_S, Pacing, Window};
pub use outcome::{Backups, MachineOutcome, Outcome, UserTime};
pub use run::{SimulateError, run};
pub use scan::{Scan, ScanOutcome, run_scan};
