//! The address of a server on this machine: a unix socket in a folder of its own, and a free port of the
//! loopback interface.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use disk::Stamp;
use remains::{EntryKind, Note};

use crate::engine::SERVERS;
use crate::error::DatabaseError;
use crate::machine::Account;

/// Start of the name of every socket folder; nothing else is ever removed as one.
const PREFIX: &str = "drivetrain-";
/// Random bytes in the name, each two digits.
const NAME_BYTES: usize = 6;
/// The kernel takes 107 bytes for a socket's path; the folder's name and the file's name need 40 of them.
const BASE_MAX_BYTES: usize = 60;

/// A folder for the socket of one server, open to its account alone. It does not lie with the data: the path
/// would often be too long, and not every file system has sockets. Dropping it removes it.
#[derive(Debug)]
pub(crate) struct SocketFolder {
    path: PathBuf,
    note: Option<Note>,
}

impl SocketFolder {
    /// Makes one for `account`.
    pub(crate) fn make(account: &Account) -> Result<Self, DatabaseError> {
        let standard = std::env::temp_dir();
        let bases = [standard.as_path(), Path::new("/tmp"), Path::new("/var/tmp"), Path::new("/dev/shm")];
        let fits = |base: &&Path| {
            base.as_os_str().len() <= BASE_MAX_BYTES
                && base.is_dir()
                && account.closed_on_the_way(base).is_none()
        };
        let base = bases.into_iter().find(fits).unwrap_or(Path::new("/tmp"));
        let path = base.join(format!("{PREFIX}{}", &disk::nonce()[..2 * NAME_BYTES]));
        let mut note = Note::before(EntryKind::SocketFolder, &path, "");
        // Fails when it exists: a folder that somebody else laid there is not trusted.
        fs::DirBuilder::new().mode(0o700).create(&path).map_err(DatabaseError::io("creating", &path))?;
        if let Ok(stamp) = Stamp::at(&path) {
            note.stamp(&stamp.to_string());
        }
        let folder = Self { path, note: Some(note) };
        account.own(&folder.path)?;
        Ok(folder)
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SocketFolder {
    fn drop(&mut self) {
        if remove(&self.path).is_err()
            && let Some(note) = self.note.take()
        {
            note.leave();
        }
    }
}

/// Removes the socket folder `path` of a process that is gone, as far as `stamp`, which the process took of
/// it, still fits. Whether there was one.
///
/// # Errors
/// When it holds something that no server puts there; that stays.
pub(crate) fn remove_dead(path: &Path, stamp: Option<&str>) -> io::Result<bool> {
    if !is_dead(path, stamp) {
        return Ok(false);
    }
    match stamp {
        Some(_) => remove(path).map(|()| true),
        // Cut off right after it was made: it can only be empty.
        None => fs::remove_dir(path).map(|()| true),
    }
}

/// True if [`remove_dead`] would remove the thing at `path`.
pub(crate) fn is_dead(path: &Path, stamp: Option<&str>) -> bool {
    let Ok(now) = Stamp::at(path) else { return false };
    let is_the_same = match stamp.map(str::parse::<Stamp>) {
        Some(then) => then.is_ok_and(|then| then.is_same_file(&now)),
        None => true,
    };
    is_the_same && is_ours(path)
}

/// Removes a socket folder and the sockets in it. Other and absent files are left alone.
///
/// # Errors
/// When something else is in it.
pub(crate) fn remove(dir: &Path) -> io::Result<()> {
    if !is_ours(dir) {
        return Ok(());
    }
    for entry in fs::read_dir(dir)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if SERVERS.iter().filter_map(|engine| engine.socket).any(|socket| socket.is_of(&name)) {
            let _ = fs::remove_file(entry.path()); // The folder then says that it is not empty.
        }
    }
    fs::remove_dir(dir)
}

/// True if `dir` itself is a directory with a name that we give to socket folders.
fn is_ours(dir: &Path) -> bool {
    let digits = dir.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_prefix(PREFIX));
    let named_so = digits.is_some_and(|digits| {
        digits.len() == 2 * NAME_BYTES && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    named_so && dir.symlink_metadata().is_ok_and(|metadata| metadata.is_dir())
}

/// A port that nobody listens on at this moment.
pub(crate) fn free_port() -> Result<u16, DatabaseError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let address = listener.and_then(|listener| listener.local_addr());
    Ok(address.map_err(DatabaseError::io("looking for a free port at", Path::new("127.0.0.1")))?.port())
}

/// True if `port` is free.
pub(crate) fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_its_own_that_goes_again() {
        let folder = SocketFolder::make(&Account::for_server("nobody")).unwrap();
        let dir = folder.path().to_owned();
        let longest = dir.join(".s.PGSQL.65535.lock");
        assert!(longest.as_os_str().len() < 107, "{}", longest.display());
        fs::write(dir.join("mysql.sock"), "").unwrap();
        fs::write(dir.join("letter"), "").unwrap();
        assert!(remove(&dir).is_err());
        assert!(dir.join("letter").exists() && !dir.join("mysql.sock").exists());
        fs::remove_file(dir.join("letter")).unwrap();
        drop(folder);
        assert!(!dir.exists());
    }

    #[test]
    fn removes_no_other_folder() {
        let temp = tempfile::tempdir().unwrap();
        for name in ["other", "drivetrain-0123456789a", "drivetrain-0123456789ax", "drivetrain-0123456789abc"]
        {
            let dir = temp.path().join(name);
            fs::create_dir(&dir).unwrap();
            remove(&dir).unwrap();
            assert!(!remove_dead(&dir, None).unwrap());
            assert!(dir.exists(), "{name}");
        }
        let link = temp.path().join("drivetrain-0123456789ab");
        std::os::unix::fs::symlink(temp.path().join("other"), &link).unwrap();
        remove(&link).unwrap();
        assert!(temp.path().join("other").exists() && link.is_symlink());
    }

    #[test]
    fn a_dead_ones_folder_goes_only_while_it_is_the_same() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("drivetrain-0123456789ab");
        let make = || {
            fs::create_dir(&dir).unwrap();
            let stamp = Stamp::at(&dir).unwrap();
            fs::write(dir.join(".s.PGSQL.5432"), "").unwrap();
            stamp
        };
        let stamp = make();
        assert!(remove_dead(&dir, None).is_err(), "one that was just made would be empty");
        let another = Stamp { inode: stamp.inode + 1, ..stamp };
        assert!(!remove_dead(&dir, Some(&another.to_string())).unwrap());
        assert!(!remove_dead(&dir, Some("damaged")).unwrap());
        assert!(dir.join(".s.PGSQL.5432").exists());
        assert!(remove_dead(&dir, Some(&stamp.to_string())).unwrap());
        assert!(!remove_dead(&dir, Some(&stamp.to_string())).unwrap(), "it is gone");
        fs::create_dir(&dir).unwrap();
        assert!(remove_dead(&dir, None).unwrap());
    }

    #[test]
    fn a_port_in_use_is_not_free() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        assert!(!is_free(listener.local_addr().unwrap().port()));
        assert!(is_free(free_port().unwrap()));
    }
}
