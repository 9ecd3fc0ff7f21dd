//! The ground that the crates above stand on: one clock, one source of randomness, log-linear buckets, and
//! threads and values that wait on that clock.
//!
//! Invariant: no other crate reads a clock, but for tests, or makes a generator, but for two files of `disk`
//! (`cargo xtask tidy` holds it, and names them).
//! A seed and a stream number give the same numbers for ever, and a [`Clock`] that is virtual moves only when
//! all of its participants wait.

mod clock;
mod cpu;
mod laps;
mod monitor;
mod threads;
mod virtual_time;

mod mix;
mod random;
mod permutation;
mod zipf;

mod buckets;

pub use buckets::Buckets;
pub use clock::{Clock, Stopwatch, nanoseconds};
pub use cpu::CpuTimes;
pub use laps::Laps;
pub use mix::{FNV_START, SplitMix64, finalise, fnv1a, mix, scatter, seed_of_part, spread};
pub use monitor::Monitor;
pub use permutation::Permutation;
pub use random::Random;
pub use threads::{Scope, Thread};
pub use zipf::Zipf;
