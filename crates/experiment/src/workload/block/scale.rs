//! Scaling block workloads: files, times, matrices and bursts.

use std::time::Duration;

use words::{ScaleChange, ScaledPart};

use crate::shrink::{MEASURE_MIN, RAMP_UP_MIN, TIME_STEP, readable, scale_time, scale_times, shrink};
use crate::units::{Size, Span};
use crate::workload::block::check_rounds::SETTLED_LEAST;
use crate::workload::{Block, Burst, Extent, Matrix, Steady, Stream, WHOLE};

const FILE_MIN_BYTES: u64 = 64 << 20;
const FILE_STEP_BYTES: u64 = 1 << 20;
const POINT_MIN: Duration = Duration::from_millis(100);
/// Measuring of a point of a curve: with fewer I/Os than those of half a second, noise bends the curve and
/// its knee.
const CURVE_POINT_MIN: Duration = Duration::from_millis(500);
/// Points of a cell at 1/600 and below: many of them make a matrix, and several matrices a steady state.
const TINY: f64 = 1.0 / 600.0;
const TINY_POINT: Duration = Duration::from_millis(200);
/// Values that each axis of a matrix keeps at 1/600 and below: the first, the last and the tracked one, or a
/// middle one.
const TINY_AXIS: usize = 3;
/// Of how many rounds one is looked at, at 1/600 and below.
const TINY_EVERY: u32 = 2;
/// Rounds that are waited for, at 1/600 and below; a window at least.
const TINY_ROUNDS: u32 = 8;
/// The shortest time between two bursts: four of them fit the shortest measuring.
const BURST_MIN: Duration = Duration::from_millis(500);

/// Shrinks a block workload.
pub(super) fn scale_block(block: &mut Block, factor: f64, changes: &mut Vec<ScaleChange>) {
    let sizes = block.streams.iter().flat_map(|stream| {
        stream
            .block_size
            .parts()
            .into_iter()
            .chain(stream.write_block_size.iter().flat_map(|mix| mix.parts()))
    });
    let largest = sizes.map(|part| part.size.0).chain(block.matrix.iter().flat_map(sizes_of)).max();
    let floor = FILE_MIN_BYTES.max(largest.unwrap_or(0));
    let bytes = (block.size.0 as f64 * factor / FILE_STEP_BYTES as f64).round() as u64 * FILE_STEP_BYTES;
    let before = block.size.0.max(1);
    // A file that is used in its present size has no size to shrink.
    if block.size != WHOLE {
        shrink(&mut block.size, Size(bytes.max(floor)), ScaledPart::File, readable, changes);
    }
    let of_file = block.size.0 as f64 / before as f64;
    if block.has_points() {
        let (least, part) = match block.curve {
            Some(_) => (CURVE_POINT_MIN, ScaledPart::CurvePointMeasuring),
            None => (POINT_MIN, ScaledPart::PointMeasuring),
        };
        scale_point(&mut block.ramp_up, factor, POINT_MIN, ScaledPart::PointRampUp, changes);
        scale_point(&mut block.measure, factor, least, part, changes);
    } else {
        scale_times(&mut block.ramp_up, &mut block.measure, factor, [RAMP_UP_MIN, MEASURE_MIN], changes);
    }
    if let Some(window) = &mut block.until_settled {
        scale_time(window, factor, SETTLED_LEAST, ScaledPart::SettledWindow, changes);
        if 3 * window.0 > block.measure.0 {
            block.until_settled = None;
            changes.push(ScaleChange::NotSettled);
        }
    }
    if factor <= TINY {
        if let Some(matrix) = &mut block.matrix {
            thin(matrix, block.steady.as_ref(), changes);
        }
        if let Some(steady) = &mut block.steady {
            shrink(&mut steady.every, TINY_EVERY, ScaledPart::RoundsBetweenLooks, u32::to_string, changes);
            let rounds = TINY_ROUNDS.max(steady.window.saturating_mul(steady.every));
            shrink(&mut steady.max_rounds, rounds, ScaledPart::RoundsMost, u32::to_string, changes);
        }
    }
    if let Some(run_for) = block.precondition.as_mut().and_then(|precondition| precondition.run_for.as_mut())
    {
        scale_time(run_for, factor, RAMP_UP_MIN, ScaledPart::Preconditioning, changes);
    }
    for stream in &mut block.streams {
        scale_stream(stream, factor, of_file, changes);
    }
}

