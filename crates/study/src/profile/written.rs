//! A fitted drive as a file of the catalogue: numbers with intervals, those that the data do not say marked,
//! the error at the head.

use super::{Errors, Fitted, FittedNumber, Judgement, LatencyMap};

/// What a map does not say about its drive.
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
    /// The map: its file, or where it was measured.
    pub from: String,
}

/// Bytes of a drive whose size nobody said: as many as no load of a map reaches.
const CAPACITY_BYTES: u64 = 1_000_000_000_000;
const METHOD: &str = "every other point of the map hidden, predicted by a fit to the rest; then the others";

/// The file of a fitted drive.
#[must_use]
pub fn write(described: &Described, map: &LatencyMap, fitted: &Fitted, judgement: &Judgement) -> String {
    let mut text = format!(
        "# {}: fitted to a latency map by `drivetrain profile --from-map`.\n\
         # Error at {} points that the fit did not see: p50 {}; p95 {}.\n",
        described.title,
        judgement.points.len(),
        in_words(&judgement.p50),
        in_words(&judgement.p95),
    );
    text.push_str(&profile(described, judgement));
    text.push_str(&drive(described));
    for (table, keys) in TABLES {
        text.push_str(&format!("\n[{table}]\n"));
        text.push_str(fixed(table));
        for key in *keys {
            let full = format!("{table}.{key}");
            if let Some(number) = fitted.numbers.iter().find(|number| number.key == full) {
                text.push_str(&line(key, number, &described.from));
            }
        }
        if *table == "limit" && !fitted.numbers.iter().any(|number| number.key.starts_with("limit.")) {
            text.truncate(text.len() - "\n[limit]\n".len());
        }
    }
    text.push_str(&matrix(map, &described.from));
    text
}

fn in_words(errors: &Errors) -> String {
    format!("median {:.1} %, nine in ten within {:.1} %", errors.median * 1e2, errors.nine_in_ten * 1e2)
}

fn profile(described: &Described, judgement: &Judgement) -> String {
    let percent = |share: f64| format!("{:.1}", share * 1e2);
    format!(
        "\n[profile]\nfrom = {}\nmethod = {}\npoints = {}\np50_error_median_percent = {}\n\
         p50_error_nine_in_ten_percent = {}\np95_error_median_percent = {}\np95_error_nine_in_ten_percent = {}\n",
        quoted(&described.from),
        quoted(METHOD),
        judgement.points.len(),
        percent(judgement.p50.median),
        percent(judgement.p50.nine_in_ten),
        percent(judgement.p95.median),
        percent(judgement.p95.nine_in_ten),
    )
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

/// The tables in the order of the file, with the keys that a fit gives.
const TABLES: &[(&str, &[&str])] = &[
    ("link", &["queue_limit", "read_bandwidth_mb_per_s", "write_bandwidth_mb_per_s"]),
    ("read", &["latency_4k_us", "rate_4k_per_s"]),
    ("write", &["ack_us", "rate_4k_per_s", "rate_8k_per_s", "buffer_bytes"]),
    ("flush", &[]),
    (
        "limit",
        &[
            "read_operations_per_s",
            "read_operations_burst",
            "shared_per_s",
            "shared_per_read",
            "shared_per_write_mb",
            "shared_burst",
        ],
    ),
];

/// Keys of a table that are no numbers.
fn fixed(table: &str) -> &'static str {
    match table {
        "link" => {
            "duplex = { value = \"full\", source = \"not identified: the map has one direction's latency\", \
             identified = false }\n"
        }
        "flush" => {
            "power_loss_protection = { value = true, source = \"not identified: nothing was flushed\", \
             identified = false }\n\
             cost_us = { value = 0, source = \"not identified: nothing was flushed\", identified = false }\n"
        }
        _ => "",
    }
}

fn line(key: &str, number: &FittedNumber, from: &str) -> String {
    let value = written(number.value);
    match number.interval {
        Some((low, high)) => {
            let source = quoted(&format!("fitted to {from}: {}", meaning(number.key)));
            format!(
                "{key} = {{ value = {value}, low = {}, high = {}, source = {source} }}\n",
                written(low),
                written(high)
            )
        }
        None => {
            let source = quoted(&format!("not identified: {}", meaning_unknown(number.key)));
            format!("{key} = {{ value = {value}, source = {source}, identified = false }}\n")
        }
    }
}

fn meaning(key: &str) -> &'static str {
    match key {
        "read.latency_4k_us" => "the mean at the lowest read rates without writes; reads of up to 4 KiB",
        "read.rate_4k_per_s" => "the highest rate without writes that was kept, and the lowest that was not",
        "link.write_bandwidth_mb_per_s" => "the highest bandwidth that was kept, and the lowest that was not",
        "limit.read_operations_per_s" => {
            "between the highest rate without writes that was kept and the lowest that was not"
        }
        "limit.shared_per_s" => {
            "reads per second at the line between loads that were kept and those that were not"
        }
        "limit.shared_per_read" => "the unit of the budget",
        "limit.shared_per_write_mb" => "reads that a written MB costs, from the slope of that line",
        _ => "a number of the fit",
    }
}

fn meaning_unknown(key: &str) -> &'static str {
    match key {
        "read.rate_4k_per_s" => "the drive kept every read rate of the map, so it does this or more",
        "link.write_bandwidth_mb_per_s" => {
            "the drive kept every bandwidth of the map, so it does this or more"
        }
        "link.read_bandwidth_mb_per_s" => "the reads of the map are small",
        "link.queue_limit" => "the map has rates, no depths",
        "write.ack_us" => "the map has no write latency; the least possible, 4 KiB at the write bandwidth",
        "write.rate_4k_per_s" | "write.rate_8k_per_s" => {
            "the writes of the map are sequential; the most possible, the write bandwidth"
        }
        "limit.shared_burst" | "limit.read_operations_burst" => {
            "room for uneven arrivals, so that below the limit the latencies of the map count alone"
        }
        "write.buffer_bytes" => "the map has no write latency",
        _ => "the map does not say",
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

/// A text as TOML: control characters become spaces.
fn quoted(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
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
        "\n# Measured read latency: a list over the read rates for each write bandwidth; nan where\n         # nothing is known; negative where the load was not kept, so that the value is that of a growing queue.\n\
         [map]\nsource = {}\nreads_per_s = {}\nwrite_mb_per_s = {}\np50_us = [\n{}]\np95_us = [\n{}]\n",
        quoted(from),
        list(&mut map.reads_per_s.iter().copied()),
        list(&mut map.write_bytes_per_s.iter().map(|bytes| bytes / 1e6)),
        rows(&values.p50_ns),
        rows(&values.p95_ns),
    )
}
