//! The drives under the running cell: for each a table of its readings, every one with its present value and
//! the course of its last seconds.

use askama::Template;
use device::catalogue;
use serde_json::Value;
use words::say;

use crate::written::Written;

/// The tables.
#[derive(Template)]
#[template(path = "drives.html")]
struct Tables {
    drives: Vec<Drive>,
}

/// One drive: its name, and its readings.
struct Drive {
    name: String,
    readings: Vec<Reading>,
    /// Bytes written, and what they are a part of.
    written_name: String,
    written: String,
    written_of: String,
}

/// One row: its texts, and its course as markup.
struct Reading {
    name: String,
    now: String,
    course: String,
}

/// The tables of the drives in the last of these seconds; nothing before the first.
pub(crate) fn tables(seconds: &[Value], before: &Written) -> String {
    let last = seconds.last().and_then(|second| second["drives"].as_array());
    let drives: Vec<&Value> = last.into_iter().flatten().collect();
    // Earlier cells' bytes are known only as the sum of all drives of the bed.
    let before = (drives.len() == 1).then_some(before);
    let tables = Tables { drives: drives.iter().map(|drive| of_drive(drive, seconds, before)).collect() };
    tables.render().unwrap_or_default()
}

fn number(of: &Value, key: &str) -> f64 {
    of[key].as_f64().unwrap_or_default()
}

fn of_drive(drive: &Value, seconds: &[Value], before: Option<&Written>) -> Drive {
    let is_same = |other: &&Value| other["name"] == drive["name"] && other["log"] == drive["log"];
    let mine: Vec<&Value> =
        seconds.iter().filter_map(|second| second["drives"].as_array()?.iter().find(is_same)).collect();
    let reading = |name: &str, now: String, value: &dyn Fn(&Value) -> f64| {
        let course: Vec<f64> = mine.iter().map(|second| value(second)).collect();
        Reading { name: name.to_owned(), now, course: report::spark(&course, name) }
    };
    let plainly = |key: &'static str| plain(number(drive, key));
    let ms =
        |key: &str| drive[key].as_f64().map_or_else(|| "-".to_owned(), |s| format!("{} ms", plain(s * 1e3)));
    let mb = |key: &str| plain(number(drive, key) / 1e6);
    let bytes = |of: &Value| number(of, "read_bytes_per_s") + number(of, "written_bytes_per_s");
    let both = format!("{} \u{b7} {}", mb("read_bytes_per_s"), mb("written_bytes_per_s"));
    let readings = vec![
        reading(say!("live-drive-reads"), plainly("reads_per_s"), &|of| number(of, "reads_per_s")),
        reading(say!("live-drive-writes"), plainly("writes_per_s"), &|of| number(of, "writes_per_s")),
        reading(say!("live-drive-bytes"), both, &bytes),
        reading(say!("live-drive-await-read"), ms("read_await_s"), &|of| number(of, "read_await_s")),
        reading(say!("live-drive-await-write"), ms("write_await_s"), &|of| number(of, "write_await_s")),
        reading(say!("live-drive-under-way"), plainly("under_way"), &|of| number(of, "under_way")),
        reading(say!("live-drive-busy"), percent(number(drive, "busy")), &|of| number(of, "busy")),
    ];
    let name = drive["name"].as_str().unwrap_or_default().to_owned();
    let so_far = number(&drive["so_far"], "written_bytes");
    Drive {
        readings,
        written_name: match before {
            Some(_) => say!("live-drive-in-run").to_owned(),
            None => say!("live-drive-so-far").to_owned(),
        },
        written: size(before.map_or(so_far, |before| before.with_now(so_far))),
        written_of: written_of(&name, so_far, before),
        name: if drive["log"] == true { say!("live-drive-log", drive = name) } else { name },
    }
}

/// `of about 66 GB · 0.004 % of its rated endurance`, as far as it is known.
fn written_of(name: &str, so_far: f64, before: Option<&Written>) -> String {
    let planned = before.and_then(Written::expected).filter(|bytes| *bytes > 0.0);
    let rated = catalogue::find(name).and_then(|entry| entry.endurance_bytes_written);
    let bytes = before.map_or(so_far, |before| before.with_now(so_far));
    let parts = [
        planned.map(|bytes| say!("live-drive-planned", bytes = size(bytes))),
        rated.map(|rated| say!("live-drive-rated", share = plain(bytes / rated as f64 * 100.0))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" \u{b7} ")
}

fn percent(share: f64) -> String {
    format!("{} %", plain((share * 100.0).round()))
}

fn size(bytes: f64) -> String {
    match bytes {
        bytes if bytes < 1e9 => format!("{} MB", plain(bytes / 1e6)),
        bytes => format!("{} GB", plain(bytes / 1e9)),
    }
}

/// A number of three digits by the rules of the spoken language; a very small one has its first digit.
fn plain(value: f64) -> String {
    let digits = if value == 0.0 { 0.0 } else { 2.0 - value.abs().log10().floor() };
    let most = if value != 0.0 && value.abs() < 1e-3 { (digits - 2.0).min(9.0) } else { 3.0 };
    let decimals = digits.clamp(0.0, most) as usize;
    let text = words::decimals(value, decimals);
    if decimals == 0 { text } else { text.trim_end_matches('0').trim_end_matches(['.', ',']).to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(name: &str, reads: f64) -> Value {
        serde_json::json!({ "drives": [{
            "name": name, "log": name.starts_with('<'), "reads_per_s": reads, "writes_per_s": 3.0,
            "read_bytes_per_s": 1e6, "written_bytes_per_s": 2.5e6, "read_await_s": 0.00012,
            "write_await_s": null, "under_way": 1.5, "busy": 0.5, "so_far": { "written_bytes": 1.25e9 },
        }] })
    }

    #[test]
    fn a_drive_has_a_row_for_each_reading_and_its_name_is_text() {
        let tables = tables(&[second("<i>d", 1.0), second("<i>d", 5.0)], &Written::default());
        assert!(tables.contains("&#60;i&#62;d") && !tables.contains("<i>"), "{tables}");
        for text in [">5<", ">3<", "1 \u{b7} 2.5", "0.12 ms", ">-<", "1.5", "50 %", "1.25 GB"] {
            assert!(tables.contains(text), "{text}: {tables}");
        }
        assert_eq!(tables.matches("<svg").count(), 7);
        assert!(super::tables(&[], &Written::default()).trim().is_empty());
    }

    #[test]
    fn the_share_of_the_endurance_is_told_of_a_drive_that_has_one() {
        let rated = catalogue::all().find(|entry| entry.endurance_bytes_written.is_some()).unwrap();
        let told = tables(&[second(&rated.name, 1.0)], &Written::default());
        assert!(told.contains("rated endurance"), "{told}");
    }

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!([0.0, 0.12, 3.456, 12.0, 1234.6].map(plain), ["0", "0.12", "3.46", "12", "1,235"]);
        assert_eq!([0.000_041_2, 0.000_9].map(plain), ["0.00004", "0.0009"]);
    }
}
