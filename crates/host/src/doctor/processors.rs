//! Processors: is their speed the same from one second to the next, and are they ours?

use words::Reading;

use super::check::{Check, Rule, watched_ms};
use crate::processor;
use crate::system;
use crate::tree::Tree;
use crate::usage::Usage;

/// Leaving an idle state slower than this is seen in the latency of a fast drive (about 80 us for an NVMe
/// read).
const SLOW_WAKE_US: u64 = 50;
/// Less than this is lost among the noise of any virtual machine.
const STEAL_TOLERATED: f64 = 0.01;

const GOVERNOR: Rule = Rule { id: "cpu.governor", fix: "cpupower frequency-set -g performance" };
const TURBO: Rule = Rule {
    id: "cpu.turbo",
    fix: "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > /sys/devices/system/cpu/cpufreq/boost; \
          otherwise keep it as it is in all beds",
};
const SMT: Rule = Rule {
    id: "cpu.smt",
    fix: "echo off > /sys/devices/system/cpu/smt/control; otherwise keep it as it is in all beds",
};
const IDLE_STATES: Rule = Rule { id: "cpu.idle_states", fix: "cpupower idle-set -D 20" };
const THROTTLED: Rule =
    Rule { id: "cpu.throttled", fix: "improve the cooling, then start the machine again to reset the count" };
const STEAL: Rule =
    Rule { id: "cpu.steal", fix: "use a machine with CPUs of its own, or repeat at a quieter time" };
const ALLOWED: Rule = Rule {
    id: "cpu.allowed",
    fix: "start without taskset or cpuset; otherwise keep it as it is in all beds",
};
const VIRTUAL: Rule = Rule {
    id: "machine.virtual",
    fix: "use bare metal or a dedicated host where the numbers must be the drive's own",
};
const POWER: Rule = Rule { id: "machine.power", fix: "connect the power supply" };

pub(super) fn examine(tree: &Tree, usage: Option<&Usage>) -> Vec<Check> {
    vec![
        governor(tree),
        turbo(tree),
        smt(tree),
        idle_states(tree),
        throttled(tree),
        steal(usage),
        allowed(tree),
        virtual_machine(tree),
        power(tree),
    ]
}

fn governor(tree: &Tree) -> Check {
    let governors: Vec<String> = processor::governors(tree).into_iter().collect();
    if governors.is_empty() {
        return GOVERNOR.unknown("cpufreq/scaling_governor of the CPUs (usual in virtual machines)");
    }
    let is_fast = governors == ["performance"];
    GOVERNOR.warn_if(!is_fast, Reading::Governors { governors: governors.join(", ") })
}

/// A check of a switch that is better off.
fn switched(rule: &Rule, on: bool, source: &str) -> Check {
    if on { rule.warn(Reading::On { source: source.to_owned() }) } else { rule.ok(format!("off ({source})")) }
}

fn turbo(tree: &Tree) -> Check {
    match processor::turbo(tree) {
        Some((on, file)) => switched(&TURBO, on, file),
        None => TURBO.unknown("intel_pstate/no_turbo or cpufreq/boost"),
    }
}

fn smt(tree: &Tree) -> Check {
    match processor::smt_active(tree) {
        Some(on) => switched(&SMT, on, "/sys/devices/system/cpu/smt/active"),
        None => SMT.unknown("/sys/devices/system/cpu/smt/active"),
    }
}

fn idle_states(tree: &Tree) -> Check {
    let states = processor::idle_states(tree);
    let Some((state, wake_us)) = states.into_iter().max_by_key(|(_, wake_us)| *wake_us) else {
        return IDLE_STATES.unknown("/sys/devices/system/cpu/cpu0/cpuidle");
    };
    IDLE_STATES.warn_if(wake_us > SLOW_WAKE_US, Reading::IdleState { state, wake_us })
}

fn throttled(tree: &Tree) -> Check {
    match processor::throttle_count(tree) {
        Some(times) => THROTTLED.warn_if(times > 0, Reading::Throttled { times }),
        None => THROTTLED.unknown("thermal_throttle/core_throttle_count"),
    }
}

fn steal(usage: Option<&Usage>) -> Check {
    match usage {
        Some(usage) => {
            let percent = usage.cpu.steal * 100.0;
            let read = Reading::Stolen { percent, watched_ms: watched_ms(usage) };
            STEAL.warn_if(usage.cpu.steal > STEAL_TOLERATED, read)
        }
        None => STEAL.unknown("/proc/stat"),
    }
}

fn allowed(tree: &Tree) -> Check {
    match (system::allowed_cpus(), processor::online(tree)) {
        (Some(allowed), Some(online)) => {
            let allowed = u64::from(allowed);
            ALLOWED.warn_if(allowed < online, Reading::CpusAllowed { allowed, online })
        }
        _ => ALLOWED.unknown("/sys/devices/system/cpu/online"),
    }
}

fn virtual_machine(tree: &Tree) -> Check {
    match system::hypervisor(tree) {
        Some(name) if name == "none" => VIRTUAL.ok("none (DMI, /proc/cpuinfo)"),
        Some(name) => VIRTUAL.warn(Reading::Hypervisor { name }),
        None => VIRTUAL.unknown("DMI or /proc/cpuinfo"),
    }
}

fn power(tree: &Tree) -> Check {
    match system::on_battery(tree) {
        Some(true) => POWER.warn(Reading::OnBattery),
        Some(false) => POWER.ok("on mains (/sys/class/power_supply)"),
        None => POWER.ok("no battery (/sys/class/power_supply)"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;
    use crate::tree::fixture;
    use crate::usage::CpuShares;

    #[test]
    fn a_laptop_on_battery_has_every_fault() {
        let (_dir, tree) = fixture(&[
            ("proc/cpuinfo", "flags : fpu hypervisor"),
            ("sys/devices/system/cpu/online", "0-4095"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave"),
            ("sys/devices/system/cpu/cpu0/cpuidle/state0/name", "C10"),
            ("sys/devices/system/cpu/cpu0/cpuidle/state0/latency", "890"),
            ("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "12"),
            ("sys/devices/system/cpu/intel_pstate/no_turbo", "0"),
            ("sys/devices/system/cpu/smt/active", "1"),
            ("sys/class/power_supply/AC/type", "Mains"),
            ("sys/class/power_supply/AC/online", "0"),
        ]);
        let usage = Usage { cpu: CpuShares { steal: 0.2, ..CpuShares::default() }, ..Usage::default() };
        let checks = examine(&tree, Some(&usage));
        assert!(checks.iter().all(|check| check.level == Level::Warn), "{checks:#?}");
        assert!(checks.iter().any(|check| check.read.to_string().contains("C10, left in 890 \u{b5}s")));
        assert!(checks.iter().any(|check| check.read.to_string().starts_with("20.0 %")));
    }

    #[test]
    fn a_tuned_server_has_none() {
        let (_dir, tree) = fixture(&[
            ("proc/cpuinfo", "flags : fpu sse"),
            ("sys/devices/system/cpu/online", "0"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance"),
            ("sys/devices/system/cpu/cpu0/cpuidle/state0/name", "C1"),
            ("sys/devices/system/cpu/cpu0/cpuidle/state0/latency", "2"),
            ("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "0"),
            ("sys/devices/system/cpu/cpufreq/boost", "0"),
            ("sys/devices/system/cpu/smt/active", "0"),
        ]);
        let checks = examine(&tree, Some(&Usage::default()));
        assert!(checks.iter().all(|check| check.level == Level::Ok), "{checks:#?}");
    }
}
