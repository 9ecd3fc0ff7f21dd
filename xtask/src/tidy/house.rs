//! Rules of this house that read single lines of product code: lengths of functions, references, names of
//! metrics.

use words::Metric;

/// Lines of a function, from its first to its closing brace. Tests may be longer: they are lists.
const FUNCTION_LINES_MAX: usize = 70;

/// Files whose words are another tool's, a study's, or keys of a document, and only look like names of
/// metrics.
const OTHER_WORDS: [(&str, &str); 16] = [
    ("notebook/src/export/", "fio's words"),
    ("report/src/kind", "keys of `smallest_effect`"),
    ("report/src/compare.rs", "keys of `smallest_effect`"),
    ("report/src/alike/asked.rs", "keys of `smallest_effect`"),
    ("report/src/inputs.rs", "shares of the input"),
    ("report/src/page/cells.rs", "identifiers of the page"),
    ("drivetrain/src/verbs/mount/statistics.rs", "what a mount was asked"),
    ("drivetrain/src/verbs/predict", "keys of the answer"),
    ("lab/src/kind/block/steady.rs", "figures that a user tracks"),
    ("study/src/audit/", "words of statements"),
    ("study/src/beside.rs", "words of studies"),
    ("study/src/predict", "keys of the answer, and kinds of I/O"),
    ("study/src/profile/loads/", "kinds of I/O"),
    ("serve/src/metrics.rs", "names of families of Prometheus"),
    ("serve/src/now.rs", "keys of the document"),
    ("serve/src/drives.rs", "keys of the document"),
];

/// Crates that write and read metrics.
const OF_METRICS: [&str; 6] = ["lab", "report", "notebook", "drivetrain", "study", "serve"];

/// Functions that do not fit a screen.
pub(super) fn functions(name: &str, text: &str) -> Vec<String> {
    let product = product(name, text);
    let lines: Vec<&str> = product.lines().collect();
    let mut faults = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let is_function = line.trim_start().split(' ').take(5).any(|word| word == "fn");
        if !is_function || line.trim_start().starts_with("//") {
            continue;
        }
        let is_end =
            |later: &&&str| later.starts_with('}') || later.get(indent..).is_some_and(|l| l.starts_with('}'));
        let body = lines[index + 1..]
            .iter()
            .position(|later| is_end(&later) && later.len() > indent && later[..indent].trim().is_empty());
        let has_body =
            lines[index..].iter().find(|l| l.ends_with(['{', ';'])).is_some_and(|l| l.ends_with('{'));
        if let Some(length) =
            body.filter(|_| has_body).map(|at| at + 2).filter(|length| *length > FUNCTION_LINES_MAX)
        {
            faults.push(format!(
                "{name}:{}: a function of {length} lines; {FUNCTION_LINES_MAX} fit a screen",
                index + 1
            ));
        }
    }
    faults
}

/// Columns of a comment, as of code. Tables keep their rows whole.
const COMMENT_COLUMNS_MAX: usize = 110;

/// Comments wider than code.
pub(super) fn comments(name: &str, text: &str) -> Vec<String> {
    let is_wide = |line: &str| {
        let comment = line.trim_start();
        comment.starts_with("//") && !comment.contains("| ") && line.chars().count() > COMMENT_COLUMNS_MAX
    };
    let lines = text.lines().enumerate().filter(|(_, line)| is_wide(line));
    lines
        .map(|(index, _)| format!("{name}:{}: a comment beyond {COMMENT_COLUMNS_MAX} columns", index + 1))
        .collect()
}

/// Words that open a clause where a doc comment needs a statement.
const CLAUSES: [&str; 4] = ["What", "How", "Whether", "Which"];

/// Doc comments that open with a clause. "The answers of a drive" is understood at once; "What a drive
/// answers" is not.
pub(super) fn openings(name: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut before = None;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let mark = ["///", "//!"].into_iter().find(|mark| line.starts_with(mark));
        let opens = mark.is_some() && mark != before;
        before = mark;
        let word = line.get(3..).and_then(|rest| rest.split_whitespace().next()).unwrap_or_default();
        if opens && CLAUSES.contains(&word.trim_end_matches(['.', ',', ':'])) {
            faults.push(format!(
                "{name}:{}: a doc comment that opens with \"{word}\"; write a statement, its subject first",
                index + 1
            ));
        }
    }
    faults
}

