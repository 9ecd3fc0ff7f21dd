//! The watch over a cell: its load, the counters of host, storage and server, its limiter, and the gate that
//! decides whether it counts.

pub(crate) mod cell;
pub(crate) mod gate;
pub(crate) mod server;
pub(crate) mod steps;
pub(crate) mod meter;
pub(crate) mod others;
pub(crate) mod load;
pub(crate) mod seconds;
pub(crate) mod wear;
pub(crate) mod limiter;
pub(crate) mod measurements;
