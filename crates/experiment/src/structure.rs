//! From the document to the types: which keys there are, what each holds, what stands in for a key that was
//! left out.
//!
//! Keys are named once, by the fields of a struct (`keys!`); the attributes of the types are for the JSON
//! Schema and for writing.

mod database;
#[cfg(test)]
mod tests;
mod workload;

use std::collections::BTreeMap;
use std::path::PathBuf;

use toml::de::DeValue;

use crate::design::{DEFAULT_REPEATS, Design, Order, SmallestEffect, ten_percent, three_percent};
use crate::file::{Bed, Database, Experiment, SCHEMA_VERSION, Storage, here};
use crate::keys::{Keyed, keys, list, table, whole};
use crate::reader::{Fields, Node, Reader};
use crate::units::{Share, Size, Span};

pub(crate) const EXPERIMENT_KEYS: [&str; 9] =
    ["schema", "title", "question", "description", "published", "bed", "database", "workload", "design"];
pub(crate) const STORAGE_KEYS: [&str; 3] = ["emulated", "path", "real"];

/// A value of each kind that stands in for one that could not be read; its path is broken, so nothing is
/// checked against it.
pub(crate) const NO_SIZE: Size = Size(0);
pub(crate) const NO_SPAN: Span = Span(std::time::Duration::ZERO);

const STORAGE: &str = "{ emulated = \"kingston-dc1500m-960g\", path = \".\" }";
/// More repeats than this are a slip of the pen rather than a wish.
const REPEATS_MAX: u32 = 1_000;

impl Reader {
    pub(crate) fn size(&mut self, node: &Node<'_>) -> Option<Size> {
        self.measured(node, "a size with its unit", ["MiB", "MB"])
    }

    pub(crate) fn span(&mut self, node: &Node<'_>) -> Option<Span> {
        self.measured(node, "a time with its unit", ["s", "min"])
    }

    pub(crate) fn share(&mut self, node: &Node<'_>) -> Option<Share> {
        if let DeValue::Float(number) = node.value
            && let Ok(part) = number.as_str().parse::<f64>()
            && part > 0.0
            && part < 1.0
        {
            let key = node.path.rsplit('.').next().unwrap_or_default();
            let help = Some(format!("write \"{}\"", Share(part)));
            self.fault(node, format!("`{key}` must be a percentage"), "a bare number has no unit", help);
            return None;
        }
        self.measured(node, "a percentage", ["%", ""])
    }

    pub(crate) fn optional_text(&mut self, fields: &Fields<'_>, key: &str) -> Option<String> {
        fields.get(key).and_then(|node| self.text(&node))
    }

    pub(crate) fn required_text(&mut self, fields: &Fields<'_>, key: &str, example: &str) -> String {
        self.required(fields, key, example).and_then(|node| self.text(&node)).unwrap_or_default()
    }

    pub(crate) fn required_size(&mut self, fields: &Fields<'_>, key: &str, example: &str) -> Size {
        self.required(fields, key, example).and_then(|node| self.size(&node)).unwrap_or(NO_SIZE)
    }

    pub(crate) fn required_span(&mut self, fields: &Fields<'_>, key: &str, example: &str) -> Span {
        self.required(fields, key, example).and_then(|node| self.span(&node)).unwrap_or(NO_SPAN)
    }

    /// The whole file. Only the version is read when it is one that this program does not know.
    pub(crate) fn experiment(&mut self, root: &Node<'_>) -> Option<Experiment> {
        let unchecked = self.open_table(root, "experiment", root.value.as_table());
        let version = self.required(&unchecked, "schema", "schema = 1");
        let schema = version.as_ref().and_then(|node| self.whole(node, 1_u32, u32::MAX));
        if let (Some(node), Some(version)) = (&version, schema.filter(|version| *version != SCHEMA_VERSION)) {
            let message =
                format!("this file has schema {version}, and this program reads schema {SCHEMA_VERSION}");
            let help = "use a newer drivetrain, or write the file in schema 1".to_owned();
            self.fault(node, message, "not a version that is known here", Some(help));
            return None;
        }
        let fields = self.table(root, "experiment", &EXPERIMENT_KEYS);
        Some(Experiment {
            schema: SCHEMA_VERSION,
            title: self.required_text(&fields, "title", "title = \"What this storage does for my database\""),
            question: self.optional_text(&fields, "question"),
            description: self.optional_text(&fields, "description"),
            published: self.optional_text(&fields, "published"),
            bed: self.tables(&fields, "bed", table::<Bed>),
            database: fields.get("database").map(|node| Database::read(self, &node)),
            workload: self.tables(&fields, "workload", Reader::workload),
            design: fields.get("design").map(|node| Design::read(self, &node)).unwrap_or_default(),
        })
    }

