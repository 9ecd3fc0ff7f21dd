//! The table `[map]` of a drive file: read latency measured over the load.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeValue};

use tomlfile::Fault;

use super::Fact;
use super::document::{NO_LINE, ONE_LINE};
use crate::map::{AXIS_MAX, LATENCY_MAX_NS, LATENCY_MIN_NS, ReadMap};

/// The keys of the table, and the factor from their unit to that of the map.
const KEYS: [(&str, f64); 4] =
    [("reads_per_s", 1.0), ("write_mb_per_s", 1e6), ("p50_us", 1e3), ("p95_us", 1e3)];
/// The most on the axes of read rates and of write bandwidths, each in the unit of its key: beyond any drive,
/// and few enough operations that the load of a point can be replayed.
const AXES_MOST: [f64; 2] = [1e9, 1e6];

type Key<'a> = Spanned<DeString<'a>>;
type Value<'a> = Spanned<DeValue<'a>>;

/// The map with its source.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Given {
    pub(super) map: ReadMap,
    pub(super) source: String,
}

/// Reads the table; every fault goes to `faults`.
pub(super) fn read<'a>(
    at: Range<usize>,
    entries: impl Iterator<Item = (&'a Key<'a>, &'a Value<'a>)>,
    faults: &mut Vec<Fault>,
) -> Option<Given> {
    let before = faults.len();
    let mut source = None;
    let mut lists: [Option<List>; 4] = [None, None, None, None];
    for (key, value) in entries {
        let name = key.get_ref().as_ref();
        if let (("source", DeValue::String(text)), false) = ((name, value.get_ref()), source.is_some()) {
            if text.trim().contains(char::is_control) {
                fault(faults, value.span(), format!("the source of [map] {NO_LINE}"), ONE_LINE);
            }
            source = Some(text.trim().to_owned());
            continue;
        }
        let Some(number) = KEYS.iter().position(|(known, _)| *known == name) else {
            let known = KEYS.map(|(known, _)| known).join(", ");
            fault(
                faults,
                key.span(),
                format!("unknown key `{name}` in [map]"),
                &format!("[map] has source, {known}"),
            );
            continue;
        };
        let factor = KEYS[number].1;
        let rows = match AXES_MOST.get(number) {
            Some(most) => row(value, (factor, Some(*most)), faults).map(|axis| vec![axis]),
            None => rows(value, factor, faults),
        };
        lists[number] = rows.map(|rows| (rows, key.span()));
    }
    let missing: Vec<&str> =
        KEYS.iter().zip(&lists).filter(|(_, list)| list.is_none()).map(|((name, _), _)| *name).collect();
    if faults.len() == before && !missing.is_empty() {
        fault(
            faults,
            at.clone(),
            format!("[map] has no {}", missing.join(", ")),
            "give axes and both percentiles",
        );
    }
    if source.as_deref().unwrap_or_default().is_empty() {
        fault(faults, at, "[map] does not say where it was measured".to_owned(), "add source = \"...\"");
    }
    if faults.len() > before {
        return None;
    }
    assemble(lists.map(Option::unwrap_or_default), source.unwrap_or_default(), faults)
}

/// Rows of numbers and where they stand.
type List = (Vec<Vec<f64>>, Range<usize>);

fn assemble([reads, writes, p50, p95]: [List; 4], source: String, faults: &mut Vec<Fault>) -> Option<Given> {
    let before = faults.len();
    let axis = |(rows, _): (Vec<Vec<f64>>, _)| rows.into_iter().next().unwrap_or_default();
    let (reads_per_s, write_bytes_per_s) = (axis(reads), axis(writes));
    for (values, span) in [&p50, &p95] {
        if values.len() != write_bytes_per_s.len() || values.iter().any(|row| row.len() != reads_per_s.len())
        {
            let (rows, columns) = (write_bytes_per_s.len(), reads_per_s.len());
            let problem = format!("the map has {rows} write bandwidths and {columns} read rates");
            fault(
                faults,
                span.clone(),
                problem,
                "give one list per write bandwidth, one latency per read rate",
            );
        }
    }
    if faults.len() > before {
        return None;
    }
    let spans = (p50.1.clone(), p95.1.clone());
    let map = ReadMap { reads_per_s, write_bytes_per_s, p50_ns: p50.0.concat(), p95_ns: p95.0.concat() };
    if !map.is_sound() {
        unsound(&map, spans, faults);
        return None;
    }
    Some(Given { map, source })
}

