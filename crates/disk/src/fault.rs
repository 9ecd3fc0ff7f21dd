//! Failure by counting: the n-th call of the kernel fails with an error, finds the disk full, or is where the
//! process dies.
//!
//! A test inside a process wraps its work in [`count`] and [`with`]. A test of the built program sets
//! `DRIVETRAIN_FAULT` (`error@12`, `full@12`, `crash@12`) and, to learn how many points there are,
//! `DRIVETRAIN_FAULT_LOG=FILE`, to which every point adds a line. Without these variables a point costs one
//! load of an atomic number.

use std::cell::RefCell;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// A call of the kernel that can be made to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Opening a file that exists.
    Open,
    /// Making a file.
    Create,
    /// Reading bytes.
    Read,
    /// Writing bytes.
    Write,
    /// Changing a file's length.
    Truncate,
    /// Making bytes, or the names of a directory, durable.
    Sync,
    /// Renaming a file or directory.
    Rename,
    /// Removing a file.
    Remove,
    /// Making a directory.
    MakeDir,
    /// Removing a directory.
    RemoveDir,
    /// Listing a directory.
    List,
    /// Asking for facts about a file or a file system.
    Stat,
    /// Copying bytes, or sharing blocks, inside the kernel.
    Copy,
    /// Locking a file or a range of it.
    Lock,
}

impl Call {
    /// True if the call needs space, so that it fails on a full disk.
    #[must_use]
    pub fn needs_room(self) -> bool {
        matches!(self, Self::Create | Self::Write | Self::Truncate | Self::Sync | Self::MakeDir | Self::Copy)
    }
}

/// The way in which a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Once, with EIO.
    Error,
    /// From then on every call that needs room fails with ENOSPC.
    Full,
    /// The process dies: inside a test every later call fails without an effect, the built program kills
    /// itself.
    Crash,
}

impl Failure {
    /// All ways to fail.
    pub const ALL: [Failure; 3] = [Failure::Error, Failure::Full, Failure::Crash];

    fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Full => "full",
            Self::Crash => "crash",
        }
    }
}

/// The call that fails, and the kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The kind of failure.
    pub failure: Failure,
    /// The number of the call; the first is 1.
    pub at: u64,
}

impl std::fmt::Display for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{}", self.failure.name(), self.at)
    }
}

impl std::str::FromStr for Plan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, at) = text.split_once('@').unwrap_or((text, ""));
        let failure = Failure::ALL.into_iter().find(|failure| failure.name() == name);
        match (failure, at.parse()) {
            (Some(failure), Ok(at)) if at > 0 => Ok(Self { failure, at }),
            _ => {
                Err(format!("`{text}` is no plan of failure: write error@N, full@N or crash@N with N from 1"))
            }
        }
    }
}

/// The points that a thread has passed under [`with`] or [`count`].
#[derive(Clone, Copy, Debug, Default)]
struct Scope {
    plan: Option<Plan>,
    passed: u64,
}

thread_local! {
    static SCOPE: RefCell<Option<Scope>> = const { RefCell::new(None) };
}

/// Scopes of all threads, plus one when the environment asks for something; 0 is the fast way out.
static ACTIVE: AtomicU64 = AtomicU64::new(0);
static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
static ASKED: AtomicU8 = AtomicU8::new(0);
static PASSED: AtomicU64 = AtomicU64::new(0);

/// The plan in the environment of the process.
#[derive(Debug)]
struct Environment {
    plan: Option<Plan>,
    log: Option<std::fs::File>,
}

/// Runs `work` on this thread with a call that fails, and returns its result with the number of points it
/// passed.
pub fn with<T>(plan: Plan, work: impl FnOnce() -> T) -> (T, u64) {
    scope(Some(plan), work)
}

/// Runs `work` on this thread and returns its result with the number of points it passed.
pub fn count<T>(work: impl FnOnce() -> T) -> (T, u64) {
    scope(None, work)
}

