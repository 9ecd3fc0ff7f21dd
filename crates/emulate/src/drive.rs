//! One modelled drive in wall time.

mod awake;
pub(crate) mod clock;
pub(crate) mod realtime;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use device::{Drive, DriveSpec, Op, Traffic};
use ground::Clock;
use parking_lot::Mutex;

use awake::Awake;

pub use awake::idle_processors_stay_awake;

/// A completion counts as late when it comes after the modelled one by more than this, or by more than
/// [`LATE_SHARE`] of the modelled time, whichever is longer: the accuracy that the layer promises.
pub const LATE_NS: u64 = 20_000;
/// See [`LATE_NS`].
pub const LATE_SHARE: f64 = 0.05;

/// A modelled drive to which real operations are charged in wall time. Several directories, and data and log
/// of one database, may share it: they then compete for it as they would for one device.
pub struct EmulatedDrive {
    name: String,
    spec: DriveSpec,
    epoch_ns: u64,
    model: Mutex<Model>,
    _awake: Arc<Awake>,
    /// The factor of all times, in 1/1024: a drive that has become slow.
    slowness: AtomicU64,
    /// Nothing completes between these moments (`CLOCK_MONOTONIC`): a stalled drive.
    stalled_from_ns: AtomicU64,
    stalled_until_ns: AtomicU64,
}

/// The longest time from the end of a stall on order to the completion of the operations that it held.
const LOOK_NS: u64 = 50_000_000;

/// A slowness of one.
const HEALTHY: u64 = 1024;

struct Model {
    drive: Drive,
    traffic: Traffic,
    /// The last moment at which an accepted operation completes, ns since the epoch.
    last_end_ns: u64,
}

/// The cost of one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charge {
    /// From start to completion by the model, ns.
    pub model_ns: u64,
    /// From start until the caller went on, ns.
    pub actual_ns: u64,
    /// True if the caller went on more than 20 us and more than 5 % later than the model says: the real work
    /// took longer than the modelled drive, or the machine woke the thread late.
    pub late: bool,
}

impl Charge {
    pub(crate) fn new(model_ns: u64, actual_ns: u64) -> Charge {
        let allowed_ns = LATE_NS.max((model_ns as f64 * LATE_SHARE) as u64);
        Charge { model_ns, actual_ns, late: actual_ns > model_ns + allowed_ns }
    }

    /// Nanoseconds by which the operation missed its modelled completion.
    pub(crate) fn late_by_ns(&self) -> u64 {
        self.actual_ns.saturating_sub(self.model_ns)
    }
}

impl EmulatedDrive {
    /// A drive whose clock starts now. The same seed and the same operations at the same times give the same
    /// completions.
    ///
    /// The first drive of a process takes about 20 ms more: it measures how late this machine wakes a
    /// sleeping thread. While a drive exists, idle processors are kept awake where the process may ask for
    /// that.
    pub fn new(name: &str, spec: &DriveSpec, seed: u64) -> Arc<Self> {
        let awake = Awake::shared(); // Before the measurement of how late a sleep ends, which it shortens.
        clock::early_ns();
        Arc::new(Self {
            _awake: awake,
            name: name.to_owned(),
            spec: spec.clone(),
            epoch_ns: Clock::Wall.now_ns(),
            model: Mutex::new(Model {
                drive: Drive::new(spec, seed),
                traffic: Traffic::default(),
                last_end_ns: 0,
            }),
            slowness: AtomicU64::new(HEALTHY),
            stalled_from_ns: AtomicU64::new(0),
            stalled_until_ns: AtomicU64::new(0),
        })
    }

    /// Name as given, for tables and messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The numbers of the model.
    pub fn spec(&self) -> &DriveSpec {
        &self.spec
    }

    /// Charge one operation that started at `started_ns` (`CLOCK_MONOTONIC`) and wait until the modelled
    /// completion. Work that the caller did since then is part of the time, not added to it.
    pub fn charge(&self, op: Op, started_ns: u64) -> Charge {
        let deadline_ns = self.submit(op, started_ns);
        let (completes_ns, ended_ns) = self.await_completion(deadline_ns);
        Charge::new(completes_ns - started_ns, ended_ns.saturating_sub(started_ns))
    }

