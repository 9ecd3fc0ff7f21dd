//! A fitted drive as a file of the catalogue: numbers with intervals, those that the data do not say marked,
//! the error at the head.

use super::fitted::{Errors, Fitted, FittedNumber, FittedWord};
use super::{Judgement, LatencyMap, LoadJudgement};

/// Facts about a drive that the data do not contain.
#[derive(Clone, Debug)]
pub struct Described {
    /// Name in experiments.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// The maker.
    pub maker: String,
    /// The interface, such as `NVMe`.
    pub interface: String,
    /// Usable bytes and where that number comes from; `None` when nobody said.
    pub capacity: Option<(u64, String)>,
    /// The data: their file, or where they were measured.
    pub from: String,
}

/// The circumstances of a measurement, each in a line of words; `None` where nobody said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Circumstances {
    /// The factor by which times and sizes were shortened, in words; `None` at full length.
    pub scale: Option<String>,
    /// The day of the measurement, such as `2026-11-26`.
    pub date: Option<String>,
    /// The machine and its system.
    pub machine: Option<String>,
    /// The writes before the measurement (preconditioning), in words, if any.
    pub preconditioned: Option<String>,
    /// The fullness of the target.
    pub filled: Option<String>,
    /// Other work on the machine or the target during the measurement.
    pub beside: Option<String>,
    /// The pauses that the loads met.
    pub pauses: Option<String>,
}

/// Bytes of a drive whose size nobody said: as many as no load reaches.
const CAPACITY_BYTES: u64 = 1_000_000_000_000;
const BY_MAP: &str = "every other point of the map hidden, predicted by a fit to the rest; then the others";
const BY_LOADS: &str = "every tenth load left out, predicted by a fit to the others; then the next ones";

/// Said at the head where nothing was judged.
const UNJUDGED: &str =
    "# Error not judged: each load is the only source of some numbers, so none could be left out.\n";

/// Said where no load told of writes.
pub const WITHOUT_WRITES: &str =
    "No load of writes was measured: writes and flushes take no time on this model";

/// The tables of numbers, in the order of the file.
const TABLES: [&str; 6] = ["link", "read", "write", "interference", "flush", "limit"];

/// The file of a drive fitted to a latency map.
#[must_use]
pub fn write(described: &Described, map: &LatencyMap, fitted: &Fitted, judgement: &Judgement) -> String {
    let rows = [("p50", judgement.p50), ("p95", judgement.p95)];
    let mut text = format!(
        "# {}: fitted to a latency map by `drivetrain profile --from-map`.\n{}",
        plain(&described.title),
        at_the_head(judgement.points.len(), &rows)
    );
    text.push_str(&profile(described, BY_MAP, judgement.points.len(), &rows));
    text.push_str(&body(described, fitted));
    text.push_str(&matrix(map, &described.from));
    text
}

/// The file of a drive fitted to loads.
#[must_use]
pub fn write_loads(
    described: &Described,
    circumstances: &Circumstances,
    fitted: &Fitted,
    judgement: &LoadJudgement,
) -> String {
    let LoadJudgement { mean, p50, p95, p99, .. } = *judgement;
    let rows = [("mean", mean), ("p50", p50), ("p95", p95), ("p99", p99)];
    let points = judgement.points.len();
    let head = match points {
        0 => UNJUDGED.to_owned(),
        _ => at_the_head(points, &rows),
    };
    let mut text =
        format!("# {}: measured and fitted by `drivetrain profile`.\n{head}", plain(&described.title));
    if fitted.is_without_writes() {
        text.push_str(&format!("# {WITHOUT_WRITES}.\n"));
    }
    for systematic in &judgement.systematic {
        text.push_str(&format!("# Systematic: {}.\n", plain(&systematic.to_string())));
    }
    for name in &judgement.alone {
        text.push_str(&format!(
            "# Not judged, because no other load determines its numbers: {}.\n",
            plain(&name.to_string())
        ));
    }
    // A table without errors would pass for a fit without errors.
    let facts_begin = if points == 0 { "# " } else { "" };
    if points > 0 {
        text.push_str(&profile(described, BY_LOADS, points, &rows));
    }
    let facts = [
        ("scale", &circumstances.scale),
        ("date", &circumstances.date),
        ("machine", &circumstances.machine),
        ("preconditioned", &circumstances.preconditioned),
        ("filled", &circumstances.filled),
        ("beside", &circumstances.beside),
        ("pauses", &circumstances.pauses),
    ];
    let worst: Vec<String> = judgement.worst().iter().map(ToString::to_string).collect();
    let worst = (!worst.is_empty()).then(|| worst.join("; "));
    for (key, fact) in std::iter::once(("worst", &worst)).chain(facts) {
        if let Some(fact) = fact.as_deref().map(str::trim).filter(|fact| !fact.is_empty()) {
            text.push_str(&format!("{facts_begin}{key} = {}\n", quoted(fact)));
        }
    }
    text.push_str(&body(described, fitted));
    text
}

