//! The answer of a gate as text, as Markdown for a pull request, and as JUnit's XML for a CI system.
//!
//! The verdict comes first in each. Names come from users: they are escaped for the form that quotes them.

use super::{Checked, Found, Gate, Outcome};
use crate::markdown::escaped;
use crate::refusal::Refusal;
use words::say;

/// The use that a caller makes of an answer: its exit code, and whether an open gate passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The exit code of the command.
    pub exit_code: u8,
    /// True if an undecided gate is taken as a pass.
    pub open_passes: bool,
}

/// The first line of a document in Markdown, by which a later command recognises it as ours.
pub const MARKDOWN_BEGINS: &str = "<!-- drivetrain check -->";
/// The beginning of a document in JUnit's form.
pub const JUNIT_BEGINS: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"drivetrain\"";

/// Lines about single places that the short text has at most.
const LINES_MOST: usize = 12;

impl Outcome {
    /// `PASS`, `FAIL`, `UNDECIDED`.
    #[must_use]
    pub fn verdict(self) -> &'static str {
        match self {
            Outcome::Passed => "PASS",
            Outcome::Regressed => "FAIL",
            Outcome::Open => "UNDECIDED",
        }
    }
}

impl Found {
    /// `worse`, `equal`, `better`, `not worse`, `undecided`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Found::Worse => "worse",
            Found::Equal => "equal",
            Found::Better => "better",
            Found::NotWorse => "not worse",
            Found::Undecided => "undecided",
        }
    }
}

impl Gate {
    /// `FAIL: run 2 is worse than run 1`.
    fn headline(&self, taken: Taken) -> String {
        let ((run, baseline), verdict) = (&self.runs, self.outcome.verdict());
        match self.outcome {
            Outcome::Passed => say!("gate-passed", verdict, run, baseline),
            Outcome::Regressed => say!("gate-failed", verdict, run, baseline),
            Outcome::Open if taken.open_passes => say!("gate-open-passes", verdict, run, baseline),
            Outcome::Open => say!("gate-open", verdict, run, baseline),
        }
    }

    /// `Checked 4 declared results: 1 worse, 2 equal, 1 better, 0 not worse, 0 undecided.`
    fn counts(&self) -> String {
        let of = |found: Found| self.checked.iter().filter(|checked| checked.found == found).count();
        say!(
            "gate-counts",
            checked = self.checked.len(),
            worse = of(Found::Worse),
            equal = of(Found::Equal),
            better = of(Found::Better),
            not_worse = of(Found::NotWorse),
            undecided = of(Found::Undecided)
        )
    }

    /// The verdict with its exit code, the reasons, and what else was checked, in at most twenty lines.
    #[must_use]
    pub fn to_text(&self, taken: Taken) -> String {
        let exit_code = taken.exit_code.to_string();
        let mut text = format!("{} ({})\n", self.headline(taken), say!("gate-exit-code", exit_code));
        let told = self.reasons.len().min(LINES_MOST);
        self.reasons[..told].iter().for_each(|reason| text.push_str(&format!("  {reason}\n")));
        let others: Vec<&Checked> =
            self.checked.iter().filter(|checked| !self.reasons.contains(&checked.reason)).collect();
        if let Some(varied) = &self.varied {
            text.push_str(&format!("{varied}\n"));
        }
        text.push_str(&format!("{}\n", self.counts()));
        let more = others.len().min(LINES_MOST - told);
        for checked in &others[..more] {
            text.push_str(&format!("  {:9}  {}\n", checked.found.as_str(), checked.reason));
        }
        let left = self.reasons.len() - told + others.len() - more;
        if left > 0 {
            text.push_str(&format!("  {}\n", say!("gate-more", left)));
        }
        if let Some(repeats) = self.repeats_to_settle {
            text.push_str(&format!("{}\n", say!("gate-settle", repeats)));
        }
        text
    }

