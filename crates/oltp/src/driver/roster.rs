//! The users of one worker, by the time of their next request.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ground::SplitMix64;

/// The source of the next requests.
#[derive(Debug)]
pub(crate) enum Roster {
    /// Paced users: 16 bytes each.
    Users(BinaryHeap<Reverse<(u64, u32)>>),
    /// Arrivals from outside; users take turns. Those that are late already need no memory: each follows from
    /// the one before.
    Arrivals { next_ns: u64, mean_ns: f64, chance: SplitMix64, turn: u32, users: u32 },
}

impl Roster {
    pub(crate) fn users(first: impl Iterator<Item = (u64, u32)>) -> Self {
        Self::Users(first.map(Reverse).collect())
    }

    pub(crate) fn arrivals(start_ns: u64, mean_ns: f64, chance: SplitMix64, users: u32) -> Self {
        let mut roster = Self::Arrivals { next_ns: start_ns, mean_ns, chance, turn: 0, users };
        roster.advance();
        roster
    }

    /// When the next request is due; `None` when every user is being served.
    pub(crate) fn next_ns(&self) -> Option<u64> {
        match self {
            Self::Users(heap) => heap.peek().map(|Reverse((due_ns, _))| *due_ns),
            Self::Arrivals { next_ns, .. } => Some(*next_ns),
        }
    }

    /// Takes the next request if it is due.
    pub(crate) fn take(&mut self, now_ns: u64) -> Option<(u64, u32)> {
        if self.next_ns()? > now_ns {
            return None;
        }
        match self {
            Self::Users(heap) => heap.pop().map(|Reverse(due)| due),
            Self::Arrivals { next_ns, turn, users, .. } => {
                let due = (*next_ns, *turn);
                *turn = (*turn + 1) % *users;
                self.advance();
                Some(due)
            }
        }
    }

    /// A user is back and due again at `due_ns`.
    pub(crate) fn put(&mut self, due_ns: u64, user: u32) {
        if let Self::Users(heap) = self {
            heap.push(Reverse((due_ns, user)));
        }
    }

    /// Arrivals before `end_ns` in at most `bundles` evenly spaced bundles at the mean rate: too many to be
    /// drawn one by one.
    pub(crate) fn bundles(&self, end_ns: u64, bundles: u64) -> Vec<(u32, u64, u64)> {
        let Self::Arrivals { next_ns, mean_ns, users, .. } = *self else { return Vec::new() };
        let count = (end_ns.saturating_sub(next_ns) as f64 / mean_ns) as u64;
        let size = count.div_ceil(bundles).max(1);
        let bundle = |first: u64| {
            let here = size.min(count - first);
            let middle_ns = next_ns + ((first + here / 2) as f64 * mean_ns) as u64;
            ((first % u64::from(users)) as u32, middle_ns.min(end_ns - 1), here)
        };
        (0..count).step_by(size as usize).map(bundle).collect()
    }

    fn advance(&mut self) {
        if let Self::Arrivals { next_ns, mean_ns, chance, .. } = self {
            *next_ns += (*mean_ns * chance.exponential()) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_come_in_the_order_of_their_time() {
        let mut roster = Roster::users([(30, 1), (10, 2), (20, 3)].into_iter());
        assert_eq!(roster.take(9), None);
        assert_eq!(roster.take(25), Some((10, 2)));
        roster.put(15, 2);
        assert_eq!((roster.take(25), roster.take(25), roster.take(25)), (Some((15, 2)), Some((20, 3)), None));
        assert_eq!(roster.next_ns(), Some(30));
        assert_eq!(roster.take(30), Some((30, 1)));
        assert_eq!(roster.next_ns(), None);
    }

    #[test]
    fn too_many_arrivals_come_in_bundles() {
        let roster = Roster::arrivals(0, 10.0, SplitMix64::stream(3, 0), 4);
        let bundles = roster.bundles(1_000_000, 100);
        assert!(bundles.len() <= 100);
        let count: u64 = bundles.iter().map(|bundle| bundle.2).sum();
        assert!((99_900..=100_000).contains(&count), "{count}");
        assert!(bundles.windows(2).all(|pair| pair[0].1 < pair[1].1) && bundles[99].1 < 1_000_000);
        assert_eq!(Roster::users(std::iter::empty()).bundles(9, 9), []);
    }

    #[test]
    fn arrivals_keep_their_rate_whether_or_not_they_are_served() {
        let mut roster = Roster::arrivals(1_000, 1e6, SplitMix64::stream(3, 0), 4);
        let served: Vec<(u64, u32)> = std::iter::from_fn(|| roster.take(10_000_001_000)).collect();
        // 10 s at 1,000/s: 10,000 arrivals with a standard deviation of 100.
        assert!((9_600..=10_400).contains(&served.len()), "{}", served.len());
        assert!(served.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        assert!(served.iter().zip(0..).all(|(&(_, user), n)| user == n % 4));
    }
}
