//! Databases under load beside a noisy neighbour.

mod activity;
mod run;
mod simulated;

use std::time::Duration;

use database::group::{self, Drive, Rule};
use experiment::{Arm, Bed, Experiment, Mitigation, Neighbour, NeighbourKind};
use notebook::CellRecord;
use words::{Happening, Metric, Reasons, say};

use super::LabKind;
use crate::conductor::Conductor;
use crate::kind::simulated_cell::SimulatedCell;
use crate::needs::cost::{self, COPY_BYTES_PER_SECOND};
use crate::needs::data_set::DataSet;
use crate::needs::{Needs, NotSimulated};
use crate::order::CellKey;
use crate::storage::targets;

impl Needs for Neighbour {
    fn data(&self) -> Option<DataSet> {
        Some(DataSet::OrderEntry { warehouses: self.warehouses })
    }

    fn needs_root(&self, experiment: &Experiment) -> Vec<String> {
        experiment.bed.iter().filter_map(|bed| mitigation(self, bed)).collect()
    }

    fn runs_order_entry(&self) -> bool {
        true
    }

    fn makes_backups(&self) -> bool {
        true
    }

    fn level_in_words(&self, level: usize) -> Option<String> {
        Some(say!("level-arm", arm = self.arms()[level].name()))
    }

    fn has_roles(&self) -> bool {
        true
    }

    fn roles_of(&self, bed: &str, (rank, size): (u32, u32)) -> Option<String> {
        let own = self.part(fleet::share(self.machines(), rank, size));
        let mut roles = Vec::new();
        if own.victims > 0 {
            let (first, last) = (own.victims_before + 1, own.victims_before + own.victims);
            roles.push(say!("share-victims", bed, first, last, all = self.victims));
        }
        if own.neighbours > 0 {
            roles.push(say!("share-neighbours", bed, own = own.neighbours, all = self.neighbours));
        }
        Some(roles.join("; "))
    }

    /// The neighbours' own included.
    fn instances(&self, _of_experiment: u32) -> u32 {
        self.victims + self.neighbours
    }

    fn warehouses(&self) -> Option<u32> {
        Some(self.warehouses)
    }

    /// The arm `alone` has one turn for each victim; cells of all arms are reported with their mean.
    fn cell_time(&self, _reset_s: f64) -> Duration {
        let bytes = self.data_bytes() as f64;
        let arms = self.arms();
        let turns = |arm: &Arm| if *arm == Arm::Alone { self.victims } else { 1 };
        let turns = f64::from(arms.iter().map(turns).sum::<u32>()) / arms.len().max(1) as f64;
        let load_s = (self.ramp_up.0 + self.measure.0).as_secs_f64();
        let databases = f64::from(self.victims + self.neighbours);
        let around_s = databases * (bytes / COPY_BYTES_PER_SECOND + cost::check_s(self.warehouses));
        Duration::from_secs_f64(cost::START_S) + Duration::from_secs_f64(turns * load_s + around_s)
    }

    fn written_by_cell(&self, _drive: Option<&device::DriveSpec>) -> f64 {
        self.data_bytes() as f64 + cost::load_bytes((self.ramp_up.0 + self.measure.0).as_secs_f64(), None)
    }

    fn not_simulated(&self) -> Option<NotSimulated> {
        if matches!(self.neighbour, NeighbourKind::Block | NeighbourKind::Scan) {
            return Some((
                "a neighbour that streams or scans is not simulated",
                "set workload.neighbour=backup, database or idle, or run it on emulated or real storage",
            ));
        }
        if matches!(self.mitigation, Some(Mitigation::IdleIo | Mitigation::Weight)) {
            return Some((
                "what a scheduler's weights do is not simulated: the model has no kernel",
                "set workload.mitigation=rate-limit, or run it on emulated or real storage",
            ));
        }
        None
    }
}

impl LabKind for Neighbour {
    fn run(&self, conductor: &Conductor<'_>, key: CellKey) -> Result<CellRecord, Reasons> {
        run::cell(conductor, key, self)
    }

    /// Victims are a load; a neighbour alone has none.
    fn headline(&self, record: &CellRecord) -> Option<String> {
        if record.value(Metric::Nopm).is_some() {
            return None;
        }
        let rate = words::decimals(record.value(Metric::NeighbourRate)?, 0);
        Some(say!("result-neighbour", rate))
    }

    fn simulate(&self, simulated: &SimulatedCell<'_>) -> Result<CellRecord, Reasons> {
        simulated::cell(simulated, self)
    }
}

/// The kernel's mitigation of the neighbour on a bed's drive.
fn mitigation(asked: &Neighbour, bed: &Bed) -> Option<String> {
    let mitigation = asked.mitigation.filter(|mitigation| *mitigation != Mitigation::RateLimit)?;
    let found = match Drive::under(targets::path_of(&bed.storage)) {
        Err(error) => error.to_string(),
        Ok(drive) if mitigation == Mitigation::IdleIo => match drive.check_idle_io() {
            Ok(()) => say!("needs-available", drive = drive.to_string()),
            Err(error) => error.to_string(),
        },
        Ok(drive) => group::availability(&rules_of(asked, drive)),
    };
    Some(say!("needs-mitigation", mitigation = mitigation.to_string(), bed = bed.name, found))
}

/// The limits of a group of processes that do the mitigation on this drive; none where they do not.
fn rules_of(asked: &Neighbour, drive: Drive) -> Vec<Rule> {
    match (asked.mitigation, asked.limit) {
        (Some(Mitigation::Throttle), Some(limit)) => vec![Rule::Throttle { drive, bytes_per_s: limit.0 }],
        (Some(Mitigation::Weight), _) => vec![Rule::Weight(drive)],
        (Some(Mitigation::Throttle | Mitigation::IdleIo | Mitigation::RateLimit) | None, _) => Vec::new(),
    }
}

/// The load of an arm on the storage.
fn told(asked: &Neighbour, arm: Arm) -> Happening {
    let (victims, beside, neighbours) = (asked.victims, asked.victims_beside(), asked.neighbours);
    let neighbour = asked.neighbour.to_string();
    match arm {
        Arm::Alone => Happening::ArmAlone { victims },
        Arm::Together => Happening::ArmTogether { victims },
        Arm::WithNeighbour => Happening::ArmWithNeighbour { victims: beside, neighbours, neighbour },
        Arm::Mitigated => {
            let mitigation = asked.mitigation.map(|m| m.to_string()).unwrap_or_default();
            Happening::ArmMitigated { victims: beside, neighbours, neighbour, mitigation }
        }
        Arm::NeighbourAlone => Happening::ArmNeighbourAlone { neighbours, neighbour },
    }
}
