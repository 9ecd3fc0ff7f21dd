//! Backup and restore.

use std::time::Duration;

use words::{LevelName, ScaleChange, ScaledPart};

use crate::checker::Checker;
use crate::data_size::warehouse_bytes;
use crate::file::{Experiment, Storage, servers_in_words};
use crate::keys::choice::written_words;
use crate::keys::table::table;
use crate::shrink::{RAMP_UP_MIN, Rule, scale_levels, scale_time, scale_warehouses};
use crate::units::{Size, Span};
use crate::workload::{FileKind, USERS_MAX, WAREHOUSES_MAX, numbers};

/// A longer pause is a slip of the pen.
const PAUSE_MAX: Duration = Duration::from_secs(366 * 86_400);

table! {
    /// Backup and restore of a loaded database with the engine's own tools, cycle after cycle. Every backup
    /// is restored into a new instance, and the instance is verified.
    pub struct Backup "backup workload" {
        /// The name of this workload in tables; `backup` by default.
        name: Option<String>;
        /// The size of the database: roughly 80 MB per warehouse of order entry.
        warehouses: u32 = required("4").within(1, WAREHOUSES_MAX);
        /// The levels: the number of users that work on the database during the cycles; 0 for no load. `[0]`
        /// by default.
        virtual_users: Vec<u32> = levels("[0, 8]").within(0, USERS_MAX).or(vec![0]);
        /// The engine's method of backup.
        method: Method = or(Method::Physical);
        /// The number of cycles; 3 by default, as in the published test.
        cycles: u32 = or(3).within(1, 1_000);
        /// Time between two cycles; none by default.
        pause: Span = or(Span::default());
        /// The storage of the backups; the bed's own by default.
        target: Option<Storage>;
        /// True to compress the backups (gzip). SQLite's cannot be compressed.
        compress: bool = or(false);
        /// The highest write rate of the tool per second, for example `"50MiB"`; no limit by default.
        rate_limit: Option<Size>;
        /// Time under load before the first cycle, if there are users; 5 s by default.
        ramp_up: Span = or(Span(Duration::from_secs(5)));
        /// True to flip one bit of the last backup, to show that the verification detects it. True by
        /// default.
        drill: bool = or(true);
    }
}

written_words! {
    /// The two native ways of an engine.
    pub enum Method {
        /// The data files as they are: `pg_basebackup`, `mariadb-backup`, SQLite's online backup.
        Physical = "physical",
        /// The contents, as commands that load them again: `pg_dump`, `mariadb-dump`. Not for SQLite.
        Logical = "logical",
    }
}

impl FileKind for Backup {
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

    fn measure_min(&self) -> Option<(Duration, &'static str)> {
        None
    }

    fn database_bytes(&self) -> u64 {
        warehouse_bytes(self.warehouses)
    }

    fn target_mut(&mut self) -> Option<&mut Storage> {
        self.target.as_mut()
    }

    fn undealt(&self) -> Option<&'static str> {
        // One rank has the server, and its load is in the same process.
        Some(
            "leave `deal` out: every rank then backs up a database of its own; for backups of one rank \
             beside the loads of others use `kind = \"neighbour\"` with `neighbour = \"backup\"`",
        )
    }

    fn check(&self, checker: &mut Checker<'_>, path: &str, experiment: &Experiment) {
        checker.method(path, self.method, experiment);
        if self.compress && experiment.is_embedded() {
            let help = format!("leave `compress` out, or use the engine {}", servers_in_words());
            let message = "SQLite's online backup copies pages as they are and compresses nothing".to_owned();
            checker.fault(&format!("{path}.compress"), message, "", help);
        }
        checker.at_least(&format!("{path}.rate_limit"), self.rate_limit);
        if self.pause.0 > PAUSE_MAX {
            let message = format!("{} is longer than a year", self.pause);
            checker.fault(&format!("{path}.pause"), message, "", "write a shorter time");
        }
        if let Some(target) = &self.target {
            checker.storage(&format!("{path}.target"), target);
            let on_model = matches!(target, Storage::Emulated { .. });
            if on_model && !experiment.is_embedded() {
                let message = "a server's backup cannot go onto a modelled drive".to_owned();
                let help = "write `target = { real = \"PATH\" }`";
                checker.fault(&format!("{path}.target"), message, "modelled drives serve SQLite only", help);
            }
        }
        checker.own_servers_only(path, experiment, "backed up and restored");
    }

    fn scale(&mut self, factor: f64, changes: &mut Vec<ScaleChange>) {
        scale_warehouses(&mut self.warehouses, factor, changes);
        let alone = self.virtual_users.contains(&0);
        let mut users: Vec<u32> = self.virtual_users.iter().copied().filter(|users| *users > 0).collect();
        if !users.is_empty() {
            scale_levels(&mut users, factor.sqrt(), ScaledPart::VirtualUsers, changes);
        }
        self.virtual_users = alone.then_some(0).into_iter().chain(users).collect();
        scale_time(&mut self.ramp_up, factor, RAMP_UP_MIN, ScaledPart::RampUp, changes);
        scale_time(&mut self.pause, factor, Duration::ZERO, ScaledPart::Pause, changes);
    }

    fn rule(&self) -> Rule {
        let (sizes, loads, stays) = (&[ScaledPart::Warehouses], &[ScaledPart::Users], &[ScaledPart::Cycles]);
        Rule { sizes, loads, has_times: true, stays, ..Rule::default() }
    }
}
