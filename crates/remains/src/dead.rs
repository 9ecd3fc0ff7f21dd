//! Notes whose process is gone, each held by one finder alone.

use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use disk::File;
use ground::{Clock, nanoseconds};

use crate::entry::{Entry, EntryKind, MAX_BYTES};
use crate::home;
use crate::note::{ENDING, ENDING_UNFINISHED, Held, lock};

/// Notes that are looked at in one go: far more than are ever there.
const NOTES_MAX: usize = 4096;
/// Age from which a note that is not whole was cut off by a kill: it takes microseconds to write one.
const CUT_OFF_AFTER: Duration = Duration::from_secs(60);

/// The limit of one search's wait for the last children of dead processes: a child that has not yet executed
/// its own program holds its parent's locks.
const BURIAL_LIMIT: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_millis(10);

/// A note whose process is gone. Nobody else acts on it while this lives; dropping it leaves it for the next
/// one.
#[derive(Debug)]
pub struct Dead {
    entry: Entry,
    held: Held,
}

impl Dead {
    /// The contents of the note.
    #[must_use]
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Removes the note: the thing is gone, or is somebody else's care.
    pub fn done(self) {
        self.held.remove();
    }
}

/// All dead notes of this user, in the order in which their things are to be removed. Costs next to nothing
/// where there are none.
#[must_use]
pub fn dead() -> Vec<Dead> {
    let until_ns = Clock::Wall.now_ns() + nanoseconds(BURIAL_LIMIT);
    let mut found: Vec<Dead> = home::trusted().iter().flat_map(|folder| dead_in(folder, until_ns)).collect();
    found.sort_by(|a, b| (a.entry.kind, &a.entry.path).cmp(&(b.entry.kind, &b.entry.path)));
    found
}

/// The notes of this user about one thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Of processes that live, this one included.
    pub living: usize,
    /// Of processes that are gone.
    pub dead: usize,
}

/// The number of processes that have noted the thing of this kind at `path`.
#[must_use]
pub fn count(kind: EntryKind, path: &Path) -> Count {
    home::trusted().iter().fold(Count::default(), |sum, folder| count_in(folder, kind, path, sum))
}

fn count_in(folder: &Path, kind: EntryKind, path: &Path, mut sum: Count) -> Count {
    for entry in of_thing(folder, kind, path) {
        *(if entry.process.is_alive() { &mut sum.living } else { &mut sum.dead }) += 1;
    }
    sum
}

/// The ids of the living processes of this user that have noted the thing of this kind at `path`.
#[must_use]
pub fn living(kind: EntryKind, path: &Path) -> Vec<u32> {
    home::trusted().iter().flat_map(|folder| living_in(folder, kind, path)).collect()
}

fn living_in(folder: &Path, kind: EntryKind, path: &Path) -> Vec<u32> {
    let living = of_thing(folder, kind, path).filter(|entry| entry.process.is_alive());
    living.map(|entry| entry.process.pid).collect()
}

/// The notes in `folder` about one thing.
fn of_thing(folder: &Path, kind: EntryKind, path: &Path) -> impl Iterator<Item = Entry> {
    let names = disk::list(folder).unwrap_or_default().into_iter();
    let notes = names.filter(|name| name.to_str().is_some_and(|name| name.ends_with(ENDING)));
    let entries = notes.filter_map(|name| read(&folder.join(name)).map(|(_, entry)| entry));
    entries.filter(move |entry| entry.kind == kind && entry.path == path)
}

fn dead_in(folder: &Path, until_ns: u64) -> Vec<Dead> {
    let names = disk::list(folder).unwrap_or_default();
    let mut found = Vec::new();
    for name in names.iter().take(NOTES_MAX) {
        let path = folder.join(name);
        match name.to_str() {
            Some(name) if name.ends_with(ENDING) => found.extend(take(&path, until_ns)),
            Some(name) if name.ends_with(ENDING_UNFINISHED) => remove_cut_off(&path),
            _ => {}
        }
    }
    found
}

