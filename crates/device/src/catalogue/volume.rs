//! Cloud volumes: drives behind limits that follow from what was bought, size in and limits out.
//!
//! A volume is named with its purchase: `aws-ebs-gp3:size=500GiB,iops=6000,throughput=250MiB/s`. Its latency
//! comes from a file in `catalogue/volumes`, its limits from the published rules below.

mod kinds;
mod units;

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use super::Entry;
pub(crate) use kinds::KINDS;
use units::{bandwidth, size};

/// A purchase: the part of a volume's name behind the colon. Rates are per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Purchase {
    size_bytes: Option<f64>,
    iops: Option<f64>,
    bytes_per_s: Option<f64>,
}

/// The limits of a volume.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Limits {
    operations_per_s: f64,
    /// Operations beyond the rate, and the rate at which they pass.
    operations_burst: Option<(f64, f64)>,
    bytes_per_s: f64,
    bytes_burst: Option<(f64, f64)>,
    /// Bytes of one operation as the provider counts.
    operation_bytes: Option<f64>,
}

impl Limits {
    fn steady(operations_per_s: f64, bytes_per_s: f64) -> Limits {
        Limits {
            operations_per_s,
            operations_burst: None,
            bytes_per_s,
            bytes_burst: None,
            operation_bytes: None,
        }
    }
}

/// One kind of volume.
pub(crate) struct VolumeKind {
    /// Its name before the colon.
    pub(crate) name: &'static str,
    /// The drive behind the limits.
    pub(crate) file: &'static str,
    /// The rule, for people.
    pub(crate) rule: &'static str,
    /// The publication of the rule.
    source: &'static str,
    /// An example of a purchase.
    pub(crate) example: &'static str,
    smallest_gib: f64,
    largest_gib: f64,
    limits: fn(f64, &Purchase) -> Result<Limits, String>,
}

/// Volumes named so far: an entry lives as long as the process, so that it is found as drives are.
static NAMED: LazyLock<Mutex<BTreeMap<String, &'static Entry>>> = LazyLock::new(Mutex::default);
/// More volumes than a process names in earnest.
const NAMED_MAX: usize = 4096;

/// True if `name` names a kind of volume, with or without its purchase.
#[must_use]
pub fn is_volume(name: &str) -> bool {
    kind_of(name).is_some()
}

fn kind_of(name: &str) -> Option<&'static VolumeKind> {
    let kind = name.split_once(':').map_or(name, |(kind, _)| kind);
    KINDS.iter().find(|known| known.name == kind)
}

/// The volume of that name and purchase.
///
/// # Errors
/// A purchase that cannot be read or that the provider does not sell, and what is sold.
pub fn volume(name: &str) -> Option<Result<&'static Entry, String>> {
    let kind = kind_of(name)?;
    let mut named = NAMED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(entry) = named.get(name) {
        return Some(Ok(entry));
    }
    let made = make(kind, name.split_once(':').map_or("", |(_, purchase)| purchase));
    Some(made.and_then(|entry| {
        if named.len() >= NAMED_MAX {
            return Err(format!("more than {NAMED_MAX} volumes are named in one process"));
        }
        let entry: &'static Entry = Box::leak(Box::new(entry));
        named.insert(name.to_owned(), entry);
        named.insert(entry.name.clone(), entry);
        Ok(entry)
    }))
}

/// The name of a volume with its purchase, as [`volume`] reads it.
#[must_use]
pub fn spelled(kind: &str, size: Option<&str>, iops: Option<u64>, throughput: Option<&str>) -> String {
    let parts = [
        size.map(|size| format!("size={size}")),
        iops.map(|iops| format!("iops={iops}")),
        throughput.map(|throughput| format!("throughput={throughput}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { kind.to_owned() } else { format!("{kind}:{}", parts.join(",")) }
}

fn make(kind: &VolumeKind, purchase: &str) -> Result<Entry, String> {
    let bought =
        read(purchase).map_err(|why| format!("{why}; {} is written like {}", kind.name, kind.example))?;
    let Some(size_bytes) = bought.size_bytes else {
        return Err(format!("{} needs its size, from which its limits follow: {}", kind.name, kind.example));
    };
    let gib = size_bytes / GIB;
    if !(kind.smallest_gib..=kind.largest_gib).contains(&gib) {
        let (least, most) = (kind.smallest_gib, kind.largest_gib);
        return Err(format!("{} has {least} to {most} GiB, not {gib:.0} GiB", kind.name));
    }
    let limits = (kind.limits)(gib, &bought).map_err(|why| format!("{}: {why}", kind.name))?;
    let text = format!("{}\n{}", kind.file, table(&limits, kind.source));
    let mut entry = super::parse(&text, kind.name).map_err(|faults| faults.to_string())?;
    entry.capacity_bytes = size_bytes as u64;
    if let Some(fact) = entry.facts.iter_mut().find(|fact| fact.key == "drive.capacity") {
        (fact.value, fact.unit, fact.source) =
            (format!("{gib}"), "GiB".to_owned(), "as bought: the size in the volume's name".to_owned());
    }
    let throughput = bought.bytes_per_s.map(|bytes| format!("{}MiB/s", bytes / MIB));
    let size = format!("{gib}GiB");
    entry.name = spelled(kind.name, Some(&size), bought.iops.map(|iops| iops as u64), throughput.as_deref());
    entry.title = format!(
        "{}, {gib} GiB, {} IOPS, {:.0} MB/s",
        entry.title,
        limits.operations_per_s,
        limits.bytes_per_s / 1e6
    );
    Ok(entry)
}

fn read(purchase: &str) -> Result<Purchase, String> {
    let mut bought = Purchase::default();
    for part in purchase.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let slot = match key.trim() {
            "size" => &mut bought.size_bytes,
            "iops" => &mut bought.iops,
            "throughput" => &mut bought.bytes_per_s,
            other => return Err(format!("`{other}` cannot be bought: size, iops and throughput can")),
        };
        let number = match key.trim() {
            "size" => size(value),
            "iops" => value.trim().parse().ok().filter(|iops: &f64| iops.is_finite() && *iops >= 1.0),
            _ => bandwidth(value),
        };
        let Some(number) = number else { return Err(format!("`{part}` is no amount")) };
        if slot.replace(number).is_some() {
            return Err(format!("`{key}` is given twice"));
        }
    }
    Ok(bought)
}

const GIB: f64 = 1_073_741_824.0;
const MIB: f64 = 1_048_576.0;

/// The limits as the table of a drive file.
fn table(limits: &Limits, source: &str) -> String {
    let mut text = "[limit]\n".to_owned();
    let mut line = |key: &str, value: f64| {
        text.push_str(&format!("{key} = {{ value = {value:?}, source = \"{source}\" }}\n"));
    };
    line("operations_per_s", limits.operations_per_s);
    if let Some((burst, peak_per_s)) = limits.operations_burst {
        line("operations_burst", burst);
        line("operations_peak_per_s", peak_per_s);
    }
    if let Some(bytes) = limits.operation_bytes {
        line("operation_size_kib", bytes / 1024.0);
    }
    line("bandwidth_mb_per_s", limits.bytes_per_s / 1e6);
    if let Some((burst_bytes, peak_per_s)) = limits.bytes_burst {
        line("bandwidth_burst_mb", burst_bytes / 1e6);
        line("bandwidth_peak_mb_per_s", peak_per_s / 1e6);
    }
    text
}

#[cfg(test)]
mod tests;
