//! The common part of the end-to-end tests: a folder of their own, the built binary, a small experiment.

#![allow(dead_code)] // Each test file uses its part.

pub(crate) mod watched;

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// An experiment on two modelled drives, with this title and these further tables.
macro_rules! on_two_drives {
    ($title:literal, $tables:literal) => {
        concat!(
            "\nschema = 1\ntitle = \"",
            $title,
            r#""

[[bed]]
name = "nvme"
storage = { emulated = "kingston-dc1500m-960g", path = "." }
[[bed]]
name = "sata"
storage = { emulated = "micron-5200-eco-1920g", path = "." }
"#,
            $tables
        )
    };
}

/// Two identical beds, one warehouse, cells of well under a second: everything a run does, as short as it
/// gets.
pub(crate) const SMALL: &str = on_two_drives!(
    "Two drives, small",
    r#"
[database]
engine = "sqlite"
memory = "16MiB"

[[workload]]
kind = "tpcc"
warehouses = 1
virtual_users = [1, 2]
ramp_up = "200ms"
measure = "1s"

[design]
treatment = ["storage"]
repeats = 2
seed = 11
"#
);

/// The shape of [`SMALL`] with hardly any work: a table that is there at once, and a load with a pace. For
/// tests to which any run will do.
pub(crate) const QUICK: &str = on_two_drives!(
    "Two drives, quick",
    r#"
[database]
engine = "sqlite"
memory = "16MiB"

[[workload]]
kind = "sysbench"
test = "oltp_read_write"
tables = 1
rows = 500
threads = [1, 2]
rate = 50
ramp_up = "200ms"
measure = "1s"

[design]
treatment = ["storage"]
repeats = 2
seed = 11
"#
);

/// A pace for order entry that leaves the processors to other tests.
pub(crate) const PACED: [&str; 2] = ["--set", "workload.pacing={ arrivals_per_second = 50.0 }"];

/// A block experiment on modelled drives: no bytes, no load, quick.
pub(crate) const BLOCK: &str = on_two_drives!(
    "Two drives, block reads",
    r#"
[[workload]]
kind = "block"
size = "1GiB"
depth = [4]
ramp_up = "100ms"
measure = "1s"
[[workload.stream]]
read = "100%"
block_size = "4KiB"

[design]
treatment = ["storage"]
repeats = 6
seed = 5
"#
);

/// A loaded and copied database on real storage in `disk`, four cells; ENGINE and MEMORY are to be filled in.
pub(crate) const SCAN: &str = r#"
schema = 1
title = "A database that is loaded, copied and read"

[[bed]]
name = "here"
storage = { real = "disk" }

[database]
engine = "ENGINE"
memory = "MEMORY"

[[workload]]
kind = "scan"
rows = 1000
selectivity = ["1%", "10%"]

[design]
treatment = []
repeats = 2
seed = 3
"#;

thread_local! {
    /// The transport of mounts that commands of this test ask for, if they do.
    pub(crate) static MOUNT_TRANSPORT: std::cell::Cell<Option<&'static str>> = const { std::cell::Cell::new(None) };
}

