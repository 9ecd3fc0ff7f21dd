//! Streams of jobs: taking part in a level, or with loads of their own.

use experiment::{
    Cursor, Discard, DiscardRule, Extent, FileChoice, Pattern, Share, Size, Stream, StreamTarget, Think,
};

use super::load::Load;
use super::number::Amount;
use super::step::{Files, span};
use crate::source::Reading;

/// The streams of a job that takes part in the level's load.
pub(super) fn shared(reading: &mut Reading<'_>, load: &Load<'_>, files: &Files<'_>) -> Vec<Stream> {
    let mut streams = Vec::new();
    let read = load.access.direction.read;
    let sequential_mix = load.access.pattern == Pattern::Sequential && read > 0.0 && read < 1.0;
    if sequential_mix {
        // fio reads and writes forwards from a place of its own each.
        for (share, weight) in [(1.0, read), (0.0, 1.0 - read)] {
            let mut stream = stream(reading, load, files);
            stream.read = Share(share);
            stream.weight = weight;
            if share == 0.0 {
                stream.block_size = stream.write_block_size.clone().unwrap_or(stream.block_size);
            }
            stream.write_block_size = None;
            stream.name = None;
            streams.push(stream);
        }
    } else {
        streams.push(stream(reading, load, files));
    }
    spread(reading, load, streams, &numbers(load, files, 0), files)
}

/// The streams of jobs that run side by side, each with a load of its own.
pub(super) fn own_loads(reading: &mut Reading<'_>, step: &[Load<'_>], files: &Files<'_>) -> Vec<Stream> {
    let mut streams = Vec::new();
    for load in step {
        let plain = stream(reading, load, files);
        let plain = with_load(reading, load, plain);
        for plain in by_direction(load, plain) {
            if load.place.is_shared() || load.clones == 1 {
                streams.extend(over_files(reading, load, files, 0, plain));
                continue;
            }
            // Every clone has files of its own: one stream for each, with its part of the load.
            let clones = load.clones;
            for clone in 0..clones {
                let mut own =
                    Stream { workers: 1, cursor: Cursor::default(), worker_offset: None, ..plain.clone() };
                own.name = plain.name.as_ref().map(|name| format!("{name}.{clone}"));
                own.rate = plain.rate.map(|rate| rate / f64::from(clones));
                own.bytes = plain.bytes.map(|bytes| Size(bytes.0 / u64::from(clones)));
                streams.extend(over_files(reading, load, files, clone as usize, own));
            }
        }
    }
    streams
}

/// Reads and writes apart where each has a rate of its own.
fn by_direction(load: &Load<'_>, plain: Stream) -> Vec<Stream> {
    let read = load.access.direction.read;
    let Some(rate) = load.rate.filter(|_| read > 0.0 && read < 1.0) else { return vec![plain] };
    let clones = f64::from(load.clones);
    let part = |share: f64, own: f64, rate: Option<f64>, word: &str| {
        let mut stream = plain.clone();
        stream.read = Share(share);
        stream.name = plain.name.as_ref().map(|name| format!("{name} {word}"));
        if share == 0.0 {
            stream.block_size = stream.write_block_size.clone().unwrap_or(stream.block_size);
        }
        stream.write_block_size = None;
        stream.rate = rate.map(|rate| rate * clones);
        stream.bytes = plain.bytes.map(|bytes| Size((bytes.0 as f64 * own) as u64));
        stream
    };
    vec![part(1.0, read, rate.read, "reads"), part(0.0, 1.0 - read, rate.write, "writes")]
}

/// A stream of the files it means: all, one, or several that lie side by side; else one stream for each.
fn over_files(
    reading: &mut Reading<'_>,
    load: &Load<'_>,
    files: &Files<'_>,
    clone: usize,
    stream: Stream,
) -> Vec<Stream> {
    let numbers = numbers(load, files, clone);
    if is_run(&numbers) {
        return spread(reading, load, vec![stream], &numbers, files);
    }
    let option = if load.job.has("filename") { "filename" } else { "nrfiles" };
    load.job.note(reading, option, "the job's depth, rate and bytes are divided among its files");
    let count = numbers.len() as u32;
    let mut each = stream;
    each.depth = each.depth.map(|depth| depth.div_ceil(count));
    each.rate = each.rate.map(|rate| rate / f64::from(count));
    each.bytes = each.bytes.map(|bytes| Size(bytes.0 / u64::from(count)));
    spread(reading, load, vec![each], &numbers, files)
}

/// True if files have consecutive numbers.
fn is_run(numbers: &[u32]) -> bool {
    numbers.windows(2).all(|pair| pair[0] + 1 == pair[1])
}

/// Each stream on its files: as one where they lie side by side, else once for each.
fn spread(
    reading: &mut Reading<'_>,
    load: &Load<'_>,
    streams: Vec<Stream>,
    numbers: &[u32],
    files: &Files<'_>,
) -> Vec<Stream> {
    let file_choice = if numbers.len() > 1 { file_choice(reading, load) } else { FileChoice::Random };
    if is_run(numbers) {
        let target = match numbers {
            _ if numbers.len() as u32 == files.count => None,
            [only] => Some(StreamTarget::File(*only)),
            _ => numbers.first().zip(numbers.last()).map(|(a, b)| StreamTarget::Files([*a, *b])),
        };
        return streams.into_iter().map(|stream| Stream { target, file_choice, ..stream }).collect();
    }
    let on = |stream: &Stream, number: &u32| {
        let name = stream.name.as_ref().map(|name| format!("{name} on {number}"));
        Stream { target: Some(StreamTarget::File(*number)), name, ..stream.clone() }
    };
    streams.iter().flat_map(|stream| numbers.iter().map(|number| on(stream, number))).collect()
}

