//! `drivetrain drives`: the modelled drives, and the source of every number.

use clap::Args;
use device::catalogue::{self, Entry};

use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::input;

/// Arguments of `drives`.
#[derive(Debug, Args)]
pub(crate) struct DrivesArgs {
    /// Name of a drive, or the path of a drive's TOML file, to show in full
    drive: Option<String>,
}

/// Lists or shows.
pub(crate) fn drives(args: &DrivesArgs, console: &Console) -> anyhow::Result<Exit> {
    match &args.drive {
        None if console.json() => {
            console.document(&catalogue::all().iter().map(document).collect::<Vec<_>>().into())
        }
        None => console.answer(&list()),
        Some(name) => {
            let entry = find(name)?;
            if console.json() { console.document(&document(&entry)) } else { console.answer(&full(&entry)) }
        }
    }
    Ok(Exit::Done)
}

/// A drive by its name in the catalogue or by the path of its file.
pub(crate) fn find(name: &str) -> anyhow::Result<Entry> {
    if let Some(entry) = catalogue::find(name) {
        return Ok(entry.clone());
    }
    if name.ends_with(".toml") {
        let text = input::text(name.as_ref())?;
        let entry = catalogue::parse(&text, name).map_err(|e| Coded::faulty(e.render(false)))?;
        let texts = [&entry.name, &entry.title, &entry.maker, &entry.interface];
        if texts.iter().any(|text| text.contains(char::is_control)) {
            return Err(Coded::usage(format!(
                "{name}: name, title, maker and interface are one line each, without control characters"
            )));
        }
        return Ok(entry);
    }
    let part = format!("-{}-", name.to_ascii_lowercase());
    let mut alike = catalogue::all().iter().filter(|entry| format!("-{}-", entry.name).contains(&part));
    // Whole words of a name will do where they fit one drive only.
    if let (Some(entry), None) = (alike.next(), alike.next()) {
        return Ok(entry.clone());
    }
    let hint = catalogue::suggest(name).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
    Err(Coded::usage(format!(
        "no drive `{name}` in the catalogue{hint} (`drivetrain drives` lists them; a drive of your own is a .toml file)"
    )))
}

fn list() -> String {
    let width = catalogue::all().iter().map(|e| e.name.len()).max().unwrap_or(0);
    let mut text = format!("{:width$}  {:>8}  {:18}  {}\n", "drive", "GB", "interface", "title");
    for entry in catalogue::all() {
        let guesses = entry.facts.iter().filter(|f| f.guess).count();
        let mark = if guesses > 0 {
            format!("  ({guesses} of {} numbers are guesses)", entry.facts.len())
        } else {
            String::new()
        };
        text.push_str(&format!(
            "{:width$}  {:>8.0}  {:18}  {}{mark}\n",
            entry.name,
            entry.capacity_bytes as f64 / 1e9,
            entry.interface,
            entry.title
        ));
    }
    text
}

fn full(entry: &Entry) -> String {
    let key = entry.facts.iter().map(|f| f.key.len()).max().unwrap_or(0);
    let value = entry.facts.iter().map(|f| f.value.len() + f.unit.len() + 1).max().unwrap_or(0);
    let mut text = format!(
        "{}\n{}, {}, {:.0} GB",
        entry.title,
        entry.maker,
        entry.interface,
        entry.capacity_bytes as f64 / 1e9
    );
    if let Some(bytes) = entry.endurance_bytes_written {
        text.push_str(&format!(", rated for {:.0} TB written", bytes as f64 / 1e12));
    }
    text.push_str("\n\n");
    for fact in &entry.facts {
        let figure = format!("{} {}", fact.value, fact.unit);
        let guess = if fact.guess { "GUESS  " } else { "" };
        text.push_str(&format!("{:key$}  {figure:>value$}  {guess}{}\n", fact.key, fact.source));
    }
    text
}

fn document(entry: &Entry) -> serde_json::Value {
    let fact = |f: &catalogue::Fact| serde_json::json!({ "key": f.key, "value": f.value, "unit": f.unit, "source": f.source, "guess": f.guess });
    serde_json::json!({
        "name": entry.name,
        "title": entry.title,
        "maker": entry.maker,
        "interface": entry.interface,
        "capacity_bytes": entry.capacity_bytes,
        "endurance_bytes_written": entry.endurance_bytes_written,
        "facts": entry.facts.iter().map(fact).collect::<Vec<_>>(),
    })
}
