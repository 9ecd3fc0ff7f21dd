//! Noisy neighbours: the effect of a backup, a stream of I/O or another database on transactions.

use std::time::Duration;

use words::{Arm, LevelName, ScaleChange, ScaleClause, ScaledPart};

use crate::checker::Checker;
use crate::data_size::warehouse_bytes;
use crate::file::Experiment;
use crate::keys::choice::written_words;
use crate::keys::table::table;
use crate::shrink::{
    INSTANCES, MEASURE_MIN, RAMP_UP_MIN, Rule, part, scale_time, scale_times, scale_warehouses, shrink,
};
use crate::units::{Size, Span};
use crate::workload::backup::Method;
use crate::workload::{FileKind, RUNS_WHOLE, USERS_MAX, WAREHOUSES_MAX};

const INSTANCES_MAX: u32 = 64;
/// Shorter, and a backup would begin while the last one ends.
const INTERVAL_MIN: Duration = Duration::from_secs(2);
/// Half of a neighbour's measuring must hold a backup.
const NEIGHBOUR_MEASURE_MIN: Duration = Duration::from_secs(10);
const LIMIT_MIN: Size = Size(2 << 20);

table! {
    /// The same databases under load in every arm, with and without a neighbour on their storage.
    pub struct Neighbour "neighbour workload" {
        /// The name of this workload in tables; `neighbour` by default.
        name: Option<String>;
        /// The number of databases under load, the same in every arm.
        victims: u32 = required("2").within(0, INSTANCES_MAX);
        /// Of a rank of a fleet to which victims and neighbours are dealt: the number of victims on the ranks
        /// before it. `deal` writes it.
        victims_before: u32 = implied(0).within(0, INSTANCES_MAX);
        /// The size of each database: roughly 80 MB per warehouse of order entry.
        warehouses: u32 = required("4").within(1, WAREHOUSES_MAX);
        /// Users of each database.
        virtual_users: u32 = required("8").within(1, USERS_MAX);
        /// Time under load before the measurement. The neighbour starts with the measurement.
        ramp_up: Span = required("\"5s\"");
        /// Measured time, at least one second.
        measure: Span = required("\"60s\"");
        /// The kind of neighbour.
        neighbour: NeighbourKind = required("\"backup\"");
        /// The number of neighbours; 1 by default, and 0 on a rank of a fleet that has victims only.
        neighbours: u32 = or(1).within(0, INSTANCES_MAX);
        /// The time between the starts of two backups; a backup that takes longer delays the next. By default
        /// they run one after the other.
        interval: Span = or(Span::default());
        /// The method of the backups.
        method: Method = or(Method::Physical);
        /// The mitigation of the neighbour in the arm `mitigated`; needed with that arm.
        mitigation: Option<Mitigation>;
        /// The neighbour's share of the storage for `rate-limit` and `throttle`, per second, for example
        /// `"20MiB"`.
        limit: Option<Size>;
        /// The levels: the arms to run. By default all five, or all but `mitigated` without a `mitigation`.
        arms: Vec<Arm> = implied(Vec::new()).like("[\"together\", \"with-neighbour\"]").distinct();
        /// The published design, kept to show its limits: the number of victims that are removed beside the
        /// neighbours. The remaining ones share the storage with fewer others than before, so that no
        /// slowdown can be computed.
        victims_taken_away: Option<u32> = optional().within(1, INSTANCES_MAX - 1);
    }
}

written_words! {
    /// The kind of neighbour.
    pub enum NeighbourKind {
        /// Backups of a database of its own, on a clock, onto the same storage.
        Backup = "backup",
        /// Large writes and reads without pause.
        Block = "block",
        /// Another database under the same load.
        Database = "database",
        /// Full scans of another database's largest table.
        Scan = "scan",
        /// Nothing: an A/A run, whose result must be no slowdown.
        Idle = "idle",
    }

    /// The mitigation of a neighbour.
    pub enum Mitigation {
        /// The tool limits itself to `limit`.
        RateLimit = "rate-limit",
        /// The neighbour's processes get the drive only while no other process uses it. The schedulers BFQ
        /// and mq-deadline support this; under another scheduler the arm is marked as not available.
        IdleIo = "idle-io",
        /// The kernel limits the neighbour to `limit`: `io.max` or `blkio.throttle` of control groups. Needs
        /// root.
        Throttle = "throttle",
        /// The kernel gives the neighbour the smallest share of an overloaded drive: io.cost of control
        /// groups (version 2), or the weights of the scheduler BFQ. Needs root; without both, the arm is
        /// marked as not available.
        Weight = "weight",
    }
}

