//! Kills, ends and closed terminals at random moments of runs on SQLite, PostgreSQL and MariaDB, on mounted
//! drives and under limits: the notebook opens, no measured cell is lost, the next command leaves no orphan,
//! and `resume` completes.
//!
//! A handful by default, each of another kind of run, drawn from all of them anew every time;
//! `DRIVETRAIN_KILLS=200 DRIVETRAIN_SEED=1 cargo test -p drivetrain --test kills` for a long series.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // A failed unwrap is a failed test; seeds and kills are printed.

mod common;
mod terminal;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::Scratch;
use ground::Random;
use serde_json::Value;
use terminal::{Terminal, with_hangup};
use testkit::need;

/// Kills of one run before it is completed.
const KILLS_OF_A_RUN: u32 = 8;
/// The time limit for a process that has been asked to end; it may be in the middle of a load.
const END_LIMIT: Duration = Duration::from_secs(120);
/// The time limit for the kernel to remove killed processes.
const BURIAL_LIMIT: Duration = Duration::from_secs(20);

/// A small table, cells of a second, and a pace: most of the work is then that of runs and servers.
const SYSBENCH: &str = r#"
schema = 1
title = "Killed again and again"

[[bed]]
name = "a"
storage = STORAGE

[database]
engine = "ENGINE"
memory = "32MiB"
LIMIT

[[workload]]
kind = "sysbench"
test = "oltp_read_write"
tables = 1
rows = 500
threads = [2]
rate = 50
ramp_up = "100ms"
measure = "1s"

[design]
treatment = []
repeats = 2
seed = 3
"#;

const SCAN: &str = r#"
schema = 1
title = "Killed again and again"

[[bed]]
name = "a"
storage = { emulated = "kingston-dc1500m-960g", path = "." }

[database]
engine = "sqlite"
memory = "4MiB"

[[workload]]
kind = "scan"
rows = 3000
selectivity = ["1%", "10%"]

[design]
treatment = []
repeats = 4
seed = 3
"#;

const REAL: &str = "{ real = \".\" }";
const EMULATED: &str = "{ emulated = \"kingston-dc1500m-960g\", path = \".\" }";

