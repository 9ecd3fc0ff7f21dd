//! The experiment, its beds and their database: tables of the file. Doc comments are the descriptions in the
//! JSON Schema.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

pub use words::{Engine, Synchronous};

use device::catalogue;
use serde_json::Value;
use toml::de::DeValue;

use crate::design::{Design, Treatment};
use crate::fleet::Fleet;
use crate::keys::choice::{described_all, form_of_words, read_word, written_words};
use crate::keys::form::{Form, Limits, UNLIMITED};
use crate::keys::reader::{Node, Reader, last_key};
use crate::keys::schema::Definitions;
use crate::keys::table::{Table, TableSchema, table, table_schema};
use crate::keys::written::Written;
use crate::units::Size;
use crate::workload::Workload;

/// The version of the file format that this program reads and writes.
pub const SCHEMA_VERSION: u32 = 1;

/// Processors that a limit may name; the kernel's smallest quota is a hundredth of one.
const CPUS: (f64, f64) = (0.05, 4096.0);
const STORAGE: &str = "{ emulated = \"kingston-dc1500m-960g\", path = \".\" }";

table! {
    /// An experiment: its beds, its loads, its comparison.
    pub struct Experiment "experiment" {
        /// The version of the file format: 1.
        schema: u32 = required("1").within(SCHEMA_VERSION, SCHEMA_VERSION);
        /// A title of one line.
        title: String = required("\"What this storage does for my database\"").filled();
        /// The question that the experiment answers, in one sentence.
        question: Option<String>;
        /// Background for a reader of the report: the experiment's origin and its omissions.
        description: Option<String>;
        /// A published test whose numbers are printed beside ours, for example `kingston-dc1500m/test-2`.
        published: Option<String>;
        /// The systems under test.
        bed: Vec<Bed> = tables("[[bed]]");
        /// The database of every bed. Needed by every kind of workload but `block`.
        database: Option<Database>;
        /// The loads on every bed.
        workload: Vec<Workload> = tables("[[workload]]");
        /// The comparison: its factors, the number of repeats, the order of the cells.
        design: Design = or(Design::default());
        /// The machines of a run on several hosts.
        fleet: Option<Fleet>;
    }
}

table! {
    /// A system under test: storage, and memory where it differs from the other beds.
    pub struct Bed "bed" {
        /// A short name of letters, digits, `.`, `_` and `-`: it names directories and is used on the command
        /// line.
        name: String = required("\"nvme\"").matching(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$");
        /// The name of this bed in figures and tables; `name` by default.
        label: Option<String>;
        /// The storage of this bed.
        storage: Storage = required(STORAGE);
        /// A second drive for the database's log; by default the log is on `storage`.
        log: Option<Storage>;
        /// The buffer pool of this bed, in place of `[database].memory`.
        memory: Option<Size>;
        /// Processors that each instance of this bed may use, in place of `[database].cpus`.
        cpus: Option<f64> = optional().within(CPUS.0, CPUS.1);
        /// All memory that each instance of this bed may use, in place of `[database].memory_limit`.
        memory_limit: Option<Size>;
        /// The existing server of this bed, in place of `[database].url`.
        url: Option<String>;
        /// The bed of a study that replaces this one with `--realm simulated`, for example `kingston-nvme`.
        /// By default, if the experiment is no published test, one host with the drive of `storage`.
        simulated: Option<String>;
        /// The published set-up as written: shown in the report, not used by the run.
        setup: BTreeMap<String, String> = implied(BTreeMap::new());
    }
}

impl Bed {
    /// A bed of this name on this storage, with nothing else stated.
    pub fn on(name: &str, storage: Storage) -> Bed {
        Bed {
            name: name.to_owned(),
            label: None,
            storage,
            log: None,
            memory: None,
            cpus: None,
            memory_limit: None,
            url: None,
            simulated: None,
            setup: BTreeMap::new(),
        }
    }
}

/// Where a bed keeps its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Real bytes, served in the time that a modelled drive would take.
    Emulated {
        /// The modelled drive.
        drive: String,
        /// The directory below which the bytes are kept.
        path: PathBuf,
    },
    /// A directory on the storage under test.
    Real {
        /// The directory.
        path: PathBuf,
    },
}

