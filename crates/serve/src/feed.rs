//! The feed of a run: its events as lines of JSON in a file beside the notebook, for every reader at once.
//!
//! The file holds the running cell alone: it begins anew with each cell, within a long one whenever it has
//! become large, and is removed with the run. Its first line names its part, so that a reader notices the new
//! beginning. A feed that cannot be written is given up: the run goes on. Requests to stop come back through
//! a second file.

use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use disk::File;
use ground::Clock;
use lab::{Event, Interrupt, Observer};
use serde_json::json;
use words::say;

use crate::event::{line, stamped};
use crate::stop::{Stop, stop_path, take_request};

/// Begins the first line of every feed.
pub(crate) const MARK: &str = "{\"drivetrain\":\"live\",\"part\":";
/// Everybody who may read the notebook may read along, as far as the process's mask permits.
const MODE: u32 = 0o666;
/// A part that is longer is followed by another of the same cell: some hours of seconds.
const PART_MAX_BYTES: u64 = 8 << 20;

/// The feed's path beside a notebook.
pub(crate) fn feed_path(notebook: &Path) -> PathBuf {
    beside(notebook, "-live")
}

/// A file beside a notebook, with its name and more.
pub(crate) fn beside(notebook: &Path, suffix: &str) -> PathBuf {
    let mut name = notebook.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Passes the events of a run on to its observer, and writes them for readers of the page.
pub struct Feed<'a> {
    to: &'a dyn Observer,
    interrupt: &'a Interrupt,
    path: PathBuf,
    stop: PathBuf,
    state: Mutex<State>,
}

enum State {
    /// Before the first event.
    Before,
    Open(FeedFile),
    /// It could not be written.
    GivenUp,
}

/// The word for the way in which a run is to stop; `None` while it is to go on.
fn stopping(interrupt: &Interrupt) -> Option<&'static str> {
    match () {
        () if interrupt.at_once() => Some("at-once"),
        () if interrupt.requested() => Some(Stop::Now.word()),
        () if interrupt.ends_after_cell() => Some(Stop::AfterCell.word()),
        () => None,
    }
}

impl<'a> Feed<'a> {
    /// A feed beside the notebook. It begins with the first event, when this process holds the notebook for
    /// writing. A file of that name that is somebody else's stays as it is, and there is no feed.
    pub fn new(notebook: &Path, to: &'a dyn Observer, interrupt: &'a Interrupt) -> Self {
        let (path, stop) = (feed_path(notebook), stop_path(notebook));
        Self { to, interrupt, path, stop, state: Mutex::new(State::Before) }
    }

    /// Takes what an earlier run left away.
    fn begin(&self) -> State {
        take_request(&self.stop);
        FeedFile::begin(&self.path).map_or(State::GivenUp, State::Open)
    }

    /// Does as a page asks; whoever watches the run elsewhere is told. Gives what it tells.
    fn obey(&self) -> Option<Event> {
        let text = match take_request(&self.stop)? {
            Stop::AfterCell => {
                self.interrupt.request_after_cell();
                say!("live-asked-after-cell")
            }
            Stop::Now => {
                self.interrupt.request();
                say!("live-asked-now")
            }
        };
        Some(Event::Warning { text: text.to_owned() })
    }
}

impl Observer for Feed<'_> {
    fn event(&self, event: Event) {
        let line = line(&event);
        self.to.event(event.clone());
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, State::Before) {
            *state = self.begin();
        }
        if let Some(told) = self.obey() {
            self.to.event(told);
        }
        if let State::Open(file) = &mut *state
            && file.write(&event, line).and_then(|()| file.tell_end(stopping(self.interrupt))).is_err()
        {
            *state = State::GivenUp;
        }
    }
}

/// An open feed; its file goes away with it.
struct FeedFile {
    file: File,
    part: u64,
    length_bytes: u64,
    /// The lines with which each part begins: of the run, of the running cell, and of its phase.
    started: String,
    cell: String,
    phase: String,
    /// The way in which the run is to stop, as told last.
    stopping: Option<&'static str>,
}

