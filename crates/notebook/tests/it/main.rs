//! Tests of the crate from outside, as its users see it, in one program.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test with its place.

mod domains;
mod export;
mod imported;
mod labels;
#[cfg(feature = "parquet")]
mod parquet;
mod refusals;
mod resume;
mod roundtrip;
mod schema;
mod sweep;

// `kill`, a program of its own, uses it too.
#[path = "../support/mod.rs"]
mod support;