/// References to papers that a reader of the code does not have.
pub(super) fn papers(name: &str, text: &str) -> Vec<String> {
    // Written in two halves so that this file does not find itself.
    let papers =
        [["DESIGN ", "section"].concat(), ["(fac", "ts/"].concat(), ["comparison ", "rule"].concat()];
    let lines = text.lines().enumerate();
    let found = lines.filter(|(_, line)| papers.iter().any(|paper| line.contains(paper.as_str())));
    found
        .map(|(index, _)| format!("{name}:{}: refers to a paper that is not in the tree", index + 1))
        .collect()
}

/// Names of metrics outside of `words`: what is written and read goes by [`Metric`], and cannot be misspelt.
/// Keys of JSON documents stay.
pub(super) fn metrics(name: &str, text: &str) -> Vec<String> {
    let is_asked = OF_METRICS.iter().any(|of| name.starts_with(&format!("crates/{of}/src/")));
    if !is_asked || OTHER_WORDS.iter().any(|(file, _)| name.contains(file)) {
        return Vec::new();
    }
    let mut faults = Vec::new();
    for (index, line) in product(name, text).lines().enumerate() {
        if line.trim_start().starts_with("//") {
            continue;
        }
        let mut parts = line.split('"').skip(1).step_by(2).zip(line.split('"').skip(2).step_by(2));
        let is_metric = |(word, after): &(&str, &str)| {
            word.contains(|c: char| c == '_' || c.is_ascii_lowercase())
                && !after.starts_with(": ")
                && Metric::of(word).is_some()
        };
        if let Some((word, _)) = parts.find(is_metric) {
            faults.push(format!("{name}:{}: the metric `{word}` as text; write it as a `Metric`", index + 1));
        }
    }
    faults
}

/// The part of a file that is no test; nothing of a file of tests.
pub(super) fn product<'a>(name: &str, text: &'a str) -> &'a str {
    let is_test = name.contains("/tests/")
        || name.ends_with("/tests.rs")
        || name.ends_with("_tests.rs")
        || name.ends_with("/testing.rs")
        || name.ends_with("/model.rs");
    let tests = ["#[cfg(", "test)]\nmod tests {"].concat();
    if is_test { "" } else { text.split(tests.as_str()).next().unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_function_is_found_with_its_place() {
        let body = "    call();\n".repeat(FUNCTION_LINES_MAX - 2);
        let fits = format!("fn short() {{\n{body}}}\n");
        assert_eq!(functions("crates/lab/src/a.rs", &fits), [""; 0]);
        let long = format!("impl A {{\n    pub fn long() {{\n{}    }}\n}}\n", body.repeat(2));
        let faults = functions("crates/lab/src/a.rs", &long);
        assert!(
            faults.len() == 1 && faults[0].starts_with("crates/lab/src/a.rs:2: a function of"),
            "{faults:?}"
        );
        assert_eq!(functions("crates/lab/src/a/tests.rs", &long), [""; 0]);
    }

    #[test]
    fn comments_are_as_wide_as_code() {
        let wide = format!("    /// {}\n", "word ".repeat(30));
        assert_eq!(comments("a.rs", &wide), ["a.rs:1: a comment beyond 110 columns"]);
        assert_eq!(comments("a.rs", "/// short\nlet x = 1;\n"), [""; 0]);
        assert_eq!(comments("a.rs", &format!("//! | {} |\n", "cell | ".repeat(30))), [""; 0]);
    }

    #[test]
    fn a_doc_comment_opens_with_a_statement() {
        let found = |text: &str| openings("a.rs", text).len();
        let faults = openings("a.rs", "use b;\n\n    /// What a drive answers.\n    fn a() {}\n");
        assert!(faults.len() == 1 && faults[0].starts_with("a.rs:3: a doc comment"), "{faults:?}");
        assert_eq!(found("//! How full a file system is.\n"), 1);
        assert_eq!(found("/// Which.\nwhat: String,\n/// Whether it is idle.\nis_idle: bool,\n"), 2);
        assert_eq!(found("//! The lab.\n\n/// The answers of a drive.\n/// What comes later is free.\n"), 0);
        assert_eq!(found("/// Whatever a drive answers.\n// What a drive answers.\n"), 0);
    }

    #[test]
    fn a_metric_is_no_text_but_for_keys_of_documents() {
        let found = |line: &str| metrics("crates/lab/src/a.rs", line).len();
        assert_eq!(found("metrics.add(\"nopm\", 1.0)"), 1);
        assert_eq!(found("name: \"latency_p99\".to_owned()"), 1);
        assert_eq!(found("json!({ \"iops\": 1 })"), 0);
        assert_eq!(found("// \"nopm\" is a metric"), 0);
        assert_eq!(metrics("crates/oltp/src/a.rs", "\"nopm\"").len(), 0);
    }
}
