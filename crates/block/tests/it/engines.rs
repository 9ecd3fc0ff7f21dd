//! Real I/O through every engine on a small file: every engine returns the written data.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use block::{
    Arrivals, BlockError, Control, Ended, EngineKind, Job, LivePhase, Outcome, Pattern, Shape, SizeMix,
    Stream, Target, Verify, WritePermit,
};

use crate::{engines, uring};

const SIZE_BYTES: u64 = 8 << 20;

struct Bench {
    _directory: tempfile::TempDir,
    path: PathBuf,
    permit: Arc<WritePermit>,
}

fn bench() -> Bench {
    // Beside the build: that is a disk more often than the usual place for temporary files.
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory for the target");
    let path = directory.path().join("target");
    let permit = Arc::new(WritePermit::create_file(&path, SIZE_BYTES).expect("a new target"));
    Bench { _directory: directory, path, permit }
}

impl Bench {
    fn job(&self, engine: EngineKind, depth: u32, read_share: f64) -> Job {
        let stream = Stream::new("s", Pattern::Uniform, read_share, SizeMix::fixed(4096));
        let target = if read_share < 1.0 {
            Target::Permitted(self.permit.clone())
        } else {
            Target::ReadOnly(self.path.clone())
        };
        let mut job = Job::new(stream, Shape::ClosedLoop { depth }, engine, target);
        job.measure = Duration::from_millis(150);
        // Some filesystems have no O_DIRECT; the engines do not care.
        let probe = Job { measure: Duration::from_millis(1), ..job.clone() };
        job.direct = !matches!(block::run(&probe, &Control::new()), Err(BlockError::NoDirect { .. }));
        job
    }
}

fn run(job: &Job) -> Outcome {
    block::run(job, &Control::new()).expect("a run")
}

#[test]
fn reads_are_counted_alike_everywhere() {
    let bench = bench();
    for engine in engines() {
        for depth in [1, 16] {
            let outcome = run(&bench.job(engine.clone(), depth, 1.0));
            assert_eq!(outcome.ended, Ended::Complete);
            assert!(outcome.is_clean(), "{:?}", outcome.warnings());
            assert!(outcome.read.ios > 10 && outcome.write.ios == 0);
            assert_eq!(outcome.read.bytes, outcome.read.ios * 4096);
            let under_way = outcome.latency().len().checked_sub(outcome.ios());
            assert!(under_way.is_some_and(|ios| ios <= u64::from(depth)), "at the end: {under_way:?}");
            assert_eq!(outcome.service(), outcome.latency());
            assert_eq!(outcome.workers, if engine.name() == "psync" { depth } else { 1 });
            assert!(outcome.cpu.process_ns > 0 && outcome.iops() > 0.0);
            let timeline: u64 = outcome.timeline().seconds().iter().map(|second| second.count).sum();
            assert_eq!(timeline, outcome.latency().len());
        }
    }
}

#[test]
fn reading_changes_no_byte_and_writing_with_the_same_job_is_refused() {
    let bench = bench();
    let before = std::fs::read(&bench.path).unwrap();
    let Some(uring) = uring() else { return };
    let mut job = bench.job(uring, 8, 1.0);
    run(&job);
    job.streams[0].read_share = 0.5;
    let error = block::run(&job, &Control::new()).unwrap_err();
    assert!(matches!(error, BlockError::Refused { .. }), "{error}");
    assert_eq!(std::fs::read(&bench.path).unwrap(), before);
}

#[test]
fn written_data_is_verified_on_every_engine_pattern_and_mix() {
    let bench = bench();
    let mix = SizeMix::mix([(4096, 0.6), (8192, 0.3), (65536, 0.1)]);
    for engine in engines() {
        for pattern in [
            Pattern::Sequential,
            Pattern::Uniform,
            Pattern::Zipf { theta: 1.2 },
            Pattern::HotSpot { share: 0.1, access: 0.9 },
        ] {
            let mut job = bench.job(engine.clone(), 8, 0.3);
            job.streams[0].pattern = pattern;
            job.streams[0].sizes = mix.clone();
            job.verify = Verify::Write;
            // As many I/Os on a slow machine.
            (job.measure, job.bytes_max) = (Duration::from_secs(20), Some(4 << 20));
            let outcome = run(&job);
            let report = outcome.verify.clone().unwrap();
            assert!(report.checked_blocks > 0 && report.complete, "{report:?}");
            assert_eq!((report.faulty_blocks, report.undetermined_blocks), (0, 0), "{report:?}");
            assert_eq!(report.block_bytes, 4096);
            assert!(outcome.read.ios > 0 && outcome.write.ios > 0);
        }
    }
}

