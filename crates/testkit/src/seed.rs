//! Seeds of random tests: printed, and taken back.

/// The number that a random test begins with: that of `DRIVETRAIN_SEED`, else a new one. It is printed, and
/// shown by the harness when the test fails.
///
/// # Panics
/// When `DRIVETRAIN_SEED` is no number.
#[must_use]
#[allow(clippy::print_stdout)] // The harness keeps it for the tests that fail.
pub fn seed() -> u64 {
    let given = std::env::var("DRIVETRAIN_SEED").ok();
    let seed = given.map_or_else(new, |text| text.parse().expect("DRIVETRAIN_SEED is a number"));
    println!("DRIVETRAIN_SEED={seed}");
    seed
}

fn new() -> u64 {
    let since_epoch = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    since_epoch.as_nanos() as u64 ^ u64::from(std::process::id()).rotate_left(32)
}

/// Knuth's linear congruential generator MMIX: enough for moments at which something is killed.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next number below `limit`.
    ///
    /// # Panics
    /// When `limit` is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let numbers = |seed| {
            let mut random = Random(seed);
            std::array::from_fn::<u64, 8, _>(|_| random.below(100))
        };
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
        assert!(numbers(3).iter().all(|number| *number < 100));
    }
}
