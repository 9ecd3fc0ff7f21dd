//! Tests of the crate from outside, as its users see it, in one program.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test with its place.

mod after_crash;
mod bad_jobs;
mod devices;
mod discards;
mod engines;
mod together;

use std::time::Duration;

use block::{BlockError, Control, EngineKind, Job, Pattern, Shape, SizeMix, Stream, Target};

/// io_uring, where this machine allows it: a container may not.
#[track_caller]
fn uring() -> Option<EngineKind> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), [1; 4096]).unwrap();
    let stream = Stream::new("probe", Pattern::Sequential, 1.0, SizeMix::fixed(4096));
    let target = Target::ReadOnly(file.path().to_owned());
    let mut job = Job::new(stream, Shape::ClosedLoop { depth: 1 }, EngineKind::IoUring, target);
    (job.direct, job.measure) = (false, Duration::from_millis(1));
    match block::run(&job, &Control::new()) {
        Err(why @ BlockError::Engine { .. }) => testkit::need::skipped(&why.to_string()),
        ran => ran.map(|_| EngineKind::IoUring).ok(),
    }
}

/// The engines of real files that this machine has.
#[track_caller]
fn engines() -> impl Iterator<Item = EngineKind> {
    uring().into_iter().chain([EngineKind::Psync])
}
