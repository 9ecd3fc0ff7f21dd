//! The names of histograms.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Latency;

/// The histogram that a cell keeps under a name. Every stored text is one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum HistogramName {
    /// A latency of the whole cell: `read`.
    Of(Latency),
    /// A latency of a stream of a block load: `stream log: read`.
    Stream(String, Latency),
    /// A latency of a point of the cell, from 1: `point 2: read`.
    Point(u32, Latency),
    /// A name without a latency of ours: a statement of sysbench, or what another build wrote. It is kept
    /// and exported.
    Other(String),
}

impl HistogramName {
    /// The name of a stored text.
    pub fn read(text: &str) -> HistogramName {
        if let Some(latency) = of_text(text) {
            return HistogramName::Of(latency);
        }
        // A stream's name may hold anything, so the latency is found from the end.
        let part = text.rsplit_once(": ").and_then(|(part, latency)| {
            let latency = of_text(latency)?;
            if let Some(stream) = part.strip_prefix("stream ") {
                return Some(HistogramName::Stream(stream.to_owned(), latency));
            }
            let number = part.strip_prefix("point ")?.parse().ok()?;
            Some(HistogramName::Point(number, latency)).filter(|name| name.to_string() == text)
        });
        part.unwrap_or_else(|| HistogramName::Other(text.to_owned()))
    }

    /// Its latency; `None` for one that this build does not know.
    pub fn latency(&self) -> Option<Latency> {
        match self {
            HistogramName::Of(latency)
            | HistogramName::Stream(_, latency)
            | HistogramName::Point(_, latency) => Some(*latency),
            HistogramName::Other(_) => None,
        }
    }
}

/// The latency of a histogram of the whole cell.
fn of_text(text: &str) -> Option<Latency> {
    Latency::ALL.iter().copied().find(|latency| text_of(*latency) == text)
}

/// The histogram of a latency is named without the word, and with blanks where it was first stored so.
fn text_of(latency: Latency) -> &'static str {
    match latency {
        Latency::Answer => "latency",
        Latency::NewOrder => "new_order",
        Latency::Payment => "payment",
        Latency::OrderStatus => "order_status",
        Latency::Delivery => "delivery",
        Latency::StockLevel => "stock_level",
        Latency::Service => "service",
        Latency::Read => "read",
        Latency::Write => "write",
        Latency::Discard => "discard",
        Latency::Flush => "flush",
        Latency::ReadInsideBursts => "read inside bursts",
        Latency::ReadBetweenBursts => "read between bursts",
        Latency::WriteInsideBursts => "write inside bursts",
        Latency::WriteBetweenBursts => "write between bursts",
        Latency::Lag => "lag",
        Latency::Lateness => "lateness",
        Latency::PoolWait => "pool_wait",
        Latency::LockWait => "lock_wait",
        Latency::Commit => "commit",
        Latency::DriveRead => "drive_read",
        Latency::DriveWrite => "drive_write",
        Latency::DriveSync => "drive_sync",
        Latency::BackupTransfer => "backup transfer",
        Latency::RestoreTransfer => "restore transfer",
        Latency::Baseline => "baseline",
        Latency::BaselineRead => "baseline_read",
        Latency::BaselineWrite => "baseline_write",
    }
}

impl fmt::Display for HistogramName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HistogramName::Of(latency) => f.pad(text_of(*latency)),
            HistogramName::Stream(stream, latency) => {
                f.pad(&format!("stream {stream}: {}", text_of(*latency)))
            }
            HistogramName::Point(number, latency) => f.pad(&format!("point {number}: {}", text_of(*latency))),
            HistogramName::Other(name) => f.pad(name),
        }
    }
}

impl From<Latency> for HistogramName {
    fn from(latency: Latency) -> HistogramName {
        HistogramName::Of(latency)
    }
}

impl From<String> for HistogramName {
    fn from(text: String) -> HistogramName {
        HistogramName::read(&text)
    }
}

impl From<HistogramName> for String {
    fn from(name: HistogramName) -> String {
        name.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    #[test]
    fn stored_names_are_those_of_older_notebooks() {
        let stream = HistogramName::Stream("log: a".to_owned(), Latency::Read);
        for (text, name) in [
            ("latency", HistogramName::Of(Latency::Answer)),
            ("drive_sync", HistogramName::Of(Latency::DriveSync)),
            ("read inside bursts", HistogramName::Of(Latency::ReadInsideBursts)),
            ("stream log: a: read", stream),
            ("point 3: flush", HistogramName::Point(3, Latency::Flush)),
            ("point 03: flush", HistogramName::Other("point 03: flush".to_owned())),
            ("point_select", HistogramName::Other("point_select".to_owned())),
        ] {
            assert_eq!(HistogramName::read(text), name);
            assert_eq!(name.to_string(), text);
        }
    }

    fn names() -> impl Strategy<Value = HistogramName> {
        let latency = || select(Latency::ALL);
        prop_oneof![
            latency().prop_map(HistogramName::Of),
            (".{0,12}", latency()).prop_map(|(stream, latency)| HistogramName::Stream(stream, latency)),
            (any::<u32>(), latency()).prop_map(|(number, latency)| HistogramName::Point(number, latency)),
        ]
    }

    proptest! {
        #[test]
        fn a_name_is_read_as_it_was_written(name in names()) {
            prop_assert_eq!(HistogramName::read(&name.to_string()), name);
        }

        #[test]
        fn every_text_is_written_as_it_was_read(text in "(stream |point )?[0-9a-z: ]{0,12}(: read)?") {
            prop_assert_eq!(HistogramName::read(&text).to_string(), text);
        }
    }
}
