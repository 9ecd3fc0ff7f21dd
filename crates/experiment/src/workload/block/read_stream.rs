//! A stream of a block workload: from the document to the types.

use toml::de::DeValue;

use super::read::{ARRIVALS, DEPTH_MAX, FILES_MAX, WORKERS_MAX};
use crate::reader::{Fields, Node, Reader};
use crate::structure::{NO_SIZE, NO_SPAN};
use crate::units::Share;
use crate::workload::{
    Band, Burst, Cursor, Discard, DiscardRule, Extent, FileChoice, OneOrMix, Part, Pattern, Place, Stream,
    StreamTarget, Think, Zones, one, weight_1,
};

pub(crate) const STREAM_KEYS: [&str; 28] = [
    "name",
    "pattern",
    "random",
    "read",
    "block_size",
    "write_block_size",
    "align",
    "weight",
    "target",
    "file_choice",
    "discard",
    "offset",
    "length",
    "cursor",
    "worker_offset",
    "depth",
    "rate",
    "arrivals",
    "burst",
    "workers",
    "think",
    "fsync",
    "fdatasync",
    "write_through",
    "bytes",
    "passes",
    "start_after",
    "run_for",
];

const PATTERNS: [&str; 8] = ["zipf", "pareto", "normal", "hot_spot", "bands", "stride", "backward", "zones"];
const PATTERN_HELP: &str = "write for example { zipf = 1.1 }, { pareto = 0.2 }, { normal = \"15%\" }, { stride = \"64KiB\" }, \
    { hot_spot = { share = \"20%\", access = \"80%\" } } or { bands = [{ share = \"5%\", access = \"50%\" }, { share = \"95%\", access = \"50%\" }] }";

const FILE_CHOICES: [(&str, FileChoice); 4] = [
    ("random", FileChoice::Random),
    ("round_robin", FileChoice::RoundRobin),
    ("in_turn", FileChoice::InTurn),
    ("in_turn_shuffled", FileChoice::InTurnShuffled),
];

impl Reader {
    pub(super) fn stream(&mut self, node: &Node<'_>) -> Stream {
        let fields = self.table(node, "stream", &STREAM_KEYS);
        let read = self.required(&fields, "read", "read = \"70%\"").and_then(|node| self.share(&node));
        let cursors = [("shared", Cursor::Shared), ("each", Cursor::Each)];
        let arrivals = fields.get("arrivals").and_then(|node| self.choice(&node, &ARRIVALS));
        let mut stream = Stream::new(
            fields.get("pattern").and_then(|node| self.pattern(&node)).unwrap_or_default(),
            read.unwrap_or(Share(1.0)),
            self.required_block_size(&fields),
        );
        stream.name = self.optional_text(&fields, "name");
        stream.random = fields.get("random").and_then(|node| self.share(&node));
        stream.write_block_size = fields.get("write_block_size").and_then(|node| self.block_size(&node));
        stream.align = fields.get("align").and_then(|node| self.size(&node));
        stream.weight = fields.get("weight").and_then(|node| self.number(&node)).unwrap_or(weight_1());
        stream.target = fields.get("target").and_then(|node| self.stream_target(&node));
        stream.file_choice = self.optional_choice(&fields, "file_choice", &FILE_CHOICES, FileChoice::Random);
        stream.discard = fields.get("discard").and_then(|node| self.discard(&node));
        stream.offset = self.extent(&fields, "offset");
        stream.length = self.extent(&fields, "length");
        stream.cursor = self.optional_choice(&fields, "cursor", &cursors, Cursor::Shared);
        stream.worker_offset = self.extent(&fields, "worker_offset");
        stream.arrivals = arrivals;
        self.own_load(&fields, &mut stream);
        stream
    }

    /// What makes a load of its own.
    fn own_load(&mut self, fields: &Fields<'_>, stream: &mut Stream) {
        stream.depth = self.optional_whole(fields, "depth", DEPTH_MAX);
        stream.rate = fields.get("rate").and_then(|node| self.number(&node));
        stream.burst = fields.get("burst").map(|node| self.burst(&node));
        stream.workers = self.optional_whole(fields, "workers", WORKERS_MAX).unwrap_or(one());
        stream.think = fields.get("think").map(|node| self.think(&node));
        stream.fsync = self.optional_whole(fields, "fsync", u32::MAX);
        stream.fdatasync = self.optional_whole(fields, "fdatasync", u32::MAX);
        stream.write_through = self.flag(fields, "write_through", false);
        stream.bytes = fields.get("bytes").and_then(|node| self.size(&node));
        stream.passes = self.optional_whole(fields, "passes", u32::MAX);
        stream.start_after = fields.get("start_after").and_then(|node| self.span(&node));
        stream.run_for = fields.get("run_for").and_then(|node| self.span(&node));
    }

    fn burst(&mut self, node: &Node<'_>) -> Burst {
        let fields = self.table(node, "burst", &["ios", "every"]);
        let ios = self.required(&fields, "ios", "ios = 10000");
        let every = self.required(&fields, "every", "every = \"60s\"");
        Burst {
            ios: ios.and_then(|node| self.whole(&node, 1_u32, u32::MAX)).unwrap_or(one()),
            every: every.and_then(|node| self.span(&node)).unwrap_or(NO_SPAN),
        }
    }

    fn think(&mut self, node: &Node<'_>) -> Think {
        let fields = self.table(node, "pause", &["time", "after"]);
        Think {
            time: self.required_span(&fields, "time", "time = \"1ms\""),
            after: self.optional_whole(&fields, "after", u32::MAX).unwrap_or(one()),
        }
    }

