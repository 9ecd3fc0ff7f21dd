//! Somebody else's server as it is looked at: its counters and its clients at one moment, and the work
//! between two looks.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::client::Life;
use crate::waits::Waits;

/// Counters by name.
pub type Grown = BTreeMap<String, f64>;

/// Begins the names of counters that may shrink while all goes well: entries are thrown out of the table that
/// they are the sum of.
pub(crate) const MAY_SHRINK: &str = "statements_";

/// A server at one moment.
#[derive(Clone, Debug)]
pub struct Look {
    /// When, on the machine's monotonic clock.
    pub at_ns: u64,
    /// Its counters since its start, by its own names.
    pub counters: Grown,
    /// Its clients.
    pub clients: Clients,
    /// The clients in a statement, by the class of their waits.
    pub waits: Waits,
    /// Its present life.
    pub life: Life,
}

/// Clients at one moment, without our own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clients {
    /// In a statement.
    pub active: u32,
    /// Between two statements of a transaction, for not more than ten seconds.
    pub between: u32,
    /// At work within the last second: the former, and those that have just ended a transaction.
    pub recent: u32,
    /// Of these, on the server's own machine.
    pub local: u32,
}

impl Clients {
    /// In a transaction.
    #[must_use]
    pub fn at_work(&self) -> u32 {
        self.active + self.between
    }
}

/// The work of a server between two looks. `None` for what it does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Transactions ended, ours left out.
    pub transactions: f64,
    /// Of these, transactions that wrote.
    pub writing: Option<f64>,
    /// True if no client ended transactions itself, so that statements were counted.
    pub are_statements: bool,
    /// Statements.
    pub statements: Option<f64>,
    /// Time that the server spent in statements, ms.
    pub statement_ms: Option<f64>,
    /// Pages that were not in the buffer pool.
    pub page_reads: f64,
    /// Time that reading them took, ms.
    pub page_read_ms: Option<f64>,
    /// Bytes of a page.
    pub page_bytes: f64,
    /// Bytes of log.
    pub log_bytes: f64,
    /// Images of whole pages in it.
    pub log_images: f64,
    /// Flushes of the log.
    pub log_syncs: Option<f64>,
    /// Pages written, by whomever.
    pub page_writes: f64,
    /// Of these, by clients that waited for it.
    pub waited_writes: Option<f64>,
}

/// The place of a server on its machine, as it tells it to those who may know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerPlace {
    /// The directory of its data.
    pub data_dir: Option<PathBuf>,
    /// Its first process.
    pub process: Option<u32>,
}

impl Look {
    /// The growth of the counters since `earlier`; `None` if some were set back meanwhile. A counter that one
    /// of both does not have is left out.
    #[must_use]
    pub fn since(&self, earlier: &Look) -> Option<Grown> {
        let mut grown = Grown::new();
        for (name, value) in &self.counters {
            let Some(before) = earlier.counters.get(name) else { continue };
            let by = value - before;
            if by >= 0.0 {
                grown.insert(name.clone(), by);
            } else if !name.starts_with(MAY_SHRINK) {
                return None;
            }
        }
        Some(grown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(counters: &[(&str, f64)]) -> Look {
        Look {
            at_ns: 0,
            counters: counters.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
            clients: Clients::default(),
            waits: Waits::default(),
            life: Life::now(),
        }
    }

    #[test]
    fn counters_grow_and_one_that_was_set_back_is_noticed() {
        let before = look(&[("a", 1.0), ("statements_calls", 9.0), ("gone", 1.0)]);
        let grown = look(&[("a", 4.0), ("statements_calls", 5.0), ("new", 7.0)]).since(&before);
        assert_eq!(grown, Some(Grown::from([("a".to_owned(), 3.0)])));
        assert_eq!(look(&[("a", 0.0)]).since(&before), None);
    }
}
