//! Workload definitions as streams: directions, sizes, places, hits, shares.

use experiment::{Extent, OneOrMix, Pattern, Share, Size, Stream};

use super::definitions::Definition;
use super::hotband;
use super::values::{number, size};
use crate::fio::mix;
use crate::source::Reading;

/// vdbench's default of `xfersize`.
const XFER_BYTES: u64 = 4096;
/// vdbench's default of `hitarea`.
const HIT_AREA_BYTES: u64 = 1 << 20;
/// Sizes that one mix holds.
const PARTS_MAX: u64 = 64;
const SECTOR_BYTES: u64 = 512;
const IO_BYTES_MAX: u64 = 16 << 20;
/// Regions that `streams=` may ask for.
const STREAMS_MAX: u64 = 64;

/// The values of a run's loops that override those of a workload.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Overrides {
    pub(super) xfersize: Option<f64>,
    pub(super) rdpct: Option<f64>,
    pub(super) seekpct: Option<f64>,
    pub(super) rhpct: Option<f64>,
    pub(super) whpct: Option<f64>,
    pub(super) hitarea: Option<f64>,
}

/// The definition that says a keyword: the run before the workload before the storage.
pub(super) fn speaker<'d>(sources: &[&'d Definition], key: &str) -> Option<&'d Definition> {
    sources.iter().find(|source| source.pair(key).is_some()).copied()
}

/// The streams of one workload; `sources` are the run, the workload and its first storage, in this order.
pub(super) fn streams(
    reading: &mut Reading<'_>,
    name: &str,
    sources: &[&Definition],
    overrides: &Overrides,
) -> Option<Vec<Stream>> {
    let percent = |reading: &mut Reading<'_>, key: &str, over: Option<f64>, default: f64| {
        let said = speaker(sources, key).map(|source| (source.read(reading, key, number), source));
        let value = match (over, said) {
            (Some(over), _) => over,
            (None, Some((value, _))) => value?,
            (None, None) => default,
        };
        if (0.0..=100.0).contains(&value) {
            return Some(Share::of_percent(value).0);
        }
        let place = speaker(sources, key).unwrap_or(sources[0]).place_of(key).clone();
        reading.fault(&place, &format!("`{key}` is not between 0 and 100"), "", "write a percentage");
        None
    };
    let written = percent(reading, "writepct", None, 0.0)?;
    let read = percent(reading, "rdpct", overrides.rdpct, (1.0 - written) * 100.0)?;
    let read_hits = percent(reading, "rhpct", overrides.rhpct, 0.0)?;
    let write_hits = percent(reading, "whpct", overrides.whpct, 0.0)?;
    let (pattern, random) = pattern(reading, sources, overrides)?;
    let mut stream = Stream::new(pattern, Share(read), sizes(reading, sources, overrides)?);
    stream.random = random;
    stream.name = Some(name.to_owned());
    stream.align = speaker(sources, "align")
        .and_then(|source| source.read(reading, "align", size))
        .filter(|align| *align >= SECTOR_BYTES)
        .map(Size);
    let key = if speaker(sources, "hotband").is_some() { "hotband" } else { "range" };
    region(reading, sources, key, &mut stream)?;
    if let (Some(said), Pattern::Uniform, None) =
        (speaker(sources, "hotband"), &stream.pattern, stream.random)
    {
        let size_bytes = storage_bytes(reading, sources);
        stream.pattern = hotband::pattern(reading, said, size_bytes, stream.length);
    }
    stream.write_through =
        open_flags(sources).any(|flag| matches!(flag.as_str(), "o_sync" | "o_dsync" | "sync"));
    Some(with_hits(reading, sources, overrides, stream, (read_hits, write_hits)))
}

/// Every flag that any of the sources opens with.
pub(super) fn open_flags<'d>(sources: &[&'d Definition]) -> impl Iterator<Item = String> + use<'d> {
    let pairs: Vec<_> = sources.iter().filter_map(|source| source.pair("openflags")).collect();
    pairs.into_iter().flat_map(|pair| pair.values.iter().map(|flag| flag.to_ascii_lowercase()))
}

