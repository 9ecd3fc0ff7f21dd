//! `--set KEY=VALUE` on a sound experiment: the answer is TOML again, or a reason.
#![no_main]

use std::sync::LazyLock;

use experiment::Experiment;

/// Read once: most inputs are refused long before they cost as much.
static TEMPLATE: LazyLock<Experiment> =
    LazyLock::new(|| experiment::parse(experiment::template(), "template").expect("ours is sound"));

libfuzzer_sys::fuzz_target!(|argument: &str| {
    if let Ok(text) = experiment::apply_set(experiment::template(), argument) {
        if let Err(faults) = experiment::parse(&text, "x.toml") {
            fuzz::faults_lie_in(&text, &faults);
        }
    }
    let _ = experiment::use_storage(&mut TEMPLATE.clone(), argument);
});
