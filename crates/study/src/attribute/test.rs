//! The gains of the beds of a published test, and what a report keeps of them.

use notebook::{Notebook, RunId};

use super::{Attribution, Factor, attribute};
use crate::StudyError;
use crate::parameter::Values;

/// The gain of one bed of a built-in experiment over another.
#[derive(Clone, Debug, PartialEq)]
pub struct BedAttribution {
    /// The bed whose gain is split.
    pub bed: String,
    /// Its parts.
    pub split: Attribution,
}

/// Splits the gains of the beds of the built-in experiment `name` over its baseline, or over the bed `over`;
/// with `only` the gain of that bed alone. `started` receives each bed, the bed it is compared with, and the
/// number of parameter sets.
///
/// # Errors
/// No such experiment or bed; a bed that has no published test of order entry.
pub fn attribute_test(
    name: &str,
    (only, over): (Option<&str>, Option<&str>),
    seed: u64,
    started: &dyn Fn(&str, &str, usize),
) -> Result<Vec<BedAttribution>, StudyError> {
    let Some(named) = experiment::find_named(name) else {
        let hint = experiment::suggest_named(name).map(|n| format!("; did you mean `{n}`?"));
        return Err(StudyError::Question(format!(
            "no built-in experiment `{name}`{}",
            hint.unwrap_or_default()
        )));
    };
    let experiment = experiment::parse(named.text, named.name)
        .map_err(|faults| StudyError::question(faults.to_string()))?;
    let published = experiment.published.as_deref().unwrap_or_default();
    let baseline = || experiment.baseline().map(|bed| bed.name.as_str());
    let over = over.or_else(baseline).unwrap_or_default();
    let test_of = |bed: &str| {
        published::test_of(published, bed).ok_or_else(|| {
            StudyError::Question(format!("`{name}` has no published test of a bed `{bed}` that is simulated"))
        })
    };
    let over_test = test_of(over)?;
    let (best, alternatives) = (Values::calibrated(), Values::alternatives());
    let mut found = Vec::new();
    let is_asked = |bed: &str| bed != over && only.is_none_or(|only| only == bed);
    for bed in experiment.bed.iter().map(|bed| &bed.name).filter(|bed| is_asked(bed)) {
        let test = test_of(bed)?;
        started(bed, over, alternatives.len() + 1);
        let Some(split) = attribute(test, over_test, &best, &alternatives, seed)? else {
            return Err(StudyError::Question(format!("`{name}` is no order entry that is simulated")));
        };
        found.push(BedAttribution { bed: bed.clone(), split });
    }
    if found.is_empty() {
        let message = format!("`{name}` has no such bed; see `drivetrain init {name}`");
        return Err(StudyError::Question(message));
    }
    Ok(found)
}

impl BedAttribution {
    /// Keeps the drive's part with a run, for its report; nothing where the drive is the same.
    ///
    /// # Errors
    /// [`StudyError::Notebook`].
    pub fn keep(&self, notebook: &Notebook, run: RunId) -> Result<(), StudyError> {
        let drive = self.split.shares.iter().find(|share| share.factor == Factor::Drive);
        let Some(drive) = drive else { return Ok(()) };
        let facts = [
            ("drive", drive.ratio),
            ("drive_low", drive.range.0),
            ("drive_high", drive.range.1),
            ("gain", self.split.gain),
        ];
        let facts = facts.map(|(key, value)| (key.to_owned(), format!("{value:.4}"))).into_iter().collect();
        Ok(notebook.add_fact_set(run, &format!("attribution:{}", self.bed), &facts)?)
    }
}
