//! Arbitrary messages of a PostgreSQL server: every conversation ends with an error in words, none of which
//! is the password.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| oltp::sysbench::fuzzing::postgres(bytes));
