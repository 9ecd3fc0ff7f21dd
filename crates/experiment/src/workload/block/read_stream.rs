//! A stream of a block workload: from the document to the types.

use toml::de::DeValue;

use super::read::{DEPTH_MAX, FILES_MAX, WORKERS_MAX};
use crate::keys::{Keyed, keys, table, whole};
use crate::reader::{Node, Reader};
use crate::structure::{NO_SIZE, NO_SPAN};
use crate::units::Share;
use crate::workload::{
    Band, Burst, Cursor, Discard, DiscardRule, Extent, FileChoice, OneOrMix, Part, Pattern, Place, Stream,
    StreamTarget, Think, Zones, one, weight_1,
};

const PATTERNS: [&str; 8] = ["zipf", "pareto", "normal", "hot_spot", "bands", "stride", "backward", "zones"];
const PATTERN_HELP: &str = "write for example { zipf = 1.1 }, { pareto = 0.2 }, { normal = \"15%\" }, { stride = \"64KiB\" }, \
    { hot_spot = { share = \"20%\", access = \"80%\" } } or { bands = [{ share = \"5%\", access = \"50%\" }, { share = \"95%\", access = \"50%\" }] }";

keys! {
    Stream, "stream" {
        name: optional(Reader::text),
        pattern: optional(Reader::pattern) or Pattern::default(),
        random: optional(Reader::share),
        read: required("\"70%\"", Reader::share) or Share(1.0),
        block_size: required("\"4KiB\"", Reader::block_size) or OneOrMix::One(NO_SIZE),
        write_block_size: optional(Reader::block_size),
        align: optional(Reader::size),
        weight: optional(Reader::number) or weight_1(),
        target: optional(Reader::stream_target),
        file_choice: optional(Reader::word) or FileChoice::default(),
        discard: optional(Reader::discard),
        offset: optional(Reader::extent),
        length: optional(Reader::extent),
        cursor: optional(Reader::word) or Cursor::default(),
        worker_offset: optional(Reader::extent),
        depth: optional(whole(1, DEPTH_MAX)),
        rate: optional(Reader::number),
        arrivals: optional(Reader::word),
        burst: optional(table::<Burst>),
        workers: optional(whole(1, WORKERS_MAX)) or one(),
        think: optional(table::<Think>),
        fsync: optional(whole(1, u32::MAX)),
        fdatasync: optional(whole(1, u32::MAX)),
        write_through: optional(Reader::boolean) or false,
        bytes: optional(Reader::size),
        passes: optional(whole(1, u32::MAX)),
        start_after: optional(Reader::span),
        run_for: optional(Reader::span),
    }
}

keys! {
    Burst, "burst" {
        ios: required("10000", whole(1, u32::MAX)) or one(),
        every: required("\"60s\"", Reader::span) or NO_SPAN,
    }
}

keys! {
    Think, "pause" {
        time: required("\"1ms\"", Reader::span) or NO_SPAN,
        after: optional(whole(1, u32::MAX)) or one(),
    }
}

keys! {
    Zones, "zones" {
        range: required("\"1MiB\"", Reader::size) or NO_SIZE,
        skip: required("\"9MiB\"", Reader::size) or NO_SIZE,
        transfer: required("\"1MiB\"", Reader::size) or NO_SIZE,
        random: optional(Reader::boolean) or false,
    }
}

impl Reader {
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

    fn extent(&mut self, node: &Node<'_>) -> Option<Extent> {
        match node.value.as_str() {
            Some(text) if text.trim_end().ends_with('%') => self.share(node).map(Extent::Share),
            _ => self.measured(node, "a size or a percentage", ["MiB", "%"]).map(Extent::Bytes),
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
            [("zones", zones)] => Some(Pattern::Zones(Zones::read(self, zones))),
            [("hot_spot", spot)] => {
                let Band { share, access } = self.band(spot, "hot spot")?;
                Some(Pattern::HotSpot { share, access })
            }
            [("bands", bands)] => {
                let example = "[{ share = \"5%\", access = \"50%\" }, { share = \"95%\", access = \"50%\" }]";
                self.list(bands, example, |reader, element| reader.band(element, "band")).map(Pattern::Bands)
            }
            _ => {
                let known = tomlfile::listed(PATTERNS.iter().copied());
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
}
