//! The write that each block should hold. Shared by all workers without a lock: one atomic word per block.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::error::BlockError;
use crate::fault::BlockFault;
use crate::job::{IN_FLIGHT_MAX, Job, Stream};
use crate::scatter::greatest_common_divisor;
use crate::stamp::{SECTOR_BYTES, Stamper};
use crate::target::Span;

/// Faults of running reads that are kept.
const TOLD_MAX: usize = 100_000;
/// Blocks a ledger may have: it takes 8 bytes of memory for each.
pub(crate) const BLOCKS_MAX: u64 = 1 << 27;

const GENERATION_BITS: u32 = 26;
const GENERATION_MAX: u64 = (1 << GENERATION_BITS) - 1;

/// The record of every write of a verified run.
#[derive(Debug)]
pub(crate) struct Ledger {
    block_bytes: u64,
    blocks: Vec<AtomicU64>,
    pub(crate) stamper: Stamper,
    /// Blocks that reads judged while the load ran.
    judged: AtomicU64,
    /// The faults that they found; only a fault takes this lock.
    told: Mutex<Vec<BlockFault>>,
}

/// The possible contents of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// This run never wrote to it.
    Untouched,
    /// One of the generations first..=last: more than one only when writes to the block overlapped in time.
    Generations { first: u64, last: u64 },
    /// A write failed or never returned, or it was discarded: anything may be there.
    Undetermined,
}

/// The word of a block, unpacked.
///
/// Writes to a block that overlap in time form an episode; their order on the target is unknown. An episode
/// begins with a write that finds none under way, so the last episode's writes are exactly the ones the block
/// may hold at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Entry {
    /// Generation of the newest write, 0 for none.
    newest: u64,
    /// First generation of the present or last episode.
    first: u64,
    in_flight: u64,
    /// A write of the episode failed.
    doubt: bool,
}

impl Entry {
    fn unpack(word: u64) -> Entry {
        Entry {
            newest: word & GENERATION_MAX,
            first: (word >> GENERATION_BITS) & GENERATION_MAX,
            in_flight: (word >> (2 * GENERATION_BITS)) & u64::from(IN_FLIGHT_MAX),
            doubt: word >> 63 == 1,
        }
    }

    fn pack(self) -> u64 {
        self.newest
            | self.first << GENERATION_BITS
            | self.in_flight << (2 * GENERATION_BITS)
            | u64::from(self.doubt) << 63
    }

    fn begin(mut self) -> Entry {
        let exhausted = self.newest == GENERATION_MAX;
        self.newest = (self.newest + 1).min(GENERATION_MAX);
        if self.in_flight == 0 {
            self.first = self.newest;
            self.doubt = false;
        }
        self.doubt |= exhausted;
        self.in_flight += 1;
        self
    }

    fn end(mut self, written: bool) -> Entry {
        self.in_flight -= 1;
        self.doubt |= !written;
        self
    }
}

/// The largest unit that no write or discard of these streams of a job cuts in two, nor any that `before` (0
/// for none) is the unit of.
pub(crate) fn block_bytes<'s>(
    before: u64,
    job: &Job,
    streams: impl Iterator<Item = (&'s Stream, &'s Span)>,
) -> u64 {
    let mut unit = before;
    for (stream, span) in streams.filter(|(stream, _)| stream.writes()) {
        let align = stream.alignment_bytes(job.align_bytes);
        unit = greatest_common_divisor(unit, u64::from(align));
        unit = greatest_common_divisor(unit, span.start);
        for &(size, _) in stream.sizes_of_writes().parts() {
            unit = greatest_common_divisor(unit, u64::from(size));
        }
    }
    if unit == 0 { 0 } else { unit.max(SECTOR_BYTES as u64) }
}

