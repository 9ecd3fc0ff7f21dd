//! The contents of a note and their format: one fact a line; file names are escaped, so that none breaks a
//! line.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

use crate::process::Process;

/// First line of every note.
const HEADER: &str = "drivetrain remains 1";
/// Longest note that is read, bytes: one path, one detail and one stamp fit well.
pub(crate) const MAX_BYTES: u64 = 16 << 10;
/// The kernel takes no longer path.
const PATH_MAX_BYTES: usize = 4096;

/// The kinds of things that a process may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntryKind {
    /// A database server whose directory this is.
    Server,
    /// A file system of ours, mounted at the path.
    Mount,
    /// A file system in an image file, in this directory.
    Image,
    /// A control group.
    ControlGroup,
    /// A folder that holds the socket of a server.
    SocketFolder,
    /// The folder of a run's data on one storage.
    Data,
    /// A file that a block load by itself makes, and removes at its end.
    Target,
    /// A setting of this machine, at the path under `/sys`; the detail is its former value.
    Setting,
}

impl EntryKind {
    /// All kinds, in the order in which they are removed: what keeps another in use comes first.
    pub const ALL: [EntryKind; 8] = [
        EntryKind::Server,
        EntryKind::Mount,
        EntryKind::Image,
        EntryKind::ControlGroup,
        EntryKind::SocketFolder,
        EntryKind::Data,
        EntryKind::Target,
        EntryKind::Setting,
    ];

    /// The word for it in notes and tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Mount => "mount",
            Self::Image => "image",
            Self::ControlGroup => "control group",
            Self::SocketFolder => "socket folder",
            Self::Data => "data",
            Self::Target => "target",
            Self::Setting => "setting",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// One thing that a process was about to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The kind.
    pub kind: EntryKind,
    /// The path; absolute, and without `.` and `..`.
    pub path: PathBuf,
    /// Further data of its kind.
    pub detail: String,
    /// The stamp that distinguishes the thing from another in its place; set after its creation.
    pub stamp: Option<String>,
    pub(crate) process: Process,
}

impl Entry {
    /// The note's text; without a stamp, which is added as a further line once the thing is there.
    pub(crate) fn to_text(&self) -> String {
        let Process { pid, started, boot } = &self.process;
        format!(
            "{HEADER}\nprocess {pid} {started} {boot}\nkind {}\npath {}\ndetail {}\n",
            self.kind.as_str(),
            escape(self.path.as_os_str().as_bytes()),
            escape(self.detail.as_bytes())
        )
    }

    /// The further line.
    pub(crate) fn stamp_line(stamp: &str) -> String {
        format!("stamp {}\n", escape(stamp.as_bytes()))
    }

    /// `None` for anything that is not a whole note.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        // A last line that a kill cut off does not count.
        let whole = &text[..=text.rfind('\n')?];
        let mut lines = whole.lines();
        if lines.next()? != HEADER {
            return None;
        }
        let mut fact = |key: &str| lines.next()?.strip_prefix(key)?.strip_prefix(' ').map(str::to_owned);
        let process = Process::parse(&fact("process")?)?;
        let kind = EntryKind::from_word(&fact("kind")?)?;
        let path = PathBuf::from(OsString::from_vec(unescape(&fact("path")?)?));
        let detail = String::from_utf8(unescape(&fact("detail")?)?).ok()?;
        let stamp = match fact("stamp") {
            Some(text) => Some(String::from_utf8(unescape(&text)?).ok()?),
            None => None,
        };
        is_plain(&path).then_some(Self { kind, path, detail, stamp, process })
    }
}

/// True if a path contains no detours.
pub(crate) fn is_plain(path: &Path) -> bool {
    let mut components = path.components();
    let normal = |component| matches!(component, Component::Normal(_));
    // `components` passes over `.` and double slashes in silence.
    let spelled: PathBuf = path.components().collect();
    components.next() == Some(Component::RootDir)
        && components.clone().next().is_some()
        && components.all(normal)
        && spelled.as_os_str() == path.as_os_str()
        && path.as_os_str().len() < PATH_MAX_BYTES
        && !path.as_os_str().as_bytes().contains(&0)
}

/// Bytes that are no visible ASCII, and `%`, as two hexadecimal digits.
fn escape(bytes: &[u8]) -> String {
    let one = |&byte: &u8| match byte {
        b'%' | 0..=b' ' | 0x7f.. => format!("%{byte:02x}"),
        plain => char::from(plain).to_string(),
    };
    bytes.iter().map(one).collect()
}

fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        if first == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str) -> Entry {
        let process = Process { pid: 7, started: 42, boot: "b-1".to_owned() };
        let detail = "two words\n100 %\u{1b}".to_owned();
        Entry { kind: EntryKind::ControlGroup, path: path.into(), detail, stamp: None, process }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut entry = entry("/mnt/a b\n%20/\u{e9}");
        let text = entry.to_text();
        assert_eq!(text.lines().count(), 5, "{text}");
        assert_eq!(Entry::parse(&text), Some(entry.clone()));
        let stamped = text.clone() + &Entry::stamp_line("1 2 x y");
        entry.stamp = Some("1 2 x y".to_owned());
        assert_eq!(Entry::parse(&stamped), Some(entry.clone()));
        entry.stamp = None;
        assert_eq!(
            Entry::parse(&(text + "stamp 1%2")),
            Some(entry),
            "a line that was cut off does not count"
        );
    }

    #[test]
    fn forged_and_damaged_notes_say_nothing() {
        for path in ["", "/", "relative", "/a/../b", "/a/./b", "/a//b", "/a/b/", "/.."] {
            assert_eq!(Entry::parse(&entry(path).to_text()), None, "{path}");
        }
        assert_eq!(Entry::parse(&entry(&format!("/{}", "x".repeat(5000))).to_text()), None);
        let good = entry("/a").to_text();
        assert!(Entry::parse(&good).is_some());
        for (from, to) in [
            ("remains 1", "remains 2"),
            ("path /a", "path /a%00"),
            ("7 42", "-7 42"),
            ("kind control", "kind out of control"),
        ] {
            assert_eq!(Entry::parse(&good.replace(from, to)), None, "{to}");
        }
        for at in 0..good.len() {
            let cut = good.get(..at).unwrap();
            assert_eq!(Entry::parse(cut), None, "{cut}");
        }
    }
}
