//! Making single values smaller by the rule of scaling: factors, floors and rounding, and the sentence about
//! each change.

use std::time::Duration;

use words::{ScaleChange, ScaleClause, ScaledPart};

use crate::units::{Size, Span};

/// Fewer warehouses have no remote ones, which a tenth of new orders and a seventh of payments touch.
const WAREHOUSES_MIN: u32 = 2;
/// The smallest rate that an experiment may ask for.
const RATE_MIN: f64 = 0.001;
/// Fewer rows lie in too few pages for a share of 0.01 % to be one.
const TABLE_ROWS_MIN: u32 = 100_000;
pub(crate) const MEASURE_MIN: Duration = Duration::from_secs(2);
pub(crate) const RAMP_UP_MIN: Duration = Duration::from_secs(1);
/// Times are rounded to this.
pub(crate) const TIME_STEP: Duration = Duration::from_millis(100);

/// Instances that stay at a factor and below: each is a server of its own, with memory and processes that a
/// small machine must hold.
pub(crate) const INSTANCES: [(f64, u32); 2] = [(1.0 / 600.0, 2), (1.0 / 60.0, 4)];

/// The rule in words, as far as it concerns one workload.
#[derive(Default)]
pub(crate) struct Rule {
    /// Sizes that are multiplied by the factor s.
    pub(crate) sizes: &'static [ScaledPart],
    /// Loads that are multiplied by the square root of s.
    pub(crate) loads: &'static [ScaledPart],
    /// The other scaled parts, with the rule of each.
    pub(crate) clauses: Vec<ScaleClause>,
    /// True if times are multiplied by s to the power of 3/4.
    pub(crate) has_times: bool,
    /// The unscaled parts.
    pub(crate) stays: &'static [ScaledPart],
}

/// Replaces `value` by `smaller` where that is smaller, and says so.
pub(crate) fn shrink<T: PartialOrd + Clone>(
    value: &mut T,
    smaller: T,
    part: ScaledPart,
    show: impl Fn(&T) -> String,
    changes: &mut Vec<ScaleChange>,
) {
    if smaller < *value {
        changes.push(ScaleChange::Part { part, before: show(value), after: show(&smaller) });
        *value = smaller;
    }
}

/// `count` x `factor`, between 1 and `count`.
pub(crate) fn part(count: u32, factor: f64) -> u32 {
    let scaled = (f64::from(count) * factor).round() as u32;
    scaled.clamp(1, count.max(1))
}

/// Multiplies levels, of which those that become the same one are kept once.
pub(crate) fn scale_levels(
    levels: &mut Vec<u32>,
    factor: f64,
    part: ScaledPart,
    changes: &mut Vec<ScaleChange>,
) {
    let mut scaled: Vec<u32> = Vec::new();
    for level in levels.iter().map(|written| self::part(*written, factor)) {
        if !scaled.contains(&level) {
            scaled.push(level);
        }
    }
    if scaled != *levels {
        changes.push(ScaleChange::Part { part, before: list(levels), after: list(&scaled) });
        *levels = scaled;
    }
}

pub(crate) fn scale_warehouses(warehouses: &mut u32, factor: f64, changes: &mut Vec<ScaleChange>) {
    let scaled = (f64::from(*warehouses) * factor).round() as u32;
    shrink(warehouses, scaled.max(WAREHOUSES_MIN), ScaledPart::Warehouses, u32::to_string, changes);
}

/// A rate of an open loop, to three digits: more were not meant.
pub(crate) fn scale_rate(rate: &mut f64, factor: f64, changes: &mut Vec<ScaleChange>) {
    let scaled = *rate * factor.sqrt();
    if !(scaled.is_normal() && scaled > 0.0) {
        return;
    }
    let decimals = 2 - scaled.log10().floor() as i32;
    let unit = 10_f64.powi(decimals.abs());
    // Dividing by a power of ten, not multiplying by its inverse, gives the number that the digits spell.
    let rounded = if decimals > 0 { (scaled * unit).round() / unit } else { (scaled / unit).round() * unit };
    shrink(rate, rounded.max(RATE_MIN), ScaledPart::ArrivalsPerSecond, f64::to_string, changes);
}

pub(crate) fn scale_times(
    ramp_up: &mut Span,
    measure: &mut Span,
    factor: f64,
    floors: [Duration; 2],
    changes: &mut Vec<ScaleChange>,
) {
    scale_time(ramp_up, factor, floors[0], ScaledPart::RampUp, changes);
    scale_time(measure, factor, floors[1], ScaledPart::Measuring, changes);
}

pub(crate) fn scale_time(
    span: &mut Span,
    factor: f64,
    floor: Duration,
    part: ScaledPart,
    changes: &mut Vec<ScaleChange>,
) {
    let steps = (span.0.as_secs_f64() * factor.powf(0.75) / TIME_STEP.as_secs_f64()).round();
    // A span of more steps than 32 bits count is years long: it stays as written.
    if steps <= f64::from(u32::MAX) {
        shrink(span, Span((TIME_STEP * steps as u32).max(floor)), part, Span::to_string, changes);
    }
}

/// The rows of a scanned table.
pub(crate) fn scale_rows(rows: &mut u32, factor: f64, changes: &mut Vec<ScaleChange>) {
    let scaled = (f64::from(*rows) * factor).round() as u32;
    shrink(rows, scaled.max(TABLE_ROWS_MIN), ScaledPart::Rows, u32::to_string, changes);
}

fn list(levels: &[u32]) -> String {
    levels.iter().map(u32::to_string).collect::<Vec<String>>().join(", ")
}

/// A size as a person says it: three digits or so, in the unit it was most likely written in.
pub(crate) fn readable(size: &Size) -> String {
    let exact = size.to_string();
    if exact.len() <= 6 {
        return exact;
    }
    match size.0 as f64 {
        bytes if bytes >= (1_u64 << 30) as f64 => format!("{:.1} GiB", bytes / (1_u64 << 30) as f64),
        bytes => format!("{:.1} MiB", bytes / (1_u64 << 20) as f64),
    }
}
