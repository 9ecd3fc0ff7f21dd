//! The next file of a stream, and the stream's position in each of its files.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ground::Permutation;

use crate::job::FileChoice;
use ground::Random;

/// The position of a stream in each of its files, and in the order of the files. Shared by the workers of a
/// job, or a worker's own.
#[derive(Debug)]
pub(crate) struct FileCursors {
    ios: AtomicU64,
    files: Box<[AtomicU64]>,
}

impl FileCursors {
    /// The start position in this many files.
    pub(crate) fn new(files: u32) -> FileCursors {
        FileCursors { ios: AtomicU64::new(0), files: (0..files.max(1)).map(|_| AtomicU64::new(0)).collect() }
    }

    /// The cursor of one file.
    #[inline]
    pub(super) fn of(&self, file: u32) -> &AtomicU64 {
        &self.files[file as usize]
    }
}

/// The way from one file to the next.
#[derive(Debug)]
pub(super) struct FilePath {
    count: u64,
    choice: FileChoice,
    /// I/Os after which a file that is taken in its turn is over.
    ios_per_file: u64,
    order: Permutation,
}

impl FilePath {
    pub(super) fn new(files: u32, choice: FileChoice, ios_per_file: u64, seed: u64) -> FilePath {
        let count = u64::from(files.max(1));
        FilePath { count, choice, ios_per_file: ios_per_file.max(1), order: Permutation::new(count, seed) }
    }

    /// The file of the next I/O, counted from the stream's first.
    #[inline]
    pub(super) fn next(&self, cursors: &FileCursors, random: &mut Random) -> u32 {
        if self.count == 1 {
            return 0;
        }
        let in_turn = |ios: u64| ios / self.ios_per_file % self.count;
        let file = match self.choice {
            FileChoice::Random => random.below(self.count),
            FileChoice::RoundRobin => cursors.ios.fetch_add(1, Relaxed) % self.count,
            FileChoice::InTurn => in_turn(cursors.ios.fetch_add(1, Relaxed)),
            FileChoice::InTurnShuffled => self.order.position(in_turn(cursors.ios.fetch_add(1, Relaxed))),
        };
        file as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(choice: FileChoice, ios: usize) -> Vec<u32> {
        let (path, cursors) = (FilePath::new(3, choice, 2, 7), FileCursors::new(3));
        let mut random = Random::stream(1, 0);
        (0..ios).map(|_| path.next(&cursors, &mut random)).collect()
    }

    #[test]
    fn files_are_taken_as_asked() {
        assert_eq!(walk(FileChoice::RoundRobin, 5), [0, 1, 2, 0, 1]);
        assert_eq!(walk(FileChoice::InTurn, 7), [0, 0, 1, 1, 2, 2, 0]);
        let shuffled = walk(FileChoice::InTurnShuffled, 6);
        assert!(shuffled.chunks(2).all(|pair| pair[0] == pair[1]), "{shuffled:?}");
        let random = walk(FileChoice::Random, 300);
        assert!((0..3).all(|file| random.iter().filter(|drawn| **drawn == file).count() > 70));
    }
}