    fn stream_target(&mut self, node: &Node<'_>) -> Option<StreamTarget> {
        match node.value {
            DeValue::Integer(_) => self.whole(node, 1_u32, FILES_MAX).map(StreamTarget::File),
            DeValue::Array(_) => {
                let ends = self.list(node, "[1, 100]", |reader, end| reader.whole(end, 1_u32, FILES_MAX))?;
                if let [first, last] = ends.as_slice() {
                    return Some(StreamTarget::Files([*first, *last]));
                }
                let message = "several files are named by the first and the last".to_owned();
                self.fault(node, message, "", Some("write for example [1, 100]".to_owned()));
                None
            }
            _ => self.choice(node, &[("log", StreamTarget::Named(Place::Log))]),
        }
    }

    fn discard(&mut self, node: &Node<'_>) -> Option<Discard> {
        match node.value.as_str() {
            Some(text) if text.trim_end().ends_with('%') => self.share(node).map(Discard::Share),
            _ => self.choice(node, &[("before_writes", Discard::Rule(DiscardRule::BeforeWrites))]),
        }
    }

    fn zones(&mut self, node: &Node<'_>) -> Zones {
        let fields = self.table(node, "zones", &["range", "skip", "transfer", "random"]);
        Zones {
            range: self.required_size(&fields, "range", "range = \"1MiB\""),
            skip: self.required_size(&fields, "skip", "skip = \"9MiB\""),
            transfer: self.required_size(&fields, "transfer", "transfer = \"1MiB\""),
            random: self.flag(&fields, "random", false),
        }
    }

    fn extent(&mut self, fields: &Fields<'_>, key: &str) -> Option<Extent> {
        let node = fields.get(key)?;
        match node.value.as_str() {
            Some(text) if text.trim_end().ends_with('%') => self.share(&node).map(Extent::Share),
            _ => self.measured(&node, "a size or a percentage", ["MiB", "%"]).map(Extent::Bytes),
        }
    }

    fn pattern(&mut self, node: &Node<'_>) -> Option<Pattern> {
        if !node.value.is_table() {
            let bare = [("sequential", 0), ("uniform", 1), ("shuffled", 2)];
            let words: Vec<(&'static str, usize)> =
                bare.into_iter().chain(PATTERNS.map(|word| (word, 3))).collect();
            return match self.choice(node, &words)? {
                0 => Some(Pattern::Sequential),
                1 => Some(Pattern::Uniform),
                2 => Some(Pattern::Shuffled),
                _ => {
                    let message = "this pattern needs its parameters".to_owned();
                    self.fault(node, message, "", Some(PATTERN_HELP.to_owned()));
                    None
                }
            };
        }
        let fields = self.table(node, "pattern", &PATTERNS);
        let given: Vec<(&str, Node<'_>)> =
            PATTERNS.iter().filter_map(|key| Some((*key, fields.get(key)?))).collect();
        match given.as_slice() {
            [("zipf", exponent)] => self.number(exponent).map(Pattern::Zipf),
            [("pareto", parameter)] => self.number(parameter).map(Pattern::Pareto),
            [("normal", deviation)] => self.share(deviation).map(Pattern::Normal),
            [("stride", step)] => self.size(step).map(Pattern::Stride),
            [("backward", step)] => self.size(step).map(Pattern::Backward),
            [("zones", zones)] => Some(Pattern::Zones(self.zones(zones))),
            [("hot_spot", spot)] => {
                let Band { share, access } = self.band(spot, "hot spot")?;
                Some(Pattern::HotSpot { share, access })
            }
            [("bands", bands)] => {
                let example = "[{ share = \"5%\", access = \"50%\" }, { share = \"95%\", access = \"50%\" }]";
                self.list(bands, example, |reader, element| reader.band(element, "band")).map(Pattern::Bands)
            }
            _ => {
                let known = crate::suggest::listed(PATTERNS.iter().copied());
                self.fault(
                    node,
                    format!("a pattern must be one of {known}"),
                    "",
                    Some(PATTERN_HELP.to_owned()),
                );
                None
            }
        }
    }

    fn band(&mut self, node: &Node<'_>, what: &'static str) -> Option<Band> {
        let fields = self.table(node, what, &["share", "access"]);
        let share = self.required(&fields, "share", "share = \"20%\"").and_then(|node| self.share(&node));
        let access = self.required(&fields, "access", "access = \"80%\"").and_then(|node| self.share(&node));
        Some(Band { share: share?, access: access? })
    }

    pub(super) fn block_size(&mut self, node: &Node<'_>) -> Option<OneOrMix> {
        if !node.value.is_array() {
            return self.size(node).map(OneOrMix::One);
        }
        let example = "[{ size = \"4KiB\", share = \"60%\" }, { size = \"64KiB\", share = \"40%\" }]";
        let parts = self.list(node, example, |reader, element| {
            let fields = reader.table(element, "part of a size mix", &["size", "share"]);
            let size =
                reader.required(&fields, "size", "size = \"4KiB\"").and_then(|node| reader.size(&node));
            let share =
                reader.required(&fields, "share", "share = \"60%\"").and_then(|node| reader.share(&node));
            Some(Part { size: size?, share: share? })
        });
        parts.map(OneOrMix::Mix)
    }

    pub(super) fn required_block_size(&mut self, fields: &Fields<'_>) -> OneOrMix {
        let block_size = self.required(fields, "block_size", "block_size = \"4KiB\"");
        block_size.and_then(|node| self.block_size(&node)).unwrap_or(OneOrMix::One(NO_SIZE))
    }
}
