//! The database: from the document to the types.

use crate::check::servers_in_words;
use crate::file::{Database, Engine, Mode, Synchronous};
use crate::keys::{keys, whole};
use crate::reader::{Node, Reader};
use crate::structure::NO_SIZE;

/// More servers than this on one storage are a slip of the pen rather than a wish.
const INSTANCES_MAX: u32 = 64;

keys! {
    Database, "database" {
        engine: optional(Reader::engine) or Engine::default(),
        url: optional(Reader::text),
        memory: required("\"32MiB\"", Reader::size) or NO_SIZE,
        cpus: optional(Reader::number),
        memory_limit: optional(Reader::size),
        instances: optional(whole(1, INSTANCES_MAX)) or 1,
        synchronous: optional(Reader::word) or Synchronous::default(),
        mode: optional(Reader::word) or Mode::default(),
    }
}

impl Reader {
    fn engine(&mut self, node: &Node<'_>) -> Option<Engine> {
        if let Some(name) = node.value.as_str().filter(|name| Engine::PLANNED.contains(name)) {
            let message = format!("the engine `{name}` is not built into this version");
            let embedded = Engine::default();
            let help = format!("use {}, or \"{embedded}\", which needs no installation", servers_in_words());
            self.fault(node, message, "", Some(help));
            return None;
        }
        self.word(node)
    }
}
