//! Keeping a thread to one processor.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Keeps the calling thread to the `number`-th of the processors it may use, counted around. Best effort: a
/// machine that forbids it runs the thread wherever it likes.
pub(crate) fn to_processor(number: u32) {
    let Ok(allowed) = sched_getaffinity(None) else { return };
    let there: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu)).collect();
    if there.is_empty() {
        return;
    }
    let mut one = CpuSet::new();
    one.set(there[number as usize % there.len()]);
    let _ = sched_setaffinity(None, &one);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_kept_to_one_processor_of_those_it_may_use() {
        std::thread::spawn(|| {
            let before = sched_getaffinity(None).unwrap();
            to_processor(7);
            let after = sched_getaffinity(None).unwrap();
            assert_eq!(after.count(), 1);
            assert!((0..CpuSet::MAX_CPU).all(|cpu| !after.is_set(cpu) || before.is_set(cpu)));
        })
        .join()
        .unwrap();
    }
}
