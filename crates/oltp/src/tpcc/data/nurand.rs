//! Non-uniform random numbers (2.1.6).

use super::stream::Stream;

/// The constants C of one run: chosen once, the same for all virtual users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Constants {
    /// For last names, 0 to 255.
    pub(crate) last_name: u32,
    /// For customer numbers, 0 to 1023.
    pub(crate) customer: u32,
    /// For item numbers, 0 to 8191.
    pub(crate) item: u32,
}

/// Stream of a seed from which the constants are drawn.
const STREAM: u64 = u64::MAX;

impl Constants {
    /// Constants of a load.
    pub(crate) fn for_load(seed: u64) -> Self {
        let mut stream = Stream::new(seed, STREAM);
        Self {
            last_name: stream.uniform(0, 255),
            customer: stream.uniform(0, 1023),
            item: stream.uniform(0, 8191),
        }
    }

    /// Constants of a run on a database whose names were loaded with `c_load`; keeps the rule of 2.1.6.1.
    pub(crate) fn for_run(seed: u64, c_load: u32) -> Self {
        let mut stream = Stream::new(seed, STREAM - 1);
        let allowed: Vec<u32> = (0..=255).filter(|&c_run| run_constant_is_valid(c_load, c_run)).collect();
        let choice = stream.uniform(0, allowed.len() as u32 - 1);
        Self {
            last_name: allowed[choice as usize],
            customer: stream.uniform(0, 1023),
            item: stream.uniform(0, 8191),
        }
    }
}

/// 2.1.6.1: the constants for names differ by 65 to 119 between load and run, but by neither 96 nor 112.
pub(crate) fn run_constant_is_valid(c_load: u32, c_run: u32) -> bool {
    let delta = c_load.abs_diff(c_run);
    (65..=119).contains(&delta) && delta != 96 && delta != 112
}

/// NURand(255, 0, names - 1): which last name.
pub(crate) fn last_name(stream: &mut Stream, c: u32, names: u32) -> u32 {
    nurand(stream, 255, 0, names - 1, c)
}

/// NURand(1023, 1, customers): which customer of a district.
pub(crate) fn customer(stream: &mut Stream, c: u32, customers: u32) -> u32 {
    nurand(stream, 1023, 1, customers, c)
}

/// NURand(8191, 1, items): which item.
pub(crate) fn item(stream: &mut Stream, c: u32, items: u32) -> u32 {
    nurand(stream, 8191, 1, items, c)
}

/// 2.1.6: (((random(0, A) | random(x, y)) + C) mod (y - x + 1)) + x.
fn nurand(stream: &mut Stream, a: u32, x: u32, y: u32, c: u32) -> u32 {
    let drawn = stream.uniform(0, a) | stream.uniform(x, y);
    (drawn + c) % (y - x + 1) + x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_vectors() {
        let mut stream = Stream::new(42, 1);
        let drawn: [Vec<u32>; 3] = [
            (0..6).map(|_| last_name(&mut stream, 123, 1_000)).collect(),
            (0..6).map(|_| customer(&mut stream, 259, 3_000)).collect(),
            (0..6).map(|_| item(&mut stream, 7_911, 100_000)).collect(),
        ];
        assert_eq!(drawn, GOLDEN);
        assert_eq!(Constants::for_load(42), GOLDEN_LOAD);
        assert_eq!(Constants::for_run(42, GOLDEN_LOAD.last_name), GOLDEN_RUN);
    }

    const GOLDEN: [[u32; 6]; 3] = [
        [869, 622, 146, 626, 886, 146],
        [325, 513, 2129, 755, 763, 1213],
        [95911, 38567, 5727, 56883, 32119, 18983],
    ];
    const GOLDEN_LOAD: Constants = Constants { last_name: 211, customer: 632, item: 2025 };
    const GOLDEN_RUN: Constants = Constants { last_name: 141, customer: 42, item: 1741 };

    #[test]
    fn every_load_constant_leaves_run_constants() {
        for c_load in 0..=255 {
            for seed in 0..20 {
                let c_run = Constants::for_run(seed, c_load).last_name;
                let delta = c_load.abs_diff(c_run);
                assert!((65..=119).contains(&delta) && delta != 96 && delta != 112, "{c_load} {c_run}");
            }
        }
    }

    #[test]
    fn stays_in_range_and_favours_the_hot() {
        let mut stream = Stream::new(5, 5);
        let mut counts = vec![0_u32; 3_001];
        for _ in 0..300_000 {
            counts[customer(&mut stream, 17, 3_000) as usize] += 1;
        }
        assert_eq!(counts[0], 0);
        counts.sort_unstable_by(|a, b| b.cmp(a));
        // facts: the hottest fifth of stock pages takes most accesses; for customers the hottest tenth takes
        // far more than a tenth.
        let hottest_tenth: u32 = counts[..300].iter().sum();
        assert!(hottest_tenth > 300_000 / 3, "{hottest_tenth}");
    }
}
