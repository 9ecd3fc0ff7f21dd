//! CPU time of this thread and this process.
#![allow(unsafe_code)] // getrusage of one thread is not in the safe wrappers.

use rustix::time::{ClockId, clock_gettime};

/// CPU times at one moment, in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CpuTimes {
    /// User time of the calling thread.
    pub(crate) user_ns: u64,
    /// System time of the calling thread.
    pub(crate) system_ns: u64,
    /// User and system time of the whole process.
    pub(crate) process_ns: u64,
}

impl CpuTimes {
    /// Reads them now.
    pub(crate) fn now() -> CpuTimes {
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the pointer is to a rusage of our own; all-zero bytes are a valid one even if the call
        // failed.
        let usage = unsafe {
            libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
            usage.assume_init()
        };
        let process = clock_gettime(ClockId::ProcessCPUTime);
        CpuTimes {
            user_ns: timeval_ns(usage.ru_utime),
            system_ns: timeval_ns(usage.ru_stime),
            process_ns: process.tv_sec as u64 * 1_000_000_000 + process.tv_nsec as u64,
        }
    }

    /// The processor time used since `earlier`.
    pub(crate) fn since(self, earlier: CpuTimes) -> CpuTimes {
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
