//! Sizes, times and shares as they are written in an experiment: a number and its unit, never a bare number.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A number of bytes, written `"32MiB"` or `"960GB"`. KiB is 1024 bytes and kB is 1000; neither stands for
/// the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(pub u64);

/// A length of time, written `"5s"`, `"250ms"` or `"2min"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub Duration);

/// A part of a whole between 0 and 1, written as a percentage: `"70%"` is `Share(0.7)`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Share(pub f64);

/// A part of something measured, which may be more than the whole: `"120%"` is `Percent(1.2)`. At most 1000%.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Percent(pub f64);

/// The reason why a text is no size, time or share, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}; {help}")]
pub struct UnitError {
    /// The fault of the text.
    pub message: String,
    /// The replacement.
    pub help: String,
}

/// A unit: its spelling, and the bytes or nanoseconds in it.
type Unit = (&'static str, u64);

const SIZES: [Unit; 9] = [
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

const TIMES: [Unit; 7] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60 * 1_000_000_000),
    ("h", 3_600 * 1_000_000_000),
    ("d", 86_400 * 1_000_000_000),
];

const SIZE_HELP: &str = "write a number and its unit, for example \"32MiB\" or \"960GB\" (units: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)";
const TIME_HELP: &str = "write a number and its unit, for example \"5s\", \"250ms\" or \"2min\" (units: ns, us, ms, s, min, h, d)";
const PERCENT_MAX: f64 = 10.0;
const PERCENT_HELP: &str = "write a percentage above 0 and up to 1000, for example \"120%\"";
const SHARE_HELP: &str = "write a percentage between 0 and 100, for example \"70%\"";

fn fault<T>(message: String, help: impl Into<String>) -> Result<T, UnitError> {
    Err(UnitError { message, help: help.into() })
}

/// With 18 decimals, these hold every value of 64 bits, and no more than a u128 can multiply out.
const WHOLE_DIGITS_MAX: usize = 20;

/// A decimal number without sign or exponent, kept exactly: `digits` x 10^-`decimals`.
struct Decimal {
    digits: u128,
    decimals: u32,
}

/// The number at the front of `text` and the text after it, blanks between them skipped.
fn split_number(text: &str) -> Option<(Decimal, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let written = !whole.is_empty() && (number.contains('.') != fraction.is_empty());
    let short = whole.len() <= WHOLE_DIGITS_MAX && fraction.len() <= 18 && !fraction.contains('.');
    if !written || !short {
        return None;
    }
    let digits = format!("{whole}{fraction}").parse().ok()?;
    Some((Decimal { digits, decimals: fraction.len() as u32 }, rest.trim_start()))
}

/// `decimal` x `factor`, when that is a whole number that 128 bits hold.
fn whole_multiple(decimal: &Decimal, factor: u64) -> Option<u128> {
    let product = decimal.digits.checked_mul(u128::from(factor))?;
    let divisor = 10_u128.pow(decimal.decimals);
    (product % divisor == 0).then_some(product / divisor)
}

/// The one reading that sizes and times share: number, unit of `units`, whole number of `base`.
fn parse_units(text: &str, what: &str, units: &[Unit], base: &str, help: &str) -> Result<u128, UnitError> {
    let trimmed = text.trim();
    let Some((number, unit)) = split_number(trimmed) else {
        return fault(format!("`{text}` is not a {what}"), help);
    };
    if unit.is_empty() {
        let examples: Vec<String> =
            units.iter().skip(2).take(2).map(|(name, _)| format!("\"{trimmed}{name}\"")).collect();
        return fault(
            format!("`{text}` has no unit"),
            format!("write the unit with the number, for example {}", examples.join(" or ")),
        );
    }
    let Some((_, factor)) = units.iter().find(|(name, _)| *name == unit) else {
        let number = &trimmed[..trimmed.len() - unit.len()].trim_end();
        return fault(format!("`{unit}` is not a unit of a {what}"), unit_help(number, unit, help));
    };
    match whole_multiple(&number, *factor) {
        Some(value) => Ok(value),
        None => fault(format!("`{text}` is not a whole number of {base}"), help),
    }
}

/// The remedy for a unit that is not one of ours but that other tools know.
fn unit_help(number: &str, unit: &str, help: &str) -> String {
    let binary = |k: &str| {
        format!(
            "write \"{number}{k}iB\" (powers of 1024) or \"{number}{}B\" (powers of 1000)",
            decimal_prefix(k)
        )
    };
    match unit {
        "k" | "K" | "KB" | "kb" | "Kb" | "kib" | "Kib" | "kiB" => binary("K"),
        "M" | "Mb" | "mb" | "mib" | "Mib" => binary("M"),
        "G" | "g" | "Gb" | "gb" | "gib" | "Gib" => binary("G"),
        "T" | "t" | "Tb" | "tb" | "tib" | "Tib" => binary("T"),
        "m" if help == SIZE_HELP => binary("M"),
        "m" | "mins" | "minute" | "minutes" => format!("write \"{number}min\""),
        "sec" | "secs" | "second" | "seconds" | "S" => format!("write \"{number}s\""),
        "hour" | "hours" | "hr" | "H" => format!("write \"{number}h\""),
        "day" | "days" => format!("write \"{number}d\""),
        "µs" | "μs" | "usec" => format!("write \"{number}us\""),
        "msec" => format!("write \"{number}ms\""),
        _ => help.to_owned(),
    }
}

fn decimal_prefix(binary: &str) -> &str {
    if binary == "K" { "k" } else { binary }
}

