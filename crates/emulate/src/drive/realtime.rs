//! Threads of a drive have priority over the programs that use it.
//!
//! A drive does not wait for a processor: it completes while all of them are busy, and only the program that
//! it wakes queues for one. A thread that answers for a modelled drive is therefore put into a real-time
//! class (`sched(7)`: `SCHED_RR`) where the process may ask for that, which is root's right by default. It
//! works for microseconds at a time and sleeps in between; the kernel keeps a twentieth of each second for
//! all others whatever happens (`sched_rt_runtime_us`).
#![allow(unsafe_code)] // sched_setscheduler(2) has no safe wrapper of the kernel's own call.

use std::cell::Cell;

/// The lowest real-time priority: above every ordinary program, below every other real-time one.
const PRIORITY: i32 = 1;

/// The class of a thread, as far as it was asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Unasked,
    First,
    /// An ordinary one again, by its own wish.
    SteppedBack,
    Refused,
}

thread_local!(static CLASS: Cell<Class> = const { Cell::new(Class::Unasked) });

/// Asks that the calling thread comes first, unless that was refused before. Returns whether it does.
pub(crate) fn come_first() -> bool {
    if matches!(CLASS.get(), Class::Unasked | Class::SteppedBack) {
        CLASS.set(if ask(libc::SCHED_RR, PRIORITY) { Class::First } else { Class::Refused });
    }
    comes_first()
}

/// Makes the calling thread an ordinary one until it asks to come first again.
pub(crate) fn step_back() {
    if comes_first() && ask(libc::SCHED_OTHER, 0) {
        CLASS.set(Class::SteppedBack);
    }
}

/// True if the calling thread is a real-time thread.
pub(crate) fn comes_first() -> bool {
    CLASS.get() == Class::First
}

/// Asks the kernel itself: musl's function refuses, because POSIX means the process where Linux means the
/// thread.
fn ask(class: i32, priority: i32) -> bool {
    let class = class | libc::SCHED_RESET_ON_FORK;
    // SAFETY: `struct sched_param` of the kernel (linux/sched/types.h) is one `int`, which lives for the
    // call; 0 is the calling thread, which needs no right beyond its own.
    unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, class, &raw const priority) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scheduling class of the calling thread, with its flags.
    fn class() -> i32 {
        // SAFETY: it takes and returns a number; 0 is the calling thread.
        unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) as i32 }
    }

    #[test]
    fn a_thread_asks_once_and_its_children_are_ordinary() {
        let first = std::thread::spawn(|| {
            assert!(!comes_first(), "nobody asked yet");
            let granted = come_first();
            assert_eq!((comes_first(), come_first()), (granted, granted));
            assert_eq!(class() & !libc::SCHED_RESET_ON_FORK == libc::SCHED_RR, granted);
            assert_eq!(std::thread::spawn(class).join().unwrap(), libc::SCHED_OTHER);
            step_back();
            assert!(!comes_first());
            assert_eq!(class() & !libc::SCHED_RESET_ON_FORK, libc::SCHED_OTHER);
            assert_eq!(come_first(), granted, "it may come first again");
        });
        first.join().unwrap();
        assert!(!comes_first() && class() == libc::SCHED_OTHER, "other threads are as they were");
    }
}
