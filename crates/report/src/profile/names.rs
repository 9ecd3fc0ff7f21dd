//! The numbers of a drive by their keys: what they are called, and their units.

use device::catalogue::Fact;
use experiment::Size;
use words::{Unit, say};

use crate::number;

/// The name of a number; its key where this build does not know it.
pub(super) fn name_of(key: &str) -> String {
    named(device::catalogue::without_unit(key).unwrap_or(key)).unwrap_or_else(|| key.to_owned())
}

/// The name of a number of a drive's file, whose key has lost its unit.
pub(crate) fn fact_name(fact: &Fact) -> String {
    named(&fact.key).unwrap_or_else(|| fact.key.clone())
}

/// The name of a number by its key without the unit.
fn named(key: &str) -> Option<String> {
    let latency = key.strip_prefix("read.latency_").and_then(size_of);
    let latency = latency.map(|size| say!("profile-number-read-latency", size));
    latency.or_else(|| words::drive_number(key).map(ToOwned::to_owned))
}

/// A number of a drive's file with its unit, as people write it.
pub(crate) fn fact_value(fact: &Fact) -> String {
    if fact.value == "inf" {
        return say!("profile-no-limit").to_owned();
    }
    let value = fact.value.parse::<f64>().ok().filter(|value| value.is_finite());
    let value = value.map_or_else(|| fact.value.clone(), number::level);
    let unit = Unit::of(&fact.unit);
    let unit = unit.map_or_else(|| fact.unit.clone(), |unit| unit.shown().to_owned());
    format!("{value} {unit}").trim_end().to_owned()
}

/// `4k` as `4KiB`.
fn size_of(text: &str) -> Option<String> {
    let (number, unit) = text.split_at(text.len().checked_sub(1)?);
    let bytes = match unit {
        "k" => 1 << 10,
        "m" => 1 << 20,
        _ => return None,
    };
    Some(Size(number.parse::<u64>().ok()? * bytes).to_string())
}

/// The unit in which a number is shown, and the factor from that of its key.
pub(super) fn unit_of(key: &str) -> (&'static str, f64) {
    let units = [
        ("_mb_per_s", "MB/s", 1.0),
        ("_per_s", "1/s", 1.0),
        ("_us", "\u{b5}s", 1.0),
        ("_kib", "KiB", 1.0),
        ("_bytes", "MB", 1e-6),
        ("_burst_mb", "MB", 1.0),
    ];
    let of = units.iter().find(|(end, ..)| key.ends_with(end));
    of.map_or(("", 1.0), |(_, unit, factor)| (unit, *factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_a_drive_of_the_catalogue_has_a_name() {
        let facts: Vec<_> = device::catalogue::all().flat_map(|entry| &entry.facts).collect();
        assert!(!facts.is_empty(), "the catalogue has drives");
        for fact in facts.into_iter().filter(|fact| !fact.key.starts_with("drive.")) {
            assert_ne!(fact_name(fact), fact.key, "{fact:?}");
        }
    }

    #[test]
    fn numbers_have_names_and_units() {
        assert_eq!(name_of("read.latency_1m_us"), "latency of a 1MiB read");
        assert_eq!(name_of("a.key_of_later"), "a.key_of_later");
        assert_eq!(unit_of("link.read_bandwidth_mb_per_s").0, "MB/s");
        assert_eq!(unit_of("limit.read_bandwidth_burst_mb").0, "MB");
        assert_eq!(unit_of("read.rate_4k_per_s").0, "1/s");
        assert_eq!(unit_of("read.units").0, "");
    }
}
