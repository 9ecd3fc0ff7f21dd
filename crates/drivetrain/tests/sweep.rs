//! The built program with the n-th call of the kernel failing: below the notebook, the copies, the markers
//! and the outputs. Whatever failed, the notebook opens, nothing foreign has changed, and the run can be
//! completed.
//!
//! A sample is drawn each time (its seed is printed; `DRIVETRAIN_SEED` repeats it). `DRIVETRAIN_SWEEP=all
//! cargo test -p drivetrain --test sweep -- --nocapture` makes every call fail in every way.
#![allow(clippy::unwrap_used, clippy::print_stderr)] // A failed unwrap is a failed test; seeds and counts are printed.

mod common;

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A block load in a fraction of a second.
const LOAD: &str = r#"
[[workload]]
kind = "block"
size = "1MiB"
depth = [1]
direct = false
ramp_up = "0s"
measure = "50ms"
curve = ["100%"]
[[workload.stream]]
read = "100%"
block_size = "4KiB"
"#;

/// Every kind of file that a run makes, as short as it gets: a loaded and copied database, a block load.
fn tiny() -> String {
    let scan = common::SCAN.replace("ENGINE", "sqlite").replace("MEMORY", "1MiB");
    scan.replace("repeats = 2\nseed = 3", "repeats = 1\nseed = 5") + LOAD
}

/// The time limit of one call of the program on a busy machine before it counts as hanging.
const PATIENCE: Duration = Duration::from_secs(60);
/// Points drawn of each sweep where not all are asked for.
const SAMPLE: u64 = 9;
const FAILURES: [&str; 3] = ["error", "full", "crash"];
/// Foreign files.
const FOREIGN: [&str; 5] =
    ["notes.txt", "disk/photos.raw", "disk/drivetrain-data/mine.txt", "drivetrain.db.bak", "there.db-notes"];

/// A folder, in memory where there is such a place, so that a sweep does not wait for a disk.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Scratch {
        let memory = Path::new("/dev/shm");
        let dir = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let place = Scratch(dir.unwrap());
        std::fs::create_dir_all(place.path("disk/drivetrain-data")).unwrap();
        for name in FOREIGN {
            std::fs::write(place.path(name), format!("work of years: {name}")).unwrap();
        }
        std::fs::write(place.path("tiny.toml"), tiny()).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, arguments: &[&str], fault: &str) -> Ended {
        let files =
            ["out", "err"].map(|name| (self.path(name), std::fs::File::create(self.path(name)).unwrap()));
        let [(out, stdout), (err, stderr)] = files;
        let mut command = Command::new(env!("CARGO_BIN_EXE_drivetrain"));
        command
            .args(arguments)
            .current_dir(self.0.path())
            .env("NO_COLOR", "1")
            // The language of whoever runs the tests is not theirs.
            .env("DRIVETRAIN_LANGUAGE", "en")
            .env_remove("DRIVETRAIN_NOTEBOOK");
        match fault.split_once('=') {
            Some((variable, value)) => command.env(variable, value),
            None => &mut command,
        };
        let mut child = command.stdin(Stdio::null()).stdout(stdout).stderr(stderr).spawn().unwrap();
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > PATIENCE {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!("{arguments:?} with {fault} hangs");
            }
            std::thread::sleep(Duration::from_millis(3));
        };
        let text = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        let ended = Ended {
            code: status.code(),
            killed: status.signal() == Some(9),
            out: text(&out),
            err: text(&err),
        };
        for path in [out, err] {
            std::fs::remove_file(path).unwrap();
        }
        ended
    }

    fn require(&self, arguments: &[&str], context: &str) -> Ended {
        let ended = self.run(arguments, "");
        assert_eq!(ended.code, Some(0), "{context}: then {arguments:?} {ended:#?}");
        ended
    }

    /// Names of all files below the folder, foreign ones after a look at their bytes left out.
    fn strangers(&self, context: &str) -> Vec<String> {
        for name in FOREIGN {
            let text =
                std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{context}: {name}: {e}"));
            assert_eq!(text, format!("work of years: {name}"), "{context}");
        }
        let mut found = Vec::new();
        let mut folders = vec![self.0.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(self.0.path()).unwrap().to_str().unwrap().to_owned();
                if path.is_dir() {
                    folders.push(path);
                } else if !FOREIGN.contains(&name.as_str()) {
                    found.push(name);
                }
            }
        }
        found.sort();
        found
    }
}

