//! Times in files of other tools: moments with and without a time zone.

use std::fmt;
use std::str::FromStr;

use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, Zoned};

/// A time zone, by its name or its offset from UTC.
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    zone: TimeZone,
    name: String,
}

/// Offsets of time zones lie within a day.
const OFFSET_MINUTES_MOST: i64 = 24 * 60;

impl Zone {
    /// Coordinated universal time.
    #[must_use]
    pub fn utc() -> Zone {
        Zone { zone: TimeZone::UTC, name: "UTC".to_owned() }
    }

    /// The zone whose clocks show UTC plus so many minutes; `None` beyond a day.
    pub(crate) fn minutes_ahead(minutes: i64) -> Option<Zone> {
        if minutes.abs() > OFFSET_MINUTES_MOST {
            return None;
        }
        let offset = Offset::from_seconds(i32::try_from(minutes * 60).ok()?).ok()?;
        let sign = if minutes < 0 { '-' } else { '+' };
        let name = format!("UTC{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60);
        Some(if minutes == 0 { Zone::utc() } else { Zone { zone: offset.to_time_zone(), name } })
    }

    /// The moment at which the clocks of the zone show a time; `None` for a time beyond the calendar.
    pub(crate) fn moment(&self, shown: DateTime) -> Option<Timestamp> {
        self.zone.to_timestamp(shown).ok()
    }

    /// The moment as the clocks of the zone show it, to the second: `2026-05-04 12:07:00 UTC+02:00`.
    #[must_use]
    pub fn show(&self, moment: Timestamp) -> String {
        let shown = Zoned::new(moment, self.zone.clone());
        format!("{} {}", shown.strftime("%Y-%m-%d %H:%M:%S"), self.name)
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

impl FromStr for Zone {
    type Err = String;

    /// Reads `UTC`, `local`, an offset (`+09:00`, `-0330`, `+2`) or a name of the time zone database.
    fn from_str(text: &str) -> Result<Zone, String> {
        let known = "give `UTC`, `local`, an offset such as `+09:00`, or a name such as `Europe/Berlin`";
        match text {
            "UTC" | "utc" | "Z" => return Ok(Zone::utc()),
            "local" => {
                let zone = TimeZone::system();
                let name = zone.iana_name().unwrap_or("local").to_owned();
                return Ok(Zone { zone, name });
            }
            _ => {}
        }
        if let Some(minutes) = offset_minutes(text) {
            return Zone::minutes_ahead(minutes).ok_or_else(|| format!("is more than a day; {known}"));
        }
        match TimeZone::get(text) {
            Ok(zone) => Ok(Zone { zone, name: text.to_owned() }),
            Err(_) => Err(format!("this machine knows no such time zone; {known}")),
        }
    }
}

/// The minutes of `+09:00`, `-0330`, `+2`.
fn offset_minutes(text: &str) -> Option<i64> {
    let (sign, rest) = match text.as_bytes().first()? {
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => return None,
    };
    let (hours, minutes) = match rest.split_once(':') {
        Some(parts) => parts,
        None if rest.len() == 4 && rest.is_ascii() => rest.split_at(2),
        None => (rest, "0"),
    };
    let number = |text: &str| text.parse::<i64>().ok().filter(|n| (0..=99).contains(n));
    Some(sign * (number(hours)? * 60 + number(minutes)?))
}

/// A time in one of several forms of `strptime`; `None` where none fits. A year of two digits is of this
/// century.
pub(crate) fn read_time(text: &str, forms: &[&str]) -> Option<DateTime> {
    let shown = forms.iter().find_map(|form| DateTime::strptime(form, text).ok())?;
    // `%Y` takes two digits for a year of the first century.
    match shown.year() {
        year @ 0..=99 => shown.with().year(2000 + year).build().ok(),
        _ => Some(shown),
    }
}

/// Seconds from one moment to another.
pub(crate) fn seconds_between(from: Timestamp, to: Timestamp) -> f64 {
    to.duration_since(from).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_read_by_name_and_offset() {
        let at = DateTime::strptime("%Y-%m-%d %H:%M:%S", "2026-11-25 10:00:00").unwrap();
        for (text, utc) in [
            ("UTC", "2026-11-25T10:00:00Z"),
            ("+09:00", "2026-11-25T01:00:00Z"),
            ("-0330", "2026-11-25T13:30:00Z"),
            ("+2", "2026-11-25T08:00:00Z"),
        ] {
            let zone: Zone = text.parse().unwrap();
            assert_eq!(zone.moment(at).unwrap().to_string(), utc, "{text}");
        }
        for text in ["", "+", "+25:00", "-99:00", "Atlantis", "+9:9:9", "+ä9"] {
            assert!(text.parse::<Zone>().is_err(), "{text}");
        }
        let zone = Zone::minutes_ahead(-480).unwrap();
        assert_eq!(zone.show(Timestamp::UNIX_EPOCH), "1969-12-31 16:00:00 UTC-08:00");
    }
}
