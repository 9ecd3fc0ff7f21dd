//! The database: from the document to the types.

use crate::file::{Database, Engine, Mode, Synchronous};
use crate::reader::{Node, Reader};

pub(crate) const DATABASE_KEYS: [&str; 8] =
    ["engine", "url", "memory", "cpus", "memory_limit", "instances", "synchronous", "mode"];

/// More servers than this on one storage are a slip of the pen rather than a wish.
const INSTANCES_MAX: u32 = 64;

impl Reader {
    pub(super) fn database(&mut self, node: &Node<'_>) -> Database {
        let fields = self.table(node, "database", &DATABASE_KEYS);
        let levels =
            [("full", Synchronous::Full), ("normal", Synchronous::Normal), ("off", Synchronous::Off)];
        let modes = [("statements", Mode::Statements), ("procedures", Mode::Procedures)];
        let instances = fields.get("instances").and_then(|node| self.whole(&node, 1_u32, INSTANCES_MAX));
        Database {
            engine: fields.get("engine").and_then(|node| self.engine(&node)).unwrap_or_default(),
            url: self.optional_text(&fields, "url"),
            memory: self.required_size(&fields, "memory", "memory = \"32MiB\""),
            cpus: fields.get("cpus").and_then(|node| self.number(&node)),
            memory_limit: fields.get("memory_limit").and_then(|node| self.size(&node)),
            instances: instances.unwrap_or(1),
            synchronous: self.optional_choice(&fields, "synchronous", &levels, Synchronous::Full),
            mode: self.optional_choice(&fields, "mode", &modes, Mode::Statements),
        }
    }

    fn engine(&mut self, node: &Node<'_>) -> Option<Engine> {
        if let Some(name @ "sqlserver") = node.value.as_str() {
            let message = format!("the engine `{name}` is not built into this version");
            let help = "use \"postgresql\" or \"mariadb\", or \"sqlite\", which needs no installation";
            self.fault(node, message, "", Some(help.to_owned()));
            return None;
        }
        let engines =
            [("sqlite", Engine::Sqlite), ("postgresql", Engine::Postgresql), ("mariadb", Engine::Mariadb)];
        self.choice(node, &engines)
    }
}