/// The processes to kill: name, and experiment.
fn sites() -> Vec<(&'static str, String)> {
    let sysbench = |engine: &str, storage: &str, limit: &str| {
        SYSBENCH.replace("ENGINE", engine).replace("STORAGE", storage).replace("LIMIT", limit)
    };
    let mut sites = vec![("sqlite", SCAN.to_owned())];
    for engine in ["postgresql", "mariadb"] {
        let Some(()) = common::engine(engine) else { continue };
        sites.push((engine, sysbench(engine, REAL, "")));
        if need::given(emulate::fuse::check()).is_some() {
            sites.push((
                if engine == "mariadb" { "mariadb, mounted" } else { "postgresql, mounted" },
                sysbench(engine, EMULATED, ""),
            ));
        }
    }
    let rule = [database::group::Rule::Cpus(1.5)];
    let limits = database::group::availability(&rule);
    if !limits.starts_with("available") {
        need::skip(&limits);
    } else if common::engine("postgresql").is_some() {
        sites.push(("postgresql, limited", sysbench("postgresql", REAL, "cpus = 1.5")));
    }
    println!("sites: {:?}", sites.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    sites
}

/// A run whose cells are all told, some of them as invalid.
const INVALID_CELLS: i32 = 7;
/// The number of resumes of cells that had nothing to count.
const RESUMES_MAX: usize = 5;

/// The ways to end a process.
const WAYS: [&str; 4] = ["KILL", "TERM", "HUP", "closed terminal"];

/// One experiment in a folder, killed again and again.
struct Site {
    name: &'static str,
    scratch: Scratch,
    sockets: tempfile::TempDir,
    runs: u64,
    kills: u32,
    /// Cells of the present run by position, with their measurements.
    done: BTreeMap<u64, Value>,
}

impl Site {
    fn new(name: &'static str, text: &str) -> Self {
        let scratch = Scratch::with("x.toml", text);
        // Servers run as accounts of their own, and have to come through.
        let sockets = tempfile::Builder::new().prefix("dt").tempdir().unwrap();
        for path in [scratch.path(), sockets.path()] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o1777)).unwrap();
        }
        Site { name, scratch, sockets, runs: 0, kills: 0, done: BTreeMap::new() }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.scratch.command(arguments);
        command.env("TMPDIR", self.sockets.path());
        command
    }

    /// Starts or goes on, and ends it in some way at some moment.
    fn kill_once(&mut self, dice: &mut Random) {
        // A run with invalid cells goes on: its data waits for that.
        let begins = self.runs == 0
            || match self.state().as_deref() {
                Some("finished") => self.unfinished().is_empty(),
                state => state.is_none(),
            };
        if begins {
            self.done.clear();
        }
        let arguments: &[&str] = if begins { &["run", "x.toml"] } else { &["resume"] };
        let way = WAYS[dice.below(4) as usize];
        let mut command = self.command(arguments);
        with_hangup(&mut command, true);
        let terminal = (way == "closed terminal").then(Terminal::open);
        let mut child = match &terminal {
            Some(terminal) => terminal.start(&mut command),
            None => command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap(),
        };
        let pid = child.id();
        // Short moments hit beginnings, long ones cells.
        let limit_ms = [400, 3_000, 7_000][dice.below(3) as usize];
        let moment = Duration::from_millis(dice.below(limit_ms));
        let waited = Instant::now();
        while waited.elapsed() < moment && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        match way {
            "KILL" => child.kill().unwrap(),
            "closed terminal" => drop(terminal),
            signal => drop(
                Command::new("kill")
                    .args([&format!("-{signal}"), &pid.to_string()])
                    .stderr(Stdio::null())
                    .status(),
            ),
        }
        let ended = self.wait(&mut child);
        self.kills += 1;
        println!("{}: {} after {moment:?}: {ended}", self.name, way);
        assert!(way == "KILL" || is_in_order(&ended), "{}: {way} after {moment:?}: {ended}", self.name);
        self.check(pid, way);
    }

    fn wait(&self, child: &mut Child) -> std::process::ExitStatus {
        let asked = Instant::now();
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                return status;
            }
            assert!(asked.elapsed() < END_LIMIT, "{}: process {} does not end", self.name, child.id());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn state(&self) -> Option<String> {
        let shown = self.command(&["show", "--json"]).output().unwrap();
        let document: Value = serde_json::from_slice(&shown.stdout).ok()?;
        Some(document["state"].as_str()?.to_owned())
    }

    /// The reasons why cells of the present run are not done.
    fn unfinished(&self) -> Vec<String> {
        let shown = self.command(&["show", "--json"]).output().unwrap();
        let document: Value = serde_json::from_slice(&shown.stdout).unwrap();
        let cells = document["cells"].as_array().unwrap().iter();
        cells.filter(|cell| cell["state"] != "done").map(|cell| cell["reason"].to_string()).collect()
    }

    /// The conditions after every kill.
    fn check(&mut self, pid: u32, way: &str) {
        let place = format!("{} after kill {} ({way})", self.name, self.kills);
        let listed = self.command(&["schema"]).output().unwrap();
        assert!(listed.status.success(), "{place}");
        self.check_orphans(pid, &place);
        let notebook = self.scratch.path().join("drivetrain.db");
        // An empty file was to become a notebook; the next run makes it one.
        if std::fs::metadata(&notebook).map_or(0, |file| file.len()) == 0 {
            assert_eq!(self.data_folders(), 0, "{place}: no run, no data");
            return;
        }
        let connection = rusqlite::Connection::open(&notebook).unwrap();
        let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(sound, "ok", "{place}");
        drop(connection);
        let listed = self.command(&["ls", "--json"]).output().unwrap();
        let runs: Value = serde_json::from_slice(&listed.stdout).unwrap();
        self.runs = runs.as_array().unwrap().len() as u64;
        // The data of invalid cells waits for `resume`, too.
        let unfinished = runs
            .as_array()
            .unwrap()
            .iter()
            .filter(|run| run["state"] != "finished" || run["cells_done"] != run["cells_planned"])
            .count();
        assert!(
            runs.as_array().unwrap().iter().all(|run| run["state"] != "running" && run["state"] != "failed"),
            "{place}: {runs:#}"
        );
        assert!(self.data_folders() <= unfinished, "{place}: data of nobody: {runs:#}");
        if self.runs > 0 {
            self.check_cells(&place);
        }
    }

    /// A measured result stays as it was.
    fn check_cells(&mut self, place: &str) {
        let shown = self.command(&["show", "--json"]).output().unwrap();
        let document: Value = serde_json::from_slice(&shown.stdout).unwrap();
        let cells = document["cells"].as_array().unwrap();
        let done = cells.iter().filter(|cell| cell["state"] == "done");
        let done: BTreeMap<u64, Value> =
            done.map(|cell| (cell["cell"].as_u64().unwrap(), cell["metrics"].clone())).collect();
        for (position, metrics) in &self.done {
            assert_eq!(done.get(position), Some(metrics), "{place}: cell {position}");
        }
        self.done = done;
    }

    fn data_folders(&self) -> usize {
        // A folder that was claimed for a run that the notebook never came to know holds its marker at most.
        let holds_data = |folder: &fs::DirEntry| {
            let files = fs::read_dir(folder.path()).into_iter().flatten().flatten();
            files.into_iter().any(|file| file.file_name() != ".drivetrain")
        };
        let folders = fs::read_dir(self.scratch.path().join("drivetrain-data"));
        folders.into_iter().flatten().flatten().filter(holds_data).count()
    }

    /// Whatever was killed, the command after it has removed the remains; the kernel may still be at it.
    fn check_orphans(&self, pid: u32, place: &str) {
        let begun = Instant::now();
        let mut orphans = self.orphans(pid);
        while !orphans.is_empty()
            && begun.elapsed() < BURIAL_LIMIT
            && orphans.iter().all(|what| what.starts_with("process"))
        {
            std::thread::sleep(Duration::from_millis(20));
            orphans = self.orphans(pid);
        }
        assert!(orphans.is_empty(), "{place}: {orphans:#?}");
    }

    fn orphans(&self, pid: u32) -> Vec<String> {
        let place = self.scratch.path().display().to_string();
        let mut found = Vec::new();
        for process in fs::read_dir("/proc").unwrap().flatten() {
            let words = fs::read(process.path().join("cmdline")).unwrap_or_default();
            if String::from_utf8_lossy(&words).contains(&place) {
                found.push(format!("process {}", String::from_utf8_lossy(&words).replace('\0', " ")));
            }
        }
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        found.extend(mounts.lines().filter(|line| line.contains(&place)).map(|line| format!("mount {line}")));
        found.extend(groups_of(pid).into_iter().map(|path| format!("control group {}", path.display())));
        let notes = self.scratch.notes();
        for (kind, dir) in [("socket folder", self.sockets.path()), ("note", notes.as_path())] {
            let names = fs::read_dir(dir).into_iter().flatten().flatten();
            found.extend(names.map(|entry| format!("{kind} {}", entry.path().display())));
        }
        found
    }

    /// The run is completed, and nothing is left of it.
    fn complete(&mut self) {
        let place = format!("{} completed", self.name);
        if self.state().is_none() {
            return;
        }
        for _ in 0..RESUMES_MAX {
            if self.unfinished().is_empty() && self.state().as_deref() == Some("finished") {
                break;
            }
            let resumed = self.command(&["resume", "--json"]).output().unwrap();
            let words = String::from_utf8_lossy(&resumed.stderr).into_owned();
            assert!(matches!(resumed.status.code(), Some(0 | INVALID_CELLS)), "{place}: {words}");
            // A cell of a second has nothing to count where the machine was busy that long; it says so, and
            // is repeated.
            let idle = |reason: &String| reason.contains("nothing was completed in the measure phase");
            assert!(self.unfinished().iter().all(idle), "{place}: {:?}", self.unfinished());
        }
        self.check(0, "completed");
        assert_eq!(self.state().as_deref(), Some("finished"), "{place}");
        assert!(self.unfinished().is_empty(), "{place}: {:?}", self.unfinished());
        assert_eq!(self.data_folders(), 0, "{place}");
        self.done.clear();
    }
}

