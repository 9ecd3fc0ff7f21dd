//! The replay of the command line as the block workload of an experiment, and the trace as it is read.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use experiment::{Block, BlockEngine, Experiment, Span, Trace, Workload};
use words::say;

use super::ReplayArgs;
use crate::printable::in_one_line;
use crate::targets::TargetBed;

/// The name of the workload: a replay is no block load of another kind.
const NAME: &str = "replay";
/// No choice of a replay is random.
const SEED: u64 = 1;

impl ReplayArgs {
    /// The name of the trace: the last part of its path.
    pub(super) fn trace_name(&self) -> String {
        let name = self.trace.file_name().unwrap_or(self.trace.as_os_str());
        in_one_line(&Path::new(name).display().to_string())
    }

    /// The replay on its target as an experiment, and the name of the run. The checksum of the trace is known
    /// when it has been read.
    pub(super) fn experiment(&self, bed: &TargetBed) -> (Experiment, String) {
        let file = self.trace_name();
        let title = say!("load-title-replay", trace = file, target = bed.label);
        let trace = Trace {
            file,
            checksum: "-".to_owned(),
            speed: (!self.fast).then_some(self.speed),
            reads_only: self.reads_only,
        };
        let block = Block {
            name: Some(NAME.to_owned()),
            engine: BlockEngine::IoUring,
            depth_max: self.depth,
            direct: !self.buffered,
            trace: Some(trace),
            ..Block::new(Span(Duration::ZERO), Span(Duration::ZERO))
        };
        (bed.experiment(title, block, SEED), bed.name.clone())
    }
}

/// Adds the checksum of the trace that was read to the experiment.
pub(super) fn with_checksum(experiment: &mut Experiment, checksum: &Checksum) {
    if let Some(Workload::Block(block)) = experiment.workload.first_mut()
        && let Some(trace) = &mut block.trace
    {
        trace.checksum = format!("{:016x}", checksum.0.load(Ordering::Acquire));
    }
}

/// The length of a trace when it was opened, bytes; `None` for what is no regular file.
pub(super) struct Whole(Option<u64>);

impl Whole {
    pub(super) fn of(trace: &Path) -> Whole {
        let found = disk::metadata_if_any(trace).ok().flatten();
        Whole(found.filter(|found| found.is_file()).map(|found| found.len()))
    }

    /// Refuses the result of a trace that became shorter under its replay: I/Os at its end are missing.
    ///
    /// # Errors
    /// With both lengths.
    pub(super) fn check(&self, trace: &Path) -> anyhow::Result<()> {
        let Whole(Some(was)) = *self else { return Ok(()) };
        let Whole(is) = Whole::of(trace);
        anyhow::ensure!(
            is.is_some_and(|is| is >= was),
            "{}: the trace became shorter while it was replayed: it had {was} bytes and has {}; the result is not kept, because I/Os are \
             missing in it; replay a copy that nobody changes",
            trace.display(),
            is.unwrap_or(0)
        );
        Ok(())
    }
}

/// 64-bit FNV-1a of the bytes that were read so far.
#[derive(Clone, Debug)]
pub(super) struct Checksum(Arc<AtomicU64>);

/// A trace whose bytes are summed up as they are read.
pub(super) struct Summed<R> {
    trace: R,
    sum: u64,
    checksum: Checksum,
}

impl<R> Summed<R> {
    pub(super) fn new(trace: R) -> (Summed<R>, Checksum) {
        let checksum = Checksum(Arc::new(AtomicU64::new(ground::FNV_START)));
        (Summed { trace, sum: ground::FNV_START, checksum: checksum.clone() }, checksum)
    }
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.trace.read(buffer)?;
        self.sum = buffer[..count].iter().fold(self.sum, |sum, byte| ground::fnv1a(sum, u64::from(*byte)));
        self.checksum.0.store(self.sum, Ordering::Release);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_that_became_shorter_is_told_with_both_lengths() {
        let dir = tempfile::tempdir().unwrap();
        let trace = dir.path().join("io.log");
        std::fs::write(&trace, "0123456789").unwrap();
        let whole = Whole::of(&trace);
        std::fs::write(&trace, "0123456789ab").unwrap();
        whole.check(&trace).expect("it may grow");
        std::fs::write(&trace, "012").unwrap();
        let told = whole.check(&trace).unwrap_err().to_string();
        assert!(told.contains("had 10 bytes and has 3;"), "{told}");
        std::fs::remove_file(&trace).unwrap();
        assert!(whole.check(&trace).unwrap_err().to_string().contains("has 0;"));
        Whole::of(dir.path()).check(&trace).expect("only files have a length");
    }

    #[test]
    fn the_checksum_is_that_of_all_bytes_however_they_were_read() {
        let sum = |text: &[u8], step: usize| {
            let (mut summed, checksum) = Summed::new(text);
            let mut buffer = vec![0; step];
            while summed.read(&mut buffer).unwrap() > 0 {}
            checksum.0.load(Ordering::Acquire)
        };
        // The vectors of the draft for FNV.
        assert_eq!((sum(b"", 1), sum(b"a", 1)), (ground::FNV_START, 0xaf63_dc4c_8601_ec8c));
        assert_eq!(sum(b"foobar", 6), 0x8594_4171_f739_67e8);
        assert_eq!(sum(b"foobar", 1), sum(b"foobar", 4));
    }
}
