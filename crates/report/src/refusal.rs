//! The refusal to compare two runs: everything in which they are not alike, and what lifts it.

use notebook::RunId;
use words::say;

/// One thing in which two runs differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlike {
    /// Dotted name: `realm`, `workload.tpcc.warehouses`, `bed.nvme.storage`.
    pub what: String,
    /// Its value in the baseline; `None` where it has none.
    pub baseline: Option<String>,
    /// Its value in the run that is judged; `None` where it has none.
    pub run: Option<String>,
    /// The name by which a caller can say that it was varied on purpose: `what` without the names of beds and
    /// workloads.
    pub treat: String,
    /// The declared treatment that this belongs to: `storage`, `memory` or `log`.
    pub(crate) treatment: Option<&'static str>,
}

/// The reasons why two runs are not compared: all of them, not only the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The run that was to be judged, and its name.
    pub run: (RunId, String),
    /// The run that it was to be judged by.
    pub baseline: (RunId, String),
    /// Reasons that nothing can lift: the same run twice, a run that is not finished, beds, levels or results
    /// that one of them lacks.
    pub reasons: Vec<String>,
    /// The differences between the two runs' experiments; each can be named as varied on purpose.
    pub differences: Vec<Unlike>,
}

impl std::error::Error for Refusal {}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&say!("refusal", run = self.run.1, baseline = self.baseline.1))?;
        for reason in &self.reasons {
            write!(f, "\n  - {reason}")?;
        }
        for difference in &self.differences {
            write!(f, "\n  - {difference}")?;
        }
        let mut names: Vec<&str> = self.differences.iter().map(|unlike| unlike.treat.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        // A treatment lifts none of the reasons, so none is offered beside them.
        if !self.reasons.is_empty() || names.is_empty() {
            return Ok(());
        }
        write!(f, "\n{}", say!("refusal-name-treatment", names = names.join(",")))
    }
}

impl std::fmt::Display for Unlike {
    /// `bed.nvme.memory: 32MiB -> 64MiB`: the baseline's value first.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown =
            |value: &Option<String>| value.as_deref().map_or(say!("refusal-nothing").to_owned(), short);
        write!(f, "{}: {} -> {}", self.what, shown(&self.baseline), shown(&self.run))
    }
}

/// A long value by its beginning.
pub(crate) fn short(value: &str) -> String {
    const LONGEST: usize = 72;
    if value.chars().count() <= LONGEST {
        return value.to_owned();
    }
    value.chars().take(LONGEST).chain("...".chars()).collect()
}

impl Unlike {
    /// A difference of a value; the parts of `path` that a user chose, names of beds and workloads, are
    /// marked.
    pub(crate) fn new(path: &Path, baseline: Option<String>, run: Option<String>) -> Unlike {
        Unlike { what: path.full(), baseline, run, treat: path.generic(), treatment: path.treatment }
    }

    /// True if `name` means this: its full name or the start of one, or some parts of its name without those
    /// that a user chose, so that a workload called `storage` is not taken for the storage.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        let starts = |whole: &str| {
            whole.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let parts: Vec<&str> = self.treat.split('.').collect();
        let asked: Vec<&str> = name.split('.').collect();
        self.treatment == Some(name)
            || starts(&self.what)
            || parts.windows(asked.len()).any(|window| window == asked)
    }
}

/// The place of a value in the request of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path {
    /// Each part, and whether a user chose it.
    parts: Vec<(String, bool)>,
    /// The declared treatment that it belongs to.
    pub(crate) treatment: Option<&'static str>,
}

impl Path {
    /// The path of one part.
    pub(crate) fn of(part: &str) -> Path {
        Path::default().key(part)
    }

    /// One part deeper, by a word of ours.
    pub(crate) fn key(&self, part: &str) -> Path {
        self.with(part, false)
    }

    /// One part deeper, by a name that a user chose.
    pub(crate) fn name(&self, part: &str) -> Path {
        self.with(part, true)
    }

    /// The same path as part of a declared treatment.
    pub(crate) fn treated(mut self, treatment: &'static str) -> Path {
        self.treatment = Some(treatment);
        self
    }

    fn with(&self, part: &str, chosen: bool) -> Path {
        let mut deeper = self.clone();
        deeper.parts.push((part.to_owned(), chosen));
        deeper
    }

    fn full(&self) -> String {
        self.parts.iter().map(|(part, _)| part.as_str()).collect::<Vec<_>>().join(".")
    }

    fn generic(&self) -> String {
        let ours = self.parts.iter().filter(|(_, chosen)| !chosen);
        ours.map(|(part, _)| part.as_str()).collect::<Vec<_>>().join(".")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unlike(path: &Path) -> Unlike {
        Unlike::new(path, Some("1".to_owned()), None)
    }

    #[test]
    fn a_difference_is_called_by_parts_of_its_name_but_not_by_names_that_users_chose() {
        let size = unlike(&Path::of("workload").name("storage").key("stream").key("block_size"));
        for name in ["workload", "workload.block_size", "stream.block_size", "block_size", "workload.storage"]
        {
            assert_eq!(size.is_called(name), name != "workload.block_size", "{name}");
        }
        for name in ["storage", "block", "size", "", "workload.other", "workload.stor"] {
            assert!(!size.is_called(name), "{name}");
        }
        let drive = unlike(&Path::of("bed").name("a").key("drive").key("read").treated("storage"));
        assert!(drive.is_called("storage") && drive.is_called("bed.a") && drive.is_called("drive"));
        assert_eq!((drive.what.as_str(), drive.treat.as_str()), ("bed.a.drive.read", "bed.drive.read"));
    }

    #[test]
    fn a_refusal_names_everything_and_says_what_lifts_it() {
        let memory = Path::of("bed").name("a").key("memory");
        let mut refusal = Refusal {
            run: (RunId(3), "run 3".to_owned()),
            baseline: (RunId(1), "run 1".to_owned()),
            reasons: Vec::new(),
            differences: vec![unlike(&memory), unlike(&Path::of("realm"))],
        };
        let text = refusal.to_string();
        assert!(
            text.contains("bed.a.memory: 1 -> nothing") && text.ends_with("--treat bed.memory,realm"),
            "{text}"
        );
        refusal.reasons.push("run 3 is not finished".to_owned());
        assert!(!refusal.to_string().contains("--treat"), "it would not lift them");
        assert_eq!(short(&"x".repeat(100)).chars().count(), 75);
    }
}
