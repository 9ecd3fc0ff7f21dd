//! Tests of a study, each predicted by a fit to the others.

use super::{Calibration, Choice, calibrate_to};
use crate::StudyError;
use crate::beside::{Row, consistent, table};
use crate::parameter::Values;
use crate::procedure::Care;

/// Tests of the Kingston study that have numbers, and the beginnings of the names of their procedures.
const TESTS: [(&str, &str); 5] =
    [("HCIBench", "K-hci"), ("test 1", "K-1"), ("test 2", "K-2"), ("test 4", "K-4"), ("test 5", "K-5")];

/// A test that was left out of a fit, and its prediction by that fit.
#[derive(Clone, Debug)]
pub struct LeftOut {
    /// The test.
    pub test: &'static str,
    /// Its measurements that contradict no other number of their run, beside the predicted ones.
    pub rows: Vec<Row>,
    /// True if the sum of squares of the fit had stopped falling.
    pub converged: bool,
}

/// Fits without each test, from the shipped calibration on, and predicts it. `started` receives each test,
/// `progress` each step of its fit.
///
/// # Errors
/// [`StudyError::Calibrate`], [`StudyError::Procedure`].
pub fn leave_one_out(
    calibration: &Calibration,
    choice: &Choice,
    started: &dyn Fn(&str),
    progress: &dyn Fn(u32, f64),
) -> Result<Vec<LeftOut>, StudyError> {
    let shipped = Values::calibrated();
    let mut all = Vec::new();
    for (test, begin) in TESTS {
        started(test);
        let is_left_out = |procedure: &str| procedure.starts_with(begin);
        // The run of test 1c is printed as test 2a again, so neither may inform about the other.
        let is_twin = |procedure: &str| {
            (test == "test 1" && procedure == "K-2a") || (test == "test 2" && procedure == "K-1c")
        };
        let wanted = |procedure: &str, id: &str| {
            procedure.starts_with("K-")
                && !is_left_out(procedure)
                && !is_twin(procedure)
                && choice.has(procedure, id)
        };
        let done = calibrate_to(calibration, &wanted, Some(&shipped), progress)?;
        let rows = table(&done.values, Care::Full, calibration.seed, is_left_out)?;
        all.push(LeftOut { test, rows: consistent(&rows), converged: done.converged });
    }
    Ok(all)
}
