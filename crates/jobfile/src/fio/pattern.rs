//! The accesses of a job: directions, block sizes and the places of its I/Os.

use experiment::{Band, Discard, DiscardRule, OneOrMix, Part, Pattern, Share, Size, Zones};
use ground::Zipf;

use super::job::Job;
use super::number::{self, KbBase};
use crate::source::Reading;

/// fio's block size when none is given.
const BLOCK_BYTES_DEFAULT: u64 = 4096;
/// Sizes that one mix holds.
const PARTS_MAX: u64 = 64;
/// The unit of all sizes.
const SECTOR_BYTES: u64 = 512;
/// Largest single I/O.
const IO_BYTES_MAX: u64 = 16 << 20;

/// The directions of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Direction {
    /// Share of reads, 0 to 1.
    pub(super) read: f64,
    pub(super) is_random: bool,
    /// The discards: all accesses, or one at the place of each write.
    discard: Option<Discard>,
    /// From `rw=randread:8` or `rw=read:112k`.
    modifier: Option<i64>,
}

/// The accesses, in our terms.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Access {
    pub(super) direction: Direction,
    pub(super) pattern: Pattern,
    pub(super) random: Option<Share>,
    pub(super) read_sizes: OneOrMix,
    /// The sizes of writes, if they differ from those of reads.
    pub(super) write_sizes: Option<OneOrMix>,
    pub(super) align: Option<Size>,
    pub(super) discard: Option<Discard>,
}

/// Reads a job's directions, sizes and pattern; `None` when they cannot be carried over, which is said.
pub(super) fn access(reading: &mut Reading<'_>, job: &Job) -> Option<Access> {
    let direction = direction(reading, job);
    let trims = direction.is_some_and(|d| d.discard == Some(Discard::Share(Share(1.0))));
    let sizes = sizes(reading, job, trims);
    let (direction, (read_sizes, write_sizes)) = (direction?, sizes?);
    let largest = |sizes: &OneOrMix| sizes.parts().iter().map(|part| part.size.0).max().unwrap_or(0);
    let mixed = matches!(read_sizes, OneOrMix::Mix(_)) || write_sizes.is_some();
    let gap = direction.modifier.filter(|_| !direction.is_random);
    let pattern = match gap {
        _ if is_zoned(job) => zones(reading, job, direction)?,
        Some(gap) => strided(reading, job, largest(&read_sizes), gap)?,
        None if direction.is_random => random_pattern(reading, job, mixed)?,
        None => Pattern::Sequential,
    };
    let align = job.bytes(reading, "blockalign").filter(|align| *align > 0).map(Size);
    if let Some(align) = align.filter(|align| !align.0.is_multiple_of(SECTOR_BYTES)) {
        let help = "use a multiple of 512 bytes";
        job.refuse(reading, "blockalign", &format!("{align} is not a whole number of sectors"), help);
        return None;
    }
    let random = random_share(reading, job, direction);
    let one_direction_only = if direction.read <= 0.0 { write_sizes.clone() } else { None };
    Some(Access {
        direction,
        pattern,
        random,
        read_sizes: one_direction_only.unwrap_or(read_sizes),
        write_sizes: write_sizes.filter(|_| direction.read > 0.0 && direction.read < 1.0),
        align,
        discard: direction.discard.or_else(|| trims_of_written(reading, job, direction)),
    })
}

/// `trim_percentage`: the share of blocks written for verification that are discarded. fio does so only with
/// a `trim_backlog`.
fn trims_of_written(reading: &mut Reading<'_>, job: &Job, direction: Direction) -> Option<Discard> {
    let percent = job.percent(reading, "trim_percentage").filter(|percent| *percent > 0.0)?;
    let verifies = job.text("verify").is_some_and(|method| !matches!(method, "0" | "null" | "none"));
    if !verifies || direction.read >= 1.0 || job.integer(reading, "trim_backlog").unwrap_or(0) == 0 {
        let text = "nothing is discarded: fio does that only with verify and trim_backlog, to what it wrote";
        job.note(reading, "trim_percentage", text);
        return None;
    }
    let text = "so many discards for the writes, anywhere in the file; what is discarded is not judged until it is written again";
    job.note(reading, "trim_percentage", text);
    let discards = percent * (1.0 - direction.read);
    Some(Discard::Share(Share(((discards / (1.0 + discards)) * 1e6).round() / 1e6)))
}

