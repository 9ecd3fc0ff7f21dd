//! Run definitions as block workloads: one for each combination of their loops; threads and rates are levels.

use experiment::{Arrivals, Block, Content, Percent, Share, Size, Span, Stream, StreamTarget, WHOLE};

use super::definitions::{Definition, Definitions};
use super::filesystem;
use super::lines::Pair;
use super::meant::{Run, gather};
use super::values::{list, number, seconds, size};
use super::work::{self, Overrides, open_flags, speaker};
use crate::plain_block;
use crate::source::Reading;

/// vdbench's default of `threads`, for each SD.
const THREADS: u32 = 8;
/// vdbench's default of `elapsed`, in seconds.
const ELAPSED_S: f64 = 30.0;
/// vdbench's default points of a curve, in per cent.
const CURVE: [f64; 6] = [10.0, 50.0, 70.0, 80.0, 90.0, 100.0];
const DEPTH_MAX: f64 = 4096.0;
/// Workloads that the loops of one run may make.
const COMBINATIONS_MAX: usize = 2_000;

/// The workloads of one run.
pub(super) fn blocks(reading: &mut Reading<'_>, definitions: &Definitions, run: &Definition) -> Vec<Block> {
    if only_formats(run) {
        reading.note(
            run.place_of("format"),
            "this run makes files and nothing else: they are made before each run",
        );
        return Vec::new();
    }
    let Some(run) = gather(reading, definitions, run) else { return Vec::new() };
    let Some(combinations) = combinations(reading, run.run) else { return Vec::new() };
    let several = combinations.len() > 1;
    let block = |reading: &mut Reading<'_>, overrides: &Overrides| {
        let suffix = if several { said(overrides) } else { String::new() };
        block(reading, &run, overrides, &suffix)
    };
    let blocks: Vec<Block> = combinations.iter().filter_map(|overrides| block(reading, overrides)).collect();
    if blocks.len() < combinations.len() && !reading.has_faults() {
        reading.fault(&run.run.place, "this run cannot be carried over", "", "write it in simpler words");
    }
    blocks
}

/// `format=only`, also in a list.
fn only_formats(run: &Definition) -> bool {
    run.pair("format").is_some_and(|pair| pair.values.iter().any(|word| word.eq_ignore_ascii_case("only")))
}

/// Every combination of the loops that are not levels: the first loop of the line is the outermost.
fn combinations(reading: &mut Reading<'_>, run: &Definition) -> Option<Vec<Overrides>> {
    type Read = fn(&str) -> Result<f64, String>;
    type Set = fn(&mut Overrides, f64);
    let loops: [(&str, Read, Set); 7] = [
        ("foroperations", filesystem::read_percent, |o, v| o.rdpct = Some(v)),
        ("forxfersize", |text| size(text).map(|bytes| bytes as f64), |o, v| o.xfersize = Some(v)),
        ("forrdpct", number, |o, v| o.rdpct = Some(v)),
        ("forseekpct", seek, |o, v| o.seekpct = Some(v)),
        ("forrhpct", number, |o, v| o.rhpct = Some(v)),
        ("forwhpct", number, |o, v| o.whpct = Some(v)),
        ("forhitarea", |text| size(text).map(|bytes| bytes as f64), |o, v| o.hitarea = Some(v)),
    ];
    let mut asked: Vec<_> = loops.iter().filter(|(key, _, _)| run.pair(key).is_some()).collect();
    asked.sort_by_key(|(key, _, _)| run.place_of(key).span.start);
    let mut all = vec![Overrides::default()];
    for (key, one, set) in asked {
        let values = run.pair(key).map(|pair| list(&pair.values, *one)).unwrap_or(Ok(Vec::new()));
        let values = values
            .map_err(|why| {
                let help = if *key == "foroperations" { "write (read,write)" } else { "write (4k,8k,64k)" };
                reading.fault(run.place_of(key), &format!("`{key}`: {why}"), "", help)
            })
            .ok()?;
        if all.len() * values.len() > COMBINATIONS_MAX {
            let message = format!("the loops make more than {COMBINATIONS_MAX} runs");
            reading.fault(run.place_of(key), &message, "", "use fewer values");
            return None;
        }
        let with = |overrides: &Overrides, value: &f64| {
            let mut own = overrides.clone();
            set(&mut own, *value);
            own
        };
        all = all
            .iter()
            .flat_map(|before| values.iter().map(|value| with(before, value)).collect::<Vec<_>>())
            .collect();
    }
    Some(all)
}

fn seek(text: &str) -> Result<f64, String> {
    match text.to_ascii_lowercase().as_str() {
        "random" | "rand" => Ok(100.0),
        "seq" | "sequential" | "eof" | "seqnz" => Ok(0.0),
        other => number(other),
    }
}