/// Says which rule the map breaks.
fn unsound(map: &ReadMap, (p50, p95): (Range<usize>, Range<usize>), faults: &mut Vec<Fault>) {
    let ascends = |axis: &[f64]| axis.windows(2).all(|pair| pair[0] < pair[1]) && axis.len() <= AXIS_MAX;
    let range = LATENCY_MIN_NS..=LATENCY_MAX_NS;
    let outside = |value: &f64| !value.is_nan() && !range.contains(&value.abs());
    let (span, problem) = if map.reads_per_s.len() < 2 || !ascends(&map.reads_per_s) {
        (p50, "read rates are two or more, and ascend".to_owned())
    } else if !ascends(&map.write_bytes_per_s) {
        (p50, "write bandwidths ascend".to_owned())
    } else if map.p50_ns.iter().any(outside) {
        (p50, "a latency is shorter than 1 ns or longer than a minute".to_owned())
    } else if map.p50_ns.iter().zip(&map.p95_ns).any(|(p50, p95)| p50.is_nan() != p95.is_nan()) {
        (p95, "a point has one percentile and not the other".to_owned())
    } else if !map.p50_ns.iter().any(|value| *value > 0.0) {
        (p50, "the map has no point at which the load was kept".to_owned())
    } else {
        (p95, "a 95th percentile is below the median, out of range, or has another sign".to_owned())
    };
    fault(
        faults,
        span,
        problem,
        "nan stands for a point that is not known, a negative latency for one at which the load was not kept",
    );
}

fn fault(faults: &mut Vec<Fault>, span: Range<usize>, message: String, help: &str) {
    faults.push(Fault { span, message, label: String::new(), help: Some(help.to_owned()) });
}

fn rows(value: &Value<'_>, factor: f64, faults: &mut Vec<Fault>) -> Option<Vec<Vec<f64>>> {
    let DeValue::Array(rows) = value.get_ref() else {
        fault(faults, value.span(), "lists are wanted".to_owned(), "give one list per write bandwidth");
        return None;
    };
    let read: Vec<Option<Vec<f64>>> = rows.iter().map(|one| row(one, (factor, None), faults)).collect();
    read.into_iter().collect()
}

/// Numbers in the unit of the map; those of an axis are not negative, and not beyond the most.
fn row(value: &Value<'_>, (factor, most): (f64, Option<f64>), faults: &mut Vec<Fault>) -> Option<Vec<f64>> {
    let DeValue::Array(values) = value.get_ref() else {
        fault(faults, value.span(), "a list of numbers is wanted".to_owned(), "write [1, 2, 3]");
        return None;
    };
    let mut numbers = Vec::with_capacity(values.iter().len());
    for value in values.iter() {
        let number = match value.get_ref() {
            DeValue::Integer(integer) => {
                i64::from_str_radix(integer.as_str(), integer.radix()).ok().map(|n| n as f64)
            }
            DeValue::Float(float) => float.as_str().parse().ok(),
            _ => None,
        };
        let is_amount = |number: &f64| !(number.is_infinite() || (*number < 0.0 && most.is_some()));
        let Some(number) = number.filter(is_amount) else {
            fault(faults, value.span(), "is no amount".to_owned(), "give a number, or nan");
            return None;
        };
        if let Some(most) = most.filter(|most| number > *most) {
            let message = format!("a drive does at most {most:e} of these");
            fault(faults, value.span(), message, "give the rates of the measurement");
            return None;
        }
        numbers.push(number * factor);
    }
    Some(numbers)
}

impl Given {
    /// The map as one fact: a digest tells edited maps apart.
    pub(super) fn fact(&self) -> Fact {
        let known = self.map.p50_ns.iter().filter(|value| !value.is_nan()).count();
        let lists = [&self.map.reads_per_s, &self.map.write_bytes_per_s, &self.map.p50_ns, &self.map.p95_ns];
        // FNV-1a over the bits, every NaN alike.
        let bits =
            lists.into_iter().flatten().map(|value| if value.is_nan() { u64::MAX } else { value.to_bits() });
        let digest = bits.fold(0xCBF2_9CE4_8422_2325_u64, |hash, bits| {
            (hash ^ bits).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(29)
        });
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
