//! Exact values of MariaDB: decimals come as text, dates go in parts.

use mysql_async::{FromValueError, Value};

use super::text::moment;
use crate::tpcc::data::money::{Cents, Rate};

/// A point in time as a parameter.
pub(super) fn date(at_ms: i64) -> Value {
    Value::from(moment(at_ms))
}

/// An amount as a parameter: a text, which the server reads as an exact decimal where the column is one.
pub(super) fn amount(cents: Cents) -> Value {
    Value::from(cents.to_string())
}

/// A decimal as a whole number of 10^-`scale`.
fn scaled(value: &Value, scale: usize) -> Option<i64> {
    let text = match value {
        Value::Bytes(bytes) => std::str::from_utf8(bytes).ok()?,
        Value::Int(whole) => return whole.checked_mul(10_i64.pow(scale as u32)),
        _ => return None,
    };
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let (kept, rest) = fraction.split_at_checked(scale).unwrap_or((fraction, ""));
    if whole.is_empty() || rest.bytes().any(|digit| digit != b'0') {
        return None;
    }
    let mut all: i64 = whole.parse().ok()?;
    for place in 0..scale {
        let digit = kept.as_bytes().get(place).map_or(0, |digit| i64::from(digit.wrapping_sub(b'0')));
        if digit > 9 {
            return None;
        }
        all = all.checked_mul(10)?.checked_add(digit)?;
    }
    Some(sign * all)
}

pub(super) fn cents(value: Value) -> Result<Cents, FromValueError> {
    scaled(&value, 2).map(Cents).ok_or(FromValueError(value))
}

pub(super) fn rate(value: Value) -> Result<Rate, FromValueError> {
    scaled(&value, 4).map(Rate).ok_or(FromValueError(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_exactly() {
        let read = |text: &str, scale| scaled(&Value::from(text), scale);
        assert_eq!(read("-10.05", 2), Some(-1_005));
        assert_eq!(read("0.2", 4), Some(2_000));
        assert_eq!(read("300000.00", 2), Some(30_000_000));
        assert_eq!((read("7", 2), read("-0.01", 2), read("1.2300", 2)), (Some(700), Some(-1), Some(123)));
        assert_eq!((read("1.234", 2), read("x", 2), read("1.x", 2), read("", 2)), (None, None, None, None));
        assert_eq!(scaled(&Value::Int(3), 2), Some(300));
        assert_eq!(scaled(&Value::NULL, 2), None);
    }
}
