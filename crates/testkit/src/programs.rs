//! Programs of the distribution that tests and benches run, and the Debian package of each.

use std::path::{Path, PathBuf};

/// A program, the folders that hold it besides those of `PATH`, and its package.
#[derive(Clone, Copy, Debug)]
pub struct Needed {
    /// Its file name.
    pub program: &'static str,
    /// Further folders: `*` stands for any directory, `$NAME` for the value of a variable.
    pub folders: &'static [&'static str],
    /// The Debian package that has it.
    pub package: &'static str,
}

/// All of them; `cargo xtask test` installs what is missing.
pub const NEEDED: &[Needed] = &[
    needed("chromium", &[], "chromium"),
    // It drives chromium by WebDriver.
    needed("chromedriver", &["/usr/lib/chromium"], "chromium-driver"),
    needed("sysbench", &[], "sysbench"),
    needed("fio", &[], "fio"),
    needed("initdb", &["$DRIVETRAIN_POSTGRESQL_BIN", "/usr/lib/postgresql/*/bin"], "postgresql"),
    needed("pgbench", &["$DRIVETRAIN_POSTGRESQL_BIN", "/usr/lib/postgresql/*/bin"], "postgresql"),
    needed("mariadbd", &["$DRIVETRAIN_MARIADB_BIN", "/usr/sbin"], "mariadb-server"),
    needed("mariadb-backup", &[], "mariadb-backup"),
    // Loop images for fragments and for the guard of raw devices.
    needed("mkfs.ext4", &["/usr/sbin"], "e2fsprogs"),
    needed("mkfs.xfs", &["/usr/sbin"], "xfsprogs"),
    needed("mkfs.btrfs", &["/usr/sbin"], "btrfs-progs"),
    // Ordinary users mount through it.
    needed("fusermount3", &[], "fuse3"),
    // fio_jsonplus_clat2csv of the package fio imports it and does not depend on it.
    needed("six.py", &["/usr/lib/python3/dist-packages"], "python3-six"),
    // The feature `mpi`: ranks, the headers of an MPI, and libclang, which reads them.
    needed("mpirun", &[], "openmpi-bin"),
    needed("mpicc", &[], "libopenmpi-dev"),
    needed("libclang.so", &["/usr/lib/*/lib"], "libclang-dev"),
    // Hosts of a fleet in namespaces.
    needed("sshd", &["/usr/sbin"], "openssh-server"),
    needed("ip", &["/usr/sbin"], "iproute2"),
    // Reads `/metrics` of `drivetrain serve`.
    needed("parser.py", &["/usr/lib/python3/dist-packages/prometheus_client"], "python3-prometheus-client"),
];

const fn needed(program: &'static str, folders: &'static [&'static str], package: &'static str) -> Needed {
    Needed { program, folders, package }
}

impl Needed {
    /// The program, in the first folder that has it.
    #[must_use]
    pub fn find(&self) -> Option<PathBuf> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).chain(self.folders.iter().flat_map(|name| folders(name)));
        folders.map(|folder| folder.join(self.program)).find(|path| path.is_file())
    }
}

/// The folders that a name with `*` or `$` stands for.
fn folders(name: &str) -> Vec<PathBuf> {
    if let Some(variable) = name.strip_prefix('$') {
        return std::env::var_os(variable).into_iter().map(PathBuf::from).collect();
    }
    let Some((before, after)) = name.split_once("/*/") else { return vec![PathBuf::from(name)] };
    let versions = std::fs::read_dir(Path::new(before)).into_iter().flatten().flatten();
    versions.map(|version| version.path().join(after)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_beside_the_path_too() {
        assert!(needed("sh", &[], "dash").find().is_some());
        let hosts = needed("hosts", &["/no/*/folder", "/etc"], "").find();
        assert_eq!(hosts.as_deref(), Some(Path::new("/etc/hosts")));
        assert!(needed("no-such-program", &["/usr/lib/*/bin", "$NO_SUCH_VARIABLE"], "").find().is_none());
    }
}
