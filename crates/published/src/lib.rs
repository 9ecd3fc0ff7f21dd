//! Numbers printed in studies, with their sources and their counterparts in our results.
//!
//! The data are the files `published/*.toml` and the beds of `catalogue/beds/`, embedded. A number keeps the
//! study's own words; the bed and the metric of ours that it goes beside are said apart from it
//! ([`Number::ours`]), with what must be said when the two are seen together.
//!
//! Invariant: data only. Nothing is opened and nothing is computed but a change of units.

mod beds;
mod kind;
pub mod quantity;
mod study;

use std::collections::BTreeMap;
use std::sync::LazyLock;

pub use beds::{BED_FILES, bed_names};
pub use kind::NumberKind;
use study::Test;
pub use study::{Confound, Number, Statement, Study, Tables, Testbed, Verdict, read};

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

const FILES: [&str; 3] = [
    include_str!("../../../published/kingston-dc1500m.toml"),
    include_str!("../../../published/storagereview-skhynix.toml"),
    include_str!("../../../published/iodrive-2009.toml"),
];

static STUDIES: LazyLock<Vec<Study>> = LazyLock::new(|| {
    let read = |text: &&str| {
        study::read(text, "published", |_, _, _| Vec::new()).expect("a test reads every study of our data")
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

fn tests() -> impl Iterator<Item = (&'static Study, &'static Test)> {
    STUDIES.iter().flat_map(|study| study.tests.iter().map(move |test| (study, test)))
}

/// The numbers of a published test, in the order of the data. Empty for a test that is not known, and for one
/// of which we have the set-up alone.
pub fn of(published: &str) -> Vec<&'static Number> {
    let of_test = |(study, test): (&'static Study, &'static Test)| {
        study.numbers.iter().filter(move |number| number.test == test.id)
    };
    tests().filter(|(_, test)| test.experiment == published).flat_map(of_test).collect()
}

/// The studies of our data, each with the text of its file.
pub fn studies() -> impl Iterator<Item = (&'static str, &'static Study)> {
    FILES.into_iter().zip(STUDIES.iter())
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
