//! The contents of a drive file: every quantity with its table and its units.

use crate::property::PROPERTIES;

/// The kind of a quantity's value, which decides the units that its key must name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuantityKind {
    /// Nanoseconds.
    Time,
    /// Operations per second.
    Rate,
    /// Bytes per second.
    Bandwidth,
    /// Bytes.
    Size,
    /// Percent.
    Percent,
    /// A pure number.
    Number,
    /// A whole number.
    Count,
    /// Yes or no.
    Flag,
    /// A word or a name.
    Text,
    /// A text of one line, or a list of lines.
    Lines,
}

/// A unit as a key ends in it, as people write it, and its factor to the unit of the [`QuantityKind`].
pub(crate) type Unit = (&'static str, &'static str, f64);

const TIMES: &[Unit] = &[("ns", "ns", 1.0), ("us", "us", 1e3), ("ms", "ms", 1e6)];
const RATES: &[Unit] = &[("per_s", "1/s", 1.0)];
const BANDWIDTHS: &[Unit] = &[
    ("mb_per_s", "MB/s", 1e6),
    ("mib_per_s", "MiB/s", 1_048_576.0),
    ("gb_per_s", "GB/s", 1e9),
    ("gib_per_s", "GiB/s", 1_073_741_824.0),
];
const PERCENT: &[Unit] = &[("percent", "%", 1.0)];
const SIZES: &[Unit] = &[
    ("bytes", "B", 1.0),
    ("kib", "KiB", 1024.0),
    ("mb", "MB", 1e6),
    ("mib", "MiB", 1_048_576.0),
    ("gb", "GB", 1e9),
    ("gib", "GiB", 1_073_741_824.0),
    ("tb", "TB", 1e12),
    ("tib", "TiB", 1_099_511_627_776.0),
    ("pb", "PB", 1e15),
];

impl QuantityKind {
    /// The units that a key of this kind ends in; none for pure numbers and words.
    pub(crate) fn units(self) -> &'static [Unit] {
        match self {
            QuantityKind::Time => TIMES,
            QuantityKind::Rate => RATES,
            QuantityKind::Bandwidth => BANDWIDTHS,
            QuantityKind::Size => SIZES,
            QuantityKind::Percent => PERCENT,
            QuantityKind::Number
            | QuantityKind::Count
            | QuantityKind::Flag
            | QuantityKind::Text
            | QuantityKind::Lines => &[],
        }
    }

    /// True for what is no quantity: it has no source to be missed.
    pub(crate) fn is_words(self) -> bool {
        matches!(self, QuantityKind::Text | QuantityKind::Lines)
    }

    /// The unit in which a drive holds it, with a space before it.
    pub(crate) fn base_unit(self) -> &'static str {
        match self {
            QuantityKind::Time => " ns",
            QuantityKind::Rate => " /s",
            QuantityKind::Bandwidth => " B/s",
            QuantityKind::Size => " bytes",
            QuantityKind::Percent => " %",
            QuantityKind::Number
            | QuantityKind::Count
            | QuantityKind::Flag
            | QuantityKind::Text
            | QuantityKind::Lines => "",
        }
    }
}

/// One thing that a drive file can say.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Quantity {
    /// Table and key without the unit: `read.latency_4k`.
    pub(crate) name: &'static str,
    pub(crate) kind: QuantityKind,
}

impl Quantity {
    pub(crate) fn table(&self) -> &'static str {
        self.name.split_once('.').map_or("", |(table, _)| table)
    }

    pub(crate) fn key(&self) -> &'static str {
        self.name.split_once('.').map_or(self.name, |(_, key)| key)
    }

    /// The keys under which a file may give it, one per unit.
    pub(crate) fn spellings(&self) -> Vec<String> {
        self.spelt().into_iter().map(|(key, _)| key).collect()
    }

    /// The same, each with its unit.
    pub(crate) fn spelt(&self) -> Vec<(String, Option<Unit>)> {
        match self.kind.units() {
            [] => vec![(self.key().to_owned(), None)],
            units => units.iter().map(|unit| (format!("{}_{}", self.key(), unit.0), Some(*unit))).collect(),
        }
    }
}

const fn quantity(name: &'static str, kind: QuantityKind) -> Quantity {
    Quantity { name, kind }
}

/// Everything that a drive file can say.
pub(crate) fn quantities() -> impl Iterator<Item = &'static Quantity> {
    QUANTITIES.iter().chain(PROPERTIES.iter().map(|property| &property.quantity))
}

