//! `--set KEY=VALUE` on a sound experiment: the answer is TOML again, or a reason.
#![no_main]

libfuzzer_sys::fuzz_target!(|argument: &str| {
    if let Ok(text) = experiment::apply_set(experiment::template(), argument) {
        if let Err(faults) = experiment::parse(&text, "x.toml") {
            fuzz::faults_lie_in(&text, &faults);
        }
    }
    if let Ok(mut read) = experiment::parse(experiment::template(), "template") {
        let _ = experiment::use_storage(&mut read, argument);
    }
});