#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    killed: bool,
    out: String,
    err: String,
}

impl Ended {
    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

/// One way to use the program, swept.
struct Sweep<'a> {
    arguments: &'a [&'a str],
    /// Files of a folder in which it can run.
    prepare: &'a (dyn Fn(&Scratch) + Sync),
    /// Examines the remains after its end, and completes it.
    examine: &'a (dyn Fn(&Scratch, &Ended, &str) + Sync),
}

impl Sweep<'_> {
    /// Makes all or some points fail; gives how many there are and how many failed.
    fn go(&self) -> (u64, usize) {
        let place = Scratch::new();
        (self.prepare)(&place);
        let log = tempfile::NamedTempFile::new().unwrap();
        let counted = self.run(&place, &format!("DRIVETRAIN_FAULT_LOG={}", log.path().display()));
        assert_eq!(counted.code, Some(0), "{counted:#?}");
        let points = std::fs::read_to_string(log.path()).unwrap().lines().count() as u64;
        assert!(points > 20, "{points} points of {:?}", self.arguments);
        let plans = plans(points);
        let made = plans.len();
        let (left, faults) = (Mutex::new(plans), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    loop {
                        let Some(plan) = left.lock().unwrap().pop() else { break };
                        // Every point is tried before any failure is reported.
                        let tried =
                            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.try_out(&plan)));
                        if tried.is_err() {
                            faults.lock().unwrap().push(plan);
                        }
                    }
                });
            }
        });
        let faults = faults.into_inner().unwrap();
        assert!(faults.is_empty(), "{:?}: {} of {made} plans: {faults:?}", self.arguments, faults.len());
        eprintln!("{:?}: {points} points, {made} plans of failure tried", self.arguments);
        (points, made)
    }

    fn run(&self, place: &Scratch, fault: &str) -> Ended {
        place.run(self.arguments, fault)
    }

    fn try_out(&self, plan: &str) {
        let place = Scratch::new();
        (self.prepare)(&place);
        let ended = self.run(&place, &format!("DRIVETRAIN_FAULT={plan}"));
        let context = format!("{:?} with {plan} ended with {:?}, {}", self.arguments, ended.code, ended.err);
        assert!(!ended.err.contains("panicked"), "{context}");
        assert!(ended.code == Some(0) || ended.killed || !ended.err.is_empty(), "{context}: nothing is told");
        assert!(ended.code.is_some() || (ended.killed && plan.starts_with("crash")), "{context}");
        place.strangers(&context);
        (self.examine)(&place, &ended, &context);
        place.strangers(&context);
    }
}

/// All plans, or a sample of them.
fn plans(points: u64) -> Vec<String> {
    if std::env::var("DRIVETRAIN_SWEEP").is_ok_and(|asked| asked == "all") {
        return (1..=points).flat_map(|at| FAILURES.map(|failure| format!("{failure}@{at}"))).collect();
    }
    let mut random = ground::Random::new(testkit::seed());
    (0..SAMPLE)
        .map(|number| format!("{}@{}", FAILURES[number as usize % 3], random.below(points) + 1))
        .collect()
}

/// The notebook opens and tells its runs; none where there is no notebook yet.
fn runs(place: &Scratch, context: &str) -> usize {
    let made = std::fs::metadata(place.path("drivetrain.db")).is_ok_and(|file| file.len() > 0);
    if !made {
        return 0;
    }
    let listed = place.run(&["ls", "--json"], "");
    if listed.err.contains("an empty file") {
        return 0; // Its journal was played back: it was not made yet.
    }
    assert_eq!(listed.code, Some(0), "{context}: {listed:#?}");
    listed.json().as_array().map_or(0, Vec::len)
}

