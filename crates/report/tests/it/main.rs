//! Tests of the crate from outside, as its users see it, in one program.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test with its place.

mod alike;
mod compare;
mod fixture;
mod given;
mod odd_runs;
mod page;
mod treat;
mod trend;