fn direction(reading: &mut Reading<'_>, job: &Job) -> Option<Direction> {
    let text = job.text("rw").unwrap_or("read");
    let (word, modifier) = text.split_once(':').map_or((text, None), |(word, rest)| (word, Some(rest)));
    let (read, is_random) = match word.trim() {
        "read" | "r" => (1.0, false),
        "write" | "w" => (0.0, false),
        "randread" => (1.0, true),
        "randwrite" => (0.0, true),
        "rw" | "readwrite" => (read_share(reading, job), false),
        "randrw" => (read_share(reading, job), true),
        "trim" | "trimwrite" => (0.0, false),
        "randtrim" | "randtrimwrite" => (0.0, true),
        other => {
            let help = "use read, write, rw, trim, trimwrite, or one of them with `rand` before it";
            job.refuse(reading, "rw", &format!("fio has no direction `{other}`"), help);
            return None;
        }
    };
    let modifier = match modifier {
        None => None,
        Some(text) => Some(job.checked(reading, "rw", number::signed_bytes(text, job.kb_base()))?),
    };
    let discard = match word.trim() {
        "trim" | "randtrim" => Some(Discard::Share(Share(1.0))),
        "trimwrite" | "randtrimwrite" => Some(Discard::Rule(DiscardRule::BeforeWrites)),
        _ => None,
    };
    Some(Direction { read, is_random, discard, modifier })
}

/// `rwmixread` or `rwmixwrite`: the one written last counts; half and half without either.
fn read_share(reading: &mut Reading<'_>, job: &Job) -> f64 {
    if job.has("rwmixwrite") && job.is_later("rwmixwrite", "rwmixread") {
        return 1.0 - job.percent(reading, "rwmixwrite").unwrap_or(0.5);
    }
    job.percent(reading, "rwmixread").unwrap_or(0.5)
}

/// `rw=write:112k`: that much is skipped after every I/O.
fn strided(reading: &mut Reading<'_>, job: &Job, block_bytes: u64, gap: i64) -> Option<Pattern> {
    let step = i128::from(block_bytes) + i128::from(gap);
    match u64::try_from(step) {
        _ if gap == 0 => Some(Pattern::Sequential),
        Ok(step) if step > 0 => Some(Pattern::Stride(Size(step))),
        // fio's way of reading backwards: a gap of minus two blocks goes one block back each time.
        _ if step < 0 => Some(Pattern::Backward(Size(step.unsigned_abs() as u64))),
        _ => {
            let help = "leave the gap out, or use another one";
            job.refuse(reading, "rw", "with this gap every I/O goes to the same place", help);
            None
        }
    }
}

/// fio takes `zonesize` alone for `zonemode=strided`.
fn is_zoned(job: &Job) -> bool {
    let mode = job.text("zonemode");
    mode.is_some_and(|mode| mode != "none") || (mode.is_none() && job.text("zonesize").is_some())
}