impl Size {
    /// The number of bytes.
    pub fn bytes(self) -> u64 {
        self.0
    }

    /// Reads a size as fio's command line means it: `4k`, `4K` and `4KiB` are 4096 bytes, a bare number is
    /// bytes.
    ///
    /// For the direct block form only, whose users bring fio's habits; experiment files use [`FromStr`],
    /// which is strict.
    ///
    /// # Errors
    /// When the text is no size in either way of writing.
    pub fn parse_like_fio(text: &str) -> Result<Size, UnitError> {
        let trimmed = text.trim();
        let suffix = match trimmed.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.') {
            "" => "B",
            "k" | "K" => "KiB",
            "m" | "M" => "MiB",
            "g" | "G" => "GiB",
            "t" | "T" => "TiB",
            _ => return trimmed.parse(),
        };
        let number = trimmed.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        format!("{number}{suffix}").parse()
    }
}

impl FromStr for Size {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Size, UnitError> {
        let bytes = parse_units(text, "size", &SIZES, "bytes", SIZE_HELP)?;
        match u64::try_from(bytes) {
            Ok(bytes) => Ok(Size(bytes)),
            Err(_) => fault(format!("`{text}` is more than 64 bits of bytes"), "write a smaller size"),
        }
    }
}

impl fmt::Display for Size {
    /// The shortest exact way of writing it; of two equally short ones the binary one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = |(name, factor): &&Unit| self.0.is_multiple_of(*factor) && (self.0 > 0 || *name == "B");
        let (name, factor) = SIZES
            .iter()
            .rev()
            .filter(exact)
            .min_by_key(|(_, factor)| (self.0 / factor).checked_ilog10().unwrap_or(0))
            .unwrap_or(&SIZES[0]);
        write!(f, "{}{name}", self.0 / factor)
    }
}

impl FromStr for Span {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Span, UnitError> {
        let total_ns = parse_units(text, "time", &TIMES, "nanoseconds", TIME_HELP)?;
        let second_ns = 1_000_000_000;
        // Three thousand years; anything longer prints with more digits than are read.
        match u64::try_from(total_ns / second_ns) {
            Ok(seconds) if total_ns < 10_u128.pow(WHOLE_DIGITS_MAX as u32) => {
                Ok(Span(Duration::new(seconds, (total_ns % second_ns) as u32)))
            }
            _ => fault(format!("`{text}` is longer than any clock counts"), "write a shorter time"),
        }
    }
}

impl fmt::Display for Span {
    /// In the largest unit up to hours that is exact; seconds with their milliseconds rather than
    /// milliseconds alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total_ns = self.0.as_nanos();
        if total_ns == 0 {
            return f.write_str("0s");
        }
        let milliseconds = self.0.subsec_millis();
        if self.0.as_secs() > 0 && milliseconds > 0 && total_ns.is_multiple_of(1_000_000) {
            let fraction = format!("{milliseconds:03}");
            return write!(f, "{}.{}s", self.0.as_secs(), fraction.trim_end_matches('0'));
        }
        let exact = |(_, factor): &&Unit| total_ns.is_multiple_of(u128::from(*factor));
        let (name, factor) = TIMES[..6].iter().rev().find(exact).unwrap_or(&TIMES[0]);
        write!(f, "{}{name}", total_ns / u128::from(*factor))
    }
}

impl Share {
    /// The share of this many per cent, as near as the written decimal comes: 99.9 is 0.999.
    pub fn of_percent(percent: f64) -> Share {
        Share((percent * 1e10).round() / 1e12)
    }
}

impl FromStr for Share {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Share, UnitError> {
        let trimmed = text.trim();
        let Some(number) = trimmed.strip_suffix('%').map(str::trim_end) else {
            return fault(format!("`{text}` is not a percentage"), SHARE_HELP);
        };
        let plain = number.bytes().all(|b| b.is_ascii_digit() || b == b'.') && number.len() <= 400;
        // Shifting the decimal point in the text, not in the float, makes every share come back as it was
        // written.
        match format!("{number}e-2").parse::<f64>() {
            Ok(share) if plain && (0.0..=1.0).contains(&share) => Ok(Share(share)),
            Ok(share) if plain && share > 1.0 => {
                fault(format!("`{text}` is more than the whole"), SHARE_HELP)
            }
            _ => fault(format!("`{text}` is not a percentage"), SHARE_HELP),
        }
    }
}

impl FromStr for Percent {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Percent, UnitError> {
        let trimmed = text.trim();
        let number = trimmed.strip_suffix('%').map(str::trim_end).unwrap_or_default();
        let plain = number.bytes().all(|b| b.is_ascii_digit() || b == b'.') && number.len() <= 400;
        match format!("{number}e-2").parse::<f64>() {
            Ok(part) if plain && part > 0.0 && part <= PERCENT_MAX => Ok(Percent(part)),
            _ => fault(format!("`{text}` is not such a percentage"), PERCENT_HELP),
        }
    }
}

impl fmt::Display for Percent {
    /// The shortest percentage that reads back as the same part.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Share(self.0).fmt(f)
    }
}

impl fmt::Display for Share {
    /// The shortest percentage that reads back as the same share.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = format!("{}", self.0);
        let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
        let padded = format!("{fraction:0<2}");
        let (shifted, rest) = padded.split_at_checked(2).unwrap_or((&padded, ""));
        let digits = format!("{whole}{shifted}");
        let whole = digits.trim_start_matches('0');
        let point = if rest.is_empty() { "" } else { "." };
        write!(f, "{}{point}{rest}%", if whole.is_empty() { "0" } else { whole })
    }
}
