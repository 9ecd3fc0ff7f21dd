//! Order entry derived from TPC-C.

mod run;
pub(super) mod simulated;

use std::time::Duration;

use experiment::{Experiment, Home, Pacing, Tpcc};
use notebook::CellRecord;
use words::Reasons;

use super::LabKind;
use crate::conductor::Conductor;
use crate::kind::simulated_cell::SimulatedCell;
use crate::needs::cost;
use crate::needs::data_set::DataSet;
use crate::needs::{Needs, NotSimulated};
use crate::order::CellKey;

impl Needs for Tpcc {
    fn data(&self) -> Option<DataSet> {
        Some(DataSet::OrderEntry { warehouses: self.warehouses })
    }

    fn refused(&self, experiment: &Experiment) -> Option<&'static str> {
        let is_server = experiment.engine().is_server();
        let most = match self.pacing {
            Pacing::None => self.virtual_users.iter().copied().max(),
            Pacing::Keyed | Pacing::KeyedTimes(_) | Pacing::ArrivalsPerSecond(_) => self.connections,
        };
        let too_many = most.is_some_and(|connections| connections > oltp::tpcc::SQLITE_CONNECTIONS_MAX);
        (too_many && !is_server).then_some("order entry over more than 1,000 connections of SQLite")
    }

    fn runs_order_entry(&self) -> bool {
        true
    }

    fn simulates_scale_out(&self) -> bool {
        true
    }

    fn deviations(&self) -> &'static [oltp::Deviation] {
        match (self.profile, self.pacing) {
            (Some(_), _) => oltp::tpcc::Profile::HammerdbLike.deviations(),
            (None, Pacing::KeyedTimes(_)) => &oltp::tpcc::STRETCHED,
            (None, _) => &[],
        }
    }

    fn warehouses(&self) -> Option<u32> {
        Some(self.warehouses)
    }

    fn cell_time(&self, reset_s: f64) -> Duration {
        let around = Duration::from_secs_f64(reset_s + cost::check_s(self.warehouses));
        self.ramp_up.0 + self.measure.0 + around
    }

    fn written_by_cell(&self, _drive: Option<&device::DriveSpec>) -> f64 {
        let load_s = (self.ramp_up.0 + self.measure.0).as_secs_f64();
        self.data_bytes() as f64 + cost::load_bytes(load_s, self.asked_per_second())
    }

    fn asked_per_second(&self) -> Option<f64> {
        match self.pacing {
            Pacing::ArrivalsPerSecond(rate) => Some(rate),
            paced => {
                let users = self.virtual_users.iter().max().copied().unwrap_or_default();
                Some(f64::from(users) / (paced.keyed_factor()? * cost::TURN_S))
            }
        }
    }

    fn not_simulated(&self) -> Option<NotSimulated> {
        if self.home == Home::Fixed {
            return Some((
                "users with a warehouse of their own are not simulated: the model's buffer pool knows users that are spread over all warehouses",
                "set workload.home=all, or run it on emulated or real storage",
            ));
        }
        if matches!(self.pacing, Pacing::ArrivalsPerSecond(_) | Pacing::KeyedTimes(_)) {
            return Some((
                "arrivals at a rate and longer pauses are not simulated",
                "set workload.pacing=none or keyed, or run it on emulated or real storage",
            ));
        }
        None
    }
}

impl LabKind for Tpcc {
    fn run(&self, conductor: &Conductor<'_>, key: CellKey) -> Result<CellRecord, Reasons> {
        run::cell(conductor, key, self)
    }

    fn simulate(&self, simulated: &SimulatedCell<'_>) -> Result<CellRecord, Reasons> {
        simulated::cell(simulated, self)
    }
}
