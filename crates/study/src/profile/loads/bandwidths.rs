//! Bytes per second in both directions, alone and together.

use device::{DriveSpec, Duplex};

use super::super::course::course;
use super::super::load::{Direction, Load};
use super::sheet::{Estimate, Sheet, rate, repeats};

/// Loads of large blocks reach the interface.
const LARGE_BYTES: u64 = 64 << 10;
/// Two different loads that reach the same within this share have reached the most.
const SAME: f64 = 0.03;
/// Shares of both directions of a half-duplex link add up to 1. Beyond the first both go at once; below the
/// second the link was not full.
const BOTH: (f64, f64) = (1.2, 0.85);

/// The highest bytes per second among loads, if another load reaches it as well: another size, depth or
/// order. Without one, the highest alone.
fn highest(loads: Vec<&Load>) -> Option<(Estimate, bool)> {
    let mut groups: Vec<(Estimate, &Load)> = repeats(loads)
        .into_iter()
        .filter_map(|same| Some((rate(&same)?.times(same[0].block_bytes as f64), same[0])))
        .collect();
    groups.sort_by(|a, b| b.0.value.total_cmp(&a.0.value));
    let (first, of) = *groups.first()?;
    // Twice the depth or the size at the same rate: it is full.
    let room = |load: &Load| u64::from(load.depth) * load.block_bytes;
    let again = groups.iter().skip(1).any(|(other, load)| {
        let apart = room(load).max(room(of)) >= 2 * room(load).min(room(of));
        apart && other.value >= first.value * (1.0 - SAME)
    });
    Some((first, again))
}

/// The most bytes read per second.
pub(super) fn read(loads: &[&Load], spec: &mut DriveSpec, sheet: &mut Sheet) {
    let key = "link.read_bandwidth_mb_per_s";
    let large = |load: &&Load| load.only_reads() && load.is_closed() && load.block_bytes >= LARGE_BYTES;
    let found = highest(loads.iter().copied().filter(large).collect());
    let small =
        loads.iter().filter(|load| load.only_reads()).map(|load| load.bytes_per_s()).fold(0.0, f64::max);
    match found {
        Some((most, true)) if most.value >= small * (1.0 - SAME) => {
            spec.read_bandwidth_bytes_per_s = most.value.max(small);
            sheet.found(key, most.times(1e-6), "large reads: more of them at once add nothing");
        }
        _ => {
            spec.read_bandwidth_bytes_per_s = f64::INFINITY;
            sheet.open(key, f64::INFINITY, "no load of large reads filled the interface");
        }
    }
}

/// The most bytes written per second; sequential writes go at it lastingly.
pub(super) fn write(loads: &[&Load], spec: &mut DriveSpec, sheet: &mut Sheet) {
    let key = "link.write_bandwidth_mb_per_s";
    let large = |load: &&Load| load.only_writes() && load.is_closed() && load.block_bytes >= LARGE_BYTES;
    let sequential: Vec<&Load> =
        loads.iter().copied().filter(|load| large(load) && load.is_sequential).collect();
    // Before the buffer is full, small writes can go faster than the medium takes large ones.
    let fresh = |load: &&&Load| {
        let fastest = course(&load.counts, load.interval_s).map_or(load.per_s(), |course| course.fresh_per_s);
        fastest * load.block_bytes as f64
    };
    let fastest = loads.iter().filter(|load| load.only_writes()).map(|load| fresh(&load)).fold(0.0, f64::max);
    match highest(sequential) {
        Some((most, true)) => {
            let source = if fastest > most.value * (1.0 + SAME) {
                format!(
                    "sequential writes, lastingly; before the buffer is full {:.0} MB/s were reached",
                    fastest / 1e6
                )
            } else {
                "sequential writes: more of them at once add nothing".to_owned()
            };
            spec.write_bandwidth_bytes_per_s = most.value;
            sheet.found(key, most.times(1e-6), source);
        }
        _ if fastest > 0.0 => {
            spec.write_bandwidth_bytes_per_s = fastest;
            sheet.open(key, fastest / 1e6, "no load of large writes filled the interface; the most reached");
        }
        _ => {
            spec.write_bandwidth_bytes_per_s = f64::INFINITY;
            sheet.open(key, f64::INFINITY, "nothing was written");
        }
    }
}

/// Whether reads and writes share the link: large ones at once against each alone.
pub(super) fn duplex(loads: &[&Load], spec: &mut DriveSpec, sheet: &mut Sheet) {
    let key = "link.duplex";
    let together = |load: &&Load| {
        let of = |direction: &Option<Direction>, most: f64| {
            direction.as_ref().map_or(0.0, |some| some.per_s * load.block_bytes as f64 / most)
        };
        of(&load.reads, spec.read_bandwidth_bytes_per_s) + of(&load.writes, spec.write_bandwidth_bytes_per_s)
    };
    let large = |load: &&Load| load.is_mix() && load.block_bytes >= LARGE_BYTES;
    let most = loads.iter().copied().filter(large).map(|load| together(&load)).fold(0.0, f64::max);
    let is_known =
        spec.read_bandwidth_bytes_per_s.is_finite() && spec.write_bandwidth_bytes_per_s.is_finite();
    spec.duplex = Duplex::Full;
    if is_known && most > BOTH.0 {
        sheet.word(key, "\"full\"", true, "large reads and writes at once do more than either alone");
    } else if is_known && most >= BOTH.1 {
        spec.duplex = Duplex::Half;
        sheet.word(key, "\"half\"", true, "large reads and writes at once share what either does alone");
    } else {
        let why = "no load of large reads and writes at once filled the interface";
        sheet.word(key, "\"full\"", false, why);
    }
}
