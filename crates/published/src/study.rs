//! The file of a study: ours, and those that users write for an audit.

use std::collections::BTreeMap;

use serde::Serialize;
use toml::de::DeValue;
use tomlfile::{Diagnostics, Fault, Keys, Lines, Node, Reader, filled, one_of, tables, texts, whole};

use crate::{NumberKind, quantity};

tomlfile::table! {
    /// A study.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Study "file" beside ["derived"] {
        /// Its name, for example `kingston-dc1500m`; a number or a statement may name another.
        pub study: String = or_default(Reader::text);
        pub(crate) tests as test: Vec<Test> = or_default(tables(Test::read));
        pub(crate) metrics as metric: Vec<Metric> = or_default(tables(Metric::read));
        /// Its printed numbers.
        pub numbers: Vec<Number> = of(numbers);
        /// Sentences of its text that an audit judges.
        pub statements: Vec<Statement> = of(statements);
        pub(crate) confounds as confound: Vec<Confound> = or_default(tables(Confound::read));
        /// Its test beds.
        pub testbeds: Vec<Testbed> = of(testbeds);
    }
}

tomlfile::table! {
    /// The place of a study's test among our experiments.
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) struct Test "test" {
        pub(crate) id: String = required("\"K-2a\"", Reader::text);
        pub(crate) experiment: String = required("\"kingston-dc1500m/test-2\"", Reader::text);
        pub(crate) bed: String = required("\"nvme\"", Reader::text);
        pub(crate) testbed: String = required("\"K-NVMe\"", Reader::text);
        /// The level of the test's numbers; left out for a test of which the set-up alone is known.
        pub(crate) level: Option<u32> = optional(whole(0, u32::MAX));
    }
}

tomlfile::table! {
    /// A metric of a study and ours.
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) struct Metric "metric" {
        pub(crate) theirs: String = required("\"TPM\"", Reader::text);
        pub(crate) ours: String = required("\"tpm\"", Reader::text);
        pub(crate) same_definition: bool = required("false", Reader::boolean);
        pub(crate) note: String = required("\"Batch requests are no transactions.\"", Reader::text);
    }
}

tomlfile::table! {
    /// One number of a study: in the study's own words, or in ours ([`Number::in_our_words`]) if it has a
    /// counterpart in our results. What the file leaves out is empty.
    #[derive(Clone, Debug, Default, PartialEq, Serialize)]
    pub struct Number "number" beside ["source"] {
        /// Its identifier in our data, for example `K050`.
        pub id: String = or_default(Reader::text);
        /// The study, for example `kingston-dc1500m`; a study's file says it once for all of its numbers.
        pub study: String = or_default(Reader::text);
        /// The study's test, for example `K-2a`.
        pub test: String = or_default(Reader::text);
        /// The system that was measured, for example `K-NVMe / DC1500M 960GB`.
        pub system: String = or_default(Reader::text);
        /// The metric by the study's name, for example `TPM`.
        pub metric: String = required("\"p99 latency\"", filled("\"p99 latency\""));
        /// The value in `unit`, as printed.
        pub value: f64 = required("1.61", value);
        /// The unit, as printed.
        pub unit: String = of(|keys: &mut Keys<'_, '_>| Some(unit(keys, "value")));
        /// The conditions under which it was printed.
        pub conditions: String = or_default(Reader::text);
        /// `high`, `medium` (rounded, or inconsistent with another number) or `low` (wrong arithmetic or
        /// meaning).
        pub confidence: String = or_default(Reader::text);
        /// Its kind: a measurement, or a claim of the authors.
        pub kind: NumberKind = or_default(kind);
        /// A caveat about it; empty if there is none.
        pub note: String = or_default(Reader::text);
        /// Of a claim, the ids of the two numbers that it compares.
        #[serde(skip)]
        pub numbers: Vec<String> = or_default(pair);
    }
}

