//! fio's numbers: sizes with its units, times, percentages, ranges, booleans. Their meanings are in fio's
//! HOWTO under "Parameter types".

use super::expression;

/// The unit prefixes: `kb_base` of the job file. With 1024, the default, `k` is 1024 and `KiB` is 1000, for
/// old job files; with 1000 the meanings are swapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KbBase(pub(super) u64);

/// A size in bytes or a part of the file or device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Amount {
    /// Bytes.
    Bytes(u64),
    /// Per cent of the file or device.
    Percent(f64),
}

/// The factor of a unit of data.
pub(super) fn data_factor(unit: &str, base: KbBase) -> Option<f64> {
    let unit = unit.to_ascii_lowercase();
    if unit.is_empty() || unit == "b" {
        return Some(1.0);
    }
    let power = ['k', 'm', 'g', 't', 'p'].iter().position(|prefix| unit.starts_with(*prefix))? as i32 + 1;
    let factor = match &unit[1..] {
        "" | "b" => base.0,
        // The other of the two: with the default base, fio's "KiB" are 1000 bytes.
        "i" | "ib" if base.0 == 1000 => 1024,
        "i" | "ib" => 1000,
        _ => return None,
    };
    Some((factor as f64).powi(power))
}

/// The factor of a unit of time, in seconds.
fn time_factor(unit: &str) -> Option<f64> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "d" => 86_400.0,
        "h" => 3_600.0,
        "m" => 60.0,
        "s" | "sec" => 1.0,
        "ms" | "msec" => 1e-3,
        "us" | "usec" => 1e-6,
        "ns" | "nsec" => 1e-9,
        _ => return None,
    })
}

/// A number with a unit of data, in bytes.
pub(super) fn bytes(text: &str, base: KbBase) -> Result<u64, String> {
    match amount(text, base)? {
        Amount::Bytes(bytes) => Ok(bytes),
        Amount::Percent(_) => Err(format!("`{text}` is a percentage, and a number of bytes is needed")),
    }
}

/// A size in bytes or per cent.
pub(super) fn amount(text: &str, base: KbBase) -> Result<Amount, String> {
    let text = text.trim();
    if let Some(percent) = text.strip_suffix('%') {
        let percent: f64 = percent.trim().parse().map_err(|_| format!("`{text}` is not a percentage"))?;
        if !(0.0..=100.0).contains(&percent) {
            return Err(format!("`{text}` is not between 0% and 100%"));
        }
        return Ok(Amount::Percent(percent));
    }
    if text.to_ascii_lowercase().ends_with('z') {
        return Err(format!("`{text}` counts zones of a zoned device, which are not supported"));
    }
    let value = scaled(text, &|unit| data_factor(unit, base))?;
    whole(value, text).map(Amount::Bytes)
}

/// A signed number of bytes, as the gap of `rw=read:-8k` is.
pub(super) fn signed_bytes(text: &str, base: KbBase) -> Result<i64, String> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let size = bytes(digits, base)?;
    let size = i64::try_from(size).map_err(|_| format!("`{text}` is too large"))?;
    Ok(if negative { -size } else { size })
}

/// A time in seconds. `default_unit_s` is the unit of a bare number; within brackets bare numbers are
/// microseconds.
pub(super) fn seconds(text: &str, default_unit_s: f64) -> Result<f64, String> {
    let text = text.trim();
    // fio stores microseconds, so expressions are in them too.
    let unit_s = if text.starts_with('(') { 1e-6 } else { default_unit_s };
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let value = if text.starts_with('(') {
        expression::evaluate(text, &|unit| time_factor(unit).map(|s| s * 1e6))? * unit_s
    } else {
        let number: f64 = number.trim().parse().map_err(|_| format!("`{text}` is not a time"))?;
        let factor = if unit.is_empty() { Some(unit_s) } else { time_factor(unit.trim()) };
        number * factor.ok_or_else(|| format!("`{unit}` is not a unit of time"))?
    };
    if (0.0..=3.2e10).contains(&value) {
        Ok(value)
    } else {
        Err(format!("`{text}` is no time that can pass"))
    }
}

/// A plain whole number; suffixes multiply, as fio lets them.
pub(super) fn integer(text: &str, base: KbBase) -> Result<u64, String> {
    whole(scaled(text.trim(), &|unit| data_factor(unit, base))?, text)
}

