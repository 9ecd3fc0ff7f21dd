//! Units of counters, as far as their names state them.

/// Names of sar without their unit.
const OF_SAR: [(&str, &str); 8] = [
    ("tps", "1/s"),
    ("rtps", "1/s"),
    ("wtps", "1/s"),
    ("dtps", "1/s"),
    ("await", "ms"),
    ("areq-sz", "kB"),
    ("MHz", "MHz"),
    ("svctm", "ms"),
];
/// Ends of names and their units, the longest first.
const ENDS: [(&str, &str); 12] = [
    ("mbytes read/sec", "MB/s"),
    ("mbytes written/sec", "MB/s"),
    ("mbytes/sec", "MB/s"),
    ("kbytes/sec", "kB/s"),
    ("bytes/sec", "B/s"),
    ("millisec/command", "ms"),
    ("/sec", "1/s"),
    ("sec/read", "s"),
    ("sec/write", "s"),
    ("sec/transfer", "s"),
    ("kb/s", "kB/s"),
    ("/s", "1/s"),
];

/// The unit of a counter by its name; empty where the name states none.
pub(super) fn unit_of(name: &str) -> &'static str {
    let last = name.rsplit('\\').next().unwrap_or(name).trim();
    if last.starts_with('%') {
        return "%";
    }
    if let Some((_, unit)) = OF_SAR.iter().find(|(known, _)| *known == last) {
        return unit;
    }
    let last = last.to_ascii_lowercase();
    ENDS.iter().find(|(end, _)| last.ends_with(end)).map_or("", |(_, unit)| unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_come_from_names() {
        for (name, unit) in [
            (r"\\H\PhysicalDisk(0 C:)\Disk Reads/sec", "1/s"),
            (r"\\H\PhysicalDisk(0 C:)\Disk Read Bytes/sec", "B/s"),
            (r"\\H\PhysicalDisk(0 C:)\Avg. Disk sec/Read", "s"),
            (r"\\H\Physical Disk Adapter(vmhba1)\MBytes Read/sec", "MB/s"),
            (r"\\H\Physical Disk Adapter(vmhba1)\Average Driver MilliSec/Command", "ms"),
            (r"\\H\Processor(_Total)\% Processor Time", "%"),
            (r"\\H\DEV(sda)\rkB/s", "kB/s"),
            (r"\\H\DEV(sda)\await", "ms"),
            (r"\\H\PhysicalDisk(0 C:)\Current Disk Queue Length", ""),
        ] {
            assert_eq!(unit_of(name), unit, "{name}");
        }
    }
}
