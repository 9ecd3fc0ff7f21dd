//! The files that verbs write: which kinds there are, how one of ours is recognised, and what no output may
//! touch.

use std::path::Path;

use anyhow::Context as _;
use clap::Args;
use disk::{OutputError, OutputKind, Outputs};
use experiment::{Experiment, Storage};

use crate::console::Console;
use crate::exit::Coded;
use crate::verbs::drives::own;

/// The option of every verb that writes a file.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct ForceArgs {
    /// Replace an output file that drivetrain did not write, or that may have been edited since
    #[arg(long)]
    pub(crate) force: bool,
}

/// The beginning of every report, around the tag of its language, up to the name of the tool that wrote it;
/// the lines between differ from version to version.
const REPORT_BEGINS: [&[u8]; 2] =
    [b"<!doctype html>\n<html lang=\"", b"\">\n<head>\n<meta charset=\"utf-8\">\n"];
/// The line of a report that names its maker.
const REPORT_MAKER: &[u8] = b"<meta name=\"generator\" content=\"drivetrain ";

/// The HTML page of a run.
pub(crate) const REPORT: OutputKind = OutputKind::marked("a report", is_report);
/// Rows of a run.
pub(crate) const CSV: OutputKind = OutputKind::marked("an export", |head| {
    notebook::CSV_HEADERS.iter().any(|line| first_line(head) == line.as_bytes())
        || head.starts_with(notebook::WIDE_CSV_HEADER.as_bytes())
});
/// The verdict of a gate as Markdown.
pub(crate) const CHECK: OutputKind =
    OutputKind::marked("a verdict", |head| first_line(head) == report::MARKDOWN_BEGINS.as_bytes());
/// The verdict of a gate in JUnit's form.
pub(crate) const JUNIT: OutputKind =
    OutputKind::marked("a verdict", |head| head.starts_with(report::JUNIT_BEGINS.as_bytes()));
/// The result of a run as Markdown.
pub(crate) const MARKDOWN: OutputKind =
    OutputKind::marked("a report", |head| first_line(head) == report::REPORT_BEGINS.as_bytes());
/// A figure of a report.
pub(crate) const SVG: OutputKind = OutputKind::marked("a figure", |head| {
    head.starts_with(b"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"at-")
});
/// A figure of a report as a picture.
pub(crate) const PNG: OutputKind = OutputKind::marked("a figure", report::is_painted);
/// Lines of JSON.
pub(crate) const JSON_LINES: OutputKind =
    OutputKind::marked("an export", |head| head.starts_with(b"{\"type\":\"run\",\"run\":"));
/// fio's documents and logs, and those of HdrHistogram: other programs write the same.
pub(crate) const OF_OTHERS: OutputKind = OutputKind::unmarked("an export");
/// fio's iolog.
pub(crate) const TRACE: OutputKind = OutputKind::unmarked("a trace");
/// An experiment, which its user goes on to change.
pub(crate) const EXPERIMENT: OutputKind = OutputKind::unmarked("an experiment");
/// A drive, which its user may go on to change. The hour of its measurement must not go nowhere.
pub(crate) const DRIVE: OutputKind = OutputKind { flows: false, ..OutputKind::unmarked("a drive") };
/// The file of a drive that was read before, and gets its certificate: all else in it stays.
pub(crate) const SAME_DRIVE: OutputKind =
    OutputKind { flows: false, ..OutputKind::marked("a drive", |_| true) };
/// The parameters of a calibration.
pub(crate) const PARAMETERS: OutputKind = OutputKind::marked("a calibration", |head| {
    first_line(head) == b"# Calibrated parameters of the simulated beds."
});
/// A page of the manual: its title is the first line that is no comment and no definition.
pub(crate) const MANUAL: OutputKind = OutputKind::marked("a page of the manual", |head| {
    let is_preamble = |line: &&[u8]| line.starts_with(b".ie ") || line.starts_with(b".el ");
    let title = head.split(|byte| *byte == b'\n').find(|line| !is_preamble(line));
    title.is_some_and(|line| line.starts_with(b".TH drivetrain"))
});

/// Only lines of the head itself count: text of a page or of a comment can quote anything.
fn is_report(head: &[u8]) -> bool {
    let [before, after] = REPORT_BEGINS;
    let Some(tagged) = head.strip_prefix(before) else { return false };
    let tag = tagged.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    let Some(rest) = tagged[tag..].strip_prefix(after) else { return false };
    let mut lines = rest.split(|byte| *byte == b'\n').take_while(|line| line.starts_with(b"<meta "));
    lines.any(|line| line.starts_with(REPORT_MAKER))
}

fn first_line(head: &[u8]) -> &[u8] {
    head.split(|byte| *byte == b'\n').next().unwrap_or_default()
}

/// Files that `--force` does not replace: data that nobody writes twice.
fn precious(path: &Path, head: &[u8]) -> Option<&'static str> {
    let beside = |suffix: &str| {
        let mut path = path.as_os_str().to_owned();
        path.push(suffix);
        disk::metadata_if_any(Path::new(&path)).is_ok_and(|found| found.is_some())
    };
    if head.starts_with(b"SQLite format 3\0") {
        Some("an SQLite database")
    } else if block::is_journal(head) {
        Some("the journal of a block load")
    } else if lab::is_marker(path) {
        Some("a marker that says what drivetrain may remove")
    } else if beside(block::MARKER_SUFFIX) {
        Some("the target of a block load")
    } else if ["-wal", "-journal"].iter().any(|suffix| {
        let path = path.as_os_str().to_string_lossy().into_owned();
        path.strip_suffix(suffix).is_some_and(|database| is_sqlite(Path::new(database)))
    }) {
        Some("a part of an SQLite database")
    } else {
        None
    }
}

