//! Block load: keeps a file, a block device or a modelled drive busy in a described way and says how long every I/O took.
//!
//! A [`Job`] says what is asked: streams of I/Os, a closed loop at a depth or an open loop at a rate, an engine, a target.
//! [`run`] does it and returns an [`Outcome`] with histograms, a timeline, errors, our own CPU cost and, when asked for,
//! a judgement of every block written. A [`Control`] stops a run and shows its progress.
//!
//! Invariant: nothing is ever opened for writing without a [`WritePermit`], and a permit exists only for a file that this
//! tool made itself. Between two system calls of the load nothing is allocated and nothing locked.

mod arrivals;
mod buffer;
mod clock;
mod coarse;
mod control;
mod cpu;
mod crew;
mod engine;
mod error;
mod fill;
mod generate;
mod job;
mod ledger;
mod outcome;
mod permit;
mod random;
mod record;
mod scatter;
mod stamp;
mod target;
mod verify;
mod worker;
mod zipf;

use std::sync::Arc;

pub use control::{Control, Live, LivePhase};
pub use error::{BlockError, errno_name};
pub use job::{
    Arrivals, DEPTH_MAX, EngineKind, IO_SIZE_BYTES_MAX, IO_SIZE_BYTES_MIN, Job, Pattern, Region, STREAMS_MAX,
    Shape, SizeMix, Stream, Target, Verify,
};
pub use outcome::{DirectionOutcome, Ended, Outcome, OwnCpu, StreamOutcome};
pub use permit::{FILE_GRAIN_BYTES, FillProgress, WritePermit};
pub use record::FAILURES_IN_A_ROW_MAX;
pub use verify::{BlockFault, FaultKind, VerifyReport};

use crew::Crew;
use ledger::Ledger;
use target::OpenTarget;

/// Runs a job to its end, or until `control` says stop, and verifies what it wrote if the job asks for that.
///
/// Failed I/Os do not fail the run: they are counted in the outcome, whose [`warnings`](Outcome::warnings) say so.
///
/// # Errors
/// [`BlockError`] when the job cannot be (exit code 2), would write where it must not (6), or the target or the engine
/// cannot be set up (1).
pub fn run(job: &Job, control: &Control) -> Result<Outcome, BlockError> {
    control.enter(LivePhase::Preparing);
    job.validate()?;
    let target = Arc::new(OpenTarget::open(job)?);
    let spans: Vec<_> = job.streams.iter().map(|stream| target.span(stream)).collect();
    let ledger = match job.verify {
        Verify::Off => None,
        Verify::Write if !job.writes() => None,
        // A clock value tells this run's stamps from those of earlier runs with the same seed.
        Verify::Write => {
            Some(Ledger::new(job, &spans, target.size_bytes, random::mix(job.seed ^ clock::now_ns()))?)
        }
    };
    let crew = Arc::new(Crew::new(job, target, spans, ledger, control));
    let mut outcome = crew.run()?;
    if let (Some(ledger), Some(file)) = (&crew.ledger, &crew.target.file) {
        control.advance(LivePhase::Verify);
        outcome.verify = Some(verify::verify(file, &crew.target.path, ledger, control)?);
    }
    control.advance(LivePhase::Done);
    Ok(outcome)
}
