//! Prints the table of false alarms and power in `verdict.rs`: `cargo run --release -p measure --example
//! false_alarms [SEEDS]`.
#![allow(clippy::print_stdout)]

#[path = "../tests/simulated/mod.rs"]
mod simulated;

use simulated::{LOUD, LOUD_MESSY, QUIET, USUAL, USUAL_MESSY, WILD, paired, shares};

/// Simulated experiments of each row.
const SEEDS: u64 = 50_000;

fn main() {
    let seeds = std::env::args().nth(1).and_then(|seeds| seeds.parse().ok()).unwrap_or(SEEDS);
    println!(
        "| noise | false alarms | of 3 pairs | 95 % excludes 1 | equivalent | 1.05x found | 1.1x | 1.2x | 1.5x |"
    );
    let beds = [
        ("cv 1 %", QUIET),
        ("cv 3 %", USUAL),
        ("cv 3 %, messy", USUAL_MESSY),
        ("cv 5 %", LOUD),
        ("cv 5 %, messy", LOUD_MESSY),
        ("cv 10 %", WILD),
    ];
    for (name, noise) in beds {
        let (better, worse, equivalent) = shares(seeds, 6, noise, 1.0, 0.03);
        let three = shares(seeds, 3, noise, 1.0, 0.03);
        let excludes_one = |seed: &u64| {
            let ratio = paired(*seed, 6, noise, 1.0);
            ratio.low > 1.0 || ratio.high < 1.0
        };
        let naive = (0..seeds).filter(excludes_one).count() as f64 / seeds as f64;
        let found = [1.05, 1.1, 1.2, 1.5].map(|effect| shares(seeds, 6, noise, effect, 0.03).0);
        let columns =
            [better + worse, three.0 + three.1, naive, equivalent, found[0], found[1], found[2], found[3]];
        println!("| {name} | {} |", columns.map(|share| format!("{:.2} %", share * 100.0)).join(" | "));
    }
}