/// It ended by itself: before anybody asked, or as asked. A signal that comes before it is listened to kills,
/// and nothing was made by then.
fn is_in_order(status: &std::process::ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    matches!(status.code(), Some(0 | INVALID_CELLS | 130)) || matches!(status.signal(), Some(1 | 15))
}

/// Control groups that the process made.
fn groups_of(pid: u32) -> Vec<PathBuf> {
    let prefix = format!("drivetrain-{pid}-");
    let mut found = Vec::new();
    let mut open = vec![(PathBuf::from("/sys/fs/cgroup"), 0)];
    while let Some((dir, depth)) = open.pop() {
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                found.push(entry.path());
            } else if depth < 4 {
                open.push((entry.path(), depth + 1));
            }
        }
    }
    found
}

#[test]
fn nothing_is_lost_or_left_however_often_runs_are_killed() {
    let kills: u64 = std::env::var("DRIVETRAIN_KILLS").map_or(4, |text| text.parse().unwrap());
    let (mut dice, begun) = (Random::new(testkit::seed()), Instant::now());
    let mut sites: Vec<Site> = sites().iter().map(|(name, text)| Site::new(name, text)).collect();
    // Few kills are of a few sites, drawn from all.
    while sites.len() as u64 > kills {
        sites.remove(dice.below(sites.len() as u64) as usize);
    }
    for kill in 0..kills {
        let number = kill as usize % sites.len();
        let site = &mut sites[number];
        site.kill_once(&mut dice);
        if site.kills.is_multiple_of(KILLS_OF_A_RUN) {
            site.complete();
        }
    }
    sites.iter_mut().for_each(Site::complete);
    println!(
        "{kills} kills in {:?}, {:.1} s each",
        begun.elapsed(),
        begun.elapsed().as_secs_f64() / kills.max(1) as f64
    );
}
