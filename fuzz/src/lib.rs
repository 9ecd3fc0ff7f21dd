//! The common part of the targets: surroundings that are the same on every machine, and properties that hold
//! for every text.
//!
//! Each target takes bytes, lets one parser read them, and asserts more than that it comes back: spans lie in
//! the text, what was read can be written and read again, and nothing that was refused is half taken.

use experiment::{Diagnostics, Experiment};
use jobfile::{FileFault, FilePlace, Surroundings};

/// A machine on which every device has 100 GB and no file can be included but one.
pub struct Fixed;

impl Surroundings for Fixed {
    fn include(&self, path: &str, _from: &str) -> Result<String, String> {
        match path {
            "inc" => Ok("rw=randread\nbs=4k\ninclude inc\n".to_owned()),
            _ => Err("no such file".to_owned()),
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        (name == "DISK").then(|| "nvme9n1".to_owned())
    }

    fn page_bytes(&self) -> u64 {
        4096
    }

    fn memory_mebibytes(&self) -> u64 {
        8192
    }

    fn processors(&self) -> u64 {
        4
    }

    fn size_bytes(&self, path: &str) -> Option<u64> {
        path.starts_with("/dev/").then_some(100_000_000_000)
    }
}

/// Every fault has words and lies in the text, and all of them can be shown; showing takes so long that only
/// some texts are put to that test.
pub fn faults_lie_in(text: &str, diagnostics: &Diagnostics) {
    assert!(diagnostics.iter().len() > 0, "refused without a reason");
    let lines = text.matches('\n').count() + 1;
    for fault in diagnostics.iter() {
        assert!(text.get(fault.span.clone()).is_some(), "{:?} is not in the text", fault.span);
        assert!(fault.line >= 1 && fault.column >= 1 && !fault.message.is_empty());
        assert!(fault.line <= lines);
    }
    let sum = text.bytes().fold(0_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte));
    if sum % 32 != 0 {
        return;
    }
    let shown = diagnostics.render(false);
    assert!(!shown.is_empty() && shown.len() < 200_000, "{} bytes of faults", shown.len());
}

/// An experiment that was read can be written, and the text means the same.
pub fn is_written_and_read_again(experiment: &Experiment) {
    let text = experiment::to_toml(experiment);
    match experiment::parse(&text, "again") {
        Ok(again) => assert_eq!(&again, experiment, "{text}"),
        Err(faults) => panic!("{text}\n{faults}"),
    }
}

/// A fault has words and a remedy, and its line is one of the text.
pub fn has_its_place(bytes: &[u8], fault: &FileFault) {
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
    let line = match fault.place {
        FilePlace::Line(line) | FilePlace::Column(line, _) => line,
        FilePlace::Whole | FilePlace::Path(_) => 1,
    };
    assert!((1..=lines).contains(&line), "{fault:?} of {lines} lines");
    assert!(!fault.message.is_empty() && !fault.help.is_empty(), "{fault:?}");
}
