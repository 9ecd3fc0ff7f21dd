//! The place of a run's journal. A journal says what a target must still hold after a crash, so none is ever
//! overwritten unless the user asks for it.

use std::fs::File;
use std::path::{Path, PathBuf};

use disk::{Output, OutputKind, Outputs};

use super::format::is_journal;
use crate::error::BlockError;

/// The file that a run's journal is written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalPlace {
    /// Its path, best on another device than the target.
    pub path: PathBuf,
    /// True if an existing journal may be started again.
    pub start_over: bool,
}

impl JournalPlace {
    /// Checks that the journal can be made there, so that a run does not begin in vain.
    ///
    /// # Errors
    /// [`BlockError::Output`] for a file that is no journal, for a journal unless it may be started over, and
    /// for what is no file.
    pub fn plan(&self, outputs: &mut Outputs) -> Result<Output, BlockError> {
        let remedy = match self.start_over {
            false => "a journal is never started over unasked: name another file, or add --new-journal",
            true => "name another file",
        };
        let is_ours = if self.start_over { is_journal } else { |_: &[u8]| false };
        let kind = OutputKind {
            is_ours,
            yields: false,
            flows: false,
            remedy,
            ..OutputKind::marked("a journal", is_journal)
        };
        Ok(outputs.plan(&self.path, kind)?)
    }

    /// Makes it, on a file that is not the target.
    pub(super) fn create(&self, target: &Path) -> Result<File, BlockError> {
        let mut outputs = Outputs::new(false);
        outputs.keep(target, "the target");
        Ok(self.plan(&mut outputs)?.grow(&[])?)
    }
}
