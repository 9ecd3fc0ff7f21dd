//! Sentences apart from code: the messages of `locales` and those that the code says are the same, with the
//! same data, every translation has all of them, and no sentence stands in a crate whose texts were moved to
//! `locales`.

pub(super) mod apart;
mod literal;
mod translated;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Context;
use fluent_syntax::ast::{CallArguments, Entry, Expression, InlineExpression, Pattern, PatternElement};

use literal::{Literal, literals};

/// Names of data.
type Data = BTreeSet<String>;

/// A message of a file: its place, and the data that it names.
#[derive(Clone)]
struct Message {
    place: String,
    data: Data,
    /// True if it is one text and nothing else: only then it needs no data.
    is_text: bool,
    /// Its texts between the data.
    texts: Vec<String>,
}

/// The file of the questions of built-in experiments.
const QUESTIONS: &str = "/question.ftl";

/// Holds the messages of the files and those of the code to each other.
///
/// # Errors
/// When a file cannot be read.
pub(super) fn messages(root: &Path, sources: &[(String, String)]) -> anyhow::Result<Vec<String>> {
    let mut faults = Vec::new();
    let known = known(root, "en", &mut faults)?;
    let mut said: BTreeMap<String, Vec<(String, Data)>> = BTreeMap::new();
    for (id, data) in words::messages() {
        let data = data.iter().map(|name| (*name).to_owned()).collect();
        said.entry(id).or_default().push(("crates/words/src/lib.rs:1".to_owned(), data));
    }
    // Questions are said by their text: `words::asked`.
    let mut questions = questions(&root.join("experiments"))?;
    for (id, message) in known.iter().filter(|(_, message)| message.place.contains(QUESTIONS)) {
        if questions.remove(&message.texts.concat()).is_some() {
            said.entry(id.clone()).or_default().push((message.place.clone(), Data::new()));
        }
    }
    let missing = |(text, place): (&String, &String)| {
        format!("{place}: the question `{text}` has no message; write it into `locales/*{QUESTIONS}`")
    };
    faults.extend(questions.iter().map(missing));
    for (name, text) in sources.iter().filter(|(name, _)| name.starts_with("crates/")) {
        if name.ends_with(".html") {
            let ids = text.split("say!(\"").skip(1).filter_map(|rest| rest.split('"').next());
            ids.for_each(|id| {
                said.entry(id.to_owned()).or_default().push((format!("{name}:1"), Data::new()))
            });
            continue;
        }
        for literal in literals(text).into_iter().filter(Literal::is_said) {
            let place = format!("{name}:{}", literal.line);
            said.entry(literal.text).or_default().push((place, literal.data.into_iter().collect()));
        }
    }
    for (id, message) in known.iter().filter(|(id, _)| !said.contains_key(*id)) {
        faults.push(format!("{}: the message `{id}` is never said; remove it", message.place));
    }
    for tag in translations(root)? {
        let translated = self::known(root, &tag, &mut faults)?;
        faults.extend(translated::faults(&tag, &known, &translated));
    }
    for (id, places) in &said {
        faults.extend(places.iter().filter_map(|(place, given)| unfit(id, known.get(id), place, given)));
    }
    Ok(faults)
}

/// The questions of the experiments below a folder, each with the file that asks it.
fn questions(folder: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let mut questions = BTreeMap::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            questions.extend(self::questions(&path)?);
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        let asked = text.lines().filter_map(|line| line.strip_prefix("question = \"")?.strip_suffix('"'));
        questions.extend(asked.map(|question| (question.to_owned(), path.display().to_string())));
    }
    Ok(questions)
}

/// The fault of a message as it is said at one place.
fn unfit(id: &str, message: Option<&Message>, place: &str, given: &Data) -> Option<String> {
    let Some(message) = message else {
        return Some(format!("{place}: no message `{id}` stands in `locales/en`; write it there"));
    };
    if *given != message.data {
        let list = |data: &Data| data.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let (given, named) = (list(given), list(&message.data));
        return Some(format!("{place}: `{id}` is given [{given}], and {} names [{named}]", message.place));
    }
    (given.is_empty() && !message.is_text)
        .then(|| format!("{}: `{id}` takes no data, so it is one line without braces", message.place))
}

/// The languages beside English: the folders of `locales`.
fn translations(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut tags = Vec::new();
    for entry in std::fs::read_dir(root.join("locales")).context("reading locales")? {
        tags.push(entry?.file_name().to_string_lossy().into_owned());
    }
    tags.retain(|tag| tag != "en");
    tags.sort();
    Ok(tags)
}

