//! From the cells of a run to measured loads: what a fit to a drive works on.

use std::collections::BTreeMap;

use experiment::{Block, Discard, Experiment, OneOrMix, Pattern, Share, Stream, WHOLE, Workload};
use measure::Histogram;
use notebook::{Cell, CellState, Measurement, Notebook, Point, RunId};
use words::{HistogramName, Latency, Metric, MetricName, PhaseName, Realm};

use super::shape::LoadShape;
use super::{Direction, Load};
use crate::StudyError;

/// Seconds of one interval of a series.
const INTERVAL_S: f64 = 1.0;

/// The loads of a run.
#[derive(Clone, Debug)]
pub struct MeasuredLoads {
    /// In the order in which they ran.
    pub loads: Vec<Load>,
    /// Cells that count no load: they were interrupted, are invalid, or were not begun.
    pub missing: usize,
    /// Cells whose load is none of one kind of operations, such as several streams at once.
    pub other: usize,
}

/// The loads of all cells of a run whose workload is one stream of block I/O at one size; the points of a
/// matrix or a curve are loads of their own.
///
/// # Errors
/// [`StudyError::Question`] for a run with several beds or without block I/O, and for one whose experiment
/// can no longer be read; [`StudyError::Notebook`].
pub fn loads_of_run(notebook: &Notebook, run: RunId) -> Result<MeasuredLoads, StudyError> {
    crate::predict::of_one_process(notebook, run)?;
    let stored = notebook.run(run)?;
    let experiment = experiment::parse(&stored.experiment_toml, &stored.name).map_err(|faults| {
        StudyError::question(format!("the experiment of run {run} cannot be read:\n{faults}"))
    })?;
    if experiment.bed.len() != 1 {
        return Err(StudyError::question(format!(
            "run {run} has {} beds; a profile is of one drive: run its loads on that bed alone",
            experiment.bed.len()
        )));
    }
    let mut cells = notebook.cells(run)?;
    cells.sort_by_key(|cell| cell.position);
    let mut gathered = MeasuredLoads { loads: Vec::new(), missing: 0, other: 0 };
    // A modelled drive is another one in each cell, at rest.
    let mut written = Written { bytes: 0.0, stays: stored.realm != Realm::Emulated, has_files: false };
    for cell in &cells {
        let Some((block, stream)) = one_stream(&experiment, cell) else {
            gathered.other += 1;
            continue;
        };
        if cell.state != CellState::Done {
            gathered.missing += 1;
            continue;
        }
        written.begin(block);
        let results = CellResults::read(notebook, cell, block, stream)?;
        gathered.loads.extend(results.loads(&mut written));
    }
    if gathered.other == cells.len() {
        return Err(StudyError::question(format!(
            "run {run} has no block I/O of single streams; measure with `drivetrain profile PATH`"
        )));
    }
    Ok(gathered)
}

/// The workload of a cell, if it is one stream with one size in places that the model knows.
fn one_stream<'a>(experiment: &'a Experiment, cell: &Cell) -> Option<(&'a Block, &'a Stream)> {
    let of_cell = experiment.workload.iter().find(|workload| workload.name() == cell.workload)?;
    let Workload::Block(block) = of_cell else { return None };
    let [stream] = block.streams.as_slice() else { return None };
    let is_one_size = matches!(stream.block_size, OneOrMix::One(_)) && stream.write_block_size.is_none();
    let is_known = matches!(stream.pattern, Pattern::Sequential | Pattern::Uniform | Pattern::Shuffled)
        && stream.random.is_none_or(|share| share == Share(1.0) || stream.pattern == Pattern::Sequential);
    let discards = !matches!(stream.discard, None | Some(Discard::Share(Share(0.0))));
    let is_plain = stream.burst.is_none() && stream.think.is_none() && !stream.write_through && !discards;
    let is_once = block.steady.is_none() && block.find.is_none() && block.trace.is_none();
    (is_one_size && is_known && is_plain && is_once).then_some((block, stream))
}

/// Bytes that were written to the target so far.
struct Written {
    bytes: f64,
    /// True if what one cell wrote is on the target of the next.
    stays: bool,
    /// True once the files of the cells are there.
    has_files: bool,
}

impl Written {
    fn begin(&mut self, block: &Block) {
        if !self.stays {
            self.bytes = 0.0;
            return;
        }
        let makes_files = block.paths.is_empty() && !(block.reuse && self.has_files) && block.size != WHOLE;
        if makes_files {
            self.bytes += block.size.0 as f64 * f64::from(block.file_count());
            self.has_files = true;
        }
    }
}

