//! Backups of an own server, and own servers from backups.

use std::path::Path;

use ground::Clock;

use super::copy;
use super::drives;
use super::engine::{BackupJob, RestoreJob};
use super::layout::{SECRET_FILE, Unfinished};
use super::own::Server;
use super::record::Record;
use crate::backup::{
    self, BackupMethod, BackupReport, BackupRequest, BackupWatch, CopyParts, Manifest, RestoreReport, SECRET,
    files_dir,
};
use crate::copy::sync_dir;
use crate::error::DatabaseError;
use crate::instance::Instance as _;
use crate::machine::{room, tree};
use crate::marker::Marker;

impl Server {
    /// [`crate::Instance::back_up`].
    pub(super) fn make_backup(
        &self,
        request: &BackupRequest,
        watch: &BackupWatch,
    ) -> Result<BackupReport, DatabaseError> {
        if !self.is_running() {
            return Err(DatabaseError::NotRunning { dir: self.layout.dir.clone() });
        }
        backup::claim(&request.dir)?;
        // Absolute: the tools run in `/`.
        let dir =
            std::fs::canonicalize(&request.dir).map_err(DatabaseError::io("resolving", &request.dir))?;
        let request = &BackupRequest { dir: dir.clone(), ..request.clone() };
        if !request.compress {
            room::check_disk(&dir, self.size_bytes_of_data())?;
        }
        self.account.reach(&dir)?;
        Marker::open(&dir)?.own_tree("files")?;
        let files = files_dir(&dir);
        self.account.create_dir(&files)?;
        watch.wrote(0);
        let job = BackupJob {
            request,
            files: &files,
            layout: &self.layout,
            account: &self.account,
            endpoint: &self.endpoint,
            watch,
        };
        let mount = self.mount_backup(&files, &request.backing)?;
        let start = Clock::Wall.stopwatch();
        let tool = self.program.back_up(&job)?;
        let copied = start.elapsed();
        sync_whole(&files)?;
        let elapsed = start.elapsed();
        drives::unmount_backup(mount, &files)?;
        let parts = CopyParts::copied(copied, elapsed - copied);
        copy::write_secret(&dir.join(SECRET), copy::read_secret(&self.layout.file(SECRET_FILE)).as_ref())?;
        let listing = Clock::Wall.stopwatch();
        let manifest = Manifest::write(
            &dir,
            &self.program.generation(),
            request.method,
            request.compress,
            &tool,
            request.listed,
        )?;
        sync_dir(&files)?;
        watch.wrote(manifest.bytes());
        Ok(BackupReport {
            bytes: manifest.bytes(),
            files: manifest.len(),
            elapsed,
            parts,
            listed: listing.elapsed(),
            tool,
        })
    }

    fn size_bytes_of_data(&self) -> u64 {
        tree::size_bytes(&self.layout.data())
    }

    /// [`crate::Instance::restore_backup`].
    pub(super) fn bring_backup_back(
        &mut self,
        request: &BackupRequest,
        watch: &BackupWatch,
    ) -> Result<RestoreReport, DatabaseError> {
        let from = &request.dir;
        let from = &std::fs::canonicalize(from).map_err(DatabaseError::io("resolving", from))?;
        let manifest = Manifest::read(from)?;
        manifest.check_generation(from, &self.program.generation())?;
        let files = files_dir(from);
        let (start, mounting) = (Clock::Wall.stopwatch(), self.mounting);
        match manifest.method {
            BackupMethod::Physical => self.clear_for_files()?,
            BackupMethod::Logical => {
                self.remove()?;
                self.start()?;
            }
        }
        let mount_start = Clock::Wall.stopwatch();
        let mount = self.mount_backup(&files, &request.backing)?;
        self.mounting += mount_start.elapsed();
        let parts = match manifest.method {
            BackupMethod::Physical => self.bring_files_back(from, &manifest, watch)?,
            BackupMethod::Logical => {
                let loading = Clock::Wall.stopwatch();
                self.program.load_back(&self.restore_job(&manifest, &files, watch))?;
                CopyParts { copy: Some(loading.elapsed()), ..CopyParts::default() }
            }
        };
        let copied = start.elapsed() - (self.mounting - mounting);
        let (starting, mounting) = (Clock::Wall.stopwatch(), self.mounting);
        self.start()?;
        let start = starting.elapsed() - (self.mounting - mounting);
        drives::unmount_backup(mount, &files)?;
        Ok(RestoreReport { elapsed: copied + start, files: copied, parts, start })
    }

    fn restore_job<'a>(
        &'a self,
        manifest: &'a Manifest,
        files: &'a Path,
        watch: &'a BackupWatch,
    ) -> RestoreJob<'a> {
        RestoreJob {
            manifest,
            files,
            layout: &self.layout,
            account: &self.account,
            endpoint: &self.endpoint,
            watch,
        }
    }

    /// Empties the directories of the database for the files of a physical backup, which arrive through the
    /// drives that hold them from then on.
    fn clear_for_files(&mut self) -> Result<(), DatabaseError> {
        self.end();
        self.account.reach(&self.layout.dir)?;
        self.account.reach(&self.layout.log_home)?;
        self.layout.begin(Unfinished::Restore)?;
        self.layout.wipe()?;
        for dir in [self.layout.data(), self.layout.log()] {
            self.account.create_dir(&dir)?;
        }
        self.mount()
    }

    fn bring_files_back(
        &mut self,
        from: &Path,
        manifest: &Manifest,
        watch: &BackupWatch,
    ) -> Result<CopyParts, DatabaseError> {
        let parts = self.program.bring_back(&self.restore_job(manifest, &files_dir(from), watch))?;
        self.account.create_dir(&self.layout.temporary())?;
        self.layout.link_log(self.program.log_link())?;
        copy::write_secret(&self.layout.file(SECRET_FILE), copy::read_secret(&from.join(SECRET)).as_ref())?;
        copy::note_version(&self.layout, &*self.program)?;
        Record::clear(&self.layout.dir);
        self.layout.finish()?;
        Ok(parts)
    }
}

/// Puts everything on the file system of `dir` onto the drive.
fn sync_whole(dir: &Path) -> Result<(), DatabaseError> {
    let opened = std::fs::File::open(dir).map_err(DatabaseError::io("opening", dir))?;
    rustix::fs::syncfs(&opened).map_err(|error| DatabaseError::io("syncing", dir)(error.into()))?;
    // The kernel does not pass the former on to a modelled drive; one flush is what it amounts to.
    opened.sync_all().map_err(DatabaseError::io("syncing", dir))
}
