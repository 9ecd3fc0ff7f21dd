//! `drivetrain drives`: the modelled drives, the source of every number, and drives of one's own.

mod checked;
mod map;
pub(crate) mod own;

pub(crate) use checked::holds_together;

use std::path::{Path, PathBuf};

use clap::Args;
use device::catalogue::{self, Entry, Fact, NOT_STATED, Reliability};
use words::Unit;

use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::input;
use crate::outputs::ForceArgs;

/// Arguments of `drives`.
#[derive(Debug, Args)]
pub(crate) struct DrivesArgs {
    /// Name of a drive, a cloud volume with its size, or the path of a drive's TOML file, to show in full
    drive: Option<String>,

    /// Check a drive's file: every fault with its place, and the error it states against its own map
    #[arg(long, value_name = "FILE", conflicts_with_all = ["drive", "map", "add"])]
    check: Option<PathBuf>,

    /// Check a drive's file and add it to your own catalogue, from which every verb takes it by its name
    #[arg(long, value_name = "FILE", conflicts_with_all = ["drive", "map"])]
    add: Option<PathBuf>,

    /// Draw the read latency of a drive over the load, by its model and as measured, with the error of the
    /// model: figures, and a page that holds them
    #[arg(long, value_name = "DRIVE", conflicts_with = "drive")]
    map: Option<String>,

    /// Directory for the figures and the page of --map
    #[arg(long, short, value_name = "DIR", default_value = ".", requires = "map")]
    output: PathBuf,

    #[command(flatten)]
    force: ForceArgs,
}

/// Lists, shows, checks, adds or draws.
pub(crate) fn drives(args: &DrivesArgs, notebook: &Path, console: &Console) -> anyhow::Result<Exit> {
    if let Some(file) = &args.check {
        return checked::check(file, console);
    }
    if let Some(file) = &args.add {
        return own::add(file, notebook, args.force, console);
    }
    if let Some(name) = &args.map {
        return map::draw(name, &args.output, (notebook, args.force), console);
    }
    match &args.drive {
        None if console.json() => {
            console.document(&catalogue::all().map(document).collect::<Vec<_>>().into())
        }
        None => console.answer(&list()),
        Some(name) => {
            let entry = find(name)?;
            if console.json() {
                console.document(&document(&entry))
            } else {
                console.answer(&full(&entry))
            }
            warn_of_error(name, &entry, console);
        }
    }
    Ok(Exit::Done)
}

/// A drive by its name in the catalogue or by the path of its file.
pub(crate) fn find(name: &str) -> anyhow::Result<Entry> {
    if let Some(Err(why)) = catalogue::volume(name) {
        return Err(Coded::usage(why));
    }
    if let Some(entry) = catalogue::find(name) {
        return Ok(entry.clone());
    }
    if name.ends_with(".toml") {
        return of_file(name.as_ref()).map(|(entry, _)| entry);
    }
    if let Some(entry) = by_words(name, catalogue::all()) {
        return Ok(entry.clone());
    }
    let hint = catalogue::suggest(name).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
    Err(Coded::usage(format!(
        "no drive `{name}` in the catalogue{hint} (`drivetrain drives` lists them; a drive of your own is a .toml file)"
    )))
}

/// The one drive in whose name these whole words are. Where they fit several, they mean none.
fn by_words<'e>(words: &str, entries: impl Iterator<Item = &'e Entry>) -> Option<&'e Entry> {
    let part = format!("-{}-", words.to_ascii_lowercase());
    let mut alike = entries.filter(|entry| format!("-{}-", entry.name).contains(&part));
    alike.next().filter(|_| alike.next().is_none())
}

/// Warns of a drive whose file states a large error; the words are returned for documents.
pub(crate) fn warn_of_error(given: &str, entry: &Entry, console: &Console) -> Option<String> {
    let caution = lab::inaccurate(entry, given)?.to_string();
    console.warn(&caution);
    Some(caution)
}

/// The way in which an experiment names a drive that was given so: by its name, or by the whole path of its
/// file.
pub(crate) fn in_experiment(given: &str, entry: &Entry) -> String {
    if !given.ends_with(".toml") {
        return entry.name.clone();
    }
    std::path::absolute(given).unwrap_or_else(|_| given.into()).display().to_string()
}

/// The drive of a file, and the file's text.
pub(crate) fn of_file(path: &Path) -> anyhow::Result<(Entry, String)> {
    let (text, name) = (input::text(path)?, path.display().to_string());
    let entry = catalogue::parse(&text, &name).map_err(|e| Coded::faulty(e.render(false)))?;
    Ok((entry, text))
}

/// The reliability of a drive's numbers in brackets.
fn mark(entry: &Entry) -> String {
    let Reliability { numbers: all, guesses, open } = entry.reliability();
    let mut parts = Vec::new();
    if guesses > 0 {
        parts.push(format!("{guesses} of {all} numbers are guesses"));
    }
    if open > 0 {
        parts.push(format!("{open} of {all} numbers not identified"));
    }
    if let Some(accuracy) = &entry.accuracy {
        let rows = accuracy.rows().into_iter().map(|(name, (median, _))| format!("of {name} {median} %"));
        parts.push(format!("error {}", rows.collect::<Vec<_>>().join(", ")));
    }
    if parts.is_empty() { String::new() } else { format!("  ({})", parts.join("; ")) }
}