/// The results of one cell.
struct CellResults<'a> {
    block: &'a Block,
    stream: &'a Stream,
    level: f64,
    points: Vec<Point>,
    histograms: BTreeMap<HistogramName, Histogram>,
    /// Operations of each second from the first load of the cell on.
    per_second: Vec<f64>,
    /// The measured time of a cell without points, seconds from the first load on.
    measured: (f64, f64),
}

impl<'a> CellResults<'a> {
    fn read(
        notebook: &Notebook,
        cell: &Cell,
        block: &'a Block,
        stream: &'a Stream,
    ) -> Result<CellResults<'a>, StudyError> {
        let iops = Metric::Iops.to_string();
        let series = notebook.series(cell.id)?.into_iter().find(|series| series.metric == iops);
        let phase = notebook.phases(cell.id)?.into_iter().find(|phase| phase.name == PhaseName::Measure);
        Ok(CellResults {
            block,
            stream,
            level: cell.level,
            points: notebook.points(cell.id)?,
            histograms: notebook.histograms(cell.id)?.into_iter().collect(),
            per_second: series.map(|series| series.values).unwrap_or_default(),
            measured: phase.map_or((0.0, 0.0), |phase| (phase.start_s, phase.end_s)),
        })
    }

    fn loads(&self, written: &mut Written) -> Vec<Load> {
        let passes = self.block.precondition.map_or(0, |precondition| precondition.passes);
        let filled = f64::from(passes) * self.block.size.0 as f64 * f64::from(self.block.file_count());
        let before = written.bytes + if self.block.size == WHOLE { 0.0 } else { filled };
        if self.points.is_empty() {
            let load = self.alone(before);
            let share = 1.0 - load.read_share;
            written.bytes = before + self.per_second.iter().sum::<f64>() * share * load.block_bytes as f64;
            return vec![load];
        }
        let so_far = |point: &Point| value(&point.values, Metric::WrittenBytes).unwrap_or(0.0);
        let base = written.bytes;
        let mut loads = Vec::new();
        for (index, point) in self.points.iter().enumerate() {
            let of_earlier = index.checked_sub(1).map(|index| base + so_far(&self.points[index]));
            loads.extend(self.of_point(index, point, of_earlier.unwrap_or(before)));
        }
        written.bytes = base + self.points.last().map_or(0.0, so_far);
        loads
    }

    /// The load of a cell that is one run.
    fn alone(&self, written_before: f64) -> Load {
        let rate = self.block.rate.as_ref().map(|_| self.level).or(self.stream.rate);
        let depth = match (rate, self.stream.depth) {
            (Some(_), depth) => depth.unwrap_or(self.block.depth_max),
            (None, Some(own)) => own.saturating_mul(self.stream.workers),
            (None, None) => (self.level as u32).saturating_mul(self.block.workers),
        };
        // From the first operation on: a load that begins after a rest has none before.
        let end = (self.measured.1.floor().max(0.0) as usize).min(self.per_second.len());
        let all = self.per_second.get(..end).unwrap_or_default();
        let counts = all.iter().copied().skip_while(|count| *count == 0.0).collect();
        let is_from_rest = self.stream.start_after.is_some_and(|rest| !rest.0.is_zero());
        let shape = Shape {
            read_share: self.stream.read.0,
            block_bytes: self.block_bytes(),
            depth,
            rate,
            is_from_rest,
        };
        self.load(&shape, self.measured, counts, HistogramName::Of, written_before)
    }

    /// The load of one point; `None` for one without a single operation.
    fn of_point(&self, index: usize, point: &Point, written_before: f64) -> Option<Load> {
        let shape = Shape {
            read_share: point.read_share.unwrap_or(self.stream.read.0),
            block_bytes: point.block_size_bytes.unwrap_or_else(|| self.block_bytes()),
            depth: point.depth.map_or(self.level as u32, |depth| depth as u32),
            rate: point.rate_asked,
            is_from_rest: false,
        };
        // Whole seconds of this point, its ramp-up included.
        let first = (point.start_s - self.block.ramp_up.0.as_secs_f64()).max(0.0).ceil() as usize;
        let end = (point.end_s.floor().max(0.0) as usize).min(self.per_second.len());
        let counts = self.per_second.get(first.min(end)..end).unwrap_or_default().to_vec();
        let name = |of| HistogramName::Point(index as u32 + 1, of);
        let load = self.load(&shape, (point.start_s, point.end_s), counts, name, written_before);
        (load.reads.is_some() || load.writes.is_some()).then_some(load)
    }

    fn block_bytes(&self) -> u64 {
        match &self.stream.block_size {
            OneOrMix::One(size) => size.0,
            OneOrMix::Mix(_) => 0,
        }
    }

    fn load(
        &self,
        shape: &Shape,
        (start_s, end_s): (f64, f64),
        counts: Vec<f64>,
        name: impl Fn(Latency) -> HistogramName,
        written_before: f64,
    ) -> Load {
        let measured_s = end_s - start_s;
        let histogram = |of: Latency| self.histograms.get(&name(of));
        let operations = [Latency::Read, Latency::Write];
        let begun = operations.into_iter().filter_map(|of| Some(histogram(of)?.len() as f64)).sum();
        let within = shape.done_within(begun);
        let direction = |of: Latency| {
            let latency = histogram(of)?.clone();
            Some(Direction { per_s: latency.len() as f64 * within / measured_s.max(1e-9), latency })
        };
        let is_sequential = self.stream.pattern == Pattern::Sequential;
        let flush_every = self.stream.fsync.or(self.stream.fdatasync);
        let asked = LoadShape {
            read_share: shape.read_share,
            block_bytes: shape.block_bytes,
            is_sequential,
            depth: shape.depth.max(1),
            offered_per_s: shape.rate,
            flush_every,
            is_from_rest: shape.is_from_rest,
        };
        Load {
            name: asked.to_string(),
            read_share: shape.read_share,
            block_bytes: shape.block_bytes,
            is_sequential,
            depth: asked.depth,
            offered_per_s: shape.rate,
            flush_every,
            is_from_rest: shape.is_from_rest,
            written_before_bytes: written_before as u64,
            measured_s,
            reads: direction(Latency::Read),
            writes: direction(Latency::Write),
            flushes: direction(Latency::Flush),
            counts,
            interval_s: INTERVAL_S,
        }
    }
}

