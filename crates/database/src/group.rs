//! Limits that the kernel puts on processes: control groups of ours, versions 1 and 2. Needs root, or a part
//! of the tree that is ours.
//!
//! Version 1 sees a write only where it goes to the drive at once: the kernel writes a process's dirty pages
//! in its own name, and does not throttle them. Version 2 attributes them. Both count the page cache that a
//! process fills as its memory.

mod drive;
mod rule;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ground::{Clock, Stopwatch};
use host::Controller;
use remains::{EntryKind, Note};
use rustix::fs::FsWord;

pub use crate::error::GroupError;
pub use drive::Drive;
pub use rule::Rule;

/// The beginning of all names of our groups; the process's id follows.
const PREFIX: &str = "drivetrain-";
/// The time for which processes that have just been killed may still count as members.
const EMPTY_LIMIT: Duration = Duration::from_secs(2);
/// Kinds of file systems that hold control groups, versions 1 and 2 (`statfs(2)`).
const GROUP_FILE_SYSTEMS: [FsWord; 2] = [0x0027_e0eb, 0x6367_7270];

/// The limits of a process and its descendants. None by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// Rules of its control group.
    pub rules: Vec<Rule>,
    /// True if it may use the drive only while no other process does.
    pub idle_io: bool,
}

impl Limits {
    /// Processors and bytes of memory, where there is such a limit.
    #[must_use]
    pub fn of(cpus: Option<f64>, memory_bytes: Option<u64>) -> Self {
        let rules = cpus.map(Rule::Cpus).into_iter().chain(memory_bytes.map(Rule::Memory)).collect();
        Self { rules, idle_io: false }
    }

    /// True if nothing is limited.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// The limits that the members of a group reached.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ThrottleCounters {
    /// Time for which they were kept from the processors, s; summed over processors.
    pub held_back_s: f64,
    /// The most memory that they had at one time, page cache included, bytes.
    pub memory_peak_bytes: u64,
    /// The number of processes that the kernel killed for lack of memory.
    pub killed: u64,
}

/// A group of ours with its limits. Dropping it removes it; it must be empty by then.
#[derive(Debug)]
pub struct Group {
    /// One directory in version 2, one for each controller in version 1.
    dirs: Vec<PathBuf>,
    /// One for each directory.
    notes: Vec<Note>,
    rules: Vec<(Rule, u8)>,
}

/// The search for a controller; tests have other machines.
type Finder<'a> = &'a dyn Fn(&str) -> Option<Controller>;

impl Group {
    /// Makes a group with `rules`.
    ///
    /// # Errors
    /// [`GroupError`] in words that say what the machine lacks. Nothing is left behind then.
    pub fn make(rules: &[Rule]) -> Result<Self, GroupError> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("{PREFIX}{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Self::make_in(&host::controller, &name, rules)
    }

    fn make_in(find: Finder<'_>, name: &str, rules: &[Rule]) -> Result<Self, GroupError> {
        let mut group = Self { dirs: Vec::new(), notes: Vec::new(), rules: Vec::new() };
        for rule in rules {
            let controller = find(rule.controller()).ok_or_else(|| GroupError::NotAvailable {
                why: format!("no control groups have the controller `{}`", rule.controller()),
            })?;
            let files = rule.files(&controller)?;
            let dir = group.dir_for(&controller, rule, name)?;
            for (file, text) in files {
                write(&dir.join(file), &text)?;
            }
            group.rules.push((rule.clone(), controller.version));
        }
        Ok(group)
    }

    /// Our directory for `rule`: the first on the way up from our own group in which we may make one.
    fn dir_for(&mut self, controller: &Controller, rule: &Rule, name: &str) -> Result<PathBuf, GroupError> {
        let made = self
            .dirs
            .iter()
            .find(|dir| controller.groups.iter().any(|parent| dir.parent() == Some(parent.as_path())));
        if let Some(dir) = made.cloned() {
            if let (2, Some(parent)) = (controller.version, dir.parent()) {
                enable(parent, rule.controller())?;
            }
            return Ok(dir);
        }
        let mut refused = None;
        for parent in &controller.groups {
            let dir = parent.join(name);
            let enabled = if controller.version == 2 { enable(parent, rule.controller()) } else { Ok(()) };
            let made = enabled.and_then(|()| {
                let note = Note::before(EntryKind::ControlGroup, &dir, "");
                let text = "a new group".to_owned();
                let failed = |source| GroupError::NotPermitted { path: dir.clone(), text, source };
                fs::create_dir(&dir).map_err(failed).map(|()| note)
            });
            match made {
                Ok(note) => {
                    self.dirs.push(dir.clone());
                    self.notes.push(note);
                    return Ok(dir);
                }
                Err(error) => refused = Some(error),
            }
        }
        let why = format!("the controller `{}` is mounted nowhere", rule.controller());
        Err(refused.unwrap_or(GroupError::NotAvailable { why }))
    }

