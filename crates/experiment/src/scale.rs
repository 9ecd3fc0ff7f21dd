//! Making an experiment smaller by a stated rule, so that a published test runs on any machine.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::file::Experiment;
use crate::units::{Size, Span};
use crate::workload::{Block, Tpcc, Workload};

/// How much smaller than written an experiment is run.
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

/// An experiment made smaller, and what was done to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaled {
    /// The experiment that is run.
    pub experiment: Experiment,
    /// The factor that was applied: 1 when nothing had to be shrunk.
    pub scale: f64,
    /// One sentence that says what was shrunk and by what rule.
    pub statement: String,
}

/// Fewer warehouses have no remote ones, which a tenth of new orders and a seventh of payments touch.
const WAREHOUSES_MIN: u32 = 2;
const MEMORY_MIN_BYTES: u64 = 4 << 20;
/// Memory is rounded to this, finer than any effect of it.
const MEMORY_STEP_BYTES: u64 = 64 << 10;
const FILE_MIN_BYTES: u64 = 64 << 20;
const FILE_STEP_BYTES: u64 = 1 << 20;
const MEASURE_MIN: Duration = Duration::from_secs(2);
const RAMP_UP_MIN: Duration = Duration::from_secs(1);
/// Times are rounded to this.
const TIME_STEP: Duration = Duration::from_millis(100);

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
            Scale::Factor(factor) => write!(f, "{factor}"),
        }
    }
}

/// Makes an experiment smaller by the factor s of `scale`.
///
/// Warehouses and the bytes of block files are multiplied by s; memory shrinks as the warehouses do, so that the share of
/// the database that it holds stays; virtual users are multiplied by the square root of s and times by s to the power of 3/4. Each keeps
/// a floor (2 warehouses, 4 MiB of memory, 64 MiB of file, 1 user, 2 s of measuring, 1 s of ramp-up) and never grows: what is
/// below its floor as written stays as written. Depths, rates and repeats stay.
pub fn scale(experiment: &Experiment, scale: Scale) -> Scaled {
    let factor = scale.factor();
    let mut smaller = experiment.clone();
    let stated = if factor < 1.0 { shrink_all(&mut smaller, factor) } else { Vec::new() };
    if stated.is_empty() {
        let statement = match scale {
            _ if factor == 1.0 => "Run at full scale, as written.".to_owned(),
            _ => format!("Scale {scale} was asked for, and nothing had to be shrunk: run as written."),
        };
        return Scaled { experiment: smaller, scale: 1.0, statement };
    }
    let statement = format!(
        "Run at scale {scale}: {} (warehouses and files x s, memory as the warehouses, users x s^(1/2), times x s^(3/4); depths, \
         rates and repeats as written).",
        stated.join("; ")
    );
    Scaled { experiment: smaller, scale: factor, statement }
}

/// Shrinks everything that the rule names, and says what became of it, each change once.
fn shrink_all(experiment: &mut Experiment, factor: f64) -> Vec<String> {
    let mut changes = Vec::new();
    let before = warehouses_max(experiment);
    for workload in &mut experiment.workload {
        match workload {
            Workload::Tpcc(tpcc) => scale_tpcc(tpcc, factor, &mut changes),
            Workload::Block(block) => scale_block(block, factor, &mut changes),
        }
    }
    if let (Some(before), Some(after)) = (before, warehouses_max(experiment))
        && after < before
    {
        scale_memory(experiment, f64::from(after) / f64::from(before), &mut changes);
    }
    let mut stated: Vec<String> = Vec::new();
    for change in changes {
        if !stated.contains(&change) {
            stated.push(change);
        }
    }
    stated
}

/// The warehouses of the largest order-entry workload: the database that memory is set in relation to.
fn warehouses_max(experiment: &Experiment) -> Option<u32> {
    let warehouses = |workload: &Workload| match workload {
        Workload::Tpcc(tpcc) => Some(tpcc.warehouses),
        Workload::Block(_) => None,
    };
    experiment.workload.iter().filter_map(warehouses).max()
}

