//! The loads of beds: order entry, sysbench, the durability test, block I/O, and other work on databases.

mod backup;
mod block;
mod durability;
mod fragmentation;
mod neighbour;
mod scan;
mod sysbench;
mod tpcc;

use std::time::Duration;

use serde_json::{Value, json};
use words::{LevelName, ScaleChange, WorkloadKind};

use crate::checker::Checker;
use crate::file::{Experiment, Storage};
use crate::keys::choice::{described_all, form_of_words};
use crate::keys::form::{Form, Limits};
use crate::keys::reader::{Node, Reader};
use crate::keys::schema::{Definitions, described};
use crate::keys::table::{Table, TableSchema, read_table, table_schema};
use crate::keys::written::{Written, serialized};
use crate::shrink::Rule;
use crate::units::Span;

pub use backup::{Backup, Method};
pub use block::{
    Arrivals, Band, Block, BlockEngine, Burst, Content, Cursor, Discard, DiscardRule, Extent, FileChoice,
    Find, HotSpot, Matrix, OneOrMix, Part, Pattern, Place, Precondition, Steady, SteadyMetric, Stream,
    StreamTarget, Think, Trace, Track, WHOLE, Zones,
};
pub use durability::{Crash, Durability};
pub use fragmentation::{Filesystem, Fragmentation};
pub use neighbour::{Mitigation, Neighbour, NeighbourKind};
pub use scan::Scan;
pub use sysbench::{Distribution, Sysbench, SysbenchTest};
pub use tpcc::{Home, Pacing, Profile, Tpcc};
pub use words::Arm;

/// Bounds beyond which a number is a slip of the pen rather than a wish.
pub(crate) const WAREHOUSES_MAX: u32 = 1_000_000;
pub(crate) const USERS_MAX: u32 = 1_000_000;
/// Transactions per second between one in a quarter of an hour and more than any server answers.
pub(crate) const RATES: (f64, f64) = (0.001, 1e7);

/// The advice for a workload that one rank must run whole.
pub(crate) const RUNS_WHOLE: &str = "leave `deal` out: every rank then runs it whole";

/// Levels that are whole numbers.
pub(crate) fn numbers(levels: &[u32]) -> Vec<f64> {
    levels.iter().copied().map(f64::from).collect()
}

/// A kind of workload in the file: its levels and times, its checks, and its scaling.
pub(crate) trait FileKind {
    /// The levels in the file's order.
    fn levels(&self) -> Vec<f64>;

    /// The unit of a level.
    fn level_name(&self) -> LevelName;

    /// The key that lists the levels.
    fn level_key(&self) -> &'static str;

    /// Time under load before measuring begins.
    fn ramp_up(&self) -> Span {
        Span(Duration::ZERO)
    }

    /// Time that is measured.
    fn measure(&self) -> Span {
        Span(Duration::ZERO)
    }

    /// The key of the measured time, and the work in it.
    fn measure_key(&self) -> (&'static str, &'static str) {
        ("measure", "measuring")
    }

    /// The shortest measured time, and the value to write; `None` where the work itself determines the time.
    fn measure_min(&self) -> Option<(Duration, &'static str)> {
        Some((Duration::from_secs(1), "write one second at least: series have one-second steps"))
    }

    /// The number of runs of each level on each bed, if the kind sets it instead of the design.
    fn repeats(&self) -> Option<u32> {
        None
    }

    /// True if it needs `[database]`.
    fn uses_database(&self) -> bool {
        true
    }

    /// The size of the database that it loads; 0 without one.
    fn database_bytes(&self) -> u64;

    /// Storage that it uses besides that of its bed.
    fn target_mut(&mut self) -> Option<&mut Storage> {
        None
    }

    /// The levels of users that ranks of a fleet can share on one server; `None` where nothing can be shared.
    fn users(&self) -> Option<&[u32]> {
        None
    }

    /// The most ranks to which `[fleet] deal` can deal it; `None` where the instances of the database say it.
    fn ranks_most(&self) -> Option<u32> {
        None
    }

    /// Leaves to a rank its part. `share` gives the part of a number of items: the first one and the count.
    fn deal(&mut self, _share: &dyn Fn(u32) -> (u32, u32)) {}

    /// The advice for one of which nothing can be dealt to ranks; `None` for any other.
    fn undealt(&self) -> Option<&'static str> {
        None
    }

    /// Reports faults that no single value shows.
    fn check(&self, checker: &mut Checker<'_>, path: &str, experiment: &Experiment);

    /// Shrinks all values of the rule of scaling, and reports each change.
    fn scale(&mut self, factor: f64, changes: &mut Vec<ScaleChange>);

    /// The rule of scaling in words, as far as it concerns this workload.
    fn rule(&self) -> Rule;
}

