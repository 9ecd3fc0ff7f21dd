//! Changes from the command line: `--set design.repeats=3` on the file's text, `--storage nvme=/mnt/nvme` on
//! the experiment.

use std::path::PathBuf;

use toml_edit::{DocumentMut, Item, Key, Table, Value};

use crate::check::suggestion;
use crate::file::{Experiment, Storage};
use tomlfile::short;

/// The reason why a `--set` cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetError {
    /// The argument has no `=`, or the text before it is no dotted key.
    #[error("`{}` is not a setting: write KEY=VALUE, for example design.repeats=3", short(argument))]
    NotASetting {
        /// The argument as it was given.
        argument: String,
    },
    /// A key leads into a value that holds no keys.
    #[error("`{0}` holds a value, so `{key}` cannot be set in it: set `{0}` itself", short(path), key = short(key))]
    NotATable {
        /// The dotted path that holds a value.
        path: String,
        /// The key that was to be set in it.
        key: String,
    },
    /// A value would replace a table of a list.
    #[error("`{path}` is a table and cannot be a value: set a key in it, for example {path}.name=NAME", path = short(path))]
    NotAValue {
        /// The dotted path of the table.
        path: String,
        /// The element as the argument names it.
        element: String,
    },
    /// An element of a list was named that the list does not have.
    #[error("`{}` has no element `{}`: {help}", short(path), short(element))]
    NoElement {
        /// The dotted path of the list.
        path: String,
        /// The element that was asked for.
        element: String,
        /// The existing elements.
        help: String,
    },
}

/// The reason why a `--storage` cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    /// The argument is not of the form BED=PATH.
    #[error("`{}` names no storage: write BED=PATH, for example nvme=/mnt/nvme", short(argument))]
    NotAnAssignment {
        /// The argument as it was given.
        argument: String,
    },
    /// The experiment has no bed of this name.
    #[error("no bed is called `{}`: {help}", short(bed))]
    NoBed {
        /// The name that was given.
        bed: String,
        /// The nearest bed, or all of them.
        help: String,
    },
}

/// Applies `--set KEY=VALUE` to an experiment's text and gives the changed text, comments and layout kept.
///
/// The key is dotted. Elements of lists are named by index or, where they have a `name`, by it:
/// `bed.nvme.memory=64MiB`, `workload.0.warehouses=2`; of a list of one element the index may be left out:
/// `workload.warehouses=2`. The value is TOML, and text where it is not (`design.order=sequential`). Whether
/// key and value make sense is for [`crate::parse`] to say, and so is text that is not TOML: it comes back
/// unchanged.
///
/// # Errors
/// When the argument is not KEY=VALUE, or the key leads nowhere.
pub fn apply_set(text: &str, argument: &str) -> Result<String, SetError> {
    set(text, argument).map(|set| set.text)
}

/// The result of a `--set` on a text.
pub(crate) struct Set {
    /// The changed text.
    pub(crate) text: String,
    /// The way to the value that was set, keys and places in lists.
    pub(crate) way: Vec<Step>,
}

/// One step on the way to a value.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Into a table.
    Key(String),
    /// Into a list.
    Element(usize),
}

/// As [`apply_set`], with the path of the setting.
pub(crate) fn set(text: &str, argument: &str) -> Result<Set, SetError> {
    let not_a_setting = || SetError::NotASetting { argument: argument.to_owned() };
    let (path, value) = argument.split_once('=').ok_or_else(not_a_setting)?;
    let keys = Key::parse(path.trim()).map_err(|_| not_a_setting())?;
    let value = value.trim();
    let value: Value = value.parse().unwrap_or_else(|_| Value::from(value));
    let Ok(mut document) = text.parse::<DocumentMut>() else {
        return Ok(Set { text: text.to_owned(), way: Vec::new() });
    };
    let mut item = document.as_item_mut();
    let (mut at, mut way) = (String::new(), Vec::new());
    for key in &keys {
        item = descend(item, key.get(), &mut at, &mut way)?;
    }
    if let (Some(Step::Element(_)), Some(table)) = (way.last(), item.as_table_mut()) {
        replace_table(table, value, &at, keys.last().map_or("", Key::get))?;
        return Ok(Set { text: document.to_string(), way });
    }
    let decor = item.as_value().map(|old| old.decor().clone());
    let mut value = value;
    match decor {
        Some(decor) => *value.decor_mut() = decor,
        None => value.decor_mut().clear(),
    }
    *item = Item::Value(value);
    Ok(Set { text: document.to_string(), way })
}

