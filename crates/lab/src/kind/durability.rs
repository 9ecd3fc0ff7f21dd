//! Crashes under load.

mod run;

use std::time::Duration;

use experiment::{Crash, Durability, Experiment};
use notebook::CellRecord;
use words::{Metric, Reasons, say};

use super::LabKind;
use crate::conductor::Conductor;
use crate::needs::cost;
use crate::needs::data_set::DataSet;
use crate::needs::{Needs, NotSimulated};
use crate::order::CellKey;

impl Needs for Durability {
    fn data(&self) -> Option<DataSet> {
        Some(DataSet::OrderEntry { warehouses: self.warehouses })
    }

    fn refused(&self, experiment: &Experiment) -> Option<&'static str> {
        let several = experiment.database.as_ref().is_some_and(|database| database.instances > 1);
        several.then_some("the durability test of several instances at once")
    }

    fn runs_order_entry(&self) -> bool {
        true
    }

    fn cuts_power(&self) -> bool {
        self.crash == Crash::Power
    }

    fn warehouses(&self) -> Option<u32> {
        Some(self.warehouses)
    }

    fn cell_time(&self, reset_s: f64) -> Duration {
        self.load_for.0 + Duration::from_secs_f64(reset_s + cost::check_s(self.warehouses))
    }

    fn written_by_cell(&self, _drive: Option<&device::DriveSpec>) -> f64 {
        self.data_bytes() as f64 + cost::load_bytes(self.load_for.0.as_secs_f64(), None)
    }

    fn not_simulated(&self) -> Option<NotSimulated> {
        Some((
            "durability is not simulated: what an engine has on its drive when it crashes is its own code's doing, and a model of it would prove nothing",
            "run it on emulated storage, where the power is cut under a real engine",
        ))
    }
}

impl LabKind for Durability {
    fn run(&self, conductor: &Conductor<'_>, key: CellKey) -> Result<CellRecord, Reasons> {
        run::cell(conductor, key, self)
    }

    fn headline(&self, record: &CellRecord) -> Option<String> {
        let orders = record.value(Metric::OrdersAcknowledged)?.to_string();
        let recovery = words::decimals(record.value(Metric::RecoveryTime)?, 1);
        Some(say!("result-none-lost", orders, recovery))
    }
}