/// `file_service_type`: which file comes next. A number behind it, of I/Os before the next, is let go.
fn file_choice(reading: &mut Reading<'_>, load: &Load<'_>) -> FileChoice {
    let text = load.job.text("file_service_type").unwrap_or("roundrobin");
    let (word, ios) = text.split_once(':').unwrap_or((text, ""));
    let choice = match word {
        "roundrobin" => FileChoice::RoundRobin,
        "random" => FileChoice::Random,
        "sequential" => FileChoice::InTurn,
        _ => {
            let why = format!("files are not drawn by `{word}`");
            let help = "use roundrobin, random or sequential";
            load.job.refuse(reading, "file_service_type", &why, help);
            return FileChoice::Random;
        }
    };
    if !ios.is_empty() && ios != "1" {
        load.job.note(reading, "file_service_type", "the next file comes after every I/O, not after several");
    }
    choice
}

fn numbers(load: &Load<'_>, files: &Files<'_>, clone: usize) -> Vec<u32> {
    load.place.clones.get(clone).into_iter().flatten().map(|target| files.number(&target.path)).collect()
}

/// The accesses, without a load.
fn stream(reading: &mut Reading<'_>, load: &Load<'_>, files: &Files<'_>) -> Stream {
    let access = &load.access;
    let mut stream =
        Stream::new(access.pattern.clone(), Share(access.direction.read), access.read_sizes.clone());
    stream.name = Some(load.job.name.clone());
    stream.random = access.random;
    stream.write_block_size = access.write_sizes.clone();
    stream.align = access.align;
    stream.discard = access.discard;
    let span = load.place.span;
    stream.offset = Some(extent(span.offset)).filter(|offset| *offset != Extent::Bytes(Size(0)));
    // Files are made a little longer where the size is no whole number of blocks.
    let is_whole = |length: &Amount| match length {
        Amount::Bytes(bytes) => Size(bytes.next_multiple_of(4096)) == files.size && stream.offset.is_none(),
        Amount::Percent(percent) => *percent >= 100.0,
    };
    stream.length = span.length.filter(|length| !is_whole(length)).map(extent);
    if load.clones > 1 {
        // Every clone of fio reads all of it, from its own beginning.
        stream.cursor = Cursor::Each;
        stream.worker_offset = span.increment.map(extent);
    }
    syncs(reading, load, &mut stream);
    stream
}

fn extent(amount: Amount) -> Extent {
    match amount {
        // Regions begin and end at sectors.
        Amount::Bytes(bytes) => Extent::Bytes(Size(bytes - bytes % 512)),
        Amount::Percent(percent) => Extent::Share(Share::of_percent(percent)),
    }
}

/// Flushes between writes, and writes that are durable when they are done.
fn syncs(reading: &mut Reading<'_>, load: &Load<'_>, stream: &mut Stream) {
    let job = load.job;
    if load.access.direction.read >= 1.0 {
        return;
    }
    let every = |reading: &mut Reading<'_>, option: &str| {
        job.integer(reading, option)
            .filter(|every| *every > 0)
            .map(|every| every.min(u64::from(u32::MAX)) as u32)
    };
    stream.fsync = every(reading, "fsync");
    stream.fdatasync = if stream.fsync.is_none() { every(reading, "fdatasync") } else { None };
    let synchronous = job.text("sync").is_some_and(|mode| !matches!(mode, "0" | "none"))
        || (job.has("sync") && job.text("sync").is_none())
        || job.flag(reading, "writefua")
        || job.text("sg_write_mode").is_some_and(|mode| mode.contains("verify"));
    stream.write_through = synchronous;
}

/// Adds the load of its own.
fn with_load(reading: &mut Reading<'_>, load: &Load<'_>, mut stream: Stream) -> Stream {
    let job = load.job;
    stream.depth = Some(load.depth);
    stream.workers = load.clones;
    let read = load.access.direction.read;
    if let Some(rate) = load.rate {
        let own = if read >= 1.0 { rate.read } else { rate.write };
        stream.rate = own.map(|rate| rate * f64::from(load.clones));
        stream.arrivals = Some(rate.arrivals);
    }
    if let Some(seconds) = job.seconds(reading, "thinktime", 1e-6).filter(|seconds| *seconds > 0.0) {
        let after =
            job.integer(reading, "thinktime_blocks").unwrap_or(1).clamp(1, u64::from(u32::MAX)) as u32;
        if stream.rate.is_none() {
            stream.think = Some(Think { time: span(seconds), after });
        } else {
            job.note(reading, "thinktime", "with a rate, I/Os start on time: there are no pauses");
        }
    }
    // fio discards as much again as it writes.
    let times = if load.access.discard == Some(Discard::Rule(DiscardRule::BeforeWrites)) { 2 } else { 1 };
    let bytes = |bytes: u64| Size(bytes.saturating_mul(u64::from(load.clones) * u64::from(times)));
    stream.bytes = load.until.bytes.map(bytes);
    stream.passes = load.until.passes.map(|passes| passes.saturating_mul(times));
    stream.start_after = (load.start_s > 0.0).then(|| span(load.start_s));
    stream.run_for = load.until.seconds.map(|seconds| span(load.ramp_s + seconds));
    stream
}
