//! What a run will do before it does it: cells in their real order, time, space, bytes written, endurance, destruction, privilege.

mod operations;
mod privileges;
mod servers;

use std::time::Duration;

use experiment::{Experiment, Sysbench, Workload};

use crate::beds::{self, DriveChoice};
use crate::data_set::DataSet;
use crate::order::{CellKey, cells_in_order};
use crate::{LabError, block_io, storages};
use servers::Footprint;

/// Bytes of a loaded warehouse in SQLite with its indexes at 8 KiB pages; measured on a loaded database of ten warehouses.
pub const BYTES_PER_WAREHOUSE: u64 = 92_000_000;
/// Warehouses loaded per second; measured (BENCHMARKS.md), rounded down.
const WAREHOUSES_PER_SECOND: f64 = 0.4;
/// Copying a database back before a cell, bytes per second; a plain copy within the page cache of a small machine.
const COPY_BYTES_PER_SECOND: f64 = 800e6;
/// Bytes of a row of sysbench with its indexes; from the width of its columns, not measured.
const BYTES_PER_SYSBENCH_ROW: u64 = 250;
/// Rows of sysbench loaded per second; assumed, not measured.
const SYSBENCH_ROWS_PER_SECOND: f64 = 100_000.0;
/// Seconds to check the twelve consistency conditions of one warehouse after a cell.
const CHECK_SECONDS_PER_WAREHOUSE: f64 = 0.35;
/// Transactions per second assumed for the estimate of bytes written, per bed: the plan cannot know the rate that it is to measure.
const ASSUMED_TRANSACTIONS_PER_SECOND: f64 = 500.0;
/// Bytes a transaction writes to data and log together in SQLite's write-ahead mode: each changed page twice.
const WRITTEN_BYTES_PER_TRANSACTION: f64 = 120_000.0;

/// The whole plan. All figures but the order are estimates, and say so where they are shown.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Seed of the order and of every random stream.
    pub seed: u64,
    /// Cells in the order in which they will run.
    pub cells: Vec<CellKey>,
    /// "bed, workload, level" of each cell, in the same order.
    pub descriptions: Vec<String>,
    /// Time for everything.
    pub total: Duration,
    /// Time of one cell of each workload, reset and check included.
    pub cell: Vec<Duration>,
    /// Time to load the data sets once.
    pub load: Duration,
    /// Largest space needed at any moment, bytes, over all storages.
    pub space_bytes: u64,
    /// What each bed will see.
    pub beds: Vec<BedPlan>,
    /// What will be overwritten or removed; empty when nothing but the tool's own files.
    pub destroys: Vec<String>,
    /// What needs root; empty when nothing does.
    pub needs_root: Vec<String>,
    /// What the estimate rests on, one sentence each.
    pub assumptions: Vec<String>,
}

/// One bed's share of the plan.
#[derive(Clone, Debug)]
pub struct BedPlan {
    /// The bed's name.
    pub name: String,
    /// Its storage in words.
    pub storage: String,
    /// Directory that will hold its files.
    pub path: String,
    /// Bytes that will be written to its storage over the whole run (an estimate).
    pub written_bytes: u64,
    /// That as a share of the rated endurance of the drive, where both are known.
    pub endurance_share: Option<f64>,
}

/// Works out the plan of `experiment` without touching anything.
///
/// # Errors
/// When a drive is unknown or its file cannot be read.
pub fn plan(experiment: &Experiment, seed: u64) -> Result<Plan, LabError> {
    let cells = cells_in_order(experiment, seed);
    let server = Footprint::of(experiment);
    let cell: Vec<Duration> = experiment.workload.iter().map(|w| cell_time(experiment, w, server)).collect();
    let load = loading(experiment, server);
    let total = load + cells.iter().map(|c| cell[c.workload]).sum::<Duration>();
    Ok(Plan {
        seed,
        descriptions: cells.iter().map(|&c| describe(experiment, c)).collect(),
        total,
        load,
        space_bytes: match server {
            Some(server) => server.space_bytes(experiment),
            // The golden copy, the copy under load with its growth and log, and the next copy while the last is removed.
            None => most_data_bytes(experiment).saturating_mul(5) / 2,
        },
        beds: (0..experiment.bed.len())
            .map(|bed| bed_plan(experiment, &cells, bed))
            .collect::<Result<_, _>>()?,
        destroys: block_io::overwritten_devices(experiment),
        needs_root: privileges::needs_root(experiment),
        assumptions: assumptions(server),
        cell,
        cells,
    })
}

