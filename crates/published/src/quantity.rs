//! Values with their units: what can be divided by what, and how a study writes them.

/// The dimension of a unit; two values are divided only if it is the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Seconds.
    Time,
    /// Bytes per second.
    Bandwidth,
    /// So many of something per second.
    Rate,
    /// Bytes.
    Bytes,
    /// A count, or a unit that is not known, by its own word.
    Other(String),
}

/// A unit: how many of the dimension's own one is, and the dimension.
pub fn unit(text: &str) -> (f64, Dimension) {
    let plain = text.trim().replace(['µ', 'μ'], "u");
    if let Some(known) = known(&plain) {
        return known;
    }
    if let Some((factor, rest)) = counted(&plain) {
        let (inner, dimension) = unit_of_rest(rest);
        return (factor * inner, dimension);
    }
    (1.0, Dimension::Other(plain.to_lowercase()))
}

/// The factor of a unit's magnitude: a million for `M` and `M TPM`. A prefix in a unit's own name (`MB`,
/// `ms`) is none.
pub fn magnitude(text: &str) -> f64 {
    let plain = text.trim().replace(['µ', 'μ'], "u");
    if known(&plain).is_some() { 1.0 } else { counted(&plain).map_or(1.0, |(factor, _)| factor) }
}

/// True if a unit gives the meaning of its number: a magnitude, a unit of time, bytes or rates, a share or a
/// ratio.
pub fn is_known(text: &str) -> bool {
    let plain = text.trim().replace(['µ', 'μ'], "u");
    known(&plain).is_some() || counted(&plain).is_some() || matches!(plain.as_str(), "%" | "x")
}

/// A magnitude before the unit, and the unit: `M TPM`, `kIOPS`, `million`.
fn counted(plain: &str) -> Option<(f64, &str)> {
    for (word, factor) in [
        ("thousand", 1e3),
        ("million", 1e6),
        ("billion", 1e9),
        ("k", 1e3),
        ("K", 1e3),
        ("M", 1e6),
        ("G", 1e9),
    ] {
        if let Some(rest) = plain.strip_prefix(word) {
            let rest_unit = rest.trim();
            let is_apart = rest.starts_with(' ') || rest.is_empty() || word.len() > 1;
            let is_counted =
                ["IOPS", "TPM", "NOPM", "TPS", "QPS", "tpm", "tps", "qps", "iops", "nopm", "tx/min", "tx/s"]
                    .contains(&rest_unit);
            if is_apart || is_counted {
                return Some((factor, rest_unit));
            }
        }
    }
    None
}

fn unit_of_rest(rest: &str) -> (f64, Dimension) {
    known(rest).unwrap_or_else(|| (1.0, Dimension::Other(rest.to_lowercase())))
}

fn known(plain: &str) -> Option<(f64, Dimension)> {
    let time = |seconds: f64| Some((seconds, Dimension::Time));
    let lower = plain.to_lowercase();
    match lower.as_str() {
        "ns" | "nsec" | "nanoseconds" => return time(1e-9),
        "us" | "usec" | "microseconds" => return time(1e-6),
        "ms" | "msec" | "milliseconds" => return time(1e-3),
        "s" | "sec" | "secs" | "second" | "seconds" => return time(1.0),
        "min" | "mins" | "minute" | "minutes" => return time(60.0),
        "h" | "hr" | "hrs" | "hour" | "hours" => return time(3600.0),
        "d" | "day" | "days" => return time(86_400.0),
        "iops" | "1/s" | "tps" | "qps" | "ops" | "ops/s" => return Some((1.0, Dimension::Rate)),
        "tpm" | "nopm" | "tx/min" | "orders/min" | "1/min" => return Some((1.0 / 60.0, Dimension::Rate)),
        _ => {}
    }
    let per_second =
        plain.strip_suffix("/s").or_else(|| plain.strip_suffix("ps")).or_else(|| plain.strip_suffix("/sec"));
    if let Some(factor) = per_second.and_then(bytes) {
        return Some((factor, Dimension::Bandwidth));
    }
    if let Some(factor) = plain.strip_suffix("/min").and_then(bytes) {
        return Some((factor / 60.0, Dimension::Bandwidth));
    }
    bytes(plain).map(|factor| (factor, Dimension::Bytes))
}

/// Bytes of one of a unit of bytes or bits.
fn bytes(unit: &str) -> Option<f64> {
    let (prefix, each) = match unit {
        _ if unit.ends_with("bit") => (unit.strip_suffix("bit")?, 0.125),
        _ if unit.ends_with('b') => (unit.strip_suffix('b')?, 0.125),
        _ => (unit.strip_suffix('B')?, 1.0),
    };
    let factor = match prefix {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "Ki" => 1024.0,
        "Mi" => f64::from(1 << 20),
        "Gi" => f64::from(1 << 30),
        "Ti" => 1024.0 * f64::from(1 << 30),
        _ => return None,
    };
    Some(factor * each)
}

/// A number that is written with its unit or magnitude: `1.84 M`, `73 min`, `1,840,000`. With the number of
/// its last digit's worth.
pub fn written(text: &str) -> Option<(f64, String)> {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '_' | '-' | '+')))
        .unwrap_or(text.len());
    let digits = &text[..end];
    let groups: Vec<&str> = digits.split(',').collect();
    let is_grouped = groups.len() > 1
        && groups[1..].iter().all(|group| group.split('.').next().is_some_and(|g| g.len() == 3));
    let value: f64 = match groups.len() {
        1 => digits.replace('_', "").parse().ok()?,
        _ if is_grouped => groups.concat().parse().ok()?,
        _ => return None,
    };
    Some((value, text[end..].trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_one_dimension_are_told_apart_by_their_size() {
        let in_base = |value: f64, text: &str| {
            let (factor, dimension) = unit(text);
            (value * factor, dimension)
        };
        assert!((in_base(2360.0, "µs").0 - 0.00236).abs() < 1e-12 && in_base(1.0, "µs").1 == Dimension::Time);
        assert_eq!(in_base(2.0, "h").0, in_base(120.0, "min").0);
        assert!((unit("M TPM").0 - 1e6 / 60.0).abs() < 1e-6 && unit("M TPM").1 == Dimension::Rate);
        assert_eq!(unit("kIOPS"), (1e3, Dimension::Rate));
        assert_eq!(unit("GiB/s"), (f64::from(1 << 30), Dimension::Bandwidth));
        assert_eq!(unit("Gb/s"), (0.125e9, Dimension::Bandwidth));
        assert_eq!(unit("M"), (1e6, Dimension::Other(String::new())));
        assert_eq!((magnitude("M TPM"), magnitude("K"), magnitude("kIOPS")), (1e6, 1e3, 1e3));
        assert_eq!((magnitude("MB/s"), magnitude("ms"), magnitude(""), magnitude("x")), (1.0, 1.0, 1.0, 1.0));
        assert_eq!(unit("Watt").1, Dimension::Other("watt".to_owned()));
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        assert_eq!(written("1.84 M"), Some((1.84, "M".to_owned())));
        assert_eq!(written("1,840,000"), Some((1_840_000.0, String::new())));
        assert_eq!(written("73min"), Some((73.0, "min".to_owned())));
        assert_eq!(written("1,84"), None);
        assert_eq!(written("fast"), None);
    }
}
