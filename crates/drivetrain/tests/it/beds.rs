//! Directories of beds, through the built binary: foreign files in them, in the place of their files or in
//! their own place, stay byte for byte, are named, and keep the rest.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::common::{self, Below, Ran, SCAN, Scratch, below, expect_unchanged};

/// A load of some seconds, which leaves time to disturb the run.
const LOAD: &str = r#"
[[workload]]
kind = "block"
size = "1MiB"
rate = [100]
direct = false
ramp_up = "0s"
measure = "5s"
[[workload.stream]]
read = "100%"
block_size = "4KiB"
"#;

const THESIS: &[u8] = b"work of years";
/// Bystanders: files that belong to nobody's test.
const BYSTANDERS: [&str; 3] = ["notes.txt", "disk/photos.raw", "disk/drivetrain-data/mine.txt"];

/// An experiment whose run crashed in its first cell, so that everything that a run makes is there.
struct Crashed {
    scratch: Scratch,
    folder: PathBuf,
}

impl Crashed {
    /// The process dies soon after the first call of this kind on the file of this name in the bed's
    /// directory.
    fn new(engine: &str, memory: &str, (call, name): (&str, &str)) -> Self {
        let scratch = prepared(engine, memory);
        let plan = format!("crash@{}", point(engine, memory, call, name) + 3);
        let ran = scratch.command(&["run", "x.toml"]).env("DRIVETRAIN_FAULT", &plan).output().unwrap();
        assert_eq!(ran.status.code(), None, "{plan}: {ran:?}");
        let folders = fs::read_dir(scratch.path().join("disk/drivetrain-data")).unwrap();
        let folder = folders.map(|entry| entry.unwrap().path()).find(|path| path.is_dir()).unwrap();
        let crashed = Self { scratch, folder };
        for there in ["golden-0/whole", "bed-here-1/.drivetrain"] {
            assert!(crashed.folder.join(there).exists(), "{there}");
        }
        crashed
    }

    fn sqlite() -> Self {
        Self::new("sqlite", "1MiB", ("Rename", "database.sqlite"))
    }

    fn disk(&self) -> PathBuf {
        self.scratch.path().join("disk")
    }

    /// All of these ways to give up the data refuse, name the file and touch nothing.
    fn refuses(&self, commands: &[&[&str]], what: &str, named: &Path) {
        let named = named.file_name().unwrap().to_str().unwrap();
        // The remains of a killed server are handled first, and its lock taken, whatever becomes of the data.
        let mut before = below(&self.disk());
        for arguments in commands {
            let refused = self.scratch.run(arguments).expect(6);
            let text = refused.stdout.clone() + &refused.stderr;
            assert!(text.contains(named) && text.contains("refused"), "{what}: {refused:?}");
            for passing in ["server.lock", "data/postmaster.pid"] {
                refresh(&mut before, &self.folder.join("bed-here-1").join(passing));
            }
            expect_unchanged(&before, &self.disk(), &format!("{what}: {arguments:?}"));
        }
    }

    fn cleans(&self, what: &str) {
        let ran = self.scratch.run(&["clean", "--all"]).expect(0);
        assert!(!self.folder.exists(), "{what}: {ran:?}");
        for name in BYSTANDERS {
            assert_eq!(fs::read(self.scratch.path().join(name)).unwrap(), name.as_bytes(), "{what}");
        }
    }
}

/// The number of the first call of this kind on the file of this name in the bed's directory. Every run of
/// an engine makes the same calls up to there, so one run that is not disturbed serves all tests of this
/// program.
fn point(engine: &str, memory: &str, call: &str, name: &str) -> usize {
    static KNOWN: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(format!("{engine} {memory} {call} {name}")).or_insert_with(|| {
        let scratch = prepared(engine, memory);
        let log = scratch.notes().with_file_name("points");
        let ran = scratch.command(&["run", "x.toml"]).env("DRIVETRAIN_FAULT_LOG", &log).output().unwrap();
        Ran::from(ran).expect(0);
        let points = fs::read_to_string(&log).unwrap();
        let (call, name) = (format!(" {call} "), format!("/bed-here-1/{name}"));
        let at = points.lines().position(|line| line.contains(&call) && line.ends_with(&name));
        at.unwrap_or_else(|| panic!("{points}"))
    })
}

/// Takes the present contents of `path` as the expected ones.
fn refresh(known: &mut Below, path: &Path) {
    match path.symlink_metadata() {
        Ok(_) => known.extend(below(path)),
        Err(_) => drop(known.remove(path)),
    }
}

