//! Reading written data back and classifying its faults: flipped, torn, stale or misplaced.

mod after_crash;
mod running;

use std::fs::File;
use std::path::Path;

use rustix::fs::Advice;
use words::{FaultCount, FaultCounts};

use crate::buffer::Buffers;
use crate::control::Control;
use crate::error::BlockError;
use crate::fault::{BlockFault, FaultKind};
use crate::ledger::{Expected, Ledger};
use crate::stamp::{Reading, SECTOR_BYTES, Stamper};

pub use after_crash::{CrashReport, verify_after_crash};
pub(crate) use running::Running;

const READ_BYTES_MAX: u64 = 1 << 20;
/// Faults that are described one by one; all are counted.
const FAULTS_LISTED_MAX: usize = 100;
/// Newest generations that a damaged sector is compared with.
const CANDIDATES_MAX: u64 = 16;

/// The judgement of everything a run wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// Size of a block: the largest unit that no write of the job cuts in two; of several files, the smallest
    /// of theirs.
    pub block_bytes: u64,
    /// Blocks read and judged.
    pub checked_blocks: u64,
    /// Blocks judged by reads of the load itself, while it ran; faults of theirs say so.
    pub checked_while_running: u64,
    /// Blocks with a failed or unfinished write, or discarded: anything may be there, so they are not judged.
    pub undetermined_blocks: u64,
    /// Blocks that are wrong in any way.
    pub faulty_blocks: u64,
    /// Blocks with changed bits.
    pub flipped: u64,
    /// Blocks that hold parts of two writes.
    pub torn: u64,
    /// After a crash: blocks that hold an older write than one that was made durable.
    pub lost: u64,
    /// Blocks that hold an older write than the last acknowledged one, or data from before the run.
    pub stale: u64,
    /// Blocks that hold data written to another place.
    pub misplaced: u64,
    /// Blocks that could not be read back.
    pub unreadable: u64,
    /// The first hundred faults in the order of their offsets.
    pub faults: Vec<BlockFault>,
    /// True if all written blocks were checked; false when the caller stopped.
    pub complete: bool,
}

impl VerifyReport {
    /// Counts of the kinds that occur: "2 flipped, 1 stale".
    pub fn kinds(&self) -> FaultCounts {
        let kinds = [
            (self.flipped, FaultCount::Flipped { blocks: self.flipped }),
            (self.torn, FaultCount::Torn { blocks: self.torn }),
            (self.lost, FaultCount::Lost { blocks: self.lost }),
            (self.stale, FaultCount::Stale { blocks: self.stale }),
            (self.misplaced, FaultCount::Misplaced { blocks: self.misplaced }),
            (self.unreadable, FaultCount::Unreadable { blocks: self.unreadable }),
        ];
        let occurs = kinds.into_iter().filter_map(|(count, kind)| (count > 0).then_some(kind));
        FaultCounts::Counted(occurs.collect())
    }

    /// Adds the judgement of another file of the same run.
    pub(crate) fn add(&mut self, other: VerifyReport) {
        self.block_bytes = self.block_bytes.min(other.block_bytes);
        self.checked_blocks += other.checked_blocks;
        self.checked_while_running += other.checked_while_running;
        self.undetermined_blocks += other.undetermined_blocks;
        self.faulty_blocks += other.faulty_blocks;
        self.flipped += other.flipped;
        self.torn += other.torn;
        self.lost += other.lost;
        self.stale += other.stale;
        self.misplaced += other.misplaced;
        self.unreadable += other.unreadable;
        self.complete &= other.complete;
        let room = FAULTS_LISTED_MAX.saturating_sub(self.faults.len());
        self.faults.extend(other.faults.into_iter().take(room));
    }

    /// Names the file in each fault: a run that verifies several needs to say which.
    pub(crate) fn name_file(&mut self, path: &Path) {
        for fault in &mut self.faults {
            fault.detail = format!("{}: {}", path.display(), fault.detail);
        }
    }

    fn note(&mut self, fault: BlockFault) {
        self.faulty_blocks += 1;
        *match fault.kind {
            FaultKind::Flipped => &mut self.flipped,
            FaultKind::Torn => &mut self.torn,
            FaultKind::Lost => &mut self.lost,
            FaultKind::Stale => &mut self.stale,
            FaultKind::Misplaced => &mut self.misplaced,
            FaultKind::Unreadable => &mut self.unreadable,
        } += 1;
        if self.faults.len() < FAULTS_LISTED_MAX {
            self.faults.push(fault);
        }
    }
}

