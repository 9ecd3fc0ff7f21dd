//! Noisy neighbours: what a backup, a stream of I/O or another database next door does to transactions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use words::Arm;

use crate::units::{Size, Span};
use crate::words::displayed_as_written;
use crate::workload::backup::Method;

/// The same databases under load in every arm, with and without a neighbour on their storage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Neighbour {
    /// What tables call this workload; `neighbour` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How many databases are under load, the same in every arm.
    #[schemars(range(min = 1, max = 64))]
    pub victims: u32,
    /// The size of each database: roughly 80 MB per warehouse of order entry.
    #[schemars(range(min = 1))]
    pub warehouses: u32,
    /// Users of each database.
    #[schemars(range(min = 1))]
    pub virtual_users: u32,
    /// Time under load before measuring begins. The neighbour begins with measuring.
    pub ramp_up: Span,
    /// Time that is measured, at least one second.
    pub measure: Span,
    /// What stands next door.
    pub neighbour: Kind,
    /// How many of it; 1 when left out.
    #[serde(default = "one_neighbour")]
    #[schemars(range(min = 1, max = 64))]
    pub neighbours: u32,
    /// A backup begins every so often, or as soon as the last one has ended; one after the other when left out.
    #[serde(default)]
    pub interval: Span,
    /// The way of the backups.
    #[serde(default)]
    pub method: Method,
    /// What is tried against it in the arm `mitigated`; needed with that arm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mitigation: Option<Mitigation>,
    /// The neighbour's share of the storage for `rate-limit` and `throttle`, per second, for example `"20MiB"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Size>,
    /// The levels: which arms are run. All five when left out, and without `mitigated` where there is no `mitigation`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arms: Vec<Arm>,
    /// The published design, kept to show what it cannot: so many of the victims are taken away beside the neighbours. What remains has
    /// the storage with fewer others than before, so that no slowdown can be computed from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 63))]
    pub victims_taken_away: Option<u32>,
}

pub(crate) fn one_neighbour() -> u32 {
    1
}

/// What stands next door.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Backups of a database of its own, on a clock, onto the same storage.
    Backup,
    /// Large writes and reads without pause.
    Block,
    /// Another database under the same load.
    Database,
    /// Full scans of another database's largest table.
    Scan,
    /// Nothing: an A/A run, whose slowdown must come out as none.
    Idle,
}

/// What is tried against a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mitigation {
    /// The tool holds itself to `limit`.
    RateLimit,
    /// The neighbour's processes ask for the drive only when nobody else does. The schedulers BFQ and mq-deadline honour it; under
    /// another one the arm is marked as not available.
    IdleIo,
    /// The kernel holds the neighbour to `limit`: `io.max` or `blkio.throttle` of control groups. Needs root.
    Throttle,
    /// The kernel gives the neighbour the smallest share of a drive that is asked for more than it can do: io.cost of control groups
    /// (version 2), or the weights of the scheduler BFQ. Needs root; where there is neither, the arm is marked as not available.
    Weight,
}

displayed_as_written! {
    Kind { Backup => "backup", Block => "block", Database => "database", Scan => "scan", Idle => "idle" }
    Mitigation { RateLimit => "rate-limit", IdleIo => "idle-io", Throttle => "throttle", Weight => "weight" }
}

impl Neighbour {
    /// The arms that are run, in the order of the file, else all that apply.
    pub fn arms(&self) -> Vec<Arm> {
        if !self.arms.is_empty() {
            return self.arms.clone();
        }
        Arm::ALL.iter().copied().filter(|arm| *arm != Arm::Mitigated || self.mitigation.is_some()).collect()
    }

    /// Victims under load beside the neighbour.
    pub fn victims_beside(&self) -> u32 {
        self.victims.saturating_sub(self.victims_taken_away.unwrap_or(0)).max(1)
    }

    /// What an arm puts on the storage, in a few words.
    pub fn in_words(&self, arm: Arm) -> String {
        let victims = self.victims;
        let neighbour = format!("{} x {}", self.neighbours, self.neighbour);
        match arm {
            Arm::Alone => format!("each of {victims} victims by itself"),
            Arm::Together => format!("{victims} victims together"),
            Arm::WithNeighbour => format!("{} victims beside {neighbour}", self.victims_beside()),
            Arm::Mitigated => {
                let what = self.mitigation.map(|m| m.to_string()).unwrap_or_default();
                format!("{} victims beside {neighbour}, mitigated by {what}", self.victims_beside())
            }
            Arm::NeighbourAlone => format!("{neighbour} without victims"),
        }
    }
}
