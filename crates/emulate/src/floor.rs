//! The cost of the layer itself: the same calls with a drive that takes no time.
//!
//! Nothing faster than this can be shown, so it is measured and stored with every result.

use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use device::DriveSpec;
use ground::{Clock, Random};
use measure::Histogram;

use crate::drive::{Backing, EmulatedDrive};
use crate::error::EmulateError;
use crate::recorder::Failed;
use crate::vfs::handle::Handle;
use crate::vfs::pool::BLOCK;
use crate::vfs::state::{Request, State};
use crate::vfs::store::with_aligned;

/// Rounds, with a pause before each: programs that keep the machine busy for a moment spoil some of them, not
/// all.
const ROUNDS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(5);
/// Operations of each kind in a round; the whole takes well under a second.
const OPERATIONS: u64 = 2_000;
/// Syncs, each after a write.
const SYNCS: u64 = 500;
/// Blocks of the scratch file: 16 MiB.
const BLOCKS: u64 = 4096;
/// Blocks of the scratch file, operations and syncs where each one goes through the kernel.
const FILE_BLOCKS: u64 = 256;
const FILE_OPERATIONS: u64 = 100;
const FILE_SYNCS: u64 = 50;
/// The seed; any fixed sequence serves.
const SEED: u64 = 1;

/// Times of one kind of operation through the layer with the free drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Median, ns.
    pub p50_ns: u64,
    /// 99th percentile, ns.
    pub p99_ns: u64,
    /// Mean, ns.
    pub mean_ns: f64,
    /// Median of the quietest of several rounds, ns: the layer's time without disturbance.
    pub quiet_p50_ns: u64,
    /// The lowest 99th percentile of a round, ns.
    pub quiet_p99_ns: u64,
    /// The lowest first quartile of a round, ns: also on a busy machine some are not disturbed.
    pub quiet_p25_ns: u64,
}

impl Timing {
    /// A layer that takes no time.
    pub(crate) const NONE: Timing =
        Timing { p50_ns: 0, p99_ns: 0, mean_ns: 0.0, quiet_p50_ns: 0, quiet_p99_ns: 0, quiet_p25_ns: 0 };
}

/// The overhead of the layer on this machine and in this directory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// Reading 4 KiB that the buffer pool does not have.
    pub read: Timing,
    /// Writing 4 KiB of a database.
    pub write: Timing,
    /// A sync after one write.
    pub sync: Timing,
}

/// The value of every written byte of a scratch file. A scratch file that a kill left is recognised by this,
/// not by its name alone.
pub(crate) const FLOOR_BYTE: u8 = 0xA5;

/// The beginning of the names of all scratch files and directories.
const SCRATCH: &str = ".drivetrain-floor-";

/// The ending of a scratch name, if it is not a number: a file of one caller, one of many callers, the
/// directory that is mounted.
#[derive(Clone, Copy)]
pub(crate) enum Scratch {
    Files,
    Crowd,
    Mount,
}

impl Scratch {
    const ALL: [Scratch; 3] = [Scratch::Files, Scratch::Crowd, Scratch::Mount];

    fn word(self) -> &'static str {
        match self {
            Scratch::Files => "files",
            Scratch::Crowd => "crowd",
            Scratch::Mount => "mount",
        }
    }

    /// The one of this process in `dir`.
    pub(crate) fn path(self, dir: &Path) -> PathBuf {
        dir.join(format!("{SCRATCH}{}-{}", std::process::id(), self.word()))
    }
}

/// The process whose scratch file or directory of a floor measurement has this name; `None` for other names.
pub(crate) fn process_of(name: &str) -> Option<u32> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (pid, what) = name.strip_prefix(SCRATCH)?.split_once('-')?;
    let is_known = is_number(what) || Scratch::ALL.iter().any(|scratch| scratch.word() == what);
    pid.parse().ok().filter(|_| is_known && is_number(pid))
}

/// Measures the overhead of the layer for files in `dir`: the same calls that SQLite makes, with a drive that
/// takes no time and no buffer pool. It takes well under a second and leaves nothing behind.
///
/// # Errors
/// A scratch file of 16 MiB cannot be made and used in `dir`.
pub fn measure_floor(dir: &Path) -> Result<Floor, EmulateError> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let directory = |source| EmulateError::Directory { path: dir.to_owned(), source };
    let dir = std::fs::canonicalize(dir).map_err(directory)?;
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = dir.join(format!("{SCRATCH}{}-{count}", std::process::id()));
    let drive = Backing::Emulated(EmulatedDrive::new("free", &DriveSpec::free(), SEED));
    let state = Arc::new(State::new(dir, None, drive.clone(), drive, 0));
    let request = Request { create: true, exclusive: true, delete_on_close: true, ..Request::default() };
    let measured = Handle::open(&state, &path, request).and_then(|handle| {
        let floor = measure(&handle);
        handle.close()?;
        floor
    });
    measured.map_err(|Failed(code)| EmulateError::Floor {
        path: path.clone(),
        source: reason(&state, &path, code),
    })
}

