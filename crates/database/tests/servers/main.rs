//! One test body for all engines, and the faults of servers. The servers are our own, in temporary
//! directories; the system's are not touched.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test with its place.

mod addresses;
mod backups;
mod faults;
mod lifecycle;
mod orphans;
mod support;
