//! The server as browsers and programs meet it.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test with its place.

mod exposition;
mod metrics;
#[cfg(feature = "otlp")]
mod otlp;
mod pages;
mod site;
mod stuck;
