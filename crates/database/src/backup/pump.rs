//! Streams between tools and files: compressed by another process, held to a rate, counted.

use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use disk::File;
use ground::{Clock, Stopwatch};

use super::tool::{self, Manner, Started};
use super::{BackupError, BackupWatch};
use crate::error::DatabaseError;

/// Compresses fast rather than well: a backup at the drive's pace would wait for anything better.
const GZIP: [&str; 2] = ["gzip", "-1"];
/// The size of one step.
const STEP_BYTES: usize = 256 << 10;

/// Holds a stream to a rate.
#[derive(Debug)]
pub(crate) struct Pace {
    start: Stopwatch,
    bytes_per_s: Option<u64>,
    moved: u64,
}

impl Pace {
    pub(crate) fn new(bytes_per_s: Option<u64>) -> Self {
        Self { start: Clock::Wall.stopwatch(), bytes_per_s: bytes_per_s.filter(|rate| *rate > 0), moved: 0 }
    }

    /// Waits until `bytes` more are due; looks at `watch` at least ten times a second.
    pub(crate) fn moved(&mut self, bytes: u64, watch: &BackupWatch) {
        self.moved += bytes;
        let Some(rate) = self.bytes_per_s else { return };
        let due = Duration::from_secs_f64(self.moved as f64 / rate as f64);
        while let Some(left) = due.checked_sub(self.start.elapsed()).filter(|left| !left.is_zero()) {
            if watch.is_stopped() {
                return;
            }
            Clock::Wall.sleep(left.min(Duration::from_millis(100)));
        }
    }
}

/// Runs `command` and stores its output in the new file `to`, compressed if requested.
pub(crate) fn stream_into(
    mut command: Command,
    to: &Path,
    compress: bool,
    bytes_per_s: Option<u64>,
    manner: &Manner<'_>,
) -> Result<(), DatabaseError> {
    let file = File::create_new_with(to, 0o644).map_err(DatabaseError::io("creating", to))?;
    if !compress && bytes_per_s.is_none() {
        // Directly into the file, without a copy through this process.
        let own = file.as_std().try_clone().map_err(DatabaseError::io("opening", to))?;
        tool::run(with_output(command, own), &Manner { counts: true, ..*manner })?;
        manner.watch.wrote(file.metadata().map_or(0, |metadata| metadata.len()));
    } else {
        command.stdout(Stdio::piped());
        let mut first = Started::begin(command, manner)?;
        let output = first.child.stdout.take();
        let piped =
            output.ok_or_else(|| DatabaseError::io("reading", to)(std::io::ErrorKind::BrokenPipe.into()))?;
        if compress {
            let mut gzip = Command::new(GZIP[0]);
            gzip.arg(GZIP[1]).stdin(Stdio::from(piped)).stdout(Stdio::piped());
            let mut second = Started::begin(gzip, manner)?;
            let compressed = second.child.stdout.take();
            let compressed = compressed
                .ok_or_else(|| DatabaseError::io("reading", to)(std::io::ErrorKind::BrokenPipe.into()))?;
            pump(compressed, &file, to, bytes_per_s, manner)?;
            second.finish(manner)?;
        } else {
            pump(piped, &file, to, bytes_per_s, manner)?;
        }
        first.finish(manner)?;
    }
    file.sync_all().map_err(|error| full_or(error, to, manner))
}

fn with_output(mut command: Command, file: std::fs::File) -> Command {
    command.stdout(file);
    command
}

/// Moves everything from `source` to `file`, no faster than asked.
fn pump(
    mut source: impl Read,
    mut file: &File,
    to: &Path,
    bytes_per_s: Option<u64>,
    manner: &Manner<'_>,
) -> Result<(), DatabaseError> {
    let mut pace = Pace::new(bytes_per_s);
    let mut buffer = vec![0; STEP_BYTES];
    loop {
        if manner.watch.is_stopped() {
            return Err(BackupError::Cancelled { what: "the backup".to_owned() }.into());
        }
        match source.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => {
                file.write_all(&buffer[..read]).map_err(|error| full_or(error, to, manner))?;
                manner.watch.add(read as u64);
                pace.moved(read as u64, manner.watch);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(DatabaseError::io("reading for", to)(error)),
        }
    }
}

