//! Processor time of a thread and of this process.
#![allow(unsafe_code)] // getrusage of one thread is not in the safe wrappers.

use rustix::time::ClockId;

use crate::clock::nanoseconds_of;

/// Processor times at one moment, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTimes {
    /// User time of the calling thread.
    pub user_ns: u64,
    /// System time of the calling thread.
    pub system_ns: u64,
    /// User and system time of the whole process.
    pub process_ns: u64,
}

impl CpuTimes {
    pub(crate) fn now() -> CpuTimes {
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the pointer is to a rusage of our own; all-zero bytes are a valid one even if the call
        // failed.
        let usage = unsafe {
            libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
            usage.assume_init()
        };
        CpuTimes {
            user_ns: timeval_ns(usage.ru_utime),
            system_ns: timeval_ns(usage.ru_stime),
            process_ns: nanoseconds_of(ClockId::ProcessCPUTime),
        }
    }

    /// The time used since `earlier`.
    #[must_use]
    pub fn since(self, earlier: CpuTimes) -> CpuTimes {
        CpuTimes {
            user_ns: self.user_ns.saturating_sub(earlier.user_ns),
            system_ns: self.system_ns.saturating_sub(earlier.system_ns),
            process_ns: self.process_ns.saturating_sub(earlier.process_ns),
        }
    }
}

fn timeval_ns(time: libc::timeval) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted() {
        let before = CpuTimes::now();
        let mut sum = 0u64;
        let mut used = CpuTimes::default();
        for round in 0..1_000_000 {
            (0..10_000u64).for_each(|i| sum = std::hint::black_box(sum.wrapping_add(i)));
            used = CpuTimes::now().since(before);
            if used.process_ns > 20_000_000 && used.user_ns + used.system_ns > 0 {
                break;
            }
            assert!(round < 999_999, "CPU time stands still");
        }
        assert!(used.process_ns >= 20_000_000);
    }
}
