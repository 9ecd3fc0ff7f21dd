//! A strict reader of Prometheus' text format, version 0.0.4. It refuses what a lenient reader lets pass: a
//! family without HELP or TYPE, said twice or in pieces, a series twice, names against the conventions.

use std::collections::{BTreeMap, BTreeSet};

/// The labels of a series.
pub(crate) type Labels = BTreeMap<String, String>;

/// The series of one name.
#[derive(Debug, Default)]
pub(crate) struct Family {
    pub(crate) kind: String,
    pub(crate) series: Vec<(Labels, f64)>,
}

/// Endings of names that tell a unit, which is to be a base unit.
const NOT_BASE: [&str; 10] = [
    "_ms",
    "_us",
    "_ns",
    "_milliseconds",
    "_microseconds",
    "_kb",
    "_mb",
    "_percent",
    "_minutes",
    "_megabytes",
];

/// The families of a document by their names.
///
/// # Errors
/// The first line that breaks a rule, and which one.
pub(crate) fn families(text: &str) -> Result<BTreeMap<String, Family>, String> {
    if !text.is_empty() && !text.ends_with('\n') {
        return Err("the last line has no end".to_owned());
    }
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    let (mut open, mut helped) = (String::new(), BTreeSet::new());
    let mut series_seen = BTreeSet::new();
    for line in text.lines() {
        let read = match line.strip_prefix("# ") {
            Some(comment) => read_comment(comment, &mut families, &mut helped, &mut open),
            None => read_sample(line, &open).and_then(|(name, labels, value)| {
                if !series_seen.insert(format!("{name}{labels:?}")) {
                    return Err("a series twice".to_owned());
                }
                let family = families.get_mut(&name).ok_or("a series before its TYPE")?;
                if family.kind == "counter" && (value < 0.0 || !value.is_finite()) {
                    return Err("a counter that is negative or no number".to_owned());
                }
                family.series.push((labels, value));
                Ok(())
            }),
        };
        read.map_err(|why| format!("{why}: {line}"))?;
    }
    match families.iter().find(|(_, family)| family.series.is_empty()) {
        Some((name, _)) => Err(format!("{name} has no series")),
        None => Ok(families),
    }
}

fn read_comment(
    comment: &str,
    families: &mut BTreeMap<String, Family>,
    helped: &mut BTreeSet<String>,
    open: &mut String,
) -> Result<(), String> {
    let mut words = comment.splitn(3, ' ');
    let (Some(what), Some(name), Some(rest)) = (words.next(), words.next(), words.next()) else {
        return Err("a comment that is neither HELP nor TYPE".to_owned());
    };
    match what {
        "HELP" => {
            check_name(name)?;
            if rest.trim().is_empty() || !helped.insert(name.to_owned()) {
                return Err("HELP is empty, or there twice".to_owned());
            }
            if unescaped(rest, false).is_none() {
                return Err("HELP with a wrong escape".to_owned());
            }
        }
        "TYPE" => {
            if !helped.contains(name) || families.contains_key(name) {
                return Err("TYPE without HELP before it, or there twice".to_owned());
            }
            if !["counter", "gauge"].contains(&rest) {
                return Err("an unknown type".to_owned());
            }
            if (rest == "counter") != name.ends_with("_total") {
                return Err("counters, and they alone, end in _total".to_owned());
            }
            families.insert(name.to_owned(), Family { kind: rest.to_owned(), series: Vec::new() });
        }
        _ => return Err("a comment that is neither HELP nor TYPE".to_owned()),
    }
    *open = name.to_owned();
    Ok(())
}

fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !name.starts_with("drivetrain_") || !name.chars().all(is_plain) || name.contains("__") {
        return Err("a name that is not drivetrain_ and lower case".to_owned());
    }
    let unit = name.trim_end_matches("_total");
    match NOT_BASE.iter().find(|ending| unit.ends_with(*ending)) {
        Some(ending) => Err(format!("{ending} is no base unit")),
        None => Ok(()),
    }
}