/// Reads every block that the run wrote from `file` and judges it. All writes must be over.
pub(crate) fn verify(
    file: &File,
    path: &Path,
    ledger: &Ledger,
    control: &Control,
) -> Result<VerifyReport, BlockError> {
    rustix::fs::fsync(file).map_err(|error| BlockError::io(path, "make the written data durable", error))?;
    // Without O_DIRECT the page cache would answer; dropping it is a wish that the kernel may decline.
    let _ = rustix::fs::fadvise(file, 0, None, Advice::DontNeed);
    let block_bytes = ledger.block_bytes();
    let mut report = VerifyReport { block_bytes, complete: true, ..VerifyReport::default() };
    report.checked_while_running = ledger.judged();
    ledger.told().into_iter().for_each(|fault| report.note(fault));
    let mut buffer = Buffers::new(1, buffer_bytes(block_bytes));
    let mut block = 0;
    while block < ledger.blocks() {
        let run = readable_run(ledger, block);
        if run == 0 {
            report.undetermined_blocks += u64::from(ledger.expected(block) == Expected::Undetermined);
            block += 1;
            continue;
        }
        if control.is_stopped() {
            report.complete = false;
            break;
        }
        check_run(file, ledger, &ledger.stamper, block..block + run, buffer.slot(0), &mut report);
        block += run;
    }
    Ok(report)
}

/// The source that knows which write each block should hold.
trait Checked {
    fn blocks(&self) -> usize;
    fn block_bytes(&self) -> u64;
    fn expected(&self, block: usize) -> Expected;
    /// The name of a write that is older than the expected one.
    fn older(&self) -> FaultKind;
}

impl Checked for Ledger {
    fn blocks(&self) -> usize {
        Ledger::blocks(self)
    }

    fn block_bytes(&self) -> u64 {
        Ledger::block_bytes(self)
    }

    fn expected(&self, block: usize) -> Expected {
        Ledger::expected(self, block)
    }

    fn older(&self) -> FaultKind {
        FaultKind::Stale
    }
}

/// Blocks that are read at once.
fn run_blocks(block_bytes: u64) -> usize {
    (READ_BYTES_MAX / block_bytes).max(1) as usize
}

fn buffer_bytes(block_bytes: u64) -> usize {
    run_blocks(block_bytes) * block_bytes as usize
}

/// Neighbouring blocks from this one on whose content is known, as many as are read at once.
fn readable_run(books: &impl Checked, block: usize) -> usize {
    let last = books.blocks().min(block + run_blocks(books.block_bytes()));
    let known = |block: &usize| matches!(books.expected(*block), Expected::Generations { .. });
    (block..last).take_while(known).count()
}

/// Reads neighbouring blocks at once and judges each; reads them one by one when that fails.
fn check_run(
    file: &File,
    books: &impl Checked,
    stamper: &Stamper,
    blocks: std::ops::Range<usize>,
    buffer: &mut [u8],
    report: &mut VerifyReport,
) {
    let block_bytes = books.block_bytes() as usize;
    let bytes = &mut buffer[..blocks.len() * block_bytes];
    let offset = blocks.start as u64 * books.block_bytes();
    if let Err(error) = read_exactly(file, bytes, offset) {
        if blocks.len() > 1 {
            blocks.for_each(|block| check_run(file, books, stamper, block..block + 1, bytes, report));
        } else {
            let detail = format!("reading it back failed: {error}");
            report.checked_blocks += 1;
            report.note(BlockFault { offset_bytes: offset, kind: FaultKind::Unreadable, detail });
        }
        return;
    }
    for (block, bytes) in blocks.zip(bytes.chunks_exact(block_bytes)) {
        let Expected::Generations { first, last } = books.expected(block) else { continue };
        let offset_bytes = block as u64 * books.block_bytes();
        report.checked_blocks += 1;
        if let Err((kind, detail)) = judge(stamper, bytes, offset_bytes, (first, last), books.older()) {
            report.note(BlockFault { offset_bytes, kind, detail });
        }
    }
}