/// `zonemode=strided`: `zonesize` bytes are moved in a window of `zonerange`, then the next begins `zoneskip`
/// behind it.
fn zones(reading: &mut Reading<'_>, job: &Job, direction: Direction) -> Option<Pattern> {
    let mode = job.text("zonemode").unwrap_or("strided");
    if mode != "strided" {
        job.refuse(reading, "zonemode", "zoned devices are not supported", "use a conventional device");
        return None;
    }
    let uniform = job.text("random_distribution").is_none_or(|text| text == "random");
    if (direction.is_random && !uniform) || direction.modifier.is_some() || job.has("percentage_random") {
        let option = if uniform { "zonemode" } else { "random_distribution" };
        let why = "within zones the I/Os are either all in order or all drawn evenly";
        job.refuse(reading, option, why, "leave the zones out, or use random_distribution=random");
        return None;
    }
    let Some(transfer) = job.bytes(reading, "zonesize").filter(|bytes| *bytes > 0) else {
        job.refuse(reading, "zonemode", "it needs a zonesize", "write for example zonesize=256m");
        return None;
    };
    let range = job.bytes(reading, "zonerange").filter(|bytes| *bytes > 0).unwrap_or(transfer);
    let skip = job.bytes(reading, "zoneskip").unwrap_or(0);
    for (option, bytes) in [("zonerange", range), ("zoneskip", skip)] {
        if !bytes.is_multiple_of(SECTOR_BYTES) {
            let why = format!("{bytes} bytes are not a whole number of 512-byte sectors");
            job.refuse(reading, option, &why, "use a multiple of 512 bytes");
            return None;
        }
    }
    let random = direction.is_random;
    Some(Pattern::Zones(Zones { range: Size(range), skip: Size(skip), transfer: Size(transfer), random }))
}

/// The random pattern of a job's offsets.
fn random_pattern(reading: &mut Reading<'_>, job: &Job, mixed: bool) -> Option<Pattern> {
    let text = job.text("random_distribution").unwrap_or("random");
    // Read, write and trim may differ; the first counts for all.
    let (first, others) = text.split_once(',').map_or((text, None), |(first, rest)| (first, Some(rest)));
    if others.is_some_and(|others| others.split(',').any(|other| !other.is_empty() && other != first)) {
        let help = "write one distribution for reads and writes";
        job.refuse(reading, "random_distribution", "reads and writes cannot differ in it", help);
        return None;
    }
    let mut parts = first.splitn(2, ':');
    let word = parts.next().unwrap_or_default().trim();
    let parameters = parts.next().unwrap_or_default();
    let number = |reading: &mut Reading<'_>, default: f64| {
        // `zipf:1.2:5` gives the middle of the distribution as well; blocks are scattered here.
        let text = parameters.split(':').next().unwrap_or_default();
        if text.is_empty() {
            return Some(default);
        }
        job.checked(reading, "random_distribution", number::decimal(text))
    };
    match word {
        "random" if plain_repeats(reading, job) || mixed => Some(Pattern::Uniform),
        "random" => Some(Pattern::Shuffled),
        "zipf" => number(reading, 1.1).and_then(|theta| zipf(reading, job, theta)),
        "pareto" => number(reading, 0.2).map(Pattern::Pareto),
        "normal" | "gauss" => {
            number(reading, 20.0).map(|percent| Pattern::Normal(Share::of_percent(percent.clamp(0.0, 100.0))))
        }
        "zoned" => bands(reading, job, parameters),
        _ => {
            let help = "use random, zipf, pareto, normal or zoned";
            job.refuse(reading, "random_distribution", &format!("`{word}` is not supported"), help);
            None
        }
    }
}

/// The exponent within its bounds.
fn zipf(reading: &mut Reading<'_>, job: &Job, theta: f64) -> Option<Pattern> {
    let is_one = Zipf::is_theta(theta);
    if !is_one {
        let help = "1.1 is fio's own; leave random_distribution out for no skew";
        let what = format!("the exponent of zipf lies above 0 and up to {}", Zipf::THETA_MAX);
        job.refuse(reading, "random_distribution", &what, help);
    }
    is_one.then_some(Pattern::Zipf(theta))
}

/// Without `norandommap`, fio visits every block once before any a second time.
fn plain_repeats(reading: &mut Reading<'_>, job: &Job) -> bool {
    job.flag(reading, "norandommap") || job.has("percentage_random")
}

