//! Counters of other programs beside the cells of a run.

use std::io::BufReader;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use jobfile::{CellTime, Choice, CounterFormat, Counters, CountersError, ToolFormat, Zone, read_counters};
use measure::Series;
use notebook::{Cell, CellId, Facts, Notebook, Run, SeriesAdded};
use serde_json::json;
use words::{Realm, shell};

use super::ImportArgs;
use super::file::{self, Begun, Content};
use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::printable::in_one_line;
use crate::{input, notebooks};

/// The most seconds by which a file is moved: a year.
const OFFSET_MOST_S: f64 = 366.0 * 86_400.0;
/// The fact that lists the counters of a file, and what stands between them.
const COUNTERS: &str = "counters";
const BETWEEN: &str = "; ";

/// Adds counters, or lists their names where none is chosen.
pub(super) fn import(args: &ImportArgs, run: &str, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let [file] = args.files.as_slice() else {
        return Err(Coded::usage("--beside takes one file; import several one after the other"));
    };
    let offset_s = args.offset.unwrap_or(0.0);
    if !offset_s.is_finite() || offset_s.abs() > OFFSET_MOST_S {
        return Err(Coded::usage(format!("--offset {offset_s}: give seconds, at most a year")));
    }
    let notebook = notebooks::open(path)?;
    let run = notebook.run(notebooks::chosen(&notebook, Some(run))?)?;
    if run.realm == Realm::Simulated {
        return Err(Coded::usage(format!(
            "run {} was simulated: its time is virtual, and no counter is of it",
            run.id
        )));
    }
    let (format, input) = opened(file, args)?;
    let choice = match args.counter.as_slice() {
        [] => Choice::Names,
        patterns => Choice::Matching(patterns.to_vec()),
    };
    let counters = read(file, format, input, &choice, args.zone.as_ref())?;
    if matches!(choice, Choice::Names) {
        return list(&counters, (&run, file), console);
    }
    if counters.chosen.is_empty() {
        return Err(Coded::usage(format!(
            "{}: none of its {} counters fits --counter; it has {}",
            file.display(),
            counters.in_all,
            some_of(&counters)
        )));
    }
    let cells = cells(&notebook, &run)?;
    let times: Vec<CellTime> = cells.iter().map(|(_, time)| *time).collect();
    let series = counters.place(&times, offset_s);
    if series.iter().all(Vec::is_empty) {
        return Err(no_overlap(&counters, &times, (&run, file, offset_s)));
    }
    let placed: Vec<(CellId, Vec<Series>)> =
        cells.iter().map(|(cell, _)| cell.id).zip(series).filter(|(_, series)| !series.is_empty()).collect();
    let name =
        file.file_name().map_or_else(|| file.display().to_string(), |n| n.to_string_lossy().into_owned());
    let scope = format!("beside:{name}");
    let before = notebook.fact_sets(run.id)?.into_iter().find(|(known, _)| *known == scope);
    let facts = facts(&counters, format, offset_s, before.map(|(_, facts)| facts).as_ref());
    let added = notebook.add_series(run.id, &placed, (&scope, &facts))?;
    tell(
        &Told { run: &run, file, counters: &counters, placed: &placed, added, of: cells.len(), offset_s },
        console,
    );
    Ok(Exit::Done)
}

/// A file of counters at its beginning.
fn opened(path: &Path, args: &ImportArgs) -> anyhow::Result<(CounterFormat, Begun)> {
    let shown = path.display();
    if path.symlink_metadata().is_err() {
        return Err(Coded::usage(format!("{shown}: there is no such file")));
    }
    match file::open(path, args.format)? {
        Content::Tool(ToolFormat::Counters(format), input) => Ok((format, input)),
        Content::Tool(ToolFormat::Result(format), _) => Err(Coded::usage(format!(
            "{shown}: holds a result of {format}, which is a run of its own; leave --beside out"
        ))),
        Content::Notebook => {
            Err(Coded::usage(format!("{shown}: is a notebook, whose runs are copied; leave --beside out")))
        }
    }
}

