//! What is done to databases besides transactions: from the document to the types.

use crate::reader::{Node, Reader};

use crate::workload::{
    Arm, Backup, Filesystem, Fragmentation, Method, Mitigation, Neighbour, NeighbourKind, Scan, alone, drill,
    five_seconds, hundred_bytes, one_neighbour, three,
};

pub(crate) const BACKUP_KEYS: [&str; 12] = [
    "kind",
    "name",
    "warehouses",
    "virtual_users",
    "method",
    "cycles",
    "pause",
    "target",
    "compress",
    "rate_limit",
    "ramp_up",
    "drill",
];
pub(crate) const SCAN_KEYS: [&str; 5] = ["kind", "name", "rows", "row_bytes", "selectivity"];
pub(crate) const FRAGMENTATION_KEYS: [&str; 6] =
    ["kind", "name", "rows", "row_bytes", "fragments", "filesystem"];
pub(crate) const NEIGHBOUR_KEYS: [&str; 15] = [
    "kind",
    "name",
    "victims",
    "warehouses",
    "virtual_users",
    "ramp_up",
    "measure",
    "neighbour",
    "neighbours",
    "interval",
    "method",
    "mitigation",
    "limit",
    "arms",
    "victims_taken_away",
];

/// Bounds beyond which a number is a slip of the pen rather than a wish.
const WAREHOUSES_MAX: u32 = 1_000_000;
const USERS_MAX: u32 = 100_000;
const CYCLES_MAX: u32 = 1_000;
const ROWS: (u32, u32) = (1_000, 2_000_000_000);
const ROW_BYTES_MAX: u32 = 4_000;
const INSTANCES_MAX: u32 = 64;

const METHODS: [(&str, Method); 2] = [("physical", Method::Physical), ("logical", Method::Logical)];

impl Reader {
    pub(super) fn backup(&mut self, node: &Node<'_>) -> Backup {
        let fields = self.table(node, "backup workload", &BACKUP_KEYS);
        let users = fields.get("virtual_users");
        let users = users.map(|node| {
            self.list(&node, "[0, 8]", |reader, element| reader.whole(element, 0_u32, USERS_MAX))
        });
        Backup {
            name: self.optional_text(&fields, "name"),
            warehouses: self.required_whole(&fields, "warehouses", "warehouses = 4", WAREHOUSES_MAX),
            virtual_users: users.map_or_else(alone, Option::unwrap_or_default),
            method: self.optional_choice(&fields, "method", &METHODS, Method::Physical),
            cycles: self.optional_whole(&fields, "cycles", CYCLES_MAX).unwrap_or(three()),
            pause: fields.get("pause").and_then(|node| self.span(&node)).unwrap_or_default(),
            target: fields.get("target").and_then(|node| self.storage(&node)),
            compress: fields.get("compress").and_then(|node| self.boolean(&node)).unwrap_or(false),
            rate_limit: fields.get("rate_limit").and_then(|node| self.size(&node)),
            ramp_up: fields.get("ramp_up").and_then(|node| self.span(&node)).unwrap_or(five_seconds()),
            drill: fields.get("drill").and_then(|node| self.boolean(&node)).unwrap_or(drill()),
        }
    }

    pub(super) fn scan(&mut self, node: &Node<'_>) -> Scan {
        let fields = self.table(node, "scan workload", &SCAN_KEYS);
        let example = "selectivity = [\"0.01%\", \"1%\", \"100%\"]";
        let selectivity = self.required(&fields, "selectivity", example).and_then(|node| {
            self.list(&node, "[\"0.01%\", \"1%\", \"100%\"]", |reader, element| reader.share(element))
        });
        let rows = self.required(&fields, "rows", "rows = 1000000");
        Scan {
            name: self.optional_text(&fields, "name"),
            rows: rows.and_then(|node| self.whole(&node, ROWS.0, ROWS.1)).unwrap_or(ROWS.0),
            row_bytes: self.optional_whole(&fields, "row_bytes", ROW_BYTES_MAX).unwrap_or(hundred_bytes()),
            selectivity: selectivity.unwrap_or_default(),
        }
    }

