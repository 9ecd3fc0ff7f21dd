//! The small text forms in which the kernel tells things.

/// The value of `Key: value` or `Key : value` in a text of such lines (/proc/cpuinfo, /proc/meminfo).
pub(crate) fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

/// A field of /proc/meminfo, in bytes: the kernel's `kB` are KiB.
pub(crate) fn meminfo_bytes(meminfo: &str, key: &str) -> Option<u64> {
    let value = field(meminfo, key)?;
    match value.split_once(char::is_whitespace) {
        Some((number, "kB")) => number.parse::<u64>().ok()?.checked_mul(1024),
        Some(_) => None,
        None => value.parse().ok(),
    }
}

/// The chosen word of `always [madvise] never`; a text without brackets is its own choice.
pub(crate) fn chosen(text: &str) -> &str {
    match (text.find('['), text.find(']')) {
        (Some(open), Some(close)) if open < close => &text[open + 1..close],
        _ => text.trim(),
    }
}

/// The number of entries in a list such as `0-3,8,10-11`; `None` for another text.
pub(crate) fn count_of_list(list: &str) -> Option<u64> {
    let mut count = 0_u64;
    for part in list.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u64, u64) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        count = count.checked_add(last.checked_sub(first)?.checked_add(1)?)?;
    }
    Some(count)
}

/// One line of a pressure file (`some avg10=2.10 avg60=0.12 avg300=0.00 total=391926`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PressureLine {
    pub(crate) avg10_percent: f64,
    pub(crate) total_us: u64,
}

/// The `some` or `full` line of a pressure file. Parsed here and not by the procfs crate, which asks for both
/// lines: kernels before 5.13 have no `full` line for the CPU.
pub(crate) fn pressure_line(text: &str, which: &str) -> Option<PressureLine> {
    let line = text.lines().find(|line| line.split_whitespace().next() == Some(which))?;
    let value =
        |key: &str| line.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
    Some(PressureLine {
        avg10_percent: value("avg10")?.parse().ok()?,
        total_us: value("total")?.parse().ok()?,
    })
}

/// Bytes for people: binary units, as memory and file systems are counted.
pub(crate) fn bytes(value: u64) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut scaled = value as f64;
    let mut unit = 0;
    while scaled >= 1024.0 && unit + 1 < UNITS.len() {
        scaled /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{value} B") } else { format!("{scaled:.1} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "MemTotal:  24684084 kB\nMem: 1 kB\nHugePages_Total:  3\nmodel name\t: AMD EPYC\n";
        assert_eq!(meminfo_bytes(text, "MemTotal"), Some(24_684_084 * 1024));
        assert_eq!(meminfo_bytes(text, "HugePages_Total"), Some(3));
        assert_eq!(meminfo_bytes(text, "MemAvailable"), None);
        assert_eq!(
            meminfo_bytes("MemTotal: 18446744073709551615 kB", "MemTotal"),
            None,
            "overflow is unknown"
        );
        assert_eq!(field(text, "model name"), Some("AMD EPYC"));
    }

    #[test]
    fn choices_and_lists() {
        assert_eq!(chosen("always [madvise] never"), "madvise");
        assert_eq!(chosen("none"), "none");
        assert_eq!(chosen("] odd ["), "] odd [");
        assert_eq!(count_of_list("0-3,8,10-11"), Some(7));
        assert_eq!(count_of_list("0"), Some(1));
        assert_eq!(count_of_list("3-1"), None);
        assert_eq!(count_of_list(""), None);
    }

    #[test]
    fn pressure_without_a_full_line() {
        let text = "some avg10=2.10 avg60=0.12 avg300=0.00 total=391926\n";
        let some = pressure_line(text, "some").unwrap();
        assert_eq!((some.avg10_percent, some.total_us), (2.1, 391_926));
        assert_eq!(pressure_line(text, "full"), None);
        assert_eq!(pressure_line("some avg10=x total=1", "some"), None);
    }

    #[test]
    fn bytes_in_words() {
        assert_eq!(bytes(512), "512 B");
        assert_eq!(bytes(24_684_084 * 1024), "23.5 GiB");
        assert_eq!(bytes(u64::MAX), "16384.0 PiB");
    }

    proptest! {
        #[test]
        fn no_text_makes_a_parser_panic(text in ".{0,200}", key in ".{0,10}") {
            let _ = field(&text, &key);
            let _ = meminfo_bytes(&text, &key);
            let _ = chosen(&text);
            let _ = count_of_list(&text);
            let _ = pressure_line(&text, &key);
        }
    }
}