fn list() -> String {
    let widest =
        |of: fn(&Entry) -> &String| catalogue::all().map(|e| of(e).chars().count()).max().unwrap_or(0);
    let (width, interface) = (widest(|e| &e.name), widest(|e| &e.interface));
    let mut text = format!("{:width$}  {:>8}  {:interface$}  title\n", "drive", "GB", "interface");
    for entry in catalogue::all() {
        let mark = mark(entry);
        text.push_str(&format!(
            "{:width$}  {:>8.0}  {:interface$}  {}{mark}\n",
            entry.name,
            entry.capacity_bytes as f64 / 1e9,
            entry.interface,
            entry.title
        ));
    }
    text.push_str("\ncloud volumes: the size in, the limits out\n");
    for (name, rule, example) in catalogue::volume_kinds() {
        text.push_str(&format!("{name}\n    {rule}\n    {example}\n"));
    }
    text
}

fn full(entry: &Entry) -> String {
    let key = entry.facts.iter().map(|f| f.key.len()).max().unwrap_or(0);
    let value = entry.facts.iter().map(|fact| figure(fact).chars().count()).max().unwrap_or(0);
    let mut text =
        format!("{}\n{}, {:.0} GB", entry.title, made_by(entry), entry.capacity_bytes as f64 / 1e9);
    if let Some(bytes) = entry.endurance_bytes_written {
        text.push_str(&format!(", rated for {:.0} TB written", bytes as f64 / 1e12));
    }
    text.push_str("\n\n");
    if let Some(accuracy) = &entry.accuracy {
        text.push_str(&format!(
            "error of the model at {} points that its fit did not see ({}):\n",
            accuracy.points, accuracy.method
        ));
        for (name, (median, nine)) in accuracy.rows() {
            text.push_str(&format!("  {name:4}  median {median} %   nine in ten within {nine} %\n"));
        }
        text.push_str(&format!("  fitted to {}\n", accuracy.from));
        for (key, words) in &accuracy.circumstances {
            let of_others = *key == "certificate" && entry.is_certificate_of_these() == Some(false);
            let was_edited = *key == "certificate" && entry.is_certificate_as_written() == Some(false);
            let mark = match (of_others, was_edited) {
                (true, _) => "(OF OTHER NUMBERS than those below) ",
                (false, true) => "(EDITED after it was measured) ",
                (false, false) => "",
            };
            text.push_str(&format!("  {key}: {mark}{}\n", words.replace('\n', "\n    ")));
        }
        text.push('\n');
    }
    for fact in &entry.facts {
        let figure = figure(fact);
        let guess = if fact.guess { "GUESS  " } else { "" };
        let open = if fact.is_identified { "" } else { "NOT IDENTIFIED  " };
        let interval = fact.interval.as_ref().map(|(low, high)| {
            let ends = [low, high].map(|end| end.parse().unwrap_or(f64::NAN));
            format!("{}  ", interval(ends, |end| words::significant(end, DIGITS)))
        });
        text.push_str(&format!(
            "{:key$}  {figure:>value$}  {guess}{open}{}{}\n",
            fact.key,
            interval.unwrap_or_default(),
            fact.source_alone()
        ));
    }
    text
}

/// Maker and interface, as far as the file states them.
fn made_by(entry: &Entry) -> String {
    match (entry.maker.as_str(), entry.interface.as_str()) {
        (NOT_STATED, NOT_STATED) => "maker and interface not stated".to_owned(),
        (NOT_STATED, interface) => format!("maker not stated, {interface}"),
        (maker, NOT_STATED) => format!("{maker}, interface not stated"),
        (maker, interface) => format!("{maker}, {interface}"),
    }
}

/// A number with its unit. A rate without an end is no figure for people.
fn figure(fact: &Fact) -> String {
    match fact.value.as_str() {
        "inf" => "no limit".to_owned(),
        value => {
            let unit = match Unit::of(&fact.unit) {
                Some(unit) => unit.shown(),
                None => &fact.unit,
            };
            format!("{} {unit}", rounded(value, fact.interval.is_some()))
        }
    }
}

/// The ends of an interval, or that it says nothing.
pub(crate) fn interval([low, high]: [f64; 2], show: impl Fn(f64) -> String) -> String {
    match report::is_useless(low, high) {
        true => "no useful interval".to_owned(),
        false => format!("{} to {}", show(low), show(high)),
    }
}

/// Digits of a number for people.
const DIGITS: usize = 4;

/// A number rounded for people. One that was not fitted keeps its digits if it is whole, as people wrote it.
fn rounded(text: &str, is_fitted: bool) -> String {
    match text.parse::<f64>() {
        Ok(number) if is_fitted || number.fract() != 0.0 => words::significant(number, DIGITS),
        _ => text.to_owned(),
    }
}

fn document(entry: &Entry) -> serde_json::Value {
    let fact = |f: &Fact| serde_json::json!({ "key": f.key, "value": f.value, "unit": f.unit, "source": f.source, "guess": f.guess, "identified": f.is_identified, "interval": f.interval });
    let stated = |text: &str| (text != NOT_STATED).then(|| text.to_owned());
    let errors = |a: &catalogue::Accuracy| serde_json::json!({ "from": a.from, "method": a.method, "points": a.points, "p50_percent": a.p50_percent, "p95_percent": a.p95_percent, "mean_percent": a.mean_percent, "p99_percent": a.p99_percent, "circumstances": a.circumstances.iter().map(|(key, words)| ((*key).to_owned(), serde_json::Value::from(words.as_str()))).collect::<serde_json::Map<_, _>>() });
    serde_json::json!({
        "name": entry.name,
        "title": entry.title,
        "maker": stated(&entry.maker),
        "interface": stated(&entry.interface),
        "capacity_bytes": entry.capacity_bytes,
        "endurance_bytes_written": entry.endurance_bytes_written,
        "accuracy": entry.accuracy.as_ref().map(errors),
        "certificate_is_of_these_numbers": entry.is_certificate_of_these(),
        "certificate_is_as_written": entry.is_certificate_as_written(),
        "facts": entry.facts.iter().map(fact).collect::<Vec<_>>(),
    })
}
