//! Jobs that run together: one start, several targets, workers, flushes of their own, and one drive for all.

use std::sync::Arc;
use std::time::Duration;

use block::{
    BlockError, Control, Ended, EngineKind, Flush, Job, ModelledDrive, Outcome, Pattern, Shape, SizeMix,
    Stream, Target, Verify, WritePermit,
};

use crate::{engines, uring};

fn stream(name: &str, read_share: f64, size_bytes: u32) -> Stream {
    Stream::new(name, Pattern::Uniform, read_share, SizeMix::fixed(size_bytes))
}

fn job(stream: Stream, depth: u32, engine: EngineKind, target: Target) -> Job {
    let mut job = Job::new(stream, Shape::ClosedLoop { depth }, engine, target);
    job.measure = Duration::from_millis(200);
    job.direct = false;
    job
}

const SPACE: Target = Target::AddressSpace { size_bytes: 1 << 30 };

#[test]
fn loads_of_one_run_start_together_and_keep_to_their_own_times() {
    let reads = job(stream("reads", 1.0, 4096), 4, EngineKind::Null, SPACE);
    let mut late = job(stream("late", 0.0, 4096), 1, EngineKind::Null, SPACE);
    (late.start_after, late.run_for) = (Duration::from_millis(100), Some(Duration::from_millis(50)));
    let outcomes = block::run_together(&[reads, late], &Control::new()).unwrap();
    let [reads, late] = outcomes.as_slice() else { panic!("two outcomes") };
    assert_eq!(reads.started_ns, late.started_ns);
    assert_eq!(reads.elapsed, Duration::from_millis(200));
    assert_eq!(late.elapsed, Duration::from_millis(50));
    assert!(late.write.ios > 0 && late.read.ios == 0);
    let mut all = reads.clone();
    all.add_beside(late.clone());
    assert_eq!((all.ios(), all.workers), (reads.ios() + late.ios(), 2));
    assert_eq!(all.streams.iter().map(|stream| stream.name.as_str()).collect::<Vec<_>>(), ["reads", "late"]);
    assert_eq!(all.streams[1].elapsed, Duration::from_millis(50));
}

#[test]
fn a_run_so_long_that_its_seconds_lose_resolution_says_so() {
    let mut outcome =
        block::run(&job(stream("reads", 1.0, 4096), 1, EngineKind::Null, SPACE), &Control::new()).unwrap();
    assert!(outcome.warnings().is_empty());
    let timeline = &mut outcome.read.timeline;
    let origin_ns = timeline.origin_ns();
    for second in 0..900 {
        for latency_ns in (0..100).map(|step| 1_000 + step * step * 1_000) {
            timeline.record(origin_ns + second * 1_000_000_000, latency_ns, 4096);
        }
    }
    let warnings = outcome.warnings().sentences();
    assert!(warnings.len() == 1 && warnings[0].contains("percentiles of single seconds"), "{warnings:?}");
}

#[test]
fn one_load_that_cannot_be_is_an_error_of_the_whole_run() {
    let good = job(stream("good", 1.0, 4096), 4, EngineKind::Null, SPACE);
    let mut bad = good.clone();
    bad.streams[0].target = 1;
    let error = block::run_together(&[good.clone(), bad], &Control::new()).unwrap_err();
    assert!(matches!(error, BlockError::BadJob { .. }));
    assert!(error.to_string().contains("target 1 to 2 of 1"), "{error}");
    assert!(matches!(block::run_together(&[], &Control::new()), Err(BlockError::BadJob { .. })));
    for change in [
        (|job: &mut Job| job.workers = 0) as fn(&mut Job),
        |job| job.targets.clear(),
        |job| job.bytes_max = Some(0),
        |job| job.shape = Shape::Bursts { ios: 0, every: Duration::from_secs(1), depth_max: 1 },
        |job| job.streams[0].flush = Some(Flush { every: 0, data_only: false }),
    ] {
        let mut bad = good.clone();
        change(&mut bad);
        assert!(matches!(block::run(&bad, &Control::new()).unwrap_err(), BlockError::BadJob { .. }));
    }
}

#[test]
fn several_workers_share_a_modelled_drive() {
    let spec = device::catalogue::find("kingston-dc1500m-960g").unwrap().spec.clone();
    let run = |workers: u32, depth: u32| {
        let engine = EngineKind::Modelled(ModelledDrive::new(&spec, 1));
        let mut job = job(stream("reads", 1.0, 4096), depth, engine, SPACE);
        job.workers = workers;
        block::run(&job, &Control::new()).unwrap()
    };
    let (one, four) = (run(1, 1), run(4, 1));
    assert_eq!((one.workers, four.workers), (1, 4));
    // Four at a time wait on different units of the drive: more I/Os than one after the other.
    assert!(four.ios() > one.ios(), "{} against {}", four.ios(), one.ios());
}

