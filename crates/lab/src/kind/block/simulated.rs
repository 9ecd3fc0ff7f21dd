//! One simulated cell of block I/O: the load, or its points one after the other, in virtual time.

use experiment::{Block, OneOrMix, Pattern, Percent, Share, Size, Stream};
use measure::{Histogram, Timeline};
use notebook::{CellRecord, Event, Phase, Point};
use simulate::{BlockLoad, BlockOutcome, Burst, Window, run_block};
use words::{
    EventKind, Happening, Latency, Limiter, LimiterFigures, Metric, PhaseName, PointKind, Reason, Reasons,
};

use super::jobs::io_bytes;
use super::record::series;
use super::steady::is_point_of;
use crate::kind::simulated_cell::{SimulatedCell, window};
use crate::metrics::{self, Metrics, event, phase};
use crate::watch::cell::ended;

/// Least measured time that is simulated of a point, nanoseconds.
const LEAST_NS: u64 = 3_000_000_000;
/// The share of a rate from which it counts as met; below it requests queue up during the whole load, and all
/// of that time counts.
const RATE_MET: f64 = 0.97;

pub(super) fn cell(simulated: &SimulatedCell<'_>, block: &Block) -> Result<CellRecord, Reasons> {
    let mut cell = Cell { simulated, block, points: Vec::new(), seen: Seen::default(), runs: 0 };
    match (&block.curve, &block.matrix) {
        (Some(shares), _) => cell.curve(shares)?,
        (None, Some(matrix)) => cell.pairs(axis(&matrix.read), axis(&matrix.block_size))?,
        (None, None) => {
            let outcome = cell.run(&cell.level())?;
            cell.seen.count(&outcome);
        }
    }
    Ok(cell.record())
}

/// The parameters of a run that replace those of the workload.
#[derive(Clone, Copy, Default)]
struct Asked {
    depth: Option<u32>,
    rate_per_s: Option<f64>,
    read: Option<Share>,
    block_size: Option<Size>,
}

struct Cell<'a> {
    simulated: &'a SimulatedCell<'a>,
    block: &'a Block,
    points: Vec<Point>,
    seen: Seen,
    runs: u64,
}

/// The results of a cell's runs.
#[derive(Default)]
struct Seen {
    /// Of the runs that count.
    reads: Histogram,
    writes: Histogram,
    /// Ages of requests that were due and not started at the end of a run.
    waiting: Histogram,
    bytes: u64,
    measured_s: f64,
    bursts: Option<(f64, f64)>,
    /// Of all runs, each beginning where the last one ended.
    seconds: Vec<measure::Second>,
    phases: Vec<Phase>,
    lost: Option<String>,
}

/// The values of an axis; one that leaves everything as written when it has none.
fn axis<T: Copy>(values: &[T]) -> Vec<Option<T>> {
    if values.is_empty() { vec![None] } else { values.iter().copied().map(Some).collect() }
}

/// True if a point of a matrix is tracked, or none is.
fn is_tracked(block: &Block, pair: (Option<Share>, Option<Size>)) -> bool {
    let tracks = block.steady.as_ref().map_or(&[][..], |steady| &steady.track);
    tracks.is_empty() || tracks.iter().any(|track| is_point_of(track, pair))
}

