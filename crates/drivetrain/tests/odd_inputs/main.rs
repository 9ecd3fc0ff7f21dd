//! Every parser of files under the inputs of `fuzz/corpus` and under odd ones made from them: the targets of
//! `fuzz/` as ordinary tests, without a build of their own. Targets that need private parts of a crate are
//! tests of that crate.

#![allow(unused_attributes)] // Each target is a program of its own for libFuzzer, and says so.

// The names by which the targets call what they need.
extern crate self as fuzz;
extern crate self as libfuzzer_sys;

#[path = "../../../../fuzz/src/lib.rs"]
mod common;

pub use common::{Fixed, faults_lie_in, has_its_place, is_written_and_read_again};

/// A target as a function, in place of libFuzzer's program.
#[macro_export]
macro_rules! fuzz_target {
    (|$text:ident: &str| $body:expr) => {
        pub(crate) fn take(bytes: &[u8]) {
            if let Ok($text) = std::str::from_utf8(bytes) {
                $body
            }
        }
    };
    (|$bytes:ident: &[u8]| $body:expr) => {
        pub(crate) fn take($bytes: &[u8]) {
            $body
        }
    };
}

#[path = "../../../../fuzz/fuzz_targets/audit.rs"]
mod audit;
#[path = "../../../../fuzz/fuzz_targets/counters.rs"]
mod counters;
#[path = "../../../../fuzz/fuzz_targets/drive.rs"]
mod drive;
#[path = "../../../../fuzz/fuzz_targets/experiment.rs"]
mod experiment;
#[path = "../../../../fuzz/fuzz_targets/fio.rs"]
mod fio;
#[path = "../../../../fuzz/fuzz_targets/histogram.rs"]
mod histogram;
#[path = "../../../../fuzz/fuzz_targets/results.rs"]
mod results;
#[path = "../../../../fuzz/fuzz_targets/set.rs"]
mod set;
#[path = "../../../../fuzz/fuzz_targets/trace.rs"]
mod trace;
#[path = "../../../../fuzz/fuzz_targets/units.rs"]
mod units;
#[path = "../../../../fuzz/fuzz_targets/vdbench.rs"]
mod vdbench;

macro_rules! tests {
    ($($target:ident)*) => {
        $(
            #[test]
            fn $target() {
                testkit::odd_inputs(stringify!($target), $target::take);
            }
        )*
    };
}

tests!(audit counters drive experiment fio histogram results set trace units vdbench);
