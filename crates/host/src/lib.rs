//! The machine under a bed: its facts, its activity, and its fitness for measurements.
//!
//! A [`Fingerprint`] is every fact that could change a result; [`Counters`] are what the kernel has counted
//! so far, and two of them give a [`Usage`]; a [`Sampler`] takes them once a second for all who follow a
//! measurement; the [`doctor`] says what would spoil one and what to do about it.
//!
//! Invariant: reads the machine, never changes it. What cannot be read is unknown, never a guess and never a
//! panic: every parser takes text, and the kernel's files are read below a root that tests replace by a
//! directory of their own.

mod error;
mod extents;

// Reading: files below a root, small text forms, the few system calls without a safe wrapper.
mod tree;

mod text;

mod own_cost;
mod own_reads;

mod syscalls;

// Activity: counters, their differences, one sample a second.
mod counters;

mod usage;

mod source;

mod beat;
mod sampler;

// Its facts: processors, system, mounts, drives, control groups, and all of it as one fingerprint.
mod processor;
mod system;

mod mount;

mod drive;
mod drive_log;

mod cgroup;

mod control_group;

mod fingerprint;
mod fullness;

mod under;

// Fitness for a measurement.
pub mod doctor;
pub mod machine;

pub use beat::Beat;
pub use control_group::{Controller, controller};
pub use counters::{Counters, CpuTimes, DiskCounters, MemoryCounters, Pressure};
pub use drive_log::written_by_own_log_bytes;
pub use error::HostError;
pub use extents::{Extents, extents};
pub use fingerprint::Fingerprint;
pub use fullness::fullness;
pub use mount::filesystem;
pub use own_cost::OwnCost;
pub use own_reads::own_read_bytes;
pub use sampler::{Follower, Sampler};
pub use source::CounterSource;
pub use system::machine_id;
pub use under::under;
pub use usage::{CpuShares, DiskUsage, PressureShares, Usage};
