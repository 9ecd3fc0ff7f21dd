//! Notebook files: read, or refused in words; what is imported from one can be read whole, and a refused one
//! leaves nothing behind.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| notebook::fuzzing::open_and_import(bytes));
