//! The check that two runs may be compared: same conditions, and whole measurements.
//!
//! A verdict over two runs puts a difference of results down to time passing, or to the one thing that was
//! changed on purpose. So everything that was *asked* of a run (its beds, database, workloads, levels, scale,
//! realm) and the engine and drives that answered must be the same on both sides, but for the treatment that
//! both runs declare and for what the caller names. What surrounds a run (kernel, firmware, settings of the
//! machine) is no ground to refuse: it is listed beside the verdict.

mod asked;
mod found;
mod whole;

use crate::error::ReportError;
use crate::loaded_run::LoadedRun;
use crate::naming;
use crate::refusal::{Path, Refusal, Unlike, short};
use std::collections::BTreeSet;

/// The standing of a treatment that both runs declare: it sets the beds of one run apart, not the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declared {
    /// The runs may differ in it, which the comparison then says.
    MayDiffer,
    /// A difference in it has to be named as any other: in a gate, a drive that somebody changed is no new
    /// version of the same thing.
    ToBeNamed,
}

/// The factors varied on purpose between two runs that are alike in all else, and the names without a match.
#[derive(Debug, Default)]
pub(crate) struct Alike {
    pub(crate) treated: Vec<Unlike>,
    pub(crate) unused: Vec<String>,
}

/// Compares the requests of two runs: `run` is judged by `baseline`, and `treat` names the allowed
/// differences.
///
/// # Errors
/// [`ReportError::NoFactor`] for names in `treat` that are no factor; else every reason why the two are not
/// compared.
pub(crate) fn check(
    run: &LoadedRun,
    baseline: &LoadedRun,
    treat: &[String],
    declared: Declared,
) -> Result<Alike, ReportError> {
    let names = naming::run_names(run, baseline);
    let reasons = whole::reasons((run, &names.0), (baseline, &names.1));
    let both = |name: &str| {
        declared == Declared::MayDiffer
            && [run, baseline].iter().all(|loaded| loaded.run.treatment.iter().any(|t| t == name))
    };
    let differences = differences(run, baseline);
    known(run, baseline, treat, &differences)?;
    let (treated, differences): (Vec<Unlike>, Vec<Unlike>) = differences
        .into_iter()
        .partition(|d| d.treatment.is_some_and(both) || treat.iter().any(|name| d.is_called(name)));
    if !reasons.is_empty() || !differences.is_empty() {
        let (run, baseline) = ((run.run.id, names.0), (baseline.run.id, names.1));
        return Err(Box::new(Refusal { run, baseline, reasons, differences }).into());
    }
    let unused = treat.iter().filter(|name| !treated.iter().any(|d| d.is_called(name))).cloned().collect();
    Ok(Alike { treated, unused })
}

/// Everything in which the requests of two runs, or the systems under them, are not the same.
pub(crate) fn differences(run: &LoadedRun, baseline: &LoadedRun) -> Vec<Unlike> {
    let mut differences = asked::differences(run, baseline);
    differences.extend(found::differences(run, baseline));
    differences
}

/// Refuses names by which nothing can be called in which the two runs could differ.
fn known(
    run: &LoadedRun,
    baseline: &LoadedRun,
    treat: &[String],
    differences: &[Unlike],
) -> Result<(), ReportError> {
    let unknown = |name: &&String| !differences.iter().any(|unlike| unlike.is_called(name));
    let names: Vec<&String> = treat.iter().filter(unknown).collect();
    if names.is_empty() {
        return Ok(());
    }
    let places =
        [run, baseline].into_iter().flat_map(|loaded| [asked::places(loaded), found::places(loaded)]);
    let factors: Vec<Unlike> = places.flatten().map(|path| Unlike::new(&path, None, None)).collect();
    let unknown = |name: &&String| !factors.iter().any(|factor| factor.is_called(name));
    let names: Vec<String> = names.into_iter().filter(unknown).cloned().collect();
    let offered = if differences.is_empty() { &factors } else { differences };
    let known: BTreeSet<&String> = offered.iter().map(|unlike| &unlike.treat).collect();
    match names.is_empty() {
        true => Ok(()),
        false => Err(ReportError::NoFactor { names, known: known.into_iter().cloned().collect() }),
    }
}
