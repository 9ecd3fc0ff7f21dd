//! The result of a run as Markdown, for a pull request or a ticket: the answer, one table, what changes how
//! far the verdicts hold, and the sort of the numbers.

use crate::brief::rows;
use crate::compare;
use crate::error::ReportError;
use crate::loaded_run::LoadedRun;
use crate::table::{Table, Tone};
use notebook::{Notebook, RunId};
use std::fmt::Write as _;
use words::say;

/// The first line of the document, by which a later one knows that it may take its place; no page shows it.
pub const REPORT_BEGINS: &str = "<!-- drivetrain report -->";

/// The result of one run as Markdown. Texts of users are escaped, so that none is markup.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read or the run was never planned.
pub fn markdown(notebook: &Notebook, run: RunId) -> Result<String, ReportError> {
    let loaded = LoadedRun::read(notebook, run)?;
    let comparison = compare::of_book(&loaded);
    let mut text = format!("{REPORT_BEGINS}\n");
    let heading = comparison.question.as_deref().unwrap_or(&comparison.title);
    let _ = writeln!(text, "## {}\n\n{}\n", escaped(heading), escaped(&comparison.answer));
    let (table, _) = rows::of_result(&loaded, &comparison, usize::MAX);
    if !table.rows.is_empty() {
        let _ = writeln!(text, "{}", table_of(&table));
    }
    let (grave, notes) = comparison.graded();
    let nuisances = (!comparison.nuisances.is_empty()).then(|| comparison.nuisance_sentence());
    let grave: Vec<&String> = nuisances.iter().chain(grave).collect();
    if !grave.is_empty() {
        let _ =
            writeln!(text, "**{}**\n", say!("page-grave", count = crate::sentences::grouped(grave.len())));
        grave.iter().for_each(|warning| text.push_str(&format!("- {}\n", escaped(warning))));
        text.push('\n');
    }
    let folded = [notes, &comparison.basis].concat();
    if !folded.is_empty() {
        let _ = writeln!(text, "<details><summary>{}</summary>\n", say!("markdown-folded"));
        folded.iter().for_each(|note| text.push_str(&format!("- {}\n", escaped(note))));
        text.push_str("\n</details>\n\n");
    }
    let run = &loaded.run;
    let of = say!(
        "page-kicker",
        name = run.name,
        run = run.id.to_string(),
        start = crate::naming::minute(&run.started_at)
    );
    let _ = writeln!(
        text,
        "<sub>{} \u{b7} {} \u{b7} {}</sub>",
        escaped(&run.tool_version),
        escaped(&of),
        run.key()
    );
    Ok(text)
}

fn table_of(table: &Table) -> String {
    let heads = table.columns.iter().map(|column| escaped(&column.head));
    let mut text = format!("| {} |\n", heads.collect::<Vec<_>>().join(" | "));
    let rules = table.columns.iter().map(|column| if column.number { "--:" } else { "---" });
    let _ = writeln!(text, "| {} |", rules.collect::<Vec<_>>().join(" | "));
    for row in &table.rows {
        let cells = row.iter().map(|entry| match entry.tone {
            Tone::Verdict(_) | Tone::Strong => format!("**{}**", escaped(&entry.text)),
            _ => escaped(&entry.text),
        });
        let _ = writeln!(text, "| {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    text
}

/// Text as one line of Markdown that means itself: no markup, no cell of a table, no mention.
pub(crate) fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '@' => shown.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' => shown.extend(['\\', c]),
            c if c.is_control() => shown.push(' '),
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_markup_and_none_calls_a_person() {
        let text = escaped("a|b <img src=x> `rm` **@admin**\n[x](y)");
        assert_eq!(text, "a\\|b &lt;img src=x&gt; \\`rm\\` \\*\\*&#64;admin\\*\\* \\[x\\](y)");
    }
}
