//! The built binary as its users meet it, in one program of tests. A test that must be alone on the machine,
//! or is run at length by hand, has its own program: `kills`, `outage`, `sweep`.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test with its place.

#[path = "../common/mod.rs"]
mod common;
#[path = "../terminal/mod.rs"]
mod terminal;

mod alike;
mod beds;
mod block_suite;
mod browser;
mod conduct;
mod damaged;
mod elsewhere;
mod ends;
mod faults;
mod fleet;
mod fleet_faults;
mod fleet_hosts;
mod fleet_levels;
mod figures;
mod formats;
mod gate;
mod import_results;
mod inaccurate;
mod inputs;
mod kept;
mod languages;
mod live;
mod labels;
mod mount;
mod mount_in_use;
mod observe;
mod operations;
mod ordinary_user;
mod outputs;
mod ownership;
mod places;
mod profile;
mod profiled;
mod progress;
mod readme;
mod servers;
mod simulated;
mod throttled;
mod told;
mod transports;
mod usage;
mod words;