    /// A section of Markdown: the verdict, the reasons, and a table of everything that was checked.
    #[must_use]
    pub fn to_markdown(&self, taken: Taken) -> String {
        let mut text = format!("{MARKDOWN_BEGINS}\n### {}\n\n", escaped(&self.headline(taken)));
        // The table has the others.
        let is_listed = |reason: &&String| self.checked.iter().all(|checked| checked.reason != **reason);
        let apart: Vec<&String> = self.reasons.iter().filter(is_listed).collect();
        apart.iter().for_each(|reason| text.push_str(&format!("- {}\n", escaped(reason))));
        if !apart.is_empty() {
            text.push('\n');
        }
        if let Some(varied) = &self.varied {
            text.push_str(&format!("{}\n\n", escaped(varied)));
        }
        text.push_str(&format!("{}\n\n| {} |\n|---|---|\n", self.counts(), say!("gate-columns")));
        for checked in &self.checked {
            text.push_str(&format!("| {} | {} |\n", checked.found.as_str(), escaped(&checked.reason)));
        }
        if !self.notes.is_empty() {
            text.push('\n');
        }
        self.notes.iter().for_each(|note| text.push_str(&format!("- {}\n", escaped(note))));
        text
    }

    /// A test suite in the form of JUnit: a test case for each declared metric at each place. Worse is a
    /// failure; undecided is one too, unless it passes: then it is skipped.
    #[must_use]
    pub fn to_junit(&self, taken: Taken) -> String {
        let open = if taken.open_passes { "skipped" } else { "failure" };
        let (headline, reasons) = (self.headline(taken), self.reasons.join("\n"));
        // The gate itself is a case: it can be open although every place is decided.
        let outcome = match self.outcome {
            Outcome::Passed => None,
            Outcome::Open => Some(open),
            Outcome::Regressed => Some("failure"),
        };
        let notes = self.notes.iter().map(|note| format!("note: {note}")).collect::<Vec<_>>().join("\n");
        let texts = [reasons, notes].map(|text| Some(text).filter(|text| !text.is_empty()));
        let said = [Some(headline), self.varied.clone()].into_iter().chain(texts);
        let said = said.flatten().collect::<Vec<String>>().join("\n");
        let mut cases = vec![Case::gate(outcome, &said)];
        cases.extend(self.checked.iter().map(|checked| Case {
            class: format!("{}.{}", checked.workload, checked.bed),
            name: &checked.place,
            outcome: match checked.found {
                Found::Worse => Some("failure"),
                Found::Undecided => Some(open),
                Found::Equal | Found::Better | Found::NotWorse => None,
            },
            said: &checked.reason,
        }));
        suite(&cases)
    }
}

/// A refusal to compare as Markdown.
#[must_use]
pub fn refused_markdown(refusal: &Refusal) -> String {
    let headline = say!("gate-refused", run = refusal.run.1, baseline = refusal.baseline.1);
    let mut text = format!("{MARKDOWN_BEGINS}\n### {}\n\n", escaped(&headline));
    for line in refusal.to_string().lines().skip(1) {
        match line.trim_start().strip_prefix("- ") {
            Some(item) => text.push_str(&format!("- {}\n", escaped(item))),
            None => text.push_str(&format!("\n{}\n", escaped(line))),
        }
    }
    text
}

/// A refusal to compare in the form of JUnit: one test case with an error.
#[must_use]
pub fn refused_junit(refusal: &Refusal) -> String {
    suite(&[Case::gate(Some("error"), &refusal.to_string())])
}

/// A check that could not be made, as Markdown: the error.
#[must_use]
pub fn failed_markdown(said: &str) -> String {
    format!("{MARKDOWN_BEGINS}\n### {}\n\n{}\n", say!("gate-not-checked"), escaped(said))
}

/// A check that could not be made, in the form of JUnit: one test case with the error.
#[must_use]
pub fn failed_junit(said: &str) -> String {
    suite(&[Case::gate(Some("error"), said)])
}

/// A test case of JUnit.
struct Case<'a> {
    class: String,
    name: &'a str,
    /// `failure`, `error` or `skipped`; `None` for a pass.
    outcome: Option<&'static str>,
    said: &'a str,
}

impl<'a> Case<'a> {
    /// The gate as a whole. Its name is the same in every build: a service follows a test case by it.
    fn gate(outcome: Option<&'static str>, said: &'a str) -> Case<'a> {
        Case { class: "drivetrain".to_owned(), name: "gate", outcome, said }
    }
}

