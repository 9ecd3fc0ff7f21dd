//! Readers of the values that keys hold, with their bounds: for the declaration of a table.

use toml::de::DeValue;

use crate::reader::{Node, Reader, last_key};

/// Reads a whole number between bounds, both included.
pub fn whole(least: u32, most: u32) -> impl Fn(&mut Reader, &Node<'_>) -> Option<u32> {
    move |reader: &mut Reader, node: &Node<'_>| reader.whole(node, least, most)
}

/// Reads a finite number between bounds, both included.
pub fn amount(least: f64, most: f64) -> impl Fn(&mut Reader, &Node<'_>) -> Option<f64> {
    move |reader: &mut Reader, node: &Node<'_>| reader.number_within(node, least, most)
}

/// Reads one word of a fixed set.
pub fn one_of<T: Copy>(known: &'static [(&'static str, T)]) -> impl Fn(&mut Reader, &Node<'_>) -> Option<T> {
    move |reader: &mut Reader, node: &Node<'_>| reader.choice(node, known)
}

/// Reads text that says something; `example` is a value that would be right.
pub fn filled(example: &'static str) -> impl Fn(&mut Reader, &Node<'_>) -> Option<String> {
    move |reader: &mut Reader, node: &Node<'_>| {
        let text = reader.text(node)?;
        if text.trim().is_empty() {
            let key = last_key(&node.path);
            let help = Some(format!("write for example {} = {example}", key.trim_matches('`')));
            reader.fault(node, format!("{key} is empty"), "", help);
            return None;
        }
        Some(text)
    }
}

/// Reads a list of texts; `example` is one that would be right.
pub fn texts(example: &'static str) -> impl Fn(&mut Reader, &Node<'_>) -> Option<Vec<String>> {
    move |reader: &mut Reader, node: &Node<'_>| reader.list(node, example, Reader::text)
}

/// Reads the tables of a list, `[[key]]` each; what `read` makes of none is left out.
pub fn tables<T>(
    mut read: impl FnMut(&mut Reader, &Node<'_>) -> Option<T>,
) -> impl FnMut(&mut Reader, &Node<'_>) -> Option<Vec<T>> {
    move |reader: &mut Reader, node: &Node<'_>| {
        let key = last_key(&node.path);
        let header = format!("[[{}]]", key.trim_matches('`'));
        let (label, help) = match node.value {
            DeValue::Array(_) => {
                let elements = reader.elements(node, &header)?;
                return Some(elements.iter().filter_map(|element| read(reader, element)).collect());
            }
            DeValue::Table(_) => {
                ("one table", format!("write {header} with two brackets: there can be many"))
            }
            _ => ("", format!("write {header} and its keys below")),
        };
        reader.fault(node, format!("{key} must be a list of tables"), label, Some(help));
        None
    }
}
