//! The target of a profile: a directory, a device or a modelled drive, and how the loads come to it.

use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::path::PathBuf;

use experiment::{Block, Experiment, Size, Storage, WHOLE, Workload};
use lab::LabError;

use super::ProfileArgs;
use crate::exit::Coded;
use crate::printable::in_one_line;
use crate::verbs::drives;

/// Files are multiples of this many bytes.
const FILE_GRAIN_BYTES: u64 = 1 << 20;
/// A smaller file is read from the cache of the drive.
const FILE_LEAST_BYTES: u64 = 64 << 20;
/// File systems whose drive is in another machine, or behind a program.
const REMOTE: [&str; 13] = [
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "ceph",
    "glusterfs",
    "lustre",
    "afs",
    "virtiofs",
    "fuse",
    "fuseblk",
];

/// Where the loads go.
pub(super) enum Target {
    /// A file in this directory.
    Directory(PathBuf),
    /// All of this device.
    Device(PathBuf),
    /// A model, as it was named, and as a bed names it.
    Drive { given: String, drive: String, title: String },
}

impl Target {
    /// The target that the arguments name.
    ///
    /// # Errors
    /// Exit code 2 for what is not there, for a file, and for a drive that nobody knows.
    pub(super) fn of(args: &ProfileArgs) -> anyhow::Result<Target> {
        if let Some(given) = &args.drive {
            let entry = drives::find(given)?;
            let drive = drives::in_experiment(given, &entry);
            return Ok(Target::Drive { given: given.clone(), drive, title: entry.title });
        }
        let path = args.target.clone().unwrap_or_default();
        let shown = path.display();
        let found = fs::metadata(&path).map_err(|error| {
            Coded::usage(format!("{shown}: {error}; name a directory on the drive, or a device"))
        })?;
        if found.is_dir() {
            return Ok(Target::Directory(path));
        }
        if found.file_type().is_block_device() {
            return Ok(Target::Device(path));
        }
        Err(Coded::usage(format!(
            "{shown} is neither a directory nor a block device; name the directory in which the profile may make a file of its own"
        )))
    }

    /// True for a model.
    pub(super) fn is_modelled(&self) -> bool {
        matches!(self, Target::Drive { .. })
    }

    /// Its name for people: a path that has no name of its own, such as `..`, in full.
    pub(super) fn shown(&self) -> String {
        match self {
            Target::Directory(path) if path.file_name().is_none() => {
                let whole = std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
                in_one_line(&whole.display().to_string())
            }
            Target::Directory(path) | Target::Device(path) => in_one_line(&path.display().to_string()),
            Target::Drive { given, .. } => in_one_line(given),
        }
    }

    /// Lets the loads of an experiment go to this target, on files of `size` or of what fits.
    ///
    /// # Errors
    /// Exit code 2 for an experiment that is not block I/O on one bed, and where there is no room.
    pub(super) fn take(&self, experiment: &mut Experiment, size: Option<Size>) -> anyhow::Result<()> {
        let [bed] = experiment.bed.as_mut_slice() else {
            return Err(Coded::usage("the loads of a profile go to one bed; this experiment has several"));
        };
        (bed.label, bed.log) = (Some(self.shown()), None);
        bed.setup.clear();
        bed.storage = match self {
            Target::Directory(path) => Storage::Real { path: path.clone() },
            // Notes of a run beside its loads are in the working directory.
            Target::Device(_) => Storage::Real { path: ".".into() },
            Target::Drive { drive, title, .. } => {
                bed.label = Some(title.clone());
                Storage::Emulated { drive: drive.clone(), path: ".".into() }
            }
        };
        let room_bytes = self.room_bytes()?;
        for workload in &mut experiment.workload {
            let Workload::Block(block) = workload else {
                return Err(Coded::usage(format!(
                    "the loads of a profile are block I/O; the workload `{}` is none",
                    workload.name()
                )));
            };
            self.take_block(block, size, room_bytes)?;
        }
        Ok(())
    }

    fn take_block(&self, block: &mut Block, size: Option<Size>, room_bytes: u64) -> anyhow::Result<()> {
        if let Target::Device(path) = self {
            block.paths = vec![path.display().to_string()];
            block.size = size.unwrap_or(WHOLE);
            return Ok(());
        }
        block.paths.clear();
        let wanted = size.unwrap_or(block.size).bytes();
        // Of what the user asks for the run itself says whether it fits.
        let bytes = if size.is_some() { wanted } else { wanted.min(room_bytes / 2) };
        let bytes = bytes / FILE_GRAIN_BYTES * FILE_GRAIN_BYTES;
        if let Some(size) = size.filter(|_| bytes < FILE_LEAST_BYTES) {
            let least = FILE_LEAST_BYTES >> 20;
            return Err(Coded::usage(format!(
                "--size {size}: a profile needs a file of {least} MiB at least"
            )));
        }
        if bytes < FILE_LEAST_BYTES {
            return Err(Coded::usage(format!(
                "{}: a profile needs a file of {} MiB at least, and takes half of the free room at most: {} MiB are free",
                self.shown(),
                FILE_LEAST_BYTES >> 20,
                room_bytes >> 20
            )));
        }
        block.size = Size(bytes);
        Ok(())
    }

    /// Free room for files; models have any.
    fn room_bytes(&self) -> anyhow::Result<u64> {
        match self {
            Target::Directory(path) => disk::room_bytes(path)
                .map_err(|error| Coded::usage(format!("{}: cannot read its room: {error}", self.shown()))),
            Target::Device(_) | Target::Drive { .. } => Ok(u64::MAX),
        }
    }

    /// The fullness of its file system, in words.
    pub(super) fn filled(&self) -> Option<String> {
        let Target::Directory(path) = self else { return None };
        let (used, bytes) = host::fullness(path)?;
        Some(format!("{:.0} % of {:.0} GB before the loads", used * 1e2, bytes as f64 / 1e9))
    }

    /// A caution about a target that is no drive of this machine, in words.
    pub(super) fn caution(&self) -> Option<String> {
        let Target::Directory(path) = self else { return None };
        let kind = host::filesystem(path)?;
        let is_remote = REMOTE.contains(&kind.as_str()) || kind.starts_with("fuse.");
        is_remote.then(|| {
            format!(
                "{} is on {kind}: what is measured is the way to its server, with the server's memory, as other \
                 clients leave it",
                self.shown()
            )
        })
    }
}

/// Refuses a target that cannot be measured on this machine: in memory, read-only, without room.
///
/// # Errors
/// Exit code 2 with all that is wrong.
pub(super) fn check(experiment: &Experiment) -> anyhow::Result<()> {
    match lab::check_places(experiment) {
        // The remedies are those of an experiment with beds.
        Err(LabError::Places { faults }) => {
            let what: Vec<String> = faults.into_iter().map(|fault| fault.what).collect();
            Err(Coded::usage(format!("{}; name a directory on the drive that is meant", what.join("; "))))
        }
        other => Ok(other?),
    }
}
