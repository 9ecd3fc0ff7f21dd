//! Streams of block workloads: patterns, sizes and loads of their own.

use super::pattern::SECTOR_BYTES;
use crate::checker::Checker;
use crate::units::{Share, Size};
use crate::workload::{Block, Cursor, Extent, OneOrMix, Stream};

const PARTS_MAX: usize = 64;

/// Largest single I/O: the block layer splits larger ones, so latencies would not be those of one I/O.
const IO_MAX: Size = Size(16 << 20);

impl Checker<'_> {
    pub(super) fn stream(&mut self, path: &str, stream: &Stream, block: &Block, workload: &str) {
        if stream.weight <= 0.0 {
            self.fault(
                &format!("{path}.weight"),
                "a weight must be above 0".to_owned(),
                "",
                "leave the stream out instead",
            );
        }
        self.pattern(path, stream);
        self.block_size(&format!("{path}.block_size"), &stream.block_size, block, workload);
        if let Some(size) = &stream.write_block_size {
            self.block_size(&format!("{path}.write_block_size"), size, block, workload);
        }
        if let Some(align) = stream.align {
            self.io_size(&format!("{path}.align"), align, block, workload);
        }
        self.region(path, stream, block);
        self.own_load(path, stream);
    }

    fn pattern(&mut self, path: &str, stream: &Stream) {
        match stream.pattern.fault() {
            None => self.random_share(path, stream),
            Some((message, help)) => self.fault(&format!("{path}.pattern"), message.to_owned(), "", help),
        }
    }

    fn random_share(&mut self, path: &str, stream: &Stream) {
        if stream.random.is_some() && stream.pattern.is_walk() {
            let message =
                "`random` says how many I/Os follow a random pattern, and this one is none".to_owned();
            self.fault(
                &format!("{path}.random"),
                message,
                "",
                "leave it out, or use `pattern = \"uniform\"`",
            );
        }
    }

    fn region(&mut self, path: &str, stream: &Stream, block: &Block) {
        for (key, extent) in
            [("offset", stream.offset), ("length", stream.length), ("worker_offset", stream.worker_offset)]
        {
            if let Some(Extent::Bytes(size)) = extent
                && !size.0.is_multiple_of(SECTOR_BYTES)
            {
                let message = format!("{size} is not a whole number of {SECTOR_BYTES}-byte sectors");
                self.fault(&format!("{path}.{key}"), message, "", "use for example \"1MiB\" or \"10%\"");
            }
        }
        let bytes = |extent: Option<Extent>| extent.map_or(0, |extent| extent.bytes_of(block.size.0, 512));
        let end = bytes(stream.offset).saturating_add(bytes(stream.length));
        if end > block.size.0 || bytes(stream.offset) >= block.size.0.max(1) {
            let key = if stream.length.is_some() { "length" } else { "offset" };
            let message = format!("the region ends beyond the file of {}", block.size);
            self.fault(
                &format!("{path}.{key}"),
                message,
                "",
                "make it shorter, or the workload's `size` larger",
            );
        }
        if stream.worker_offset.is_some() && stream.cursor != Cursor::Each {
            let message = "workers that share a place have no regions of their own".to_owned();
            self.fault(&format!("{path}.worker_offset"), message, "", "add `cursor = \"each\"`");
        }
    }

    /// The keys that need a load of the stream's own, and those that such a load excludes.
    fn own_load(&mut self, path: &str, stream: &Stream) {
        if stream.rate.is_some() && stream.burst.is_some() {
            let message = "a stream has either a rate or bursts".to_owned();
            self.fault(&format!("{path}.burst"), message, "", "write two streams");
        }
        if stream.burst.is_some_and(|burst| burst.every.0 < std::time::Duration::from_millis(1)) {
            let message = "bursts come at most every millisecond".to_owned();
            self.fault(&format!("{path}.burst.every"), message, "", "use `rate` for a steady stream");
        }
        if stream.think.is_some() && (stream.rate.is_some() || stream.burst.is_some()) {
            let message = "a stream that starts by the clock does not pause".to_owned();
            self.fault(&format!("{path}.think"), message, "", "use `depth` without `rate` and `burst`");
        }
        if stream.fsync.is_some() && stream.fdatasync.is_some() {
            let message = "a stream calls either fsync or fdatasync".to_owned();
            self.fault(&format!("{path}.fdatasync"), message, "", "leave one of the two out");
        }
        if stream.has_own_load() {
            return;
        }
        let given = [
            ("arrivals", stream.arrivals.is_some()),
            ("workers", stream.workers > 1),
            ("think", stream.think.is_some()),
            ("bytes", stream.bytes.is_some()),
            ("passes", stream.passes.is_some()),
            ("start_after", stream.start_after.is_some()),
            ("run_for", stream.run_for.is_some()),
        ];
        for (key, _) in given.iter().filter(|(_, is)| *is) {
            let message = format!("`{key}` goes with a load of the stream's own");
            let help = format!("add `depth`, `rate` or `burst` to the stream, or leave `{key}` out");
            self.fault(&format!("{path}.{key}"), message, "", help);
        }
    }

    fn block_size(&mut self, path: &str, mix: &OneOrMix, block: &Block, workload: &str) {
        let OneOrMix::Mix(parts) = mix else {
            mix.parts().iter().for_each(|part| self.io_size(path, part.size, block, workload));
            return;
        };
        for (index, part) in parts.iter().enumerate() {
            self.io_size(&format!("{path}.{index}.size"), part.size, block, workload);
            if part.share.0 <= 0.0 {
                let message = format!("no I/O has the size {}", part.size);
                self.fault(&format!("{path}.{index}.share"), message, "", "give it a share, or leave it out");
            }
        }
        let total: f64 = parts.iter().map(|part| part.share.0).sum();
        if (total - 1.0).abs() > 1e-6 {
            let total = Share((total * 1e6).round() / 1e6);
            let message = format!("the shares of the size mix sum to {total}, not 100%");
            self.fault(path, message, "", "change the shares so that they sum to 100%");
        }
        if parts.len() > PARTS_MAX {
            let message = format!("{} sizes are more than one mix holds", parts.len());
            self.fault(path, message, "", format!("write {PARTS_MAX} at most"));
        }
    }

    pub(super) fn io_size(&mut self, path: &str, size: Size, block: &Block, workload: &str) {
        // Through the page cache I/Os may have any size; stamps of verified blocks fill whole sectors.
        let grain = if block.direct || block.verify { SECTOR_BYTES } else { 1 };
        if size.0 == 0 || !size.0.is_multiple_of(grain) {
            let message = format!("{size} is not a whole number of {SECTOR_BYTES}-byte sectors");
            self.fault(path, message, "", "drives read and write whole sectors: use for example \"4KiB\"");
        } else if size > IO_MAX && self.is_asked() {
            self.fault(
                path,
                format!("{size} is more than one I/O carries"),
                "",
                format!("use {IO_MAX} at most"),
            );
        } else if size > block.size && !self.is_broken(&format!("{workload}.size")) {
            let message = format!("I/Os of {size} do not fit a file of {}", block.size);
            self.fault(path, message, "", "make the workload's `size` larger");
        }
    }
}