/// `zoned:50/5:30/15:20/`: per cent of the I/Os by per cent of the file; omitted values share the rest.
fn bands(reading: &mut Reading<'_>, job: &Job, text: &str) -> Option<Pattern> {
    let mut pairs = Vec::new();
    for zone in text.split(':').filter(|zone| !zone.is_empty()) {
        let (access, share) = zone.split_once('/').unwrap_or((zone, ""));
        let access =
            job.checked(reading, "random_distribution", number::decimal(access.trim_end_matches('%')))?;
        let share = match share.trim_end_matches('%') {
            "" => None,
            share => Some(job.checked(reading, "random_distribution", number::decimal(share))?),
        };
        pairs.push((access, share));
    }
    let bands: Vec<(f64, f64)> = with_rest(&pairs).into_iter().filter(|(_, share)| *share > 0.0).collect();
    let total = |part: fn(&(f64, f64)) -> f64| bands.iter().map(part).sum::<f64>();
    let (accesses, shares) = (total(|band| band.0), total(|band| band.1));
    if bands.is_empty() || accesses <= 0.0 || accesses > 100.5 || shares > 100.5 {
        let help = "write for example zoned:50/5:30/15:20/80";
        job.refuse(reading, "random_distribution", "its zones do not make up the whole", help);
        return None;
    }
    let band = |(access, share): &(f64, f64)| Band {
        share: Share(share / shares),
        access: Share(access / accesses),
    };
    Some(Pattern::Bands(bands.iter().map(band).collect()))
}

/// Fills in omitted values: equal parts of the rest of 100.
fn with_rest(pairs: &[(f64, Option<f64>)]) -> Vec<(f64, f64)> {
    let given: f64 = pairs.iter().filter_map(|pair| pair.1).sum();
    let missing = pairs.iter().filter(|pair| pair.1.is_none()).count().max(1);
    let rest = (100.0 - given).max(0.0) / missing as f64;
    pairs.iter().map(|(first, second)| (*first, second.unwrap_or(rest))).collect()
}

/// The share of I/Os that seek: `percentage_random`, or every n-th as `rw=randread:8` has it.
fn random_share(reading: &mut Reading<'_>, job: &Job, direction: Direction) -> Option<Share> {
    if !direction.is_random {
        return None;
    }
    if let Some(every) = direction.modifier.filter(|every| *every > 1) {
        let text = "a new place is drawn for every so-many-th I/O on average, not by counting";
        job.note(reading, "rw", text);
        return Some(Share(1.0 / every as f64));
    }
    let text = job.text("percentage_random")?.split(',').next().unwrap_or_default().to_owned();
    let percent = job.checked(reading, "percentage_random", number::decimal(text.trim_end_matches('%')))?;
    (percent < 100.0).then_some(Share::of_percent(percent.max(0.0)))
}

/// Sizes of reads, and of writes where they differ: `bssplit` before `bsrange` before `bs`, whichever was
/// written last.
fn sizes(reading: &mut Reading<'_>, job: &Job, trims: bool) -> Option<(OneOrMix, Option<OneOrMix>)> {
    let mut chosen = "bs";
    for other in ["bsrange", "bssplit"] {
        if job.has(other) && (chosen == "bs" || job.is_later(other, chosen)) {
            chosen = other;
        }
    }
    if job.has("bs") && chosen == "bsrange" && job.is_later("bs", chosen) {
        chosen = "bs";
    }
    let Some(text) = job.text(chosen) else { return Some((OneOrMix::One(Size(BLOCK_BYTES_DEFAULT)), None)) };
    let base = job.kb_base();
    let parts: Vec<&str> = text.split(',').collect();
    let one = |text: &str| match chosen {
        "bs" => number::bytes(text, base).map(|bytes| OneOrMix::One(Size(bytes))),
        "bsrange" => range(text, base),
        _ => split(text, base),
    };
    let read = match parts[0].trim() {
        "" => OneOrMix::One(Size(BLOCK_BYTES_DEFAULT)),
        text => job.checked(reading, chosen, one(text))?,
    };
    // `bs=8k` is for all, `bs=8k,` leaves the others at the default, and the last value is for discards as
    // well.
    let other = if trims { parts.get(2).or(parts.get(1)) } else { parts.get(1) };
    let write = match other.map(|text| text.trim()) {
        None => read.clone(),
        Some("") => OneOrMix::One(Size(BLOCK_BYTES_DEFAULT)),
        Some(text) => job.checked(reading, chosen, one(text))?,
    };
    for sizes in [&read, &write] {
        for part in sizes.parts() {
            io_size(reading, job, chosen, part.size)?;
        }
    }
    let differ = write != read;
    Some((read, differ.then_some(write)))
}

