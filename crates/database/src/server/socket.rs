//! Where a server listens on this machine: a unix socket in a folder of its own, and a free port of the loopback interface.

use std::fs;
use std::io::Read as _;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::account::Account;
use crate::DatabaseError;

/// Start of the name of every socket folder; nothing else is ever removed as one.
const PREFIX: &str = "drivetrain-";
/// The kernel takes 107 bytes for a socket's path; the folder's name and the file's name need 40 of them.
const BASE_MAX_BYTES: usize = 60;

/// Makes a folder for a socket, open to `account` alone. It does not lie with the data: the path would often be too long, and not every
/// file system has sockets.
pub(crate) fn create(account: &Account) -> Result<PathBuf, DatabaseError> {
    let standard = std::env::temp_dir();
    let bases = [standard.as_path(), Path::new("/tmp"), Path::new("/var/tmp"), Path::new("/dev/shm")];
    let fits = |base: &&Path| {
        base.as_os_str().len() <= BASE_MAX_BYTES && base.is_dir() && account.closed_on_the_way(base).is_none()
    };
    let base = bases.into_iter().find(fits).unwrap_or(Path::new("/tmp"));
    let dir = base.join(format!("{PREFIX}{}", random_hex(6)?));
    // Fails when it exists: a folder that somebody else laid there is not trusted.
    fs::DirBuilder::new().mode(0o700).create(&dir).map_err(DatabaseError::io("creating", &dir))?;
    account.own(&dir)?;
    Ok(dir)
}

/// Removes a socket folder and the sockets in it.
pub(crate) fn remove(dir: &Path) {
    let named_so =
        dir.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(PREFIX));
    let is_dir = dir.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    if !named_so || !is_dir {
        return;
    }
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(".s.PGSQL.") || name.starts_with("mysql.sock") {
            let _ = fs::remove_file(entry.path());
        }
    }
    // A leftover folder does no harm, and one that holds something else must stay.
    let _ = fs::remove_dir(dir);
}

/// A port that nobody listens on at this moment.
pub(crate) fn free_port() -> Result<u16, DatabaseError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let address = listener.and_then(|listener| listener.local_addr());
    Ok(address.map_err(DatabaseError::io("looking for a free port at", Path::new("127.0.0.1")))?.port())
}

/// Whether `port` can be had.
pub(crate) fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// `bytes` random bytes as hexadecimal digits, from the kernel.
pub(crate) fn random_hex(bytes: usize) -> Result<String, DatabaseError> {
    let path = Path::new("/dev/urandom");
    let mut random = vec![0; bytes];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut random));
    read.map_err(DatabaseError::io("reading", path))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_its_own_that_goes_again() {
        let dir = create(&Account::for_server("nobody")).unwrap();
        let longest = dir.join(".s.PGSQL.65535.lock");
        assert!(longest.as_os_str().len() < 107, "{}", longest.display());
        fs::write(dir.join("mysql.sock"), "").unwrap();
        fs::write(dir.join("letter"), "").unwrap();
        remove(&dir);
        assert!(dir.join("letter").exists() && !dir.join("mysql.sock").exists());
        fs::remove_file(dir.join("letter")).unwrap();
        remove(&dir);
        assert!(!dir.exists());
    }

    #[test]
    fn removes_no_other_folder() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("other");
        fs::create_dir(&dir).unwrap();
        remove(&dir);
        assert!(dir.exists());
    }

    #[test]
    fn a_port_in_use_is_not_free() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        assert!(!is_free(listener.local_addr().unwrap().port()));
        assert!(is_free(free_port().unwrap()));
    }
}
