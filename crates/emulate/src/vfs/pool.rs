//! The buffer pool: a page cache of real bytes, shared by every connection of a mount.
//!
//! Blocks of 4 KiB are spread over shards by hash; each shard has its own lock, CLOCK hand and share of the
//! memory, so a hit takes one shard's lock for the copy and nothing else. The cache writes through: a block
//! never holds anything that its file does not hold, so dropping one is always safe. A missing block is
//! loaded by one thread; others that want it wait for that load instead of reading it again.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use parking_lot::{Condvar, Mutex};

/// Bytes of a block: the sector of the drives and the usual page of SQLite.
pub(crate) const BLOCK: usize = 4096;
/// Shards have at least this many blocks (4 MiB), so that the hash gives each about its share and the whole
/// behaves like one cache.
const LEAST_BLOCKS_PER_SHARD: usize = 1024;
const MOST_SHARDS: usize = 64;

/// A block of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// Number of the file, never used twice in a mount.
    pub(crate) file: u32,
    /// Block in the file.
    pub(crate) block: u64,
}

pub(crate) struct Pool {
    shards: Box<[Shard]>,
}

#[derive(Default)]
struct Shard {
    state: Mutex<State>,
    loaded: Condvar,
}

#[derive(Default)]
struct State {
    capacity: usize,
    places: HashMap<Key, usize, BuildHasherDefault<KeyHasher>>,
    slots: Vec<Slot>,
    hand: usize,
    /// Blocks being read from the drive; true when something was written meanwhile, so that the read data is
    /// stale.
    loading: HashMap<Key, bool, BuildHasherDefault<KeyHasher>>,
}

struct Slot {
    key: Option<Key>,
    bytes: Box<[u8]>,
    /// The start of the known bytes: a block that was appended to is known from its start on only.
    from: usize,
    to: usize,
    referenced: bool,
}

/// The result of a look-up that does not wait.
pub(crate) enum Lookup<'pool> {
    /// The bytes are copied.
    Hit,
    /// The caller loads the block: it reads it and calls [`Load::finish`].
    Miss(Load<'pool>),
    /// Somebody else is loading it.
    Busy,
}

/// The duty to load one block. Dropping it unfinished lets the next one try.
pub(crate) struct Load<'pool> {
    pool: &'pool Pool,
    key: Key,
}

impl Pool {
    /// A pool of this much memory, rounded down to whole blocks; 0 caches nothing. The memory is allocated as
    /// it fills.
    pub(crate) fn new(memory_bytes: u64) -> Pool {
        let blocks = usize::try_from(memory_bytes / BLOCK as u64).unwrap_or(usize::MAX / BLOCK);
        let shards = (blocks / LEAST_BLOCKS_PER_SHARD).clamp(1, MOST_SHARDS);
        let shard = |index: usize| {
            let capacity = blocks / shards + usize::from(index < blocks % shards);
            Shard { state: Mutex::new(State { capacity, ..State::default() }), loaded: Condvar::new() }
        };
        Pool { shards: (0..shards).map(shard).collect() }
    }

