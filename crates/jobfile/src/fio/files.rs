//! The files of a job: the files and devices it names, or the ones that fio would make for it.

use super::job::Job;
use super::number::{self, Amount};
use crate::source::Reading;

/// Files of one job (all its clones); more than a workload has.
const FILES_MAX: u64 = 32_768;
/// Devices that swallow and make bytes without any storage behind them.
const BOTTOMLESS: [&str; 2] = ["/dev/null", "/dev/zero"];

/// fio's pattern for names of files that the job does not name.
const FORMAT: &str = "$jobname.$jobnum.$filenum";

/// One file or device.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Target {
    /// As written, or as fio would name it.
    pub(super) path: String,
    /// True if the job names it, so that other jobs of that name mean the same file.
    pub(super) is_named: bool,
}

/// The part of its files that a job uses, the same for each of its files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) offset: Amount,
    /// `None`: to the end.
    pub(super) length: Option<Amount>,
    /// The offset of each further clone's region from the one before.
    pub(super) increment: Option<Amount>,
}

/// The place of a job's bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JobFiles {
    /// The files of each clone; all clones have the same ones when the job names them.
    pub(super) clones: Vec<Vec<Target>>,
    pub(super) span: Span,
    /// True for a file without storage: `/dev/null` and `/dev/zero`.
    pub(super) is_bottomless: bool,
}

impl JobFiles {
    /// True if all clones work on the same files.
    pub(super) fn is_shared(&self) -> bool {
        self.clones.windows(2).all(|pair| pair[0] == pair[1])
    }
}

/// The files and the span of a job with `clones` clones.
pub(super) fn place(reading: &mut Reading<'_>, job: &Job, clones: u64) -> Option<JobFiles> {
    let named = named(reading, job)?;
    let count = match &named {
        Some(names) => names.len() as u64,
        None => job.integer(reading, "nrfiles").unwrap_or(1).max(1),
    };
    if count.saturating_mul(if named.is_some() { 1 } else { clones }) > FILES_MAX {
        let option = if job.has("nrfiles") { "nrfiles" } else { "numjobs" };
        let why = format!("these are more than {FILES_MAX} files");
        job.refuse(reading, option, &why, "use fewer files, or name one with filename=");
        return None;
    }
    let directories: Vec<&str> =
        job.text("directory").map(|text| text.split(':').collect()).unwrap_or_default();
    let format = job.text("filename_format").filter(|format| !format.is_empty());
    let names = Names::of(format.unwrap_or(FORMAT), &job.name);
    let clones = (0..clones).map(|clone| match &named {
        Some(names) => {
            let target = |name: &String| Target { path: join(directories.first(), name), is_named: true };
            names.iter().map(target).collect()
        }
        None => {
            let directory = directories.get(clone as usize % directories.len().max(1));
            let target = |name: String| Target { path: join(directory, &name), is_named: format.is_some() };
            names.of_clone(clone, count).map(target).collect()
        }
    });
    let clones: Vec<Vec<Target>> = clones.collect();
    let span = span(reading, job, &clones[0], count)?;
    let is_bottomless = bottomless(reading, job, &clones[0])?;
    Some(JobFiles { clones, span, is_bottomless })
}

/// The names that `filename=` or a section named like a device gives.
fn named(reading: &mut Reading<'_>, job: &Job) -> Option<Option<Vec<String>>> {
    let Some(text) = job.text("filename") else {
        // fio's habit: a section called /dev/sdb is a job on that device.
        return Some(job.name.starts_with("/dev/").then(|| vec![job.name.clone()]));
    };
    let names: Vec<String> = split_colons(text).into_iter().filter(|name| !name.is_empty()).collect();
    for name in &names {
        if name == "-" || name.starts_with("\\\\") {
            let help = "name a file or a block device of this host";
            job.refuse(reading, "filename", &format!("`{name}` is no file or block device here"), help);
            return None;
        }
    }
    Some(Some(names))
}