fn scope<T>(plan: Option<Plan>, work: impl FnOnce() -> T) -> (T, u64) {
    /// Ends the scope also when `work` panics.
    struct End(Option<Scope>);
    impl Drop for End {
        fn drop(&mut self) {
            SCOPE.set(self.0.take());
            ACTIVE.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let end = End(SCOPE.replace(Some(Scope { plan, passed: 0 })));
    ACTIVE.fetch_add(1, Ordering::Relaxed);
    let result = work();
    let passed = SCOPE.with_borrow(|scope| scope.map_or(0, |scope| scope.passed));
    drop(end);
    (result, passed)
}

/// Passes a point: to be called right before `call` is made on `path`.
///
/// # Errors
/// Only when a test asked for it: EIO, ENOSPC, or "crashed" for every call after a crash.
#[inline]
pub fn point(call: Call, path: &Path) -> io::Result<()> {
    if ACTIVE.load(Ordering::Relaxed) == 0 && ASKED.load(Ordering::Relaxed) == 1 {
        return Ok(());
    }
    pass(call, path)
}

#[cold]
fn pass(call: Call, path: &Path) -> io::Result<()> {
    let scoped = SCOPE.with_borrow_mut(|scope| {
        scope.as_mut().map(|scope| {
            scope.passed += 1;
            scope.plan.map_or(Ok(()), |plan| judge(plan, scope.passed, call, false))
        })
    });
    if let Some(outcome) = scoped {
        return outcome;
    }
    let environment = ENVIRONMENT.get_or_init(Environment::read);
    if environment.plan.is_none() && environment.log.is_none() {
        ASKED.store(1, Ordering::Relaxed);
        return Ok(());
    }
    let passed = PASSED.fetch_add(1, Ordering::Relaxed) + 1;
    if let Some(mut log) = environment.log.as_ref() {
        // The log is a test's own; one that cannot be written shows as a count that is too low.
        let _ = log.write_all(format!("{passed} {call:?} {}\n", path.display()).as_bytes());
    }
    environment.plan.map_or(Ok(()), |plan| judge(plan, passed, call, true))
}

/// The outcome of call `number` under the plan: an error if the plan makes it fail.
fn judge(plan: Plan, number: u64, call: Call, for_good: bool) -> io::Result<()> {
    match plan.failure {
        Failure::Error if number == plan.at => Err(io::Error::from(rustix::io::Errno::IO)),
        Failure::Full if number >= plan.at && call.needs_room() => {
            Err(io::Error::from(rustix::io::Errno::NOSPC))
        }
        Failure::Crash if number >= plan.at => {
            if for_good {
                // Nothing may run after it, no destructor and no signal handler.
                let _ =
                    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
            }
            Err(io::Error::other("crashed"))
        }
        _ => Ok(()),
    }
}

impl Environment {
    fn read() -> Self {
        let plan = std::env::var("DRIVETRAIN_FAULT").ok().and_then(|text| text.parse().ok());
        let log = std::env::var_os("DRIVETRAIN_FAULT_LOG")
            .and_then(|path| std::fs::OpenOptions::new().append(true).create(true).open(path).ok());
        Self { plan, log }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three_calls() -> [io::Result<()>; 3] {
        let path = Path::new("x");
        [point(Call::Create, path), point(Call::Stat, path), point(Call::Write, path)]
    }

    #[test]
    fn counts_points_and_fails_none_without_a_plan() {
        let (results, passed) = count(three_calls);
        assert!(results.iter().all(Result::is_ok));
        assert_eq!(passed, 3);
    }

    #[test]
    fn an_error_comes_once_a_full_disk_stays_and_a_crash_ends_everything() {
        let failed = |failure, at| {
            let (results, _) = with(Plan { failure, at }, three_calls);
            results.map(|result| result.is_err())
        };
        assert_eq!(failed(Failure::Error, 2), [false, true, false]);
        assert_eq!(failed(Failure::Full, 1), [true, false, true]);
        assert_eq!(failed(Failure::Crash, 2), [false, true, true]);
    }

    #[test]
    fn a_plan_reads_as_it_prints() {
        for failure in Failure::ALL {
            let plan = Plan { failure, at: 12 };
            assert_eq!(plan.to_string().parse(), Ok(plan));
        }
        for wrong in ["", "error", "error@0", "late@3", "full@-1"] {
            assert!(wrong.parse::<Plan>().is_err(), "{wrong}");
        }
    }
}
