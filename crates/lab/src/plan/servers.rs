//! The needs of a database server besides the rows: its own files, its log, its creation, its copies and its
//! starts.

use std::time::Duration;
use words::say;

use database::ServerSizes;
use experiment::data_size::BYTES_PER_WAREHOUSE;
use experiment::{Engine, Experiment, Workload};

use super::{data_bytes, instances_of};
use crate::needs;
use crate::needs::cost::{ASSUMED_TRANSACTIONS_PER_SECOND, CHECK_SECONDS_PER_WAREHOUSE};
use crate::needs::memory;
use crate::plan::supported;
use crate::storage::targets;

/// Copying a server's files, which are synced, bytes per second; measured on two slow processors.
const SERVER_COPY_BYTES_PER_SECOND: f64 = 200e6;
/// Creating a server (initdb), its first start and its stop; measured.
const CREATE: Duration = Duration::from_secs(6);
/// Start and stop of a server around a cell; measured.
const START_AND_STOP: Duration = Duration::from_secs(3);
/// Mounting a modelled drive under a server, its rehearsal, and reading the files beforehand; measured.
const MOUNT: Duration = Duration::from_secs(5);
/// Filling the log for the first time, bytes per second; measured.
const LOG_BYTES_PER_SECOND: f64 = 100e6;
/// The growth of a database with each transaction of a cell, bytes; measured, rounded up.
const GROWTH_BYTES_PER_TRANSACTION: f64 = 10_000.0;

/// The bytes that one server keeps on its storage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Footprint {
    /// Its name, for words.
    engine: Engine,
    /// A server without rows, its log left out.
    empty_bytes: u64,
    /// A warehouse with its indexes; measured on two and six of them.
    pub(super) warehouse_bytes: u64,
    /// The log, which is kept whole in every copy.
    log_bytes: u64,
    /// True if servers use modelled drives, which are mounted for every cell.
    is_mounted: bool,
}

impl Footprint {
    /// Of the experiment's servers; `None` for the embedded engine, and where all servers are somebody
    /// else's.
    pub(super) fn of(experiment: &Experiment) -> Option<Footprint> {
        let engine = experiment.engine();
        let is_ours = experiment.bed.iter().any(|bed| experiment.url_of(bed).is_none());
        let is_used = experiment.workload.iter().any(Workload::uses_database);
        let memory_bytes = memory::largest_bytes(experiment);
        let is_mounted = experiment.bed.iter().any(|bed| supported::is_mounted(experiment, bed));
        let ServerSizes { empty_bytes, warehouse_bytes, log_bytes } = database::sizes(engine)?;
        (is_ours && is_used).then_some(Footprint {
            engine,
            empty_bytes,
            warehouse_bytes,
            log_bytes: log_bytes(memory_bytes),
            is_mounted,
        })
    }

    /// One copy of the data set of a workload with all that the server keeps beside it.
    pub(super) fn copy_bytes(self, workload: &Workload) -> u64 {
        let rows = match needs::of(workload).warehouses() {
            Some(warehouses) => u64::from(warehouses) * self.warehouse_bytes,
            None => data_bytes(workload),
        };
        rows.saturating_add(self.empty_bytes).saturating_add(self.log_bytes)
    }

    /// From an empty directory to a checked golden copy on every storage, besides the load itself.
    pub(super) fn preparing(self, experiment: &Experiment, workload: &Workload) -> Duration {
        let copy_s = self.copy_bytes(workload) as f64 / SERVER_COPY_BYTES_PER_SECOND;
        // Kept once where it was loaded; brought to every other storage and kept there.
        let copies = 1.0 + 2.0 * (storages(experiment).len().saturating_sub(1)) as f64;
        let seconds = copies * copy_s + self.log_bytes as f64 / LOG_BYTES_PER_SECOND + check_s(workload);
        CREATE + Duration::from_secs_f64(seconds)
    }

