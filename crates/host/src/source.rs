//! The source of the counters that a run reads.

use ground::Clock;

use crate::counters::Counters;
use crate::own_reads;

/// The source of counters: the machine, or nothing where time is virtual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterSource {
    /// The kernel's files.
    Machine,
    /// No machine is there: no counter is ever read.
    Nothing,
}

impl CounterSource {
    /// The source that belongs to a clock: no counter of the machine says anything about virtual time.
    #[must_use]
    pub fn of(clock: &Clock) -> CounterSource {
        if clock.is_virtual() { CounterSource::Nothing } else { CounterSource::Machine }
    }

    /// All counters now; `None` where there are none, or they cannot be read.
    #[must_use]
    pub fn read(self) -> Option<Counters> {
        match self {
            CounterSource::Machine => Counters::read().ok(),
            CounterSource::Nothing => None,
        }
    }

    /// Bytes that this process has had read from storage and written to it since its start; `None` where the
    /// kernel does not count them.
    #[must_use]
    pub fn own_io_bytes(self) -> Option<u64> {
        match self {
            CounterSource::Machine => own_reads::own_io_bytes(),
            CounterSource::Nothing => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn virtual_time_reads_no_counter() {
        let clock = Clock::virtual_from(std::time::SystemTime::UNIX_EPOCH);
        let source = CounterSource::of(&clock);
        assert_eq!((source.read(), source.own_io_bytes()), (None, None));
        assert!(CounterSource::of(&Clock::Wall).read().is_some());
    }
}
