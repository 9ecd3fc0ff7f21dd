//! An experiment with settings of the command line: a fault is shown where its author wrote it, in the file
//! or in the `--set`.

use std::ops::Range;

use toml_edit::{Document, Item};

use crate::checker::Reading;
use crate::edit::{self, SetError, Step};
use crate::file::Experiment;
use crate::parse::read;
use tomlfile::{Diagnostics, Fault};

/// Applies every `--set KEY=VALUE` (see [`crate::apply_set`]) in order and reads the experiment. `file` is
/// the name that messages show.
///
/// # Errors
/// Every setting that cannot be applied, and the faults of the changed text, as [`crate::parse`] tells them.
/// A fault in a set value is shown in that setting; any other in the lines of the file.
pub fn parse_with(text: &str, file: &str, settings: &[String]) -> Result<Experiment, Diagnostics> {
    let mut changed = text.to_owned();
    let (mut applied, mut of_settings) = (Vec::new(), Vec::new());
    for argument in settings {
        match edit::set(&changed, argument) {
            Ok(set) => {
                applied.push(Applied::new(argument, &changed, &set));
                changed = set.text;
            }
            Err(error) => of_settings.push((argument.as_str(), refused(argument, &error))),
        }
    }
    let faults = match read(&changed, Reading::Asked) {
        Ok(experiment) if of_settings.is_empty() => return Ok(experiment),
        read => read.err().unwrap_or_default(),
    };
    let before =
        if applied.is_empty() { Vec::new() } else { read(text, Reading::Asked).err().unwrap_or_default() };
    let mut of_file = Vec::new();
    for fault in faults {
        let is_new = !before.iter().any(|known| known.message == fault.message);
        let written = changed.get(fault.span.clone()).unwrap_or_default().to_owned();
        match origin(&applied, fault.span.clone(), &written, is_new) {
            Ok((argument, span)) => {
                of_settings.push((argument, guided(text, argument, Fault { span, ..fault })))
            }
            Err(span) => of_file.push(Fault { span, ..fault }),
        }
    }
    Err(Diagnostics::new(file, text, of_file).with_settings(of_settings))
}

/// Tables whose keys are often given without the table's name.
const TABLES: [&str; 4] = ["design", "database", "workload", "fleet"];

/// The fault of a setting; of an unknown key of the experiment that is a key of a table, with the whole name.
fn guided(text: &str, argument: &str, fault: Fault) -> Fault {
    let Some((key, _)) = argument.split_once('=') else { return fault };
    let (key, unknown) = (key.trim(), format!("unknown key `{}`", key.trim()));
    if key.contains('.') || fault.message != unknown {
        return fault;
    }
    let has_it = |table: &str| {
        let Ok(set) = edit::set(text, &format!("{table}.{}", argument.trim())) else { return false };
        read(&set.text, Reading::Asked)
            .err()
            .is_none_or(|faults| faults.iter().all(|fault| fault.message != unknown))
    };
    match TABLES.into_iter().find(|table| has_it(table)) {
        Some(table) => Fault { help: Some(format!("did you mean `{table}.{key}`?")), ..fault },
        None => fault,
    }
}

/// A setting that could not be applied, with the part of it that is at fault.
fn refused(argument: &str, error: &SetError) -> Fault {
    let part = match error {
        SetError::NotASetting { .. } => argument,
        SetError::NotATable { key, .. } => key,
        SetError::NoElement { element, .. } | SetError::NotAValue { element, .. } => element,
    };
    Fault { span: segment(argument, part), message: error.to_string(), label: String::new(), help: None }
}

/// The place of a key in an argument; the whole argument if it is not there.
fn segment(argument: &str, key: &str) -> Range<usize> {
    let path = argument.split_once('=').map_or(argument, |(path, _)| path);
    match path.rfind(key) {
        Some(at) if !key.is_empty() => at..at + key.len(),
        _ => 0..argument.len(),
    }
}

/// A setting that was applied: its change, and its place in the resulting text.
struct Applied<'a> {
    argument: &'a str,
    /// Bytes that differ between the text before and the one after: in the one after.
    zone: Range<usize>,
    /// The number of bytes by which they are longer than the replaced text.
    grown: isize,
    key: Range<usize>,
    value: Range<usize>,
    /// The place of the value in the argument, and true if the characters are the same.
    given: Range<usize>,
    is_verbatim: bool,
}

impl<'a> Applied<'a> {
    fn new(argument: &'a str, before: &str, set: &edit::Set) -> Applied<'a> {
        let (old, new) = (before.as_bytes(), set.text.as_bytes());
        let least = old.len().min(new.len());
        let start = (0..least).take_while(|&at| old[at] == new[at]).count();
        let tail = (0..least - start)
            .take_while(|&back| old[old.len() - 1 - back] == new[new.len() - 1 - back])
            .count();
        let zone = start..new.len() - tail;
        let (key, value) = place(&set.text, &set.way).unwrap_or((zone.clone(), zone.clone()));
        let path = argument.find('=').map_or(argument.len(), |at| at + 1);
        let trimmed = argument[path..].trim();
        let from = path + argument[path..].find(trimmed).unwrap_or_default();
        Applied {
            argument,
            grown: new.len() as isize - old.len() as isize,
            is_verbatim: set.text.get(value.clone()) == Some(trimmed),
            given: from..from + trimmed.len(),
            zone,
            key,
            value,
        }
    }

    /// The part of the argument that wrote `span` of the text that it made, if it did.
    fn wrote(&self, span: &Range<usize>, written: &str, is_new: bool) -> Option<Range<usize>> {
        let holds = |outer: &Range<usize>| outer.start <= span.start && span.end <= outer.end;
        if holds(&self.value) {
            let inner = span.start - self.value.start..span.end - self.value.start;
            let moved = inner.start + self.given.start..inner.end + self.given.start;
            return Some(if self.is_verbatim { moved } else { self.given.clone() });
        }
        if holds(&self.key) || holds(&self.zone) {
            return Some(segment(self.argument, written.trim_matches(['[', ']', ' ', '\n', '"'])));
        }
        let overlaps =
            |part: &Range<usize>| span.start < part.end && part.start < span.end && !part.is_empty();
        // A fault of more than the setting wrote, which was none before it.
        (is_new && (overlaps(&self.value) || overlaps(&self.zone))).then(|| self.given.clone())
    }
}

/// Who wrote `span` of the text after all settings: one of them, or the file, there at the place that is
/// given.
fn origin<'a>(
    applied: &[Applied<'a>],
    mut span: Range<usize>,
    written: &str,
    is_new: bool,
) -> Result<(&'a str, Range<usize>), Range<usize>> {
    for set in applied.iter().rev() {
        if let Some(part) = set.wrote(&span, written, is_new) {
            return Ok((set.argument, part));
        }
        let back = |at: usize| if at >= set.zone.end { at.saturating_add_signed(-set.grown) } else { at };
        span = back(span.start)..back(span.end);
    }
    Err(span)
}

/// Key and value at the end of a way.
fn place(text: &str, way: &[Step]) -> Option<(Range<usize>, Range<usize>)> {
    let document = Document::parse(text).ok()?;
    let (mut item, mut key): (&Item, _) = (document.as_item(), None);
    for step in way {
        item = match step {
            Step::Key(name) => {
                let (found, value) = item.as_table_like()?.get_key_value(name)?;
                key = found.span();
                value
            }
            Step::Element(index) => item.get(*index)?,
        };
    }
    let value = item.span()?;
    Some((key.unwrap_or_else(|| value.clone()), value))
}
