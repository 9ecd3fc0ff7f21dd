//! The local web pages of a notebook: its runs, their reports, two runs compared, the history of an
//! experiment, and the run under way, second by second. The metrics of that run for Prometheus, and for a
//! collector (feature `otlp`).
//!
//! Invariant: serving reads the notebook and never writes it. The run writes its feed whether or not somebody
//! reads it, so a browser that is slow or gone never slows the run. The server answers its own user and
//! root on this machine; at another address that the user names, whoever has its token.

mod answer;
mod asked;
mod assets;
mod compare;
mod connection;
mod course;
mod documents;
mod drives;
mod error;
mod event;
mod feed;
mod figures;
mod follow;
mod guard;
mod list;
mod listener;
mod metrics;
mod now;
#[cfg(feature = "otlp")]
mod otlp;
mod pages;
mod peer;
mod pick;
mod place;
mod reader;
mod routes;
mod sentences;
mod server;
mod stop;
mod stream;
mod written;

pub use error::ServeError;
pub use feed::{Feed, remove_left};
#[cfg(feature = "otlp")]
pub use otlp::{Collector, Exporter};
pub use server::{Server, Site};
