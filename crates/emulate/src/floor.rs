//! What the layer itself costs: the same calls with a drive that takes no time.
//!
//! Nothing faster than this can be shown, so it is measured and stored with every result.

use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use device::DriveSpec;
use measure::Histogram;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::clock::now_ns;
use crate::drive::{Backing, EmulatedDrive};
use crate::error::EmulateError;
use crate::handle::Handle;
use crate::pool::BLOCK;
use crate::recorder::Failed;
use crate::state::{Request, State};
use crate::store::with_aligned;

/// Operations of each kind; the whole takes well under a second.
const OPERATIONS: u64 = 20_000;
/// Syncs, each after a write.
const SYNCS: u64 = 5_000;
/// Blocks of the scratch file: 16 MiB.
const BLOCKS: u64 = 4096;
/// Blocks of the scratch file, operations and syncs where each one goes through the kernel.
const FILE_BLOCKS: u64 = 256;
const FILE_OPERATIONS: u64 = 500;
const FILE_SYNCS: u64 = 100;
/// Which of them; any fixed sequence does.
const SEED: u64 = 1;

/// Share of the layer's own rate from which its queue shows in the times.
const CEILING_SHARE: f64 = 0.6;

/// Times of one kind of operation through the layer with the free drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Median, ns.
    pub p50_ns: u64,
    /// 99th percentile, ns.
    pub p99_ns: u64,
    /// Mean, ns.
    pub mean_ns: f64,
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
    let path = dir.join(format!(".drivetrain-floor-{}-{count}", std::process::id()));
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

/// Measures the way to files in `dir` as any program has it: reads, writes and syncs of 4 KiB past the page cache. About 0.1 s; leaves
/// nothing behind. Under a mount that charges nothing this is what the mount itself costs.
pub(crate) fn through_files(dir: &Path) -> Result<Floor, EmulateError> {
    let path = dir.join(format!(".drivetrain-floor-{}-files", std::process::id()));
    let measured = through_file(&path);
    let _ = std::fs::remove_file(&path);
    measured.map_err(|source| EmulateError::Floor { path, source })
}

fn through_file(path: &Path) -> io::Result<Floor> {
    let mut how = std::fs::File::options();
    how.read(true).write(true).create(true).truncate(true);
    // Where a file system refuses it, the page cache answers, and the floor is lower.
    let file = how.clone().custom_flags(libc::O_DIRECT).open(path).or_else(|_| how.open(path))?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut offset = move || random.next_u64() % FILE_BLOCKS * BLOCK as u64;
    with_aligned(0, BLOCK, |_, page| {
        page.fill(0xA5);
        for block in 0..FILE_BLOCKS {
            file.write_all_at(page, block * BLOCK as u64)?;
        }
        let read = timing(FILE_OPERATIONS, || Ok(offset()), |at| file.read_exact_at(page, at))?;
        let write = timing(FILE_OPERATIONS, || Ok(offset()), |at| file.write_all_at(page, at))?;
        let sync = timing(FILE_SYNCS, || file.write_all_at(page, offset()), |()| file.sync_data())?;
        Ok(Floor { read, write, sync })
    })
}

fn reason(state: &State, path: &Path, code: i32) -> io::Error {
    let text = state.common.recorder.first_error();
    io::Error::other(text.unwrap_or_else(|| format!("SQLite code {code} for {}", path.display())))
}

fn measure(handle: &Handle) -> Result<Floor, Failed> {
    let mut page = vec![0xA5; BLOCK];
    for block in 0..BLOCKS {
        handle.write(&page, block * BLOCK as u64)?;
    }
    handle.sync()?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let mut offset = move || random.next_u64() % BLOCKS * BLOCK as u64;
    let read = timing(OPERATIONS, || Ok(offset()), |at| handle.read(&mut page, at).map(drop))?;
    let write = timing(OPERATIONS, || Ok(offset()), |at| handle.write(&page, at))?;
    handle.sync()?;
    let sync = timing(SYNCS, || handle.write(&page, offset()), |()| handle.sync())?;
    Ok(Floor { read, write, sync })
}

/// Times `work` alone, so many times.
fn timing<T, E>(
    count: u64,
    mut prepare: impl FnMut() -> Result<T, E>,
    mut work: impl FnMut(T) -> Result<(), E>,
) -> Result<Timing, E> {
    let mut histogram = Histogram::new();
    for _ in 0..count {
        let prepared = prepare()?;
        let started_ns = now_ns();
        work(prepared)?;
        histogram.record(now_ns() - started_ns);
    }
    Ok(Timing {
        p50_ns: histogram.quantile_ns(0.5),
        p99_ns: histogram.quantile_ns(0.99),
        mean_ns: histogram.mean_ns(),
    })
}

impl Floor {
    /// What keeps a load of so many operations a second and so long a mean (us) at this depth from being shown: a mean below the floor's, or
    /// a rate near the `ceiling` that the layer itself reaches.
    #[must_use]
    pub fn flags_at(&self, iops: f64, mean_us: f64, depth: u32, ceiling: f64) -> Option<String> {
        let floor_us = self.read.mean_ns.min(self.write.mean_ns) / 1e3;
        if depth == 1 && mean_us < floor_us {
            return Some(format!("a mean of {mean_us:.1} us is below the floor of {floor_us:.1} us"));
        }
        let is_near = iops > ceiling * CEILING_SHARE;
        is_near.then(|| format!("{iops:.0} operations a second are near the {ceiling:.0} that the layer reaches with a free drive"))
    }

    /// A sentence about what of this drive is faster than this machine can show, if anything is: a mean 4 KiB
    /// read, or an acknowledged write, that takes less than the layer's own p99.
    #[must_use]
    pub fn flags(&self, spec: &DriveSpec) -> Option<String> {
        let read_ns = spec.read_latency_ns(BLOCK as u64);
        let write_ns = spec.write_ack_ns as f64;
        let parts: Vec<String> = [("reads", read_ns, self.read), ("writes", write_ns, self.write)]
            .into_iter()
            .filter(|(_, model_ns, floor)| *model_ns < floor.p99_ns as f64)
            .map(|(what, model_ns, floor)| {
                let (model_us, floor_us) = (model_ns / 1e3, floor.p99_ns as f64 / 1e3);
                format!("{what} of {model_us:.1} us (the layer itself takes up to {floor_us:.1} us at p99)")
            })
            .collect();
        (!parts.is_empty()).then(|| format!("faster than this machine can show: {}", parts.join(", ")))
    }
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
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let missing = measure_floor(&dir.path().join("none")).unwrap_err();
        assert!(missing.to_string().contains("none"), "{missing}");
    }

    #[test]
    fn only_drives_below_the_floor_are_flagged() {
        let timing = Timing { p50_ns: 2_000, p99_ns: 5_000, mean_ns: 2_500.0 };
        let floor = Floor { read: timing, write: timing, sync: timing };
        let slow = DriveSpec {
            read_latency: vec![device::ReadLatency { size_bytes: 4096, latency_ns: 90_000 }],
            write_ack_ns: 25_000,
            ..DriveSpec::free()
        };
        assert_eq!(floor.flags(&slow), None);
        let fast_writes = DriveSpec { write_ack_ns: 3_000, ..slow.clone() };
        let text = floor.flags(&fast_writes).unwrap();
        assert!(text.starts_with("faster than this machine can show: writes of 3.0 us"), "{text}");
        assert!(floor.flags(&DriveSpec::free()).unwrap().contains("reads of 0.0 us"));
    }
}
