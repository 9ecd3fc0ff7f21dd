//! A reader of a feed: each line once, in order; the start of a part is a line of its own.

use std::path::{Path, PathBuf};

use disk::File;

use crate::feed::{MARK, feed_path};

/// The longest piece of a feed that is read at once; the rest comes with the next call. It bounds the memory
/// that a browser takes which does not read.
const CHUNK_BYTES: u64 = 64 << 10;

/// Told when a feed is gone.
const ENDED: &str = "{\"event\":\"ended\"}";

/// A place in a feed.
pub(crate) struct Follower {
    path: PathBuf,
    /// The part that is being read: its number as the first line has it; empty before the first.
    part: String,
    offset_bytes: u64,
}

/// A line of a feed, and the place after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// Part and offset, `PART-OFFSET`: a reader that comes back goes on from there.
    pub(crate) place: String,
}

impl Follower {
    /// Before the first line of the feed beside this notebook.
    pub(crate) fn of(notebook: &Path) -> Self {
        Self { path: feed_path(notebook), part: String::new(), offset_bytes: 0 }
    }

    /// After the line of this place. A place of a part that is over, or of no part, is the beginning.
    pub(crate) fn after(notebook: &Path, place: &str) -> Self {
        let mut follower = Self::of(notebook);
        if let Some((part, offset)) = place.split_once('-')
            && let Ok(offset_bytes) = offset.parse()
        {
            (follower.part, follower.offset_bytes) = (part.to_owned(), offset_bytes);
        }
        follower
    }

    /// The whole lines that came since the last call; none while there is no feed. A feed that is gone is
    /// told by one line: its run has ended.
    pub(crate) fn next(&mut self) -> Vec<Line> {
        let lines = self.read();
        if lines.is_none() && !self.part.is_empty() && !self.path.exists() {
            let place = std::mem::take(&mut self.part);
            self.offset_bytes = 0;
            return vec![Line { text: ENDED.to_owned(), place }];
        }
        lines.unwrap_or_default()
    }

    fn read(&mut self) -> Option<Vec<Line>> {
        if !disk::metadata_if_any(&self.path).ok()??.is_file() {
            return None;
        }
        let file = File::open(&self.path).ok()?;
        let length_bytes = file.metadata().ok()?.len();
        let mut head = vec![0; length_bytes.min(MARK.len() as u64 + 24) as usize];
        file.read_exact_at(&mut head, 0).ok()?;
        let head = String::from_utf8_lossy(&head);
        let part = head.split_once('\n')?.0.strip_prefix(MARK)?.strip_suffix('}')?;
        if part != self.part || self.offset_bytes > length_bytes {
            (self.part, self.offset_bytes) = (part.to_owned(), 0);
        }
        let mut text = vec![0; (length_bytes - self.offset_bytes).min(CHUNK_BYTES) as usize];
        file.read_exact_at(&mut text, self.offset_bytes).ok()?;
        let whole = text.iter().rposition(|byte| *byte == b'\n')? + 1;
        Some(text[..whole].split_inclusive(|byte| *byte == b'\n').map(|line| self.line(line)).collect())
    }

    /// Goes past a line.
    fn line(&mut self, bytes: &[u8]) -> Line {
        self.offset_bytes += bytes.len() as u64;
        let text = String::from_utf8_lossy(bytes).trim_end_matches('\n').to_owned();
        Line { text, place: format!("{}-{}", self.part, self.offset_bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[Line]) -> Vec<&str> {
        lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn a_reader_goes_on_from_its_place_and_begins_again_in_a_new_part() {
        let home = tempfile::tempdir().unwrap();
        let notebook = home.path().join("n.db");
        let write = |text: &str| std::fs::write(feed_path(&notebook), text).unwrap();
        write(&format!("{MARK}7}}\none\ntwo\nhal"));
        let lines = Follower::of(&notebook).next();
        assert_eq!(texts(&lines), [&format!("{MARK}7}}"), "one", "two"]);
        let mut back = Follower::after(&notebook, &lines[1].place);
        assert_eq!(texts(&back.next()), ["two"]);
        write(&format!("{MARK}8}}\nnew\n"));
        let new = [format!("{MARK}8}}"), "new".to_owned()];
        assert_eq!(texts(&back.next()), new);
        for place in [lines[1].place.as_str(), "8-9999", "8-x", "", "-", "8"] {
            assert_eq!(texts(&Follower::after(&notebook, place).next()), new, "{place}");
        }
        std::fs::remove_file(feed_path(&notebook)).unwrap();
        assert_eq!(texts(&back.next()), [ENDED]);
        assert!(back.next().is_empty(), "it is told once");
    }
}
