//! Somebody else's load on a server, observed: counters and clients once a second, without any load of ours.

mod figures;
mod limit;
mod stall;
mod tally;

use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use database::{DatabaseError, Look, Watched};
use ground::nanoseconds;
use host::Beat;
use notebook::{CellRecord, Facts};
use words::{Engine, NoteKind, Remark};

use crate::error::LabError;
use crate::interrupt::Interrupt;
use crate::watch::meter::SECOND;
use crate::world::World;
use limit::Limit;
use tally::Tally;

/// The time for which a server that does not answer is waited for: a restart takes seconds.
const PATIENCE: Duration = Duration::from_secs(30);
/// The interval at which requests to stop are looked at.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// The options of an observation. It has no `Debug`: an address may hold a password.
#[derive(Clone)]
pub struct Observing {
    /// Its engine.
    pub engine: Engine,
    /// Its address, without a password.
    pub url: String,
    /// For how long.
    pub time: Duration,
    /// A path or device that names the drive of the data; without one the server's own directory does, where
    /// it is known.
    pub storage: Option<PathBuf>,
    /// Processors of the server's machine, where that is another one.
    pub processors: Option<u32>,
    /// Requests to stop.
    pub interrupt: Interrupt,
}

/// The state of an observation after another second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ObservedSecond {
    /// Time so far.
    pub elapsed: Duration,
    /// Transactions per second since the last time; `None` while the server does not answer.
    pub per_s: Option<f64>,
    /// Clients in a transaction.
    pub at_work: u32,
}

/// The result of an observation.
#[derive(Clone, Debug)]
pub struct Observed {
    /// Engine and version in the server's words.
    pub version: String,
    /// Its address in words.
    pub address: String,
    /// Figures per transaction, series, waits and limiter.
    pub record: CellRecord,
    /// Clients of the load: those at work within a second, in the mean of the samples.
    pub clients: f64,
    /// Facts about server and machine.
    pub facts: Facts,
    /// Remarks that a reader of the figures must know.
    pub notes: Vec<(NoteKind, Remark)>,
    /// True if it ended on request.
    pub was_stopped: bool,
}

/// Observes until the time is over, a stop is asked for, or the server has gone. `told` hears each second.
///
/// # Errors
/// When the server does not answer at first or its user may not look, or what was seen says too little:
/// hardly a transaction ended; a storage path that is not on the server's machine.
pub fn observe(
    observing: &Observing,
    world: &World,
    told: &mut dyn FnMut(ObservedSecond),
) -> Result<Observed, LabError> {
    observing.storage.as_deref().map_or(Ok(()), check_has_drive)?;
    let clock = &world.clock;
    let limit = Limit::new(clock, &observing.interrupt);
    let database = |error: DatabaseError| match limit.is_over() && !observing.interrupt.requested() {
        true => LabError::Database(format!(
            "the server did not say within {} s what it is ({error})",
            limit::FIRST_ANSWERS.as_secs()
        )),
        false => LabError::Database(error.to_string()),
    };
    let entered = world.servers.watch(observing.engine, &observing.url, limit.hang_up());
    let server = &mut entered.map_err(database)?;
    if let (Some(path), false) = (&observing.storage, server.is_here()) {
        return Err(LabError::Option {
            what: format!("the server at {} is on another machine, and so are its drives", server.address()),
            option: format!("--storage {}", path.display()),
            fix: "leave --storage out, or observe on the server's own machine".to_owned(),
        });
    }
    let size_bytes = server.size_bytes().map_err(database)?;
    let first = server.look().map_err(database)?;
    let device = figures::device_of(server, observing);
    let mut tally = Tally::begin(world.counters, first, device, server.processor_time());
    let start = clock.stopwatch();
    limit.set(start.start_ns(), observing.time.max(SECOND) + tally::SILENT);
    let mut beat = Beat::after(start.start_ns(), SECOND);
    let end_ns = start.start_ns().saturating_add(nanoseconds(observing.time.max(SECOND)));
    let mut silence = Silence::default();
    while !observing.interrupt.requested() && beat.due_ns() <= end_ns {
        while clock.now_ns() < beat.due_ns() && !observing.interrupt.requested() {
            clock.sleep_until(beat.due_ns().min(clock.now_ns() + nanoseconds(LOOK_INTERVAL)));
        }
        let seen = server.look();
        let elapsed = start.elapsed();
        if let Err(error) = &seen
            && silence.is_too_long(elapsed)
        {
            tally.away = Some(error.to_string());
            break;
        }
        let is_there = seen.is_ok();
        let seen = second(server, &mut tally, seen.ok(), elapsed, &mut silence);
        match (is_there, seen.per_s) {
            (true, None) => tally.begin_anew(server.processor_time()),
            (true, Some(_)) if tally.reads_processes() => tally.keep_processes(server.processor_time()),
            _ => {}
        }
        told(seen);
        beat.advance(clock.now_ns()); // A look that was slow leaves beats out.
    }
    tally.end(server.processor_time());
    let was_stopped = observing.interrupt.requested();
    let asked = was_stopped.then_some(observing.time);
    figures::observed(server, observing, &tally, size_bytes, asked)
}

