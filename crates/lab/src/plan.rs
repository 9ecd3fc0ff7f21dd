//! The preview of a run: cells in their real order, time, space, bytes written, endurance, destruction,
//! privilege.

pub(crate) mod fleet;
pub(crate) mod places;
pub(crate) mod room;
mod servers;
pub(crate) mod supported;

use std::time::Duration;
use words::say;

use database::group::{self, Limits, Rule};
use experiment::data_size::BYTES_PER_WAREHOUSE;
use experiment::{Bed, Experiment, Workload};

use crate::error::LabError;
use crate::levels::Levels;
use crate::needs;
use crate::needs::cost::{
    ASSUMED_IOPS, ASSUMED_TRANSACTIONS_PER_SECOND, ASSUMED_WRITE_BYTES_PER_SECOND, COPY_BYTES_PER_SECOND,
    FILL_BYTES_PER_SECOND, WAREHOUSES_PER_SECOND, WRITTEN_BYTES_PER_TRANSACTION,
};
use crate::needs::data_set::DataSet;
use crate::needs::memory;
use crate::order::{CellKey, cells_in_order};
use crate::storage::drives::{self, DriveChoice};
use crate::storage::targets;
use servers::Footprint;

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
    /// The plan of each bed.
    pub beds: Vec<BedPlan>,
    /// True if the bytes written are the most that can be: a load on a database writes as it goes.
    pub is_bound: bool,
    /// The files and devices that will be overwritten or removed; empty for the tool's own files only.
    pub destroys: Vec<String>,
    /// The parts that need root; empty if none does.
    pub needs_root: Vec<String>,
    /// The bases of the estimate, one sentence each.
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
    /// The most bytes that will be written to its storage over the whole run (an estimate).
    pub written_bytes: u64,
    /// Those bytes as a share of the rated endurance of the drive, if both are known.
    pub endurance_share: Option<f64>,
}

/// Works out the plan of `experiment` without touching anything.
///
/// # Errors
/// When a drive is unknown or its file cannot be read.
pub fn plan(experiment: &Experiment, seed: u64) -> Result<Plan, LabError> {
    plan_of(Levels::of(experiment), seed)
}

/// The plan of a run whose cells count these levels.
pub(crate) fn plan_of(levels: Levels<'_>, seed: u64) -> Result<Plan, LabError> {
    let experiment = levels.experiment();
    let mut cells = cells_in_order(experiment, seed);
    cells.retain(|key| levels.takes_part(*key));
    let server = Footprint::of(experiment);
    let cell: Vec<Duration> = experiment.workload.iter().map(|w| cell_time(experiment, w, server)).collect();
    let load = loading(experiment, server);
    let total = load + cells.iter().map(|c| cell[c.workload]).sum::<Duration>();
    Ok(Plan {
        seed,
        descriptions: cells.iter().map(|&c| describe(&levels, c)).collect(),
        total,
        load,
        space_bytes: match server {
            Some(server) => server.space_bytes(experiment),
            // The golden copy, the copy under load with its growth and log, and the next copy while the last
            // is removed.
            None => most_data_bytes(experiment).saturating_mul(5) / 2,
        },
        beds: (0..experiment.bed.len())
            .map(|bed| bed_plan(experiment, &cells, bed))
            .collect::<Result<_, _>>()?,
        is_bound: experiment.workload.iter().all(|workload| !workload.uses_database()),
        destroys: overwritten_devices(experiment),
        needs_root: needs_root(experiment),
        assumptions: assumptions(experiment, server),
        cell,
        cells,
    })
}

/// "nvme, order entry, 4 virtual users, repeat 2".
pub(crate) fn describe(levels: &Levels<'_>, cell: CellKey) -> String {
    let experiment = levels.experiment();
    let workload = &experiment.workload[cell.workload];
    let name = if experiment.workload.len() > 1 { format!("{}, ", workload.name()) } else { String::new() };
    let own = levels.ranks_at(cell).is_none().then(|| needs::of(workload).level_in_words(cell.level));
    let load = own.flatten().unwrap_or_else(|| {
        let level = levels.level(cell);
        words::counted(level, &level.to_string(), levels.name(workload).name())
    });
    say!("plan-cell", bed = experiment.bed[cell.bed].name, name, load, repeat = cell.repeat + 1)
}

