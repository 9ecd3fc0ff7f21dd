//! The times of the I/Os' starts, and the engines.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use device::{Drive, DriveSpec, Op, Traffic};

/// When I/Os are started.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Keep `depth` I/Os outstanding: the next starts when one completes.
    ClosedLoop {
        /// Outstanding I/Os.
        depth: u32,
    },
    /// I/Os in bursts on a clock: `ios` of them fall due at once every `every`, the first after one such
    /// time.
    Bursts {
        /// I/Os of a burst.
        ios: u32,
        /// From the start of one burst to the start of the next.
        every: Duration,
        /// Most I/Os outstanding at a time; the rest of a burst waits, and its waiting counts.
        depth_max: u32,
    },
    /// Start I/Os at a rate, whatever the target does. An arrival that finds `depth_max` outstanding waits
    /// and its waiting time is part of its latency; it never vanishes.
    OpenLoop {
        /// I/Os per second.
        rate: f64,
        /// Most I/Os outstanding at a time.
        depth_max: u32,
        /// Spacing of the arrivals.
        arrivals: Arrivals,
    },
}

impl Shape {
    /// Most I/Os that can be outstanding.
    pub fn depth(&self) -> u32 {
        match *self {
            Shape::ClosedLoop { depth } => depth,
            Shape::OpenLoop { depth_max, .. } | Shape::Bursts { depth_max, .. } => depth_max,
        }
    }
}

/// Spacing of arrivals in an open loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Every 1/rate seconds.
    Fixed,
    /// Exponential gaps with mean 1/rate: independent callers.
    Poisson,
}

/// Pauses of a closed loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Think {
    /// The pause.
    pub time: Duration,
    /// I/Os of a worker between two pauses; they come back before it pauses.
    pub after: u32,
}

/// The engine of the I/Os.
#[derive(Clone, Debug)]
pub enum EngineKind {
    /// io_uring in a thread for each worker: registered files and buffers, one system call per batch.
    IoUring,
    /// pread and pwrite in as many threads as the depth.
    Psync,
    /// Completes everything at once: the rest is our own cost.
    Null,
    /// A modelled drive in wall time; moves no bytes.
    Modelled(ModelledDrive),
}

/// A modelled drive in use. Clones are the same drive: jobs that run together or one after the other share
/// its state.
#[derive(Clone, Debug)]
pub struct ModelledDrive {
    used: Arc<Mutex<Used>>,
    late: Arc<Late>,
}

/// A drive and the account of its use.
#[derive(Debug)]
struct Used {
    drive: Drive,
    traffic: Traffic,
}

/// Counts of answers that the machine could not give at the model's time.
#[derive(Debug, Default)]
struct Late {
    all: AtomicU64,
    late: AtomicU64,
    late_ns: AtomicU64,
    latest_ns: AtomicU64,
}

/// The punctuality of a modelled drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// I/Os that it answered.
    pub all: u64,
    /// Those that were seen more than [`ModelledDrive::LATE_NS`] after the model's time.
    pub late: u64,
    /// By how much these were late in all, ns.
    pub late_ns: u64,
    /// The lateness of the latest one, in ns.
    pub latest_ns: u64,
}

impl ModelledDrive {
    /// The delay from which an answer counts as late, in ns.
    pub const LATE_NS: u64 = 20_000;

    /// A drive with these numbers, idle, whose random draws come from `seed`.
    pub fn new(spec: &DriveSpec, seed: u64) -> ModelledDrive {
        let used = Used { drive: Drive::new(spec, seed), traffic: Traffic::default() };
        ModelledDrive { used: Arc::new(Mutex::new(used)), late: Arc::default() }
    }

    /// True if both are the same drive.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.used, &other.used)
    }

    /// The I/O that was handed to it so far, ramp-up included. Times are those of the model.
    pub fn traffic(&self) -> Traffic {
        self.lock().traffic
    }

    /// When operations that follow each other from `now_ns` on are complete.
    pub(crate) fn submit(&self, now_ns: u64, ops: &[Op]) -> u64 {
        let mut used = self.lock();
        ops.iter().fold(now_ns, |start_ns, op| {
            let end_ns = used.drive.submit(start_ns, *op);
            used.traffic.add(*op, start_ns, end_ns);
            end_ns
        })
    }

    /// One drive for all callers: a lock that is held for the time of a short computation.
    fn lock(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The punctuality of its answers so far, ramp-up and drain included.
    pub fn answers(&self) -> Answers {
        Answers {
            all: self.late.all.load(Relaxed),
            late: self.late.late.load(Relaxed),
            late_ns: self.late.late_ns.load(Relaxed),
            latest_ns: self.late.latest_ns.load(Relaxed),
        }
    }

    /// Records the answers of one reading of the clock.
    pub(crate) fn answered(&self, now: Answers) {
        let Answers { all, late, late_ns, latest_ns } = now;
        self.late.all.fetch_add(all, Relaxed);
        if late > 0 {
            self.late.late.fetch_add(late, Relaxed);
            self.late.late_ns.fetch_add(late_ns, Relaxed);
        }
        if latest_ns > self.late.latest_ns.load(Relaxed) {
            self.late.latest_ns.fetch_max(latest_ns, Relaxed);
        }
    }
}

impl EngineKind {
    /// Name in results and messages.
    pub fn name(&self) -> &'static str {
        match self {
            EngineKind::IoUring => "io_uring",
            EngineKind::Psync => "psync",
            EngineKind::Null => "null",
            EngineKind::Modelled(_) => "modelled",
        }
    }

    /// True if the engine needs a file or device.
    pub fn moves_bytes(&self) -> bool {
        matches!(self, EngineKind::IoUring | EngineKind::Psync)
    }
}