/// Refuses a path below which no drive is: nothing could be watched there.
fn check_has_drive(path: &Path) -> Result<(), LabError> {
    let refused = |what: String| LabError::Option {
        what,
        option: format!("--storage {}", path.display()),
        fix: "name the drive of the data, or a path on it; or leave --storage out".to_owned(),
    };
    let metadata = std::fs::metadata(path)
        .map_err(|error| refused(format!("no drive is known below {} ({error})", path.display())))?;
    let kind = metadata.file_type();
    if !(kind.is_dir() || kind.is_file() || kind.is_block_device()) {
        return Err(refused(format!(
            "no drive is known below {}: it is neither a directory, a file nor a drive",
            path.display()
        )));
    }
    let under = host::under(path);
    if under.contains_key("device") {
        return Ok(());
    }
    let file_system = under.get("fs").map_or("?", String::as_str);
    Err(refused(format!("no drive is known below {} (file system: {file_system})", path.display())))
}

/// Since when a server has not answered.
#[derive(Default)]
struct Silence {
    since: Option<Duration>,
}

impl Silence {
    fn is_too_long(&mut self, now: Duration) -> bool {
        let since = *self.since.get_or_insert(now);
        now.saturating_sub(since) >= PATIENCE
    }
}

fn second(
    server: &Watched,
    tally: &mut Tally,
    look: Option<Look>,
    elapsed: Duration,
    silence: &mut Silence,
) -> ObservedSecond {
    let Some(look) = look else {
        tally.skip(elapsed);
        return ObservedSecond { elapsed, ..ObservedSecond::default() };
    };
    silence.since = None;
    let at_work = look.clients.at_work();
    let per_s = tally.add(elapsed, look, |grown| server.work(grown, 1).transactions);
    ObservedSecond { elapsed, per_s, at_work }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_without_a_drive_is_refused() {
        let temporary = tempfile::tempdir().unwrap();
        let link = temporary.path().join("link");
        std::os::unix::fs::symlink("/nowhere", &link).unwrap();
        let link = link.display().to_string();
        for path in ["/proc", "/proc/self/status", "/dev/null", "/sys/kernel", link.as_str()] {
            let refused = check_has_drive(Path::new(path)).unwrap_err().to_string();
            assert!(refused.contains(&format!("no drive is known below {path}")), "{refused}");
            assert!(refused.contains("leave --storage out"), "{refused}");
        }
    }

    #[test]
    fn a_short_silence_is_waited_out() {
        let mut silence = Silence::default();
        assert!(!silence.is_too_long(Duration::from_secs(100)));
        assert!(!silence.is_too_long(Duration::from_secs(110)));
        assert!(silence.is_too_long(Duration::from_secs(130)));
        silence.since = None;
        assert!(!silence.is_too_long(Duration::from_secs(131)));
    }
}
