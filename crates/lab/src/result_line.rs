//! A finished cell in one line for whoever watches.

use notebook::CellRecord;

/// The main figures of `record`, or why it does not count.
pub(crate) fn result_line(record: &CellRecord) -> String {
    if let Some(reason) = &record.reason {
        return reason.clone();
    }
    let find = |metric: &str| record.measurements.iter().find(|m| m.metric == metric);
    if let (Some(orders), Some(recovery)) = (find("orders_acknowledged"), find("recovery_s")) {
        return format!(
            "none of {} acknowledged orders lost, recovered in {:.1} s",
            orders.value, recovery.value
        );
    }
    if let Some(line) = operation_line(&find) {
        return line;
    }
    let main = find("nopm").or_else(|| find("tps")).or_else(|| find("iops"));
    // The same figure as in every table: over all transactions.
    let p99 = find("latency_p99");
    let figure =
        |m: &notebook::Measurement, name: &str, digits: usize| format!("{:.digits$} {name}", m.value);
    let parts = [
        main.map(|m| {
            figure(
                m,
                match m.metric.as_str() {
                    "nopm" => "NOPM",
                    "tps" => "TPS",
                    _ => "IOPS",
                },
                0,
            )
        }),
        p99.map(|m| format!("p99 {}", figure(m, &m.unit, 2))),
        record.limiter.clone().map(|l| format!("bounded by {l}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The main figures of a backup, a scan, a layout or a neighbour by itself.
fn operation_line<'a>(find: &impl Fn(&str) -> Option<&'a notebook::Measurement>) -> Option<String> {
    let value = |metric: &str| find(metric).map(|m| m.value);
    if let (Some(backup), Some(restore)) = (value("backup_time"), value("restore_time")) {
        let proven = match (value("proven_restores"), value("cycles")) {
            (Some(proven), Some(cycles)) => format!(", {proven} of {cycles} restores proven"),
            _ => String::new(),
        };
        return Some(format!("backup {backup:.2} s, restore {restore:.2} s{proven}"));
    }
    if let Some(scan) = value("scan_cold_time") {
        let lookup = value("lookup_cold_time").map(|lookup| format!("{lookup:.3} s"));
        let lost = || value("lookup_cold_lost").map(|lost| format!("lost, ended after {lost:.3} s"));
        return Some(format!("cold: scan {scan:.3} s, lookup {}", lookup.or_else(lost)?));
    }
    if let (Some(time), Some(fragments)) = (value("cold_scan_time"), value("fragments")) {
        return Some(format!("cold scan {time:.3} s, {fragments} pieces"));
    }
    match (value("nopm"), value("neighbour_rate")) {
        (None, Some(rate)) => Some(format!("neighbour alone at {rate:.0} MB/s")),
        _ => None,
    }
}
