//! Files of printed numbers: examined, or refused in words.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    match study::audit::file(text, "x.toml") {
        Ok(findings) => drop(findings),
        Err(faults) => fuzz::faults_lie_in(text, &faults),
    }
});
