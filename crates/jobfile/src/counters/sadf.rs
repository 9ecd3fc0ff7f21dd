//! The table of `sadf -d`: a header line for each kind of activity, fields between semicolons.

use std::io::BufRead;

use jiff::Timestamp;

use super::reader::{Collector, Lines, no_zone};
use super::{Counters, CountersError};
use crate::fault::{FileFault, quoted};
use crate::moment::{Zone, read_time};

/// The beginning of every header line.
pub(crate) const HEAD: &str = "# hostname;interval;timestamp";
/// Columns in front of an activity's own.
const COMMON: usize = 3;
/// The forms of its times; the first one is without a zone.
const TIMES: [&str; 1] = ["%Y-%m-%d %H:%M:%S"];
/// Names of columns that name a thing and count nothing.
pub(super) const ITEMS: [&str; 13] = [
    "CPU",
    "DEV",
    "IFACE",
    "TTY",
    "INTR",
    "FILESYSTEM",
    "MOUNTPOINT",
    "BUS",
    "FCHOST",
    "FAN",
    "TEMP",
    "IN",
    "DEVICE",
];

/// The columns of the activity under the last header line.
struct Activity {
    item: Option<String>,
    columns: Vec<String>,
}

/// Reads the file.
pub(super) fn read<R: BufRead>(
    lines: &mut Lines<R>,
    mut collector: Collector<'_>,
) -> Result<Counters, CountersError> {
    let mut activity: Option<Activity> = None;
    while let Some(number) = lines.advance()? {
        let line = lines.text();
        if line.starts_with('#') {
            activity = Some(header(lines)?);
            continue;
        }
        if line.trim().is_empty() {
            continue;
        }
        let Some(activity) = &activity else {
            let message = format!("{} stands before the header line ({HEAD};...)", quoted(line));
            return Err(lines.fault(message, "write the file with sadf -d, with its header").into());
        };
        let fields: Vec<&str> = line.split(';').collect();
        if fields.get(COMMON).is_some_and(|field| is_event(field)) {
            continue;
        }
        let width = COMMON + usize::from(activity.item.is_some()) + activity.columns.len();
        if fields.len() != width {
            let message = format!("has {} columns, its header has {width}", fields.len());
            let help = "if the file is cut here, remove this line; else write it again with sadf -d";
            return Err(lines.fault(message, help).into());
        }
        let moment = moment(lines, &mut collector, fields[2])?;
        // Each activity begins at the first moment again.
        collector.reach(moment);
        take(&mut collector, number, activity, &fields)?;
    }
    Ok(collector.end()?)
}

/// `LINUX-RESTART` and comments are no samples.
fn is_event(field: &str) -> bool {
    field.starts_with("LINUX-RESTART") || field.starts_with("COM ")
}

fn header<R: BufRead>(lines: &Lines<R>) -> Result<Activity, FileFault> {
    let line = lines.text();
    if !line.starts_with(HEAD) {
        let message = format!("{} is no header of sadf ({HEAD};...)", quoted(line));
        return Err(lines.fault(message, "write the file with sadf -d"));
    }
    if line.contains("[...]") {
        let message = "has all activities in one line (sadf -h)";
        return Err(lines.fault(message, "write the file with sadf -d, without -h"));
    }
    let mut columns: Vec<String> = line.split(';').skip(COMMON).map(str::to_owned).collect();
    let has_item = columns.first().is_some_and(|column| ITEMS.contains(&column.trim_end_matches('*')));
    let item = has_item.then(|| columns.remove(0).trim_end_matches('*').to_owned());
    match columns.is_empty() {
        true => Err(lines.fault("names no counter", "write the file with sadf -d")),
        false => Ok(Activity { item, columns }),
    }
}

/// `2026-11-25 22:02:21 UTC`; without the zone after `-t` or `-T`; seconds since 1970 after `-U`.
fn moment<R: BufRead>(
    lines: &Lines<R>,
    collector: &mut Collector<'_>,
    field: &str,
) -> Result<Timestamp, FileFault> {
    let wrong = || {
        let message = format!("{} is no time such as 2026-11-25 22:02:21 UTC", quoted(field));
        lines.fault(message, "write the file again with sadf -d")
    };
    if let Ok(seconds) = field.parse::<i64>() {
        collector.state_zone(Zone::utc());
        return Timestamp::from_second(seconds).map_err(|_| wrong());
    }
    if let Some(shown) = field.strip_suffix(" UTC") {
        collector.state_zone(Zone::utc());
        return read_time(shown, &TIMES).and_then(|shown| Zone::utc().moment(shown)).ok_or_else(wrong);
    }
    // A zone's abbreviation means several zones.
    let words: Vec<&str> = field.split(' ').take(2).collect();
    let shown = read_time(&words.join(" "), &TIMES).ok_or_else(wrong)?;
    let zone = collector.zone().ok_or_else(no_zone)?;
    zone.moment(shown).ok_or_else(wrong)
}

fn take(
    collector: &mut Collector<'_>,
    number: usize,
    activity: &Activity,
    fields: &[&str],
) -> Result<(), FileFault> {
    let (thing, values) = match &activity.item {
        Some(item) => {
            let thing = if fields[COMMON] == "-1" { "all" } else { fields[COMMON] };
            (format!("{item}({thing})\\"), &fields[COMMON + 1..])
        }
        None => (String::new(), &fields[COMMON..]),
    };
    for (column, field) in activity.columns.iter().zip(values) {
        if let Some(counter) = collector.counter(format!("\\\\{}\\{thing}{column}", fields[0]))? {
            collector.add(number, counter, field)?;
        }
    }
    Ok(())
}
