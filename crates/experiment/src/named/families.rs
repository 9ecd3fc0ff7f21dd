//! The shipped experiments by the question that they answer; those that differ in the engine alone are one
//! family.

use std::collections::BTreeSet;

use tomlfile::nearest;
use words::{Engine, WorkloadKind};

use super::{Named, named};

/// Experiments that differ in the engine alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    /// The question that they answer.
    pub question: &'static str,
    /// Their name with the word ENGINE in place of the engine: `durability/ENGINE-power`. In brackets it is
    /// left out for SQLite: `kingston-dc1500m/test-2[-ENGINE]`.
    pub name: &'static str,
    /// Their purpose, in a few words.
    pub about: &'static str,
}

/// One row: the name, and what they do.
macro_rules! families {
    ($($question:literal { $($name:literal, $about:literal;)+ })+) => {
        &[$($(Family { question: $question, name: $name, about: $about },)+)+]
    };
}

#[rustfmt::skip] // One row each.
const FAMILIES: &[Family] = families! {
    "Which drive is faster for a database?" {
        "demo", "two drives, one small database";
        "kingston-dc1500m/test-2[-ENGINE]", "three drives, 32 GB of memory";
        "kingston-dc1500m/test-3[-ENGINE]", "a larger database, up to 128 users";
        "storagereview-skhynix/sql-ENGINE", "4 databases, 15,000 keying users each";
        "storagereview-skhynix/sysbench-ENGINE", "8 databases of 100 tables, sysbench";
    }
    "Does memory replace a faster drive?" {
        "kingston-dc1500m/test-1[-ENGINE]", "128 GB or 32 GB on one drive";
    }
    "What can a drive do (block I/O)?" {
        "storagereview-skhynix/four-corners", "latency against throughput, 10 to 120 %";
        "kingston-dc1500m/fio-steady", "second by second after the steady state";
        "kingston-dc1500m/hcibench", "mixes over block sizes, six workers";
        "fleet/scale-out", "load generators until the knee";
        "iodrive-2009/sqlio", "random and sequential by depth";
        "storagereview-skhynix/vdi", "boot, login and work of desktops";
        "snia-pts/iops", "read shares x block sizes until steady";
        "snia-pts/throughput", "sequential, until steady";
        "snia-pts/latency", "one I/O at a time, until steady";
        "snia-pts/write-saturation", "random writes from the first on";
    }
    "Which numbers describe my drive (drivetrain profile)?" {
        "profile/quick", "ten minutes: sizes, depths, mixes";
        "profile/standard", "an hour: longer, writes until they stay";
        "profile/full", "six hours: a map over mixes and rates";
        "profile/twin", "a drive beside its emulated twin";
    }
    "What do checkpoints and a log cost the reads?" {
        "iodrive-2009/checkpoint-bursts", "reads inside and between bursts";
        "sql-server-streams", "pages, checkpoints, log, read-ahead";
    }
    "How long do backup and restore take?" {
        "kingston-dc1500m/test-4[-ENGINE]", "three cycles, every restore proven";
    }
    "What does a neighbour's work cost the others?" {
        "kingston-dc1500m/test-5[-ENGINE]", "victims alone, beside backups, limited";
        "kingston-dc1500m/test-5-as-published", "why the published test shows nothing";
    }
    "When is a scan faster than an index?" {
        "iodrive-2009/index-scan-vs-lookup", "0.01 % to 100 % of the rows";
        "iodrive-2009/fragmentation", "scans of a table in many pieces";
    }
    "Is anything lost in a crash?" {
        "durability/ENGINE", "power cuts (SQLite) or kills (servers)";
        "durability/ENGINE-power", "twenty power cuts under a server";
        "durability/ENGINE-without-sync", "no syncs: it has to lose something";
        "durability/postgresql-lying-drive", "flushes that keep nothing";
    }
    "How would it be on another drive?" {
        "predict/postgresql", "two drives, two memories, three loads";
    }
};

/// Words that say nothing about an experiment.
const WORD_SHORTEST: usize = 3;

