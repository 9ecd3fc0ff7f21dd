//! The claims of a journal about each block.

use std::collections::BTreeMap;

use super::NOTHING;
use super::format::Record;

/// Blocks whose claims are kept side by side.
const SIDE_BY_SIDE: usize = 1024;

/// Of each block the write that must be there at least, [`NOTHING`] where anything may be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Claims {
    blocks: u64,
    /// By the first block of each piece; `None` for a block of which nothing was ever said.
    pieces: BTreeMap<usize, Box<[Option<u32>; SIDE_BY_SIDE]>>,
}

impl Claims {
    pub(super) fn new(blocks: u64) -> Claims {
        Claims { blocks, pieces: BTreeMap::new() }
    }

    /// Takes a record; false when the target has no such block.
    pub(super) fn take(&mut self, record: Record) -> bool {
        if u64::from(record.block) >= self.blocks {
            return false;
        }
        let (piece, at) = (record.block as usize / SIDE_BY_SIDE, record.block as usize % SIDE_BY_SIDE);
        let claim = &mut self.pieces.entry(piece).or_insert_with(|| Box::new([None; SIDE_BY_SIDE]))[at];
        // A later claim counts, and a failed write takes it back; workers may hand in claims a little out of
        // order.
        let known = claim.unwrap_or(NOTHING);
        *claim = Some(if record.write == NOTHING { NOTHING } else { record.write.max(known) });
        true
    }

    /// The write that must be in a block; [`NOTHING`] when none is known.
    pub(crate) fn of(&self, block: usize) -> u32 {
        let piece = self.pieces.get(&(block / SIDE_BY_SIDE));
        piece.and_then(|piece| piece[block % SIDE_BY_SIDE]).unwrap_or(NOTHING)
    }

    /// Blocks up to the last that anything was said of.
    pub(crate) fn end(&self) -> usize {
        let last = self.pieces.keys().next_back().map_or(0, |piece| (piece + 1) * SIDE_BY_SIDE);
        last.min(usize::try_from(self.blocks).unwrap_or(usize::MAX))
    }

    /// The first block from this one on that anything may be claimed of.
    pub(crate) fn from(&self, block: usize) -> usize {
        if self.pieces.contains_key(&(block / SIDE_BY_SIDE)) {
            return block;
        }
        let next = self.pieces.range(block / SIDE_BY_SIDE..).next();
        next.map_or(self.end(), |(piece, _)| piece * SIDE_BY_SIDE)
    }

    /// Blocks whose last record is of a failed write.
    pub(super) fn taken_back(&self) -> u64 {
        let all = self.pieces.values().flat_map(|piece| piece.iter());
        all.filter(|claim| **claim == Some(NOTHING)).count() as u64
    }
}
