//! Block workloads: levels, files and times that make sense together.

use std::collections::BTreeSet;

use super::DEPTHS;
use crate::checker::Checker;
use crate::keys::table::Table;
use crate::workload::{Block, BlockEngine, Stream, StreamTarget};

/// Writes in flight that the ledger of written blocks can tell apart.
const VERIFIED_DEPTH_MAX: u32 = 2047;

impl Checker<'_> {
    pub(super) fn block(&mut self, path: &str, block: &Block) {
        self.loads(path, block);
        self.rounds(path, block);
        self.verify(path, block);
        self.paths(path, block);
        for (index, stream) in block.streams.iter().enumerate() {
            let stream_path = format!("{path}.stream.{index}");
            self.stream(&stream_path, stream, block, path);
            self.target(&stream_path, stream, block);
            let own = |other: &Stream| other.name.is_some() && other.name == stream.name;
            if block.streams[..index].iter().any(own) {
                let message =
                    format!("there are two streams called `{}`", stream.name.clone().unwrap_or_default());
                let help = "give every stream its own name, or none";
                self.fault(&format!("{stream_path}.name"), message, "named here again", help);
            }
        }
    }

    /// Streams at levels; or, in what was run, the trace in their place.
    fn loads(&mut self, path: &str, block: &Block) {
        if block.trace.is_none() {
            self.block_levels(path, block);
            if block.streams.is_empty() {
                self.needs(path, "stream", "[[workload.stream]]");
            }
        } else if self.is_asked() {
            let message = "an experiment does not follow a trace".to_owned();
            let help = "replay it with `drivetrain replay TRACE FILE`, which keeps its result as a run; here write streams";
            self.fault(&format!("{path}.trace"), message, "written by `drivetrain replay` alone", help);
        }
    }

    fn target(&mut self, path: &str, stream: &Stream, block: &Block) {
        let path = format!("{path}.target");
        let last = match stream.target {
            Some(StreamTarget::Files([first, last])) if first == 0 || first > last => {
                let message = format!("the files {first} to {last} are none");
                self.fault(&path, message, "", "write the first and the last, for example [1, 100]");
                return;
            }
            Some(StreamTarget::File(last) | StreamTarget::Files([_, last])) => last,
            Some(StreamTarget::Named(_)) | None => return,
        };
        if last > block.file_count() {
            let message = format!("there is no file {last}: the workload has {}", block.file_count());
            let help = format!("write `files = {last}` in the workload, or another number");
            self.fault(&path, message, "", help);
        }
    }

    fn paths(&mut self, workload: &str, block: &Block) {
        let path = format!("{workload}.paths");
        // A named file or device has a size of its own.
        if !self.is_there(&path) {
            self.needs(workload, "size", "size = \"1GiB\"");
        }
        if !block.paths.is_empty() && block.files > 1 {
            let message = "`files` are named by the run, and `paths` by you".to_owned();
            self.fault(&path, message, "", "leave `files` or `paths` out");
        }
        let mut seen = BTreeSet::new();
        for (index, name) in block.paths.iter().enumerate() {
            if name.trim().is_empty() || !seen.insert(name) {
                let what = if name.trim().is_empty() { "is empty" } else { "is named twice" };
                self.fault(
                    &format!("{path}.{index}"),
                    format!("the path `{name}` {what}"),
                    "",
                    "leave it out",
                );
            }
        }
    }

    /// Reports a key that is missing for want of another.
    fn needs(&mut self, path: &str, key: &str, line: &str) {
        let path = format!("{path}.{key}");
        if !self.is_there(&path) {
            let message = format!("`{key}` is missing from this {}", Block::WHAT);
            self.fault(&path, message, "", format!("add `{line}`"));
        }
    }

    /// Levels are depths or rates, and not both; neither is needed when all streams have loads of their own.
    fn block_levels(&mut self, path: &str, block: &Block) {
        let has_own_loads = block.own_depth() > 0 && block.shared().next().is_none();
        match (self.is_there(&format!("{path}.depth")), self.is_there(&format!("{path}.rate"))) {
            (true, true) => {
                let message = "levels are either depths or rates, not both".to_owned();
                let help = "leave `depth` or `rate` out, or write two workloads";
                self.fault(&format!("{path}.depth"), message, "goes without `rate` only", help);
            }
            (false, false) if !has_own_loads => self.needs(path, "depth", &format!("depth = {DEPTHS}")),
            _ => {}
        }
        let has_level = block.rate.is_some() || !block.depth.is_empty();
        if has_level && !block.streams.is_empty() && block.shared().next().is_none() {
            let key = if block.rate.is_some() { "rate" } else { "depth" };
            let message =
                format!("no stream takes part in the workload's `{key}`: each has a load of its own");
            let help = format!("leave `{key}` out here, or in one of the streams");
            self.fault(&format!("{path}.{key}"), message, "", help);
        }
        if block.pin && block.engine == BlockEngine::Psync {
            let message = "psync has a thread for each I/O: they are not pinned".to_owned();
            self.fault(&format!("{path}.pin"), message, "", "leave `pin` out, or use io_uring");
        }
        if let Some(content) = block.content {
            for (key, share) in [("compressible", content.compressible), ("duplicates", content.duplicates)] {
                if share.0 >= 1.0 {
                    let message = format!("`{key}` of 100% leaves nothing to write");
                    self.fault(
                        &format!("{path}.content.{key}"),
                        message,
                        "",
                        "write less, for example \"50%\"",
                    );
                }
            }
        }
    }

    fn verify(&mut self, path: &str, block: &Block) {
        if !block.verify {
            return;
        }
        if matches!(block.engine, BlockEngine::Null | BlockEngine::Modelled) {
            let message = format!("the engine {} moves no bytes that could be verified", block.engine);
            let help = "verify with io_uring or psync on real storage";
            self.fault(&format!("{path}.verify"), message, "", help);
        }
        if block.content.is_some() {
            let message = "blocks that are verified carry their own content".to_owned();
            self.fault(&format!("{path}.content"), message, "", "leave `verify` or `content` out");
        }
        if let Some(index) = block.depth.iter().position(|depth| *depth > VERIFIED_DEPTH_MAX) {
            let message = format!("a depth of {} is too much to verify", block.depth[index]);
            let help = format!("use {VERIFIED_DEPTH_MAX} at most, or leave `verify` out");
            self.fault(&format!("{path}.depth.{index}"), message, "", help);
        }
    }
}
