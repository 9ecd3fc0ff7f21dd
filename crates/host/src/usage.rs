//! The difference of two counters: shares of time, I/O done, our own cost.

use serde::Serialize;

use crate::counters::{Counters, CpuTimes, DiskCounters, MemoryCounters, Pressure};
use crate::own_cost::OwnCost;

/// The kernel counts a drive's busy time in 32-bit milliseconds: it wraps after 49.7 days.
const BUSY_WRAP_NS: u64 = (1 << 32) * 1_000_000;

/// The differences between two readings of the counters.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Usage {
    /// Time between the readings.
    pub elapsed_ns: u64,
    /// The time of the CPUs by state.
    pub cpu: CpuShares,
    /// The work of each drive; drives that appeared meanwhile count from their appearance.
    pub disks: Vec<DiskUsage>,
    /// Memory at the later reading.
    pub memory: MemoryCounters,
    /// The shares of the time in which tasks waited, if the kernel reports them.
    pub pressure: Option<PressureShares>,
    /// The resources of this process; `max_rss_bytes` is the largest up to the later reading.
    pub own: OwnCost,
    /// Counters that went back meanwhile (a drive that was replugged, a CPU taken offline): their values are
    /// too low.
    pub resets: u32,
}

/// Shares of all CPUs' time, 0 to 1; they add up to 1, or are all 0 when less than one tick has passed.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct CpuShares {
    /// In user mode.
    pub user: f64,
    /// In the kernel.
    pub system: f64,
    /// Idle with nothing to wait for.
    pub idle: f64,
    /// Idle while a task waited for I/O. The kernel calls this one unreliable (proc(5)).
    pub iowait: f64,
    /// Taken by the hypervisor.
    pub steal: f64,
    /// In interrupts.
    pub irq: f64,
}

impl CpuShares {
    /// Share of the time in which the CPUs did work: user, system and interrupts.
    pub fn busy(&self) -> f64 {
        self.user + self.system + self.irq
    }
}

/// The work of one drive between two readings.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct DiskUsage {
    /// Kernel name.
    pub name: String,
    /// Reads completed.
    pub reads: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Writes completed.
    pub writes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Flushes completed.
    pub flushes: u64,
    /// Share of the time with at least one I/O in flight, 0 to 1. For a drive that works on many at once, 1
    /// is not its limit.
    pub busy: f64,
}

/// Shares of the time in which tasks waited, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct PressureShares {
    /// Some task waited for a CPU.
    pub cpu_some: f64,
    /// Some task waited for I/O.
    pub io_some: f64,
    /// All tasks waited for I/O.
    pub io_full: f64,
    /// Some task waited for memory.
    pub memory_some: f64,
}

impl Counters {
    /// The usage since `earlier`. Counters that went back are counted as [resets](Usage::resets), never as
    /// huge numbers; readings in the wrong order give an empty usage.
    pub fn since(&self, earlier: &Counters) -> Usage {
        let elapsed_ns = self.at_ns.saturating_sub(earlier.at_ns);
        let mut resets = 0;
        let disks = self.disks.iter().map(|disk| {
            let before = earlier.disk(&disk.name).cloned().unwrap_or_default();
            disk_usage(disk, &before, elapsed_ns, &mut resets)
        });
        Usage {
            elapsed_ns,
            disks: disks.collect(),
            cpu: cpu_shares(&self.cpu, &earlier.cpu, &mut resets),
            memory: self.memory,
            pressure: self
                .pressure
                .zip(earlier.pressure)
                .map(|(later, earlier)| pressure_shares(&later, &earlier, elapsed_ns, &mut resets)),
            own: own_cost(&self.own, &earlier.own),
            resets,
        }
    }
}

/// The growth of a counter; one that went back has been reset and has grown by what it shows at least, but by
/// how much more nobody knows, so it counts as nothing and is reported.
fn growth(later: u64, earlier: u64, resets: &mut u32) -> u64 {
    later.checked_sub(earlier).unwrap_or_else(|| {
        *resets += 1;
        0
    })
}