#[test]
fn a_file_that_shrinks_under_the_run_gives_short_reads_not_a_failure() {
    let bench = bench();
    for engine in engines() {
        let mut job = bench.job(engine, 4, 1.0);
        job.measure = Duration::from_secs(20);
        let control = Control::new();
        let watch = control.clone();
        let path = bench.path.clone();
        let wait_for = move |watch: &Control, ios: u64| {
            while watch.live().ios < ios && watch.live().phase != LivePhase::Done {
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        let cutter = std::thread::spawn(move || {
            wait_for(&watch, 10);
            File::options().write(true).open(path).unwrap().set_len(SIZE_BYTES / 2).unwrap();
            wait_for(&watch, watch.live().ios + 100);
            watch.enough();
        });
        let outcome = block::run(&job, &control).unwrap();
        cutter.join().unwrap();
        assert!(outcome.short_ios > 0, "{:?}", outcome.warnings());
        assert!(!outcome.is_clean());
        assert!(outcome.warnings().to_string().contains("fewer bytes"), "{:?}", outcome.warnings());
        let file = File::options().write(true).open(&bench.path).unwrap();
        file.write_all_at(&vec![7; SIZE_BYTES as usize / 2], SIZE_BYTES / 2).unwrap();
    }
}

#[test]
fn an_open_loop_keeps_its_rate_and_both_times() {
    let bench = bench();
    for engine in engines() {
        for arrivals in [Arrivals::Fixed, Arrivals::Poisson] {
            let mut job = bench.job(engine.clone(), 8, 1.0);
            job.shape = Shape::OpenLoop { rate: 500.0, depth_max: 8, arrivals };
            job.measure = Duration::from_millis(400);
            let outcome = run(&job);
            let arrived = outcome.lag.len();
            match arrivals {
                Arrivals::Fixed => assert_eq!(arrived, 200),
                // Mean 200, standard deviation 14.
                Arrivals::Poisson => assert!((130..270).contains(&arrived), "{arrived}"),
            }
            assert!(outcome.cpu.process_ns > 0);
            assert_eq!(outcome.service().len(), arrived);
            // An arrival of the last moment may come back after the phase: it is no throughput.
            assert!(outcome.ios() <= arrived);
            assert!(outcome.latency().max_ns() >= outcome.service().max_ns());
        }
    }
}

#[test]
fn stop_is_obeyed_and_what_is_measured_is_kept() {
    let bench = bench();
    for engine in engines() {
        let mut job = bench.job(engine, 4, 1.0);
        job.measure = Duration::from_secs(3600);
        let control = Control::new();
        let stopper = control.clone();
        let thread = std::thread::spawn(move || {
            while stopper.live().ios < 50 && stopper.live().phase != LivePhase::Done {
                std::thread::sleep(Duration::from_millis(1));
            }
            stopper.stop();
        });
        let outcome = block::run(&job, &control).unwrap();
        assert_eq!(outcome.ended, Ended::Stopped);
        assert!(outcome.ios() > 0 && outcome.elapsed < Duration::from_secs(3600));
        assert_eq!(control.live().phase, LivePhase::Done);
        thread.join().unwrap();
    }
}

#[test]
fn streams_are_told_apart() {
    let bench = bench();
    let mut job = bench.job(EngineKind::Psync, 4, 0.0);
    let mut reads = Stream::new("reads", Pattern::Uniform, 1.0, SizeMix::fixed(4096));
    reads.weight = 3.0;
    job.streams[0].name = "log".to_owned();
    job.streams[0].pattern = Pattern::Sequential;
    job.streams.push(reads);
    let outcome = run(&job);
    let [log, reads] = &outcome.streams[..] else { panic!("two streams expected") };
    assert_eq!((log.name.as_str(), reads.name.as_str()), ("log", "reads"));
    assert_eq!((log.read.ios, reads.write.ios), (0, 0));
    assert_eq!((log.write.ios, reads.read.ios), (outcome.write.ios, outcome.read.ios));
    assert!(reads.read.ios > log.write.ios);
}

#[test]
fn the_null_engine_draws_the_asked_shares() {
    let stream = Stream::new("s", Pattern::Uniform, 0.5, SizeMix::fixed(4096));
    let target = Target::AddressSpace { size_bytes: 1 << 30 };
    let mut job = Job::new(stream, Shape::ClosedLoop { depth: 32 }, EngineKind::Null, target);
    job.measure = Duration::from_millis(300);
    let outcome = block::run(&job, &Control::new()).unwrap();
    let share = outcome.read.ios as f64 / outcome.ios() as f64;
    assert!((share - 0.5).abs() < 0.05, "{share}");
    assert!(outcome.is_clean(), "{:?}", outcome.warnings());
}

/// Runs a job in a thread, and does `work` with its handle once it is under way.
fn while_it_runs(job: &Job, work: impl FnOnce(&Control)) -> Outcome {
    let control = Control::new();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| block::run(job, &control).expect("a run"));
        while control.live().ios == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        work(&control);
        running.join().expect("a run that does not panic")
    })
}

#[test]
fn a_target_that_is_taken_away_makes_no_result() {
    for engine in engines() {
        let bench = bench();
        let job = bench.job(engine.clone(), 1, 0.5);
        let moved = bench.path.with_file_name("elsewhere");
        let outcome = while_it_runs(&job, |_| std::fs::rename(&bench.path, &moved).unwrap());
        let told = outcome.warnings().to_string();
        assert!(!outcome.figures_hold() && told.contains("elsewhere"), "{told}");
        // It is found where it is, and back in its place it can be removed.
        let permit = Arc::into_inner({
            drop(job);
            bench.permit
        });
        std::fs::rename(&moved, &bench.path).unwrap();
        permit.expect("nobody else has it").remove().unwrap();
    }
    let bench = bench();
    let job = bench.job(EngineKind::Psync, 1, 1.0);
    let outcome = while_it_runs(&job, |_| std::fs::remove_file(&bench.path).unwrap());
    assert!(outcome.warnings().to_string().contains("was deleted"), "{:?}", outcome.warnings());
}

#[test]
fn a_load_that_has_shown_enough_ends_as_one_that_was_asked_to_be_so_long() {
    for engine in engines() {
        let bench = bench();
        let job = Job { measure: Duration::from_secs(3600), ..bench.job(engine.clone(), 2, 1.0) };
        let outcome = while_it_runs(&job, Control::enough);
        assert!(outcome.is_clean() && outcome.ios() > 0, "{:?}", outcome.warnings());
        assert!(outcome.elapsed < Duration::from_secs(3600));
    }
}
