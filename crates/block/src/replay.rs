//! Replaying a trace on a target: in its own time, in scaled time, or as fast as the depth allows.
//!
//! A thread reads ahead by a bounded number of I/Os; nothing else of the trace is kept. An I/O that is due
//! while the depth is used up waits, and its waiting counts: latency is from the moment it was due, and the
//! lag says how late it started.

use std::io::BufRead;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::time::Duration;

use ground::{Clock, Random};

use crate::arrivals::{Next, Source};
use crate::buffer::Buffers;
use crate::clock::{self, SLEEP_MAX_NS};
use crate::content::Writer;
use crate::control::{Control, LivePhase};
use crate::crew::add_up;
use crate::engine::{Engine, Null, Uring, open_ring};
use crate::error::BlockError;
use crate::generate::{Generator, Io, Op, cursors};
use crate::job::{EngineKind, Job, Pattern, Shape, SizeMix, Stream, Target};
use crate::outcome::Outcome;
use crate::record::{Phases, Recorder};
use crate::stamp::SECTOR_BYTES;
use crate::target::{OpenTarget, logical_block_bytes};
use crate::trace::{TraceIo, TraceLines, TraceOp, TraceReader};
use crate::worker::{Terms, Worker};

/// I/Os read ahead of the clock.
const AHEAD: usize = 4096;
/// I/Os left out one after the other before the target is looked after again.
const LEFT_OUT_MAX: u32 = 64;
/// Longer I/Os of a trace are cut to this, and counted.
const IO_BYTES_MAX: u64 = 1 << 20;
/// The wait for more of the trace while I/Os are under way.
const ASK_AGAIN_NS: u64 = 100_000;

/// The options of a replay.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The target of its I/Os.
    pub target: Target,
    /// The engine: io_uring, or the null engine for the trace alone.
    pub engine: EngineKind,
    /// True if the page cache is bypassed.
    pub direct: bool,
    /// Most I/Os outstanding.
    pub depth_max: u32,
    /// When they start.
    pub pace: Pace,
    /// Leave writes and flushes out.
    pub reads_only: bool,
}

/// When the I/Os of a trace start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// So many times as fast as they were recorded; 1 is their own time.
    Times(f64),
    /// As soon as there is room.
    Fast,
}

/// The results of a replay.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Figures, with the lag of every start.
    pub outcome: Outcome,
    /// The counts of the trace's lines.
    pub lines: TraceLines,
    /// I/Os left out: writes and discards of a replay that only reads.
    pub skipped: u64,
    /// I/Os beyond the target's end, moved into it.
    pub wrapped: u64,
    /// I/Os that direct I/O made start or end at other bytes.
    pub rounded: u64,
    /// I/Os that were cut to 1 MiB.
    pub cut: u64,
    /// The time from the start to the moment at which the last I/O was due; none where they start as soon as
    /// there is room.
    pub due_for: Duration,
}

/// Replays a trace to its end, or until `control` says stop.
///
/// # Errors
/// [`BlockError::BadJob`] for a depth or speed that cannot be, [`BlockError::Refused`] for writes without a
/// permit, and whatever keeps the target from being opened. Failed I/Os are counted in the outcome.
pub fn replay<R: BufRead + Send>(
    replay: &Replay,
    trace: TraceReader<R>,
    control: &Control,
) -> Result<Replayed, BlockError> {
    control.enter(LivePhase::Preparing);
    check_replay(replay)?;
    let job = job_of(replay);
    let targets: Arc<[OpenTarget]> = OpenTarget::open_all(&job)?.into();
    let depth = replay.depth_max;
    match replay.engine {
        EngineKind::Null => run(replay, &job, &targets[0], trace, Null::new(depth), control),
        EngineKind::IoUring => {
            let (mut ring, mode) = open_ring(depth)?;
            let mut buffers = Buffers::new(depth as usize, IO_BYTES_MAX as usize);
            let (mut random, key) = (Random::stream(job.seed, 0), key_of(&replay.target));
            (0..depth as usize).for_each(|slot| job.content.fill(&mut random, key, buffers.slot(slot)));
            let engine = Uring::new(&mut ring, mode, &targets, buffers)?;
            run(replay, &job, &targets[0], trace, engine, control)
        }
        _ => Err(BlockError::job("a replay on this engine", "use io_uring, or null to see the trace alone")),
    }
}

