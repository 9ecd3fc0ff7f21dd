//! The limiter of a cell: the reason why its throughput is not twice as high.
//!
//! The time of all virtual users is split by their waits, as seen from inside: drive reads, log flushes and
//! log writes, the one-writer lock, and the rest, which is processor time of engine and client. A queue for
//! the lock is no cause by itself: the holder of the lock has its own reason to be slow, so the lock is named
//! only if the holder's waits explain too little.

use std::time::Duration;

use crate::needs::cost::TURN_S;
use database::{WaitClass, Waits};
use measure::Histogram;
use notebook::CellRecord;
use words::{LimiterFigures, ProcessorFigures};

/// The users' time in the measure phase by its use, seconds summed over users.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct UserTime {
    /// Virtual users x measured time.
    pub(crate) total_s: f64,
    /// Waiting for reads of the data files.
    pub(crate) drive_reads_s: f64,
    /// Waiting for log writes and flushes.
    pub(crate) log_s: f64,
    /// Waiting for the lock that lets one writer in.
    pub(crate) lock_s: f64,
}

/// The machine's processors during the measure phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Processors {
    /// Share of processor time that was idle (iowait counts as idle), 0 to 1.
    pub(crate) idle: f64,
    /// Share that was busy with the work of any program, 0 to 1.
    pub(crate) busy: f64,
    /// Share taken by other guests of the hypervisor, 0 to 1.
    pub(crate) steal: f64,
    /// Share of the busy time that was our own client and its bookkeeping, 0 to 1.
    pub(crate) client: f64,
    /// Share of the busy time that was neither ours nor the database's, 0 to 1; `None` where the database's
    /// is not known.
    pub(crate) others: Option<f64>,
    /// True if they are another machine's, and nothing is known of them.
    pub(crate) are_elsewhere: bool,
}

impl Processors {
    /// The share of all processor time that neither we nor the database used; NaN where it is not known.
    pub(crate) fn others_of_all(&self) -> f64 {
        self.others.map_or(f64::NAN, |others| others * self.busy)
    }

    /// The mean of phases, each with its length in seconds; `None` without any.
    pub(crate) fn mean(phases: &[(Processors, f64)]) -> Option<Processors> {
        let whole_s: f64 = phases.iter().map(|(_, length_s)| length_s).sum();
        let mean = |of: fn(&Processors) -> f64| {
            phases.iter().map(|(processors, length_s)| of(processors) * length_s).sum::<f64>() / whole_s
        };
        let (busy, others_of_all) = (mean(|p| p.busy), mean(Processors::others_of_all));
        (whole_s > 0.0).then(|| Processors {
            idle: mean(|p| p.idle),
            busy,
            steal: mean(|p| p.steal),
            client: mean(|p| p.client),
            others: (others_of_all.is_finite() && busy > 0.0).then(|| others_of_all / busy),
            are_elsewhere: phases.iter().any(|(processors, _)| processors.are_elsewhere),
        })
    }

    /// True if no processor was idle and other programs had a large part of them: the rule of all kinds.
    fn held_by_others(&self) -> bool {
        let is_large = self.others.is_some_and(|others| others > OTHERS_SHARE_MAX);
        self.idle < CPU_IDLE_MIN && !self.are_elsewhere && is_large
    }

    /// The user of the processors, if none of them was idle.
    fn without_idle(&self) -> Option<words::Limiter> {
        (self.idle < CPU_IDLE_MIN && !self.are_elsewhere).then(|| match () {
            () if self.held_by_others() => words::Limiter::OtherPrograms,
            () if self.client > CLIENT_SHARE_MAX => words::Limiter::Client,
            () => words::Limiter::Cpu,
        })
    }

    /// The figures in percent.
    fn figures(&self) -> ProcessorFigures {
        if self.are_elsewhere {
            return ProcessorFigures::Elsewhere;
        }
        let (idle_percent, steal_percent) = (self.idle * 1e2, self.steal * 1e2);
        match self.others {
            Some(others) => {
                ProcessorFigures::Known { idle_percent, others_percent_of_busy: others * 1e2, steal_percent }
            }
            None => ProcessorFigures::OthersNotKnown { idle_percent, steal_percent },
        }
    }
}

