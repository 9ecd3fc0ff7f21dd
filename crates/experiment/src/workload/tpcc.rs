//! Order entry, derived from TPC-C: its keys, checks, scale and levels.

use std::time::Duration;

use words::{LevelName, ScaleChange, ScaleClause, ScaledPart};

use crate::checker::Checker;
use crate::data_size::warehouse_bytes;
use crate::file::Experiment;
use crate::keys::choice::{words_and_keys, written_words};
use crate::keys::table::table;
use crate::shrink::{
    MEASURE_MIN, RAMP_UP_MIN, Rule, scale_levels, scale_rate, scale_times, scale_warehouses,
};
use crate::units::Span;
use crate::workload::{FileKind, RATES, USERS_MAX, WAREHOUSES_MAX, numbers};

table! {
    /// Order entry, derived from TPC-C: each level runs the five transactions with one number of virtual
    /// users.
    pub struct Tpcc "tpcc workload" {
        /// The name of this workload in tables; `tpcc` by default.
        name: Option<String>;
        /// The size of the database of each instance: roughly 80 MB per warehouse.
        warehouses: u32 = required("4").within(1, WAREHOUSES_MAX);
        /// The levels: the number of concurrent users of each instance.
        virtual_users: Vec<u32> = levels("[1, 2, 4, 8]").within(1, USERS_MAX);
        /// The time at which a user sends its next transaction.
        pacing: Pacing = or(Pacing::None);
        /// The connections to each instance that paced users share, as those of a transaction monitor do. The
        /// wait for a connection is part of the latency. Chosen by the run by default. Users without pacing
        /// have one connection each.
        connections: Option<u32> = optional().within(1, 10_000);
        /// Time under load before the measurement.
        ramp_up: Span = required("\"5s\"");
        /// Measured time, at least one second.
        measure: Span = required("\"20s\"");
        /// The warehouses of a user.
        home: Home = or(Home::All);
        /// A set of deviations from the rules of TPC-C that another tool is known for; none by default.
        profile: Option<Profile>;
    }
}

words_and_keys! {
    /// The time at which a virtual user sends its next transaction.
    #[derive(Copy)]
    pub enum Pacing "pacing" {
        words {
            /// As soon as the last one is answered: a closed loop without think time, the default of
            /// HammerDB.
            None = "none",
            /// After the keying and think times of TPC-C 5.2.5. A warehouse has ten such users and gets at
            /// most 12.86 new orders a minute from them, so the load grows with users and warehouses, not
            /// with the speed of the server.
            Keyed = "keyed",
        }
        keys {
            /// At its arrival: an open loop of this many transactions a second to each instance, of all five
            /// kinds together, at times drawn from a Poisson process. The users take turns. Latency counts
            /// from the intended start, so a stalled server hides no arrival.
            ArrivalsPerSecond(f64) = "arrivals_per_second": required("500.0").within(RATES.0, RATES.1),
            /// After the keying and think times of TPC-C 5.2.5, each so many times as long: many users on a
            /// server that could not answer them at the pace of the clause. The report says so.
            KeyedTimes(f64) = "keyed_times": required("8.0").within(1.0, TIMES_MAX),
        }
    }
}

written_words! {
    /// The warehouses of a virtual user. They decide whether reads reach the drive at all.
    pub enum Home {
        /// Each transaction draws its warehouse, so that users access the whole database.
        All = "all",
        /// Each user keeps one warehouse, as in TPC-C: few users then access little of the database.
        Fixed = "fixed",
    }

    /// A set of deviations from TPC-C that another tool is known for, for comparison with its results.
    pub enum Profile {
        /// The inputs of HammerDB. Customers and items are drawn uniformly, so that none is hot (TPC-C skews
        /// them: NURand, 2.1.6). No customer is looked up by name, as in HammerDB's PostgreSQL functions
        /// (2.5.1.2 and 2.6.1.2: 60 % are), which makes about 29 % of all transactions lighter. No order is
        /// rolled back (2.4.1.4: 1 % are). The mix is drawn 10:10:1:1:1 for each transaction. With `home =
        /// "fixed"` each user draws its warehouse, so that several may share one. Data, statements and checks
        /// are those without the profile: they include the writes that HammerDB omits or makes wrongly. The
        /// report lists all of these deviations.
        HammerdbLike = "hammerdb-like",
    }
}

