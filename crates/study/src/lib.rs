//! Published studies against numbers: audit of what they print, the beds of the catalogue with their
//! parameters, the procedures that were published, calibration, attribution, and prediction from measured
//! runs. Drives fitted to measurements ([`profile`]).
//!
//! Invariant: this crate reads notebooks, the files embedded in it and the texts that it is given, and prints
//! nothing. Every constant has its source.

pub mod audit;
pub mod bed;
pub mod beside;
pub mod profile;

mod attribute;
mod calibrate;
mod error;
mod fit;
mod loaded;
mod observation;
mod parameter;
mod predict;
mod procedure;

pub use attribute::{Attribution, BedAttribution, Factor, Share, attribute, attribute_test};
pub use calibrate::{
    CalibrateError, Calibrated, Calibration, Choice, Known, LeftOut, calibrate, leave_one_out,
};
pub use error::StudyError;
pub use observation::{OBSERVED_LEAST_S, Observation, ObservedElsewhere, SCOPE as OBSERVED_SCOPE};
pub use parameter::{Parameter, Values, parse as parse_parameters, shipped as shipped_parameters};
pub use predict::{
    Accuracy, Figure, FindDrive, PredictError, Predicted, PredictedBed, PredictedFigure, PredictedLevel,
    Prediction, Question, Taken, accuracy, predict_run,
};
pub use procedure::{Care, Figures, Procedure, ProcedureError, ProcedureFigure, Work, procedures};
