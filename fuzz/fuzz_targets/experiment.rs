//! Experiment files: read, and when sound, written, read again and scaled.
#![no_main]

use experiment::Scale;

libfuzzer_sys::fuzz_target!(|text: &str| {
    match experiment::parse(text, "x.toml") {
        Ok(read) => {
            fuzz::is_written_and_read_again(&read);
            let _ = experiment::scale(&read, Scale::Tiny);
        }
        Err(faults) => fuzz::faults_lie_in(text, &faults),
    }
});
