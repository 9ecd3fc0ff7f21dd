//! From the document to the types: which keys there are, what each holds, what stands in for a key that was left out.
//!
//! The types' serde attributes say the same once more, for the JSON Schema and for writing; tests hold the two together.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::diagnostic::Fault;
use crate::file::{
    Bed, Database, Design, Engine, Experiment, Order, SCHEMA_VERSION, SmallestEffect, Storage, Synchronous,
    Treatment, here, ten_percent, three_percent,
};
use crate::reader::{Fields, Node, Reader};
use crate::units::{Share, Size, Span};
use crate::workload::{
    Block, BlockEngine, Home, OneOrMix, Part, Pattern, Stream, Tpcc, Workload, weight_1, yes,
};

pub(crate) const EXPERIMENT_KEYS: [&str; 9] =
    ["schema", "title", "question", "description", "published", "bed", "database", "workload", "design"];
pub(crate) const BED_KEYS: [&str; 6] = ["name", "label", "storage", "log", "memory", "setup"];
pub(crate) const STORAGE_KEYS: [&str; 3] = ["emulated", "path", "real"];
pub(crate) const DATABASE_KEYS: [&str; 4] = ["engine", "memory", "instances", "synchronous"];
pub(crate) const TPCC_KEYS: [&str; 7] =
    ["kind", "name", "warehouses", "virtual_users", "ramp_up", "measure", "home"];
pub(crate) const BLOCK_KEYS: [&str; 11] =
    ["kind", "name", "engine", "size", "depth", "rate", "ramp_up", "measure", "direct", "verify", "stream"];
pub(crate) const STREAM_KEYS: [&str; 4] = ["pattern", "read", "block_size", "weight"];
pub(crate) const DESIGN_KEYS: [&str; 6] =
    ["treatment", "baseline", "repeats", "order", "seed", "smallest_effect"];
pub(crate) const SMALLEST_EFFECT_KEYS: [&str; 2] = ["nopm", "p99"];

/// A value of each kind that stands in for one that could not be read; its path is broken, so nothing is checked against it.
const NO_SIZE: Size = Size(0);
const NO_SPAN: Span = Span(std::time::Duration::ZERO);

/// Bounds beyond which a number is a slip of the pen rather than a wish.
const WAREHOUSES_MAX: u32 = 1_000_000;
const USERS_MAX: u32 = 100_000;
const DEPTH_MAX: u32 = 4_096;
const REPEATS_MAX: u32 = 1_000;

impl Reader {
    fn size(&mut self, node: &Node<'_>) -> Option<Size> {
        self.measured(node, "a size", ["MiB", "MB"])
    }

    fn span(&mut self, node: &Node<'_>) -> Option<Span> {
        self.measured(node, "a time", ["s", "min"])
    }

    fn share(&mut self, node: &Node<'_>) -> Option<Share> {
        self.measured(node, "a percentage", ["%", ""])
    }

    fn optional_text(&mut self, fields: &Fields<'_>, key: &str) -> Option<String> {
        fields.get(key).and_then(|node| self.text(&node))
    }

    fn required_text(&mut self, fields: &Fields<'_>, key: &str, example: &str) -> String {
        self.required(fields, key, example).and_then(|node| self.text(&node)).unwrap_or_default()
    }

    fn required_size(&mut self, fields: &Fields<'_>, key: &str, example: &str) -> Size {
        self.required(fields, key, example).and_then(|node| self.size(&node)).unwrap_or(NO_SIZE)
    }

    fn required_span(&mut self, fields: &Fields<'_>, key: &str, example: &str) -> Span {
        self.required(fields, key, example).and_then(|node| self.span(&node)).unwrap_or(NO_SPAN)
    }

    fn whole_list(&mut self, node: &Node<'_>, most: u32) -> Option<Vec<u32>> {
        self.list(node, "[1, 2, 4]", |reader, element| reader.whole(element, 1_u32, most))
    }

