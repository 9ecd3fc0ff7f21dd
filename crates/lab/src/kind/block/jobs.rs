//! From a workload and a point to the jobs that run together: the level's load, and each stream's own.

use std::time::Duration;

use block::{Flush, Job, Region, Shape, SizeMix, Stream, Think, Verify};
use experiment::{
    Arrivals, Block, Cursor, Discard, DiscardRule, Extent, FileChoice, OneOrMix, Pattern, Share, Size,
    StreamTarget,
};
use words::Reason;

use super::place::{BlockStorage, Ground};

/// I/Os of a burst or rate of a stream's own that may be outstanding when it says nothing.
const OWN_DEPTH_MAX: u32 = 1024;

/// The parameters of one run of the load that replace those of the workload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) load: LevelLoad,
    /// Share of reads of every stream.
    pub(super) read: Option<Share>,
    /// Block size of every stream.
    pub(super) block_size: Option<Size>,
    pub(super) ramp_up: Duration,
    pub(super) measure: Duration,
    pub(super) seed: u64,
}

/// The load of the streams that share the level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LevelLoad {
    /// So many I/Os of each worker outstanding.
    Depth(u32),
    /// I/Os per second of all workers together.
    Rate {
        /// I/Os per second.
        rate: f64,
        /// Most I/Os of a worker outstanding.
        depth_max: u32,
    },
    /// There is none: all streams have loads of their own.
    None,
}

impl LevelLoad {
    /// The load of a level of the workload, by its number.
    pub(super) fn of(block: &Block, level: usize) -> LevelLoad {
        match (&block.rate, block.depth.get(level)) {
            (Some(rates), _) => LevelLoad::Rate { rate: rates[level], depth_max: block.depth_max },
            (None, Some(depth)) => LevelLoad::Depth(*depth),
            (None, None) => LevelLoad::None,
        }
    }
}

/// The jobs of one run.
pub(super) fn jobs(block: &Block, place: &BlockStorage, asked: &Asked) -> Result<Vec<Job>, Reason> {
    let mut jobs = Vec::new();
    let shared: Vec<(usize, &experiment::Stream)> =
        block.streams.iter().enumerate().filter(|(_, stream)| !stream.has_own_load()).collect();
    if !shared.is_empty() {
        let shape = match asked.load {
            LevelLoad::Depth(depth) => Shape::ClosedLoop { depth },
            LevelLoad::Rate { rate, depth_max } => open_loop(rate, depth_max, block.arrivals),
            LevelLoad::None => return Err(Reason::StreamsNeedLevel),
        };
        let mut job = job(block, place, asked, &shared, shape)?;
        job.workers = block.workers;
        job.pin_from = block.pin.then_some(0);
        jobs.push(job);
    }
    for (number, stream) in block.streams.iter().enumerate().filter(|(_, stream)| stream.has_own_load()) {
        let mut job = job(block, place, asked, &[(number, stream)], own_shape(stream, block))?;
        job.workers = stream.workers;
        let before: u32 = jobs.iter().map(|job| job.workers).sum();
        job.pin_from = block.pin.then_some(before);
        job.think = stream.think.map(|think| Think { time: think.time.0, after: think.after });
        job.bytes_max = bytes_max(stream, &job, place);
        job.start_after = stream.start_after.map_or(Duration::ZERO, |span| span.0);
        job.run_for = stream.run_for.map(|span| span.0);
        jobs.push(job);
    }
    Ok(jobs)
}

/// Of the jobs of one run in their order, whether each goes to the log.
pub(super) fn on_log(block: &Block) -> Vec<bool> {
    let is_on_log = |stream: &experiment::Stream| matches!(stream.target, Some(StreamTarget::Named(_)));
    let level = block.shared().next().map(is_on_log);
    level
        .into_iter()
        .chain(block.streams.iter().filter(|stream| stream.has_own_load()).map(is_on_log))
        .collect()
}

