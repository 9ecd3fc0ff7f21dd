//! An observation as a run of the notebook.

use std::path::Path;
use std::time::SystemTime;

use jiff::{SignedDuration, Timestamp};
use lab::Observed;
use notebook::{Bed, ImportedCell, ImportedRun, Notebook, NotebookError, PlannedCell, RunId, RunPlan};
use words::{Engine, LevelName, Realm, WorkloadKind};

use crate::exit::Coded;
use crate::printable::in_one_line;
use crate::verbs::tag::LabelArgs;

/// The smallest effects that matter where nobody states others, as in experiments.
const SMALLEST_THROUGHPUT: f64 = 0.03;
const SMALLEST_P99: f64 = 0.10;

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
    let ended = began.checked_add(SignedDuration::from_secs_f64(length_s)).unwrap_or(began);
    let [started_at, ended_at] = [began, ended].map(|moment| format!("{moment:.3}"));
    let mark = ground::mix(
        format!("{began}{address}")
            .bytes()
            .fold(ground::FNV_START, |hash, byte| ground::fnv1a(hash, byte.into())),
    );
    let mut facts = seen.facts.clone();
    facts.extend(drive.clone().map(|drive| ("drive".to_owned(), drive)));
    let device = facts.get("device").cloned();
    let bed = Bed {
        name: engine.name().to_owned(),
        realm: Realm::Imported.into(),
        storage_summary: drive.or(device).unwrap_or_else(|| "storage not stated".to_owned()),
        facts: facts.iter().filter(|(name, _)| !name.starts_with("grown.")).map(own).collect(),
        ..Bed::default()
    };
    let plan = RunPlan {
        name: format!("observe-{}", engine.name()),
        title: format!("{version} at {address}, observed"),
        experiment_toml: asked(engine, &address),
        tool_version: version,
        baseline: bed.name.clone(),
        smallest_effect_throughput: SMALLEST_THROUGHPUT,
        smallest_effect_p99: SMALLEST_P99,
        ..ImportedRun::plan_of(mark)
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

/// The text in the place of an experiment.
fn asked(engine: Engine, address: &str) -> String {
    let observed = toml::Table::from_iter([
        ("engine".to_owned(), engine.name().into()),
        ("server".to_owned(), address.into()),
    ]);
    let document = toml::Table::from_iter([("observed".to_owned(), toml::Value::Table(observed))]);
    // A table of texts is always TOML.
    let text = toml::to_string(&document).unwrap_or_default();
    format!("# A load that was observed; no experiment that can be run.\n{text}")
}
