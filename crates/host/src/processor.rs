//! The processors: their kind and their frequency control.

use std::collections::BTreeSet;

use crate::text::{count_of_list, field};
use crate::tree::Tree;

const CPUS: &str = "/sys/devices/system/cpu";

/// `model name` of the first processor (other architectures say `Processor` or `cpu model`).
pub(crate) fn model(tree: &Tree) -> Option<String> {
    let cpuinfo = tree.read("/proc/cpuinfo")?;
    let keys = ["model name", "Processor", "cpu model", "Hardware", "CPU part"];
    keys.iter().find_map(|key| field(&cpuinfo, key)).map(str::to_owned)
}

/// CPUs online.
pub(crate) fn online(tree: &Tree) -> Option<u64> {
    count_of_list(&tree.read(&format!("{CPUS}/online"))?)
}

/// Packages: distinct `physical_package_id`s.
pub(crate) fn sockets(tree: &Tree) -> Option<usize> {
    let packages: BTreeSet<String> = numbered(tree)
        .iter()
        .filter_map(|cpu| tree.read(&format!("{CPUS}/{cpu}/topology/physical_package_id")))
        .collect();
    (!packages.is_empty()).then_some(packages.len())
}

/// Frequency governors in use; one if all CPUs agree, none where the frequency is not this kernel's to set.
pub(crate) fn governors(tree: &Tree) -> BTreeSet<String> {
    numbered(tree)
        .iter()
        .filter_map(|cpu| tree.read(&format!("{CPUS}/{cpu}/cpufreq/scaling_governor")))
        .collect()
}

/// A setting of the first CPU's frequency driver.
pub(crate) fn frequency(tree: &Tree, setting: &str) -> Option<String> {
    tree.read(&format!("{CPUS}/cpu0/cpufreq/{setting}"))
}

/// True if the clock may rise above its nominal frequency, and the file that says so.
pub(crate) fn turbo(tree: &Tree) -> Option<(bool, &'static str)> {
    const NO_TURBO: &str = "/sys/devices/system/cpu/intel_pstate/no_turbo";
    const BOOST: &str = "/sys/devices/system/cpu/cpufreq/boost";
    if let Some(off) = tree.number(NO_TURBO) {
        return Some((off == 0, NO_TURBO));
    }
    tree.number(BOOST).map(|on| (on != 0, BOOST))
}

/// True if two threads share a core now.
pub(crate) fn smt_active(tree: &Tree) -> Option<bool> {
    Some(tree.number(&format!("{CPUS}/smt/active"))? != 0)
}

/// Idle states of the first CPU: name and the time to leave it, in microseconds.
pub(crate) fn idle_states(tree: &Tree) -> Vec<(String, u64)> {
    let directory = format!("{CPUS}/cpu0/cpuidle");
    let states = tree.list(&directory);
    let enabled =
        states.iter().filter(|state| tree.number(&format!("{directory}/{state}/disable")).unwrap_or(0) == 0);
    enabled
        .filter_map(|state| {
            let name = tree.read(&format!("{directory}/{state}/name"))?;
            Some((name, tree.number(&format!("{directory}/{state}/latency"))?))
        })
        .collect()
}

/// Weaknesses that the kernel works around, with its measures; those the CPU does not have are left out.
pub(crate) fn mitigations(tree: &Tree) -> Vec<(String, String)> {
    let directory = format!("{CPUS}/vulnerabilities");
    let names = tree.list(&directory).into_iter();
    names
        .filter_map(|name| {
            let state = tree.read(&format!("{directory}/{name}"))?;
            (state != "Not affected").then_some((name, state))
        })
        .collect()
}

/// NUMA nodes with memory or CPUs.
pub(crate) fn numa_nodes(tree: &Tree) -> Option<u64> {
    count_of_list(&tree.read("/sys/devices/system/node/online")?)
}

/// Times the hardware slowed the CPUs because they were too hot, all CPUs together, since boot.
pub(crate) fn throttle_count(tree: &Tree) -> Option<u64> {
    let counts: Vec<u64> = numbered(tree)
        .iter()
        .filter_map(|cpu| tree.number(&format!("{CPUS}/{cpu}/thermal_throttle/core_throttle_count")))
        .collect();
    (!counts.is_empty()).then(|| counts.iter().sum())
}

/// True if the processor reports a hypervisor.
pub(crate) fn hypervisor_flag(tree: &Tree) -> Option<bool> {
    let cpuinfo = tree.read("/proc/cpuinfo")?;
    Some(field(&cpuinfo, "flags")?.split(' ').any(|flag| flag == "hypervisor"))
}

/// `cpu0`, `cpu1`, ...: not `cpufreq` and the like.
fn numbered(tree: &Tree) -> Vec<String> {
    let is_numbered = |name: &String| {
        name.strip_prefix("cpu")
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    tree.list(CPUS).into_iter().filter(is_numbered).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::fixture;

    #[test]
    fn a_server_with_two_governors() {
        let (_dir, tree) = fixture(&[
            ("proc/cpuinfo", "processor : 0\nmodel name\t: Xeon Gold 6252\nflags : fpu vme\n"),
            ("sys/devices/system/cpu/online", "0-1"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance"),
            ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave"),
            ("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0"),
            ("sys/devices/system/cpu/cpu1/topology/physical_package_id", "1"),
            ("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "3"),
            ("sys/devices/system/cpu/cpu0/cpuidle/state0/name", "POLL"),
            ("sys/devices/system/cpu/cpu0/cpuidle/state0/latency", "0"),
            ("sys/devices/system/cpu/cpu0/cpuidle/state1/name", "C6"),
            ("sys/devices/system/cpu/cpu0/cpuidle/state1/latency", "133"),
            ("sys/devices/system/cpu/cpu0/cpuidle/state2/name", "C7"),
            ("sys/devices/system/cpu/cpu0/cpuidle/state2/latency", "900"),
            ("sys/devices/system/cpu/cpu0/cpuidle/state2/disable", "1"),
            ("sys/devices/system/cpu/intel_pstate/no_turbo", "1"),
            ("sys/devices/system/cpu/cpufreq/boost", "1"),
            ("sys/devices/system/cpu/vulnerabilities/mds", "Not affected"),
            ("sys/devices/system/cpu/vulnerabilities/spectre_v2", "Mitigation: IBRS"),
        ]);
        assert_eq!(model(&tree).as_deref(), Some("Xeon Gold 6252"));
        assert_eq!((online(&tree), sockets(&tree)), (Some(2), Some(2)));
        assert_eq!(governors(&tree).len(), 2);
        assert_eq!(turbo(&tree).map(|(on, _)| on), Some(false), "the driver in charge is asked first");
        assert_eq!(throttle_count(&tree), Some(3));
        assert_eq!(idle_states(&tree).last(), Some(&("C6".to_owned(), 133)), "a disabled state is none");
        assert_eq!(mitigations(&tree), [("spectre_v2".to_owned(), "Mitigation: IBRS".to_owned())]);
        assert_eq!(hypervisor_flag(&tree), Some(false));
    }

    #[test]
    fn an_empty_machine_is_unknown() {
        let (_dir, tree) = fixture(&[]);
        assert_eq!((model(&tree), online(&tree), sockets(&tree)), (None, None, None));
        assert_eq!((turbo(&tree), smt_active(&tree), throttle_count(&tree)), (None, None, None));
        assert!(
            governors(&tree).is_empty() && idle_states(&tree).is_empty() && mitigations(&tree).is_empty()
        );
        assert_eq!((numa_nodes(&tree), hypervisor_flag(&tree)), (None, None));
    }
}
