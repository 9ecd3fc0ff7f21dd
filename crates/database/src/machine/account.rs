//! The account that a server runs as: never root.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::{DatabaseError, ServerError};

/// The account of last resort, and its number where it has no entry.
const NOBODY: (&str, u32) = ("nobody", 65_534);

/// The account of the server on this machine.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    name: String,
    uid: u32,
    gid: u32,
    /// We are root and become this account; otherwise the server simply runs as we do.
    switch: bool,
}

impl Account {
    /// The distribution's account `preferred` when we are root, else our own.
    pub(crate) fn for_server(preferred: &str) -> Self {
        let uid = rustix::process::geteuid().as_raw();
        let gid = rustix::process::getegid().as_raw();
        let entries = fs::read_to_string("/etc/passwd").unwrap_or_default();
        if uid != 0 {
            let name = name_of(&entries, uid).unwrap_or_else(|| uid.to_string());
            return Self { name, uid, gid, switch: false };
        }
        let (name, (uid, gid)) = [preferred, NOBODY.0]
            .into_iter()
            .find_map(|name| Some((name, ids_of(&entries, name)?)))
            .unwrap_or((NOBODY.0, (NOBODY.1, NOBODY.1)));
        Self { name: name.to_owned(), uid, gid, switch: true }
    }

    /// Makes `command` run as this account, with an environment that says nothing of ours.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", SEARCH)
            .env("LC_ALL", "C")
            .env("TZ", "UTC")
            .current_dir("/")
            .stdin(Stdio::null());
        if self.switch {
            // The supplementary groups of root go too: the standard library drops them together with the
            // user.
            command.uid(self.uid).gid(self.gid);
        }
        command
    }

    /// Gives `path` to the account.
    pub(crate) fn own(&self, path: &Path) -> Result<(), DatabaseError> {
        if !self.switch {
            return Ok(());
        }
        std::os::unix::fs::lchown(path, Some(self.uid), Some(self.gid))
            .map_err(DatabaseError::io("giving to the server's account", path))
    }

    /// Makes the directory `path`, open to the account alone.
    pub(crate) fn create_dir(&self, path: &Path) -> Result<(), DatabaseError> {
        if let Err(error) = disk::create_dir(path)
            && error.kind() != std::io::ErrorKind::AlreadyExists
        {
            return Err(DatabaseError::io("creating", path)(error));
        }
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))
            .map_err(DatabaseError::io("closing to others", path))?;
        self.own(path)
    }

    /// Sees to it that the account gets to the directory `dir`, which is ours: opens it for passage, and
    /// checks the way to it.
    pub(crate) fn reach(&self, dir: &Path) -> Result<(), DatabaseError> {
        if !self.switch {
            return Ok(());
        }
        let mode = fs::metadata(dir).map_err(DatabaseError::io("reading", dir))?.permissions().mode();
        fs::set_permissions(dir, fs::Permissions::from_mode(mode | 0o111))
            .map_err(DatabaseError::io("opening for passage", dir))?;
        match self.closed_on_the_way(dir) {
            Some(closed) => Err(ServerError::Unreachable { account: self.name.clone(), closed }.into()),
            None => Ok(()),
        }
    }

    /// The first directory on the way to `dir` that the account may not pass. Asked of the kernel, as the
    /// account: modes alone would say nothing of access lists and security modules.
    pub(crate) fn closed_on_the_way(&self, dir: &Path) -> Option<PathBuf> {
        if self.may_pass(dir) {
            return None;
        }
        let mut way: Vec<&Path> = dir.ancestors().collect();
        way.reverse();
        Some(way.into_iter().find(|step| !self.may_pass(step)).unwrap_or(dir).to_owned())
    }

    fn may_pass(&self, dir: &Path) -> bool {
        let mut probe = self.command("test");
        probe.arg("-x").arg(dir).stdout(Stdio::null()).stderr(Stdio::null());
        probe.status().is_ok_and(|status| status.success())
    }
}

/// The search path of servers' scripts for the programs that they call.
const SEARCH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

fn ids_of(entries: &str, name: &str) -> Option<(u32, u32)> {
    let line = entries.lines().find(|line| line.split(':').next() == Some(name))?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

fn name_of(entries: &str, uid: u32) -> Option<String> {
    let has = |line: &&str| line.split(':').nth(2).and_then(|field| field.parse().ok()) == Some(uid);
    entries.lines().find(has)?.split(':').next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRIES: &str =
        "root:x:0:0:root:/root:/bin/bash\nbroken\npostgres:x:101:104:PostgreSQL,,,:/var:/bin/sh\n";

    #[test]
    fn reads_the_accounts() {
        assert_eq!(ids_of(ENTRIES, "postgres"), Some((101, 104)));
        assert_eq!(ids_of(ENTRIES, "mysql"), None);
        assert_eq!(ids_of(ENTRIES, "broken"), None);
        assert_eq!(name_of(ENTRIES, 101).as_deref(), Some("postgres"));
        assert_eq!(name_of(ENTRIES, 7), None);
    }

    #[test]
    fn a_server_is_never_root() {
        let account = Account::for_server("no-such-account");
        assert_ne!(account.uid, 0);
        let output = account.command("id").arg("-u").output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), account.uid.to_string());
    }

    #[test]
    fn a_closed_directory_is_named() {
        let account = Account::for_server("nobody");
        let temp = tempfile::tempdir().unwrap();
        fs::set_permissions(temp.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let dir = temp.path().join("a");
        fs::create_dir(&dir).unwrap();
        let closed = account.closed_on_the_way(&dir);
        assert_eq!(closed, account.switch.then(|| temp.path().to_owned()));
        if account.switch {
            let message = account.reach(&dir).unwrap_err().to_string();
            assert!(message.contains(&format!("chmod a+x {}", temp.path().display())), "{message}");
        }
        fs::set_permissions(temp.path(), fs::Permissions::from_mode(0o755)).unwrap();
        account.reach(&dir).unwrap();
    }
}
