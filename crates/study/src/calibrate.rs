//! Calibration in the open: parameters fitted to chosen published numbers, with what they know and what they
//! leave open.

mod left_out;

use std::collections::BTreeMap;
use words::say;

use ground::Random;

use simulate::Bed;

use crate::bed;
use crate::beside::{Counterpart, Row, counterparts};
use crate::fit::{self, Fitted, Problem};
use crate::parameter::{Parameter, Values};
use crate::procedure::{Care, Figures, Procedure, ProcedureError, procedures};

pub use left_out::{LeftOut, leave_one_out};

/// The numbers to fit, and the method.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// The parameters with bounds and starting values.
    pub parameters: Vec<Parameter>,
    /// Seed of every simulation: the same for all, so that only parameters make a difference.
    pub seed: u64,
    /// Most steps.
    pub steps_max: u32,
}

/// The published numbers that a fit is made to.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Beginnings of the names of their procedures; all procedures when empty.
    pub procedures: Vec<String>,
    /// Beginnings of the names of procedures, and ids of numbers, that are left out.
    pub without: Vec<String>,
}

impl Choice {
    fn has(&self, procedure: &str, id: &str) -> bool {
        let begins = |begin: &String| procedure.starts_with(begin.as_str());
        (self.procedures.is_empty() || self.procedures.iter().any(begins))
            && !self.without.iter().any(|without| begins(without) || id == without)
    }
}

/// An error that prevents a calibration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CalibrateError {
    /// No number was chosen that the simulation gives.
    #[error(
        "no published measurement was chosen that can be simulated; choose a study or procedures that have some (`drivetrain published` lists them)"
    )]
    NoNumbers,
    /// The model cannot be evaluated with the starting values.
    #[error("the simulation cannot start with these parameters: {0}")]
    Start(ProcedureError),
}

/// A finished calibration.
#[derive(Clone, Debug)]
pub struct Calibrated {
    /// The values found; those of parameters that were not fitted are the starting values.
    pub values: Values,
    /// The knowledge about each parameter.
    pub known: Vec<Known>,
    /// The numbers that were fitted, with what the fit gives for them.
    pub rows: Vec<Row>,
    /// Steps taken.
    pub steps: u32,
    /// True if the sum of squares had stopped falling; otherwise the values are only the best so far.
    pub converged: bool,
    fitted: Fitted,
    parameters: Vec<Parameter>,
}

/// The knowledge of a calibration about one parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// Its name.
    pub name: String,
    /// Its starting value.
    pub start: f64,
    /// The value found.
    pub value: f64,
    /// The share of its prior uncertainty that is left; 1 if the numbers say nothing about it.
    pub left_open: f64,
    /// True if it ended on one of its bounds.
    pub on_bound: bool,
}

impl Known {
    /// True if the numbers say more about it than its prior: less than half of its uncertainty is left.
    #[must_use]
    pub fn is_identified(&self) -> bool {
        self.left_open < 0.5 && !self.on_bound
    }

    /// The state of the parameter in words.
    #[must_use]
    pub fn state(&self) -> &'static str {
        match self {
            known if known.on_bound => say!("parameter-on-bound"),
            known if known.is_identified() => say!("parameter-identified"),
            _ => say!("parameter-not-identified"),
        }
    }
}

/// The tolerance of a printed number, as a share of it, by the confidence of the data.
fn tolerance(confidence: &str) -> f64 {
    match confidence {
        "high" => 0.03,
        "medium" => 0.06,
        _ => 0.15,
    }
}

struct Fit<'a> {
    parameters: &'a [Parameter],
    wanted: Vec<(String, Counterpart)>,
    seed: u64,
    /// The last simulations, by procedure: a step in one parameter changes few of them.
    seen: BTreeMap<String, Vec<(Procedure, Bed, Figures)>>,
}

/// Results kept of each procedure: the base of the slopes, and the latest.
const KEPT: usize = 3;

impl Fit<'_> {
    fn values(&self, at: &[f64]) -> Values {
        let mut values = Values::starting(self.parameters);
        for (parameter, z) in self.parameters.iter().zip(at) {
            let value = parameter.value * (parameter.spread * z).exp();
            values.set(&parameter.name, value.clamp(parameter.low, parameter.high));
        }
        values
    }

    fn figures(
        &mut self,
        values: &Values,
        all: &[Procedure],
        name: &str,
    ) -> Result<Option<Figures>, ProcedureError> {
        let Some(procedure) = all.iter().find(|procedure| procedure.name == name) else { return Ok(None) };
        let bed = bed::find(&procedure.bed, values)?;
        let seen = self.seen.entry(name.to_owned()).or_default();
        if let Some((_, _, figures)) = seen.iter().find(|(p, b, _)| p == procedure && *b == bed) {
            return Ok(Some(figures.clone()));
        }
        let figures = procedure.simulate_on(&bed, Care::Brief, self.seed)?;
        if seen.len() == KEPT {
            // The first is the base of the slopes for longest; the latest trial goes.
            seen.remove(1);
        }
        seen.push((procedure.clone(), bed, figures.clone()));
        Ok(Some(figures))
    }

    fn rows(&mut self, values: &Values) -> Result<Vec<Row>, ProcedureError> {
        let all = procedures(values);
        let mut rows = Vec::new();
        for (procedure, counterpart) in self.wanted.clone() {
            let found = counterpart.of(&procedure, &mut |name| self.figures(values, &all, name))?;
            if let Some(simulated) = found {
                rows.push(Row::new(procedure, &counterpart, simulated));
            }
        }
        Ok(rows)
    }
}

