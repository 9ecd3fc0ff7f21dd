//! One step of a fio file as a block workload: files, level, streams.

use std::collections::HashMap;
use std::time::Duration;

use experiment::{
    Block, BlockEngine, Content, Discard, Find, Precondition, Share, Size, Span, Steady, SteadyMetric,
    Stream, Track,
};

use super::load::{Load, Rate};
use super::number::Amount;
use super::step::{Files, span};
use super::streams;
use crate::plain_block;
use crate::source::{Reading, Surroundings};

/// Series have one-second steps.
const MEASURE_MIN_S: f64 = 1.0;
/// The longest that a step without a runtime may take to move its bytes.
const UNTIL_DONE_S: f64 = 86_400.0;
/// A search or a steady state has this long for each point when the file does not say.
const POINT_S: f64 = 5.0;
/// A criterion that fio does not have.
const UNBOUNDED: Share = Share(0.999);
/// Rounds of a window of a steady state.
const STEADY_ROUNDS: u32 = 5;
/// Block size of the writes before a steady state, as in an experiment that does not say.
const PRECONDITION_BLOCK: Size = Size(128 << 10);
/// Stands for everything: what holds nothing but what is left out.
const NEARLY_ALL: Share = Share(0.99);

/// Sizes in bytes of files by their paths: the sizes that jobs of the file give them, else those of existing
/// files.
pub(super) fn known_sizes<'l>(
    steps: &'l [Vec<Load<'_>>],
    surroundings: &dyn Surroundings,
) -> HashMap<&'l str, u64> {
    let mut sizes: HashMap<&str, u64> = HashMap::new();
    for load in steps.iter().flatten() {
        let made = end_bytes(load);
        for target in load.place.clones.iter().flatten() {
            let there = surroundings.size_bytes(&target.path).filter(|bytes| *bytes > 0);
            let known = if target.path.starts_with("/dev/") { there.or(made) } else { made.or(there) };
            if let Some(bytes) = known {
                let size = sizes.entry(&target.path).or_insert(0);
                *size = bytes.max(*size);
            }
        }
    }
    sizes
}

/// The end of a job's last region, if it is given in bytes.
fn end_bytes(load: &Load<'_>) -> Option<u64> {
    let bytes = |amount: Amount| match amount {
        Amount::Bytes(bytes) => Some(bytes),
        Amount::Percent(_) => None,
    };
    let span = load.place.span;
    let moved = match span.increment {
        Some(increment) => bytes(increment)?.saturating_mul(u64::from(load.clones) - 1),
        None => 0,
    };
    Some(bytes(span.offset)?.saturating_add(bytes(span.length?)?).saturating_add(moved))
}

