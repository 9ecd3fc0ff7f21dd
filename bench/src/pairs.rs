//! Interleaved pairs of runs and the table of their ratios.

use std::fmt::Write;
use std::time::Duration;

use crate::machine::{self, Others};
use crate::options::Options;

/// With `--quiet`, others may take this share of the machine during a pair.
const OTHERS_SHARE_MAX: f64 = 0.05;
/// With `--quiet`, the number of tried pairs for each wanted one.
const TRIES_PER_PAIR: usize = 20;
/// With `--quiet`, so long is waited for a quiet moment before a pair.
const PATIENCE: Duration = Duration::from_secs(600);

/// All pairs of runs of one comparison.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pairs<T> {
    /// Ours and the peer's, in the order they were run.
    pub(crate) runs: Vec<(T, T)>,
    /// Largest share of the machine that other processes took during a kept pair.
    pub(crate) others_share_max: f64,
    /// Pairs that were thrown away because others took more than `--quiet` allows.
    pub(crate) discarded: usize,
}

/// Runs `ours` and `peer` in turn, as often as asked; who begins alternates, so that a drift of the machine
/// falls on both. Progress goes to stderr under the name `what`.
pub(crate) fn interleave<T>(
    what: &str,
    options: &Options,
    mut ours: impl FnMut() -> anyhow::Result<T>,
    mut peer: impl FnMut() -> anyhow::Result<T>,
) -> anyhow::Result<Pairs<T>> {
    let mut pairs = Pairs { runs: Vec::new(), others_share_max: 0.0, discarded: 0 };
    while pairs.runs.len() < options.pairs {
        if options.quiet {
            let quiet = machine::wait_for_quiet(OTHERS_SHARE_MAX, PATIENCE);
            let tries_left = pairs.discarded < TRIES_PER_PAIR * options.pairs;
            anyhow::ensure!(
                quiet && tries_left,
                "the machine is never quiet; leave out --quiet or run later"
            );
        }
        let others = Others::watch();
        let run = if (pairs.runs.len() + pairs.discarded).is_multiple_of(2) {
            let first = ours()?;
            (first, peer()?)
        } else {
            let first = peer()?;
            (ours()?, first)
        };
        let share = others.share();
        if options.quiet && share > OTHERS_SHARE_MAX {
            pairs.discarded += 1;
            continue;
        }
        pairs.others_share_max = pairs.others_share_max.max(share);
        pairs.runs.push(run);
        if !options.smoke {
            eprintln!("{what}: pair {} of {}", pairs.runs.len(), options.pairs);
        }
    }
    Ok(pairs)
}

impl<T> Pairs<T> {
    /// One sentence on what else ran.
    pub(crate) fn circumstances(&self) -> String {
        let share = 100.0 * self.others_share_max;
        let discarded = match self.discarded {
            0 => String::new(),
            count => format!("; {count} pairs with more were discarded"),
        };
        format!("Other processes took at most {share:.0} % of the machine during a pair{discarded}.\n")
    }
}

/// One figure of both sides, pair by pair.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Its name, with its unit.
    pub(crate) what: String,
    /// Values of ours and the peer's.
    pub(crate) pairs: Vec<(f64, f64)>,
    /// Digits after the point.
    pub(crate) digits: usize,
    /// The goal, if it has one.
    pub(crate) goal: Option<Goal>,
}

/// A promise about a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Goal {
    /// Our own value stays at or below this.
    OursAtMost(f64),
    /// Ours divided by the peer's stays at or below this.
    RatioAtMost(f64),
    /// Ours divided by the peer's stays at or above this.
    RatioAtLeast(f64),
    /// Ours divided by the peer's stays within 1 plus or minus this.
    RatioWithin(f64),
}

impl Row {
    /// The median of the pairs' ratios.
    pub(crate) fn ratio(&self) -> f64 {
        median(&self.ratios())
    }

    fn ratios(&self) -> Vec<f64> {
        self.pairs.iter().map(|(ours, peer)| ours / peer).collect()
    }