fn pattern(
    reading: &mut Reading<'_>,
    sources: &[&Definition],
    overrides: &Overrides,
) -> Option<(Pattern, Option<Share>)> {
    if let Some(source) = speaker(sources, "stride") {
        let place = source.place_of("stride").clone();
        let steps: Vec<Option<u64>> = source
            .pair("stride")
            .map(|pair| pair.values.iter().map(|v| size(v).ok()).collect())
            .unwrap_or_default();
        return match steps.as_slice() {
            [Some(step)] if *step > 0 => Some((Pattern::Stride(Size(*step)), None)),
            [Some(low), Some(high)] if low == high && *low > 0 => Some((Pattern::Stride(Size(*low)), None)),
            _ => {
                let message = "`stride` cannot be carried over: steps of differing length are not supported";
                reading.fault(&place, message, "", "write stride=(N,N), or leave it out");
                None
            }
        };
    }
    let said = speaker(sources, "seekpct");
    let text = said.and_then(|source| source.value("seekpct")).unwrap_or("100").to_ascii_lowercase();
    let percent = match (overrides.seekpct, text.as_str()) {
        (Some(percent), _) => percent,
        (None, "random" | "rand" | "ran") => 100.0,
        (None, "seq" | "sequential" | "seqnz") => 0.0,
        (None, "eof") => {
            if let Some(source) = said {
                let text = "the run goes on from the start after the end, until its time is over";
                reading.note(source.place_of("seekpct"), text);
            }
            0.0
        }
        (None, "100") => 100.0,
        (None, _) => said.and_then(|source| source.read(reading, "seekpct", number))?,
    };
    match percent {
        p if p <= 0.0 => Some((Pattern::Sequential, None)),
        p if p >= 100.0 => Some((Pattern::Uniform, None)),
        p => Some((Pattern::Uniform, Some(Share::of_percent(p)))),
    }
}

/// `4k`, `(4k,50,8k,50)` or `(min,max,align)`.
fn sizes(reading: &mut Reading<'_>, sources: &[&Definition], overrides: &Overrides) -> Option<OneOrMix> {
    let said = speaker(sources, "xfersize");
    let place =
        said.map(|source| source.place_of("xfersize").clone()).unwrap_or_else(|| sources[0].place.clone());
    let result = match (overrides.xfersize, said.and_then(|source| source.pair("xfersize"))) {
        (Some(bytes), _) => Ok(OneOrMix::One(Size(bytes as u64))),
        (None, None) => Ok(OneOrMix::One(Size(XFER_BYTES))),
        (None, Some(pair)) => transfer_sizes(&pair.values),
    };
    let checked = result.and_then(|sizes| {
        for part in sizes.parts() {
            if part.size.0 == 0 || !part.size.0.is_multiple_of(SECTOR_BYTES) {
                return Err(format!("a transfer of {} is not a whole number of 512-byte sectors", part.size));
            }
            if part.size.0 > IO_BYTES_MAX {
                return Err(format!("a transfer of {} is more than one I/O carries (16 MiB)", part.size));
            }
        }
        Ok(sizes)
    });
    checked.map_err(|why| reading.fault(&place, &format!("`xfersize`: {why}"), "", "use for example 4k")).ok()
}

fn transfer_sizes(values: &[String]) -> Result<OneOrMix, String> {
    match values {
        [only] => Ok(OneOrMix::One(Size(size(only)?))),
        [low, high, align] => {
            let (low, high, align) = (size(low)?, size(high)?, size(align)?);
            if align == 0 || high < low {
                return Err("its bounds do not go up".to_owned());
            }
            let count = ((high - low) / align + 1).min(PARTS_MAX);
            let step = ((high - low) / align).div_ceil(count).max(1) * align;
            let all: Vec<(u64, f64)> = (0..count).map(|index| (low + index * step, 1.0)).collect();
            Ok(mix(&all.into_iter().filter(|(bytes, _)| *bytes <= high).collect::<Vec<_>>()))
        }
        pairs if pairs.len() % 2 == 0 => {
            let mut parts = Vec::new();
            for pair in pairs.chunks_exact(2) {
                parts.push((size(&pair[0])?, number(&pair[1])?));
            }
            parts.retain(|(_, percent)| *percent > 0.0);
            let total: f64 = parts.iter().map(|part| part.1).sum();
            if parts.is_empty() || parts.len() as u64 > PARTS_MAX || (total - 100.0).abs() > 1.0 {
                return Err(format!("its shares sum to {total}% and not to 100%"));
            }
            Ok(mix(&parts))
        }
        _ => Err("write one size, sizes with their per cent, or (min,max,align)".to_owned()),
    }
}

/// The size of the storage, as the file says it or as it is here.
fn storage_bytes(reading: &mut Reading<'_>, sources: &[&Definition]) -> Option<u64> {
    let said = speaker(sources, "size").and_then(|source| source.read(reading, "size", size));
    let there = || reading.surroundings().size_bytes(speaker(sources, "lun")?.value("lun")?);
    said.or_else(there).filter(|bytes| *bytes > 0)
}