/// The workload of one step; `None` when it is empty or cannot be, which is said.
pub(super) fn block(
    reading: &mut Reading<'_>,
    step: &[Load<'_>],
    sizes: &HashMap<&str, u64>,
) -> Option<Block> {
    let first = step.first()?;
    // Discards go neither through the page cache nor past it.
    let moves_bytes = |load: &&Load<'_>| load.access.discard != Some(Discard::Share(Share(1.0)));
    let direct = step.iter().find(moves_bytes).map_or(first.direct, |load| load.direct);
    let files = Files::of(step, sizes);
    let content = content(reading, step);
    let mut block = Block {
        name: Some(name(step)),
        engine: engine(step),
        size: files.size,
        paths: files.paths.clone(),
        files: if files.paths.is_empty() { files.count } else { 1 },
        ramp_up: span(step.iter().map(|load| load.ramp_s).fold(0.0, f64::max)),
        direct,
        verify: verify(reading, step),
        ..plain_block(measure(step))
    };
    if let Some(other) = step.iter().filter(moves_bytes).find(|load| load.direct != direct) {
        let help = "put a stonewall between the jobs, or give them the same direct=";
        other.job.refuse(
            reading,
            "direct",
            "jobs that run together are either all direct or all buffered",
            help,
        );
        return None;
    }
    let is_null = |load: &&Load<'_>| load.engine == BlockEngine::Null;
    if let (Some(other), true) = (step.iter().find(is_null), step.iter().any(|load| !is_null(&load))) {
        let option =
            if other.job.has("ioengine") && !other.place.is_bottomless { "ioengine" } else { "filename" };
        let why = "it runs beside a job with storage behind it, and has none itself";
        other.job.refuse(reading, option, why, "put a stonewall between the jobs");
        return None;
    }
    if content.is_some() && block.verify {
        let text = "blocks that are verified carry their own content";
        first.job.note(reading, "verify", text);
    } else {
        block.content = content;
    }
    match step {
        [only] if is_level(only) => level(reading, only, &files, &mut block),
        _ if step.iter().all(|load| load.job.has("flow")) => flow(reading, step, &files, &mut block),
        _ => block.streams = streams::own_loads(reading, step, &files),
    }
    let endless = step.iter().find(|load| load.until.seconds.is_none());
    if let Some(endless) = endless.filter(|_| block.measure == span(UNTIL_DONE_S)) {
        let text = "without `runtime` the job ends when its bytes are moved, after 24 h at the latest: a plan counts 24 h";
        reading.note(&endless.job.place, text);
    }
    Some(block)
}

fn name(step: &[Load<'_>]) -> String {
    let mut names: Vec<&str> = step.iter().map(|load| load.job.name.as_str()).collect();
    names.dedup();
    let all = names.join("+");
    let name = if names.len() > 1 && all.chars().count() > 60 {
        format!("{}+{} more", names[0], names.len() - 1)
    } else {
        all
    };
    if name.trim().is_empty() { "job".to_owned() } else { name }
}

/// One engine carries a step: io_uring as soon as one job queues.
fn engine(step: &[Load<'_>]) -> BlockEngine {
    let all = |engine: BlockEngine| step.iter().all(|load| load.engine == engine);
    match () {
        () if all(BlockEngine::Psync) => BlockEngine::Psync,
        () if all(BlockEngine::Null) => BlockEngine::Null,
        () => BlockEngine::IoUring,
    }
}

fn measure(step: &[Load<'_>]) -> Span {
    let end = |load: &Load<'_>| load.until.seconds.map(|seconds| load.start_s + seconds);
    let all: Option<Vec<f64>> = step.iter().map(end).collect();
    let longest = all.map_or(UNTIL_DONE_S, |all| all.into_iter().fold(0.0, f64::max));
    span(longest.max(MEASURE_MIN_S))
}

fn verify(reading: &mut Reading<'_>, step: &[Load<'_>]) -> bool {
    let mut verified = false;
    for load in step {
        let job = load.job;
        let asked = job.text("verify").is_some_and(|method| !matches!(method, "0" | "null" | "none"));
        if !asked || load.engine == BlockEngine::Null {
            continue;
        }
        if load.access.discard == Some(Discard::Share(Share(1.0))) {
            continue;
        }
        if load.access.direction.read >= 1.0 {
            job.note(reading, "verify", "what a run wrote is verified at its own end; this job only reads");
            continue;
        }
        verified = true;
        if job.has("do_verify") && !job.flag(reading, "do_verify") {
            job.note(
                reading,
                "do_verify",
                "the written blocks are verified at the end of this job all the same",
            );
        }
        if job.has("verify_backlog") {
            job.note(reading, "verify_backlog", "all blocks are verified at the end of the run");
        }
    }
    verified
}

fn content(reading: &mut Reading<'_>, step: &[Load<'_>]) -> Option<Content> {
    let mut content = Content { compressible: Share(0.0), duplicates: Share(0.0) };
    for load in step.iter().filter(|load| load.access.direction.read < 1.0) {
        let job = load.job;
        let constant = job.flag(reading, "zero_buffers") || job.text("buffer_pattern").is_some();
        let part = |share: Option<f64>| Share(share.unwrap_or(0.0).min(NEARLY_ALL.0));
        let own = if constant {
            let option = if job.has("zero_buffers") { "zero_buffers" } else { "buffer_pattern" };
            job.note(reading, option, "blocks are nearly all alike, and not of this pattern");
            Content { compressible: NEARLY_ALL, duplicates: NEARLY_ALL }
        } else {
            Content {
                compressible: part(job.percent(reading, "buffer_compress_percentage")),
                duplicates: part(job.percent(reading, "dedupe_percentage")),
            }
        };
        content.compressible.0 = content.compressible.0.max(own.compressible.0);
        content.duplicates.0 = content.duplicates.0.max(own.duplicates.0);
    }
    (content.compressible.0 > 0.0 || content.duplicates.0 > 0.0).then_some(content)
}

/// True if a job alone in its step is a plain level: a depth or a rate for a time.
fn is_level(load: &Load<'_>) -> bool {
    let job = load.job;
    let searches = job.has("latency_target") || job.has("steadystate");
    let timed = load.until.seconds.is_some() && load.until.bytes.is_none() && load.until.passes.is_none();
    let mixed = load.access.direction.read > 0.0 && load.access.direction.read < 1.0;
    let plain = load.start_s == 0.0
        && !["thinktime"].iter().any(|option| job.has(option))
        && (load.place.is_shared() || load.clones == 1)
        && !(mixed && load.rate.is_some());
    plain && (timed || searches)
}

fn level(reading: &mut Reading<'_>, load: &Load<'_>, files: &Files<'_>, block: &mut Block) {
    block.workers = load.clones;
    block.streams = streams::shared(reading, load, files);
    match load.rate {
        Some(Rate { read, write, arrivals }) => {
            let rate = if load.access.direction.read >= 1.0 { read } else { write };
            block.rate = Some(vec![rate.unwrap_or(1.0) * f64::from(load.clones)]);
            block.arrivals = arrivals;
            block.depth_max = load.depth;
        }
        None => block.depth = vec![load.depth],
    }
    let job = load.job;
    if let Some(latency_s) = job.seconds(reading, "latency_target", 1e-6) {
        let percentile = job.percent(reading, "latency_percentile").unwrap_or(1.0);
        if percentile >= 1.0 {
            job.note(
                reading,
                "latency_target",
                "99.99% of the I/Os must keep it: the slowest of all is no measure",
            );
        }
        let latency = Span(Duration::from_nanos((latency_s * 1e9).round() as u64));
        block.find = Some(Find { percentile: Share(percentile.min(0.9999)), latency });
        let window_s = job.seconds(reading, "latency_window", 1e-6).unwrap_or(POINT_S);
        block.measure = span(window_s.max(MEASURE_MIN_S));
    }
    if let Some(steady) = steady(reading, load, block) {
        block.steady = Some(steady);
    }
}

/// fio's `steadystate`: over a window the deviation from the mean, or the slope, stays below a limit.
fn steady(reading: &mut Reading<'_>, load: &Load<'_>, block: &mut Block) -> Option<Steady> {
    let job = load.job;
    let text = job.text("steadystate")?.to_owned();
    let (criterion, limit) = text.split_once(':').unwrap_or((&text, ""));
    let limit = limit.trim_end_matches('%').parse::<f64>().unwrap_or(0.01) / 100.0;
    let window_s = job.seconds(reading, "steadystate_duration", 1.0).unwrap_or(0.0).max(5.0);
    let round_s = window_s / f64::from(STEADY_ROUNDS);
    let rounds = (load.until.seconds.unwrap_or(UNTIL_DONE_S) / round_s).ceil().clamp(5.0, 10_000.0);
    let is_slope = criterion.ends_with("_slope");
    job.note(
        reading,
        "steadystate",
        "five rounds make the window; the rounds before a steady state are kept and marked",
    );
    block.measure = span(round_s);
    if let Some(ramp_s) = job.seconds(reading, "steadystate_ramp_time", 1.0) {
        block.precondition = Some(Precondition {
            purge: false,
            passes: 0,
            block_size: PRECONDITION_BLOCK,
            run_for: (ramp_s > 0.0).then(|| span(ramp_s)),
        });
    }
    let metric = if criterion.starts_with("bw") { SteadyMetric::Bandwidth } else { SteadyMetric::Iops };
    let share = |share: f64| Share(share.clamp(0.0001, UNBOUNDED.0));
    Some(Steady {
        track: vec![Track { metric, read: None, block_size: None }],
        window: STEADY_ROUNDS,
        // The largest deviation from the mean on either side; a slope per second over the whole window.
        excursion: if is_slope { UNBOUNDED } else { share(2.0 * limit) },
        slope: if is_slope { share(limit * window_s) } else { UNBOUNDED },
        max_rounds: rounds as u32,
        every: 1,
        stop_after_writes: None,
    })
}

/// Jobs under fio's flow control share one load in the ratio of their flows.
fn flow(reading: &mut Reading<'_>, step: &[Load<'_>], files: &Files<'_>, block: &mut Block) {
    let flow =
        |load: &Load<'_>| load.job.text("flow").and_then(|text| text.parse::<f64>().ok()).unwrap_or(1.0);
    // Before fio 3.28 flows had signs and were costs, not shares.
    let are_costs = step.iter().any(|load| flow(load) < 0.0);
    let mut depth = 0;
    for load in step {
        let weight = if are_costs { 1.0 / flow(load).abs().max(1e-6) } else { flow(load).max(1e-6) };
        let streams = streams::shared(reading, load, files);
        let parts: f64 = streams.iter().map(|stream| stream.weight).sum();
        let weighted = |stream: Stream| Stream { weight: stream.weight / parts * weight, ..stream };
        block.streams.extend(streams.into_iter().map(weighted));
        depth += load.depth * load.clones;
    }
    let text = "the jobs share one queue, each with its part of the I/Os; the depth is that of all together";
    step[0].job.note(reading, "flow", text);
    block.depth = vec![depth.min(4096)];
    if step.iter().any(|load| load.until.seconds.is_none()) {
        let text = "the step ends after a minute: with flow control it has no other end of its own";
        step[0].job.note(reading, "flow", text);
        block.measure = span(60.0);
    }
}
