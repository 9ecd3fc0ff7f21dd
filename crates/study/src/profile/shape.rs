//! The request of a load: what tells it apart from others, and what it is called.

use std::fmt;

use words::say;

/// The request of a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadShape {
    /// Share of reads among the operations, 0 to 1.
    pub read_share: f64,
    /// Bytes of each operation.
    pub block_bytes: u64,
    /// True if operations follow each other on the target; false for random places.
    pub is_sequential: bool,
    /// Outstanding operations: the fixed number of a closed loop, the highest of an open one.
    pub depth: u32,
    /// Operations per second that were asked for; `None` for a closed loop.
    pub offered_per_s: Option<f64>,
    /// Writes after which a flush follows; `None` without flushes.
    pub flush_every: Option<u32>,
    /// True if nothing happened on the target for a while before.
    pub is_from_rest: bool,
}

/// Ends the order of the places in a fact of a load after a rest.
const FROM_REST: &str = "-from-rest";

/// The name that files and documents bear, in every language the same: `random 4KiB reads, depth 8`.
impl fmt::Display for LoadShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = if self.is_sequential { "sequential" } else { "random" };
        let size = experiment::Size(self.block_bytes);
        match self.read_share {
            share if share >= 1.0 => write!(f, "{order} {size} reads")?,
            share if share <= 0.0 => write!(f, "{order} {size} writes")?,
            share => write!(f, "{order} {size}, {:.0} % reads", share * 100.0)?,
        }
        match self.offered_per_s {
            Some(rate) => write!(f, ", {rate:.0}/s")?,
            None => write!(f, ", depth {}", self.depth)?,
        }
        match self.flush_every {
            Some(1) => write!(f, ", a flush after each")?,
            Some(writes) => write!(f, ", a flush after {writes}")?,
            None => {}
        }
        if self.is_from_rest { write!(f, ", from rest") } else { Ok(()) }
    }
}

impl LoadShape {
    /// The name in the language of the reader.
    #[must_use]
    pub fn said(&self) -> String {
        let size = experiment::Size(self.block_bytes).to_string();
        let percent = format!("{:.0}", self.read_share * 100.0);
        let what = match (self.is_sequential, self.read_share) {
            (false, share) if share >= 1.0 => say!("profile-random-reads", size),
            (false, share) if share <= 0.0 => say!("profile-random-writes", size),
            (false, _) => say!("profile-random-mix", size, percent),
            (true, share) if share >= 1.0 => say!("profile-sequential-reads", size),
            (true, share) if share <= 0.0 => say!("profile-sequential-writes", size),
            (true, _) => say!("profile-sequential-mix", size, percent),
        };
        let load = match self.offered_per_s {
            Some(rate) => say!("profile-at-rate", what, rate = format!("{rate:.0}")),
            None => say!("profile-at-depth", what, depth = self.depth),
        };
        let load = match self.flush_every {
            Some(1) => say!("profile-flush-each", load),
            Some(writes) => say!("profile-flush-after", load, writes),
            None => load,
        };
        if self.is_from_rest { say!("profile-from-rest", load) } else { load }
    }

    /// True if the other one asks the target for the same, whatever happened before.
    pub(super) fn asks_the_same(&self, other: &LoadShape) -> bool {
        *self == LoadShape { is_from_rest: self.is_from_rest, ..*other }
    }

    /// The request as words of a fact.
    pub(super) fn kept(&self) -> String {
        let order = if self.is_sequential { "sequential" } else { "random" };
        let rest = if self.is_from_rest { FROM_REST } else { "" };
        let or = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        let rate = or(self.offered_per_s.map(|rate| rate.to_string()));
        let flush = or(self.flush_every.map(|writes| writes.to_string()));
        format!("{order}{rest} {} {} {} {rate} {flush}", self.block_bytes, self.read_share, self.depth)
    }

    /// The number of words of [`LoadShape::kept`].
    pub(super) const WORDS: usize = 6;

    /// Reads what [`LoadShape::kept`] wrote; `None` for anything else.
    pub(super) fn from_kept(words: &[&str]) -> Option<LoadShape> {
        let [order, bytes, share, depth, rate, flush] = words else { return None };
        let rested = order.strip_suffix(FROM_REST);
        let is_from_rest = rested.is_some();
        let is_sequential = match rested.unwrap_or(order) {
            "sequential" => true,
            "random" => false,
            _ => return None,
        };
        let offered_per_s = if *rate == "-" { None } else { Some(rate.parse().ok()?) };
        let flush_every = if *flush == "-" { None } else { Some(flush.parse().ok()?) };
        let read_share = share.parse().ok()?;
        let (block_bytes, depth) = (bytes.parse().ok()?, depth.parse().ok()?);
        Some(LoadShape {
            read_share,
            block_bytes,
            is_sequential,
            depth,
            offered_per_s,
            flush_every,
            is_from_rest,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes() -> [LoadShape; 5] {
        let reads = LoadShape {
            read_share: 1.0,
            block_bytes: 8192,
            is_sequential: false,
            depth: 4,
            offered_per_s: None,
            flush_every: None,
            is_from_rest: false,
        };
        [
            reads,
            LoadShape { read_share: 0.0, is_sequential: true, flush_every: Some(8), ..reads },
            LoadShape { read_share: 0.7, offered_per_s: Some(1234.5), ..reads },
            LoadShape { read_share: 0.0, flush_every: Some(1), ..reads },
            LoadShape { is_from_rest: true, ..reads },
        ]
    }

    #[test]
    fn loads_are_named_by_what_they_ask_for() {
        let names = shapes().map(|shape| shape.to_string());
        assert_eq!(
            names,
            [
                "random 8KiB reads, depth 4",
                "sequential 8KiB writes, depth 4, a flush after 8",
                "random 8KiB, 70 % reads, 1234/s",
                "random 8KiB writes, depth 4, a flush after each",
                "random 8KiB reads, depth 4, from rest",
            ]
        );
        assert_eq!(shapes().map(|shape| shape.said()), names, "English says what files say");
    }

    #[test]
    fn a_kept_request_is_read_again() {
        for shape in shapes() {
            let kept = shape.kept();
            let words: Vec<&str> = kept.split(' ').collect();
            assert_eq!(words.len(), LoadShape::WORDS);
            assert_eq!(LoadShape::from_kept(&words), Some(shape), "{kept}");
        }
        let [reads, .., rested] = shapes();
        assert!(reads.asks_the_same(&rested) && reads != rested, "a load is repeated after a rest");
        assert_eq!(LoadShape::from_kept(&["diagonal", "1", "1", "1", "-", "-"]), None);
    }
}
