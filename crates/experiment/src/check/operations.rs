//! Backups, scans, neighbours and fragments that can be carried out.

use std::time::Duration;

use crate::check::Checker;
use crate::file::{Engine, Experiment, Storage};
use crate::units::Size;
use crate::workload::{
    Arm, Backup, Fragmentation, Method, Mitigation, Neighbour, NeighbourKind, Scan, Workload,
};

/// A longer pause is a slip of the pen.
const PAUSE_MAX: Duration = Duration::from_secs(366 * 86_400);
/// Below this a tool would hardly move.
const RATE_MIN: Size = Size(32 << 10);
/// Blocks of file systems have 4 KiB, and no piece is smaller.
const FRAGMENT_MIN: Size = Size(4 << 10);
const FRAGMENT_MAX: Size = Size(1 << 30);

impl Checker<'_> {
    pub(super) fn backup(&mut self, path: &str, backup: &Backup, experiment: &Experiment) {
        self.levels(&format!("{path}.virtual_users"), &backup.virtual_users, "[0, 8]");
        self.method(path, backup.method, experiment);
        if backup.compress && is_sqlite(experiment) {
            let help = "leave `compress` out, or use the engine \"postgresql\" or \"mariadb\"";
            let message = "SQLite's online backup copies pages as they are and compresses nothing".to_owned();
            self.fault(&format!("{path}.compress"), message, "", help);
        }
        self.at_least(&format!("{path}.rate_limit"), backup.rate_limit);
        if backup.pause.0 > PAUSE_MAX {
            let message = format!("{} is longer than a year", backup.pause);
            self.fault(&format!("{path}.pause"), message, "", "write a shorter time");
        }
        if let Some(target) = &backup.target {
            self.storage(&format!("{path}.target"), target);
            let on_model = matches!(target, Storage::Emulated { .. });
            if on_model && !is_sqlite(experiment) {
                let message = "a server's backup cannot go onto a modelled drive".to_owned();
                let help = "write `target = { real = \"PATH\" }`";
                self.fault(&format!("{path}.target"), message, "modelled drives serve SQLite only", help);
            }
        }
        self.own_servers_only(path, experiment, "backed up and restored");
    }

    fn method(&mut self, path: &str, method: Method, experiment: &Experiment) {
        if method == Method::Logical && is_sqlite(experiment) {
            let message = "SQLite has no tool for a logical backup".to_owned();
            let help = "leave `method` out: its online backup is a physical one";
            self.fault(&format!("{path}.method"), message, "", help);
        }
    }

    fn at_least(&mut self, path: &str, rate: Option<Size>) {
        if let Some(rate) = rate.filter(|rate| *rate < RATE_MIN) {
            let message = format!("{rate} in a second is too little");
            self.fault(path, message, "", format!("write {RATE_MIN} at least"));
        }
    }

    fn own_servers_only(&mut self, path: &str, experiment: &Experiment, done: &str) {
        if experiment.bed.iter().any(|bed| experiment.url_of(bed).is_some()) {
            let message = format!("a server that this program did not start is not {done} by it");
            let help = "leave `url` out: the run then starts servers of its own";
            self.fault(&format!("{path}.kind"), message, "", help);
        }
    }

    pub(super) fn scan(&mut self, path: &str, scan: &Scan, experiment: &Experiment) {
        self.levels(&format!("{path}.selectivity"), &scan.selectivity, "[\"0.01%\", \"1%\", \"100%\"]");
        for (index, share) in scan.selectivity.iter().enumerate() {
            if share.0 <= 0.0 || share.0 > 1.0 {
                let message = format!("{share} of the rows cannot be asked for");
                self.fault(&format!("{path}.selectivity.{index}"), message, "", "write above 0% up to 100%");
            }
        }
        self.own_servers_only(path, experiment, "scanned from a cold cache");
    }

    pub(super) fn fragmentation(&mut self, path: &str, asked: &Fragmentation, experiment: &Experiment) {
        self.levels(&format!("{path}.fragments"), &asked.fragments, "[\"1MiB\", \"64KiB\"]");
        for (index, size) in asked.fragments.iter().enumerate() {
            if *size < FRAGMENT_MIN || *size > FRAGMENT_MAX || !size.0.is_multiple_of(FRAGMENT_MIN.0) {
                let message = format!("a file cannot grow in pieces of {size}");
                let help = format!("write a multiple of {FRAGMENT_MIN} up to {FRAGMENT_MAX}");
                self.fault(&format!("{path}.fragments.{index}"), message, "", help);
            }
        }
        let modelled = |bed: &&crate::file::Bed| matches!(bed.storage, Storage::Emulated { .. });
        if let Some(bed) = experiment.bed.iter().find(modelled).filter(|_| !self.is_broken("bed")) {
            let message = format!(
                "the bed `{}` stands on a modelled drive, which does not know where a file's pieces lie",
                bed.name
            );
            let help = "give it real storage: storage = { real = \"PATH\" }";
            self.fault(&format!("{path}.kind"), message, "", help);
        }
        self.own_servers_only(path, experiment, "moved to other places of its drive");
    }

    pub(super) fn neighbour(&mut self, path: &str, asked: &Neighbour, experiment: &Experiment) {
        let arms = asked.arms();
        self.levels(&format!("{path}.arms"), &arms, "[\"together\", \"with-neighbour\"]");
        if arms.contains(&Arm::Mitigated) && asked.mitigation.is_none() {
            let help = "add `mitigation = \"rate-limit\"` and `limit = \"20MiB\"`, or leave the arm out";
            let message = "the arm `mitigated` needs a mitigation".to_owned();
            self.fault(&format!("{path}.arms"), message, "", help);
        }
        let needs_limit = matches!(asked.mitigation, Some(Mitigation::RateLimit | Mitigation::Throttle));
        if needs_limit && asked.limit.is_none() {
            let message = "this mitigation needs its `limit`".to_owned();
            self.fault(&format!("{path}.mitigation"), message, "", "add for example `limit = \"20MiB\"`");
        }
        self.at_least(&format!("{path}.limit"), asked.limit);
        if asked.mitigation == Some(Mitigation::RateLimit)
            && matches!(asked.neighbour, NeighbourKind::Database | NeighbourKind::Scan)
        {
            let message =
                format!("a neighbour `{}` has no tool that holds itself to a rate", asked.neighbour);
            let help = "use the neighbour \"backup\" or \"block\", or another mitigation";
            self.fault(&format!("{path}.mitigation"), message, "", help);
        }
        self.kernels_mitigation(path, asked, experiment);
        self.method(path, asked.method, experiment);
        if asked.victims_taken_away.is_some_and(|away| away >= asked.victims) {
            let message = "no victim is left beside the neighbours".to_owned();
            let help = "take fewer away than there are `victims`";
            self.fault(&format!("{path}.victims_taken_away"), message, "", help);
        }
        let several = experiment.database.as_ref().is_some_and(|database| database.instances > 1);
        if several {
            let message = "a neighbour workload has its own number of databases".to_owned();
            let help = "leave `instances` out and write `victims`";
            self.fault("database.instances", message, "", help);
        }
        self.own_servers_only(path, experiment, "put beside a neighbour");
    }
}

impl Checker<'_> {
    /// What the kernel does, it does to processes other than this program.
    fn kernels_mitigation(&mut self, path: &str, asked: &Neighbour, experiment: &Experiment) {
        let by_kernel = [Mitigation::IdleIo, Mitigation::Throttle, Mitigation::Weight];
        if !asked.mitigation.is_some_and(|mitigation| by_kernel.contains(&mitigation)) {
            return;
        }
        let inside = asked.neighbour == NeighbourKind::Block;
        // Of nobody there is nothing to hold back: an A/A run keeps its mitigation.
        if asked.neighbour != NeighbourKind::Idle && (inside || is_sqlite(experiment)) {
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

fn is_sqlite(experiment: &Experiment) -> bool {
    experiment.database.as_ref().is_none_or(|database| database.engine == Engine::Sqlite)
}

impl Neighbour {
    fn mitigation_name(&self) -> String {
        self.mitigation.map(|mitigation| mitigation.to_string()).unwrap_or_default()
    }
}

/// Whether a workload of this kind measures for a time that its file says.
pub(super) fn is_timed(workload: &Workload) -> bool {
    !matches!(workload, Workload::Backup(_) | Workload::Scan(_) | Workload::Fragmentation(_))
}
