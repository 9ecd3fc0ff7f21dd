//! `drivetrain clean`: removes the remains of killed runs, and the data of runs.

use std::path::{Path, PathBuf};

use clap::Args;
use lab::clean::{
    Care, Left, Outcome, Replaced, RunData, data_of_nobody, data_of_runs, is_target, ranks_elsewhere, remove,
    remove_remains, remove_target, size_bytes, targets_of_runs, would_remove,
};
use notebook::{Notebook, RunId, RunState};

use crate::confirm;
use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::notebooks;
use crate::printable::{counted, in_one_line};

const AFTER: &str = "\
Mounts, control groups, folders of sockets and servers that a killed drivetrain of this user left are removed by the next command of any kind; \
`clean` alone does the same, and prints what it removed. It keeps the data of a run that can be resumed, and files that `block` and `replay` kept, \
unless you name them; on a terminal it asks first. Results are never removed, and `resume` loads the data again.";

/// Arguments of `clean`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub(crate) struct CleanArgs {
    /// Remove the data of this run of the notebook (may be repeated)
    #[arg(long, value_name = "RUN")]
    run: Vec<String>,

    /// Remove the data of all runs of the notebook
    #[arg(long, conflicts_with = "run")]
    all: bool,

    /// List the data that would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,

    /// Do not ask
    #[arg(long, short)]
    yes: bool,

    /// Data directories to remove whose notebook is missing or elsewhere, and targets of block loads
    #[arg(value_name = "FOLDER")]
    folders: Vec<PathBuf>,
}

/// Removes the remains of a killed verb; in one line on stderr.
pub(crate) fn remove_what_was_left(console: &Console) {
    let left = remove_remains(Care::InPassing);
    let removed = left.iter().filter(|left| left.outcome == Outcome::Removed);
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for kind in removed.map(|left| left.kind) {
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((kind, 1)),
        }
    }
    if !kinds.is_empty() {
        let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{kind} ({count})")).collect();
        console.note(&format!("removed the remains of a killed drivetrain: {}", kinds.join(", ")));
    }
    for target in left.iter().filter(|left| left.kind == "target") {
        let (path, megabytes) =
            (in_one_line(&target.path.display().to_string()), target.size_bytes as f64 / 1e6);
        console
            .note(&format!("a killed load left {path} ({megabytes:.1} MB); `drivetrain clean` removes it"));
    }
}

/// Removes, and lists the removed things.
pub(crate) fn clean(args: &CleanArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let asks_for_runs = args.all || !args.run.is_empty();
    let notebook = if asks_for_runs || path.exists() { Some(notebooks::open(path)?) } else { None };
    let mut runs = notebook.as_ref().map(data_of_runs).transpose()?.unwrap_or_default();
    let mut named = Vec::new();
    if let Some(notebook) = &notebook {
        for run in &args.run {
            let run = notebook.run(notebooks::the_one(notebook, run)?)?;
            named.push(run.id);
            if let Some(owner) = run.owner() {
                let text = format!(
                    "run {} was imported from {owner}, which owns its data; clean it there (`--notebook {owner}`)",
                    run.id
                );
                return Err(Coded::refused(text));
            }
        }
    }
    if !args.yes && !args.dry_run && confirm::can_ask() && !is_confirmed(args, &runs, &named)? {
        console.note("nothing was removed");
        return Ok(Exit::Done);
    }
    for run in &named {
        tell_of_ranks(notebook.as_ref(), *run, console)?;
    }
    // Whoever names a run does not ask for the targets of other loads.
    let only_runs = !args.all && args.folders.is_empty() && !args.run.is_empty();
    let mut left = remove_remains(match (args.dry_run, only_runs) {
        (true, _) => Care::Look,
        (false, true) => Care::InPassing,
        (false, false) => Care::Clean,
    });
    left.retain(|left| !only_runs || left.kind != "target");
    // A thing that a note led to is settled, even if the notebook knows of it as well.
    for run in &mut runs {
        let is_dealt_with = |folder: &PathBuf| left.iter().any(|told| told.path == *folder);
        run.folders.retain(|folder| folder.symlink_metadata().is_ok() && !is_dealt_with(folder));
    }
    for run in &runs {
        left.extend(of_run(run, args.all || named.contains(&run.run), (args, notebook.as_ref()))?);
    }
    for folder in &args.folders {
        let resolved = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
        // A target that a kill left has been dealt with by its note.
        if !left.iter().any(|told| told.kind == "target" && told.path == resolved) {
            left.push(give_up(&resolved, args.dry_run));
        }
    }
    let targets = notebook.as_ref().map(targets_of_runs).transpose()?.unwrap_or_default();
    let told: Vec<PathBuf> = left.iter().map(|left| left.path.clone()).collect();
    let others = data_of_nobody(Path::new("."), &runs).into_iter().chain(targets);
    left.extend(others.filter(|of| !told.contains(&of.path)));
    tell(&left, args.dry_run, console);
    let failed = left.iter().any(|left| matches!(left.outcome, Outcome::Failed(_)));
    Ok(if failed { Exit::Refused } else { Exit::Done })
}