/// A folder that goes away with the test, with files in it. The notes of its commands are elsewhere, so that
/// concurrent tests do not tidy up after one another.
pub(crate) struct Scratch {
    folder: tempfile::TempDir,
    notes: tempfile::TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let folder = || tempfile::tempdir().expect("a temporary folder");
        Self { folder: folder(), notes: folder() }
    }

    pub(crate) fn with(name: &str, text: &str) -> Self {
        let scratch = Self::new();
        scratch.write(name, text);
        scratch
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The directory in which its commands note things before they make them.
    pub(crate) fn notes(&self) -> PathBuf {
        self.notes.path().join("notes")
    }

    /// The report of a run beside its notebook, whose name ends with the id of the run.
    pub(crate) fn report(&self, begins: &str) -> PathBuf {
        let files = std::fs::read_dir(self.path()).expect("the scratch folder can be read");
        let mut names =
            files.map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name"));
        let found = names.find(|name| name.starts_with(begins) && name.ends_with(".html"));
        self.path().join(found.unwrap_or_else(|| format!("no report {begins}")))
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, text).expect("the scratch folder can be written");
        path
    }

    /// The built binary, about to run in this folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_drivetrain"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env("NO_COLOR", "1")
            // The language of whoever runs the tests is not theirs.
            .env("DRIVETRAIN_LANGUAGE", "en")
            .env("DRIVETRAIN_RUNTIME_DIR", self.notes())
            .env_remove("DRIVETRAIN_NOTEBOOK");
        MOUNT_TRANSPORT.get().into_iter().for_each(|way| {
            command.env("DRIVETRAIN_MOUNT_TRANSPORT", way);
        });
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::from(self.command(arguments).output().expect("the binary starts"))
    }

    /// Runs block I/O on modelled drives without waiting for it.
    pub(crate) fn run_in_virtual_time(&self, arguments: &[&str]) -> Ran {
        let mut command = self.command(arguments);
        Ran::from(command.env("DRIVETRAIN_CLOCK", "virtual").output().expect("the binary starts"))
    }
}

/// Ctrl-C for a process that the test started.
pub(crate) fn interrupt(child: &std::process::Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill is there").success());
}

/// A file system of a few megabytes that goes away with it.
pub(crate) struct SmallDisk(pub(crate) PathBuf);

impl SmallDisk {
    /// Mounts it on a new directory; `None` for an account that may not mount.
    #[track_caller]
    pub(crate) fn mount(path: &Path, size: &str) -> Option<Self> {
        testkit::need::root()?;
        std::fs::create_dir(path).expect("a new directory");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(path);
        let output = mount.output().expect("mount is there");
        assert!(output.status.success(), "root mounts: {}", String::from_utf8_lossy(&output.stderr));
        Some(Self(path.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// The need of an engine by its name in an experiment file.
#[track_caller]
pub(crate) fn engine(name: &str) -> Option<()> {
    let programs: &[&str] = match name {
        "postgresql" => &["initdb"],
        "mariadb" => &["mariadbd", "mariadb-backup"],
        _ => &[],
    };
    programs.iter().try_for_each(|name| testkit::need::program(name).map(drop))
}

/// A command's output and its end.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
        }
    }
}

impl Ran {
    /// The one JSON document on stdout.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("stdout is one JSON document: {e}\n{self:#?}"))
    }

    /// Panics with everything printed unless the exit code is `code`.
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }
}

/// Longer files are known by length and the time of their last change, which nobody can set.
const LONG_BYTES: u64 = 1 << 20;

/// Everything at a path and below it, with its bytes.
pub(crate) type Below = std::collections::BTreeMap<PathBuf, Vec<u8>>;

/// Everything at `path` and below it; the target of a link counts as its bytes.
pub(crate) fn below(path: &Path) -> Below {
    let mut found = Below::new();
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        let facts = path.symlink_metadata().expect("it is still there");
        let kind = facts.file_type();
        let mut bytes = format!("{kind:?}").into_bytes();
        if kind.is_file() && facts.len() > LONG_BYTES {
            bytes.extend(format!("{} {} {}", facts.len(), facts.ctime(), facts.ctime_nsec()).into_bytes());
        } else if kind.is_file() {
            bytes.append(&mut std::fs::read(&path).expect("a file can be read"));
        } else if kind.is_symlink() {
            let target = std::fs::read_link(&path).expect("a link can be read");
            bytes.append(&mut target.into_os_string().into_encoded_bytes());
        } else if kind.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a directory can be listed");
            open.extend(entries.map(|entry| entry.expect("a directory can be listed").path()));
        }
        found.insert(path, bytes);
    }
    found
}

/// Panics with the paths that came, went or changed.
pub(crate) fn expect_unchanged(before: &Below, path: &Path, what: &str) {
    let now = below(path);
    let known = before.keys().chain(now.keys());
    let moved: std::collections::BTreeSet<_> =
        known.filter(|path| before.get(*path) != now.get(*path)).collect();
    assert!(moved.is_empty(), "{what}: {moved:#?}");
}