/// The speeds of a replay, relative to the recording.
pub const SPEEDS: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

/// Checks everything about a replay that could keep it from beginning. Nothing is written.
///
/// # Errors
/// As [`replay`].
pub fn check_replay(replay: &Replay) -> Result<(), BlockError> {
    if let Pace::Times(speed) = replay.pace
        && !SPEEDS.contains(&speed)
    {
        let (least, most) = (SPEEDS.start(), SPEEDS.end());
        return Err(BlockError::job(
            format!("a speed of {speed:e}"),
            format!("use {least} to {most}, or replay it fast"),
        ));
    }
    let job = job_of(replay);
    job.validate()?;
    OpenTarget::open_all(&job).map(drop)
}

/// The job that opens the target as the replay needs it, and that the outcome names.
fn job_of(replay: &Replay) -> Job {
    let read_share = if replay.reads_only { 1.0 } else { 0.5 };
    let stream = Stream::new("trace", Pattern::Uniform, read_share, SizeMix::fixed(4096));
    let shape =
        Shape::OpenLoop { rate: 1.0, depth_max: replay.depth_max, arrivals: crate::job::Arrivals::Fixed };
    let mut job = Job::new(stream, shape, replay.engine.clone(), replay.target.clone());
    job.direct = replay.direct;
    job
}

fn run<R: BufRead + Send, E: Engine>(
    replay: &Replay,
    job: &Job,
    target: &OpenTarget,
    mut trace: TraceReader<R>,
    engine: E,
    control: &Control,
) -> Result<Replayed, BlockError> {
    let (sender, receiver) = sync_channel(AHEAD);
    std::thread::scope(|scope| {
        let reading = scope.spawn(move || {
            let ended = loop {
                match trace.next_io() {
                    // The player is gone when the run was stopped.
                    Ok(Some(io)) if sender.send(io).is_ok() => {}
                    Ok(_) => break Ok(()),
                    Err(error) => break Err(error),
                }
            };
            (trace.counted().clone(), ended)
        });
        let played = play(replay, job, target, receiver, engine, control);
        let (lines, ended) = reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let mut played = played?;
        ended.map_err(|error| BlockError::io(&target.path, "read the trace on", error))?;
        played.lines = lines;
        control.advance(LivePhase::Done);
        Ok(played)
    })
}

/// The open loop of one worker, whose arrivals are the I/Os of the trace.
fn play<E: Engine>(
    replay: &Replay,
    job: &Job,
    target: &OpenTarget,
    trace: Receiver<TraceIo>,
    engine: E,
    control: &Control,
) -> Result<Replayed, BlockError> {
    clock::sleep_precisely();
    let started_ns = control.clock.now_ns();
    let phases = Phases {
        started_ns,
        load_start_ns: started_ns,
        measure_start_ns: started_ns,
        measure_end_ns: u64::MAX,
    };
    let mut arriving = Traced::new(replay, target, trace, started_ns);
    let is_odd = !arriving.grain_bytes.is_multiple_of(SECTOR_BYTES as u64);
    let writer = Writer::new(job.content, job.seed, key_of(&replay.target), 0).odd(is_odd);
    // The trace gives every I/O: the generator has no streams.
    let generator = Generator::new(job, &[], cursors(job), 0);
    let recorder = Recorder::new(phases, 1, true);
    let terms = Terms::of(job, writer);
    let worker = Worker::new(engine, generator, recorder, control, &[], replay.depth_max, terms);
    let mut result = worker.open_loop(&mut arriving)?;
    // The last I/Os of a trace belong to its time.
    result.recorder.phases.measure_end_ns = control.clock.now_ns();
    let phases = result.recorder.phases;
    let mut outcome = add_up(job, phases, 1, vec![(0, result)]);
    outcome.displaced = target.displaced().into_iter().collect();
    Ok(Replayed {
        outcome,
        lines: TraceLines::default(),
        skipped: arriving.skipped,
        wrapped: arriving.wrapped,
        rounded: arriving.rounded,
        cut: arriving.cut,
        due_for: Duration::from_nanos(arriving.last_due_ns.saturating_sub(started_ns)),
    })
}

