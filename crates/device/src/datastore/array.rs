//! Plain RAID of drives behind a controller that may have a cache: no hosts, no network.

use crate::check::refuse;
use crate::drive::{Drive, Op};
use crate::{DriveSpec, SpecError};

/// The layout of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaidLevel {
    /// Striped over all drives.
    Raid0,
    /// The same on all drives.
    Raid1,
    /// Striped over pairs of drives that hold the same.
    Raid10,
    /// Every drive for itself: each caller uses its own.
    Jbod,
}

/// An array in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct ArraySpec {
    /// The layout.
    pub level: RaidLevel,
    /// Each of its drives.
    pub drive: DriveSpec,
    /// Drives, 1 to 256; 2 or more for mirrors, an even number for RAID 10.
    pub drives: u32,
    /// Bytes of one piece of a stripe.
    pub stripe_bytes: u64,
    /// Bytes of the controller's write-back cache, 0 for none.
    pub cache_bytes: u64,
    /// Nanoseconds until a write is acknowledged while that cache has room.
    pub cache_ack_ns: u64,
    /// Nanoseconds that the controller adds to every operation.
    pub controller_ns: u64,
}

/// An array in use.
#[derive(Clone, Debug)]
pub struct Array {
    spec: ArraySpec,
    drives: Vec<Drive>,
    failed: Vec<bool>,
    /// When everything in the controller's cache has reached the drives.
    drained_ns: u64,
    turn: usize,
}

impl Array {
    /// An idle array whose draws come from `seed`.
    ///
    /// # Errors
    /// The first quantity that is out of range, and what is allowed.
    pub fn new(spec: &ArraySpec, seed: u64) -> Result<Array, SpecError> {
        let mirrored = matches!(spec.level, RaidLevel::Raid1 | RaidLevel::Raid10);
        if !(1..=256).contains(&spec.drives) || (mirrored && spec.drives < 2) {
            return refuse(
                "array.drives",
                format!("{} drives make no such array", spec.drives),
                "give 1 to 256, 2 or more for mirrors",
            );
        }
        if spec.level == RaidLevel::Raid10 && spec.drives % 2 == 1 {
            return refuse(
                "array.drives",
                format!("{} drives cannot be paired", spec.drives),
                "give an even number for RAID 10",
            );
        }
        if spec.stripe_bytes < 4096 {
            return refuse(
                "array.stripe",
                format!("a stripe of {} bytes is no stripe", spec.stripe_bytes),
                "give 4 KiB or more",
            );
        }
        spec.drive.validate()?;
        let drives =
            (0..u64::from(spec.drives)).map(|n| Drive::new(&spec.drive, seed.wrapping_add(n))).collect();
        Ok(Array {
            failed: vec![false; spec.drives as usize],
            drives,
            spec: spec.clone(),
            drained_ns: 0,
            turn: 0,
        })
    }

    /// A drive fails. Numbers beyond the array are ignored.
    pub fn fail(&mut self, drive: u32) {
        if let Some(failed) = self.failed.get_mut(drive as usize) {
            *failed = true;
        }
    }

    /// Submits an operation at `now_ns`; `caller` chooses the drive of a JBOD. Returns when it completes, or
    /// `None` when the data is gone.
    pub fn submit(&mut self, now_ns: u64, caller: u32, op: Op) -> Option<u64> {
        let (offset, len, is_write) = match op {
            Op::Read { offset, len } => (offset, len, false),
            Op::Write { offset, len } => (offset, len, true),
            Op::Flush => return Some(if self.spec.cache_bytes > 0 { now_ns } else { self.flush(now_ns) }),
        };
        let mut done_ns = now_ns;
        let stripe = self.spec.stripe_bytes;
        let whole = matches!(self.spec.level, RaidLevel::Raid1 | RaidLevel::Jbod);
        let (mut at, end) = (offset, offset.saturating_add(u64::from(len)));
        while at < end {
            let piece_end = if whole { end } else { (at / stripe + 1).saturating_mul(stripe).min(end) };
            let piece_ns = self.piece(now_ns, caller, at, (piece_end - at) as u32, is_write)?;
            done_ns = done_ns.max(piece_ns);
            at = piece_end;
        }
        let done_ns = if is_write { self.cached(now_ns, done_ns) } else { done_ns };
        Some(done_ns + self.spec.controller_ns)
    }

    /// One piece on the drive or drives that hold it.
    fn piece(&mut self, now_ns: u64, caller: u32, at: u64, len: u32, is_write: bool) -> Option<u64> {
        let (count, number) = (self.drives.len(), (at / self.spec.stripe_bytes) as usize);
        let holders: std::ops::Range<usize> = match self.spec.level {
            RaidLevel::Raid0 => number % count..number % count + 1,
            RaidLevel::Raid1 => 0..count,
            RaidLevel::Raid10 => {
                let pair = number % (count / 2) * 2;
                pair..pair + 2
            }
            RaidLevel::Jbod => caller as usize % count..caller as usize % count + 1,
        };
        let columns = match self.spec.level {
            RaidLevel::Raid0 => count as u64,
            RaidLevel::Raid10 => count as u64 / 2,
            _ => 1,
        };
        // Where the piece lies on its drive: stripes of the same drive follow each other.
        let row = at / self.spec.stripe_bytes / columns;
        let offset = row * self.spec.stripe_bytes + at % self.spec.stripe_bytes;
        let alive = holders.clone().filter(|&drive| !self.failed[drive]).count();
        if alive == 0 {
            return None;
        }
        if !is_write {
            self.turn = self.turn.wrapping_add(1);
            let turn = self.turn % alive;
            let drive = holders.filter(|&drive| !self.failed[drive]).nth(turn)?;
            return Some(self.drives[drive].submit(now_ns, Op::Read { offset, len }));
        }
        let mut done_ns = now_ns;
        for drive in holders {
            if !self.failed[drive] {
                done_ns = done_ns.max(self.drives[drive].submit(now_ns, Op::Write { offset, len }));
            }
        }
        Some(done_ns)
    }

    /// When a write that the drives finish at `done_ns` is acknowledged: by the controller's cache, as long
    /// as that has room.
    fn cached(&mut self, now_ns: u64, done_ns: u64) -> u64 {
        if self.spec.cache_bytes == 0 {
            return done_ns;
        }
        self.drained_ns = self.drained_ns.max(done_ns);
        let rate = self.spec.drive.write_8k_per_s * 8192.0 * f64::from(self.spec.drives);
        let room_ns = (self.spec.cache_bytes as f64 / rate * 1e9) as u64;
        (now_ns + self.spec.cache_ack_ns).max(self.drained_ns.saturating_sub(room_ns))
    }

    fn flush(&mut self, now_ns: u64) -> u64 {
        self.drives.iter_mut().map(|drive| drive.submit(now_ns, Op::Flush)).max().unwrap_or(now_ns)
    }
}
