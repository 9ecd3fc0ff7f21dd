//! The definitions of a parameter file, defaults applied.

use std::collections::{BTreeMap, BTreeSet};

use super::catalogue::{self, DefinitionKind};
use super::lines::{Line, Pair};
use super::values::{list, means, number, seconds, size};
use crate::source::{Handling, Reading, SourcePlace};

/// Storage definitions that one `count=` may make.
const COUNT_MAX: u64 = 256;

/// One sd, wd, fsd, fwd or rd with everything that holds for it.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) kind: DefinitionKind,
    pub(super) name: String,
    pub(super) place: SourcePlace,
    pairs: BTreeMap<&'static str, Pair>,
}

/// All of a file.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    all: Vec<Definition>,
    /// Compression, duplicates and validation for everything.
    pub(super) general: BTreeMap<&'static str, Pair>,
    /// True if a line could not be read: it may contain the missing definitions.
    pub(super) is_partial: bool,
}

impl Definition {
    /// The pair of a keyword.
    pub(super) fn pair(&self, key: &str) -> Option<&Pair> {
        self.pairs.get(key).filter(|pair| pair.values.iter().any(|value| !value.is_empty()))
    }

    /// The first value of a keyword.
    pub(super) fn value(&self, key: &str) -> Option<&str> {
        self.pair(key).and_then(|pair| pair.values.first()).map(String::as_str)
    }

    pub(super) fn place_of(&self, key: &str) -> &SourcePlace {
        self.pairs.get(key).map_or(&self.place, |pair| &pair.place)
    }

    /// The value of a keyword, or its fault said there.
    pub(super) fn read<T>(
        &self,
        reading: &mut Reading<'_>,
        key: &str,
        one: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let text = self.value(key)?;
        one(text)
            .map_err(|why| {
                let help = "correct the value after vdbench's manual";
                reading.fault(self.place_of(key), &format!("`{key}`: {why}"), "", help);
            })
            .ok()
    }
}

impl Definitions {
    /// The runs in their order.
    pub(super) fn runs(&self) -> impl Iterator<Item = &Definition> {
        self.all.iter().filter(|definition| definition.kind == DefinitionKind::Run)
    }

    /// The directory of all file systems, when they have one.
    pub(super) fn anchor(&self) -> Option<&str> {
        let mut anchors = self.all.iter().filter_map(|definition| definition.value("anchor"));
        let first = anchors.next()?;
        anchors.all(|anchor| anchor == first).then_some(first)
    }

    /// The definitions of a kind that names like `sd*` mean, in the file's order.
    pub(super) fn named(&self, kind: DefinitionKind, names: &[String]) -> Vec<&Definition> {
        let is_meant = |definition: &&Definition| {
            definition.kind == kind && names.iter().any(|name| means(name, &definition.name))
        };
        self.all.iter().filter(is_meant).collect()
    }
}

/// Reads the lines: reports unknown and refused ones, and applies `default` to the following ones.
pub(super) fn gather(reading: &mut Reading<'_>, lines: &[Line]) -> Definitions {
    let mut definitions = Definitions { is_partial: reading.has_faults(), ..Definitions::default() };
    let mut defaults: BTreeMap<DefinitionKind, BTreeMap<&'static str, Pair>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for line in lines {
        let Some(first) = line.pairs.first() else { continue };
        let kind = catalogue::kind(&first.key);
        match kind {
            DefinitionKind::Host => {
                reading.note(&first.place, "`hd`: all I/O comes from this host");
                continue;
            }
            // vdbench's step that makes the files: ours are made before the run.
            DefinitionKind::FileWork
                if first.values.iter().any(|name| name.eq_ignore_ascii_case("format")) =>
            {
                continue;
            }
            DefinitionKind::Replay => {
                let help = "use `drivetrain replay TRACE TARGET`";
                reading.fault(&first.place, "`rg`: replay groups are not supported", "", help);
                continue;
            }
            _ => {}
        }
        let pairs = known(reading, kind, &line.pairs);
        if kind == DefinitionKind::General {
            definitions.is_partial |= catalogue::find(kind, &first.key).is_err();
            definitions.general.extend(pairs);
            continue;
        }
        let name = first.values.first().cloned().unwrap_or_default();
        if name.eq_ignore_ascii_case("default") {
            defaults.entry(kind).or_default().extend(pairs);
            continue;
        }
        let mut whole = defaults.get(&kind).cloned().unwrap_or_default();
        whole.extend(pairs);
        // vdbench refuses this, too. Runs may share a name.
        if kind != DefinitionKind::Run && !seen.insert((kind, name.clone())) {
            let message = format!("`{name}` is defined twice");
            reading.fault(&first.place, &message, "defined here again", "give every definition its own name");
            continue;
        }
        let definition = Definition { kind, name, place: first.place.clone(), pairs: whole };
        let counted = counted(reading, definition);
        definitions.is_partial |= counted.is_empty() && reading.has_faults();
        counted.first().into_iter().for_each(|definition| numbers(reading, definition));
        definitions.all.extend(counted);
    }
    if definitions.runs().next().is_none() && !reading.has_faults() {
        let help = "write for example rd=run1,wd=wd1,iorate=max,elapsed=60";
        reading.fault(&SourcePlace::default(), "the file has no run definition (rd=)", "", help);
    }
    definitions
}

