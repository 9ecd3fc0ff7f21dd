//! `drivetrain drives --map`: the read latency of a drive over the load, as figures and as a page.

use std::path::Path;

use device::catalogue::Entry;
use report::{DriveMaps, FigureFile, MeasuredMap};
use study::profile::{Judgement, LatencyMap};

use super::find;
use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::language;
use crate::outputs::{self, ForceArgs};
use crate::progress::Counting;
use crate::signals;

/// Steps of an axis where none is measured, at most: diskplorer's 20, or a few more, so that they are round.
const STEPS_MOST: f64 = 25.0;
/// Round steps, times any power of ten.
const ROUND: [f64; 4] = [1.0, 2.0, 2.5, 5.0];

/// Draws both percentiles, each as SVG and PNG, and the page that holds them.
pub(super) fn draw(
    name: &str,
    directory: &Path,
    (notebook, force): (&Path, ForceArgs),
    console: &Console,
) -> anyhow::Result<Exit> {
    let entry = find(name)?;
    super::warn_of_error(name, &entry, console);
    let (reads, writes) = axes(&entry)?;
    outputs::directory(directory)?; // Before the map is computed for nothing.
    signals::listen(*console, signals::OF_OTHERS)?;
    let stopped = || Coded::interrupted("stopped before the map was whole");
    let mut counting = Counting::begin(console, signals::flag(), "the model's map");
    let all = reads.len() * writes.len();
    let model = study::profile::map_of(&entry.spec, &reads, &writes, &mut |done| counting.goes_on(done, all));
    let model = model.ok_or_else(stopped)?;
    drop(counting);
    let measured = match entry.spec.read_map.as_ref().map(LatencyMap::of_drive) {
        None => None,
        Some(map) => {
            let mut counting = Counting::begin(console, signals::flag(), "judging the fit");
            let judged = study::profile::judge(&map, &mut |done, all| counting.goes_on(done, all));
            let judged = judged.ok_or_else(stopped)?;
            Some((map, judged))
        }
    };
    let points = console.json().then(|| points(&model, entry.spec.read_map.as_ref()));
    let drawn = language::for_people(|| drawn(&entry, &model, measured.as_ref()))?;
    let files = write(&drawn, directory, (notebook, force), console)?;
    if console.json() {
        let (figures, page) = files.split_at(files.len() - 1);
        console.document(&serde_json::json!({
            "drive": entry.name, "figures": figures, "page": page[0], "points": points,
        }));
    } else {
        console.answer(&format!("{}\n{} files", files.join("\n"), files.len()));
    }
    Ok(Exit::Done)
}

/// The figures, and the name and the text of the page.
struct Drawn {
    figures: Vec<FigureFile>,
    page_name: String,
    page: String,
}

fn drawn(
    entry: &Entry,
    model: &LatencyMap,
    measured: Option<&(LatencyMap, Judgement)>,
) -> anyhow::Result<Drawn> {
    // A model's answer where nothing was measured has nothing to stand beside.
    let model = match measured {
        Some((map, _)) => model.where_known(map).to_plain_map(),
        None => model.to_plain_map(),
    };
    let plain = measured.map(|(map, judged)| (map.to_plain_map(), judged.predicted(map)));
    let from = entry.accuracy.as_ref().map_or("its file", |accuracy| accuracy.from.as_str());
    let name = file_name(&entry.name);
    let maps = DriveMaps {
        name: &name,
        entry,
        model: &model,
        measured: plain.as_ref().map(|(map, predicted)| MeasuredMap { map, from, predicted }),
    };
    Ok(Drawn {
        figures: report::map_figures(&maps),
        page_name: format!("{name}-map.html"),
        page: report::map_page(&maps)?,
    })
}

/// Every point of the map: the model's answer, and the measured one.
fn points(model: &LatencyMap, measured: Option<&device::ReadMap>) -> Vec<serde_json::Value> {
    let ms = |p50_ns: f64, p95_ns: f64| serde_json::json!({ "p50_ms": p50_ns / 1e6, "p95_ms": p95_ns / 1e6 });
    let places = (0..model.rows()).flat_map(|row| (0..model.columns()).map(move |column| (row, column)));
    let point = |(row, column): (usize, usize)| {
        serde_json::json!({
            "reads_per_s": model.reads_per_s[column],
            "write_mb_per_s": model.write_bytes_per_s[row] / 1e6,
            "model": model.values(row, column).map(|values| ms(values.p50_ns, values.p95_ns)),
            "measured": measured.and_then(|map| map.measured(row, column)).map(|(p50, p95)| ms(p50, p95)),
        })
    };
    places.map(point).collect()
}

