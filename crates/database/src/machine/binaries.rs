//! Finds a server's programs: in the folder that the environment names, on `PATH`, or where distributions put
//! them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::ServerError;

/// The wanted program.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// The engine and the versions that do, in words.
    pub(crate) engine: &'static str,
    pub(crate) package: &'static str,
    /// Environment variable that names a folder.
    pub(crate) variable: &'static str,
    /// Names of the server program; the first that is there is taken.
    pub(crate) programs: &'static [&'static str],
    /// Folders of distributions; a `*` stands for one directory, and the highest version comes first.
    pub(crate) folders: &'static [&'static str],
    /// True for an acceptable version.
    pub(crate) does: fn(&str) -> bool,
}

/// A server program and its version text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) program: PathBuf,
    /// The line that `--version` printed.
    pub(crate) version_line: String,
}

impl Found {
    /// A program in the same folder.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.program.with_file_name(name)
    }
}

/// Looks for the server on this machine.
pub(crate) fn find(wanted: &Wanted) -> Result<Found, ServerError> {
    look(wanted, std::env::var_os(wanted.variable), std::env::var_os("PATH"))
}

fn look(wanted: &Wanted, named: Option<OsString>, path: Option<OsString>) -> Result<Found, ServerError> {
    if let Some(folder) = named.filter(|folder| !folder.is_empty()) {
        return in_named_folder(wanted, Path::new(&folder));
    }
    let mut folders: Vec<PathBuf> = path.iter().flat_map(std::env::split_paths).collect();
    folders.extend(wanted.folders.iter().flat_map(|pattern| expand(pattern)));
    let mut too_old = None;
    for found in folders.iter().filter_map(|folder| in_folder(wanted, folder)) {
        if (wanted.does)(&found.version_line) {
            return Ok(found);
        }
        too_old.get_or_insert(found);
    }
    match too_old {
        Some(found) => Err(ServerError::TooOld {
            engine: wanted.engine,
            place: found.program.display().to_string(),
            found: found.version_line,
            needed: wanted.engine,
        }),
        None => Err(ServerError::NotFound {
            engine: wanted.engine.to_owned(),
            looked: format!("PATH, {}", wanted.folders.join(", ")),
            package: wanted.package,
            variable: wanted.variable,
        }),
    }
}

fn in_named_folder(wanted: &Wanted, folder: &Path) -> Result<Found, ServerError> {
    let found = in_folder(wanted, folder).ok_or_else(|| ServerError::WrongFolder {
        variable: wanted.variable,
        path: folder.to_owned(),
        missing: wanted.programs.join("` or `"),
    })?;
    if (wanted.does)(&found.version_line) {
        return Ok(found);
    }
    Err(ServerError::TooOld {
        engine: wanted.engine,
        place: found.program.display().to_string(),
        found: found.version_line,
        needed: wanted.engine,
    })
}

/// The server in `folder`, when it is there and runs at all.
fn in_folder(wanted: &Wanted, folder: &Path) -> Option<Found> {
    // Absolute, with links resolved: a link on PATH is alone, and the other programs are beside the real one.
    let program = wanted
        .programs
        .iter()
        .find_map(|name| fs::canonicalize(folder.join(name)).ok().filter(|path| path.is_file()))?;
    let output =
        Command::new(&program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let line = String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_owned();
    (output.status.success() && !line.is_empty()).then_some(Found { program, version_line: line })
}

/// The folders that a pattern stands for.
fn expand(pattern: &str) -> Vec<PathBuf> {
    let Some((before, after)) = pattern.split_once('*') else { return vec![PathBuf::from(pattern)] };
    let (parent, start) = before.rsplit_once('/').unwrap_or((".", before));
    let mut names: Vec<String> = fs::read_dir(if parent.is_empty() { "/" } else { parent })
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.starts_with(start))
        .collect();
    names.sort_by_key(|name| std::cmp::Reverse(numbers(name)));
    names.into_iter().map(|name| PathBuf::from(format!("{parent}/{name}{after}"))).collect()
}

/// The numbers of the first version in `text`: `postgres (PostgreSQL) 15.18 (Debian ...)` gives 15, 18.
pub(crate) fn numbers(text: &str) -> Vec<u32> {
    let start = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let version = text[start..].split(|c: char| !(c.is_ascii_digit() || c == '.')).next().unwrap_or_default();
    version.split('.').map_while(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    const WANTED: Wanted = Wanted {
        engine: "Toy 2 or newer",
        package: "toy-server",
        variable: "TOY_BIN",
        programs: &["toyd", "toy"],
        folders: &["/no/such/*/bin"],
        does: |line| numbers(line) >= vec![2],
    };

    fn toy(folder: &Path, version: &str) {
        let program = folder.join("toy");
        fs::write(&program, format!("#!/bin/sh\necho 'toy Ver {version} for tests'\n")).unwrap();
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn the_first_that_does_is_taken() {
        let temp = tempfile::tempdir().unwrap();
        let (old, new) = (temp.path().join("old"), temp.path().join("new"));
        for (folder, version) in [(&old, "1.9"), (&new, "2.0.1")] {
            fs::create_dir(folder).unwrap();
            toy(folder, version);
        }
        let path = std::env::join_paths([temp.path(), &old, &new]).unwrap();
        let found = look(&WANTED, None, Some(path)).unwrap();
        assert_eq!(found.program, fs::canonicalize(new.join("toy")).unwrap());
        assert_eq!(found.version_line, "toy Ver 2.0.1 for tests");
        let message = look(&WANTED, None, Some(old.clone().into())).unwrap_err().to_string();
        assert!(message.contains("toy Ver 1.9") && message.contains("Toy 2 or newer is needed"), "{message}");
        let message = look(&WANTED, Some(old.into()), None).unwrap_err().to_string();
        assert!(message.contains("Toy 2 or newer is needed"), "{message}");
    }

    #[test]
    fn an_absent_server_names_its_package() {
        let message = look(&WANTED, None, None).unwrap_err().to_string();
        assert!(message.contains("install the package `toy-server`, or set TOY_BIN"), "{message}");
        let message = look(&WANTED, Some("/no/such".into()), None).unwrap_err().to_string();
        assert!(message.contains("TOY_BIN is /no/such") && message.contains("`toyd` or `toy`"), "{message}");
    }

    #[test]
    fn the_highest_version_comes_first() {
        let temp = tempfile::tempdir().unwrap();
        for name in ["9.6", "13", "15", "other"] {
            fs::create_dir(temp.path().join(name)).unwrap();
        }
        let pattern = format!("{}/*/bin", temp.path().display());
        let names: Vec<_> = expand(&pattern)
            .iter()
            .map(|path| path.parent().unwrap().file_name().unwrap().to_owned())
            .collect();
        assert_eq!(names, ["15", "13", "9.6", "other"]);
    }

    #[test]
    fn reads_versions() {
        assert_eq!(numbers("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"), [15, 18]);
        assert_eq!(numbers("mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu"), [10, 11, 19]);
        assert_eq!(numbers("postgres (PostgreSQL) 17beta1"), [17]);
        assert_eq!(numbers("none"), [] as [u32; 0]);
    }
}
