//! Verification against the journal of durable writes: a target that kept them, and targets that were damaged
//! on purpose.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use block::{
    BlockError, Control, CrashReport, EngineKind, FaultKind, Flush, Job, JournalEnd, Pattern, Shape, SizeMix,
    Stream, Target, Verify, VerifyReport, WritePermit, verify_after_crash,
};

const BLOCK: usize = 4096;
const BLOCKS: usize = 16;

/// A file that a journaled run wrote to, and its contents in the middle of the run.
struct Written {
    _directory: tempfile::TempDir,
    _permit: Arc<WritePermit>,
    file: PathBuf,
    journal: PathBuf,
    earlier: Vec<u8>,
}

fn job(engine: EngineKind, permit: &Arc<WritePermit>, journal: &Path) -> Job {
    let mut stream = Stream::new("s", Pattern::Uniform, 0.0, SizeMix::fixed(BLOCK as u32));
    stream.flush = Some(Flush { every: 4, data_only: true });
    let target = Target::Permitted(Arc::clone(permit));
    let mut job = Job::new(stream, Shape::ClosedLoop { depth: 4 }, engine, target);
    (job.verify, job.direct, job.journal) =
        (Verify::Write, false, Some(block::JournalPlace { path: journal.to_owned(), start_over: true }));
    job.measure = Duration::from_millis(400);
    job
}

impl Written {
    fn new() -> Written {
        let directory = tempfile::tempdir().unwrap();
        let (file, journal) = (directory.path().join("data"), directory.path().join("journal"));
        let permit = Arc::new(WritePermit::create_file(&file, (BLOCK * BLOCKS) as u64).unwrap());
        let job = job(crate::engines().next().unwrap(), &permit, &journal);
        let (outcome, earlier) = std::thread::scope(|scope| {
            let run = scope.spawn(|| block::run(&job, &Control::new()).unwrap());
            std::thread::sleep(Duration::from_millis(200));
            let earlier = fs::read(&file).unwrap();
            (run.join().unwrap(), earlier)
        });
        let journaled = outcome.journal.unwrap();
        assert!(journaled.records > BLOCKS as u64 && journaled.error.is_none(), "{journaled:?}");
        Written { _directory: directory, _permit: permit, file, journal, earlier }
    }

    fn block(&self, number: usize) -> Vec<u8> {
        fs::read(&self.file).unwrap()[number * BLOCK..(number + 1) * BLOCK].to_vec()
    }

    fn put(&self, number: usize, at: usize, bytes: &[u8]) {
        let file = File::options().write(true).open(&self.file).unwrap();
        file.write_all_at(bytes, (number * BLOCK + at) as u64).unwrap();
    }

    fn held(&self) -> CrashReport {
        verify_after_crash(&self.file, &self.journal, &Control::new()).unwrap()
    }

    /// The judgement of the target under a journal that is closed and whole.
    fn verified(&self) -> VerifyReport {
        let report = self.held();
        assert_eq!((report.journal.end, report.journal.remarks()), (JournalEnd::Closed, vec![]));
        assert!(report.is_thorough());
        report.target
    }
}

#[test]
fn what_was_made_durable_is_there_and_every_damage_is_told_apart() {
    let written = Written::new();
    let report = written.verified();
    assert_eq!((report.checked_blocks, report.faulty_blocks, report.complete), (BLOCKS as u64, 0, true));

    let mut flipped = written.block(1);
    flipped[700] ^= 4;
    written.put(1, 0, &flipped);
    written.put(2, 0, &written.earlier[2 * BLOCK..3 * BLOCK]);
    written.put(3, 0, &written.earlier[3 * BLOCK..3 * BLOCK + BLOCK / 2]);
    written.put(4, 0, &written.block(5));
    written.put(6, 0, &vec![7; BLOCK]);
    let report = written.verified();
    let at =
        |kind: FaultKind| report.of_kind(kind).map(|f| f.offset_bytes / BLOCK as u64).collect::<Vec<_>>();
    assert_eq!(at(FaultKind::Flipped), [1], "{report:?}");
    assert_eq!((at(FaultKind::Lost), at(FaultKind::Torn)), (vec![2], vec![3]), "{report:?}");
    assert_eq!((at(FaultKind::Misplaced), at(FaultKind::Stale)), (vec![4], vec![6]), "{report:?}");
    assert_eq!(report.kinds().to_string(), "1 flipped, 1 torn, 1 lost, 1 stale, 1 misplaced");
}

#[test]
fn a_journal_that_lost_its_end_is_no_proof_and_what_is_no_journal_is_refused() {
    let written = Written::new();
    let bytes = fs::read(&written.journal).unwrap();
    fs::write(&written.journal, &bytes[..1024 + 16 * 5 + 7]).unwrap();
    let report = written.held();
    let target = &report.target;
    assert!((1..=5).contains(&target.checked_blocks) && target.faulty_blocks == 0, "{target:?}");
    assert_eq!((report.journal.records, report.is_thorough()), (5, false), "{:?}", report.journal);
    assert_eq!(report.journal.unreadable, (bytes.len() as u64 - 1024) / 16 - 5);
    for nothing in [vec![0; 2048], vec![], b"my thesis".to_vec()] {
        fs::write(&written.journal, nothing).unwrap();
        let error = verify_after_crash(&written.file, &written.journal, &Control::new()).unwrap_err();
        assert!(matches!(error, BlockError::BadJob { .. }), "{error}");
    }
}

#[test]
fn only_a_file_or_device_is_verified_and_never_by_itself() {
    let written = Written::new();
    let link = written.journal.with_extension("link");
    fs::hard_link(&written.journal, &link).unwrap();
    let error = verify_after_crash(&link, &written.journal, &Control::new()).unwrap_err();
    assert!(matches!(error, BlockError::BadJob { .. }), "{error}");
    let folder = written.file.parent().unwrap();
    for (target, journal) in [(folder, written.journal.as_path()), (&written.file, folder)] {
        let error = verify_after_crash(target, journal, &Control::new()).unwrap_err();
        assert!(matches!(error, BlockError::NotATarget { .. }), "{error}");
    }
}

#[test]
fn a_journal_needs_something_durable_to_note() {
    let directory = tempfile::tempdir().unwrap();
    let permit = Arc::new(WritePermit::create_file(&directory.path().join("data"), 1 << 20).unwrap());
    let mut job = job(EngineKind::IoUring, &permit, &directory.path().join("journal"));
    job.streams[0].flush = None;
    assert!(matches!(job.validate().unwrap_err(), BlockError::BadJob { .. }));
    job.streams[0].write_through = true;
    assert!(job.validate().is_ok());
    job.verify = Verify::Off;
    assert!(matches!(job.validate().unwrap_err(), BlockError::BadJob { .. }));
}
