//! The options of a load and its reports, shared by the loaders of all engines.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::tpcc::data::population::Population;

/// The data to load.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// Warehouses.
    pub warehouses: u32,
    /// Seed of every random value.
    pub seed: u64,
    /// Rows of each warehouse; anything but the standard is for tests.
    pub population: Population,
    /// Ends the load early when it becomes true.
    pub stop: Option<Arc<AtomicBool>>,
}

impl LoadOptions {
    /// A standard load that nobody stops.
    #[must_use]
    pub fn new(warehouses: u32, seed: u64) -> Self {
        Self { warehouses, seed, population: Population::STANDARD, stop: None }
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Acquire))
    }
}

/// The progress of a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadProgress {
    /// The current step: "rows" or an index's name.
    pub step: &'static str,
    /// Rows stored.
    pub rows: u64,
    /// Rows in all, order lines estimated.
    pub rows_total: u64,
    /// Share of the whole, 0 to 1.
    pub share: f64,
}

/// The contents that a load stored.
pub(crate) struct Stored {
    pub(crate) rows: u64,
    pub(crate) index_elapsed: Duration,
}
