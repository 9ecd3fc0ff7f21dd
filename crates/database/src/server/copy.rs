//! Keeping the state of a stopped instance, and bringing it back.

use std::fs;
use std::path::Path;

use ground::Clock;

use super::clearing::remove_trees;
use super::engine::ServerProgram;
use super::layout::{COMPLETE_FILE, Layout, SECRET_FILE, Unfinished, VERSION_FILE};
use crate::client::Secret;
use crate::copy::{CopyMethod, CopyReport, sync_dir};
use crate::error::{DatabaseError, ServerError};
use crate::machine::{Account, Tree};
use crate::marker;
use crate::marker::Marker;

/// Copies the stopped instance at `from` to `kept`.
pub(crate) fn snapshot(
    from: &Layout,
    kept: &Layout,
    program: &dyn ServerProgram,
) -> Result<CopyReport, DatabaseError> {
    let start = Clock::Wall.stopwatch();
    remove_trees(&[kept.data(), kept.log()])?;
    let (bytes, method) = copy_trees(from, kept, program, None)?;
    write_secret(&kept.file(SECRET_FILE), read_secret(&from.file(SECRET_FILE)).as_ref())?;
    kept.write(COMPLETE_FILE, &format!("{}\n", program.generation()))?;
    sync_dir(&kept.file(COMPLETE_FILE))?;
    Ok(CopyReport { bytes, method, elapsed: start.elapsed() })
}

/// Puts the copy `kept` in the place of whatever is in `to`, which then belongs to `account`.
pub(crate) fn restore(
    kept: &Layout,
    to: &Layout,
    program: &dyn ServerProgram,
    account: &Account,
) -> Result<CopyReport, DatabaseError> {
    let start = Clock::Wall.stopwatch();
    to.begin(Unfinished::Restore)?;
    // The old files go first: a bed with room for one database must be able to be reset.
    to.wipe()?;
    let (bytes, method) = copy_trees(kept, to, program, Some(account))?;
    account.create_dir(&to.temporary())?;
    to.link_log(program.log_link())?;
    write_secret(&to.file(SECRET_FILE), read_secret(&kept.file(SECRET_FILE)).as_ref())?;
    note_version(to, program)?;
    to.finish()?;
    Ok(CopyReport { bytes, method, elapsed: start.elapsed() })
}

/// The whole copy in `from` that this engine can read.
pub(crate) fn find(from: &Path, program: &dyn ServerProgram) -> Result<Layout, DatabaseError> {
    let no_copy = |why: &str| DatabaseError::NoCopy { path: from.to_owned(), why: why.to_owned() };
    if disk::metadata_if_any(from).map_err(DatabaseError::io("reading", from))?.is_none() {
        return Err(no_copy("the directory is absent"));
    }
    Marker::open(from)?.check_file(COMPLETE_FILE)?;
    let found = fs::read_to_string(from.join(COMPLETE_FILE)).map_err(|_| no_copy("it was never finished"))?;
    compare_versions(from, found.trim(), program)?;
    Ok(Layout { dir: from.to_owned(), log_home: from.to_owned() })
}

/// Notes which engine made the files of an instance.
pub(crate) fn note_version(layout: &Layout, program: &dyn ServerProgram) -> Result<(), DatabaseError> {
    layout.write(VERSION_FILE, &format!("{}\n", program.generation()))
}

/// Checks that this engine made the files of an instance.
pub(crate) fn check_version(layout: &Layout, program: &dyn ServerProgram) -> Result<(), DatabaseError> {
    let found = fs::read_to_string(layout.version_file()).unwrap_or_else(|_| "an unknown engine".to_owned());
    compare_versions(&layout.dir, found.trim(), program)
}

fn compare_versions(dir: &Path, found: &str, program: &dyn ServerProgram) -> Result<(), DatabaseError> {
    let have = program.generation();
    if found == have {
        return Ok(());
    }
    Err(ServerError::OtherVersion { dir: dir.to_owned(), found: found.to_owned(), have }.into())
}

/// Our user's password, where one was kept.
pub(crate) fn read_secret(path: &Path) -> Option<Secret> {
    fs::read_to_string(path).ok().map(|text| Secret::new(text.trim()))
}

/// Keeps our user's password where only we can read it.
pub(crate) fn write_secret(path: &Path, secret: Option<&Secret>) -> Result<(), DatabaseError> {
    let (marker, name) = marker::of(path)?;
    match secret {
        Some(secret) => marker.write(name, format!("{}\n", secret.reveal()).as_bytes(), 0o600).map(drop),
        None => marker.remove(name),
    }
}

/// Copies data and log; total bytes, and how the worst file was copied.
fn copy_trees(
    from: &Layout,
    to: &Layout,
    program: &dyn ServerProgram,
    owner: Option<&Account>,
) -> Result<(u64, CopyMethod), DatabaseError> {
    let data = Tree::list(&from.data(), program.log_link())?;
    let log = Tree::list(&from.log(), None)?;
    let parts = [(&data, from.data(), to.data(), &to.dir), (&log, from.log(), to.log(), &to.log_home)];
    let mut method = CopyMethod::Reflink;
    for (tree, source, target, home) in &parts {
        method = method.worse(tree.copy(source, target, home, owner)?);
    }
    for (tree, _, target, _) in &parts {
        tree.settle(target)?;
    }
    Ok((data.bytes + log.bytes, method))
}