/// A limiter and the figures behind it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Limiter {
    pub(crate) name: words::Limiter,
    pub(crate) figures: LimiterFigures,
}

/// Idle share below which the processors are the limit.
const CPU_IDLE_MIN: f64 = 0.10;
/// Client's share of busy time from which the cell says more of the client than of the drive.
const CLIENT_SHARE_MAX: f64 = 0.70;

/// Samples of sessions at work, below which nothing is said of shares of them.
pub(crate) const SAMPLES_LEAST: u64 = 10;
/// Share of busy time from which, with no processor idle, the cell says more of the other programs on the
/// machine.
const OTHERS_SHARE_MAX: f64 = 0.30;

/// Share of the measure phase from which a standstill is the limiter of a cell, rather than the limiter of
/// the rest of the time.
const STILL_SHARE_MIN: f64 = 0.10;

/// The limiter of a cell in which requests waited for `still` and none was answered: that wait, if it was a
/// large part of the measured time; else `moving`, the limiter in the rest of the time.
pub(crate) fn or_no_answer(moving: Limiter, still: Duration, measured: Duration) -> Limiter {
    let share = still.as_secs_f64() / measured.as_secs_f64().max(1e-9);
    if share < STILL_SHARE_MIN {
        return moving;
    }
    let figures = LimiterFigures::NoAnswer {
        still_s: still.as_secs_f64(),
        measured_s: measured.as_secs_f64(),
        still_percent: share * 1e2,
        moving: moving.name,
        rest: Box::new(moving.figures),
    };
    Limiter { name: words::Limiter::NoAnswer, figures }
}

/// The limiter of an order-entry cell.
pub(crate) fn of_order_entry(time: UserTime, cpu: Processors) -> Limiter {
    let share = |part_s: f64| if time.total_s > 0.0 { (part_s / time.total_s).clamp(0.0, 1.0) } else { 0.0 };
    let (reads, log, lock) = (share(time.drive_reads_s), share(time.log_s), share(time.lock_s));
    let engine = (1.0 - reads - log - lock).max(0.0);
    let figures = LimiterFigures::Users {
        drive_reads_percent: reads * 1e2,
        log_percent: log * 1e2,
        writer_percent: lock * 1e2,
        rest_percent: engine * 1e2,
        processors: cpu.figures(),
    };
    let name = if let Some(name) = cpu.without_idle() {
        name
    } else if reads >= log && reads >= engine {
        words::Limiter::Drive
    } else if log >= engine {
        words::Limiter::LogFlush
    } else if lock > 0.5 {
        words::Limiter::Locks
    } else {
        words::Limiter::Cpu
    };
    Limiter { name, figures }
}

/// The limiter of a simulated cell, by the model's own account of the users' time. The model has no locks:
/// the time that it adds to every batch beside processor, reads and log is separate, the same for one user
/// and for many.
pub(crate) fn of_simulation(time: &simulate::UserTime, cpu_idle: f64) -> Limiter {
    let total = time.total_ns().max(1) as f64;
    let share = |ns: u64| ns as f64 / total;
    let waits = [
        (words::Limiter::Cpu, share(time.cpu_ns + time.queue_ns)),
        (words::Limiter::Drive, share(time.read_ns)),
        (words::Limiter::LogFlush, share(time.log_ns)),
        (words::Limiter::FixedWaits, share(time.fixed_ns)),
        (words::Limiter::Network, share(time.network_ns)),
    ];
    let figures = LimiterFigures::Model {
        processor_percent: share(time.cpu_ns) * 1e2,
        queue_percent: share(time.queue_ns) * 1e2,
        drive_reads_percent: waits[1].1 * 1e2,
        log_percent: waits[2].1 * 1e2,
        fixed_percent: waits[3].1 * 1e2,
        network_percent: waits[4].1 * 1e2,
        cpu_idle_percent: cpu_idle * 1e2,
    };
    let longest =
        waits.iter().fold(waits[0], |longest, wait| if wait.1 > longest.1 { *wait } else { longest });
    let name = if cpu_idle < CPU_IDLE_MIN { words::Limiter::Cpu } else { longest.0 };
    Limiter { name, figures }
}

