//! Cold scans of a table whose file lies in pieces: its keys, checks, scale and levels.

use std::time::Duration;

use words::{LevelName, ScaleChange, ScaledPart};

use crate::checker::Checker;
use crate::data_size::table_bytes;
use crate::file::{Bed, Experiment, Storage};
use crate::keys::choice::written_words;
use crate::keys::table::table;
use crate::shrink::{Rule, scale_rows};
use crate::units::Size;
use crate::workload::scan::{DEFAULT_ROW_BYTES, ROW_BYTES_MAX, ROWS};
use crate::workload::{FileKind, RUNS_WHOLE};

/// Blocks of file systems have 4 KiB, and no piece is smaller.
const FRAGMENT_MIN: Size = Size(4 << 10);
const FRAGMENT_MAX: Size = Size(1 << 30);

table! {
    /// Cold scans of a table whose file grew in pieces, in turn with another file, against a file that was
    /// allocated at once.
    pub struct Fragmentation "fragmentation workload" {
        /// The name of this workload in tables; `fragmentation` by default.
        name: Option<String>;
        /// Rows of the table, each of roughly `row_bytes`.
        rows: u32 = required("1000000").within(ROWS.0, ROWS.1);
        /// Bytes of a row's payload; 100 by default, as in the published test.
        row_bytes: u32 = or(DEFAULT_ROW_BYTES).within(1, ROW_BYTES_MAX);
        /// The levels: the sizes of the pieces in which the file grows, for example `["1MiB", "64KiB"]`. A
        /// file that is allocated at once is always measured, too, as level 0.
        fragments: Vec<Size> = levels("[\"1MiB\", \"64KiB\"]");
        /// A new file system for the test, in an image below the bed's storage; needs root. By default the
        /// storage's own file system.
        filesystem: Option<Filesystem>;
    }
}

written_words! {
    /// A file system that a test can create.
    pub enum Filesystem {
        /// The most common one; extents, delayed allocation.
        Ext4 = "ext4",
        /// Extents, allocation groups, speculative preallocation.
        Xfs = "xfs",
        /// Copy on write.
        Btrfs = "btrfs",
    }
}

impl FileKind for Fragmentation {
    fn levels(&self) -> Vec<f64> {
        let kib = self.fragments.iter().map(|size| size.0 as f64 / 1024.0);
        std::iter::once(0.0).chain(kib).collect()
    }

    fn level_name(&self) -> LevelName {
        LevelName::Pieces
    }

    fn level_key(&self) -> &'static str {
        "fragments"
    }

    fn measure_min(&self) -> Option<(Duration, &'static str)> {
        None
    }

    fn database_bytes(&self) -> u64 {
        table_bytes(self.rows, self.row_bytes)
    }

    fn undealt(&self) -> Option<&'static str> {
        Some(RUNS_WHOLE)
    }

    fn check(&self, checker: &mut Checker<'_>, path: &str, experiment: &Experiment) {
        for (index, size) in self.fragments.iter().enumerate() {
            if *size < FRAGMENT_MIN || *size > FRAGMENT_MAX || !size.0.is_multiple_of(FRAGMENT_MIN.0) {
                let message = format!("a file cannot grow in pieces of {size}");
                let help = format!("write a multiple of {FRAGMENT_MIN} up to {FRAGMENT_MAX}");
                checker.fault(&format!("{path}.fragments.{index}"), message, "", help);
            }
        }
        let modelled = |bed: &&Bed| matches!(bed.storage, Storage::Emulated { .. });
        if let Some(bed) = experiment.bed.iter().find(modelled).filter(|_| !checker.is_broken("bed")) {
            let message =
                format!("the bed `{}` is on a modelled drive, which has no extents of files", bed.name);
            let help = "give it real storage: storage = { real = \"PATH\" }";
            checker.fault(&format!("{path}.kind"), message, "", help);
        }
        checker.own_servers_only(path, experiment, "moved to other places of its drive");
    }

    fn scale(&mut self, factor: f64, changes: &mut Vec<ScaleChange>) {
        scale_rows(&mut self.rows, factor, changes)
    }

    fn rule(&self) -> Rule {
        Rule { sizes: &[ScaledPart::Rows], stays: &[ScaledPart::SharesAndPieces], ..Rule::default() }
    }
}
