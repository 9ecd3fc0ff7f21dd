//! Workloads: levels, times and streams that make sense.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::check::Checker;
use crate::units::{Share, Size};
use crate::workload::{Block, OneOrMix, Pattern, Stream, Tpcc, Workload};

/// Series have one-second steps: a shorter measurement has none.
const MEASURE_MIN: Duration = Duration::from_secs(1);

/// Logical blocks of drives have 512 bytes at least, and O_DIRECT reads whole ones.
const SECTOR_BYTES: u64 = 512;

/// Largest single I/O: the block layer splits larger ones, so latencies would not be those of one I/O.
const IO_MAX: Size = Size(16 << 20);

impl Checker<'_> {
    pub(super) fn workloads(&mut self, workloads: &[Workload]) {
        let mut seen = BTreeSet::new();
        for (index, workload) in workloads.iter().enumerate() {
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
            if workload.measure().0 < MEASURE_MIN {
                let message = format!("measuring for {} is too short", workload.measure());
                self.fault(
                    &format!("{path}.measure"),
                    message,
                    "",
                    "measure one second at least: series have one-second steps",
                );
            }
            match workload {
                Workload::Tpcc(tpcc) => self.tpcc(&path, tpcc),
                Workload::Block(block) => self.block(&path, block),
            }
        }
    }

    fn tpcc(&mut self, path: &str, tpcc: &Tpcc) {
        self.levels(&format!("{path}.virtual_users"), &tpcc.virtual_users, "[1, 2, 4, 8]");
    }

    /// Levels: one at least, none twice.
    fn levels<T: PartialEq + std::fmt::Display>(&mut self, path: &str, levels: &[T], example: &str) {
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
                if let Some(index) = rates.iter().position(|rate| *rate <= 0.0) {
                    let message = "a rate must be above 0 I/Os per second".to_owned();
                    self.fault(
                        &format!("{path}.rate.{index}"),
                        message,
                        "",
                        "leave it out, or write `depth` for a closed loop",
                    );
                }
            }
        }
        for (index, stream) in block.streams.iter().enumerate() {
            self.stream(&format!("{path}.stream.{index}"), stream, block, path);
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
        let sizes = format!("{path}.block_size");
        for (index, part) in stream.block_size.parts().iter().enumerate() {
            let place = match stream.block_size {
                OneOrMix::One(_) => sizes.clone(),
                OneOrMix::Mix(_) => format!("{sizes}.{index}.size"),
            };
            if part.size.0 == 0 || part.size.0 % SECTOR_BYTES != 0 {
                let message = format!("{} is not a whole number of {SECTOR_BYTES}-byte sectors", part.size);
                self.fault(
                    &place,
                    message,
                    "",
                    "drives read and write whole sectors: use for example \"4KiB\"",
                );
            } else if part.size > IO_MAX {
                self.fault(
                    &place,
                    format!("{} is more than one I/O carries", part.size),
                    "",
                    format!("use {IO_MAX} at most"),
                );
            } else if part.size > block.size && !self.is_broken(&format!("{workload}.size")) {
                let message = format!("I/Os of {} do not fit a file of {}", part.size, block.size);
                self.fault(&place, message, "", "make the workload's `size` larger");
            }
        }
        let total: f64 = stream.block_size.parts().iter().map(|part| part.share.0).sum();
        if (total - 1.0).abs() > 1e-6 {
            let message = format!("the shares of the size mix sum to {:.4}%, not 100%", total * 100.0);
            self.fault(&sizes, message, "", "change the shares so that they sum to 100%");
        }
    }
}