/// The one list of kinds. `$d` is a dollar sign, for the macro within.
macro_rules! kinds {
    ($d:tt $($(#[doc = $about:literal])* $Kind:ident,)+) => {
        /// A load, and the levels at which it is applied.
        #[derive(Clone, Debug, PartialEq)]
        #[expect(clippy::large_enum_variant, reason = "an experiment has a handful of them")]
        pub enum Workload {
            $($(#[doc = $about])* $Kind($Kind),)+
        }

        /// Does something with a workload as its kind: `on_kind!(workload, kind => expression)`.
        #[macro_export]
        macro_rules! on_kind {
            ($d workload:expr, $d kind:ident => $d done:expr) => {
                match $d workload {
                    $($d crate::Workload::$Kind($d kind) => $d done,)+
                }
            };
        }

        impl Workload {
            /// The workload as its kind.
            pub(crate) fn of(&self) -> &dyn FileKind {
                match self {
                    $(Workload::$Kind(kind) => kind,)+
                }
            }

            /// The workload as its kind, to be changed.
            pub(crate) fn of_mut(&mut self) -> &mut dyn FileKind {
                match self {
                    $(Workload::$Kind(kind) => kind,)+
                }
            }

            /// The kind, as the file has it.
            pub fn kind(&self) -> WorkloadKind {
                match self {
                    $(Workload::$Kind(_) => WorkloadKind::$Kind,)+
                }
            }

            /// The name that the file gives it.
            fn given_name(&self) -> Option<&str> {
                match self {
                    $(Workload::$Kind(kind) => kind.name.as_deref(),)+
                }
            }

            /// The kinds that a file can ask for; results of others can only be imported.
            const KINDS: &'static [WorkloadKind] = &[$(WorkloadKind::$Kind),+];

            /// Reads the keys of a kind; `None` for one of no file.
            fn read_kind(kind: WorkloadKind, reader: &mut Reader, node: &Node<'_>) -> Option<Workload> {
                match kind {
                    $(WorkloadKind::$Kind => Some(Workload::$Kind(read_table(reader, node, &["kind"]))),)+
                    _ => None,
                }
            }

            /// Adds the keys of its kind.
            fn write_kind(&self, written: &mut Vec<(String, Written)>) {
                match self {
                    $(Workload::$Kind(kind) => kind.write_keys(written),)+
                }
            }

            /// The schemas of all kinds.
            fn schemas(definitions: &mut Definitions) -> Vec<Value> {
                vec![$({
                    let schema = table_schema::<$Kind>(definitions, kind_schema(WorkloadKind::$Kind));
                    described(schema, concat!($($about, "\n"),*))
                }),+]
            }
        }
    };
}

kinds! {$
    /// Order entry, derived from TPC-C; its results are not comparable with published TPC-C results.
    Tpcc,
    /// An OLTP test of sysbench.
    Sysbench,
    /// The durability test of TPC-C 3.5.4: crash under load, and count the losses.
    Durability,
    /// Block I/O on files of a bed.
    Block,
    /// Backup and restore, every restore proven.
    Backup,
    /// A full scan against lookups by an index.
    Scan,
    /// Databases under load beside a noisy neighbour.
    Neighbour,
    /// Cold scans of a table whose file lies in pieces.
    Fragmentation,
}

/// The key `kind` beside the keys of a kind.
fn kind_schema(kind: WorkloadKind) -> TableSchema {
    let mut table = TableSchema { required: vec!["kind"], ..TableSchema::default() };
    table.properties.insert("kind".to_owned(), json!({ "type": "string", "const": kind.name() }));
    table
}

impl Form for Workload {
    fn read(reader: &mut Reader, node: &Node<'_>, _: &Limits) -> Option<Workload> {
        if !node.value.is_table() {
            reader.table(node, "workload", &[]);
            return None;
        }
        let fields = reader.open_table(node, "workload", node.value.as_table());
        let kind = reader.required(&fields, "kind", "kind = \"tpcc\"")?;
        let kinds: Vec<(&'static str, WorkloadKind)> =
            Workload::KINDS.iter().map(|kind| (kind.name(), *kind)).collect();
        let kind = reader.choice(&kind, &kinds)?;
        Workload::read_kind(kind, reader, node)
    }

    fn write(&self) -> Written {
        let mut written = vec![("kind".to_owned(), self.kind().name().into())];
        self.write_kind(&mut written);
        Written::Table(written)
    }

    fn schema(definitions: &mut Definitions, _: &Limits) -> Value {
        definitions.refer("Workload", |definitions| {
            let about = "A load, and the levels at which it is applied.";
            described_all("oneOf", Workload::schemas(definitions), about)
        })
    }

    fn stand_in() -> Workload {
        Workload::Block(Form::stand_in())
    }
}

serialized!(Workload);

form_of_words!(Arm);

impl Workload {
    /// The levels of users that ranks of a fleet can share on one server; `None` where nothing can be shared.
    pub fn users(&self) -> Option<&[u32]> {
        self.of().users()
    }

    /// The name of this workload in tables: its name, else its kind.
    pub fn name(&self) -> &str {
        self.given_name().unwrap_or(self.kind().name())
    }

    /// The levels in the file's order, in the unit of [`Workload::level_name`]. Of a database with several
    /// instances: for each.
    pub fn levels(&self) -> Vec<f64> {
        self.of().levels()
    }

    /// The unit of a level.
    pub fn level_name(&self) -> LevelName {
        self.of().level_name()
    }

    /// The key of the file that lists the levels; of the durability test, that of its repeats.
    pub fn level_key(&self) -> &'static str {
        self.of().level_key()
    }

    /// Time under load before measuring begins; none for the durability test, which measures nothing.
    pub fn ramp_up(&self) -> Span {
        self.of().ramp_up()
    }

    /// Time that is measured; for the durability test, time under load before the crash; none where the work
    /// itself says how long it takes.
    pub fn measure(&self) -> Span {
        self.of().measure()
    }

    /// True if this load needs `[database]`: all but block I/O do.
    pub fn uses_database(&self) -> bool {
        self.of().uses_database()
    }
}
