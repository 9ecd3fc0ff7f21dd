use std::sync::atomic::AtomicU64 as Counter;
use std::time::Duration;

use ground::Clock;

use super::*;
use crate::arrivals::{Arriving, Schedule};
use crate::engine::{Faulty, Handling, Modelled, Null, Plan};
use crate::generate::cursors;
use crate::job::{Arrivals, EngineKind, Flush, Job, ModelledDrive, Pattern, Shape, SizeMix, Stream, Target};
use crate::target::Span;

const SPACE_BYTES: u64 = 1 << 30;

fn job(shape: Shape) -> Job {
    let stream = Stream::new("s", Pattern::Uniform, 1.0, SizeMix::fixed(4096));
    Job::new(stream, shape, EngineKind::Null, Target::AddressSpace { size_bytes: SPACE_BYTES })
}

/// Runs a job on an engine that fails as planned.
fn run(job: &Job, engine: impl Engine, control: &Control) -> WorkerResult {
    let generator = Generator::new(job, &[Span { start: 0, length: SPACE_BYTES }], cursors(job), 0);
    let started_ns = Clock::Wall.now_ns();
    let measure_start_ns = started_ns + job.ramp_up.as_nanos() as u64;
    let bytes_left = job.bytes_max.map(Counter::new);
    let phases = Phases {
        started_ns,
        load_start_ns: started_ns,
        measure_start_ns,
        measure_end_ns: measure_start_ns + job.measure.as_nanos() as u64,
    };
    let open = !matches!(job.shape, Shape::ClosedLoop { .. });
    let worker = Worker::new(
        engine,
        generator,
        Recorder::new(phases, 1, open),
        control,
        &[],
        job.shape.depth(),
        Terms { bytes_left: bytes_left.as_ref(), ..Terms::of(job, Writer::new(job.content, job.seed, 0, 0)) },
    );
    let result = match (Schedule::of(&job.shape, started_ns, job.seed), job.think) {
        (Some(schedule), _) => worker.open_loop(Arriving::new(schedule, &Counter::new(0))),
        (None, Some(think)) => worker.thinking_loop(think),
        (None, None) => worker.closed_loop(),
    };
    result.unwrap()
}

fn closed(milliseconds: u64) -> Job {
    let mut job = job(Shape::ClosedLoop { depth: 8 });
    job.measure = Duration::from_millis(milliseconds);
    job
}

fn open(rate: f64, depth_max: u32, milliseconds: u64) -> Job {
    let mut job = job(Shape::OpenLoop { rate, depth_max, arrivals: Arrivals::Fixed });
    job.measure = Duration::from_millis(milliseconds);
    job
}

fn faulty(job: &Job, plan: Plan) -> Faulty<Null> {
    Faulty::new(Null::new(job.shape.depth()), plan)
}

#[test]
fn errors_in_the_middle_are_counted_and_the_run_goes_on() {
    let job = closed(50);
    let plan: Plan = |n| match n {
        100..110 => Handling::Fails(libc::EIO),
        200 => Handling::Fails(libc::ENOSPC),
        300 => Handling::Short,
        _ => Handling::Passes,
    };
    let result = run(&job, faulty(&job, plan), &Control::new());
    let recorder = &result.recorder;
    assert_eq!(result.ending, Ending::Time);
    assert_eq!(recorder.errors[libc::EIO as usize], 10);
    assert_eq!((recorder.errors[libc::ENOSPC as usize], recorder.short_ios), (1, 1));
    assert!(recorder.lanes[0].ios > 1000);
    assert_eq!(recorder.unfinished, 0);
}

#[test]
fn a_target_that_answers_nothing_but_errors_ends_the_run() {
    for job in [closed(60_000), open(1e6, 8, 60_000)] {
        let result = run(&job, faulty(&job, |_| Handling::Fails(libc::ENODEV)), &Control::new());
        assert_eq!(result.ending, Ending::Failures { errno: libc::ENODEV });
        assert!(result.recorder.errors[libc::ENODEV as usize] >= u64::from(FAILURES_IN_A_ROW_MAX));
    }
}

#[test]
fn an_io_that_never_returns_does_not_hang_the_run_and_is_kept() {
    for (mut job, arrivals) in [(closed(20), None), (open(10_000.0, 8, 20), Some(200))] {
        job.drain_max = Duration::from_millis(50);
        let plan: Plan = |n| if n == 3 { Handling::NeverReturns } else { Handling::Passes };
        let result = run(&job, faulty(&job, plan), &Control::new());
        let (lane, unfinished) = (&result.recorder.lanes[0], result.recorder.unfinished);
        match arrivals {
            None => assert_eq!(unfinished, 1),
            // A processor that others keep busy may leave more arrivals unserved than the one.
            Some(arrivals) => assert!(unfinished >= 1 && lane.latency.len() == arrivals, "{unfinished}"),
        }
        assert!(lane.latency.max_ns() >= 50_000_000);
    }
}