fn prepared(engine: &str, memory: &str) -> Scratch {
    // Two cells: one that crashes, and one to go on with.
    let text = SCAN.replace("repeats = 2", "repeats = 1");
    let scratch = Scratch::with("x.toml", &text.replace("ENGINE", engine).replace("MEMORY", memory));
    // Servers run as accounts of their own, and have to come through.
    fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir_all(scratch.path().join("disk/drivetrain-data")).unwrap();
    for name in BYSTANDERS {
        scratch.write(name, name);
    }
    scratch
}

/// A user's change to a path: all of the user's files are below it afterwards.
type Change = fn(&Path);

fn puts(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, THESIS).unwrap();
}

fn links(path: &Path) {
    symlink("/etc/hostname", path).unwrap();
}

fn replaces_by_a_directory(path: &Path) {
    puts(&path.join("thesis"));
}

/// A copy with all names, times and owners: only inodes and births tell.
fn copies(path: &Path) {
    let status = Command::new("cp").arg("-a").arg(aside(path)).arg(path).status().unwrap();
    assert!(status.success());
}

/// The place of the original of `path` meanwhile.
fn aside(path: &Path) -> PathBuf {
    let disk = path.ancestors().find(|above| above.ends_with("disk")).unwrap();
    disk.with_file_name("aside")
}