/// Numbers that a definition says, whether a run comes to need them or not.
fn numbers(reading: &mut Reading<'_>, definition: &Definition) {
    let (kind, is_file_work) =
        (definition.kind, matches!(definition.kind, DefinitionKind::FileWork | DefinitionKind::FileSystem));
    for key in ["rdpct", "writepct", "rhpct", "whpct", "skew", "compratio", "dedupratio"] {
        definition.read(reading, key, number);
    }
    for key in ["size", "align", "hitarea"].iter().filter(|_| !is_file_work) {
        definition.read(reading, key, size);
    }
    for key in ["elapsed", "interval", "warmup"].iter().filter(|_| kind == DefinitionKind::Run) {
        definition.read(reading, key, seconds);
    }
    let is_word = |word: &str| ["max", "curve"].iter().any(|known| word.eq_ignore_ascii_case(known));
    for (key, help) in [("iorate", "write iorate=max, curve or a number"), ("threads", "write threads=32")] {
        let Some(pair) = definition.pair(key).filter(|_| !is_file_work) else { continue };
        if pair.values.first().is_some_and(|first| is_word(first)) {
            continue;
        }
        if let Err(why) = list(&pair.values, number) {
            reading.fault(&pair.place, &format!("`{key}`: {why}"), "", help);
        }
    }
}

fn known(reading: &mut Reading<'_>, kind: DefinitionKind, pairs: &[Pair]) -> BTreeMap<&'static str, Pair> {
    let mut kept = BTreeMap::new();
    for pair in pairs {
        match catalogue::find(kind, &pair.key) {
            Err(help) => {
                let message = format!("`{}` is not a keyword of vdbench here", pair.key);
                reading.fault(&pair.place, &message, "unknown", &help);
            }
            Ok((_, Handling::Silent)) => {}
            Ok((name, Handling::Noted(why))) => reading.note(&pair.place, format!("`{name}`: {why}")),
            Ok((name, Handling::Refused(why))) => {
                let message = format!("`{name}` cannot be carried over: {why}");
                reading.fault(&pair.place, &message, "", "remove it if the run means the same without it");
            }
            Ok((name, Handling::Used)) => {
                kept.insert(name, pair.clone());
            }
        }
    }
    kept
}

/// A lun with its number: at `*`, in C's way at `%d` or `%04d`, else behind it.
fn numbered(lun: &str, number: u64) -> String {
    if lun.contains('*') {
        return lun.replace('*', &number.to_string());
    }
    let in_c = lun.split_once('%').and_then(|(front, rest)| {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (width, back) = (&rest[..digits], rest[digits..].strip_prefix('d')?);
        let (wide, zeros) = (width.parse::<usize>().unwrap_or(0).min(20), width.starts_with('0'));
        Some(if zeros {
            format!("{front}{number:0wide$}{back}")
        } else {
            format!("{front}{number:wide$}{back}")
        })
    });
    in_c.unwrap_or_else(|| format!("{lun}{number}"))
}

/// `count=(1,8)` makes eight of one: names and luns end in their numbers.
fn counted(reading: &mut Reading<'_>, definition: Definition) -> Vec<Definition> {
    let Some(pair) = definition.pairs.get("count") else { return vec![definition] };
    let numbers: Vec<u64> = pair.values.iter().filter_map(|value| value.parse().ok()).collect();
    let [start, count] = numbers.as_slice() else {
        reading.fault(&pair.place, "`count` needs a start and a number", "", "write count=(1,8)");
        return Vec::new();
    };
    if *count > COUNT_MAX {
        reading.fault(&pair.place, &format!("{count} are more than {COUNT_MAX}"), "", "use fewer");
        return Vec::new();
    }
    let one = |number: u64| {
        let mut own = definition.clone();
        own.name = format!("{}{number}", definition.name);
        if let Some(lun) = own.pairs.get_mut("lun") {
            lun.values = lun.values.iter().map(|lun| numbered(lun, number)).collect();
        }
        own
    };
    (0..*count).map(|index| one(start.saturating_add(index))).collect()
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn luns_are_numbered_as_they_ask() {
        let luns =
            ["/d/f", "/d/f*x", "/d/f%04d", "/d/f%d.dat", "/d/50%", "/d/%s"].map(|lun| numbered(lun, 7));
        assert_eq!(luns, ["/d/f7", "/d/f7x", "/d/f0007", "/d/f7.dat", "/d/50%7", "/d/%s7"]);
    }
}