fn full_or(error: std::io::Error, to: &Path, manner: &Manner<'_>) -> DatabaseError {
    if error.kind() == std::io::ErrorKind::StorageFull {
        return BackupError::TargetFull { dir: manner.target.to_owned(), printed: String::new() }.into();
    }
    DatabaseError::io("writing", to)(error)
}

/// Feeds the file `from` to `command`, unpacked where it is compressed, and waits for its end.
pub(crate) fn stream_out_of(
    from: &Path,
    compressed: bool,
    mut command: Command,
    manner: &Manner<'_>,
) -> Result<(), DatabaseError> {
    let file = File::open(from).map_err(DatabaseError::io("opening", from))?;
    let file = file.as_std().try_clone().map_err(DatabaseError::io("opening", from))?;
    if !compressed {
        command.stdin(file);
        return tool::run(command, manner);
    }
    let mut gzip = Command::new(GZIP[0]);
    gzip.arg("-dc").stdin(file).stdout(Stdio::piped());
    let mut first = Started::begin(gzip, manner)?;
    let unpacked = first.child.stdout.take();
    let unpacked =
        unpacked.ok_or_else(|| DatabaseError::io("reading", from)(std::io::ErrorKind::BrokenPipe.into()))?;
    command.stdin(Stdio::from(unpacked));
    // The reader first: its message about a broken stream is the better reason.
    tool::run(command, manner)?;
    first.finish(manner)
}

/// `name`, or `name.gz` when it is compressed.
pub(crate) fn named(dir: &Path, name: &str, compressed: bool) -> PathBuf {
    if compressed { dir.join(format!("{name}.gz")) } else { dir.join(name) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use disk::fault::{self, Failure, Plan};

    fn printing(text: &str) -> Command {
        let mut command = Command::new("printf");
        command.arg(text);
        command
    }

    #[test]
    fn a_stream_comes_back_as_it_went_whichever_way() {
        let temp = tempfile::tempdir().unwrap();
        for (compress, rate) in
            [(false, None), (false, Some(10_000_000)), (true, None), (true, Some(10_000_000))]
        {
            let watch = BackupWatch::new();
            let manner = Manner::plain(&watch, temp.path());
            let to = named(temp.path(), &format!("backup-{rate:?}.sql"), compress);
            stream_into(printing("rows"), &to, compress, rate, &manner).unwrap();
            let mut tee = Command::new("tee");
            let back = temp.path().join("back");
            tee.arg(&back).stdout(Stdio::null());
            stream_out_of(&to, compress, tee, &manner).unwrap();
            assert_eq!(std::fs::read_to_string(&back).unwrap(), "rows", "{compress} {rate:?}");
            assert!(watch.bytes() > 0);
        }
    }

    #[test]
    fn a_failing_tool_makes_no_backup_even_behind_a_pipe() {
        let temp = tempfile::tempdir().unwrap();
        let watch = BackupWatch::new();
        let manner = Manner::plain(&watch, temp.path());
        let mut command = Command::new("sh");
        command.args(["-c", "echo half; echo 'lost the server' >&2; exit 1"]);
        let error =
            stream_into(command, &temp.path().join("x.gz"), true, None, &manner).unwrap_err().to_string();
        assert!(error.contains("lost the server"), "{error}");
    }

    #[test]
    fn a_full_target_is_told() {
        let temp = tempfile::tempdir().unwrap();
        let watch = BackupWatch::new();
        let manner = Manner::plain(&watch, temp.path());
        for (compress, rate) in [(false, Some(1 << 30)), (true, None)] {
            let to = named(temp.path(), "backup.sql", compress);
            // The first call makes the file.
            let full = Plan { failure: Failure::Full, at: 2 };
            let (streamed, _) =
                fault::with(full, || stream_into(printing("rows"), &to, compress, rate, &manner));
            let error = streamed.unwrap_err().to_string();
            assert!(error.contains("is full"), "{error}");
        }
    }

    #[test]
    fn a_rate_is_an_upper_bound() {
        let watch = BackupWatch::new();
        let mut pace = Pace::new(Some(1_000_000));
        for _ in 0..10 {
            pace.moved(10_000, &watch);
        }
        assert!(pace.start.elapsed() >= Duration::from_millis(100));
    }
}