/// The demand of a point or a cell beyond its stream's.
#[derive(Clone, Copy)]
struct Shape {
    read_share: f64,
    block_bytes: u64,
    depth: u32,
    rate: Option<f64>,
    /// True if nothing happened on the target for a while before.
    is_from_rest: bool,
}

impl Shape {
    /// The share of the operations `begun` in the measured time that were done in it. A closed load begins as
    /// many as are done, because it goes on from the ramp-up; after a rest its first ones come on top, and as
    /// many are under way at the end.
    fn done_within(&self, begun: f64) -> f64 {
        match self.is_from_rest && self.rate.is_none() && begun > 0.0 {
            true => (1.0 - f64::from(self.depth) / begun).max(0.0),
            false => 1.0,
        }
    }
}

fn value(values: &[Measurement], metric: Metric) -> Option<f64> {
    let wanted = MetricName::from(metric);
    values.iter().find(|value| MetricName::read(&value.metric) == wanted).map(|value| value.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_under_way_at_the_end_are_no_throughput() {
        let rested =
            Shape { read_share: 1.0, block_bytes: 262_144, depth: 128, rate: None, is_from_rest: true };
        // 540 MB/s for 20 s, and 128 more that ended later.
        let begun: f64 = 41_198.0 + 128.0;
        assert!((rested.done_within(begun) * begun - 41_198.0).abs() < 1e-6);
        assert_eq!(Shape { is_from_rest: false, ..rested }.done_within(begun), 1.0);
        assert_eq!(Shape { rate: Some(100.0), is_from_rest: true, ..rested }.done_within(begun), 1.0);
    }

    #[test]
    fn a_file_that_is_reused_is_written_once_and_a_model_is_always_another() {
        let named = experiment::find_named("profile/quick").expect("it is built in");
        let experiment = experiment::parse(named.text, named.name).expect("it parses");
        let Workload::Block(block) = &experiment.workload[0] else { panic!("the loads are block I/O") };
        let mut real = Written { bytes: 0.0, stays: true, has_files: false };
        (0..3).for_each(|_| real.begin(block));
        assert_eq!(real.bytes, (8_u64 << 30) as f64);
        let mut modelled = Written { bytes: 7.0, stays: false, has_files: false };
        modelled.begin(block);
        assert_eq!(modelled.bytes, 0.0);
    }
}