fn io_size(reading: &mut Reading<'_>, job: &Job, option: &str, size: Size) -> Option<()> {
    // Through the page cache any size will do.
    let grain = if job.direct(reading) || job.has("verify") { SECTOR_BYTES } else { 1 };
    let why = if size.0 == 0 || !size.0.is_multiple_of(grain) {
        "is not a whole number of 512-byte sectors"
    } else if size.0 > IO_BYTES_MAX {
        "is more than one I/O carries (16 MiB)"
    } else {
        return Some(());
    };
    job.refuse(reading, option, &format!("a block of {size} {why}"), "use for example 4k");
    None
}

/// Every multiple of the smaller bound equally often, at most [`PARTS_MAX`] of them.
fn range(text: &str, base: KbBase) -> Result<OneOrMix, String> {
    let (low, high) = number::range(text, base)?;
    if low == 0 {
        return Err("a block cannot have no bytes".to_owned());
    }
    if low == high {
        return Ok(OneOrMix::One(Size(low)));
    }
    let count = (high / low).max(1);
    let kept = count.min(PARTS_MAX);
    // At most `count`, but a multiple of it on the way there.
    let part = |number: u64| (u128::from(number) * u128::from(count)).div_ceil(u128::from(kept)) as u64;
    let sizes: Vec<u64> = (1..=kept).map(|number| low * part(number)).collect();
    Ok(mix(&sizes.iter().map(|size| (*size, 1.0)).collect::<Vec<_>>()))
}

/// `4k/10:64k/50:32k/`: sizes with their per cent; omitted values share the rest.
fn split(text: &str, base: KbBase) -> Result<OneOrMix, String> {
    let mut sizes = Vec::new();
    let mut pairs = Vec::new();
    for part in text.split(':').filter(|part| !part.trim().is_empty()) {
        let (size, percent) = part.split_once('/').unwrap_or((part, ""));
        sizes.push(number::bytes(size, base)?);
        let percent = percent.trim().trim_end_matches('%');
        pairs.push((0.0, if percent.is_empty() { None } else { Some(number::decimal(percent)?) }));
    }
    if sizes.is_empty() || sizes.len() as u64 > PARTS_MAX {
        return Err(format!("{} sizes; use 1 to {PARTS_MAX}", sizes.len()));
    }
    let parts: Vec<(u64, f64)> =
        sizes.into_iter().zip(with_rest(&pairs)).map(|(size, (_, percent))| (size, percent)).collect();
    let parts: Vec<(u64, f64)> = parts.into_iter().filter(|(_, percent)| *percent > 0.0).collect();
    let total: f64 = parts.iter().map(|part| part.1).sum();
    if parts.is_empty() || !(0.0..=100.5).contains(&total) {
        return Err(format!("its shares sum to {total}%"));
    }
    Ok(mix(&parts))
}

/// A mix whose shares sum to one; sizes that occur twice are added up.
pub(crate) fn mix(parts: &[(u64, f64)]) -> OneOrMix {
    let total: f64 = parts.iter().map(|part| part.1).sum();
    let mut merged: Vec<Part> = Vec::new();
    for (size, weight) in parts {
        match merged.iter_mut().find(|part| part.size.0 == *size) {
            Some(part) => part.share.0 += weight / total,
            None => merged.push(Part { size: Size(*size), share: Share(weight / total) }),
        }
    }
    match merged.as_slice() {
        [only] => OneOrMix::One(only.size),
        _ => OneOrMix::Mix(merged),
    }
}
