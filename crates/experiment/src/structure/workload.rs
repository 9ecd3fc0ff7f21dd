//! Workloads, and block I/O among them: from the document to the types.

use crate::reader::{Fields, Node, Reader};
use crate::structure::NO_SIZE;
use crate::units::Share;
use crate::workload::{Block, BlockEngine, OneOrMix, Part, Pattern, Stream, Workload, weight_1, yes};

pub(crate) const BLOCK_KEYS: [&str; 11] =
    ["kind", "name", "engine", "size", "depth", "rate", "ramp_up", "measure", "direct", "verify", "stream"];
pub(crate) const STREAM_KEYS: [&str; 4] = ["pattern", "read", "block_size", "weight"];

/// More I/Os in flight than this are a slip of the pen rather than a wish.
const DEPTH_MAX: u32 = 4_096;

/// The kinds of workload, before their keys are read.
#[derive(Clone, Copy)]
enum Kind {
    Tpcc,
    Sysbench,
    Durability,
    Block,
}

impl Reader {
    pub(super) fn whole_list(&mut self, node: &Node<'_>, most: u32) -> Option<Vec<u32>> {
        self.list(node, "[1, 2, 4]", |reader, element| reader.whole(element, 1_u32, most))
    }

    pub(super) fn workload(&mut self, node: &Node<'_>) -> Option<Workload> {
        let unchecked = self.open_table(node, "workload", node.value.as_table());
        if !node.value.is_table() {
            self.table(node, "workload", &[]);
            return None;
        }
        let kind = self.required(&unchecked, "kind", "kind = \"tpcc\"")?;
        let kinds = [
            ("tpcc", Kind::Tpcc),
            ("sysbench", Kind::Sysbench),
            ("durability", Kind::Durability),
            ("block", Kind::Block),
        ];
        Some(match self.choice(&kind, &kinds)? {
            Kind::Tpcc => Workload::Tpcc(self.tpcc(node)),
            Kind::Sysbench => Workload::Sysbench(self.sysbench(node)),
            Kind::Durability => Workload::Durability(self.durability(node)),
            Kind::Block => Workload::Block(self.block(node)),
        })
    }

    fn block(&mut self, node: &Node<'_>) -> Block {
        let fields = self.table(node, "block workload", &BLOCK_KEYS);
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
        let fields = self.table(node, "stream", &STREAM_KEYS);
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
        let fields = self.table(node, "pattern", &["zipf", "hot_spot"]);
        match (fields.get("zipf"), fields.get("hot_spot")) {
            (Some(exponent), None) => self.number(&exponent).map(Pattern::Zipf),
            (None, Some(spot)) => {
                let fields = self.table(&spot, "hot spot", &["share", "access"]);
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
