//! The environment that the programs of one call share: the seed of random tests, and the file of skips.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use testkit::need::SKIPS;

/// The seed of random tests, for ours and for those of proptest.
const SEEDS: [&str; 2] = ["DRIVETRAIN_SEED", "PROPTEST_RNG_SEED"];

pub(super) struct Session {
    pub(super) seed: String,
    /// The file to which tests add their skips.
    skips: PathBuf,
}

impl Session {
    pub(super) fn begin(root: &Path) -> anyhow::Result<Self> {
        let skips = root.join("target").join(format!("skips-{}", std::process::id()));
        std::fs::create_dir_all(root.join("target")).context("making target")?;
        std::fs::write(&skips, "").with_context(|| format!("writing {}", skips.display()))?;
        Ok(Self { seed: std::env::var(SEEDS[0]).unwrap_or_else(|_| testkit::new_seed().to_string()), skips })
    }

    pub(super) fn share_with(&self, program: &mut Command) {
        program.env(SKIPS, &self.skips).envs(SEEDS.map(|name| (name, &self.seed)));
    }

    /// The skips as text: their number, then each reason with its tests.
    pub(super) fn skips(&self) -> anyhow::Result<String> {
        let text = std::fs::read_to_string(&self.skips).context("reading the skips")?;
        std::fs::remove_file(&self.skips).context("removing the skips")?;
        Ok(told(&text))
    }
}

fn told(lines: &str) -> String {
    let mut skips: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (test, why) in lines.lines().filter_map(|line| line.split_once('\t')) {
        skips.entry(why).or_default().insert(test);
    }
    let count: usize = skips.values().map(BTreeSet::len).sum();
    let reasons = skips.iter().map(|(why, tests)| {
        let tests: Vec<&str> = tests.iter().copied().collect();
        format!("  {why}: {}\n", tests.join(", "))
    });
    format!("{count} skipped{}\n{}", if count > 0 { ":" } else { "" }, reasons.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skips_are_told_with_their_reasons() {
        let lines = "b\tit needs root\na\tit needs root\na\tit needs root\nc\tfio is missing\n";
        assert_eq!(told(lines), "3 skipped:\n  fio is missing: c\n  it needs root: a, b\n");
        assert_eq!(told(""), "0 skipped\n");
    }
}
