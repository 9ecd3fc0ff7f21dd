//! The first requests of paced users: the load has its rate from the first second on.

use super::pacing::Pause;
use super::work::Work;
use ground::{SplitMix64, nanoseconds};

/// A user is as old at the start as so many mean pauses. The rate of a crowd that began together is even by
/// then: the test of this file finds each fifth of a pause within 3 % of the mean.
const PAUSES_BEFORE: f64 = 5.0;

/// The time from the start to the first request of `user`, ns. Its pauses begin long before the start, and
/// the first one that ends after it counts (the residual of a renewal process, Cox 1962, chapter 5). A user
/// that began with a pause of its own, or with a share of one, would be too early: a moment falls into a long
/// pause more often than into a short one.
pub(super) fn first_due_ns<W: Work>(
    work: &W,
    user: &mut W::User,
    factor: f64,
    chance: &mut SplitMix64,
) -> u64 {
    let mut left_ns = (nanoseconds(W::MEAN_PAUSE) as f64 * PAUSES_BEFORE) as u64;
    let mut done = None;
    loop {
        let pause: Pause = work.pause(user, done);
        let pause_ns = pause.draw_ns(1.0, chance);
        if pause_ns > left_ns {
            return ((pause_ns - left_ns) as f64 * factor) as u64;
        }
        if pause == Pause::NONE {
            return 0;
        }
        left_ns -= pause_ns;
        done = Some(work.class(&work.next(user)));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::driver::tests::Numbers;

    #[test]
    fn users_ask_at_an_even_rate_from_the_start() {
        const USERS: u32 = 100_000;
        let slot_ns = nanoseconds(Numbers::MEAN_PAUSE) / 5;
        let mut chance = SplitMix64::stream(7, 0);
        let mut slots = [0_u32; 25];
        for user in 0..USERS {
            let mut user = Numbers.user(user);
            let mut at_ns = first_due_ns(&Numbers, &mut user, 1.0, &mut chance);
            while let Some(slot) = slots.get_mut((at_ns / slot_ns) as usize) {
                *slot += 1;
                at_ns += Numbers.pause(&mut user, Some(0)).draw_ns(1.0, &mut chance);
            }
        }
        // A fifth of a mean pause: 20,000 requests of 100,000 users, with a standard deviation of about 130.
        for (number, count) in slots.into_iter().enumerate() {
            assert!((19_400..=20_600).contains(&count), "slot {number}: {slots:?}");
        }
    }

    #[test]
    fn pauses_are_stretched_and_may_be_none() {
        let due =
            |factor| first_due_ns(&Numbers, &mut Numbers.user(1), factor, &mut SplitMix64::stream(3, 0));
        assert_eq!(due(0.0), 0);
        let (once, eight_times) = (due(1.0), due(8.0));
        assert!(once > 0 && eight_times.abs_diff(8 * once) <= 8, "{once} {eight_times}");
        assert!(Duration::from_nanos(once) < Duration::from_secs(4));
    }
}
