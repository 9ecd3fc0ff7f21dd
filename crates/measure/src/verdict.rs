//! verdict
use crate::Ratio;
/// Which way is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// t
    HigherIsBetter,
    /// l
    LowerIsBetter,
}
/// v
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// b
    Better,
    /// w
    Worse,
    /// e
    Equivalent,
    /// i
    Inconclusive,
}
/// j
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// .
    pub verdict: Verdict,
    /// .
    pub ratio: Ratio,
    /// .
    pub smallest_effect: f64,
    /// .
    pub exploratory: bool,
    /// .
    pub more_runs: Option<usize>,
}
/// j
pub fn judge(ratio: Ratio, _direction: Direction, smallest_effect: f64) -> Judgement {
    Judgement { verdict: Verdict::Inconclusive, ratio, smallest_effect, exploratory: true, more_runs: None }
}