/// The end of a load: an amount, or a number of passes of each worker over its region.
fn bytes_max(stream: &experiment::Stream, job: &Job, place: &BlockStorage) -> Option<u64> {
    let passes = stream.passes.map(|passes| {
        let on_log = matches!(stream.target, Some(StreamTarget::Named(_)));
        let ground = if on_log { &place.log } else { &place.data };
        let whole =
            |target: usize| ground.sizes_bytes.get(if on_log { 0 } else { target }).copied().unwrap_or(0);
        let region =
            |s: &Stream| s.region.map_or(whole(s.target), |region| region.length_bytes) * u64::from(s.files);
        let once: u64 = job.streams.iter().map(region).sum();
        once.saturating_mul(u64::from(passes)).saturating_mul(u64::from(stream.workers))
    });
    let bytes = stream.bytes.map(|bytes| bytes.0);
    passes.into_iter().chain(bytes).min()
}

fn own_shape(stream: &experiment::Stream, block: &Block) -> Shape {
    let depth_max = stream.depth.unwrap_or(OWN_DEPTH_MAX);
    match (stream.burst, stream.rate) {
        (Some(burst), _) => Shape::Bursts { ios: burst.ios, every: burst.every.0, depth_max },
        (None, Some(rate)) => open_loop(rate, depth_max, stream.arrivals.unwrap_or(block.arrivals)),
        (None, None) => Shape::ClosedLoop { depth: stream.depth.unwrap_or(1) },
    }
}

fn open_loop(rate: f64, depth_max: u32, arrivals: Arrivals) -> Shape {
    let arrivals = match arrivals {
        Arrivals::Poisson => block::Arrivals::Poisson,
        Arrivals::Fixed => block::Arrivals::Fixed,
    };
    Shape::OpenLoop { rate, depth_max, arrivals }
}

fn job(
    block: &Block,
    place: &BlockStorage,
    asked: &Asked,
    streams: &[(usize, &experiment::Stream)],
    shape: Shape,
) -> Result<Job, Reason> {
    let (ground, log_from) = ground_of(place, streams)?;
    let mut all = Vec::new();
    for &(number, stream) in streams {
        all.extend(on_targets(number, stream, asked, &ground, log_from)?);
    }
    let first = all.first().cloned().ok_or(Reason::NoStream)?;
    let seed = asked.seed ^ ground::spread(streams[0].0 as u64);
    let target = ground.targets.first().cloned().ok_or(Reason::NoFile)?;
    let mut job = Job::new(first, shape, ground.engine, target);
    (job.streams, job.targets) = (all, ground.targets);
    (job.ramp_up, job.measure, job.seed, job.direct) = (asked.ramp_up, asked.measure, seed, block.direct);
    job.verify = if block.verify { Verify::Write } else { Verify::Off };
    if let Some(content) = block.content {
        job.content =
            block::Content { compressible: content.compressible.0, duplicates: content.duplicates.0 };
    }
    Ok(job)
}

/// The ground of some streams, and the index from which on its targets are the log's.
fn ground_of(
    place: &BlockStorage,
    streams: &[(usize, &experiment::Stream)],
) -> Result<(Ground, usize), Reason> {
    let on_log = |stream: &experiment::Stream| matches!(stream.target, Some(StreamTarget::Named(_)));
    let logs = streams.iter().filter(|(_, stream)| on_log(stream)).count();
    if logs == 0 {
        return Ok((place.data.clone(), usize::MAX));
    }
    if place.is_one {
        let mut both = place.data.clone();
        both.targets.extend(place.log.targets.iter().cloned());
        both.sizes_bytes.extend(&place.log.sizes_bytes);
        return Ok((both, place.data.targets.len()));
    }
    if logs < streams.len() {
        return Err(Reason::LogNotShared);
    }
    Ok((place.log.clone(), 0))
}

/// The stream on its files: as one where they have one size, else once on each, which then share its weight.
fn on_targets(
    number: usize,
    stream: &experiment::Stream,
    asked: &Asked,
    ground: &Ground,
    log_from: usize,
) -> Result<Vec<Stream>, Reason> {
    let targets = match stream.target {
        Some(StreamTarget::File(file)) => file as usize - 1..file as usize,
        Some(StreamTarget::Files([first, last])) => first as usize - 1..last as usize,
        Some(StreamTarget::Named(_)) => log_from..log_from + 1,
        None => 0..ground.targets.len().min(log_from),
    };
    let size_of = |target: usize| ground.sizes_bytes.get(target).copied().unwrap_or_default();
    let alike = targets.clone().all(|target| size_of(target) == size_of(targets.start));
    let (each, files) = if alike { (1, targets.len()) } else { (targets.len(), 1) };
    let on = |target: usize| {
        let made = one_stream(number, stream, asked, size_of(target))?;
        Ok(Stream { target, files: files as u32, weight: stream.weight / each as f64, ..made })
    };
    targets.take(each).map(on).collect()
}

