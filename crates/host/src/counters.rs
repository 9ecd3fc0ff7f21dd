//! The kernel's counters: CPU, disks, memory, pressure and our own cost.

use ground::Clock;
use procfs::prelude::*;
use procfs::{DiskStat, KernelStats};
use serde::Serialize;

use crate::error::HostError;
use crate::own_cost::OwnCost;
use crate::syscalls;
use crate::text::{meminfo_bytes, pressure_line};
use crate::tree::Tree;

/// Sectors of /proc/diskstats are 512 bytes, whatever the drive's own sector size
/// (Documentation/admin-guide/iostats.rst).
const SECTOR_BYTES: u64 = 512;

/// Everything counted, at one moment. Counts start at boot; only differences mean something (see
/// [`Counters::since`]).
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Counters {
    /// When, on CLOCK_MONOTONIC.
    pub at_ns: u64,
    /// CPU time of the whole machine.
    pub cpu: CpuTimes,
    /// Drives (whole drives, not partitions) that have done any I/O since boot.
    pub disks: Vec<DiskCounters>,
    /// Memory at this moment.
    pub memory: MemoryCounters,
    /// Time in which something waited, where the kernel tells it (Linux 4.20 with PSI).
    pub pressure: Option<Pressure>,
    /// The resources that this process has used.
    pub own: OwnCost,
}

/// CPU time since boot, summed over all CPUs. Resolution is the kernel's tick, usually 10 ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct CpuTimes {
    /// In user mode, niced or not.
    pub user_ns: u64,
    /// In the kernel.
    pub system_ns: u64,
    /// Idle with nothing to wait for.
    pub idle_ns: u64,
    /// Idle while a task of that CPU waited for I/O.
    pub iowait_ns: u64,
    /// Wanted, but given to others by the hypervisor.
    pub steal_ns: u64,
    /// In hard and soft interrupts.
    pub irq_ns: u64,
    /// CPUs online.
    pub cpus: u32,
}

/// The work of one drive since it appeared.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct DiskCounters {
    /// Kernel name (`nvme0n1`).
    pub name: String,
    /// Reads completed.
    pub reads: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Time that reads took, summed over reads.
    pub read_ns: u64,
    /// Writes completed.
    pub writes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Time that writes took, summed over writes.
    pub write_ns: u64,
    /// Time with at least one I/O in flight.
    pub busy_ns: u64,
    /// Flushes completed; 0 where the kernel does not count them (before 5.5).
    pub flushes: u64,
}

/// Memory at one moment, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct MemoryCounters {
    /// Memory of the machine.
    pub total_bytes: u64,
    /// The memory available to programs without swapping.
    pub available_bytes: u64,
    /// Written to files but not yet to drives.
    pub dirty_bytes: u64,
    /// On its way to drives.
    pub writeback_bytes: u64,
    /// Page cache.
    pub cached_bytes: u64,
    /// Swap of the machine.
    pub swap_total_bytes: u64,
    /// Swap unused.
    pub swap_free_bytes: u64,
}

/// Time in which some (or all) tasks waited for a resource, since boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Pressure {
    /// Some task waited for a CPU.
    pub cpu_some_ns: u64,
    /// Some task waited for I/O.
    pub io_some_ns: u64,
    /// All tasks waited for I/O.
    pub io_full_ns: u64,
    /// Some task waited for memory.
    pub memory_some_ns: u64,
}

impl Counters {
    /// Reads all counters now. Takes well under a millisecond.
    ///
    /// # Errors
    /// [`HostError`] when /proc/stat or /proc/meminfo cannot be read; whatever else is missing is left out or
    /// 0.
    pub fn read() -> Result<Counters, HostError> {
        Counters::read_from(&Tree::machine())
    }

    pub(crate) fn read_from(tree: &Tree) -> Result<Counters, HostError> {
        Ok(Counters {
            at_ns: Clock::Wall.now_ns(),
            cpu: parse_stat(&required(tree, "/proc/stat")?)?,
            disks: parse_diskstats(&tree.read("/proc/diskstats").unwrap_or_default(), |name| {
                is_whole_drive(tree, name)
            }),
            memory: parse_meminfo(&required(tree, "/proc/meminfo")?)?,
            pressure: read_pressure(tree),
            own: syscalls::own_cost().unwrap_or_default(),
        })
    }