fn read(
    path: &Path,
    format: CounterFormat,
    input: Begun,
    choice: &Choice,
    zone: Option<&Zone>,
) -> anyhow::Result<Counters> {
    let mut input = BufReader::with_capacity(1 << 20, input);
    let counters = read_counters(format, &mut input, choice, zone);
    if input.get_ref().was_stopped() {
        return Err(input::stopped(path));
    }
    counters.map_err(|error| match error {
        CountersError::Fault(fault) => Coded::usage(fault.in_file(&path.display().to_string())),
        CountersError::Io(error) => anyhow::Error::from(error).context(format!("reading {}", path.display())),
    })
}

/// The most names in an error.
const SHOWN: usize = 10;

/// The first names of a file for an error: `a, b and 12 more`.
fn some_of(counters: &Counters) -> String {
    let shown: Vec<String> = counters.first.iter().take(SHOWN).map(|name| in_one_line(name)).collect();
    match counters.in_all - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more (without --counter they are listed)", shown.join(", ")),
    }
}

/// The names of the counters of drives and processors, or of those that are there where none is of them.
///
/// # Errors
/// Exit code 2, because nothing was added.
fn list(counters: &Counters, (run, file): (&Run, &Path), console: &Console) -> anyhow::Result<Exit> {
    let chosen: Vec<&str> = counters.chosen.iter().map(|counter| counter.name.as_str()).collect();
    let names = if chosen.is_empty() { counters.first.iter().map(String::as_str).collect() } else { chosen };
    let told = nothing_added((counters, &names), run, file);
    match console.json() {
        true => console.document(&json!({
            "counters": names, "in_all": counters.in_all, "error": told, "exit_code": Exit::Usage as u8,
        })),
        false => console.answer(&names.iter().map(|name| format!("{name}\n")).collect::<String>()),
    }
    Err(Coded::usage(told))
}

/// The error of a command that chooses no counter.
fn nothing_added((counters, names): (&Counters, &[&str]), run: &Run, file: &Path) -> String {
    let (shown, in_all) = (file.display(), counters.in_all);
    let first: Vec<String> = names.iter().take(SHOWN).map(|name| in_one_line(name)).collect();
    let first = first.join(", ");
    let more = names.len().saturating_sub(SHOWN);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let told = match counters.chosen.len() {
        0 => format!("no counter of {shown} is of drives or processors; {} of its {in_all}: ", names.len()),
        some => format!("{some} of the {in_all} counters of {shown} are of drives or processors: "),
    };
    let example = names.first().map_or("*", |name| name.rsplit('\\').next().unwrap_or(name));
    format!(
        "nothing was added to run {}: choose counters with --counter; {told}{first}{more}. For example: drivetrain import --beside {} {} \
         --counter {}",
        run.id,
        run.id,
        shell::path(file),
        shell::word(&format!("*{example}"))
    )
}

/// The cells that have ended, with their times.
fn cells(notebook: &Notebook, run: &Run) -> anyhow::Result<Vec<(Cell, CellTime)>> {
    let mut found = Vec::new();
    for cell in notebook.cells(run.id)?.into_iter().filter(|cell| cell.state.is_final()) {
        let phases = notebook.phases(cell.id)?;
        let from_s = phases.iter().map(|phase| phase.start_s).fold(0.0, f64::min);
        let to_s = phases.iter().map(|phase| phase.end_s).fold(0.0, f64::max);
        let read = |text: &Option<String>| text.as_deref().and_then(|text| text.parse::<Timestamp>().ok());
        let (Some(started_at), Some(ended_at)) = (read(&cell.started_at), read(&cell.ended_at)) else {
            continue;
        };
        // A reset comes first in a cell, and the clock is zero at its end. Without one the last phase comes
        // last, and the cell is recorded at its end.
        let zero = match from_s < 0.0 {
            true => started_at.checked_add(SignedDuration::from_secs_f64(-from_s)),
            false => ended_at.checked_sub(SignedDuration::from_secs_f64(to_s)),
        };
        if let (Ok(zero), true) = (zero, to_s > from_s) {
            found.push((cell, CellTime { zero, from_s, to_s }));
        }
    }
    match found.is_empty() {
        true => Err(Coded::usage(format!("run {} has no cell that has ended", run.id))),
        false => Ok(found),
    }
}