impl Problem for Fit<'_> {
    fn residuals(&mut self, at: &[f64]) -> Option<Vec<f64>> {
        let values = self.values(at);
        let rows = self.rows(&values).ok()?;
        Some(rows.iter().map(|row| row.error() / tolerance(&row.number.confidence)).collect())
    }

    fn bounds(&self, unknown: usize) -> (f64, f64) {
        let p = &self.parameters[unknown];
        let z = |value: f64| (value.max(p.value * 1e-3) / p.value).ln() / p.spread;
        (z(p.low), z(p.high))
    }
}

/// Fits `calibration` to the published measurements of `choice`. Numbers that contradict others of the same
/// run are never fitted. `progress` receives each step and its sum of squares.
///
/// # Errors
/// [`CalibrateError`].
pub fn calibrate(
    calibration: &Calibration,
    choice: &Choice,
    start: Option<&Values>,
    progress: &dyn Fn(u32, f64),
) -> Result<Calibrated, CalibrateError> {
    calibrate_to(calibration, &|procedure, id| choice.has(procedure, id), start, progress)
}

/// As [`calibrate`], to the numbers whose procedure and id `wanted` accepts.
fn calibrate_to(
    calibration: &Calibration,
    wanted: &dyn Fn(&str, &str) -> bool,
    start: Option<&Values>,
    progress: &dyn Fn(u32, f64),
) -> Result<Calibrated, CalibrateError> {
    let chosen = |(name, c): &(String, Counterpart)| c.contradiction.is_none() && wanted(name, &c.number.id);
    let numbers: Vec<_> = counterparts().into_iter().filter(chosen).collect();
    let parameters = &calibration.parameters;
    let mut fit = Fit { parameters, wanted: numbers, seed: calibration.seed, seen: BTreeMap::new() };
    let at: Vec<f64> = parameters
        .iter()
        .map(|p| {
            start
                .and_then(|values| values.get(&p.name))
                .map_or(0.0, |v| (v.max(p.value * 1e-3) / p.value).ln() / p.spread)
        })
        .collect();
    let first = fit.values(&at);
    let rows = fit.rows(&first).map_err(CalibrateError::Start)?;
    if rows.is_empty() {
        return Err(CalibrateError::NoNumbers);
    }
    let fitted = fit::fit(&mut fit, &at, calibration.steps_max, progress).ok_or(CalibrateError::NoNumbers)?;
    let values = fit.values(&fitted.at);
    let rows = fit.rows(&values).map_err(CalibrateError::Start)?;
    let open = fit::deviations(&fitted.jacobian, parameters.len());
    let known = parameters.iter().zip(&open).map(|(p, &left_open)| known(p, &values, left_open)).collect();
    let (steps, converged) = (fitted.steps, fitted.converged);
    Ok(Calibrated { values, known, rows, steps, converged, fitted, parameters: parameters.clone() })
}

fn known(parameter: &Parameter, values: &Values, left_open: f64) -> Known {
    let value = values.get(&parameter.name).unwrap_or(parameter.value);
    let span = (parameter.high - parameter.low) * 1e-6;
    Known {
        name: parameter.name.clone(),
        start: parameter.value,
        value,
        left_open,
        on_bound: value <= parameter.low + span || value >= parameter.high - span,
    }
}

impl Calibrated {
    /// Other parameter sets that fit about as well: drawn from what data and priors leave open, around the
    /// best one.
    #[must_use]
    pub fn alternatives(&self, count: usize, seed: u64) -> Vec<Values> {
        let unknowns = self.parameters.len();
        let lower = fit::cholesky(&fit::information(&self.fitted.jacobian, unknowns));
        let mut random = Random::new(seed);
        let mut all = Vec::new();
        for _ in 0..count {
            let draws: Vec<f64> = (0..unknowns).map(|_| random.normal()).collect();
            let moved = fit::backward(&lower, &draws);
            let mut values = Values::starting(&self.parameters);
            for ((p, at), by) in self.parameters.iter().zip(&self.fitted.at).zip(moved) {
                values.set(&p.name, (p.value * (p.spread * (at + by)).exp()).clamp(p.low, p.high));
            }
            all.push(values);
        }
        all
    }

    /// Sum of the squared residuals, in standard deviations.
    #[must_use]
    pub fn misfit(&self) -> f64 {
        self.fitted.residuals.iter().map(|r| r * r).sum()
    }

    /// The calibration as a file that [`Values::with_file`] reads; `command` is how it was made,
    /// `alternatives` other sets that fit.
    #[must_use]
    pub fn to_toml(&self, command: &str, alternatives: &[Values]) -> String {
        let mut text = format!(
            "# Calibrated parameters of the simulated beds. Made by\n#   {command}\n# in {} steps on {} published measurements. `left open` is the share of a parameter's\n# prior uncertainty that these numbers do not remove; above 0.5 the value is not identified by them.\n\n[values]\n",
            self.steps,
            self.rows.len()
        );
        for known in &self.known {
            text.push_str(&format!(
                "\"{}\" = {} # {}, left open {:.2}\n",
                known.name,
                rounded(known.value),
                known.state(),
                known.left_open
            ));
        }
        for values in alternatives {
            text.push_str("\n[[alternative]]\n");
            for (name, value) in values.iter() {
                text.push_str(&format!("\"{name}\" = {}\n", rounded(value)));
            }
        }
        text
    }
}

/// Four digits are more than any of the values is worth.
fn rounded(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let digits = 10f64.powf(3.0 - value.abs().log10().floor());
    (value * digits).round() / digits
}
