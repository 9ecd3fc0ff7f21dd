//! Sizes and bandwidths as providers write them.

const UNITS: [(&str, f64); 8] = [
    ("kib", 1024.0),
    ("mib", 1_048_576.0),
    ("gib", 1_073_741_824.0),
    ("tib", 1_099_511_627_776.0),
    ("kb", 1e3),
    ("mb", 1e6),
    ("gb", 1e9),
    ("tb", 1e12),
];

/// Bytes of a size such as `500GiB`. A unit is a must: providers write GB and mean GiB, or not.
pub(super) fn size(text: &str) -> Option<f64> {
    let text = text.trim().to_ascii_lowercase();
    let (unit, factor) = UNITS.iter().find(|(unit, _)| text.ends_with(unit))?;
    let number: f64 = text.strip_suffix(unit)?.trim().replace('_', "").parse().ok()?;
    (number.is_finite() && number > 0.0).then_some(number * factor)
}

/// Bytes per second of a bandwidth such as `250MiB/s`.
pub(super) fn bandwidth(text: &str) -> Option<f64> {
    size(text.trim().strip_suffix("/s").unwrap_or(text))
}
