//! The common parts of all kinds' cells.

use database::Instance;
use experiment::Mode;
use notebook::{CellRecord, CellState, Phase};
use oltp::tpcc;
use words::{PhaseName, Reason, Reasons};

use crate::conductor::Conductor;
use crate::metrics::phase;

/// A cell that came to nothing, and why.
pub(crate) fn invalid(reasons: Reasons) -> CellRecord {
    CellRecord { state: CellState::Invalid, reasons, ..CellRecord::default() }
}

/// A cell that went on to its end, still without its figures: it counts where there is no reason against it.
pub(crate) fn ended(reasons: Reasons) -> CellRecord {
    let state = if reasons.is_empty() { CellState::Done } else { CellState::Invalid };
    CellRecord { state, reasons, ..CellRecord::default() }
}

/// The place of the transactions' logic.
pub(crate) fn mode_of(conductor: &Conductor<'_>) -> tpcc::Mode {
    match conductor.experiment.database.as_ref().map(|d| d.mode).unwrap_or_default() {
        Mode::Statements => tpcc::Mode::Statements,
        Mode::Procedures => tpcc::Mode::Procedures,
    }
}

/// A reason with the last lines of the server's log, where there is one.
pub(crate) fn with_log(instance: &dyn Instance, why: impl Into<Reasons>) -> Reasons {
    let why = why.into();
    match instance.server_log(5) {
        Some(log) if !log.is_empty() => Reason::WithServerLog { why, log }.into(),
        _ => why,
    }
}

/// Reset, ramp-up and measure on the cell's own clock, whose zero is the start of the load.
pub(crate) fn phases(reset_s: f64, ramp_s: f64, measured_s: f64) -> Vec<Phase> {
    vec![
        phase(PhaseName::Reset, -reset_s, 0.0),
        phase(PhaseName::RampUp, 0.0, ramp_s),
        phase(PhaseName::Measure, ramp_s, ramp_s + measured_s),
    ]
}
