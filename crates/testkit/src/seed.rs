//! Seeds of random tests: printed, and taken back.

use ground::Clock;

/// The number that a random test begins with: that of `DRIVETRAIN_SEED`, else a new one. It is printed, and
/// shown by the harness when the test fails. The test draws from [`ground::Random`].
///
/// # Panics
/// When `DRIVETRAIN_SEED` is no number.
#[must_use]
#[allow(clippy::print_stdout)] // The harness keeps it for the tests that fail.
pub fn seed() -> u64 {
    let given = std::env::var("DRIVETRAIN_SEED").ok();
    let seed = given.map_or_else(new_seed, |text| text.parse().expect("DRIVETRAIN_SEED is a number"));
    println!("DRIVETRAIN_SEED={seed}");
    seed
}

/// A seed that nobody gave: another one at each call.
#[must_use]
pub fn new_seed() -> u64 {
    ground::mix(Clock::Wall.now_ns() ^ u64::from(std::process::id()).rotate_left(32))
}
