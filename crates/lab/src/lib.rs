//! Conducts an experiment: puts the cells in their order, brings every bed back to the same state before each
//! cell, lets the load ramp up, measures, checks, and keeps the cell in the notebook before the next one
//! begins.
//!
//! Invariant: all orchestration lives here and nowhere else. A crate below knows how to do one thing; only
//! `lab` knows when. Nothing here prints: progress leaves as [`Event`]s, results leave through the notebook.

mod error;
mod event;
mod interrupt;
mod order;
mod cost;
mod data_set;
mod needs;
mod plan;
mod supported;
mod marked;
mod storages;
mod floor_files;
mod workdir;
mod origin;
mod beds;
mod drive_facts;
mod world;
mod request;
mod conductor;
mod metrics;
mod cell;
mod instances;
mod fleet;
mod existing;
mod ready;
mod seal;
mod reset;
mod lives;
mod gate;
mod watch;
mod wear;
mod meter;
mod limiter;
mod measurements;
mod server;
mod simulated_cell;
mod kind;
mod simulated;
mod opening;
mod result_line;
mod cells;
mod floors;
mod conduct;
pub mod clean;

pub use conduct::{is_complete, resume, run};
pub use error::LabError;
pub use event::{Event, Observer, Silent};
pub use interrupt::Interrupt;
pub use kind::check_devices;
pub use marked::is_marker;
pub use order::{CellKey, cells_in_order};
pub use plan::room::{Room, check_room, rooms};
pub use plan::{BedPlan, Plan, plan};
pub use request::{Finished, Request};
pub use simulated::simulate;
pub use storages::check_targets;
pub use supported::check;
pub use world::World;