table! {
    /// Real bytes under `path`, with the service times of a modelled drive.
    struct EmulatedStorage "storage" {
        /// The modelled drive: a name of the catalogue (`drivetrain drives` lists them) or the path of a
        /// drive's `.toml` file.
        emulated: String = required("\"kingston-dc1500m-960g\"");
        /// The directory for the bytes; the working directory by default.
        path: String = or(".".to_owned());
        /// The size of a cloud volume, such as "500GiB": its limits follow from it.
        size: Option<String>;
        /// The operations per second bought for a cloud volume, where the provider sells them.
        iops: Option<u64>;
        /// The throughput bought for a cloud volume, such as "250MiB/s", where the provider sells it.
        throughput: Option<String>;
    }
}

table! {
    /// A directory on the storage under test, used as it is.
    struct RealStorage "storage" {
        /// The directory.
        real: String = required("\"/mnt/nvme\"");
    }
}

table! {
    /// The database of every bed.
    pub struct Database "database" {
        /// The engine.
        engine: Engine = or(Engine::default());
        /// An existing server, `SCHEME://USER@HOST/DATABASE` with the scheme of its engine's own clients. The
        /// run then starts, sets and copies nothing; `memory` and the bed's `storage` only describe the
        /// server. Never write the password here; it comes from the environment variable that those clients
        /// read.
        url: Option<String>;
        /// The buffer pool of one instance: the bytes of the database that are kept in memory.
        memory: Size = required("\"32MiB\"");
        /// Processors that one instance may use, for example `1.5`: a limit by control groups, which needs
        /// root. No limit by default.
        cpus: Option<f64> = optional().within(CPUS.0, CPUS.1);
        /// All memory that one instance may use, including its share of the host's page cache: a limit by
        /// control groups, which needs root. Without it the whole host caches a server's files, even if
        /// `memory` is small. No limit by default.
        memory_limit: Option<Size>;
        /// Database servers per bed, in parallel on its storage, each with its own database and users.
        instances: u32 = or(1).within(1, 64);
        /// The event that a commit waits for.
        synchronous: Synchronous = or(Synchronous::default());
        /// The protocol between client and server.
        mode: Mode = or(Mode::default());
        /// True if a server on a modelled drive reads and writes through the kernel's page cache, as on a
        /// real one. Without it pages outside `memory` come from the modelled drive.
        page_cache: bool = implied(false);
    }
}

form_of_words!(Synchronous);
/// The engines that are servers, as a fault offers them: `"postgresql" or "mariadb"`.
pub(crate) fn servers_in_words() -> String {
    let names: Vec<String> = Engine::servers().map(|engine| format!("\"{engine}\"")).collect();
    names.join(" or ")
}

form_of_words!(Engine, |reader: &mut Reader, node: &Node<'_>| {
    if let Some(name) = node.value.as_str().filter(|name| Engine::PLANNED.contains(name)) {
        let message = format!("the engine `{name}` is not built into this version");
        let embedded = Engine::default();
        let help = format!("use {}, or \"{embedded}\", which needs no installation", servers_in_words());
        reader.fault(node, message, "", Some(help));
        return None;
    }
    read_word(reader, node)
});

written_words! {
    /// The protocol of transactions. Both do the same work and leave the same data.
    pub enum Mode or Statements {
        /// The client sends prepared statements one after the other, as most applications do.
        Statements = "statements",
        /// A function in the server runs the whole transaction in one round trip, as in HammerDB. Not on
        /// SQLite.
        Procedures = "procedures",
    }
}

impl Form for Storage {
    fn read(reader: &mut Reader, node: &Node<'_>, _: &Limits) -> Option<Storage> {
        let forms =
            format!("write {STORAGE} for a modelled drive, or {{ real = \"/mnt/nvme\" }} for a real path");
        if !node.value.is_table() {
            let message = format!("{} must say what kind of storage it is", last_key(&node.path));
            reader.fault(node, message, "", Some(forms));
            return None;
        }
        let keys = [EmulatedStorage::KEYS, RealStorage::KEYS].concat();
        let fields = reader.table(node, EmulatedStorage::WHAT, &keys);
        match (fields.get("emulated"), fields.get("real")) {
            (Some(_), None) => {
                let EmulatedStorage { emulated, path, size, iops, throughput } =
                    Table::read_keys(reader, &fields);
                let drive = catalogue::spelled(&emulated, size.as_deref(), iops, throughput.as_deref());
                Some(Storage::Emulated { drive, path: path.into() })
            }
            (None, Some(_)) => {
                if let Some(extra) = fields.get("path") {
                    let help = "leave `path` out: `real` is the path".to_owned();
                    reader.fault(&extra, "`path` does not go with `real`".to_owned(), "", Some(help));
                }
                let RealStorage { real } = Table::read_keys(reader, &fields);
                Some(Storage::Real { path: real.into() })
            }
            (Some(_), Some(_)) => {
                let message = "a storage cannot be emulated and real at once".to_owned();
                reader.fault(node, message, "has both keys", Some(forms));
                None
            }
            (None, None) => {
                if !["emulated", "real"].iter().any(|key| reader.broken.contains(&fields.path_of(key))) {
                    let message = "the storage says neither `emulated` nor `real`".to_owned();
                    reader.fault(node, message, "", Some(forms));
                }
                reader.broken.insert(node.path.clone());
                None
            }
        }
    }

