//! Numbers of a direction that must fit each other, as fio computes one from the others.

use crate::fault::{AS_WRITTEN, FileFault};
use crate::results::agree::{Counted, falling, is_above, shown};
use crate::tree::Node;

/// fio counts the runtime in whole milliseconds and divides by them; other writers round or cut them.
const RUNTIME_SLACK_S: (f64, f64) = (0.000_5, 0.001);

/// Refuses rates that are not their counts over the runtime.
pub(super) fn rates(node: &Node<'_>, runtime_s: f64) -> Result<(), FileFault> {
    let bytes_per_s = node.find("bw_bytes").map(|found| (1.0, found));
    let kib_per_s = || node.find("bw").map(|found| (1024.0, found));
    let ios = node.find("iops").map(|found| (1.0, found));
    let pairs = [("total_ios", ios), ("io_bytes", bytes_per_s.or_else(kib_per_s))];
    for (count_key, rate) in pairs {
        let (Some(count), Some((unit, stated))) = (node.find(count_key), rate) else { continue };
        let (count, rate) = (count.amount()?, stated.amount()?);
        // Of less than a millisecond there is no rate.
        if runtime_s == 0.0 && rate == 0.0 {
            continue;
        }
        let counted = Counted { count: count / unit, time_s: runtime_s, slack_s: RUNTIME_SLACK_S };
        if !counted.fits(rate, 1.0) {
            let (rate, count, ms) = (shown(rate), shown(count), shown(runtime_s * 1e3));
            let message = match runtime_s > 0.0 {
                true => format!(
                    "is {rate}, and `{count_key}`, {count}, in the `runtime` of {ms} ms is {} per second",
                    shown(counted.rate())
                ),
                false => format!("is {rate}, and `{count_key}` is {count} in a `runtime` of 0 ms"),
            };
            return Err(stated.fault(message, AS_WRITTEN));
        }
    }
    Ok(())
}

/// The percentiles of a latency, by per cent and in ns, in ascending order. Refuses those that fall or exceed
/// the maximum, and a minimum or mean that does.
pub(super) fn percentiles(latency: &Node<'_>) -> Result<Vec<(f64, f64)>, FileFault> {
    let most = latency.get("max")?.amount()?;
    for (key, step) in [("min", 0.0), ("mean", 1.0)] {
        let Some(node) = latency.find(key) else { continue };
        let value = node.amount()?;
        if value > most + step {
            let message = format!("is {}, above `max`, {}", shown(value), shown(most));
            return Err(node.fault(message, AS_WRITTEN));
        }
    }
    let Some(node) = latency.find("percentile") else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (key, value) in node.entries() {
        let percent = key.parse().ok().filter(|percent| (0.0..=100.0).contains(percent));
        let percent: f64 = percent.ok_or_else(|| value.fault("is of no percentage", AS_WRITTEN))?;
        let ns = value.amount()?;
        if is_above(ns, most, 1.0) {
            let message = format!("is {}, above `max`, {}", shown(ns), shown(most));
            return Err(value.fault(message, AS_WRITTEN));
        }
        found.push((percent, ns));
    }
    if let Some([lower, higher]) = falling(&mut found) {
        let message = format!(
            "fall: {} % is {} and {} % is {}",
            shown(lower.0),
            shown(lower.1),
            shown(higher.0),
            shown(higher.1)
        );
        return Err(node.fault(message, AS_WRITTEN));
    }
    Ok(found)
}