impl Neighbour {
    /// The arms that are run, in the order of the file, else all that apply.
    pub fn arms(&self) -> Vec<Arm> {
        if !self.arms.is_empty() {
            return self.arms.clone();
        }
        Arm::ALL.iter().copied().filter(|arm| *arm != Arm::Mitigated || self.mitigation.is_some()).collect()
    }

    /// Victims under load beside the neighbour.
    pub fn victims_beside(&self) -> u32 {
        self.victims.saturating_sub(self.victims_taken_away.unwrap_or(0)).max(self.victims.min(1))
    }

    /// The machines of the workload, by which it is dealt to ranks: each victim is one, and each neighbour.
    pub fn machines(&self) -> u32 {
        self.victims + self.neighbours
    }

    /// The part of `count` machines from `first` on: the victims come first.
    #[must_use]
    pub fn part(&self, (first, count): (u32, u32)) -> Neighbour {
        let victims = (first + count).min(self.victims).saturating_sub(first);
        Neighbour {
            victims,
            neighbours: count - victims,
            victims_before: self.victims_before + first.min(self.victims),
            ..self.clone()
        }
    }
}

impl FileKind for Neighbour {
    fn levels(&self) -> Vec<f64> {
        self.arms().into_iter().map(Arm::number).collect()
    }

    fn level_name(&self) -> LevelName {
        LevelName::Arm
    }

    fn level_key(&self) -> &'static str {
        "arms"
    }

    fn ramp_up(&self) -> Span {
        self.ramp_up
    }

    fn measure(&self) -> Span {
        self.measure
    }

    fn database_bytes(&self) -> u64 {
        warehouse_bytes(self.warehouses)
    }

    fn ranks_most(&self) -> Option<u32> {
        Some(self.machines())
    }

    fn deal(&mut self, share: &dyn Fn(u32) -> (u32, u32)) {
        *self = self.part(share(self.machines()));
    }

    fn undealt(&self) -> Option<&'static str> {
        self.victims_taken_away.as_ref().map(|_| RUNS_WHOLE)
    }

    fn check(&self, checker: &mut Checker<'_>, path: &str, experiment: &Experiment) {
        if self.arms.contains(&Arm::Mitigated) && self.mitigation.is_none() {
            let help = "add `mitigation = \"rate-limit\"` and `limit = \"20MiB\"`, or leave the arm out";
            let message = "the arm `mitigated` needs a mitigation".to_owned();
            checker.fault(&format!("{path}.arms"), message, "", help);
        }
        let needs_limit = matches!(self.mitigation, Some(Mitigation::RateLimit | Mitigation::Throttle));
        if needs_limit && self.limit.is_none() {
            let message = "this mitigation needs its `limit`".to_owned();
            checker.fault(&format!("{path}.mitigation"), message, "", "add for example `limit = \"20MiB\"`");
        }
        checker.at_least(&format!("{path}.limit"), self.limit);
        if self.mitigation == Some(Mitigation::RateLimit)
            && matches!(self.neighbour, NeighbourKind::Database | NeighbourKind::Scan)
        {
            let message = format!("a neighbour `{}` has no tool that holds itself to a rate", self.neighbour);
            let help = "use the neighbour \"backup\" or \"block\", or another mitigation";
            checker.fault(&format!("{path}.mitigation"), message, "", help);
        }
        checker.kernels_mitigation(path, self, experiment);
        checker.method(path, self.method, experiment);
        if self.victims == 0 && self.victims_before == 0 {
            let message = "there are no victims".to_owned();
            checker.fault(&format!("{path}.victims"), message, "", "give at least 1");
        }
        if self.victims > 0 && self.victims_taken_away.is_some_and(|away| away >= self.victims) {
            let message = "no victim is left beside the neighbours".to_owned();
            let help = "take fewer away than there are `victims`";
            checker.fault(&format!("{path}.victims_taken_away"), message, "", help);
        }
        let several = experiment.database.as_ref().is_some_and(|database| database.instances > 1);
        if several {
            let message = "a neighbour workload has its own number of databases".to_owned();
            let help = "leave `instances` out and write `victims`";
            checker.fault("database.instances", message, "", help);
        }
        checker.own_servers_only(path, experiment, "put beside a neighbour");
    }

    fn scale(&mut self, factor: f64, changes: &mut Vec<ScaleChange>) {
        scale_warehouses(&mut self.warehouses, factor, changes);
        let users = part(self.virtual_users, factor.sqrt());
        shrink(&mut self.virtual_users, users, ScaledPart::VirtualUsers, u32::to_string, changes);
        // Hours as written: shrunk as other times they would be many minutes for each of five arms.
        let floors = [RAMP_UP_MIN, NEIGHBOUR_MEASURE_MIN.max(MEASURE_MIN)];
        let of_neighbours = factor.powf(4.0 / 3.0);
        scale_times(&mut self.ramp_up, &mut self.measure, of_neighbours, floors, changes);
        scale_time(&mut self.interval, factor, INTERVAL_MIN, ScaledPart::Interval, changes);
        if let Some(limit) = &mut self.limit {
            // Times shrink less than sizes: a limit that shrank as the sizes do would be lower in relation.
            let bytes = (limit.0 as f64 * factor.powf(0.25)).round() as u64;
            shrink(
                limit,
                Size((bytes >> 10 << 10).max(LIMIT_MIN.0)),
                ScaledPart::Limit,
                Size::to_string,
                changes,
            );
        }
        let Some(most) = INSTANCES.iter().find(|(at, _)| factor <= *at).map(|(_, most)| *most) else {
            return;
        };
        if let Some(away) = &mut self.victims_taken_away {
            // As large a part as was taken away before, and one at least.
            let scaled = f64::from(*away) * f64::from(most) / f64::from(self.victims.max(1));
            *away = (scaled.round() as u32).clamp(1, most.max(2) - 1).min(*away);
        }
        shrink(&mut self.neighbours, (most / 2).max(1), ScaledPart::Neighbours, u32::to_string, changes);
        shrink(&mut self.victims, most, ScaledPart::Victims, u32::to_string, changes);
    }

    fn rule(&self) -> Rule {
        let clauses = vec![ScaleClause::Neighbours, ScaleClause::Victims];
        Rule { sizes: &[ScaledPart::Warehouses], loads: &[ScaledPart::Users], clauses, ..Rule::default() }
    }
}

