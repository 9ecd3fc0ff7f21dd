//! One cell of block I/O: a file of our own on real storage, or a modelled drive in wall time, under the asked load.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use block::{
    Arrivals, Control, Ended, EngineKind, Job, ModelledDrive, Outcome, Shape, SizeMix, Target, Verify,
    WritePermit,
};
use database::Marker;
use experiment::{Block, BlockEngine, Pattern};
use measure::Histogram;
use notebook::{CellRecord, CellState, Event as CellEvent, Phase};

use crate::beds::DriveChoice;
use crate::conduct::Conductor;
use crate::measurements::{Metrics, one};
use crate::order::CellKey;
use crate::order_entry::cell_seed;
use crate::{Event, limiter, reset};

/// Most I/Os outstanding in an open loop; beyond it arrivals wait, and their waiting counts.
const OPEN_LOOP_DEPTH_MAX: u32 = 1024;

/// The first shape of load that is described and not built, if the workload has one.
pub(crate) fn missing(block: &Block) -> Option<&'static str> {
    let plain_pattern = |pattern: &Pattern| {
        let of_this_build = [
            matches!(pattern, Pattern::Sequential | Pattern::Uniform),
            matches!(pattern, Pattern::Zipf(_) | Pattern::HotSpot { .. }),
        ];
        of_this_build.contains(&true)
    };
    let plain = |s: &experiment::Stream| {
        let other = experiment::Stream {
            weight: s.weight,
            ..experiment::Stream::new(s.pattern.clone(), s.read, s.block_size.clone())
        };
        *s == other && plain_pattern(&s.pattern)
    };
    let parts = [
        (block.has_points(), "a matrix, curve, search or steady state"),
        (block.precondition.is_some(), "preconditioning"),
        (block.content.is_some(), "compressible or duplicate content"),
        (!block.paths.is_empty(), "a load on files or devices by name"),
        (block.files > 1 || block.workers > 1 || block.pin, "a load of several files or workers"),
        (!block.streams.iter().all(plain), "one of the stream's keys"),
    ];
    parts.into_iter().find(|(is, _)| *is).map(|(_, what)| what)
}

/// Runs the cell. Never fails: what goes wrong becomes the reason of an invalid cell.
pub(crate) fn cell(conductor: &Conductor<'_>, key: CellKey, block: &Block) -> CellRecord {
    let ran = job(conductor, key, block).and_then(|job| {
        let outcome = under_load(conductor, &job)?;
        Ok(record(conductor, &job, &outcome))
    });
    ran.unwrap_or_else(|reason| CellRecord {
        state: CellState::Invalid,
        reason: Some(reason),
        ..CellRecord::default()
    })
}

fn job(conductor: &Conductor<'_>, key: CellKey, block: &Block) -> Result<Job, String> {
    let engine = match (&conductor.drives[key.bed].data, block.engine) {
        (_, BlockEngine::Null) => EngineKind::Null,
        (DriveChoice::Emulated(entry), _) => {
            EngineKind::Modelled(ModelledDrive::new(&entry.spec, cell_seed(conductor.seed, key)))
        }
        (DriveChoice::Real | DriveChoice::Unknown(_), BlockEngine::Modelled) => {
            return Err("engine `modelled` needs an emulated storage".to_owned());
        }
        (DriveChoice::Real | DriveChoice::Unknown(_), BlockEngine::IoUring) => EngineKind::IoUring,
        (DriveChoice::Real | DriveChoice::Unknown(_), BlockEngine::Psync) => EngineKind::Psync,
    };
    let shape = match &block.rate {
        Some(rates) => Shape::OpenLoop {
            rate: rates[key.level],
            depth_max: OPEN_LOOP_DEPTH_MAX,
            arrivals: Arrivals::Poisson,
        },
        None => Shape::ClosedLoop { depth: block.depth[key.level] },
    };
    let target = target(conductor, key, block, &engine)?;
    let streams: Vec<block::Stream> =
        block.streams.iter().enumerate().map(stream).collect::<Result<_, _>>()?;
    let first = streams.first().cloned().ok_or("the workload has no stream")?;
    Ok(Job {
        streams,
        ramp_up: block.ramp_up.0,
        measure: block.measure.0,
        seed: cell_seed(conductor.seed, key),
        direct: block.direct,
        verify: if block.verify { Verify::Write } else { Verify::Off },
        ..Job::new(first, shape, engine, target)
    })
}

