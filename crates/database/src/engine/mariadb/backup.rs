//! MariaDB's own tools: `mariadb-backup` for the files, `mariadb-dump` and `mariadb` for the contents.

use std::fs;
use std::path::{Path, PathBuf};

use ground::Clock;

use super::{Flavour, Program};
use crate::backup::tool::{self, Manner, Tool, Wanted};
use crate::backup::{BackupError, BackupMethod, CopyParts, named, stream_into, stream_out_of};
use crate::client::Endpoint;
use crate::error::DatabaseError;
use crate::machine::{Account, Tree, copy_file};
use crate::marker;
use crate::marker::Marker;
use crate::server::{BackupJob, BackupTools, RestoreJob};

const PHYSICAL: Wanted =
    Wanted { names: &["mariadb-backup", "mariabackup"], package: "mariadb-backup", numbers: 2 };
const UNPACK: Wanted = Wanted { names: &["mbstream"], package: "mariadb-backup", numbers: 0 };
const DUMP: Wanted = Wanted { names: &["mariadb-dump", "mysqldump"], package: "mariadb-client", numbers: 2 };
const CLIENT: Wanted = Wanted { names: &["mariadb", "mysql"], package: "mariadb-client", numbers: 0 };

/// A backup of the files in one stream, and a dump.
const STREAM: &str = "backup.mbstream";
const TEXT: &str = "backup.sql";
/// Holds the login for the tools, open to their account alone; removed when they have ended.
const LOGIN: &str = "login.cnf";
/// The tool's own files among those of the backup.
const TOOLS_OWN: [&str; 3] = ["xtrabackup_", "mariadb_backup_", "backup-my.cnf"];

impl Program {
    fn backup_tool(&self, wanted: &Wanted) -> Result<Tool, BackupError> {
        tool::find(wanted, &self.found.program, &self.version)
    }

    fn copy_files(&self, job: &BackupJob<'_>, login: &Login) -> Result<String, DatabaseError> {
        if self.flavour == Flavour::MySql {
            let (what, fix) = ("has no free tool for a backup of its files", "use `method = \"logical\"`");
            return Err(BackupError::NotPossible { engine: "MySQL", what, fix }.into());
        }
        let tool = self.backup_tool(&PHYSICAL)?;
        let mut command = job.account.command(&tool.program);
        command.arg(login.argument()).arg("--backup");
        for (name, path) in [
            ("datadir", job.layout.data()),
            ("innodb-log-group-home-dir", job.layout.log()),
            ("tmpdir", job.layout.temporary()),
            ("target-dir", job.files.to_owned()),
        ] {
            command.arg(format!("--{name}={}", path.display()));
        }
        let request = job.request;
        if request.compress || request.rate_limit_bytes_per_s.is_some() {
            command.arg("--stream=mbstream");
            let to = named(job.files, STREAM, request.compress);
            let manner = Manner::of(request, job.watch, false);
            stream_into(command, &to, request.compress, request.rate_limit_bytes_per_s, &manner)?;
        } else {
            tool::run(command, &Manner::of(request, job.watch, true))?;
        }
        Ok(tool.version_line)
    }

    fn dump(&self, job: &BackupJob<'_>, login: &Login) -> Result<String, DatabaseError> {
        let tool = self.backup_tool(&DUMP)?;
        let mut command = job.account.command(&tool.program);
        // One snapshot without locks, row by row.
        command.arg(login.argument()).args(["--single-transaction", "--quick", "--routines", "--triggers"]);
        command.arg(&job.endpoint.database);
        let to = named(job.files, TEXT, job.request.compress);
        let manner = Manner::of(job.request, job.watch, false);
        stream_into(command, &to, job.request.compress, job.request.rate_limit_bytes_per_s, &manner)?;
        Ok(tool.version_line)
    }
}

impl BackupTools for Program {
    fn back_up(&self, job: &BackupJob<'_>) -> Result<String, DatabaseError> {
        let login = Login::write(&job.request.dir, job.account, job.endpoint)?;
        match job.request.method {
            BackupMethod::Physical => self.copy_files(job, &login),
            BackupMethod::Logical => self.dump(job, &login),
        }
    }

