//! Readers of the numbers that keys hold, with their bounds.

use tomlfile::{Node, Reader};

/// Reads a whole number between bounds, both included.
pub(crate) fn whole(least: u32, most: u32) -> impl Fn(&mut Reader, &Node<'_>) -> Option<u32> {
    move |reader: &mut Reader, node: &Node<'_>| reader.whole(node, least, most)
}

/// Reads a finite number between bounds, both included.
pub(crate) fn amount(least: f64, most: f64) -> impl Fn(&mut Reader, &Node<'_>) -> Option<f64> {
    move |reader: &mut Reader, node: &Node<'_>| reader.number_within(node, least, most)
}
