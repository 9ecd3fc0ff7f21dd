//! The locks of SQLite between connections of one process: the five levels of a database file and the eight
//! slots of its WAL index.

use std::sync::atomic::{AtomicU64, Ordering, fence};

/// Level of a connection's lock on a database file, in SQLite's order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    #[default]
    None,
    Shared,
    Reserved,
    Pending,
    Exclusive,
}

/// Another connection's lock is in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Busy;

/// Locks held on one database file.
#[derive(Debug, Default)]
pub(crate) struct FileLocks {
    /// Connections at `Shared` or above.
    shared: usize,
    /// The highest level of any connection.
    highest: Level,
}

impl FileLocks {
    /// Raises a connection's lock from `held` to `wanted`. On `Busy` it may have become `Pending` on its way
    /// to `Exclusive`, which keeps new readers out until the present ones are gone.
    pub(crate) fn raise(&mut self, held: &mut Level, wanted: Level) -> Result<(), Busy> {
        if *held >= wanted {
            return Ok(());
        }
        // Above `Shared` there is one owner only.
        let another_writes = self.highest > Level::Shared && *held != self.highest;
        if another_writes && (self.highest >= Level::Pending || wanted > Level::Shared) {
            return Err(Busy);
        }
        match wanted {
            Level::None => {}
            Level::Shared => {
                self.shared += 1;
                self.highest = self.highest.max(Level::Shared);
                *held = Level::Shared;
            }
            Level::Reserved | Level::Pending => {
                (*held, self.highest) = (wanted, wanted);
            }
            Level::Exclusive => {
                (*held, self.highest) = (Level::Pending, Level::Pending);
                if self.shared > 1 {
                    return Err(Busy);
                }
                (*held, self.highest) = (Level::Exclusive, Level::Exclusive);
            }
        }
        Ok(())
    }

    /// Lowers a connection's lock to `Shared` or `None`.
    pub(crate) fn lower(&mut self, held: &mut Level, wanted: Level) {
        if *held <= wanted {
            return;
        }
        if *held > Level::Shared {
            self.highest = Level::Shared;
        }
        if wanted == Level::None {
            self.shared -= 1;
            if self.shared == 0 {
                self.highest = Level::None;
            }
        }
        *held = wanted;
    }

    /// True if any connection intends to write.
    pub(crate) fn is_reserved(&self) -> bool {
        self.highest >= Level::Reserved
    }
}

/// Slots of the WAL index (`SQLITE_SHM_NLOCK`).
pub(crate) const SLOTS: usize = 8;
/// The slot that the connection holds which writes to the WAL (`WAL_WRITE_LOCK`).
pub(crate) const WRITE_SLOT: usize = 0;

/// The WAL index of one database: memory that its connections share, and the locks on it. It lives as long as
/// a connection uses it; the next one builds it anew from the WAL.
#[derive(Debug, Default)]
pub(crate) struct WalIndex {
    users: usize,
    regions: Vec<Box<[AtomicU64]>>,
    /// Holders of the shared lock, or -1 for an exclusive one.
    slots: [i32; SLOTS],
}

/// The locks of one connection on it.
#[derive(Debug, Default)]
pub(crate) struct WalIndexUse {
    attached: bool,
    shared: u8,
    exclusive: u8,
}

impl WalIndex {
    /// Address of a region, made on demand when `extend` is set. It stays where it is until the last
    /// connection has left.
    pub(crate) fn region(
        &mut self,
        mine: &mut WalIndexUse,
        index: usize,
        size_bytes: usize,
        extend: bool,
    ) -> Option<*const AtomicU64> {
        if !std::mem::replace(&mut mine.attached, true) {
            self.users += 1;
        }
        if extend {
            while self.regions.len() <= index {
                self.regions.push((0..size_bytes.div_ceil(8)).map(|_| AtomicU64::new(0)).collect());
            }
        }
        self.regions.get(index).map(|region| region.as_ptr())
    }

    /// Takes shared or exclusive locks on a range of slots, all or none.
    pub(crate) fn lock(
        &mut self,
        mine: &mut WalIndexUse,
        slots: std::ops::Range<usize>,
        exclusive: bool,
    ) -> Result<(), Busy> {
        let mask = mask(&slots);
        if exclusive {
            if self.slots[slots.clone()].iter().any(|&holders| holders != 0) {
                return Err(Busy);
            }
            self.slots[slots].fill(-1);
            mine.exclusive |= mask;
        } else if mine.shared & mask == 0 {
            if self.slots[slots.clone()].iter().any(|&holders| holders < 0) {
                return Err(Busy);
            }
            self.slots[slots].iter_mut().for_each(|holders| *holders += 1);
            mine.shared |= mask;
        }
        Ok(())
    }

