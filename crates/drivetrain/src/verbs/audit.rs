//! `drivetrain audit`: check a study's printed numbers against arithmetic and against each other.

use std::path::Path;

use clap::Args;
use serde_json::json;
use study::audit::{self, Finding, Rating};

use crate::console::Console;
use crate::exit::{Coded, Exit};

/// Arguments of `audit`.
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// Files of printed numbers ([[number]] tables), or names of built-in studies, for example
    /// kingston-dc1500m
    #[arg(required = true)]
    files: Vec<String>,

    /// Also show the numbers and claims that are right
    #[arg(long)]
    all: bool,
}

/// Audits and prints.
pub(crate) fn audit(args: &AuditArgs, console: &Console) -> anyhow::Result<Exit> {
    let mut findings = Vec::new();
    let mut without = Vec::new();
    for name in &args.files {
        let of_file = audit::file(&material(name)?, name)
            .map_err(|faults| Coded::faulty(faults.render(console.color())))?;
        if !of_file.iter().any(|finding| finding.is_claim) {
            without.push(name.as_str());
        }
        findings.extend(of_file);
    }
    if console.json() {
        let one = |f: &Finding| json!({ "study": f.study, "verdict": f.rating.to_string(), "claim": f.claim, "check": f.check, "about": f.about });
        console.document(&findings.iter().map(one).collect::<Vec<_>>().into());
    } else {
        console.answer(&text(&findings, args.all, &without));
    }
    Ok(Exit::Done)
}

/// The text of a study of our data, or of a file.
fn material(name: &str) -> anyhow::Result<String> {
    if let Some(text) = audit::study(name) {
        return Ok(text.to_owned());
    }
    crate::input::text(name.as_ref()).map_err(|error| {
        // An existing but unreadable path is a file for sure.
        if Path::new(name).symlink_metadata().is_ok() {
            return error;
        }
        let studies = audit::studies().join(", ");
        Coded::usage(format!(
            "{}, and no study has this name; the studies are {studies}",
            crate::console::with_causes(&error)
        ))
    })
}

/// The findings as text; `without` names the files that claim nothing.
fn text(findings: &[Finding], all: bool, without: &[&str]) -> String {
    let mut text = String::new();
    let mut study = None;
    for finding in findings.iter().filter(|f| all || f.is_claim || f.rating != Rating::Holds) {
        if study != Some(&finding.study) {
            let name = if finding.study.is_empty() { "the study" } else { &finding.study };
            text.push_str(&format!("{}{name}\n", if study.is_none() { "" } else { "\n" }));
            study = Some(&finding.study);
        }
        let about = finding.about.join(", ");
        text.push_str(&format!("  {:17}  {} [{about}]\n", finding.rating.to_string(), finding.claim));
        if !finding.check.is_empty() {
            text.push_str(&format!("  {:17}  {}\n", "", finding.check));
        }
    }
    let count = |is: &dyn Fn(&Finding) -> bool| findings.iter().filter(|f| is(f)).count();
    let right = count(&|f| f.rating == Rating::Holds && f.is_claim);
    let laws = count(&|f| f.rating == Rating::Holds && !f.is_claim);
    let unmatched = count(&|f| f.rating == Rating::Unmatched);
    let hint = if all || laws == 0 { "" } else { " (--all shows those)" };
    let found = findings.len() - right - laws - unmatched;
    for name in without {
        text.push_str(&format!(
            "{name} claims nothing: it has no [[statement]] and no [[number]] of kind \"claim\", so its numbers were only held against each other\n"
        ));
    }
    text.push_str(&format!(
        "\n{}; {} right, {unmatched} could not be matched; {} together{hint}\n",
        counted(found, "finding", "findings"),
        counted(right, "claim is", "claims are"),
        counted(laws, "more number fits", "more numbers fit"),
    ));
    text
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