fn is_sqlite(path: &Path) -> bool {
    // A pipe would make the opening wait.
    let is_file = disk::metadata_if_any(path).is_ok_and(|found| found.is_some_and(|found| found.is_file()));
    let mut head = [0; 16];
    is_file
        && disk::File::open(path).is_ok_and(|file| file.read_exact_at(&mut head, 0).is_ok())
        && head.starts_with(b"SQLite format 3\0")
}

/// Keeps the files of modelled drives, those of the user's own catalogue too, from being replaced.
pub(crate) fn keep_drives<'d>(outputs: &mut Outputs, drives: impl IntoIterator<Item = &'d str>) {
    for drive in drives {
        outputs.keep(Path::new(drive), "the drive's file");
        if let Some(own) = own::place_of(drive) {
            outputs.keep(&own, "the drive's file");
        }
    }
}

/// The modelled drives of an experiment, as it names them.
pub(crate) fn drives_of(experiment: &Experiment) -> impl Iterator<Item = &str> {
    let storages = experiment.bed.iter().flat_map(|bed| std::iter::once(&bed.storage).chain(&bed.log));
    storages.filter_map(|storage| match storage {
        Storage::Emulated { drive, .. } => Some(drive.as_str()),
        Storage::Real { .. } => None,
    })
}

/// The outputs of a verb that has a notebook, which none of them may be. A JSON document has stdout for
/// itself.
pub(crate) fn beside_notebook(notebook: &Path, force: ForceArgs, console: &Console) -> Outputs {
    let mut outputs = Outputs::new(force.force);
    outputs.spare(precious);
    if console.json() {
        outputs.keep_stdout();
    }
    outputs.keep(notebook, "the notebook");
    // SQLite lays its files beside the real one, where a link leads.
    let real = notebook.canonicalize().ok();
    for notebook in std::iter::once(notebook).chain(real.as_deref()) {
        for suffix in ["-wal", "-shm", "-journal", "-lock", "-live", "-stop"] {
            let mut path = notebook.as_os_str().to_owned();
            path.push(suffix);
            outputs.keep(Path::new(&path), "a part of the notebook");
        }
    }
    outputs
}

/// Makes a directory for many files, or takes one that is there. A link could lead anywhere.
///
/// # Errors
/// Exit code 6 for what is there and is no directory; as the kernel reports where it cannot be made.
pub(crate) fn directory(dir: &Path) -> anyhow::Result<()> {
    let refused = |what: &str| Coded::refused(format!("{}: {what}; name a directory", dir.display()));
    // With a slash behind it the kernel would follow the link.
    let plain: std::path::PathBuf = dir.components().collect();
    let found = disk::metadata_if_any(&plain).with_context(|| format!("looking at {}", dir.display()))?;
    match found {
        Some(found) if found.is_dir() => Ok(()),
        Some(found) if found.is_symlink() => Err(refused("a symbolic link is there")),
        Some(_) => Err(refused("no directory is there")),
        None => disk::create_dir(&plain).with_context(|| format!("making the directory {}", dir.display())),
    }
}

/// A refusal for safety has an exit code of its own.
pub(crate) fn coded(error: OutputError) -> anyhow::Error {
    if error.is_refusal { Coded::refused(error.to_string()) } else { error.into() }
}
