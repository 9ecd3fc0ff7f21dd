//! Exact values on PostgreSQL's wire: `numeric` and `timestamp` in binary, without a float and without text.

use std::error::Error;

use bytes::{BufMut as _, BytesMut};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::tpcc::data::money::{Cents, Rate};

/// Milliseconds from 1970 to PostgreSQL's epoch, 2000-01-01.
const EPOCH_MS: i64 = 946_684_800_000;
const POSITIVE: u16 = 0x0000;
const NEGATIVE: u16 = 0x4000;

/// A point in time, ms since 1970, UTC: a `timestamp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment(pub(super) i64);

impl Moment {
    /// Microseconds since PostgreSQL's epoch.
    pub(super) fn microseconds(self) -> i64 {
        (self.0 - EPOCH_MS) * 1000
    }
}

impl ToSql for Moment {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.put_i64(self.microseconds());
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        matches!(*ty, Type::TIMESTAMP | Type::TIMESTAMPTZ)
    }

    to_sql_checked!();
}

/// Appends a `numeric` of `scaled` / 10^`scale` (scale 2 or 4): header, then groups of four decimal digits
/// around the point.
pub(super) fn put_numeric(out: &mut impl bytes::BufMut, scaled: i64, scale: u16) {
    let one = 10_i64.pow(scale.into()).unsigned_abs();
    let value = scaled.unsigned_abs();
    // The part after the point as one group of four digits.
    let fraction = (value % one * (10_000 / one)) as u16;
    let mut whole = value / one;
    let mut groups = [0_u16; 6];
    let mut count = 0;
    while whole > 0 {
        groups[count] = (whole % 10_000) as u16;
        whole /= 10_000;
        count += 1;
    }
    let digits = count + usize::from(fraction > 0);
    out.put_u16(digits as u16);
    out.put_i16(count as i16 - 1);
    out.put_u16(if scaled < 0 { NEGATIVE } else { POSITIVE });
    out.put_u16(scale);
    for group in groups[..count].iter().rev() {
        out.put_u16(*group);
    }
    if fraction > 0 {
        out.put_u16(fraction);
    }
}

/// Length of the bytes that [`put_numeric`] appends.
pub(super) fn numeric_length(scaled: i64, scale: u16) -> i32 {
    let one = 10_u64.pow(scale.into());
    let value = scaled.unsigned_abs();
    let mut groups = i32::from(!value.is_multiple_of(one));
    let mut whole = value / one;
    while whole > 0 {
        whole /= 10_000;
        groups += 1;
    }
    8 + 2 * groups
}

/// Reads a `numeric` as a whole number of 10^-`scale`; refuses one that is not.
pub(super) fn numeric(raw: &[u8], scale: u32) -> Result<i64, Box<dyn Error + Sync + Send>> {
    let word = |index: usize| -> Result<u16, Box<dyn Error + Sync + Send>> {
        let bytes = raw.get(2 * index..2 * index + 2).ok_or("a numeric is cut off")?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    };
    let (digits, weight, sign) = (usize::from(word(0)?), i32::from(word(1)? as i16), word(2)?);
    let mut value: i128 = 0;
    for group in 0..digits {
        // Each group stands for its digits times 10,000^(weight - group).
        let power = (weight - group as i32) * 4 + scale as i32;
        let digits = i128::from(word(4 + group)?);
        if (0..28).contains(&power) {
            value += digits * 10_i128.pow(power.unsigned_abs());
        } else if power < 0 {
            let unit = 10_i128.checked_pow(power.unsigned_abs()).ok_or("a numeric has too many decimals")?;
            if digits % unit != 0 {
                return Err("a numeric has more decimals than money has".into());
            }
            value += digits / unit;
        } else {
            return Err("a numeric is too large".into());
        }
    }
    let value = match sign {
        POSITIVE => value,
        NEGATIVE => -value,
        _ => return Err("a numeric is not a number".into()),
    };
    Ok(i64::try_from(value)?)
}

impl ToSql for Cents {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        put_numeric(out, self.0, 2);
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::NUMERIC
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Cents {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        numeric(raw, 2).map(Self)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::NUMERIC
    }
}

impl<'a> FromSql<'a> for Rate {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        numeric(raw, 4).map(Self)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::NUMERIC
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(scaled: i64, scale: u16) -> Vec<u8> {
        let mut out = Vec::new();
        put_numeric(&mut out, scaled, scale);
        out
    }

    #[test]
    fn numerics_are_those_of_the_server() {
        // select numeric_send(...): header, then digits in base 10,000.
        assert_eq!(bytes(0, 2), [0, 0, 0xff, 0xff, 0, 0, 0, 2]);
        assert_eq!(bytes(-1_000, 2), [0, 1, 0, 0, 0x40, 0, 0, 2, 0, 10]);
        assert_eq!(bytes(30_000_050, 2), [0, 3, 0, 1, 0, 0, 0, 2, 0, 30, 0, 0, 0x13, 0x88]);
        assert_eq!(bytes(5_000, 4), [0, 1, 0xff, 0xff, 0, 0, 0, 4, 0x13, 0x88]);
        assert!(numeric(&[0, 1, 0xff, 0xff, 0, 0, 0, 4, 0, 1], 2).is_err(), "0.0001 is no money");
        assert!(numeric(&[0, 0, 0, 0, 0xc0, 0, 0, 0], 2).is_err(), "NaN");
        assert!(numeric(&[0, 1, 0, 0], 2).is_err());
        assert_eq!(
            numeric(&[0, 1, 0, 1, 0, 0, 0, 2, 0, 30], 2).unwrap(),
            30_000_000,
            "trailing zeros are left out"
        );
        assert_eq!(Moment(EPOCH_MS + 1).microseconds(), 1_000);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(scaled in -99_999_999_999_999_i64..99_999_999_999_999, four in any::<bool>()) {
            let scale = if four { 4 } else { 2 };
            let written = bytes(scaled, scale);
            prop_assert_eq!(written.len() as i32, numeric_length(scaled, scale));
            prop_assert_eq!(numeric(&written, scale.into()).unwrap(), scaled);
        }
    }
}