/// The error about a file of another time, with both spans in the zone of the file.
fn no_overlap(
    counters: &Counters,
    times: &[CellTime],
    (run, file, offset_s): (&Run, &Path, f64),
) -> anyhow::Error {
    let file = file.display();
    let Some((first, last)) = counters.span else {
        return Coded::usage(format!("{file}: holds no sample"));
    };
    let at = |moment: Timestamp, seconds: f64| {
        moment.checked_add(SignedDuration::from_secs_f64(seconds)).unwrap_or(moment)
    };
    let begins = times.iter().map(|time| at(time.zero, time.from_s)).min().unwrap_or(first);
    let ends = times.iter().map(|time| at(time.zero, time.to_s)).max().unwrap_or(last);
    let show = |moment: Timestamp| counters.zone.show(moment);
    let zone = if counters.zone_is_stated { "as it states" } else { "as --zone states" };
    let moved = if offset_s == 0.0 { String::new() } else { format!(", moved by {offset_s} s") };
    Coded::usage(format!(
        "{file}: has no sample of these counters within a cell of run {}: the file spans {} to {} ({zone}{moved}), the run {} to {}; \
         --zone states another zone, --offset moves the file",
        run.id,
        show(at(first, offset_s)),
        show(at(last, offset_s)),
        show(begins),
        show(ends),
    ))
}

/// The source of the series, kept with the run; `before` is what was kept of the same file.
fn facts(counters: &Counters, format: CounterFormat, offset_s: f64, before: Option<&Facts>) -> Facts {
    let zone = if counters.zone_is_stated { "the file" } else { "--zone" };
    let mut facts = Facts::from([
        ("format".to_owned(), format.name().to_owned()),
        ("zone".to_owned(), counters.zone.to_string()),
        ("zone.from".to_owned(), zone.to_owned()),
        ("offset_s".to_owned(), offset_s.to_string()),
        ("counters.in_all".to_owned(), counters.in_all.to_string()),
    ]);
    let before = before.and_then(|facts| facts.get(COUNTERS)).map_or("", String::as_str);
    let mut names: Vec<&str> = before.split(BETWEEN).filter(|name| !name.is_empty()).collect();
    for counter in &counters.chosen {
        if !names.contains(&counter.name.as_str()) {
            names.push(&counter.name);
        }
    }
    facts.insert(COUNTERS.to_owned(), names.join(BETWEEN));
    facts
}

/// The series that were added, and where.
struct Told<'a> {
    run: &'a Run,
    file: &'a Path,
    counters: &'a Counters,
    placed: &'a [(CellId, Vec<Series>)],
    added: SeriesAdded,
    /// Cells of the run that have ended.
    of: usize,
    offset_s: f64,
}

fn tell(told: &Told<'_>, console: &Console) {
    let Told { run, file, counters, placed, added, of, offset_s } = told;
    let zone = &counters.zone;
    if console.json() {
        let names: Vec<&str> = counters.chosen.iter().map(|counter| counter.name.as_str()).collect();
        console.document(&json!({
            "run": run.id.0, "file": file.display().to_string(), "counters": names, "zone": zone.to_string(),
            "zone_is_stated": counters.zone_is_stated, "offset_s": offset_s, "cells": placed.len(),
            "series": added.added, "were_here": added.known,
        }));
        return;
    }
    let stated = if counters.zone_is_stated { "as the file states" } else { "as --zone states" };
    let known = match added.known {
        0 => String::new(),
        known => format!(" ({known} more were there already)"),
    };
    console.answer(&format!(
        "run {}: {} series of {} counters of {} beside {} of its {of} cells{known}; times of the file are {zone}, {stated}\n",
        run.id,
        added.added,
        counters.chosen.len(),
        file.display(),
        placed.len(),
    ));
    console.note(&format!(
        "drivetrain report {} draws them; drivetrain export {} --format series-csv has them",
        run.id, run.id
    ));
}
