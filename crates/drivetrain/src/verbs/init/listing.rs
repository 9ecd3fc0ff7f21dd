//! The list of the named experiments: by the question that they answer, or those that a search finds.

use std::time::Duration;

use experiment::{Family, Named, NothingFound, Scale};
use words::Engine;

use crate::console::Console;
use crate::exit::Coded;

/// Prints every family, or those that have all of the words.
///
/// # Errors
/// Exit code 2 with what is near, where there is none.
pub(super) fn list(words: &[String], console: &Console) -> anyhow::Result<()> {
    let found = experiment::search_named(words).map_err(|nothing| Coded::usage(none(words, &nothing)))?;
    if console.json() {
        let members =
            found.iter().flat_map(|family| family.members().map(move |named| document(family, named)));
        console.document(&members.collect::<Vec<_>>().into());
    } else {
        console.answer(&text(&found, !words.is_empty()));
    }
    Ok(())
}

fn none(words: &[String], nothing: &NothingFound) -> String {
    let why = match (&nothing.unknown, &nothing.near) {
        (Some(word), Some(near)) => format!("none mentions `{word}`; did you mean `{near}`?"),
        (Some(word), None) => format!("none mentions `{word}`"),
        (None, _) => "each word occurs, but not together".to_owned(),
    };
    format!("no named experiment for `{}`: {why} (`drivetrain init --list` lists all)", words.join(" "))
}

fn document(family: &Family, named: &Named) -> serde_json::Value {
    let [full_s, tiny_s] = times(named).map(|time| time.map(|time| time.as_secs()));
    serde_json::json!({
        "name": named.name, "title": named.title(), "summary": named.summary, "question": family.question,
        "engine": named.engine().map(Engine::name), "full_s": full_s, "tiny_s": tiny_s,
    })
}

fn text(families: &[&Family], in_full: bool) -> String {
    let width = families.iter().map(|family| family.name.len()).max().unwrap_or(0);
    let mut text = format!("{:width$}    engines  {:>6}  {:>6}\n", "", "full", "tiny");
    let mut question = "";
    for family in families {
        if family.question != question {
            question = family.question;
            text.push_str(&format!("\n{question}\n"));
        }
        let [full, tiny] =
            family.members().next().map_or([None; 2], times).map(|time| time.map_or("-".to_owned(), short));
        text.push_str(&format!(
            "  {:width$}  {:7}  {full:>6}  {tiny:>6}  {}\n",
            family.name,
            engines(family),
            family.about
        ));
        if in_full {
            family.members().for_each(|named| {
                text.push_str(&format!(
                    "      {}\n        {}\n",
                    named.name,
                    named.summary.trim_end_matches("; see --scale")
                ))
            });
        }
    }
    text.push_str(&format!("\n{}\ntimes: about, at full size and at --scale tiny\n", legend()));
    text + "next: drivetrain plan NAME --scale tiny; drivetrain init NAME writes it as a file to change"
}

/// The engines by their letters, so that all of a family fit into a column.
fn legend() -> String {
    let engines = Engine::ALL.iter().map(|engine| format!("{} {}", engine.letter(), engine.title()));
    format!("engines: {} (servers that are installed), - no database", engines.collect::<Vec<_>>().join(", "))
}

/// `S P M`, or `-` without a database.
fn engines(family: &Family) -> String {
    let initial = |named: &Named| named.engine().map_or('-', Engine::letter).to_string();
    family.members().map(initial).collect::<Vec<_>>().join(" ")
}

/// About how long an experiment takes at full size and at scale tiny.
fn times(named: &Named) -> [Option<Duration>; 2] {
    [Scale::Full, Scale::Tiny].map(|scale| {
        let written = experiment::parse(named.text, named.name).ok()?;
        Some(lab::plan(&experiment::scale(&written, scale).experiment, 1).ok()?.total)
    })
}

/// `40 s`, `12 min`, `50 h`.
fn short(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        ..90.0 => format!("{seconds:.0} s"),
        ..5400.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.0} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_one_unit() {
        let seconds = [1, 89, 90, 5399, 5400, 360_000].map(|s| short(Duration::from_secs(s)));
        assert_eq!(seconds, ["1 s", "89 s", "2 min", "90 min", "2 h", "100 h"]);
    }

    #[test]
    fn every_family_has_its_engines_and_times_in_one_line() {
        let all: Vec<&Family> = experiment::families().iter().collect();
        let text = text(&all, false);
        assert!(text.lines().all(|line| line.chars().count() <= 110), "{text}");
        assert!(!text.contains("  -       -"), "every experiment can be planned: {text}");
        let line = text.lines().find(|line| line.contains("test-4[-ENGINE]")).unwrap_or_default();
        assert!(line.contains("  S P M  ") && line.ends_with("three cycles, every restore proven"), "{line}");
    }
}
