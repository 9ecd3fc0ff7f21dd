//! A result of another program as a run.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use ground::Clock;
use jiff::{SignedDuration, Timestamp};
use jobfile::{ResultFormat, ToolCell, ToolResult, read_result};
use notebook::{
    Bed, CellRecord, CellState, ImportedCell, ImportedRun, Measurement, Phase, PlannedCell, RunPlan,
};
use words::{BedDrive, NoteKind, Realm, Reason, Reasons, Remark};

use super::ImportArgs;
use super::file::Begun;
use crate::exit::Coded;
use crate::input;
use crate::printable::in_one_line;

/// No result is longer: what is, is a device or another file.
const BYTES_MAX: u64 = 64 << 20;
/// The most characters of a text that comes from a file.
const TEXT_LONGEST: usize = 200;

/// Reads a file as a run.
///
/// # Errors
/// Exit code 2 for a file that is no such result, with the place of its fault.
pub(super) fn read(
    path: &Path,
    format: ResultFormat,
    mut input: Begun,
    args: &ImportArgs,
) -> anyhow::Result<ImportedRun> {
    let mut bytes = Vec::new();
    (&mut input)
        .take(BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| anyhow::Error::from(error).context(format!("reading {}", path.display())))?;
    if input.was_stopped() {
        return Err(input::stopped(path));
    }
    if bytes.len() as u64 > BYTES_MAX {
        let most = BYTES_MAX >> 20;
        return Err(Coded::usage(format!(
            "{}: is longer than {most} MiB, which no result is; name the file that {format} wrote",
            path.display()
        )));
    }
    let name = path.display().to_string();
    let result = read_result(format, &bytes, args.zone.as_ref())
        .map_err(|fault| Coded::usage(fault.in_file(&name)))?;
    Ok(run(&result, path, &bytes, args))
}

fn run(result: &ToolResult, path: &Path, content: &[u8], args: &ImportArgs) -> ImportedRun {
    let file =
        path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
    let program = match &result.version {
        Some(version) => format!("{} {}", result.tool, plain(version)),
        None => result.tool.to_owned(),
    };
    let length_s = result.cells.iter().map(|cell| cell.start_s + cell.length_s()).fold(0.0, f64::max);
    let (started_at, is_guessed) = begun(result, path, length_s, args);
    let bed = bed(result, &program);
    let mut notes = result.remarks.clone();
    let version = result.version.as_deref().map_or_else(|| "(no version stated)".to_owned(), plain);
    let origin = Remark::ImportedFrom { program: result.tool.to_owned(), version, file: plain(&file) };
    notes.insert(0, (NoteKind::Description, origin));
    if is_guessed {
        notes.push((NoteKind::Warning, Remark::ImportedWithoutTime));
    }
    let plan = RunPlan {
        name: program.to_lowercase().replace(' ', "-"),
        title: format!("{program}: {}", plain(&result.title)),
        baseline: bed.name.clone(),
        ..ImportedRun::plan_of(content, &format!("A result of {program}"), &asked(result, &program))
    };
    let plan = RunPlan { tool_version: program, ..plan };
    ImportedRun {
        plan,
        bed,
        started_at: ImportedRun::moment(started_at, 0.0),
        ended_at: ImportedRun::moment(started_at, length_s),
        cells: result.cells.iter().map(|one| cell(one, started_at)).collect(),
        facts: vec![("host".to_owned(), host(result))],
        notes,
    }
}

/// The start of the run: from the file, from its user, or from the last change of the file, at the end of the
/// test. True for the last, which is a guess.
fn begun(result: &ToolResult, path: &Path, length_s: f64, args: &ImportArgs) -> (Timestamp, bool) {
    if let Some(started_at) = result.started_at.or(args.started) {
        return (started_at, false);
    }
    let changed = path.metadata().and_then(|of| of.modified()).unwrap_or_else(|_| Clock::Wall.date());
    let ended_at = Timestamp::try_from(changed).unwrap_or(Timestamp::UNIX_EPOCH);
    let started_at = ended_at.checked_sub(SignedDuration::from_secs_f64(length_s)).unwrap_or(ended_at);
    (started_at, true)
}

/// A text of a file: one line, and not longer than a line.
fn plain(text: &str) -> String {
    in_one_line(&text.chars().take(TEXT_LONGEST).collect::<String>())
}

/// The one system under test. Its name is the same in every run of the program, so that runs can be compared.
fn bed(result: &ToolResult, program: &str) -> Bed {
    let drives = result.host.iter().find(|(key, _)| key == "storage.drives").map(|(_, drives)| plain(drives));
    let mut facts = host(result);
    facts.insert("program".to_owned(), program.to_owned());
    Bed {
        name: result.tool.to_lowercase(),
        label: None,
        realm: Realm::Imported.into(),
        storage_summary: drives.unwrap_or_else(|| BedDrive::NotStated.to_string()),
        facts,
    }
}

fn host(result: &ToolResult) -> BTreeMap<String, String> {
    result.host.iter().map(|(key, value)| (key.clone(), plain(value))).collect()
}

/// The loads that the file states, in the place of an experiment.
fn asked(result: &ToolResult, program: &str) -> toml::Table {
    let mut document = toml::Table::new();
    document.insert(
        "imported".to_owned(),
        toml::Table::from_iter([("program".to_owned(), program.into())]).into(),
    );
    document.extend(result.asked.clone());
    document
}

fn cell(cell: &ToolCell, started_at: Timestamp) -> ImportedCell {
    let measurements = cell.values.iter().map(|(metric, value)| Measurement {
        metric: metric.name(),
        value: *value,
        unit: metric.unit().name().to_owned(),
    });
    let phase = |(name, start_s, end_s): &(words::PhaseName, f64, f64)| Phase {
        name: (*name).into(),
        start_s: *start_s,
        end_s: *end_s,
    };
    let failed = cell.failed.as_deref().map(plain);
    let workload = plain(cell.workload.trim());
    ImportedCell {
        plan: PlannedCell {
            workload: if workload.is_empty() { "unnamed".to_owned() } else { workload },
            level: cell.level,
            level_name: cell.level_name.into(),
            repeat: cell.repeat,
            kind: cell.kind,
            ..PlannedCell::default()
        },
        record: CellRecord {
            state: if failed.is_some() { CellState::Invalid } else { CellState::Done },
            reasons: failed.map_or_else(Reasons::default, |text| Reason::Told { text }.into()),
            phases: cell.phases.iter().map(phase).collect(),
            measurements: measurements.collect(),
            series: cell.series.clone(),
            histograms: cell.histograms.iter().map(|(name, one)| ((*name).into(), one.clone())).collect(),
            ..CellRecord::default()
        },
        started_at: ImportedRun::moment(started_at, cell.start_s),
        ended_at: ImportedRun::moment(started_at, cell.start_s + cell.length_s()),
    }
}
