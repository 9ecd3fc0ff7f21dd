//! An observation as a run of the notebook.

use std::path::Path;
use std::time::SystemTime;

use jiff::Timestamp;
use lab::Observed;
use notebook::{Bed, ImportedCell, ImportedRun, Notebook, NotebookError, PlannedCell, RunId, RunPlan};
use words::{BedDrive, Engine, LevelName, Realm, WorkloadKind};

use crate::exit::Coded;
use crate::printable::in_one_line;
use crate::verbs::tag::LabelArgs;

/// Refuses a notebook that cannot be read, or a directory that cannot be written.
pub(super) fn check(path: &Path) -> anyhow::Result<()> {
    match Notebook::open_existing(path).and_then(|notebook| notebook.become_writer()) {
        // Another command that writes at this moment has ended by then.
        Ok(()) | Err(NotebookError::InUse { .. }) => Ok(()),
        Err(NotebookError::NotFound { .. }) => {
            let directory = disk::parent(path);
            match disk::is_writable(directory) {
                Ok(true) => Ok(()),
                _ => Err(Coded::usage(format!(
                    "the directory {} of the notebook cannot be written; name another with --notebook",
                    directory.display()
                ))),
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// Keeps what was seen; `began` is the date of its start.
pub(super) fn keep(
    seen: &Observed,
    (engine, drive, began): (Engine, Option<String>, SystemTime),
    labels: &LabelArgs,
    path: &Path,
) -> anyhow::Result<RunId> {
    let run = run(seen, engine, drive, began);
    let mut notebook = crate::kept::open(path)?;
    notebook.label_next_run(labels.labels());
    let (number, _) = notebook.add_imported(&run)?;
    notebook.close()?;
    Ok(number)
}

fn run(seen: &Observed, engine: Engine, drive: Option<String>, began: SystemTime) -> ImportedRun {
    let began = Timestamp::try_from(began).unwrap_or(Timestamp::UNIX_EPOCH);
    let (version, address) = (in_one_line(&seen.version), in_one_line(&seen.address));
    let length_s = seen.record.phases.iter().map(|phase| phase.end_s).fold(0.0, f64::max);
    let [started_at, ended_at] = [0.0, length_s].map(|seconds| ImportedRun::moment(began, seconds));
    let mut facts = seen.facts.clone();
    facts.extend(drive.clone().map(|drive| ("drive".to_owned(), drive)));
    let device = facts.get("device").cloned();
    let bed = Bed {
        name: engine.name().to_owned(),
        realm: Realm::Imported.into(),
        storage_summary: drive.or(device).unwrap_or_else(|| BedDrive::NotStated.to_string()),
        facts: facts.iter().filter(|(name, _)| !name.starts_with("grown.")).map(own).collect(),
        ..Bed::default()
    };
    let content = format!("{began}{address}");
    let plan = RunPlan {
        name: format!("observe-{}", engine.name()),
        title: format!("{version} at {address}, observed"),
        tool_version: version,
        baseline: bed.name.clone(),
        ..ImportedRun::plan_of(content.as_bytes(), "A load that was observed", &asked(engine, &address))
    };
    let cell = ImportedCell {
        plan: PlannedCell {
            workload: WorkloadKind::Observed.name().to_owned(),
            // Whole clients, so that runs of one load have one level; the facts have the exact number.
            level: seen.clients.round().max(1.0),
            level_name: LevelName::Clients.into(),
            kind: WorkloadKind::Observed,
            ..PlannedCell::default()
        },
        record: seen.record.clone(),
        started_at: started_at.clone(),
        ended_at: ended_at.clone(),
    };
    ImportedRun {
        plan,
        bed,
        started_at,
        ended_at,
        cells: vec![cell],
        facts: vec![(study::OBSERVED_SCOPE.to_owned(), facts)],
        notes: seen.notes.clone(),
    }
}

fn own((name, value): (&String, &String)) -> (String, String) {
    (name.clone(), in_one_line(value))
}

/// The table that stands in the place of an experiment.
fn asked(engine: Engine, address: &str) -> toml::Table {
    let observed = toml::Table::from_iter([
        ("engine".to_owned(), engine.name().into()),
        ("server".to_owned(), address.into()),
    ]);
    toml::Table::from_iter([("observed".to_owned(), toml::Value::Table(observed))])
}