/// The note at `path`, when it is one of ours and its process is gone.
fn take(path: &Path, until_ns: u64) -> Option<Dead> {
    let (file, entry) = read(path)?;
    // The lock alone would say it; a file system that grants every lock must not make the living dead.
    if entry.process.is_alive() {
        return None;
    }
    while lock(&file).is_err() {
        if Clock::Wall.now_ns() >= until_ns {
            return None;
        }
        Clock::Wall.sleep(POLL);
    }
    // Somebody who had the lock before us may have removed it.
    let is_there = disk::metadata(path).ok()?.ino() == file.metadata().ok()?.ino();
    is_there.then_some(Dead { entry, held: Held { file, path: path.to_owned() } })
}

/// The note at `path`, when it is one of ours.
fn read(path: &Path) -> Option<(File, Entry)> {
    let file = open(path)?;
    let mut text = String::new();
    file.as_std().take(MAX_BYTES).read_to_string(&mut text).ok()?;
    Entry::parse(&text).map(|entry| (file, entry))
}

/// Opens a plain file of our own; a pipe or a device is not even opened.
fn open(path: &Path) -> Option<File> {
    let is_own = |facts: &std::fs::Metadata| {
        facts.is_file()
            && facts.uid() == rustix::process::geteuid().as_raw()
            && facts.nlink() == 1
            && facts.len() <= MAX_BYTES
    };
    disk::metadata(path).ok().filter(is_own)?;
    let file = File::open_to_write(path).ok()?;
    file.metadata().ok().filter(is_own)?;
    Some(file)
}

