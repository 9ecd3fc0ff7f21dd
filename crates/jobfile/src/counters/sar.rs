//! The text of `sar`: a line with the date, then tables with the time of day in front.

use std::io::BufRead;

use jiff::civil::{Date, Time};
use jiff::{Timestamp, ToSpan as _};

use super::reader::{Collector, Lines, no_zone};
use super::sadf::ITEMS;
use super::{Counters, CountersError};
use crate::fault::{FileFault, quoted};

/// The first word of the file.
pub(crate) const HEAD: &str = "Linux ";
/// The forms of its time of day.
const TIMES: [&str; 2] = ["%I:%M:%S %p", "%H:%M:%S"];

/// The columns under the last heading.
struct Table {
    /// The place of the column that names a thing, and its name.
    item: Option<(usize, String)>,
    columns: Vec<String>,
}

/// A clock without a date: a time of day that is earlier than the one before is of the next day.
struct Calendar {
    first: Date,
    date: Date,
    last: Option<Time>,
}

/// Reads the file.
pub(super) fn read<R: BufRead>(
    lines: &mut Lines<R>,
    mut collector: Collector<'_>,
) -> Result<Counters, CountersError> {
    while lines.advance()?.is_some() && lines.text().is_empty() {}
    let (host, date) = heading(lines)?;
    let mut calendar = Calendar { first: date, date, last: None };
    let zone = collector.zone().ok_or_else(no_zone)?;
    let mut table: Option<Table> = None;
    while let Some(number) = lines.advance()? {
        let line = lines.text();
        if line.trim().is_empty() {
            // The next table begins at the first moment again.
            (table, calendar.date, calendar.last) = (None, calendar.first, None);
            continue;
        }
        if line.starts_with(|c: char| !c.is_ascii_digit()) || line.contains("LINUX RESTART") {
            // Averages in every language, and restarts.
            continue;
        }
        let (time, fields) = split(line).ok_or_else(|| {
            lines.fault(format!("{} does not begin with a time of day", quoted(line)), HELP)
        })?;
        let Some(known) = &table else {
            table = Some(Table::of(&fields));
            continue;
        };
        if known.columns.iter().eq(fields.iter()) {
            continue; // The heading is repeated on every page.
        }
        if fields.len() != known.columns.len() {
            let message = format!("has {} columns, its heading has {}", fields.len(), known.columns.len());
            let help = "if the file is cut here, remove this line; else write it again";
            return Err(lines.fault(message, help).into());
        }
        let moment = calendar.next(time).and_then(|shown| zone.moment(shown));
        let moment: Timestamp = moment.ok_or_else(|| lines.fault("has no moment of the calendar", HELP))?;
        collector.reach(moment);
        for (counter, field) in known.counters(&host, &fields, &mut collector)? {
            collector.add(number, counter, field)?;
        }
    }
    Ok(collector.end()?)
}

const HELP: &str = "write the file again with sar, or better with sadf -d";

/// `Linux 6.1.0-18-amd64 (host)  11/25/2026  _x86_64_  (4 CPU)`: the host and the date.
fn heading<R: BufRead>(lines: &Lines<R>) -> Result<(String, Date), FileFault> {
    let line = lines.text();
    let named = line.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    let Some((host, rest)) = named.filter(|_| line.starts_with(HEAD)) else {
        let message = format!("{} is no heading of sar (Linux ... (HOST) DATE)", quoted(line));
        return Err(lines.fault(message, HELP));
    };
    let word = rest.split_whitespace().next().unwrap_or_default();
    let date = date_of(word).ok_or_else(|| {
        let message = format!("{} is no date such as 2026-11-25, 11/25/2026 or 11/25/26", quoted(word));
        lines.fault(message, "write the file with S_TIME_FORMAT=ISO sar, or with sadf -d")
    })?;
    Ok((host.to_owned(), date))
}