/// True if the files are devices without storage; a mixture is a fault.
fn bottomless(reading: &mut Reading<'_>, job: &Job, files: &[Target]) -> Option<bool> {
    let count = files.iter().filter(|file| BOTTOMLESS.contains(&file.path.as_str())).count();
    if count > 0 && count < files.len() {
        let help = "give the devices without storage a job of their own";
        job.refuse(
            reading,
            "filename",
            "some of its files have storage behind them, and some have none",
            help,
        );
        return None;
    }
    if count > 0 {
        let text = "there is no storage behind it: drivetrain's null engine moves no bytes at all";
        job.note(reading, "filename", text);
    }
    Some(count > 0)
}

/// Names between colons; `\:` is a colon within one.
fn split_colons(text: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let last = names.len() - 1;
        match character {
            '\\' if characters.peek() == Some(&':') => names[last].extend(characters.next()),
            ':' => names.push(String::new()),
            other => names[last].push(other),
        }
    }
    names.iter().map(|name| name.trim().to_owned()).collect()
}

/// Files' names after `filename_format`. A job's name is part of them: fio replaces characters that would
/// make a directory. Without a client there is no name of one.
struct Names(String);

impl Names {
    fn of(format: &str, job: &str) -> Names {
        Names(format.replace("$jobname", &job.replace('/', "_")))
    }

    /// The names of one clone's files. There may be thousands: their common part is made once.
    fn of_clone(&self, clone: u64, files: u64) -> impl Iterator<Item = String> {
        let format = self.0.replace("$jobnum", &clone.to_string());
        // Numbers make no `$clientuid` where there was none.
        let parts: Vec<String> =
            format.split("$filenum").map(|part| part.replace("$clientuid", "")).collect();
        (0..files).map(move |file| parts.join(&file.to_string()))
    }
}

fn join(directory: Option<&&str>, name: &str) -> String {
    match directory {
        Some(directory) if !name.starts_with('/') && !directory.is_empty() => {
            format!("{}/{name}", directory.trim_end_matches('/'))
        }
        _ => name.to_owned(),
    }
}

fn span(reading: &mut Reading<'_>, job: &Job, files: &[Target], count: u64) -> Option<Span> {
    let offset = job.amount(reading, "offset").unwrap_or(Amount::Bytes(0));
    let increment = job.amount(reading, "offset_increment").filter(|amount| *amount != Amount::Bytes(0));
    let length = match (job.text("filesize"), job.amount(reading, "size")) {
        // `size` is for all files of a job together, `filesize` for each.
        (None, Some(Amount::Bytes(total))) => Some(Amount::Bytes(total / count.max(1))),
        (None, length) => length,
        (Some(text), total) => {
            let base = job.kb_base();
            let result = if text.contains('-') {
                job.note(reading, "filesize", "all files have the largest size of the range");
                number::range(text, base).map(|(_, high)| Amount::Bytes(high))
            } else {
                number::amount(text, base)
            };
            let each = job.checked(reading, "filesize", result)?;
            match total {
                // A job's own size may be less than its files.
                Some(Amount::Bytes(total)) if Amount::Bytes(total / count.max(1)) != each => {
                    let share = total / count.max(1);
                    Some(if let Amount::Bytes(each) = each { Amount::Bytes(share.min(each)) } else { each })
                }
                _ => Some(each),
            }
        }
    };
    let length = length.filter(|length| *length != Amount::Bytes(0));
    let fills_up =
        job.flag(reading, "fill_device") && files.iter().any(|file| !file.path.starts_with("/dev/"));
    if length.is_none() && fills_up {
        let help = "write the size up to which it may grow, for example size=10g";
        job.refuse(reading, "fill_device", "no file system is filled to its last block", help);
        return None;
    }
    if length.is_none() {
        known_size(reading, job, files)?;
    }
    Some(Span { offset, length, increment })
}

/// Without a size the files must be there, as fio wants it, too.
fn known_size(reading: &mut Reading<'_>, job: &Job, files: &[Target]) -> Option<()> {
    for file in files {
        // Files of other machines: a named file may well be there where the run is.
        let may_exist = file.is_named;
        if !may_exist && reading.surroundings().size_bytes(&file.path).is_none() {
            let message =
                format!("the job `{}` says no size and its file `{}` is not there", job.name, file.path);
            reading.fault(&job.place, &message, "", "write for example size=1g");
            return None;
        }
    }
    Some(())
}
