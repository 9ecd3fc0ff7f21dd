//! The loads on databases: pacing, rates and crashes that can be carried out.

use crate::check::Checker;
use crate::file::{Experiment, Storage};
use crate::workload::{Crash, Durability, Pacing, Sysbench, Tpcc};

/// Transactions per second between one in a quarter of an hour and more than any server answers.
const RATES: std::ops::RangeInclusive<f64> = 0.001..=1e7;

impl Checker<'_> {
    pub(super) fn tpcc(&mut self, path: &str, tpcc: &Tpcc) {
        self.levels(&format!("{path}.virtual_users"), &tpcc.virtual_users, "[1, 2, 4, 8]");
        let pacing = format!("{path}.pacing");
        if let Pacing::ArrivalsPerSecond(rate) = tpcc.pacing {
            self.rate(&format!("{pacing}.arrivals_per_second"), rate);
        }
        if tpcc.connections.is_some() && !tpcc.pacing.is_paced() && !self.is_broken(&pacing) {
            let message =
                "`connections` is a pool that paced users share, and these are not paced".to_owned();
            let help = "leave it out: without pacing each user has a connection of its own; or write `pacing = \"keyed\"`";
            self.fault(&format!("{path}.connections"), message, "", help);
        }
    }

    pub(super) fn sysbench(&mut self, path: &str, sysbench: &Sysbench) {
        self.levels(&format!("{path}.threads"), &sysbench.threads, "[1, 8, 32]");
        if let Some(rate) = sysbench.rate {
            self.rate(&format!("{path}.rate"), rate);
        }
    }

    fn rate(&mut self, path: &str, rate: f64) {
        if !RATES.contains(&rate) {
            let message = format!("a rate cannot be {rate} transactions per second");
            self.fault(path, message, "", "write 0.001 to 10000000, or leave it out for a closed loop");
        }
    }

    pub(super) fn durability(&mut self, path: &str, durability: &Durability, experiment: &Experiment) {
        let path = format!("{path}.crash");
        if experiment.bed.iter().any(|bed| experiment.url_of(bed).is_some()) {
            let message = "a server that this program did not start is not crashed by it".to_owned();
            let help = "leave `url` out: the run then starts servers of its own, and crashes those";
            return self.fault(&path, message, "", help);
        }
        if durability.crash == Crash::Kill {
            if durability.lying_flush {
                let message = "a flush that lies does no harm when only processes are killed".to_owned();
                self.fault(&path, message, "", "use `crash = \"power\"`, or leave `lying_flush` out");
            }
            return;
        }
        let is_real = |storage: &Storage| matches!(storage, Storage::Real { .. });
        let on_real =
            experiment.bed.iter().find(|bed| is_real(&bed.storage) || bed.log.as_ref().is_some_and(is_real));
        if let Some(bed) = on_real.filter(|_| !self.is_broken("bed")) {
            let message =
                format!("no program cuts the power of real storage, on which the bed `{}` stands", bed.name);
            let help = "use `crash = \"kill\"`, or emulated storage";
            self.fault(&path, message, "", help);
        }
    }
}
