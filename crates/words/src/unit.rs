//! Units of metrics.

use crate::say;
use crate::word::words;

words! {
    /// The unit of a metric. Its name is stored beside the value.
    pub enum Unit {
        /// Events per minute.
        PerMinute = "1/min",
        /// Events per second.
        PerSecond = "1/s",
        /// 10^6 bytes per second.
        MegabytesPerSecond = "MB/s",
        /// 10^6 bytes.
        Megabytes = "MB",
        /// Bytes.
        Bytes = "B",
        /// 1,024 bytes.
        Kibibytes = "KiB",
        /// Seconds.
        Seconds = "s",
        /// Milliseconds: every latency has this unit.
        Milliseconds = "ms",
        /// Microseconds: processor time of one transaction.
        Microseconds = "us",
        /// Nanoseconds: processor time of one I/O.
        Nanoseconds = "ns",
        /// Parts of a hundred.
        Percent = "%",
        /// Operations of a drive.
        Operations = "I/O",
        /// Pages of a database.
        Pages = "pages",
        /// A number of things.
        Count = "count",
        /// A ratio of two values of the same unit.
        Times = "x",
        /// 1 for yes, 0 for no.
        Flag = "flag",
        /// An index without a unit.
        Index = "",
    }
}

impl Unit {
    /// The text after a number in a table; empty for a plain number.
    pub fn shown(self) -> &'static str {
        match self {
            Unit::Pages => say!("word-unit-pages"),
            Unit::Count | Unit::Times | Unit::Flag => "",
            // Names that are stored and read by programs are plain letters.
            Unit::Microseconds => "\u{b5}s",
            other => other.name(),
        }
    }

    /// The unit of a name; `page` is how older notebooks have `pages`.
    pub fn read(name: &str) -> Option<Unit> {
        if name == "page" { Some(Unit::Pages) } else { Unit::of(name) }
    }

    /// The number of `into` in one of this unit, if both measure the same quantity: 0.001 from microseconds
    /// to milliseconds.
    pub fn factor(self, into: Unit) -> Option<f64> {
        let seconds = |unit: Unit| match unit {
            Unit::Seconds => Some(1.0),
            Unit::Milliseconds => Some(1e-3),
            Unit::Microseconds => Some(1e-6),
            Unit::Nanoseconds => Some(1e-9),
            _ => None,
        };
        if self == into {
            return Some(1.0);
        }
        Some(seconds(self)? / seconds(into)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_turn_into_each_other_and_into_nothing_else() {
        assert_eq!(Unit::Microseconds.factor(Unit::Milliseconds), Some(1e-6 / 1e-3));
        assert_eq!(Unit::Bytes.factor(Unit::Bytes), Some(1.0));
        assert_eq!(Unit::Bytes.factor(Unit::Megabytes), None);
        assert_eq!(Unit::Seconds.factor(Unit::Count), None);
        assert_eq!((Unit::Microseconds.name(), Unit::Microseconds.shown()), ("us", "\u{b5}s"));
        assert_eq!((Unit::read("page"), Unit::read("pages")), (Some(Unit::Pages), Some(Unit::Pages)));
    }
}
