//! Files of printed numbers: examined, or refused in words.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    match experiment::audit::file(text, "x.toml") {
        Ok(findings) => assert!(findings.len() <= 64 * (text.len() + 4096), "{} findings", findings.len()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
