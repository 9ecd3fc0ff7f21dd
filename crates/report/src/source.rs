//! The source of a page's parts.

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
