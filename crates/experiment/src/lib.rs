//! The experiment file: a user's question, read from TOML, checked, and explained when it is wrong.
//!
//! Invariant: this crate reads text and touches no device, no clock and no file but the ones embedded in it.
//! Whatever text it is given it answers with an [`Experiment`] or with [`Diagnostics`] that show file, line
//! and caret; it never panics.
//!
//! The way of the data: text → [`parse_with`] → [`use_storage`] → [`scale`] → the laboratory.

mod units;

pub mod data_size;

mod keys;

mod checker;

mod design;
mod shrink;

mod file;
mod fleet;
mod workload;

mod check;

mod parse;

mod edit;

mod overridden;

mod scale;

mod named;

mod schema;

pub use design::{Design, Order, SmallestEffect, Treatment};
pub use edit::{SetError, StorageError, apply_set, use_storage};
pub use file::{Bed, Database, Engine, Experiment, Mode, SCHEMA_VERSION, Storage, Synchronous, to_toml};
pub use fleet::Fleet;
pub use named::{
    Family, Named, NothingFound, families, find_named, named, search_named, suggest_named, template,
};
pub use overridden::parse_with;
pub use parse::parse;
pub use scale::{Scale, ScaleError, Scaled, scale};
pub use schema::json_schema;
pub use tomlfile::{Diagnostic, Diagnostics};
pub use units::{Percent, Share, Size, Span, UnitError};
pub use workload::*;
