//! Directories of the system: no mount covers them and no bytes are kept in them, by whatever name they are
//! reached. A bind mount shows the same directory under another name.

use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, StatxFlags};

use super::table::{Mounted, mounts};

/// Directories of the system. What somebody makes below them is theirs, unless they are [`TREES`].
const ALONE: [&str; 25] = [
    "/",
    "/bin",
    "/boot",
    "/dev",
    "/dev/shm",
    "/etc",
    "/home",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/media",
    "/mnt",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/run/lock",
    "/run/user",
    "/sbin",
    "/srv",
    "/sys",
    "/tmp",
    "/usr",
    "/var",
];
/// Directories of the system with everything below them.
const TREES: [&str; 12] = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/sbin", "/sys", "/usr",
];
/// The variable data of the system. Anything else there, and what is below these, is somebody's.
const VARIABLE: &str = "/var";
/// The directories there that systems have, after the Filesystem Hierarchy Standard 3.0, section 5.
const VARIABLE_PARTS: [&str; 21] = [
    "account", "backups", "cache", "crash", "db", "empty", "games", "lib", "local", "lock", "log", "mail",
    "nis", "opt", "run", "snap", "spool", "tmp", "www", "yp", "preserve",
];
/// The states of package managers, of the service manager and of containers: without them the system neither
/// boots nor installs.
const STATES: &str = "/var/lib";
const STATE_PARTS: [&str; 11] =
    ["apt", "containerd", "containers", "dbus", "dpkg", "misc", "pacman", "pam", "rpm", "systemd", "docker"];
/// Files in memory, which anybody makes.
const SHARED_MEMORY: &str = "/dev/shm";
/// Programs that administrators install themselves; their data may lie beside them.
const LOCAL: &str = "/usr/local";
/// The directories there that every system has.
const LOCAL_PARTS: [&str; 12] =
    ["bin", "etc", "games", "include", "lib", "lib32", "lib64", "libexec", "man", "sbin", "share", "src"];

/// A directory as the kernel tells it from every other one: device and inode.
type Identity = (u32, u32, u64);

/// True if a resolved path is a directory of the system by any of its names.
pub(super) fn is_of_system(path: &Path) -> bool {
    names(path, &mounts(), identity).iter().any(|name| is_named_so(name))
}

/// True if this name alone says that the directory is the system's.
fn is_named_so(path: &Path) -> bool {
    let is_one = ALONE.iter().any(|alone| path == Path::new(alone));
    is_one || is_variable(path) || is_in_tree(path)
}

fn is_variable(path: &Path) -> bool {
    let Ok(rest) = path.strip_prefix(VARIABLE) else { return false };
    let is_part = rest.components().count() == 1 && VARIABLE_PARTS.iter().any(|part| rest == Path::new(part));
    let state = path.strip_prefix(STATES).ok().and_then(|rest| rest.components().next());
    is_part || state.is_some_and(|state| STATE_PARTS.iter().any(|part| state.as_os_str() == *part))
}

fn is_in_tree(path: &Path) -> bool {
    let below = |dir: &str| path.strip_prefix(dir).ok().and_then(|rest| rest.components().next());
    if below(SHARED_MEMORY).is_some() {
        return false;
    }
    if let Some(part) = below(LOCAL) {
        return LOCAL_PARTS.iter().any(|of_system| part.as_os_str() == *of_system);
    }
    TREES.iter().any(|tree| path.starts_with(tree))
}

/// All names of a directory: its own, those under which other mounts show it, and those below a directory of
/// the system that is one of the directories above it.
fn names(path: &Path, table: &[Mounted], identity: impl Fn(&Path) -> Option<Identity>) -> Vec<PathBuf> {
    let mut names = vec![path.to_owned()];
    names.extend(names_by_table(path, table));
    let system: Vec<(&Path, Identity)> =
        ALONE.iter().map(Path::new).filter_map(|dir| Some((dir, identity(dir)?))).collect();
    for above in path.ancestors() {
        let (Some(own), Ok(rest)) = (identity(above), path.strip_prefix(above)) else { continue };
        names.extend(system.iter().filter(|(_, of)| *of == own).map(|(dir, _)| dir.join(rest)));
    }
    names
}

/// The names under which the mounts of one file system show a directory of it.
fn names_by_table(path: &Path, table: &[Mounted]) -> Vec<PathBuf> {
    let over = table.iter().filter(|mount| path.starts_with(&mount.point));
    // The last of those with the longest point is on top.
    let Some(mount) = over.max_by_key(|mount| mount.point.components().count()) else { return Vec::new() };
    let Ok(rest) = path.strip_prefix(&mount.point) else { return Vec::new() };
    let inside = mount.root.join(rest);
    let of_system = table.iter().filter(|other| other.device == mount.device);
    let shown = of_system.filter_map(|other| Some(other.point.join(inside.strip_prefix(&other.root).ok()?)));
    shown.collect()
}