/// A user who pauses for so many times 21 s sends three transactions an hour.
const TIMES_MAX: f64 = 60.0;

impl Pacing {
    /// The factor of the keying and think times of TPC-C; `None` for users who do neither.
    pub fn keyed_factor(self) -> Option<f64> {
        match self {
            Pacing::Keyed => Some(1.0),
            Pacing::KeyedTimes(factor) => Some(factor),
            Pacing::None | Pacing::ArrivalsPerSecond(_) => None,
        }
    }

    /// True if users have pauses, so that they can share connections.
    pub fn is_paced(self) -> bool {
        !matches!(self, Pacing::None)
    }
}

/// A user who keys and thinks sends a transaction about every 21 s (5.2.5, weighted by the mix): shorter
/// phases would hold less than a few of each user's.
const KEYED_MEASURE_MIN: Duration = Duration::from_secs(60);
const KEYED_RAMP_UP_MIN: Duration = Duration::from_secs(30);

impl FileKind for Tpcc {
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

    fn users(&self) -> Option<&[u32]> {
        Some(&self.virtual_users)
    }

    fn check(&self, checker: &mut Checker<'_>, path: &str, _experiment: &Experiment) {
        if matches!(self.pacing, Pacing::KeyedTimes(_)) && self.profile.is_some() {
            let message = "the profile is one of users without pauses".to_owned();
            checker.fault(&format!("{path}.profile"), message, "", "leave `profile` or `pacing` out");
        }
        if self.connections.is_some()
            && !self.pacing.is_paced()
            && !checker.is_broken(&format!("{path}.pacing"))
        {
            let message =
                "`connections` is a pool that paced users share, and these are not paced".to_owned();
            let help = "leave it out: without pacing each user has a connection of its own; or write `pacing = \"keyed\"`";
            checker.fault(&format!("{path}.connections"), message, "", help);
        }
    }

    fn scale(&mut self, factor: f64, changes: &mut Vec<ScaleChange>) {
        scale_warehouses(&mut self.warehouses, factor, changes);
        let of_users = if self.pacing.keyed_factor().is_some() { factor } else { factor.sqrt() };
        scale_levels(&mut self.virtual_users, of_users, ScaledPart::VirtualUsers, changes);
        if let Pacing::ArrivalsPerSecond(rate) = &mut self.pacing {
            scale_rate(rate, factor, changes);
        }
        let floors = match self.pacing {
            Pacing::Keyed | Pacing::KeyedTimes(_) => [KEYED_RAMP_UP_MIN, KEYED_MEASURE_MIN],
            Pacing::None | Pacing::ArrivalsPerSecond(_) => [RAMP_UP_MIN, MEASURE_MIN],
        };
        scale_times(&mut self.ramp_up, &mut self.measure, factor, floors, changes);
    }

    fn rule(&self) -> Rule {
        let (loads, clauses): (&[ScaledPart], Vec<ScaleClause>) = match self.pacing {
            Pacing::None => (&[ScaledPart::Users], Vec::new()),
            Pacing::Keyed | Pacing::KeyedTimes(_) => (&[], vec![ScaleClause::Keyed]),
            Pacing::ArrivalsPerSecond(_) => (&[ScaledPart::Users, ScaledPart::Arrivals], Vec::new()),
        };
        Rule { sizes: &[ScaledPart::Warehouses], loads, clauses, has_times: true, ..Rule::default() }
    }
}