/// Measures the time of file access in `dir` as any program has it: reads, writes and syncs of 4 KiB past the
/// page cache. About 0.2 s; leaves nothing behind. Under a mount that charges nothing this is the cost of the
/// mount itself.
pub(crate) fn through_files(dir: &Path) -> Result<Floor, EmulateError> {
    let path = Scratch::Files.path(dir);
    let measured = through_file(&path);
    if !measured.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists) {
        let _ = std::fs::remove_file(&path);
    }
    measured.map_err(|source| EmulateError::Floor { path, source })
}

fn through_file(path: &Path) -> io::Result<Floor> {
    // Nothing that has the name is followed or written to.
    std::fs::File::create_new(path)?;
    let mut how = std::fs::File::options();
    how.read(true).write(true);
    // Where a file system refuses it, the page cache answers, and the floor is lower.
    let file = how.clone().custom_flags(libc::O_DIRECT).open(path).or_else(|_| how.open(path))?;
    let mut random = Random::new(SEED);
    let mut offset = move || random.next_u64() % FILE_BLOCKS * BLOCK as u64;
    with_aligned(0, BLOCK, |_, page| {
        page.fill(FLOOR_BYTE);
        for block in 0..FILE_BLOCKS {
            file.write_all_at(page, block * BLOCK as u64)?;
        }
        in_rounds(|| {
            let read = timed(FILE_OPERATIONS, || Ok(offset()), |at| file.read_exact_at(page, at))?;
            let write = timed(FILE_OPERATIONS, || Ok(offset()), |at| file.write_all_at(page, at))?;
            let sync = timed(FILE_SYNCS, || file.write_all_at(page, offset()), |()| file.sync_data())?;
            Ok([read, write, sync])
        })
    })
}

fn reason(state: &State, path: &Path, code: i32) -> io::Error {
    let text = state.common.recorder.first_error();
    io::Error::other(text.unwrap_or_else(|| format!("SQLite code {code} for {}", path.display())))
}

fn measure(handle: &Handle) -> Result<Floor, Failed> {
    let mut page = vec![FLOOR_BYTE; BLOCK];
    for block in 0..BLOCKS {
        handle.write(&page, block * BLOCK as u64)?;
    }
    handle.sync()?;
    let mut random = Random::new(SEED);
    let mut offset = move || random.next_u64() % BLOCKS * BLOCK as u64;
    in_rounds(|| {
        let read = timed(OPERATIONS, || Ok(offset()), |at| handle.read(&mut page, at).map(drop))?;
        let write = timed(OPERATIONS, || Ok(offset()), |at| handle.write(&page, at))?;
        handle.sync()?;
        let sync = timed(SYNCS, || handle.write(&page, offset()), |()| handle.sync())?;
        Ok([read, write, sync])
    })
}

/// Repeats `round`, which times reads, writes and syncs.
fn in_rounds<E>(mut round: impl FnMut() -> Result<[Histogram; 3], E>) -> Result<Floor, E> {
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        Clock::Wall.sleep(PAUSE);
        rounds.push(round()?);
    }
    let of = |kind: usize| {
        let quietest = |quantile| rounds.iter().map(|round| round[kind].quantile_ns(quantile)).min();
        let mut all = Histogram::new();
        rounds.iter().for_each(|round| all.merge(&round[kind]));
        Timing {
            p50_ns: all.quantile_ns(0.5),
            p99_ns: all.quantile_ns(0.99),
            mean_ns: all.mean_ns(),
            quiet_p50_ns: quietest(0.5).unwrap_or(0),
            quiet_p99_ns: quietest(0.99).unwrap_or(0),
            quiet_p25_ns: quietest(0.25).unwrap_or(0),
        }
    };
    Ok(Floor { read: of(0), write: of(1), sync: of(2) })
}

/// Times `work` alone, this many times.
fn timed<T, E>(
    count: u64,
    mut prepare: impl FnMut() -> Result<T, E>,
    mut work: impl FnMut(T) -> Result<(), E>,
) -> Result<Histogram, E> {
    let mut histogram = Histogram::new();
    for _ in 0..count {
        let prepared = prepare()?;
        let started_ns = Clock::Wall.now_ns();
        work(prepared)?;
        histogram.record(Clock::Wall.now_ns() - started_ns);
    }
    Ok(histogram)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_is_measured_and_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let floor = measure_floor(dir.path()).unwrap();
        for timing in [floor.read, floor.write, floor.sync] {
            assert!(timing.p50_ns > 0 && timing.p50_ns <= timing.p99_ns && timing.mean_ns > 0.0);
            assert!(timing.quiet_p50_ns <= timing.p50_ns && timing.quiet_p99_ns <= timing.p99_ns);
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let missing = measure_floor(&dir.path().join("none")).unwrap_err();
        assert!(missing.to_string().contains("none"), "{missing}");
    }

    #[test]
    fn a_burst_in_some_rounds_spoils_neither_the_quiet_median_nor_hides_from_the_honest_one() {
        let mut round = 0;
        let floor = in_rounds(|| -> Result<_, ()> {
            round += 1;
            let mut times = Histogram::new();
            times.record_n(if round % 3 == 0 { 15_000 } else { 900_000 }, 100);
            Ok([times.clone(), times.clone(), times])
        });
        let read = floor.unwrap().read;
        assert!(read.quiet_p50_ns < 16_000 && read.quiet_p99_ns < 16_000, "{read:?}");
        assert!(read.p50_ns > 800_000 && read.p99_ns > 800_000, "{read:?}");
    }
}