    /// The copies, starts and stops of all instances of a cell.
    pub(super) fn around_cell(self, workload: &Workload, instances: u32) -> Duration {
        let copies_s = self.copy_bytes(workload) as f64 * f64::from(instances) / SERVER_COPY_BYTES_PER_SECOND;
        let mount = if self.is_mounted { MOUNT } else { Duration::ZERO };
        START_AND_STOP + mount + Duration::from_secs_f64(copies_s)
    }

    /// The most bytes on all storages at a moment: on each the golden copies, and the data of every bed's
    /// last cell.
    pub(super) fn space_bytes(self, experiment: &Experiment) -> u64 {
        let loads = experiment.workload.iter().filter(|load| load.uses_database());
        let golden: u64 = loads.map(|load| self.copy_bytes(load)).sum();
        let of_bed = self.grown_bytes(experiment);
        let beds = experiment.bed.iter().filter(|bed| experiment.url_of(bed).is_none()).count() as u64;
        let files = experiment.workload.iter().filter(|load| !load.uses_database()).map(data_bytes).max();
        golden
            .saturating_mul(storages(experiment).len() as u64)
            .saturating_add(of_bed.max(files.unwrap_or(0)).saturating_mul(beds))
    }

    /// The copies of the cell that leaves most, with the growth by its load.
    pub(super) fn grown_bytes(self, experiment: &Experiment) -> u64 {
        let loads = experiment.workload.iter().filter(|load| load.uses_database());
        let of_bed = loads.map(|load| {
            let seconds = (load.ramp_up().0 + load.measure().0).as_secs_f64();
            let per_second = needs::of(load).asked_per_second().unwrap_or(ASSUMED_TRANSACTIONS_PER_SECOND);
            let grown = seconds * per_second * GROWTH_BYTES_PER_TRANSACTION;
            (self.copy_bytes(load) + grown as u64).saturating_mul(u64::from(instances_of(experiment, load)))
        });
        of_bed.max().unwrap_or(0)
    }

    /// The bytes written to the storage of bed number `index` besides the rows of its cells (`own`, the
    /// workload of each): the server's own files in every copy, and the golden copies if the bed is the first
    /// on its storage.
    pub(super) fn written_beside<'a>(
        self,
        experiment: &Experiment,
        index: usize,
        own: impl Iterator<Item = &'a Workload>,
    ) -> f64 {
        let servers = own.filter(|load| load.uses_database());
        let beside = |load: &Workload| {
            let copies = u64::from(instances_of(experiment, load));
            self.copy_bytes(load).saturating_sub(data_bytes(load)).saturating_mul(copies)
        };
        let mut bytes: u64 = servers.map(beside).sum();
        let path = |bed: usize| targets::path_of(&experiment.bed[bed].storage);
        if (0..index).all(|earlier| path(earlier) != path(index)) {
            // Loaded or brought there, and kept.
            let copies = experiment.workload.iter().filter(|load| load.uses_database());
            bytes += copies.map(|load| 2 * self.copy_bytes(load)).sum::<u64>();
        }
        bytes as f64
    }

    /// The server's size as the estimates assume it.
    pub(super) fn in_words(self) -> String {
        say!(
            "plan-server",
            engine = self.engine.to_string(),
            own_mb = self.empty_bytes / 1_000_000,
            log_mb = self.log_bytes / 1_000_000,
            copied_mb = (SERVER_COPY_BYTES_PER_SECOND / 1e6).to_string()
        )
    }
}

/// Seconds to check the conditions of a data set once it is loaded. Data of another kind takes as long as
/// whole warehouses of its size.
fn check_s(workload: &Workload) -> f64 {
    let of_size = || (data_bytes(workload) / BYTES_PER_WAREHOUSE) as f64;
    needs::of(workload).warehouses().map_or_else(of_size, f64::from) * CHECK_SECONDS_PER_WAREHOUSE
}

