//! The notebook and the run that a verb is asked about.

use std::io::Read as _;
use std::path::Path;

use notebook::{Notebook, Run, RunId, RunKey};
use words::{Realm, shell};

use crate::exit::Coded;

/// Opens a notebook that must be there.
pub(crate) fn open(path: &Path) -> anyhow::Result<Notebook> {
    // Its errors name the notebook.
    Ok(Notebook::open_existing(path)?)
}

/// The run that was named (by number, id, tag, its own name or that of its experiment), or the latest. Of
/// several that fit it is the latest.
pub(crate) fn chosen(notebook: &Notebook, run: Option<&str>) -> anyhow::Result<RunId> {
    let latest = || Coded::usage("the notebook holds no run yet");
    match run {
        Some(name) => Ok(named(notebook, name)?[0]),
        None => notebook.latest_run()?.ok_or_else(latest),
    }
}

/// The run that was named, for a verb that changes what it is given: a name of several runs is refused.
pub(crate) fn the_one(notebook: &Notebook, name: &str) -> anyhow::Result<RunId> {
    let mut found = named(notebook, name)?;
    // A tag comes before a name where a run is only looked at.
    let is_plain = name.parse::<i64>().is_ok() || name == "latest" || RunKey::is_one(name);
    if let (false, called @ [_, ..]) = (is_plain, &notebook.called(name)?[..]) {
        found = called.to_vec();
    }
    let [one] = found[..] else {
        let shown = found.iter().rev().map(|run| Ok(format!("{run} ({})", notebook.run(*run)?.key())));
        let shown = shown.collect::<anyhow::Result<Vec<String>>>()?;
        return Err(Coded::usage(format!(
            "`{name}` means {} runs of {}: {}; name one by its number or id (`drivetrain ls {name}` lists them)",
            found.len(),
            notebook.path().display(),
            shown.join(", ")
        )));
    };
    Ok(one)
}

/// The runs of this name, the latest first: one at least.
fn named(notebook: &Notebook, name: &str) -> anyhow::Result<Vec<RunId>> {
    if let Ok(number) = name.parse().map(RunId) {
        notebook.run(number).map_err(|e| Coded::usage(e.to_string()))?;
        return Ok(vec![number]);
    }
    let found = notebook.find_runs(name)?;
    if found.is_empty() {
        return Err(Coded::usage(no_run(notebook, name)));
    }
    Ok(found)
}

/// The refusal of a name that no run has; a path gets the option or verb that takes it.
fn no_run(notebook: &Notebook, name: &str) -> String {
    let (path, here) = (Path::new(name), notebook.path().display());
    if is_database(path) {
        format!(
            "`{name}` is a notebook, and a run is expected here; name the notebook by --notebook (of a baseline by --baseline-notebook), and a run by \
             its number, id, name or tag"
        )
    } else if path.exists() || name.contains('/') {
        format!(
            "`{name}` is a path, and a run is expected here: a number, id, name or tag of a run in {here} (`drivetrain ls`); `drivetrain run {}` runs \
             an experiment file",
            shell::path(path)
        )
    } else {
        format!(
            "no run of {here} is called `{name}`; `drivetrain ls` lists the runs with their ids, names and tags"
        )
    }
}

/// True for a file that begins as those of SQLite do.
fn is_database(path: &Path) -> bool {
    const BEGINS: &[u8; 16] = b"SQLite format 3\0";
    let mut head = [0; BEGINS.len()];
    // A pipe or device is never opened: it could wait for ever.
    let is_file = path.metadata().is_ok_and(|found| found.is_file());
    let mut read = || std::fs::File::open(path)?.read_exact(&mut head);
    is_file && read().is_ok() && head == *BEGINS
}

/// Refuses a run of another program where its experiment is needed.
pub(crate) fn require_own(run: &Run, what: &str) -> anyhow::Result<()> {
    if run.realm == Realm::Imported {
        return Err(Coded::usage(format!(
            "run {} was measured by {} and imported: it has no experiment and cannot be {what}",
            run.id, run.tool_version
        )));
    }
    Ok(())
}
