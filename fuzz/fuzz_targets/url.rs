//! Addresses of database servers: what is taken names a user, a database and a place that can be connected
//! to.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| database::fuzzing::address(text));
