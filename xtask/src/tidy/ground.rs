//! The rule of the ground: nothing but `ground` makes a generator, and nothing but `ground` and tests reads a
//! clock.

/// Readings of clocks and sleeps. Timers of an async runtime wait and tell no time; they may stand anywhere.
const CLOCKS: [&str; 9] = [
    "Instant::now",
    "SystemTime::now",
    "EPOCH.elapsed",
    "Timestamp::now",
    "Zoned::now",
    "thread::sleep",
    "clock_gettime",
    "clock_nanosleep",
    "timer_settime",
];

/// Generators, and the constants of well-known ones and of FNV-1a by which one is written anew: in small
/// letters, without underscores.
const GENERATORS: [&str; 19] = [
    "randxoshiro",
    " rand::",
    "randcore",
    "randomstate",
    "getrandom",
    "/dev/urandom",
    // SplitMix64, and the streams made of it.
    "9e3779b97f4a7c15",
    "bf58476d1ce4e5b9",
    "94d049bb133111eb",
    "d1342543de82ef95",
    // FNV-1a; mixers of two multiplications.
    "cbf29ce484222325",
    "d6e8feb86659fd93",
    // Linear congruential generators: MMIX, the C library, Numerical Recipes, Java.
    "5851f42d4c957f2d",
    "6364136223846793005",
    "1442695040888963407",
    "1103515245",
    "1664525",
    "5deece66d",
    // Xorshift with a multiplication.
    "2545f4914f6cdd1d",
];

/// Files that may, and why.
const EXCEPT: [(&str, &str); 3] = [
    ("crates/disk/src/stamp.rs", "the clock by which a file system dates its files"),
    ("crates/disk/src/nonce.rs", "names and proofs that nobody can guess"),
    ("xtask/src/tidy/ground.rs", "the words themselves"),
];

/// Clocks outside of `ground` and tests, and generators outside of `ground`.
pub(super) fn clocks_and_generators(name: &str, text: &str) -> Vec<String> {
    if name.starts_with("crates/ground/") || EXCEPT.iter().any(|(file, _)| name == *file) {
        return Vec::new();
    }
    let product_lines = super::house::product(name, text).lines().count();
    let mut faults = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("//") {
            continue;
        }
        let place = format!("{name}:{}", index + 1);
        if index < product_lines
            && let Some(word) = CLOCKS.iter().find(|word| line.contains(**word))
        {
            faults.push(format!("{place}: `{word}`; take the time from ground::Clock"));
        }
        if let Some(word) = generator(line) {
            faults.push(format!("{place}: `{word}`; draw from ground::Random"));
        }
    }
    faults
}

/// The word by which a line makes a generator.
fn generator(line: &str) -> Option<&'static str> {
    let small = line.replace('_', "").to_lowercase();
    let named = GENERATORS.iter().find(|word| small.contains(**word)).map(|word| word.trim());
    // A step of xorshift: `x ^= x << 13`.
    let is_step = |(to, by): (&str, &str)| by.starts_with(to.trim()) && by.contains(['<', '>']);
    named.or_else(|| small.split_once(" ^= ").filter(|step| is_step(*step)).map(|_| "xorshift"))
}

/// Ways to a run's surroundings that pass its `World` by.
const AROUND_THE_WORLD: [&str; 6] = [
    "Clock::Wall",
    "CounterSource::",
    "Counters::read",
    "database::provision",
    "database::visit",
    "database::watch",
];

/// Clocks, counters and servers of `lab` that do not come from the run's `World`.
pub(super) fn world(name: &str, text: &str) -> Vec<String> {
    let makes_it = ["crates/lab/src/world.rs", "crates/lab/src/servers.rs"].contains(&name);
    if !name.starts_with("crates/lab/src/") || makes_it {
        return Vec::new();
    }
    let lines = super::house::product(name, text).lines().enumerate();
    let code = lines.filter(|(_, line)| !line.trim_start().starts_with("//"));
    let found = code.filter_map(|(index, line)| {
        let word = AROUND_THE_WORLD.iter().find(|word| line.contains(**word))?;
        Some(format!("{name}:{}: `{word}`; take it from the run's World", index + 1))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, text: &str) -> usize {
        clocks_and_generators(name, text).len()
    }

    #[test]
    fn a_run_has_its_surroundings_from_its_world() {
        let found = |name: &str, text: &str| world(name, text).len();
        let text = "let clock = Clock::Wall;\n// Clock::Wall\nlet bed = database::provision(spec);\n";
        assert_eq!(found("crates/lab/src/kind/scan/run.rs", text), 2);
        assert_eq!(found("crates/lab/src/world.rs", text), 0);
        assert_eq!(found("crates/lab/src/kind/tests.rs", text), 0);
        assert_eq!(found("crates/block/src/a.rs", text), 0);
    }

    #[test]
    fn only_the_ground_and_tests_read_a_clock() {
        let text = "let now = std::time::Instant::now();\n// Instant::now() is a reading\n";
        for name in ["crates/lab/src/a.rs", "bench/src/a.rs", "xtask/src/a.rs", "fuzz/src/a.rs"] {
            assert_eq!(found(name, text), 1);
        }
        assert_eq!(found("crates/ground/src/a.rs", text), 0);
        assert_eq!(found("crates/lab/src/a/tests.rs", text), 0);
        assert_eq!(found("crates/lab/tests/a.rs", text), 0);
        assert_eq!(found("crates/lab/src/a.rs", &format!("#[cfg(test)]\nmod tests {{\n{text}}}\n")), 0);
        assert_eq!(found("crates/lab/src/a.rs", "let since = std::time::UNIX_EPOCH.elapsed();\n"), 1);
    }

    #[test]
    fn only_the_ground_makes_a_generator() {
        let text = "use rand::Rng;\n";
        for name in
            ["crates/lab/src/a.rs", "crates/lab/src/a/tests.rs", "crates/lab/tests/a.rs", "bench/src/a.rs"]
        {
            assert_eq!(found(name, text), 1);
        }
        assert_eq!(found("crates/ground/src/a.rs", text), 0);
        assert_eq!(found("crates/lab/src/a.rs", &format!("#[cfg(test)]\nmod tests {{\n{text}}}\n")), 1);
        assert_eq!(found("crates/lab/src/a.rs", "(mixed).wrapping_mul(0xBF58_476D_1CE4_E5B9)\n"), 1);
        assert_eq!(found("crates/lab/src/a.rs", "        state ^= state << 13;\n"), 1);
        assert_eq!(found("crates/lab/src/a.rs", "const READ: u32 = 1 << 13;\nflags ^= READ << 1;\n"), 0);
        assert_eq!(found("crates/disk/src/nonce.rs", "getrandom::fill(&mut bytes)"), 0);
        assert_eq!(found("crates/lab/src/a.rs", "use crate::operand::Operand;\nuse super::nurand::C;\n"), 0);
    }
}