/// Key of the marks in data written to a target.
fn key_of(target: &Target) -> u64 {
    match target {
        Target::Permitted(permit) => permit.key().unwrap_or(0),
        Target::ReadOnly(_) | Target::AddressSpace { .. } => 0,
    }
}

/// The I/Os of a trace as arrivals.
struct Traced<'r> {
    replay: &'r Replay,
    trace: Receiver<TraceIo>,
    size_bytes: u64,
    grain_bytes: u64,
    started_ns: u64,
    /// Of the first I/O, on the trace's own clock.
    first_ns: Option<u64>,
    /// The next I/O, and the moment it is due.
    next: Option<(Io, u64)>,
    /// The latest moment at which an I/O was due; 0 where there is none.
    last_due_ns: u64,
    skipped: u64,
    wrapped: u64,
    rounded: u64,
    cut: u64,
}

impl Source for &mut Traced<'_> {
    fn next(&mut self, clock: &Clock, now_ns: &mut u64, is_idle: bool) -> Next {
        if self.next.is_none() {
            let ended = self.read_on(clock, is_idle);
            // Reading waits for the trace when nothing is under way.
            *now_ns = clock.now_ns();
            match ended {
                Ok(()) => {}
                Err(TryRecvError::Empty) => return Next::AskAt(*now_ns + ASK_AGAIN_NS),
                Err(TryRecvError::Disconnected) => return Next::End,
            }
        }
        match (self.next, self.replay.pace) {
            // The next line may be due already: omitted I/Os take no time.
            (None, _) => Next::AskAt(*now_ns),
            (Some(_), Pace::Fast) => Next::At(*now_ns),
            (Some((_, due_ns)), Pace::Times(_)) => Next::At(due_ns),
        }
    }

    fn take(&mut self, _: &mut Generator) -> Io {
        self.next.take().map_or_else(Io::default, |(io, _)| io)
    }

    /// The rest of a trace that was stopped is no load.
    fn give_up(&mut self, _: u64, _: impl FnMut(u64, u64)) {}
}