/// "nvme, order entry, 4 virtual users, repeat 2".
pub(crate) fn describe(experiment: &Experiment, cell: CellKey) -> String {
    let workload = &experiment.workload[cell.workload];
    let name = if experiment.workload.len() > 1 { format!("{}, ", workload.name()) } else { String::new() };
    let load = match workload {
        Workload::Neighbour(asked) => format!("arm {}", asked.arms()[cell.level]),
        Workload::Fragmentation(_) if cell.level == 0 => "in one piece".to_owned(),
        _ => format!("{} {}", workload.levels()[cell.level], workload.level_name()),
    };
    format!("{}, {name}{load}, repeat {}", experiment.bed[cell.bed].name, cell.repeat + 1)
}

/// What the estimates rest on, in words.
fn assumptions(server: Option<Footprint>) -> Vec<String> {
    let per_warehouse = server.map_or(BYTES_PER_WAREHOUSE, |server| server.warehouse_bytes);
    let mut all = vec![
        format!(
            "{ASSUMED_TRANSACTIONS_PER_SECOND} transactions/s per bed, {} kB written by each",
            WRITTEN_BYTES_PER_TRANSACTION / 1e3
        ),
        format!(
            "{} MB per warehouse, {} warehouses loaded per minute",
            per_warehouse / 1_000_000,
            WAREHOUSES_PER_SECOND * 60.0
        ),
    ];
    all.extend(server.map(|server| server.in_words()));
    all
}

/// Loads every data set once and brings it to every storage.
fn loading(experiment: &Experiment, server: Option<Footprint>) -> Duration {
    let mut homes: Vec<DataSet> = Vec::new();
    let mut all = Duration::ZERO;
    for workload in &experiment.workload {
        // What is loaded for one workload serves all that work on the same.
        match DataSet::of(workload) {
            Some(data) if homes.contains(&data) => continue,
            Some(data) => homes.push(data),
            None => {}
        }
        all += load_time(workload);
        if let Some(server) = server.filter(|_| workload.uses_database()) {
            all += server.preparing(experiment, workload);
        }
    }
    all
}

/// The largest data set with all its instances.
fn most_data_bytes(experiment: &Experiment) -> u64 {
    let all_bytes = |w: &Workload| data_bytes(w).saturating_mul(u64::from(instances_of(experiment, w)));
    experiment.workload.iter().map(all_bytes).max().unwrap_or(0)
}

/// Databases that a workload is run on side by side; block I/O has one file.
fn instances_of(experiment: &Experiment, workload: &Workload) -> u32 {
    let instances = experiment.database.as_ref().map_or(1, |database| database.instances);
    operations::instances_of(workload).unwrap_or(if workload.uses_database() { instances } else { 1 })
}

/// Warehouses of the data set of one instance; `None` for data of another kind.
fn warehouses_of(workload: &Workload) -> Option<u32> {
    match workload {
        Workload::Tpcc(w) => Some(w.warehouses),
        Workload::Durability(w) => Some(w.warehouses),
        Workload::Backup(w) => Some(w.warehouses),
        Workload::Neighbour(w) => Some(w.warehouses),
        Workload::Sysbench(_) | Workload::Block(_) | Workload::Scan(_) | Workload::Fragmentation(_) => None,
    }
}

