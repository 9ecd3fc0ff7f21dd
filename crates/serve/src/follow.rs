//! A reader of a feed: each line once, in order; the start of a part is a line of its own.

use std::path::{Path, PathBuf};

use disk::File;

use crate::feed::{MARK, feed_path};

/// The longest part of a feed that is read at once; the rest comes with the next call.
const CHUNK_BYTES: u64 = 1 << 20;

/// A place in a feed.
pub(crate) struct Follower {
    path: PathBuf,
    /// The first line of the part that is being read; empty before the first.
    head: String,
    offset_bytes: u64,
}

impl Follower {
    /// Before the first line of the feed beside this notebook.
    pub(crate) fn of(notebook: &Path) -> Self {
        Self { path: feed_path(notebook), head: String::new(), offset_bytes: 0 }
    }

    /// The whole lines that came since the last call; none while there is no feed.
    pub(crate) fn next(&mut self) -> Vec<String> {
        self.read().unwrap_or_default()
    }

    fn read(&mut self) -> Option<Vec<String>> {
        if !disk::metadata_if_any(&self.path).ok()??.is_file() {
            return None;
        }
        let file = File::open(&self.path).ok()?;
        let length_bytes = file.metadata().ok()?.len();
        let mut head = vec![0; length_bytes.min(MARK.len() as u64 + 24) as usize];
        file.read_exact_at(&mut head, 0).ok()?;
        let head = String::from_utf8_lossy(&head);
        let (head, _) = head.split_once('\n')?;
        if !head.starts_with(MARK) {
            return None;
        }
        if head != self.head {
            (self.head, self.offset_bytes) = (head.to_owned(), 0);
        }
        let mut text = vec![0; length_bytes.checked_sub(self.offset_bytes)?.min(CHUNK_BYTES) as usize];
        file.read_exact_at(&mut text, self.offset_bytes).ok()?;
        let whole = text.iter().rposition(|byte| *byte == b'\n')? + 1;
        self.offset_bytes += whole as u64;
        Some(String::from_utf8_lossy(&text[..whole]).lines().map(str::to_owned).collect())
    }
}