fn remove(path: &Path) {
    let is_dir = path.symlink_metadata().is_ok_and(|found| found.is_dir());
    if is_dir { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
}

/// Does the change at `path`, whose original is kept, lets `check` look, and brings the original back.
fn meanwhile(path: &Path, change: Change, check: impl FnOnce()) {
    let was_there = path.symlink_metadata().is_ok();
    if was_there {
        fs::rename(path, aside(path)).unwrap();
    }
    change(path);
    check();
    remove(path);
    if was_there {
        fs::rename(aside(path), path).unwrap();
    }
}

const SQLITE: [(&str, Change); 14] = [
    ("thesis", puts),
    ("bed-here-1/thesis", puts),
    ("golden-0/thesis", puts),
    ("golden-0/database.sqlite-wal", puts),
    ("bed-here-1/database.sqlite", puts),
    ("bed-here-1/database.sqlite", links),
    ("golden-0/database.sqlite", puts),
    ("golden-0/database.sqlite", copies),
    ("golden-0/whole", puts),
    ("bed-here-1", copies),
    ("golden-0", copies),
    ("bed-here-1", replaces_by_a_directory),
    ("golden-0/.drivetrain", puts),
    ("", copies),
];

#[test]
fn what_somebody_put_among_a_runs_files_keeps_them_and_is_named() {
    let crashed = Crashed::sqlite();
    let folder = crashed.folder.to_str().unwrap();
    let commands = [&["clean", "--all"][..], &["clean", folder], &["clean", "--json", "--run", "1"]];
    for (name, change) in SQLITE {
        let path = if name.is_empty() { crashed.folder.clone() } else { crashed.folder.join(name) };
        meanwhile(&path, change, || crashed.refuses(&commands, name, &path));
    }
    crashed.cleans("all is as it was");
}

#[test]
fn a_run_that_goes_on_touches_nothing_of_somebody_elses() {
    for (name, change, code) in [
        ("thesis", puts as Change, 6),
        ("bed-here-1/thesis", puts, 7),
        ("bed-here-1/database.sqlite", puts, 7),
        ("bed-here-1", copies, 7),
        ("golden-0/database.sqlite", copies, 6),
        ("golden-0", copies, 6),
        ("", copies, 6),
    ] {
        let crashed = Crashed::sqlite();
        let path = if name.is_empty() { crashed.folder.clone() } else { crashed.folder.join(name) };
        meanwhile(&path, change, || {
            let before = below(&path);
            let refused = crashed.scratch.run(&["resume"]).expect(code);
            let file = path.file_name().unwrap().to_str().unwrap();
            assert!(
                refused.stderr.contains(file) && refused.stderr.contains("refused"),
                "{name}: {refused:?}"
            );
            expect_unchanged(&before, &path, name);
        });
        crashed.scratch.run(&["resume"]).expect(0);
        crashed.cleans(name);
    }
}

/// Same inode, birth and length: only the time of the write tells.
#[test]
fn a_golden_copy_that_somebody_wrote_over_is_neither_used_nor_removed() {
    for (engine, memory, point, name) in [
        ("sqlite", "1MiB", ("Rename", "database.sqlite"), "golden-0/database.sqlite"),
        ("postgresql", "32MiB", ("Create", "server.pid"), "golden-0/data/global/pg_filenode.map"),
        ("mariadb", "32MiB", ("Create", "server.pid"), "golden-0/data/ibdata1"),
    ] {
        let Some(()) = common::engine(engine) else { continue };
        let crashed = Crashed::new(engine, memory, point);
        let path = crashed.folder.join(name);
        let length = usize::try_from(path.metadata().unwrap().len()).unwrap();
        let precious = THESIS.iter().copied().cycle().take(length).collect::<Vec<u8>>();
        fs::OpenOptions::new().write(true).open(&path).unwrap().write_all_at(&precious, 0).unwrap();
        let ran = crashed.scratch.run(&["resume"]).expect(6);
        let file = path.file_name().unwrap().to_str().unwrap();
        assert!(ran.stderr.contains(file) && ran.stderr.contains("was changed"), "{engine}: {ran:?}");
        crashed.refuses(&[&["clean", "--all"], &["clean", "--all", "--dry-run"]], engine, &path);
        assert!(fs::read(&path).unwrap() == precious, "{engine}");
    }
}

#[test]
fn a_moved_folder_is_refused_and_goes_on_where_it_was() {
    let crashed = Crashed::sqlite();
    let moved = crashed.scratch.path().join("moved");
    fs::rename(crashed.disk(), &moved).unwrap();
    let folder = moved.join("drivetrain-data").join(crashed.folder.file_name().unwrap());
    let before = below(&moved);
    let refused = crashed.scratch.run(&["clean", folder.to_str().unwrap()]).expect(6);
    assert!(refused.stdout.contains("Move the directory back if it was moved"), "{refused:?}");
    expect_unchanged(&before, &moved, "moved");
    fs::rename(&moved, crashed.disk()).unwrap();
    crashed.scratch.run(&["resume"]).expect(0);
    crashed.cleans("moved back");
}

/// As after a start of the machine at which the drive was not mounted, or another was.
#[test]
fn a_run_does_not_go_on_where_another_file_system_is_by_now() {
    let Some(()) = testkit::need::root() else { return }; // Nobody else can mount anything.
    let crashed = Crashed::sqlite();
    let system = |program: &str, arguments: &[&str]| {
        assert!(Command::new(program).args(arguments).arg(crashed.disk()).status().unwrap().success());
    };
    system("mount", &["-t", "tmpfs", "none"]);
    let ran = crashed.scratch.run(&["resume"]);
    let left = fs::read_dir(crashed.disk()).unwrap().count();
    system("umount", &[]);
    let refused = ran.expect(1);
    assert!(
        refused.stderr.contains("storage of bed `here` is no longer the one it began with"),
        "{refused:?}"
    );
    assert_eq!(left, 0, "nothing was made there");
    crashed.scratch.run(&["resume"]).expect(0);
    crashed.cleans("mounted back");
}

/// A file that comes while the run is at work: it finds it at the end.
#[test]
fn what_comes_while_a_run_works_stays_and_is_named() {
    let scratch = prepared("sqlite", "1MiB");
    let text = fs::read_to_string(scratch.path().join("x.toml")).unwrap();
    scratch.write("x.toml", &format!("{text}{LOAD}"));
    let mut run =
        scratch.command(&["run", "x.toml"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let data = scratch.path().join("disk/drivetrain-data");
    let golden = loop {
        let folders = fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path().join("golden-0"));
        if let Some(golden) = folders.into_iter().find(|golden| golden.join("whole").exists()) {
            break golden;
        }
        assert!(run.try_wait().unwrap().is_none(), "it works until it is disturbed");
        std::thread::sleep(Duration::from_millis(1));
    };
    // The golden copy goes last.
    puts(&golden.join("thesis"));
    let ran = Ran::from(run.wait_with_output().unwrap()).expect(6);
    assert!(ran.stderr.contains("golden-0/thesis"), "{ran:?}");
    assert_eq!(fs::read(golden.join("thesis")).unwrap(), THESIS);
}

#[test]
fn the_directories_of_servers_are_held_to_the_same() {
    for (engine, base) in [("postgresql", "base/1"), ("mariadb", "mysql")] {
        let Some(()) = common::engine(engine) else { continue };
        let crashed = Crashed::new(engine, "32MiB", ("Create", "server.pid"));
        let (in_base, in_data) = (format!("bed-here-1/data/{base}/thesis"), "bed-here-1/data/pg_dump.sql");
        let changes: [(&str, Change); 10] = [
            (&in_base, puts),
            (in_data, puts),
            ("bed-here-1/log/mine", replaces_by_a_directory),
            ("bed-here-1/tmp/thesis", puts),
            ("golden-0/data/thesis", puts),
            ("golden-0/secret", puts),
            ("bed-here-1/server.log", puts),
            ("bed-here-1/secret", copies),
            ("bed-here-1/data", links),
            ("golden-0", copies),
        ];
        for (name, change) in changes {
            let path = crashed.folder.join(name);
            let above_was_there = path.parent().unwrap().exists();
            let what = format!("{engine}: {name}");
            meanwhile(&path, change, || crashed.refuses(&[&["clean", "--all"]], &what, &path));
            if !above_was_there {
                fs::remove_dir(path.parent().unwrap()).unwrap();
            }
        }
        crashed.cleans(engine);
    }
}
