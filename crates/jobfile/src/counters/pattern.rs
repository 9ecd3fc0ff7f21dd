//! Patterns of names of counters.

use std::fmt;
use std::str::FromStr;

/// A pattern: `*` stands for any text, `?` for any character; case makes no difference. It fits the whole
/// name, with or without the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    folded: Vec<char>,
}

/// The most characters of a pattern.
const LONGEST: usize = 1000;

/// Counters of drives and processors, without hosts.
const BUILT_IN: [&str; 26] = [
    // perfmon
    r"\PhysicalDisk(*)\Disk Reads/sec",
    r"\PhysicalDisk(*)\Disk Writes/sec",
    r"\PhysicalDisk(*)\Disk Read Bytes/sec",
    r"\PhysicalDisk(*)\Disk Write Bytes/sec",
    r"\PhysicalDisk(*)\Avg. Disk sec/Read",
    r"\PhysicalDisk(*)\Avg. Disk sec/Write",
    r"\PhysicalDisk(*)\Current Disk Queue Length",
    r"\Processor(_Total)\% Processor Time",
    r"\Processor Information(_Total)\% Processor Time",
    // esxtop
    r"\Physical Cpu(_Total)\% Util Time",
    r"\Physical Cpu(_Total)\% Processor Time",
    r"\Physical Disk*(*)\Reads/sec",
    r"\Physical Disk*(*)\Writes/sec",
    r"\Physical Disk*(*)\MBytes Read/sec",
    r"\Physical Disk*(*)\MBytes Written/sec",
    r"\Physical Disk*(*)\Average Driver MilliSec/Command",
    r"\Physical Disk*(*)\Average Guest MilliSec/Command",
    // sar
    r"\CPU(all)\%us*r",
    r"\CPU(all)\%sys*",
    r"\CPU(all)\%iowait",
    r"\CPU(all)\%idle",
    r"\DEV(*)\tps",
    r"\DEV(*)\rkB/s",
    r"\DEV(*)\wkB/s",
    r"\DEV(*)\await",
    r"\DEV(*)\%util",
];

impl Pattern {
    /// The patterns by which counters are listed when none is given.
    pub(crate) fn built_in() -> Vec<Pattern> {
        BUILT_IN.iter().map(|text| Pattern::of(text)).collect()
    }

    fn of(text: &str) -> Pattern {
        Pattern { text: text.to_owned(), folded: folded(text) }
    }

    /// True if the name fits one of the patterns, with or without its host.
    pub(crate) fn any(patterns: &[Pattern], name: &str) -> bool {
        let (whole, short) = (folded(name), folded(without_host(name)));
        patterns.iter().any(|pattern| fits(&pattern.folded, &whole) || fits(&pattern.folded, &short))
    }
}

/// `\PhysicalDisk(0 C:)\Disk Reads/sec` of `\\HOST\PhysicalDisk(0 C:)\Disk Reads/sec`.
fn without_host(name: &str) -> &str {
    let at = name.strip_prefix(r"\\").and_then(|rest| rest.find('\\'));
    at.map_or(name, |at| &name[at + 2..])
}

fn folded(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Fits in time proportional to both lengths: after a mismatch only the last `*` takes more.
fn fits(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut last: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                last = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => (p, n) = (p + 1, n + 1),
            _ => {
                let Some((star, taken)) = last else { return false };
                last = Some((star, taken + 1));
                (p, n) = (star + 1, taken + 1);
            }
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Pattern, String> {
        match text.len() {
            0 => Err("an empty pattern fits no counter; `*` fits all".to_owned()),
            long if long > LONGEST => Err(format!("a pattern has at most {LONGEST} bytes")),
            _ => Ok(Pattern::of(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fits_one(pattern: &str, name: &str) -> bool {
        Pattern::any(&[pattern.parse().unwrap()], name)
    }

    #[test]
    fn patterns_fit_names_with_and_without_their_host() {
        let name = r"\\SQL1\PhysicalDisk(0 C:)\Disk Reads/sec";
        for text in [
            "*",
            r"\physicaldisk(*)\disk reads/SEC",
            r"*\Disk ?eads/sec",
            name,
            r"\\sql?\*reads*",
            "*(0 C:)*",
        ] {
            assert!(fits_one(text, name), "{text}");
        }
        for text in ["reads", r"\PhysicalDisk(1*", r"\\SQL2\*", "?"] {
            assert!(!fits_one(text, name), "{text}");
        }
        assert!("".parse::<Pattern>().is_err());
        assert!(Pattern::any(&Pattern::built_in(), name));
    }

    proptest! {
        #[test]
        fn a_name_fits_itself_and_any_part_between_stars(name in r"[a-zA-Z0-9 ()%./]{1,40}", cut in 0..40_usize) {
            prop_assert!(fits_one(&name, &name));
            let part: String = name.chars().skip(cut % name.len()).collect();
            let pattern = format!("*{part}*");
            prop_assert!(fits_one(&pattern, &name));
        }
    }
}
