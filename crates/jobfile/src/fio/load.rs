//! The load of a job: engine, depth, clones, rates, pauses, amounts and times.

use experiment::{Arrivals, BlockEngine, Discard, Share};

use super::files::{self, JobFiles};
use super::job::Job;
use super::number::{self, Amount};
use super::pattern::{self, Access};
use crate::source::Reading;

/// Clones of one job; a workload runs no more workers.
const CLONES_MAX: u64 = 1024;
/// Depth of one job.
const DEPTH_MAX: u64 = 4096;

/// A job, read.
#[derive(Clone, Debug)]
pub(super) struct Load<'j> {
    pub(super) job: &'j Job,
    pub(super) access: Access,
    pub(super) place: JobFiles,
    pub(super) clones: u32,
    pub(super) engine: BlockEngine,
    pub(super) depth: u32,
    pub(super) direct: bool,
    pub(super) rate: Option<Rate>,
    pub(super) until: Until,
    pub(super) ramp_s: f64,
    pub(super) start_s: f64,
}

/// A rate of one clone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rate {
    /// I/Os per second of reads and of writes; the same number counts for each.
    pub(super) read: Option<f64>,
    pub(super) write: Option<f64>,
    pub(super) arrivals: Arrivals,
}

/// When a job is over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Until {
    /// After this time.
    pub(super) seconds: Option<f64>,
    /// After each clone has moved this many bytes.
    pub(super) bytes: Option<u64>,
    /// After this many passes of each clone over its part; for parts whose size is not known here.
    pub(super) passes: Option<u32>,
}

/// Reads everything of one job.
pub(super) fn load<'j>(reading: &mut Reading<'_>, job: &'j Job) -> Option<Load<'j>> {
    // Each says its own faults: a reader wants all of them at once.
    let engine = engine(reading, job);
    let clones = clones(reading, job);
    let (place, access) = (files::place(reading, job, clones.unwrap_or(1)), pattern::access(reading, job));
    let depth = depth(reading, job, engine.is_none_or(|(_, queues)| queues));
    let rate = access.as_ref().map(|access| rate(reading, job, access));
    numbers(reading, job);
    let ((engine, _), clones, place, access) = (engine?, clones?, place?, access?);
    let (depth, rate) = (depth?, rate??);
    let engine = if place.is_bottomless { BlockEngine::Null } else { engine };
    let until = until(reading, job, &access, &place)?;
    Some(Load {
        direct: job.direct(reading),
        ramp_s: job.seconds(reading, "ramp_time", 1.0).unwrap_or(0.0),
        start_s: start(reading, job),
        job,
        access,
        place,
        clones: clones as u32,
        engine,
        depth,
        rate,
        until,
    })
}

/// Numbers that a job says, whether it comes to need them or not.
fn numbers(reading: &mut Reading<'_>, job: &Job) {
    for name in ["runtime", "ramp_time"] {
        job.seconds(reading, name, 1.0);
    }
    for name in ["loops", "number_ios"] {
        job.integer(reading, name);
    }
    for name in ["rwmixread", "rwmixwrite"] {
        job.percent(reading, name);
    }
    job.amount(reading, "io_size");
    start(reading, job);
}

fn clones(reading: &mut Reading<'_>, job: &Job) -> Option<u64> {
    let clones = job.integer(reading, "numjobs").unwrap_or(1).max(1);
    if clones > CLONES_MAX {
        job.refuse(reading, "numjobs", &format!("{clones} clones are more than {CLONES_MAX}"), "use fewer");
        return None;
    }
    Some(clones)
}

/// The engine for the I/Os here, and true if it keeps several of them outstanding.
fn engine(reading: &mut Reading<'_>, job: &Job) -> Option<(BlockEngine, bool)> {
    let name = job.text("ioengine").unwrap_or("psync");
    match name.split(':').next().unwrap_or(name) {
        "psync" | "sync" | "vsync" | "pvsync" | "pvsync2" => Some((BlockEngine::Psync, false)),
        "mmap" | "splice" => {
            job.note(reading, "ioengine", format!("`{name}` is carried out with pread and pwrite"));
            Some((BlockEngine::Psync, false))
        }
        "io_uring" => Some((BlockEngine::IoUring, true)),
        "libaio" | "posixaio" | "linuxaio" | "solarisaio" | "windowsaio" | "syslet-rw" | "sg" | "xnvme"
        | "libblkio" => {
            job.note(reading, "ioengine", format!("`{name}` is carried out with io_uring"));
            Some((BlockEngine::IoUring, true))
        }
        "null" => Some((BlockEngine::Null, true)),
        other => {
            let why = format!("the engine `{other}` does not read or write files or block devices");
            job.refuse(reading, "ioengine", &why, "use io_uring, libaio or psync");
            None
        }
    }
}