impl<'r> Traced<'r> {
    fn new(replay: &'r Replay, target: &OpenTarget, trace: Receiver<TraceIo>, started_ns: u64) -> Traced<'r> {
        let grain = target.file.as_ref().filter(|_| replay.direct).map_or(1, logical_block_bytes);
        Traced {
            replay,
            trace,
            size_bytes: target.size_bytes,
            grain_bytes: u64::from(grain),
            started_ns,
            first_ns: None,
            next: None,
            last_due_ns: 0,
            skipped: 0,
            wrapped: 0,
            rounded: 0,
            cut: 0,
        }
    }

    /// Reads up to the next I/O that is not left out, or a number of those that are. An error when nothing
    /// was read. Virtual time stands still while the trace is read: how fast that goes must change nothing.
    fn read_on(&mut self, clock: &Clock, is_idle: bool) -> Result<(), TryRecvError> {
        for before in 0..LEFT_OUT_MAX {
            let read = if clock.is_virtual() {
                self.trace.recv().map_err(|_| TryRecvError::Disconnected)
            } else if is_idle && before == 0 {
                let wait = self.trace.recv_timeout(Duration::from_nanos(SLEEP_MAX_NS));
                wait.or_else(|_| self.trace.try_recv())
            } else {
                self.trace.try_recv()
            };
            let traced = match read {
                Err(TryRecvError::Empty) if before > 0 => return Ok(()),
                read => read?,
            };
            let first_ns = *self.first_ns.get_or_insert(traced.at_ns);
            let after_ns = traced.at_ns.saturating_sub(first_ns);
            let due_ns = match self.replay.pace {
                Pace::Fast => 0,
                Pace::Times(speed) => self.started_ns.saturating_add((after_ns as f64 / speed) as u64),
            };
            self.next = self.fit(traced).map(|io| (io, due_ns));
            if self.next.is_some() {
                self.last_due_ns = self.last_due_ns.max(due_ns);
                return Ok(());
            }
        }
        Ok(())
    }

    /// The I/O as this target can do it; `None` when it is left out.
    fn fit(&mut self, traced: TraceIo) -> Option<Io> {
        let op = match traced.op {
            TraceOp::Read => Op::Read,
            TraceOp::Write if !self.replay.reads_only => Op::Write,
            TraceOp::Trim if !self.replay.reads_only && self.replay.engine.moves_bytes() => Op::Discard,
            TraceOp::Flush if !self.replay.reads_only => Op::Fdatasync,
            _ => {
                self.skipped += 1;
                return None;
            }
        };
        if op.flushes() {
            return Some(Io { op, ..Io::default() });
        }
        let grain = self.grain_bytes;
        let most = IO_BYTES_MAX.min(self.size_bytes - self.size_bytes % grain);
        let start = traced.offset_bytes - traced.offset_bytes % grain;
        let end = traced.offset_bytes.saturating_add(traced.length_bytes);
        let whole = end.saturating_sub(start).checked_next_multiple_of(grain).unwrap_or(most);
        let length = whole.min(most);
        self.rounded += u64::from(start != traced.offset_bytes || whole != traced.length_bytes);
        self.cut += u64::from(length < whole);
        let room = self.size_bytes - length;
        let offset = if start > room {
            self.wrapped += 1;
            let places = room / grain + 1;
            (start / grain % places) * grain
        } else {
            start
        };
        Some(Io { offset, length: length as u32, op, ..Io::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Completion, Wait};
    use crate::permit::WritePermit;

    fn player(pace: Pace, target: Target, engine: EngineKind) -> Replay {
        Replay { target, engine, direct: false, depth_max: 8, pace, reads_only: false }
    }

    fn of(text: &str) -> TraceReader<&[u8]> {
        TraceReader::new(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_trace_is_written_and_read_where_it_says() {
        let directory = tempfile::tempdir().unwrap();
        let permit = Arc::new(WritePermit::create_file(&directory.path().join("f"), 2 << 20).unwrap());
        let before = std::fs::read(permit.path()).unwrap();
        let text = "fio version 3 iolog\n0 /f write 4096 4096\n10 /f read 0 8192\n20 /f sync\n30 /f trim 1048576 4096\n40 /f write 9000000 512\nbroken\n";
        let asked = player(Pace::Fast, Target::Permitted(Arc::clone(&permit)), EngineKind::IoUring);
        let played = replay(&asked, of(text), &Control::new()).unwrap();
        let outcome = &played.outcome;
        assert_eq!(
            (outcome.read.ios, outcome.write.ios, outcome.discard.ios, outcome.flush.ios),
            (1, 2, 1, 1)
        );
        assert_eq!((outcome.failures(), played.skipped, played.wrapped, played.lines.broken), (0, 0, 1, 1));
        let after = std::fs::read(permit.path()).unwrap();
        assert_ne!(before[4096..8192], after[4096..8192]);
        assert_eq!(before[..4096], after[..4096]);
        assert_eq!(after[1 << 20..][..4096], [0; 4096]);
    }

    /// The null engine, counting how often it is asked to wait.
    struct Counted<'c>(Null, &'c std::cell::Cell<u32>);

    impl Engine for Counted<'_> {
        fn queue(&mut self, slot: u32, io: &Io, now_ns: u64) {
            self.0.queue(slot, io, now_ns);
        }

        fn reap(&mut self, clock: &Clock, wait: Wait, done: &mut Vec<Completion>) -> Result<(), BlockError> {
            self.1.set(self.1.get() + 1);
            self.0.reap(clock, wait, done)
        }

        fn buffer(&mut self, slot: u32) -> &mut [u8] {
            self.0.buffer(slot)
        }
    }

    #[test]
    fn what_is_left_out_waits_for_nothing() {
        for pace in [Pace::Fast, Pace::Times(1.0)] {
            let asked = Replay {
                reads_only: true,
                ..player(pace, Target::AddressSpace { size_bytes: 1 << 30 }, EngineKind::Null)
            };
            let job = job_of(&asked);
            let targets = OpenTarget::open_all(&job).unwrap();
            // The whole trace is there before it begins.
            let (sender, receiver) = sync_channel(10_000);
            for at in 0..10_000 {
                let op = if at % 1000 == 999 { TraceOp::Read } else { TraceOp::Write };
                sender.send(TraceIo { at_ns: 0, op, offset_bytes: at * 4096, length_bytes: 4096 }).unwrap();
            }
            drop(sender);
            let (reaps, control) = (std::cell::Cell::new(0), Control::new());
            let engine = Counted(Null::new(8), &reaps);
            let played = play(&asked, &job, &targets[0], receiver, engine, &control).unwrap();
            assert_eq!((played.outcome.read.ios, played.skipped), (10, 9990));
            assert!(reaps.get() < 1000, "{} waits for 9990 I/Os that are left out", reaps.get());
        }
    }

    #[test]
    fn its_own_time_passes_and_scaled_time_is_shorter() {
        let text =
            "fio version 3 iolog\n1000 /f read 0 4096\n101000 /f read 4096 4096\n201000 /f read 0 4096\n";
        let target = || Target::AddressSpace { size_bytes: 1 << 30 };
        let took = |pace| {
            let played =
                replay(&player(pace, target(), EngineKind::Null), of(text), &Control::new()).unwrap();
            assert_eq!((played.outcome.read.ios, played.outcome.lag.len()), (3, 3));
            played.outcome.elapsed
        };
        let (own, scaled) = (took(Pace::Times(1.0)), took(Pace::Times(4.0)));
        assert!(own >= Duration::from_millis(200) && scaled >= Duration::from_millis(50) && scaled < own);
    }

    #[test]
    fn an_hour_of_virtual_time_is_the_same_each_time() {
        let lines = (0..10_000_u64).map(|at| format!("{} /f read {} 4096\n", at * 360_000, at * 4096));
        let text = format!("fio version 3 iolog\n{}", lines.collect::<String>());
        let asked = player(Pace::Times(1.0), Target::AddressSpace { size_bytes: 1 << 30 }, EngineKind::Null);
        let played = || {
            let clock = Clock::virtual_from(std::time::SystemTime::UNIX_EPOCH);
            let played = replay(&asked, of(&text), &Control::on(&clock)).unwrap();
            assert_eq!(played.outcome.read.ios, 10_000);
            (played.outcome.elapsed, played.due_for, clock.now_ns())
        };
        let (elapsed, due_for, now_ns) = played();
        assert!(elapsed >= due_for && due_for == Duration::from_millis(9_999 * 360), "{elapsed:?}");
        assert_eq!(played(), (elapsed, due_for, now_ns));
    }

    #[test]
    fn what_cannot_be_is_said_and_reading_needs_no_permit() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("theirs");
        std::fs::write(&path, vec![1; 1 << 20]).unwrap();
        let text = "fio version 3 iolog\n0 /f write 0 4096\n1 /f read 0 4096\n";
        let asked = player(Pace::Fast, Target::ReadOnly(path.clone()), EngineKind::IoUring);
        assert!(matches!(replay(&asked, of(text), &Control::new()).unwrap_err(), BlockError::Refused { .. }));
        let reading = Replay { reads_only: true, ..asked.clone() };
        let played = replay(&reading, of(text), &Control::new()).unwrap();
        assert_eq!((played.outcome.read.ios, played.skipped), (1, 1));
        let wrong = Replay { pace: Pace::Times(0.0), ..reading };
        assert!(matches!(replay(&wrong, of(text), &Control::new()).unwrap_err(), BlockError::BadJob { .. }));
    }

    #[test]
    fn a_stop_ends_a_long_trace() {
        let text = "fio version 3 iolog\n0 /f read 0 4096\n3600000000 /f read 0 4096\n";
        let control = Control::new();
        control.stop();
        let asked = player(Pace::Times(1.0), Target::AddressSpace { size_bytes: 1 << 30 }, EngineKind::Null);
        let played = replay(&asked, of(text), &control).unwrap();
        assert_eq!(played.outcome.ended, crate::Ended::Stopped);
    }
}