/// The limiter of a cell on a server, from samples of its sessions' waits. What is neither I/O, log nor lock
/// is the processor's, the server's own short latches included.
pub(crate) fn of_server(waits: &Waits, cpu: Processors) -> Limiter {
    let total = waits.total();
    let share_of = |class: WaitClass| if total > 0 { waits.of(class) as f64 / total as f64 } else { 0.0 };
    let (log, drive, locks) =
        (share_of(WaitClass::Log), share_of(WaitClass::Drive), share_of(WaitClass::Lock));
    let rest = if total > 0 { 1.0 - log - drive - locks } else { 0.0 };
    let figures = match total {
        0..SAMPLES_LEAST => LimiterFigures::SessionsFew { samples: total, processors: cpu.figures() },
        _ => LimiterFigures::Sessions {
            log_percent: log * 1e2,
            drive_percent: drive * 1e2,
            locks_percent: locks * 1e2,
            rest_percent: rest * 1e2,
            samples: total,
            processors: cpu.figures(),
        },
    };
    let waited = || match () {
        () if total == 0 => words::Limiter::Client,
        () if log >= drive && log >= locks && log >= rest => words::Limiter::LogFlush,
        () if drive >= locks && drive >= rest => words::Limiter::Drive,
        () if locks >= rest => words::Limiter::Locks,
        () => words::Limiter::Cpu,
    };
    Limiter { name: cpu.without_idle().unwrap_or_else(waited), figures }
}

/// The pace that a load was asked to keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pace {
    /// I/Os or transactions per second that were asked for.
    pub(crate) asked_iops: f64,
    /// True if all requests that fell due were answered in time.
    pub(crate) is_met: bool,
}

/// The use of processors in a block cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct BlockProcessors {
    /// By the load generator itself: share of one processor for each worker.
    pub(crate) generator: f64,
    /// By the kernel on its behalf: share of one processor for each worker.
    pub(crate) kernel: f64,
    /// Of the machine; `None` where it is not known, and in virtual time.
    pub(crate) machine: Option<Processors>,
}

/// The limiter of a block cell: the pacing if the requested rate was met; other programs if they held the
/// processors; if the workers' processors were busy nearly all the time, the kernel or our own client,
/// whichever took more of it; the processors, if none was idle; otherwise the drive.
pub(crate) fn of_block(pace: Option<Pace>, iops: f64, used: BlockProcessors) -> Limiter {
    let (generator_percent, kernel_percent) = (used.generator * 1e2, used.kernel * 1e2);
    let figures = match pace {
        Some(Pace { asked_iops, is_met: true }) => {
            LimiterFigures::WorkersPaced { iops, asked_iops, generator_percent, kernel_percent }
        }
        Some(Pace { asked_iops, is_met: false }) => {
            LimiterFigures::WorkersBehind { iops, asked_iops, generator_percent, kernel_percent }
        }
        None => LimiterFigures::Workers { generator_percent, kernel_percent },
    };
    let figures = match used.machine {
        Some(machine) => {
            LimiterFigures::WithProcessors { rest: Box::new(figures), processors: machine.figures() }
        }
        None => figures,
    };
    let name = match pace {
        Some(pace) if pace.is_met => words::Limiter::Pacing,
        _ if used.machine.is_some_and(|machine| machine.held_by_others()) => words::Limiter::OtherPrograms,
        _ => of_workers(used.generator, used.kernel)
            .or_else(|| used.machine.and_then(|machine| machine.without_idle()))
            .unwrap_or(words::Limiter::Drive),
    };
    Limiter { name, figures }
}

/// The limiter by the shares of the workers' processors, if they were busy nearly all the time.
fn of_workers(generator: f64, kernel: f64) -> Option<words::Limiter> {
    let whose = if kernel > generator { words::Limiter::Kernel } else { words::Limiter::Client };
    (generator + kernel > 0.9).then_some(whose)
}