    pub(super) fn fragmentation(&mut self, node: &Node<'_>) -> Fragmentation {
        let fields = self.table(node, "fragmentation workload", &FRAGMENTATION_KEYS);
        let fragments = self
            .required(&fields, "fragments", "fragments = [\"1MiB\", \"64KiB\"]")
            .and_then(|node| self.list(&node, "[\"1MiB\"]", |reader, element| reader.size(element)));
        let rows = self.required(&fields, "rows", "rows = 1000000");
        let systems = [("ext4", Filesystem::Ext4), ("xfs", Filesystem::Xfs), ("btrfs", Filesystem::Btrfs)];
        Fragmentation {
            name: self.optional_text(&fields, "name"),
            rows: rows.and_then(|node| self.whole(&node, ROWS.0, ROWS.1)).unwrap_or(ROWS.0),
            row_bytes: self.optional_whole(&fields, "row_bytes", ROW_BYTES_MAX).unwrap_or(hundred_bytes()),
            fragments: fragments.unwrap_or_default(),
            filesystem: fields.get("filesystem").and_then(|node| self.choice(&node, &systems)),
        }
    }

    pub(super) fn neighbour(&mut self, node: &Node<'_>) -> Neighbour {
        let fields = self.table(node, "neighbour workload", &NEIGHBOUR_KEYS);
        let kinds = [
            ("backup", NeighbourKind::Backup),
            ("block", NeighbourKind::Block),
            ("database", NeighbourKind::Database),
            ("scan", NeighbourKind::Scan),
            ("idle", NeighbourKind::Idle),
        ];
        let mitigations = [
            ("rate-limit", Mitigation::RateLimit),
            ("idle-io", Mitigation::IdleIo),
            ("throttle", Mitigation::Throttle),
            ("weight", Mitigation::Weight),
        ];
        let kind = self.required(&fields, "neighbour", "neighbour = \"backup\"");
        let arms = fields.get("arms").and_then(|node| {
            let words: Vec<(&'static str, Arm)> = vec![
                ("alone", Arm::Alone),
                ("together", Arm::Together),
                ("with-neighbour", Arm::WithNeighbour),
                ("mitigated", Arm::Mitigated),
                ("neighbour-alone", Arm::NeighbourAlone),
            ];
            self.list(&node, "[\"together\", \"with-neighbour\"]", |reader, element| {
                reader.choice(element, &words)
            })
        });
        Neighbour {
            name: self.optional_text(&fields, "name"),
            victims: self.required_whole(&fields, "victims", "victims = 2", INSTANCES_MAX),
            warehouses: self.required_whole(&fields, "warehouses", "warehouses = 4", WAREHOUSES_MAX),
            virtual_users: self.required_whole(&fields, "virtual_users", "virtual_users = 8", USERS_MAX),
            ramp_up: self.required_span(&fields, "ramp_up", "ramp_up = \"5s\""),
            measure: self.required_span(&fields, "measure", "measure = \"60s\""),
            neighbour: kind.and_then(|node| self.choice(&node, &kinds)).unwrap_or(NeighbourKind::Idle),
            neighbours: self.optional_whole(&fields, "neighbours", INSTANCES_MAX).unwrap_or(one_neighbour()),
            interval: fields.get("interval").and_then(|node| self.span(&node)).unwrap_or_default(),
            method: self.optional_choice(&fields, "method", &METHODS, Method::Physical),
            mitigation: fields.get("mitigation").and_then(|node| self.choice(&node, &mitigations)),
            limit: fields.get("limit").and_then(|node| self.size(&node)),
            arms: arms.unwrap_or_default(),
            victims_taken_away: self.optional_whole(&fields, "victims_taken_away", INSTANCES_MAX - 1),
        }
    }
}