tomlfile::table! {
    /// A sentence of a study's text, with a formula that checks it where there is one.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Statement "statement" {
        /// Its identifier.
        pub id: String = or_default(Reader::text);
        /// The study.
        pub study: String = or_default(Reader::text);
        /// The sentence.
        pub text: String = required("\"p99 is 4x lower\"", filled("\"p99 is 4x lower\""));
        /// The test of its numbers, if the text does not name it.
        pub test: String = or_default(Reader::text);
        /// The systems, if the text does not name them.
        pub system: String = or_default(Reader::text);
        /// The metric, if the text does not name it.
        pub metric: String = or_default(Reader::text);
        /// The conditions of its numbers.
        pub conditions: String = or_default(Reader::text);
        /// The ids of the two numbers that it compares.
        pub numbers: Vec<String> = or_default(pair);
        /// The number in the text.
        pub printed: Option<f64> = of(printed);
        /// Arithmetic over ids of numbers that should give it, for example `K044 / K054`.
        pub formula: Option<String> = optional(Reader::text);
        /// The unit of the number.
        pub unit: String = of(|keys: &mut Keys<'_, '_>| Some(unit(keys, figure(keys))));
        /// The result of the formula, or the reason why there is none.
        pub note: String = or_default(Reader::text);
        /// The verdict of the authors of the file, for a claim that no formula can judge, or that it judges
        /// wrongly.
        pub verdict: Option<Verdict> = optional(one_of(&VERDICTS));
    }
}

tomlfile::table! {
    /// A factor other than the one under test in which a study's beds differ, or which limits what its
    /// numbers can say.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Confound "confound" {
        /// Its identifier in our data.
        pub id: String = required("\"C1\"", Reader::text);
        pub(crate) experiments: Vec<String> = required("[]", texts("[\"kingston-dc1500m/test-2\"]"));
        /// The factor.
        pub factor: String = required("\"processor\"", Reader::text);
        /// Its value on the one side.
        pub side_a: String = required("\"48 cores\"", Reader::text);
        /// Its value on the other side.
        pub side_b: String = required("\"20 cores\"", Reader::text);
        /// Its effect on the comparison.
        pub effect: String = required("\"the first does more work\"", Reader::text);
    }
}

/// A test bed of a study.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Testbed {
    /// Its identifier.
    pub id: String,
    /// The study.
    pub study: String,
    /// Every fact by its name.
    pub facts: BTreeMap<String, String>,
}

/// The verdict of a file's authors on a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The arithmetic or the meaning does not hold.
    Wrong,
    /// Two printed numbers contradict each other.
    Inconsistent,
    /// Nothing printed supports it.
    Unsupported,
    /// The compared sides differ in more than the factor under test.
    NotAlike,
    /// Near, but beyond what rounding explains, or true of a part only.
    Loose,
    /// It holds.
    Right,
}

/// Verdicts as a file writes them.
const VERDICTS: [(&str, Verdict); 7] = [
    ("right", Verdict::Right),
    ("holds", Verdict::Right),
    ("wrong", Verdict::Wrong),
    ("inconsistent", Verdict::Inconsistent),
    ("loose", Verdict::Loose),
    ("not-alike", Verdict::NotAlike),
    ("unsupported", Verdict::Unsupported),
];

/// The tables of a file's numbers and statements, each in the order of the [`Study`].
#[derive(Debug)]
pub struct Tables<'d> {
    /// Those of the numbers.
    pub numbers: Vec<Node<'d>>,
    /// Those of the statements.
    pub statements: Vec<Node<'d>>,
}

/// Reads the file of a study; `file` is its name, for messages. `check` gives further faults of what was
/// read, in which a number that could not be read has no value ([`f64::NAN`]).
///
/// # Errors
/// Every fault of the file: TOML that does not parse, keys that are missing, misspelt or of another type, ids
/// that are given twice, and those of `check`.
pub fn read(
    text: &str,
    file: &str,
    check: impl FnOnce(&Study, &Tables<'_>, &Reader) -> Vec<Fault>,
) -> Result<Study, Diagnostics> {
    tomlfile::read(text, file, |reader, root| {
        let mut study = Study::read(reader, root)?;
        study.name_all();
        let tables = Tables { numbers: lists(root, NUMBERS), statements: lists(root, STATEMENTS) };
        study.identify(reader, &tables, &Lines::of(text));
        let faults = check(&study, &tables, reader);
        reader.faults.extend(faults);
        Some(study)
    })
}

impl Study {
    /// Gives the study's name to all that name no other.
    fn name_all(&mut self) {
        let named = self.numbers.iter_mut().map(|number| &mut number.study);
        let named = named.chain(self.statements.iter_mut().map(|statement| &mut statement.study));
        let named = named.chain(self.testbeds.iter_mut().map(|testbed| &mut testbed.study));
        named.filter(|name| name.is_empty()).for_each(|name| name.clone_from(&self.study));
    }

    /// Gives the line for an id to all that have none; two ids of one study must differ.
    fn identify(&mut self, reader: &mut Reader, tables: &Tables<'_>, lines: &Lines) {
        let numbers = self.numbers.iter_mut().map(|number| (&number.study, &mut number.id));
        let statements = self.statements.iter_mut().map(|statement| (&statement.study, &mut statement.id));
        let mut seen = BTreeMap::new();
        for ((study, id), table) in
            numbers.chain(statements).zip(tables.numbers.iter().chain(&tables.statements))
        {
            let line = lines.line_of(table.span.start);
            let Some(written) = table.at("id") else {
                *id = format!("line {line}");
                continue;
            };
            if let Some(first) = seen.insert((study, id.clone()), line) {
                let message = format!("the id `{id}` is that of line {first} as well");
                let help = Some("give each number and statement its own id, or none".to_owned());
                reader.fault(&written, message, "used here again", help);
            }
        }
    }
}

/// The names of the lists of numbers, of statements and of test beds.
const NUMBERS: [&str; 2] = ["number", "result"];
const STATEMENTS: [&str; 2] = ["statement", "claim"];
const TESTBEDS: [&str; 2] = ["bed", "testbed"];

/// The elements of the lists of these names.
fn lists<'d>(root: &Node<'d>, names: [&str; 2]) -> Vec<Node<'d>> {
    names.iter().filter_map(|name| root.at(name)).flat_map(|list| list.elements()).collect()
}

