//! The contents of a marker: the directory that it belongs to, and the things in the directory that are ours.
//!
//! One line each, added at the end, the last one about a name counts. A line that is damaged or was cut off
//! says nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use disk::{Facts, FileKind, Stamp};

use super::{NAME, is_plain};

/// First line of every marker; a file of that name without it is not ours.
pub(super) const FIRST_LINE: &str =
    "drivetrain created this directory and the files named below, and may remove them.";
/// Ends a line that was cut off: no name has it, so that the line stays without a meaning.
pub(super) const CUT_OFF: &str = "/\n";

/// The identity of a file or directory: no other with the same name, past or future, has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identity {
    inode: u64,
    /// The device, on a file system without times of birth. Otherwise inode and birth identify a thing, and a
    /// device's number may change with every mount.
    device: Option<u64>,
    born_ns: Option<i128>,
}

impl Identity {
    pub(super) fn of(stamp: &Stamp) -> Self {
        let device = stamp.born_ns.is_none().then_some(stamp.device);
        Self { inode: stamp.inode, device, born_ns: stamp.born_ns }
    }

    fn parse<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        fn number<T: std::str::FromStr>(word: &str) -> Option<Option<T>> {
            if word == "-" { Some(None) } else { word.parse().ok().map(Some) }
        }
        Some(Self {
            inode: words.next()?.parse().ok()?,
            device: number(words.next()?)?,
            born_ns: number(words.next()?)?,
        })
    }
}

/// `INODE DEVICE BIRTH`, with `-` for an unknown or irrelevant value.
impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.inode)?;
        match self.device {
            Some(device) => write!(f, "{device} ")?,
            None => f.write_str("- ")?,
        }
        match self.born_ns {
            Some(born_ns) => write!(f, "{born_ns}"),
            None => f.write_str("-"),
        }
    }
}

/// The way in which a name became ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// A file will be made; whatever has the name must be one that was noted as made.
    File,
    /// A file is about to be made, or was made and not noted yet.
    Making,
    /// A log of SQLite's, which SQLite makes and removes as it likes.
    Log,
    /// A directory that a server fills.
    Tree,
    /// A target of block I/O, which has a marker of its own.
    Target,
}

impl Way {
    const ALL: [Self; 5] = [Self::File, Self::Making, Self::Log, Self::Tree, Self::Target];

    fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Making => "making",
            Self::Log => "log",
            Self::Tree => "tree",
            Self::Target => "target",
        }
    }

    /// The line that says so.
    pub(super) fn line(self, name: &str) -> String {
        format!("{} {name}\n", self.word())
    }
}

/// The line that says which file was made.
pub(super) fn made_line(name: &str, made: &Stamp) -> String {
    format!("made {} {name}\n", Identity::of(made))
}

/// The text of a new marker.
pub(super) fn new_text(dir: &Stamp, place: &Path) -> String {
    format!("{FIRST_LINE}\ndirectory {} {}\n", Identity::of(dir), in_one_line(place))
}

/// A path in one line of text; two paths are the same when their lines are.
pub(super) fn in_one_line(path: &Path) -> String {
    let mut line = String::new();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b' '..=b'~' if *byte != b'%' => line.push(char::from(*byte)),
            _ => line.push_str(&format!("%{byte:02x}")),
        }
    }
    line
}

/// A marker that was read.
#[derive(Debug)]
pub(super) struct MarkerRecord {
    /// The directory that it was made for.
    pub(super) directory: Identity,
    /// The place of that, in one line.
    pub(super) place: String,
    /// True if the last line was cut off.
    pub(super) is_torn: bool,
    names: BTreeMap<String, Way>,
    made: BTreeSet<Identity>,
}

