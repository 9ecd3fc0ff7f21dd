//! The detection of sequential streams, so that a log or a scan is recognised among random traffic.

/// Places for ends of recent operations. With 1024 of them a stream is still known after hundreds of others.
const PLACES: usize = 1024;
/// Operations in a row that make a stream. In a small file a random operation often starts where another
/// ended; several in a row do so by chance hardly ever.
const RUN_MIN: u8 = 3;

/// Ends of recent operations and how many in a row led there, each at the place that its offset hashes to.
#[derive(Clone, Debug)]
pub(crate) struct Streams {
    ends: Box<[(u64, u8); PLACES]>,
}

impl Streams {
    pub(crate) fn new() -> Streams {
        // No operation starts at the last byte of the address space, so this end matches nothing.
        Streams { ends: Box::new([(u64::MAX, 0); PLACES]) }
    }

    /// True if the operation continues a stream; its end is remembered.
    #[inline]
    pub(crate) fn continues(&mut self, offset: u64, len: u32) -> bool {
        let (end, run) = self.ends[place(offset)];
        let run = if end == offset { run.saturating_add(1) } else { 0 };
        let end = offset.saturating_add(u64::from(len));
        self.ends[place(end)] = (end, run);
        run >= RUN_MIN
    }
}

#[inline]
fn place(offset: u64) -> usize {
    (ground::spread(offset) >> 54) as usize
}

#[cfg(test)]
mod tests {
    use ground::Random;

    use super::*;

    #[test]
    fn a_stream_is_known_among_random_operations() {
        let mut streams = Streams::new();
        let (mut offset, mut random, mut known) = (1 << 50, Random::new(1), 0);
        for _ in 0..1000 {
            known += u32::from(streams.continues(offset, 4096));
            offset += 4096;
            for _ in 0..10 {
                streams.continues(random.below(1 << 40) & !4095, 4096);
            }
        }
        assert!(known > 930, "known {known} of 1000");
    }

    #[test]
    fn random_operations_in_a_small_file_are_no_stream() {
        let mut streams = Streams::new();
        let (pages, mut random) = (16_384, Random::new(7));
        let known = (0..100_000).filter(|_| streams.continues(random.below(pages) * 4096, 4096)).count();
        assert!(known < 50, "known {known} of 100000");
    }
}