/// The values that distinguish one combination from the others, for names.
fn said(overrides: &Overrides) -> String {
    let mut text = String::new();
    if let Some(bytes) = overrides.xfersize {
        text.push_str(&format!(" {}", Size(bytes as u64)));
    }
    let percents = [
        (overrides.rdpct, "read"),
        (overrides.seekpct, "random"),
        (overrides.rhpct, "read hits"),
        (overrides.whpct, "write hits"),
    ];
    for (percent, word) in
        percents.iter().filter_map(|(percent, word)| percent.map(|percent| (percent, word)))
    {
        text.push_str(&format!(" {percent}% {word}"));
    }
    if let Some(bytes) = overrides.hitarea {
        text.push_str(&format!(" hits in {}", Size(bytes as u64)));
    }
    text
}

/// One combination of one run.
fn block(reading: &mut Reading<'_>, run: &Run<'_>, overrides: &Overrides, suffix: &str) -> Option<Block> {
    let streams = streams(reading, run, overrides)?;
    let sources = [run.run, run.storages[0]];
    let flags: Vec<String> = open_flags(&[&sources[..], &run.storages, &works_of(run)].concat()).collect();
    let (ramp_up, measure) = times(reading, run.run)?;
    let mut block = Block {
        name: Some(format!("{}{suffix}", run.run.name)),
        size: file_size(reading, run),
        paths: run.paths.clone(),
        files: if run.paths.is_empty() { run.trees.iter().map(|tree| tree.count).sum() } else { 1 },
        arrivals: arrivals(run.run),
        ramp_up,
        direct: flags.iter().any(|flag| matches!(flag.as_str(), "o_direct" | "directio" | "direct")),
        verify: verify(run),
        content: content(reading, run),
        streams,
        ..plain_block(measure)
    };
    if block.verify {
        block.content = None;
    }
    levels(reading, run, &mut block)?;
    Some(block)
}

fn works_of<'d>(run: &Run<'d>) -> Vec<&'d Definition> {
    run.works.iter().filter_map(|(_, work, _)| *work).collect()
}

/// The streams of all workloads of a run, on their storage, with their shares.
fn streams(reading: &mut Reading<'_>, run: &Run<'_>, overrides: &Overrides) -> Option<Vec<Stream>> {
    let shares = shares(reading, run)?;
    if !run.trees.is_empty() {
        return filesystem::streams(reading, run, overrides, &shares);
    }
    let mut all = Vec::new();
    for ((name, work, storages), share) in run.works.iter().zip(shares) {
        let mut sources = vec![run.run];
        sources.extend(work);
        sources.push(storages[0]);
        let own = work::streams(reading, name, &sources, overrides)?;
        let on: Vec<u32> = storages.iter().filter_map(|storage| file_number(run, storage)).collect();
        let mut on = on;
        on.dedup();
        let targets: Vec<Option<StreamTarget>> = if on.len() == run.paths.len() {
            vec![None]
        } else {
            on.iter().map(|number| Some(StreamTarget::File(*number))).collect()
        };
        let rate = work.and_then(|work| work.read(reading, "iorate", number));
        for stream in &own {
            for target in &targets {
                let mut stream = stream.clone();
                let parts = targets.len() as f64;
                stream.weight = stream.weight * share / parts;
                stream.target = *target;
                if let (Some(StreamTarget::File(number)), true) = (target, targets.len() > 1) {
                    stream.name = stream.name.map(|name| format!("{name} on {number}"));
                }
                if let Some(rate) = rate.filter(|rate| *rate > 0.0) {
                    stream.rate = Some(rate * stream.weight / share);
                    stream.depth = Some(threads(reading, run)?.first().map_or(1, |depth| *depth as u32));
                    stream.arrivals = Some(arrivals(run.run));
                }
                all.push(stream);
            }
        }
    }
    Some(all)
}

fn file_number(run: &Run<'_>, storage: &Definition) -> Option<u32> {
    let lun = storage.value("lun")?;
    run.paths.iter().position(|path| path == lun).map(|index| index as u32 + 1)
}

/// `skew` of each workload; those without share the rest.
fn shares(reading: &mut Reading<'_>, run: &Run<'_>) -> Option<Vec<f64>> {
    let skew = |reading: &mut Reading<'_>, work: Option<&Definition>| match work {
        Some(work) if work.pair("skew").is_some() => Some(work.read(reading, "skew", number)),
        _ => None,
    };
    let mut given = Vec::new();
    for (_, work, _) in &run.works {
        match skew(reading, *work) {
            Some(None) => return None,
            Some(value) => given.push(value.filter(|skew| *skew > 0.0)),
            None => given.push(None),
        }
    }
    let total: f64 = given.iter().flatten().sum();
    let open = given.iter().filter(|skew| skew.is_none()).count();
    if total > 100.5 || (open > 0 && total >= 100.0) {
        let message = format!("the skews of the run `{}` sum to {total}%", run.run.name);
        reading.fault(&run.run.place, &message, "", "make them sum to 100%");
        return None;
    }
    let rest = if open > 0 { (100.0 - total) / open as f64 } else { 0.0 };
    Some(given.into_iter().map(|skew| skew.unwrap_or(rest) / 100.0).collect())
}

