//! `drivetrain audit`: check a study's printed numbers against arithmetic and against each other.

use clap::Args;
use experiment::audit::{Finding, Verdict};
use serde_json::json;

use crate::console::Console;
use crate::exit::{Coded, Exit};

/// Arguments of `audit`.
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// Files of printed numbers ([[number]] tables), or names of studies of our data, for example kingston-dc1500m
    #[arg(required = true)]
    files: Vec<String>,

    /// Show what holds as well
    #[arg(long)]
    all: bool,
}

/// Audits and prints.
pub(crate) fn audit(args: &AuditArgs, console: &Console) -> anyhow::Result<Exit> {
    let mut findings = Vec::new();
    for name in &args.files {
        let text = match experiment::audit::study(name) {
            Some(text) => text.to_owned(),
            None => crate::input::text(name.as_ref())?,
        };
        findings.extend(
            experiment::audit::file(&text, name)
                .map_err(|faults| Coded::faulty(faults.render(console.color())))?,
        );
    }
    if console.json() {
        let one = |f: &Finding| json!({ "study": f.study, "verdict": f.verdict.to_string(), "claim": f.claim, "check": f.check, "about": f.about });
        console.document(&findings.iter().map(one).collect::<Vec<_>>().into());
    } else {
        console.answer(&text(&findings, args.all));
    }
    Ok(Exit::Done)
}

fn text(findings: &[Finding], all: bool) -> String {
    let mut text = String::new();
    let mut study = None;
    for finding in findings.iter().filter(|f| all || f.is_claim || f.verdict != Verdict::Holds) {
        if study != Some(&finding.study) {
            let name = if finding.study.is_empty() { "the study" } else { &finding.study };
            text.push_str(&format!("{}{name}\n", if study.is_none() { "" } else { "\n" }));
            study = Some(&finding.study);
        }
        let about = finding.about.join(", ");
        text.push_str(&format!("  {:17}  {} [{about}]\n", finding.verdict.to_string(), finding.claim));
        if !finding.check.is_empty() {
            text.push_str(&format!("  {:17}  {}\n", "", finding.check));
        }
    }
    let count = |is: &dyn Fn(&Finding) -> bool| findings.iter().filter(|f| is(f)).count();
    let right = count(&|f| f.verdict == Verdict::Holds && f.is_claim);
    let laws = count(&|f| f.verdict == Verdict::Holds && !f.is_claim);
    let unmatched = count(&|f| f.verdict == Verdict::Unmatched);
    let hint = if all || laws == 0 { "" } else { " (--all shows those)" };
    text.push_str(&format!(
        "\n{} findings; {right} claims are right, {unmatched} could not be matched; {laws} more numbers fit together{hint}\n",
        findings.len() - right - laws - unmatched
    ));
    text
}