impl Ledger {
    /// A ledger for the blocks of a target of `size_bytes`.
    pub(crate) fn new(block_bytes: u64, size_bytes: u64, run: u64) -> Result<Ledger, BlockError> {
        let count = size_bytes.div_ceil(block_bytes);
        if count > BLOCKS_MAX {
            return Err(BlockError::job(
                format!(
                    "verifying {count} blocks of {block_bytes} bytes would take {} MiB of memory",
                    count >> 17
                ),
                format!("use a smaller file or larger blocks, at most {BLOCKS_MAX} of them"),
            ));
        }
        let blocks = (0..count).map(|_| AtomicU64::new(0)).collect();
        let (judged, told) = (AtomicU64::new(0), Mutex::new(Vec::new()));
        Ok(Ledger { block_bytes, blocks, stamper: Stamper::new(run), judged, told })
    }

    /// The word of a block as it is now: the same word twice means that nothing was written meanwhile.
    pub(crate) fn word(&self, block: usize) -> u64 {
        self.blocks.get(block).map_or(0, |word| word.load(Relaxed))
    }

    /// Counts blocks that a read judged.
    pub(crate) fn count_judged(&self, blocks: u64) {
        self.judged.fetch_add(blocks, Relaxed);
    }

    /// Blocks that reads judged while the load ran.
    pub(crate) fn judged(&self) -> u64 {
        self.judged.load(Relaxed)
    }

    /// Takes a fault that a read found.
    pub(crate) fn tell(&self, fault: BlockFault) {
        if let Ok(mut told) = self.told.lock()
            && told.len() < TOLD_MAX
        {
            told.push(fault);
        }
    }

    /// The faults that reads found.
    pub(crate) fn told(&self) -> Vec<BlockFault> {
        self.told.lock().map(|told| told.clone()).unwrap_or_default()
    }

    /// Bytes per block.
    pub(crate) fn block_bytes(&self) -> u64 {
        self.block_bytes
    }

    /// Number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Notes a write that is about to start and stamps its bytes.
    pub(crate) fn begin(&self, offset: u64, bytes: &mut [u8]) {
        for (index, block) in bytes.chunks_mut(self.block_bytes as usize).enumerate() {
            let start = offset + index as u64 * self.block_bytes;
            let generation = self.update(start, Entry::begin).newest;
            for (index, sector) in block.chunks_exact_mut(SECTOR_BYTES).enumerate() {
                self.stamper.write(sector, start + (index * SECTOR_BYTES) as u64, generation);
            }
        }
    }

    /// Notes a discard that is about to start.
    pub(crate) fn begin_discard(&self, offset: u64, length: u32) {
        for start in (offset..offset + u64::from(length)).step_by(self.block_bytes as usize) {
            self.update(start, Entry::begin);
        }
    }

    /// Notes that a discard is complete: until the next write the target decides the contents of its blocks.
    pub(crate) fn end_discard(&self, offset: u64, length: u32) {
        self.end(offset, length, false, |_, _| ());
    }

    /// Notes that a write is over. Tells for each block the oldest write that it may hold now; 0 when
    /// anything may be there.
    pub(crate) fn end(&self, offset: u64, length: u32, written: bool, mut tell: impl FnMut(u32, u32)) {
        for start in (offset..offset + u64::from(length)).step_by(self.block_bytes as usize) {
            let entry = self.update(start, |entry| entry.end(written));
            let oldest = if entry.doubt { 0 } else { entry.first };
            tell((start / self.block_bytes) as u32, oldest as u32);
        }
    }

    /// The expected contents of the block with this number after the last write.
    pub(crate) fn expected(&self, block: usize) -> Expected {
        let entry = Entry::unpack(self.blocks[block].load(Relaxed));
        match entry {
            Entry { newest: 0, .. } => Expected::Untouched,
            Entry { in_flight, doubt, .. } if in_flight > 0 || doubt => Expected::Undetermined,
            Entry { first, newest, .. } => Expected::Generations { first, last: newest },
        }
    }

