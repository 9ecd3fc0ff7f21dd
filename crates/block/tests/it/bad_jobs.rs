//! Every impossible job is refused with its exit code and a way out, and none of them panics.

use std::path::PathBuf;
use std::time::Duration;

use block::{
    Arrivals, BlockError, Control, EngineKind, Job, Pattern, Region, Shape, SizeMix, Stream, Target, Verify,
};
use proptest::prelude::*;

fn good() -> Job {
    let stream = Stream::new("s", Pattern::Uniform, 1.0, SizeMix::fixed(4096));
    let target = Target::AddressSpace { size_bytes: 1 << 20 };
    let mut job = Job::new(stream, Shape::ClosedLoop { depth: 1 }, EngineKind::Null, target);
    job.measure = Duration::from_millis(1);
    job
}

fn error_of(change: impl FnOnce(&mut Job)) -> BlockError {
    let mut job = good();
    change(&mut job);
    block::run(&job, &Control::new()).expect_err("a refusal")
}

#[test]
fn the_good_job_runs() {
    assert!(block::run(&good(), &Control::new()).is_ok());
}

#[test]
fn each_impossible_value_is_named() {
    let open = |rate| Shape::OpenLoop { rate, depth_max: 1, arrivals: Arrivals::Fixed };
    type Change = Box<dyn FnOnce(&mut Job)>;
    let cases: Vec<(&str, Change)> = vec![
        ("0 streams", Box::new(|job| job.streams.clear())),
        ("read share 1.5", Box::new(|job| job.streams[0].read_share = 1.5)),
        ("read share NaN", Box::new(|job| job.streams[0].read_share = f64::NAN)),
        ("weight 0", Box::new(|job| job.streams[0].weight = 0.0)),
        ("weight inf", Box::new(|job| job.streams[0].weight = f64::INFINITY)),
        ("0 block sizes", Box::new(|job| job.streams[0].sizes = SizeMix::mix([]))),
        ("block size of 0", Box::new(|job| job.streams[0].sizes = SizeMix::fixed(0))),
        ("block size of 1000", Box::new(|job| job.streams[0].sizes = SizeMix::fixed(1000))),
        ("share -1", Box::new(|job| job.streams[0].sizes = SizeMix::mix([(4096, -1.0)]))),
        ("zipf exponent 0", Box::new(|job| job.streams[0].pattern = Pattern::Zipf { theta: 0.0 })),
        (
            "hot share 1",
            Box::new(|job| job.streams[0].pattern = Pattern::HotSpot { share: 1.0, access: 0.5 }),
        ),
        (
            "hot access share 2",
            Box::new(|job| job.streams[0].pattern = Pattern::HotSpot { share: 0.5, access: 2.0 }),
        ),
        (
            "region start 7",
            Box::new(|job| job.streams[0].region = Some(Region { start_bytes: 7, length_bytes: 8192 })),
        ),
        (
            "region of 512 bytes",
            Box::new(|job| job.streams[0].region = Some(Region { start_bytes: 0, length_bytes: 512 })),
        ),
        (
            "address space of 1048576 bytes",
            Box::new(|job| job.streams[0].region = Some(Region { start_bytes: 0, length_bytes: u64::MAX })),
        ),
        (
            "address space of 100 bytes",
            Box::new(|job| job.targets = vec![Target::AddressSpace { size_bytes: 100 }]),
        ),
        ("depth 0", Box::new(|job| job.shape = Shape::ClosedLoop { depth: 0 })),
        ("depth 5000", Box::new(|job| job.shape = Shape::ClosedLoop { depth: 5000 })),
        (
            "bytes of memory",
            Box::new(|job| {
                job.engine = EngineKind::Psync;
                job.targets = vec![Target::ReadOnly(PathBuf::from("/no/such/file"))];
                job.streams[0].sizes = SizeMix::fixed(64 << 20);
                job.shape = Shape::ClosedLoop { depth: 4096 };
            }),
        ),
        (
            "engine psync with 2000 I/Os outstanding",
            Box::new(|job| {
                job.engine = EngineKind::Psync;
                job.targets = vec![Target::ReadOnly(PathBuf::from("/no/such/file"))];
                job.shape = Shape::ClosedLoop { depth: 1000 };
                job.workers = 2;
            }),
        ),
        ("rate of 0", Box::new(move |job| job.shape = open(0.0))),
        ("rate of NaN", Box::new(move |job| job.shape = open(f64::NAN))),
        ("alignment of 100", Box::new(|job| job.align_bytes = Some(100))),
        ("measure phase of 0ns", Box::new(|job| job.measure = Duration::ZERO)),
        ("no file", Box::new(|job| job.engine = EngineKind::Psync)),
        ("moves no bytes to verify", Box::new(|job| job.verify = Verify::Write)),
        (
            "moves no bytes but a file",
            Box::new(|job| job.targets = vec![Target::ReadOnly(PathBuf::from("/etc/hostname"))]),
        ),
    ];
    for (what, change) in cases {
        let error = error_of(change);
        assert!(matches!(error, BlockError::BadJob { .. }), "{what}: {error}");
        assert!(error.to_string().contains(what), "\"{error}\" does not say \"{what}\"");
    }
}