    /// Waits for the completion of an operation that [`EmulatedDrive::submit`] put at this moment. Gives the
    /// completion, which a stall puts off, and the moment of return, ns.
    pub(crate) fn await_completion(&self, mut completes_ns: u64) -> (u64, u64) {
        loop {
            let ended_ns = clock::wait_until(completes_ns);
            match self.stalls(ended_ns) {
                Some(next_ns) => completes_ns = next_ns,
                None => return (completes_ns, ended_ns),
            }
        }
    }

    /// When an operation that starts at `started_ns` completes, unless the drive stalls then: see
    /// [`EmulatedDrive::stalls`]. The lock is held for this computation only.
    pub(crate) fn submit(&self, op: Op, started_ns: u64) -> u64 {
        let start_ns = started_ns.saturating_sub(self.epoch_ns);
        let mut model = self.model.lock();
        let end_ns = self.ailing(start_ns, model.drive.submit(start_ns, op).max(start_ns));
        model.traffic.add(op, start_ns, end_ns);
        model.last_end_ns = model.last_end_ns.max(end_ns);
        drop(model);
        started_ns + (end_ns - start_ns)
    }

    /// The completion of a drive that has become slow.
    fn ailing(&self, start_ns: u64, end_ns: u64) -> u64 {
        let slowness = self.slowness.load(Ordering::Relaxed);
        let took_ns = (end_ns - start_ns).saturating_mul(slowness) / HEALTHY;
        start_ns.saturating_add(took_ns)
    }

    /// When an operation that would complete at this moment is to be looked at again, because the drive
    /// stalls: at the end of the stall, or after [`LOOK_NS`], as the stall may be ended before.
    pub(crate) fn stalls(&self, now_ns: u64) -> Option<u64> {
        let until_ns = self.stalled_until_ns.load(Ordering::Relaxed);
        (now_ns < until_ns).then(|| until_ns.min(now_ns + LOOK_NS))
    }

    /// Makes everything take `factor` times as long from now on (0.001 and more; rounded to 1/1024).
    pub fn slow_down(&self, factor: f64) {
        self.slowness.store((factor.clamp(0.001, 1e6) * HEALTHY as f64) as u64, Ordering::Relaxed);
    }

    /// The factor by which everything takes longer now than on the drive of the model.
    pub fn slowness(&self) -> f64 {
        self.slowness.load(Ordering::Relaxed) as f64 / HEALTHY as f64
    }

    /// Stalls the drive: nothing completes for this time, whenever it came; then it goes on. The time counts
    /// from now on, also of a drive that stalls already.
    pub fn stall_for(&self, length: Duration) {
        let (now_ns, length_ns) = (Clock::Wall.now_ns(), length.as_nanos().min(u128::from(u64::MAX)) as u64);
        // What the stall before it holds is held since then.
        if self.stalls(now_ns).is_none() {
            self.stalled_from_ns.store(now_ns, Ordering::Relaxed);
        }
        self.stalled_until_ns.store(now_ns.saturating_add(length_ns), Ordering::Relaxed);
    }

    /// The time until all operations have completed that are under way now; zero if there are none.
    pub fn works_for(&self) -> Duration {
        let mut until_ns = self.model.lock().last_end_ns.saturating_add(self.epoch_ns);
        if until_ns > self.stalled_from_ns.load(Ordering::Relaxed) {
            // Of a stall that was ended the operations complete with the next look.
            let stalled_until_ns = self.stalled_until_ns.load(Ordering::Relaxed);
            until_ns = until_ns.max(stalled_until_ns.saturating_add(LOOK_NS));
        }
        Duration::from_nanos(until_ns.saturating_sub(Clock::Wall.now_ns()))
    }

    /// Ends a stall, and a slowness for operations that come from now on.
    pub fn heal(&self) {
        self.slowness.store(HEALTHY, Ordering::Relaxed);
        self.end_stall();
    }

    /// Ends a stall: the operations that it holds complete within 50 ms.
    pub fn end_stall(&self) {
        self.stalled_until_ns.fetch_min(Clock::Wall.now_ns(), Ordering::Relaxed);
    }

    /// The I/O since the drive was made, over all its mounts. Times are those of the model.
    pub fn traffic(&self) -> Traffic {
        self.model.lock().traffic
    }

    /// Nanoseconds during which at least one operation was under way since the drive was made.
    pub fn busy_ns(&self) -> u64 {
        self.model.lock().traffic.busy_ns
    }
}

impl fmt::Debug for EmulatedDrive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmulatedDrive").field("name", &self.name).field("spec", &self.spec).finish()
    }
}

