//! An exact least-recently-used pool: the check of the approximation, and the pool for workloads whose pages
//! are not known in classes.

use std::collections::HashMap;

/// Pages in order of their last use. Every access costs the same, whatever the size.
#[derive(Clone, Debug)]
pub struct Lru {
    slots: HashMap<u64, usize>,
    /// Page, newer neighbour, older neighbour of each slot.
    chain: Vec<(u64, usize, usize)>,
    newest: usize,
    oldest: usize,
    size: usize,
}

const NONE: usize = usize::MAX;

impl Lru {
    /// An empty pool of `size` pages.
    #[must_use]
    pub fn new(size: usize) -> Lru {
        Lru { slots: HashMap::new(), chain: Vec::new(), newest: NONE, oldest: NONE, size }
    }

    /// Asks for a page; returns whether it was there. It is there afterwards, unless the pool has no room at
    /// all.
    pub fn touch(&mut self, page: u64) -> bool {
        if let Some(&slot) = self.slots.get(&page) {
            self.unlink(slot);
            self.link_newest(slot);
            return true;
        }
        if self.size == 0 {
            return false;
        }
        let slot = if self.chain.len() < self.size {
            self.chain.push((page, NONE, NONE));
            self.chain.len() - 1
        } else {
            let slot = self.oldest;
            self.unlink(slot);
            self.slots.remove(&self.chain[slot].0);
            self.chain[slot].0 = page;
            slot
        };
        self.slots.insert(page, slot);
        self.link_newest(slot);
        false
    }

    fn unlink(&mut self, slot: usize) {
        let (_, newer, older) = self.chain[slot];
        match newer {
            NONE => self.newest = older,
            newer => self.chain[newer].2 = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.chain[older].1 = newer,
        }
    }

    fn link_newest(&mut self, slot: usize) {
        let older = self.newest;
        self.chain[slot].1 = NONE;
        self.chain[slot].2 = older;
        match older {
            NONE => self.oldest = slot,
            older => self.chain[older].1 = slot,
        }
        self.newest = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_list(size in 0usize..8, pages in prop::collection::vec(0u64..12, 0..300)) {
            let mut lru = Lru::new(size);
            let mut list: Vec<u64> = Vec::new();
            for page in pages {
                let hit = list.contains(&page);
                list.retain(|&other| other != page);
                list.insert(0, page);
                list.truncate(size);
                prop_assert_eq!(lru.touch(page), hit);
            }
        }
    }
}