fn suite(cases: &[Case<'_>]) -> String {
    let count = |outcome: &str| cases.iter().filter(|case| case.outcome == Some(outcome)).count();
    let counts = format!(
        "name=\"drivetrain\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        cases.len(),
        count("failure"),
        count("error"),
        count("skipped")
    );
    let mut text = format!("{JUNIT_BEGINS}>\n");
    text.push_str(&format!("<testsuite {counts}>\n"));
    for case in cases {
        let (class, name, said) = (xml(&case.class), xml(case.name), xml(case.said));
        let body = match case.outcome {
            Some(outcome) => {
                let first = said.lines().next().unwrap_or_default();
                format!("<{outcome} message=\"{first}\">{said}</{outcome}>")
            }
            None => format!("<system-out>{said}</system-out>"),
        };
        text.push_str(&format!("<testcase classname=\"{class}\" name=\"{name}\">{body}</testcase>\n"));
    }
    text.push_str("</testsuite>\n</testsuites>\n");
    text
}

/// Text as characters of XML 1.0, which has no control characters, escaped or not.
fn xml(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\n' => shown.push('\n'),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(outcome: Outcome, found: &[(Found, &str)]) -> Gate {
        let checked = |(found, place): &(Found, &str)| Checked {
            found: *found,
            bed: "a".to_owned(),
            workload: "<tpcc> & \"co\"".to_owned(),
            place: (*place).to_owned(),
            reason: format!("{place}: told"),
        };
        Gate {
            runs: ("run 2".to_owned(), "run 1".to_owned()),
            outcome,
            varied: None,
            decided_by: Vec::new(),
            reasons: Vec::new(),
            repeats_to_settle: None,
            notes: vec!["told <b>".to_owned()],
            checked: found.iter().map(checked).collect(),
        }
    }

    const STRICT: Taken = Taken { exit_code: 4, open_passes: false };

    #[test]
    fn the_first_line_is_the_verdict_and_equal_places_are_told() {
        let text = gate(Outcome::Passed, &[(Found::Equal, "p99")]).to_text(Taken { exit_code: 0, ..STRICT });
        assert!(
            text.starts_with(
                "PASS: run 2 is not worse than run 1 by more than the smallest effects (exit code 0)\n"
            ),
            "{text}"
        );
        assert!(text.contains("\n  equal      p99: told\n"), "{text}");
        let mut many = gate(Outcome::Open, &[(Found::Undecided, "x"); 40]);
        many.reasons = vec!["x: told".to_owned(); 40];
        let text = many.to_text(STRICT);
        assert!(text.starts_with("UNDECIDED: ") && text.lines().count() <= 20, "{text}");
        assert!(text.contains("28 more"), "{text}");
        let text = Gate { repeats_to_settle: Some(9), ..many.clone() }.to_text(STRICT);
        assert!(
            text.contains(
                "\nAbout 9 repeats in each run would decide it: `drivetrain resume RUN --repeats 9`"
            ),
            "{text}"
        );
        assert!(text.lines().count() <= 20, "{text}");
        let passes = many.to_text(Taken { exit_code: 0, open_passes: true });
        assert!(passes.lines().next().is_some_and(|line| line.contains("taken as a pass")), "{passes}");
    }

    #[test]
    fn no_name_breaks_out_of_a_document() {
        let hostile = "]]><script>\u{1b}[2J | a\n# @b `c`";
        let gate = gate(Outcome::Regressed, &[(Found::Worse, hostile), (Found::Equal, "p99")]);
        let junit = gate.to_junit(STRICT);
        assert!(junit.starts_with(JUNIT_BEGINS) && junit.contains("tests=\"3\" failures=\"2\""), "{junit}");
        assert!(!junit.contains("<script>") && !junit.contains('\u{1b}'), "{junit}");
        let markdown = gate.to_markdown(STRICT);
        let row = markdown.lines().find(|line| line.starts_with("| worse")).unwrap_or_default();
        assert!(row.contains("\\| a \\# &#64;b \\`c\\`: told |") && !markdown.contains("<script>"), "{row}");
    }

    #[test]
    fn an_undecided_case_fails_unless_it_is_taken_as_a_pass() {
        let gate = gate(Outcome::Open, &[(Found::Undecided, "p99"), (Found::Equal, "IOPS")]);
        assert!(gate.to_junit(STRICT).contains("failures=\"2\" errors=\"0\" skipped=\"0\""));
        let passing = Taken { exit_code: 0, open_passes: true };
        assert!(gate.to_junit(passing).contains("failures=\"0\" errors=\"0\" skipped=\"2\""));
    }
}
