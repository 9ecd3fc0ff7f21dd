//! The time that one thread spends in SQLite's calls for its files, apart by what they do.

use std::cell::Cell;
use std::time::Duration;

use ground::Clock;

/// Time in the calls of one thread. SQLite makes them one after the other, so that no two of them overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallTimes {
    /// In reads.
    pub read: Duration,
    /// In writes.
    pub write: Duration,
    /// In syncs.
    pub sync: Duration,
}

thread_local! {
    /// `None` while nobody asks: a load then reads no clock for it.
    static TIMES: Cell<Option<CallTimes>> = const { Cell::new(None) };
}

/// Does `work` and times the calls that this thread makes for files of mounts meanwhile. Not nested: an inner
/// use takes its time from the outer one.
pub fn time_calls<T>(work: impl FnOnce() -> T) -> (T, CallTimes) {
    let before = TIMES.replace(Some(CallTimes::default()));
    let done = work();
    (done, TIMES.replace(before).unwrap_or_default())
}

/// Makes a call, and adds its time to the part that `of` chooses where somebody asked for it.
pub(crate) fn timed<T>(of: fn(&mut CallTimes) -> &mut Duration, call: impl FnOnce() -> T) -> T {
    if TIMES.get().is_none() {
        return call();
    }
    let start = Clock::Wall.stopwatch();
    let answer = call();
    if let Some(mut times) = TIMES.get() {
        *of(&mut times) += start.elapsed();
        TIMES.set(Some(times));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_timed_by_what_they_do_and_only_while_somebody_asks() {
        let nap = || Clock::Wall.sleep(Duration::from_millis(2));
        timed(|times| &mut times.read, nap);
        let ((), times) = time_calls(|| {
            timed(|times| &mut times.write, nap);
            timed(|times| &mut times.write, nap);
        });
        assert!(times.write >= Duration::from_millis(4), "{times:?}");
        assert_eq!((times.read, times.sync), (Duration::ZERO, Duration::ZERO));
    }
}
