//! A caller of our own on the mount, for as long as it is there: what the way through the kernel really takes
//! while the load runs.
//!
//! The layer sees a request when it comes and when it is answered. It knows the time before and after, which
//! is taken off every modelled time, from a rehearsal only. So a few times a second, while programs use the
//! mount, the witness does what they do, of the same kind and size and in the same queues, on a file of its
//! own, which no folder lists. Nothing is charged for that. What it sees beyond the time that the layer took
//! is the way at this load. Its own waits for a processor are left out: they are no property of the mount,
//! and the waits of the load's own threads are known from the kernel ([`callers`](super::callers)).

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use ground::Clock;

use super::callers::Looks;
use super::charge::Charging;
use super::node::WITNESS_NAME;
use super::probe::Probe;
use super::ways::SIZES;
use crate::recorder::IoKind;
use crate::way::WAYS;

/// Time between two looks: a prime number of milliseconds, so that it is no multiple of anything that a load
/// does.
const INTERVAL: Duration = Duration::from_millis(23);
/// Operations of a look: the first only wakes what has fallen asleep since the last look.
const OPERATIONS: u64 = 3;
/// Of so many looks one is at the threads of the load as well.
const CALLERS_EACH: u64 = 3;

/// The thread of the witness. It ends, and its file is closed, when this is dropped: before the mount is
/// taken down, which it would keep in use.
pub(super) struct Witness {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Witness {
    /// Begins to watch the mount at `dir`.
    ///
    /// # Errors
    /// No thread can be started.
    pub(super) fn start(dir: &Path, charging: &Arc<Charging>) -> io::Result<Witness> {
        let (end, ended) = channel::<()>();
        let (path, charging) = (dir.join(WITNESS_NAME), charging.clone());
        let watch = move || {
            // Open only while the mount is used, so that nothing keeps an idle one from being unmounted.
            let mut probe = None;
            let (mut turn, mut looks) = (Turn::default(), Looks::default());
            while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if turn.round.is_multiple_of(CALLERS_EACH) {
                    let (now_ns, usual_ns) = (Clock::Wall.now_ns(), charging.usual_wait_ns());
                    charging.recorder.called(&looks.look(&charging.callers, now_ns, usual_ns));
                }
                let Some(what) = turn.next(charging.recorder.passed()) else {
                    probe = None;
                    continue;
                };
                if probe.is_none() {
                    probe = Probe::open(&path).ok();
                }
                probe.iter().for_each(|probe| look(probe, what, turn.round, &charging));
            }
        };
        let thread = std::thread::Builder::new().name("witness".to_owned()).spawn(watch)?;
        Ok(Witness { end: Some(end), thread: Some(thread) })
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // It has nothing to tell.
        }
    }
}

/// The order of the load's operations for the witness: all in turn that took place since the last look.
#[derive(Default)]
struct Turn {
    round: u64,
    last: usize,
    seen: [u64; WAYS],
}

impl Turn {
    /// The kind and size of the next look, from what has passed so far; `None` while nobody uses the mount.
    fn next(&mut self, passed: [u64; WAYS]) -> Option<usize> {
        self.round += 1;
        let seen = std::mem::replace(&mut self.seen, passed);
        let mut after = (1..=WAYS).map(|step| (self.last + step) % WAYS);
        let next = after.find(|what| passed[*what] > seen[*what])?;
        self.last = next;
        Some(next)
    }
}

/// Operations of one kind and size. What fails tells nothing: the power is off, or the mount has ended.
fn look(probe: &Probe, what: usize, round: u64, charging: &Charging) {
    let (kind, size_bytes) = kind_and_size(what);
    for operation in 0..OPERATIONS {
        let before_ns = charging.took_for_own_ns();
        let Ok(took) = probe.go(kind, size_bytes, round * OPERATIONS + operation) else { return };
        let layer_ns = charging.took_for_own_ns().saturating_sub(before_ns);
        let waited_ns = took.waited_ns.saturating_sub(charging.usual_wait_ns());
        if operation > 0 {
            let way_ns = took.seen_ns.saturating_sub(layer_ns).saturating_sub(waited_ns);
            charging.recorder.probed(what, way_ns);
        }
    }
}

/// Kind and size at a place of [`Counters::ways`](crate::Counters::ways).
fn kind_and_size(what: usize) -> (IoKind, u64) {
    match (what / SIZES.len(), SIZES[what % SIZES.len()]) {
        (0, size_bytes) => (IoKind::Read, size_bytes),
        (1, size_bytes) => (IoKind::Write, size_bytes),
        (_, size_bytes) => (IoKind::Sync, size_bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::way::way_place;

    #[test]
    fn all_that_took_place_is_looked_at_in_turn() {
        let mut turn = Turn::default();
        let mut passed = [0; WAYS];
        assert_eq!(turn.next(passed), None);
        let mut all = Vec::new();
        for _ in 0..4 {
            passed[way_place(IoKind::Write, 16 << 10)] += 9;
            passed[way_place(IoKind::Read, 4096)] += 5;
            passed[way_place(IoKind::Sync, 0)] += 1;
            all.extend(turn.next(passed).map(kind_and_size));
        }
        let (write, sync, read) = ((IoKind::Write, 16 << 10), (IoKind::Sync, 4096), (IoKind::Read, 4096));
        assert_eq!(all, [write, sync, read, write]);
        assert_eq!(turn.next(passed), None);
    }
}
