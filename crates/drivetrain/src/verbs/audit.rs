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
            None => std::fs::read_to_string(name).map_err(|e| Coded::usage(format!("{name}: {e}")))?,
        };
        findings.extend(experiment::audit::file(&text, name).map_err(|e| Coded::usage(e.to_string()))?);
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
    for finding in findings.iter().filter(|f| all || f.verdict != Verdict::Holds) {
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
    let holds = findings.iter().filter(|f| f.verdict == Verdict::Holds).count();
    let hint = if all || holds == 0 { "" } else { " (--all shows those)" };
    text.push_str(&format!("\n{} findings; {holds} more claims hold{hint}\n", findings.len() - holds));
    text
}
