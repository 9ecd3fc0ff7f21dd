//! From sums to the figures of an average transaction.

use std::time::Duration;

use database::{WaitClass, Watched, Work};
use notebook::{CellRecord, CellState, Facts};
use words::{Latency, Metric, NoteKind, PhaseName, Remark, Statistic};

use super::stall::{CaughtUp, caught_up};
use super::tally::Tally;
use super::{Observed, Observing};
use crate::error::LabError;
use crate::metrics::{Metrics, one, phase};
use crate::watch::limiter::{self, Processors};

/// Fewer transactions say too little.
const TRANSACTIONS_LEAST: f64 = 100.0;
/// Share of clients from which on they are on the server's machine, and belong to its processors.
const LOCAL_SHARE: f64 = 0.5;
/// Share of their time that clients think from which on it is told.
const THINKING_TOLD: f64 = 0.1;
/// Share of the busy time that other programs had from which on they are told.
const OTHERS_TOLD: f64 = 0.1;
/// Parts of the time whose rates give the interval of the rate, at most, and their least length: statistics
/// of sessions arrive up to a second late.
const PARTS_MOST: usize = 20;
const PART_LEAST_S: usize = 3;

/// The kernel's name of the drive below the path that was named, or below the server's data.
pub(super) fn device_of(server: &Watched, observing: &Observing) -> Option<String> {
    let path = observing.storage.as_deref().or_else(|| server.data_dir())?;
    host::under(path).remove("device")
}

/// The figures, facts and remarks of what was seen.
pub(super) fn observed(
    server: &Watched,
    observing: &Observing,
    tally: &Tally,
    size_bytes: u64,
    asked: Option<Duration>,
) -> Result<Observed, LabError> {
    let work = server.work(&tally.grown, tally.looks);
    if work.transactions < TRANSACTIONS_LEAST {
        return Err(too_little(&work, tally));
    }
    let seen = Seen::of(server, observing, tally, work);
    let mut metrics = seen.metrics();
    metrics.add(Metric::DatabaseSize, size_bytes as f64 / 1e6);
    let limiter = limiter::of_server(&tally.waits, seen.processors());
    let whole_s = tally.per_s.len() as f64;
    let record = CellRecord {
        state: CellState::Done,
        limiter: Some(limiter.name.into()),
        limiter_figures: Some(limiter.figures),
        phases: vec![phase(PhaseName::Measure, 0.0, whole_s)],
        measurements: metrics.0,
        series: vec![
            one(Metric::Tps, tally.per_s.iter().copied()),
            one(Metric::ActiveClients, tally.at_work.iter().copied()),
        ],
        ..CellRecord::default()
    };
    Ok(Observed {
        version: server.version().to_owned(),
        address: server.address(),
        record,
        clients: seen.clients,
        facts: seen.facts(),
        notes: seen.notes(asked),
        was_stopped: asked.is_some(),
    })
}

fn too_little(work: &Work, tally: &Tally) -> LabError {
    let (ended, seconds) = (work.transactions, tally.seconds);
    let away = tally.away.as_ref().map(|error| format!(" (it stopped answering: {error})"));
    LabError::Database(format!(
        "the server ended {ended:.0} transactions in {seconds:.0} s, which says too little{}; observe it while its load runs, or for longer",
        away.unwrap_or_default()
    ))
}

/// The observed figures, per transaction.
struct Seen<'a> {
    server: &'a Watched,
    tally: &'a Tally,
    work: Work,
    per_s: f64,
    /// In the mean of the samples.
    at_work: f64,
    clients: f64,
    are_local: bool,
    is_here: bool,
    /// Processors of the server's machine.
    processor_count: u32,
}