impl Cell<'_> {
    fn level(&self) -> Asked {
        let level = self.simulated.key.level;
        match &self.block.rate {
            Some(rates) => {
                let rate_per_s = Some(rates[level] * f64::from(self.simulated.ranks));
                Asked { rate_per_s, ..Asked::default() }
            }
            None => Asked { depth: self.block.depth.get(level).copied(), ..Asked::default() },
        }
    }

    fn pairs(&mut self, reads: Vec<Option<Share>>, sizes: Vec<Option<Size>>) -> Result<(), Reason> {
        for read in reads {
            for &block_size in &sizes {
                let asked = Asked { read, block_size, ..self.level() };
                let outcome = self.run(&asked)?;
                let name = match (read, block_size) {
                    (Some(read), Some(size)) => format!("{read} read, {size}"),
                    (Some(read), None) => format!("{read} read"),
                    (None, Some(size)) => size.to_string(),
                    (None, None) => "the load".to_owned(),
                };
                self.point(PointKind::Matrix, name, &asked, &outcome, true);
                // As on real and emulated storage: the figures of a cell are those of its tracked points.
                if is_tracked(self.block, (read, block_size)) {
                    self.seen.count(&outcome);
                }
            }
        }
        Ok(())
    }

    /// The load at its maximum rate, then at shares of that rate.
    fn curve(&mut self, shares: &[Percent]) -> Result<(), Reason> {
        let asked = self.level();
        let maximum = self.run(&asked)?;
        self.point(PointKind::Curve, "maximum".to_owned(), &asked, &maximum, true);
        self.seen.count(&maximum);
        for share in shares {
            let asked = Asked { rate_per_s: Some(share.0 * maximum.iops()), ..asked };
            let outcome = self.run(&asked)?;
            self.point(PointKind::Curve, share.to_string(), &asked, &outcome, false);
        }
        Ok(())
    }

    fn run(&mut self, asked: &Asked) -> Result<BlockOutcome, Reason> {
        self.runs += 1;
        let seed = ground::seed_of_part(self.simulated.cell_seed(), self.runs);
        let load = self.load(asked)?;
        let run = |load: &BlockLoad| run_block(&self.simulated.on.bed, load, seed).map_err(Reason::error);
        let mut outcome = run(&load)?;
        if asked.rate_per_s.is_some_and(|rate| outcome.iops() < RATE_MET * rate) {
            let whole = Window { least_ns: load.window.measure_ns, ..load.window };
            outcome = run(&BlockLoad { window: whole, ..load })?;
        }
        self.seen.note(&outcome);
        Ok(outcome)
    }

    fn load(&self, asked: &Asked) -> Result<BlockLoad, Reason> {
        let block = self.block;
        let stream = main_stream(block).ok_or(Reason::NoStream)?;
        let machines = block.file_count();
        let depth = asked.depth.or(stream.depth).unwrap_or(block.depth_max) * block.workers;
        let sizes = match asked.block_size {
            Some(size) => vec![(io_bytes(size)?, 1.0)],
            None => sizes(&stream.block_size)?,
        };
        let window = window(block.ramp_up, block.measure);
        let burst = burst_stream(block).and_then(|stream| Some((stream, stream.burst?)));
        Ok(BlockLoad {
            machines: machines * self.simulated.ranks,
            disks: 1,
            disk_bytes: block.size.0,
            depth: depth.div_ceil(machines).max(1),
            sizes,
            read_share: asked.read.unwrap_or(stream.read).0,
            is_sequential: stream.pattern == Pattern::Sequential,
            rate_per_s: asked.rate_per_s,
            burst: burst.map(|(stream, burst)| Burst {
                pages: burst.ios,
                every_ns: burst.every.0.as_nanos() as u64,
                depth: stream.depth.unwrap_or(1024),
            }),
            window: Window { least_ns: if burst.is_some() { window.measure_ns } else { LEAST_NS }, ..window },
        })
    }

    fn point(&mut self, kind: PointKind, name: String, asked: &Asked, outcome: &BlockOutcome, counts: bool) {
        let (start_s, end_s) =
            self.seen.phases.last().map_or((0.0, 0.0), |phase| (phase.start_s, phase.end_s));
        let mut metrics = Metrics::default();
        let mut of_point = Seen::default();
        of_point.count(outcome);
        of_point.add_to(&mut metrics);
        self.points.push(Point {
            kind: kind.into(),
            name,
            round: 1,
            read_share: asked.read.map(|share| share.0),
            block_size_bytes: asked.block_size.map(|size| size.0),
            depth: asked.depth.filter(|_| asked.rate_per_s.is_none()).map(f64::from),
            rate_asked: asked.rate_per_s,
            start_s,
            end_s,
            counts,
            values: metrics.0,
        });
    }

    fn record(self) -> CellRecord {
        let mut metrics = Metrics::default();
        self.seen.add_to(&mut metrics);
        if let (Some(rate), true) = (self.level().rate_per_s, self.points.is_empty()) {
            metrics.add(Metric::IopsAsked, rate);
        }
        metrics.add(Metric::SimulatedTime, self.seen.measured_s);
        let histograms = metrics::named([
            (Latency::Answer, self.seen.latency()),
            (Latency::Read, self.seen.reads.clone()),
            (Latency::Write, self.seen.writes.clone()),
        ]);
        let reasons = Reasons::from(self.seen.lost.clone());
        let (limiter, figures) = self.limiter();
        CellRecord {
            limiter: Some(limiter.into()),
            limiter_figures: Some(figures),
            measurements: metrics.0,
            series: series(&self.seen.seconds),
            histograms,
            events: self.events(),
            phases: self.seen.phases,
            points: self.points,
            ..ended(reasons)
        }
    }

    /// The rate where it was asked and came about, else the storage: a simulated block load has nothing else.
    fn limiter(&self) -> (Limiter, LimiterFigures) {
        let count = self.seen.reads.len() + self.seen.writes.len();
        let iops = count as f64 / self.seen.measured_s.max(1e-9);
        match self.level().rate_per_s {
            Some(asked_iops) if iops >= RATE_MET * asked_iops => {
                (Limiter::Pacing, LimiterFigures::ModelPaced { iops, asked_iops })
            }
            Some(asked_iops) => (Limiter::Drive, LimiterFigures::ModelBehind { iops, asked_iops }),
            None => (Limiter::Drive, LimiterFigures::ModelUnpaced),
        }
    }

    fn events(&self) -> Vec<Event> {
        let mut events = vec![event(EventKind::Simulated, Happening::SimulatedUntilNarrow)];
        if self.block.precondition.is_some() || self.block.steady.is_some() {
            events.push(event(EventKind::Steady, Happening::SimulatedSteady));
        }
        let patterns = self.block.streams.iter().map(|stream| &stream.pattern);
        if patterns
            .into_iter()
            .any(|p| !matches!(p, Pattern::Sequential | Pattern::Uniform | Pattern::Shuffled))
        {
            events.push(event(EventKind::Pattern, Happening::SimulatedPatterns));
        }
        events
    }
}