    fn update(&self, offset: u64, change: impl Fn(Entry) -> Entry) -> Entry {
        let word = &self.blocks[(offset / self.block_bytes) as usize];
        let mut before = word.load(Relaxed);
        loop {
            let after = change(Entry::unpack(before));
            match word.compare_exchange_weak(before, after.pack(), Relaxed, Relaxed) {
                Ok(_) => return after,
                Err(now) => before = now,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{EngineKind, Pattern, Shape, SizeMix, Stream, Target};
    use proptest::prelude::*;

    fn ledger(sizes: SizeMix, size_bytes: u64) -> Result<Ledger, BlockError> {
        let stream = Stream::new("s", Pattern::Uniform, 0.0, sizes);
        let target = Target::AddressSpace { size_bytes };
        let job = Job::new(stream, Shape::ClosedLoop { depth: 1 }, EngineKind::Null, target);
        let span = Span { start: 0, length: size_bytes };
        Ledger::new(block_bytes(0, &job, job.streams.iter().zip([&span])), size_bytes, 1)
    }

    #[test]
    fn blocks_are_the_largest_unit_no_write_cuts() {
        let mix = SizeMix::mix([(8192, 1.0), (12288, 1.0)]);
        assert_eq!(ledger(mix, 1 << 20).unwrap().block_bytes(), 4096);
        assert_eq!(ledger(SizeMix::fixed(65536), 1 << 20).unwrap().blocks(), 16);
        assert!(matches!(ledger(SizeMix::fixed(512), 1 << 40).unwrap_err(), BlockError::BadJob { .. }));
    }

    #[test]
    fn writes_one_after_the_other_leave_the_last_one() {
        let ledger = ledger(SizeMix::fixed(4096), 1 << 20).unwrap();
        assert_eq!(ledger.expected(0), Expected::Untouched);
        for generation in 1..=3 {
            ledger.begin(0, &mut [0; 4096]);
            assert_eq!(ledger.expected(0), Expected::Undetermined);
            ledger.end(0, 4096, true, |_, _| ());
            assert_eq!(ledger.expected(0), Expected::Generations { first: generation, last: generation });
        }
        assert_eq!(ledger.expected(1), Expected::Untouched);
    }

    #[test]
    fn overlapping_writes_may_leave_either_and_failed_ones_anything() {
        let ledger = ledger(SizeMix::fixed(4096), 1 << 20).unwrap();
        ledger.begin(0, &mut [0; 4096]);
        ledger.begin(0, &mut [0; 4096]);
        ledger.end(0, 4096, true, |_, _| ());
        ledger.end(0, 4096, true, |_, _| ());
        assert_eq!(ledger.expected(0), Expected::Generations { first: 1, last: 2 });
        ledger.begin(0, &mut [0; 4096]);
        ledger.end(0, 4096, false, |_, _| ());
        assert_eq!(ledger.expected(0), Expected::Undetermined);
        ledger.begin(0, &mut [0; 4096]);
        ledger.end(0, 4096, true, |_, _| ());
        assert_eq!(ledger.expected(0), Expected::Generations { first: 4, last: 4 });
    }

    #[test]
    fn what_is_discarded_is_not_judged_until_it_is_written_again() {
        let ledger = ledger(SizeMix::fixed(4096), 1 << 20).unwrap();
        ledger.begin(0, &mut [0; 4096]);
        ledger.end(0, 4096, true, |_, _| ());
        ledger.begin_discard(0, 8192);
        ledger.end_discard(0, 8192);
        assert_eq!(
            (ledger.expected(0), ledger.expected(1)),
            (Expected::Undetermined, Expected::Undetermined)
        );
        ledger.begin(0, &mut [0; 4096]);
        ledger.end(0, 4096, true, |_, _| ());
        assert_eq!(ledger.expected(0), Expected::Generations { first: 3, last: 3 });
    }

    #[test]
    fn exhausted_generations_end_in_doubt_not_in_a_wrong_answer() {
        let entry = Entry { newest: GENERATION_MAX, first: GENERATION_MAX, in_flight: 0, doubt: false };
        let entry = entry.begin().end(true);
        assert!(entry.doubt && entry.newest == GENERATION_MAX);
    }

    proptest! {
        #[test]
        fn packing_loses_nothing(
            newest in 0..=GENERATION_MAX,
            first in 0..=GENERATION_MAX,
            in_flight in 0..=u64::from(IN_FLIGHT_MAX),
            doubt: bool,
        ) {
            let entry = Entry { newest, first, in_flight, doubt };
            prop_assert_eq!(Entry::unpack(entry.pack()), entry);
        }
    }
}
