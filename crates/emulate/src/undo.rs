//! The data that a power cut could take back: the contents that unsynced writes replaced.
//!
//! Sectors of 4 KiB are lost or kept each on its own, as in a drive's volatile cache, so that a write of
//! several sectors can be torn. Synced data is never lost. Pure: the caller reads the old contents and writes
//! the chosen ones.

use std::collections::{BTreeMap, VecDeque};

/// Bytes that are written all or not at all.
pub(crate) const SECTOR: u64 = 4096;
/// Memory for old contents of one file. Beyond it the oldest unsynced sectors become durable by themselves,
/// as they do in a drive whose cache is full.
pub(crate) const MOST_BYTES: usize = 64 << 20;
/// The size of an entry besides its contents.
const ENTRY_BYTES: usize = 96;

/// The undo information of one file.
#[derive(Debug, Default)]
pub(crate) struct Undo {
    /// The sync that will cover a write that comes now. Grows at the start of every sync: a write during a
    /// sync is not covered by it.
    generation: u64,
    newest_saved: u64,
    sectors: BTreeMap<u64, Vec<Saved>>,
    order: VecDeque<u64>,
    bytes: usize,
    durable_size: u64,
    durable_generation: u64,
    created: bool,
    forced: u64,
}

#[derive(Debug)]
struct Saved {
    generation: u64,
    contents: Box<[u8]>,
}

/// The state of a file after a power cut.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    /// It was never there.
    Absent,
    /// Its size, and the sectors that fall back to older contents (shorter ones are filled up with zeros).
    File { size: u64, sectors: Vec<(u64, Vec<u8>)> },
}

/// A sync under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sync {
    generation: u64,
    size: u64,
}

impl Undo {
    /// For a file of that size, durable as it is unless it was just created.
    pub(crate) fn new(size: u64, created: bool) -> Undo {
        Undo { generation: 1, durable_size: size, created, ..Undo::default() }
    }

    /// True if the sector's contents must be saved before the next change.
    pub(crate) fn wants(&self, sector: u64) -> bool {
        self.sectors
            .get(&sector)
            .and_then(|saved| saved.last())
            .is_none_or(|last| last.generation < self.generation)
    }

    /// Keeps a sector's contents before it is changed; empty for a sector beyond the end of the file.
    pub(crate) fn save(&mut self, sector: u64, contents: &[u8]) {
        self.bytes += ENTRY_BYTES + contents.len();
        self.newest_saved = self.generation;
        let saved = Saved { generation: self.generation, contents: contents.into() };
        self.sectors.entry(sector).or_default().push(saved);
        self.order.push_back(sector);
    }

    /// Forgets the oldest entries beyond the memory bound: these sectors are durable as they are.
    pub(crate) fn bound(&mut self, size: u64) {
        while self.bytes > MOST_BYTES
            && let Some(sector) = self.order.pop_front()
        {
            let Some(saved) = self.sectors.remove(&sector) else { continue };
            self.bytes -= saved.iter().map(cost).sum::<usize>();
            self.forced += 1;
            if (sector + 1) * SECTOR > size && self.durable_size > size {
                // Its old contents were cut off by a truncation, which can now not be taken back either.
                self.durable_size = size;
            }
        }
    }

    /// A sync starts with the file at that size.
    pub(crate) fn begin_sync(&mut self, size: u64) -> Sync {
        let sync = Sync { generation: self.generation, size };
        self.generation += 1;
        sync
    }

    /// The sync is complete: everything written before it began is durable.
    pub(crate) fn end_sync(&mut self, sync: Sync) {
        self.created = false;
        if sync.generation >= self.durable_generation {
            self.durable_generation = sync.generation;
            self.durable_size = sync.size;
        }
        if self.newest_saved <= sync.generation {
            self.sectors.clear();
            self.order.clear();
            self.bytes = 0;
            return;
        }
        let mut freed = 0;
        self.sectors.retain(|_, saved| {
            saved.retain(|version| {
                let covered = version.generation <= sync.generation;
                freed += if covered { cost(version) } else { 0 };
                !covered
            });
            !saved.is_empty()
        });
        self.bytes -= freed;
        self.order.retain(|sector| self.sectors.contains_key(sector));
    }

    /// True if a power cut could change nothing.
    pub(crate) fn is_durable(&self, size: u64) -> bool {
        self.sectors.is_empty() && !self.created && self.durable_size == size
    }