/// A file of one MiB in `directory` that may be written.
fn file(directory: &tempfile::TempDir, name: &str) -> Target {
    let permit = WritePermit::create_file(&directory.path().join(name), 1 << 20);
    Target::Permitted(Arc::new(permit.expect("the directory takes a small file")))
}

#[test]
fn engines_write_several_files_and_flush_them() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (data, log) = (file(&directory, "data"), file(&directory, "log"));
    for engine in engines() {
        let name = engine.name();
        let mut job = job(stream("data", 0.5, 8192), 2, engine, data.clone());
        // Long enough for every stream, also where a flush waits for those of other programs.
        job.measure = Duration::from_secs(1);
        job.targets.push(log.clone());
        job.workers = 2;
        job.pin_from = Some(0);
        let mut log_writes = stream("log", 0.0, 4096);
        (log_writes.target, log_writes.flush) = (1, Some(Flush { every: 4, data_only: true }));
        let mut through = stream("through", 0.0, 4096);
        (through.pattern, through.target, through.write_through) = (Pattern::Sequential, 1, true);
        job.streams.extend([log_writes, through]);
        let outcome = block::run(&job, &Control::new()).unwrap();
        assert_eq!((outcome.ended, outcome.failures()), (Ended::Complete, 0), "{name}");
        assert_eq!(outcome.workers, if name == "psync" { 4 } else { 2 });
        let flushes = |outcome: &Outcome| outcome.streams.iter().map(|s| s.flush.ios).collect::<Vec<_>>();
        assert!(flushes(&outcome)[1] > 0, "{name}");
        assert_eq!((flushes(&outcome)[0], flushes(&outcome)[2]), (0, 0), "{name}");
        assert!(outcome.streams.iter().all(|stream| stream.write.ios > 0), "{name}");
        assert_eq!(outcome.flush.ios, flushes(&outcome)[1]);
        assert_eq!(outcome.ios(), outcome.read.ios + outcome.write.ios);
    }
}

#[test]
fn reads_beside_bursts_are_split_by_them() {
    let spec = device::catalogue::find("micron-5200-eco-1920g").unwrap().spec.clone();
    let engine = EngineKind::Modelled(ModelledDrive::new(&spec, 1));
    let mut reads = job(stream("reads", 1.0, 8192), 4, engine.clone(), SPACE);
    let mut bursts = job(stream("checkpoint", 0.0, 8192), 32, engine, SPACE);
    bursts.shape = Shape::Bursts { ios: 1000, every: Duration::from_millis(100), depth_max: 32 };
    (reads.measure, bursts.measure) = (Duration::from_millis(450), Duration::from_millis(450));
    let outcomes = block::run_together(&[reads, bursts], &Control::new()).unwrap();
    assert!(outcomes[1].bursts.is_none());
    assert_eq!(outcomes[1].lag.len(), 4000, "all that arrived, late ones included");
    let split = outcomes[0].bursts.as_ref().unwrap();
    assert_eq!(split.read_inside.len() + split.read_between.len(), outcomes[0].read.latency.len());
    assert!(!split.read_inside.is_empty() && split.write_inside.is_empty());
    assert!(
        split.inside > Duration::ZERO && split.inside <= Duration::from_millis(450),
        "{:?}",
        split.inside
    );
    let mut twice = outcomes[0].clone();
    twice.add_after(outcomes[0].clone());
    assert_eq!((twice.ios(), twice.elapsed), (2 * outcomes[0].ios(), 2 * outcomes[0].elapsed));
    assert_eq!((twice.streams.len(), twice.bursts.map(|b| b.inside)), (1, Some(2 * split.inside)));
}

/// Two loads that write and read the same two files, each of them judged once with all writes known.
#[test]
fn loads_that_write_side_by_side_are_verified_over_all_files() {
    let directory = tempfile::tempdir().unwrap();
    let targets = ["a", "b"].map(|name| {
        let permit = WritePermit::create_file(&directory.path().join(name), 1 << 20).unwrap();
        Target::Permitted(Arc::new(permit))
    });
    let Some(uring) = uring() else { return };
    let load = |name: &str, seed: u64| {
        let mut load = job(stream(name, 0.5, 4096), 8, uring.clone(), targets[0].clone());
        (load.targets, load.streams[0].files) = (targets.to_vec(), 2);
        // Long enough for more blocks than one file has, also on a busy machine.
        load.measure = Duration::from_secs(1);
        (load.seed, load.verify) = (seed, Verify::Write);
        load
    };
    let outcomes = block::run_together(&[load("one", 1), load("other", 2)], &Control::new()).unwrap();
    let report = outcomes[0].verify.clone().unwrap();
    assert_eq!((report.faulty_blocks, report.complete), (0, true), "{report:?}");
    assert!(
        report.checked_blocks > 256 && report.checked_while_running > 0,
        "more than one file: {report:?}"
    );
    assert!(outcomes[1].verify.is_none());
    let mut silent = load("silent", 3);
    silent.verify = Verify::Off;
    let error = block::run_together(&[load("one", 1), silent], &Control::new()).unwrap_err();
    assert!(error.to_string().contains("beside a load that is verified"), "{error}");
}