/// Whatever became of the run, it is completed or made anew, and then nothing but its results is left.
fn complete(place: &Scratch, ended: &Ended, context: &str) {
    let known = runs(place, context);
    let mut finished = false;
    if known == 0 {
        assert_ne!(ended.code, Some(0), "{context}: nothing was kept and nothing told");
        place.require(&["run", "tiny.toml"], context);
    } else {
        let shown = place.require(&["show", "--json"], context).json();
        finished = shown["state"] == "finished";
        if ended.code == Some(0) {
            assert!(finished, "{context}");
        }
        if !finished || ended.code != Some(0) {
            let resumed = place.run(&["resume"], "");
            assert!(matches!(resumed.code, Some(0)), "{context}: then resume {resumed:#?}");
        }
    }
    let shown = place.require(&["show", "--json"], context).json();
    let cells = shown["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 3, "{context}");
    assert!(cells.iter().all(|cell| cell["state"] == "done"), "{context}: {shown:#}");
    let left = place.strangers(context);
    // A folder that was claimed for a run that the notebook never came to know holds its marker at most.
    let unknown = |name: &str| {
        known == 0 && name.starts_with("disk/drivetrain-data/") && name.ends_with("/.drivetrain")
    };
    // A lock file that could not be removed is the next writer's to remove; a report that a crash cut off
    // lies under a name of its own.
    let results = |name: &str| {
        name.ends_with(".html")
            || (finished && name == "drivetrain.db-lock")
            || (ended.killed && name.starts_with(".drivetrain-report-") && name.ends_with(".partial"))
    };
    let left: Vec<&str> =
        left.iter().map(String::as_str).filter(|name| !results(name) && !unknown(name)).collect();
    assert_eq!(left, ["drivetrain.db", "tiny.toml"], "{context}");
}

#[test]
fn a_run_can_be_completed_whatever_failed() {
    Sweep { arguments: &["run", "tiny.toml"], prepare: &|_| {}, examine: &complete }.go();
}

/// The notebooks of two finished runs, made once for all that only read or copy them.
fn two_notebooks() -> Scratch {
    let place = Scratch::new();
    for name in ["drivetrain.db", "there.db"] {
        place.require(&["run", "tiny.toml", "--notebook", name, "--report", "first.html"], "preparing");
    }
    std::fs::remove_file(place.path("first.html")).unwrap();
    place
}

/// Imports the other notebook, and then reads, reports and exports the runs.
#[test]
fn imports_reports_and_exports_are_whole_or_absent_whatever_failed() {
    let made = two_notebooks();
    let prepare = |place: &Scratch| {
        for name in ["drivetrain.db", "there.db"] {
            std::fs::copy(made.path(name), place.path(name)).unwrap();
        }
    };
    let imported = |place: &Scratch, ended: &Ended, context: &str| {
        let known = runs(place, context);
        assert!(known == 2 || (known == 1 && ended.code != Some(0)), "{context}: {known} runs");
        place.require(&["import", "there.db"], context);
        assert_eq!(runs(place, context), 2, "{context}: a run that is here is not copied again");
        place.require(&["ls", "--notebook", "there.db"], context);
        assert_eq!(place.strangers(context), ["drivetrain.db", "there.db", "tiny.toml"], "{context}");
    };
    Sweep { arguments: &["import", "there.db"], prepare: &prepare, examine: &imported }.go();
    for (arguments, file, ending) in [
        (["report", "--output", "made.html"], "made.html", "</html>"),
        (["export", "--output", "made.csv"], "made.csv", ""),
    ] {
        let whole = Scratch::new();
        prepare(&whole);
        whole.require(&arguments, "preparing");
        let bytes = std::fs::read(whole.path(file)).unwrap().len();
        let written = |place: &Scratch, ended: &Ended, context: &str| {
            assert_eq!(runs(place, context), 1, "{context}");
            if let Ok(text) = std::fs::read_to_string(place.path(file)) {
                let is_whole = text.trim_end().ends_with(ending) && text.len().abs_diff(bytes) < 1000;
                assert!(is_whole || ended.code != Some(0), "{context}: cut off and nothing told");
            } else {
                assert_ne!(ended.code, Some(0), "{context}: nothing was written and nothing told");
            }
            // An export bears no mark by which a second one could know it for ours.
            let _ = std::fs::remove_file(place.path(file));
            place.require(&arguments, context);
        };
        Sweep { arguments: &arguments, prepare: &prepare, examine: &written }.go();
    }
}
