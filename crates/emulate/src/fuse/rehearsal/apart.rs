//! One caller that the mount serves from another processor, as it serves threads that keep several operations
//! under way.
//!
//! Such a thread seldom waits: the ring of its processor leaves to another one and does not stop it (see
//! [`seat`](crate::fuse::rings)). Both sides then wake each other's processor, an interrupt each way, which
//! takes several microseconds more on a virtual machine.

use std::io;
use std::path::Path;

use device::DriveSpec;
use rustix::thread::CpuSet;

use super::{KINDS, alone, ask};
use crate::fuse::charge::Charging;
use crate::fuse::probe::Probe;
use crate::fuse::rings::APART_AFTER;
use crate::fuse::ways::{CALLERS, SIZES, Sizes};
use crate::recorder::IoKind;

/// Rounds and operations: pages of a database, and larger ones.
const ROUNDS: (u64, u64) = (4, 40);
const ROUNDS_OF_LARGE: (u64, u64) = (2, 8);

/// The times of such a caller, by kind and size, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Apart {
    /// The way to the mount and back.
    pub(super) ways_ns: Sizes,
    /// The part of that which is the usual lateness of the mount.
    pub(super) late_ns: Sizes,
}

/// Measures on this file, and leaves the ring at its own processor; `None` where the caller has no processor
/// of its own or the ring no other one.
///
/// # Errors
/// Those of the operations, and no thread can be started.
pub(super) fn measure(path: &Path, charging: &Charging, spec: &DriveSpec) -> io::Result<Option<Apart>> {
    let measured = || -> io::Result<Option<Apart>> {
        if !sits_on_one_of_several() {
            return Ok(None);
        }
        let probe = Probe::open(path)?;
        charging.pause([0; 3], true);
        settle(&probe)?;
        let apart = of_all(&probe, charging, spec)?;
        charging.pause([0; 3], false);
        settle(&probe)?;
        Ok(Some(apart))
    };
    // A thread of its own, whose processor nobody else has.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, measured)?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread of the rehearsal ended by itself")))
    })
}

/// Keeps the calling thread on one of its processors, so that it meets one ring alone.
fn sits_on_one_of_several() -> bool {
    let Ok(ours) = rustix::thread::sched_getaffinity(None) else { return false };
    let Some(first) = (0..CpuSet::MAX_CPU).find(|processor| ours.is_set(*processor)) else { return false };
    let mut one = CpuSet::new();
    one.set(first);
    ours.count() > 1 && rustix::thread::sched_setaffinity(None, &one).is_ok()
}

/// Does operations until the ring has taken the place that they ask for.
fn settle(probe: &Probe) -> io::Result<()> {
    (0..APART_AFTER).try_for_each(|turn| probe.go(IoKind::Read, SIZES[0], turn).map(drop))
}

/// Measures each kind and size.
fn of_all(probe: &Probe, charging: &Charging, spec: &DriveSpec) -> io::Result<Apart> {
    let mut apart = Apart::default();
    for (place, (kind, _)) in KINDS.into_iter().enumerate() {
        let sizes = if kind == IoKind::Sync { &SIZES[..1] } else { &SIZES[..] };
        for (size, size_bytes) in sizes.iter().enumerate() {
            let what = (kind, *size_bytes);
            let asked_ns = ask(charging, spec, what, CALLERS[0], true);
            let (rounds, operations) = if size == 0 { ROUNDS } else { ROUNDS_OF_LARGE };
            let seen = alone::measure((probe, charging), what, rounds, operations)?;
            let way_ns = seen.quiet_ns.saturating_sub(asked_ns);
            apart.ways_ns[place][size] = way_ns;
            apart.late_ns[place][size] = way_ns.saturating_sub(seen.path_ns);
        }
    }
    Ok(apart)
}
