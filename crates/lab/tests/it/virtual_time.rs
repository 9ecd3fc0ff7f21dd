//! The real conductor in virtual time: minutes of load in seconds, and for one seed one notebook.

use std::path::Path;
use std::time::{Duration, SystemTime};

use ground::Clock;
use lab::{Finished, Interrupt, LabError, Silent};
use notebook::{Notebook, RunId};

/// A sweep over depths beside a log with two writers, arrivals, and the null engine, on a
/// fast and a slow drive.
const BLOCK: &str = r#"
schema = 1
title = "Two drives in virtual time"
[[bed]]
name = "nvme"
storage = { emulated = "kingston-dc1500m-960g", path = "PATH" }
[[bed]]
name = "sata"
storage = { emulated = "micron-5200-eco-1920g", path = "PATH" }

[[workload]]
kind = "block"
name = "depths"
size = "1GiB"
depth = [1, 16]
ramp_up = "1s"
measure = "2s"
[[workload.stream]]
name = "data"
read = "70%"
block_size = "4KiB"
[[workload.stream]]
name = "log"
read = "0%"
block_size = "8KiB"
pattern = "sequential"
rate = 1000
workers = 2

[[workload]]
kind = "block"
name = "arrivals"
size = "1GiB"
rate = [500]
ramp_up = "0s"
measure = "60s"
[[workload.stream]]
read = "100%"
block_size = "8KiB"

[[workload]]
kind = "block"
name = "nothing"
engine = "null"
size = "1GiB"
depth = [1]
ramp_up = "0s"
measure = "1s"
[[workload.stream]]
read = "100%"
block_size = "4KiB"

[design]
treatment = ["storage"]
repeats = 2
"#;

/// Runs it from 01:46:40 on, on this day of September 2001.
fn run(text: &str, seed: u64, day: u64, file: &Path) -> Result<Finished, LabError> {
    let date = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 + (day - 9) * 86_400);
    let request = crate::request(text, seed, Clock::virtual_from(date));
    let mut notebook = Notebook::open_or_create(file).unwrap();
    lab::run(&request, &mut notebook, &Interrupt::default(), &Silent)
}

#[test]
fn one_seed_gives_one_notebook_to_the_byte_but_for_its_dates() {
    let scratch = tempfile::tempdir().unwrap();
    let text = BLOCK.replace("PATH", scratch.path().to_str().unwrap());
    let path_of = |name: &str| scratch.path().join(name);
    let notebook_of = |seed: u64, day: u64, name: &str| {
        let finished = run(&text, seed, day, &path_of(name)).unwrap();
        assert_eq!((finished.done, finished.invalid, finished.left), (16, 0, 0));
        std::fs::read(path_of(name)).unwrap()
    };
    let (first, other) = (notebook_of(7, 9, "first"), notebook_of(8, 9, "other"));
    let mut later = notebook_of(7, 10, "later");
    assert!(first != later && first != other, "another day and another seed are told");
    let (day, next) = (b"2001-09-09T", b"2001-09-10T");
    while let Some(at) = later.windows(next.len()).position(|bytes| bytes == next) {
        later[at..at + day.len()].copy_from_slice(day);
    }
    assert!(first == later, "the same seed gave another notebook");
    let notebook = Notebook::open_existing(path_of("first")).unwrap();
    let run = notebook.run(RunId(1)).unwrap();
    assert_eq!(run.started_at, "2001-09-09T01:46:40.000Z");
    // Eight cells of 3 s, four of 60 s and four of 1 s; their last I/Os come a moment later.
    let ended_at = run.ended_at.unwrap();
    assert!(ended_at.starts_with("2001-09-09T01:51:08."), "{ended_at}");
}

#[test]
fn what_needs_the_machine_is_refused_there() {
    let scratch = tempfile::tempdir().unwrap();
    let real =
        BLOCK.replace("{ emulated = \"micron-5200-eco-1920g\", path = \"PATH\" }", "{ real = \"PATH\" }");
    let text = real.replace("PATH", scratch.path().to_str().unwrap());
    let refused = run(&text, 1, 9, &scratch.path().join("notebook")).unwrap_err().to_string();
    assert!(refused.contains("virtual time") && refused.contains("depths"), "{refused}");
}
