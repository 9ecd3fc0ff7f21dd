//! The design of an experiment: the compared factors, the repeats, the order, and the smallest difference
//! that matters.

use std::collections::BTreeMap;

use crate::keys::choice::{form_of_words, written_words};
use crate::keys::form::{Form, UNLIMITED};
use crate::keys::reader::{Node, Reader};
use crate::keys::table::{Table, table};
use crate::units::Share;
use words::EffectKey;
pub use words::Order;

/// Six interleaved pairs are the fewest whose paired permutation test can reach p < 0.05 (5 pairs
/// reach 0.0625 at best).
const DEFAULT_REPEATS: u32 = 6;

table! {
    /// The comparison: its factors, the number of repeats, the order of the cells.
    pub struct Design "design" {
        /// The factors in which the beds differ on purpose. Empty: the beds are called by their names, as in
        /// an A/A run.
        treatment: Vec<Treatment> = or(Vec::new()).like("[\"storage\"]");
        /// The bed to compare the others with; the last bed by default.
        baseline: Option<String>;
        /// The number of runs of every combination of bed, workload and level. Below 6 a comparison is
        /// exploratory.
        repeats: u32 = or(DEFAULT_REPEATS).within(1, 1_000);
        /// The order of the cells.
        order: Order = or(Order::Interleaved);
        /// The seed of every random draw; by default chosen and recorded by the run.
        seed: Option<u64>;
        /// True to compare beds on real storage with beds on modelled drives: their times are not of one
        /// kind. Without it such an experiment is refused.
        mixed: bool = implied(false);
        /// The smallest difference that matters to the user.
        smallest_effect: SmallestEffect = or(SmallestEffect::default());
    }
}

table! {
    /// The smallest difference that matters, for each kind of figure.
    #[derive(Copy)]
    pub struct SmallestEffect "smallest effect" {
        /// For the throughput of order entry: NOPM, transactions per minute. 3% by default.
        nopm: Share = or(Share(0.03));
        /// For the throughput of sysbench: transactions and statements per second. 3% by default.
        tps: Share = or(Share(0.03));
        /// For the throughput of block I/O: IOPS, bandwidth. 3% by default.
        iops: Share = or(Share(0.03));
        /// For the duration and the speed of backups, restores, scans and lookups. 3% by default.
        time: Share = or(Share(0.03));
        /// For the 99th percentile of latency. 10% by default.
        p99: Share = or(Share(0.1));
    }
}

written_words! {
    /// A factor that an experiment varies on purpose.
    pub enum Treatment {
        /// The drive or path that holds the data.
        Storage = "storage",
        /// The size of the buffer pool.
        Memory = "memory",
        /// The place of the log.
        Log = "log",
    }
}

form_of_words!(Order);

impl Default for Design {
    fn default() -> Design {
        Form::stand_in()
    }
}

impl Default for SmallestEffect {
    fn default() -> SmallestEffect {
        Form::stand_in()
    }
}

impl SmallestEffect {
    /// Every key with its share.
    pub fn all(&self) -> [(EffectKey, Share); 5] {
        [
            (EffectKey::Nopm, self.nopm),
            (EffectKey::Tps, self.tps),
            (EffectKey::Iops, self.iops),
            (EffectKey::Time, self.time),
            (EffectKey::P99, self.p99),
        ]
    }

    /// The shares that a stored experiment gives, by key. Older ones have `nopm` for every kind of
    /// throughput.
    pub fn stored(experiment_toml: &str) -> BTreeMap<String, f64> {
        let Ok(document) = tomlfile::document(experiment_toml) else { return BTreeMap::new() };
        let mut reader = Reader::default();
        let written = Node::root(&document).at("design").and_then(|design| design.at("smallest_effect"));
        let share = |key: &&'static str| {
            let share = Share::read(&mut reader, &written.as_ref()?.at(key)?, &UNLIMITED)?;
            Some(((*key).to_owned(), share.0))
        };
        SmallestEffect::KEYS.iter().filter_map(share).collect()
    }
}
