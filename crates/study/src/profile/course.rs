//! The course of a load: the rate at which it ends, and what was done beyond that before.

/// The lasting rate of a load and what passed beyond it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Course {
    /// Operations per second at the end.
    pub(super) per_s: f64,
    /// Operations beyond that rate before the step; 0 without a step.
    pub(super) beyond: f64,
    /// The standard error of `beyond` by chance, with the end of the step in doubt by one interval.
    pub(super) beyond_error: f64,
    /// Operations per second before the step; the same as `per_s` without one.
    pub(super) fresh_per_s: f64,
}

/// Intervals of a plateau stay within this share of their median.
const STEADY: f64 = 0.03;
/// A rate before the step is higher than that after it by this share.
const STEP: f64 = 0.1;
/// Fewer intervals have no end that could be told from their beginning.
pub(super) const INTERVALS_MIN: usize = 6;
/// Intervals are merged until they are even: slices and chance make short ones uneven.
const MERGED: [usize; 4] = [1, 2, 4, 8];

/// The course of these counts of operations; `None` while the rate still changes at the end.
pub(super) fn course(counts: &[f64], interval_s: f64) -> Option<Course> {
    MERGED.into_iter().find_map(|merged| merged_course(counts, interval_s, merged))
}

fn merged_course(counts: &[f64], interval_s: f64, merged: usize) -> Option<Course> {
    let counts: Vec<f64> = counts.chunks_exact(merged).map(|some| some.iter().sum()).collect();
    if counts.len() < INTERVALS_MIN {
        return None;
    }
    let last = &counts[counts.len() - counts.len() / 3..];
    let per_interval = mean(last);
    let is_within = |count: &f64, share: f64| *count <= per_interval * (1.0 + share);
    if per_interval <= 0.0 || !last.iter().all(|count| (count / per_interval - 1.0).abs() <= STEADY) {
        return None;
    }
    // The step is where the rate first is, and stays for a while, that of the plateau.
    let end = (0..counts.len())
        .find(|at| counts[*at..].iter().take(3).all(|count| is_within(count, STEP / 2.0)))?;
    let is_step = end > 0 && !is_within(&mean(&counts[..end]), STEP);
    let beyond: f64 = counts[..end].iter().map(|count| count - per_interval).sum();
    let seconds = interval_s * merged as f64;
    let per_s = per_interval / seconds;
    let spread = mean(&last.iter().map(|count| (count - per_interval).powi(2)).collect::<Vec<f64>>()).sqrt();
    // The last interval before the step is a part of both.
    let fresh =
        counts.get(..end.saturating_sub(1)).filter(|fresh| !fresh.is_empty()).unwrap_or(&counts[..end]);
    Some(Course {
        per_s,
        beyond: if is_step { beyond.max(0.0) } else { 0.0 },
        beyond_error: 2.0 * spread * (end as f64).sqrt() + STEADY / 3.0 * per_interval,
        fresh_per_s: if is_step { mean(fresh) / seconds } else { per_s },
    })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
