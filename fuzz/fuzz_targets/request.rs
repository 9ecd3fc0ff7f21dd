//! Arbitrary requests of the kernel to a mount over io_uring: nothing is read outside of the bytes, and every
//! name is one.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| emulate::fuse::fuzzing::request(bytes));
