//! Cold scans of a table whose file lies in pieces: its keys, checks, scale and levels.

use schemars::JsonSchema;
use serde::Serialize;
use words::{LevelName, WorkloadKind};

use crate::check::Checker;
use crate::data_size::table_bytes;
use crate::file::Experiment;
use crate::file::Storage;
use crate::keys::{keys, list, whole};
use crate::reader::Reader;
use crate::scale::rule::scale_rows;
use crate::units::Size;
use crate::words::written_words;
use crate::workload::FileKind;
use crate::workload::scan::{ROW_BYTES_MAX, ROWS, hundred_bytes};

/// Cold scans of a table whose file was grown in pieces, in turn with another file, against one that was
/// allocated at once.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fragmentation {
    /// What tables call this workload; `fragmentation` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Rows of the table, each of roughly `row_bytes`.
    #[schemars(range(min = 1000, max = 2_000_000_000))]
    pub rows: u32,
    /// Bytes of a row's payload; 100 when left out, as in the published test.
    #[serde(default = "hundred_bytes")]
    #[schemars(range(min = 1, max = 4000))]
    pub row_bytes: u32,
    /// The levels: the pieces in which the file grows, for example `["1MiB", "64KiB"]`. A file that is
    /// allocated at once is always measured beside them, as level 0.
    #[schemars(length(min = 1))]
    pub fragments: Vec<Size>,
    /// A file system that is made for the test in an image below the bed's storage, for which the run must be
    /// root; the storage's own when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filesystem: Option<Filesystem>,
}

/// A file system that a test can make for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Filesystem {
    /// The most common one; extents, delayed allocation.
    Ext4,
    /// Extents, allocation groups, speculative preallocation.
    Xfs,
    /// Copy on write.
    Btrfs,
}

written_words! {
    Filesystem { Ext4 => "ext4", Xfs => "xfs", Btrfs => "btrfs" }
}

/// Blocks of file systems have 4 KiB, and no piece is smaller.
const FRAGMENT_MIN: Size = Size(4 << 10);
const FRAGMENT_MAX: Size = Size(1 << 30);

impl FileKind for Fragmentation {
    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn kind(&self) -> WorkloadKind {
        WorkloadKind::Fragmentation
    }

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

    fn is_timed(&self) -> bool {
        false
    }

    fn database_bytes(&self) -> u64 {
        table_bytes(self.rows, self.row_bytes)
    }

    fn check(&self, checker: &mut Checker<'_>, path: &str, experiment: &Experiment) {
        checker.fragmentation(path, self, experiment)
    }

    fn scale(&mut self, factor: f64, changes: &mut Vec<String>) {
        scale_rows(&mut self.rows, factor, changes)
    }
}

keys! {
    Fragmentation, "fragmentation workload" beside "kind" {
        name: optional(Reader::text),
        rows: required("1000000", whole(ROWS.0, ROWS.1)) or ROWS.0,
        row_bytes: optional(whole(1, ROW_BYTES_MAX)) or hundred_bytes(),
        fragments: required("[\"1MiB\", \"64KiB\"]", list("[\"1MiB\"]", Reader::size)) or Vec::new(),
        filesystem: optional(Reader::word),
    }
}

impl Checker<'_> {
    fn fragmentation(&mut self, path: &str, asked: &Fragmentation, experiment: &Experiment) {
        self.levels(&format!("{path}.fragments"), &asked.fragments, "[\"1MiB\", \"64KiB\"]");
        for (index, size) in asked.fragments.iter().enumerate() {
            if *size < FRAGMENT_MIN || *size > FRAGMENT_MAX || !size.0.is_multiple_of(FRAGMENT_MIN.0) {
                let message = format!("a file cannot grow in pieces of {size}");
                let help = format!("write a multiple of {FRAGMENT_MIN} up to {FRAGMENT_MAX}");
                self.fault(&format!("{path}.fragments.{index}"), message, "", help);
            }
        }
        let modelled = |bed: &&crate::file::Bed| matches!(bed.storage, Storage::Emulated { .. });
        if let Some(bed) = experiment.bed.iter().find(modelled).filter(|_| !self.is_broken("bed")) {
            let message = format!(
                "the bed `{}` stands on a modelled drive, which does not know where a file's pieces lie",
                bed.name
            );
            let help = "give it real storage: storage = { real = \"PATH\" }";
            self.fault(&format!("{path}.kind"), message, "", help);
        }
        self.own_servers_only(path, experiment, "moved to other places of its drive");
    }
}
