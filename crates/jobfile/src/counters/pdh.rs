//! The CSV of Windows' performance data helper: perfmon, `relog`, `typeperf`, and esxtop's batch mode.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::BufRead;

use super::reader::{Collector, Lines, no_zone};
use super::{Counters, CountersError};
use crate::fault::quoted;
use crate::moment::{Zone, read_time};

/// The beginning of the first column's name.
pub(crate) const HEAD: &str = "(PDH-CSV";
/// The forms of its times.
const TIMES: [&str; 2] = ["%m/%d/%Y %H:%M:%S%.f", "%m/%d/%Y %H:%M:%S"];
/// Messages that `typeperf` prints around its lines.
const MESSAGES: [&str; 2] = ["Exiting, please wait", "The command completed successfully"];

/// Reads the file.
pub(super) fn read<R: BufRead>(
    lines: &mut Lines<R>,
    mut collector: Collector<'_>,
) -> Result<Counters, CountersError> {
    let counters = header(lines, &mut collector)?;
    let zone = collector.zone().ok_or_else(no_zone)?;
    while let Some(number) = lines.advance()? {
        let line = lines.text();
        if line.is_empty() || MESSAGES.iter().any(|message| line.starts_with(message)) {
            continue;
        }
        let fields = fields(line);
        let Some((time, values)) = fields.split_first().filter(|(_, values)| values.len() == counters.len())
        else {
            let message = format!("has {} columns, the header has {}", fields.len(), counters.len() + 1);
            let help = "if the file is cut here, remove this line; else export it again";
            return Err(lines.fault(message, help).into());
        };
        let shown = read_time(time.trim(), &TIMES).and_then(|shown| zone.moment(shown));
        let moment = shown.ok_or_else(|| {
            let message = format!("{} is no time such as 11/25/2026 13:55:01.123", quoted(time));
            lines.fault(message, "export the file again with relog -f CSV")
        })?;
        collector.at(number, moment)?;
        for (counter, field) in counters.iter().zip(values) {
            if let Some(counter) = counter {
                collector.add(number, *counter, field)?;
            }
        }
    }
    Ok(collector.end()?)
}

/// The counter of each column behind the time, where it is chosen.
fn header<R: BufRead>(
    lines: &mut Lines<R>,
    collector: &mut Collector<'_>,
) -> Result<Vec<Option<usize>>, CountersError> {
    // Output of typeperf begins with an empty line.
    while lines.advance()?.is_some() && lines.text().is_empty() {}
    let fields = fields(lines.text());
    let first = fields.first().map_or("", |first| first.trim());
    if !first.starts_with(HEAD) {
        let message = format!("{} is no header of perfmon, which begins with {HEAD} 4.0)", quoted(first));
        return Err(lines.fault(message, "export the file with relog -f CSV; TSV is not read").into());
    }
    if let Some(zone) = zone_of(first) {
        collector.state_zone(zone);
    }
    let mut occurred: HashMap<&str, usize> = HashMap::new();
    let mut counters = Vec::new();
    for name in &fields[1..] {
        let name = name.trim();
        // esxtop can write a name twice.
        let before = occurred.entry(name).or_default();
        *before += 1;
        let name = if *before == 1 { name.to_owned() } else { format!("{name} #{before}") };
        // The end of a line can be a comma.
        counters.push(if name.is_empty() { None } else { collector.counter(name)? });
    }
    Ok(counters)
}

/// The zone in `(PDH-CSV 4.0) (Pacific Standard Time)(480)`: minutes that are added to the times to get UTC.
fn zone_of(head: &str) -> Option<Zone> {
    let (rest, bias) = head.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    let minutes: i64 = bias.trim().parse().ok()?;
    rest.trim_end().ends_with(')').then(|| Zone::minutes_ahead(-minutes)).flatten()
}

/// The fields of a line, after RFC 4180.
fn fields(line: &str) -> Vec<Cow<'_, str>> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        let (field, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_field(quoted),
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (Cow::Borrowed(&rest[..end]), &rest[end..])
            }
        };
        fields.push(field);
        match after.split_once(',') {
            Some((_, next)) => rest = next,
            None => return fields,
        }
    }
}

/// A field behind its first quotation mark, and what follows the last one. A field without a last one goes to
/// the end of the line.
fn quoted_field(text: &str) -> (Cow<'_, str>, &str) {
    let mut from = 0;
    while let Some(at) = text[from..].find('"') {
        let end = from + at;
        if text[end + 1..].starts_with('"') {
            from = end + 2;
            continue;
        }
        let field = &text[..end];
        let field = if from == 0 { Cow::Borrowed(field) } else { field.replace("\"\"", "\"").into() };
        return (field, &text[end + 1..]);
    }
    (Cow::Borrowed(text), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_split_as_spreadsheets_do() {
        assert_eq!(fields(r#""a","b, c","d ""e""",f,"#), ["a", "b, c", "d \"e\"", "f", ""]);
        assert_eq!(fields(""), [""]);
        assert_eq!(fields(r#""a","cut"#), ["a", "cut"]);
        assert_eq!(fields(r#""a"x,b"#), ["a", "b"]);
    }

    #[test]
    fn the_zone_is_that_of_the_header() {
        assert_eq!(zone_of("(PDH-CSV 4.0) (Pacific Standard Time)(480)").unwrap().to_string(), "UTC-08:00");
        assert_eq!(zone_of("(PDH-CSV 4.0) (W. Europe Standard Time)(-60)").unwrap().to_string(), "UTC+01:00");
        assert_eq!(zone_of("(PDH-CSV 4.0) (UTC)(0)"), Some(Zone::utc()));
        for head in ["(PDH-CSV 4.0)", "(PDH-CSV 4.0) (x)", "(PDH-CSV 4.0) (x)(99999)", "("] {
            assert_eq!(zone_of(head), None, "{head}");
        }
    }
}
