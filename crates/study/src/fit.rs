//! Least squares with priors and bounds: Gauss and Newton's step, held back where it does not help.

/// A problem whose residuals are wanted small. Unknowns are counted in prior standard deviations from their
/// starting values.
pub(crate) trait Problem {
    /// Residuals at `at`, in standard deviations of the data; `None` when the model cannot be evaluated
    /// there.
    fn residuals(&mut self, at: &[f64]) -> Option<Vec<f64>>;
    /// Least and greatest value of an unknown.
    fn bounds(&self, unknown: usize) -> (f64, f64);
}

/// The end of a fit.
#[derive(Clone, Debug)]
pub(crate) struct Fitted {
    pub(crate) at: Vec<f64>,
    pub(crate) residuals: Vec<f64>,
    /// Rows: residuals; columns: unknowns.
    pub(crate) jacobian: Vec<Vec<f64>>,
    /// True if the last step brought almost no gain.
    pub(crate) converged: bool,
    pub(crate) steps: u32,
}

/// Step of the differences by which slopes are taken: wide, for a simulation is never quite smooth.
const STEP: f64 = 0.4;
/// Longest step of one unknown.
const STEP_MAX: f64 = 1.0;
/// A step that lowers the sum by less than this share ends the fit.
const ENOUGH: f64 = 0.01;

/// Sum of squares of residuals and of distances from the starting values.
fn cost(residuals: &[f64], at: &[f64]) -> f64 {
    residuals.iter().chain(at).map(|r| r * r).sum()
}

/// Fits from `start` in at most `steps_max` steps; `progress` receives the number of each step and the cost.
///
/// `None` when the model cannot be evaluated at the start.
pub(crate) fn fit(
    problem: &mut dyn Problem,
    start: &[f64],
    steps_max: u32,
    progress: &dyn Fn(u32, f64),
) -> Option<Fitted> {
    let mut at = start.to_vec();
    let mut residuals = problem.residuals(&at)?;
    let (mut converged, mut steps, mut damping) = (false, 0, 0.1);
    let mut slopes = jacobian(problem, &at, &residuals);
    while steps < steps_max && !converged {
        steps += 1;
        let before = cost(&residuals, &at);
        progress(steps, before);
        let mut best: Option<(f64, Vec<f64>, Vec<f64>)> = None;
        for _ in 0..4 {
            let next = step(problem, &slopes, &residuals, &at, damping);
            if let Some(there) = problem.residuals(&next) {
                let after = cost(&there, &next);
                if after < before {
                    best = Some((after, next, there));
                    damping = (damping * 0.3f64).max(1e-3);
                    break;
                }
            }
            damping *= 5.0;
        }
        let Some((after, next, there)) = best else {
            converged = true;
            break;
        };
        converged = before - after < ENOUGH * before;
        (at, residuals) = (next, there);
        slopes = jacobian(problem, &at, &residuals);
    }
    Some(Fitted { at, residuals, jacobian: slopes, converged, steps })
}

fn jacobian(problem: &mut dyn Problem, at: &[f64], residuals: &[f64]) -> Vec<Vec<f64>> {
    let mut slopes = vec![vec![0.0; at.len()]; residuals.len()];
    for unknown in 0..at.len() {
        let (_, high) = problem.bounds(unknown);
        let step = if at[unknown] + STEP > high { -STEP } else { STEP };
        let mut moved = at.to_vec();
        moved[unknown] += step;
        if let Some(there) = problem.residuals(&moved) {
            for (row, (after, before)) in slopes.iter_mut().zip(there.iter().zip(residuals)) {
                row[unknown] = (after - before) / step;
            }
        }
    }
    slopes
}

fn step(problem: &dyn Problem, slopes: &[Vec<f64>], residuals: &[f64], at: &[f64], damping: f64) -> Vec<f64> {
    let count = at.len();
    let mut free = vec![true; count];
    let mut next = at.to_vec();
    // An unknown that would leave its bounds is held there, and the others solved for again.
    for _ in 0..count {
        let solved = solve(slopes, residuals, at, damping, &free);
        let mut held = false;
        for unknown in (0..count).filter(|&unknown| free[unknown]) {
            let (low, high) = problem.bounds(unknown);
            let wanted = at[unknown] + solved[unknown].clamp(-STEP_MAX, STEP_MAX);
            next[unknown] = wanted.clamp(low, high);
        }
        for unknown in 0..count {
            let (low, high) = problem.bounds(unknown);
            let stuck = (at[unknown] <= low && solved[unknown] < 0.0)
                || (at[unknown] >= high && solved[unknown] > 0.0);
            if free[unknown] && stuck {
                free[unknown] = false;
                next[unknown] = at[unknown];
                held = true;
            }
        }
        if !held {
            break;
        }
    }
    next
}

