//! The demands of one transaction of each kind: processor time, page reads, a commit.

use ground::Random;

use crate::pool::{Pages, Transaction};

/// Demands of the five transactions on one machine.
#[derive(Clone, Debug)]
pub(crate) struct Demands {
    /// Processor nanoseconds of each kind.
    cpu_ns: [f64; 5],
    /// Chance of at most n reads, by kind and n.
    reads: [Vec<f64>; 5],
}

/// Processor time of each kind against the others: by the statements of each (23 of new order, 7 of payment,
/// 4, 70 and 2 heavy ones).
const CPU_WEIGHTS: [f64; 5] = [1.45, 0.65, 0.6, 1.8, 1.0];
const CARDS: u32 = 23;
/// Chances below this do not matter.
const NEGLIGIBLE: f64 = 1e-9;

impl Demands {
    /// Demands with `cpu_ns` of processor time for the average transaction and a pool of `pool_bytes`.
    pub(crate) fn new(pages: &Pages, pool_bytes: f64, cpu_ns: f64) -> Demands {
        let cards = |t: Transaction| f64::from(t.cards()) / f64::from(CARDS);
        let mean: f64 = Transaction::ALL.iter().zip(CPU_WEIGHTS).map(|(&t, weight)| cards(t) * weight).sum();
        Demands {
            cpu_ns: CPU_WEIGHTS.map(|weight| weight / mean * cpu_ns),
            reads: Transaction::ALL.map(|t| cumulated(&distribution(&pages.misses(t, pool_bytes)))),
        }
    }

    /// Draws a kind by the deck, its reads and its processor time.
    pub(crate) fn draw(&self, random: &mut Random) -> (Transaction, u32, f64) {
        let bits = random.next_u64();
        let mut card = (((bits >> 32) * u64::from(CARDS)) >> 32) as u32;
        let mut kind = 0;
        while card >= Transaction::ALL[kind].cards() {
            card -= Transaction::ALL[kind].cards();
            kind += 1;
        }
        let chance = f64::from(bits as u32) / 4_294_967_296.0;
        let reads = self.reads[kind].partition_point(|&below| below <= chance) as u32;
        (Transaction::ALL[kind], reads, self.cpu_ns[kind])
    }
}

/// Chances of 0, 1, 2 ... misses among groups of accesses, each access missing on its own.
fn distribution(groups: &[(f64, f64)]) -> Vec<f64> {
    let mut chances = vec![1.0];
    for &(count, miss) in groups {
        // A group of 1.2 accesses is one for certain and a second one with a chance of 0.2.
        let mut left = count;
        while left > 0.0 {
            let chance = miss * left.min(1.0);
            left -= 1.0;
            if chance < NEGLIGIBLE {
                continue;
            }
            chances.push(0.0);
            for n in (0..chances.len()).rev() {
                let fewer = if n > 0 { chances[n - 1] } else { 0.0 };
                chances[n] = chances[n] * (1.0 - chance) + fewer * chance;
            }
        }
    }
    chances
}

fn cumulated(chances: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let mut below: Vec<f64> = chances
        .iter()
        .map(|chance| {
            sum += chance;
            sum
        })
        .collect();
    // The last step takes what rounding left.
    below.pop();
    below
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::order_entry;

    #[test]
    fn draws_have_the_means_that_were_asked_for() {
        let pages = order_entry(1200);
        let demands = Demands::new(&pages, 24e9, 1e6);
        let mut random = Random::new(1);
        let (mut reads, mut cpu) = (0u64, 0.0);
        const DRAWS: u32 = 200_000;
        for _ in 0..DRAWS {
            let (_, r, c) = demands.draw(&mut random);
            reads += u64::from(r);
            cpu += c;
        }
        let expected = pages.reads_per_transaction(24e9);
        assert!((reads as f64 / f64::from(DRAWS) / expected - 1.0).abs() < 0.02);
        assert!((cpu / f64::from(DRAWS) / 1e6 - 1.0).abs() < 0.01);
    }
}
