//! Tests of the crate from outside, as its users see it, in one program.

#![allow(clippy::unwrap_used)] // Tests may unwrap: a failed unwrap is a failed test with its place.

mod edit;
mod faults;
mod named;
mod parser;
mod scale;
mod units;