    fn optional_choice<T: Copy>(
        &mut self,
        fields: &Fields<'_>,
        key: &str,
        words: &[(&'static str, T)],
        or: T,
    ) -> T {
        fields.get(key).and_then(|node| self.choice(&node, words)).unwrap_or(or)
    }

    /// The whole file. Only the version is read when it is one that this program does not know.
    pub(crate) fn experiment(&mut self, root: &Node<'_>) -> Option<Experiment> {
        let unchecked = self.open_table(root, "an experiment", root.value.as_table());
        let version = self.required(&unchecked, "schema", "schema = 1");
        let schema = version.as_ref().and_then(|node| self.whole(node, 1_u32, u32::MAX));
        if let (Some(node), Some(version)) = (&version, schema.filter(|version| *version != SCHEMA_VERSION)) {
            let message =
                format!("this file has schema {version}, and this program reads schema {SCHEMA_VERSION}");
            let help = "use a newer drivetrain, or write the file in schema 1".to_owned();
            self.fault(node, message, "not a version that is known here", Some(help));
            return None;
        }
        let fields = self.table(root, "an experiment", &EXPERIMENT_KEYS);
        Some(Experiment {
            schema: SCHEMA_VERSION,
            title: self.required_text(&fields, "title", "title = \"What this storage does for my database\""),
            question: self.optional_text(&fields, "question"),
            description: self.optional_text(&fields, "description"),
            published: self.optional_text(&fields, "published"),
            bed: self.tables(&fields, "bed", Reader::bed),
            database: fields.get("database").map(|node| self.database(&node)),
            workload: self.tables(&fields, "workload", Reader::workload),
            design: fields.get("design").map(|node| self.design(&node)).unwrap_or_default(),
        })
    }

    /// The tables `[[key]]`, of which there must be one at least.
    fn tables<T>(
        &mut self,
        fields: &Fields<'_>,
        key: &str,
        mut read: impl FnMut(&mut Reader, &Node<'_>) -> Option<T>,
    ) -> Vec<T> {
        let header = format!("[[{}]]", if key == "stream" { "workload.stream" } else { key });
        let Some(node) = self.required(fields, key, &header) else { return Vec::new() };
        if node.value.as_array().is_some_and(|array| array.is_empty()) {
            self.fault(&node, format!("`{key}` is empty"), "", Some(format!("write one {header} at least")));
        } else if node.value.is_table() {
            let single = header.trim_start_matches('[').trim_end_matches(']');
            let help = format!("write {header} with two brackets: there may be several");
            self.fault(
                &node,
                format!("`{key}` must be a list of tables"),
                format!("[{single}] is one table"),
                Some(help),
            );
            return Vec::new();
        }
        let read_one = |reader: &mut Reader, element: &Node<'_>| Some(read(reader, element));
        let elements = self.list(&node, &header, read_one).unwrap_or_default();
        elements.into_iter().flatten().collect()
    }

    fn bed(&mut self, node: &Node<'_>) -> Option<Bed> {
        let fields = self.table(node, "a bed", &BED_KEYS);
        let example = "storage = { emulated = \"kingston-dc1500m-960g\", path = \".\" }";
        let storage = self.required(&fields, "storage", example).and_then(|node| self.storage(&node));
        Some(Bed {
            name: self.required_text(&fields, "name", "name = \"nvme\""),
            label: self.optional_text(&fields, "label"),
            storage: storage.unwrap_or(Storage::Real { path: here() }),
            log: fields.get("log").and_then(|node| self.storage(&node)),
            memory: fields.get("memory").and_then(|node| self.size(&node)),
            setup: fields.get("setup").map(|node| self.setup(&node)).unwrap_or_default(),
        })
    }

    fn setup(&mut self, node: &Node<'_>) -> BTreeMap<String, String> {
        if !node.value.is_table() {
            self.table(node, "the set-up as published", &[]);
        }
        let fields = self.open_table(node, "the set-up as published", node.value.as_table());
        let entries: Vec<(&str, Node<'_>)> = fields.entries().collect();
        entries.iter().filter_map(|(key, value)| Some(((*key).to_owned(), self.text(value)?))).collect()
    }

    fn storage(&mut self, node: &Node<'_>) -> Option<Storage> {
        let forms = "write { emulated = \"kingston-dc1500m-960g\", path = \".\" } for a modelled drive, or { real = \"/mnt/nvme\" } for a real path";
        if !node.value.is_table() {
            let key = node.path.rsplit('.').next().unwrap_or_default();
            self.fault(
                node,
                format!("`{key}` must say what kind of storage it is"),
                "",
                Some(forms.to_owned()),
            );
            return None;
        }
        let fields = self.table(node, "a storage", &STORAGE_KEYS);
        let path = self.optional_text(&fields, "path");
        match (fields.get("emulated"), fields.get("real")) {
            (Some(drive), None) => {
                let drive = self.text(&drive)?;
                Some(Storage::Emulated { drive, path: path.map_or_else(here, PathBuf::from) })
            }
            (None, Some(real)) => {
                if let Some(extra) = fields.get("path") {
                    let help = "leave `path` out: `real` is the path".to_owned();
                    self.fault(&extra, "`path` does not go with `real`".to_owned(), "", Some(help));
                }
                Some(Storage::Real { path: PathBuf::from(self.text(&real)?) })
            }
            (Some(_), Some(_)) => {
                let message = "a storage cannot be emulated and real at once".to_owned();
                self.fault(node, message, "has both keys", Some(forms.to_owned()));
                None
            }
            (None, None) => {
                if !self.broken.contains(&fields.path_of("emulated"))
                    && !self.broken.contains(&fields.path_of("real"))
                {
                    let message = "the storage says neither `emulated` nor `real`".to_owned();
                    self.fault(node, message, "", Some(forms.to_owned()));
                }
                self.broken.insert(node.path.clone());
                None
            }
        }
    }

    fn database(&mut self, node: &Node<'_>) -> Database {
        let fields = self.table(node, "the database", &DATABASE_KEYS);
        let levels =
            [("full", Synchronous::Full), ("normal", Synchronous::Normal), ("off", Synchronous::Off)];
        let instances = fields.get("instances").and_then(|node| self.whole(&node, 1_u32, 10_000));
        Database {
            engine: fields.get("engine").and_then(|node| self.engine(&node)).unwrap_or_default(),
            memory: self.required_size(&fields, "memory", "memory = \"32MiB\""),
            instances: instances.unwrap_or(1),
            synchronous: self.optional_choice(&fields, "synchronous", &levels, Synchronous::Full),
        }
    }

    fn engine(&mut self, node: &Node<'_>) -> Option<Engine> {
        let later = ["postgresql", "mariadb", "sqlserver"];
        if let Some(name) = node.value.as_str().filter(|name| later.contains(name)) {
            let message = format!("the engine `{name}` is not built into this version");
            self.fault(node, message, "", Some("use \"sqlite\", the only engine for now".to_owned()));
            return None;
        }
        self.choice(node, &[("sqlite", Engine::Sqlite)])
    }

    fn workload(&mut self, node: &Node<'_>) -> Option<Workload> {
        let unchecked = self.open_table(node, "a workload", node.value.as_table());
        if !node.value.is_table() {
            self.table(node, "a workload", &[]);
            return None;
        }
        let kind = self.required(&unchecked, "kind", "kind = \"tpcc\"")?;
        if self.choice(&kind, &[("tpcc", true), ("block", false)])? {
            Some(Workload::Tpcc(self.tpcc(node)))
        } else {
            Some(Workload::Block(self.block(node)))
        }
    }

    fn tpcc(&mut self, node: &Node<'_>) -> Tpcc {
        let fields = self.table(node, "a tpcc workload", &TPCC_KEYS);
        let warehouses = self.required(&fields, "warehouses", "warehouses = 4");
        let users = self.required(&fields, "virtual_users", "virtual_users = [1, 2, 4, 8]");
        let homes = [("all", Home::All), ("fixed", Home::Fixed)];
        Tpcc {
            name: self.optional_text(&fields, "name"),
            warehouses: warehouses.and_then(|node| self.whole(&node, 1_u32, WAREHOUSES_MAX)).unwrap_or(1),
            virtual_users: users.and_then(|node| self.whole_list(&node, USERS_MAX)).unwrap_or_default(),
            ramp_up: self.required_span(&fields, "ramp_up", "ramp_up = \"5s\""),
            measure: self.required_span(&fields, "measure", "measure = \"20s\""),
            home: self.optional_choice(&fields, "home", &homes, Home::All),
        }
    }

    fn block(&mut self, node: &Node<'_>) -> Block {
        let fields = self.table(node, "a block workload", &BLOCK_KEYS);
        let engines = [
            ("io_uring", BlockEngine::IoUring),
            ("psync", BlockEngine::Psync),
            ("null", BlockEngine::Null),
            ("modelled", BlockEngine::Modelled),
        ];
        let (depth, rate) = self.depth_or_rate(&fields);
        Block {
            name: self.optional_text(&fields, "name"),
            engine: self.optional_choice(&fields, "engine", &engines, BlockEngine::IoUring),
            size: self.required_size(&fields, "size", "size = \"1GiB\""),
            depth,
            rate,
            ramp_up: self.required_span(&fields, "ramp_up", "ramp_up = \"5s\""),
            measure: self.required_span(&fields, "measure", "measure = \"20s\""),
            direct: fields.get("direct").and_then(|node| self.boolean(&node)).unwrap_or(yes()),
            verify: fields.get("verify").and_then(|node| self.boolean(&node)).unwrap_or(false),
            streams: self.tables(&fields, "stream", |reader, node| Some(reader.stream(node))),
        }
    }

    /// The levels of a block workload: depths or rates, and not both.
    fn depth_or_rate(&mut self, fields: &Fields<'_>) -> (Vec<u32>, Option<Vec<f64>>) {
        let Some(rate) = fields.get("rate") else {
            let depth = self.required(fields, "depth", "depth = [1, 8, 32]");
            return (depth.and_then(|node| self.whole_list(&node, DEPTH_MAX)).unwrap_or_default(), None);
        };
        if let Some(depth) = fields.get("depth") {
            let message = "levels are either depths or rates, not both".to_owned();
            let help = "leave `depth` or `rate` out, or write two workloads".to_owned();
            self.fault(&depth, message, "goes without `rate` only", Some(help));
        }
        let rates = self.list(&rate, "[1000, 5000]", |reader, element| reader.number(element));
        (Vec::new(), Some(rates.unwrap_or_default()))
    }

    fn stream(&mut self, node: &Node<'_>) -> Stream {
        let fields = self.table(node, "a stream", &STREAM_KEYS);
        let read = self.required(&fields, "read", "read = \"70%\"");
        let block_size = self.required(&fields, "block_size", "block_size = \"4KiB\"");
        Stream {
            pattern: fields.get("pattern").and_then(|node| self.pattern(&node)).unwrap_or_default(),
            read: read.and_then(|node| self.share(&node)).unwrap_or(Share(1.0)),
            block_size: block_size.and_then(|node| self.block_size(&node)).unwrap_or(OneOrMix::One(NO_SIZE)),
            weight: fields.get("weight").and_then(|node| self.number(&node)).unwrap_or(weight_1()),
        }
    }

    fn pattern(&mut self, node: &Node<'_>) -> Option<Pattern> {
        if !node.value.is_table() {
            let words = [
                ("sequential", Some(Pattern::Sequential)),
                ("uniform", Some(Pattern::Uniform)),
                ("zipf", None),
                ("hot_spot", None),
            ];
            let pattern = self.choice(node, &words)?;
            if pattern.is_none() {
                let help =
                    "write { zipf = 1.1 } or { hot_spot = { share = \"20%\", access = \"80%\" } }".to_owned();
                self.fault(node, "this pattern needs its parameters".to_owned(), "", Some(help));
            }
            return pattern;
        }
        let fields = self.table(node, "a pattern", &["zipf", "hot_spot"]);
        match (fields.get("zipf"), fields.get("hot_spot")) {
            (Some(exponent), None) => self.number(&exponent).map(Pattern::Zipf),
            (None, Some(spot)) => {
                let fields = self.table(&spot, "a hot spot", &["share", "access"]);
                let share =
                    self.required(&fields, "share", "share = \"20%\"").and_then(|node| self.share(&node));
                let access =
                    self.required(&fields, "access", "access = \"80%\"").and_then(|node| self.share(&node));
                Some(Pattern::HotSpot { share: share?, access: access? })
            }
            _ => {
                let message = "a pattern must be one of `zipf` and `hot_spot`".to_owned();
                self.fault(node, message, "", Some("write for example { zipf = 1.1 }".to_owned()));
                None
            }
        }
    }

    fn block_size(&mut self, node: &Node<'_>) -> Option<OneOrMix> {
        if !node.value.is_array() {
            return self.size(node).map(OneOrMix::One);
        }
        let example = "[{ size = \"4KiB\", share = \"60%\" }, { size = \"64KiB\", share = \"40%\" }]";
        let parts = self.list(node, example, |reader, element| {
            let fields = reader.table(element, "a part of a size mix", &["size", "share"]);
            let size =
                reader.required(&fields, "size", "size = \"4KiB\"").and_then(|node| reader.size(&node));
            let share =
                reader.required(&fields, "share", "share = \"60%\"").and_then(|node| reader.share(&node));
            Some(Part { size: size?, share: share? })
        });
        parts.map(OneOrMix::Mix)
    }

    fn design(&mut self, node: &Node<'_>) -> Design {
        let fields = self.table(node, "the design", &DESIGN_KEYS);
        let treatments =
            [("storage", Treatment::Storage), ("memory", Treatment::Memory), ("log", Treatment::Log)];
        let treatment = fields.get("treatment").and_then(|node| {
            self.list(&node, "[\"storage\"]", |reader, element| reader.choice(element, &treatments))
        });
        let repeats = fields.get("repeats").and_then(|node| self.whole(&node, 1_u32, REPEATS_MAX));
        let orders = [("interleaved", Order::Interleaved), ("sequential", Order::Sequential)];
        Design {
            treatment: treatment.unwrap_or_default(),
            baseline: self.optional_text(&fields, "baseline"),
            repeats: repeats.unwrap_or(crate::file::DEFAULT_REPEATS),
            order: self.optional_choice(&fields, "order", &orders, Order::Interleaved),
            seed: fields.get("seed").and_then(|node| self.seed(&node)),
            smallest_effect: fields
                .get("smallest_effect")
                .map(|node| self.smallest_effect(&node))
                .unwrap_or_default(),
        }
    }

    fn seed(&mut self, node: &Node<'_>) -> Option<u64> {
        let Some(text) = node.value.as_str() else { return self.whole(node, 0_u64, u64::MAX) };
        let seed = text.parse().ok();
        if seed.is_none() {
            let help = Some(
                "write a number, in quotation marks only when it is above 9223372036854775807".to_owned(),
            );
            self.fault(node, format!("`{text}` is not a seed"), "", help);
        }
        seed
    }

    fn smallest_effect(&mut self, node: &Node<'_>) -> SmallestEffect {
        let fields = self.table(node, "the smallest effect", &SMALLEST_EFFECT_KEYS);
        SmallestEffect {
            nopm: fields.get("nopm").and_then(|node| self.share(&node)).unwrap_or(three_percent()),
            p99: fields.get("p99").and_then(|node| self.share(&node)).unwrap_or(ten_percent()),
        }
    }
}

/// The document's root as a node, placed at the first character of the text.
pub(crate) fn root<'d>(value: &'d toml::de::DeValue<'d>) -> Node<'d> {
    Node { path: String::new(), span: 0..0, value }
}

/// A fault of the TOML text itself.
pub(crate) fn syntax_fault(error: &toml::de::Error) -> Fault {
    Fault {
        span: error.span().unwrap_or(0..0),
        message: error.message().to_owned(),
        label: String::new(),
        help: None,
    }
}
