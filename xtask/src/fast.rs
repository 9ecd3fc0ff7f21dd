//! The fast tests: those of the crates below. They need nothing but the compiler, and take less than two
//! minutes on two processors after compilation.

/// Crates whose unit tests are fast.
const CRATES: &[&str] = &[
    "ground",
    "words",
    "testkit",
    "tomlfile",
    "published",
    "disk",
    "remains",
    "measure",
    "device",
    "experiment",
    "host",
    "jobfile",
    "simulate",
    "notebook",
    "fleet",
    "report",
];
/// Targets of these crates in `tests/` that are fast.
const TARGETS: &[&str] = &["it", "languages", "model", "published"];

/// The arguments of `cargo test` that choose them.
pub(crate) fn arguments() -> Vec<String> {
    let crates = CRATES.iter().flat_map(|name| ["--package", *name]);
    let targets = TARGETS.iter().flat_map(|name| ["--test", *name]);
    crates.chain(["--lib"]).chain(targets).map(str::to_owned).collect()
}
