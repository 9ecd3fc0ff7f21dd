//! Block load: keeps a file, a block device or a modelled drive busy in a described way and says how long
//! every I/O took.
//!
//! A [`Job`] says what is asked: streams of I/Os, a closed loop at a depth or an open loop at a rate, an
//! engine, a target. [`run`] does it and returns an [`Outcome`] with histograms, a timeline, errors, our own
//! CPU cost and, when asked for, a judgement of every block written. A [`Control`] stops a run and shows its
//! progress. A run can be recorded as a trace, and [`replay`](fn@replay) runs a trace.
//!
//! Invariant: no target is opened for writing without a [`WritePermit`], and a permit exists only for a file
//! that this tool made itself, or for a device that the user named to be destroyed ([`DestroyOrder`]).
//! Between two reaps of its engine a worker of a load allocates nothing and takes no lock but that of a
//! modelled drive.

mod arrivals;
mod buffer;
mod bursts;
mod clock;
mod content;
mod control;
mod crew;
mod device;
mod discard;
mod displaced;
mod durable;
mod engine;
mod error;
mod fault;
mod fill;
mod flushes;
mod generate;
mod job;
mod journal;
mod ledger;
mod ledgers;
mod mark;
mod outcome;
mod pace;
mod pattern;
mod permit;
mod pin;
mod purge;
mod record;
mod replay;
mod scatter;
mod stamp;
mod standstill;
mod start;
mod target;
mod trace;
mod verify;
mod worker;

/// Access to private parts, for `fuzz/` and for tests.
#[cfg(any(test, fuzzing))]
pub mod fuzzing {
    pub use crate::journal::changed::changed_journal;
}

use std::collections::BTreeSet;
use std::sync::Arc;

pub use bursts::BurstSplit;
pub use content::Content;
pub use control::{Beginning, Control, Live, LivePhase};
pub use device::DestroyOrder;
pub use displaced::displaced;
pub use error::{BlockError, errno_name};
pub use fault::{BlockFault, FaultKind};
pub use fill::FillProgress;
pub use job::{
    Answers, Arrivals, DEPTH_MAX, Discard, EngineKind, FileChoice, Flush, IO_SIZE_BYTES_MAX,
    IO_SIZE_BYTES_MIN, Job, ModelledDrive, Pattern, Region, STREAMS_MAX, Shape, SizeMix, Stream, TARGETS_MAX,
    Target, Think, Verify, WORKERS_MAX,
};
pub use journal::{JournalEnd, JournalPlace, JournalReport, JournalSummary, is_journal};
pub use outcome::{DirectionOutcome, Ended, Outcome, OwnCpu, StreamOutcome};
pub use pace::Bursts;
pub use permit::{
    FILE_GRAIN_BYTES, MARKER_SUFFIX, WritePermit, check_killed, check_left_over, is_replaced, marker_of,
    remove_killed, remove_left_over,
};
pub use purge::Purge;
pub use record::FAILURES_IN_A_ROW_MAX;
pub use replay::{Pace, Replay, Replayed, SPEEDS, check_replay, replay};
pub use standstill::Standstill;
pub use trace::{
    TraceFormat, TraceIo, TraceLines, TraceOp, TraceReader, TraceRecorder, TraceWriter, recording,
};
pub use verify::{CrashReport, VerifyReport, verify_after_crash};

use crew::Crew;
use journal::JournalWriter;
use ledger::Ledger;
use ledgers::{LedgersOf, Opened};
use start::Start;
use target::OpenTarget;

/// Runs a job to its end, or until `control` says stop, and verifies its writes if the job asks for that.
///
/// Failed I/Os do not fail the run: they are counted in the outcome, whose [`warnings`](Outcome::warnings)
/// say so.
///
/// # Errors
/// [`BlockError`] when the job cannot be (exit code 2), would write where it must not (6), or the target or
/// the engine cannot be set up (1).
pub fn run(job: &Job, control: &Control) -> Result<Outcome, BlockError> {
    run_together(std::slice::from_ref(job), control).map(|mut outcomes| outcomes.remove(0))
}

/// Runs several jobs at the same time: all their workers start together, and each job has its own outcome, in
/// the jobs' order.
///
/// They share whatever they name in common: a modelled drive, a file, the processors. [`Outcome::add_beside`]
/// adds them up.
///
/// # Errors
/// As [`run`], of the first job that fails; and [`BlockError::BadJob`] for no job at all.
pub fn run_together(jobs: &[Job], control: &Control) -> Result<Vec<Outcome>, BlockError> {
    control.enter(LivePhase::Preparing);
    if jobs.is_empty() {
        return Err(BlockError::job("there is no load", "give at least one"));
    }
    if control.clock.is_virtual() && jobs.iter().any(|job| job.engine.moves_bytes()) {
        return Err(BlockError::job("real bytes in virtual time", "use a modelled drive or engine null"));
    }
    let bursts = jobs.iter().any(|job| matches!(job.shape, Shape::Bursts { .. }));
    let workers = jobs.iter().map(crew::workers_of).sum();
    let start = Arc::new(Start::new(&control.clock, workers, bursts, control.beginning.clone()));
    let (crews, journals): (Vec<_>, Vec<_>) = crews(jobs, control, &start)?.into_iter().unzip();
    let mut outcomes = control.clock.scope(|scope| {
        let running: Vec<_> = crews.iter().map(|crew| scope.spawn(move || crew.run())).collect();
        let of_panic = |panic| std::panic::resume_unwind(panic);
        let outcomes: Vec<_> =
            running.into_iter().map(|thread| thread.join().unwrap_or_else(of_panic)).collect();
        all_or_first_cause(outcomes)
    })?;
    for ((journal, crew), outcome) in journals.into_iter().zip(&crews).zip(&mut outcomes) {
        outcome.journal = journal.map(JournalWriter::finish);
        outcome.displaced = crew.targets.iter().filter_map(OpenTarget::displaced).collect();
        if let (Some(split), Some(clock)) = (&mut outcome.bursts, &start.bursts) {
            split.inside = clock.inside();
        }
    }
    judge_all(&crews, &mut outcomes, control)?;
    control.advance(LivePhase::Done);
    Ok(outcomes)
}

