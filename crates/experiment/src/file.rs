//! The types of an experiment: beds, database and design. Their doc comments are the descriptions in the JSON
//! Schema.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
pub use words::{Engine, Synchronous};

use crate::design::{Design, Treatment};
use crate::units::Size;
use crate::words::written_words;
use crate::workload::Workload;

/// The version of the file format that this program reads and writes.
pub const SCHEMA_VERSION: u32 = 1;

/// An experiment: what is compared, under which load, how often.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// The version of the file format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub schema: u32,
    /// A title of one line.
    #[schemars(length(min = 1))]
    pub title: String,
    /// The question that the experiment answers, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// What a reader of the report must know: where it comes from, what it leaves out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A published test whose numbers are printed beside ours, for example `kingston-dc1500m/test-2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// The systems under test.
    #[schemars(length(min = 1))]
    pub bed: Vec<Bed>,
    /// The database of every bed. Needed by every kind of workload but `block`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<Database>,
    /// The loads that every bed is put under.
    #[schemars(length(min = 1))]
    pub workload: Vec<Workload>,
    /// What is compared, how often and in which order.
    #[serde(default)]
    pub design: Design,
}

/// A system under test: storage, and memory where it differs from the other beds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bed {
    /// A short name of letters, digits, `.`, `_` and `-`: it names directories and is used on the command
    /// line.
    #[schemars(regex(pattern = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"))]
    pub name: String,
    /// How figures and tables call this bed; its name when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Where this bed keeps its bytes.
    pub storage: Storage,
    /// A second drive for the database's log; the log lies on `storage` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<Storage>,
    /// The buffer pool of this bed, in place of `[database].memory`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Size>,
    /// Processors that each instance of this bed may use, in place of `[database].cpus`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<f64>,
    /// All memory that each instance of this bed may use, in place of `[database].memory_limit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<Size>,
    /// The existing server of this bed, in place of `[database].url`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The bed of a study that stands for this one with `--realm simulated`, for example `kingston-nvme`; one
    /// host with the drive of `storage` when left out and the experiment is no published test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulated: Option<String>,
    /// The published set-up kept as written: shown in the report, not used by the run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub setup: BTreeMap<String, String>,
}

/// Where a bed keeps its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Storage {
    /// Real bytes under `path`, served in the time that a modelled drive would take.
    Emulated {
        /// The modelled drive: a name of the catalogue (`drivetrain drives` lists them) or the path of a
        /// drive's `.toml` file.
        #[serde(rename = "emulated")]
        drive: String,
        /// The directory below which the bytes are kept; the working directory when left out.
        #[serde(default = "here", serialize_with = "path_text")]
        path: PathBuf,
    },
    /// A directory on the storage under test, used as it is.
    Real {
        /// The directory.
        #[serde(rename = "real", serialize_with = "path_text")]
        path: PathBuf,
    },
}

/// The working directory, where emulated bytes go unless the file says otherwise.
pub(crate) fn here() -> PathBuf {
    PathBuf::from(".")
}

/// The database that every bed runs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Database {
    /// The engine.
    #[serde(default)]
    pub engine: Engine,
    /// An existing server, `postgresql://USER@HOST/DATABASE` or `mysql://USER@HOST/DATABASE`: then nothing is
    /// started, set or copied, `memory` and the bed's `storage` only record what the server stands on. The
    /// password is never written here; it comes from the environment, PGPASSWORD or MYSQL_PWD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The buffer pool of one instance: how many bytes of the database are kept in memory.
    pub memory: Size,
    /// Processors that one instance may use, for example `1.5`: a limit by control groups, which needs root.
    /// No limit when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.05, max = 4096))]
    pub cpus: Option<f64>,
    /// All memory that one instance may use, its share of the host's page cache among it: a limit by control
    /// groups, which needs root. Without it a server's files are cached by the whole host, however small
    /// `memory` is. No limit when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit: Option<Size>,
    /// Database servers per bed, side by side on its storage, each with a database and users of its own.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 64))]
    pub instances: u32,
    /// What the engine waits for at a commit.
    #[serde(default)]
    pub synchronous: Synchronous,
    /// How transactions reach the server.
    #[serde(default)]
    pub mode: Mode,
}

pub(crate) fn one() -> u32 {
    1
}

