//! The needs of each kind of workload: its data and databases, its cost, and the beds that it cannot run on.
//! Nothing here runs anything.

pub(crate) mod cost;
pub(crate) mod data_set;
pub(crate) mod memory;

use std::time::Duration;

use experiment::data_size::warehouse_bytes;
use experiment::{Experiment, Storage, Workload};

use crate::needs::cost::WAREHOUSES_PER_SECOND;
use crate::needs::data_set::DataSet;

/// A part that a simulation cannot answer honestly, and the alternative.
pub(crate) type NotSimulated = (&'static str, &'static str);

/// The needs of a kind of workload, and its cost.
pub(crate) trait Needs {
    /// Its data; `None` where it needs no database.
    fn data(&self) -> Option<DataSet>;

    /// The reason why it cannot be run on this experiment's database.
    fn refused(&self, _experiment: &Experiment) -> Option<&'static str> {
        None
    }

    /// The parts of it that need root, and the state of this machine.
    fn needs_root(&self, _experiment: &Experiment) -> Vec<String> {
        Vec::new()
    }

    /// True if it runs transactions after TPC-C.
    fn runs_order_entry(&self) -> bool {
        false
    }

    /// The deviations of its profile from the clauses of TPC-C.
    fn deviations(&self) -> &'static [oltp::Deviation] {
        &[]
    }

    /// True if its instances must be ready for backups.
    fn makes_backups(&self) -> bool {
        false
    }

    /// True if it cuts the power of a modelled drive.
    fn cuts_power(&self) -> bool {
        false
    }

    /// True if it runs in a world of virtual time on these beds: it waits only by the run's clock.
    fn runs_in_virtual_time(&self, _experiment: &Experiment) -> bool {
        false
    }

    /// Storage that it uses besides that of its bed.
    fn target(&self) -> Option<&Storage> {
        None
    }

    /// Files and devices that it names by a path of their own.
    fn paths(&self) -> &[String] {
        &[]
    }

    /// Those of them that must be there before a run: nothing says how large they would be made.
    fn needed_paths(&self) -> &[String] {
        &[]
    }

    /// Those of them that its I/O writes to.
    fn written_paths(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The most transactions per second that it asks of each instance, all levels considered; `None` where
    /// only the database limits them.
    fn asked_per_second(&self) -> Option<f64> {
        None
    }

    /// Bytes of the files without a name that a cell of it makes on a real storage.
    fn file_bytes(&self) -> u64 {
        0
    }

    /// A level in words, if they are more than its number and its unit.
    fn level_in_words(&self, _level: usize) -> Option<String> {
        None
    }

    /// Databases that a cell runs side by side, where the experiment says `of_experiment`.
    fn instances(&self, of_experiment: u32) -> u32 {
        of_experiment
    }

    /// Warehouses of the data set of one instance; `None` for data of another kind.
    fn warehouses(&self) -> Option<u32> {
        None
    }

    /// Bytes of the data set of one instance.
    fn data_bytes(&self) -> u64 {
        self.warehouses().map_or(0, warehouse_bytes)
    }

    /// Time to load the data set of one instance.
    fn load_time(&self) -> Duration {
        let warehouses = self.warehouses().map_or(0.0, f64::from);
        Duration::from_secs_f64(warehouses / WAREHOUSES_PER_SECOND)
    }

    /// One cell with its check, where bringing a plain copy of the data back takes `reset_s` seconds.
    fn cell_time(&self, reset_s: f64) -> Duration;

    /// The most bytes that one cell writes: the copy it starts from and its load. `drive` is the storage,
    /// where it is known.
    fn written_by_cell(&self, drive: Option<&device::DriveSpec>) -> f64;

    /// True if a cell of it ends when its load says so: at another time on each host.
    fn ends_by_itself(&self) -> bool {
        false
    }

    /// True if its victims and neighbours are dealt to the ranks of a fleet as roles.
    fn has_roles(&self) -> bool {
        false
    }

    /// The roles that fall to a rank of so many, in words, where it has roles.
    fn roles_of(&self, _bed: &str, _of_rank: (u32, u32)) -> Option<String> {
        None
    }

    /// True if the simulation knows several load generators of it.
    fn simulates_scale_out(&self) -> bool {
        false
    }

    /// The part that the simulation cannot answer honestly.
    fn not_simulated(&self) -> Option<NotSimulated>;
}

/// The needs of a workload.
pub(crate) fn of(workload: &Workload) -> &dyn Needs {
    experiment::on_kind!(workload, kind => kind)
}

/// Number of the first workload of `experiment` that works on the same data as workload `number`: one load
/// serves all.
pub(crate) fn home(experiment: &Experiment, number: usize) -> usize {
    let data = of(&experiment.workload[number]).data();
    let first = experiment.workload.iter().position(|workload| of(workload).data() == data);
    first.unwrap_or(number)
}