    /// The drive of that name, if it has done any I/O.
    pub fn disk(&self, name: &str) -> Option<&DiskCounters> {
        self.disks.iter().find(|disk| disk.name == name)
    }
}

fn required(tree: &Tree, path: &str) -> Result<String, HostError> {
    tree.read(path).ok_or_else(|| HostError::Unreadable { path: path.to_owned() })
}

fn parse_stat(text: &str) -> Result<CpuTimes, HostError> {
    let malformed = |detail: String| HostError::Malformed { path: "/proc/stat".to_owned(), detail };
    let stat = KernelStats::from_buf_read(text.as_bytes(), procfs::current_system_info())
        .map_err(|error| malformed(error.to_string()))?;
    let ticks_per_second = procfs::ticks_per_second().max(1);
    // Multiplied before it is divided: 1/1024 s ticks would lose 2.4 % otherwise.
    let ns = |ticks: u64| {
        u64::try_from(u128::from(ticks) * 1_000_000_000 / u128::from(ticks_per_second)).unwrap_or(u64::MAX)
    };
    let total = &stat.total;
    Ok(CpuTimes {
        // Guest time is in user time already (proc(5)).
        user_ns: ns(total.user.saturating_add(total.nice)),
        system_ns: ns(total.system),
        idle_ns: ns(total.idle),
        iowait_ns: ns(total.iowait.unwrap_or(0)),
        steal_ns: ns(total.steal.unwrap_or(0)),
        irq_ns: ns(total.irq.unwrap_or(0).saturating_add(total.softirq.unwrap_or(0))),
        cpus: u32::try_from(stat.cpu_time.len()).unwrap_or(u32::MAX),
    })
}

fn parse_diskstats(text: &str, is_whole_drive: impl Fn(&str) -> bool) -> Vec<DiskCounters> {
    // A line in another form (old kernels had short ones for partitions) is left out, the rest kept.
    let lines = text.lines().filter_map(|line| DiskStat::from_line(line).ok());
    lines
        .filter(|disk| disk.reads > 0 || disk.writes > 0)
        .filter(|disk| is_whole_drive(&disk.name))
        .map(|disk| DiskCounters {
            reads: disk.reads,
            read_bytes: disk.sectors_read.saturating_mul(SECTOR_BYTES),
            read_ns: disk.time_reading.saturating_mul(1_000_000),
            write_ns: disk.time_writing.saturating_mul(1_000_000),
            writes: disk.writes,
            write_bytes: disk.sectors_written.saturating_mul(SECTOR_BYTES),
            busy_ns: disk.time_in_progress.saturating_mul(1_000_000),
            flushes: disk.flushes.unwrap_or(0),
            name: disk.name,
        })
        .collect()
}

/// Partitions would be counted twice. Names with `/` (cciss/c0d0) have `!` in /sys.
fn is_whole_drive(tree: &Tree, name: &str) -> bool {
    // Without /sys nothing is known, and counting twice is better than counting nothing.
    !tree.exists("/sys/block") || tree.exists(&format!("/sys/block/{}", name.replace('/', "!")))
}

/// Parsed leniently and not by the procfs crate, which wants fields that containers' versions of this file
/// lack.
fn parse_meminfo(text: &str) -> Result<MemoryCounters, HostError> {
    let read = |key: &str| meminfo_bytes(text, key);
    let total_bytes = read("MemTotal").ok_or_else(|| HostError::Malformed {
        path: "/proc/meminfo".to_owned(),
        detail: "no MemTotal".to_owned(),
    })?;
    Ok(MemoryCounters {
        total_bytes,
        available_bytes: read("MemAvailable").or_else(|| read("MemFree")).unwrap_or(0),
        dirty_bytes: read("Dirty").unwrap_or(0),
        writeback_bytes: read("Writeback").unwrap_or(0),
        cached_bytes: read("Cached").unwrap_or(0),
        swap_total_bytes: read("SwapTotal").unwrap_or(0),
        swap_free_bytes: read("SwapFree").unwrap_or(0),
    })
}

