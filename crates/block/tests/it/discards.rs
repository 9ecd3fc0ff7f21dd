//! Discards within a load, zones with gaps, and streams over many files.

use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use block::{
    BlockError, Control, Discard, EngineKind, FileChoice, Job, Pattern, Shape, SizeMix, Stream, Target,
    Verify, WritePermit,
};

use crate::{engines, uring};

const SIZE: u64 = 1 << 20;

fn file(path: &Path) -> Target {
    Target::Permitted(Arc::new(WritePermit::create_file(path, SIZE).unwrap()))
}

fn job(stream: Stream, engine: EngineKind, target: Target) -> Job {
    let mut job = Job::new(stream, Shape::ClosedLoop { depth: 4 }, engine, target);
    (job.direct, job.measure) = (false, Duration::from_secs(10));
    job
}

fn stream(pattern: Pattern, read_share: f64) -> Stream {
    Stream::new("s", pattern, read_share, SizeMix::fixed(4096))
}

#[test]
fn discards_punch_holes_and_are_counted_apart() {
    for engine in engines() {
        let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let path = directory.path().join("file");
        let mut trims = stream(Pattern::Sequential, 0.0);
        trims.discard = Discard::Share(1.0);
        let mut job = job(trims, engine, file(&path));
        job.bytes_max = Some(SIZE);
        let before = std::fs::metadata(&path).unwrap().blocks();
        let outcome = block::run(&job, &Control::new()).unwrap();
        assert_eq!((outcome.discard.ios, outcome.write.ios), (256, 0), "{:?}", outcome.errors);
        assert_eq!((outcome.ios(), outcome.latency().len()), (256, 256));
        assert!(outcome.is_clean() && std::fs::metadata(&path).unwrap().blocks() < before);
    }
}

#[test]
fn a_discard_before_each_write_leaves_what_was_written() {
    let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let path = directory.path().join("file");
    let mut pairs = stream(Pattern::Sequential, 0.0);
    pairs.discard = Discard::BeforeWrites;
    let mut job = job(pairs, EngineKind::Psync, file(&path));
    job.shape = Shape::ClosedLoop { depth: 1 };
    job.bytes_max = Some(2 * SIZE);
    let outcome = block::run(&job, &Control::new()).unwrap();
    assert_eq!((outcome.discard.ios, outcome.write.ios), (256, 256));
    let mut bytes = vec![0; SIZE as usize];
    std::fs::File::open(&path).unwrap().read_exact_at(&mut bytes, 0).unwrap();
    assert!(bytes.chunks(4096).all(|block| block.iter().any(|byte| *byte != 0)));
    job.verify = Verify::Write;
    let verified = block::run(&job, &Control::new()).unwrap().verify.unwrap();
    assert_eq!((verified.checked_blocks, verified.undetermined_blocks, verified.faulty_blocks), (256, 0, 0));
    job.streams[0].discard = Discard::Share(0.5);
    let verified = block::run(&job, &Control::new()).unwrap().verify.unwrap();
    assert!(verified.undetermined_blocks > 0 && verified.checked_blocks > 0, "{verified:?}");
    assert!(verified.faulty_blocks == 0, "{verified:?}");
}

#[test]
fn discards_need_a_permit_and_a_target_that_knows_them() {
    let mut trims = stream(Pattern::Uniform, 1.0);
    trims.discard = Discard::Share(0.5);
    let read_only = job(trims.clone(), EngineKind::IoUring, Target::ReadOnly("/etc/hostname".into()));
    assert!(matches!(read_only.validate().unwrap_err(), BlockError::Refused { .. }));
    let drive = block::ModelledDrive::new(&device::catalogue::find("kingston-dc500m-1920g").unwrap().spec, 1);
    let modelled = job(trims, EngineKind::Modelled(drive), Target::AddressSpace { size_bytes: SIZE });
    assert!(matches!(modelled.validate().unwrap_err(), BlockError::BadJob { .. }));
}

#[test]
fn zones_are_visited_with_their_gaps() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let zones = Pattern::Zones {
        range_bytes: 16 << 10,
        skip_bytes: 48 << 10,
        transfer_bytes: 16 << 10,
        random: false,
    };
    let mut job = job(stream(zones, 0.0), EngineKind::Psync, file(&path));
    let before = std::fs::read(&path).unwrap();
    job.bytes_max = Some(SIZE / 4);
    assert_eq!(block::run(&job, &Control::new()).unwrap().write.ios, 64);
    let after = std::fs::read(&path).unwrap();
    for (number, (old, new)) in before.chunks(4096).zip(after.chunks(4096)).enumerate() {
        assert_eq!(old != new, number % 16 < 4, "block {number}");
    }
}

#[test]
fn a_stream_over_many_files_reaches_each_of_them() {
    let Some(uring) = uring() else { return };
    let directory = tempfile::tempdir().unwrap();
    let files = 40;
    let paths: Vec<_> = (0..files).map(|number| directory.path().join(number.to_string())).collect();
    let targets: Vec<Target> = paths.iter().map(|path| file(path)).collect();
    let before: Vec<_> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    let mut over = stream(Pattern::Sequential, 0.0);
    (over.files, over.choice) = (files, FileChoice::RoundRobin);
    let mut job = job(over, uring, targets[0].clone());
    (job.targets, job.bytes_max) = (targets, Some(u64::from(files) * 8192));
    let outcome = block::run(&job, &Control::new()).unwrap();
    assert_eq!(outcome.write.ios, u64::from(files) * 2);
    for (path, before) in paths.iter().zip(before) {
        let after = std::fs::read(path).unwrap();
        let changed: Vec<usize> = (0..256)
            .filter(|block| before[block * 4096..][..4096] != after[block * 4096..][..4096])
            .collect();
        assert_eq!(changed, [0, 1], "{}", path.display());
    }
    job.streams[0].files = files + 1;
    assert!(matches!(job.validate().unwrap_err(), BlockError::BadJob { .. }));
}