/// Every message of `locales/TAG`, by its id; one of an attribute by `id.attribute`.
fn known(root: &Path, tag: &str, faults: &mut Vec<String>) -> anyhow::Result<BTreeMap<String, Message>> {
    let mut known = BTreeMap::new();
    let folder = root.join("locales").join(tag);
    for entry in std::fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
        let place = format!("locales/{tag}/{name}.ftl");
        let text = std::fs::read_to_string(&path)?;
        let resource = match fluent_syntax::parser::parse(text.as_str()) {
            Ok(resource) => resource,
            Err((resource, errors)) => {
                let line = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
                faults.extend(errors.iter().map(|e| format!("{place}:{}: {}", line(e.pos.start), e.kind)));
                resource
            }
        };
        for entry in resource.body {
            let Entry::Message(message) = entry else { continue };
            let attributes =
                message.attributes.iter().map(|a| (format!("{}.{}", message.id.name, a.id.name), &a.value));
            let own = message.value.iter().map(|value| (message.id.name.to_owned(), value));
            for (id, pattern) in own.chain(attributes) {
                let mut data = Data::new();
                names(pattern, &mut data);
                let is_text = matches!(pattern.elements[..], [PatternElement::TextElement { .. }]);
                let message = Message { place: place.clone(), data, is_text, texts: texts(pattern) };
                if known.insert(id.clone(), message).is_some() {
                    faults.push(format!("{place}:1: the message `{id}` stands twice"));
                }
            }
        }
    }
    Ok(known)
}

/// The texts of a pattern between its data.
fn texts(pattern: &Pattern<&str>) -> Vec<String> {
    let text = |element: &PatternElement<&str>| match element {
        PatternElement::TextElement { value } => Some((*value).to_owned()),
        PatternElement::Placeable { .. } => None,
    };
    pattern.elements.iter().filter_map(text).collect()
}

/// The data that a pattern names.
fn names(pattern: &Pattern<&str>, data: &mut Data) {
    for element in &pattern.elements {
        let PatternElement::Placeable { expression } = element else { continue };
        match expression {
            Expression::Inline(inline) => names_inline(inline, data),
            Expression::Select { selector, variants } => {
                names_inline(selector, data);
                variants.iter().for_each(|variant| names(&variant.value, data));
            }
        }
    }
}

fn names_inline(inline: &InlineExpression<&str>, data: &mut Data) {
    match inline {
        InlineExpression::VariableReference { id } => drop(data.insert(id.name.to_owned())),
        InlineExpression::Placeable { expression } => {
            let elements = vec![PatternElement::Placeable { expression: *expression.clone() }];
            names(&Pattern { elements }, data);
        }
        InlineExpression::FunctionReference { arguments: CallArguments { positional, .. }, .. } => {
            positional.iter().for_each(|argument| names_inline(argument, data));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Message {
        let resource = fluent_syntax::parser::parse(text).expect("a message");
        let Some(Entry::Message(message)) = resource.body.into_iter().next() else { panic!("no message") };
        let value = message.value.expect("a value");
        let mut data = Data::new();
        names(&value, &mut data);
        Message { place: String::new(), data, is_text: value.elements.len() == 1, texts: texts(&value) }
    }

    #[test]
    fn a_message_is_said_with_the_data_that_it_names() {
        let cells = message(
            "cells =\n    { $n ->\n        [one] { $n } cell of { $bed }\n       *[other] { $n } cells\n    }\n",
        );
        let given = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Data>();
        assert_eq!(unfit("cells", Some(&cells), "a.rs:1", &given(&["bed", "n"])), None);
        assert!(unfit("cells", Some(&cells), "a.rs:1", &given(&["n"])).is_some());
        assert!(unfit("cells", None, "a.rs:1", &given(&[])).is_some());
    }

    #[test]
    fn a_message_without_data_is_one_text() {
        assert_eq!(unfit("a", Some(&message("a = One line\n")), "a.rs:1", &Data::new()), None);
        assert!(unfit("a", Some(&message("a = {\" \"}led\n")), "a.rs:1", &Data::new()).is_some());
        assert!(unfit("a", Some(&message("a =\n    two\n    lines\n")), "a.rs:1", &Data::new()).is_some());
    }
}
