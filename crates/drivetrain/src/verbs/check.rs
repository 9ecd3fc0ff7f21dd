//! `drivetrain check`: a gate for CI. Worse than the baseline fails; inconclusive has its own exit code.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use report::{Gate, Outcome};

use crate::console::Console;
use crate::exit::Exit;
use crate::verbs::compare::{CompareArgs, TreatArgs};

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Number of the run to judge (default: the latest)
    #[arg(long)]
    run: Option<i64>,

    /// Number of the run to compare with
    #[arg(long)]
    baseline: i64,

    /// The notebook of the baseline, if it is another one
    #[arg(long, value_name = "FILE")]
    baseline_notebook: Option<PathBuf>,

    /// Meaning of an inconclusive comparison
    #[arg(long, value_enum, default_value_t = Inconclusive::Fail)]
    inconclusive: Inconclusive,

    #[command(flatten)]
    treat: TreatArgs,
}

/// The meaning of an inconclusive comparison for the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Inconclusive {
    /// Exit code 0
    Pass,
    /// Exit code 4
    Fail,
}

/// Judges the declared metrics and says it with the exit code.
pub(crate) fn check(args: &CheckArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let asked = CompareArgs {
        run: args.run,
        baseline: Some(args.baseline),
        baseline_notebook: args.baseline_notebook.clone(),
        treat: args.treat.clone(),
    };
    let comparison = asked.comparison(path)?;
    let gate = comparison.gate();
    let exit = exit_of(gate.outcome, args.inconclusive);
    if console.json() {
        let mut document = comparison.to_json();
        document["gate"] = gate.to_json();
        document["exit_code"] = (exit as u8).into();
        console.document(&document);
    } else {
        console.answer(&comparison.to_text());
        console.answer(&said(&gate, exit));
    }
    Ok(exit)
}

/// The last lines: the answer, its exit code, and the deciding contrast.
fn said(gate: &Gate, exit: Exit) -> String {
    let taken = if gate.outcome == Outcome::Open && exit == Exit::Done { ", taken as a pass" } else { "" };
    let confirmed = if gate.outcome == Outcome::Regressed { "confirmed " } else { "" };
    let mut text =
        format!("\ncheck: {confirmed}{}{taken} (exit code {})\n", gate.outcome.as_str(), exit as u8);
    for reason in &gate.reasons {
        text.push_str(&format!("  {reason}\n"));
    }
    text
}

fn exit_of(outcome: Outcome, inconclusive: Inconclusive) -> Exit {
    match outcome {
        Outcome::Passed => Exit::Done,
        Outcome::Regressed => Exit::Regression,
        Outcome::Open if inconclusive == Inconclusive::Pass => Exit::Done,
        Outcome::Open => Exit::Inconclusive,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_open_gate_can_be_taken_as_a_pass() {
        let code = |outcome, inconclusive| exit_of(outcome, inconclusive) as u8;
        assert_eq!(code(Outcome::Regressed, Inconclusive::Pass), 3);
        assert_eq!(code(Outcome::Open, Inconclusive::Fail), 4);
        assert_eq!(code(Outcome::Open, Inconclusive::Pass), 0);
        assert_eq!(code(Outcome::Passed, Inconclusive::Fail), 0);
    }

    #[test]
    fn the_last_words_name_what_decided() {
        let reasons = vec!["p99 of tpcc".to_owned()];
        let gate = Gate { outcome: Outcome::Open, decided_by: Vec::new(), reasons };
        assert_eq!(
            said(&gate, Exit::Done),
            "\ncheck: inconclusive, taken as a pass (exit code 0)\n  p99 of tpcc\n"
        );
        let gate = Gate { outcome: Outcome::Regressed, ..gate };
        assert!(said(&gate, Exit::Regression).contains("confirmed regression (exit code 3)"));
    }
}
