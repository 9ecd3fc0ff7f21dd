//! Rows as LOAD DATA wants them: columns between tabs, rows between line feeds, null as `\N`.

use std::io::Write as _;

use crate::tpcc::data::money::{Cents, Rate};
use crate::tpcc::load::encode::Format;

/// Rows of one piece.
#[derive(Debug)]
pub(crate) struct Tabs {
    out: Vec<u8>,
    /// The last moment with its text: all rows of a load bear the same.
    moment: (i64, String),
}

impl Default for Tabs {
    fn default() -> Self {
        Self { out: Vec::with_capacity(1 << 20), moment: (i64::MIN, String::new()) }
    }
}

impl Format for Tabs {
    fn begin(&mut self, _: u16) {}

    fn int(&mut self, value: u32) {
        let mut digits = [0_u8; 10];
        let mut start = digits.len();
        let mut rest = value;
        loop {
            start -= 1;
            digits[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.out.extend_from_slice(&digits[start..]);
        self.out.push(b'\t');
    }

    fn text(&mut self, value: &str) {
        self.out.extend_from_slice(value.as_bytes());
        self.out.push(b'\t');
    }

    fn cents(&mut self, value: Cents) {
        // Writing into memory cannot fail.
        let _ = write!(self.out, "{value}\t");
    }

    fn rate(&mut self, value: Rate) {
        let _ = write!(self.out, "{}\t", rate(value));
    }

    fn moment(&mut self, at_ms: i64) {
        if self.moment.0 != at_ms {
            self.moment = (at_ms, moment(at_ms));
        }
        self.out.extend_from_slice(self.moment.1.as_bytes());
        self.out.push(b'\t');
    }

    fn null(&mut self) {
        self.out.extend_from_slice(b"\\N\t");
    }

    fn end(&mut self) {
        self.out.pop();
        self.out.push(b'\n');
    }

    fn into_bytes(self) -> Vec<u8> {
        self.out
    }
}

/// Ten-thousandths with their point.
pub(super) fn rate(value: Rate) -> String {
    format!("{}.{:04}", value.0 / 10_000, value.0 % 10_000)
}

/// A point in time (ms since 1970, UTC) as `datetime(3)`. Days to a date after Hinnant, "chrono-Compatible
/// Low-Level Date Algorithms".
pub(super) fn moment(at_ms: i64) -> String {
    let (days, ms) = (at_ms.div_euclid(86_400_000), at_ms.rem_euclid(86_400_000));
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{:03}", ms % 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_lines_of_columns() {
        let mut tabs = Tabs::default();
        tabs.begin(5);
        [0, 7, 4_294_967_295].into_iter().for_each(|value| tabs.int(value));
        tabs.cents(Cents(-1_005));
        tabs.rate(Rate(325));
        tabs.null();
        tabs.text("a b");
        tabs.end();
        assert_eq!(
            String::from_utf8(tabs.into_bytes()).unwrap(),
            "0\t7\t4294967295\t-10.05\t0.0325\t\\N\ta b\n"
        );
    }

    #[test]
    fn moments_are_dates() {
        let dates = [0, 951_782_400_000, 1_709_251_199_999, -1].map(moment);
        let expected = [
            "1970-01-01 00:00:00.000",
            "2000-02-29 00:00:00.000",
            "2024-02-29 23:59:59.999",
            "1969-12-31 23:59:59.999",
        ];
        assert_eq!(dates, expected);
    }
}