/// The item that `key` names in `item`, made when it is not there yet; `at` and `way` lead to `item` and then
/// to the found one.
fn descend<'i>(
    item: &'i mut Item,
    key: &str,
    at: &mut String,
    way: &mut Vec<Step>,
) -> Result<&'i mut Item, SetError> {
    let mut item = item;
    if item.is_array_of_tables() || item.is_array() {
        let (index, named) = element(item, key, at)?;
        at.push_str(&format!(".{index}"));
        way.push(Step::Element(index));
        item = item.get_mut(index).ok_or_else(|| no_element(at, key, 0))?;
        if named {
            return Ok(item);
        }
    }
    if item.is_none() {
        *item = Item::Table(Table::new());
    }
    if !item.is_table_like() {
        return Err(SetError::NotATable { path: at.clone(), key: key.to_owned() });
    }
    let path = if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
    *at = path;
    way.push(Step::Key(key.to_owned()));
    item.get_mut(key).ok_or_else(|| SetError::NotATable { path: at.clone(), key: key.to_owned() })
}

/// Puts a table in place of an element of `[[list]]`, at `path`. Any other value there would be missing from
/// the text.
fn replace_table(old: &mut Table, value: Value, path: &str, element: &str) -> Result<(), SetError> {
    let Value::InlineTable(new) = value else {
        return Err(SetError::NotAValue { path: path.to_owned(), element: element.to_owned() });
    };
    let mut new = new.into_table();
    new.set_position(old.position());
    *new.decor_mut() = old.decor().clone();
    *old = new;
    Ok(())
}

fn no_element(path: &str, element: &str, count: usize) -> SetError {
    let help = match count {
        0 => "it is empty".to_owned(),
        1 => "it has one element, 0".to_owned(),
        _ => format!("it has the elements 0 to {}", count - 1),
    };
    SetError::NoElement { path: path.to_owned(), element: element.to_owned(), help }
}

/// The element of a list that `key` names, and whether it names one at all: in a list of one, `key` may be a
/// key of that one.
fn element(list: &Item, key: &str, at: &str) -> Result<(usize, bool), SetError> {
    let name_at = |index: usize| list.get(index).and_then(|item| item.get("name")).and_then(Item::as_str);
    let count = (0..).take_while(|index| list.get(*index).is_some()).count();
    if let Some(index) = (0..count).find(|index| name_at(*index) == Some(key)) {
        return Ok((index, true));
    }
    match key.parse::<usize>() {
        Ok(index) if index < count => Ok((index, true)),
        Err(_) if count == 1 => Ok((0, false)),
        _ => {
            let names: Vec<&str> = (0..count).filter_map(name_at).collect();
            match no_element(at, key, count) {
                SetError::NoElement { path, element, .. } if !names.is_empty() => {
                    let help = suggestion(key, &names, "names");
                    Err(SetError::NoElement { path, element, help })
                }
                plain => Err(plain),
            }
        }
    }
}

/// Applies `--storage BED=PATH`: the bed keeps its bytes under the real path. `BED.log=PATH` moves its log.
///
/// A bed's label and set-up tell of the storage and machine that the file was written for; under another path
/// they would claim a drive that is not there, so they are dropped with it.
///
/// # Errors
/// When the argument is not BED=PATH or no bed has the name. Whether the path exists is for whoever opens it
/// to find out.
pub fn use_storage(experiment: &mut Experiment, argument: &str) -> Result<(), StorageError> {
    let (name, path) = match argument.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => (name, PathBuf::from(path)),
        _ => return Err(StorageError::NotAnAssignment { argument: argument.to_owned() }),
    };
    let storage = Storage::Real { path };
    if let Some(bed) = experiment.bed.iter_mut().find(|bed| bed.name == name) {
        bed.storage = storage;
        bed.label = None;
        bed.setup.clear();
        return Ok(());
    }
    let of_log = name.strip_suffix(".log").unwrap_or_default();
    if let Some(bed) = experiment.bed.iter_mut().find(|bed| bed.name == of_log) {
        bed.log = Some(storage);
        return Ok(());
    }
    let names: Vec<&str> = experiment.bed.iter().map(|bed| bed.name.as_str()).collect();
    Err(StorageError::NoBed { bed: name.to_owned(), help: suggestion(name, &names, "beds") })
}