/// The directories that hold a golden copy each.
fn storages(experiment: &Experiment) -> Vec<&std::path::Path> {
    let ours = experiment.bed.iter().filter(|bed| experiment.url_of(bed).is_none());
    let mut all: Vec<_> = ours.map(|bed| targets::path_of(&bed.storage)).collect();
    all.sort();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use crate::plan::plan;

    fn planned(engine: &str, warehouses: u32, beds: &[&str]) -> crate::Plan {
        planned_with(engine, warehouses, beds, "")
    }

    fn planned_with(engine: &str, warehouses: u32, beds: &[&str], pacing: &str) -> crate::Plan {
        let beds: String = beds
            .iter()
            .enumerate()
            .map(|(number, path)| {
                format!("[[bed]]\nname = \"bed-{number}\"\nstorage = {{ real = \"{path}\" }}\n")
            })
            .collect();
        let text = format!(
            "schema = 1\ntitle = \"x\"\n{beds}[database]\nengine = \"{engine}\"\nmemory = \"64MiB\"\n[[workload]]\nkind = \"tpcc\"\n\
             warehouses = {warehouses}\nvirtual_users = [4]\n{pacing}ramp_up = \"3s\"\nmeasure = \"10s\"\n[design]\nrepeats = 2\n"
        );
        let experiment = experiment::parse(&text, "x.toml").unwrap_or_else(|faults| panic!("{faults}"));
        plan(&experiment, 1).expect("there is nothing to look up")
    }

    /// Measured with two repeats of 13 s on two slow processors beside other programs: seconds for
    /// everything, and the most bytes that lay on the storage at a moment.
    #[test]
    fn a_plan_of_servers_is_near_what_small_runs_took() {
        for (engine, warehouses, seconds, bytes) in [
            ("postgresql", 2, 55.0, 1.085e9),
            ("postgresql", 6, 82.0, 1.994e9),
            ("mariadb", 2, 66.0, 1.018e9),
        ] {
            let plan = planned(engine, warehouses, &["."]);
            let (time, space) = (plan.total.as_secs_f64() / seconds, plan.space_bytes as f64 / bytes);
            assert!((0.75..1.35).contains(&time), "{engine}, {warehouses}: {time} of the time: {plan:#?}");
            assert!((1.0..1.3).contains(&space), "{engine}, {warehouses}: {space} of the space: {plan:#?}");
            assert!(plan.assumptions.iter().any(|text| text.contains("of log in every copy")));
        }
    }

    #[test]
    fn a_load_with_a_rate_writes_no_more_than_it_asks_for() {
        let written = |pacing: &str| planned_with("postgresql", 2, &["."], pacing).beds[0].written_bytes;
        let (free, slow) = (written(""), written("pacing = { arrivals_per_second = 10.0 }\n"));
        // Two cells of 13 s, 490 transactions/s fewer in each, 120 kB each.
        let fewer = (2.0 * 13.0 * 490.0 * 120e3) as u64;
        assert!((free - slow).abs_diff(fewer) < fewer / 100, "{free} and {slow}");
        let keyed = written("pacing = \"keyed\"\n");
        assert!(keyed < slow, "four users ask every 21 s");
        let told = planned_with("postgresql", 2, &["."], "pacing = { arrivals_per_second = 10.0 }\n");
        assert!(told.assumptions.iter().any(|text| text.starts_with("10 transactions/s")), "{told:?}");
    }

    #[test]
    fn every_storage_has_its_copies_and_every_bed_its_own() {
        let space = |beds: &[&str]| planned("postgresql", 2, beds).space_bytes;
        let one = space(&["."]);
        assert!(space(&[".", "."]) < space(&[".", "/tmp"]), "one golden copy serves both");
        assert_eq!(space(&[".", "/tmp"]), 2 * one);
        let written = |bed: usize| planned("postgresql", 2, &[".", "."]).beds[bed].written_bytes;
        assert!(written(0) > written(1), "the first bed of a storage is where it is loaded");
        assert!(planned("sqlite", 2, &["."]).space_bytes < one, "it has no log of its own size");
    }
}
