//! Sentences that stand in a crate whose texts were moved to `locales`.

use super::super::house::product;
use super::literal::{Literal, literals};

/// Crates whose texts stand in `locales`.
const APART: [&str; 4] = ["lab", "report", "measure", "study"];

/// Texts that are no sentences of a result: file, beginning, and why.
#[rustfmt::skip] // One row each.
const NO_SENTENCES: &[(&str, &str, &str)] = &[
    ("lab/src/storage/drives.rs", "; did you mean", "an error"),
    ("lab/src/storage/drives.rs", "no drive `{drive}`", "an error"),
    ("lab/src/storage/drives.rs", "its file cannot be used", "an error"),
    ("lab/src/storage/clean.rs", "{} is no folder", "an error"),
    ("lab/src/storage/drive_facts.rs", "", "errors"),
    ("lab/src/conduct/floors.rs", "kept awake", "a fact of the notebook"),
    ("lab/src/conduct/floors.rs", "may sleep", "a fact of the notebook"),
    ("lab/src/kind/backup/run.rs", "MB/s of copy", "a unit of progress"),
    ("lab/src/kind/block/place.rs", "block-{number}", "the name of a file"),
    ("lab/src/kind/block/recording.rs", "{}-{}", "the name of a file"),
    ("lab/src/kind/block/simulated.rs", "the load", "the name of a point in the notebook"),
    ("lab/src/kind/neighbour/run.rs", "new orders/s", "a unit of progress, which tells counters apart"),
    ("lab/src/kind/order_entry/run.rs", "new orders/s", "a unit of progress, which tells counters apart"),
    ("lab/src/watch/limiter.rs", "", "words of servers"),
    ("lab/src/plan/places.rs", "", "errors"),
    ("lab/src/plan/room.rs", "free some space", "an error"),
    ("lab/src/storage/origin.rs", "", "errors"),
    ("lab/src/storage/targets.rs", "", "errors"),
    ("lab/src/storage/seal.rs", "", "errors, and a line of a file"),
    ("lab/src/conduct/simulated.rs", "SQL Server", "a fact of the notebook"),
    ("lab/src/conduct/simulated.rs", "real storage cannot", "an error"),
    ("lab/src/storage/workdir.rs", "", "errors"),
    ("lab/src/error.rs", "", "errors"),
    ("lab/src/membership/kept_by.rs", "host.{number}", "facts of the notebook"),
    ("lab/src/ranks/lead.rs", "host.{number}", "facts of the notebook"),
    ("lab/src/ranks/lead/cell.rs", "cell {} in place", "an error"),
    ("measure/src/ratio.rs", "", "the names of methods in JSON documents"),
    ("report/src/gate/forms.rs", "not worse", "a word of the JSON document, which is in one language"),
    ("report/src/json.rs", "", "words of the JSON document, which is in one language"),
    ("report/src/page/limits.rs", "<pre", "a command"),
    ("report/src/page/style.rs", "", "the style sheet"),
    ("study/src/attribute/test.rs", "", "errors"),
    ("study/src/audit/claim/find.rs", " compared ", "words of the texts that are audited"),
    ("study/src/audit/claim/words.rs", "", "words of the texts that are audited"),
    ("study/src/audit/ratios.rs", "time ratio", "a word of printed metrics"),
    ("study/src/audit/ratios.rs", " per virtual user", "a word of printed metrics"),
    ("study/src/audit/reading.rs", "", "errors of a reader"),
    ("study/src/bed.rs", "; did you mean", "an error"),
    ("study/src/bed/file.rs", "", "errors of a reader"),
    ("study/src/calibrate.rs", "# Calibrated", "the file that is read again"),
    ("study/src/calibrate.rs", "\\\"{}\\\" = ", "the file that is read again"),
    ("study/src/parameter.rs", "", "errors of a reader"),
    ("study/src/predict.rs", "", "errors"),
    ("study/src/predict/run.rs", "", "errors"),
    ("study/src/profile/circumstances.rs", "", "the file of a drive, which is read again"),
    ("study/src/profile/measured.rs", "", "errors"),
    ("study/src/profile/shape.rs", "", "the names of loads in the file of a drive and in documents"),
    ("study/src/profile/map/csv.rs", "", "errors of a reader"),
    ("study/src/profile/map/fit.rs", "", "sources in the file of a drive, which is read again"),
    ("study/src/profile/loads/bandwidths.rs", "", "sources in the file of a drive, which is read again"),
    ("study/src/profile/loads/flushes.rs", "", "sources in the file of a drive, which is read again"),
    ("study/src/profile/loads/interference.rs", "", "sources in the file of a drive, which is read again"),
    ("study/src/profile/loads/ladder.rs", "", "sources in the file of a drive, which is read again"),
    ("study/src/profile/loads/latencies.rs", "", "sources in the file of a drive, which is read again"),
    ("study/src/profile/loads/limits.rs", "", "sources in the file of a drive, which is read again"),
    ("study/src/profile/loads/line.rs", "", "sources in the file of a drive, which is read again"),
    ("study/src/profile/loads/pauses.rs", "", "the file of a drive, which is read again"),
    ("study/src/profile/loads/residuals.rs", "", "sources in the file of a drive, which is read again"),
    ("study/src/profile/loads/writes.rs", "", "sources in the file of a drive, which is read again"),
    ("study/src/profile/written.rs", "", "the file of a drive, which is read again"),
];

