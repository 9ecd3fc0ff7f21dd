//! The form that picks two runs to compare. It needs no script.

use notebook::{Notebook, NotebookError, RunState, RunSummary, Wanted};
use words::say;

/// The latest finished runs that the form offers.
const RUNS: usize = 200;

/// A run that can be picked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Offered {
    pub(crate) run: i64,
    pub(crate) shown: String,
    /// True if it is picked at first: as the run, or as its baseline.
    pub(crate) is_first: bool,
    pub(crate) is_second: bool,
}

/// The latest runs that can be compared, the latest first; none if there are fewer than two.
///
/// # Errors
/// As SQLite reports.
pub(crate) fn offered(notebook: &Notebook) -> Result<Vec<Offered>, NotebookError> {
    let finished = Wanted { state: Some(RunState::Finished), ..Wanted::default() };
    Ok(of(&notebook.sought(&finished, None, RUNS)?.runs))
}

fn of(runs: &[RunSummary]) -> Vec<Offered> {
    let kinds: Vec<Kind<'_>> =
        runs.iter().map(|run| (run.name.as_str(), run.realm.as_str(), run.scale.to_bits())).collect();
    let Some((first, second)) = alike(&kinds) else { return Vec::new() };
    let offered = |(at, run): (usize, &RunSummary)| Offered {
        run: run.id.0,
        shown: shown(run),
        is_first: at == first,
        is_second: at == second,
    };
    runs.iter().enumerate().map(offered).collect()
}

/// The experiment of a run, its realm and its scale.
type Kind<'a> = (&'a str, &'a str, u64);

/// The latest two runs of one experiment in one realm and scale; else of one experiment; else any two.
fn alike(runs: &[Kind<'_>]) -> Option<(usize, usize)> {
    let pair = |is_alike: fn(&Kind<'_>, &Kind<'_>) -> bool| {
        runs.iter().enumerate().find_map(|(first, run)| {
            let earlier = runs.iter().skip(first + 1).position(|other| is_alike(run, other))?;
            Some((first, first + 1 + earlier))
        })
    };
    pair(|run, other| run == other)
        .or_else(|| pair(|run, other| run.0 == other.0))
        .or_else(|| pair(|_, _| true))
}

/// `run 26, test-2 · NVMe / SATA · emulated, scale 1/600, 2026-11-22 18:05`.
fn shown(run: &RunSummary) -> String {
    let name = match &run.label {
        Some(label) => format!("{} [{label}]", run.name),
        None => run.name.clone(),
    };
    say!(
        "serve-pick",
        run = run.id.to_string(),
        name,
        beds = run.beds.join(" / "),
        realm = report::realm_and_scale(&run.realm, run.scale),
        date = to_the_minute(&run.started_at),
    )
}

/// An RFC 3339 time to the minute, in UTC: `2026-05-04 10:07`.
pub(crate) fn to_the_minute(time: &str) -> String {
    time.chars().take(16).collect::<String>().replace('T', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_two_of_one_experiment_are_picked_at_first() {
        let (a, b, emulated) = (("a", "real", 1), ("b", "real", 1), ("a", "emulated", 1));
        assert_eq!(alike(&[a, b, emulated, b, emulated]), Some((1, 3)), "the pair with the latest run");
        assert_eq!(alike(&[a, b, emulated]), Some((0, 2)), "in two realms, if there are no two in one");
        assert_eq!((alike(&[a, b]), alike(&[a])), (Some((0, 1)), None));
        assert_eq!(to_the_minute("2026-11-22T18:05:09.123Z"), "2026-11-22 18:05");
    }
}
