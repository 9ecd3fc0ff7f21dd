//! Every fact of host, storage and configuration that could change a result, as one flat map.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cgroup::Limits;
use crate::drive::BlockDrive;
use crate::mount::{self, Mount, parse_mountinfo};
use crate::text::{chosen, meminfo_bytes};
use crate::tree::Tree;
use crate::{processor, syscalls, system};

/// Kernel settings that change I/O or scheduling, below /proc/sys.
const SYSCTLS: [&str; 17] = [
    "vm/swappiness",
    "vm/dirty_ratio",
    "vm/dirty_background_ratio",
    "vm/dirty_bytes",
    "vm/dirty_background_bytes",
    "vm/dirty_expire_centisecs",
    "vm/dirty_writeback_centisecs",
    "vm/overcommit_memory",
    "vm/zone_reclaim_mode",
    "vm/vfs_cache_pressure",
    "vm/nr_hugepages",
    "kernel/numa_balancing",
    "kernel/sched_autogroup_enabled",
    "kernel/sched_rt_runtime_us",
    "kernel/io_uring_disabled",
    "kernel/nmi_watchdog",
    "fs/aio-max-nr",
];

/// Facts by dotted key: `cpu.model`, `memory.total_bytes`, `storage./mnt.fs`, `block.vda.scheduler`.
///
/// It holds the facts that stay the same while nothing is changed, not those that move by themselves (free
/// space, load): two readings of an untouched machine are equal. A fact that cannot be read has no key. No
/// host name, serial number or address is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Fingerprint(pub BTreeMap<String, String>);

impl Fingerprint {
    /// Reads the machine and the storage under each of `paths`. For a path that does not exist yet, its
    /// nearest existing parent is read.
    pub fn read(paths: &[&Path]) -> Fingerprint {
        Fingerprint::read_from(&Tree::machine(), paths)
    }

    /// Facts that differ: key, value here, value there; a missing one is `None`. In the order of keys.
    pub fn differences(&self, other: &Fingerprint) -> Vec<(String, Option<String>, Option<String>)> {
        let keys: BTreeSet<&String> = self.0.keys().chain(other.0.keys()).collect();
        keys.into_iter()
            .filter(|key| self.0.get(*key) != other.0.get(*key))
            .map(|key| (key.clone(), self.0.get(key).cloned(), other.0.get(key).cloned()))
            .collect()
    }

    pub(crate) fn read_from(tree: &Tree, paths: &[&Path]) -> Fingerprint {
        let mut facts = Facts::default();
        facts.add_processors(tree);
        facts.add_memory(tree);
        facts.add_kernel(tree);
        facts.add_limits(tree);
        facts.add_tool();
        facts.add_storage(tree, paths);
        Fingerprint(facts.0)
    }
}

/// The nearest existing parent of a path, with links resolved.
pub(crate) fn existing(path: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(path).ok()?;
    absolute.ancestors().find_map(|ancestor| ancestor.canonicalize().ok())
}

#[derive(Default)]
struct Facts(BTreeMap<String, String>);

