//! Keying and think times (5.2.5).

use std::time::Duration;

use crate::driver::Pause;
use crate::tpcc::ask::deck::TransactionKind;

/// Keying times of 5.2.5.2 and mean think times of 5.2.5.4, seconds.
fn times_s(kind: TransactionKind) -> (u64, u64) {
    match kind {
        TransactionKind::NewOrder => (18, 12),
        TransactionKind::Payment => (3, 12),
        TransactionKind::OrderStatus => (2, 10),
        TransactionKind::Delivery => (2, 5),
        TransactionKind::StockLevel => (2, 5),
    }
}

/// The mean pause of a user between two transactions of the standard mix, rounded up to whole seconds.
pub const MEAN_PAUSE: Duration = Duration::from_secs(21);

/// The pause between the answer to `done` and the sending of `next`: thinking about the one, then keying in
/// the other. The first of a user is that of one that did the same before.
pub(super) fn pause(done: Option<TransactionKind>, next: TransactionKind) -> Pause {
    let think_s = times_s(done.unwrap_or(next)).1;
    Pause { fixed: Duration::from_secs(times_s(next).0), mean: Duration::from_secs(think_s) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_pause_is_that_of_a_deck() {
        // 5.2.4.2: of 23 cards 10, 10, 1, 1 and 1.
        let cards = [10, 10, 1, 1, 1];
        let of = |(kind, cards)| cards * (times_s(kind).0 + times_s(kind).1);
        let all: u64 = TransactionKind::ALL.into_iter().zip(cards).map(of).sum();
        assert_eq!(all.div_ceil(23), MEAN_PAUSE.as_secs());
    }

    #[test]
    fn a_user_thinks_about_the_last_and_keys_in_the_next() {
        let pause = pause(Some(TransactionKind::Payment), TransactionKind::NewOrder);
        assert_eq!((pause.fixed.as_secs(), pause.mean.as_secs()), (18, 12));
        let first = super::pause(None, TransactionKind::StockLevel);
        assert_eq!((first.fixed.as_secs(), first.mean.as_secs()), (2, 5));
    }
}