/// The outcomes, or why the first job that knows it failed.
fn all_or_first_cause(outcomes: Vec<Result<Outcome, BlockError>>) -> Result<Vec<Outcome>, BlockError> {
    let (mut good, mut failed) = (Vec::new(), None);
    for outcome in outcomes {
        match (outcome, &failed) {
            (Ok(outcome), _) => good.push(outcome),
            (Err(error), None | Some(BlockError::NotStarted)) => failed = Some(error),
            (Err(_), Some(_)) => {}
        }
    }
    failed.map_or(Ok(good), Err)
}

/// Verifies each file once, however many jobs wrote to it. The judgement is with the first of them.
fn judge_all(crews: &[Arc<Crew>], outcomes: &mut [Outcome], control: &Control) -> Result<(), BlockError> {
    let all = crews.iter().flat_map(|crew| crew.ledgers.iter().flatten());
    let several = all.map(Arc::as_ptr).collect::<BTreeSet<_>>().len() > 1;
    let mut judged: BTreeSet<*const Ledger> = BTreeSet::new();
    for (crew, outcome) in crews.iter().zip(outcomes) {
        for (number, (target, ledger)) in crew.targets.iter().zip(&crew.ledgers).enumerate() {
            let (Some(file), Some(ledger)) = (&target.file, ledger) else { continue };
            if !crew.job.writes_target(number) || !judged.insert(Arc::as_ptr(ledger)) {
                continue;
            }
            control.advance(LivePhase::Verify);
            let mut report = verify::verify(file, &target.path, ledger, control)?;
            if several {
                report.name_file(&target.path);
            }
            match &mut outcome.verify {
                Some(all) => all.add(report),
                none => *none = Some(report),
            }
        }
    }
    Ok(())
}

/// Checks everything about a job that could keep it from beginning. Nothing is written.
///
/// # Errors
/// As [`run`].
pub fn check(job: &Job) -> Result<(), BlockError> {
    job.validate()?;
    OpenTarget::open_all(job).map(drop)
}

/// A job's workers, and the recorder of its durable writes.
type Gathered = (Arc<Crew>, Option<JournalWriter>);

/// Checks the jobs, opens their targets and gathers their workers.
fn crews(jobs: &[Job], control: &Control, start: &Arc<Start>) -> Result<Vec<Gathered>, BlockError> {
    let open = |job| {
        Job::validate(job)?;
        let targets = OpenTarget::open_all(job)?;
        let spans = job.streams.iter().map(|stream| targets[stream.target].span(stream)).collect();
        Ok(Opened { job, targets, spans })
    };
    let opened: Vec<Opened<'_>> = jobs.iter().map(open).collect::<Result<_, BlockError>>()?;
    let key = key_of(jobs)?;
    // A clock value tells this run's stamps from those of earlier runs with the same seed. In virtual time it
    // repeats, as all of the run does.
    let drawn = ground::mix(jobs[0].seed ^ control.clock.now_ns());
    let ledgers = ledgers::of_jobs(&opened, key.map_or(drawn, |key| mark::run(key, drawn)))?;
    let crew = |(opened, ledgers): (Opened<'_>, LedgersOf)| {
        let ledger = ledgers.first().and_then(Option::as_deref);
        let journal = match (&opened.job.journal, ledger) {
            (Some(place), Some(ledger)) => {
                let target = &opened.targets[0];
                Some(JournalWriter::create(place, ledger, (&target.path, target.size_bytes))?)
            }
            _ => None,
        };
        let sender = journal.as_ref().map(|journal| journal.sender.clone());
        let (key, start) = (key.unwrap_or(0), Arc::clone(start));
        Ok((Arc::new(Crew::new(opened, ledgers, key, sender, control, start)), journal))
    };
    opened.into_iter().zip(ledgers).map(crew).collect()
}

/// The key of the marks in all that the jobs write: that of the first file of ours. The others' markers are
/// told. `None` when no job writes to a file of ours.
fn key_of(jobs: &[Job]) -> Result<Option<u64>, BlockError> {
    let permits = jobs.iter().flat_map(|job| {
        let written = job.targets.iter().enumerate().filter(|(index, _)| job.writes_target(*index));
        written.filter_map(|(_, target)| match target {
            Target::Permitted(permit) if !permit.is_device() => Some(permit),
            _ => None,
        })
    });
    let mut key = None;
    for permit in permits {
        match key {
            None => key = permit.key(),
            Some(key) => permit.admit(key)?,
        }
    }
    Ok(key)
}