/// Read rates and write bandwidths: those of the measured map, else even steps up to what the drive does.
fn axes(entry: &Entry) -> anyhow::Result<(Vec<f64>, Vec<f64>)> {
    let spec = &entry.spec;
    if let Some(map) = &spec.read_map {
        return Ok((map.reads_per_s.clone(), map.write_bytes_per_s.clone()));
    }
    let least = |limits: &mut dyn Iterator<Item = f64>| limits.fold(f64::INFINITY, f64::min);
    let buckets = || spec.limits.iter();
    let reads = least(&mut buckets().filter(|b| b.read_tokens > 0.0).map(|b| b.tokens_per_s / b.read_tokens));
    let reads = reads.min(spec.expected_reads_per_s(spec.queue_limit));
    let writes = least(
        &mut buckets().filter(|b| b.write_byte_tokens > 0.0).map(|b| b.tokens_per_s / b.write_byte_tokens),
    );
    let writes = writes.min(spec.write_bandwidth_bytes_per_s);
    if !(reads.is_finite() && writes.is_finite()) {
        return Err(Coded::usage(format!("{} has no highest rate, so there is nothing to draw", entry.name)));
    }
    Ok((steps(reads), steps(writes)))
}

/// Round steps from 0 to the last one that is not above `most`.
fn steps(most: f64) -> Vec<f64> {
    let least = most / STEPS_MOST;
    let exponent = least.log10().floor().clamp(-12.0, 18.0) as i32;
    let power = 10_f64.powi(exponent.abs());
    // Tenths are exact as quotients alone.
    let scaled = |round: f64| if exponent < 0 { round / power } else { round * power };
    let round = ROUND.into_iter().find(|round| scaled(*round) >= least).unwrap_or(10.0);
    (0..=(most / scaled(round) * (1.0 + 1e-12)) as u32)
        .map(|number| scaled(f64::from(number) * round))
        .collect()
}

/// A name without the signs of a purchase, which file systems may not take.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect()
}

fn write(
    drawn: &Drawn,
    directory: &Path,
    (notebook, force): (&Path, ForceArgs),
    console: &Console,
) -> anyhow::Result<Vec<String>> {
    let painter = report::Painter::new()?;
    let mut outputs = outputs::beside_notebook(notebook, force, console);
    let mut planned = Vec::new();
    for figure in &drawn.figures {
        for (end, kind) in [("svg", outputs::SVG), ("png", outputs::PNG)] {
            let path = directory.join(format!("{}.{end}", figure.name));
            planned.push((figure, end, outputs.plan(&path, kind).map_err(outputs::coded)?));
        }
    }
    let page = directory.join(&drawn.page_name);
    let page = outputs.plan(&page, outputs::REPORT).map_err(outputs::coded)?;
    let mut files = Vec::new();
    for (figure, end, output) in planned {
        files.push(output.path().display().to_string());
        let bytes = if end == "svg" { figure.svg.clone().into_bytes() } else { painter.paint(figure)? };
        output.write(&bytes).map_err(outputs::coded)?;
    }
    files.push(page.path().display().to_string());
    page.write(drawn.page.as_bytes()).map_err(outputs::coded)?;
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_steps_up_to_what_the_drive_does() {
        for (most, second, last, count) in [
            (95_000.0, 5_000.0, 95_000.0, 20),
            (520e6, 25e6, 500e6, 21),
            (155_400.0, 10_000.0, 150_000.0, 16),
            (7.0, 0.5, 7.0, 15),
            (0.6, 0.025, 0.6, 25),
        ] {
            let steps = steps(most);
            assert_eq!((steps[0], steps[1], steps[steps.len() - 1], steps.len()), (0.0, second, last, count));
        }
        assert_eq!(steps(0.0), [0.0]);
    }
}
