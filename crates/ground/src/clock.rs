//! The clock: of the machine, or virtual.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustix::time::{ClockId, Timespec, clock_gettime};

use crate::cpu::CpuTimes;
use crate::virtual_time::VirtualTime;

/// A clock that is handed to all who need the time. Clones show the same time.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    /// The monotonic clock of the machine. Code that waits for the machine itself names it.
    #[default]
    Wall,
    /// Virtual time; made by [`Clock::virtual_from`].
    Virtual(VirtualClock),
}

/// A virtual clock: its threads take turns, and its time moves when all of them wait.
#[derive(Clone, Debug)]
pub struct VirtualClock(pub(crate) Arc<VirtualTime>);

impl Clock {
    /// A virtual clock of which the calling thread is the first participant. `date` is the date at its start.
    ///
    /// Its participants run one at a time and in a fixed order: whoever waits for the nearest moment is next,
    /// and among equals who began to wait first. So a program that draws its random numbers from a seed does
    /// the same at each run. A participant that waits must wait by this clock, by a
    /// [`Monitor`](crate::Monitor) or by [`Thread::join`](crate::Thread::join): a thread that is held up
    /// elsewhere holds up the time. Processors cost nothing there: all processor times are 0.
    #[must_use]
    pub fn virtual_from(date: SystemTime) -> Clock {
        Clock::Virtual(VirtualClock(Arc::new(VirtualTime::new(date))))
    }

    /// True if time is virtual.
    #[must_use]
    pub fn is_virtual(&self) -> bool {
        matches!(self, Clock::Virtual(_))
    }

    /// Nanoseconds from a fixed moment: of `CLOCK_MONOTONIC`, or of virtual time.
    #[inline]
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        match self {
            Clock::Wall => nanoseconds_of(ClockId::Monotonic),
            Clock::Virtual(clock) => clock.0.now_ns(),
        }
    }

    /// Time since a moment of this clock; nothing for one that is still to come.
    #[must_use]
    pub fn since(&self, earlier_ns: u64) -> Duration {
        Duration::from_nanos(self.now_ns().saturating_sub(earlier_ns))
    }

    /// A stopwatch that starts now.
    #[must_use]
    pub fn stopwatch(&self) -> Stopwatch {
        Stopwatch { clock: self.clone(), start_ns: self.now_ns() }
    }

    /// Sleeps for at least this long. A virtual clock lets the others have their turn even for no time.
    pub fn sleep(&self, time: Duration) {
        self.sleep_until(self.now_ns().saturating_add(nanoseconds(time)));
    }

    /// Sleeps until this moment of this clock.
    pub fn sleep_until(&self, until_ns: u64) {
        match self {
            Clock::Wall => {
                let until = Timespec {
                    tv_sec: (until_ns / 1_000_000_000) as i64,
                    tv_nsec: (until_ns % 1_000_000_000) as i64,
                };
                // Interrupted by a signal, it goes on.
                while rustix::thread::clock_nanosleep_absolute(ClockId::Monotonic, &until)
                    == Err(rustix::io::Errno::INTR)
                {}
            }
            Clock::Virtual(clock) => clock.0.sleep_until(until_ns),
        }
    }

    /// The date, for timestamps. Differences of dates are no measure of time.
    #[must_use]
    pub fn date(&self) -> SystemTime {
        match self {
            Clock::Wall => SystemTime::now(),
            Clock::Virtual(clock) => clock.0.date(),
        }
    }

    /// The date in ms since 1970.
    #[must_use]
    pub fn unix_ms(&self) -> i64 {
        let since = self.date().duration_since(SystemTime::UNIX_EPOCH);
        since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    /// Processor times of this thread and of this process so far.
    #[must_use]
    pub fn cpu(&self) -> CpuTimes {
        match self {
            Clock::Wall => CpuTimes::now(),
            Clock::Virtual(_) => CpuTimes::default(),
        }
    }

    /// Processor time of this thread so far, ns.
    #[must_use]
    pub fn thread_cpu_ns(&self) -> u64 {
        match self {
            Clock::Wall => nanoseconds_of(ClockId::ThreadCPUTime),
            Clock::Virtual(_) => 0,
        }
    }
}

/// Time since a moment.
#[derive(Clone, Debug)]
pub struct Stopwatch {
    clock: Clock,
    start_ns: u64,
}

impl Stopwatch {
    /// Time since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.clock.since(self.start_ns)
    }

    /// Time since the start, s.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.elapsed().as_secs_f64()
    }

    /// The moment of the start on its clock, ns.
    #[must_use]
    pub fn start_ns(&self) -> u64 {
        self.start_ns
    }
}

/// A duration in ns. A quarter of the range of `u64` stands for anything longer, so that moments of a clock
/// can be added to it.
#[must_use]
pub fn nanoseconds(time: Duration) -> u64 {
    const MOST: u64 = u64::MAX / 4;
    u64::try_from(time.as_nanos()).map_or(MOST, |ns| ns.min(MOST))
}

#[inline]
pub(crate) fn nanoseconds_of(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wall_clock_never_wakes_early() {
        let clock = Clock::Wall;
        for wait in [0, 1_000, 200_000].map(Duration::from_nanos) {
            let watch = clock.stopwatch();
            clock.sleep(wait);
            assert!(watch.elapsed() >= wait && watch.seconds() > 0.0);
        }
        clock.sleep_until(0);
        assert_eq!(clock.since(u64::MAX), Duration::ZERO);
    }

    #[test]
    fn dates_and_processor_times_are_the_machines() {
        let (before, date) = (SystemTime::now(), Clock::Wall.date());
        assert!(before <= date && Clock::Wall.unix_ms() > 1_700_000_000_000);
        let first_ns = Clock::Wall.thread_cpu_ns();
        while Clock::Wall.thread_cpu_ns() == first_ns {
            std::hint::spin_loop();
        }
    }

    #[test]
    fn no_duration_overflows_a_moment() {
        assert_eq!(nanoseconds(Duration::from_micros(3)), 3_000);
        assert!(Clock::Wall.now_ns().checked_add(nanoseconds(Duration::MAX)).is_some());
    }
}