impl Facts {
    fn add(&mut self, key: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.0.insert(key.to_owned(), value.to_string());
        }
    }

    fn add_processors(&mut self, tree: &Tree) {
        self.add("cpu.model", processor::model(tree));
        self.add(
            "cpu.microcode",
            tree.read("/proc/cpuinfo")
                .and_then(|text| crate::text::field(&text, "microcode").map(str::to_owned)),
        );
        self.add("cpu.online", processor::online(tree));
        self.add("cpu.sockets", processor::sockets(tree));
        self.add("cpu.allowed", system::allowed_cpus());
        let governors: Vec<String> = processor::governors(tree).into_iter().collect();
        self.add("cpu.governor", (!governors.is_empty()).then(|| governors.join(",")));
        self.add("cpu.frequency_driver", processor::frequency(tree, "scaling_driver"));
        self.add("cpu.frequency_min_khz", processor::frequency(tree, "scaling_min_freq"));
        self.add("cpu.frequency_max_khz", processor::frequency(tree, "scaling_max_freq"));
        self.add("cpu.turbo", processor::turbo(tree).map(|(on, _)| if on { "on" } else { "off" }));
        self.add("cpu.smt", processor::smt_active(tree).map(|on| if on { "on" } else { "off" }));
        self.add("cpu.idle_driver", tree.read("/sys/devices/system/cpu/cpuidle/current_driver"));
        let states: Vec<String> = processor::idle_states(tree).into_iter().map(|(name, _)| name).collect();
        self.add("cpu.idle_states", (!states.is_empty()).then(|| states.join(",")));
        self.add("cpu.numa_nodes", processor::numa_nodes(tree));
        self.add("cpu.cache_l3", tree.read("/sys/devices/system/cpu/cpu0/cache/index3/size"));
        for (name, state) in processor::mitigations(tree) {
            self.add(&format!("cpu.mitigation.{name}"), Some(state));
        }
    }

    fn add_memory(&mut self, tree: &Tree) {
        let meminfo = tree.read("/proc/meminfo").unwrap_or_default();
        self.add("memory.total_bytes", meminfo_bytes(&meminfo, "MemTotal"));
        self.add("memory.swap_total_bytes", meminfo_bytes(&meminfo, "SwapTotal"));
        for (key, file) in [("thp", "enabled"), ("thp_defrag", "defrag")] {
            let text = tree.read(&format!("/sys/kernel/mm/transparent_hugepage/{file}"));
            self.add(&format!("memory.{key}"), text.map(|text| chosen(&text).to_owned()));
        }
    }

    fn add_kernel(&mut self, tree: &Tree) {
        self.add("kernel.release", tree.read("/proc/sys/kernel/osrelease"));
        self.add("kernel.build", tree.read("/proc/sys/kernel/version"));
        self.add("kernel.parameters", system::kernel_parameters(tree));
        self.add("os.name", system::distribution(tree));
        for name in SYSCTLS {
            self.add(&format!("sysctl.{}", name.replace('/', ".")), tree.read(&format!("/proc/sys/{name}")));
        }
        let (source, available) = system::clocksource(tree);
        self.add("clock.source", source);
        self.add("clock.available", available);
        self.add("clock.timer_slack_ns", system::timer_slack_ns());
        self.add("machine.hypervisor", system::hypervisor(tree));
        self.add("machine.vendor", tree.read("/sys/class/dmi/id/sys_vendor"));
        self.add("machine.product", tree.read("/sys/class/dmi/id/product_name"));
        self.add("machine.bios", tree.read("/sys/class/dmi/id/bios_version"));
        self.add("machine.container", system::container(tree));
        self.add("machine.acpi_profile", tree.read("/sys/firmware/acpi/platform_profile"));
    }

    fn add_limits(&mut self, tree: &Tree) {
        let limits = Limits::read(tree);
        self.add("cgroup.version", limits.version);
        self.add("cgroup.cpus", limits.cpus);
        self.add("cgroup.memory_bytes", limits.memory_bytes);
        self.add("cgroup.io", limits.io);
        self.add("cgroup.cpuset", limits.cpuset);
        let or_none =
            |limit: Option<u64>| limit.map_or_else(|| "unlimited".to_owned(), |most| most.to_string());
        self.add("limit.open_files", Some(or_none(system::open_files_limit())));
        self.add("limit.locked_memory_bytes", Some(or_none(system::locked_memory_limit())));
        self.add("io_uring.usable", Some(syscalls::io_uring_setup_works().is_ok()));
    }

    fn add_tool(&mut self) {
        self.add("tool.version", Some(env!("CARGO_PKG_VERSION")));
        self.add("tool.build", Some(if cfg!(debug_assertions) { "debug" } else { "release" }));
        self.add("tool.target", Some(format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)));
    }

    fn add_storage(&mut self, tree: &Tree, paths: &[&Path]) {
        let mounts = parse_mountinfo(&tree.read("/proc/self/mountinfo").unwrap_or_default());
        for path in paths {
            let Some(real) = existing(path) else { continue };
            let Some(mount) = mount::of_path(&mounts, &real) else { continue };
            self.add_mount(tree, mount);
        }
    }

    fn add_mount(&mut self, tree: &Tree, mount: &Mount) {
        let key = |fact: &str| format!("storage.{}.{fact}", mount.point.display());
        self.add(&key("fs"), Some(&mount.kind));
        self.add(&key("source"), Some(&mount.source));
        self.add(&key("options"), Some(mount.options.join(",")));
        if let Ok(space) = rustix::fs::statvfs(&mount.point) {
            self.add(&key("size_bytes"), space.f_blocks.checked_mul(space.f_frsize));
            self.add(&key("block_bytes"), Some(space.f_bsize));
        }
        let Some(drive) = BlockDrive::under(tree, mount) else { return };
        self.add(&key("device"), Some(&drive.name));
        self.add_drive(tree, &drive);
        // The drives below LVM, LUKS or MD decide the speed.
        for below in drive.slaves(tree) {
            let directory = tree.resolve(&format!("/sys/class/block/{below}"));
            if let Some(directory) = directory {
                self.add_drive(tree, &BlockDrive { name: below, directory });
            }
        }
    }

    fn add_drive(&mut self, tree: &Tree, drive: &BlockDrive) {
        for (fact, value) in drive.facts(tree) {
            self.add(&format!("block.{}.{fact}", drive.name), Some(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::fixture;

    #[test]
    fn two_readings_of_this_machine_are_equal() {
        let here = Path::new(".");
        let first = Fingerprint::read(&[here, Path::new("/nowhere/at/all")]);
        let second = Fingerprint::read(&[here, Path::new("/nowhere/at/all")]);
        assert_eq!(first.differences(&second), []);
        for key in ["memory.total_bytes", "kernel.release", "tool.version", "clock.timer_slack_ns"] {
            assert!(first.0.contains_key(key), "{key} in {:#?}", first.0);
        }
        assert!(first.0.contains_key("storage./.fs"), "a missing path stands for its parent");
    }

    #[test]
    fn facts_of_a_fixture_machine() {
        let (_dir, tree) = fixture(&[
            ("proc/self/mountinfo", "27 1 254:0 / / rw,noatime - ext4 /dev/vda rw,discard\n"),
            ("proc/meminfo", "MemTotal: 4 kB\n"),
            ("proc/sys/vm/dirty_ratio", "20"),
            ("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never"),
            ("sys/devices/pci/block/vda/queue/scheduler", "none [mq-deadline]"),
            ("sys/devices/pci/block/vda/queue/write_cache", "write back"),
            ("sys/dev/block/254:0", "-> ../../devices/pci/block/vda"),
        ]);
        let facts = Fingerprint::read_from(&tree, &[Path::new("/")]).0;
        assert_eq!(facts["storage./.fs"], "ext4");
        assert_eq!(facts["storage./.options"], "rw,noatime,discard");
        assert_eq!(facts["block.vda.scheduler"], "none [mq-deadline]");
        assert_eq!(facts["block.vda.write_cache"], "write back");
        assert_eq!(facts["memory.thp"], "always");
        assert_eq!(facts["sysctl.vm.dirty_ratio"], "20");
        assert!(!facts.contains_key("cpu.model"), "what is not told has no key");
    }

    #[test]
    fn differences_name_both_sides() {
        let make = |pairs: &[(&str, &str)]| {
            Fingerprint(pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect())
        };
        let a = make(&[("cpu.model", "x"), ("kernel.release", "6.1"), ("only.here", "1")]);
        let b = make(&[("cpu.model", "x"), ("kernel.release", "6.9"), ("only.there", "2")]);
        assert_eq!(
            a.differences(&b),
            [
                ("kernel.release".to_owned(), Some("6.1".to_owned()), Some("6.9".to_owned())),
                ("only.here".to_owned(), Some("1".to_owned()), None),
                ("only.there".to_owned(), None, Some("2".to_owned())),
            ]
        );
        assert_eq!(a.differences(&a), []);
    }
}