/// Reads and Poisson arrivals on one modelled drive, writes by several threads on the null engine, for half a
/// second of virtual time.
fn virtual_run(seed: u64) -> Vec<Outcome> {
    let spec = &device::catalogue::find("kingston-dc1500m-960g").unwrap().spec;
    let drive = EngineKind::Modelled(ModelledDrive::new(spec, seed));
    let reads = job(stream("reads", 1.0, 4096), 4, drive.clone(), SPACE);
    let mut arrivals = job(stream("arrivals", 0.5, 8192), 1, drive, SPACE);
    arrivals.shape = Shape::OpenLoop { rate: 500.0, depth_max: 64, arrivals: block::Arrivals::Poisson };
    let mut nothing = job(stream("nothing", 0.0, 4096), 1, EngineKind::Null, SPACE);
    nothing.think = Some(block::Think { time: Duration::from_micros(100), after: 1 });
    let mut jobs = [reads, arrivals, nothing];
    for job in &mut jobs {
        (job.measure, job.seed, job.workers) = (Duration::from_millis(500), seed, 2);
    }
    let clock = ground::Clock::virtual_from(std::time::SystemTime::UNIX_EPOCH);
    block::run_together(&jobs, &Control::on(&clock)).unwrap()
}

#[test]
fn a_run_in_virtual_time_repeats_to_the_last_nanosecond() {
    let (first, again, other) = (virtual_run(1), virtual_run(1), virtual_run(2));
    assert_eq!(format!("{first:?}"), format!("{again:?}"));
    assert_ne!(format!("{first:?}"), format!("{other:?}"));
    for outcome in &first {
        assert_eq!((outcome.elapsed, outcome.ended), (Duration::from_millis(500), Ended::Complete));
        assert_eq!((outcome.failures(), outcome.cpu.process_ns), (0, 0));
    }
    let [reads, arrivals, nothing] = first.as_slice() else { panic!("three outcomes") };
    assert!(reads.read.ios > 5_000, "{}", reads.read.ios);
    assert!((180..320).contains(&arrivals.ios()), "{}", arrivals.ios());
    assert!((9_500..=10_000).contains(&nothing.ios()), "two users that think for 100 us: {}", nothing.ios());
}

#[test]
fn real_bytes_have_no_virtual_time() {
    let clock = ground::Clock::virtual_from(std::time::SystemTime::UNIX_EPOCH);
    let mut job = job(stream("reads", 1.0, 4096), 1, EngineKind::Psync, SPACE);
    job.targets = vec![Target::ReadOnly("/dev/zero".into())];
    assert!(matches!(block::run(&job, &Control::on(&clock)).unwrap_err(), BlockError::BadJob { .. }));
}

#[test]
fn a_short_phase_gives_no_more_than_the_link_of_the_drive() {
    let spec = device::catalogue::find("kingston-dc1500m-960g").unwrap().spec.clone();
    let links = [spec.write_bandwidth_bytes_per_s, spec.read_bandwidth_bytes_per_s];
    let (size_bytes, measured_s) = (1 << 20, 0.1);
    for (read_share, link) in [0.0, 1.0].into_iter().zip(links) {
        for (depth, ramp_ms) in [(1, 0), (32, 0), (32, 50), (256, 0)] {
            let stream = Stream::new("s", Pattern::Sequential, read_share, SizeMix::fixed(size_bytes));
            let mut job = job(stream, depth, EngineKind::Modelled(ModelledDrive::new(&spec, 1)), SPACE);
            job.measure = Duration::from_secs_f64(measured_s);
            job.ramp_up = Duration::from_millis(ramp_ms);
            let clock = ground::Clock::virtual_from(std::time::SystemTime::UNIX_EPOCH);
            let outcome = block::run(&job, &Control::on(&clock)).unwrap();
            let most = link * measured_s + f64::from(size_bytes);
            let bytes = outcome.bytes_per_second() * measured_s;
            assert!(outcome.elapsed == job.measure && bytes <= most, "{depth}, {ramp_ms}: {bytes} of {most}");
            assert!(depth != 32 || bytes >= 0.9 * link * measured_s, "{depth}, {ramp_ms}: {bytes} of {most}");
        }
    }
}
