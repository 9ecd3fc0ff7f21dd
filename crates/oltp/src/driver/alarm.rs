//! Wakes a worker at a moment, exact to some microseconds. The runtime's own timer rounds up to whole
//! milliseconds twice, once in its wheel and once in its call of `epoll_wait`: requests with a pace would
//! begin 1 ms too late on average, and 2 ms at worst, and their latencies would count it.
#![allow(unsafe_code)] // The runtime gives a descriptor's number to the kernel and cannot see itself that it stays open.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use ground::{Clock, nanoseconds};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// The alarm of one worker.
#[derive(Debug)]
pub(crate) enum Alarm {
    /// A timer of the kernel among the sockets of the runtime: other sessions go on meanwhile.
    Timer(AsyncFd<OwnedFd>),
    /// The only session of a thread sleeps in its call, as it waits in its others.
    Thread,
}

impl Alarm {
    /// Sets the alarm up. One that does not block needs a runtime with sockets around it.
    ///
    /// # Errors
    /// When the process has no file descriptor left.
    pub(crate) fn new(blocks: bool) -> io::Result<Self> {
        if blocks {
            return Ok(Self::Thread);
        }
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        // SAFETY: the timer belongs to this alarm alone and is closed with it, after the runtime forgot it.
        let registered = unsafe { AsyncFd::register_with_interest(timer, Interest::READABLE) };
        Ok(Self::Timer(registered?))
    }

    /// Waits this long. It may come back earlier, if a wait before was dropped: the caller looks at the time.
    pub(crate) async fn wait(&self, time: Duration) {
        match self {
            Self::Thread => Clock::Wall.sleep(time),
            Self::Timer(timer) => {
                // Setting it makes the descriptor unreadable again, so that nothing has to be read from it.
                // No time at all would switch it off.
                let ns = nanoseconds(time).max(1);
                let it_value =
                    Timespec { tv_sec: (ns / 1_000_000_000) as i64, tv_nsec: (ns % 1_000_000_000) as i64 };
                let it_interval = Timespec { tv_sec: 0, tv_nsec: 0 };
                let spec = Itimerspec { it_interval, it_value };
                let set = timerfd_settime(timer, TimerfdTimerFlags::empty(), &spec).is_ok();
                match if set { timer.readable().await.ok() } else { None } {
                    Some(mut ready) => ready.clear_ready(),
                    // That happens to no timer of the right kind; the runtime's is better than none.
                    None => tokio::time::sleep(time).await,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::runtime::Builder;

    use super::*;

    /// Never a moment too early, and a wait that was dropped leaves none behind that never ends.
    #[test]
    fn it_waits_at_least_so_long_and_can_be_set_again() {
        for blocks in [true, false] {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let alarm = Alarm::new(blocks).unwrap();
                for time_us in [0, 30, 700, 1_500] {
                    let (time, clock) = (Duration::from_micros(time_us), Clock::Wall.stopwatch());
                    alarm.wait(time).await;
                    assert!(clock.elapsed() >= time, "{blocks} {time:?}");
                }
                if blocks {
                    return;
                }
                let dropped = tokio::time::timeout(Duration::from_millis(2), alarm.wait(Duration::MAX)).await;
                assert!(dropped.is_err(), "the other was first");
                alarm.wait(Duration::from_micros(10)).await;
                let (time, clock) = (Duration::from_millis(3), Clock::Wall.stopwatch());
                while clock.elapsed() < time {
                    alarm.wait(time.saturating_sub(clock.elapsed())).await;
                }
            });
        }
    }
}