/// Bytes of the data set of one instance.
fn data_bytes(workload: &Workload) -> u64 {
    if let Some(warehouses) = warehouses_of(workload) {
        return u64::from(warehouses) * BYTES_PER_WAREHOUSE;
    }
    match workload {
        Workload::Sysbench(w) => sysbench_rows(w) * BYTES_PER_SYSBENCH_ROW,
        Workload::Block(w) => block_io::made_bytes(w),
        other => operations::table_bytes(other).unwrap_or(0),
    }
}

fn sysbench_rows(sysbench: &Sysbench) -> u64 {
    u64::from(sysbench.tables) * u64::from(sysbench.rows)
}

fn load_time(workload: &Workload) -> Duration {
    if let Some(warehouses) = warehouses_of(workload) {
        return Duration::from_secs_f64(f64::from(warehouses) / WAREHOUSES_PER_SECOND);
    }
    match workload {
        Workload::Sysbench(w) => Duration::from_secs_f64(sysbench_rows(w) as f64 / SYSBENCH_ROWS_PER_SECOND),
        Workload::Block(w) => Duration::from_secs_f64(block_io::made_bytes(w) as f64 / COPY_BYTES_PER_SECOND),
        other => operations::table_load_time(other).unwrap_or_default(),
    }
}

fn cell_time(experiment: &Experiment, workload: &Workload, server: Option<Footprint>) -> Duration {
    if let Workload::Block(block) = workload {
        return block_io::time(block);
    }
    let beside = server
        .filter(|_| workload.uses_database())
        .map_or(Duration::ZERO, |server| server.around_cell(workload, instances_of(experiment, workload)));
    let reset = match server {
        // Counted by it.
        Some(_) => 0.0,
        None => data_bytes(workload) as f64 / COPY_BYTES_PER_SECOND,
    };
    let check = |warehouses: u32| f64::from(warehouses) * CHECK_SECONDS_PER_WAREHOUSE;
    let around = match workload {
        Workload::Tpcc(w) => reset + check(w.warehouses),
        Workload::Durability(w) => reset + check(w.warehouses),
        Workload::Sysbench(_) => reset,
        Workload::Block(_) => 0.0,
        other => return operations::cell_time(other).unwrap_or_default() + beside,
    };
    workload.ramp_up().0 + workload.measure().0 + Duration::from_secs_f64(around) + beside
}

fn bed_plan(experiment: &Experiment, cells: &[CellKey], index: usize) -> Result<BedPlan, LabError> {
    let bed = &experiment.bed[index];
    let drive = beds::choose(experiment, bed)?;
    let written: f64 = cells
        .iter()
        .filter(|c| c.bed == index)
        .map(|c| &experiment.workload[c.workload])
        .map(|w| written_by_cell(w) * f64::from(instances_of(experiment, w)))
        .sum();
    let written = match Footprint::of(experiment) {
        Some(server) => {
            let own = cells.iter().filter(|c| c.bed == index).map(|c| &experiment.workload[c.workload]);
            written + server.written_beside(experiment, index, own)
        }
        None => written,
    };
    let rated = match &drive.data {
        DriveChoice::Emulated(entry) => entry.endurance_bytes_written,
        DriveChoice::Real | DriveChoice::Unknown(_) => None,
    };
    Ok(BedPlan {
        name: bed.name.clone(),
        storage: drive.summary(),
        path: storages::path_of(&bed.storage).display().to_string(),
        written_bytes: written as u64,
        endurance_share: rated.map(|rated| written / rated as f64),
    })
}

/// Bytes one cell writes: the copy it starts from and what its load writes.
fn written_by_cell(workload: &Workload) -> f64 {
    match workload {
        Workload::Tpcc(_) | Workload::Sysbench(_) | Workload::Durability(_) => {
            let seconds = (workload.ramp_up().0 + workload.measure().0).as_secs_f64();
            data_bytes(workload) as f64
                + seconds * ASSUMED_TRANSACTIONS_PER_SECOND * WRITTEN_BYTES_PER_TRANSACTION
        }
        Workload::Block(w) => block_io::written_bytes(w),
        other => operations::written_by_cell(other).unwrap_or(0.0),
    }
}