/// Corrects the limiter of a rank that counted the other ranks of its machine as other programs, by the share
/// of the busy time that was theirs alone.
pub(crate) fn beside_own_ranks(
    (limiter, figures): (&mut Option<String>, &mut Option<LimiterFigures>),
    others_of_busy: f64,
) {
    let Some(figures) = figures else { return };
    if let Some(ProcessorFigures::Known { others_percent_of_busy, .. }) = figures.processors_mut() {
        *others_percent_of_busy = others_of_busy * 1e2;
    }
    let is_others = limiter.as_deref().and_then(words::Limiter::of) == Some(words::Limiter::OtherPrograms);
    if is_others && others_of_busy <= OTHERS_SHARE_MAX {
        // No processor was idle, else it had not been the limiter.
        let found = figures.workers_percent().and_then(|(own, kernel)| of_workers(own / 1e2, kernel / 1e2));
        *limiter = Some(found.unwrap_or(words::Limiter::Cpu).into());
    }
}

/// Answers that take more of the time between two arrivals, or of the whole phase, shape the load themselves.
const ANSWER_SHARE: f64 = 0.05;

impl Pace {
    /// For an open loop: kept if all arrivals were answered (the arrivals are drawn, so their number varies
    /// by its root), and half of them were not long behind their time.
    pub(crate) fn of_arrivals(per_s: f64, done: u64, measured_s: f64, latency: &Histogram) -> Pace {
        let due = per_s * measured_s;
        let half_s = if latency.is_empty() { 0.0 } else { latency.quantile_ns(0.5) as f64 / 1e9 };
        let is_met = done as f64 >= 0.99 * due - 3.0 * due.sqrt() && half_s <= ANSWER_SHARE * measured_s;
        Pace { asked_iops: per_s, is_met: is_met && done > 0 }
    }

    /// Of users who key and think, `factor` times as long as in TPC-C: kept when the answers are short beside
    /// the pauses.
    pub(crate) fn of_keyed(users: u32, factor: f64, latency: &Histogram) -> Pace {
        let (mean_s, turn_s) = (latency.mean_ns() / 1e9, factor * TURN_S);
        Pace {
            asked_iops: f64::from(users) / turn_s,
            is_met: !latency.is_empty() && mean_s <= ANSWER_SHARE * turn_s,
        }
    }

