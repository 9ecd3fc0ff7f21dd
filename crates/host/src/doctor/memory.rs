//! Memory: enough of it, not swapped, not piling up writes.

use words::Reading;

use super::check::{Check, Rule, from};
use crate::processor;
use crate::text::{bytes, chosen, meminfo_bytes};
use crate::tree::Tree;

/// The smallest experiment with its databases, caches and recordings.
const NEEDED_BYTES: u64 = 128 << 20;
/// With less than this the page cache displaces the database's memory.
const COMFORTABLE_BYTES: u64 = 1 << 30;
/// The bytes that a SATA drive writes in about two seconds: a larger backlog shows in the following cells.
const DIRTY_TOLERATED_BYTES: u64 = 1 << 30;
/// Unwritten data that another program has left behind.
const BACKLOG_TOLERATED_BYTES: u64 = 128 << 20;

const AVAILABLE: Rule =
    Rule { id: "memory.available", fix: "stop other programs, or use a machine with more memory" };
const SWAP: Rule =
    Rule { id: "memory.swap", fix: "swapoff -a (when there is memory enough), or stop what filled it" };
const THP: Rule =
    Rule { id: "memory.thp", fix: "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled" };
const DIRTY_LIMITS: Rule = Rule {
    id: "memory.dirty_limits",
    fix: "sysctl vm.dirty_background_bytes=67108864 vm.dirty_bytes=268435456",
};
const DIRTY_NOW: Rule = Rule { id: "memory.dirty_now", fix: "sync, then look again" };
const NUMA: Rule = Rule {
    id: "memory.numa",
    fix: "numactl --cpunodebind=N --membind=N with the drive's node (cat /sys/block/DRIVE/device/numa_node)",
};

pub(super) fn examine(tree: &Tree) -> Vec<Check> {
    let meminfo = tree.read("/proc/meminfo").unwrap_or_default();
    vec![
        available(&meminfo),
        swap(&meminfo),
        thp(tree),
        dirty_limits(tree, &meminfo),
        dirty_now(&meminfo),
        numa(tree),
    ]
}

fn available(meminfo: &str) -> Check {
    let total = meminfo_bytes(meminfo, "MemTotal");
    let Some((available, total)) = meminfo_bytes(meminfo, "MemAvailable").zip(total) else {
        return AVAILABLE.unknown("MemAvailable in /proc/meminfo");
    };
    let read = Reading::MemoryAvailable { available: bytes(available), total: bytes(total) };
    if available < NEEDED_BYTES {
        return AVAILABLE.block(read);
    }
    AVAILABLE.warn_if(available < COMFORTABLE_BYTES, read)
}

fn swap(meminfo: &str) -> Check {
    let total = meminfo_bytes(meminfo, "SwapTotal");
    let Some((free, total)) = meminfo_bytes(meminfo, "SwapFree").zip(total) else {
        return SWAP.unknown("SwapTotal in /proc/meminfo");
    };
    let used = total.saturating_sub(free);
    SWAP.warn_if(used > 0, Reading::SwapUsed { used: bytes(used), total: bytes(total) })
}

fn thp(tree: &Tree) -> Check {
    const FILE: &str = "/sys/kernel/mm/transparent_hugepage/enabled";
    match tree.read(FILE) {
        Some(text) => THP.warn_if(chosen(&text) == "always", from(chosen(&text), FILE)),
        None => THP.unknown(FILE),
    }
}

fn dirty_limits(tree: &Tree, meminfo: &str) -> Check {
    // A limit in bytes, when set, takes the place of the ratio (Documentation/admin-guide/sysctl/vm.rst).
    let in_bytes = tree.number("/proc/sys/vm/dirty_bytes").filter(|limit| *limit > 0);
    let by_ratio = || {
        let ratio = tree.number("/proc/sys/vm/dirty_ratio")?;
        Some(meminfo_bytes(meminfo, "MemAvailable")?.saturating_mul(ratio) / 100)
    };
    match in_bytes.or_else(by_ratio) {
        Some(limit) => {
            DIRTY_LIMITS.warn_if(limit > DIRTY_TOLERATED_BYTES, Reading::DirtyLimit { limit: bytes(limit) })
        }
        None => DIRTY_LIMITS.unknown("/proc/sys/vm/dirty_ratio"),
    }
}

fn dirty_now(meminfo: &str) -> Check {
    let writeback = meminfo_bytes(meminfo, "Writeback");
    let Some((dirty, writeback)) = meminfo_bytes(meminfo, "Dirty").zip(writeback) else {
        return DIRTY_NOW.unknown("Dirty in /proc/meminfo");
    };
    let waiting = dirty.saturating_add(writeback);
    DIRTY_NOW.warn_if(waiting > BACKLOG_TOLERATED_BYTES, Reading::DirtyNow { size: bytes(waiting) })
}

fn numa(tree: &Tree) -> Check {
    match processor::numa_nodes(tree) {
        Some(nodes) => NUMA.warn_if(nodes > 1, Reading::NumaNodes { nodes }),
        None => NUMA.unknown("/sys/devices/system/node/online"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;
    use crate::tree::fixture;

    #[test]
    fn a_crowded_machine() {
        let (_dir, tree) = fixture(&[
            (
                "proc/meminfo",
                "MemTotal: 33554432 kB\nMemAvailable: 65536 kB\nSwapTotal: 1048576 kB\nSwapFree: 1024 kB\n\
                 Dirty: 131072 kB\nWriteback: 1 kB\n",
            ),
            ("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never"),
            ("proc/sys/vm/dirty_bytes", "4294967296"),
            ("sys/devices/system/node/online", "0-1"),
        ]);
        let levels: Vec<Level> = examine(&tree).iter().map(|check| check.level).collect();
        use Level::{Block, Warn};
        assert_eq!(levels, [Block, Warn, Warn, Warn, Warn, Warn]);
    }

    #[test]
    fn a_roomy_machine() {
        let (_dir, tree) = fixture(&[
            (
                "proc/meminfo",
                "MemTotal: 4194304 kB\nMemAvailable: 4194304 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\nDirty: 3 kB\nWriteback: 0 kB\n",
            ),
            ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never"),
            ("proc/sys/vm/dirty_bytes", "0"),
            ("proc/sys/vm/dirty_ratio", "20"),
            ("sys/devices/system/node/online", "0"),
        ]);
        let checks = examine(&tree);
        assert!(checks.iter().all(|check| check.level == Level::Ok), "{checks:#?}");
        assert!(checks[3].read.to_string().contains("819.2 MiB"), "a fifth of 4 GiB: {}", checks[3].read);
    }
}