    /// Copies bytes of one block from `from` on, waiting while another thread loads it. When the pool does
    /// not have them, nothing is copied and it is the caller who loads the block.
    pub(crate) fn get(&self, key: Key, from: usize, out: &mut [u8]) -> Option<Load<'_>> {
        let shard = self.shard(key);
        let mut state = shard.state.lock();
        while state.loading.contains_key(&key) {
            shard.loaded.wait(&mut state);
        }
        self.look(&mut state, key, from, out)
    }

    /// Like [`Pool::get`], but says so instead of waiting: a caller that already owes a load must not wait
    /// for another.
    pub(crate) fn try_get(&self, key: Key, from: usize, out: &mut [u8]) -> Lookup<'_> {
        let mut state = self.shard(key).state.lock();
        if state.loading.contains_key(&key) {
            return Lookup::Busy;
        }
        self.look(&mut state, key, from, out).map_or(Lookup::Hit, Lookup::Miss)
    }

    fn look(&self, state: &mut State, key: Key, from: usize, out: &mut [u8]) -> Option<Load<'_>> {
        if let Some(&place) = state.places.get(&key) {
            let slot = &mut state.slots[place];
            if slot.from <= from && from + out.len() <= slot.to {
                slot.referenced = true;
                out.copy_from_slice(&slot.bytes[from..from + out.len()]);
                return None;
            }
        }
        state.loading.insert(key, false);
        Some(Load { pool: self, key })
    }

    /// Takes over bytes that were just written to the file. Call it after the file has them.
    pub(crate) fn write(&self, key: Key, from: usize, bytes: &[u8]) {
        let mut state = self.shard(key).state.lock();
        if let Some(stale) = state.loading.get_mut(&key) {
            *stale = true;
        }
        let to = from + bytes.len();
        let Some(place) = state.places.get(&key).copied().or_else(|| state.take_place(key)) else { return };
        let slot = &mut state.slots[place];
        if from <= slot.to && slot.from <= to {
            (slot.from, slot.to) = (slot.from.min(from), slot.to.max(to));
        } else {
            // The bytes between are unknown: the newest bytes are the likelier ones to be read.
            (slot.from, slot.to) = (from, to);
        }
        slot.bytes[from..to].copy_from_slice(bytes);
    }

    /// Forgets the blocks of a file from `first` on: it was truncated, deleted or closed.
    pub(crate) fn forget(&self, file: u32, first: u64) {
        let gone = |key: &Key| key.file == file && key.block >= first;
        for shard in &self.shards {
            let mut guard = shard.state.lock();
            let state = &mut *guard;
            for slot in &mut state.slots {
                if let Some(key) = slot.key.filter(gone) {
                    state.places.remove(&key);
                    slot.key = None;
                    slot.referenced = false;
                }
            }
            // `retain` visits in any order, but each key is judged alone.
            state.loading.retain(|key, stale| {
                *stale |= gone(key);
                true
            });
        }
    }

    fn shard(&self, key: Key) -> &Shard {
        // The high half chooses the shard, the low half the place in its table.
        let hash = (hash(key) >> 32) * self.shards.len() as u64;
        &self.shards[(hash >> 32) as usize]
    }
}

impl State {
    /// A slot for a new key: a fresh one while memory is left, else the one that the CLOCK hand finds. It
    /// starts unreferenced, so a block that is never read again is gone after one turn, and a scan or a log
    /// cannot push out blocks in use.
    fn take_place(&mut self, key: Key) -> Option<usize> {
        if self.capacity == 0 {
            return None;
        }
        let place = if self.slots.len() < self.capacity {
            let bytes = vec![0; BLOCK].into_boxed_slice();
            self.slots.push(Slot { key: None, bytes, from: 0, to: 0, referenced: false });
            self.slots.len() - 1
        } else {
            while std::mem::take(&mut self.slots[self.hand].referenced) {
                self.hand = (self.hand + 1) % self.capacity;
            }
            let place = self.hand;
            self.hand = (self.hand + 1) % self.capacity;
            if let Some(old) = self.slots[place].key {
                self.places.remove(&old);
            }
            place
        };
        let slot = &mut self.slots[place];
        (slot.key, slot.from, slot.to) = (Some(key), 0, 0);
        self.places.insert(key, place);
        Some(place)
    }
}

impl Load<'_> {
    /// Number of the block in its file.
    pub(crate) fn block(&self) -> u64 {
        self.key.block
    }

    /// Keeps the read data, from the start of the block on, unless something newer was written meanwhile.
    pub(crate) fn finish(self, bytes: &[u8]) {
        let mut guard = self.pool.shard(self.key).state.lock();
        let state = &mut *guard;
        if state.loading.get(&self.key) != Some(&false) {
            return; // dropping `self` ends the load
        }
        let Some(place) = state.places.get(&self.key).copied().or_else(|| state.take_place(self.key)) else {
            return;
        };
        let slot = &mut state.slots[place];
        (slot.from, slot.to) = (0, bytes.len());
        slot.bytes[..bytes.len()].copy_from_slice(bytes);
    }
}

impl Drop for Load<'_> {
    fn drop(&mut self) {
        let shard = self.pool.shard(self.key);
        shard.state.lock().loading.remove(&self.key);
        shard.loaded.notify_all();
    }
}

/// Multiply and fold: the keys are small numbers, not chosen by an adversary.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = ground::mix(self.0.rotate_left(23) ^ value);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

