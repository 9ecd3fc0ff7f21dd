//! Removing a directory that a server or a tool has filled: all of it is looked at first, and nothing goes
//! unless everything in it is explained by the engine's own layout. Then file by file, through the opened
//! directories, so that no link put there meanwhile is followed.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use disk::{Dir, Facts, FileKind};

use super::files::{Layouts, is_core_dump};
use crate::error::DatabaseError;

/// A directory as it was when it was looked at.
#[derive(Debug)]
pub(crate) struct Surveyed {
    name: OsString,
    facts: Facts,
    files: Vec<(OsString, Facts)>,
    dirs: Vec<Surveyed>,
}

/// Looks at the directory `path` and all below it; `None` when there is none.
///
/// # Errors
/// [`DatabaseError::Refused`] with the first thing that no server puts there; a link in its place, or
/// something mounted in it, included.
pub(crate) fn survey(path: &Path) -> Result<Option<Surveyed>, DatabaseError> {
    let failed = |error: io::Error| DatabaseError::io("looking through", path)(error);
    let (above, name) = match Dir::holding(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(failed)?,
    };
    let Some(facts) = above.facts(&name).map_err(failed)? else { return Ok(None) };
    if facts.kind != FileKind::Dir {
        return Err(refused(&above, path, "is no directory of a server"));
    }
    let dir = above.open_dir(&name).map_err(failed)?;
    let layouts = Layouts::of(&dir).map_err(failed)?;
    look(&dir, &dir, name, facts, &mut Vec::new(), &layouts).map(Some)
}

fn look(
    root: &Dir,
    dir: &Dir,
    name: OsString,
    facts: Facts,
    steps: &mut Vec<String>,
    layouts: &Layouts,
) -> Result<Surveyed, DatabaseError> {
    let failed = |error: io::Error| DatabaseError::io("looking through", dir.path())(error);
    let mut surveyed = Surveyed { name, facts, files: Vec::new(), dirs: Vec::new() };
    for name in dir.names().map_err(failed)? {
        // A file that was there a moment ago and is gone was the server's.
        let Some(found) = dir.facts(&name).map_err(failed)? else { continue };
        steps.push(name.to_string_lossy().into_owned());
        let path = steps.join("/");
        let known =
            layouts.explain(&path, found.kind) || (found.kind == FileKind::File && is_core_dump(root, &path));
        if !known || name.to_str().is_none() {
            return Err(refused(root, &dir.join(&name), "is nothing that a server puts there"));
        }
        if found.kind == FileKind::Dir {
            if found.stamp.device != facts.stamp.device {
                return Err(refused(root, &dir.join(&name), "has a file system mounted on it"));
            }
            let below = dir.open_dir(&name).map_err(failed)?;
            surveyed.dirs.push(look(root, &below, name, found, steps, layouts)?);
        } else {
            surveyed.files.push((name, found));
        }
        steps.pop();
    }
    Ok(surveyed)
}

/// Removes the surveyed directory at `path`. A file that has come since stays, and is an error.
pub(crate) fn clear(path: &Path, surveyed: &Surveyed) -> Result<(), DatabaseError> {
    let (above, _) = Dir::holding(path).map_err(DatabaseError::io("opening", disk::parent(path)))?;
    clear_in(&above, surveyed)
}

fn clear_in(above: &Dir, surveyed: &Surveyed) -> Result<(), DatabaseError> {
    let path = above.join(&surveyed.name);
    let failed = |error: io::Error| DatabaseError::io("removing", &path)(error);
    let dir = match above.open_dir(&surveyed.name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other.map_err(failed)?,
    };
    if !dir.own_facts().map_err(failed)?.stamp.is_same_file(&surveyed.facts.stamp) {
        return Err(refused(above, &path, "has taken the place of a server's directory just now"));
    }
    for below in &surveyed.dirs {
        clear_in(&dir, below)?;
    }
    for (name, facts) in &surveyed.files {
        remove(&dir, name, facts)?;
    }
    match above.remove_dir(&surveyed.name) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
            let found = dir.names().ok().and_then(|names| names.into_iter().next()).unwrap_or_default();
            Err(refused(above, &dir.join(found), "came into a server's directory just now"))
        }
        other => other.map_err(failed),
    }
}