fn read_exactly(file: &File, bytes: &mut [u8], offset: u64) -> Result<(), String> {
    let mut done = 0;
    while done < bytes.len() {
        match rustix::io::pread(file, &mut bytes[done..], offset + done as u64) {
            Ok(0) => return Err(format!("the file ends at byte {}", offset + done as u64)),
            Ok(read) => done += read,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}

/// The state of one sector of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sector {
    Written { generation: u64 },
    Elsewhere { offset: u64 },
    Flipped { bits: u32, first_byte: usize },
    Mixed,
    Before,
}

/// Judges one block that may hold generation `first` to `last`; `older` is the name of the fault for an older
/// one.
fn judge(
    stamper: &Stamper,
    block: &[u8],
    offset: u64,
    (first, last): (u64, u64),
    older: FaultKind,
) -> Result<(), (FaultKind, String)> {
    let mut oldest = u64::MAX;
    let mut newest = 0;
    let mut before = 0;
    let sectors = block.len() / SECTOR_BYTES;
    for (index, bytes) in block.chunks_exact(SECTOR_BYTES).enumerate() {
        let place = offset + (index * SECTOR_BYTES) as u64;
        match examine(stamper, bytes, place, first, last) {
            Sector::Written { generation } => {
                oldest = oldest.min(generation);
                newest = newest.max(generation);
            }
            Sector::Before => before += 1,
            Sector::Elsewhere { offset } => {
                let detail = format!("the sector at {place} holds what was written to {offset}");
                return Err((FaultKind::Misplaced, detail));
            }
            Sector::Flipped { bits, first_byte } => {
                let detail =
                    format!("{bits} bits differ in the sector at {place}, first in its byte {first_byte}");
                return Err((FaultKind::Flipped, detail));
            }
            Sector::Mixed => {
                return Err((FaultKind::Torn, format!("the sector at {place} is written in part")));
            }
        }
    }
    if before == sectors {
        let wanted = if older == FaultKind::Lost { first } else { last };
        return Err((FaultKind::Stale, format!("data from before the run, expected write {wanted}")));
    }
    if before > 0 {
        let detail =
            format!("{before} of {sectors} sectors are from before the run, others from write {newest}");
        return Err((FaultKind::Torn, detail));
    }
    // Generations within first..=last overlapped in time: the target may have mixed them.
    if oldest >= first {
        return Ok(());
    }
    if oldest == newest {
        let wanted = if older == FaultKind::Lost { first } else { last };
        return Err((older, format!("holds write {oldest}, expected write {wanted}")));
    }
    Err((FaultKind::Torn, format!("holds parts of write {oldest} and of write {newest}")))
}

fn examine(stamper: &Stamper, sector: &[u8], place: u64, first: u64, last: u64) -> Sector {
    match stamper.read(sector) {
        Reading::Stamp { offset, generation } if offset == place => Sector::Written { generation },
        Reading::Stamp { offset, .. } => Sector::Elsewhere { offset },
        Reading::OtherRun => Sector::Before,
        Reading::Unreadable => diagnose(stamper, sector, place, first, last),
    }
}

/// Compares a sector without a valid stamp with the contents of the newest writes.
///
/// A head of one write with the tail of another, or a long head or tail beside something else, means that a
/// write stopped within the sector. Otherwise random data differs in half of the bits, so less than an eighth
/// means damage.
fn diagnose(stamper: &Stamper, sector: &[u8], place: u64, first: u64, last: u64) -> Sector {
    let oldest = first.saturating_sub(1).max(1).max(last.saturating_sub(CANDIDATES_MAX));
    let mut written = [0; SECTOR_BYTES];
    let (mut head_max, mut tail_max) = (0, 0);
    let mut nearest = (u32::MAX, 0);
    for generation in oldest..=last {
        stamper.write(&mut written, place, generation);
        let bits = written.iter().zip(sector).map(|(a, b)| (a ^ b).count_ones()).sum();
        let equal = |pair: &(&u8, &u8)| pair.0 == pair.1;
        let head = written.iter().zip(sector).take_while(equal).count();
        let tail = written.iter().rev().zip(sector.iter().rev()).take_while(equal).count();
        (head_max, tail_max) = (head_max.max(head), tail_max.max(tail));
        nearest = nearest.min((bits, head));
    }
    match nearest {
        _ if head_max + tail_max >= SECTOR_BYTES => Sector::Mixed,
        (bits, first_byte) if bits < SECTOR_BYTES as u32 => Sector::Flipped { bits, first_byte },
        _ if head_max >= 32 || tail_max >= 32 => Sector::Mixed,
        _ => Sector::Before,
    }
}

#[cfg(test)]
mod tests;
