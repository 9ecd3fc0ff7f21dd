//! Backup and restore.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use words::{LevelName, WorkloadKind};

use crate::check::Checker;
use crate::data_size::warehouse_bytes;
use crate::file::Experiment;
use crate::file::Storage;
use crate::keys::{keys, list, whole};
use crate::reader::Reader;
use crate::scale::rule::{RAMP_UP_MIN, scale_levels, scale_time, scale_warehouses};
use crate::structure::NO_SPAN;
use crate::units::{Size, Span};
use crate::words::written_words;
use crate::workload::{FileKind, USERS_MAX, WAREHOUSES_MAX, numbers};

/// Backup and restore of a loaded database, in the engine's native way, cycle after cycle. Every backup is
/// restored into a new instance that is then proven to hold the same.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
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
    /// Whether one bit of the last backup is turned over, to show that the proof would catch it. Yes when
    /// left out.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// The data files as they are: `pg_basebackup`, `mariadb-backup`, SQLite's online backup.
    #[default]
    Physical,
    /// What is in them: `pg_dump`, `mariadb-dump`. Not for SQLite.
    Logical,
}

written_words! {
    Method { Physical => "physical", Logical => "logical" }
}

const CYCLES_MAX: u32 = 1_000;
/// A longer pause is a slip of the pen.
const PAUSE_MAX: Duration = Duration::from_secs(366 * 86_400);

impl FileKind for Backup {
    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn kind(&self) -> WorkloadKind {
        WorkloadKind::Backup
    }

    fn levels(&self) -> Vec<f64> {
        numbers(&self.virtual_users)
    }

    fn level_name(&self) -> LevelName {
        LevelName::VirtualUsers
    }

    fn level_key(&self) -> &'static str {
        "virtual_users"
    }

    fn ramp_up(&self) -> Span {
        self.ramp_up
    }

    fn is_timed(&self) -> bool {
        false
    }

    fn database_bytes(&self) -> u64 {
        warehouse_bytes(self.warehouses)
    }

    fn check(&self, checker: &mut Checker<'_>, path: &str, experiment: &Experiment) {
        checker.backup(path, self, experiment)
    }

    fn scale(&mut self, factor: f64, changes: &mut Vec<String>) {
        scale_backup(self, factor, changes)
    }
}

keys! {
    Backup, "backup workload" beside "kind" {
        name: optional(Reader::text),
        warehouses: required("4", whole(1, WAREHOUSES_MAX)) or 1,
        virtual_users: optional(list("[0, 8]", whole(0, USERS_MAX))) or alone(),
        method: optional(Reader::word) or Method::default(),
        cycles: optional(whole(1, CYCLES_MAX)) or three(),
        pause: optional(Reader::span) or NO_SPAN,
        target: optional(Reader::storage),
        compress: optional(Reader::boolean) or false,
        rate_limit: optional(Reader::size),
        ramp_up: optional(Reader::span) or five_seconds(),
        drill: optional(Reader::boolean) or drill(),
    }
}

impl Checker<'_> {
    fn backup(&mut self, path: &str, backup: &Backup, experiment: &Experiment) {
        self.levels(&format!("{path}.virtual_users"), &backup.virtual_users, "[0, 8]");
        self.method(path, backup.method, experiment);
        if backup.compress && crate::check::is_embedded(experiment) {
            let help =
                format!("leave `compress` out, or use the engine {}", crate::check::servers_in_words());
            let message = "SQLite's online backup copies pages as they are and compresses nothing".to_owned();
            self.fault(&format!("{path}.compress"), message, "", help);
        }
        self.at_least(&format!("{path}.rate_limit"), backup.rate_limit);
        if backup.pause.0 > PAUSE_MAX {
            let message = format!("{} is longer than a year", backup.pause);
            self.fault(&format!("{path}.pause"), message, "", "write a shorter time");
        }
        if let Some(target) = &backup.target {
            self.storage(&format!("{path}.target"), target);
            let on_model = matches!(target, Storage::Emulated { .. });
            if on_model && !crate::check::is_embedded(experiment) {
                let message = "a server's backup cannot go onto a modelled drive".to_owned();
                let help = "write `target = { real = \"PATH\" }`";
                self.fault(&format!("{path}.target"), message, "modelled drives serve SQLite only", help);
            }
        }
        self.own_servers_only(path, experiment, "backed up and restored");
    }
}

fn scale_backup(backup: &mut Backup, factor: f64, changes: &mut Vec<String>) {
    scale_warehouses(&mut backup.warehouses, factor, changes);
    let alone = backup.virtual_users.contains(&0);
    let mut users: Vec<u32> = backup.virtual_users.iter().copied().filter(|users| *users > 0).collect();
    if !users.is_empty() {
        scale_levels(&mut users, factor.sqrt(), "virtual users", changes);
    }
    backup.virtual_users = alone.then_some(0).into_iter().chain(users).collect();
    scale_time(&mut backup.ramp_up, factor, RAMP_UP_MIN, "ramp-up", changes);
    scale_time(&mut backup.pause, factor, Duration::ZERO, "the pause", changes);
}