fn hash(key: Key) -> u64 {
    let mut hasher = KeyHasher::default();
    std::hash::Hash::hash(&key, &mut hasher);
    hasher.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(block: u64) -> Key {
        Key { file: 1, block }
    }

    /// Reads a whole block as the layer above does; true on a hit.
    fn read(pool: &Pool, block: u64, contents: u8) -> bool {
        let mut out = [0; BLOCK];
        match pool.get(key(block), 0, &mut out) {
            None => {
                assert_eq!(out, [contents; BLOCK]);
                true
            }
            Some(load) => {
                load.finish(&[contents; BLOCK]);
                false
            }
        }
    }

    #[test]
    fn a_working_set_that_fits_is_missed_once_and_one_that_does_not_hits_its_share() {
        let pool = Pool::new(512 * BLOCK as u64);
        let hits = (0..5 * 400).filter(|i| read(&pool, i % 400, 7)).count();
        assert_eq!(hits, 4 * 400);

        let pool = Pool::new(4096 * BLOCK as u64);
        assert!(pool.shards.len() > 1);
        let mut random = ground::Random::new(12_345);
        let (mut hits, rounds) = (0, 400_000);
        for round in 0..rounds {
            hits += u32::from(read(&pool, random.below(16_384), 7) && round > rounds / 2);
        }
        let ratio = f64::from(hits) / f64::from(rounds / 2);
        assert!((ratio - 0.25).abs() < 0.01, "4096 of 16384 blocks, uniform: {ratio}");
    }

    #[test]
    fn a_scan_does_not_push_out_what_is_in_use() {
        let pool = Pool::new(256 * BLOCK as u64);
        for _ in 0..2 {
            (0..64).for_each(|block| {
                read(&pool, block, 1);
            });
        }
        for block in 1000..20_000 {
            read(&pool, block, 2);
            if block % 20 == 0 {
                (0..64).for_each(|block| assert!(read(&pool, block, 1)));
            }
        }
    }

    #[test]
    fn without_memory_everything_is_a_miss() {
        let pool = Pool::new(BLOCK as u64 - 1);
        assert!((0..10).all(|_| !read(&pool, 3, 9)));
        pool.write(key(3), 0, &[1; 100]);
        assert!(!read(&pool, 3, 9));
    }

    #[test]
    fn appended_blocks_are_known_as_far_as_they_were_written() {
        let pool = Pool::new(1 << 20);
        pool.write(key(0), 0, &[1; 24]);
        pool.write(key(0), 24, &[2; 1000]);
        let mut out = [0; 1024];
        assert!(pool.get(key(0), 0, &mut out).is_none());
        assert_eq!((out[23], out[24]), (1, 2));
        assert!(pool.get(key(0), 0, &mut [0; 1025]).is_some(), "byte 1024 is unknown");
        pool.write(key(0), 3000, &[3; 10]);
        assert!(pool.get(key(0), 3000, &mut [0; 10]).is_none());
        assert!(pool.get(key(0), 0, &mut out).is_some(), "a gap: only the newest part is kept");
    }

    #[test]
    fn a_write_during_a_load_makes_the_load_stale() {
        let pool = Pool::new(1 << 20);
        let Some(load) = pool.get(key(5), 0, &mut [0; 8]) else { panic!("empty pool") };
        pool.write(key(5), 0, &[8; BLOCK]);
        load.finish(&[7; BLOCK]);
        assert!(read(&pool, 5, 8), "the written bytes win over the older ones being read");

        let Some(load) = pool.get(key(6), 0, &mut [0; 8]) else { panic!("not loaded yet") };
        pool.forget(1, 6);
        load.finish(&[7; BLOCK]);
        assert!(!read(&pool, 6, 1), "forgotten while it was read");
        assert!(read(&pool, 5, 8), "blocks before the cut stay");
    }

    #[test]
    fn one_thread_loads_and_the_others_wait_for_it() {
        let pool = Pool::new(1 << 20);
        let Some(load) = pool.get(key(1), 0, &mut [0; 8]) else { panic!("empty pool") };
        assert!(matches!(pool.try_get(key(1), 0, &mut [0; 8]), Lookup::Busy));
        std::thread::scope(|scope| {
            let waiters: Vec<_> = (0..4).map(|_| scope.spawn(|| read(&pool, 1, 4))).collect();
            load.finish(&[4; BLOCK]);
            assert!(waiters.into_iter().all(|waiter| waiter.join().unwrap()), "nobody read it again");
        });
        drop(pool.get(key(2), 0, &mut [0; 8]));
        assert!(!read(&pool, 2, 1), "a load that was given up leaves nothing behind");
    }
}
