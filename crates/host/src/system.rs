//! The system around the processors: kernel, machine, clock, and the limits on this process.

use rustix::process::{Resource, getrlimit};

use crate::processor;
use crate::tree::Tree;

/// Kernel parameters that can change a result. The rest of the command line may name users' machines and is
/// not kept.
const TELLING_PARAMETERS: [&str; 22] = [
    "mitigations",
    "nosmt",
    "isolcpus",
    "nohz_full",
    "rcu_nocbs",
    "idle",
    "intel_idle.max_cstate",
    "processor.max_cstate",
    "intel_pstate",
    "amd_pstate",
    "cpufreq.default_governor",
    "transparent_hugepage",
    "hugepages",
    "clocksource",
    "tsc",
    "preempt",
    "iommu",
    "intel_iommu",
    "amd_iommu",
    "nvme_core.io_timeout",
    "nvme.poll_queues",
    "systemd.unified_cgroup_hierarchy",
];

/// A name of this machine that no other has: its own and that of its present life (random(4)). Containers
/// that have names of their own, as pods do, are machines; processes beside each other are not.
#[must_use]
pub fn machine_id() -> String {
    let read = |path| Tree::machine().read(path).unwrap_or_default();
    let (name, life) = (read("/proc/sys/kernel/hostname"), read("/proc/sys/kernel/random/boot_id"));
    format!("{} {}", name.trim(), life.trim())
}

/// `PRETTY_NAME` of the distribution.
pub(crate) fn distribution(tree: &Tree) -> Option<String> {
    let release = tree.read("/etc/os-release").or_else(|| tree.read("/usr/lib/os-release"))?;
    let value = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches('"').to_owned())
}

/// The telling parameters of the kernel's command line, as written.
pub(crate) fn kernel_parameters(tree: &Tree) -> Option<String> {
    let line = tree.read("/proc/cmdline")?;
    let telling = |word: &&str| TELLING_PARAMETERS.contains(&word.split('=').next().unwrap_or(word));
    let words: Vec<&str> = line.split_whitespace().filter(telling).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The name of the hypervisor, as far as it is known; `none` on bare metal.
pub(crate) fn hypervisor(tree: &Tree) -> Option<String> {
    if let Some(kind) = tree.read("/sys/hypervisor/type") {
        return Some(kind);
    }
    let vendor = tree.read("/sys/class/dmi/id/sys_vendor");
    let product = tree.read("/sys/class/dmi/id/product_name");
    let named = format!("{} {}", vendor.as_deref().unwrap_or(""), product.as_deref().unwrap_or(""));
    let known = [
        ("QEMU", "QEMU/KVM"),
        ("KVM", "KVM"),
        ("VMware", "VMware"),
        ("VirtualBox", "VirtualBox"),
        ("Virtual Machine", "Hyper-V"),
        ("Amazon EC2", "Amazon EC2"),
        ("Google Compute Engine", "Google Compute Engine"),
        ("Xen", "Xen"),
        ("Parallels", "Parallels"),
    ];
    if let Some((_, name)) = known.iter().find(|(word, _)| named.contains(word)) {
        return Some((*name).to_owned());
    }
    match processor::hypervisor_flag(tree)? {
        true => Some("unnamed".to_owned()),
        false => Some("none".to_owned()),
    }
}

/// The container of this process, as far as it is known.
pub(crate) fn container(tree: &Tree) -> Option<&'static str> {
    if tree.exists("/.dockerenv") {
        return Some("docker");
    }
    if tree.exists("/run/.containerenv") {
        return Some("podman");
    }
    let init = tree.read("/proc/1/cgroup").unwrap_or_default();
    ["kubepods", "docker", "lxc"].into_iter().find(|word| init.contains(word))
}

/// The clock the kernel reads time from, and those it could.
pub(crate) fn clocksource(tree: &Tree) -> (Option<String>, Option<String>) {
    let read =
        |name: &str| tree.read(&format!("/sys/devices/system/clocksource/clocksource0/{name}_clocksource"));
    (read("current"), read("available"))
}

/// The timer slack of this thread: the delay that the kernel may add to its wakeups.
pub(crate) fn timer_slack_ns() -> Option<u64> {
    rustix::thread::current_timer_slack().ok()
}

/// CPUs this process may run on.
pub(crate) fn allowed_cpus() -> Option<u32> {
    Some(rustix::thread::sched_getaffinity(None).ok()?.count())
}

/// Limit on open files and on locked memory in bytes; `None` is no limit.
pub(crate) fn open_files_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Limit on locked memory, in bytes; `None` is no limit.
pub(crate) fn locked_memory_limit() -> Option<u64> {
    getrlimit(Resource::Memlock).current
}

/// True if the machine runs on battery.
pub(crate) fn on_battery(tree: &Tree) -> Option<bool> {
    let supplies = tree.list("/sys/class/power_supply");
    let read = |supply: &String, file: &str| tree.read(&format!("/sys/class/power_supply/{supply}/{file}"));
    let mains: Vec<bool> = supplies
        .iter()
        .filter(|supply| read(supply, "type").as_deref() == Some("Mains"))
        .filter_map(|supply| Some(read(supply, "online")? == "1"))
        .collect();
    (!mains.is_empty()).then(|| !mains.contains(&true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::fixture;

    #[test]
    fn a_virtual_machine_is_named_by_its_maker() {
        let (_dir, tree) = fixture(&[
            ("sys/class/dmi/id/sys_vendor", "Microsoft Corporation"),
            ("sys/class/dmi/id/product_name", "Virtual Machine"),
            ("proc/cpuinfo", "flags : fpu hypervisor"),
        ]);
        assert_eq!(hypervisor(&tree).as_deref(), Some("Hyper-V"));
        let (_dir, tree) = fixture(&[("proc/cpuinfo", "flags : fpu hypervisor sse")]);
        assert_eq!(hypervisor(&tree).as_deref(), Some("unnamed"));
        let (_dir, tree) = fixture(&[("proc/cpuinfo", "flags : fpu sse")]);
        assert_eq!(hypervisor(&tree).as_deref(), Some("none"));
        let (_dir, tree) = fixture(&[]);
        assert_eq!(hypervisor(&tree), None);
    }

    #[test]
    fn only_telling_parameters_are_kept() {
        let (_dir, tree) =
            fixture(&[("proc/cmdline", "root=UUID=secret mitigations=off quiet nosmt password=x")]);
        assert_eq!(kernel_parameters(&tree).as_deref(), Some("mitigations=off nosmt"));
    }

    #[test]
    fn a_laptop_off_its_mains() {
        let battery = ("sys/class/power_supply/BAT0/type", "Battery");
        let mains = ("sys/class/power_supply/AC/type", "Mains");
        let (_dir, tree) = fixture(&[battery, mains, ("sys/class/power_supply/AC/online", "0")]);
        assert_eq!(on_battery(&tree), Some(true));
        let (_dir, tree) = fixture(&[battery, mains, ("sys/class/power_supply/AC/online", "1")]);
        assert_eq!(on_battery(&tree), Some(false));
        let (_dir, tree) = fixture(&[]);
        assert_eq!(on_battery(&tree), None);
    }

    #[test]
    fn names_are_unquoted_and_containers_recognised() {
        let (_dir, tree) = fixture(&[
            ("etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
            ("proc/1/cgroup", "0::/kubepods/besteffort/pod1\n"),
        ]);
        assert_eq!(distribution(&tree).as_deref(), Some("Debian GNU/Linux 12 (bookworm)"));
        assert_eq!(container(&tree), Some("kubepods"));
    }
}
