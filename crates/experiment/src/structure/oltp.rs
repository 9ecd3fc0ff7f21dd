//! The loads on databases: from the document to the types.

use crate::reader::{Fields, Node, Reader};
use crate::workload::{
    Crash, Distribution, Durability, Home, Pacing, Profile, Sysbench, SysbenchTest, Tpcc, hundred_rows,
    one_table, ten_thousand_rows, twenty,
};

pub(crate) const TPCC_KEYS: [&str; 10] = [
    "kind",
    "name",
    "warehouses",
    "virtual_users",
    "pacing",
    "connections",
    "ramp_up",
    "measure",
    "home",
    "profile",
];
pub(crate) const SYSBENCH_KEYS: [&str; 11] = [
    "kind",
    "name",
    "test",
    "tables",
    "rows",
    "threads",
    "ramp_up",
    "measure",
    "distribution",
    "range_size",
    "rate",
];
pub(crate) const DURABILITY_KEYS: [&str; 8] =
    ["kind", "name", "warehouses", "virtual_users", "load_for", "rounds", "crash", "lying_flush"];

/// Bounds beyond which a number is a slip of the pen rather than a wish.
const WAREHOUSES_MAX: u32 = 1_000_000;
const USERS_MAX: u32 = 100_000;
const CONNECTIONS_MAX: u32 = 10_000;
const ROUNDS_MAX: u32 = 1_000;
const TABLES_MAX: u32 = 10_000;
/// Keys of sysbench's rows are integers of 32 bits with a sign.
const ROWS_MAX: u32 = 2_000_000_000;
const THREADS_MAX: u32 = 10_000;
const RANGE_MAX: u32 = 1_000_000;

impl Reader {
    pub(super) fn optional_whole(&mut self, fields: &Fields<'_>, key: &str, most: u32) -> Option<u32> {
        fields.get(key).and_then(|node| self.whole(&node, 1_u32, most))
    }

    pub(super) fn required_whole(&mut self, fields: &Fields<'_>, key: &str, example: &str, most: u32) -> u32 {
        self.required(fields, key, example).and_then(|node| self.whole(&node, 1_u32, most)).unwrap_or(1)
    }

    fn required_levels(&mut self, fields: &Fields<'_>, key: &str, example: &str, most: u32) -> Vec<u32> {
        self.required(fields, key, example).and_then(|node| self.whole_list(&node, most)).unwrap_or_default()
    }

    pub(super) fn tpcc(&mut self, node: &Node<'_>) -> Tpcc {
        let fields = self.table(node, "tpcc workload", &TPCC_KEYS);
        let homes = [("all", Home::All), ("fixed", Home::Fixed)];
        let profiles = [("hammerdb-like", Profile::HammerdbLike)];
        Tpcc {
            name: self.optional_text(&fields, "name"),
            warehouses: self.required_whole(&fields, "warehouses", "warehouses = 4", WAREHOUSES_MAX),
            virtual_users: self.required_levels(
                &fields,
                "virtual_users",
                "virtual_users = [1, 2, 4, 8]",
                USERS_MAX,
            ),
            pacing: fields.get("pacing").and_then(|node| self.pacing(&node)).unwrap_or_default(),
            connections: self.optional_whole(&fields, "connections", CONNECTIONS_MAX),
            ramp_up: self.required_span(&fields, "ramp_up", "ramp_up = \"5s\""),
            measure: self.required_span(&fields, "measure", "measure = \"20s\""),
            home: self.optional_choice(&fields, "home", &homes, Home::All),
            profile: fields.get("profile").and_then(|node| self.choice(&node, &profiles)),
        }
    }

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

    pub(super) fn sysbench(&mut self, node: &Node<'_>) -> Sysbench {
        let fields = self.table(node, "sysbench workload", &SYSBENCH_KEYS);
        let tests = [
            ("oltp_read_write", SysbenchTest::OltpReadWrite),
            ("oltp_read_only", SysbenchTest::OltpReadOnly),
            ("oltp_write_only", SysbenchTest::OltpWriteOnly),
            ("oltp_point_select", SysbenchTest::OltpPointSelect),
            ("oltp_update_index", SysbenchTest::OltpUpdateIndex),
            ("oltp_update_non_index", SysbenchTest::OltpUpdateNonIndex),
        ];
        let distributions = [
            ("special", Distribution::Special),
            ("uniform", Distribution::Uniform),
            ("pareto", Distribution::Pareto),
            ("zipf", Distribution::Zipf),
        ];
        let test = self.required(&fields, "test", "test = \"oltp_read_write\"");
        Sysbench {
            name: self.optional_text(&fields, "name"),
            test: test.and_then(|node| self.choice(&node, &tests)).unwrap_or(SysbenchTest::OltpReadWrite),
            tables: self.optional_whole(&fields, "tables", TABLES_MAX).unwrap_or(one_table()),
            rows: self.optional_whole(&fields, "rows", ROWS_MAX).unwrap_or(ten_thousand_rows()),
            threads: self.required_levels(&fields, "threads", "threads = [1, 8, 32]", THREADS_MAX),
            ramp_up: self.required_span(&fields, "ramp_up", "ramp_up = \"5s\""),
            measure: self.required_span(&fields, "measure", "measure = \"20s\""),
            distribution: self.optional_choice(
                &fields,
                "distribution",
                &distributions,
                Distribution::Special,
            ),
            range_size: self.optional_whole(&fields, "range_size", RANGE_MAX).unwrap_or(hundred_rows()),
            rate: fields.get("rate").and_then(|node| self.number(&node)),
        }
    }

    pub(super) fn durability(&mut self, node: &Node<'_>) -> Durability {
        let fields = self.table(node, "durability workload", &DURABILITY_KEYS);
        let crashes = [("kill", Crash::Kill), ("power", Crash::Power)];
        Durability {
            name: self.optional_text(&fields, "name"),
            warehouses: self.required_whole(&fields, "warehouses", "warehouses = 4", WAREHOUSES_MAX),
            virtual_users: self.required_whole(&fields, "virtual_users", "virtual_users = 8", USERS_MAX),
            load_for: self.required_span(&fields, "load_for", "load_for = \"20s\""),
            rounds: self.optional_whole(&fields, "rounds", ROUNDS_MAX).unwrap_or(twenty()),
            crash: self.optional_choice(&fields, "crash", &crashes, Crash::Kill),
            lying_flush: fields
                .get("lying_flush")
                .is_some_and(|node| self.boolean(&node).unwrap_or_default()),
        }
    }
}