fn depth(reading: &mut Reading<'_>, job: &Job, queues: bool) -> Option<u32> {
    let asked = job.integer(reading, "iodepth").unwrap_or(1).max(1);
    if asked > DEPTH_MAX {
        job.refuse(reading, "iodepth", &format!("a depth of {asked} is more than {DEPTH_MAX}"), "use less");
        return None;
    }
    if !queues && asked > 1 {
        let text = "synchronous engines keep one I/O outstanding whatever iodepth says, in fio and here";
        job.note(reading, "iodepth", text);
        return Some(1);
    }
    Some(asked as u32)
}

fn start(reading: &mut Reading<'_>, job: &Job) -> f64 {
    let Some(text) = job.text("startdelay") else { return 0.0 };
    let first = text.split('-').next().unwrap_or(text).to_owned();
    if first.len() != text.len() {
        job.note(reading, "startdelay", "all clones start after the shortest of these times");
    }
    job.checked(reading, "startdelay", number::seconds(&first, 1.0)).unwrap_or(0.0)
}

/// `rate_iops`, or `rate` in bytes per second over the mean size of an I/O.
fn rate(reading: &mut Reading<'_>, job: &Job, access: &Access) -> Option<Option<Rate>> {
    let option = if job.has("rate_iops") { "rate_iops" } else { "rate" };
    let Some(text) = job.text(option) else { return Some(None) };
    let base = job.kb_base();
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let number = match part.trim() {
            "" => None,
            part => Some(job.checked(reading, option, number::bytes(part, base))?),
        };
        numbers.push(number.filter(|number| *number > 0).map(|number| number as f64));
    }
    let read = numbers.first().copied().flatten();
    // A single number counts for each direction; `rate=1m,` leaves writes without one.
    let given = |index: usize| numbers.get(index.min(numbers.len() - 1)).copied().flatten();
    let write = if access.discard == Some(Discard::Share(Share(1.0))) { given(2) } else { given(1) };
    let write_sizes = access.write_sizes.as_ref().unwrap_or(&access.read_sizes);
    let per_io = |sizes: &experiment::OneOrMix| {
        if option == "rate_iops" {
            return 1.0;
        }
        sizes.parts().iter().map(|part| part.size.0 as f64 * part.share.0).sum()
    };
    let poisson = job.text("rate_process") == Some("poisson") || job.flag(reading, "rate_poisson");
    let rate = Rate {
        read: read.map(|rate| rate / per_io(&access.read_sizes)),
        write: write.map(|rate| rate / per_io(write_sizes)),
        arrivals: if poisson { Arrivals::Poisson } else { Arrivals::Fixed },
    };
    let has_any = (access.direction.read > 0.0 && rate.read.is_some())
        || (access.direction.read < 1.0 && rate.write.is_some());
    if has_any && job.text("io_submit_mode") != Some("offload") {
        let text = "I/Os start on time however slow the target is, and latency counts from the intended start; fio holds them back silently";
        job.note(reading, option, text);
    }
    Some(has_any.then_some(rate))
}

/// fio's end: after `runtime` when time_based, else after the amount or after `runtime`, whichever is first.
fn until(reading: &mut Reading<'_>, job: &Job, access: &Access, place: &JobFiles) -> Option<Until> {
    let seconds = job.seconds(reading, "runtime", 1.0).filter(|seconds| *seconds > 0.0);
    if job.flag(reading, "time_based") {
        if seconds.is_some() {
            return Some(Until { seconds, bytes: None, passes: None });
        }
        job.note(reading, "time_based", "without a runtime it has no effect, in fio as here");
    }
    let loops = job.integer(reading, "loops").unwrap_or(1).clamp(1, u64::from(u32::MAX));
    if let Some(ios) = job.integer(reading, "number_ios") {
        let mean: f64 = access.read_sizes.parts().iter().map(|part| part.size.0 as f64 * part.share.0).sum();
        return Some(Until { seconds, bytes: Some((ios as f64 * mean) as u64), passes: None });
    }
    let files = place.clones[0].len() as u64;
    let amount = match job.amount(reading, "io_size") {
        Some(amount) if amount != Amount::Bytes(0) => Some((amount, 1)),
        _ => place.span.length.map(|each| (each, files)),
    };
    Some(match amount {
        Some((Amount::Bytes(bytes), times)) => {
            let bytes = bytes.saturating_mul(times).saturating_mul(loops);
            Until { seconds, bytes: Some(bytes), passes: None }
        }
        // Shares and whole devices: as often over its part as there are loops.
        _ => Until { seconds, bytes: None, passes: Some(loops as u32) },
    })
}