    /// The files as they were copied, and then made whole with the log that was copied beside them: done in
    /// the place where they are to stay, so that the backup itself is left as it is.
    fn bring_back(&self, job: &RestoreJob<'_>) -> Result<CopyParts, DatabaseError> {
        let start = Clock::Wall.stopwatch();
        let (data, log) = (job.layout.data(), job.layout.log());
        let manner = Manner::plain(job.watch, &job.layout.dir);
        let stream = named(job.files, STREAM, job.manifest.compressed);
        if stream.is_file() {
            job.account.create_dir(&data)?;
            let mut unpack = job.account.command(self.backup_tool(&UNPACK)?.program);
            unpack.arg("-x").arg("-C").arg(&data);
            stream_out_of(&stream, job.manifest.compressed, unpack, &manner)?;
        } else {
            Tree::list(job.files, None)?.copy(job.files, &data, &job.layout.dir, Some(job.account))?;
        }
        let copied = start.elapsed();
        let mut prepare = job.account.command(self.backup_tool(&PHYSICAL)?.program);
        prepare.arg("--no-defaults").arg("--prepare").arg(format!("--target-dir={}", data.display()));
        tool::run(prepare, &manner)?;
        let recovered = start.elapsed();
        job.account.create_dir(&log)?;
        for entry in fs::read_dir(&data).map_err(DatabaseError::io("listing", &data))? {
            let name = entry.map_err(DatabaseError::io("listing", &data))?.file_name();
            let text = name.to_string_lossy();
            let path = data.join(&name);
            if text.starts_with("ib_logfile") {
                move_file(&path, &log.join(&name), job.account)?;
            } else if TOOLS_OWN.iter().any(|start| text.starts_with(start)) {
                disk::remove_file(&path).map_err(DatabaseError::io("removing", &path))?;
            }
        }
        let moved = start.elapsed();
        Tree::list(&data, None)?.settle(&data)?;
        let parts = CopyParts::copied(copied, start.elapsed() - moved);
        Ok(CopyParts { recover: Some(recovered - copied), ..parts })
    }

    fn load_back(&self, job: &RestoreJob<'_>) -> Result<(), DatabaseError> {
        let login = Login::write(&job.layout.dir, job.account, job.endpoint)?;
        let mut command = job.account.command(self.backup_tool(&CLIENT)?.program);
        command.arg(login.argument()).arg("--batch").arg(&job.endpoint.database);
        let from = named(job.files, TEXT, job.manifest.compressed);
        stream_out_of(&from, job.manifest.compressed, command, &Manner::plain(job.watch, &job.layout.dir))
    }
}

/// The log may lie on another storage, where a file cannot simply be renamed to.
fn move_file(from: &Path, to: &Path, account: &Account) -> Result<(), DatabaseError> {
    if disk::rename(from, to).is_ok() {
        return Ok(());
    }
    copy_file(from, to, Some(account))?;
    disk::remove_file(from).map_err(DatabaseError::io("removing", from))
}

/// A login for tools that take no password in any other way that nobody can watch.
struct Login(PathBuf);

impl Login {
    fn write(dir: &Path, account: &Account, endpoint: &Endpoint) -> Result<Self, DatabaseError> {
        let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        let mut text = format!("[client]\nuser = {}\n", quoted(&endpoint.user));
        if let Some(password) = &endpoint.password {
            text += &format!("password = {}\n", quoted(password.reveal()));
        }
        text += &match &endpoint.socket {
            Some(socket) => format!("socket = {}\n", quoted(&socket.display().to_string())),
            None => format!("host = {}\nport = {}\n", quoted(&endpoint.host), endpoint.port),
        };
        let path = Marker::open(dir)?.write(LOGIN, text.as_bytes(), 0o600)?;
        account.own(&path)?;
        Ok(Self(path))
    }

    /// Must come before all other arguments.
    fn argument(&self) -> String {
        format!("--defaults-file={}", self.0.display())
    }
}

impl Drop for Login {
    fn drop(&mut self) {
        let _ = marker::of(&self.0).and_then(|(marker, name)| marker.remove(name)); // It goes with the directory at the latest.
    }
}