/// How transactions reach the server. Both ways do the same work and leave the same data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// A function in the server does the whole transaction in one round trip, as HammerDB has it. Not on
    /// SQLite.
    Procedures,
    /// The client sends prepared statements one after the other, as most applications do.
    #[default]
    Statements,
}

written_words! {
    Mode { Statements => "statements", Procedures => "procedures" }
}

impl Storage {
    /// The directory below which the bytes are kept.
    pub fn path(&self) -> &std::path::Path {
        match self {
            Storage::Emulated { path, .. } | Storage::Real { path } => path,
        }
    }

    /// Whether two storages would treat a database alike: the same modelled drive, or the same real path.
    pub fn same_kind(&self, other: &Storage) -> bool {
        match (self, other) {
            (Storage::Emulated { drive: a, .. }, Storage::Emulated { drive: b, .. }) => a == b,
            (Storage::Real { path: a }, Storage::Real { path: b }) => a == b,
            _ => false,
        }
    }
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Storage::Emulated { drive, .. } => write!(f, "emulated {drive}"),
            Storage::Real { path } => write!(f, "real {}", path.display()),
        }
    }
}

impl Bed {
    /// How figures and tables call this bed.
    pub fn display_name(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }
}

impl Experiment {
    /// The bed of this name.
    pub fn find_bed(&self, name: &str) -> Option<&Bed> {
        self.bed.iter().find(|bed| bed.name == name)
    }

    /// The bed that the others are compared with: the one named, else the last. `None` only for an experiment
    /// without beds.
    pub fn baseline(&self) -> Option<&Bed> {
        match &self.design.baseline {
            Some(name) => self.find_bed(name),
            None => self.bed.last(),
        }
    }

    /// The buffer pool of a bed: its own, else that of `[database]`. `None` when neither says.
    pub fn memory_of(&self, bed: &Bed) -> Option<Size> {
        bed.memory.or(self.database.as_ref().map(|database| database.memory))
    }

    /// Processors that each instance of a bed may use: its own limit, else that of `[database]`. `None`
    /// without a limit.
    pub fn cpus_of(&self, bed: &Bed) -> Option<f64> {
        bed.cpus.or(self.database.as_ref().and_then(|database| database.cpus))
    }

    /// All memory that each instance of a bed may use: its own limit, else that of `[database]`. `None`
    /// without a limit.
    pub fn memory_limit_of(&self, bed: &Bed) -> Option<Size> {
        bed.memory_limit.or(self.database.as_ref().and_then(|database| database.memory_limit))
    }

    /// The existing server of a bed: its own, else that of `[database]`. `None` when the run starts its own
    /// servers.
    pub fn url_of<'e>(&'e self, bed: &'e Bed) -> Option<&'e str> {
        bed.url.as_deref().or(self.database.as_ref().and_then(|database| database.url.as_deref()))
    }

    /// How often each level of a workload is run on each bed: `rounds` of the durability test, else
    /// `design.repeats`.
    pub fn repeats_of(&self, workload: &Workload) -> u32 {
        match workload {
            Workload::Durability(durability) => durability.rounds,
            _ => self.design.repeats,
        }
    }

    /// Whether any two beds differ in this factor.
    pub fn differs_in(&self, treatment: Treatment) -> bool {
        let same = |a: &Bed, b: &Bed| match treatment {
            Treatment::Storage => a.storage.same_kind(&b.storage),
            Treatment::Memory => {
                self.memory_of(a) == self.memory_of(b) && self.memory_limit_of(a) == self.memory_limit_of(b)
            }
            Treatment::Log => match (&a.log, &b.log) {
                (Some(a), Some(b)) => a.same_kind(b),
                (a, b) => a.is_none() && b.is_none(),
            },
        };
        self.bed.windows(2).any(|pair| !same(&pair[0], &pair[1]))
    }
}

/// The experiment as a file: reading the text again gives the same experiment.
pub fn to_toml(experiment: &Experiment) -> String {
    toml::to_string(experiment)
        .expect("text, numbers, lists and tables are all that the types hold, and TOML holds them all")
}

/// Paths come from text and go back to text; bytes that are no Unicode, which only code could put in, are
/// replaced.
fn path_text<S: Serializer>(path: &std::path::Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}