/// One series: name, labels and value. It belongs to the family that is open.
fn read_sample(line: &str, open: &str) -> Result<(String, Labels, f64), String> {
    let end = line.find(['{', ' ']).ok_or("no value")?;
    let (name, rest) = line.split_at(end);
    if name != open {
        return Err(format!("a series between those of {open}"));
    }
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(rest) => read_labels(rest)?,
        None => (Labels::new(), rest),
    };
    let value = rest.strip_prefix(' ').ok_or("no space before the value")?;
    let value = value.parse().map_err(|_| "a value that is no number, or what follows it".to_owned())?;
    Ok((name.to_owned(), labels, value))
}

/// Labels up to the closing brace, and the rest of the line.
fn read_labels(mut text: &str) -> Result<(Labels, &str), String> {
    let mut labels = Labels::new();
    loop {
        let (name, rest) = text.split_once("=\"").ok_or("a label without a value")?;
        let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        // Two names have a meaning of their own, in summaries and histograms.
        if !is_name || ["quantile", "le"].contains(&name) {
            return Err(format!("the label `{name}`"));
        }
        let end = end_of_value(rest).ok_or("a value without its end")?;
        let value = unescaped(&rest[..end], true).ok_or("a wrong escape")?;
        if labels.insert(name.to_owned(), value).is_some() {
            return Err(format!("the label `{name}` twice"));
        }
        text = &rest[end + 1..];
        match text.strip_prefix(',') {
            Some(rest) => text = rest,
            None => return Ok((labels, text.strip_prefix('}').ok_or("no closing brace")?)),
        }
    }
}

/// The place of the first quote that is not escaped.
fn end_of_value(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })
}

/// The text that escapes stand for; `None` for a wrong one.
fn unescaped(text: &str, is_value: bool) -> Option<String> {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.push(match letter {
            '\\' => match letters.next()? {
                '\\' => '\\',
                'n' => '\n',
                '"' if is_value => '"',
                _ => return None,
            },
            '"' if is_value => return None,
            other => other,
        });
    }
    Some(plain)
}

#[test]
fn the_reader_refuses_what_breaks_a_rule() {
    let head = "# HELP drivetrain_a_total A.\n# TYPE drivetrain_a_total counter\n";
    let good = format!("{head}drivetrain_a_total{{b=\"c\\\\\\\"\\n\",d=\"\"}} 1.5\ndrivetrain_a_total 2\n");
    let read = families(&good).unwrap();
    assert_eq!(read["drivetrain_a_total"].series[0].0["b"], "c\\\"\n");
    for (bad, why) in [
        (format!("{head}drivetrain_a_total 1"), "no end"),
        (format!("{head}drivetrain_a_total 1\ndrivetrain_a_total 1\n"), "series twice"),
        (format!("{head}{head}drivetrain_a_total 1\n"), "HELP twice"),
        (format!("{head}drivetrain_b 1\n"), "another family"),
        ("drivetrain_a 1\n".to_owned(), "no TYPE"),
        ("# TYPE drivetrain_a gauge\ndrivetrain_a 1\n".to_owned(), "no HELP"),
        ("# HELP drivetrain_a A.\n# TYPE drivetrain_a counter\ndrivetrain_a 1\n".to_owned(), "no _total"),
        (
            "# HELP drivetrain_a_ms A.\n# TYPE drivetrain_a_ms gauge\ndrivetrain_a_ms 1\n".to_owned(),
            "no base unit",
        ),
        (head.to_owned(), "no series"),
        (format!("{head}drivetrain_a_total -1\n"), "negative"),
        (format!("{head}drivetrain_a_total{{b=\"c\"d\"}} 1\n"), "a quote"),
        (format!("{head}drivetrain_a_total{{b=\"c\\t\"}} 1\n"), "an escape"),
        (format!("{head}drivetrain_a_total{{b=\"c\",b=\"d\"}} 1\n"), "label twice"),
        (format!("{head}drivetrain_a_total{{quantile=\"0.5\"}} 1\n"), "a label of summaries"),
        (format!("{head}drivetrain_a_total{{b=\"c\"}}1\n"), "no space"),
        (format!("{head}drivetrain_a_total 1 2\n"), "a time"),
        (format!("{head}\ndrivetrain_a_total 1\n"), "an empty line"),
    ] {
        assert!(families(&bad).is_err(), "{why}: {bad}");
    }
}
