//! What a server of MariaDB or MySQL may say: every conversation ends with an error in words, and reserves no
//! more than was said.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| oltp::sysbench::fuzzing::mysql(bytes));
