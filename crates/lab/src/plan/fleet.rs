//! The plan of a run on several hosts: what every rank does, and what comes together where.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;

use experiment::Experiment;
use fleet::Hosts;

use super::places;
use super::room::{Holds, Room, WAYS_OUT, rooms, rooms_of_files};
use super::{Plan, plan_of};
use crate::error::LabError;
use crate::error::PlaceFault;
use crate::levels::Levels;
use crate::membership::{check_shares, experiment_of, share_of};
use crate::storage::targets;

/// The plan of a fleet.
#[derive(Clone, Debug)]
pub struct FleetPlan {
    /// The plan of the run, with the space and the bytes written of all ranks together.
    pub plan: Plan,
    /// The share of every rank, one line each: `0 on a: ...`.
    pub shares: Vec<String>,
    /// The storages of every host, each once.
    pub storages: Vec<HostStorage>,
    /// The experiments of the ranks on this machine.
    pub here: Vec<Experiment>,
}

/// A storage path of a bed on a host, with the ranks that work there.
#[derive(Clone, Debug, PartialEq)]
pub struct HostStorage {
    /// The name of the host.
    pub host: String,
    /// The numbers of the ranks that use it.
    pub ranks: Vec<u32>,
    /// The name of the bed.
    pub bed: String,
    /// The storage in words.
    pub storage: String,
    /// The directory that will hold the files.
    pub path: String,
    /// Bytes that its ranks will write there over the whole run (an estimate).
    pub written_bytes: u64,
    /// Those bytes as a share of the rated endurance of the drive, if both are known.
    pub endurance_share: Option<f64>,
    /// Largest space that its ranks need at any moment, bytes, over all beds of the run.
    pub space_bytes: u64,
}

/// Works out the plan of a run on these hosts. `toml` is the experiment, with `{rank}` and `{host}` in it.
///
/// # Errors
/// As [`plan`](crate::plan); [`LabError::Experiment`] for a rank without work, and for paths that make no
/// experiment.
pub fn plan_fleet(
    (experiment, toml): (&Experiment, &str),
    hosts: &Hosts,
    seed: u64,
) -> Result<FleetPlan, LabError> {
    let size = hosts.size();
    check_shares(experiment, size)?;
    let mut whole = plan_of(Levels::of_ranks(experiment, size), seed)?;
    let share = |(rank, host): (u32, &fleet::Host)| {
        format!("{rank} on {host}: {}", share_of(experiment, rank, size).join("; "))
    };
    let shares = (0..).zip(&hosts.0).map(share).collect();
    if experiment.bed.iter().any(|bed| experiment.is_shared(bed)) {
        // One server, whose data is there once.
        return Ok(FleetPlan { plan: whole, shares, storages: Vec::new(), here: Vec::new() });
    }
    let (mut storages, mut here) = (Vec::new(), Vec::new());
    let mut space_bytes = 0_u64;
    for (rank, host) in (0..).zip(&hosts.0) {
        let own = experiment_of(toml, &host.0, (rank, size))?;
        let plan = plan_of(Levels::of_rank(&own, rank), seed)?;
        space_bytes = space_bytes.saturating_add(plan.space_bytes);
        plan.beds.iter().for_each(|bed| {
            add(&mut storages, (rank, &host.0), bed, plan.space_bytes);
        });
        if host.is_local() {
            here.push(own);
        }
    }
    whole.space_bytes = space_bytes;
    for bed in &mut whole.beds {
        let of_bed = || storages.iter().filter(|storage| storage.bed == bed.name);
        bed.written_bytes = of_bed().map(|storage| storage.written_bytes).sum();
        // Of the drive that wears most.
        bed.endurance_share = of_bed().filter_map(|storage| storage.endurance_share).reduce(f64::max);
    }
    Ok(FleetPlan { plan: whole, shares, storages, here })
}

/// Adds a rank's bed to the storage of its host and path.
fn add(storages: &mut Vec<HostStorage>, (rank, host): (u32, &str), bed: &super::BedPlan, space_bytes: u64) {
    let is_it = |known: &&mut HostStorage| {
        (known.host.as_str(), &known.bed, &known.path) == (host, &bed.name, &bed.path)
    };
    match storages.iter_mut().find(is_it) {
        Some(known) => {
            known.ranks.push(rank);
            known.written_bytes = known.written_bytes.saturating_add(bed.written_bytes);
            known.endurance_share =
                known.endurance_share.zip(bed.endurance_share).map(|(one, other)| one + other);
            known.space_bytes = known.space_bytes.saturating_add(space_bytes);
        }
        None => storages.push(HostStorage {
            host: host.to_owned(),
            ranks: vec![rank],
            bed: bed.name.clone(),
            storage: bed.storage.clone(),
            path: bed.path.clone(),
            written_bytes: bed.written_bytes,
            endurance_share: bed.endurance_share,
            space_bytes,
        }),
    }
}

impl FleetPlan {
    /// The file systems of this machine on which ranks keep their data, with what all of them need there.
    #[must_use]
    pub fn rooms(&self) -> Vec<Room> {
        together(self.here.iter().flat_map(rooms))
    }

    /// Refuses what the ranks of this machine could not run: as [`check_places`](crate::check_places), with
    /// the room for all of them.
    ///
    /// # Errors
    /// [`LabError::Places`] with all faults.
    pub fn check_places(&self) -> Result<(), LabError> {
        if let Some(silent) = self.here.iter().find_map(targets::silent) {
            return Err(LabError::Places { faults: vec![silent] });
        }
        let mut faults: Vec<PlaceFault> = Vec::new();
        for experiment in &self.here {
            for fault in places::of_paths(experiment) {
                if !faults.contains(&fault) {
                    faults.push(fault);
                }
            }
        }
        let is_real = |room: &Room| self.here.iter().any(|own| places::has_real(own, room));
        let files = together(self.here.iter().flat_map(rooms_of_files));
        let rooms = self.rooms().into_iter().filter(is_real).chain(files);
        faults.extend(rooms.filter(Room::is_short).map(|room| places::short(&room)));
        if faults.is_empty() { Ok(()) } else { Err(LabError::Places { faults }) }
    }

