//! Bytes per second in both directions, alone and together.

use device::{DriveSpec, Duplex};

use super::super::course::course;
use super::super::load::{Direction, Load};
use super::super::virtual_load::replay_part;
use super::Pains;
use super::sheet::{Estimate, Sheet, rate, repeats};

/// Loads of large blocks reach the interface.
const LARGE_BYTES: u64 = 64 << 10;
/// Two different loads that reach the same within this share have reached the most.
const SAME: f64 = 0.03;
/// Shares of both directions add up to 1 on one link; beyond this both go at once.
const ALONE: f64 = 1.2;
/// Operations of the model's run.
const OPERATIONS: f64 = 4000.0;
/// The better kind of link misses the rates by this share at most, and the two are further apart than this.
const MISS: f64 = 0.15;
const APART: f64 = 0.1;

/// The highest bytes per second among loads, and whether another load reaches the same within a share:
/// another size, depth or order. Without one, the highest alone.
fn highest(loads: Vec<&Load>, same: f64) -> Option<(Estimate, bool)> {
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
        apart && other.value >= first.value * (1.0 - same)
    });
    Some((first, again))
}

/// The most bytes read per second.
pub(super) fn read(loads: &[&Load], spec: &mut DriveSpec, sheet: &mut Sheet) {
    let key = "link.read_bandwidth_mb_per_s";
    let large = |load: &&Load| load.only_reads() && load.is_closed() && load.block_bytes >= LARGE_BYTES;
    let found = highest(loads.iter().copied().filter(large).collect(), sheet.same_within(SAME));
    let small =
        loads.iter().filter(|load| load.only_reads()).map(|load| load.bytes_per_s()).fold(0.0, f64::max);
    match found {
        Some((most, true)) if most.value >= small * (1.0 - SAME) => {
            spec.read_bandwidth_bytes_per_s = most.value.max(small);
            sheet.found(key, most.times(1e-6), "large reads: more of them at once add nothing");
        }
        _ => {
            // Without any limit a sequential read of 1 MiB would take no longer than one of 4 KiB.
            let with_reads = loads.iter().filter(|load| load.reads.is_some() && load.is_closed());
            let large = with_reads.filter(|load| load.block_bytes >= LARGE_BYTES);
            let most = large.map(|load| load.bytes_per_s()).fold(0.0, f64::max);
            let (most, why) = match most > 0.0 {
                true => (most.max(small), "no load of large reads filled the interface; the most reached"),
                false => (f64::INFINITY, "no load of large reads filled the interface"),
            };
            spec.read_bandwidth_bytes_per_s = most;
            sheet.open(key, most * 1e-6, why);
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
    match highest(sequential, sheet.same_within(SAME)) {
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

/// Large random or sequential reads and writes at once.
fn large_mixes<'a>(loads: &[&'a Load]) -> Vec<&'a Load> {
    loads.iter().copied().filter(|load| load.is_mix() && load.block_bytes >= LARGE_BYTES).collect()
}

/// A first guess at the link: full duplex if large reads and writes at once do more than either alone.
pub(super) fn likely_duplex(loads: &[&Load], spec: &mut DriveSpec) {
    let of = |direction: &Option<Direction>, bytes: u64, most: f64| {
        direction.as_ref().map_or(0.0, |some| some.per_s * bytes as f64 / most)
    };
    let together = |load: &&Load| {
        let (reads, writes) = (spec.read_bandwidth_bytes_per_s, spec.write_bandwidth_bytes_per_s);
        of(&load.reads, load.block_bytes, reads) + of(&load.writes, load.block_bytes, writes)
    };
    let most = large_mixes(loads).iter().map(together).fold(0.0, f64::max);
    spec.duplex = if most > 0.0 && most <= ALONE { Duplex::Half } else { Duplex::Full };
}

/// Decides whether reads and writes share the link: compares the model with both kinds of links at large
/// reads and writes at once.
pub(super) fn duplex(loads: &[&Load], pains: Pains<'_>, spec: &mut DriveSpec, sheet: &mut Sheet) {
    let key = "link.duplex";
    let mixes = large_mixes(loads);
    let is_known =
        spec.read_bandwidth_bytes_per_s.is_finite() && spec.write_bandwidth_bytes_per_s.is_finite();
    let miss = |duplex: Duplex| {
        let spec = DriveSpec { duplex, ..spec.clone() };
        let one = |(number, load): (usize, &&Load)| {
            (load.per_s() / replay_part(&spec, load, OPERATIONS, number as u64).per_s().max(1e-9)).ln().abs()
        };
        mixes.iter().enumerate().map(one).sum::<f64>() / mixes.len() as f64
    };
    let (half, full) = match pains {
        _ if mixes.is_empty() || !is_known => (0.0, 0.0),
        Pains::Draft => (0.0, 1.0),
        _ => (miss(Duplex::Half), miss(Duplex::Full)),
    };
    if half.min(full) <= MISS && (half - full).abs() > APART {
        spec.duplex = if half < full { Duplex::Half } else { Duplex::Full };
        let (value, source) = match spec.duplex {
            Duplex::Half => ("\"half\"", "large reads and writes at once are as fast as on one link"),
            Duplex::Full => ("\"full\"", "large reads and writes at once are as fast as on two links"),
        };
        return sheet.word(key, value, true, source);
    }
    let value = if spec.duplex == Duplex::Half { "\"half\"" } else { "\"full\"" };
    sheet.word(key, value, false, "no load of large reads and writes at once tells one link from two");
}
