//! A server's directories on modelled drives: mounted over themselves while it runs, so that every path stays
//! the same.

use std::path::Path;
use std::sync::Arc;

use emulate::fuse::Rehearsal;
use emulate::{Backing, Counters, EmulatedDrive, Floor, FuseMount, FuseOptions};

use super::warm;
use crate::error::DatabaseError;

/// The manner of the mounts of one server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// See [`FuseOptions::power_cuts`].
    pub(super) power_cuts: bool,
    /// See [`FuseOptions::page_cache`].
    pub(super) page_cache: bool,
}

/// The mounts of one server; empty on real storage, and while the server is stopped.
#[derive(Debug, Default)]
pub(super) struct Drives {
    data: Option<FuseMount>,
    log: Option<FuseMount>,
}

impl Drives {
    /// Mounts the directories whose backing is a modelled drive. Those that are mounted already stay.
    pub(super) fn mount(
        &mut self,
        manner: Manner,
        (data_dir, data): (&Path, &Backing),
        (log_dir, log): (&Path, &Backing),
    ) -> Result<(), DatabaseError> {
        for (slot, dir, backing) in [(&mut self.data, data_dir, data), (&mut self.log, log_dir, log)] {
            if let (None, Backing::Emulated(drive)) = (&slot, backing) {
                *slot = Some(over_itself(dir, drive, manner, None)?);
            }
        }
        Ok(())
    }

    /// Mounts a directory of a backup over itself if its backing is a modelled drive: what is copied there
    /// takes the time of that drive until the mount is dropped.
    pub(super) fn mount_backup(
        &self,
        manner: Manner,
        dir: &Path,
        backing: &Backing,
    ) -> Result<Option<FuseMount>, DatabaseError> {
        let Backing::Emulated(drive) = backing else { return Ok(None) };
        // Measuring the way once more would be a load beside the copy.
        let of_drive = self.all().find(|mount| Arc::ptr_eq(mount.drive(), drive));
        let known = of_drive.and_then(|mount| Some((mount.floor(), mount.rehearsal()?)));
        over_itself(dir, drive, Manner { power_cuts: false, ..manner }, known).map(Some)
    }

    /// Takes the mounts down; the server's data is in its files.
    pub(super) fn unmount(&mut self) {
        *self = Drives::default();
    }

    /// True if anything is mounted.
    pub(super) fn are_mounted(&self) -> bool {
        self.all().next().is_some()
    }

    fn all(&self) -> impl Iterator<Item = &FuseMount> {
        self.data.iter().chain(&self.log)
    }

    /// Cuts the power of data and log at one moment.
    pub(super) fn cut_power(&self, seed: u64) -> Result<(), DatabaseError> {
        let mut mounts = self.all().enumerate();
        mounts.try_for_each(|(number, mount)| Ok(mount.cut_power(seed.wrapping_add(number as u64))?))
    }

    /// Restores the power, with the surviving data.
    pub(super) fn power_on(&mut self) -> Result<(), DatabaseError> {
        let mounts = self.data.iter_mut().chain(&mut self.log);
        mounts.into_iter().try_for_each(FuseMount::power_on).map_err(DatabaseError::from)
    }

    /// Makes flushes report success and keep nothing.
    pub(super) fn set_lying_flush(&self, lies: bool) {
        self.all().for_each(|mount| mount.set_lying_flush(lies));
    }

    /// The counters of the I/Os, data and log apart.
    pub(super) fn counters(&self) -> Counters {
        let of = |mount: &Option<FuseMount>| mount.as_ref().map(FuseMount::counters).unwrap_or_default();
        let (data, mut log) = (of(&self.data), of(&self.log));
        std::mem::swap(&mut log.data, &mut log.log);
        let mut all = data;
        all.merge(&log);
        all
    }

    /// The first failure from below the server.
    pub(super) fn first_error(&self) -> Option<String> {
        self.all().find_map(FuseMount::first_error)
    }
}

/// Takes the mount of a backup down; an error from below it is one of the copy.
pub(super) fn unmount_backup(mount: Option<FuseMount>, dir: &Path) -> Result<(), DatabaseError> {
    match mount.and_then(|mount| mount.first_error()) {
        Some(error) => {
            Err(DatabaseError::io("copying through the modelled drive of", dir)(std::io::Error::other(error)))
        }
        None => Ok(()),
    }
}

fn over_itself(
    dir: &Path,
    drive: &Arc<EmulatedDrive>,
    Manner { power_cuts, page_cache }: Manner,
    known: Option<(Floor, Rehearsal)>,
) -> Result<FuseMount, DatabaseError> {
    warm::fill_host_cache(dir);
    let options =
        FuseOptions { power_cuts, page_cache, known, ..FuseOptions::new(dir, dir, Arc::clone(drive)) };
    Ok(FuseMount::attach(options)?)
}