impl<'a> Seen<'a> {
    fn of(server: &'a Watched, observing: &Observing, tally: &'a Tally, work: Work) -> Seen<'a> {
        let sums = &tally.clients;
        let mean = |sum: u64| sum as f64 / sums.samples.max(1) as f64;
        // A path on this machine, or a directory that is seen here, makes it the server's machine.
        let is_here = server.is_here() && observing.processors.is_none() && tally.machine.seconds > 0.0;
        let processor_count = match is_here {
            true => tally.machine.processors,
            false => observing.processors.unwrap_or(sums.running_most),
        };
        Seen {
            server,
            tally,
            work,
            per_s: work.transactions / tally.seconds,
            at_work: mean(sums.at_work),
            clients: mean(sums.recent).max(mean(sums.at_work)),
            are_local: sums.local as f64 >= LOCAL_SHARE * sums.recent as f64,
            is_here,
            processor_count: processor_count.max(1),
        }
    }

    /// Per transaction.
    fn each(&self, amount: f64) -> f64 {
        amount / self.work.transactions
    }

    /// Processor time of a transaction, microseconds: the server's, and that of clients on the same machine,
    /// which is the rest of its busy time, but not more than the server's; all busy time where the server's
    /// is not known; on another machine the time of clients that waited for nothing.
    fn cpu_us(&self) -> f64 {
        let ns = match (self.is_here, self.are_local, self.server_ns()) {
            (true, false, Some(server_ns)) => server_ns,
            (true, true, Some(server_ns)) => server_ns + self.rest_ns().min(server_ns),
            (true, _, None) => self.busy_ns(),
            (false, ..) => {
                let running = self.tally.clients.running as f64 / self.tally.clients.samples.max(1) as f64;
                running.min(f64::from(self.processor_count)) * self.tally.seconds * 1e9
            }
        };
        self.each(ns) / 1e3
    }

    /// Processor time of the machine without our own, ns.
    fn busy_ns(&self) -> f64 {
        (self.tally.machine.busy_ns - self.tally.machine.own_ns).max(0.0)
    }

    /// Of it that of the server's processes.
    fn server_ns(&self) -> Option<f64> {
        self.tally.server_cpu.map(|server| server.as_nanos() as f64)
    }

    /// The processor time of others than the server.
    fn rest_ns(&self) -> f64 {
        (self.busy_ns() - self.server_ns().unwrap_or(0.0)).max(0.0)
    }

    /// The processor time of programs that are neither the server nor its clients; `None` where they cannot
    /// be told from clients on the same machine, of which the server's own time is the most.
    fn others_ns(&self) -> Option<f64> {
        let server_ns = self.server_ns().filter(|_| self.is_here)?;
        match (self.are_local, self.rest_ns() > server_ns) {
            (false, _) => Some(self.rest_ns()),
            (true, true) => Some(self.rest_ns() - server_ns),
            (true, false) => None,
        }
    }

    /// Share of the transactions that write and wait for the log. A flush answers no more of them than there
    /// are clients at work.
    fn waiting_share(&self) -> (f64, f64) {
        let writing = self.work.writing.map_or(1.0, |writing| self.each(writing).clamp(0.0, 1.0));
        let Some(syncs) = self.work.log_syncs else { return (writing, writing) };
        (writing, writing.min(self.each(syncs) * self.clients.max(1.0)))
    }

    /// Clients that wait for a lock of another transaction, in the mean of the samples.
    fn waiting_for_locks(&self) -> f64 {
        self.tally.waits.of(WaitClass::Lock) as f64 / self.tally.clients.samples.max(1) as f64
    }

    /// Little's law: each client at work has one transaction under way. Not known where hardly any sample met
    /// one.
    fn latency_ms(&self) -> f64 {
        let is_known = self.tally.clients.at_work >= limiter::SAMPLES_LEAST;
        if is_known { self.at_work / self.per_s * 1e3 } else { f64::NAN }
    }

    fn metrics(&self) -> Metrics {
        let (work, each) = (&self.work, |amount: f64| self.each(amount));
        let optional = |amount: Option<f64>| amount.map_or(f64::NAN, each);
        let mut metrics = Metrics::default();
        for (metric, value) in [
            (Metric::Tps, self.per_s),
            (Metric::Latency(Latency::Answer, Statistic::Mean), self.latency_ms()),
            (
                Metric::Latency(Latency::LockWait, Statistic::Mean),
                self.waiting_for_locks() / self.per_s * 1e3,
            ),
            (Metric::ActiveClients, self.at_work),
            (Metric::Precision, interval(&self.tally.per_s) * 1e2),
            (Metric::WritingShare, self.waiting_share().1 * 1e2),
            (Metric::CpuPerTransaction, self.cpu_us()),
            (Metric::BufferReadsPerTransaction, each(work.page_reads)),
            (Metric::LogBytesPerTransaction, each(work.log_bytes)),
            (Metric::LogSyncsPerTransaction, optional(work.log_syncs)),
            (Metric::LogImagesPerTransaction, each(work.log_images)),
            (Metric::PageWritesPerTransaction, each(work.page_writes)),
            (Metric::WaitedWritesPerTransaction, optional(work.waited_writes)),
            (Metric::StatementsPerTransaction, optional(work.statements)),
            (Metric::StatementTimePerTransaction, optional(work.statement_ms)),
            (Metric::PageReadTime, work.page_read_ms.map_or(f64::NAN, |ms| ms / work.page_reads)),
        ] {
            metrics.add(metric, value);
        }
        self.add_machine(&mut metrics);
        metrics
    }

    fn add_machine(&self, metrics: &mut Metrics) {
        let machine = &self.tally.machine;
        if self.is_here {
            let all_ns = machine.busy_ns + machine.idle_ns + machine.steal_ns;
            metrics.add(Metric::CpuIdle, machine.idle_ns / all_ns * 1e2);
            metrics.add(Metric::CpuSteal, machine.steal_ns / all_ns * 1e2);
        }
        if let Some(server) = self.tally.server_cpu {
            metrics.add(Metric::ServerCpuPerTransaction, self.each(server.as_nanos() as f64) / 1e3);
        }
        let Some(drive) = &machine.drive else { return };
        for (metric, amount) in [
            (Metric::ReadsPerTransaction, drive.reads),
            (Metric::ReadBytesPerTransaction, drive.read_bytes),
            (Metric::WritesPerTransaction, drive.writes),
            (Metric::WrittenBytesPerTransaction, drive.write_bytes),
        ] {
            metrics.add(metric, self.each(amount));
        }
        metrics.add(Metric::DriveBusy, drive.busy_s / machine.seconds * 1e2);
    }

    fn processors(&self) -> Processors {
        let machine = &self.tally.machine;
        let all_ns = (machine.busy_ns + machine.idle_ns + machine.steal_ns).max(1.0);
        Processors {
            idle: machine.idle_ns / all_ns,
            busy: machine.busy_ns / all_ns,
            steal: machine.steal_ns / all_ns,
            client: machine.own_ns / machine.busy_ns.max(1.0),
            others: self.others_ns().map(|others_ns| others_ns / machine.busy_ns.max(1.0)),
            are_elsewhere: !self.is_here,
        }
    }

    fn facts(&self) -> Facts {
        let server = self.server;
        let mut facts: Facts = server.settings().collect();
        let mut add = |key: &str, value: String| drop(facts.insert(key.to_owned(), value));
        add("database.engine", server.engine().name().to_owned());
        add("server", format!("{} at {}", server.version(), server.address()));
        add("clients", format!("{:.2}", self.clients));
        add("processors", self.processor_count.to_string());
        add("page_bytes", format!("{:.0}", self.work.page_bytes));
        add("observed_s", format!("{:.1}", self.tally.seconds));
        if self.tally.is_silent() {
            let why = self.tally.away.clone();
            add("went_away", why.unwrap_or_else(|| "silent".to_owned()));
        }
        if let Some(device) = self.tally.device() {
            add("device", device.to_owned());
        }
        // All that was counted, for questions of later.
        facts.extend(self.tally.grown.iter().map(|(name, by)| (format!("grown.{name}"), format!("{by}"))));
        facts
    }

    fn notes(&self, asked: Option<Duration>) -> Vec<(NoteKind, Remark)> {
        let tally = self.tally;
        let server = format!("{} at {}", self.server.version(), self.server.address());
        let mut notes =
            vec![(NoteKind::Description, Remark::ObservedAt { server, elapsed_s: tally.seconds })];
        let mut warn = |remark: Remark| notes.push((NoteKind::Warning, remark));
        if let Some(asked) = asked {
            warn(Remark::ObservedCutShort { asked_s: asked.as_secs_f64() });
        }
        if let Some(error) = &tally.away {
            warn(Remark::ObservedAway { error: error.clone() });
        }
        // The silence at the end of a server that went away is told already.
        let times = tally.broken.saturating_sub(u64::from(tally.away.is_some()));
        if times > 0 {
            let lost_s = tally.per_s.iter().filter(|rate| rate.is_nan()).count() as f64;
            warn(Remark::ObservedBroken { times, lost_s });
        }
        if let Some(CaughtUp { times, still_s, burst_per_s, usual_per_s }) = caught_up(&tally.per_s) {
            warn(Remark::ObservedCaughtUp { times, still_s: still_s as f64, burst_per_s, usual_per_s });
        }
        match (self.is_here, self.are_local && tally.machine.seconds > 0.0) {
            (false, _) => warn(Remark::ObservedElsewhere { processors: self.processor_count }),
            (true, true) if self.server_ns().is_none() => warn(Remark::ObservedAllPrograms),
            (true, true) if are_told(self.processors().others) => warn(Remark::ObservedOtherPrograms),
            (true, _) => {}
        }
        let of_data = self.server.data_dir().and_then(|path| host::under(path).remove("device"));
        match tally.device().filter(|_| tally.machine.drive.is_some()) {
            Some(device) => {
                if let Some(data) = of_data.filter(|data| data != device) {
                    warn(Remark::ObservedOtherDrive { device: device.to_owned(), data });
                }
            }
            None if self.each(self.work.page_reads) > 0.01 => warn(Remark::ObservedPages),
            None => {}
        }
        let (writing, waiting) = self.waiting_share();
        if waiting < 0.9 * writing {
            let (writing_percent, waiting_percent) = (writing * 1e2, waiting * 1e2);
            warn(Remark::ObservedUnsynced { writing_percent, waiting_percent });
        }
        if let Some(percent) = thinking_percent(self.at_work, self.clients, tally.clients.at_work) {
            warn(Remark::ObservedThinking { percent });
        }
        if self.work.are_statements {
            warn(Remark::ObservedStatements);
        }
        if let Some(device) = tally.device().filter(|_| tally.machine.drive.is_some()) {
            notes.push((NoteKind::Model, Remark::ObservedDrive { device: device.to_owned() }));
        }
        notes
    }
}