/// The identity of a directory, from what the kernel knows: a server that is gone is not waited for.
fn identity(path: &Path) -> Option<Identity> {
    let flags = AtFlags::STATX_DONT_SYNC | AtFlags::NO_AUTOMOUNT;
    let facts = rustix::fs::statx(CWD, path, flags, StatxFlags::INO).ok()?;
    Some((facts.stx_dev_major, facts.stx_dev_minor, facts.stx_ino))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuse::table;

    #[test]
    fn directories_of_the_system_are_known_by_name() {
        for path in ALONE.into_iter().chain(TREES) {
            assert!(is_named_so(Path::new(path)), "{path}");
        }
        for path in [
            "/usr/bin",
            "/usr/local",
            "/usr/local/bin",
            "/usr/local/share/x",
            "/etc/ssl",
            "/proc/sys",
            "/boot/efi",
            "/dev/pts",
            "/sys/fs",
            "/lib64/x",
            "/var/lib",
            "/var/log",
            "/var/tmp",
            "/var/www",
            "/var/lib/dpkg",
            "/var/lib/dpkg/info",
            "/var/lib/systemd",
        ] {
            assert!(is_named_so(Path::new(path)), "{path}");
        }
        for path in [
            "/mnt/x",
            "/srv/x",
            "/tmp/x",
            "/var/tmp/x",
            "/home/user",
            "/opt/x",
            "/media/disk",
            "/dev/shm/x",
            "/run/user/1000",
            "/var/lib/postgresql",
            "/var/x",
            "/usr/local/pgsql/data",
            "/usrdata",
            "/library",
            "/data",
        ] {
            assert!(!is_named_so(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn a_bind_mount_of_a_directory_of_the_system_is_that_directory() {
        let table: Vec<Mounted> = [
            "20 1 8:1 / / rw - ext4 /dev/sda1 rw",
            "21 20 8:1 /usr/share/doc /mnt/doc rw - ext4 /dev/sda1 rw",
            "22 20 8:1 /home/user/data /mnt/data rw - ext4 /dev/sda1 rw",
            "23 20 0:30 / /run rw - tmpfs tmpfs rw",
            "24 20 0:30 / /mnt/run rw - tmpfs tmpfs rw",
            "25 20 8:2 / /mnt/disk rw - ext4 /dev/sda2 rw",
            "26 20 8:2 /@var /var rw - ext4 /dev/sda2 rw",
            "27 20 8:1 / /mnt/all rw - ext4 /dev/sda1 rw",
        ]
        .into_iter()
        .filter_map(table::parse)
        .collect();
        let is_of_system =
            |path: &str| names(Path::new(path), &table, |_| None).iter().any(|name| is_named_so(name));
        for path in
            ["/mnt/doc", "/mnt/doc/x", "/mnt/run", "/mnt/disk/@var", "/mnt/disk/@var/lib", "/mnt/all/etc"]
        {
            assert!(is_of_system(path), "{path}");
        }
        for path in
            ["/mnt/data", "/mnt/data/x", "/mnt/run/x", "/mnt/disk/x", "/mnt/all/home/user/x", "/srv/x"]
        {
            assert!(!is_of_system(path), "{path}");
        }
    }

    #[test]
    fn the_same_inode_is_the_same_directory_where_no_table_is() {
        let identity = |path: &Path| {
            let inode = match path.to_str()? {
                "/" => 2,
                "/usr" | "/mnt/usr" => 3,
                "/srv" | "/mnt/srv" => 4,
                "/dev/shm" | "/mnt/shm" => 5,
                _ => return None,
            };
            Some((8, 1, inode))
        };
        let is_of_system =
            |path: &str| names(Path::new(path), &[], identity).iter().any(|name| is_named_so(name));
        for path in ["/mnt/usr", "/mnt/usr/share/x", "/mnt/srv", "/mnt/shm"] {
            assert!(is_of_system(path), "{path}");
        }
        for path in ["/mnt/srv/x", "/mnt/shm/x", "/mnt/usr/local/pgsql/data"] {
            assert!(!is_of_system(path), "{path}");
        }
    }

    #[test]
    fn this_machines_own_directories_are_its_systems_and_a_new_one_is_not() {
        for path in ["/", "/usr", "/etc", "/dev/shm", "/tmp", "/var/lib", "/run"] {
            let resolved = Path::new(path).canonicalize();
            assert!(resolved.is_ok_and(|resolved| is_of_system(&resolved)), "{path}");
        }
        let dir = tempfile::tempdir().unwrap();
        assert!(!is_of_system(&dir.path().canonicalize().unwrap()));
    }
}
