//! The durability test: its keys, checks, scale and levels.

use words::{LevelName, ScaleChange, ScaledPart};

use crate::checker::Checker;
use crate::data_size::warehouse_bytes;
use crate::file::{Experiment, Storage};
use crate::keys::choice::written_words;
use crate::keys::table::table;
use crate::shrink::{MEASURE_MIN, Rule, part, scale_time, scale_warehouses, shrink};
use crate::units::Span;
use crate::workload::{FileKind, RUNS_WHOLE, USERS_MAX, WAREHOUSES_MAX};

/// Rounds enough to find a loss that happens in one crash of seven (0.86 to the power of 20 is 5 %).
const DEFAULT_ROUNDS: u32 = 20;

table! {
    /// The durability test of TPC-C 3.5.4: a server crashes under load, and every acknowledged order must be
    /// there after the recovery. Each round is a cell.
    pub struct Durability "durability workload" {
        /// The name of this workload in tables; `durability` by default.
        name: Option<String>;
        /// The size of the database of each instance: roughly 80 MB per warehouse.
        warehouses: u32 = required("4").within(1, WAREHOUSES_MAX);
        /// The number of concurrent users of each instance, without think time.
        virtual_users: u32 = required("8").within(1, USERS_MAX);
        /// Time under load before the crash, at least one second.
        load_for: Span = required("\"20s\"");
        /// The number of crashes of each bed, instead of `design.repeats`; 20 by default.
        rounds: u32 = or(DEFAULT_ROUNDS).within(1, 1_000);
        /// The kind of crash.
        crash: Crash = or(Crash::Kill);
        /// True for an emulated drive that lies: a flush reports success, and nothing becomes durable. The
        /// test must then find losses. Needs `crash = "power"`.
        lying_flush: bool = implied(false);
    }
}

written_words! {
    /// The kind of a server's crash.
    pub enum Crash {
        /// The server's processes are killed at once (SIGKILL). Data that the operating system holds
        /// survives, so this tests the server's recovery, not its syncs. SQLite has no server process: the
        /// power is cut under it, which is the harder test.
        Kill = "kill",
        /// The power of the emulated drive is cut, and unsynced data is lost; a server's processes die with
        /// it. On emulated storage only.
        Power = "power",
    }
}

impl FileKind for Durability {
    fn levels(&self) -> Vec<f64> {
        vec![f64::from(self.virtual_users)]
    }

    fn level_name(&self) -> LevelName {
        LevelName::VirtualUsers
    }

    fn level_key(&self) -> &'static str {
        "rounds"
    }

    fn measure(&self) -> Span {
        self.load_for
    }

    fn measure_key(&self) -> (&'static str, &'static str) {
        ("load_for", "a load")
    }

    fn repeats(&self) -> Option<u32> {
        Some(self.rounds)
    }

    fn database_bytes(&self) -> u64 {
        warehouse_bytes(self.warehouses)
    }

    fn undealt(&self) -> Option<&'static str> {
        Some(RUNS_WHOLE)
    }

    fn check(&self, checker: &mut Checker<'_>, path: &str, experiment: &Experiment) {
        let path = format!("{path}.crash");
        if experiment.bed.iter().any(|bed| experiment.url_of(bed).is_some()) {
            let message = "a server that this program did not start is not crashed by it".to_owned();
            let help = "leave `url` out: the run then starts servers of its own, and crashes those";
            return checker.fault(&path, message, "", help);
        }
        if self.crash == Crash::Kill {
            if self.lying_flush {
                let message = "a flush that lies does no harm when only processes are killed".to_owned();
                checker.fault(&path, message, "", "use `crash = \"power\"`, or leave `lying_flush` out");
            }
            return;
        }
        let is_real = |storage: &Storage| matches!(storage, Storage::Real { .. });
        let on_real =
            experiment.bed.iter().find(|bed| is_real(&bed.storage) || bed.log.as_ref().is_some_and(is_real));
        if let Some(bed) = on_real.filter(|_| !checker.is_broken("bed")) {
            let message =
                format!("no program cuts the power of real storage, on which the bed `{}` stands", bed.name);
            let help = "use `crash = \"kill\"`, or emulated storage";
            checker.fault(&path, message, "", help);
        }
    }

    fn scale(&mut self, factor: f64, changes: &mut Vec<ScaleChange>) {
        scale_warehouses(&mut self.warehouses, factor, changes);
        let users = part(self.virtual_users, factor.sqrt());
        shrink(&mut self.virtual_users, users, ScaledPart::VirtualUsers, u32::to_string, changes);
        scale_time(&mut self.load_for, factor, MEASURE_MIN, ScaledPart::BeforeCrash, changes);
    }

    fn rule(&self) -> Rule {
        let (sizes, loads, stays) = (&[ScaledPart::Warehouses], &[ScaledPart::Users], &[ScaledPart::Rounds]);
        Rule { sizes, loads, has_times: true, stays, ..Rule::default() }
    }
}
