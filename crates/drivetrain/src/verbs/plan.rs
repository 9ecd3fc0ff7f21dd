//! `drivetrain plan`: the preview of a run, without doing any of it.

use clap::Args;
use lab::{FleetPlan, HostStorage, Plan};

use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::hosts::HostsArgs;
use crate::progress::clock;
use crate::source::{Resolved, SourceArgs};
use crate::verbs::run::Realm;

/// Cells shown without `--cells`.
const CELLS_SHOWN: usize = 12;

/// Arguments of `plan`.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    source: SourceArgs,

    #[command(flatten)]
    hosts: HostsArgs,

    /// Refused: a simulated run needs no plan
    #[arg(long, value_enum, hide = true)]
    realm: Option<Realm>,

    /// Show every cell, not only the first ones
    #[arg(long)]
    cells: bool,
}

/// Prints the plan.
pub(crate) fn plan(args: &PlanArgs, console: &Console) -> anyhow::Result<Exit> {
    if args.realm == Some(Realm::Simulated) {
        let message = "a simulated run needs no plan: it takes seconds and writes to the notebook alone; start it with `drivetrain run`";
        return Err(Coded::usage(message));
    }
    let resolved = args.source.resolve(console)?;
    let fleet = args.hosts.read()?.map(|hosts| of_fleet(&resolved, &hosts)).transpose()?;
    let own = match &fleet {
        Some(_) => None,
        None => {
            lab::check_places(&resolved.experiment)?;
            Some(lab::plan(&resolved.experiment, resolved.seed)?)
        }
    };
    let Some(plan) = own.as_ref().or(fleet.as_ref().map(|fleet| &fleet.plan)) else { return Ok(Exit::Done) };
    match &fleet {
        Some(fleet) => warn_of_rooms(&fleet.rooms(), console),
        None => warn_of_places(&resolved.experiment, console),
    }
    if console.json() {
        let mut document = document(&resolved, plan);
        if let Some(fleet) = &fleet {
            document["ranks"] = fleet.shares.clone().into();
            document["storages"] = fleet.storages.iter().map(storage).collect();
        }
        console.document(&document);
    } else {
        let shown = if args.cells { usize::MAX } else { CELLS_SHOWN };
        console.answer(&text(&resolved, plan, fleet.as_ref(), shown));
    }
    Ok(Exit::Done)
}

/// The plan of a fleet, whose ranks on this machine have their places.
fn of_fleet(resolved: &Resolved, hosts: &fleet::Hosts) -> anyhow::Result<FleetPlan> {
    lab::check_alike(&resolved.experiment)?;
    let planned = lab::plan_fleet((&resolved.experiment, &resolved.toml), hosts, resolved.seed)?;
    planned.check_places()?;
    Ok(planned)
}

/// Names each real storage in memory, and each file system that has too little room for the data that beds
/// keep there.
pub(crate) fn warn_of_places(experiment: &experiment::Experiment, console: &Console) {
    for (bed, path) in lab::in_memory(experiment) {
        console
            .warn(&format!("bed {bed}: {} is on tmpfs: memory is measured there, no drive", path.display()));
    }
    if let Some((beds, path)) = lab::one_drive(experiment) {
        console.warn(&format!(
            "beds {} keep their data on one file system ({}): a difference between them will not come from their drives",
            words::list(beds),
            path.display()
        ));
    }
    warn_of_rooms(&lab::rooms(experiment), console);
}

