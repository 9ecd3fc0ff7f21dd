//! Block I/O: from the document to the types.

use crate::reader::{Fields, Node, Reader};
use crate::units::{Share, Size};
use crate::workload::{
    Arrivals, Block, BlockEngine, Content, Find, Matrix, Precondition, Steady, SteadyMetric, Track, WHOLE,
    depth_max, five, nothing, one, passes_block, ten_percent_slope, tracked_iops, twenty_five,
    twenty_percent, two_passes, yes,
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
pub(crate) const MATRIX_KEYS: [&str; 2] = ["read", "block_size"];
pub(crate) const FIND_KEYS: [&str; 2] = ["percentile", "latency"];
pub(crate) const PRECONDITION_KEYS: [&str; 4] = ["purge", "passes", "block_size", "run_for"];
pub(crate) const STEADY_KEYS: [&str; 7] =
    ["track", "window", "excursion", "slope", "max_rounds", "every", "stop_after_writes"];
pub(crate) const TRACK_KEYS: [&str; 3] = ["metric", "read", "block_size"];
pub(crate) const CONTENT_KEYS: [&str; 2] = ["compressible", "duplicates"];

/// More I/Os in flight than this are a slip of the pen rather than a wish.
pub(super) const DEPTH_MAX: u32 = 4_096;
/// More threads or files than these, too.
pub(super) const WORKERS_MAX: u32 = 1_024;
pub(super) const FILES_MAX: u32 = 32_768;
const ROUNDS_MAX: u32 = 10_000;

pub(super) const ARRIVALS: [(&str, Arrivals); 2] =
    [("poisson", Arrivals::Poisson), ("fixed", Arrivals::Fixed)];

impl Reader {
    pub(crate) fn block(&mut self, node: &Node<'_>) -> Block {
        let fields = self.table(node, "block workload", &BLOCK_KEYS);
        let engines = [
            ("io_uring", BlockEngine::IoUring),
            ("psync", BlockEngine::Psync),
            ("null", BlockEngine::Null),
            ("modelled", BlockEngine::Modelled),
        ];
        let streams = self.tables(&fields, "stream", |reader, node| Some(reader.stream(node)));
        let own_loads = !streams.is_empty() && streams.iter().all(|stream| stream.has_own_load());
        let (depth, rate) = self.depth_or_rate(&fields, own_loads);
        let curve = fields.get("curve").and_then(|node| {
            self.list(&node, "[\"10%\", \"50%\", \"100%\"]", |reader, element| {
                reader.measured(element, "a percentage", ["%", ""])
            })
        });
        Block {
            name: self.optional_text(&fields, "name"),
            engine: self.optional_choice(&fields, "engine", &engines, BlockEngine::IoUring),
            size: self.file_size(&fields),
            paths: self.paths(&fields),
            files: self.optional_whole(&fields, "files", FILES_MAX).unwrap_or(one()),
            depth,
            rate,
            arrivals: self.optional_choice(&fields, "arrivals", &ARRIVALS, Arrivals::Poisson),
            depth_max: self.optional_whole(&fields, "depth_max", DEPTH_MAX).unwrap_or(depth_max()),
            workers: self.optional_whole(&fields, "workers", WORKERS_MAX).unwrap_or(one()),
            pin: self.flag(&fields, "pin", false),
            ramp_up: self.required_span(&fields, "ramp_up", "ramp_up = \"5s\""),
            measure: self.required_span(&fields, "measure", "measure = \"20s\""),
            direct: self.flag(&fields, "direct", yes()),
            verify: self.flag(&fields, "verify", false),
            curve,
            matrix: fields.get("matrix").map(|node| self.matrix(&node)),
            find: fields.get("find").and_then(|node| self.find(&node)),
            precondition: fields.get("precondition").map(|node| self.precondition(&node)),
            steady: fields.get("steady").map(|node| self.steady(&node)),
            content: fields.get("content").map(|node| self.content(&node)),
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

    fn matrix(&mut self, node: &Node<'_>) -> Matrix {
        let fields = self.table(node, "matrix", &MATRIX_KEYS);
        let read = fields.get("read").and_then(|node| {
            self.list(&node, "[\"100%\", \"50%\", \"0%\"]", |reader, element| reader.share(element))
        });
        let block_size = fields.get("block_size").and_then(|node| {
            self.list(&node, "[\"4KiB\", \"64KiB\"]", |reader, element| reader.size(element))
        });
        Matrix { read: read.unwrap_or_default(), block_size: block_size.unwrap_or_default() }
    }

    fn find(&mut self, node: &Node<'_>) -> Option<Find> {
        let fields = self.table(node, "search", &FIND_KEYS);
        let percentile = self.required(&fields, "percentile", "percentile = \"99%\"");
        let latency = self.required(&fields, "latency", "latency = \"1ms\"");
        let percentile = percentile.and_then(|node| self.share(&node));
        let latency = latency.and_then(|node| self.span(&node));
        Some(Find { percentile: percentile?, latency: latency? })
    }

    fn precondition(&mut self, node: &Node<'_>) -> Precondition {
        let fields = self.table(node, "preconditioning", &PRECONDITION_KEYS);
        let passes = fields.get("passes").and_then(|node| self.whole(&node, 0_u32, 100));
        Precondition {
            purge: self.flag(&fields, "purge", false),
            passes: passes.unwrap_or(two_passes()),
            block_size: fields.get("block_size").and_then(|node| self.size(&node)).unwrap_or(passes_block()),
            run_for: fields.get("run_for").and_then(|node| self.span(&node)),
        }
    }

    fn steady(&mut self, node: &Node<'_>) -> Steady {
        let fields = self.table(node, "steady state", &STEADY_KEYS);
        let example = "[{ metric = \"iops\", read = \"0%\", block_size = \"4KiB\" }]";
        let track = fields
            .get("track")
            .and_then(|node| self.list(&node, example, |reader, element| Some(reader.track(element))));
        let share =
            |reader: &mut Reader, key: &str| fields.get(key).and_then(|node: Node<'_>| reader.share(&node));
        let rounds = |reader: &mut Reader, key: &str, most: u32| {
            fields.get(key).and_then(|node: Node<'_>| reader.whole(&node, 2_u32, most))
        };
        Steady {
            track: track.unwrap_or_else(tracked_iops),
            window: rounds(self, "window", 100).unwrap_or(five()),
            excursion: share(self, "excursion").unwrap_or(twenty_percent()),
            slope: share(self, "slope").unwrap_or(ten_percent_slope()),
            max_rounds: rounds(self, "max_rounds", ROUNDS_MAX).unwrap_or(twenty_five()),
            every: self.optional_whole(&fields, "every", 1_000).unwrap_or(one()),
            stop_after_writes: fields.get("stop_after_writes").and_then(|node| self.number(&node)),
        }
    }

    fn track(&mut self, node: &Node<'_>) -> Track {
        let fields = self.table(node, "tracked figure", &TRACK_KEYS);
        let metrics = [
            ("iops", SteadyMetric::Iops),
            ("bandwidth", SteadyMetric::Bandwidth),
            ("latency", SteadyMetric::Latency),
        ];
        Track {
            metric: self.optional_choice(&fields, "metric", &metrics, SteadyMetric::Iops),
            read: fields.get("read").and_then(|node| self.share(&node)),
            block_size: fields.get("block_size").and_then(|node| self.size(&node)),
        }
    }

    fn content(&mut self, node: &Node<'_>) -> Content {
        let fields = self.table(node, "content", &CONTENT_KEYS);
        let share = |reader: &mut Reader, key: &str| -> Share {
            fields.get(key).and_then(|node| reader.share(&node)).unwrap_or(nothing())
        };
        Content { compressible: share(self, "compressible"), duplicates: share(self, "duplicates") }
    }
}
