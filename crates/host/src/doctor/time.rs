//! Time: is it cheap to read, does the kernel wake us when we ask, and do processors stop under a thread that
//! never sleeps?

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

/// Time of a wait that is spun: that of a fast drive's write.
const SPIN: Duration = Duration::from_micros(50);
/// A twentieth of a second of them: each run begins with that.
const SPINS: usize = 1_000;
/// A tenth of such a wait: the p99 of a modelled drive whose writes take as long is then off by more.
const STALL_TOLERATED: Duration = Duration::from_micros(5);

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
const STALLS: Rule = Rule {
    id: "time.stalls",
    fix: "stop other programs, use bare metal or a host without other guests; \
          simulated beds, in virtual time, keep their p99 on every machine",
};

pub(super) fn examine(tree: &Tree) -> Vec<Check> {
    let clocks = [clocksource(tree), timer_slack(system::timer_slack_ns())];
    let waits = [sleep(&mut slept_too_long()), stalls(&mut spun_too_long())];
    clocks.into_iter().chain(waits).collect()
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
fn slept_too_long() -> Vec<Duration> {
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

/// The delay at the end of each of several waits of a thread that only reads the clock: the machine's alone,
/// whose host or other programs stop its processors.
fn spun_too_long() -> Vec<Duration> {
    let spin = |_| {
        let start = Clock::Wall.stopwatch();
        loop {
            let elapsed = start.elapsed();
            if elapsed >= SPIN {
                return elapsed - SPIN;
            }
        }
    };
    (0..SPINS).map(spin).collect()
}

fn stalls(late: &mut [Duration]) -> Check {
    late.sort_unstable();
    let (Some(p99), Some(worst)) = (late.get(late.len() * 99 / 100), late.last()) else {
        return STALLS.unknown("the clock");
    };
    let micros = |late: &Duration| late.as_secs_f64() * 1e6;
    let read = Reading::Spins {
        spins: late.len() as u64,
        spin_us: SPIN.as_micros() as u64,
        p99_us: micros(p99),
        worst_us: micros(worst),
    };
    STALLS.warn_if(*p99 > STALL_TOLERATED, read)
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
        assert_eq!(slept_too_long().len(), NAPS);
    }

    #[test]
    fn one_stall_is_no_bad_machine_and_one_in_fifty_is() {
        let waits = |stalled: usize| -> Vec<Duration> {
            (0..200).map(|wait| Duration::from_nanos(if wait < stalled { 38_400 } else { 90 })).collect()
        };
        let calm = stalls(&mut waits(1));
        assert_eq!(calm.level, Level::Ok, "{}", calm.read);
        let told =
            "200 waits of 50 \u{b5}s without sleep ended 0.1 \u{b5}s late at p99, 38.4 \u{b5}s at worst";
        assert!(calm.read.to_string().starts_with(told), "{}", calm.read);
        assert_eq!(stalls(&mut waits(4)).level, Level::Warn);
        assert_eq!(stalls(&mut []).level, Level::Unknown);
        let start = Clock::Wall.stopwatch();
        assert_eq!(spun_too_long().len(), SPINS);
        assert!(start.elapsed() >= SPIN * SPINS as u32, "each of them waited");
    }
}