/// Reads the tables of the lists of these names.
fn tables_of<T>(
    keys: &mut Keys<'_, '_>,
    names: [&'static str; 2],
    mut read: impl FnMut(&mut Reader, &Node<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    Some(names.into_iter().filter_map(|name| keys.optional(name, tables(&mut read))).flatten().collect())
}

/// Reads the numbers; by its id alone one that cannot be read, so that no formula is at fault for it.
fn numbers(keys: &mut Keys<'_, '_>) -> Option<Vec<Number>> {
    tables_of(keys, NUMBERS, |reader, node| {
        let number = Number::read(reader, node);
        let [id, study] = named(node);
        Some(number.unwrap_or_else(|| Number { id, study, value: f64::NAN, ..Number::default() }))
    })
}

/// Reads the statements; by its id alone one that cannot be read.
fn statements(keys: &mut Keys<'_, '_>) -> Option<Vec<Statement>> {
    tables_of(keys, STATEMENTS, |reader, node| {
        let statement = Statement::read(reader, node);
        let [id, study] = named(node);
        Some(statement.unwrap_or_else(|| Statement { id, study, ..Statement::default() }))
    })
}

/// The id of a table and the study that it names.
fn named(node: &Node<'_>) -> [String; 2] {
    let text = |key| node.at(key).and_then(|text| text.value.as_str()).unwrap_or_default().to_owned();
    ["id", "study"].map(text)
}

fn testbeds(keys: &mut Keys<'_, '_>) -> Option<Vec<Testbed>> {
    tables_of(keys, TESTBEDS, Testbed::read)
}

fn kind(reader: &mut Reader, node: &Node<'_>) -> Option<NumberKind> {
    reader.text(node).map(NumberKind::from)
}

/// The two ids that a claim compares.
fn pair(reader: &mut Reader, node: &Node<'_>) -> Option<Vec<String>> {
    let ids = texts("[\"N1\", \"N2\"]")(reader, node)?;
    if ids.len() != 2 {
        let help = "name the number that the claim speaks of, then the one that it is compared with";
        reader.fault(node, "`numbers` must name two ids".to_owned(), "", Some(help.to_owned()));
    }
    Some(ids)
}

/// The key of the number in a statement's text.
fn figure(keys: &Keys<'_, '_>) -> &'static str {
    if keys.node().at("printed").is_some() { "printed" } else { "value" }
}

fn printed(keys: &mut Keys<'_, '_>) -> Option<Option<f64>> {
    let printed = keys.optional(figure(keys), value);
    keys.ignore(&["printed", "value"]);
    Some(printed)
}

/// Reads a number, or text with a magnitude or a unit such as `"1.84 M"` and `"73 min"`.
fn value(reader: &mut Reader, node: &Node<'_>) -> Option<f64> {
    if !matches!(node.value, DeValue::String(_)) {
        return reader.number(node);
    }
    let text = reader.text(node)?;
    let Some((value, _)) = quantity::written(&text) else {
        let help = Some("write 1.61, \"1.84 M\" or \"73 min\"".to_owned());
        reader.fault(node, format!("`value` cannot be `{text}`"), "not a number", help);
        return None;
    };
    Some(value)
}

/// Reads the unit of the number under a key: what stands behind the number, then the key `unit`.
fn unit(keys: &mut Keys<'_, '_>, of: &'static str) -> String {
    let unit = keys.optional("unit", Reader::text).unwrap_or_default();
    let beside = keys.optional(of, |reader, node| {
        let (value, written) = quantity::written(node.value.as_str()?)?;
        if !written.is_empty() && unit != written && !quantity::is_known(&written) {
            let message = format!("`{written}` is not a known unit or magnitude");
            let help = format!(
                "write `value = {value}` and `unit = \"{written}\"`, or a known one: \"1.84 M\", \"73 min\""
            );
            reader.fault(node, message, "", Some(help));
        }
        Some(written)
    });
    match beside.unwrap_or_default() {
        written if written.is_empty() || written == unit => unit,
        written if unit.is_empty() => written,
        written => format!("{written} {unit}"),
    }
}

impl Testbed {
    /// Reads a bed, which may have facts of any name: below `facts`, or beside its id.
    fn read(reader: &mut Reader, node: &Node<'_>) -> Option<Testbed> {
        if !node.value.is_table() {
            reader.table(node, "bed", &[]);
        }
        let table = node.value.as_table()?;
        let key = |name: &str| table.get(name).map(|value| fact(value.get_ref()));
        let facts = table.get("facts").and_then(|facts| facts.get_ref().as_table()).unwrap_or(table);
        let facts =
            facts.iter().map(|(key, value)| (key.get_ref().to_string(), fact(value.get_ref()))).collect();
        let id = key("id").or_else(|| key("name")).unwrap_or_default();
        Some(Testbed { id, study: key("study").unwrap_or_default(), facts })
    }
}

/// A fact as text.
fn fact(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(time) => time.to_string(),
        DeValue::Array(all) => {
            all.iter().filter_map(|one| one.get_ref().as_str()).collect::<Vec<_>>().join(", ")
        }
        DeValue::Table(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        let faults = read(text, "s.toml", |_, _, _| Vec::new()).expect_err("it has faults");
        faults.iter().map(|fault| format!("{}: {}", fault.line, fault.message)).collect()
    }

    #[test]
    fn our_studies_say_all_of_their_numbers() {
        for (_, study) in crate::studies() {
            assert!(!study.study.is_empty() && !study.statements.is_empty() && !study.testbeds.is_empty());
            for number in &study.numbers {
                let said = [&number.id, &number.test, &number.system, &number.conditions, &number.confidence];
                assert!(said.iter().all(|said| !said.is_empty()), "{number:?}");
                assert_eq!(number.study, study.study);
            }
        }
    }

    #[test]
    fn a_value_may_bring_its_unit() {
        let text = r#"
            study = "s"
            number = [
                { metric = "TPM", value = "1.84 M" },
                { metric = "TPM", value = "1.84 M", unit = "TPM" },
                { metric = "time", value = "73 min", unit = "min", study = "other" },
            ]
            claim = [{ text = "x", printed = "2 h" }, { text = "x", value = 3, unit = "x" }]
        "#;
        let study = read(text, "s.toml", |_, _, _| Vec::new()).expect("it is good");
        let units: Vec<&str> = study.numbers.iter().map(|number| number.unit.as_str()).collect();
        assert_eq!(units, ["M", "M TPM", "min"]);
        let ids: Vec<&str> = study.numbers.iter().map(|number| number.id.as_str()).collect();
        assert_eq!(ids, ["line 4", "line 5", "line 6"]);
        let named: Vec<&str> = study.numbers.iter().map(|number| number.study.as_str()).collect();
        assert_eq!(named, ["s", "s", "other"]);
        let figures: Vec<_> = study.statements.iter().map(|one| (one.printed, one.unit.as_str())).collect();
        assert_eq!(figures, [(Some(2.0), "h"), (Some(3.0), "x")]);
    }

    #[test]
    fn all_faults_of_a_file_are_told_at_once() {
        let text = r#"study = 1
[[number]]
id = "N1"
metrc = "TPM"
value = "fast"
[[result]]
id = "N1"
metric = ""
value = "3 furlongs"
[statement]
text = "x"
[[test]]
id = "T"
level = -1
"#;
        assert_eq!(
            faults(text),
            [
                "1: `study` must be text",
                "4: unknown key `metrc`",
                "5: `value` cannot be `fast`",
                "7: the id `N1` is that of line 2 as well",
                "8: `metric` is empty",
                "9: `furlongs` is not a known unit or magnitude",
                "10: `statement` must be a list of tables",
                "12: `experiment` is missing from this test",
                "12: `bed` is missing from this test",
                "12: `testbed` is missing from this test",
                "14: `level` cannot be -1",
            ]
        );
    }
}
