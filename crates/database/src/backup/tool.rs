//! The programs that make backups: found, checked against the server's version, run, watched and ended.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use ground::Clock;
use parking_lot::Mutex;
use rustix::process::Signal;

use super::{BackupError, BackupRequest, BackupWatch};
use crate::error::DatabaseError;
use crate::machine::binaries::numbers;
use crate::machine::process::{describe_exit, kill_tree, spawn, written_bytes};

/// Names a folder that is searched before all others.
const VARIABLE: &str = "DRIVETRAIN_BACKUP_BIN";
/// The kept part of a tool's output.
const PRINTED_MAX_BYTES: usize = 4096;
/// The interval between checks of a running tool: stop request and progress.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);
/// A tool that has closed its output is gone within a moment: the first pause after that, and the longest.
const LAST_MOMENT: (Duration, Duration) = (Duration::from_micros(100), Duration::from_millis(10));

/// A tool that is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Its names; messages use the first.
    pub(crate) names: &'static [&'static str],
    /// The distribution's package.
    pub(crate) package: &'static str,
    /// The number of version components that must not be below the server's: 1 for PostgreSQL's 15, 2 for
    /// MariaDB's 10.11.
    pub(crate) numbers: usize,
}

/// A tool that will do.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    pub(crate) program: PathBuf,
    /// Its name and version in its own words.
    pub(crate) version_line: String,
}

/// A search that found something.
struct Found {
    folders: Vec<PathBuf>,
    name: &'static str,
    server: String,
    tool: Tool,
}

/// Finds a tool beside the server's programs or on the search path, not older than `server`.
pub(crate) fn find(wanted: &Wanted, beside: &Path, server: &str) -> Result<Tool, BackupError> {
    static FOUND: Mutex<Vec<Found>> = Mutex::new(Vec::new());
    let folders = folders(beside, std::env::var_os(VARIABLE));
    // Asking a tool for its version takes as long as a hundredth of a small backup: once is enough.
    let is_known = |known: &&Found| {
        known.folders == folders
            && known.name == wanted.names[0]
            && known.server == server
            && known.tool.program.is_file()
    };
    if let Some(known) = FOUND.lock().iter().find(is_known) {
        return Ok(known.tool.clone());
    }
    let tool = find_in(wanted, &folders, server)?;
    let (name, server) = (wanted.names[0], server.to_owned());
    FOUND.lock().push(Found { folders, name, server, tool: tool.clone() });
    Ok(tool)
}

fn folders(beside: &Path, named: Option<std::ffi::OsString>) -> Vec<PathBuf> {
    // If the user names a folder, it is the only one searched.
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        return vec![PathBuf::from(named)];
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let standard = ["/usr/local/bin", "/usr/bin"].map(PathBuf::from);
    beside
        .parent()
        .map(Path::to_owned)
        .into_iter()
        .chain(std::env::split_paths(&path))
        .chain(standard)
        .collect()
}

fn find_in(wanted: &Wanted, folders: &[PathBuf], server: &str) -> Result<Tool, BackupError> {
    let places = folders.iter().flat_map(|folder| wanted.names.iter().map(move |name| folder.join(name)));
    let Some(program) = places.into_iter().find(|path| path.is_file()) else {
        let mut looked: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        looked.dedup();
        return Err(BackupError::ToolMissing {
            tool: wanted.names[0],
            looked: looked.join(", "),
            package: wanted.package,
        });
    };
    let output = Command::new(&program).arg("--version").stdin(Stdio::null()).output();
    let printed = output.map(|o| [o.stdout, o.stderr].concat()).unwrap_or_default();
    let printed = String::from_utf8_lossy(&printed);
    let version_line =
        printed.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned();
    let found = version_of(&version_line, wanted.names);
    let needed: Vec<u32> = numbers(server).into_iter().take(wanted.numbers).collect();
    if found.iter().take(wanted.numbers).copied().collect::<Vec<u32>>() < needed {
        let found = found.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
        let found = if found.is_empty() { "unknown".to_owned() } else { found };
        return Err(BackupError::ToolOlder {
            tool: program.display().to_string(),
            found,
            server: server.to_owned(),
        });
    }
    Ok(Tool { program, version_line })
}

