//! Backup and restore.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::file::Storage;
use crate::units::{Size, Span};
use crate::words::displayed_as_written;

/// Backup and restore of a loaded database, in the engine's native way, cycle after cycle. Every backup is restored into a new instance
/// that is then proven to hold the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Backup {
    /// What tables call this workload; `backup` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The size of the database: roughly 80 MB per warehouse of order entry.
    #[schemars(range(min = 1))]
    pub warehouses: u32,
    /// The levels: how many users work on the database meanwhile; 0 for a backup alone. `[0]` when left out.
    #[serde(default = "alone")]
    #[schemars(length(min = 1))]
    pub virtual_users: Vec<u32>,
    /// Which of the engine's own ways.
    #[serde(default)]
    pub method: Method,
    /// How many times the database is backed up and restored; 3 when left out, as in the published test.
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 1000))]
    pub cycles: u32,
    /// Time between two cycles; none when left out.
    #[serde(default)]
    pub pause: Span,
    /// Where backups go; onto the bed's own storage when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Storage>,
    /// Whether backups are compressed (gzip). SQLite's cannot be.
    #[serde(default)]
    pub compress: bool,
    /// The most that the tool may write in a second, for example `"50MiB"`; as fast as it can when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<Size>,
    /// Time under load before the first cycle, where there are users; 5 s when left out.
    #[serde(default = "five_seconds")]
    pub ramp_up: Span,
    /// Whether one bit of the last backup is turned over, to show that the proof would catch it. Yes when left out.
    #[serde(default = "drill")]
    pub drill: bool,
}

pub(crate) fn alone() -> Vec<u32> {
    vec![0]
}

pub(crate) fn three() -> u32 {
    3
}

pub(crate) fn five_seconds() -> Span {
    Span(std::time::Duration::from_secs(5))
}

pub(crate) fn drill() -> bool {
    true
}

/// The two native ways of an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// The data files as they are: `pg_basebackup`, `mariadb-backup`, SQLite's online backup.
    #[default]
    Physical,
    /// What is in them: `pg_dump`, `mariadb-dump`. Not for SQLite.
    Logical,
}

displayed_as_written! {
    Method { Physical => "physical", Logical => "logical" }
}
