//! Drives from measurements: a latency map or loads fitted, judged by points that the fit did not see, and
//! written as a drive of the catalogue.
//!
//! Invariant: pure. The same data give the same drive and the same errors.

mod circumstances;
mod course;
mod fitted;
mod kept;
mod limiter;
mod load;
mod loads;
mod map;
mod measured;
mod shape;
mod twin;
mod virtual_load;
mod worst;
mod written;

pub use circumstances::{
    FACTS, FILLED, LOADS, NAMED_TWIN, Profiled, Surroundings, TWIN, surroundings_of_run,
};
pub use fitted::{Errors, Fitted, FittedNumber, FittedWord};
pub use kept::{AtQueue, FIT, JUDGED, KeptFit, KeptLean, KeptNumber, KeptPoint, KeptValue};
pub use limiter::{Completed, FittedLimit, Shape, find_limit, shared_budget};
pub use load::{Direction, Load};
pub use loads::{
    Form, JudgedPoint, LoadJudgement, Pauses, Side, Systematic, UnfitLoads, can_show_limit, fit_loads,
    judge_loads, pauses,
};
pub use map::{Cell, Judgement, LatencyMap, Percentiles, fit_map, judge, map_of, parse_map, replay};
pub use measured::{MeasuredLoads, loads_of_run};
pub use shape::LoadShape;
pub use twin::{TwinFigure, twin_figures};
pub use virtual_load::{replay_load, run_load};
pub use worst::Worst;
pub use written::{Circumstances, Described, WITHOUT_WRITES, write, write_loads};