/// The version in a line such as `mariadb-dump  Ver 10.19 Distrib 10.11.19-MariaDB, ...`: the server's
/// numbers follow `Distrib` or `from`, if there is such a word; the tool's own version is another.
fn version_of(line: &str, names: &[&str]) -> Vec<u32> {
    let after = ["Distrib ", "from ", "based on MariaDB server "]
        .iter()
        .find_map(|word| Some(line.split_once(word)?.1));
    let line = after.unwrap_or(line);
    // Digits of the name itself are none of a version's.
    numbers(names.iter().fold(line.to_owned(), |line, name| line.replacen(name, "", 1)).as_str())
}

/// The watcher of a tool's run, and the run's priority on the drive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner<'a> {
    pub(crate) watch: &'a BackupWatch,
    pub(crate) idle_io: bool,
    pub(crate) cgroup: Option<&'a Path>,
    /// True to count its output while it runs; false if the output passes through a part that counts it
    /// itself.
    pub(crate) counts: bool,
    /// The target, for the message when it is full.
    pub(crate) target: &'a Path,
}

impl<'a> Manner<'a> {
    pub(crate) fn of(request: &'a BackupRequest, watch: &'a BackupWatch, counts: bool) -> Self {
        let cgroup = request.cgroup.as_deref();
        Self { watch, idle_io: request.idle_io, cgroup, counts, target: &request.dir }
    }

    /// For a restore, which nobody holds back.
    pub(crate) fn plain(watch: &'a BackupWatch, target: &'a Path) -> Self {
        Self { watch, idle_io: false, cgroup: None, counts: false, target }
    }
}

/// Runs `command` to its end.
pub(crate) fn run(command: Command, manner: &Manner<'_>) -> Result<(), DatabaseError> {
    let started = Started::begin(command, manner)?;
    started.finish(manner)
}

/// A tool that runs. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) child: Child,
    name: String,
    printed: std::sync::Arc<Mutex<Vec<u8>>>,
    /// Nothing is ever sent: it is closed when the tool has closed its output, which it does at its end.
    closed: Receiver<()>,
    reader: Option<std::thread::JoinHandle<()>>,
}

impl Started {
    pub(crate) fn begin(mut command: Command, manner: &Manner<'_>) -> Result<Self, DatabaseError> {
        let program = PathBuf::from(command.get_program());
        let name = program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        command.stderr(Stdio::piped());
        let mut child = spawn(command, Signal::KILL).map_err(DatabaseError::io("starting", &program))?;
        place(child.id(), manner);
        let printed = std::sync::Arc::new(Mutex::new(Vec::new()));
        let (open, closed) = channel();
        let reader = child.stderr.take().map(|mut stderr| {
            let printed = std::sync::Arc::clone(&printed);
            std::thread::spawn(move || {
                let _open = open;
                let mut buffer = [0; 1024];
                while let Ok(read @ 1..) = stderr.read(&mut buffer) {
                    let mut kept = printed.lock();
                    kept.extend_from_slice(&buffer[..read]);
                    let surplus = kept.len().saturating_sub(PRINTED_MAX_BYTES);
                    kept.drain(..surplus);
                }
            })
        });
        Ok(Self { child, name, printed, closed, reader })
    }

    /// Waits for the end; a tool that is stopped is killed. Its end wakes us, so that nothing is added to its
    /// time, and nothing of ours runs beside it but a look now and then.
    pub(crate) fn finish(mut self, manner: &Manner<'_>) -> Result<(), DatabaseError> {
        let mut moment = LAST_MOMENT.0;
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => {}
                Err(error) => return Err(DatabaseError::io("waiting for", Path::new(&self.name))(error)),
            }
            if manner.watch.is_stopped() {
                return Err(BackupError::Cancelled { what: self.name.clone() }.into());
            }
            if manner.counts
                && let Some(bytes) = written_bytes(self.child.id())
            {
                manner.watch.wrote(bytes);
            }
            match self.closed.recv_timeout(LOOK_INTERVAL) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => {
                    Clock::Wall.sleep(moment);
                    moment = (moment * 2).min(LAST_MOMENT.1);
                }
            }
        };
        if let Some(reader) = self.reader.take() {
            let _ = reader.join(); // It only reads; its end is the pipe's.
        }
        if status.success() {
            return Ok(());
        }
        Err(self.failure(describe_exit(status), manner).into())
    }

    fn failure(&self, why: String, manner: &Manner<'_>) -> BackupError {
        let words = String::from_utf8_lossy(&self.printed.lock()).into_owned();
        let last: Vec<&str> = words.lines().filter(|line| !line.trim().is_empty()).collect();
        let printed = match last.len() {
            0 => String::new(),
            many => format!(":\n{}", last[many.saturating_sub(6)..].join("\n")),
        };
        // Errno 28 in the words of all tools, whose language is C.
        if words.contains("No space left on device") || words.contains("Errcode: 28") {
            return BackupError::TargetFull { dir: manner.target.to_owned(), printed };
        }
        BackupError::ToolFailed { tool: self.name.clone(), why, printed }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            kill_tree(self.child.id());
            let _ = self.child.wait(); // Reaped; its end is known.
        }
    }
}