    fn write(&self) -> Written {
        // Paths come from text and go back to text.
        let path = self.path().display().to_string();
        match self {
            Storage::Emulated { drive, .. } => {
                EmulatedStorage { emulated: drive.clone(), path, size: None, iops: None, throughput: None }
                    .write()
            }
            Storage::Real { .. } => RealStorage { real: path }.write(),
        }
    }

    fn schema(definitions: &mut Definitions, _: &Limits) -> Value {
        definitions.refer("Storage", |definitions| {
            let forms = [
                table_schema::<EmulatedStorage>(definitions, TableSchema::default()),
                table_schema::<RealStorage>(definitions, TableSchema::default()),
            ];
            described_all("anyOf", forms, "Where a bed keeps its bytes.")
        })
    }

    fn stand_in() -> Storage {
        Storage::Real { path: PathBuf::from(".") }
    }
}

impl Storage {
    /// The directory below which the bytes are kept.
    pub fn path(&self) -> &Path {
        match self {
            Storage::Emulated { path, .. } | Storage::Real { path } => path,
        }
    }

    fn make_path_absolute(&mut self, directory: &Path) {
        // Collecting the parts leaves out every `.` between them.
        let absolute = |path: &Path| directory.join(path).components().collect::<PathBuf>();
        match self {
            Storage::Real { path } => *path = absolute(path),
            Storage::Emulated { drive, path } => {
                *path = absolute(path);
                if drive.ends_with(".toml") {
                    *drive = absolute(drive.as_ref()).display().to_string();
                }
            }
        }
    }

    /// True if two storages treat a database alike: the same modelled drive, or the same real path.
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
    /// The name of this bed in figures and tables.
    pub fn display_name(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }
}

impl Experiment {
    /// True if the database runs inside this program, the default of the file.
    pub(crate) fn is_embedded(&self) -> bool {
        self.database.as_ref().is_none_or(|database| !database.engine.is_server())
    }

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

    /// The engine of `[database]`; the embedded one without it.
    pub fn engine(&self) -> Engine {
        self.database.as_ref().map(|database| database.engine).unwrap_or_default()
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

    /// The number of runs of each level of a workload on each bed: that of its kind, else `design.repeats`.
    pub fn repeats_of(&self, workload: &Workload) -> u32 {
        workload.of().repeats().unwrap_or(self.design.repeats)
    }

    /// Makes every relative path, of storages and of drives' files, one below `directory`.
    pub fn make_paths_absolute(&mut self, directory: &Path) {
        let of_beds =
            self.bed.iter_mut().flat_map(|bed| std::iter::once(&mut bed.storage).chain(&mut bed.log));
        let targets = self.workload.iter_mut().filter_map(|workload| workload.of_mut().target_mut());
        of_beds.chain(targets).for_each(|storage| storage.make_path_absolute(directory));
    }

    /// True if any two beds differ in this factor.
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

/// Reads the whole file. Only the version is read when it is one that this program does not know.
pub(crate) fn read_experiment(reader: &mut Reader, root: &Node<'_>) -> Option<Experiment> {
    let node = reader.open_table(root, "experiment", root.value.as_table()).get("schema");
    let version = node.as_ref().and_then(|node| match node.value {
        DeValue::Integer(number) => u32::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    });
    match (node, version) {
        (Some(node), Some(version)) if version > SCHEMA_VERSION => {
            let message =
                format!("this file has schema {version}, and this program reads schema {SCHEMA_VERSION}");
            let help = format!("use a newer drivetrain, or write the file in schema {SCHEMA_VERSION}");
            reader.fault(&node, message, "not a version that is known here", Some(help));
            None
        }
        _ => Form::read(reader, root, &UNLIMITED),
    }
}