impl Family {
    /// Its experiments, the simplest engine first, as the list has them.
    pub fn members(&self) -> impl Iterator<Item = &'static Named> + use<> {
        let family = *self;
        named().iter().filter(move |named| family.has(named))
    }

    /// True if an experiment has the name of the family, with its own engine or without one.
    fn has(&self, named: &Named) -> bool {
        let engine = named.engine().map(Engine::name).unwrap_or_default();
        let plain = self.name.replace("[-ENGINE]", "");
        let other = self.name.replace(['[', ']'], "").replace("ENGINE", engine);
        [plain.as_str(), &other].contains(&named.name)
    }

    /// Everything that a search finds it by, in lower case.
    fn text(&self) -> String {
        let members = self.members().map(|named| {
            let engine = named.engine().map(Engine::name).unwrap_or_default();
            let kinds: Vec<&str> = named.kinds().into_iter().map(WorkloadKind::name).collect();
            format!("{} {} {} {engine} {}", named.name, named.title(), named.summary, kinds.join(" "))
        });
        let members: Vec<String> = members.collect();
        format!("{} {} {}", self.question, self.about, members.join(" ")).to_lowercase()
    }
}

/// Every family, in groups of one question.
pub fn families() -> &'static [Family] {
    FAMILIES
}

/// The families in whose names, texts, engines and kinds all of the words occur.
///
/// # Errors
/// Where there is none: the first word that no family has, with the nearest word that one has.
pub fn search_named(words: &[String]) -> Result<Vec<&'static Family>, NothingFound> {
    let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let texts: Vec<(&Family, String)> = FAMILIES.iter().map(|family| (family, family.text())).collect();
    let has_all = |text: &str| words.iter().all(|word| text.contains(word.as_str()));
    let found: Vec<&Family> =
        texts.iter().filter(|(_, text)| has_all(text)).map(|(family, _)| *family).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let unknown = words.iter().find(|word| !texts.iter().any(|(_, text)| text.contains(word.as_str())));
    let near = unknown.and_then(|word| {
        let known: BTreeSet<&str> = texts.iter().flat_map(|(_, text)| in_words(text)).collect();
        nearest(word, known).map(str::to_owned)
    });
    Err(NothingFound { unknown: unknown.cloned(), near })
}

/// A search without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NothingFound {
    /// The first word that occurs nowhere; `None` if each occurs, but not together.
    pub unknown: Option<String>,
    /// The nearest word that occurs.
    pub near: Option<String>,
}

fn in_words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.len() >= WORD_SHORTEST && !word.chars().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_experiment_is_in_one_family_whose_name_it_has() {
        for named in named() {
            let families: Vec<&Family> = FAMILIES.iter().filter(|family| family.has(named)).collect();
            assert!(matches!(families[..], [_]), "{}: {} families", named.name, families.len());
        }
        for family in FAMILIES {
            assert!(family.members().next().is_some(), "{}", family.name);
            assert!(family.about.len() <= 40 && family.name.len() <= 38, "{}", family.name);
        }
    }

    #[test]
    fn the_groups_stand_together() {
        let mut questions: Vec<&str> = FAMILIES.iter().map(|family| family.question).collect();
        questions.dedup();
        assert_eq!(questions.iter().collect::<BTreeSet<_>>().len(), questions.len());
    }

    #[test]
    fn a_search_finds_by_question_engine_kind_and_title() {
        let names = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            search_named(&words).map(|found| found.iter().map(|family| family.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&["backup", "RESTORE"]).unwrap(), ["kingston-dc1500m/test-4[-ENGINE]"]);
        assert!(names(&["mariadb", "sysbench"]).unwrap().contains(&"storagereview-skhynix/sysbench-ENGINE"));
        assert!(names(&["tpcc"]).unwrap().contains(&"demo"), "by its kind");
        assert_eq!(names(&[]).unwrap().len(), FAMILIES.len());
        let fault = |words: &[&str]| names(words).unwrap_err();
        assert_eq!(fault(&["bakcup"]).near.as_deref(), Some("backup"));
        assert_eq!(fault(&["backup", "dekstops"]).near.as_deref(), Some("desktops"));
        let apart = fault(&["sysbench", "durability"]);
        assert_eq!((apart.unknown, apart.near), (None, None), "each is there, but not together");
        assert_eq!(fault(&["quantum-teleporter"]).near, None);
    }
}