/// A date as sar writes it in the language of its user: 2026-11-25, 26-11-25, 11/25/2026, 11/25/26, 25/11/26 or
/// 25.11.2026. With slashes the month comes first, unless it can only be the day. Years of two digits are of
/// this century: sar is no older.
fn date_of(word: &str) -> Option<Date> {
    let separator = word.chars().find(|c| !c.is_ascii_digit())?;
    let parts: Vec<&str> = word.split(separator).collect();
    let [first, second, third] = parts[..] else { return None };
    let number = |text: &str| {
        let is_plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
        is_plain.then(|| text.parse::<i16>().ok()).flatten()
    };
    let year = |text: &str| match text.len() {
        4 => number(text),
        2 => number(text).map(|year| 2000 + year),
        _ => None,
    };
    let date = |year: Option<i16>, month: &str, day: &str| {
        let (month, day) = (i8::try_from(number(month)?).ok()?, i8::try_from(number(day)?).ok()?);
        Date::new(year?, month, day).ok()
    };
    match separator {
        '-' => date(year(first), second, third),
        '.' => date(year(third), second, first),
        '/' if first.len() == 4 => date(year(first), second, third),
        '/' => date(year(third), first, second).or_else(|| date(year(third), second, first)),
        _ => None,
    }
}

/// The time of day and the other fields.
fn split(line: &str) -> Option<(Time, Vec<&str>)> {
    let mut words = line.split_whitespace().peekable();
    let first = words.next()?;
    let half = words.next_if(|word| matches!(*word, "AM" | "PM"));
    let time = match half {
        Some(half) => format!("{first} {half}"),
        None => first.to_owned(),
    };
    let time = TIMES.iter().find_map(|form| Time::strptime(form, &time).ok())?;
    Some((time, words.collect()))
}

impl Calendar {
    fn next(&mut self, time: Time) -> Option<jiff::civil::DateTime> {
        if self.last.is_some_and(|last| time < last) {
            self.date = self.date.checked_add(1.day()).ok()?;
        }
        self.last = Some(time);
        Some(self.date.to_datetime(time))
    }
}

impl Table {
    fn of(fields: &[&str]) -> Table {
        let item = fields.iter().position(|field| ITEMS.contains(field));
        Table {
            item: item.map(|at| (at, fields[at].to_owned())),
            columns: fields.iter().map(|field| (*field).to_owned()).collect(),
        }
    }

    /// The chosen counters of a line with their fields.
    fn counters<'f>(
        &self,
        host: &str,
        fields: &[&'f str],
        collector: &mut Collector<'_>,
    ) -> Result<Vec<(usize, &'f str)>, FileFault> {
        let thing = match &self.item {
            Some((at, item)) => format!("{item}({})\\", fields[*at]),
            None => String::new(),
        };
        let mut found = Vec::new();
        for (at, (column, field)) in self.columns.iter().zip(fields).enumerate() {
            if self.item.as_ref().is_some_and(|(item, _)| *item == at) {
                continue;
            }
            let counter = collector.counter(format!("\\\\{host}\\{thing}{column}"))?;
            found.extend(counter.map(|counter| (counter, *field)));
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_every_language_are_of_this_century() {
        let expected = Date::new(2026, 11, 25).unwrap();
        for word in [
            "2026-11-25",
            "26-11-25",
            "11/25/2026",
            "11/25/26",
            "25/11/26",
            "25/11/2026",
            "25.11.2026",
            "25.11.26",
            "2026/11/25",
        ] {
            assert_eq!(date_of(word), Some(expected), "{word}");
        }
        assert_eq!(date_of("02/03/26"), Date::new(2026, 2, 3).ok(), "the month comes first");
        for word in [
            "",
            "26",
            "11/25",
            "13/32/26",
            "11/25/226",
            "-1-2-3",
            "+1/2/26",
            "a-b-c",
            "11/25/26/1",
            "2026-02-30",
        ] {
            assert_eq!(date_of(word), None, "{word}");
        }
    }
}