/// True if this share of the busy time, of programs that are neither the server nor its clients, counts.
fn are_told(others: Option<f64>) -> bool {
    others.is_some_and(|others| others >= OTHERS_TOLD)
}

/// The part of their time in which clients did something else; `None` where it is small, or where too few
/// samples met a client at work.
fn thinking_percent(at_work: f64, clients: f64, samples_at_work: u64) -> Option<f64> {
    let share = 1.0 - at_work / clients.max(1e-9);
    (samples_at_work >= limiter::SAMPLES_LEAST && share >= THINKING_TOLD).then_some(share * 1e2)
}

/// Half the 95 % interval of the mean rate, as a share of it, from equal parts of the time: seconds in a row
/// are not independent of each other. NaN where there are too few.
fn interval(per_s: &[f64]) -> f64 {
    let known: Vec<f64> = per_s.iter().copied().filter(|rate| rate.is_finite()).collect();
    let length = known.len().div_ceil(PARTS_MOST).max(PART_LEAST_S);
    let parts: Vec<f64> =
        known.chunks_exact(length).map(|part| part.iter().sum::<f64>() / length as f64).collect();
    let interval = measure::mean_interval(&parts).filter(|interval| interval.value > 0.0);
    interval.map_or(f64::NAN, |interval| (interval.high - interval.low) / 2.0 / interval.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_told_where_they_count_and_samples_know_them() {
        assert!(are_told(Some(0.5)) && !are_told(Some(0.04)) && !are_told(None));
        assert_eq!(thinking_percent(1.0, 4.0, 100), Some(75.0));
        assert_eq!((thinking_percent(3.9, 4.0, 100), thinking_percent(0.01, 4.0, 3)), (None, None));
    }

    #[test]
    fn the_interval_of_a_rate_comes_from_parts_of_the_time() {
        let steady: Vec<f64> = (0..60).map(|second| 1000.0 + f64::from(second % 3)).collect();
        assert!(interval(&steady) < 0.01, "{}", interval(&steady));
        let waves: Vec<f64> = (0..60).map(|second| if second < 30 { 500.0 } else { 1500.0 }).collect();
        assert!(interval(&waves) > 0.2, "{}", interval(&waves));
        assert!(interval(&[1000.0, 1001.0, f64::NAN]).is_nan(), "too few to tell");
    }
}