    /// True if a power cut could remove the file itself.
    pub(crate) fn is_created(&self) -> bool {
        self.created
    }

    /// Memory in use, bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes as u64
    }

    /// Sectors given up to the memory bound.
    pub(crate) fn forced(&self) -> u64 {
        self.forced
    }

    /// Tosses for everything that is not durable. `random` gives uniform numbers; `size` is the size now.
    pub(crate) fn settle(&self, size: u64, random: &mut impl FnMut() -> u64) -> Settled {
        if self.created && is_lost(random()) {
            return Settled::Absent;
        }
        let settled_size = if is_lost(random()) { self.durable_size } else { size };
        let mut sectors = Vec::new();
        for (&sector, saved) in &self.sectors {
            // A sector that the present file does not wholly have cannot be kept at a size that includes it.
            let cut_off = settled_size > size && (sector + 1) * SECTOR > size;
            let choices = saved.len() as u64 + u64::from(!cut_off);
            let choice = random() % choices;
            if let Some(version) = saved.get(choice as usize)
                && sector * SECTOR < settled_size
            {
                sectors.push((sector, version.contents.to_vec()));
            }
        }
        Settled::File { size: settled_size, sectors }
    }
}

/// An even toss.
fn is_lost(random: u64) -> bool {
    random & 1 == 0
}

fn cost(saved: &Saved) -> usize {
    ENTRY_BYTES + saved.contents.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Always the same toss.
    fn always(toss: u64) -> impl FnMut() -> u64 {
        move || toss
    }

    #[test]
    fn a_write_is_saved_once_for_each_sync() {
        let mut undo = Undo::new(8192, false);
        assert!(undo.wants(1));
        undo.save(1, &[1; 4096]);
        assert!(!undo.wants(1) && undo.wants(0));
        let sync = undo.begin_sync(8192);
        assert!(undo.wants(1), "the sync under way may not cover the next write");
        undo.save(1, &[2; 4096]);
        undo.end_sync(sync);
        assert!(!undo.is_durable(8192));
        let fallen_back = Settled::File { size: 8192, sectors: vec![(1, vec![2; 4096])] };
        assert_eq!(undo.settle(8192, &mut always(2)), fallen_back);
        let sync = undo.begin_sync(8192);
        undo.end_sync(sync);
        assert!(undo.is_durable(8192));
        assert_eq!(undo.bytes(), 0);
    }

    #[test]
    fn a_new_file_and_a_new_size_are_durable_after_a_sync_only() {
        let mut undo = Undo::new(0, true);
        undo.save(0, &[]);
        assert_eq!(undo.settle(4096, &mut always(0)), Settled::Absent);
        let mut tosses = [1, 0, 0].into_iter();
        let cut = undo.settle(4096, &mut || tosses.next().unwrap());
        assert_eq!(cut, Settled::File { size: 0, sectors: vec![] });
        let sync = undo.begin_sync(4096);
        undo.end_sync(sync);
        for toss in 0..4 {
            assert_eq!(undo.settle(4096, &mut always(toss)), Settled::File { size: 4096, sectors: vec![] });
        }
    }

    #[test]
    fn a_truncation_taken_back_brings_the_old_contents() {
        let mut undo = Undo::new(8192, false);
        undo.save(0, &[5; 4096]);
        undo.save(1, &[6; 4096]);
        // Size 100 now: both sectors were cut, wholly or in part.
        let both = vec![(0, vec![5; 4096]), (1, vec![6; 4096])];
        assert_eq!(undo.settle(100, &mut always(0)), Settled::File { size: 8192, sectors: both });
        assert_eq!(undo.settle(100, &mut always(1)), Settled::File { size: 100, sectors: vec![] });
    }

    #[test]
    fn memory_is_bounded_by_giving_up_the_oldest() {
        let sectors = (MOST_BYTES / 4096) as u64;
        let mut undo = Undo::new(2 * sectors * 4096, false);
        for sector in 0..2 * sectors {
            undo.save(sector, &[1; 4096]);
            undo.bound(2 * sectors * 4096);
        }
        assert!(undo.bytes() <= MOST_BYTES as u64);
        assert!(undo.forced() >= sectors);
        assert!(undo.wants(0), "the oldest is durable now");
        assert!(!undo.wants(2 * sectors - 1));
    }
}
