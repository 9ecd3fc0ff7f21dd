//! The design of an experiment: what is compared, how often, in which order, and what difference would
//! matter.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::units::Share;
use crate::words::written_words;

/// What is compared, how often and in which order.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// The factors that the beds differ in on purpose. Empty: the beds are called by their names, as in an
    /// A/A run.
    #[serde(default)]
    pub treatment: Vec<Treatment>,
    /// The bed that the others are compared with; the last bed when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// How often every combination of bed, workload and level is run. Below 6 a comparison is exploratory.
    #[serde(default = "six")]
    #[schemars(range(min = 1, max = 1000))]
    pub repeats: u32,
    /// The order of the cells.
    #[serde(default)]
    pub order: Order,
    /// The seed of every random draw; chosen and recorded by the run when left out.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "seed_text::serialize")]
    #[schemars(schema_with = "seed_text::schema")]
    pub seed: Option<u64>,
    /// The smallest difference that matters to whoever asks.
    #[serde(default)]
    pub smallest_effect: SmallestEffect,
}

/// Six interleaved pairs are the fewest whose paired permutation test can reach p < 0.05 (5 pairs
/// reach 0.0625 at best).
pub(crate) const DEFAULT_REPEATS: u32 = 6;

pub(crate) fn six() -> u32 {
    DEFAULT_REPEATS
}

impl Default for Design {
    fn default() -> Design {
        Design {
            treatment: Vec::new(),
            baseline: None,
            repeats: DEFAULT_REPEATS,
            order: Order::default(),
            seed: None,
            smallest_effect: SmallestEffect::default(),
        }
    }
}

/// A factor that an experiment varies on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Treatment {
    /// The drive or path that holds the data.
    Storage,
    /// The size of the buffer pool.
    Memory,
    /// Where the log lies.
    Log,
}

/// The order in which cells are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Randomised complete blocks: every repeat holds every bed once, in an order drawn from the seed.
    #[default]
    Interleaved,
    /// All of one bed, then all of the next. Drift of the machine then looks like a difference; the report
    /// says so.
    Sequential,
}

/// The smallest difference that matters, for each kind of figure by itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SmallestEffect {
    /// For the throughput of order entry: NOPM, transactions per minute. 3% when left out.
    #[serde(default = "three_percent")]
    pub nopm: Share,
    /// For the throughput of sysbench: transactions and statements per second. 3% when left out.
    #[serde(default = "three_percent")]
    pub tps: Share,
    /// For the throughput of block I/O: IOPS, bandwidth. 3% when left out.
    #[serde(default = "three_percent")]
    pub iops: Share,
    /// For how long backups, restores, scans and lookups take, and how fast they are. 3% when left out.
    #[serde(default = "three_percent")]
    pub time: Share,
    /// For the 99th percentile of latency. 10% when left out.
    #[serde(default = "ten_percent")]
    pub p99: Share,
}

pub(crate) fn three_percent() -> Share {
    Share(0.03)
}

pub(crate) fn ten_percent() -> Share {
    Share(0.1)
}

impl Default for SmallestEffect {
    fn default() -> SmallestEffect {
        SmallestEffect {
            nopm: three_percent(),
            tps: three_percent(),
            iops: three_percent(),
            time: three_percent(),
            p99: ten_percent(),
        }
    }
}

impl SmallestEffect {
    /// Every key with its share.
    pub fn all(&self) -> [(&'static str, Share); 5] {
        [("nopm", self.nopm), ("tps", self.tps), ("iops", self.iops), ("time", self.time), ("p99", self.p99)]
    }

    /// The share that a stored experiment gives for a key; `None` where it gives none: older ones have `nopm`
    /// for every kind of throughput.
    pub fn stored(experiment_toml: &str, key: &str) -> Option<f64> {
        let document: toml::Table = experiment_toml.parse().ok()?;
        let written = document.get("design")?.get("smallest_effect")?.get(key)?.as_str()?;
        written.parse::<Share>().ok().map(|share| share.0)
    }
}

written_words! {
    Treatment { Storage => "storage", Memory => "memory", Log => "log" }
    Order { Interleaved => "interleaved", Sequential => "sequential" }
}

/// Seeds have 64 bits, TOML integers 63: a larger seed is written as text.
mod seed_text {
    use super::{Serialize, Serializer};

    #[derive(Serialize)]
    #[serde(untagged)]
    enum Form {
        Number(i64),
        Text(String),
    }

    pub(super) fn serialize<S: Serializer>(seed: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
        let form = seed.map(|seed| match i64::try_from(seed) {
            Ok(number) => Form::Number(number),
            Err(_) => Form::Text(seed.to_string()),
        });
        form.serialize(serializer)
    }

    pub(super) fn schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "anyOf": [
                { "type": "integer", "minimum": 0 },
                { "type": "string", "pattern": "^[0-9]+$" }
            ]
        })
    }
}
