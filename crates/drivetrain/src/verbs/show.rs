//! `drivetrain show`: one run with its cells, figures and limiters.

use std::path::Path;

use clap::Args;
use notebook::{Cell, Notebook, RunId};

use crate::console::Console;
use crate::ending::{self, FullArgs};
use crate::exit::Exit;
use crate::notebooks;
use crate::verbs::observe;

/// Arguments of `show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The run: number, id, tag or name (default: the latest)
    run: Option<String>,

    #[command(flatten)]
    full: FullArgs,
}

/// Prints the run.
pub(crate) fn show(args: &ShowArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let notebook = notebooks::open(path)?;
    let run = notebooks::chosen(&notebook, args.run.as_deref())?;
    if console.json() {
        console.document(&document(&notebook, run)?);
    } else if args.full.full {
        console.answer(&report::summary(&notebook, run)?);
    } else if observe::is_of(&notebook, run)? {
        console.answer(&report::state(&notebook, run)?);
        observe::tell(&notebook, run, path, console)?;
    } else {
        console.answer(&report::state(&notebook, run)?);
        ending::print(&notebook, run, ("show", path), None, console)?;
    }
    Ok(Exit::Done)
}

/// The run and all its cells as one document.
pub(crate) fn document(notebook: &Notebook, id: RunId) -> anyhow::Result<serde_json::Value> {
    let run = notebook.run(id)?;
    let cells = notebook.cells(id)?.iter().map(|c| cell(notebook, c)).collect::<anyhow::Result<Vec<_>>>()?;
    let facts: serde_json::Map<String, serde_json::Value> = notebook
        .fact_sets(id)?
        .into_iter()
        .map(|(scope, facts)| Ok((scope, serde_json::to_value(facts)?)))
        .collect::<anyhow::Result<_>>()?;
    let notes: Vec<_> =
        notebook.notes(id)?.iter().map(|n| serde_json::json!({ "kind": n.kind, "text": n.text })).collect();
    Ok(serde_json::json!({
        "run": id.0,
        "name": run.name,
        "title": run.title,
        "state": run.state.name(),
        "started_at": run.started_at.to_string(),
        "seed": run.seed,
        "scale": run.scale,
        "scale_statement": run.scale_statement.to_string(),
        "realm": run.realm,
        "order": run.order,
        "tool_version": run.tool_version,
        "baseline": run.baseline,
        "treatment": run.treatment,
        "cells": cells,
        "facts": facts,
        "notes": notes,
    }))
}

fn cell(notebook: &Notebook, cell: &Cell) -> anyhow::Result<serde_json::Value> {
    let metrics: serde_json::Map<String, serde_json::Value> = notebook
        .measurements(cell.id)?
        .into_iter()
        .map(|m| (m.metric, serde_json::json!({ "value": m.value, "unit": m.unit })))
        .collect();
    let warnings: Vec<String> = notebook
        .events(cell.id)?
        .into_iter()
        .filter(|event| event.kind == words::EventKind::Warning)
        .map(|event| event.message)
        .collect();
    Ok(serde_json::json!({
        "cell": cell.position + 1,
        "bed": cell.bed,
        "workload": cell.workload,
        "level": cell.level,
        "level_name": cell.level_name,
        "repeat": cell.repeat + 1,
        "state": cell.state.name(),
        "reason": cell.reasons.text(),
        "reasons": cell.reasons,
        "limiter": cell.limiter,
        "limiter_detail": cell.limiter_figures.as_ref().map(ToString::to_string),
        "limiter_figures": cell.limiter_figures,
        "warnings": warnings,
        "metrics": metrics,
    }))
}
