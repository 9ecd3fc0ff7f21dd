//! Writing a run's own trace: as fio's iolog of version 3, by a thread of its own, so that the load neither
//! waits nor allocates.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::{TraceIo, TraceOp};

/// I/Os between the load and the disk; when all are in use, further ones are left out and counted.
const WAITING_MAX: usize = 1 << 16;

/// The load's end: takes every I/O as it starts.
#[derive(Clone, Debug)]
pub struct TraceRecorder {
    sender: SyncSender<(u16, TraceIo)>,
    left_out: Arc<AtomicU64>,
    /// Number of the first target of the load.
    first: u16,
}

/// The disk's end.
#[derive(Debug)]
pub struct TraceWriter {
    receiver: Receiver<(u16, TraceIo)>,
    left_out: Arc<AtomicU64>,
}

/// Both ends of a recording.
pub fn recording() -> (TraceRecorder, TraceWriter) {
    let (sender, receiver) = sync_channel(WAITING_MAX);
    let left_out = Arc::new(AtomicU64::new(0));
    let recorder = TraceRecorder { sender, left_out: Arc::clone(&left_out), first: 0 };
    (recorder, TraceWriter { receiver, left_out })
}

impl TraceRecorder {
    /// A recorder of a load whose first target has this number among the trace's.
    pub fn from_target(&self, first: u16) -> TraceRecorder {
        TraceRecorder { first, ..self.clone() }
    }

    /// Takes one I/O on a target of the load; never waits.
    #[inline]
    pub(crate) fn note(&self, target: u16, io: TraceIo) {
        if self.sender.try_send((self.first + target, io)).is_err() {
            self.left_out.fetch_add(1, Relaxed);
        }
    }
}

impl TraceWriter {
    /// Writes until every recorder is gone: I/Os written, and I/Os left out because the disk was too slow.
    /// `names` are those of the targets.
    ///
    /// # Errors
    /// When `out` fails; what came later is left out.
    pub fn write(self, names: &[String], out: &mut dyn Write) -> io::Result<(u64, u64)> {
        writeln!(out, "fio version 3 iolog")?;
        for word in ["add", "open"] {
            names.iter().try_for_each(|name| writeln!(out, "0 {name} {word}"))?;
        }
        let (mut first_ns, mut last_us, mut written) = (None, 0, 0);
        for (target, io) in &self.receiver {
            let name = names.get(usize::from(target)).map_or("target", String::as_str);
            let after_us = io.at_ns.saturating_sub(*first_ns.get_or_insert(io.at_ns)) / 1000;
            // Several workers hand in their I/Os nearly in order; a trace's times do not run backwards.
            last_us = after_us.max(last_us);
            match io.op {
                TraceOp::Flush => writeln!(out, "{last_us} {name} datasync 0 0")?,
                op => {
                    let word = match op {
                        TraceOp::Read => "read",
                        TraceOp::Trim => "trim",
                        TraceOp::Write | TraceOp::Flush => "write",
                    };
                    writeln!(out, "{last_us} {name} {word} {} {}", io.offset_bytes, io.length_bytes)?;
                }
            }
            written += 1;
        }
        names.iter().try_for_each(|name| writeln!(out, "{last_us} {name} close"))?;
        out.flush()?;
        Ok((written, self.left_out.load(Relaxed)))
    }
}
