//! Workloads: levels, times and streams that make sense.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::check::Checker;
use crate::file::Experiment;
use crate::units::{Share, Size};
use crate::workload::{Block, BlockEngine, OneOrMix, Pattern, Stream, Workload};

/// Series have one-second steps: a shorter measurement has none.
const MEASURE_MIN: Duration = Duration::from_secs(1);

/// A longer phase is a slip of the pen.
const PHASE_MAX: Duration = Duration::from_secs(366 * 86_400);

/// I/Os per second between one in a quarter of an hour and more than any drive serves.
const RATES: std::ops::RangeInclusive<f64> = 0.001..=1e9;

/// Writes in flight that the ledger of written blocks can tell apart.
const VERIFIED_DEPTH_MAX: u32 = 2047;

const STREAMS_MAX: usize = 256;
const PARTS_MAX: usize = 64;

/// Logical blocks of drives have 512 bytes at least, and O_DIRECT reads whole ones.
const SECTOR_BYTES: u64 = 512;

/// Largest single I/O: the block layer splits larger ones, so latencies would not be those of one I/O.
const IO_MAX: Size = Size(16 << 20);

impl Checker<'_> {
    pub(super) fn workloads(&mut self, experiment: &Experiment) {
        let mut seen = BTreeSet::new();
        for (index, workload) in experiment.workload.iter().enumerate() {
            let path = format!("workload.{index}");
            if workload.name().trim().is_empty() {
                self.fault(
                    &format!("{path}.name"),
                    "the name is empty".to_owned(),
                    "",
                    "leave `name` out, or write one",
                );
            } else if !seen.insert(workload.name()) {
                let message = format!("there are two workloads called `{}`", workload.name());
                let help = "tell them apart with `name = \"...\"`";
                self.fault(&format!("{path}.name"), message, "the second one", help);
            }
            self.phases(&path, workload);
            match workload {
                Workload::Tpcc(tpcc) => self.tpcc(&path, tpcc),
                Workload::Sysbench(sysbench) => self.sysbench(&path, sysbench),
                Workload::Durability(durability) => self.durability(&path, durability, experiment),
                Workload::Block(block) => self.block(&path, block),
            }
        }
    }

    /// Times: long enough to have series, short enough to end.
    fn phases(&mut self, path: &str, workload: &Workload) {
        let (key, doing) = match workload {
            Workload::Durability(_) => ("load_for", "a load"),
            Workload::Tpcc(_) | Workload::Sysbench(_) | Workload::Block(_) => ("measure", "measuring"),
        };
        let measure = workload.measure();
        if measure.0 < MEASURE_MIN {
            let message = format!("{doing} for {measure} is too short");
            let help = "write one second at least: series have one-second steps";
            self.fault(&format!("{path}.{key}"), message, "", help);
        }
        for (key, span) in [("ramp_up", workload.ramp_up()), (key, measure)] {
            if span.0 > PHASE_MAX {
                let message = format!("{span} is longer than a year");
                self.fault(&format!("{path}.{key}"), message, "", "write a shorter time");
            }
        }
    }

    /// Levels: one at least, none twice.
    pub(super) fn levels<T: PartialEq + std::fmt::Display>(
        &mut self,
        path: &str,
        levels: &[T],
        example: &str,
    ) {
        let key = path.rsplit('.').next().unwrap_or_default();
        if levels.is_empty() {
            self.fault(
                path,
                format!("`{key}` has no level"),
                "empty",
                format!("write for example `{key} = {example}`"),
            );
        }
        for (index, level) in levels.iter().enumerate() {
            if levels[..index].contains(level) {
                let help = "name every level once; `design.repeats` says how often each is run";
                self.fault(
                    &format!("{path}.{index}"),
                    format!("`{key}` names {level} twice"),
                    "named here again",
                    help,
                );
            }
        }
    }

    fn block(&mut self, path: &str, block: &Block) {
        match &block.rate {
            None => self.levels(&format!("{path}.depth"), &block.depth, "[1, 8, 32]"),
            Some(rates) => {
                self.levels(&format!("{path}.rate"), rates, "[1000, 5000]");
                if let Some(index) = rates.iter().position(|rate| !RATES.contains(rate)) {
                    let message = format!("a rate cannot be {} I/Os per second", rates[index]);
                    let help = "write 0.001 to 1000000000, or `depth` for a closed loop";
                    self.fault(&format!("{path}.rate.{index}"), message, "", help);
                }
            }
        }
        self.verify(path, block);
        if block.streams.len() > STREAMS_MAX {
            let message = format!("{} streams are more than one workload runs", block.streams.len());
            self.fault(&format!("{path}.stream"), message, "", format!("write {STREAMS_MAX} at most"));
        }
        for (index, stream) in block.streams.iter().enumerate() {
            self.stream(&format!("{path}.stream.{index}"), stream, block, path);
        }
    }

    fn verify(&mut self, path: &str, block: &Block) {
        if !block.verify {
            return;
        }
        if matches!(block.engine, BlockEngine::Null | BlockEngine::Modelled) {
            let message = format!("the engine {} moves no bytes that could be verified", block.engine);
            self.fault(
                &format!("{path}.verify"),
                message,
                "",
                "verify with io_uring or psync on real storage",
            );
        }
        if let Some(index) = block.depth.iter().position(|depth| *depth > VERIFIED_DEPTH_MAX) {
            let message = format!("a depth of {} is too much to verify", block.depth[index]);
            let help = format!("use {VERIFIED_DEPTH_MAX} at most, or leave `verify` out");
            self.fault(&format!("{path}.depth.{index}"), message, "", help);
        }
    }

    fn stream(&mut self, path: &str, stream: &Stream, block: &Block, workload: &str) {
        if stream.weight <= 0.0 {
            self.fault(
                &format!("{path}.weight"),
                "a weight must be above 0".to_owned(),
                "",
                "leave the stream out instead",
            );
        }
        let part = |share: Share| share.0 > 0.0 && share.0 < 1.0;
        match stream.pattern {
            Pattern::Zipf(exponent) if !(exponent > 0.0 && exponent <= 5.0) => {
                let help = "1.1 is a usual one; use \"uniform\" for no skew";
                self.fault(
                    &format!("{path}.pattern"),
                    "a zipf exponent lies above 0 and up to 5".to_owned(),
                    "",
                    help,
                );
            }
            Pattern::HotSpot { share, access } if !part(share) || !part(access) => {
                let message = "a hot spot's shares must lie between 0% and 100%".to_owned();
                self.fault(
                    &format!("{path}.pattern"),
                    message,
                    "",
                    "for example { share = \"20%\", access = \"80%\" }",
                );
            }
            _ => {}
        }
        self.block_size(&format!("{path}.block_size"), &stream.block_size, block, workload);
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

    fn io_size(&mut self, path: &str, size: Size, block: &Block, workload: &str) {
        if size.0 == 0 || !size.0.is_multiple_of(SECTOR_BYTES) {
            let message = format!("{size} is not a whole number of {SECTOR_BYTES}-byte sectors");
            self.fault(path, message, "", "drives read and write whole sectors: use for example \"4KiB\"");
        } else if size > IO_MAX {
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
