//! Several machines at one experiment: how many, and the parts of the load that they take.

use words::LevelName;

use crate::checker::Checker;
use crate::file::{Bed, Experiment};
use crate::keys::table::table;
use crate::workload::Workload;

/// As many ranks as a list of hosts may name.
const RANKS_MAX: u32 = 1_024;

table! {
    /// The machines of a run on several hosts (`run --hosts`).
    pub struct Fleet "fleet" {
        /// The levels: so many ranks at once, each with the one load that every workload then has. `run
        /// --scale-out 1,2,4,8` writes them. By default all ranks take part in every cell.
        scale_out: Vec<u32> = levels("[1, 2, 4, 8]").within(1, RANKS_MAX).implied(Vec::new());
        /// True to deal the workers and files of block loads, the instances of databases, and victims and
        /// then neighbours to the ranks, as machines of a study that had one each: a run on several hosts
        /// then is the same load as one on one host. By default every rank brings all of them.
        deal: bool = implied(false);
    }
}

impl Experiment {
    /// The numbers of ranks that are its levels; empty where workloads have their own.
    pub fn scale_out(&self) -> &[u32] {
        self.fleet.as_ref().map_or(&[], |fleet| &fleet.scale_out)
    }

    /// The levels of a workload as cells count them, in the unit of [`Experiment::level_name_of`].
    pub fn levels_of(&self, workload: &Workload) -> Vec<f64> {
        match self.scale_out() {
            [] => workload.levels(),
            ranks => crate::workload::numbers(ranks),
        }
    }

    /// The unit of the levels of a workload as cells count them.
    pub fn level_name_of(&self, workload: &Workload) -> LevelName {
        if self.scale_out().is_empty() { workload.level_name() } else { LevelName::Ranks }
    }

    /// True if the ranks of a fleet share the load of the file, so that it is counted once.
    pub fn is_dealt(&self) -> bool {
        self.fleet.as_ref().is_some_and(|fleet| fleet.deal) || self.bed.iter().any(|bed| self.is_shared(bed))
    }

    /// The most ranks to which workers and instances can be dealt; `None` where every rank has all of them.
    pub fn ranks_most(&self) -> Option<u32> {
        self.workload.iter().filter_map(|workload| self.parts_of(workload)).min()
    }

    /// The parts of a workload that are dealt to ranks; `None` where every rank has all of them.
    pub fn parts_of(&self, workload: &Workload) -> Option<u32> {
        self.fleet.as_ref().filter(|fleet| fleet.deal)?;
        let instances = self.database.as_ref().map_or(1, |database| database.instances);
        Some(workload.of().ranks_most().unwrap_or(instances))
    }

    /// Leaves to a rank its part of the workers, files, instances, victims and neighbours. `share` gives its
    /// part of a number: the first item and the count.
    pub fn deal(&mut self, share: impl Fn(u32) -> (u32, u32)) {
        if !self.fleet.as_ref().is_some_and(|fleet| fleet.deal) {
            return;
        }
        for workload in &mut self.workload {
            workload.of_mut().deal(&share);
        }
        if let Some(database) = &mut self.database {
            database.instances = share(database.instances).1;
        }
        self.fleet = None;
    }

    /// True if all ranks of a fleet load the bed together: a server by an address that is the same for every
    /// rank. Any other bed is one that each rank has for itself.
    pub fn is_shared(&self, bed: &Bed) -> bool {
        self.url_of(bed).is_some_and(|url| !url.contains("{rank}") && !url.contains("{host}"))
    }
}

impl Checker<'_> {
    /// Checks that all parts to be dealt exist, and are dealt only once.
    fn dealt(&mut self, experiment: &Experiment) {
        let Some(fleet) = experiment.fleet.as_ref().filter(|fleet| fleet.deal) else { return };
        if !fleet.scale_out.is_empty() {
            let message = "every rank of `scale_out` brings the same load, and `deal` shares one".to_owned();
            self.fault("fleet.deal", message, "", "leave one of them out");
        }
        let undealt = |load: &Workload| Some((load.name().to_owned(), load.of().undealt()?));
        if let Some((name, help)) = experiment.workload.iter().find_map(undealt) {
            let message = format!("the workload `{name}` has nothing that can be dealt to ranks");
            self.fault("fleet.deal", message, "", help);
        }
    }

    /// A number of ranks is the level of a workload that has one load.
    pub(crate) fn fleet(&mut self, experiment: &Experiment) {
        self.dealt(experiment);
        if experiment.scale_out().is_empty() || self.is_broken("workload") {
            return;
        }
        for (index, workload) in experiment.workload.iter().enumerate() {
            let levels = workload.levels().len();
            if levels > 1 {
                let key = workload.level_key();
                let (place, message) = (
                    format!("workload.{index}.{key}"),
                    format!("`scale_out` makes the number of ranks the level, and `{key}` has {levels}"),
                );
                let help =
                    format!("give `{key}` the one load that every rank brings, or leave `scale_out` out");
                self.fault(&place, message, "more than one load", help);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    fn faults(load: &str) -> String {
        let text = format!(
            "schema = 1\ntitle = \"x\"\n[[bed]]\nname = \"a\"\nstorage = {{ real = \".\" }}\n[database]\nengine = \"postgresql\"\n\
             memory = \"16MiB\"\n[[workload]]\nwarehouses = 1\n{load}\n[fleet]\ndeal = true\n"
        );
        crate::parse(&text, "x.toml").err().map(|faults| faults.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_crash_and_a_backup_of_one_server_are_not_dealt() {
        let backup = faults("kind = \"backup\"\nvirtual_users = [0]\ncycles = 1");
        assert!(backup.contains("has nothing that can be dealt to ranks"), "{backup}");
        assert!(backup.contains("`neighbour = \"backup\"`"), "{backup}");
        let crash = faults("kind = \"durability\"\nvirtual_users = 2\nload_for = \"1s\"");
        assert!(crash.contains("every rank then runs it whole"), "{crash}");
    }
}