/// `range=(10,90)` or `hotband`: per cent of the SD, or bytes when above 200.
fn region(reading: &mut Reading<'_>, sources: &[&Definition], key: &str, stream: &mut Stream) -> Option<()> {
    let Some(source) = speaker(sources, key) else { return Some(()) };
    let values = &source.pair(key)?.values;
    let bound = |text: &String| {
        let bytes = size(text)?;
        let plain = text.trim().bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        Ok::<_, String>(if plain && bytes <= 200 { Err(number(text)?) } else { Ok(bytes) })
    };
    let bounds: Result<Vec<_>, String> = values.iter().map(bound).collect();
    let place = source.place_of(key).clone();
    match bounds.as_deref() {
        Ok([Err(low), Err(high)]) if low < high && *high <= 100.0 => {
            stream.offset = (*low > 0.0).then_some(Extent::Share(Share::of_percent(*low)));
            stream.length = (high - low < 100.0).then_some(Extent::Share(Share::of_percent(high - low)));
            Some(())
        }
        Ok([low, high]) if as_bytes(low)? < as_bytes(high)? => {
            let (low, high) = (as_bytes(low)?, as_bytes(high)?);
            stream.offset = (low > 0).then_some(Extent::Bytes(Size(low / SECTOR_BYTES * SECTOR_BYTES)));
            stream.length = Some(Extent::Bytes(Size((high - low) / SECTOR_BYTES * SECTOR_BYTES)));
            Some(())
        }
        _ => {
            let message =
                format!("`{key}` cannot be carried over: it must go up, in per cent up to 100 or in bytes");
            reading.fault(&place, &message, "", &format!("write for example {key}=(0,80)"));
            None
        }
    }
}

/// A bound in bytes; `0` counts as bytes, too.
fn as_bytes(bound: &Result<u64, f64>) -> Option<u64> {
    match bound {
        Ok(bytes) => Some(*bytes),
        Err(percent) if *percent == 0.0 => Some(0),
        Err(_) => Some(u64::MAX),
    }
}

/// Cache hits go to the hit area at the front; the others to the whole.
fn with_hits(
    reading: &mut Reading<'_>,
    sources: &[&Definition],
    overrides: &Overrides,
    plain: Stream,
    (read_hits, write_hits): (f64, f64),
) -> Vec<Stream> {
    let read = plain.read.0;
    let (hit_reads, hit_writes) = (read * read_hits, (1.0 - read) * write_hits);
    let hits = hit_reads + hit_writes;
    if hits <= 0.0 {
        return in_streams(reading, sources, plain);
    }
    let said = speaker(sources, "hitarea").and_then(|source| source.read(reading, "hitarea", size));
    let area = overrides
        .hitarea
        .map(|bytes| bytes as u64)
        .or(said)
        .filter(|area| *area > 0)
        .unwrap_or(HIT_AREA_BYTES);
    let named = |word: &str| plain.name.as_ref().map(|name| format!("{name} {word}"));
    let mut hit = plain.clone();
    hit.name = named("hits");
    hit.read = Share((hit_reads / hits).clamp(0.0, 1.0));
    hit.weight = hits;
    hit.length = Some(Extent::Bytes(Size(area.next_multiple_of(4096))));
    if hits >= 1.0 - 1e-9 {
        return vec![hit];
    }
    let mut miss = plain.clone();
    miss.name = named("misses");
    miss.read = Share(((read - hit_reads) / (1.0 - hits)).clamp(0.0, 1.0));
    miss.weight = 1.0 - hits;
    vec![hit, miss]
}

/// `streams=n`: n sequential streams, each in its part of the region.
fn in_streams(reading: &mut Reading<'_>, sources: &[&Definition], plain: Stream) -> Vec<Stream> {
    let count =
        speaker(sources, "streams").and_then(|source| source.read(reading, "streams", size)).unwrap_or(1);
    let whole = plain.offset.is_none() && plain.length.is_none();
    if count <= 1 || plain.pattern != Pattern::Sequential || count > STREAMS_MAX || !whole {
        return vec![plain];
    }
    let part = |index: u64| {
        let mut own = plain.clone();
        own.name = plain.name.as_ref().map(|name| format!("{name} {}", index + 1));
        own.weight = plain.weight / count as f64;
        own.offset = (index > 0).then_some(Extent::Share(Share(index as f64 / count as f64)));
        own.length = Some(Extent::Share(Share(1.0 / count as f64)));
        own
    };
    (0..count).map(part).collect()
}
