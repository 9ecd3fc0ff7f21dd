//! `--set KEY=VALUE` on a sound experiment: the answer is TOML again, or a reason.
#![no_main]

use std::sync::LazyLock;

use experiment::Experiment;

/// Read once: most inputs are refused long before they cost as much.
static TEMPLATE: LazyLock<Experiment> =
    LazyLock::new(|| experiment::parse(experiment::template(), "template").expect("ours is sound"));

/// Without the lines that are nothing but comments: they are most of what would be read again for every
/// input.
static PLAIN: LazyLock<String> = LazyLock::new(|| {
    let lines = experiment::template().lines().filter(|line| !line.trim_start().starts_with('#'));
    lines.flat_map(|line| [line, "\n"]).collect()
});

libfuzzer_sys::fuzz_target!(|argument: &str| {
    if let Ok(text) = experiment::apply_set(&PLAIN, argument)
        && let Err(faults) = experiment::parse(&text, "x.toml")
    {
        fuzz::faults_lie_in(&text, &faults);
    }
    let _ = experiment::use_storage(&mut TEMPLATE.clone(), argument);
});