/// Checks of the code stay where they arise: the calls around their texts.
const OF_CHECKS: &[&str] = &["expect", "panic!", "unreachable!", "assert!", "assert_eq!", "debug_assert!"];

/// Errors stay where they arise, too.
const OF_ERRORS: &[&str] = &["Err", "map_err", "ok_or", "ok_or_else"];

/// The errors of these files become reasons why a cell does not count, which are sentences.
const OF_CELLS: &str = "crates/lab/src/kind/";

/// Functions that refuse what was asked: their texts are errors of a plan.
const REFUSING: [&str; 2] = ["not_simulated", "refused"];

/// Sentences outside of `locales`: texts of two words or more in a crate whose texts were moved.
pub(in super::super) fn apart(name: &str, text: &str) -> Vec<String> {
    let is_of =
        |of: &&str| ["src", "templates"].iter().any(|part| name.starts_with(&format!("crates/{of}/{part}/")));
    if !APART.iter().any(is_of) {
        return Vec::new();
    }
    let is_other = |text: &str| {
        NO_SENTENCES.iter().any(|(file, begin, _)| name.ends_with(file) && text.starts_with(begin))
    };
    let fault = |line: usize, text: &str| {
        format!("{name}:{line}: the sentence \"{text}\"; write it as a message in `locales/en` and say it")
    };
    if name.ends_with(".html") {
        let lines = text.lines().enumerate().skip_while(|(_, line)| !line.contains("<body>"));
        // Labels for readers that do not see are texts in a mark of the page.
        let has_label =
            |line: &str| line.split("aria-label=\"").skip(1).any(|label| !label.starts_with("{{"));
        return lines
            .filter(|(_, line)| is_sentence(line) || has_label(line))
            .map(|(index, line)| fault(index + 1, line))
            .collect();
    }
    let is_error = |literal: &Literal| {
        REFUSING.contains(&literal.function.as_str())
            || literal.within.iter().map(String::as_str).any(|call| {
                OF_CHECKS.contains(&call)
                    || OF_ERRORS.contains(&call) && !name.starts_with(OF_CELLS)
                    || call.contains("Error::")
                    || call.ends_with("Error")
            })
    };
    let found = literals(product(name, text)).into_iter();
    let found = found.filter(|literal| {
        !literal.is_pattern && is_sentence(&literal.text) && !is_error(literal) && !is_other(&literal.text)
    });
    found.map(|literal| fault(literal.line, &literal.text)).collect()
}

/// True for a text of two words or more, markup and placeholders apart.
fn is_sentence(text: &str) -> bool {
    let mut plain = String::new();
    let mut depth = 0;
    for c in text.chars() {
        depth += i32::from(matches!(c, '{' | '<')) - i32::from(matches!(c, '}' | '>'));
        plain.push(if depth > 0 || matches!(c, '}' | '>' | '\\') { ' ' } else { c });
    }
    let is_word = |word: &&str| {
        word.chars().filter(|c| c.is_alphabetic()).count() > 1 && !word.contains(['_', '=', ';'])
    };
    plain.split_whitespace().filter(is_word).count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_exceptions_are_there() {
        let crates = crate::workspace_root().join("crates");
        for (file, begin, _) in NO_SENTENCES {
            let text = std::fs::read_to_string(crates.join(file)).expect(file);
            assert!(text.contains(begin), "{file}: no text begins with {begin}");
        }
    }

    #[test]
    fn a_sentence_in_code_is_found_and_an_error_is_none() {
        let found = |text: &str| apart("crates/report/src/a.rs", text).len();
        assert_eq!(found("let a = format!(\"{} lost orders\", 3);"), 1);
        assert_eq!(found("let a = \"<p>Lost orders</p>\";"), 1);
        assert_eq!(found("Err(LabError::Bed { why: \"no such bed\".into() })"), 0);
        assert_eq!(found("#[error(\"no such bed\")] struct A; // \"no such bed\""), 0);
        assert_eq!(found("canvas.line(&format!(\"whisker {class}\")); say!(\"lost-orders\", lost = 1)"), 0);
        assert_eq!(found("match name { \"lost orders\" => 1, \"of two\" | \"of three\" if a => 2 }"), 0);
        assert_eq!(apart("crates/oltp/src/a.rs", "\"lost orders\"").len(), 0);
        let of_a_cell = |text: &str| apart("crates/lab/src/kind/a.rs", text).len();
        assert_eq!(of_a_cell("Err(\"lost orders\".to_owned())"), 1, "it becomes a reason");
        assert_eq!(of_a_cell("Err(LabError::Refused(\"lost orders\".to_owned()))"), 0);
        let page = |body: &str| apart("crates/report/templates/a.html", &format!("<body>\n{body}\n")).len();
        assert_eq!(page("<h1 class=\"a b\">{{ heading }}</h1>{% for bed in beds %}"), 0);
        assert_eq!((page("<h1>The beds</h1>"), page("<i aria-label=\"The beds\">")), (1, 1));
    }
}