    /// Puts the pace into the record of a database cell: it is the limiter if it was kept, and is reported if
    /// it was not.
    pub(crate) fn limits(self, record: &mut CellRecord, per_s: f64) {
        let Some(rest) = record.limiter_figures.take().map(Box::new) else { return };
        let asked_per_s = self.asked_iops;
        record.limiter_figures = Some(match self.is_met {
            true => LimiterFigures::PaceKept { per_s, asked_per_s, rest },
            false => LimiterFigures::PaceMissed { per_s, asked_per_s, rest },
        });
        // A pace that is kept on average says nothing about a server that stood still in between.
        if self.is_met && record.limiter.as_ref().is_none_or(|name| *name != words::Limiter::NoAnswer) {
            record.limiter = Some(words::Limiter::Pacing.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Processors =
        Processors { idle: 0.5, busy: 0.5, steal: 0.0, client: 0.3, others: Some(0.1), are_elsewhere: false };

    fn time(drive_reads_s: f64, log_s: f64, lock_s: f64) -> UserTime {
        UserTime { total_s: 100.0, drive_reads_s, log_s, lock_s }
    }

    #[test]
    fn the_largest_wait_inside_transactions_is_named() {
        assert_eq!(of_order_entry(time(60.0, 10.0, 0.0), IDLE).name, words::Limiter::Drive);
        assert_eq!(of_order_entry(time(10.0, 60.0, 0.0), IDLE).name, words::Limiter::LogFlush);
    }

    #[test]
    fn a_queue_for_the_lock_points_at_what_the_holder_waits_for() {
        assert_eq!(of_order_entry(time(15.0, 5.0, 75.0), IDLE).name, words::Limiter::Drive);
        assert_eq!(of_order_entry(time(2.0, 2.0, 75.0), IDLE).name, words::Limiter::Locks);
    }

    #[test]
    fn without_idle_processors_the_processors_are_named() {
        let busy = Processors { idle: 0.02, busy: 0.98, ..IDLE };
        assert_eq!(of_order_entry(time(60.0, 10.0, 0.0), busy).name, words::Limiter::Cpu);
        assert_eq!(
            of_order_entry(time(0.0, 0.0, 0.0), Processors { client: 0.9, ..busy }).name,
            words::Limiter::Client
        );
        assert_eq!(
            of_order_entry(time(0.0, 0.0, 0.0), Processors { others: Some(0.6), ..busy }).name,
            words::Limiter::OtherPrograms
        );
    }

    #[test]
    fn the_largest_class_of_a_servers_waits_is_named() {
        use WaitClass::{Drive, Lock, Log, Other, Running};
        let waits = |sessions: &[(WaitClass, u64)]| sessions.iter().copied().collect::<Waits>();
        let name = |sessions: &[(WaitClass, u64)]| of_server(&waits(sessions), IDLE).name;
        assert_eq!(name(&[(Log, 9), (Running, 5)]), words::Limiter::LogFlush);
        assert_eq!(name(&[(Drive, 9), (Log, 3), (Running, 5)]), words::Limiter::Drive);
        assert_eq!(name(&[(Lock, 9), (Running, 5)]), words::Limiter::Locks);
        assert_eq!(name(&[(Lock, 9), (Running, 5), (Other, 5)]), words::Limiter::Cpu);
        assert_eq!(name(&[(Running, 5)]), words::Limiter::Cpu);
        let busy = Processors { idle: 0.02, ..IDLE };
        assert_eq!(of_server(&waits(&[(Drive, 9)]), busy).name, words::Limiter::Cpu);
        let disturbed = of_server(&waits(&[(Running, 9)]), Processors { others: Some(0.6), ..busy });
        assert_eq!(disturbed.name, words::Limiter::OtherPrograms);
        assert!(
            disturbed.figures.to_string().contains("other programs 60 % of the busy time"),
            "{disturbed:?}"
        );
        assert!(disturbed.figures.to_string().contains("too few for shares"), "{disturbed:?}");
        let enough = of_server(&waits(&[(Running, 10)]), IDLE).figures.to_string();
        assert!(enough.contains("processor and the rest 100 %"), "{enough}");
        let unknown = of_server(&waits(&[(Running, 9)]), Processors { others: None, ..busy });
        assert!(
            unknown.name == words::Limiter::Cpu
                && unknown.figures.to_string().contains("other programs not known"),
            "{unknown:?}"
        );
    }

    #[test]
    fn a_cell_that_stood_still_says_so() {
        let moving = of_order_entry(time(60.0, 10.0, 0.0), IDLE);
        let seconds = Duration::from_secs;
        assert_eq!(or_no_answer(moving.clone(), seconds(1), seconds(20)), moving);
        let still = or_no_answer(moving, seconds(8), seconds(20));
        assert_eq!(still.name, words::Limiter::NoAnswer);
        assert!(
            still
                .figures
                .to_string()
                .contains("8.0 s of 20.0 s (40 %) while requests waited; in the rest drive: ")
        );
    }

    #[test]
    fn a_simulation_is_bounded_by_what_the_model_has_and_never_by_locks() {
        let time = |cpu_ns, read_ns, log_ns, fixed_ns, network_ns| simulate::UserTime {
            cpu_ns,
            queue_ns: 0,
            read_ns,
            log_ns,
            fixed_ns,
            network_ns,
        };
        let name = |time: simulate::UserTime, idle| of_simulation(&time, idle).name;
        assert_eq!(name(time(1, 9, 2, 3, 0), 0.5), words::Limiter::Drive);
        assert_eq!(name(time(1, 2, 9, 3, 0), 0.5), words::Limiter::LogFlush);
        assert_eq!(name(time(1, 2, 3, 9, 0), 0.9), words::Limiter::FixedWaits);
        assert_eq!(name(time(1, 2, 3, 4, 9), 0.9), words::Limiter::Network);
        assert_eq!(name(time(9, 2, 3, 4, 0), 0.5), words::Limiter::Cpu);
        assert_eq!(name(time(1, 9, 2, 3, 0), 0.02), words::Limiter::Cpu, "no processor is idle");
        let detail = of_simulation(&time(1, 1, 1, 1, 0), 0.5).figures.to_string();
        assert!(detail.contains("fixed waits in the engine 25 %") && !detail.contains("lock"), "{detail}");
    }

    #[test]
    fn a_met_rate_is_pacing() {
        let pace = |is_met| Some(Pace { asked_iops: 1000.0, is_met });
        let used = |generator, kernel| BlockProcessors { generator, kernel, machine: None };
        assert_eq!(of_block(pace(true), 999.0, used(0.1, 0.1)).name, words::Limiter::Pacing);
        assert_eq!(of_block(pace(false), 700.0, used(0.1, 0.1)).name, words::Limiter::Drive);
        assert_eq!(of_block(None, 700.0, used(0.7, 0.27)).name, words::Limiter::Client);
        assert_eq!(of_block(None, 700.0, used(0.2, 0.77)).name, words::Limiter::Kernel);
    }

    #[test]
    fn a_block_load_beside_busy_programs_names_them_as_any_other_kind() {
        let machine = Processors { idle: 0.02, busy: 0.98, others: Some(0.65), ..Processors::default() };
        let of = |pace, machine| {
            of_block(pace, 700.0, BlockProcessors { generator: 0.1, kernel: 0.2, machine: Some(machine) })
        };
        let beside = of(None, machine);
        assert_eq!(beside.name, words::Limiter::OtherPrograms);
        let figures = beside.figures.to_string();
        assert!(figures.contains("kernel 20 %") && figures.contains("other programs 65 %"), "{figures}");
        assert_eq!(of(None, Processors { idle: 0.4, ..machine }).name, words::Limiter::Drive);
        // Modelled drives and several workers leave none idle, and no worker had one for itself.
        assert_eq!(of(None, Processors { others: Some(0.1), ..machine }).name, words::Limiter::Cpu);
        let kept = Some(Pace { asked_iops: 700.0, is_met: true });
        assert_eq!(of(kept, machine).name, words::Limiter::Pacing);
        let missed = of(Some(Pace { asked_iops: 900.0, is_met: false }), machine);
        assert!(missed.figures.missed_pace(missed.name), "{missed:?}");
        let mean = Processors::mean(&[(machine, 3.0), (Processors { busy: 0.1, idle: 0.9, ..machine }, 1.0)]);
        let mean = mean.unwrap();
        assert!((mean.idle - 0.24).abs() < 1e-9 && (mean.others_of_all() - 0.494).abs() < 1e-3, "{mean:?}");
        assert_eq!(Processors::mean(&[]), None);
    }

    #[test]
    fn a_database_that_kept_the_pace_was_bounded_by_it() {
        let latency = |ms: u64| {
            let mut histogram = Histogram::new();
            histogram.record(ms * 1_000_000);
            histogram
        };
        assert!(Pace::of_arrivals(20.0, 395, 20.0, &latency(5)).is_met, "arrivals are drawn");
        assert!(!Pace::of_arrivals(20.0, 240, 20.0, &latency(5)).is_met, "many were not answered");
        assert!(!Pace::of_arrivals(20.0, 400, 20.0, &latency(4000)).is_met, "all waited for seconds");
        assert!(
            Pace::of_keyed(10, 1.0, &latency(50)).is_met && !Pace::of_keyed(10, 1.0, &latency(9000)).is_met
        );
        let record = |pace: Pace| {
            let mut record = CellRecord {
                limiter: Some("log flush".to_owned()),
                limiter_figures: Some(LimiterFigures::ModelUnpaced),
                ..CellRecord::default()
            };
            pace.limits(&mut record, 12.0);
            record.limiter
        };
        assert_eq!(record(Pace { asked_iops: 20.0, is_met: true }).as_deref(), Some("pacing"));
        assert_eq!(record(Pace { asked_iops: 20.0, is_met: false }).as_deref(), Some("log flush"));
    }
}