/// A fresh file of ours for engines that move bytes, made anew for each cell so that all start alike; addresses for the others.
fn target(
    conductor: &Conductor<'_>,
    key: CellKey,
    block: &Block,
    engine: &EngineKind,
) -> Result<Target, String> {
    if !engine.moves_bytes() {
        return Ok(Target::AddressSpace { size_bytes: block.size.0 });
    }
    let bed = &conductor.experiment.bed[key.bed];
    let dir = conductor.work.bed(bed);
    conductor.observer.event(Event::Phase { name: "reset" });
    reset::remove_dir(&dir).map_err(|e| e.to_string())?;
    let marker = Marker::claim(&dir).map_err(|e| e.to_string())?;
    // The permit keeps its proof of ownership beside the file.
    for name in ["block.dat", "block.dat.drivetrain-owned"] {
        marker.own(name).map_err(|e| e.to_string())?;
    }
    let permit = WritePermit::create_file(&dir.join("block.dat"), block.size.0).map_err(|e| e.to_string())?;
    Ok(Target::Permitted(Arc::new(permit)))
}

fn stream((number, stream): (usize, &experiment::Stream)) -> Result<block::Stream, String> {
    let pattern = match stream.pattern.clone() {
        Pattern::Sequential => block::Pattern::Sequential,
        Pattern::Uniform => block::Pattern::Uniform,
        Pattern::Zipf(theta) => block::Pattern::Zipf { theta },
        Pattern::HotSpot { share, access } => block::Pattern::HotSpot { share: share.0, access: access.0 },
        _ => return Err("this pattern is not conducted yet by this build".to_owned()),
    };
    let sizes = stream
        .block_size
        .parts()
        .into_iter()
        .map(|part| {
            u32::try_from(part.size.0)
                .map(|size| (size, part.share.0))
                .map_err(|_| format!("a block of {} is too large", part.size))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let name = format!("stream-{}", number + 1);
    Ok(block::Stream {
        weight: stream.weight,
        ..block::Stream::new(name, pattern, stream.read.0, SizeMix::mix(sizes))
    })
}

/// Runs the job while a watcher passes on interrupts and shows progress.
fn under_load(conductor: &Conductor<'_>, job: &Job) -> Result<Outcome, String> {
    let control = Control::new();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| watch(conductor, &control, &over));
        let outcome = block::run(job, &control);
        over.store(true, Ordering::Release);
        outcome.map_err(|e| e.to_string())
    })
}

fn watch(conductor: &Conductor<'_>, control: &Control, over: &AtomicBool) {
    let start = Instant::now();
    conductor.observer.event(Event::Phase { name: "measure" });
    let mut last = (Instant::now(), control.live());
    while !over.load(Ordering::Acquire) {
        std::thread::sleep(Duration::from_millis(100));
        if conductor.interrupt.requested() {
            control.stop();
        }
        if last.0.elapsed() >= Duration::from_millis(500) {
            let live = control.live();
            let rate_per_s = (live.ios - last.1.ios) as f64 / last.0.elapsed().as_secs_f64();
            let p99_ns = live.p99_ns_since(&last.1);
            conductor.observer.event(Event::Live {
                rate_per_s,
                unit: "IOPS",
                p99_ns,
                elapsed: start.elapsed(),
            });
            last = (Instant::now(), live);
        }
    }
}