fn one_stream(
    number: usize,
    stream: &experiment::Stream,
    asked: &Asked,
    size_bytes: u64,
) -> Result<Stream, Reason> {
    let name = stream.name.clone().unwrap_or_else(|| format!("stream-{}", number + 1));
    let as_written = sizes(&stream.block_size)?;
    let reads = asked.block_size.map_or(Ok(as_written), |size| sizes(&OneOrMix::One(size)))?;
    let mut made = Stream::new(name, pattern(&stream.pattern), asked.read.unwrap_or(stream.read).0, reads);
    if asked.block_size.is_none() {
        made.write_sizes = stream.write_block_size.as_ref().map(sizes).transpose()?;
    }
    let grain = u64::from(made.largest_bytes());
    let of_file = |extent: Extent| extent.bytes_of(size_bytes, grain);
    if stream.offset.is_some() || stream.length.is_some() {
        let start_bytes = stream.offset.map_or(0, of_file);
        let rest = size_bytes.saturating_sub(start_bytes);
        let length_bytes = stream.length.map_or(rest, of_file).min(rest);
        made.region = Some(Region { start_bytes, length_bytes });
    }
    made.align_bytes = stream.align.map(io_bytes).transpose()?;
    made.pattern_share = stream.random.map_or(1.0, |share| share.0);
    made.own_cursor = (stream.cursor == Cursor::Each).then(|| stream.worker_offset.map_or(0, of_file));
    made.write_through = stream.write_through;
    made.discard = match stream.discard {
        None => block::Discard::Never,
        Some(Discard::Share(share)) => block::Discard::Share(share.0),
        Some(Discard::Rule(DiscardRule::BeforeWrites)) => block::Discard::BeforeWrites,
    };
    made.choice = match stream.file_choice {
        FileChoice::Random => block::FileChoice::Random,
        FileChoice::RoundRobin => block::FileChoice::RoundRobin,
        FileChoice::InTurn => block::FileChoice::InTurn,
        FileChoice::InTurnShuffled => block::FileChoice::InTurnShuffled,
    };
    made.flush = match (stream.fsync, stream.fdatasync) {
        (Some(every), _) => Some(Flush { every, data_only: false }),
        (None, Some(every)) => Some(Flush { every, data_only: true }),
        (None, None) => None,
    };
    Ok(made)
}

fn pattern(pattern: &Pattern) -> block::Pattern {
    match pattern {
        Pattern::Sequential => block::Pattern::Sequential,
        Pattern::Uniform => block::Pattern::Uniform,
        Pattern::Shuffled => block::Pattern::Shuffled,
        Pattern::Zipf(theta) => block::Pattern::Zipf { theta: *theta },
        Pattern::Pareto(h) => block::Pattern::Pareto { h: *h },
        Pattern::Normal(deviation) => block::Pattern::Normal { deviation: deviation.0 },
        Pattern::HotSpot(spot) => block::Pattern::HotSpot { share: spot.share.0, access: spot.access.0 },
        Pattern::Bands(bands) => {
            block::Pattern::Bands(bands.iter().map(|band| (band.share.0, band.access.0)).collect())
        }
        Pattern::Zones(zones) => block::Pattern::Zones {
            range_bytes: zones.range.0,
            skip_bytes: zones.skip.0,
            transfer_bytes: zones.transfer.0,
            random: zones.random,
        },
        Pattern::Stride(step) => block::Pattern::Stride { step_bytes: step.0 },
        Pattern::Backward(step) => block::Pattern::Backward { step_bytes: step.0 },
    }
}

fn sizes(mix: &OneOrMix) -> Result<SizeMix, Reason> {
    let parts = mix.parts().into_iter().map(|part| Ok((io_bytes(part.size)?, part.share.0)));
    parts.collect::<Result<Vec<_>, Reason>>().map(SizeMix::mix)
}

pub(super) fn io_bytes(size: Size) -> Result<u32, Reason> {
    u32::try_from(size.0).map_err(|_| Reason::BlockTooLarge { size: size.to_string() })
}