fn file_size(reading: &mut Reading<'_>, run: &Run<'_>) -> Size {
    if let Some(largest) = run.trees.iter().map(|tree| tree.size_bytes).max() {
        return Size(largest.next_multiple_of(4096));
    }
    let sizes: Vec<u64> =
        run.storages.iter().filter_map(|storage| storage.read(reading, "size", size)).collect();
    match sizes.iter().max() {
        Some(largest) if *largest > 0 => Size(largest.next_multiple_of(4096)),
        _ => WHOLE,
    }
}

/// Without a warm-up vdbench leaves its first interval out.
fn times(reading: &mut Reading<'_>, run: &Definition) -> Option<(Span, Span)> {
    let read = |reading: &mut Reading<'_>, key: &str| match run.pair(key) {
        None => Some(None),
        Some(_) => run.read(reading, key, seconds).map(Some),
    };
    let elapsed_s = read(reading, "elapsed")?.unwrap_or(ELAPSED_S).max(1.0);
    let interval_s = read(reading, "interval")?.unwrap_or(1.0);
    let (ramp_s, measure_s) = match read(reading, "warmup")? {
        Some(warmup_s) => (warmup_s, elapsed_s),
        None if elapsed_s - interval_s >= 1.0 => (interval_s, elapsed_s - interval_s),
        None => (0.0, elapsed_s),
    };
    let span = |seconds: f64| Span(std::time::Duration::from_millis((seconds * 1e3).round() as u64));
    Some((span(ramp_s), span(measure_s)))
}

/// vdbench's arrivals are exponential by default.
fn arrivals(run: &Definition) -> Arrivals {
    match run.value("distribution").map(str::to_ascii_lowercase).as_deref() {
        Some(word) if word.starts_with('d') || word.starts_with('u') => Arrivals::Fixed,
        _ => Arrivals::Poisson,
    }
}

fn verify(run: &Run<'_>) -> bool {
    let asked = |pair: Option<&Pair>| {
        pair.and_then(|pair| pair.values.first())
            .is_some_and(|value| !value.to_ascii_lowercase().starts_with("no"))
    };
    asked(run.general.get("validate"))
        || asked(run.general.get("journal"))
        || run
            .storages
            .iter()
            .any(|storage| asked(storage.pair("journal")) || asked(storage.pair("validate")))
}

/// `compratio=2` leaves one half, `dedupratio=2` as well.
fn content(reading: &mut Reading<'_>, run: &Run<'_>) -> Option<Content> {
    let ratio = |reading: &mut Reading<'_>, key: &str| {
        let own =
            speaker(&[run.run, run.storages[0]], key).and_then(|source| source.read(reading, key, number));
        let general = || {
            let pair = run.general.get(key)?;
            number(pair.values.first()?)
                .map_err(|why| {
                    reading.fault(&pair.place, &format!("`{key}`: {why}"), "", "write a ratio, as 2")
                })
                .ok()
        };
        own.or_else(general)
            .filter(|ratio| *ratio > 1.0)
            .map_or(Share(0.0), |ratio| Share(((1.0 - 1.0 / ratio) * 1e4).round() / 1e4))
    };
    let content =
        Content { compressible: ratio(reading, "compratio"), duplicates: ratio(reading, "dedupratio") };
    (content.compressible.0 > 0.0 || content.duplicates.0 > 0.0).then_some(content)
}

/// I/Os outstanding: threads are for each SD.
fn threads(reading: &mut Reading<'_>, run: &Run<'_>) -> Option<Vec<f64>> {
    if !run.trees.is_empty() && run.run.pair("forthreads").is_none() {
        let all = filesystem::threads(reading, run)?.iter().sum::<f64>();
        return Some(vec![all.min(DEPTH_MAX)]);
    }
    let sds = if run.trees.is_empty() { run.storages.len() } else { run.works.len() } as f64;
    let sources: Vec<&Definition> = [vec![run.run], works_of(run), vec![run.storages[0]]].concat();
    let (key, source) = match run.run.pair("forthreads") {
        Some(_) => ("forthreads", Some(run.run)),
        None => ("threads", speaker(&sources, "threads")),
    };
    let Some(source) = source else { return Some(vec![f64::from(THREADS) * sds]) };
    let values =
        source.pair(key).map(|pair| list(&pair.values, number)).unwrap_or(Ok(vec![f64::from(THREADS)]));
    let values = values
        .map_err(|why| {
            reading.fault(source.place_of(key), &format!("`{key}`: {why}"), "", "write threads=32")
        })
        .ok()?;
    if sds > 1.0 {
        let text = "the SDs share one queue as deep as all their threads together, and the I/Os spread evenly over them";
        reading.note(source.place_of(key), text);
    }
    let mut depths: Vec<f64> =
        values.iter().map(|threads| (threads.max(1.0).round() * sds).min(DEPTH_MAX)).collect();
    if values.iter().any(|threads| threads * sds > DEPTH_MAX) {
        let text = format!("no more than {DEPTH_MAX} I/Os are kept outstanding");
        reading.note(source.place_of(key), text);
    }
    depths.dedup();
    Some(depths)
}