    /// Refuses a run for which this machine has room for no cell, if all ranks run on it at once.
    ///
    /// # Errors
    /// [`LabError::Experiment`] with the numbers and the ways out.
    pub fn check_room(&self) -> Result<(), LabError> {
        let rooms = self.rooms();
        let Some(first) = rooms.first().filter(|_| rooms.iter().all(Room::is_short)) else { return Ok(()) };
        Err(LabError::Experiment {
            what: first.in_words(),
            place: format!("bed `{}` of {} ranks", first.beds.join("`, `"), self.here.len()),
            fix: WAYS_OUT.to_owned(),
        })
    }
}

/// Rooms of several ranks as those of their file systems: ranks run at once, so that their needs add up.
fn together(rooms: impl Iterator<Item = Room>) -> Vec<Room> {
    let mut all: BTreeMap<(bool, u64), Room> = BTreeMap::new();
    for room in rooms {
        let Ok(found) = room.path.metadata() else { continue };
        match all.get_mut(&(room.holds == Holds::Files, found.dev())) {
            Some(known) => {
                known.needed_bytes = known.needed_bytes.saturating_add(room.needed_bytes);
                known.most_bytes = known.most_bytes.saturating_add(room.most_bytes);
                for bed in room.beds {
                    if !known.beds.contains(&bed) {
                        known.beds.push(bed);
                    }
                }
            }
            None => {
                all.insert((room.holds == Holds::Files, found.dev()), room);
            }
        }
    }
    all.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(path: &str) -> String {
        format!(
            "schema = 1\ntitle = \"x\"\n[[bed]]\nname = \"nvme\"\nstorage = {{ emulated = \"kingston-dc1500m-960g\", path = \"{path}\" }}\n\
             [database]\nengine = \"sqlite\"\nmemory = \"64MiB\"\n[[workload]]\nkind = \"tpcc\"\nwarehouses = 1\n\
             virtual_users = [4]\nramp_up = \"1s\"\nmeasure = \"1s\"\n[design]\nrepeats = 1\n"
        )
    }

    fn planned(toml: &str, hosts: &str) -> FleetPlan {
        let experiment = experiment::parse(toml, "x.toml").unwrap_or_else(|faults| panic!("{faults}"));
        plan_fleet((&experiment, toml), &Hosts::read(hosts).unwrap(), 7).unwrap()
    }

    #[test]
    fn ranks_on_one_path_add_up_and_hosts_stay_apart() {
        let one = planned(&text("."), "localhost");
        let three = planned(&text("."), "localhost:3");
        assert_eq!(three.plan.space_bytes, 3 * one.plan.space_bytes);
        assert_eq!(three.plan.beds[0].written_bytes, 3 * one.plan.beds[0].written_bytes);
        assert_eq!(three.storages.len(), 1);
        assert_eq!(three.storages[0].ranks, [0, 1, 2]);
        assert!(three.plan.descriptions[0].contains("12 virtual users"), "{:?}", three.plan.descriptions);
        let (own, needed) = (&one.rooms()[0], &three.rooms()[0]);
        assert_eq!((needed.needed_bytes, needed.most_bytes), (3 * own.needed_bytes, 3 * own.most_bytes));
        assert_eq!(needed.free_bytes / 1_000_000_000, own.free_bytes / 1_000_000_000);
        let apart = planned(&text("."), "a,b");
        let hosts: Vec<&str> = apart.storages.iter().map(|storage| storage.host.as_str()).collect();
        assert_eq!(hosts, ["a", "b"]);
        assert_eq!(apart.storages[0].written_bytes, one.storages[0].written_bytes);
        assert_eq!(apart.plan.beds[0].endurance_share, one.plan.beds[0].endurance_share, "of each drive");
        assert!(apart.rooms().is_empty(), "other machines know their room");
    }

    #[test]
    fn paths_of_ranks_are_storages_of_their_own() {
        let dir = tempfile::tempdir().unwrap();
        for rank in 0..2 {
            std::fs::create_dir(dir.path().join(format!("d{rank}"))).unwrap();
        }
        let path = dir.path().join("d{rank}").display().to_string();
        let two = planned(&text(&path), "localhost:2");
        assert_eq!(two.storages.len(), 2);
        assert!(two.check_places().is_ok() && two.check_room().is_ok());
        let three = planned(&text(&path), "localhost:3");
        let faults = three.check_places().unwrap_err().to_string();
        assert!(faults.contains("d2 does not exist") && !faults.contains("d1 "), "{faults}");
        assert_eq!(three.rooms().len(), 1, "one file system");
    }

    #[test]
    fn a_rank_counts_only_the_cells_that_it_takes_part_in() {
        let scaled = |more: &str| format!("{}{more}", text("."));
        let flat = planned(&text("."), "localhost:2");
        let levels = planned(&scaled("[fleet]\nscale_out = [1, 2]\n"), "localhost:2");
        // Three turns of a rank in two cells, against two in one.
        assert_eq!(levels.plan.beds[0].written_bytes * 2, flat.plan.beds[0].written_bytes * 3);
        assert_eq!(levels.plan.cells.len(), 2);
        assert!(levels.plan.descriptions.iter().any(|cell| cell.contains("2 ranks")));
    }
}
