//! Making an experiment smaller by a stated rule, so that a published test runs on any machine.

pub(crate) mod rule;

use std::fmt;
use std::str::FromStr;

use words::{ScaleChanges, ScaleStatement};

use crate::file::Experiment;

/// The scale at which an experiment is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// 1/600: minutes on a laptop.
    Tiny,
    /// 1/60: an evening on a workstation.
    Small,
    /// As written.
    Full,
    /// A factor between [`FACTOR_MIN`](Scale::FACTOR_MIN) and 1.
    Factor(f64),
}

/// A text that names no scale.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a scale: write tiny (1/600), small (1/60), full, or a number between 0.000001 and 1, for example 0.01"
)]
pub struct ScaleError {
    /// The text as it was given.
    pub text: String,
}

/// An experiment made smaller, and the changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaled {
    /// The experiment that is run.
    pub experiment: Experiment,
    /// The factor that was applied: 1 when nothing had to be shrunk.
    pub scale: f64,
    /// The changes and their rule.
    pub statement: ScaleStatement,
}

impl Scale {
    /// The smallest factor: at it every published experiment has reached the floors of the rule.
    pub const FACTOR_MIN: f64 = 1e-6;

    /// The factor s of the rule, between [`FACTOR_MIN`](Scale::FACTOR_MIN) and 1.
    pub fn factor(self) -> f64 {
        match self {
            Scale::Tiny => 1.0 / 600.0,
            Scale::Small => 1.0 / 60.0,
            Scale::Full => 1.0,
            Scale::Factor(factor) => factor.clamp(Scale::FACTOR_MIN, 1.0),
        }
    }
}

impl FromStr for Scale {
    type Err = ScaleError;

    fn from_str(text: &str) -> Result<Scale, ScaleError> {
        match (text, text.parse::<f64>()) {
            ("tiny", _) => Ok(Scale::Tiny),
            ("small", _) => Ok(Scale::Small),
            ("full", _) => Ok(Scale::Full),
            (_, Ok(factor)) if (Scale::FACTOR_MIN..=1.0).contains(&factor) => Ok(Scale::Factor(factor)),
            _ => Err(ScaleError { text: text.to_owned() }),
        }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scale::Tiny => f.write_str("tiny (1/600)"),
            Scale::Small => f.write_str("small (1/60)"),
            Scale::Full => f.write_str("full"),
            Scale::Factor(factor) => f.write_str(&words::significant(*factor, 4)),
        }
    }
}

/// Makes an experiment smaller by the factor s of `scale`.
///
/// Warehouses, rows of sysbench's tables and the bytes of block files are multiplied by s; memory shrinks as
/// the database does, so that the share of it that it holds stays. Loads are multiplied by the square root of
/// s: users, threads, arrivals per second; but users that key and think by s, for they belong to warehouses.
/// Times are multiplied by s to the power of 3/4. Of several instances 4 stay at 1/60 and below, 2 at 1/600
/// and below. Each keeps a floor (2 warehouses, 1000 rows, 4 MiB of memory, 64 MiB of file, 1 user or thread,
/// 2 s of measuring and 1 s of ramp-up, 60 s and 30 s with keying) and never grows: what is below its floor
/// as written stays as written. Tables, connections, rounds, repeats and the depths and rates of block I/O
/// stay.
pub fn scale(experiment: &Experiment, scale: Scale) -> Scaled {
    let factor = scale.factor();
    let mut smaller = experiment.clone();
    let changes = if factor < 1.0 { rule::shrink_all(&mut smaller, factor) } else { Vec::new() };
    if changes.is_empty() {
        let statement = match scale {
            _ if factor == 1.0 => ScaleStatement::AsWritten,
            _ => ScaleStatement::NothingShrunk { factor: scale.to_string() },
        };
        return Scaled { experiment: smaller, scale: 1.0, statement };
    }
    let (changes, rule) = (ScaleChanges(changes), rule::rule(experiment));
    let statement = ScaleStatement::Shrunk { factor: scale.to_string(), changes, rule };
    Scaled { experiment: smaller, scale: factor, statement }
}