fn cpu_shares(later: &CpuTimes, earlier: &CpuTimes, resets: &mut u32) -> CpuShares {
    // Idle and iowait are known to go back a little (proc(5)): that is no reset.
    let idle = later.idle_ns.saturating_sub(earlier.idle_ns);
    let iowait = later.iowait_ns.saturating_sub(earlier.iowait_ns);
    let user = growth(later.user_ns, earlier.user_ns, resets);
    let system = growth(later.system_ns, earlier.system_ns, resets);
    let steal = growth(later.steal_ns, earlier.steal_ns, resets);
    let irq = growth(later.irq_ns, earlier.irq_ns, resets);
    let total: f64 = [user, system, idle, iowait, steal, irq].iter().map(|&ns| ns as f64).sum();
    let share = |ns: u64| if total > 0.0 { ns as f64 / total } else { 0.0 };
    CpuShares {
        user: share(user),
        system: share(system),
        idle: share(idle),
        iowait: share(iowait),
        steal: share(steal),
        irq: share(irq),
    }
}

fn disk_usage(later: &DiskCounters, earlier: &DiskCounters, elapsed_ns: u64, resets: &mut u32) -> DiskUsage {
    let wrapped = later.busy_ns.wrapping_add(BUSY_WRAP_NS).wrapping_sub(earlier.busy_ns);
    let busy_ns = match later.busy_ns.checked_sub(earlier.busy_ns) {
        Some(grown) => grown,
        // A drive cannot have been busy for longer than the time that passed (one tick of rounding aside).
        None if wrapped <= elapsed_ns.saturating_add(20_000_000) => wrapped,
        None => growth(later.busy_ns, earlier.busy_ns, resets),
    };
    DiskUsage {
        name: later.name.clone(),
        reads: growth(later.reads, earlier.reads, resets),
        read_bytes: growth(later.read_bytes, earlier.read_bytes, resets),
        writes: growth(later.writes, earlier.writes, resets),
        write_bytes: growth(later.write_bytes, earlier.write_bytes, resets),
        flushes: growth(later.flushes, earlier.flushes, resets),
        busy: share_of(busy_ns, elapsed_ns),
    }
}

fn pressure_shares(
    later: &Pressure,
    earlier: &Pressure,
    elapsed_ns: u64,
    resets: &mut u32,
) -> PressureShares {
    let mut share = |later, earlier| share_of(growth(later, earlier, resets), elapsed_ns);
    PressureShares {
        cpu_some: share(later.cpu_some_ns, earlier.cpu_some_ns),
        io_some: share(later.io_some_ns, earlier.io_some_ns),
        io_full: share(later.io_full_ns, earlier.io_full_ns),
        memory_some: share(later.memory_some_ns, earlier.memory_some_ns),
    }
}

/// The process's own counters never reset.
fn own_cost(later: &OwnCost, earlier: &OwnCost) -> OwnCost {
    OwnCost {
        user_ns: later.user_ns.saturating_sub(earlier.user_ns),
        system_ns: later.system_ns.saturating_sub(earlier.system_ns),
        voluntary_switches: later.voluntary_switches.saturating_sub(earlier.voluntary_switches),
        involuntary_switches: later.involuntary_switches.saturating_sub(earlier.involuntary_switches),
        max_rss_bytes: later.max_rss_bytes,
    }
}