impl MarkerRecord {
    /// Reads a marker.
    ///
    /// # Errors
    /// The reason why it is none.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let mut lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        if lines.next() != Some(FIRST_LINE) {
            return Err("drivetrain did not write it");
        }
        let head = lines.next().and_then(|line| line.strip_prefix("directory ")).and_then(|line| {
            let mut words = line.splitn(4, ' ');
            Some((Identity::parse(&mut words)?, words.next()?.to_owned()))
        });
        let Some((directory, place)) = head else {
            return Err("an older drivetrain wrote it, which did not say of which directory it is");
        };
        let (names, made) = (BTreeMap::new(), BTreeSet::new());
        let mut record = Self { directory, place, is_torn: !text.ends_with('\n'), names, made };
        lines.for_each(|line| record.take(line));
        Ok(record)
    }

    fn take(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if let Some(way) = Way::ALL.into_iter().find(|way| way.word() == word) {
            if is_plain(rest) {
                self.names.insert(rest.to_owned(), way);
            }
            return;
        }
        let mut words = rest.splitn(4, ' ');
        if word == "made"
            && let (Some(made), Some(name)) = (Identity::parse(&mut words), words.next())
            && is_plain(name)
        {
            self.made.insert(made);
            self.names.insert(name.to_owned(), Way::File);
        }
    }

    /// The way in which the name is ours, if it is.
    pub(super) fn way(&self, name: &str) -> Option<Way> {
        self.names.get(name).copied()
    }

    /// The names that are ours in this way.
    pub(super) fn names(&self, way: Way) -> impl Iterator<Item = &str> {
        self.names.iter().filter(move |(_, of)| **of == way).map(|(name, _)| name.as_str())
    }

    /// True for a file that was noted as made here, under any name.
    pub(super) fn has_made(&self, facts: &Facts) -> bool {
        facts.kind == FileKind::File && self.made.contains(&Identity::of(&facts.stamp))
    }

    /// True if an entry of a name is a target of block I/O, its own marker, or the temporary name of one of
    /// them.
    pub(super) fn is_of_target(&self, name: &str) -> bool {
        let target = name.strip_suffix(block::MARKER_SUFFIX).unwrap_or(name);
        let nonce = name.strip_prefix(NAME).and_then(|rest| rest.strip_prefix('-')).unwrap_or_default();
        self.way(target) == Some(Way::Target)
            || (nonce.len() == 16
                && nonce.bytes().all(|byte| byte.is_ascii_hexdigit())
                && self.names(Way::Target).next().is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(inode: u64) -> Stamp {
        Stamp { device: 1, inode, size_bytes: 3, changed_ns: 4, born_ns: Some(5) }
    }

    fn facts(inode: u64) -> Facts {
        Facts { kind: FileKind::File, stamp: stamp(inode), owner: 0, mode: 0o644, links: 1 }
    }

    #[test]
    fn the_last_line_about_a_name_counts_and_what_was_made_stays_known() {
        let mut text = new_text(&stamp(7), Path::new("/a b/ü%\n"));
        text += &[Way::File.line("a"), Way::Making.line("a")].concat();
        assert_eq!(MarkerRecord::parse(&text).unwrap().way("a"), Some(Way::Making));
        text += &made_line("a", &stamp(8));
        let record = MarkerRecord::parse(&text).unwrap();
        assert_eq!((record.way("a"), record.is_torn), (Some(Way::File), false));
        assert!(record.has_made(&facts(8)) && !record.has_made(&facts(9)));
        assert_eq!(record.directory, Identity::of(&stamp(7)));
        assert_eq!(record.place, "/a b/%c3%bc%25%0a");
    }

    #[test]
    fn lines_cut_off_anywhere_give_no_name_that_was_not_written() {
        let head = new_text(&stamp(7), Path::new("/a"));
        let lines = [Way::Making.line("data"), made_line("data", &stamp(8)), Way::Tree.line("data")];
        for line in lines {
            for cut in 1..line.len() {
                let torn = format!("{head}{}", &line[..cut]);
                let record = MarkerRecord::parse(&torn).unwrap();
                assert!(record.is_torn && record.names.is_empty() && record.made.is_empty(), "{torn}");
                let mended = format!("{torn}{CUT_OFF}{}", Way::File.line("other"));
                let record = MarkerRecord::parse(&mended).unwrap();
                assert_eq!(record.names.keys().collect::<Vec<_>>(), ["other"], "{mended}");
                assert!(record.made.is_empty(), "{mended}");
            }
        }
    }

    #[test]
    fn a_marker_that_names_no_directory_is_none() {
        for text in [
            "".to_owned(),
            "thesis\n".to_owned(),
            format!("{FIRST_LINE}\n"),
            format!("{FIRST_LINE}\ndata\n"),
            format!("{FIRST_LINE}\ndirectory 1 2\n"),
            format!("{FIRST_LINE}\ndirectory x - 2 /a\n"),
            format!("{FIRST_LINE}\ndirectory 1 - 2 /a"),
        ] {
            assert!(MarkerRecord::parse(&text).is_err(), "{text}");
        }
    }

    #[test]
    fn where_no_birth_is_kept_the_device_counts() {
        let without = |device| Identity::of(&Stamp { device, born_ns: None, ..stamp(7) });
        assert!(without(1) != without(2));
        assert_eq!(Identity::of(&stamp(7)), Identity::of(&Stamp { device: 2, ..stamp(7) }));
        for identity in [without(1), Identity::of(&stamp(7))] {
            let text = identity.to_string();
            assert_eq!(Identity::parse(&mut text.split(' ')), Some(identity));
        }
    }
}
