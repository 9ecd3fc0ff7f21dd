//! Files that are read from their beginning to their end, whatever they are: nobody waits for them out of
//! reach of a request to stop.
//!
//! Opening a pipe that has a name waits for its other end, in a call that no flag ends. Here it is opened
//! without that, and waited for in small steps.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;

use crate::fault::{Call, point};

/// The interval at which a waiting reader checks `stop`.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
/// File system of pipes without a name (`statfs(2)`): their writers were there before.
const PIPEFS: i64 = 0x5049_5045;

/// An open file, device or pipe.
#[derive(Debug)]
pub struct Input {
    file: File,
    /// True if a read may wait for a writer.
    waits: bool,
    /// False for a pipe that only its two ends know.
    has_name: bool,
    /// True until the first writer has begun.
    wants_writer: bool,
    stop: Arc<AtomicBool>,
    is_stopped: bool,
}

impl Input {
    /// Opens the file at `path`, links included. It seems to end as soon as `stop` is true during a wait.
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn open(path: &Path, stop: Arc<AtomicBool>) -> io::Result<Input> {
        point(Call::Open, path)?;
        let flags = OFlags::NONBLOCK.bits().cast_signed();
        let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
        let kind = file.metadata()?.file_type();
        let waits = !(kind.is_file() || kind.is_dir() || kind.is_block_device());
        let has_name = rustix::fs::fstatfs(&file).is_ok_and(|found| found.f_type != PIPEFS);
        let wants_writer = kind.is_fifo() && has_name;
        Ok(Input { file, waits, has_name, wants_writer, stop, is_stopped: false })
    }

    /// The opened file.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// True for a regular file, and for a pipe without a name, whose writer is there: nobody waits for these.
    /// False for a pipe with a name, a terminal and any other device.
    #[must_use]
    pub fn is_at_hand(&self) -> bool {
        let is_file = self.file.metadata().is_ok_and(|found| found.is_file());
        let is_fifo = self.file.metadata().is_ok_and(|found| found.file_type().is_fifo());
        is_file || (is_fifo && !self.has_name)
    }

    /// True if it ended because `stop` was set.
    #[must_use]
    pub fn was_stopped(&self) -> bool {
        self.is_stopped
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            // Some devices never end and never wait.
            if self.waits && self.stop.load(Ordering::Acquire) {
                self.is_stopped = true;
                return Ok(0);
            }
            match self.file.read(buffer) {
                Ok(0) if self.wants_writer => {}
                Err(error) if self.waits && error.kind() == ErrorKind::WouldBlock => {}
                read => {
                    self.wants_writer = false;
                    return read;
                }
            }
            let mut waiting = [PollFd::new(&self.file, PollFlags::IN)];
            match poll(&mut waiting, Some(&LOOK)) {
                // A writer came and went.
                Ok(_) if waiting[0].revents().contains(PollFlags::HUP) => self.wants_writer = false,
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The text of a file. A file of another kind, which might block, is refused.
///
/// # Errors
/// As the kernel reports; `InvalidData` for bytes that are not UTF-8, `InvalidInput` for a pipe or a device.
pub fn text_of_file(path: &Path) -> io::Result<String> {
    let mut input = Input::open(path, Arc::default())?;
    if input.waits {
        return Err(io::Error::new(ErrorKind::InvalidInput, "is a pipe or a device; name a file"));
    }
    let mut text = String::new();
    input.read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::thread;

    fn pipe() -> (tempfile::TempDir, std::path::PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        (temp, path)
    }

    fn whole(input: &mut Input) -> String {
        let mut text = String::new();
        input.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_pipe_that_nobody_writes_ends_when_it_is_to_stop() {
        let (_temp, path) = pipe();
        let stop = Arc::new(AtomicBool::new(false));
        let mut input = Input::open(&path, Arc::clone(&stop)).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| stop.store(true, Ordering::Release));
            assert_eq!(whole(&mut input), "");
        });
        assert!(input.was_stopped() && !input.is_at_hand());
        assert_eq!(text_of_file(&path).unwrap_err().kind(), ErrorKind::InvalidInput);
    }

    #[test]
    fn a_device_without_an_end_ends_when_it_is_to_stop() {
        let stop = Arc::new(AtomicBool::new(false));
        let mut input = Input::open(Path::new("/dev/zero"), Arc::clone(&stop)).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| stop.store(true, Ordering::Release));
            io::copy(&mut input, &mut io::sink()).unwrap();
        });
        assert!(input.was_stopped());
    }

    #[test]
    fn a_pipe_is_read_to_its_end_however_late_it_is_written() {
        let (_temp, path) = pipe();
        let mut input = Input::open(&path, Arc::default()).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut writer = OpenOptions::new().write(true).open(&path).unwrap();
                for word in ["one ", "two"] {
                    thread::sleep(std::time::Duration::from_millis(150));
                    writer.write_all(word.as_bytes()).unwrap();
                }
            });
            assert_eq!(whole(&mut input), "one two");
        });
        assert!(!input.was_stopped());
    }

    #[test]
    fn pipes_without_a_name_that_were_closed_before_end() {
        use std::os::fd::AsRawFd as _;
        for word in ["", "word"] {
            let (reader, mut writer) = io::pipe().unwrap();
            writer.write_all(word.as_bytes()).unwrap();
            drop(writer);
            let path = format!("/proc/self/fd/{}", reader.as_raw_fd());
            let mut input = Input::open(path.as_ref(), Arc::default()).unwrap();
            assert!(input.is_at_hand());
            assert_eq!(whole(&mut input), word);
        }
    }

    #[test]
    fn files_are_read_as_ever() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("file");
        std::fs::write(&path, "text").unwrap();
        assert_eq!(text_of_file(&path).unwrap(), "text");
        assert_eq!(whole(&mut Input::open(&path, Arc::new(AtomicBool::new(true))).unwrap()), "text");
        assert_eq!(text_of_file(&temp.path().join("none")).unwrap_err().kind(), ErrorKind::NotFound);
    }
}