/// Puts the process into its requested control group and priority. The caller has checked before that the
/// machine allows them.
fn place(pid: u32, manner: &Manner<'_>) {
    if manner.idle_io {
        super::priority::use_idle_time_only(pid);
    }
    if let Some(cgroup) = manner.cgroup {
        // A tool that has ended already needs no place.
        let _ = fs::write(cgroup.join("cgroup.procs"), pid.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    const TOY: Wanted = Wanted { names: &["toy-backup", "toybackup"], package: "toy-tools", numbers: 2 };

    fn toy(folder: &Path, script: &str) -> PathBuf {
        let program = folder.join("toybackup");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        program
    }

    #[test]
    fn a_tool_that_is_missing_or_older_is_named() {
        let temp = tempfile::tempdir().unwrap();
        let folders = [temp.path().to_owned()];
        let message = find_in(&TOY, &folders, "10.11.6").unwrap_err().to_string();
        assert!(
            message.contains("`toy-backup` was not found") && message.contains("`toy-tools`"),
            "{message}"
        );
        toy(temp.path(), "echo 'toybackup from 10.6.18-MariaDB for Linux'");
        let message = find_in(&TOY, &folders, "10.11.6").unwrap_err().to_string();
        assert!(message.contains("is version 10.6.18, older than the server's 10.11.6"), "{message}");
        toy(temp.path(), "echo 'toybackup from 10.11.2-MariaDB for Linux' >&2");
        let tool = find_in(&TOY, &folders, "10.11.6").unwrap();
        assert_eq!(tool.version_line, "toybackup from 10.11.2-MariaDB for Linux");
    }

    #[test]
    fn versions_of_tools_are_those_of_the_server_they_belong_to() {
        let of = |line| version_of(line, &["x"]);
        assert_eq!(
            of("mariadb-dump  Ver 10.19 Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64)"),
            [10, 11, 19]
        );
        assert_eq!(of("mariadb-dump from 11.4.2-MariaDB, client 10.19 for debian-linux-gnu"), [11, 4, 2]);
        assert_eq!(
            of("mariadb-backup based on MariaDB server 10.11.19-MariaDB Linux (x86_64)"),
            [10, 11, 19]
        );
        assert_eq!(of("pg_basebackup (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"), [15, 18]);
    }

    #[test]
    fn what_a_failing_tool_says_is_told_and_a_full_target_is_told_apart() {
        let temp = tempfile::tempdir().unwrap();
        let watch = BackupWatch::new();
        let manner = Manner::plain(&watch, temp.path());
        let program = toy(temp.path(), "echo 'cannot reach the moon' >&2; exit 3");
        let message = run(Command::new(&program), &manner).unwrap_err().to_string();
        assert!(message.contains("exit code 3") && message.contains("cannot reach the moon"), "{message}");
        toy(temp.path(), "echo 'write: No space left on device' >&2; exit 1");
        let message = run(Command::new(&program), &manner).unwrap_err().to_string();
        assert!(message.contains("is full") && message.contains("name another target"), "{message}");
    }

    #[test]
    fn a_stopped_tool_is_gone() {
        let temp = tempfile::tempdir().unwrap();
        let watch = BackupWatch::new();
        watch.stop();
        let manner = Manner::plain(&watch, temp.path());
        let mut command = Command::new("sleep");
        command.arg("300");
        let started = Started::begin(command, &manner).unwrap();
        let pid = started.child.id();
        let message = started.finish(&manner).unwrap_err().to_string();
        assert_eq!(message, "sleep was stopped before its end");
        assert!(crate::machine::process::is_gone(pid));
    }
}
