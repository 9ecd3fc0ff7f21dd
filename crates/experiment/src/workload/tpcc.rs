//! Order entry, derived from TPC-C: its keys, checks, scale and levels.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use words::{LevelName, WorkloadKind};

use crate::check::Checker;
use crate::data_size::warehouse_bytes;
use crate::file::Experiment;
use crate::keys::{keys, levels, whole};
use crate::reader::{Node, Reader};
use crate::scale::rule::{MEASURE_MIN, RAMP_UP_MIN, scale_levels, scale_rate, scale_times, scale_warehouses};
use crate::structure::NO_SPAN;
use crate::units::Span;
use crate::words::written_words;
use crate::workload::{CONNECTIONS_MAX, FileKind, USERS_MAX, WAREHOUSES_MAX, numbers};

/// Order entry, derived from TPC-C: every step runs the five transactions with one number of virtual users.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
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
    /// The connections to each instance that its paced users share, as those of a transaction monitor do;
    /// waiting for one is a part of the latency and counted. Chosen by the run when left out. Users that are
    /// not paced have one connection each.
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
    /// A set of deviations that another tool is known for, in place of the rules of TPC-C; none when left
    /// out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
}

/// Which warehouses a virtual user works on. It decides whether reads reach the drive at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Home {
    /// Each user keeps one warehouse, as TPC-C has it: few users then touch little of the database.
    Fixed,
    /// Each transaction draws its warehouse, so that the whole database is touched.
    #[default]
    All,
}

/// When a virtual user sends its next transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pacing {
    /// As soon as the last is answered: a closed loop without think time, as HammerDB runs by default.
    #[default]
    None,
    /// After the keying and think times of TPC-C 5.2.5. A warehouse has ten such users and gets 12.86 new
    /// orders a minute from them at most, so the load grows with users and warehouses, not with the speed of
    /// the server.
    Keyed,
    /// When it arrives: an open loop of this many transactions a second to each instance, of all five kinds
    /// together, at times drawn from a Poisson process. The users take turns; latency counts from the
    /// intended start, so a stalled server makes no arrival vanish.
    ArrivalsPerSecond(f64),
}

/// A set of deviations from TPC-C that another tool is known for, to compare with results of that tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The inputs of HammerDB. Customers and items are drawn uniformly, so that none is hot (TPC-C skews
    /// them: NURand, 2.1.6). No customer is looked up by name, as in HammerDB's PostgreSQL functions (2.5.1.2
    /// and 2.6.1.2: 60 % are), which makes about 29 % of all transactions lighter. No order is rolled back
    /// (2.4.1.4: 1 % are). The mix is drawn 10:10:1:1:1 for each transaction apart. With `home = "fixed"`
    /// each user draws its warehouse, so that several may share one. Data, statements and checks are those
    /// without the profile: what HammerDB leaves unwritten or writes wrongly is written and right here. The
    /// report lists all of these.
    HammerdbLike,
}

written_words! {
    Home { All => "all", Fixed => "fixed" }
    Profile { HammerdbLike => "hammerdb-like" }
}

impl Pacing {
    /// Whether users wait on purpose, so that they can share connections.
    pub fn is_paced(self) -> bool {
        !matches!(self, Pacing::None)
    }
}

/// A user who keys and thinks sends a transaction about every 21 s (5.2.5, weighted by the mix): shorter
/// phases would hold less than a few of each user's.
const KEYED_MEASURE_MIN: Duration = Duration::from_secs(60);
const KEYED_RAMP_UP_MIN: Duration = Duration::from_secs(30);

impl FileKind for Tpcc {
    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn kind(&self) -> WorkloadKind {
        WorkloadKind::Tpcc
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

    fn measure(&self) -> Span {
        self.measure
    }

    fn database_bytes(&self) -> u64 {
        warehouse_bytes(self.warehouses)
    }

    fn check(&self, checker: &mut Checker<'_>, path: &str, _experiment: &Experiment) {
        checker.tpcc(path, self)
    }

    fn scale(&mut self, factor: f64, changes: &mut Vec<String>) {
        scale_tpcc(self, factor, changes)
    }
}

keys! {
    Tpcc, "tpcc workload" beside "kind" {
        name: optional(Reader::text),
        warehouses: required("4", whole(1, WAREHOUSES_MAX)) or 1,
        virtual_users: required("[1, 2, 4, 8]", levels(USERS_MAX)) or Vec::new(),
        pacing: optional(Reader::pacing) or Pacing::default(),
        connections: optional(whole(1, CONNECTIONS_MAX)),
        ramp_up: required("\"5s\"", Reader::span) or NO_SPAN,
        measure: required("\"20s\"", Reader::span) or NO_SPAN,
        home: optional(Reader::word) or Home::default(),
        profile: optional(Reader::word),
    }
}

impl Reader {
    fn pacing(&mut self, node: &Node<'_>) -> Option<Pacing> {
        if node.value.is_table() {
            let fields = self.table(node, "pacing", &["arrivals_per_second"]);
            let rate = self.required(&fields, "arrivals_per_second", "arrivals_per_second = 500.0")?;
            return self.number(&rate).map(Pacing::ArrivalsPerSecond);
        }
        let words =
            [("none", Some(Pacing::None)), ("keyed", Some(Pacing::Keyed)), ("arrivals_per_second", None)];
        let pacing = self.choice(node, &words)?;
        if pacing.is_none() {
            let help = "write { arrivals_per_second = 500.0 }".to_owned();
            self.fault(node, "this pacing needs its rate".to_owned(), "", Some(help));
        }
        pacing
    }
}

impl Checker<'_> {
    fn tpcc(&mut self, path: &str, tpcc: &Tpcc) {
        self.levels(&format!("{path}.virtual_users"), &tpcc.virtual_users, "[1, 2, 4, 8]");
        let pacing = format!("{path}.pacing");
        if let Pacing::ArrivalsPerSecond(rate) = tpcc.pacing {
            self.rate(&format!("{pacing}.arrivals_per_second"), rate);
        }
        if tpcc.connections.is_some() && !tpcc.pacing.is_paced() && !self.is_broken(&pacing) {
            let message =
                "`connections` is a pool that paced users share, and these are not paced".to_owned();
            let help = "leave it out: without pacing each user has a connection of its own; or write `pacing = \"keyed\"`";
            self.fault(&format!("{path}.connections"), message, "", help);
        }
    }
}

fn scale_tpcc(tpcc: &mut Tpcc, factor: f64, changes: &mut Vec<String>) {
    scale_warehouses(&mut tpcc.warehouses, factor, changes);
    let of_users = if tpcc.pacing == Pacing::Keyed { factor } else { factor.sqrt() };
    scale_levels(&mut tpcc.virtual_users, of_users, "virtual users", changes);
    if let Pacing::ArrivalsPerSecond(rate) = &mut tpcc.pacing {
        scale_rate(rate, factor, changes);
    }
    let floors = match tpcc.pacing {
        Pacing::Keyed => [KEYED_RAMP_UP_MIN, KEYED_MEASURE_MIN],
        Pacing::None | Pacing::ArrivalsPerSecond(_) => [RAMP_UP_MIN, MEASURE_MIN],
    };
    scale_times(&mut tpcc.ramp_up, &mut tpcc.measure, factor, floors, changes);
}
