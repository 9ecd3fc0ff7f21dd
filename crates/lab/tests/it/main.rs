//! Tests of the crate from outside, as its users see it, in one program.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test with its place.

use ground::Clock;
use lab::{Request, World};

mod servers;
mod single;
mod virtual_time;

/// The request of a text on a clock.
fn request(text: &str, seed: u64, clock: Clock) -> Request {
    Request {
        experiment: experiment::parse(text, "tried").unwrap_or_else(|faults| panic!("{faults}")),
        experiment_toml: text.to_owned(),
        name: "tried".to_owned(),
        scale: 1.0,
        scale_statement: words::ScaleStatement::default(),
        seed,
        work_dir: "tried".to_owned(),
        directory: None,
        tool_version: "test".to_owned(),
        world: World::of(clock),
    }
}