/// Charges one large write or read without a file, as of a program next door, and waits for its completion.
pub fn charge_block(drive: &EmulatedDrive, writes: bool, offset: u64, len: u32) -> Charge {
    let op = if writes { Op::Write { offset, len } } else { Op::Read { offset, len } };
    drive.charge(op, Clock::Wall.now_ns())
}

/// The storage behind the files of one role.
#[derive(Clone, Debug)]
pub enum Backing {
    /// Real bytes in ordinary files, time of a modelled drive. The files survive the death of the process but
    /// not that of the machine: a sync costs the modelled flush and nothing else.
    Emulated(Arc<EmulatedDrive>),
    /// The storage under the directory, past the page cache (`O_DIRECT`) where the file system has it. A sync
    /// is one.
    Real,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_free_drive_adds_nothing() {
        let drive = EmulatedDrive::new("free", &DriveSpec::free(), 1);
        let started_ns = Clock::Wall.now_ns();
        let charge = drive.charge(Op::Read { offset: 0, len: 4096 }, started_ns);
        assert_eq!(charge.model_ns, 0);
        assert_eq!(drive.busy_ns(), 0);
        assert_eq!(drive.name(), "free");
    }

    #[test]
    fn work_done_since_the_start_is_part_of_the_time() {
        let spec = DriveSpec { write_ack_ns: 3_000_000, write_buffer_bytes: 1 << 20, ..DriveSpec::free() };
        let drive = EmulatedDrive::new("slow", &spec, 1);
        let started_ns = Clock::Wall.now_ns();
        clock::wait_until(started_ns + 1_000_000);
        let charge = drive.charge(Op::Write { offset: 0, len: 4096 }, started_ns);
        assert!(charge.model_ns >= 3_000_000);
        assert!(charge.actual_ns >= charge.model_ns, "never early");
        let ended_ns = Clock::Wall.now_ns();
        assert!(ended_ns >= started_ns + charge.actual_ns);
        assert!(drive.busy_ns() >= 3_000_000);
    }

    #[test]
    fn a_drive_may_fall_ill_and_recover() {
        let spec = DriveSpec { write_ack_ns: 100_000, write_buffer_bytes: 1 << 20, ..DriveSpec::free() };
        let drive = EmulatedDrive::new("ill", &spec, 1);
        let took_ns = |at_ns: u64| drive.submit(Op::Write { offset: 0, len: 4096 }, at_ns) - at_ns;
        let start_ns = Clock::Wall.now_ns();
        let healthy_ns = took_ns(start_ns);
        drive.slow_down(3.0);
        assert!(took_ns(start_ns + 1_000_000) >= 3 * healthy_ns);
        drive.heal();
        assert_eq!(took_ns(start_ns + 10_000_000_000), healthy_ns);
    }

    #[test]
    fn a_stall_holds_what_would_complete_in_it_until_it_ends() {
        let spec = DriveSpec { write_ack_ns: 100_000, write_buffer_bytes: 1 << 20, ..DriveSpec::free() };
        let drive = EmulatedDrive::new("stalls", &spec, 1);
        drive.stall_for(Duration::from_secs(50));
        assert_eq!(drive.works_for(), Duration::ZERO, "nothing has met the stall yet");
        let started_ns = Clock::Wall.now_ns();
        let write = Op::Write { offset: 0, len: 4096 };
        let held = std::thread::scope(|scope| {
            let held = scope.spawn(|| drive.charge(write, started_ns));
            while drive.works_for() < Duration::from_secs(10) {
                std::thread::yield_now();
            }
            assert_eq!(drive.stalls(started_ns + 60_000_000_000), None, "after its end");
            drive.stall_for(Duration::from_secs(20));
            assert!(drive.works_for() > Duration::from_secs(10), "another stall holds it as well");
            drive.heal();
            held.join().unwrap()
        });
        assert!((100_000..10_000_000_000).contains(&held.model_ns), "{held:?}");
        assert_eq!(drive.stalls(Clock::Wall.now_ns()), None);
        assert!(drive.charge(write, Clock::Wall.now_ns()).model_ns < 10_000_000, "as before");
    }

    #[test]
    fn late_is_beyond_20_us_and_5_percent() {
        assert!(!Charge::new(100_000, 120_000).late);
        assert!(Charge::new(100_000, 120_001).late);
        assert!(!Charge::new(1_000_000, 1_050_000).late);
        assert!(Charge::new(1_000_000, 1_050_001).late);
    }
}
