//! Waiting until an instant, as exactly as an ordinary process can without keeping a CPU busy.
//!
//! A sleep ends late: on an idle virtual machine by about 17 us (p50), 30 to 60 us at p99, because the
//! virtual CPU has to be woken by its host. Where it is permitted, idle CPUs are kept awake
//! ([`Awake`](crate::drive::awake::Awake)); and a sleep is asked to end early by as much as it is usually
//! late ([`early_ns`]), and what is left is spun. The spinning is short on purpose: CPU idle is one of the
//! figures measured.

use std::cell::Cell;
use std::num::NonZeroU64;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use ground::Clock;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};

use super::{LATE_NS, realtime};

/// Sleeps measured by the calibration; with [`CALIBRATION_SLEEP_NS`] about 15 ms, once per process.
const CALIBRATION_SLEEPS: usize = 150;
/// Length of one such sleep: that of a fast drive's read.
const CALIBRATION_SLEEP_NS: u64 = 80_000;
/// Share of sleeps that the early wake-up of ordinary threads covers. A thread that comes first would take
/// the processor from a program while it spins, so there only what half of them is late is covered.
const CALIBRATION_QUANTILE: f64 = 0.97;
/// By how much the early wake-up of threads that come first follows each sleep.
const STEP_NS: u64 = 200;
/// By how much their margin grows with a sleep that ended too late for its deadline to be met, and shrinks
/// with every other one: on a machine whose host takes its processors away, one in 400 remains.
const MARGIN_STEPS_NS: (u64, u64) = (2_000, 5);
/// The margin at most: it is spun.
const MARGIN_MOST_NS: u64 = 30_000;
/// Bounds of the early wake-up. The upper one bounds the spinning: a sleep that ends at once (about 10 us
/// late on a busy machine) spins for the rest, so about 40 us at most.
const EARLY_BOUNDS_NS: (u64, u64) = (5_000, 50_000);
/// Bounds of the shortest sleep that is worth its timer: below the lower one it is not worth a system call;
/// above the upper one other programs held up the timers that were set to learn it.
const SHORTEST_BOUNDS_NS: (u64, u64) = (2_000, 40_000);
/// Timers that are set to learn what one costs, one after the other in about 5 ms, and the time of each.
const TIMERS: usize = 50;
const TIMER_NS: u64 = 50_000;

/// Giving way for longer than this means that the CPU went to a thread that computes.
const LONG_ABSENCE_NS: u64 = 200_000;
/// For so long nobody gives way after that.
const AFTER_LONG_ABSENCE_NS: u64 = 100_000_000;

/// Returns at `deadline_ns` or as soon after it as the machine allows; at once when it has passed. Gives the
/// time of return.
pub(crate) fn wait_until(deadline_ns: u64) -> u64 {
    let mut now = Clock::Wall.now_ns();
    if now >= deadline_ns {
        return now;
    }
    let early_ns = early_ns();
    while now < deadline_ns {
        if deadline_ns - now > early_ns + shortest_sleep_ns() {
            sleep_until(deadline_ns - early_ns);
            now = Clock::Wall.now_ns();
            follow((now + early_ns).saturating_sub(deadline_ns));
        } else {
            pause(now);
            now = Clock::Wall.now_ns();
        }
    }
    now
}

/// One turn of the short wait. It yields to other threads that wait for drives and need the CPU for a moment;
/// otherwise they would wait for the end of this one's spinning (four threads on two quiet CPUs: p99 of reads
/// 20 us late instead of 45). When a computing thread gets the CPU instead and keeps it, no thread yields for
/// a while: on a crowded machine constant yielding makes the p99 of short writes several times worse.
pub(crate) fn pause(now: u64) {
    static GIVE_WAY_FROM_NS: AtomicU64 = AtomicU64::new(0);
    if now < GIVE_WAY_FROM_NS.load(Ordering::Relaxed) {
        std::hint::spin_loop();
        return;
    }
    std::thread::yield_now();
    let back_ns = Clock::Wall.now_ns();
    if back_ns.saturating_sub(now) > LONG_ABSENCE_NS {
        GIVE_WAY_FROM_NS.store(back_ns + AFTER_LONG_ABSENCE_NS, Ordering::Relaxed);
    }
}

