//! The drives under the running cell as rows of a table, each with the course of its last seconds.

use askama::Template;
use serde_json::Value;
use words::say;

/// The rows.
#[derive(Template)]
#[template(path = "drives.html")]
struct Rows {
    drives: Vec<Row>,
}

/// One drive: its texts, and its course as markup.
struct Row {
    name: String,
    iops: String,
    read: String,
    written: String,
    wait: String,
    busy: String,
    so_far: String,
    course: String,
}

/// The rows of the drives in the last of these seconds; nothing before the first.
pub(crate) fn rows(seconds: &[Value]) -> String {
    let drives = seconds.last().and_then(|second| second["drives"].as_array()).into_iter().flatten();
    let rows = Rows { drives: drives.map(|drive| row(drive, seconds)).collect() };
    rows.render().unwrap_or_default()
}

fn row(drive: &Value, seconds: &[Value]) -> Row {
    let number = |of: &Value, key: &str| of[key].as_f64().unwrap_or_default();
    let iops = |of: &Value| number(of, "reads_per_s") + number(of, "writes_per_s");
    let is_same = |other: &&Value| other["name"] == drive["name"] && other["log"] == drive["log"];
    let course: Vec<f64> = seconds
        .iter()
        .filter_map(|second| second["drives"].as_array()?.iter().find(is_same).map(iops))
        .collect();
    let name = drive["name"].as_str().unwrap_or_default().to_owned();
    let mb = |key: &str| format!("{} MB/s", plain(number(drive, key) / 1e6));
    let written = number(&drive["so_far"], "written_bytes");
    Row {
        name: if drive["log"] == true { say!("live-drive-log", drive = name) } else { name },
        iops: plain(iops(drive)),
        read: mb("read_bytes_per_s"),
        written: mb("written_bytes_per_s"),
        wait: drive["await_s"].as_f64().map_or_else(|| "-".to_owned(), |s| format!("{} ms", plain(s * 1e3))),
        busy: format!("{} %", plain((number(drive, "busy") * 100.0).round())),
        so_far: match written {
            bytes if bytes < 1e9 => format!("{} MB", plain(bytes / 1e6)),
            bytes => format!("{} GB", plain(bytes / 1e9)),
        },
        course: report::spark(&course, say!("live-drive-course")),
    }
}

/// A number of three digits by the rules of the spoken language.
fn plain(value: f64) -> String {
    let digits = if value == 0.0 { 0.0 } else { 2.0 - value.abs().log10().floor() };
    let decimals = digits.clamp(0.0, 3.0) as usize;
    let text = words::decimals(value, decimals);
    if decimals == 0 { text } else { text.trim_end_matches('0').trim_end_matches(['.', ',']).to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_has_a_row_and_its_name_is_text() {
        let second = |reads: f64| {
            serde_json::json!({ "drives": [{
                "name": "<i>d", "log": true, "reads_per_s": reads, "writes_per_s": 3.0, "written_bytes_per_s": 2.5e6,
                "busy": 0.5, "await_s": null, "so_far": { "written_bytes": 1.25e9 },
            }] })
        };
        let rows = rows(&[second(1.0), second(5.0)]);
        assert!(rows.contains("&#60;i&#62;d") && !rows.contains("<i>"), "{rows}");
        for text in [">8<", "2.5 MB/s", "50 %", "1.25 GB", ">-<", "<svg"] {
            assert!(rows.contains(text), "{text}: {rows}");
        }
        assert!(super::rows(&[]).trim().is_empty());
    }

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!([0.0, 0.12, 3.456, 12.0, 1234.6].map(plain), ["0", "0.12", "3.46", "12", "1,235"]);
    }
}