/// A plain decimal number.
pub(super) fn decimal(text: &str) -> Result<f64, String> {
    let value: f64 = text.trim().parse().map_err(|_| format!("`{text}` is not a number"))?;
    if value.is_finite() { Ok(value) } else { Err(format!("`{text}` is not a number")) }
}

/// 0 or 1; the option alone means 1.
pub(super) fn boolean(text: Option<&str>) -> Result<bool, String> {
    match text.map(str::trim) {
        None | Some("1" | "true" | "yes" | "on" | "y") => Ok(true),
        Some("0" | "false" | "no" | "off" | "n") => Ok(false),
        Some(number) if number.bytes().all(|b| b.is_ascii_digit()) && !number.is_empty() => Ok(true),
        Some(other) => Err(format!("`{other}` is neither 0 nor 1")),
    }
}

/// `4k-16k` or `4k:16k`, in either order.
pub(super) fn range(text: &str, base: KbBase) -> Result<(u64, u64), String> {
    let (low, high) = text
        .split_once(['-', ':'])
        .ok_or_else(|| format!("`{text}` is not a range: write for example 4k-16k"))?;
    let (low, high) = (bytes(low, base)?, bytes(high, base)?);
    Ok((low.min(high), low.max(high)))
}

fn scaled(text: &str, factor_of: &dyn Fn(&str) -> Option<f64>) -> Result<f64, String> {
    if let Some(hexadecimal) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u64::from_str_radix(hexadecimal, 16)
            .map(|value| value as f64)
            .map_err(|_| format!("`{text}` is not a hexadecimal number"));
    }
    if text.starts_with('(') || text.contains(['*', '/', '+']) {
        return expression::evaluate(text, factor_of);
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let value: f64 = number.parse().map_err(|_| format!("`{text}` is not a number"))?;
    let factor =
        factor_of(unit.trim()).ok_or_else(|| format!("`{}` is not a unit that fio knows", unit.trim()))?;
    Ok(value * factor)
}

fn whole(value: f64, text: &str) -> Result<u64, String> {
    // Nothing has more than 2^63 bytes; fio stops there too.
    if !(0.0..9.2e18).contains(&value) {
        return Err(format!("`{text}` is out of range"));
    }
    Ok(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OLD: KbBase = KbBase(1024);
    const SI: KbBase = KbBase(1000);

    #[test]
    fn sizes_are_those_that_fio_3_33_computes() {
        for (text, old, si) in [
            ("1m", 1 << 20, 1_000_000),
            ("1M", 1 << 20, 1_000_000),
            ("1mb", 1 << 20, 1_000_000),
            ("1MiB", 1_000_000, 1 << 20),
            ("4k", 4096, 4000),
            ("0x1000", 4096, 4096),
            ("512", 512, 512),
            ("1.5k", 1536, 1500),
            ("(4*1024)", 4096, 4096),
            ("2t", 2 << 40, 2_000_000_000_000),
        ] {
            assert_eq!(bytes(text, OLD), Ok(old), "{text}");
            assert_eq!(bytes(text, SI), Ok(si), "{text}");
        }
        assert_eq!(amount("35%", OLD), Ok(Amount::Percent(35.0)));
        assert_eq!(signed_bytes("-8k", OLD), Ok(-8192));
        for wrong in ["", "k", "4q", "-1", "101%", "3z", "1e400", "99999999t"] {
            assert!(amount(wrong, OLD).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_have_a_default_unit_and_ours_may_be_written() {
        for (text, seconds_s) in [("30", 30.0), ("2m", 120.0), ("1h", 3600.0), ("500ms", 0.5), ("10s", 10.0)]
        {
            assert_eq!(seconds(text, 1.0), Ok(seconds_s), "{text}");
        }
        assert_eq!(seconds("2000", 1e-6), Ok(0.002));
        assert_eq!(seconds("(2*500000)", 1.0), Ok(1.0));
        assert!(seconds("soon", 1.0).is_err());
    }

    proptest! {
        #[test]
        fn nothing_panics(text in ".{0,40}") {
            let _ = (amount(&text, OLD), seconds(&text, 1.0), range(&text, OLD), signed_bytes(&text, SI), boolean(Some(&text)));
        }
    }
}