fn record(conductor: &Conductor<'_>, job: &Job, outcome: &Outcome) -> CellRecord {
    let (state, reason) = state(conductor, outcome);
    let asked = match job.shape {
        Shape::OpenLoop { rate, .. } => Some(rate),
        Shape::ClosedLoop { .. } | Shape::Bursts { .. } => None,
    };
    let elapsed_s = outcome.elapsed.as_secs_f64();
    let worker_ns = (outcome.cpu.user_ns + outcome.cpu.system_ns) as f64;
    let client_share = worker_ns / 1e9 / elapsed_s.max(1e-9) / f64::from(outcome.workers.max(1));
    let limiter = limiter::of_block(asked, outcome.iops(), client_share);
    let ramp_s = outcome.ramp_up.as_secs_f64();
    CellRecord {
        state,
        reason,
        limiter: Some(limiter.name.to_owned()),
        limiter_detail: Some(limiter.detail),
        phases: vec![
            Phase { name: "ramp-up".to_owned(), start_s: 0.0, end_s: ramp_s },
            Phase { name: "measure".to_owned(), start_s: ramp_s, end_s: ramp_s + elapsed_s },
        ],
        measurements: metrics(outcome, asked),
        series: series(outcome),
        histograms: histograms(outcome),
        points: Vec::new(),
        events: outcome
            .warnings()
            .into_iter()
            .map(|message| CellEvent { kind: "warning".to_owned(), count: 1, message })
            .collect(),
    }
}

fn state(conductor: &Conductor<'_>, outcome: &Outcome) -> (CellState, Option<String>) {
    match outcome.ended {
        Ended::Stopped if conductor.interrupt.requested() => {
            (CellState::Interrupted, Some("stopped by the user before the measure phase was over".to_owned()))
        }
        Ended::Complete
            if outcome.failures() == 0 && outcome.verify.as_ref().is_none_or(|v| v.faulty_blocks == 0) =>
        {
            (CellState::Done, None)
        }
        _ => (CellState::Invalid, Some(outcome.warnings().join("; "))),
    }
}

fn metrics(outcome: &Outcome, asked: Option<f64>) -> Vec<notebook::Measurement> {
    let mut metrics = Metrics::default();
    metrics.add("iops", outcome.iops(), "1/s");
    metrics.add("read_iops", outcome.read_iops(), "1/s");
    metrics.add("write_iops", outcome.write_iops(), "1/s");
    metrics.add("bandwidth", outcome.bytes_per_second() / 1e6, "MB/s");
    if let Some(asked) = asked {
        metrics.add("iops_asked", asked, "1/s");
    }
    metrics.add_latency("latency", &outcome.latency());
    metrics.add_latency("service", &outcome.service());
    metrics.add_latency("read_latency", &outcome.read.latency);
    metrics.add_latency("write_latency", &outcome.write.latency);
    metrics.add("cpu_per_io", outcome.cpu_per_io_ns().unwrap_or(f64::NAN), "ns");
    metrics.add("errors", outcome.failures() as f64, "count");
    metrics.0
}

fn series(outcome: &Outcome) -> Vec<measure::Series> {
    let timeline = outcome.timeline();
    let seconds = timeline.seconds();
    vec![
        one("iops", "1/s", seconds.iter().map(|s| s.count as f64)),
        one("bandwidth", "MB/s", seconds.iter().map(|s| s.bytes as f64 / 1e6)),
        one("latency_mean", "ms", seconds.iter().map(|s| s.mean_ns / 1e6)),
        one("latency_p99", "ms", seconds.iter().map(|s| s.p99_ns as f64 / 1e6)),
    ]
}

fn histograms(outcome: &Outcome) -> Vec<(String, Histogram)> {
    let named = [
        ("latency", outcome.latency()),
        ("service", outcome.service()),
        ("read", outcome.read.latency.clone()),
        ("write", outcome.write.latency.clone()),
    ];
    named.into_iter().filter(|(_, h)| !h.is_empty()).map(|(name, h)| (name.to_owned(), h)).collect()
}
