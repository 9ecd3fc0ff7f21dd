//! Time: is it cheap to read, and does the kernel wake us when we ask?

use std::time::Duration;

use ground::Clock;
use words::Reading;

use super::check::{Check, Rule, from};
use crate::system;
use crate::tree::Tree;

/// Clocks that are read without entering the kernel (or, for the guests' clocks, nearly so).
const CHEAP_CLOCKS: [&str; 4] = ["tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page"];
/// The kernel's own default.
const USUAL_SLACK_NS: u64 = 50_000;

const NAP: Duration = Duration::from_millis(1);
const NAPS: usize = 50;
/// Timer slack, leaving an idle state and getting a CPU together, on a quiet machine.
const LATE_TOLERATED: Duration = Duration::from_micros(250);

const CLOCKSOURCE: Rule = Rule {
    id: "time.clocksource",
    fix: "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource (if it is among the available ones)",
};
const TIMER_SLACK: Rule = Rule {
    id: "time.timer_slack",
    fix: "start from a shell whose slack is 50 us (echo 50000 > /proc/$$/timerslack_ns)",
};
const SLEEP: Rule = Rule {
    id: "time.sleep",
    fix: "stop other programs; set the performance governor and shallow idle states (cpu.governor, cpu.idle_states)",
};

pub(super) fn examine(tree: &Tree) -> Vec<Check> {
    vec![clocksource(tree), timer_slack(system::timer_slack_ns()), sleep(&mut lateness())]
}

fn clocksource(tree: &Tree) -> Check {
    const CLOCKS: &str = "/sys/devices/system/clocksource";
    let (Some(current), available) = system::clocksource(tree) else {
        return CLOCKSOURCE.unknown(CLOCKS);
    };
    let is_cheap = CHEAP_CLOCKS.contains(&current.as_str());
    let read = match available {
        Some(available) => Reading::Clocksource { current, available },
        None => from(current, CLOCKS),
    };
    CLOCKSOURCE.warn_if(!is_cheap, read)
}

fn timer_slack(slack_ns: Option<u64>) -> Check {
    match slack_ns {
        Some(slack_ns) => {
            let read = from(format!("{} \u{b5}s", slack_ns / 1_000), "prctl");
            TIMER_SLACK.warn_if(slack_ns > USUAL_SLACK_NS, read)
        }
        None => TIMER_SLACK.unknown("prctl"),
    }
}

/// The delay at the end of each of several sleeps.
fn lateness() -> Vec<Duration> {
    let nap = |_| {
        let start = Clock::Wall.stopwatch();
        Clock::Wall.sleep(NAP);
        start.elapsed().saturating_sub(NAP)
    };
    (0..NAPS).map(nap).collect()
}

fn sleep(late: &mut [Duration]) -> Check {
    late.sort_unstable();
    let (Some(median), Some(worst)) = (late.get(late.len() / 2), late.last()) else {
        return SLEEP.unknown("the clock");
    };
    let micros = |late: &Duration| late.as_micros() as u64;
    let read = Reading::Naps {
        naps: late.len() as u64,
        nap_ms: NAP.as_millis() as u64,
        median_us: micros(median),
        worst_us: micros(worst),
    };
    SLEEP.warn_if(*median > LATE_TOLERATED, read)
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;
    use crate::tree::fixture;

    #[test]
    fn clocks() {
        let clock = |current: &str| {
            let (_dir, tree) = fixture(&[
                ("sys/devices/system/clocksource/clocksource0/current_clocksource", current),
                ("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm"),
            ]);
            clocksource(&tree)
        };
        assert_eq!(clock("tsc").level, Level::Ok);
        assert_eq!(clock("acpi_pm").level, Level::Warn);
        assert!(clock("hpet").read.to_string().starts_with("hpet of tsc hpet acpi_pm"));
    }

    #[test]
    fn slack_and_lateness() {
        assert_eq!(timer_slack(Some(50_000)).level, Level::Ok);
        assert_eq!(timer_slack(Some(1_000_000)).level, Level::Warn);
        let us = Duration::from_micros;
        let mostly_good = sleep(&mut [us(9_000), us(60), us(70), us(55), us(61)]);
        assert_eq!(mostly_good.level, Level::Ok, "one late nap is no bad machine: {}", mostly_good.read);
        assert!(
            mostly_good.read.to_string().contains("61 \u{b5}s late in the median, 9000 \u{b5}s at worst"),
            "{}",
            mostly_good.read
        );
        assert_eq!(sleep(&mut [us(900), us(800), us(60)]).level, Level::Warn);
        assert_eq!(sleep(&mut []).level, Level::Unknown);
        assert_eq!(lateness().len(), NAPS);
    }
}
