//! Numbers printed in studies, with their sources and their counterparts in our results.
//!
//! The data are the files `published/*.toml` and `catalogue/beds/*.toml`, embedded. A number keeps the
//! study's own words; the bed and the metric of ours that it goes beside are said apart from it
//! ([`Number::ours`]), with what must be said when the two are seen together.
//!
//! Invariant: data only. Nothing is opened and nothing is computed but a change of units.

mod beds;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

pub use beds::{BED_FILES, bed_names};

/// One number of a study: in the study's own words, or in ours ([`Number::in_our_words`]) if it has a
/// counterpart in our results.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Number {
    /// Its identifier in our data, for example `K050`.
    pub id: String,
    /// The study, for example `kingston-dc1500m`; a study's file says it once for all of its numbers.
    #[serde(default)]
    pub study: String,
    /// The study's test, for example `K-2a`.
    pub test: String,
    /// The system that was measured, for example `K-NVMe / DC1500M 960GB`.
    pub system: String,
    /// The metric by the study's name, for example `TPM`.
    pub metric: String,
    /// The value in `unit`, as printed.
    pub value: f64,
    /// The unit, as printed.
    pub unit: String,
    /// The conditions under which it was printed.
    pub conditions: String,
    /// `high`, `medium` (rounded, or inconsistent with another number) or `low` (wrong arithmetic or
    /// meaning).
    pub confidence: String,
    /// `measured`, or `claim` for the authors' own ratio or statement.
    pub kind: String,
    /// A caveat about it; empty if there is none.
    #[serde(default)]
    pub note: String,
}

/// The counterpart of a published number in our results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ours {
    /// The bed of the named experiment.
    pub bed: &'static str,
    /// Our metric: `nopm`, `tpm`, `tpm_per_user` or `cpu_idle`.
    pub metric: &'static str,
    /// The level: virtual users of order entry, threads of sysbench.
    pub level: u32,
    /// True when both count the same thing; otherwise `note` says how they differ.
    pub same_definition: bool,
    /// The caveat for a comparison of the two.
    pub note: &'static str,
}

/// A factor other than the one under test in which a study's beds differ, or which limits what its numbers
/// can say.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confound {
    /// Its identifier in our data.
    pub id: String,
    experiments: Vec<String>,
    /// The factor.
    pub factor: String,
    /// Its value on the one side.
    pub side_a: String,
    /// Its value on the other side.
    pub side_b: String,
    /// Its effect on the comparison.
    pub effect: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Study {
    study: String,
    #[serde(rename = "test")]
    tests: Vec<TestEntry>,
    #[serde(default, rename = "metric")]
    metrics: Vec<MetricEntry>,
    #[serde(default, rename = "number")]
    numbers: Vec<Number>,
    #[serde(rename = "confound")]
    confounds: Vec<Confound>,
    #[serde(rename = "testbed")]
    testbeds: Vec<TestbedEntry>,
    /// Sentences of the text; the audit reads them.
    #[serde(default, rename = "statement")]
    _statements: Vec<toml::Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TestEntry {
    id: String,
    experiment: String,
    bed: String,
    testbed: String,
    /// The level of the test's numbers; left out for a test of which the set-up alone is known.
    level: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MetricEntry {
    theirs: String,
    ours: String,
    same_definition: bool,
    note: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TestbedEntry {
    id: String,
    facts: BTreeMap<String, String>,
}

const FILES: [&str; 3] = [
    include_str!("../../../published/kingston-dc1500m.toml"),
    include_str!("../../../published/storagereview-skhynix.toml"),
    include_str!("../../../published/iodrive-2009.toml"),
];

static STUDIES: LazyLock<Vec<Study>> = LazyLock::new(|| {
    let read = |text: &&str| {
        let mut study: Study =
            toml::from_str(text).expect("published/*.toml is embedded, and a test reads all of it");
        study.numbers.iter_mut().for_each(|number| number.study.clone_from(&study.study));
        study
    };
    FILES.iter().map(read).collect()
});

/// The published tests that an experiment can name in `published`.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = tests().map(|(_, test)| test.experiment.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn tests() -> impl Iterator<Item = (&'static Study, &'static TestEntry)> {
    STUDIES.iter().flat_map(|study| study.tests.iter().map(move |test| (study, test)))
}

/// The numbers of a published test, in the order of the data. Empty for a test that is not known, and for one
/// of which we have the set-up alone.
pub fn of(published: &str) -> Vec<&'static Number> {
    let of_test = |(study, test): (&'static Study, &'static TestEntry)| {
        study.numbers.iter().filter(move |number| number.test == test.id)
    };
    tests().filter(|(_, test)| test.experiment == published).flat_map(of_test).collect()
}

/// The studies as text, with sentences that belong to no number.
pub fn texts() -> impl Iterator<Item = &'static str> {
    FILES.into_iter()
}