impl FeedFile {
    fn begin(path: &Path) -> Option<Self> {
        let file = match File::create_new_with(path, MODE) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => left_by_a_kill(path)?,
            created => created.ok()?,
        };
        let part = Clock::Wall.unix_ms().unsigned_abs();
        let [started, cell, phase] = [const { String::new() }; 3];
        let mut feed = Self { file, part, length_bytes: 0, started, cell, phase, stopping: None };
        feed.begin_part().ok()?;
        Some(feed)
    }

    fn write(&mut self, event: &Event, line: String) -> std::io::Result<()> {
        match event {
            Event::Started { .. } => self.started = line,
            Event::CellStarted { .. } => (self.cell, self.phase) = (line, String::new()),
            Event::Phase { .. } => {
                self.phase.clone_from(&line);
                return self.append(&line);
            }
            _ if self.length_bytes < PART_MAX_BYTES => return self.append(&line),
            _ => {
                self.begin_part()?;
                return self.append(&line);
            }
        }
        self.begin_part()
    }

    /// Begins the file anew, under a head of its own.
    fn begin_part(&mut self) -> std::io::Result<()> {
        self.part += 1;
        (self.stopping, self.length_bytes) = (None, 0);
        let text = format!("{MARK}{}}}\n{}{}{}", self.part, self.started, self.cell, self.phase);
        self.file.set_len(0)?;
        std::io::Seek::rewind(&mut self.file)?;
        self.append(&text)
    }

    fn append(&mut self, text: &str) -> std::io::Result<()> {
        self.length_bytes += text.len() as u64;
        self.file.write_all(text.as_bytes())
    }

    /// Tells once in each part that the run is to stop, whoever asked for it.
    fn tell_end(&mut self, stopping: Option<&'static str>) -> std::io::Result<()> {
        if stopping == self.stopping {
            return Ok(());
        }
        self.stopping = stopping;
        self.append(&stamped(json!({ "event": "stopping", "when": stopping })))
    }
}

impl Drop for FeedFile {
    fn drop(&mut self) {
        let _ = disk::remove_file(self.file.path()); // A file that stays is taken over by the next run.
    }
}

/// Removes the feed and the request that a killed run left beside a notebook. Nobody writes the notebook now,
/// or this process does.
pub fn remove_left(notebook: &Path) {
    take_request(&stop_path(notebook));
    let path = feed_path(notebook);
    if left_by_a_kill(&path).is_some() {
        let _ = disk::remove_file(&path); // The next run takes over one that stays.
    }
}

