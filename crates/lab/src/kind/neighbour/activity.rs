//! The work of a neighbour.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use database::backup::{BackupMethod, BackupRequest, BackupWatch};
use database::{Backing, Instance, Marker};
use experiment::{Method, Mitigation, Neighbour, NeighbourKind};
use ground::{Clock, nanoseconds};
use oltp::tpcc::{self, RunOptions};
use oltp::{Control, Phase};
use words::{Reason, Reasons};

use crate::bed::reset;
use crate::watch::meter::Meter;

const LOOK_INTERVAL: Duration = Duration::from_millis(20);
/// Longer than any cell.
const UNTIL_STOPPED: Duration = Duration::from_secs(366 * 86_400);
/// The stream of a block neighbour: large writes, then the same read back.
const BLOCK_BYTES: usize = 1 << 20;
const FILE_BLOCKS: u64 = 256;
/// The blocks between two syncs.
const BLOCKS_PER_SYNC: u64 = 8;

/// The signals between victims and neighbours of one turn.
#[derive(Clone)]
pub(super) struct Signals {
    clock: Clock,
    begun: Arc<AtomicBool>,
    over: Arc<AtomicBool>,
    watches: Vec<Arc<BackupWatch>>,
    /// Bytes of the neighbours' finished work; those in progress are in the watches.
    finished: Arc<AtomicU64>,
}

impl Signals {
    pub(super) fn new(neighbours: usize, clock: &Clock) -> Self {
        Self {
            clock: clock.clone(),
            begun: Arc::default(),
            over: Arc::default(),
            watches: (0..neighbours).map(|_| Arc::default()).collect(),
            finished: Arc::default(),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.watches.len()
    }

    pub(super) fn begin(&self) {
        self.begun.store(true, Ordering::Release);
    }

    /// Begins when the load of `control` is measured, or when everything is over.
    pub(super) fn begin_with(&self, control: &Control) {
        while control.live.phase() < Phase::Measure && !control.stop.load(Ordering::Acquire) {
            self.clock.sleep(LOOK_INTERVAL);
        }
        self.begin();
    }

    pub(super) fn end(&self) {
        self.over.store(true, Ordering::Release);
        self.begin();
        self.watches.iter().for_each(|watch| watch.stop());
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Bytes that all neighbours have moved.
    pub(super) fn bytes(&self) -> u64 {
        self.finished.load(Ordering::Relaxed) + self.watches.iter().map(|watch| watch.bytes()).sum::<u64>()
    }

    fn wait_for_begin(&self) {
        while !self.begun.load(Ordering::Acquire) {
            self.clock.sleep(LOOK_INTERVAL);
        }
    }

    /// Waits until `due_ns`; false when it is over before.
    fn wait_until(&self, due_ns: u64) -> bool {
        while self.clock.now_ns() < due_ns && !self.is_over() {
            self.clock.sleep(LOOK_INTERVAL);
        }
        !self.is_over()
    }
}

/// The result of one neighbour.
#[derive(Default)]
pub(super) struct Activity {
    /// Seconds of the cell from which and to which each finished action lasted.
    pub(super) done: Vec<(f64, f64)>,
    /// The one that was cut off at the end.
    cut_off: Option<(f64, f64)>,
    pub(super) bytes: u64,
    /// New orders per minute, of a neighbour that is a database under load.
    pub(super) work: f64,
    pub(super) faults: Reasons,
}

impl Activity {
    pub(super) fn failed(why: Reason) -> Self {
        Self { faults: why.into(), ..Self::default() }
    }

    /// When it was at work.
    pub(super) fn spans(&self) -> Vec<(f64, f64)> {
        self.done.iter().copied().chain(self.cut_off).collect()
    }
}

/// A neighbour's orders.
pub(super) struct Disturber<'a> {
    pub(super) bench_dir: PathBuf,
    pub(super) asked: &'a Neighbour,
    pub(super) backing: Backing,
    pub(super) mitigated: bool,
    pub(super) cgroup: Option<PathBuf>,
    pub(super) options: RunOptions,
}

impl Disturber<'_> {
    /// Works from the beginning until it is over.
    pub(super) fn work(
        &self,
        number: usize,
        instance: Option<&dyn Instance>,
        signals: &Signals,
        meter: &Meter,
    ) -> Activity {
        let mut activity = Activity::default();
        signals.wait_for_begin();
        let from_s = meter.now_s();
        let done = match (self.asked.neighbour, instance) {
            (NeighbourKind::Backup, Some(instance)) => {
                self.back_up(number, instance, signals, meter, &mut activity).map_err(Reasons::from)
            }
            (NeighbourKind::Scan, Some(instance)) => {
                scan(instance, signals, meter, &mut activity).map_err(Reasons::from)
            }
            (NeighbourKind::Database, Some(instance)) => {
                let done = self.transact(number, instance, signals, &mut activity).map_err(Reasons::from);
                activity.cut_off = Some((from_s, meter.now_s()));
                done
            }
            (NeighbourKind::Block, _) => {
                let done = self.stream(number, signals, &mut activity);
                activity.cut_off = Some((from_s, meter.now_s()));
                done
            }
            (NeighbourKind::Idle, _) => Ok(()),
            (_, None) => Err(Reason::NoDatabase.into()),
        };
        activity.faults = done.err().unwrap_or_default();
        activity
    }

    fn limit(&self) -> Option<u64> {
        let holds_itself = self.mitigated && self.asked.mitigation == Some(Mitigation::RateLimit);
        self.asked.limit.filter(|_| holds_itself).map(|limit| limit.0)
    }