impl Checker<'_> {
    /// The kernel holds back processes other than this program.
    fn kernels_mitigation(&mut self, path: &str, asked: &Neighbour, experiment: &Experiment) {
        let by_kernel = [Mitigation::IdleIo, Mitigation::Throttle, Mitigation::Weight];
        if !asked.mitigation.is_some_and(|mitigation| by_kernel.contains(&mitigation)) {
            return;
        }
        let inside = asked.neighbour == NeighbourKind::Block;
        // Of nobody there is nothing to hold back: an A/A run keeps its mitigation.
        if asked.neighbour != NeighbourKind::Idle && (inside || experiment.is_embedded()) {
            let what =
                if inside { format!("a neighbour `{}`", asked.neighbour) } else { "sqlite".to_owned() };
            let name = asked.mitigation_name();
            let message =
                format!("`{name}` holds back other processes, and {what} works inside this program");
            let help = "use the mitigation \"rate-limit\", or a neighbour \"backup\", \"database\" or \"scan\" on a server";
            self.fault(&format!("{path}.mitigation"), message, "", help);
        }
    }
}

impl Neighbour {
    fn mitigation_name(&self) -> String {
        self.mitigation.map(|mitigation| mitigation.to_string()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn machines_are_dealt_with_the_victims_first() {
        let named = crate::find_named("kingston-dc1500m/test-5").unwrap();
        let experiment = crate::parse(named.text, named.name).unwrap();
        let crate::Workload::Neighbour(all) = &experiment.workload[0] else { panic!("another kind") };
        assert_eq!((all.machines(), experiment.ranks_most()), (12, Some(12)));
        let of = |first, count| {
            let part = all.part((first, count));
            (part.victims, part.neighbours, part.victims_before)
        };
        assert_eq!((of(0, 1), of(7, 1), of(8, 1), of(11, 1)), ((1, 0, 0), (1, 0, 7), (0, 1, 8), (0, 1, 8)));
        // Three ranks have four machines each, five have three of them and then two.
        assert_eq!((of(0, 4), of(4, 4), of(8, 4)), ((4, 0, 0), (4, 0, 4), (0, 4, 8)));
        assert_eq!(of(6, 3), (2, 1, 6));
        let mut dealt = experiment.clone();
        dealt.deal(|_| (8, 1));
        let again = crate::parse(&crate::to_toml(&dealt), named.name).unwrap();
        assert_eq!(again.workload, dealt.workload, "the file of a rank is one that `resume` reads");
    }
}