fn remove(dir: &Dir, name: &OsStr, facts: &Facts) -> Result<(), DatabaseError> {
    let path = dir.join(name);
    let failed = |error: io::Error| DatabaseError::io("removing", &path)(error);
    match dir.facts(name).map_err(failed)? {
        None => Ok(()),
        Some(now) if now.kind == facts.kind && now.stamp.is_same_file(&facts.stamp) => {
            dir.remove_file(name).map_err(failed)
        }
        Some(_) => Err(refused(dir, &path, "has taken the place of a server's file just now")),
    }
}

/// Looks at all of `trees`, and removes them only when everything in each is explained.
pub(crate) fn remove_trees(trees: &[PathBuf]) -> Result<(), DatabaseError> {
    let surveyed = trees.iter().map(|tree| survey(tree)).collect::<Result<Vec<_>, _>>()?;
    for (tree, surveyed) in trees.iter().zip(surveyed) {
        if let Some(surveyed) = surveyed {
            clear(tree, &surveyed)?;
        }
    }
    Ok(())
}

fn refused(dir: &Dir, path: &Path, why: &str) -> DatabaseError {
    DatabaseError::Foreign { dir: dir.path().to_owned(), path: path.to_owned(), why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use disk::fault::{self, Failure, Plan};
    use std::fs;

    const POSTGRESQL: [&str; 12] = [
        "PG_VERSION",
        "base/1/1259",
        "base/1/1259_fsm",
        "base/5/16384.1",
        "base/5/t3_16401",
        "base/pgsql_tmp/pgsql_tmp4711.0",
        "base/pgsql_tmp/pgsql_tmp4711.2.fileset/i0of1.p0.0",
        "global/pg_control",
        "pg_xact/0000",
        "pg_wal/000000010000000000000001",
        "pg_wal/archive_status/000000010000000000000001.done",
        "pg_stat/pgstat.stat",
    ];
    const MARIADB: [&str; 9] = [
        "ibdata1",
        "aria_log.00000001",
        "aria_log_control",
        "ib_buffer_pool",
        "undo001",
        "mysql/user.frm",
        "mysql/#sql-1_2.MAI",
        "drivetrain/db.opt",
        "drivetrain/order_line.ibd",
    ];

    fn tree(names: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("data");
        fs::create_dir(&root).unwrap();
        names.iter().for_each(|name| put(&root, name));
        (temp, root)
    }

    fn put(root: &Path, name: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "work of years").unwrap();
    }

    fn all(root: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut dirs = vec![root.to_owned()];
        while let Some(dir) = dirs.pop() {
            for entry in fs::read_dir(&dir).unwrap() {
                let path = entry.unwrap().path();
                if fs::symlink_metadata(&path).unwrap().is_dir() {
                    dirs.push(path.clone());
                }
                found.push(path);
            }
        }
        found.sort();
        found
    }

    #[test]
    fn what_servers_write_goes_as_a_whole() {
        for names in [
            &POSTGRESQL[..],
            &MARIADB,
            &[
                "000000010000000000000001",
                "00000002.history",
                "archive_status/000000010000000000000001.ready",
            ],
            &["ib_logfile0", "ib_logfile101"],
            &["#sql-temptable-12-3-1.MAI"],
            &["base.tar.gz", "pg_wal.tar.gz", "backup_manifest"],
            &["backup.dump"],
            &["base/1/1259"],
            &[],
        ] {
            let (_temp, root) = tree(names);
            remove_trees(std::slice::from_ref(&root)).unwrap();
            assert!(!root.exists(), "{names:?}");
            remove_trees(&[root]).unwrap();
        }
    }

    #[test]
    fn a_foreign_file_anywhere_keeps_everything_and_is_named() {
        for (own, foreign) in [
            (&POSTGRESQL[..], "thesis.tex"),
            (&POSTGRESQL, "pg_dump.sql"),
            (&POSTGRESQL, "backup_of_my_work"),
            (&POSTGRESQL, "core"),
            (&POSTGRESQL, "core/notes"),
            (&POSTGRESQL, "base/thesis.tex"),
            (&POSTGRESQL, "base/1/thesis"),
            (&POSTGRESQL, "base/1/deeper/16384"),
            (&POSTGRESQL, "base/mine/1"),
            (&POSTGRESQL, "log/mine"),
            (&POSTGRESQL, "ibdata1"),
            (&POSTGRESQL, "pg_wal/mine"),
            (&POSTGRESQL, "pg_tblspc/1/PG_15_202209061/5/16384"),
            (&MARIADB, "thesis.tex"),
            (&MARIADB, "work/stock.ibd"),
            (&MARIADB, "mysql/thesis.tex"),
            (&MARIADB, "drivetrain/deep/stock.ibd"),
            (&MARIADB, "mysqldump.sql"),
            (&MARIADB, "backup_of_my_work"),
            (&["000000010000000000000001"], "mine/t2"),
            (&["000000010000000000000001"], "notes.txt"),
            (&[], "notes/a.txt"),
        ] {
            let (temp, root) = tree(own);
            put(&root, foreign);
            let (_other, whole) = tree(&MARIADB);
            let before = all(temp.path());
            let error = remove_trees(&[whole.clone(), root.clone()]).unwrap_err();
            assert!(error.is_refusal(), "{foreign}: {error}");
            let first = foreign.split('/').next().unwrap();
            assert!(error.to_string().contains(first), "{foreign}: {error}");
            assert_eq!(all(temp.path()), before, "{foreign}");
            assert_eq!(all(&whole).len(), MARIADB.len() + 2, "the others stay, too");
        }
    }

    #[test]
    fn links_are_not_followed_and_only_the_logs_own_goes() {
        let (temp, root) = tree(&POSTGRESQL[..9]);
        let elsewhere = temp.path().join("elsewhere");
        put(&elsewhere, "000000010000000000000001");
        let link = |at: &str| std::os::unix::fs::symlink(&elsewhere, root.join(at)).unwrap();
        for at in ["base/7", "base/1/16999", "pg_xact/0001", "thesis"] {
            link(at);
            assert!(remove_trees(std::slice::from_ref(&root)).unwrap_err().is_refusal(), "{at}");
            fs::remove_file(root.join(at)).unwrap();
        }
        link("pg_wal");
        let linked = temp.path().join("linked");
        std::os::unix::fs::symlink(&root, &linked).unwrap();
        assert!(remove_trees(&[linked]).unwrap_err().is_refusal());
        remove_trees(std::slice::from_ref(&root)).unwrap();
        assert!(!root.exists() && elsewhere.join("000000010000000000000001").exists());
    }

    #[test]
    fn what_came_or_changed_after_the_look_stays() {
        let (temp, root) = tree(&POSTGRESQL);
        let surveyed = survey(&root).unwrap().unwrap();
        put(&root, "base/1/thesis");
        let message = clear(&root, &surveyed).unwrap_err().to_string();
        assert!(message.contains("thesis"), "{message}");
        assert!(root.join("base/1/thesis").exists());

        let (_again, root) = tree(&POSTGRESQL);
        let surveyed = survey(&root).unwrap().unwrap();
        let elsewhere = temp.path().join("elsewhere");
        put(&elsewhere, "1259");
        fs::rename(root.join("base/1"), root.join("base/moved")).unwrap();
        std::os::unix::fs::symlink(&elsewhere, root.join("base/1")).unwrap();
        assert!(clear(&root, &surveyed).is_err());
        assert!(elsewhere.join("1259").exists());
    }

    #[test]
    fn a_dump_of_the_kernels_is_known_by_its_head() {
        let (_temp, root) = tree(&POSTGRESQL);
        let mut head = vec![0; 64];
        head[..4].copy_from_slice(b"\x7fELF");
        head[16..18].copy_from_slice(&4_u16.to_ne_bytes());
        fs::write(root.join("core.4711"), &head).unwrap();
        remove_trees(std::slice::from_ref(&root)).unwrap();
        assert!(!root.exists());
    }

    #[test]
    fn after_a_failure_at_any_point_the_rest_can_be_removed() {
        let points = {
            let (_temp, root) = tree(&POSTGRESQL);
            fault::count(|| remove_trees(std::slice::from_ref(&root)).unwrap()).1
        };
        for failure in Failure::ALL {
            for at in 1..=points {
                let (_temp, root) = tree(&POSTGRESQL);
                let (_, _) = fault::with(Plan { failure, at }, || remove_trees(std::slice::from_ref(&root)));
                remove_trees(std::slice::from_ref(&root)).unwrap();
                assert!(!root.exists(), "{failure:?}@{at}");
            }
        }
    }
}
