//! A table that is read key by key.

use crate::reader::{Node, Reader};

/// A table that is read key by key: the keys that are asked for are those that it may have.
pub struct Keys<'r, 'd> {
    reader: &'r mut Reader,
    node: Node<'d>,
    /// The kind of the table, for messages: "bed".
    what: &'static str,
    asked: Vec<&'static str>,
    /// Keys that must be there and are not, each with a line that would be right.
    missing: Vec<(&'static str, &'static str)>,
}

impl<'r, 'd> Keys<'r, 'd> {
    /// Opens a table of the kind `what`.
    pub fn of(reader: &'r mut Reader, node: &Node<'d>, what: &'static str) -> Keys<'r, 'd> {
        Keys { reader, node: node.clone(), what, asked: Vec::new(), missing: Vec::new() }
    }

    /// Reads a key that may be left out.
    pub fn optional<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Reader, &Node<'d>) -> Option<T>,
    ) -> Option<T> {
        self.ignore(&[key]);
        let node = self.node.at(key)?;
        read(self.reader, &node)
    }

    /// Reads a key that must be there; `example` is a line that would be right.
    pub fn required<T>(
        &mut self,
        key: &'static str,
        example: &'static str,
        read: impl FnOnce(&mut Reader, &Node<'d>) -> Option<T>,
    ) -> Option<T> {
        if self.node.at(key).is_none() {
            self.missing.push((key, example));
        }
        self.optional(key, read)
    }

    /// The table.
    pub fn node(&self) -> &Node<'d> {
        &self.node
    }

    /// Names keys that the table may have and that are not read.
    pub fn ignore(&mut self, keys: &[&'static str]) {
        for key in keys {
            if !self.asked.contains(key) {
                self.asked.push(key);
            }
        }
    }

    /// Ends the reading: reports keys that were not asked for, then missing keys that no slip explains.
    pub fn close(self) {
        let fields = self.reader.table(&self.node, self.what, &self.asked);
        for (key, example) in self.missing {
            self.reader.required(&fields, key, example);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Diagnostics, Keys, Reader, read};

    #[derive(Debug, PartialEq)]
    struct Host {
        cores: u32,
        name: Option<String>,
    }

    fn host(text: &str) -> Result<Host, Diagnostics> {
        read(text, "host.toml", |reader, node| {
            let mut keys = Keys::of(reader, node, "host");
            let cores = keys.required("cores", "cores = 8", |reader, node| reader.whole(node, 1_u32, 64));
            let name = keys.optional("name", Reader::text);
            keys.close();
            Some(Host { cores: cores?, name })
        })
    }

    #[test]
    fn keys_that_are_asked_for_are_the_known_ones() {
        assert_eq!(host("cores = 8"), Ok(Host { cores: 8, name: None }));
        let faults = host("coers = 8\nname = 3\nspeed = 1").expect_err("three faults");
        let told: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
        assert_eq!(told, ["unknown key `coers`", "`name` must be text", "unknown key `speed`"]);
        let missing = host("").expect_err("it is empty");
        assert_eq!(missing.iter().next().and_then(|fault| fault.help.as_deref()), Some("add `cores = 8`"));
    }
}
