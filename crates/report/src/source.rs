//! What the parts of a page are made from.

use crate::comparison::Comparison;
use crate::loaded_run::LoadedRun;
use notebook::Notebook;

/// Everything that the sections are made from.
pub(crate) struct Source<'a> {
    pub(crate) notebook: &'a Notebook,
    pub(crate) loaded: &'a LoadedRun,
    pub(crate) comparison: &'a Comparison,
    pub(crate) mark: String,
}