/// All but the rows of [`PROPERTIES`].
static QUANTITIES: &[Quantity] = &[
    quantity("drive.name", QuantityKind::Text),
    quantity("drive.title", QuantityKind::Text),
    quantity("drive.maker", QuantityKind::Text),
    quantity("drive.interface", QuantityKind::Text),
    quantity("drive.capacity", QuantityKind::Size),
    quantity("drive.endurance", QuantityKind::Size),
    quantity("link.duplex", QuantityKind::Text),
    quantity("link.queue_limit", QuantityKind::Count),
    quantity("link.read_bandwidth", QuantityKind::Bandwidth),
    quantity("link.write_bandwidth", QuantityKind::Bandwidth),
    quantity("read.latency_4k", QuantityKind::Time),
    quantity("read.latency_8k", QuantityKind::Time),
    quantity("read.latency_16k", QuantityKind::Time),
    quantity("read.latency_32k", QuantityKind::Time),
    quantity("read.latency_64k", QuantityKind::Time),
    quantity("read.latency_128k", QuantityKind::Time),
    quantity("read.latency_256k", QuantityKind::Time),
    quantity("read.latency_512k", QuantityKind::Time),
    quantity("read.latency_1m", QuantityKind::Time),
    quantity("read.rate_4k", QuantityKind::Rate),
    quantity("read.rate_8k", QuantityKind::Rate),
    quantity("read.rate_depth", QuantityKind::Count),
    quantity("read.units", QuantityKind::Count),
    quantity("write.ack", QuantityKind::Time),
    quantity("write.rate_4k", QuantityKind::Rate),
    quantity("write.rate_8k", QuantityKind::Rate),
    quantity("write.burst_every", QuantityKind::Size),
    quantity("write.burst_length", QuantityKind::Time),
    quantity("flush.power_loss_protection", QuantityKind::Flag),
    quantity("flush.cost", QuantityKind::Time),
    quantity("limit.operations", QuantityKind::Rate),
    quantity("limit.operations_burst", QuantityKind::Number),
    quantity("limit.operations_peak", QuantityKind::Rate),
    quantity("limit.operation_size", QuantityKind::Size),
    quantity("limit.read_operations", QuantityKind::Rate),
    quantity("limit.read_operations_burst", QuantityKind::Number),
    quantity("limit.write_operations", QuantityKind::Rate),
    quantity("limit.write_operations_burst", QuantityKind::Number),
    quantity("limit.bandwidth", QuantityKind::Bandwidth),
    quantity("limit.bandwidth_burst", QuantityKind::Size),
    quantity("limit.bandwidth_peak", QuantityKind::Bandwidth),
    quantity("limit.read_bandwidth", QuantityKind::Bandwidth),
    quantity("limit.read_bandwidth_burst", QuantityKind::Size),
    quantity("limit.write_bandwidth", QuantityKind::Bandwidth),
    quantity("limit.write_bandwidth_burst", QuantityKind::Size),
    quantity("limit.slice", QuantityKind::Time),
    quantity("limit.shared", QuantityKind::Rate),
    quantity("limit.shared_burst", QuantityKind::Number),
    quantity("limit.shared_per_read", QuantityKind::Number),
    quantity("limit.shared_per_write", QuantityKind::Number),
    quantity("limit.shared_per_read_mb", QuantityKind::Number),
    quantity("limit.shared_per_write_mb", QuantityKind::Number),
    quantity("profile.from", QuantityKind::Text),
    quantity("profile.method", QuantityKind::Text),
    quantity("profile.points", QuantityKind::Count),
    quantity("profile.worst", QuantityKind::Text),
    quantity("profile.scale", QuantityKind::Text),
    quantity("profile.date", QuantityKind::Text),
    quantity("profile.machine", QuantityKind::Text),
    quantity("profile.preconditioned", QuantityKind::Text),
    quantity("profile.filled", QuantityKind::Text),
    quantity("profile.beside", QuantityKind::Text),
    quantity("profile.pauses", QuantityKind::Text),
    quantity("profile.certificate", QuantityKind::Lines),
    quantity("profile.certified_numbers", QuantityKind::Text),
    quantity("profile.mean_error_median", QuantityKind::Percent),
    quantity("profile.mean_error_nine_in_ten", QuantityKind::Percent),
    quantity("profile.p50_error_median", QuantityKind::Percent),
    quantity("profile.p50_error_nine_in_ten", QuantityKind::Percent),
    quantity("profile.p95_error_median", QuantityKind::Percent),
    quantity("profile.p95_error_nine_in_ten", QuantityKind::Percent),
    quantity("profile.p99_error_median", QuantityKind::Percent),
    quantity("profile.p99_error_nine_in_ten", QuantityKind::Percent),
];

/// Read latencies and the size each is for, ascending.
pub(crate) const READ_LATENCIES: [(&str, u64); 9] = [
    ("read.latency_4k", 4 << 10),
    ("read.latency_8k", 8 << 10),
    ("read.latency_16k", 16 << 10),
    ("read.latency_32k", 32 << 10),
    ("read.latency_64k", 64 << 10),
    ("read.latency_128k", 128 << 10),
    ("read.latency_256k", 256 << 10),
    ("read.latency_512k", 512 << 10),
    ("read.latency_1m", 1 << 20),
];

/// The tables of a drive file, in the order in which they are listed to people.
pub(crate) const TABLES: [&str; 8] =
    ["drive", "link", "read", "write", "interference", "flush", "limit", "profile"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quantity_stands_in_a_table_and_every_latency_is_one() {
        assert!(quantities().all(|quantity| TABLES.contains(&quantity.table())));
        for (name, size_bytes) in READ_LATENCIES {
            assert!(
                quantities().any(|quantity| quantity.name == name && quantity.kind == QuantityKind::Time)
            );
            assert_eq!(crate::check::latency_name(size_bytes), name);
        }
    }

    #[test]
    fn no_key_can_be_read_as_two_quantities() {
        let mut spellings: Vec<String> = quantities()
            .flat_map(|quantity| {
                quantity.spellings().into_iter().map(|key| format!("{}.{key}", quantity.table()))
            })
            .collect();
        let count = spellings.len();
        spellings.sort();
        spellings.dedup();
        assert_eq!(spellings.len(), count);
    }
}