/// Every number of every study, in the order of the data.
pub fn all() -> impl Iterator<Item = &'static Number> {
    STUDIES.iter().flat_map(|study| &study.numbers)
}

/// The number of this identifier, for example `K050`.
pub fn find(id: &str) -> Option<&'static Number> {
    all().find(|number| number.id == id)
}

/// The measured number for comparison with our metric of a bed at a level, if the study printed one.
pub fn beside(published: &str, bed: &str, metric: &str, level: u32) -> Option<&'static Number> {
    let matches = |ours: Ours| ours.bed == bed && ours.metric == metric && ours.level == level;
    of(published).into_iter().find(|number| number.ours().is_some_and(matches))
}

/// The study's own test, for example `K-2a`, behind a bed of the named experiment.
pub fn test_of(published: &str, bed: &str) -> Option<&'static str> {
    let (_, test) = tests().find(|(_, test)| test.experiment == published && test.bed == bed)?;
    Some(&test.id)
}

/// The study's facts about the test bed behind a bed of the named experiment.
pub fn bed_facts(published: &str, bed: &str) -> Option<&'static BTreeMap<String, String>> {
    let (study, test) = tests().find(|(_, test)| test.experiment == published && test.bed == bed)?;
    study.testbeds.iter().find(|testbed| testbed.id == test.testbed).map(|testbed| &testbed.facts)
}

/// The factors besides the one under test that limit what a published test can say.
pub fn confounds(published: &str) -> Vec<&'static Confound> {
    let all = STUDIES.iter().flat_map(|study| &study.confounds);
    all.filter(|confound| confound.experiments.iter().any(|name| name == published)).collect()
}

impl Number {
    /// Its counterpart in our results; `None` for a claim, which has none.
    pub fn ours(&self) -> Option<Ours> {
        let study = STUDIES.iter().find(|study| study.study == self.study)?;
        let test = study.tests.iter().find(|test| test.id == self.test)?;
        let metric = study.metrics.iter().find(|metric| metric.theirs == self.metric)?;
        Some(Ours {
            bed: &test.bed,
            metric: &metric.ours,
            level: test.level?,
            same_definition: metric.same_definition,
            note: &metric.note,
        })
    }

    /// This number under our names: `system` is our bed, `metric` our metric, and `note` says how the
    /// definitions differ as well.
    ///
    /// `None` for a claim, which has no counterpart among our metrics.
    pub fn in_our_words(&self) -> Option<Number> {
        let ours = self.ours()?;
        let note =
            if self.note.is_empty() { ours.note.to_owned() } else { format!("{} {}", self.note, ours.note) };
        // Rates of ours are in MB/s.
        let (value, unit) = match self.unit.as_str() {
            "GB/s" => (self.value * 1000.0, "MB/s".to_owned()),
            unit => (self.value, unit.to_owned()),
        };
        Some(Number {
            system: ours.bed.to_owned(),
            metric: ours.metric.to_owned(),
            note,
            value,
            unit,
            ..self.clone()
        })
    }
}