fn remove_cut_off(path: &Path) {
    let is_old = |file: &File| {
        let modified = file.metadata().and_then(|facts| facts.modified()).ok()?;
        Some(Clock::Wall.date().duration_since(modified).unwrap_or_default() > CUT_OFF_AFTER)
    };
    if let Some(file) = open(path)
        && is_old(&file) == Some(true)
        && lock(&file).is_ok()
    {
        Held { file, path: path.to_owned() }.remove();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Note;
    use crate::process::Process;
    use std::fs;
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};

    /// A folder of notes for this test alone.
    fn folder() -> tempfile::TempDir {
        let temp = tempfile::tempdir().unwrap();
        fs::DirBuilder::new().mode(0o1700).create(temp.path().join("notes")).unwrap(); // As `home` makes it.
        temp
    }

    /// The notes of dead processes.
    fn look(notes: &Path) -> Vec<Dead> {
        dead_in(notes, 0)
    }

    fn text(kind: EntryKind, path: &str) -> String {
        let process = Process { pid: u32::MAX, ..Process::own() };
        Entry { kind, path: path.into(), detail: String::new(), stamp: None, process }.to_text()
    }

    #[test]
    fn a_dead_note_is_held_by_one_and_gone_when_done() {
        let temp = folder();
        let notes = temp.path().join("notes");
        fs::write(notes.join("1.note"), text(EntryKind::Mount, "/mnt/a")).unwrap();
        fs::write(notes.join("2.note"), text(EntryKind::Server, "/srv/a")).unwrap();
        let mut found = look(&notes);
        assert_eq!(found.len(), 2);
        assert!(look(&notes).is_empty(), "each is held");
        let last = found.pop().unwrap();
        assert_eq!(
            (last.entry().kind, last.entry().path.as_path()),
            (EntryKind::Server, Path::new("/srv/a"))
        );
        last.done();
        drop(found);
        assert_eq!(look(&notes).len(), 1, "what is not done is for the next one");
        look(&notes).pop().unwrap().done();
        assert!(!notes.exists(), "the folder goes with the last note");
    }

    #[test]
    fn the_living_are_left_alone_by_either_proof() {
        let temp = folder();
        let notes = temp.path().join("notes");
        let own = Entry { process: Process::own(), ..Entry::parse(&text(EntryKind::Mount, "/a")).unwrap() };
        fs::write(notes.join("own.note"), own.to_text()).unwrap();
        assert!(look(&notes).is_empty(), "nobody holds the lock, but the process lives");
        fs::write(notes.join("locked.note"), text(EntryKind::Mount, "/a")).unwrap();
        let holder = File::open_to_write(&notes.join("locked.note")).unwrap();
        lock(&holder).unwrap();
        assert!(look(&notes).is_empty(), "the process seems gone, but the lock is held");
        drop(holder);
        assert_eq!(look(&notes).len(), 1);
    }

    #[test]
    fn living_and_dead_notes_of_one_thing_are_counted() {
        let temp = folder();
        let notes = temp.path().join("notes");
        let own = Entry { process: Process::own(), ..Entry::parse(&text(EntryKind::Setting, "/a")).unwrap() };
        fs::write(notes.join("own.note"), own.to_text()).unwrap();
        fs::write(notes.join("dead.note"), text(EntryKind::Setting, "/a")).unwrap();
        fs::write(notes.join("kind.note"), text(EntryKind::Mount, "/a")).unwrap();
        fs::write(notes.join("place.note"), text(EntryKind::Setting, "/b")).unwrap();
        let of = |path: &str| count_in(&notes, EntryKind::Setting, Path::new(path), Count::default());
        assert_eq!(of("/a"), Count { living: 1, dead: 1 });
        assert_eq!(living_in(&notes, EntryKind::Setting, Path::new("/a")), [std::process::id()]);
        assert_eq!((of("/b"), of("/c")), (Count { living: 0, dead: 1 }, Count::default()));
    }

    #[test]
    fn the_last_child_of_a_dead_process_is_waited_for() {
        let temp = folder();
        let notes = temp.path().join("notes");
        fs::write(notes.join("locked.note"), text(EntryKind::Mount, "/a")).unwrap();
        let child = File::open_to_write(&notes.join("locked.note")).unwrap();
        lock(&child).unwrap();
        let found = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(5 * POLL);
                drop(child);
            });
            dead_in(&notes, Clock::Wall.now_ns() + 60_000_000_000)
        });
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn what_is_no_note_of_ours_is_not_touched() {
        let temp = folder();
        let notes = temp.path().join("notes");
        let outside = temp.path().join("outside");
        fs::write(&outside, text(EntryKind::Data, "/home")).unwrap();
        std::os::unix::fs::symlink(&outside, notes.join("link.note")).unwrap();
        fs::hard_link(&outside, notes.join("hard.note")).unwrap();
        fs::write(notes.join("garbage.note"), "rm -rf /").unwrap();
        fs::write(notes.join("dots.note"), text(EntryKind::Data, "/home/../etc")).unwrap();
        fs::write(notes.join("other"), text(EntryKind::Data, "/home")).unwrap();
        fs::create_dir(notes.join("dir.note")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            notes.join("pipe.note"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        if testkit::need::root().is_some() {
            fs::write(notes.join("theirs.note"), text(EntryKind::Data, "/home")).unwrap();
            std::os::unix::fs::chown(notes.join("theirs.note"), Some(65_534), None).unwrap();
        }
        let before = fs::read_dir(&notes).unwrap().count();
        assert!(look(&notes).is_empty());
        assert_eq!(fs::read_dir(&notes).unwrap().count(), before);
    }

    #[test]
    fn a_note_that_a_kill_cut_off_goes_once_it_is_old() {
        let temp = folder();
        let notes = temp.path().join("notes");
        for name in ["old.unfinished", "new.unfinished"] {
            fs::write(notes.join(name), "drivetr").unwrap();
        }
        let long_ago = std::time::SystemTime::now() - CUT_OFF_AFTER * 2;
        File::open_to_write(&notes.join("old.unfinished")).unwrap().as_std().set_modified(long_ago).unwrap();
        assert!(look(&notes).is_empty());
        assert!(!notes.join("old.unfinished").exists() && notes.join("new.unfinished").exists());
    }

    #[test]
    fn a_living_note_is_private_and_goes_with_its_holder() {
        // The usual folder: its notes are of this process, which lives, so nobody minds them.
        let mut note = Note::before(EntryKind::SocketFolder, Path::new("/nowhere/of/a/test"), "x");
        note.stamp("1 2");
        let folders = home::trusted();
        let files = || folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
        let of_test = || {
            let holds = |path: &std::path::PathBuf| {
                fs::read_to_string(path).is_ok_and(|text| text.contains("/nowhere/of/a/test"))
            };
            files().map(|entry| entry.path()).find(holds)
        };
        let path = of_test().expect("the note is there");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(Entry::parse(&fs::read_to_string(&path).unwrap()).unwrap().stamp.as_deref(), Some("1 2"));
        drop(note);
        assert_eq!(of_test(), None);
    }
}
