//! Arbitrary messages of a MariaDB or MySQL server: every conversation ends with an error in words, and
//! reserves no more memory than was received.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| oltp::sysbench::fuzzing::mysql(bytes));
