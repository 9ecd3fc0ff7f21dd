//! Bringing the drive into the state of one in use: purge, fill, the load itself.

use std::time::Duration;
use words::{EventKind, Happening, PhaseName, Reason};

use block::{EngineKind, Job, Pattern, Purge, Shape, SizeMix, Stream, Target};
use experiment::Precondition;

use super::jobs::io_bytes;
use super::session::Session;

/// I/Os outstanding while everything is written from front to back: enough to keep a drive busy.
const FILL_DEPTH: u32 = 32;
/// No fill takes longer; it ends with its bytes.
const FILL_MAX: Duration = Duration::from_secs(30 * 86_400);

/// Prepares the drive as the workload requires.
pub(super) fn conduct(session: &mut Session<'_>) -> Result<(), Reason> {
    let Some(asked) = session.block.precondition else { return Ok(()) };
    if asked.purge {
        purge(session, &asked)?;
    }
    for pass in 1..=asked.passes {
        if session.goes_on() {
            fill(session, &asked, pass)?;
        }
    }
    if let Some(span) = asked.run_for
        && session.goes_on()
    {
        let mut load = session.asked(session.level());
        (load.ramp_up, load.measure) = (Duration::ZERO, span.0);
        let outcome = session.run(&load)?;
        let (start_s, end_s) = session.results.place_in_time(&outcome);
        session.results.phase(PhaseName::PreconditionLoad, start_s, end_s);
    }
    Ok(())
}

/// Discards the contents of the targets, where that is possible, and reports it. A file that is not filled
/// afterwards stays full: reading its holes would read nothing.
fn purge(session: &mut Session<'_>, asked: &Precondition) -> Result<(), Reason> {
    if !session.place.data.engine.moves_bytes() {
        session.results.notes.push((EventKind::Purge, Happening::PurgeModelled));
        return Ok(());
    }
    let grounds = [&session.place.data, &session.place.log];
    let mut notes = Vec::new();
    for target in grounds.iter().flat_map(|ground| &ground.targets) {
        let Target::Permitted(permit) = target else { continue };
        let refilled = asked.passes > 0 && permit.size_bytes().is_multiple_of(asked.block_size.0.max(1));
        let done = match permit.is_device() || refilled {
            true => permit.purge().map_err(Reason::error)?,
            false => Purge::Unsupported,
        };
        let note = match done {
            Purge::Discarded => Happening::PurgeDiscarded,
            Purge::GivenBack => Happening::PurgeGivenBack,
            Purge::Unsupported => Happening::PurgeNewFile,
        };
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    session.results.notes.extend(notes.into_iter().map(|note| (EventKind::Purge, note)));
    Ok(())
}

/// Writes every file once from front to back.
fn fill(session: &mut Session<'_>, asked: &Precondition, pass: u32) -> Result<(), Reason> {
    let size = io_bytes(asked.block_size)?;
    let grounds = [session.place.data.clone(), session.place.log.clone()];
    let mut jobs = Vec::new();
    for ground in grounds {
        for (target, size_bytes) in ground.targets.into_iter().zip(ground.sizes_bytes) {
            let stream = Stream::new("fill", Pattern::Sequential, 0.0, SizeMix::fixed(size));
            let shape = Shape::ClosedLoop { depth: fill_depth(&ground.engine) };
            let mut job = Job::new(stream, shape, ground.engine.clone(), target);
            (job.measure, job.direct) = (FILL_MAX, session.block.direct);
            job.bytes_max = Some(size_bytes / u64::from(size) * u64::from(size));
            job.seed = u64::from(pass) ^ session.conductor.seed;
            if let Some(content) = session.block.content {
                job.content =
                    block::Content { compressible: content.compressible.0, duplicates: content.duplicates.0 };
            }
            jobs.push(job);
        }
    }
    let outcome = session.run_jobs(&jobs, PhaseName::Precondition)?;
    let (start_s, end_s) = session.results.place_in_time(&outcome);
    session.results.phase(PhaseName::Fill, start_s, end_s);
    Ok(())
}

/// psync has a thread per I/O in flight: a few suffice to write in order.
fn fill_depth(engine: &EngineKind) -> u32 {
    if matches!(engine, EngineKind::Psync) { 4 } else { FILL_DEPTH }
}