    /// Releases the connection's holds on these slots.
    pub(crate) fn unlock(&mut self, mine: &mut WalIndexUse, slots: std::ops::Range<usize>) {
        for slot in slots {
            let bit = 1 << slot;
            if mine.exclusive & bit != 0 {
                self.slots[slot] = 0;
            } else if mine.shared & bit != 0 {
                self.slots[slot] -= 1;
            }
            mine.exclusive &= !bit;
            mine.shared &= !bit;
        }
    }

    /// The connection leaves.
    pub(crate) fn leave(&mut self, mine: &mut WalIndexUse) {
        if !mine.attached {
            return;
        }
        self.unlock(mine, 0..SLOTS);
        mine.attached = false;
        self.users -= 1;
        if self.users == 0 {
            self.regions.clear();
        }
    }
}

impl WalIndexUse {
    /// True if this connection is the one that writes to the WAL.
    pub(crate) fn is_writer(&self) -> bool {
        self.exclusive & (1 << WRITE_SLOT) != 0
    }
}

/// Everything that other connections wrote to the index before is visible after, and the other way round.
pub(crate) fn barrier() {
    fence(Ordering::SeqCst);
}

fn mask(slots: &std::ops::Range<usize>) -> u8 {
    slots.clone().fold(0, |mask, slot| mask | 1 << slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_writer_waits_for_the_readers_and_keeps_new_ones_out() {
        let mut locks = FileLocks::default();
        let (mut a, mut b, mut c) = (Level::None, Level::None, Level::None);
        locks.raise(&mut a, Level::Shared).unwrap();
        locks.raise(&mut b, Level::Shared).unwrap();
        locks.raise(&mut a, Level::Reserved).unwrap();
        assert!(locks.is_reserved());
        assert_eq!(locks.raise(&mut b, Level::Reserved), Err(Busy));
        assert_eq!(locks.raise(&mut b, Level::Exclusive), Err(Busy));
        locks.raise(&mut c, Level::Shared).unwrap();
        locks.lower(&mut c, Level::None);
        assert_eq!(locks.raise(&mut a, Level::Exclusive), Err(Busy));
        assert_eq!(a, Level::Pending);
        assert_eq!(locks.raise(&mut c, Level::Shared), Err(Busy), "a pending writer keeps readers out");
        locks.lower(&mut b, Level::None);
        locks.raise(&mut a, Level::Exclusive).unwrap();
        assert_eq!(locks.raise(&mut b, Level::Shared), Err(Busy));
        locks.lower(&mut a, Level::Shared);
        assert!(!locks.is_reserved());
        locks.raise(&mut b, Level::Shared).unwrap();
        locks.lower(&mut a, Level::None);
        locks.lower(&mut b, Level::None);
        assert_eq!((locks.shared, locks.highest), (0, Level::None));
    }

    #[test]
    fn a_lone_reader_may_become_the_writer_at_once_and_two_may_not() {
        let mut locks = FileLocks::default();
        let (mut a, mut b) = (Level::None, Level::None);
        locks.raise(&mut a, Level::Shared).unwrap();
        locks.raise(&mut a, Level::Exclusive).unwrap();
        locks.lower(&mut a, Level::None);
        locks.raise(&mut a, Level::Shared).unwrap();
        locks.raise(&mut b, Level::Shared).unwrap();
        assert_eq!(locks.raise(&mut a, Level::Exclusive), Err(Busy));
        assert_eq!(locks.raise(&mut b, Level::Exclusive), Err(Busy));
        locks.lower(&mut b, Level::None);
        locks.raise(&mut a, Level::Exclusive).unwrap();
    }

    #[test]
    fn index_slots_are_shared_or_exclusive() {
        let mut index = WalIndex::default();
        let (mut a, mut b) = (WalIndexUse::default(), WalIndexUse::default());
        assert!(index.region(&mut a, 0, 32_768, false).is_none());
        let address = index.region(&mut a, 0, 32_768, true).unwrap();
        assert_eq!(index.region(&mut b, 0, 32_768, false), Some(address));
        index.lock(&mut a, 3..4, false).unwrap();
        index.lock(&mut b, 3..4, false).unwrap();
        assert_eq!(index.lock(&mut a, 3..8, true), Err(Busy), "another reader");
        index.lock(&mut a, 0..1, true).unwrap();
        assert!(a.is_writer() && !b.is_writer());
        assert_eq!(index.lock(&mut b, 0..1, false), Err(Busy));
        index.unlock(&mut a, 0..1);
        index.lock(&mut b, 0..3, true).unwrap();
        index.leave(&mut b);
        index.unlock(&mut a, 3..4);
        assert_eq!(index.slots, [0; SLOTS]);
        index.region(&mut a, 2, 32_768, true).unwrap();
        assert_eq!(index.regions.len(), 3);
        index.leave(&mut a);
        index.leave(&mut a);
        assert_eq!((index.users, index.regions.len()), (0, 0));
        assert!(!a.attached);
    }
}
