//! The switch of this machine for mounts over io_uring: a parameter of the module `fuse`, off by default,
//! which root may turn. It matters when a mount is made; mounts that are there stay as they are.
//!
//! It is turned on only on request, and back by the last process that wanted it. Each has a note of that, so
//! that after a kill the next command, or `drivetrain clean`, turns it back.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use ground::Clock;
use remains::{EntryKind, Note};
use rustix::fs::FlockOperation;

/// The parameter; kernels before 6.14 do not have it.
const PARAMETER: &str = "/sys/module/fuse/parameters/enable_uring";
/// The values of a parameter that is a truth value.
const ON: &str = "Y";
const OFF: &str = "N";
/// The time limit for another process that turns it at this moment, which takes microseconds.
const LIMIT: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_millis(1);
/// Held shared by each process that wants the switch on. It is root's, as the switch is.
const LOCK: &str = "/run/drivetrain-uring.lock";

/// True if mounts may be served over io_uring, false if that is switched off; `None` on a kernel that does
/// not have it.
pub fn rings_are_on() -> Option<bool> {
    let mut parameter = File::open(PARAMETER).ok()?;
    value(&mut parameter).ok().map(|value| value == ON)
}

/// Holds the switch on. Dropping it turns it back, unless another process of ours wants it still.
#[derive(Debug)]
#[must_use = "dropping it turns it back"]
pub struct RingSwitch {
    note: Option<Note>,
    held: Option<File>,
}

impl RingSwitch {
    /// Turns it on; `None` if an administrator has done so already, whose it stays.
    ///
    /// # Errors
    /// This kernel has no such switch (`NotFound`), or only root may turn it.
    pub fn turn_on() -> io::Result<Option<RingSwitch>> {
        let mut parameter = locked()?;
        let note = Note::before(EntryKind::Setting, Path::new(PARAMETER), OFF);
        let (is_wanted, held) = (is_wanted(), hold());
        if value(&mut parameter)? == ON {
            let wanted = remains::count(EntryKind::Setting, Path::new(PARAMETER));
            // Of others who turned it on, or who did and were killed: all have a note beside ours, or in
            // another folder.
            let is_ours = is_wanted || wanted.living + wanted.dead > 1;
            // One that is dropped would turn it off, or leave its note for that.
            return Ok(is_ours.then(|| RingSwitch { note: Some(note), held }));
        }
        set(&mut parameter, ON)?;
        Ok(Some(RingSwitch { note: Some(note), held }))
    }
}

impl Drop for RingSwitch {
    fn drop(&mut self) {
        let turned = locked().and_then(|mut parameter| {
            let wanted = remains::count(EntryKind::Setting, Path::new(PARAMETER)).living;
            self.held = None;
            if wanted <= 1 && !is_wanted() { set(&mut parameter, OFF) } else { Ok(()) }
        });
        if let Some(note) = self.note.take()
            && turned.is_err()
        {
            note.leave(); // A later command tries again.
        }
    }
}

/// Turns the switch back for a dead process that had turned it on. Whether there was anything to turn.
///
/// # Errors
/// It cannot be turned, or a process with notes in another folder wants it (`ResourceBusy`).
pub fn turn_back(path: &Path) -> io::Result<bool> {
    if !is_left_on(path) {
        return Ok(false);
    }
    // A child that has not yet executed its own program holds what its dead parent held.
    let since = Clock::Wall.stopwatch();
    while is_wanted() {
        if since.elapsed() >= LIMIT {
            return Err(io::ErrorKind::ResourceBusy.into());
        }
        Clock::Wall.sleep(POLL);
    }
    set(&mut locked()?, OFF).map(|()| true)
}

/// True if `path` is the switch, and it is on for dead processes alone.
pub fn is_left_on(path: &Path) -> bool {
    let is_it = path == Path::new(PARAMETER) && rings_are_on() == Some(true);
    is_it && remains::count(EntryKind::Setting, path).living == 0
}

/// Says to all processes of this machine, wherever their notes are, that this one wants the switch on. The
/// kernel takes it back when the process ends. `None` where nothing can be held.
fn hold() -> Option<File> {
    let held = open_lock().ok()?;
    rustix::fs::flock(&held, FlockOperation::NonBlockingLockShared).ok().map(|()| held)
}

/// True while any process wants the switch on.
fn is_wanted() -> bool {
    let asked = |lock: File| rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive);
    open_lock().is_ok_and(|lock| asked(lock) == Err(rustix::io::Errno::AGAIN))
}

fn open_lock() -> io::Result<File> {
    let flags = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    OpenOptions::new().read(true).write(true).create(true).mode(0o600).custom_flags(flags).open(LOCK)
}

/// The parameter, which no other process of ours turns meanwhile.
fn locked() -> io::Result<File> {
    let parameter = OpenOptions::new().read(true).write(true).open(PARAMETER)?;
    let since = Clock::Wall.stopwatch();
    loop {
        match rustix::fs::flock(&parameter, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(parameter),
            Err(rustix::io::Errno::AGAIN) if since.elapsed() < LIMIT => Clock::Wall.sleep(POLL),
            Err(error) => return Err(error.into()),
        }
    }
}

fn value(parameter: &mut File) -> io::Result<String> {
    let mut text = String::new();
    parameter.rewind()?;
    parameter.read_to_string(&mut text)?;
    Ok(text.trim().to_owned())
}

fn set(parameter: &mut File, value: &str) -> io::Result<()> {
    parameter.rewind()?;
    parameter.write_all(value.as_bytes())
}
