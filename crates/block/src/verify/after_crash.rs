//! Verification after a crash: what the target holds against the journal of what it had made durable.

use std::fs::File;
use std::path::Path;

use super::{Checked, VerifyReport, check_run, readable_run};
use crate::buffer::Buffers;
use crate::control::{Control, LivePhase};
use crate::error::BlockError;
use crate::fault::{BlockFault, FaultKind};
use crate::journal::{Journal, NOTHING};
use crate::ledger::Expected;
use crate::stamp::Stamper;

/// Writes beyond the durable one that a damaged block is compared with: no journal says how far the load had come.
const NEWER_MAX: u64 = 16;

impl Checked for Journal {
    fn blocks(&self) -> usize {
        self.durable.len()
    }

    fn block_bytes(&self) -> u64 {
        self.block_bytes
    }

    /// The durable write or a newer one: what was under way at the crash may have arrived or not.
    fn expected(&self, block: usize) -> Expected {
        match self.durable[block] {
            NOTHING => Expected::Untouched,
            write => {
                let first = u64::from(write);
                Expected::Generations { first, last: first + NEWER_MAX }
            }
        }
    }

    fn older(&self) -> FaultKind {
        FaultKind::Lost
    }
}

/// Reads every block that the journal speaks of and judges it: the target must hold the durable write or a newer one.
///
/// # Errors
/// When the journal cannot be read or is none, and when the target cannot be opened; blocks that cannot be read are faults.
pub fn verify_after_crash(
    target: &Path,
    journal: &Path,
    control: &Control,
) -> Result<VerifyReport, BlockError> {
    control.enter(LivePhase::Verify);
    let journal = Journal::read(journal)?;
    let file = File::open(target).map_err(|error| BlockError::io(target, "open it for reading", error))?;
    // What the page cache remembers is not what the device holds: a wish that the kernel may decline.
    let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed);
    let stamper = Stamper::new(journal.run);
    let mut report =
        VerifyReport { block_bytes: journal.block_bytes, complete: true, ..VerifyReport::default() };
    let mut buffer = Buffers::new(1, super::buffer_bytes(journal.block_bytes));
    let mut block = 0;
    while block < journal.blocks() {
        let run = readable_run(&journal, block);
        if run == 0 {
            block += 1;
            continue;
        }
        if control.is_stopped() {
            report.complete = false;
            break;
        }
        check_run(&file, &journal, &stamper, block..block + run, buffer.slot(0), &mut report);
        block += run;
    }
    control.advance(LivePhase::Done);
    Ok(report)
}

impl VerifyReport {
    /// The faults of one kind.
    pub fn of_kind(&self, kind: FaultKind) -> impl Iterator<Item = &BlockFault> {
        self.faults.iter().filter(move |fault| fault.kind == kind)
    }
}
