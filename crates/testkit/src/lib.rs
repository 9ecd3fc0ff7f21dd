//! Support for tests: needs that a machine may not meet, programs of the distribution, a browser, odd inputs
//! for parsers, and seeds that can be given again.
//!
//! Invariant: only tests and `xtask` depend on it; no unmet need passes in silence.

pub mod browser;
pub mod need;
mod odd_inputs;
pub mod programs;
mod seed;

pub use browser::Browser;
pub use odd_inputs::odd_inputs;
pub use seed::{new_seed, seed};