impl Seen {
    /// Records the time of a run and its completions second by second.
    fn note(&mut self, outcome: &BlockOutcome) {
        let start_s = self.phases.last().map_or(0.0, |phase| phase.end_s);
        let measure_s = start_s + outcome.settled_s;
        if outcome.settled_s > 0.0 {
            self.phases.push(phase(PhaseName::RampUp, start_s, measure_s));
        }
        self.phases.push(phase(PhaseName::Measure, measure_s, measure_s + outcome.measured_s));
        let timeline: &Timeline = &outcome.timeline;
        self.seconds
            .extend(timeline.seconds().into_iter().take((outcome.settled_s + outcome.measured_s) as usize));
        self.lost = self.lost.take().or_else(|| outcome.lost.clone());
    }

    fn count(&mut self, outcome: &BlockOutcome) {
        self.reads.merge(&outcome.reads);
        self.writes.merge(&outcome.writes);
        self.waiting.merge(&outcome.waiting);
        self.bytes += outcome.bytes;
        self.measured_s += outcome.measured_s;
        if let Some(inside) = outcome.burst_reads_per_s {
            self.bursts = Some((inside, outcome.calm_reads_per_s));
        }
    }

    fn latency(&self) -> Histogram {
        let mut all = self.reads.clone();
        all.merge(&self.writes);
        all.merge(&self.waiting);
        all
    }

    fn add_to(&self, metrics: &mut Metrics) {
        let per_s = |count: u64| count as f64 / self.measured_s.max(1e-9);
        metrics.add(Metric::Iops, per_s(self.reads.len() + self.writes.len()));
        metrics.add(Metric::ReadIops, per_s(self.reads.len()));
        metrics.add(Metric::WriteIops, per_s(self.writes.len()));
        metrics.add(Metric::Bandwidth, per_s(self.bytes) / 1e6);
        metrics.add_latency(Latency::Answer, &self.latency());
        metrics.add(Metric::IosUnfinished, self.waiting.len() as f64);
        metrics.add_latency(Latency::Read, &self.reads);
        metrics.add_latency(Latency::Write, &self.writes);
        if let Some((inside, between)) = self.bursts {
            metrics.add(Metric::ReadIopsInsideBursts, inside);
            metrics.add(Metric::ReadIopsBetweenBursts, between);
        }
    }
}

/// The stream that is no burst: the only one that may share the level, or have a depth of its own.
pub(super) fn main_stream(block: &Block) -> Option<&Stream> {
    block.streams.iter().find(|stream| stream.burst.is_none())
}

/// The stream that comes in bursts.
pub(super) fn burst_stream(block: &Block) -> Option<&Stream> {
    block.streams.iter().find(|stream| stream.burst.is_some())
}

fn sizes(mix: &OneOrMix) -> Result<Vec<(u32, f64)>, Reason> {
    mix.parts().into_iter().map(|part| Ok((io_bytes(part.size)?, part.share.0))).collect()
}
