//! `drivetrain check`: a gate for CI. Worse than the baseline fails, inconclusive is told apart.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use measure::Verdict;

use crate::console::Console;
use crate::exit::Exit;
use crate::verbs::compare::CompareArgs;

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Number of the run to judge (default: the latest)
    #[arg(long)]
    run: Option<i64>,

    /// Number of the run to judge it against
    #[arg(long)]
    baseline: i64,

    /// The notebook that holds the baseline, when it is another
    #[arg(long, value_name = "FILE")]
    baseline_notebook: Option<PathBuf>,

    /// What an inconclusive comparison means
    #[arg(long, value_enum, default_value_t = Inconclusive::Fail)]
    inconclusive: Inconclusive,
}

/// What an inconclusive comparison means for the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Inconclusive {
    /// Exit code 0
    Pass,
    /// Exit code 4
    Fail,
}

/// Judges the primary metrics and says it with the exit code.
pub(crate) fn check(args: &CheckArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let asked = CompareArgs {
        run: args.run,
        baseline: Some(args.baseline),
        baseline_notebook: args.baseline_notebook.clone(),
    };
    let comparison = asked.comparison(path)?;
    let exit = gate(
        comparison.contrasts.iter().filter(|c| c.primary).map(|c| c.judgement.verdict),
        args.inconclusive,
    );
    if console.json() {
        let mut document = comparison.to_json();
        document["exit_code"] = (exit as u8).into();
        console.document(&document);
    } else {
        console.answer(&comparison.to_text());
    }
    Ok(exit)
}

/// One regression fails the gate; without one, one open question leaves it open. No comparison at all is an open question.
fn gate(verdicts: impl Iterator<Item = Verdict>, inconclusive: Inconclusive) -> Exit {
    let verdicts: Vec<Verdict> = verdicts.collect();
    if verdicts.contains(&Verdict::Worse) {
        return Exit::Regression;
    }
    let open = verdicts.is_empty() || verdicts.contains(&Verdict::Inconclusive);
    if open && inconclusive == Inconclusive::Fail { Exit::Inconclusive } else { Exit::Done }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regression_outweighs_everything_and_nothing_compared_is_open() {
        let all = [Verdict::Better, Verdict::Inconclusive, Verdict::Worse];
        assert_eq!(gate(all.into_iter(), Inconclusive::Pass), Exit::Regression);
        assert_eq!(gate(all[..2].iter().copied(), Inconclusive::Fail), Exit::Inconclusive);
        assert_eq!(gate(all[..2].iter().copied(), Inconclusive::Pass), Exit::Done);
        assert_eq!(gate(std::iter::empty(), Inconclusive::Fail), Exit::Inconclusive);
        assert_eq!(gate([Verdict::Equivalent].into_iter(), Inconclusive::Fail), Exit::Done);
    }
}
