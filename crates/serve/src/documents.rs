//! The JSON documents behind the panels of the page.

use measure::Series;
use notebook::{Cell, CellState, Notebook, NotebookError, Run, RunId, RunState};
use report::{Course, Seconds};
use serde_json::{Value, json};
use words::{Limiter, Spoken, spoken};

use crate::now::Now;

/// One run: its plan, its beds and the state of its cells.
pub(crate) fn run(notebook: &Notebook, id: RunId) -> Result<Value, NotebookError> {
    let Run { plan, state, started_at, ended_at, .. } = notebook.run(id)?;
    let beds = notebook.beds(id)?;
    let name = |cell: &Cell| {
        let bed = beds.iter().find(|bed| bed.name == cell.bed);
        bed.and_then(|bed| bed.label.clone()).unwrap_or_else(|| cell.bed.clone())
    };
    let cells = notebook.cells(id)?;
    let slot = |cell: &Cell| beds.iter().position(|bed| bed.name == cell.bed).unwrap_or_default();
    let cells: Vec<Value> = cells.iter().map(|cell| document(cell, name(cell), slot(cell))).collect();
    let beds: Vec<Value> = beds
        .iter()
        .map(|bed| {
            let name = bed.label.as_ref().unwrap_or(&bed.name);
            json!({ "name": name, "realm": bed.realm, "storage": bed.storage_summary })
        })
        .collect();
    Ok(json!({
        "run": id, "name": plan.name, "title": plan.title, "question": plan.question, "realm": plan.realm,
        "scale": plan.scale, "state": state, "started_at": started_at, "ended_at": ended_at,
        "beds": beds, "cells": cells,
    }))
}

/// A cell; numbers and repeats count from 1, as everywhere that people read.
fn document(cell: &Cell, bed: String, slot: usize) -> Value {
    json!({
        "number": cell.position + 1, "bed": bed, "bed_slot": slot, "workload": cell.workload, "level": cell.level,
        "level_name": cell.level_name, "level_said": report::level(cell.level, &cell.level_name),
        "repeat": cell.repeat + 1, "state": cell.state, "state_text": cell.state.spoken(),
        "limiter": cell.limiter, "limiter_text": cell.limiter.as_deref().map(spoken::<Limiter>), "reason": cell.reasons.to_string(), "started_at": cell.started_at, "ended_at": cell.ended_at,
    })
}

/// The present of a run: what the last second of its feed says, and the limiter of the last finished cell of
/// the same bed, workload and level. A run that is not under way has its state alone.
pub(crate) fn now(notebook: &Notebook, id: RunId, now: &Now) -> Result<Value, NotebookError> {
    let run = notebook.run(id)?;
    if run.state != RunState::Running {
        return Ok(json!({ "run": id, "state": run.state }));
    }
    let mut document = json!({ "run": id, "state": run.state });
    if let (Value::Object(all), Value::Object(present)) = (&mut document, now.document()) {
        all.extend(present);
    }
    let cells = notebook.cells(id)?;
    let position = |cell: &&Cell| now.number() == Some(u64::from(cell.position) + 1);
    if let Some(running) = cells.iter().find(position) {
        let of = |cell: &Cell| (cell.bed.clone(), cell.workload.clone(), cell.level.to_bits());
        let like = |cell: &&Cell| cell.state == CellState::Done && of(cell) == of(running);
        let last = cells.iter().rev().find(like);
        document["bed"] = running.bed.as_str().into();
        document["workload"] = running.workload.as_str().into();
        document["level"] = running.level.into();
        document["repeat"] = (running.repeat + 1).into();
        document["last_like_it"] =
            last.map(|cell| json!({ "number": cell.position + 1, "limiter": cell.limiter })).into();
    }
    Ok(document)
}

/// The seconds of the running cell, and those of the last finished cells beside it.
pub(crate) fn course(run: RunId, course: &Course) -> Value {
    let seconds = |of: &Seconds| {
        let latencies = of.latencies.iter().map(|(_, series)| series);
        let series: Vec<Value> = std::iter::once(&of.rate).chain(latencies).map(of_series).collect();
        json!({
            "number": of.number, "bed": of.bed, "repeat": of.repeat, "series": series, "phases": of.phases,
            "stalls": of.stalls(),
        })
    };
    let others: Vec<Value> = course.others.iter().map(seconds).collect();
    json!({ "run": run, "shown": seconds(&course.shown), "others": others })
}

fn of_series(s: &Series) -> Value {
    json!({ "metric": s.metric, "unit": s.unit, "start_s": s.start_s, "values": s.values })
}

/// The series of one cell, second by second, and its phases; `None` if the run has no cell of this number.
pub(crate) fn series(notebook: &Notebook, id: RunId, number: u32) -> Result<Option<Value>, NotebookError> {
    let cells = notebook.cells(id)?;
    let Some(cell) = cells.iter().find(|cell| cell.position + 1 == number) else { return Ok(None) };
    let series: Vec<Value> = notebook.series(cell.id)?.iter().map(of_series).collect();
    Ok(Some(json!({ "run": id, "number": number, "series": series, "phases": notebook.phases(cell.id)? })))
}