/// Solves (J'J + I + damping diag) d = -(J'r + at) over the free unknowns.
fn solve(slopes: &[Vec<f64>], residuals: &[f64], at: &[f64], damping: f64, free: &[bool]) -> Vec<f64> {
    let count = at.len();
    let mut matrix = information(slopes, count);
    let mut right: Vec<f64> = (0..count)
        .map(|u| -(slopes.iter().zip(residuals).map(|(row, r)| row[u] * r).sum::<f64>() + at[u]))
        .collect();
    for unknown in 0..count {
        matrix[unknown][unknown] *= 1.0 + damping;
        if !free[unknown] {
            matrix[unknown].fill(0.0);
            matrix.iter_mut().for_each(|row| row[unknown] = 0.0);
            matrix[unknown][unknown] = 1.0;
            right[unknown] = 0.0;
        }
    }
    let lower = cholesky(&matrix);
    backward(&lower, &forward(&lower, &right))
}

/// J'J + I: what data and priors know together.
pub(crate) fn information(slopes: &[Vec<f64>], count: usize) -> Vec<Vec<f64>> {
    let mut matrix = vec![vec![0.0; count]; count];
    for row in slopes {
        for a in 0..count {
            for b in 0..count {
                matrix[a][b] += row[a] * row[b];
            }
        }
    }
    for (unknown, row) in matrix.iter_mut().enumerate() {
        row[unknown] += 1.0;
    }
    matrix
}

/// Lower triangle L with L L' = matrix, which must be positive definite.
pub(crate) fn cholesky(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let count = matrix.len();
    let mut lower = vec![vec![0.0; count]; count];
    for row in 0..count {
        for column in 0..=row {
            let sum: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
            lower[row][column] = if row == column {
                (matrix[row][row] - sum).max(1e-12).sqrt()
            } else {
                (matrix[row][column] - sum) / lower[column][column]
            };
        }
    }
    lower
}

fn forward(lower: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let mut solved = vec![0.0; right.len()];
    for row in 0..right.len() {
        let sum: f64 = (0..row).map(|k| lower[row][k] * solved[k]).sum();
        solved[row] = (right[row] - sum) / lower[row][row];
    }
    solved
}

/// Solves L' x = right.
pub(crate) fn backward(lower: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let count = right.len();
    let mut solved = vec![0.0; count];
    for row in (0..count).rev() {
        let sum: f64 = (row + 1..count).map(|k| lower[k][row] * solved[k]).sum();
        solved[row] = (right[row] - sum) / lower[row][row];
    }
    solved
}

/// Standard deviation of every unknown when data and prior are known: 1 where the data says nothing.
pub(crate) fn deviations(slopes: &[Vec<f64>], count: usize) -> Vec<f64> {
    let lower = cholesky(&information(slopes, count));
    let of = |unknown: usize| {
        let unit: Vec<f64> = (0..count).map(|k| if k == unknown { 1.0 } else { 0.0 }).collect();
        backward(&lower, &forward(&lower, &unit))[unknown].max(0.0).sqrt()
    };
    (0..count).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y = exp(a) + b, seen at three points; the third unknown is not in the data.
    struct Curve;

    impl Problem for Curve {
        fn residuals(&mut self, at: &[f64]) -> Option<Vec<f64>> {
            let model = |x: f64| (at[0] * x).exp() + at[1];
            Some(
                [(0.0, 1.5), (1.0, 3.218), (2.0, 7.889)]
                    .iter()
                    .map(|(x, y)| (model(*x) - y) / 0.01)
                    .collect(),
            )
        }

        fn bounds(&self, _: usize) -> (f64, f64) {
            (-3.0, 3.0)
        }
    }

    #[test]
    fn unknowns_that_the_data_knows_are_found_and_others_stay() {
        let fitted =
            fit(&mut Curve, &[0.0, 0.0, 0.0], 30, &|_, _| {}).expect("the model is defined everywhere");
        assert!((fitted.at[0] - 1.0).abs() < 0.01 && (fitted.at[1] - 0.5).abs() < 0.02, "{:?}", fitted.at);
        assert_eq!(fitted.at[2], 0.0);
        let sd = deviations(&fitted.jacobian, 3);
        assert!(sd[0] < 0.1 && sd[1] < 0.1 && (sd[2] - 1.0).abs() < 1e-9, "{sd:?}");
    }
}