    /// Backups on a clock, or one after the other.
    fn back_up(
        &self,
        number: usize,
        instance: &dyn Instance,
        signals: &Signals,
        meter: &Meter,
        activity: &mut Activity,
    ) -> Result<(), String> {
        let dir = self.bench_dir.join(format!("neighbour-{}", number + 1));
        let request = BackupRequest {
            method: match self.asked.method {
                Method::Physical => BackupMethod::Physical,
                Method::Logical => BackupMethod::Logical,
            },
            rate_limit_bytes_per_s: self.limit(),
            backing: self.backing.clone(),
            idle_io: self.mitigated && self.asked.mitigation == Some(Mitigation::IdleIo),
            cgroup: self.cgroup.clone(),
            // Nobody restores it: its cost in this program would affect the victims.
            listed: false,
            ..BackupRequest::new(&dir)
        };
        let watch = &signals.watches[number];
        let mut due_ns = signals.clock.now_ns();
        while !signals.is_over() {
            let from_s = meter.now_s();
            match instance.back_up(&request, watch) {
                Ok(report) => {
                    activity.done.push((from_s, from_s + report.elapsed.as_secs_f64()));
                    activity.bytes += report.bytes;
                }
                Err(_) if signals.is_over() => {
                    activity.cut_off = Some((from_s, meter.now_s()));
                    activity.bytes += watch.bytes();
                }
                Err(error) => return Err(error.to_string()),
            }
            due_ns = (due_ns + nanoseconds(self.asked.interval.0)).max(signals.clock.now_ns());
            signals.wait_until(due_ns);
        }
        reset::remove_dir(&dir).map_err(|e| e.to_string())
    }

    /// Another database under the same load.
    fn transact(
        &self,
        number: usize,
        instance: &dyn Instance,
        signals: &Signals,
        activity: &mut Activity,
    ) -> Result<(), String> {
        let control = Control::default();
        let options = RunOptions {
            ramp_up: Duration::ZERO,
            measure: UNTIL_STOPPED,
            seed: self.options.seed.wrapping_add(number as u64),
            ..self.options.clone()
        };
        let outcome = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !signals.is_over() {
                    signals.clock.sleep(LOOK_INTERVAL);
                }
                control.stop.store(true, Ordering::Release);
            });
            tpcc::run(instance, &options, &control)
        });
        let outcome = outcome.map_err(|e| e.to_string())?;
        activity.work = outcome.nopm;
        outcome.fatal.map_or(Ok(()), Err)
    }

    /// Large blocks, written and then read, without pause: on a modelled drive the operations alone, for no
    /// byte of them is needed.
    fn stream(&self, number: usize, signals: &Signals, activity: &mut Activity) -> Result<(), Reasons> {
        let dir = self.bench_dir.join(format!("neighbour-{}", number + 1));
        let file = match &self.backing {
            Backing::Real => Some(own_file(&dir)?),
            Backing::Emulated(_) => None,
        };
        let (start_ns, mut block) = (signals.clock.now_ns(), 0_u64);
        let mut buffer = vec![0x5a; BLOCK_BYTES];
        while !signals.is_over() {
            let (at, writes) = (block % FILE_BLOCKS, (block / FILE_BLOCKS).is_multiple_of(2));
            match (&self.backing, &file) {
                (Backing::Emulated(drive), _) => {
                    emulate::charge_block(drive, writes, at * BLOCK_BYTES as u64, BLOCK_BYTES as u32);
                }
                (Backing::Real, Some(file)) => {
                    move_block(file, &mut buffer, at, writes).map_err(|e| e.to_string())?;
                }
                (Backing::Real, None) => return Err(Reason::NoFile.into()),
            }
            block += 1;
            signals.finished.fetch_add(BLOCK_BYTES as u64, Ordering::Relaxed);
            if let Some(limit) = self.limit() {
                let due_s = block as f64 * BLOCK_BYTES as f64 / limit as f64;
                signals.wait_until(start_ns + (due_s * 1e9) as u64);
            }
        }
        activity.bytes = block * BLOCK_BYTES as u64;
        if file.is_some() {
            reset::remove_dir(&dir).map_err(|e| e.to_string())?;
        }
        Ok(())
    }
}

fn own_file(dir: &Path) -> Result<File, String> {
    reset::remove_dir(dir).map_err(|e| e.to_string())?;
    let file =
        Marker::claim(dir).and_then(|marker| marker.create("stream", 0o644)).map_err(|e| e.to_string())?;
    file.as_std().try_clone().map_err(|e| format!("opening {}: {e}", file.path().display()))
}

fn move_block(file: &File, buffer: &mut [u8], at: u64, writes: bool) -> std::io::Result<()> {
    use std::os::unix::fs::FileExt as _;
    let offset = at * BLOCK_BYTES as u64;
    if !writes {
        return file.read_exact_at(buffer, offset);
    }
    file.write_all_at(buffer, offset)?;
    if at % BLOCKS_PER_SYNC == BLOCKS_PER_SYNC - 1 {
        file.sync_data()?;
    }
    Ok(())
}

/// Every table from one end to the other, again and again.
fn scan(
    instance: &dyn Instance,
    signals: &Signals,
    meter: &Meter,
    activity: &mut Activity,
) -> Result<(), String> {
    while !signals.is_over() {
        let from_s = meter.now_s();
        match instance.table_sums(&signals.over) {
            Ok(_) => {}
            Err(_) if signals.is_over() => {
                // The part of the table that it had read is not known; it is known that it worked until here.
                activity.cut_off = Some((from_s, meter.now_s()));
                return Ok(());
            }
            Err(error) => return Err(error.to_string()),
        }
        activity.done.push((from_s, meter.now_s()));
        let bytes = instance.size_bytes();
        activity.bytes += bytes;
        signals.finished.fetch_add(bytes, Ordering::Relaxed);
    }
    Ok(())
}
