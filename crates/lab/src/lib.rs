//! Conducts an experiment: puts the cells in their order, brings every bed back to the same state before each
//! cell, lets the load ramp up, measures, checks, and keeps the cell in the notebook before the next one
//! begins. A bed that is somebody else's server is used as it is. A load that somebody else runs is
//! [observed](fn@observe).
//!
//! Invariant: all orchestration lives here and nowhere else. A crate below knows how to do one thing; only
//! `lab` knows when. Nothing here prints: progress leaves as [`Event`]s, results leave through the notebook.

mod error;
mod event;
mod interrupt;
mod order;
mod levels;
mod metrics;
mod needs;
mod storage;
mod membership;
mod servers;
mod world;
mod plan;
mod request;
mod conductor;
mod bed;
mod watch;
mod kind;
mod conduct;
mod ranks;
mod observe;

pub use conduct::simulated::simulate;
pub use conduct::single::{Single, require_experiment};
pub use conduct::{Again, is_complete, resume, run, was_virtual};
pub use error::{LabError, PlaceFault};
pub use event::{DriveSecond, Event, Live, Observer, Second, Silent};
pub use interrupt::Interrupt;
pub use kind::{Load, check_devices, single_job};
pub use membership::{Membership, Terms, check_alone, check_shares, was_led};
pub use observe::{Observed, ObservedSecond, Observing, observe};
pub use order::{CellKey, cells_in_order};
pub use plan::fleet::{FleetPlan, HostStorage, plan_fleet};
pub use plan::places::{check_alike, check_places, in_memory, one_drive};
pub use plan::room::{Holds, Room, check_room, rooms};
pub use plan::supported::check;
pub use plan::{BedPlan, Plan, plan};
pub use ranks::{Joined, Led, Part, Worker, lead, resume_led, serve_rank};
pub use request::{Finished, Request};
pub use servers::Servers;
pub use storage::clean;
pub use storage::drive_facts::{Unlike, number_unlike};
pub use storage::drives::{inaccurate, inaccurate_drives};
pub use storage::marked::is_marker;
pub use watch::limiter::Processors;
pub use watch::others::Bystanders;
pub use world::World;