fn at_the_head(points: usize, rows: &[(&str, Errors)]) -> String {
    let each = |(name, errors): &(&str, Errors)| {
        format!(
            "{name} median {:.1} %, nine in ten within {:.1} %",
            errors.median * 1e2,
            errors.nine_in_ten * 1e2
        )
    };
    let rows: Vec<String> = rows.iter().map(each).collect();
    format!("# Error at {points} points that the fit did not see:\n#   {}.\n", rows.join(";\n#   "))
}

fn profile(described: &Described, method: &str, points: usize, rows: &[(&str, Errors)]) -> String {
    let mut text = format!(
        "\n[profile]\nfrom = {}\nmethod = {}\npoints = {points}\n",
        quoted(&described.from),
        quoted(method)
    );
    for (name, errors) in rows {
        text.push_str(&format!(
            "{name}_error_median_percent = {:.1}\n{name}_error_nine_in_ten_percent = {:.1}\n",
            errors.median * 1e2,
            errors.nine_in_ten * 1e2
        ));
    }
    text
}

fn body(described: &Described, fitted: &Fitted) -> String {
    let mut text = drive(described);
    for table in TABLES {
        let is_of = |key: &str| key.split_once('.').is_some_and(|(of, _)| of == table);
        let words = fitted.words.iter().filter(|word| is_of(word.key)).map(|word| word_line(word, described));
        let numbers =
            fitted.numbers.iter().filter(|number| is_of(number.key)).map(|number| line(number, described));
        let lines: String = words.chain(numbers).collect();
        if !lines.is_empty() {
            text.push_str(&format!("\n[{table}]\n{lines}"));
        }
    }
    text
}

fn drive(described: &Described) -> String {
    let capacity = match &described.capacity {
        Some((bytes, source)) => format!("{{ value = {bytes}, source = {} }}", quoted(source)),
        None => format!(
            "{{ value = {CAPACITY_BYTES}, source = \"not identified: nobody said it\", identified = false }}"
        ),
    };
    format!(
        "\n[drive]\nname = {}\ntitle = {}\nmaker = {}\ninterface = {}\ncapacity_bytes = {capacity}\n",
        quoted(&described.name),
        quoted(&described.title),
        quoted(&described.maker),
        quoted(&described.interface),
    )
}

fn key(key: &str) -> &str {
    key.split_once('.').map_or(key, |(_, key)| key)
}

fn word_line(word: &FittedWord, described: &Described) -> String {
    let (key, value) = (key(word.key), &word.value);
    if word.is_identified {
        let source = quoted(&format!("fitted to {}: {}", described.from, word.source));
        return format!("{key} = {{ value = {value}, source = {source} }}\n");
    }
    let source = quoted(&format!("not identified: {}", word.source));
    format!("{key} = {{ value = {value}, source = {source}, identified = false }}\n")
}

fn line(number: &FittedNumber, described: &Described) -> String {
    let (key, value) = (key(number.key), written(number.value));
    match number.interval {
        Some((low, high)) => {
            let source = quoted(&format!("fitted to {}: {}", described.from, number.source));
            format!(
                "{key} = {{ value = {value}, low = {}, high = {}, source = {source} }}\n",
                written(low),
                written(high)
            )
        }
        None => {
            let source = quoted(&format!("not identified: {}", number.source));
            format!("{key} = {{ value = {value}, source = {source}, identified = false }}\n")
        }
    }
}

/// A number as TOML, with at most seven digits that count.
fn written(value: f64) -> String {
    if value.is_infinite() {
        return "inf".to_owned();
    }
    if value == value.trunc() && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    let digits = (6 - value.abs().max(1e-12).log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A text in one line: control characters become spaces.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A text as TOML.
fn quoted(text: &str) -> String {
    format!("\"{}\"", plain(text).replace('\\', "\\\\").replace('"', "\\\""))
}

fn matrix(map: &LatencyMap, from: &str) -> String {
    let list = |values: &mut dyn Iterator<Item = f64>| {
        let values: Vec<String> =
            values.map(|value| if value.is_nan() { "nan".to_owned() } else { written(value) }).collect();
        format!("[{}]", values.join(", "))
    };
    let rows = |values: &[f64]| {
        let row = |row: &[f64]| format!("    {},\n", list(&mut row.iter().map(|ns| ns / 1e3)));
        values.chunks(map.columns()).map(row).collect::<String>()
    };
    let values = map.to_map();
    format!(
        "\n# Measured read latency: a list over the read rates for each write bandwidth; nan where\n\
         # nothing is known; negative where the load was not kept, so that the value is that of a growing queue.\n\
         [map]\nsource = {}\nreads_per_s = {}\nwrite_mb_per_s = {}\np50_us = [\n{}]\np95_us = [\n{}]\n",
        quoted(from),
        list(&mut map.reads_per_s.iter().copied()),
        list(&mut map.write_bytes_per_s.iter().map(|bytes| bytes / 1e6)),
        rows(&values.p50_ns),
        rows(&values.p95_ns),
    )
}
