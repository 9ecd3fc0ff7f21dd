//! The ledgers of a run: one for each file or device that is verified, shared by all jobs that go there.

use std::os::fd::AsFd;
use std::sync::Arc;

use rustix::fs::{FileType, fstat};

use crate::error::BlockError;
use crate::job::{IN_FLIGHT_MAX, Job, Verify};
use crate::ledger::{BLOCKS_MAX, Ledger, block_bytes};
use crate::target::{OpenTarget, Span};

/// A job whose targets are open, before its workers are gathered.
pub(crate) struct Opened<'job> {
    pub(crate) job: &'job Job,
    pub(crate) targets: Vec<OpenTarget>,
    /// Of each stream.
    pub(crate) spans: Vec<Span>,
}

/// The ledger of each of a job's targets; empty when nothing is verified.
pub(crate) type LedgersOf = Box<[Option<Arc<Ledger>>]>;

/// Those who go to one file, as indices of job and target.
type Visits = Vec<(usize, usize)>;

/// The ledgers of every job, in the jobs' order. `run` tells the stamps of this run from those of earlier
/// ones.
pub(crate) fn of_jobs(opened: &[Opened<'_>], run: u64) -> Result<Vec<LedgersOf>, BlockError> {
    let verifies = |one: &Opened<'_>| one.job.verify == Verify::Write;
    let mut all: Vec<LedgersOf> = opened
        .iter()
        .map(|one| if verifies(one) { vec![None; one.targets.len()].into() } else { LedgersOf::default() })
        .collect();
    if !opened.iter().any(verifies) {
        return Ok(all);
    }
    let mut blocks = 0;
    for (number, visits) in visits(opened)?.iter().enumerate() {
        let Some(ledger) = ledger(opened, visits, run.wrapping_add(number as u64))? else { continue };
        blocks += ledger.blocks() as u64;
        if blocks > BLOCKS_MAX {
            let what = format!("verifying more than {BLOCKS_MAX} blocks in all files together");
            return Err(BlockError::job(what, "use smaller files, fewer of them, or larger blocks"));
        }
        let ledger = Arc::new(ledger);
        for &(job, target) in visits {
            if let Some(place) = all[job].get_mut(target) {
                *place = Some(Arc::clone(&ledger));
            }
        }
    }
    Ok(all)
}

/// The targets of all jobs, those that are one file together.
fn visits(opened: &[Opened<'_>]) -> Result<Vec<Visits>, BlockError> {
    let mut known = std::collections::BTreeMap::new();
    let mut all: Vec<Visits> = Vec::new();
    for (job, one) in opened.iter().enumerate() {
        for (index, target) in one.targets.iter().enumerate() {
            let Some(file) = &target.file else { continue };
            let stat = fstat(file.as_fd())
                .map_err(|error| BlockError::io(&target.path, "ask which file it is", error))?;
            let is_device = FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice;
            let identity = if is_device { (u64::MAX, stat.st_rdev) } else { (stat.st_dev, stat.st_ino) };
            let number = *known.entry(identity).or_insert_with(|| {
                all.push(Visits::new());
                all.len() - 1
            });
            all[number].push((job, index));
        }
    }
    Ok(all)
}

/// The ledger of one file; `None` when no job writes to it.
fn ledger(opened: &[Opened<'_>], visits: &[(usize, usize)], run: u64) -> Result<Option<Ledger>, BlockError> {
    let (mut bytes, mut size_bytes, mut outstanding) = (0, 0, 0);
    for &(job, target) in visits {
        let Opened { job, targets, spans } = &opened[job];
        if !job.writes_target(target) {
            continue;
        }
        if job.verify == Verify::Off {
            let what = format!("writes to {} beside a load that is verified", targets[target].path.display());
            return Err(BlockError::job(what, "verify both loads, or neither"));
        }
        let own = job.streams.iter().zip(spans).filter(|(stream, _)| stream.goes_to(target));
        bytes = block_bytes(bytes, job, own);
        size_bytes = targets[target].size_bytes.max(size_bytes);
        outstanding += u64::from(job.shape.depth()) * u64::from(job.workers);
    }
    if bytes == 0 {
        return Ok(None);
    }
    if outstanding > u64::from(IN_FLIGHT_MAX) {
        return Err(BlockError::job(
            format!("depth {outstanding} with verification"),
            format!("use at most {IN_FLIGHT_MAX} when written data is verified"),
        ));
    }
    Ledger::new(bytes, size_bytes, run).map(Some)
}