/// Replaces `value` by `smaller` where that is smaller, and says so.
fn shrink<T: PartialOrd + Clone>(
    value: &mut T,
    smaller: T,
    what: &str,
    show: impl Fn(&T) -> String,
    changes: &mut Vec<String>,
) {
    if smaller < *value {
        changes.push(format!("{what} {} became {}", show(value), show(&smaller)));
        *value = smaller;
    }
}

fn scale_tpcc(tpcc: &mut Tpcc, factor: f64, changes: &mut Vec<String>) {
    let warehouses = (f64::from(tpcc.warehouses) * factor).round() as u32;
    shrink(&mut tpcc.warehouses, warehouses.max(WAREHOUSES_MIN), "warehouses", u32::to_string, changes);
    let mut users: Vec<u32> = Vec::new();
    for written in &tpcc.virtual_users {
        let scaled = (f64::from(*written) * factor.sqrt()).round() as u32;
        let scaled = scaled.clamp(1, (*written).max(1));
        if !users.contains(&scaled) {
            users.push(scaled);
        }
    }
    if users != tpcc.virtual_users {
        changes.push(format!("virtual users {} became {}", list(&tpcc.virtual_users), list(&users)));
        tpcc.virtual_users = users;
    }
    scale_times(&mut tpcc.ramp_up, &mut tpcc.measure, factor, changes);
}

fn scale_block(block: &mut Block, factor: f64, changes: &mut Vec<String>) {
    let largest =
        block.streams.iter().flat_map(|stream| stream.block_size.parts()).map(|part| part.size.0).max();
    let floor = FILE_MIN_BYTES.max(largest.unwrap_or(0));
    let bytes = (block.size.0 as f64 * factor / FILE_STEP_BYTES as f64).round() as u64 * FILE_STEP_BYTES;
    shrink(&mut block.size, Size(bytes.max(floor)), "the file of", readable, changes);
    scale_times(&mut block.ramp_up, &mut block.measure, factor, changes);
}

fn scale_times(ramp_up: &mut Span, measure: &mut Span, factor: f64, changes: &mut Vec<String>) {
    let scaled = |span: &Span, floor: Duration| {
        let steps = (span.0.as_secs_f64() * factor.powf(0.75) / TIME_STEP.as_secs_f64()).round();
        // A span of more steps than 32 bits count is years long: it stays as written.
        let steps = if steps <= f64::from(u32::MAX) { steps as u32 } else { return *span };
        Span((TIME_STEP * steps).max(floor))
    };
    shrink(ramp_up, scaled(ramp_up, RAMP_UP_MIN), "ramp-up", Span::to_string, changes);
    shrink(measure, scaled(measure, MEASURE_MIN), "measuring", Span::to_string, changes);
}

fn scale_memory(experiment: &mut Experiment, ratio: f64, changes: &mut Vec<String>) {
    let own = experiment.bed.iter_mut().filter_map(|bed| bed.memory.as_mut());
    let common = experiment.database.as_mut().map(|database| &mut database.memory);
    for memory in common.into_iter().chain(own) {
        let bytes = (memory.0 as f64 * ratio / MEMORY_STEP_BYTES as f64).round() as u64 * MEMORY_STEP_BYTES;
        shrink(memory, Size(bytes.max(MEMORY_MIN_BYTES)), "memory", readable, changes);
    }
}

fn list(levels: &[u32]) -> String {
    levels.iter().map(u32::to_string).collect::<Vec<String>>().join(", ")
}

/// A size as a person says it: three digits or so, in the unit it was most likely written in.
fn readable(size: &Size) -> String {
    let exact = size.to_string();
    if exact.len() <= 6 {
        return exact;
    }
    match size.0 as f64 {
        bytes if bytes >= (1_u64 << 30) as f64 => format!("{:.1} GiB", bytes / (1_u64 << 30) as f64),
        bytes => format!("{:.1} MiB", bytes / (1_u64 << 20) as f64),
    }
}