#[test]
fn a_stalled_target_makes_no_arrival_vanish() {
    let job = open(1000.0, 4, 2000);
    let plan: Plan = |n| if n == 200 { Handling::StallsNs(1_000_000_000) } else { Handling::Passes };
    let result = run(&job, faulty(&job, plan), &Control::new());
    let lane = &result.recorder.lanes[0];
    assert_eq!(lane.latency.len(), 2000);
    // Half of the arrivals came during the stall of one second; their latencies are spread evenly up to its
    // length.
    assert!(lane.latency.quantile_ns(0.999) > 950_000_000, "{}", lane.latency.quantile_ns(0.999));
    assert!(lane.latency.quantile_ns(0.70) > 200_000_000, "{}", lane.latency.quantile_ns(0.70));
    // Service time alone would hide it: only outstanding I/Os were slow.
    assert!(lane.service.quantile_ns(0.95) < 100_000_000, "{}", lane.service.quantile_ns(0.95));
    assert!(result.recorder.lag.quantile_ns(0.95) > 800_000_000);
}

#[test]
fn a_stall_that_outlasts_the_run_leaves_its_arrivals_in_the_histogram() {
    let mut job = open(1000.0, 2, 300);
    job.drain_max = Duration::ZERO;
    let plan: Plan = |n| if n == 100 { Handling::StallsNs(400_000_000) } else { Handling::Passes };
    let result = run(&job, faulty(&job, plan), &Control::new());
    let lane = &result.recorder.lanes[0];
    assert_eq!(lane.latency.len(), 300);
    assert!(result.recorder.unfinished > 150, "{}", result.recorder.unfinished);
}

#[test]
fn a_rate_beyond_reach_is_counted_in_bundles_without_losing_arrivals() {
    let mut job = open(1e9, 1, 60);
    job.drain_max = Duration::ZERO;
    let result = run(&job, faulty(&job, |_| Handling::StallsNs(30_000_000)), &Control::new());
    let lane = &result.recorder.lanes[0];
    let counted = lane.latency.len() as f64;
    assert!((counted / 6e7 - 1.0).abs() < 0.001, "{counted} of 6e7 arrivals");
}

#[test]
fn ramp_up_is_in_the_timeline_but_not_in_the_histograms() {
    let mut job = open(1000.0, 4, 100);
    job.ramp_up = Duration::from_millis(100);
    let result = run(&job, Null::new(4), &Control::new());
    let lane = &result.recorder.lanes[0];
    assert_eq!(lane.latency.len(), 100);
    assert_eq!(lane.timeline.seconds().iter().map(|second| second.count).sum::<u64>(), 200);
}

#[test]
fn an_open_loop_with_few_arrivals_still_lasts_its_whole_phase() {
    let job = open(10.0, 4, 50);
    let before_ns = Clock::Wall.now_ns();
    let result = run(&job, Null::new(4), &Control::new());
    assert!(Clock::Wall.now_ns() - before_ns >= 50_000_000);
    assert_eq!((result.ending, result.recorder.lanes[0].ios), (Ending::Time, 1));
    assert!(result.cpu.process_ns > 0);
}

#[test]
fn stop_ends_every_phase_at_once() {
    let control = Control::new();
    control.stop();
    let result = run(&closed(60_000), Null::new(8), &control);
    assert_eq!((result.ending, result.recorder.lanes[0].ios), (Ending::Stop, 0));
    let control = Control::new();
    let stopper = control.clone();
    let thread = std::thread::spawn(move || {
        while stopper.live().ios < 100 {
            std::thread::yield_now();
        }
        stopper.stop();
    });
    let result = run(&open(5000.0, 8, 60_000), Null::new(8), &control);
    thread.join().unwrap();
    assert_eq!(result.ending, Ending::Stop);
    assert!(result.recorder.lanes[0].ios >= 100);
}

#[test]
fn poisson_arrivals_come_at_the_asked_rate() {
    let mut job = open(20_000.0, 64, 500);
    job.shape = Shape::OpenLoop { rate: 20_000.0, depth_max: 64, arrivals: Arrivals::Poisson };
    let result = run(&job, Null::new(64), &Control::new());
    let ios = result.recorder.lanes[0].latency.len();
    // 10,000 expected, standard deviation 100.
    assert!((9_500..10_500).contains(&ios), "{ios}");
}