    /// A directory of the group; a process joins by its number in `cgroup.procs`. The first of several in
    /// version 1.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.dirs.first().map(PathBuf::as_path)
    }

    /// Files into which a process writes `0` to join.
    ///
    /// # Errors
    /// When they cannot be opened.
    pub(crate) fn doors(&self) -> Result<Vec<File>, GroupError> {
        let open = |dir: &PathBuf| {
            let path = dir.join("cgroup.procs");
            let opened = File::options().write(true).open(&path);
            opened.map_err(|source| GroupError::NotPermitted { path, text: "0".to_owned(), source })
        };
        self.dirs.iter().map(open).collect()
    }

    /// Takes the limits of processors and memory away from those who are in it. As far as the kernel lets us:
    /// who is freed needs no promise.
    pub fn lift(&self) {
        for dir in &self.dirs {
            for (file, text) in rule::NO_LIMIT {
                let path = dir.join(file);
                if path.exists() {
                    let _ = fs::write(path, text); // A remaining limit only slows down work that is not timed.
                }
            }
        }
    }

    /// The limits in words: "0.5 processors, 128 MiB of memory (control groups, version 1)".
    #[must_use]
    pub fn in_words(&self) -> String {
        let rules: Vec<String> = self.rules.iter().map(|(rule, _)| rule.to_string()).collect();
        let mut versions: Vec<String> = self.rules.iter().map(|(_, version)| version.to_string()).collect();
        versions.dedup();
        format!("{} (control groups, version {})", rules.join(", "), versions.join(" and "))
    }

    /// The limits that its members have reached so far. Counters that the kernel does not report are zero.
    #[must_use]
    pub fn throttling(&self) -> ThrottleCounters {
        let read = |file: &str| self.dirs.iter().find_map(|dir| fs::read_to_string(dir.join(file)).ok());
        let number = |file: &str| read(file).and_then(|text| text.trim().parse::<u64>().ok());
        let line = |file: &str, key: &str| {
            let text = read(file)?;
            text.lines()
                .find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse::<u64>().ok())
        };
        let in_ns = line("cpu.stat", "throttled_time");
        let in_us = line("cpu.stat", "throttled_usec");
        ThrottleCounters {
            held_back_s: in_ns.map_or_else(|| in_us.unwrap_or(0) as f64 / 1e6, |ns| ns as f64 / 1e9),
            memory_peak_bytes: number("memory.max_usage_in_bytes").or(number("memory.peak")).unwrap_or(0),
            killed: line("memory.events", "oom_kill").or(line("memory.oom_control", "oom_kill")).unwrap_or(0),
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let start = Clock::Wall.stopwatch();
        for (dir, note) in self.dirs.iter().zip(self.notes.drain(..)) {
            if remove_when_empty(dir, &start).is_err() {
                note.leave();
            }
        }
    }
}

/// Removes a group once its processes, which have just been killed, are gone. An absent one is fine.
fn remove_when_empty(dir: &Path, start: &Stopwatch) -> io::Result<()> {
    loop {
        match fs::remove_dir(dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy && start.elapsed() < EMPTY_LIMIT => {
                Clock::Wall.sleep(Duration::from_millis(5));
            }
            removed => return removed,
        }
    }
}

/// Removes the group `path` of a process that is gone. Whether there was one.
///
/// Nothing else can be hit: only a directory of a file system of control groups whose name is one of ours is
/// removed, and the kernel lets a group go only when no process and no other group is in it.
///
/// # Errors
/// When processes are in it, or it is not ours to remove.
pub fn remove_dead(path: &Path) -> io::Result<bool> {
    remove_dead_in(&GROUP_FILE_SYSTEMS, path)
}

/// True if [`remove_dead`] would try to remove the thing at `path`.
pub(crate) fn is_dead(path: &Path) -> bool {
    is_group_in(&GROUP_FILE_SYSTEMS, path)
}

fn remove_dead_in(file_systems: &[FsWord], path: &Path) -> io::Result<bool> {
    if !is_group_in(file_systems, path) {
        return Ok(false);
    }
    remove_when_empty(path, &Clock::Wall.stopwatch()).map(|()| true)
}

fn is_group_in(file_systems: &[FsWord], path: &Path) -> bool {
    let is_named_so = path.file_name().and_then(|name| name.to_str()).is_some_and(is_our_name);
    let is_dir = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    let holds_groups = || rustix::fs::statfs(path).is_ok_and(|of| file_systems.contains(&of.f_type));
    is_named_so && is_dir && holds_groups()
}

/// `drivetrain-PID-COUNT`.
fn is_our_name(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parts = name.strip_prefix(PREFIX).and_then(|rest| rest.split_once('-'));
    parts.is_some_and(|(pid, count)| is_number(pid) && is_number(count))
}

/// States in plain words whether a group with `rules` can be made here, without changing anything: "available
/// here (control groups, version 1)", or the missing part.
#[must_use]
pub fn availability(rules: &[Rule]) -> String {
    let mut versions = Vec::new();
    for rule in rules {
        let Some(controller) = host::controller(rule.controller()) else {
            return format!(
                "not available here: no control groups have the controller `{}`",
                rule.controller()
            );
        };
        if let Err(error) = rule.files(&controller) {
            return error.to_string();
        }
        let may_write = |dir: &PathBuf| rustix::fs::access(dir, rustix::fs::Access::WRITE_OK).is_ok();
        if !controller.groups.iter().any(may_write) {
            return format!(
                "not permitted here: nobody but root makes groups of the controller `{}`",
                rule.controller()
            );
        }
        versions.push(controller.version.to_string());
    }
    versions.dedup();
    format!("available here (control groups, version {})", versions.join(" and "))
}

fn write(path: &Path, text: &str) -> Result<(), GroupError> {
    fs::write(path, text).map_err(|source| GroupError::NotPermitted {
        path: path.to_owned(),
        text: text.to_owned(),
        source,
    })
}

/// Version 2: a controller is for the groups below only when the group above says so.
fn enable(parent: &Path, controller: &str) -> Result<(), GroupError> {
    let path = parent.join("cgroup.subtree_control");
    let on = fs::read_to_string(&path).unwrap_or_default();
    if on.split_whitespace().any(|name| name == controller) {
        return Ok(());
    }
    write(&path, &format!("+{controller}"))
}

#[cfg(test)]
mod tests;
