//! Work on many things in a few threads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The result of `work` for each item, in the order of the items; `at_once` of them run in parallel.
///
/// # Errors
/// The first error of a thread; the other threads go on to the end first.
///
/// # Panics
/// When `work` does.
pub(crate) fn each<T: Sync, R: Send>(
    items: &[T],
    at_once: usize,
    work: impl Fn(&T) -> anyhow::Result<R> + Sync,
) -> anyhow::Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let take_and_work = || {
        let mut made = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return Ok(made) };
            made.push((at, work(item)?));
        }
    };
    let parts: Vec<anyhow::Result<Vec<(usize, R)>>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(take_and_work)).collect();
        let joined = workers.into_iter().map(std::thread::ScopedJoinHandle::join);
        joined.map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let mut made = Vec::with_capacity(items.len());
    for part in parts {
        made.extend(part?);
    }
    made.sort_by_key(|(at, _)| *at);
    Ok(made.into_iter().map(|(_, made)| made).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_is_worked_on_once_and_errors_come_back() {
        let items: Vec<usize> = (0..100).collect();
        let made = each(&items, 4, |item| Ok(item * 2)).unwrap();
        assert_eq!(made, (0..200).step_by(2).collect::<Vec<_>>());
        let failed = each(&items, 4, |item| if *item == 7 { anyhow::bail!("seven") } else { Ok(()) });
        assert_eq!(failed.unwrap_err().to_string(), "seven");
    }
}