/// The data of ranks on other machines is theirs to remove.
fn tell_of_ranks(notebook: Option<&Notebook>, run: RunId, console: &Console) -> anyhow::Result<()> {
    let Some(notebook) = notebook else { return Ok(()) };
    for (host, file) in ranks_elsewhere(notebook, run)? {
        console.note(&format!(
            "a rank of run {run} keeps its data on {host}; there: drivetrain clean --all --notebook {file}"
        ));
    }
    Ok(())
}

/// Asks about the data that were named, each with its size; what nobody needs any more is not asked about.
fn is_confirmed(args: &CleanArgs, runs: &[RunData], named: &[RunId]) -> anyhow::Result<bool> {
    let given_up = |run: &&RunData| {
        (args.all || named.contains(&run.run)) && !matches!(run.state, RunState::Finished | RunState::Running)
    };
    let of_runs = runs.iter().filter(given_up).flat_map(|run| &run.folders).cloned();
    let by_name =
        args.folders.iter().map(|folder| std::path::absolute(folder).unwrap_or_else(|_| folder.clone()));
    let due: Vec<Left> = of_runs.chain(by_name).map(|folder| give_up(&folder, true)).collect();
    // A refusal needs no question: it is told.
    if !due.iter().any(|left| left.outcome == Outcome::Due) {
        return Ok(true);
    }
    let things: String = due.iter().map(line).collect();
    Ok(confirm::is_confirmed(&format!("{things}Remove these?"))?)
}

/// The data of one run: given up when it was named, or when nothing can come of it.
fn of_run(
    run: &RunData,
    is_named: bool,
    (args, notebook): (&CleanArgs, Option<&Notebook>),
) -> anyhow::Result<Vec<Left>> {
    if is_named && run.state == RunState::Running {
        if args.all {
            return Ok(Vec::new());
        }
        let text =
            format!("run {} is still running; end it first (Ctrl-C keeps what it has measured)", run.run);
        return Err(Coded::refused(text));
    }
    let replaced = |outcome: fn(String) -> Outcome, why: &str| -> Vec<Left> {
        let in_place = |replaced: &Replaced| Left {
            kind: "data",
            path: replaced.path.clone(),
            size_bytes: 0,
            outcome: outcome(format!("{why}{}", replaced.why)),
        };
        run.replaced.iter().map(in_place).collect()
    };
    if is_named || run.state == RunState::Finished {
        let given_up = run.folders.iter().map(|folder| give_up(folder, args.dry_run));
        return Ok(given_up.chain(replaced(Outcome::Failed, "")).collect());
    }
    let summary =
        notebook.and_then(|notebook| notebook.runs().ok()?.into_iter().find(|known| known.id == run.run));
    let cells = summary.map_or_else(String::new, |run| {
        format!(", {} of {}", run.cells_done, counted(run.cells_planned as usize, "cell"))
    });
    let how = match run.state {
        RunState::Running => String::new(),
        _ => format!(
            "; `drivetrain resume {0}` continues the run, `drivetrain clean --run {0}` removes its data",
            run.run
        ),
    };
    let why = format!("run {} ({}{cells}){how}", run.run, run.state);
    let kept = |folder: &PathBuf| Left {
        kind: "data",
        path: folder.clone(),
        size_bytes: size_bytes(folder),
        outcome: Outcome::Kept(why.clone()),
    };
    let in_place = replaced(Outcome::Kept, &format!("run {} ({}): ", run.run, run.state));
    Ok(run.folders.iter().map(kept).chain(in_place).collect())
}