#[test]
fn writing_without_a_permit_is_refused_before_anything_is_opened() {
    for path in ["/dev/sda", "/dev/vda", "/etc/passwd", "/no/such/file"] {
        let error = error_of(|job| {
            job.engine = EngineKind::IoUring;
            job.streams[0].read_share = 0.99;
            job.targets = vec![Target::ReadOnly(PathBuf::from(path))];
        });
        assert!(matches!(error, BlockError::Refused { .. }), "{error}");
        assert!(error.to_string().contains("--destroy /dev/disk/by-id/"), "{error}");
    }
}

#[test]
fn a_block_device_is_read_where_one_may_be_read() {
    let device =
        ["/dev/vda", "/dev/sda", "/dev/nvme0n1"].iter().find(|path| std::path::Path::new(path).exists());
    let why = "it needs /dev/vda, /dev/sda or /dev/nvme0n1";
    let Some(device) = device.or_else(|| testkit::need::skipped(why)) else { return };
    let mut job = good();
    job.engine = EngineKind::Psync;
    job.targets = vec![Target::ReadOnly(PathBuf::from(device))];
    match block::run(&job, &Control::new()) {
        Ok(outcome) => assert!(outcome.read.ios > 0),
        Err(error) => assert!(error.to_string().contains("open it for reading"), "{error}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_job_panics(
        size_kib in 0u32..70_000,
        depth in 0u32..300,
        share in -0.5f64..1.5,
        theta in -1.0f64..12.0,
        space in 0u64..(1 << 40),
        rate in -10.0f64..1e7,
        open: bool,
        start in 0u64..(1 << 41),
        length in 0u64..(1 << 41),
        with_region: bool,
    ) {
        let mut job = good();
        job.streams[0] = Stream::new("s", Pattern::Zipf { theta }, share, SizeMix::fixed(size_kib.wrapping_mul(512)));
        job.streams[0].region = with_region.then_some(Region { start_bytes: start * 512, length_bytes: length });
        job.targets = vec![Target::AddressSpace { size_bytes: space }];
        job.shape = if open {
            Shape::OpenLoop { rate, depth_max: depth, arrivals: Arrivals::Poisson }
        } else {
            Shape::ClosedLoop { depth }
        };
        job.drain_max = if open { Duration::from_millis(1) } else { Duration::MAX };
        match block::run(&job, &Control::new()) {
            // The completions after the end are no throughput; those of a closed loop were under way then.
            Ok(outcome) => {
                let after = outcome.latency().len().checked_sub(outcome.ios() + outcome.unfinished);
                prop_assert!(after.is_some_and(|after| open || after <= u64::from(depth)), "{after:?}");
            }
            Err(error) => prop_assert!(matches!(error, BlockError::BadJob { .. }), "{error}"),
        }
    }
}
