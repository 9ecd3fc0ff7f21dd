//! Order entry, derived from TPC-C: under load, and crashed under load.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Span;
use crate::words::displayed_as_written;

/// Order entry, derived from TPC-C: every step runs the five transactions with one number of virtual users.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tpcc {
    /// What tables call this workload; `tpcc` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The size of the database of each instance: roughly 80 MB per warehouse.
    #[schemars(range(min = 1))]
    pub warehouses: u32,
    /// The levels: how many users send transactions to each instance at the same time.
    #[schemars(length(min = 1), inner(range(min = 1)))]
    pub virtual_users: Vec<u32>,
    /// When a user sends its next transaction.
    #[serde(default)]
    pub pacing: Pacing,
    /// The connections to each instance that its paced users share, as those of a transaction monitor do; waiting for one is
    /// a part of the latency and counted. Chosen by the run when left out. Users that are not paced have one connection each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000))]
    pub connections: Option<u32>,
    /// Time under load before measuring begins.
    pub ramp_up: Span,
    /// Time that is measured, at least one second.
    pub measure: Span,
    /// Which warehouses a user works on.
    #[serde(default)]
    pub home: Home,
    /// A set of deviations that another tool is known for, in place of the rules of TPC-C; none when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
}

/// Which warehouses a virtual user works on. It decides whether reads reach the drive at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Home {
    /// Each user keeps one warehouse, as TPC-C has it: few users then touch little of the database.
    Fixed,
    /// Each transaction draws its warehouse, so that the whole database is touched.
    #[default]
    All,
}

/// When a virtual user sends its next transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pacing {
    /// As soon as the last is answered: a closed loop without think time, as HammerDB runs by default.
    #[default]
    None,
    /// After the keying and think times of TPC-C 5.2.5. A warehouse has ten such users and gets 12.86 new orders a minute from
    /// them at most, so the load grows with users and warehouses, not with the speed of the server.
    Keyed,
    /// When it arrives: an open loop of this many transactions a second to each instance, of all five kinds together, at times drawn
    /// from a Poisson process. The users take turns; latency counts from the intended start, so a stalled server makes no arrival
    /// vanish.
    ArrivalsPerSecond(f64),
}

/// A set of deviations from TPC-C that another tool is known for, to compare with results of that tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The inputs of HammerDB. Customers and items are drawn uniformly, so that none is hot (TPC-C skews them: NURand, 2.1.6). No
    /// customer is looked up by name, as in HammerDB's PostgreSQL functions (2.5.1.2 and 2.6.1.2: 60 % are), which makes about 29 % of
    /// all transactions lighter. No order is rolled back (2.4.1.4: 1 % are). The mix is drawn 10:10:1:1:1 for each transaction
    /// apart. With `home = "fixed"` each user draws its warehouse, so that several may share one. Data, statements and checks are
    /// those without the profile: what HammerDB leaves unwritten or writes wrongly is written and right here. The report lists all
    /// of these.
    HammerdbLike,
}

/// The durability test of TPC-C 3.5.4: a server is crashed under load, and every order that it acknowledged must be there after it
/// has recovered. Each round is a cell of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Whether the emulated drive lies: a flush reports success, and nothing becomes durable. The test then has to find losses. Needs
    /// `crash = "power"`.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Crash {
    /// Its processes are killed at once (SIGKILL). What the operating system holds survives, so this tests the server's recovery
    /// and not what its syncs are worth. SQLite has no server process: the power is cut under it, which asks more.
    #[default]
    Kill,
    /// The power of the emulated drive is cut, and what was not synced is lost; a server's processes die with it. On emulated storage only.
    Power,
}

displayed_as_written! {
    Home { Fixed => "fixed", All => "all" }
    Profile { HammerdbLike => "hammerdb-like" }
    Crash { Kill => "kill", Power => "power" }
}

impl Pacing {
    /// Whether users wait on purpose, so that they can share connections.
    pub fn is_paced(self) -> bool {
        !matches!(self, Pacing::None)
    }
}