/// Depths, rates or a curve; an amount of data ends a run early.
fn levels(reading: &mut Reading<'_>, run: &Run<'_>, block: &mut Block) -> Option<()> {
    let depths = threads(reading, run)?;
    let all_own = block.streams.iter().all(Stream::has_own_load);
    let text = run.run.value("iorate").unwrap_or("max").to_ascii_lowercase();
    let fault = |reading: &mut Reading<'_>, key: &str, why: String, help: &str| {
        reading.fault(run.run.place_of(key), &format!("`{key}`: {why}"), "", help);
    };
    if all_own {
        return Some(());
    }
    match text.as_str() {
        "max" => block.depth = depths.iter().map(|depth| *depth as u32).collect(),
        "curve" => {
            let values =
                run.run.pair("curve").map(|pair| list(&pair.values, number)).unwrap_or(Ok(CURVE.to_vec()));
            let points =
                values.map_err(|why| fault(reading, "curve", why, "write curve=(10,50,100)")).ok()?;
            let mut points: Vec<f64> =
                points.into_iter().filter(|point| (1.0..=1000.0).contains(point)).collect();
            points.sort_by(f64::total_cmp);
            points.dedup();
            block.curve = Some(points.iter().map(|point| Percent(point / 100.0)).collect());
            block.depth = depths.iter().map(|depth| *depth as u32).collect();
        }
        _ => {
            let values =
                run.run.pair("iorate").map(|pair| list(&pair.values, number)).unwrap_or(Ok(Vec::new()));
            let mut rates = values
                .map_err(|why| fault(reading, "iorate", why, "write iorate=max, curve or a number"))
                .ok()?;
            rates.retain(|rate| *rate > 0.0);
            rates.dedup();
            if rates.is_empty() {
                fault(
                    reading,
                    "iorate",
                    "no rate is above 0".to_owned(),
                    "write iorate=max, curve or a number",
                );
                return None;
            }
            if depths.len() > 1 {
                let text = "with rates the most outstanding I/Os are those of the largest number of threads";
                reading.note(run.run.place_of("forthreads"), text);
            }
            block.rate = Some(rates);
            block.depth_max = depths.iter().fold(1.0, |a, b| b.max(a)) as u32;
        }
    }
    max_data(reading, run, block)
}

/// `maxdata=300g`, or a multiple of the size if it is at most 100.
fn max_data(reading: &mut Reading<'_>, run: &Run<'_>, block: &mut Block) -> Option<()> {
    let Some(text) = run.run.value("maxdata") else { return Some(()) };
    let amount = size(text).map_err(|why| {
        reading.fault(run.run.place_of("maxdata"), &format!("`maxdata`: {why}"), "", "write maxdata=300g");
    });
    let amount = amount.ok()?;
    let [depth] = block.depth.as_slice() else {
        reading.note(
            run.run.place_of("maxdata"),
            "the run ends by time: it has several levels, or none by depth",
        );
        return Some(());
    };
    let depth = *depth;
    block.depth = Vec::new();
    let total: f64 = block.streams.iter().map(|stream| stream.weight).sum();
    let count = block.streams.len();
    for stream in &mut block.streams {
        let share = stream.weight / total;
        stream.weight = 1.0;
        stream.depth = Some(((f64::from(depth) * share).round() as u32).max(1));
        match amount {
            1..=100 if count == 1 => stream.passes = Some(amount as u32),
            1..=100 if block.size != WHOLE => {
                let bytes = block.size.0 as f64 * block.paths.len() as f64 * amount as f64;
                stream.bytes = Some(Size((bytes * share) as u64));
            }
            1..=100 => stream.passes = Some(amount as u32),
            _ => stream.bytes = Some(Size((amount as f64 * share) as u64)),
        }
    }
    if block.curve.take().is_some() {
        reading.note(run.run.place_of("maxdata"), "with an amount of data the curve is left out");
    }
    Some(())
}