fn sizes_of(matrix: &Matrix) -> impl Iterator<Item = u64> {
    matrix.block_size.iter().map(|size| size.0)
}

fn scale_point(
    span: &mut Span,
    factor: f64,
    least: Duration,
    part: ScaledPart,
    changes: &mut Vec<ScaleChange>,
) {
    let most = if factor <= TINY { TINY_POINT } else { Duration::MAX };
    let scaled = (span.0.as_secs_f64() * factor / TIME_STEP.as_secs_f64()).round();
    let scaled = if scaled <= f64::from(u32::MAX) { TIME_STEP * scaled as u32 } else { span.0 };
    shrink(span, Span(scaled.min(most).max(least)), part, Span::to_string, changes);
}

/// Keeps the first, the last and the tracked values of each axis.
fn thin(matrix: &mut Matrix, steady: Option<&Steady>, changes: &mut Vec<ScaleChange>) {
    let tracks = steady.map(|steady| steady.track.as_slice()).unwrap_or_default();
    let before = (matrix.read.len().max(1), matrix.block_size.len().max(1));
    let reads = tracks.iter().filter_map(|track| track.read).collect::<Vec<_>>();
    thin_axis(&mut matrix.read, &reads);
    let sizes = tracks.iter().filter_map(|track| track.block_size).collect::<Vec<_>>();
    thin_axis(&mut matrix.block_size, &sizes);
    let after = (matrix.read.len().max(1), matrix.block_size.len().max(1));
    if after != before {
        let points = |(read, size): (usize, usize)| format!("{read} x {size}");
        changes.push(ScaleChange::Matrix { before: points(before), after: points(after) });
    }
}

fn thin_axis<T: PartialEq + Copy>(axis: &mut Vec<T>, tracked: &[T]) {
    if axis.len() <= TINY_AXIS {
        return;
    }
    let mut kept = vec![axis[0], axis[axis.len() - 1]];
    kept.extend_from_slice(tracked);
    if !axis.iter().any(|value| tracked.contains(value) && !kept[..2].contains(value)) {
        kept.push(axis[axis.len() / 2]);
    }
    axis.retain(|value| kept.contains(value));
}

fn scale_stream(stream: &mut Stream, factor: f64, of_file: f64, changes: &mut Vec<ScaleChange>) {
    for extent in [&mut stream.offset, &mut stream.length, &mut stream.worker_offset].into_iter().flatten() {
        if let Extent::Bytes(size) = extent {
            let grain = stream.block_size.parts().iter().map(|part| part.size.0).max().unwrap_or(4096).max(1);
            let bytes = (size.0 as f64 * of_file) as u64 / grain * grain;
            let least = if size.0 == 0 { 0 } else { grain };
            shrink(size, Size(bytes.max(least)), ScaledPart::Region, readable, changes);
        }
    }
    if let Some(bytes) = &mut stream.bytes {
        let scaled = (bytes.0 as f64 * of_file) as u64;
        shrink(bytes, Size(scaled.max(1 << 20)), ScaledPart::StreamBytes, readable, changes);
    }
    for (span, part) in
        [(&mut stream.start_after, ScaledPart::StreamStart), (&mut stream.run_for, ScaledPart::StreamTime)]
    {
        if let Some(span) = span {
            scale_time(span, factor, Duration::from_millis(100), part, changes);
        }
    }
    if let Some(burst) = &mut stream.burst {
        scale_burst(burst, factor, changes);
    }
}

/// Bursts come more often and are smaller by the same factor, so that as much is written in a second as
/// before.
fn scale_burst(burst: &mut Burst, factor: f64, changes: &mut Vec<ScaleChange>) {
    let before = burst.every.0.as_secs_f64();
    scale_time(&mut burst.every, factor, BURST_MIN, ScaledPart::BurstEvery, changes);
    let part = burst.every.0.as_secs_f64() / before.max(1e-9);
    let ios = (f64::from(burst.ios) * part).round().max(1.0) as u32;
    shrink(&mut burst.ios, ios, ScaledPart::BurstIos, u32::to_string, changes);
}