/// The feed of a process that was killed; `None` if the file is not a feed.
fn left_by_a_kill(path: &Path) -> Option<File> {
    let found = disk::metadata_if_any(path).ok()??;
    // Others may be able to make a file here, and must not end a run by it.
    let is_trusted = found.uid() == 0 || found.uid() == rustix::process::geteuid().as_raw();
    if !found.is_file() || !is_trusted {
        return None;
    }
    let mut file = File::open_to_write(path).ok()?;
    let mut head = vec![0; MARK.len()];
    let read = file.read(&mut head).ok()?;
    (read == 0 || head[..read] == MARK.as_bytes()[..read]).then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::follow::Follower;
    use crate::stop::leave_request;

    fn events(feed: &Feed<'_>, range: std::ops::Range<usize>) {
        for number in range {
            let text = format!("warning {number}");
            feed.event(Event::Warning { text });
        }
    }

    fn cell(number: usize) -> Event {
        let expected = std::time::Duration::from_secs(3);
        Event::CellStarted { number, total: 9, what: "a <b>".to_owned(), expected }
    }

    #[test]
    fn a_reader_gets_each_event_once_and_the_part_of_the_running_cell() {
        let home = tempfile::tempdir().unwrap();
        let notebook = home.path().join("n.db");
        let interrupt = Interrupt::new();
        let feed = Feed::new(&notebook, &lab::Silent, &interrupt);
        let mut follower = Follower::of(&notebook);
        events(&feed, 0..3);
        assert_eq!(follower.next().len(), 4, "the start of a part, and three");
        events(&feed, 3..5);
        assert_eq!(follower.next().len(), 2);
        assert!(follower.next().is_empty());
        feed.event(cell(4));
        events(&feed, 5..6);
        let lines = follower.next();
        let [mark, cell, warning] = &lines[..] else { panic!("{lines:?}") };
        assert!(mark.text.starts_with(MARK) && cell.text.contains("\"number\":4"), "{lines:?}");
        assert!(warning.text.contains("warning 5"), "{lines:?}");
        drop(feed);
        assert!(!feed_path(&notebook).exists());
        assert_eq!(follower.next().len(), 1, "the end");
    }

    #[test]
    fn a_long_cell_has_several_parts_each_with_its_head() {
        let home = tempfile::tempdir().unwrap();
        let notebook = home.path().join("n.db");
        let interrupt = Interrupt::new();
        let feed = Feed::new(&notebook, &lab::Silent, &interrupt);
        feed.event(cell(4));
        feed.event(Event::Phase { name: words::PhaseName::Measure });
        let text = "x".repeat(1 << 20);
        for _ in 0..12 {
            feed.event(Event::Warning { text: text.clone() });
            assert!(feed_path(&notebook).metadata().unwrap().len() < PART_MAX_BYTES + (2 << 20));
        }
        let head: Vec<String> = Follower::of(&notebook).next().into_iter().map(|line| line.text).collect();
        assert!(
            head[1].contains("\"number\":4") && head[2].contains("\"phase\":\"measure\""),
            "{:?}",
            &head[..3]
        );
    }

    /// Keeps the warnings.
    #[derive(Default)]
    struct Warned(Mutex<Vec<String>>);

    impl Observer for Warned {
        fn event(&self, event: Event) {
            if let Event::Warning { text } = event {
                self.0.lock().unwrap().push(text);
            }
        }
    }

    #[test]
    fn requests_to_stop_are_obeyed_once() {
        let home = tempfile::tempdir().unwrap();
        let notebook = home.path().join("n.db");
        std::fs::write(stop_path(&notebook), "now").unwrap();
        let (interrupt, warned) = (Interrupt::new(), Warned::default());
        let feed = Feed::new(&notebook, &warned, &interrupt);
        events(&feed, 0..1);
        assert!(!interrupt.requested(), "a request to an earlier run");
        std::fs::write(stop_path(&notebook), "now").unwrap();
        events(&feed, 0..2);
        assert!(interrupt.requested() && !interrupt.at_once());
        assert!(!stop_path(&notebook).exists());
        let told = warned.0.into_inner().unwrap().into_iter().filter(|text| text.contains("A page asked"));
        assert_eq!(told.count(), 1, "the terminal says who asked");
    }

    #[test]
    fn everybody_is_told_once_that_the_run_is_to_stop() {
        let home = tempfile::tempdir().unwrap();
        let notebook = home.path().join("n.db");
        let interrupt = Interrupt::new();
        let feed = Feed::new(&notebook, &lab::Silent, &interrupt);
        let mut follower = Follower::of(&notebook);
        let mut told = |feed: &Feed<'_>| {
            events(feed, 0..3);
            let lines = follower.next();
            let stopping = lines.iter().filter(|line| line.text.contains("\"event\":\"stopping\""));
            stopping
                .filter_map(|line| Some(line.text.split_once("\"when\":\"")?.1.split('"').next()?.to_owned()))
                .collect::<Vec<_>>()
        };
        assert!(told(&feed).is_empty());
        interrupt.request_after_cell();
        assert_eq!(told(&feed), ["cell"]);
        feed.event(cell(2));
        assert_eq!(told(&feed), ["cell"], "a new part says it again");
        interrupt.request();
        assert_eq!(told(&feed), ["now"]);
        interrupt.request();
        assert_eq!(told(&feed), ["at-once"]);
        assert!(told(&feed).is_empty());
    }

    #[test]
    fn files_of_others_stay() {
        let home = tempfile::tempdir().unwrap();
        let notebook = home.path().join("n.db");
        std::fs::write(feed_path(&notebook), "my own").unwrap();
        std::fs::write(stop_path(&notebook), "a letter").unwrap();
        let interrupt = Interrupt::new();
        events(&Feed::new(&notebook, &lab::Silent, &interrupt), 0..2);
        assert_eq!(std::fs::read_to_string(feed_path(&notebook)).unwrap(), "my own");
        leave_request(&notebook, Stop::Now).unwrap_err();
        assert_eq!(std::fs::read_to_string(stop_path(&notebook)).unwrap(), "a letter");
        assert!(!interrupt.requested());
    }

    #[test]
    fn the_feed_of_a_killed_run_is_taken_over() {
        let home = tempfile::tempdir().unwrap();
        let notebook = home.path().join("n.db");
        std::fs::write(feed_path(&notebook), format!("{MARK}7}}\nhalf a li")).unwrap();
        let interrupt = Interrupt::new();
        events(&Feed::new(&notebook, &lab::Silent, &interrupt), 0..1);
        assert!(!feed_path(&notebook).exists());
        std::fs::write(feed_path(&notebook), format!("{MARK}7}}\nhalf a li")).unwrap();
        remove_left(&notebook);
        assert!(!feed_path(&notebook).exists());
        std::fs::write(feed_path(&notebook), "my own").unwrap();
        remove_left(&notebook);
        assert!(feed_path(&notebook).exists());
    }
}
