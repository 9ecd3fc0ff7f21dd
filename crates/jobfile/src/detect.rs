//! The form of a file, from its content.

use words::Word as _;

use crate::counters::{self, CounterFormat};
use crate::results::{self, ResultFormat};

/// The form of a file of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolFormat {
    /// A result, which becomes a run.
    Result(ResultFormat),
    /// Counters, which become series beside a run.
    Counters(CounterFormat),
}

impl ToolFormat {
    /// Every form.
    pub fn all() -> impl Iterator<Item = ToolFormat> {
        let results = ResultFormat::ALL.iter().map(|format| ToolFormat::Result(*format));
        results.chain(CounterFormat::ALL.iter().map(|format| ToolFormat::Counters(*format)))
    }

    /// The word of a command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ToolFormat::Result(format) => format.name(),
            ToolFormat::Counters(format) => format.name(),
        }
    }

    /// The form of this word.
    #[must_use]
    pub fn of(name: &str) -> Option<ToolFormat> {
        ToolFormat::all().find(|format| format.name() == name)
    }

    /// The files of this form, in a few words.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            ToolFormat::Result(format) => format.about().trim(),
            ToolFormat::Counters(format) => format.about().trim(),
        }
    }
}

/// So many bytes of a file decide its form.
pub const HEAD_BYTES: usize = 256 << 10;

/// Finds the form of a file from its first bytes, at most [`HEAD_BYTES`] of them; `None` for none that is
/// known.
#[must_use]
pub fn detect(head: &[u8]) -> Option<ToolFormat> {
    let text = String::from_utf8_lossy(&head[..head.len().min(HEAD_BYTES)]);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    counters(text).map(ToolFormat::Counters).or_else(|| result(text).map(ToolFormat::Result))
}

fn counters(text: &str) -> Option<CounterFormat> {
    let first = text.lines().next()?;
    if first.trim_start_matches('"').starts_with(counters::PDH_HEAD) {
        // perfmon has a `PhysicalDisk`, in one word.
        let of_esxtop = ["\\Physical Cpu(", "\\Group Cpu(", "\\Physical Disk "];
        let is_of_esxtop = of_esxtop.iter().any(|part| first.contains(part));
        return Some(if is_of_esxtop { CounterFormat::Esxtop } else { CounterFormat::Perfmon });
    }
    if first.starts_with(counters::SADF_HEAD) {
        return Some(CounterFormat::Sadf);
    }
    (first.starts_with(counters::SAR_HEAD) && first.contains('(') && first.contains(" CPU)"))
        .then_some(CounterFormat::Sar)
}

fn result(text: &str) -> Option<ResultFormat> {
    if text.lines().any(|line| line.trim_start().starts_with('{')) {
        if text.contains(results::HAMMERDB_SCHEMA) {
            return Some(ResultFormat::HammerDb);
        }
        if text.contains(results::FIO_KEY) {
            return Some(ResultFormat::Fio);
        }
    }
    text.lines().find_map(text_begins)
}

/// The tool whose output begins with this line: its banner, the head of its summary, or the key that tells its
/// document apart.
pub(crate) fn begins(line: &str) -> Option<ResultFormat> {
    let has = |name: &str| line.contains(&format!("\"{name}\""));
    match () {
        () if has(results::HAMMERDB_SCHEMA) => Some(ResultFormat::HammerDb),
        () if has(results::FIO_KEY) => Some(ResultFormat::Fio),
        () => text_begins(line),
    }
}

/// The tool of the outputs that are lines of text.
fn text_begins(line: &str) -> Option<ResultFormat> {
    let line = line.trim();
    let version_of = |banner: &str| {
        line.strip_prefix(banner).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == 'P'))
    };
    let is_pgbench =
        version_of(results::PGBENCH_BANNER).is_some() || line.starts_with(results::PGBENCH_SUMMARY);
    let is_sysbench = version_of(results::SYSBENCH_BANNER).is_some() || line == results::SYSBENCH_STATISTICS;
    let sysbench = is_sysbench.then_some(ResultFormat::Sysbench);
    is_pgbench.then_some(ResultFormat::Pgbench).or(sysbench)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_content_tells_the_form() {
        use CounterFormat::{Esxtop, Perfmon, Sadf, Sar};
        use ResultFormat::{Fio, HammerDb, Pgbench, Sysbench};
        let results = [
            ("{\"schema\":\"hammerdb-job-report-v1\"", HammerDb),
            ("fio: a note\n{\n  \"fio version\" : \"fio-3.33\",", Fio),
            ("sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n", Sysbench),
            ("Threads started!\n\nSQL statistics:\n", Sysbench),
            ("pgbench (15.18 (Debian 15.18-0+deb12u1))\n", Pgbench),
            ("starting vacuum...end.\ntransaction type: <builtin: TPC-B (sort of)>\n", Pgbench),
        ];
        for (text, format) in results {
            assert_eq!(detect(text.as_bytes()), Some(ToolFormat::Result(format)), "{text}");
        }
        let counters = [
            ("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\H\\PhysicalDisk(0 C:)\\Disk Reads/sec\"\n", Perfmon),
            ("\r\n\"(PDH-CSV 4.0)\",\"\\\\H\\Memory\\Available\"\n", Perfmon),
            ("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\E\\Physical Cpu(_Total)\\% Util Time\"\n", Esxtop),
            ("# hostname;interval;timestamp;CPU;%user\n", Sadf),
            ("Linux 6.1.0 (h) \t11/25/26 \t_x86_64_\t(2 CPU)\n", Sar),
        ];
        for (text, format) in counters {
            assert_eq!(detect(text.as_bytes()), Some(ToolFormat::Counters(format)), "{text}");
        }
        for text in ["", "{}", "a,b\n1,2\n", "SQLite format 3\0", "Linux is (good)", "sysbench is a tool"] {
            assert_eq!(detect(text.as_bytes()), None, "{text}");
        }
        for format in ToolFormat::all() {
            assert_eq!(ToolFormat::of(format.name()), Some(format));
        }
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_form_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = detect(&bytes);
        }
    }
}