/// Names each file system that has too little room.
pub(crate) fn warn_of_rooms(rooms: &[lab::Room], console: &Console) {
    for room in rooms.iter().filter(|room| room.is_tight()) {
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

fn text(resolved: &Resolved, plan: &Plan, fleet: Option<&FleetPlan>, shown: usize) -> String {
    let mut text = format!("{}\n", resolved.experiment.title);
    if !resolved.statement.is_empty() {
        text.push_str(&format!("{}\n", resolved.statement));
    }
    let of_all = fleet.map_or(String::new(), |fleet| format!(" on all {} ranks", fleet.shares.len()));
    let hours = plan.total.as_secs_f64() / 3600.0;
    let hours = if hours < 1.0 { String::new() } else { format!(" ({hours:.1} h)") };
    text.push_str(&format!(
        "\ncells        {}\ntime         about {}{hours}, of it loading {}\nspace        about {:.1} GB at most{of_all}\nseed         {} (`--seed {}` gives this order; a run without it draws its own)\n",
        plan.cells.len(), clock(plan.total), clock(plan.load), plan.space_bytes as f64 / 1e9, plan.seed, plan.seed
    ));
    text.push_str(&format!(
        "destroys     {}\nneeds root   {}\n",
        list_or(&plan.destroys, "nothing"),
        list_or(&plan.needs_root, "no")
    ));
    if resolved.name.starts_with("profile/") {
        text.push_str(
            "\nThe beds are stand-ins: `drivetrain profile PATH` puts your target in the place of the drive, and `--twin FILE` the drive's model beside it.\n",
        );
    }
    match fleet.filter(|fleet| !fleet.storages.is_empty()) {
        Some(fleet) => text.push_str(&storages(fleet)),
        None => text.push_str(&beds(plan)),
    }
    if let Some(fleet) = fleet {
        text.push_str(&format!("\nranks\n  {}\n", fleet.shares.join("\n  ")));
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

/// One line for each bed.
fn beds(plan: &Plan) -> String {
    let width = plan.beds.iter().map(|b| b.name.len()).max().unwrap_or(0).max("bed".len());
    let mut text = format!("\n{:width$}  {:>20}  {:>13}  storage\n", "bed", "written, GB", "of endurance");
    for bed in &plan.beds {
        text.push_str(&format!(
            "{:width$}  {:>20}  {:>13}  {} in {}\n",
            bed.name,
            written(bed.written_bytes, plan.is_bound),
            of_endurance(bed.endurance_share),
            bed.storage,
            bed.path
        ));
    }
    text
}

/// One line for each bed and storage of a host, with the sum of its ranks.
fn storages(fleet: &FleetPlan) -> String {
    let wide = |of: fn(&HostStorage) -> &str, head: &str| {
        fleet.storages.iter().map(|storage| of(storage).len()).max().unwrap_or(0).max(head.len())
    };
    let (bed, host) = (wide(|storage| &storage.bed, "bed"), wide(|storage| &storage.host, "host"));
    let mut text = format!(
        "\n{:bed$}  {:host$}  ranks  {:>9}  {:>20}  {:>13}  storage\n",
        "bed", "host", "space, GB", "written, GB", "of endurance"
    );
    for storage in &fleet.storages {
        text.push_str(&format!(
            "{:bed$}  {:host$}  {:>5}  {:>9.1}  {:>20}  {:>13}  {} in {}\n",
            storage.bed,
            storage.host,
            storage.ranks.len(),
            storage.space_bytes as f64 / 1e9,
            written(storage.written_bytes, fleet.plan.is_bound),
            of_endurance(storage.endurance_share),
            storage.storage,
            storage.path
        ));
    }
    text
}

/// Gigabytes that are written: the most where that is known, else about as many.
fn written(bytes: u64, is_bound: bool) -> String {
    format!("{} {:.1}", if is_bound { "at most" } else { "about" }, bytes as f64 / 1e9)
}

fn of_endurance(share: Option<f64>) -> String {
    share.map_or("unknown".to_owned(), |share| format!("{:.4} %", share * 1e2))
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
        "scale_statement": resolved.statement.to_string(),
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

fn storage(storage: &HostStorage) -> serde_json::Value {
    serde_json::json!({
        "host": storage.host, "ranks": storage.ranks, "bed": storage.bed, "storage": storage.storage,
        "path": storage.path, "space_bytes": storage.space_bytes, "written_bytes": storage.written_bytes,
        "endurance_share": storage.endurance_share,
    })
}
