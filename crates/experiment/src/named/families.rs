//! The shipped experiments by the question that they answer; those that differ in the engine alone are one
//! family.

use std::collections::BTreeSet;

use tomlfile::nearest;

use super::{Named, find_named};

/// Experiments that differ in the engine alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    /// The question that they answer.
    pub question: &'static str,
    /// Their name with the word ENGINE in place of the engine: `durability/ENGINE-power`. In brackets it is
    /// left out for SQLite: `kingston-dc1500m/test-2[-ENGINE]`.
    pub name: &'static str,
    /// What they do, in a few words.
    pub about: &'static str,
    /// The names of the experiments, the simplest engine first.
    members: &'static [&'static str],
}

/// One row: the name, what they do, the experiments.
macro_rules! families {
    ($($question:literal { $($name:literal, $about:literal, [$($member:literal),+];)+ })+) => {
        &[$($(Family { question: $question, name: $name, about: $about, members: &[$($member),+] },)+)+]
    };
}

#[rustfmt::skip] // One row each.
const FAMILIES: &[Family] = families! {
    "Which drive is faster for a database?" {
        "demo", "two drives, one small database",
            ["demo"];
        "kingston-dc1500m/test-2[-ENGINE]", "three drives, 32 GB of memory",
            ["kingston-dc1500m/test-2", "kingston-dc1500m/test-2-postgresql", "kingston-dc1500m/test-2-mariadb"];
        "kingston-dc1500m/test-3[-ENGINE]", "a larger database, up to 128 users",
            ["kingston-dc1500m/test-3", "kingston-dc1500m/test-3-postgresql", "kingston-dc1500m/test-3-mariadb"];
        "storagereview-skhynix/sql-ENGINE", "4 databases, 15,000 keying users each",
            ["storagereview-skhynix/sql-postgresql", "storagereview-skhynix/sql-mariadb"];
        "storagereview-skhynix/sysbench-ENGINE", "8 databases of 100 tables, sysbench",
            ["storagereview-skhynix/sysbench-postgresql", "storagereview-skhynix/sysbench-mariadb"];
    }
    "Does memory replace a faster drive?" {
        "kingston-dc1500m/test-1[-ENGINE]", "128 GB or 32 GB on one drive",
            ["kingston-dc1500m/test-1", "kingston-dc1500m/test-1-postgresql", "kingston-dc1500m/test-1-mariadb"];
    }
    "What can a drive do (block I/O)?" {
        "storagereview-skhynix/four-corners", "latency against throughput, 10 to 120 %",
            ["storagereview-skhynix/four-corners"];
        "kingston-dc1500m/fio-steady", "second by second after the steady state",
            ["kingston-dc1500m/fio-steady"];
        "kingston-dc1500m/hcibench", "mixes over block sizes, six workers",
            ["kingston-dc1500m/hcibench"];
        "fleet/scale-out", "load generators until the knee",
            ["fleet/scale-out"];
        "iodrive-2009/sqlio", "random and sequential by depth",
            ["iodrive-2009/sqlio"];
        "storagereview-skhynix/vdi", "boot, login and work of desktops",
            ["storagereview-skhynix/vdi"];
        "snia-pts/iops", "read shares x block sizes until steady",
            ["snia-pts/iops"];
        "snia-pts/throughput", "sequential, until steady",
            ["snia-pts/throughput"];
        "snia-pts/latency", "one I/O at a time, until steady",
            ["snia-pts/latency"];
        "snia-pts/write-saturation", "random writes from the first on",
            ["snia-pts/write-saturation"];
    }
    "Which numbers describe my drive (drivetrain profile)?" {
        "profile/quick", "ten minutes: sizes, depths, mixes",
            ["profile/quick"];
        "profile/standard", "an hour: longer, writes until they stay",
            ["profile/standard"];
        "profile/full", "six hours: a map over mixes and rates",
            ["profile/full"];
        "profile/twin", "a drive beside its emulated twin",
            ["profile/twin"];
    }
    "What do checkpoints and a log cost the reads?" {
        "iodrive-2009/checkpoint-bursts", "reads inside and between bursts",
            ["iodrive-2009/checkpoint-bursts"];
        "sql-server-streams", "pages, checkpoints, log, read-ahead",
            ["sql-server-streams"];
    }
    "How long do backup and restore take?" {
        "kingston-dc1500m/test-4[-ENGINE]", "three cycles, every restore proven",
            ["kingston-dc1500m/test-4", "kingston-dc1500m/test-4-postgresql", "kingston-dc1500m/test-4-mariadb"];
    }
    "What does a neighbour's work cost the others?" {
        "kingston-dc1500m/test-5[-ENGINE]", "victims alone, beside backups, limited",
            ["kingston-dc1500m/test-5", "kingston-dc1500m/test-5-postgresql", "kingston-dc1500m/test-5-mariadb"];
        "kingston-dc1500m/test-5-as-published", "why the published test shows nothing",
            ["kingston-dc1500m/test-5-as-published"];
    }
    "When is a scan faster than an index?" {
        "iodrive-2009/index-scan-vs-lookup", "0.01 % to 100 % of the rows",
            ["iodrive-2009/index-scan-vs-lookup"];
        "iodrive-2009/fragmentation", "scans of a table in many pieces",
            ["iodrive-2009/fragmentation"];
    }
    "Is anything lost in a crash?" {
        "durability/ENGINE", "power cuts (SQLite) or kills (servers)",
            ["durability/sqlite", "durability/postgresql", "durability/mariadb"];
        "durability/ENGINE-power", "twenty power cuts under a server",
            ["durability/postgresql-power", "durability/mariadb-power"];
        "durability/ENGINE-without-sync", "no syncs: it has to lose something",
            ["durability/sqlite-without-sync", "durability/postgresql-without-sync", "durability/mariadb-without-sync"];
        "durability/postgresql-lying-drive", "flushes that keep nothing",
            ["durability/postgresql-lying-drive"];
    }
    "How would it be on another drive?" {
        "predict/postgresql", "two drives, two memories, three loads",
            ["predict/postgresql"];
    }
};

/// Words that say nothing about an experiment.
const WORD_SHORTEST: usize = 3;

impl Family {
    /// Its experiments, the simplest engine first.
    pub fn members(&self) -> impl Iterator<Item = &'static Named> + use<> {
        self.members.iter().filter_map(|name| find_named(name))
    }

    /// Everything that a search finds it by, in lower case.
    fn text(&self) -> String {
        let members = self.members().map(|named| {
            let engine = named.engine().unwrap_or_default();
            format!("{} {} {} {engine} {}", named.name, named.title(), named.summary, named.kinds().join(" "))
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
    use crate::named::named;

    #[test]
    fn each_experiment_is_in_one_family_whose_name_it_has() {
        for named in named() {
            let holds = |family: &&Family| family.members.contains(&named.name);
            let families: Vec<&Family> = FAMILIES.iter().filter(holds).collect();
            let [family] = families[..] else { panic!("{}: {} families", named.name, families.len()) };
            let engine = named.engine().unwrap_or_default();
            let plain = family.name.replace("[-ENGINE]", "");
            let other = family.name.replace(['[', ']'], "").replace("ENGINE", engine);
            assert!([plain, other].contains(&named.name.to_owned()), "{} is no {}", named.name, family.name);
        }
        for family in FAMILIES {
            assert_eq!(family.members().count(), family.members.len(), "{}", family.name);
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