    /// The tables `[[key]]`, of which there must be one at least.
    pub(crate) fn tables<T>(
        &mut self,
        fields: &Fields<'_>,
        key: &str,
        mut read: impl FnMut(&mut Reader, &Node<'_>) -> Option<T>,
    ) -> Vec<T> {
        let header = format!("[[{}]]", if key == "stream" { "workload.stream" } else { key });
        let Some(node) = self.required(fields, key, &header) else { return Vec::new() };
        if node.value.as_array().is_some_and(|array| array.is_empty()) {
            self.fault(&node, format!("`{key}` is empty"), "", Some(format!("write one {header} at least")));
        } else if node.value.is_table() {
            let single = header.trim_start_matches('[').trim_end_matches(']');
            let help = format!("write {header} with two brackets: there may be several");
            self.fault(
                &node,
                format!("`{key}` must be a list of tables"),
                format!("[{single}] is one table"),
                Some(help),
            );
            return Vec::new();
        }
        let read_one = |reader: &mut Reader, element: &Node<'_>| Some(read(reader, element));
        let elements = self.list(&node, &header, read_one).unwrap_or_default();
        elements.into_iter().flatten().collect()
    }

    pub(crate) fn setup(&mut self, node: &Node<'_>) -> Option<BTreeMap<String, String>> {
        if !node.value.is_table() {
            self.table(node, "set-up", &[]);
        }
        let fields = self.open_table(node, "set-up", node.value.as_table());
        let entries: Vec<(&str, Node<'_>)> = fields.entries().collect();
        let written = |(key, value): &(&str, Node<'_>)| Some(((*key).to_owned(), self.text(value)?));
        Some(entries.iter().filter_map(written).collect())
    }

    pub(crate) fn storage(&mut self, node: &Node<'_>) -> Option<Storage> {
        let forms = "write { emulated = \"kingston-dc1500m-960g\", path = \".\" } for a modelled drive, or { real = \"/mnt/nvme\" } for a real path";
        if !node.value.is_table() {
            let key = node.path.rsplit('.').next().unwrap_or_default();
            self.fault(
                node,
                format!("`{key}` must say what kind of storage it is"),
                "",
                Some(forms.to_owned()),
            );
            return None;
        }
        let fields = self.table(node, "storage", &STORAGE_KEYS);
        let path = self.optional_text(&fields, "path");
        match (fields.get("emulated"), fields.get("real")) {
            (Some(drive), None) => {
                let drive = self.text(&drive)?;
                Some(Storage::Emulated { drive, path: path.map_or_else(here, PathBuf::from) })
            }
            (None, Some(real)) => {
                if let Some(extra) = fields.get("path") {
                    let help = "leave `path` out: `real` is the path".to_owned();
                    self.fault(&extra, "`path` does not go with `real`".to_owned(), "", Some(help));
                }
                Some(Storage::Real { path: PathBuf::from(self.text(&real)?) })
            }
            (Some(_), Some(_)) => {
                let message = "a storage cannot be emulated and real at once".to_owned();
                self.fault(node, message, "has both keys", Some(forms.to_owned()));
                None
            }
            (None, None) => {
                if !self.broken.contains(&fields.path_of("emulated"))
                    && !self.broken.contains(&fields.path_of("real"))
                {
                    let message = "the storage says neither `emulated` nor `real`".to_owned();
                    self.fault(node, message, "", Some(forms.to_owned()));
                }
                self.broken.insert(node.path.clone());
                None
            }
        }
    }

    pub(crate) fn seed(&mut self, node: &Node<'_>) -> Option<u64> {
        let Some(text) = node.value.as_str() else { return self.whole(node, 0_u64, u64::MAX) };
        let seed = text.parse().ok();
        if seed.is_none() {
            let help = Some(
                "write a number, in quotation marks only when it is above 9223372036854775807".to_owned(),
            );
            self.fault(node, format!("`{text}` is not a seed"), "", help);
        }
        seed
    }
}

keys! {
    Bed, "bed" {
        name: required("\"nvme\"", Reader::text) or String::new(),
        label: optional(Reader::text),
        storage: required(STORAGE, Reader::storage) or Storage::Real { path: here() },
        log: optional(Reader::storage),
        memory: optional(Reader::size),
        cpus: optional(Reader::number),
        memory_limit: optional(Reader::size),
        url: optional(Reader::text),
        simulated: optional(Reader::text),
        setup: optional(Reader::setup) or BTreeMap::new(),
    }
}

keys! {
    Design, "design" {
        treatment: optional(list("[\"storage\"]", Reader::word)) or Vec::new(),
        baseline: optional(Reader::text),
        repeats: optional(whole(1, REPEATS_MAX)) or DEFAULT_REPEATS,
        order: optional(Reader::word) or Order::default(),
        seed: optional(Reader::seed),
        smallest_effect: optional(table::<SmallestEffect>) or SmallestEffect::default(),
    }
}

keys! {
    SmallestEffect, "smallest effect" {
        nopm: optional(Reader::share) or three_percent(),
        tps: optional(Reader::share) or three_percent(),
        iops: optional(Reader::share) or three_percent(),
        time: optional(Reader::share) or three_percent(),
        p99: optional(Reader::share) or ten_percent(),
    }
}
