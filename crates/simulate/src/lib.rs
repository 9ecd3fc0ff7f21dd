//! Whole test beds in virtual time.
//!
//! A [`Bed`] is read from the catalogue with the [`Values`] of its parameters; [`run`] puts a [`Load`] of
//! order entry on it and gives an [`Outcome`].
//!
//! Invariant: deterministic. Nothing here reads a clock, a file or the environment; the same bed, load and
//! seed give the same results to the last bit.

pub mod bed;
pub mod beside;
pub mod pool;

mod attribute;
mod block;
mod calibrate;
mod copy;
mod demand;
mod fit;
mod load;
mod machine;
mod outcome;
mod parameter;
mod predict;
mod procedure;
mod run;
mod scan;
mod store;
mod stream;

pub use attribute::{Attribution, Factor, Share, attribute};
pub use bed::{Bed, BedError, StoreSpec};
pub use block::{BlockLoad, BlockOutcome, Burst, run_block};
pub use calibrate::{CalibrateError, Calibrated, Calibration, Known, calibrate};
pub use copy::{CopyKind, CopyOutcome, run_copy};
pub use load::{Driver, Load, Pacing, Window};
pub use outcome::{Backups, MachineOutcome, Outcome, UserTime};
pub use parameter::{
    Parameter, ParameterError, Values, parse as parse_parameters, shipped as shipped_parameters,
};
pub use predict::{
    Demand, Figure, Latency, Layer, PredictError, Prediction, committing_share, kind_weights, predict,
};
pub use procedure::{Care, Figures, Procedure, ProcedureError, Work, procedures};
pub use run::{SimulateError, run};
pub use scan::{Scan, ScanOutcome, run_scan};
