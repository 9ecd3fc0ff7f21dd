//! The hot path allocates nothing: a run of 400 ms allocates as often as one of 20 ms.
#![allow(unsafe_code)] // A counting allocator has no safe form.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use block::{
    Arrivals, Control, EngineKind, Job, Pattern, Shape, SizeMix, Stream, Target, Verify, WritePermit,
};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// I/Os of a run and the allocations it took.
fn cost(job: &Job, milliseconds: u64) -> Option<(u64, u64)> {
    let job = Job { measure: Duration::from_millis(milliseconds), ..job.clone() };
    let before = ALLOCATIONS.load(Relaxed);
    let outcome = block::run(&job, &Control::new()).ok()?;
    Some((outcome.ios(), ALLOCATIONS.load(Relaxed) - before))
}

// One test, because allocations of tests that run beside it would be counted too.
#[test]
fn a_longer_run_allocates_no_more() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let permit = Arc::new(WritePermit::create_file(&directory.path().join("target"), 4 << 20).unwrap());
    let null = Target::AddressSpace { size_bytes: 1 << 30 };
    let closed = Shape::ClosedLoop { depth: 8 };
    let open = Shape::OpenLoop { rate: 20_000.0, depth_max: 8, arrivals: Arrivals::Poisson };
    for (engine, shape, target, verify) in [
        (EngineKind::Null, closed, null.clone(), Verify::Off),
        (EngineKind::Null, open, null.clone(), Verify::Off),
        (
            EngineKind::Modelled(block::ModelledDrive::new(&device::DriveSpec::free(), 1)),
            closed,
            null,
            Verify::Off,
        ),
        (EngineKind::IoUring, closed, Target::Permitted(permit.clone()), Verify::Off),
        (EngineKind::Psync, closed, Target::Permitted(permit.clone()), Verify::Off),
        (EngineKind::IoUring, open, Target::Permitted(permit), Verify::Write),
    ] {
        let name = engine.name();
        let stream = Stream::new("s", Pattern::Zipf { theta: 1.1 }, 0.5, SizeMix::fixed(4096));
        let mut job = Job::new(stream, shape, engine, target);
        (job.verify, job.direct) = (verify, false);
        cost(&job, 20); // Whatever is allocated once in a process.
        let (Some((few, short)), Some((many, long))) = (cost(&job, 20), cost(&job, 400)) else {
            assert_eq!(name, "io_uring", "only io_uring may be missing on a machine");
            testkit::need::skip("io_uring is not allowed here");
            continue;
        };
        assert!(many > few, "{name}: {few} I/Os in 20 ms, {many} in 400 ms");
        // A second that ends during a run is packed, and workers' seconds are merged: some allocations each,
        // none per I/O.
        assert!(long < short + 500, "{name}: {short} allocations for {few} I/Os, {long} for {many}");
    }
}