fn read_pressure(tree: &Tree) -> Option<Pressure> {
    let total_ns = |file: &str, which: &str| {
        let text = tree.read(&format!("/proc/pressure/{file}"))?;
        Some(pressure_line(&text, which)?.total_us.saturating_mul(1_000))
    };
    Some(Pressure {
        cpu_some_ns: total_ns("cpu", "some")?,
        io_some_ns: total_ns("io", "some")?,
        io_full_ns: total_ns("io", "full")?,
        memory_some_ns: total_ns("memory", "some")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::fixture;

    const STAT: &str = "cpu  100 10 50 800 20 1 2 17 5 0\ncpu0 50 5 25 400 10 1 1 8 5 0\ncpu1 50 5 25 400 10 0 1 9 0 0\n\
        ctxt 5\nbtime 1\nprocesses 2\n";
    const DISKSTATS: &str = "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n \
        259       0 nvme0n1 859606 12688 13493530 283036 31251 31906 9657320 35096 0 23060 319370 10695 57 953776 1078 3887 158\n \
        259       1 nvme0n1p1 859606 12688 13493530 283036 31251 31906 9657320 35096 0 23060 319370\n short line\n";

    #[test]
    fn counters_of_a_machine() {
        let (_dir, tree) = fixture(&[
            ("proc/stat", STAT),
            ("proc/diskstats", DISKSTATS),
            ("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 600 kB\nDirty: 3 kB\n"),
            ("proc/pressure/cpu", "some avg10=1.00 avg60=1.00 avg300=1.00 total=7\n"),
            (
                "proc/pressure/io",
                "some avg10=0 avg60=0 avg300=0 total=9\nfull avg10=0 avg60=0 avg300=0 total=8\n",
            ),
            ("proc/pressure/memory", "some avg10=0 avg60=0 avg300=0 total=1\n"),
            ("sys/block/nvme0n1/size", "1"),
        ]);
        let counters = Counters::read_from(&tree).unwrap();
        let tick_ns = 1_000_000_000 / procfs::ticks_per_second();
        assert_eq!(counters.cpu.user_ns, 110 * tick_ns);
        assert_eq!(counters.cpu.irq_ns, 3 * tick_ns);
        assert_eq!(counters.cpu.steal_ns, 17 * tick_ns);
        assert_eq!(counters.cpu.cpus, 2);
        assert_eq!(counters.disks.len(), 1, "idle drives and partitions are left out: {:?}", counters.disks);
        let disk = counters.disk("nvme0n1").unwrap();
        assert_eq!((disk.reads, disk.writes, disk.flushes), (859_606, 31_251, 3_887));
        assert_eq!(disk.read_bytes, 13_493_530 * 512);
        assert_eq!(disk.busy_ns, 23_060_000_000);
        assert_eq!(counters.memory.available_bytes, 600 * 1024);
        assert_eq!(counters.memory.swap_total_bytes, 0);
        let pressure = counters.pressure.unwrap();
        assert_eq!((pressure.cpu_some_ns, pressure.io_full_ns), (7_000, 8_000));
    }

    #[test]
    fn missing_and_broken_files_are_named() {
        let (_dir, tree) = fixture(&[("proc/meminfo", "MemTotal: 1 kB")]);
        assert!(Counters::read_from(&tree).unwrap_err().to_string().contains("/proc/stat"));
        let (_dir, tree) = fixture(&[("proc/meminfo", "MemTotal: 1 kB"), ("proc/stat", "cpu x")]);
        assert!(matches!(Counters::read_from(&tree), Err(HostError::Malformed { .. })));
        let (_dir, tree) = fixture(&[("proc/meminfo", "nothing"), ("proc/stat", STAT)]);
        assert!(Counters::read_from(&tree).unwrap_err().to_string().contains("MemTotal"));
        let (_dir, tree) = fixture(&[("proc/meminfo", "MemTotal: 1 kB"), ("proc/stat", STAT)]);
        let counters = Counters::read_from(&tree).unwrap();
        assert_eq!((counters.pressure, counters.disks.len()), (None, 0), "the rest is merely unknown");
    }

    #[test]
    fn this_machine_can_be_read() {
        let counters = Counters::read().unwrap();
        assert!(counters.cpu.cpus >= 1 && counters.memory.total_bytes > 0 && counters.at_ns > 0);
    }
}
