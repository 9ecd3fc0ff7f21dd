//! When a worker has to make its writes durable.

use std::collections::VecDeque;

use crate::generate::Io;
use crate::job::{Flush, Stream};

/// Counts completed writes stream by stream and says which stream is due for a flush.
#[derive(Debug, Default)]
pub(crate) struct Flushes {
    /// Of each stream; empty when no stream flushes.
    streams: Vec<Option<Counting>>,
    /// Streams that are due, the first first. Never longer than there are streams.
    due: VecDeque<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Counting {
    flush: Flush,
    written: u32,
    is_due: bool,
}

impl Flushes {
    pub(crate) fn new(streams: &[Stream]) -> Flushes {
        if streams.iter().all(|stream| stream.flush.is_none()) {
            return Flushes::default();
        }
        let counting = |flush| Counting { flush, written: 0, is_due: false };
        Flushes {
            streams: streams.iter().map(|stream| stream.flush.map(counting)).collect(),
            due: VecDeque::with_capacity(streams.len()),
        }
    }

    /// Counts a write that is over.
    #[inline]
    pub(crate) fn written(&mut self, io: &Io) {
        if let Some(Some(counting)) = self.streams.get_mut(usize::from(io.stream)) {
            counting.written += 1;
            if counting.written >= counting.flush.every && !counting.is_due {
                counting.is_due = true;
                self.due.push_back(io.stream);
            }
        }
    }

    /// The next stream that is due, and whether its data alone counts; it is due no longer.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<(u8, bool)> {
        if self.due.is_empty() {
            return None;
        }
        let stream = self.due.pop_front()?;
        let counting = self.streams.get_mut(usize::from(stream))?.as_mut()?;
        (counting.written, counting.is_due) = (0, false);
        Some((stream, counting.flush.data_only))
    }

    /// True if any stream is due.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        !self.due.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Op;
    use crate::job::{Pattern, SizeMix};

    #[test]
    fn a_flush_is_due_after_so_many_writes_of_its_stream() {
        let plain = Stream::new("s", Pattern::Uniform, 0.0, SizeMix::fixed(4096));
        let flush = Some(Flush { every: 3, data_only: true });
        let mut flushes = Flushes::new(&[plain.clone(), Stream { flush, ..plain }]);
        let write = |stream| Io { stream, op: Op::Write, ..Io::default() };
        (0..10).for_each(|_| flushes.written(&write(0)));
        assert!(!flushes.is_due());
        (0..4).for_each(|_| flushes.written(&write(1)));
        assert!(flushes.is_due());
        assert_eq!((flushes.take(), flushes.take()), (Some((1, true)), None));
        (0..2).for_each(|_| flushes.written(&write(1)));
        assert!(!flushes.is_due());
    }
}