/// The shortest sleep that is worth its timer, ns: twice the time that it takes to set one. In a virtual
/// machine whose host has to be called for it that is 12 us at the median and up to 50 us: a thread that
/// sleeps for less is no shorter busy, and is late by the slowest of these calls.
pub(crate) fn shortest_sleep_ns() -> u64 {
    static SHORTEST_NS: OnceLock<u64> = OnceLock::new();
    *SHORTEST_NS.get_or_init(|| {
        let mut costs_ns = timer_costs_ns().unwrap_or_default();
        costs_ns.sort_unstable();
        let cost_ns = costs_ns.get(costs_ns.len() / 2).copied().unwrap_or(0);
        (2 * cost_ns).clamp(SHORTEST_BOUNDS_NS.0, SHORTEST_BOUNDS_NS.1)
    })
}

/// The time that it took to set each of several timers, ns.
fn timer_costs_ns() -> rustix::io::Result<Vec<u64>> {
    let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC)?;
    let time = |nanoseconds: u64| Timespec { tv_sec: 0, tv_nsec: nanoseconds as i64 };
    let set = |_| {
        let once = Itimerspec { it_interval: time(0), it_value: time(TIMER_NS) };
        let start = Clock::Wall.stopwatch();
        timerfd_settime(&timer, TimerfdTimerFlags::empty(), &once)?;
        let cost_ns = ground::nanoseconds(start.elapsed());
        // While one runs the hardware need not be set for a later one, which costs next to nothing.
        while ground::nanoseconds(start.elapsed()) < cost_ns + 2 * TIMER_NS {
            std::hint::spin_loop();
        }
        Ok(cost_ns)
    };
    (0..TIMERS).map(set).collect()
}

/// The lead of a sleep's end before its deadline, ns. Ordinary threads measure it once. For real-time threads
/// it is the running median of their sleeps' lateness, from any first guess: they wake in time even while all
/// processors are busy, so they see only the machine itself, whose host may be slower the next minute.
pub(crate) fn early_ns() -> u64 {
    static ORDINARY_NS: OnceLock<u64> = OnceLock::new();
    if realtime::comes_first() {
        return URGENT_NS.load(Ordering::Relaxed) + MARGIN_NS.load(Ordering::Relaxed);
    }
    *ORDINARY_NS.get_or_init(|| {
        let mut late_ns: Vec<u64> = (0..CALIBRATION_SLEEPS).map(|_| late_by(CALIBRATION_SLEEP_NS)).collect();
        late_ns.sort_unstable();
        let index = (late_ns.len() as f64 * CALIBRATION_QUANTILE) as usize;
        late_ns[index.min(late_ns.len() - 1)].clamp(EARLY_BOUNDS_NS.0, EARLY_BOUNDS_NS.1)
    })
}

/// [`early_ns`] of threads that come first: the median, and the margin.
static URGENT_NS: AtomicU64 = AtomicU64::new(EARLY_BOUNDS_NS.0);
static MARGIN_NS: AtomicU64 = AtomicU64::new(0);

/// Learns from the lateness of a sleep. Threads that do so at the same moment may lose a step, which is no
/// harm.
pub(crate) fn follow(late_ns: u64) {
    if !realtime::comes_first() {
        return;
    }
    let (median_ns, margin_ns) = (URGENT_NS.load(Ordering::Relaxed), MARGIN_NS.load(Ordering::Relaxed));
    URGENT_NS.store(next_median_ns(median_ns, late_ns), Ordering::Relaxed);
    MARGIN_NS.store(next_margin_ns(margin_ns, median_ns, late_ns), Ordering::Relaxed);
}

/// A step of the median towards the lateness of a sleep.
fn next_median_ns(median_ns: u64, late_ns: u64) -> u64 {
    let next_ns = if late_ns > median_ns { median_ns + STEP_NS } else { median_ns - STEP_NS };
    next_ns.clamp(EARLY_BOUNDS_NS.0, EARLY_BOUNDS_NS.1)
}

/// The margin after a sleep that was this late: see [`MARGIN_STEPS_NS`].
fn next_margin_ns(margin_ns: u64, median_ns: u64, late_ns: u64) -> u64 {
    let is_missed = late_ns > median_ns + margin_ns + LATE_NS;
    let next_ns =
        if is_missed { margin_ns + MARGIN_STEPS_NS.0 } else { margin_ns.saturating_sub(MARGIN_STEPS_NS.1) };
    next_ns.min(MARGIN_MOST_NS)
}

