//! `drivetrain plan`: the preview of a run, without doing any of it.

use clap::Args;
use lab::Plan;

use crate::console::Console;
use crate::exit::Exit;
use crate::hosts::HostsArgs;
use crate::progress::clock;
use crate::source::{Resolved, SourceArgs};

/// Cells shown without `--cells`.
const CELLS_SHOWN: usize = 12;

/// Arguments of `plan`.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    source: SourceArgs,

    #[command(flatten)]
    hosts: HostsArgs,

    /// Show every cell, not only the first ones
    #[arg(long)]
    cells: bool,
}

/// Prints the plan.
pub(crate) fn plan(args: &PlanArgs, console: &Console) -> anyhow::Result<Exit> {
    let resolved = args.source.resolve(console)?;
    let hosts = args.hosts.read()?;
    match &hosts {
        // The places are those of other machines.
        Some(hosts) => lab::check_shares(&resolved.experiment, hosts.size())?,
        None => lab::check_places(&resolved.experiment)?,
    }
    let shares = hosts.map(|hosts| shares(&resolved.experiment, &hosts)).unwrap_or_default();
    let plan = lab::plan(&resolved.experiment, resolved.seed)?;
    if shares.is_empty() {
        warn_of_places(&resolved.experiment, console);
    }
    if console.json() {
        let mut document = document(&resolved, &plan);
        if !shares.is_empty() {
            document["ranks"] = shares.into();
        }
        console.document(&document);
    } else {
        let mut text = text(&resolved, &plan, if args.cells { usize::MAX } else { CELLS_SHOWN });
        if !shares.is_empty() {
            text.push_str(&format!(
                "\nranks (room, bytes written and endurance above are those of one rank)\n  {}\n",
                shares.join("\n  ")
            ));
        }
        console.answer(&text);
    }
    Ok(Exit::Done)
}

/// What each rank of a fleet does, one line each.
fn shares(experiment: &experiment::Experiment, hosts: &fleet::Hosts) -> Vec<String> {
    let line = |(rank, host): (u32, &fleet::Host)| {
        format!("{rank} on {host}: {}", lab::share_of(experiment, rank, hosts.size()).join("; "))
    };
    (0..).zip(&hosts.0).map(line).collect()
}

/// Names each real storage in memory, and each file system that has too little room for the data that beds
/// keep there.
pub(crate) fn warn_of_places(experiment: &experiment::Experiment, console: &Console) {
    for (bed, path) in lab::in_memory(experiment) {
        console
            .warn(&format!("bed {bed}: {} is on tmpfs: memory is measured there, no drive", path.display()));
    }
    for room in lab::rooms(experiment).iter().filter(|room| room.is_tight()) {
        let beds = room.beds.join(", ");
        if room.is_short() {
            console.warn(&format!("no room for bed {beds}: {}", room.in_words()));
        } else {
            let (most, free) = (room.most_bytes as f64 / 1e9, room.free_bytes as f64 / 1e9);
            console.warn(&format!(
                "room is tight for bed {beds}: the run takes up to about {most:.2} GB there, and {} has {free:.2} GB free",
                room.path.display()
            ));
        }
    }
}

fn text(resolved: &Resolved, plan: &Plan, shown: usize) -> String {
    let mut text = format!("{}\n", resolved.experiment.title);
    if !resolved.statement.is_empty() {
        text.push_str(&format!("{}\n", resolved.statement));
    }
    text.push_str(&format!(
        "\ncells        {}\ntime         about {} ({:.1} h), of it loading {}\nspace        about {:.1} GB at most\nseed         {} (the same seed gives the same order)\n",
        plan.cells.len(), clock(plan.total), plan.total.as_secs_f64() / 3600.0, clock(plan.load), plan.space_bytes as f64 / 1e9, plan.seed
    ));
    text.push_str(&format!(
        "destroys     {}\nneeds root   {}\n",
        list_or(&plan.destroys, "nothing"),
        list_or(&plan.needs_root, "no")
    ));
    let width = plan.beds.iter().map(|b| b.name.len()).max().unwrap_or(0).max("bed".len());
    text.push_str(&format!("\n{:width$}  {:>12}  {:>13}  storage\n", "bed", "written, GB", "of endurance"));
    for bed in &plan.beds {
        let share = bed.endurance_share.map_or("unknown".to_owned(), |s| format!("{:.4} %", s * 1e2));
        text.push_str(&format!(
            "{:width$}  {:>12.1}  {share:>13}  {} in {}\n",
            bed.name,
            bed.written_bytes as f64 / 1e9,
            bed.storage,
            bed.path
        ));
    }
    text.push_str(&format!("\nestimates assume: {}\n\norder of the cells\n", plan.assumptions.join("; ")));
    for (number, cell) in plan.descriptions.iter().enumerate().take(shown) {
        text.push_str(&format!("{:>5}  {cell}\n", number + 1));
    }
    if plan.cells.len() > shown {
        text.push_str(&format!("       ... {} more (--cells shows all)\n", plan.cells.len() - shown));
    }
    text
}

fn list_or(items: &[String], none: &str) -> String {
    if items.is_empty() { none.to_owned() } else { items.join("; ") }
}

fn document(resolved: &Resolved, plan: &Plan) -> serde_json::Value {
    let bed = |b: &lab::BedPlan| {
        serde_json::json!({
            "name": b.name, "storage": b.storage, "path": b.path,
            "written_bytes": b.written_bytes, "endurance_share": b.endurance_share,
        })
    };
    serde_json::json!({
        "name": resolved.name,
        "title": resolved.experiment.title,
        "scale": resolved.scale,
        "scale_statement": resolved.statement,
        "seed": plan.seed,
        "total_s": plan.total.as_secs_f64(),
        "load_s": plan.load.as_secs_f64(),
        "space_bytes": plan.space_bytes,
        "destroys": plan.destroys,
        "needs_root": plan.needs_root,
        "assumptions": plan.assumptions,
        "beds": plan.beds.iter().map(bed).collect::<Vec<_>>(),
        "cells": plan.descriptions,
    })
}
