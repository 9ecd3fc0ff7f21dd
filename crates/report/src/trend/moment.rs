//! Days and times of runs as the spoken language writes them, in UTC.

use words::say;

/// `2026-10-21`, from an RFC 3339 time.
pub(super) fn day(time: &str) -> String {
    formatted(time, say!("trend-day"))
}

/// `10-21`: where the year is said elsewhere.
pub(super) fn day_of_year(time: &str) -> String {
    formatted(time, say!("trend-day-short"))
}

/// `10:07`.
pub(super) fn clock(time: &str) -> String {
    formatted(time, say!("trend-clock"))
}

/// A time that cannot be read, as one of another program may be, is shown as it is.
fn formatted(time: &str, form: &str) -> String {
    let moment = time.parse::<jiff::Timestamp>();
    let zoned = moment.map(|moment| moment.to_zoned(jiff::tz::TimeZone::UTC));
    zoned.map_or_else(|_| time.to_owned(), |zoned| zoned.strftime(form).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_day_and_a_clock() {
        let time = "2026-10-21T23:07:09Z";
        assert_eq!([day(time), day_of_year(time), clock(time)], ["2026-10-21", "10-21", "23:07"]);
        assert_eq!(day("no time"), "no time");
    }
}