    /// The promise in words, and whether it is kept.
    fn verdict(&self) -> String {
        let Some(goal) = self.goal else { return String::new() };
        let ours = median(&self.pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
        let (words, kept) = match goal {
            Goal::OursAtMost(limit) => (format!("ours <= {limit}"), ours <= limit),
            Goal::RatioAtMost(limit) => (format!("<= {limit}x"), self.ratio() <= limit),
            Goal::RatioAtLeast(limit) => (format!(">= {limit}x"), self.ratio() >= limit),
            Goal::RatioWithin(part) => (format!("1 ± {part}"), (self.ratio() - 1.0).abs() <= part),
        };
        format!("{words}: {}", if kept { "kept" } else { "MISSED" })
    }
}

/// A Markdown table: medians of both sides, the median of the pairs' ratios with their range and 95 %
/// interval.
pub(crate) fn table(title: &str, peer: &str, rows: &[Row]) -> String {
    let mut text = format!(
        "| {title} | ours | {peer} | ours / {peer} | range over pairs | 95 % interval | goal |\n\
         |---|---:|---:|---:|---|---|---|\n"
    );
    for row in rows {
        let (ours, theirs): (Vec<f64>, Vec<f64>) = row.pairs.iter().copied().unzip();
        let ratios = row.ratios();
        let low = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let high = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let interval = measure::paired_ratio(&ours, &theirs)
            .map_or_else(|_| "-".to_owned(), |ratio| format!("{:.3} .. {:.3}", ratio.low, ratio.high));
        let digits = row.digits;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {:.digits$} | {:.digits$} | {:.3}x | {low:.3} .. {high:.3} | {interval} | {} |",
            row.what,
            median(&ours),
            median(&theirs),
            row.ratio(),
            row.verdict(),
        );
    }
    text
}

/// Middle value, or the mean of the two in the middle; NaN without values.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => sorted[count / 2],
        count => (sorted[count / 2 - 1] + sorted[count / 2]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn the_side_that_begins_alternates() {
        let order = RefCell::new(String::new());
        let side = |name: char| {
            order.borrow_mut().push(name);
            Ok(name)
        };
        let options = Options::parse(["--pairs", "3"].map(str::to_owned).into_iter()).unwrap();
        let pairs = interleave("test", &options, || side('o'), || side('p')).unwrap();
        assert_eq!(order.into_inner(), "oppoop");
        assert_eq!(pairs.runs, [('o', 'p'); 3]);
        assert!(pairs.circumstances().starts_with("Other processes took at most "));
    }

    #[test]
    fn a_row_shows_medians_and_says_whether_its_goal_is_kept() {
        let row = Row {
            what: "CPU (ns)".to_owned(),
            pairs: vec![(10.0, 40.0), (12.0, 40.0), (30.0, 40.0)],
            digits: 0,
            goal: Some(Goal::RatioAtMost(0.25)),
        };
        assert_eq!(row.ratio(), 0.3);
        let text = table("null", "fio", &[row]);
        assert!(text.contains("| CPU (ns) | 12 | 40 | 0.300x | 0.250 .. 0.750 |"), "{text}");
        assert!(text.contains("<= 0.25x: MISSED"), "{text}");
    }

    #[test]
    fn goals_are_judged_on_the_right_side() {
        let kept = |goal, ours, peer| {
            let pairs = vec![(ours, peer)];
            Row { what: String::new(), pairs, digits: 0, goal: Some(goal) }.verdict().ends_with("kept")
        };
        assert!(kept(Goal::OursAtMost(60.0), 60.0, 1.0) && !kept(Goal::OursAtMost(60.0), 61.0, 1000.0));
        assert!(kept(Goal::RatioAtLeast(0.97), 97.0, 100.0) && !kept(Goal::RatioAtLeast(0.97), 96.0, 100.0));
        assert!(kept(Goal::RatioWithin(0.1), 91.0, 100.0) && !kept(Goal::RatioWithin(0.1), 111.0, 100.0));
        assert!(median(&[]).is_nan() && median(&[1.0, 3.0]) == 2.0);
    }
}