/// The lateness of a sleep of this length, ns.
fn late_by(length_ns: u64) -> u64 {
    let until_ns = Clock::Wall.now_ns() + length_ns;
    sleep_until(until_ns);
    Clock::Wall.now_ns().saturating_sub(until_ns)
}

/// Lets threads that come first know how late their sleeps are before an operation waits for it.
pub(crate) fn learn_real_time() {
    let learn = || {
        if realtime::come_first() {
            (0..CALIBRATION_SLEEPS).for_each(|_| follow(late_by(CALIBRATION_SLEEP_NS)));
        }
    };
    // A machine that gives no thread learns by the first operations.
    let _ = std::thread::Builder::new().spawn(learn).map(std::thread::JoinHandle::join);
}

fn sleep_until(until_ns: u64) {
    ask_for_exact_timers();
    Clock::Wall.sleep_until(until_ns);
}

/// Timer slack is 50 us by default and belongs to the thread, so every thread that waits asks once.
pub(crate) fn ask_for_exact_timers() {
    thread_local!(static ASKED: Cell<bool> = const { Cell::new(false) });
    if !ASKED.replace(true) {
        // Without it (a sandbox that filters prctl) waits end later, which the histograms show.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_never_ends_early() {
        for length_ns in [0, 500, 5_000, 40_000, 150_000] {
            let deadline_ns = Clock::Wall.now_ns() + length_ns;
            let returned_ns = wait_until(deadline_ns);
            assert!(returned_ns >= deadline_ns);
            assert!(returned_ns <= Clock::Wall.now_ns());
        }
    }

    #[test]
    fn a_wait_for_the_past_returns_at_once_with_the_present() {
        let before_ns = Clock::Wall.now_ns();
        assert!(wait_until(before_ns.saturating_sub(1_000_000_000)) >= before_ns);
        assert!(wait_until(0) >= before_ns);
    }

    #[test]
    fn the_margin_covers_all_but_one_sleep_in_400() {
        // Half of the sleeps end 10 us late, and one in 50 up to 40 us more than that.
        let (mut median_ns, mut margin_ns, mut missed) = (5_000, 0, 0);
        let mut random = ground::SplitMix64::stream(1, 0);
        for turn in 0..100_000 {
            let drawn = random.next_u64();
            let late_ns = 8_000
                + (drawn >> 32) % 4_000
                + if drawn.is_multiple_of(50) { (drawn >> 8) % 40_000 } else { 0 };
            missed += u64::from(turn >= 50_000 && late_ns > median_ns + margin_ns + LATE_NS);
            margin_ns = next_margin_ns(margin_ns, median_ns, late_ns);
            median_ns = next_median_ns(median_ns, late_ns);
        }
        assert!((9_000..11_000).contains(&median_ns), "{median_ns}");
        assert!((3_000..MARGIN_MOST_NS).contains(&margin_ns), "{margin_ns}");
        assert!((100..150).contains(&missed), "{missed}");
        (0..10_000).for_each(|_| margin_ns = next_margin_ns(margin_ns, median_ns, 9_000));
        assert_eq!(margin_ns, 0, "a calm machine needs none");
        (0..100).for_each(|_| margin_ns = next_margin_ns(margin_ns, median_ns, 1 << 40));
        assert_eq!(margin_ns, MARGIN_MOST_NS);
    }

    #[test]
    fn the_shortest_sleep_is_bounded_and_fixed() {
        let (shortest_ns, costs_ns) = (shortest_sleep_ns(), timer_costs_ns().unwrap());
        assert!((SHORTEST_BOUNDS_NS.0..=SHORTEST_BOUNDS_NS.1).contains(&shortest_ns));
        assert_eq!((shortest_ns, costs_ns.len()), (shortest_sleep_ns(), TIMERS));
        assert!(costs_ns.iter().all(|cost_ns| *cost_ns > 0), "each was a call of the kernel");
    }

    #[test]
    fn the_early_wake_up_is_bounded_and_fixed() {
        let early = early_ns();
        assert!((EARLY_BOUNDS_NS.0..=EARLY_BOUNDS_NS.1).contains(&early));
        assert_eq!(early, early_ns());
    }
}
