//! The rule of the ground: nothing but `ground` reads a clock or makes a generator.

/// Readings of clocks and sleeps. Timers of an async runtime wait and tell no time; they may stand anywhere.
const CLOCKS: [&str; 8] = [
    "Instant::now",
    "SystemTime::now",
    "Timestamp::now",
    "Zoned::now",
    "thread::sleep",
    "clock_gettime",
    "clock_nanosleep",
    "timer_settime",
];

/// Generators, and the constants of SplitMix64, of FNV-1a and of common linear congruential generators by
/// which one is written anew: in small letters, without underscores.
const GENERATORS: [&str; 12] = [
    "xoshiro",
    " rand::",
    "randcore",
    "randomstate",
    "getrandom",
    "/dev/urandom",
    "9e3779b97f4a7c15",
    "bf58476d1ce4e5b9",
    "94d049bb133111eb",
    "cbf29ce484222325",
    "5851f42d4c957f2d",
    "6364136223846793005",
];

/// Files that may, and why.
const EXCEPT: [(&str, &str); 4] = [
    ("crates/disk/src/stamp.rs", "the clock by which a file system dates its files"),
    ("crates/disk/src/nonce.rs", "names and proofs that nobody can guess"),
    ("crates/experiment/src/workload/block/trace.rs", "an example of a checksum"),
    ("crates/testkit/src/seed.rs", "moments of tests, which no result holds"),
];

/// Clocks and generators in product code outside of `ground`.
pub(super) fn clocks_and_generators(name: &str, text: &str) -> Vec<String> {
    let is_free = !name.starts_with("crates/")
        || name.starts_with("crates/ground/")
        || EXCEPT.iter().any(|(file, _)| name == *file);
    if is_free {
        return Vec::new();
    }
    let mut faults = Vec::new();
    for (index, line) in super::house::product(name, text).lines().enumerate() {
        let found =
            |words: &[&'static str], line: &str| words.iter().find(|word| line.contains(**word)).copied();
        let place = format!("{name}:{}", index + 1);
        if line.trim_start().starts_with("//") {
            continue;
        }
        faults.extend(
            found(&CLOCKS, line).map(|word| format!("{place}: `{word}`; take the time from ground::Clock")),
        );
        faults.extend(
            found(&GENERATORS, &line.replace('_', "").to_lowercase())
                .map(|word| format!("{place}: `{}`; draw from ground::Random", word.trim())),
        );
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_ground_and_tests_read_a_clock_or_make_a_generator() {
        let found = |name: &str, text: &str| clocks_and_generators(name, text).len();
        let text = "let now = std::time::Instant::now();\nuse rand::Rng;\n// Instant::now() is a reading\n";
        assert_eq!(found("crates/lab/src/a.rs", text), 2);
        assert_eq!(found("crates/ground/src/a.rs", text), 0);
        assert_eq!(found("crates/lab/src/a/tests.rs", text), 0);
        assert_eq!(found("crates/lab/tests/a.rs", text), 0);
        assert_eq!(found("crates/lab/src/a.rs", &format!("#[cfg(test)]\nmod tests {{\n{text}}}\n")), 0);
        assert_eq!(found("crates/lab/src/a.rs", "(mixed).wrapping_mul(0xBF58_476D_1CE4_E5B9)\n"), 1);
        assert_eq!(found("crates/disk/src/nonce.rs", "getrandom::fill(&mut bytes)"), 0);
        assert_eq!(found("crates/lab/src/a.rs", "use crate::operand::Operand;\nuse super::nurand::C;\n"), 0);
    }
}
