//! The kernel scheduler's times of a thread: how long it ran, and how long it was ready and waited for a
//! processor. Both come from `schedstat` (`Documentation/scheduler/sched-stats.rst`), which any user may
//! read.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;

use rustix::thread::Pid;

/// Times of one thread since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Scheduled {
    /// On a processor, ns.
    pub(super) ran_ns: u64,
    /// Ready and without one, ns.
    pub(super) waited_ns: u64,
}

impl Scheduled {
    /// Those of a thread of this machine; `None` once it has ended, or where the kernel does not count.
    pub(super) fn of(thread: Pid) -> Option<Scheduled> {
        parse(&fs::read_to_string(format!("/proc/{thread}/schedstat")).ok()?)
    }

    /// The times since `earlier`.
    pub(super) fn since(self, earlier: Scheduled) -> Scheduled {
        Scheduled {
            ran_ns: self.ran_ns.saturating_sub(earlier.ran_ns),
            waited_ns: self.waited_ns.saturating_sub(earlier.waited_ns),
        }
    }
}

fn parse(text: &str) -> Option<Scheduled> {
    let mut numbers = text.split_ascii_whitespace().map(str::parse);
    let (Some(Ok(ran_ns)), Some(Ok(waited_ns))) = (numbers.next(), numbers.next()) else { return None };
    Some(Scheduled { ran_ns, waited_ns })
}

/// The calling thread's own times, which it may ask for often.
pub(super) struct Own(File);

impl Own {
    /// # Errors
    /// The kernel does not count.
    pub(super) fn open() -> io::Result<Own> {
        File::open("/proc/thread-self/schedstat").map(Own)
    }

    /// As of now; zero where the kernel does not tell.
    pub(super) fn now(&self) -> Scheduled {
        let mut text = [0; 64];
        let len = self.0.read_at(&mut text, 0).unwrap_or(0);
        std::str::from_utf8(&text[..len]).ok().and_then(parse).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_tell_the_same_thread() {
        let own = Own::open().unwrap();
        let before = own.now();
        let mut sum = 0_u64;
        while own.now().since(before).ran_ns < 200_000 {
            (0..10_000).for_each(|number| sum = std::hint::black_box(sum.wrapping_add(number)));
        }
        let of = Scheduled::of(rustix::thread::gettid()).unwrap();
        assert!(of.ran_ns >= before.ran_ns + 200_000 && of.waited_ns >= before.waited_ns);
        assert_eq!(
            own.now().since(Scheduled { ran_ns: u64::MAX, waited_ns: u64::MAX }),
            Scheduled::default()
        );
        assert_eq!((parse("1 2 3\n").map(|of| of.waited_ns), parse("x"), parse("1")), (Some(2), None, None));
    }
}