/// The bases of the estimates, in words, of each kind of work that the experiment has.
fn assumptions(experiment: &Experiment, server: Option<Footprint>) -> Vec<String> {
    let workloads = &experiment.workload;
    let mut all = Vec::new();
    let rate =
        |load: &Workload| needs::of(load).asked_per_second().unwrap_or(ASSUMED_TRANSACTIONS_PER_SECOND);
    let most = workloads.iter().filter(|load| load.uses_database()).map(rate).reduce(f64::max);
    if let Some(most) = most {
        all.push(say!(
            "plan-transactions",
            per_second = format!("{most:.0}"),
            written_kb = (WRITTEN_BYTES_PER_TRANSACTION / 1e3).to_string()
        ));
    }
    if workloads.iter().any(|workload| needs::of(workload).warehouses().is_some()) {
        let per_warehouse = server.map_or(BYTES_PER_WAREHOUSE, |server| server.warehouse_bytes);
        all.push(say!(
            "plan-warehouses",
            mb = per_warehouse / 1_000_000,
            per_minute = (WAREHOUSES_PER_SECOND * 60.0).to_string()
        ));
    }
    if workloads.iter().any(|workload| !workload.uses_database()) {
        all.push(say!(
            "plan-block",
            iops = ASSUMED_IOPS.to_string(),
            most_mb_per_s = (ASSUMED_WRITE_BYTES_PER_SECOND / 1e6).to_string(),
            mb_per_s = (FILL_BYTES_PER_SECOND / 1e6).to_string()
        ));
    }
    all.extend(server.map(|server| server.in_words()));
    all
}

/// Loads every data set once and brings it to every storage.
fn loading(experiment: &Experiment, server: Option<Footprint>) -> Duration {
    let mut homes: Vec<DataSet> = Vec::new();
    let mut all = Duration::ZERO;
    for workload in &experiment.workload {
        // Data loaded for one workload serves all that work on the same.
        match needs::of(workload).data() {
            Some(data) if homes.contains(&data) => continue,
            Some(data) => homes.push(data),
            None => {}
        }
        all += needs::of(workload).load_time();
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

/// Databases that a workload is run on side by side.
fn instances_of(experiment: &Experiment, workload: &Workload) -> u32 {
    let instances = experiment.database.as_ref().map_or(1, |database| database.instances);
    needs::of(workload).instances(instances)
}

/// Bytes of the data set of one instance.
fn data_bytes(workload: &Workload) -> u64 {
    needs::of(workload).data_bytes()
}

/// One line for each thing that needs root, with the state of this machine.
fn needs_root(experiment: &Experiment) -> Vec<String> {
    let limits = experiment.bed.iter().filter_map(|bed| limits(experiment, bed));
    limits.chain(experiment.workload.iter().flat_map(|w| needs::of(w).needs_root(experiment))).collect()
}

fn limits(experiment: &Experiment, bed: &Bed) -> Option<String> {
    let Limits { rules, .. } = memory::limits_of(experiment, bed);
    let words: Vec<String> = rules.iter().map(Rule::to_string).collect();
    let found = || group::availability(&rules);
    (!rules.is_empty())
        .then(|| say!("plan-limits", bed = bed.name, rules = words::list(words), found = found()))
}

fn cell_time(experiment: &Experiment, workload: &Workload, server: Option<Footprint>) -> Duration {
    let beside = server
        .filter(|_| workload.uses_database())
        .map_or(Duration::ZERO, |server| server.around_cell(workload, instances_of(experiment, workload)));
    let reset_s = match server {
        // Counted by it.
        Some(_) => 0.0,
        None => data_bytes(workload) as f64 / COPY_BYTES_PER_SECOND,
    };
    needs::of(workload).cell_time(reset_s) + beside
}

fn bed_plan(experiment: &Experiment, cells: &[CellKey], index: usize) -> Result<BedPlan, LabError> {
    let bed = &experiment.bed[index];
    let drive = drives::choose(experiment, bed)?;
    let spec = drive.entry().map(|entry| &entry.spec);
    let written: f64 = cells
        .iter()
        .filter(|c| c.bed == index)
        .map(|c| &experiment.workload[c.workload])
        .map(|w| needs::of(w).written_by_cell(spec) * f64::from(instances_of(experiment, w)))
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
        storage: drive.summary().to_string(),
        path: targets::path_of(&bed.storage).display().to_string(),
        written_bytes: written as u64,
        endurance_share: rated.map(|rated| written / rated as f64),
    })
}

/// Devices by name that the workloads write to: everything on them is lost.
fn overwritten_devices(experiment: &Experiment) -> Vec<String> {
    let mut devices = Vec::new();
    for workload in &experiment.workload {
        for path in needs::of(workload).written_paths() {
            let said = say!("plan-overwritten", path);
            if path.starts_with("/dev/") && !devices.contains(&said) {
                devices.push(said);
            }
        }
    }
    devices
}
