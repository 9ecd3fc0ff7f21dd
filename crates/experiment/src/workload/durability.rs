//! The durability test: its keys, checks, scale and levels.

use schemars::JsonSchema;
use serde::Serialize;
use words::{LevelName, WorkloadKind};

use crate::check::Checker;
use crate::data_size::warehouse_bytes;
use crate::file::Experiment;
use crate::file::Storage;
use crate::keys::{keys, whole};
use crate::reader::Reader;
use crate::scale::rule::{MEASURE_MIN, part, scale_time, scale_warehouses, shrink};
use crate::structure::NO_SPAN;
use crate::units::Span;
use crate::words::written_words;
use crate::workload::{FileKind, USERS_MAX, WAREHOUSES_MAX};

/// The durability test of TPC-C 3.5.4: a server is crashed under load, and every order that it acknowledged
/// must be there after it has recovered. Each round is a cell of its own.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Durability {
    /// What tables call this workload; `durability` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The size of the database of each instance: roughly 80 MB per warehouse.
    #[schemars(range(min = 1))]
    pub warehouses: u32,
    /// How many users send transactions to each instance at the same time, without think time.
    #[schemars(range(min = 1))]
    pub virtual_users: u32,
    /// Time under load before the crash, at least one second.
    pub load_for: Span,
    /// How often each bed is crashed, in place of `design.repeats`; 20 when left out.
    #[serde(default = "twenty")]
    #[schemars(range(min = 1, max = 1000))]
    pub rounds: u32,
    /// How the server goes down.
    #[serde(default)]
    pub crash: Crash,
    /// Whether the emulated drive lies: a flush reports success, and nothing becomes durable. The test then
    /// has to find losses. Needs `crash = "power"`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lying_flush: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Rounds enough to find a loss that happens in one crash of seven (0.86 to the power of 20 is 5 %).
pub(crate) fn twenty() -> u32 {
    20
}

/// How a server goes down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Crash {
    /// Its processes are killed at once (SIGKILL). What the operating system holds survives, so this tests
    /// the server's recovery and not what its syncs are worth. SQLite has no server process: the power is cut
    /// under it, which asks more.
    #[default]
    Kill,
    /// The power of the emulated drive is cut, and what was not synced is lost; a server's processes die with
    /// it. On emulated storage only.
    Power,
}

written_words! {
    Crash { Kill => "kill", Power => "power" }
}

const ROUNDS_MAX: u32 = 1_000;

impl FileKind for Durability {
    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn kind(&self) -> WorkloadKind {
        WorkloadKind::Durability
    }

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

    fn database_bytes(&self) -> u64 {
        warehouse_bytes(self.warehouses)
    }

    fn check(&self, checker: &mut Checker<'_>, path: &str, experiment: &Experiment) {
        checker.durability(path, self, experiment)
    }

    fn scale(&mut self, factor: f64, changes: &mut Vec<String>) {
        scale_durability(self, factor, changes)
    }
}

keys! {
    Durability, "durability workload" beside "kind" {
        name: optional(Reader::text),
        warehouses: required("4", whole(1, WAREHOUSES_MAX)) or 1,
        virtual_users: required("8", whole(1, USERS_MAX)) or 1,
        load_for: required("\"20s\"", Reader::span) or NO_SPAN,
        rounds: optional(whole(1, ROUNDS_MAX)) or twenty(),
        crash: optional(Reader::word) or Crash::default(),
        lying_flush: optional(Reader::boolean) or false,
    }
}

impl Checker<'_> {
    fn durability(&mut self, path: &str, durability: &Durability, experiment: &Experiment) {
        let path = format!("{path}.crash");
        if experiment.bed.iter().any(|bed| experiment.url_of(bed).is_some()) {
            let message = "a server that this program did not start is not crashed by it".to_owned();
            let help = "leave `url` out: the run then starts servers of its own, and crashes those";
            return self.fault(&path, message, "", help);
        }
        if durability.crash == Crash::Kill {
            if durability.lying_flush {
                let message = "a flush that lies does no harm when only processes are killed".to_owned();
                self.fault(&path, message, "", "use `crash = \"power\"`, or leave `lying_flush` out");
            }
            return;
        }
        let is_real = |storage: &Storage| matches!(storage, Storage::Real { .. });
        let on_real =
            experiment.bed.iter().find(|bed| is_real(&bed.storage) || bed.log.as_ref().is_some_and(is_real));
        if let Some(bed) = on_real.filter(|_| !self.is_broken("bed")) {
            let message =
                format!("no program cuts the power of real storage, on which the bed `{}` stands", bed.name);
            let help = "use `crash = \"kill\"`, or emulated storage";
            self.fault(&path, message, "", help);
        }
    }
}

fn scale_durability(durability: &mut Durability, factor: f64, changes: &mut Vec<String>) {
    scale_warehouses(&mut durability.warehouses, factor, changes);
    let users = part(durability.virtual_users, factor.sqrt());
    shrink(&mut durability.virtual_users, users, "virtual users", u32::to_string, changes);
    scale_time(&mut durability.load_for, factor, MEASURE_MIN, "time before the crash", changes);
}