fn share_of(part_ns: u64, whole_ns: u64) -> f64 {
    if whole_ns == 0 { 0.0 } else { (part_ns as f64 / whole_ns as f64).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND: u64 = 1_000_000_000;

    fn disk(reads: u64, busy_ns: u64) -> DiskCounters {
        DiskCounters { name: "vda".into(), reads, read_bytes: reads * 4096, busy_ns, ..Default::default() }
    }

    fn counters(at_ns: u64, cpu: CpuTimes, disks: Vec<DiskCounters>) -> Counters {
        Counters { at_ns, cpu, disks, ..Default::default() }
    }

    #[test]
    fn shares_of_two_busy_seconds() {
        let before = counters(0, CpuTimes::default(), vec![disk(100, 0)]);
        let cpu = CpuTimes { user_ns: SECOND, idle_ns: 2 * SECOND, steal_ns: SECOND, ..CpuTimes::default() };
        let after = counters(2 * SECOND, cpu, vec![disk(300, SECOND)]);
        let usage = after.since(&before);
        assert_eq!((usage.cpu.user, usage.cpu.idle, usage.cpu.steal), (0.25, 0.5, 0.25));
        assert_eq!((usage.disks[0].reads, usage.disks[0].read_bytes), (200, 200 * 4096));
        assert_eq!((usage.disks[0].busy, usage.resets), (0.5, 0));
    }

    #[test]
    fn a_replugged_drive_is_a_reset_and_not_a_flood() {
        let before = counters(0, CpuTimes::default(), vec![disk(1_000_000, 500 * SECOND)]);
        let after = counters(SECOND, CpuTimes::default(), vec![disk(5, 0)]);
        let usage = after.since(&before);
        assert_eq!((usage.disks[0].reads, usage.disks[0].busy), (0, 0.0));
        assert_eq!(usage.resets, 3, "reads, read bytes and busy time went back");
    }

    #[test]
    fn busy_time_that_wrapped_goes_on() {
        let before = counters(0, CpuTimes::default(), vec![disk(1, BUSY_WRAP_NS - SECOND / 4)]);
        let after = counters(SECOND, CpuTimes::default(), vec![disk(2, SECOND / 4)]);
        let usage = after.since(&before);
        assert_eq!((usage.disks[0].busy, usage.resets), (0.5, 0));
    }

    #[test]
    fn iowait_that_goes_back_is_normal() {
        let before = counters(0, CpuTimes { iowait_ns: 50, idle_ns: 0, ..CpuTimes::default() }, vec![]);
        let after = counters(SECOND, CpuTimes { iowait_ns: 20, idle_ns: 100, ..CpuTimes::default() }, vec![]);
        let usage = after.since(&before);
        assert_eq!((usage.cpu.iowait, usage.cpu.idle, usage.resets), (0.0, 1.0, 0));
    }

    #[test]
    fn no_time_at_all_is_no_division_by_zero() {
        let same = counters(5, CpuTimes { user_ns: 9, ..CpuTimes::default() }, vec![disk(1, 1)]);
        let usage = same.since(&same);
        assert_eq!((usage.elapsed_ns, usage.cpu, usage.disks[0].busy), (0, CpuShares::default(), 0.0));
    }

    #[test]
    fn a_drive_that_appeared_counts_from_its_appearance() {
        let before = counters(0, CpuTimes::default(), vec![]);
        let after = counters(SECOND, CpuTimes::default(), vec![disk(7, SECOND)]);
        assert_eq!(after.since(&before).disks[0].reads, 7);
    }

    proptest! {
        #[test]
        fn shares_stay_between_nothing_and_everything(
            a in any::<[u64; 8]>(), b in any::<[u64; 8]>(), at in any::<[u64; 2]>(),
        ) {
            let make = |at_ns: u64, n: [u64; 8]| Counters {
                at_ns,
                cpu: CpuTimes { user_ns: n[0], system_ns: n[1], idle_ns: n[2], iowait_ns: n[3], steal_ns: n[4],
                    irq_ns: n[5], cpus: 2 },
                disks: vec![DiskCounters { name: "d".into(), reads: n[6], busy_ns: n[7], ..Default::default() }],
                pressure: Some(Pressure { cpu_some_ns: n[6], io_some_ns: n[7], ..Pressure::default() }),
                ..Counters::default()
            };
            let usage = make(at[1], b).since(&make(at[0], a));
            let cpu = usage.cpu;
            let shares = [cpu.user, cpu.system, cpu.idle, cpu.iowait, cpu.steal, cpu.irq];
            let total: f64 = shares.iter().sum();
            prop_assert!(total == 0.0 || (total - 1.0).abs() < 1e-9);
            prop_assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
            prop_assert!((0.0..=1.0).contains(&usage.disks[0].busy));
            prop_assert!((0.0..=1.0).contains(&usage.pressure.unwrap().cpu_some));
        }
    }
}
