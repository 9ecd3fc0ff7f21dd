//! Block I/O: from the document to the types.

use crate::keys::{Keyed, keys, list, table, whole};
use crate::reader::{Fields, Node, Reader};
use crate::units::Size;
use crate::workload::{
    Block, Content, Find, Matrix, Precondition, Steady, SteadyMetric, Stream, Track, WHOLE, depth_max, five,
    nothing, one, passes_block, ten_percent_slope, tracked_iops, twenty_five, twenty_percent, two_passes,
    yes,
};

pub(crate) const BLOCK_KEYS: [&str; 23] = [
    "kind",
    "name",
    "engine",
    "size",
    "paths",
    "files",
    "depth",
    "rate",
    "arrivals",
    "depth_max",
    "workers",
    "pin",
    "ramp_up",
    "measure",
    "direct",
    "verify",
    "curve",
    "matrix",
    "find",
    "precondition",
    "steady",
    "content",
    "stream",
];
pub(crate) const FIND_KEYS: [&str; 2] = ["percentile", "latency"];
/// More I/Os in flight than this are a slip of the pen rather than a wish.
pub(super) const DEPTH_MAX: u32 = 4_096;
/// More threads or files than these, too.
pub(super) const WORKERS_MAX: u32 = 1_024;
pub(super) const FILES_MAX: u32 = 32_768;
const ROUNDS_MAX: u32 = 10_000;
const TRACKED: &str = "[{ metric = \"iops\", read = \"0%\", block_size = \"4KiB\" }]";

impl Reader {
    pub(crate) fn block(&mut self, node: &Node<'_>) -> Block {
        let fields = self.table(node, "block workload", &BLOCK_KEYS);
        let streams = self.tables(&fields, "stream", table::<Stream>);
        let own_loads = !streams.is_empty() && streams.iter().all(|stream| stream.has_own_load());
        let (depth, rate) = self.depth_or_rate(&fields, own_loads);
        let curve = fields.get("curve").and_then(|node| {
            self.list(&node, "[\"10%\", \"50%\", \"100%\"]", |reader, element| {
                reader.measured(element, "a percentage", ["%", ""])
            })
        });
        Block {
            name: self.optional_text(&fields, "name"),
            engine: self.optional_word(&fields, "engine"),
            size: self.file_size(&fields),
            paths: self.paths(&fields),
            files: self.optional_whole(&fields, "files", FILES_MAX).unwrap_or(one()),
            depth,
            rate,
            arrivals: self.optional_word(&fields, "arrivals"),
            depth_max: self.optional_whole(&fields, "depth_max", DEPTH_MAX).unwrap_or(depth_max()),
            workers: self.optional_whole(&fields, "workers", WORKERS_MAX).unwrap_or(one()),
            pin: self.flag(&fields, "pin", false),
            ramp_up: self.required_span(&fields, "ramp_up", "ramp_up = \"5s\""),
            measure: self.required_span(&fields, "measure", "measure = \"20s\""),
            direct: self.flag(&fields, "direct", yes()),
            verify: self.flag(&fields, "verify", false),
            curve,
            matrix: fields.get("matrix").map(|node| Matrix::read(self, &node)),
            find: fields.get("find").and_then(|node| self.find(&node)),
            precondition: fields.get("precondition").map(|node| Precondition::read(self, &node)),
            steady: fields.get("steady").map(|node| Steady::read(self, &node)),
            content: fields.get("content").map(|node| Content::read(self, &node)),
            streams,
        }
    }

    /// Needed for files that are made; what is named by `paths` has a size of its own.
    fn file_size(&mut self, fields: &Fields<'_>) -> Size {
        if fields.get("paths").is_some() && fields.get("size").is_none() {
            return WHOLE;
        }
        self.required_size(fields, "size", "size = \"1GiB\"")
    }

    fn paths(&mut self, fields: &Fields<'_>) -> Vec<String> {
        let Some(node) = fields.get("paths") else { return Vec::new() };
        self.list(&node, "[\"/dev/disk/by-id/...\"]", |reader, element| reader.text(element))
            .unwrap_or_default()
    }

    pub(super) fn flag(&mut self, fields: &Fields<'_>, key: &str, or: bool) -> bool {
        fields.get(key).and_then(|node| self.boolean(&node)).unwrap_or(or)
    }

    /// The levels of a block workload: depths or rates, and not both; neither is needed when all streams have
    /// loads of their own.
    fn depth_or_rate(&mut self, fields: &Fields<'_>, own_loads: bool) -> (Vec<u32>, Option<Vec<f64>>) {
        let Some(rate) = fields.get("rate") else {
            if own_loads && fields.get("depth").is_none() {
                return (Vec::new(), None);
            }
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

    fn find(&mut self, node: &Node<'_>) -> Option<Find> {
        let fields = self.table(node, "search", &FIND_KEYS);
        let percentile = self.required(&fields, "percentile", "percentile = \"99%\"");
        let latency = self.required(&fields, "latency", "latency = \"1ms\"");
        let percentile = percentile.and_then(|node| self.share(&node));
        let latency = latency.and_then(|node| self.span(&node));
        Some(Find { percentile: percentile?, latency: latency? })
    }
}

keys! {
    Matrix, "matrix" {
        read: optional(list("[\"100%\", \"50%\", \"0%\"]", Reader::share)) or Vec::new(),
        block_size: optional(list("[\"4KiB\", \"64KiB\"]", Reader::size)) or Vec::new(),
    }
}

keys! {
    Precondition, "preconditioning" {
        purge: optional(Reader::boolean) or false,
        passes: optional(whole(0, 100)) or two_passes(),
        block_size: optional(Reader::size) or passes_block(),
        run_for: optional(Reader::span),
    }
}

keys! {
    Steady, "steady state" {
        track: optional(list(TRACKED, table::<Track>)) or tracked_iops(),
        window: optional(whole(2, 100)) or five(),
        excursion: optional(Reader::share) or twenty_percent(),
        slope: optional(Reader::share) or ten_percent_slope(),
        max_rounds: optional(whole(2, ROUNDS_MAX)) or twenty_five(),
        every: optional(whole(1, 1_000)) or one(),
        stop_after_writes: optional(Reader::number),
    }
}

keys! {
    Track, "tracked figure" {
        metric: optional(Reader::word) or SteadyMetric::default(),
        read: optional(Reader::share),
        block_size: optional(Reader::size),
    }
}

keys! {
    Content, "content" {
        compressible: optional(Reader::share) or nothing(),
        duplicates: optional(Reader::share) or nothing(),
    }
}