#[test]
fn a_modelled_drive_is_never_faster_than_its_model() {
    let spec = device::catalogue::find("kingston-dc1500m-960g").map(|entry| entry.spec.clone());
    let spec = spec.unwrap_or_else(device::DriveSpec::free);
    let mut job = closed(200);
    job.shape = Shape::ClosedLoop { depth: 1 };
    let mut drive = device::Drive::new(&spec, job.seed);
    let fastest = (0..1000u64)
        .map(|index| {
            let now_ns = index * 1_000_000_000;
            drive.submit(now_ns, device::Op::Read { offset: index * 4096, len: 4096 }) - now_ns
        })
        .min()
        .unwrap();
    let result =
        run(&job, Modelled::new(ModelledDrive::new(&spec, job.seed), &[SPACE_BYTES], 1), &Control::new());
    let lane = &result.recorder.lanes[0];
    assert!(lane.ios > 0);
    assert!(lane.latency.min_ns() * 2 >= fastest, "{} against {fastest}", lane.latency.min_ns());
}

#[test]
fn live_counters_and_recorder_agree() {
    let control = Control::new();
    let job = closed(30);
    let plan: Plan = |n| if n % 50 == 0 { Handling::Fails(libc::EIO) } else { Handling::Passes };
    let result = run(&job, faulty(&job, plan), &control);
    let live = control.live();
    let counted: u64 = result.recorder.lanes[0].timeline.seconds().iter().map(|second| second.count).sum();
    assert_eq!(live.ios, counted);
    assert_eq!(live.bytes, counted * 4096);
    assert_eq!(live.errors, result.recorder.errors[libc::EIO as usize]);
}

#[test]
fn bursts_start_on_the_clock_and_wait_for_their_turn() {
    let mut job = job(Shape::Bursts { ios: 50, every: Duration::from_millis(40), depth_max: 4 });
    job.measure = Duration::from_millis(110);
    let result = run(&job, Null::new(4), &Control::new());
    let lane = &result.recorder.lanes[0];
    assert_eq!((lane.ios, result.recorder.unfinished), (100, 0));
    assert!(Clock::Wall.now_ns() > 0 && result.ending == Ending::Time);
}

#[test]
fn a_load_of_so_many_bytes_ends_with_them() {
    for mut job in [closed(60_000), open(1e6, 8, 60_000)] {
        job.bytes_max = Some(1000 * 4096);
        let result = run(&job, Null::new(8), &Control::new());
        assert_eq!((result.ending, result.recorder.lanes[0].ios), (Ending::Time, 1000), "{:?}", job.shape);
        assert!(result.recorder.phases.measure_end_ns < result.recorder.phases.started_ns + 50_000_000_000);
        // Arrivals that were due when the last byte was spent are no load.
        assert_eq!((result.recorder.lanes[0].latency.len(), result.recorder.unfinished), (1000, 0));
    }
}

/// The last bytes go to one worker only, and the ramp-up, which nobody sees, uses none of them.
#[test]
fn bytes_are_those_of_the_measure_phase_and_never_exceeded() {
    for ramp_up_ms in [0, 5] {
        let mut job = closed(60_000);
        (job.workers, job.bytes_max) = (4, Some(1001 * 4096));
        job.ramp_up = Duration::from_millis(ramp_up_ms);
        for round in 0..20 {
            job.seed = round;
            let outcome = crate::run(&job, &Control::new()).unwrap();
            // After a ramp-up those that were under way at its end come back in the phase, too.
            let before = outcome.read.ios.checked_sub(1001);
            let most = if ramp_up_ms == 0 { 0 } else { 4 * 8 };
            assert!(before.is_some_and(|ios| ios <= most), "round {round}, {ramp_up_ms} ms: {before:?}");
            assert_eq!(outcome.read.latency.len(), 1001, "round {round}, {ramp_up_ms} ms");
        }
    }
}

#[test]
fn pauses_come_after_so_many_ios() {
    let mut job = closed(100);
    job.think = Some(crate::job::Think { time: Duration::from_millis(10), after: 20 });
    let result = run(&job, Null::new(8), &Control::new());
    let ios = result.recorder.lanes[0].ios;
    // Twenty at once and at every later tenth of a second's hundredths: eleven at most, fewer on a busy
    // machine.
    assert!(ios.is_multiple_of(20) && (20..=220).contains(&ios), "{ios}");
}

#[test]
fn flushes_follow_writes_and_count_apart() {
    for mut job in [closed(30), open(20_000.0, 8, 30)] {
        job.streams[0].read_share = 0.0;
        job.streams[0].flush = Some(Flush { every: 10, data_only: false });
        let result = run(&job, Null::new(8), &Control::new());
        let (writes, flushes) = (&result.recorder.lanes[1], &result.recorder.lanes[3]);
        assert!(flushes.ios > 0 && flushes.bytes == 0);
        assert!(flushes.latency.len().abs_diff(flushes.ios) <= 8, "those that were under way at the end");
        // One flush covers all writes that came back before it, so there may be fewer than every tenth.
        assert!(flushes.ios <= writes.ios / 10 + 1, "{} of {}", flushes.ios, writes.ios);
    }
}