fn give_up(folder: &Path, dry_run: bool) -> Left {
    if let Err(silent) = emulate::fuse::check_answers(folder) {
        let (path, outcome) = (folder.to_owned(), Outcome::Failed(silent.to_string()));
        return Left { kind: "data", path, size_bytes: 0, outcome };
    }
    if !folder.is_dir() && is_target(folder) {
        return remove_target(folder, dry_run);
    }
    if dry_run && folder.is_dir() { would_remove(folder) } else { remove(folder) }
}

fn words(outcome: &Outcome) -> (&'static str, &str) {
    match outcome {
        Outcome::Removed => ("removed", ""),
        Outcome::Due => ("to remove", ""),
        Outcome::Kept(why) => ("kept", why),
        Outcome::Failed(why) => ("failed", why),
    }
}

fn tell(left: &[Left], dry_run: bool, console: &Console) {
    let freed = |outcome: &Outcome| matches!(outcome, Outcome::Removed | Outcome::Due);
    let freed_bytes: u64 = left.iter().filter(|left| freed(&left.outcome)).map(|left| left.size_bytes).sum();
    if console.json() {
        let things: Vec<serde_json::Value> = left.iter().map(document).collect();
        console.document(
            &serde_json::json!({ "dry_run": dry_run, "freed_bytes": freed_bytes, "things": things }),
        );
        return;
    }
    let kept = |left: &&Left| matches!(left.outcome, Outcome::Kept(_));
    let kept_bytes: u64 = left.iter().filter(kept).map(|left| left.size_bytes).sum();
    let mut text: String = left.iter().map(line).collect();
    if left.is_empty() {
        text.push_str("nothing is left of any run\n");
    }
    if freed_bytes > 0 {
        let verb = if dry_run { "would be freed" } else { "freed" };
        text.push_str(&format!("{:.1} MB {verb}\n", freed_bytes as f64 / 1e6));
    }
    if kept_bytes > 0 {
        text.push_str(&format!("{:.1} MB kept\n", kept_bytes as f64 / 1e6));
    }
    console.answer(&text);
}

/// The line of a thing: its outcome, its size and path, and the reason.
fn line(left: &Left) -> String {
    let (outcome, why) = words(&left.outcome);
    let size = if left.size_bytes > 0 || left.kind == "data" {
        format!("{:>9.1} MB", left.size_bytes as f64 / 1e6)
    } else {
        String::new()
    };
    let path = in_one_line(&left.path.display().to_string());
    let mut line = format!("{outcome:9}  {:13}  {size:12}  {path}\n", left.kind);
    if !why.is_empty() {
        line.push_str(&format!("           {}\n", in_one_line(why)));
    }
    line
}

fn document(left: &Left) -> serde_json::Value {
    let (outcome, why) = words(&left.outcome);
    serde_json::json!({
        "kind": left.kind,
        "path": left.path.display().to_string(),
        "bytes": left.size_bytes,
        "outcome": outcome,
        "why": if why.is_empty() { serde_json::Value::Null } else { why.into() },
    })
}
