//! The table `[map]` of a drive file: read latency measured over the load.

use toml::de::DeValue;
use tomlfile::{Node, Reader, filled};

use super::Fact;
use crate::map::{AXIS_MAX, LATENCY_MAX_NS, LATENCY_MIN_NS, ReadMap};

/// Beyond any drive, and few enough operations that the load of a point can be replayed.
const READS_MAX_PER_S: f64 = 1e9;
/// The same of write bandwidths, MB/s.
const WRITES_MAX: f64 = 1e6;

tomlfile::table! {
    struct Table "map" {
        source: String = required("\"measured at depth 1 to 32\"", filled("\"measured at depth 1 to 32\""));
        reads_per_s: Vec<f64> = required("[0, 50_000]", axis(READS_MAX_PER_S, 1.0));
        write_bytes_per_s as write_mb_per_s: Vec<f64> = required("[0, 100]", axis(WRITES_MAX, 1e6));
        p50_ns as p50_us: Vec<Vec<f64>> = required("[[80, 120], [95, 150]]", latencies);
        p95_ns as p95_us: Vec<Vec<f64>> = required("[[90, 200], [120, 300]]", latencies);
    }
}

/// The map with its source.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Given {
    pub(super) map: ReadMap,
    pub(super) source: String,
}

/// Reads the table and reports every fault.
pub(super) fn read(reader: &mut Reader, node: &Node<'_>) -> Option<Given> {
    let Table { source, reads_per_s, write_bytes_per_s, p50_ns, p95_ns } = Table::read(reader, node)?;
    let (rows, columns) = (write_bytes_per_s.len(), reads_per_s.len());
    let mut fits = true;
    for (key, values) in [("p50_us", &p50_ns), ("p95_us", &p95_ns)] {
        if values.len() != rows || values.iter().any(|row| row.len() != columns) {
            let message = format!("the map has {rows} write bandwidths and {columns} read rates");
            fault(reader, node, key, message, "give one list per write bandwidth, one latency per read rate");
            fits = false;
        }
    }
    let map = ReadMap { reads_per_s, write_bytes_per_s, p50_ns: p50_ns.concat(), p95_ns: p95_ns.concat() };
    if fits && !map.is_sound() {
        let (key, problem) = unsound(&map);
        let help = "nan stands for a point that is not known, a negative latency for one at which the load was not kept";
        fault(reader, node, key, problem.to_owned(), help);
        fits = false;
    }
    fits.then(|| Given { map, source: source.trim().to_owned() })
}

/// The rule that the map breaks, with the key at which it is told.
fn unsound(map: &ReadMap) -> (&'static str, &'static str) {
    let ascends = |axis: &[f64]| axis.windows(2).all(|pair| pair[0] < pair[1]) && axis.len() <= AXIS_MAX;
    let range = LATENCY_MIN_NS..=LATENCY_MAX_NS;
    let outside = |value: &f64| !value.is_nan() && !range.contains(&value.abs());
    if map.reads_per_s.len() < 2 || !ascends(&map.reads_per_s) {
        ("reads_per_s", "read rates are two or more, and ascend")
    } else if !ascends(&map.write_bytes_per_s) {
        ("write_mb_per_s", "write bandwidths ascend")
    } else if map.p50_ns.iter().any(outside) {
        ("p50_us", "a latency is shorter than 1 ns or longer than a minute")
    } else if map.p50_ns.iter().zip(&map.p95_ns).any(|(p50, p95)| p50.is_nan() != p95.is_nan()) {
        ("p95_us", "a point has one percentile and not the other")
    } else if !map.p50_ns.iter().any(|value| *value > 0.0) {
        ("p50_us", "the map has no point at which the load was kept")
    } else {
        ("p95_us", "a 95th percentile is below the median, out of range, or has another sign")
    }
}

fn fault(reader: &mut Reader, node: &Node<'_>, key: &str, message: String, help: &str) {
    let place = node.at(key).unwrap_or_else(|| node.clone());
    reader.fault(&place, message, "", Some(help.to_owned()));
}

/// Reads an axis: numbers from 0 to `most`, of which each is `factor` in the unit of the map.
fn axis(most: f64, factor: f64) -> impl Fn(&mut Reader, &Node<'_>) -> Option<Vec<f64>> {
    move |reader: &mut Reader, node: &Node<'_>| {
        reader
            .list(node, "[0, 100, 200]", |reader, node| Some(reader.number_within(node, 0.0, most)? * factor))
    }
}

/// Reads a list per write bandwidth, microseconds; `nan` is no known value.
fn latencies(reader: &mut Reader, node: &Node<'_>) -> Option<Vec<Vec<f64>>> {
    reader.list(node, "[[80, 120], [95, 150]]", |reader, row| {
        reader.list(row, "[80, 120]", |reader, node| match node.value {
            DeValue::Float(float) if float.as_str().parse().is_ok_and(f64::is_nan) => Some(f64::NAN),
            _ => Some(reader.number(node)? * 1e3),
        })
    })
}

impl Given {
    /// The map as one fact: a digest tells edited maps apart.
    pub(super) fn fact(&self) -> Fact {
        let known = self.map.p50_ns.iter().filter(|value| !value.is_nan()).count();
        let lists = [&self.map.reads_per_s, &self.map.write_bytes_per_s, &self.map.p50_ns, &self.map.p95_ns];
        // Every NaN alike.
        let bits =
            lists.into_iter().flatten().map(|value| if value.is_nan() { u64::MAX } else { value.to_bits() });
        let digest = bits.fold(ground::FNV_START, |hash, bits| ground::fnv1a(hash, bits).rotate_left(29));
        Fact {
            key: "map".to_owned(),
            value: format!("{known} of {} ({digest:016x})", self.map.p50_ns.len()),
            unit: "points".to_owned(),
            source: self.source.clone(),
            guess: false,
            is_identified: true,
            interval: None,
        }
    }
}
