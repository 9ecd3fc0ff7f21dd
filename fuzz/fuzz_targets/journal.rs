//! Journals: arbitrary bytes, and sound journals that something happened to. A journal that is taken for
//! whole claims all that was durable.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| block::fuzzing::changed_journal(bytes));
