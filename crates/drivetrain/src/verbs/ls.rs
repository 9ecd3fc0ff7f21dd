//! `drivetrain ls`: the runs in the notebook.

use std::path::Path;

use clap::Args;
use clap::builder::PossibleValuesParser;
use notebook::{Notebook, RunState, RunSummary, Wanted};
use report::KeptVerdict;
use unicode_width::UnicodeWidthStr as _;
use words::{Engine, Realm, Word, WorkloadKind};

use crate::aligned::aligned;
use crate::console::Console;
use crate::exit::Exit;
use crate::notebooks;
use crate::printable::in_one_line;

/// Arguments of `ls`.
#[derive(Debug, Args)]
pub(crate) struct LsArgs {
    /// Only runs with this text in their name, title, question, beds, tags or id
    text: Option<String>,

    /// Only runs with this tag
    #[arg(long)]
    tag: Option<String>,

    /// Only runs with a workload of this kind: tpcc, sysbench, block, backup, scan and so on
    #[arg(long, value_parser = of_words(WorkloadKind::ALL))]
    kind: Option<String>,

    /// Only runs on this database engine
    #[arg(long, value_parser = of_words(Engine::ALL))]
    engine: Option<String>,

    /// Only runs of this realm: emulated, real, mixed, simulated or imported
    #[arg(long, value_parser = of_words(Realm::ALL))]
    realm: Option<String>,

    /// Only runs in this state: finished, interrupted, failed, killed or running
    #[arg(long, value_parser = of_words(RunState::ALL))]
    state: Option<String>,

    /// Only the latest runs, up to this number
    #[arg(long, value_name = "COUNT")]
    last: Option<usize>,
}

/// A parser of these words.
fn of_words<W: Word>(words: &'static [W]) -> PossibleValuesParser {
    PossibleValuesParser::new(words.iter().map(|word| word.name()))
}

impl LsArgs {
    fn wanted(&self) -> Wanted {
        let of = |name: &Option<String>| name.clone().unwrap_or_default();
        Wanted {
            text: self.text.clone(),
            tag: self.tag.clone(),
            kind: WorkloadKind::of(&of(&self.kind)),
            engine: Engine::of(&of(&self.engine)),
            realm: Realm::of(&of(&self.realm)),
            state: RunState::of(&of(&self.state)),
        }
    }
}

/// Lists the runs, the latest last.
pub(crate) fn ls(args: &LsArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let notebook = notebooks::open(path)?;
    let mut runs = notebook.sought(&args.wanted(), None, args.last.unwrap_or(usize::MAX))?.runs;
    runs.reverse();
    judge(&notebook, &mut runs);
    if console.json() {
        console.document(&runs.iter().map(document).collect::<Vec<_>>().into());
        return Ok(Exit::Done);
    }
    let head =
        ["run", "id", "started", "state", "cells", "realm, scale", "size", "verdict"].map(str::to_owned);
    let rows: Vec<Vec<String>> =
        std::iter::once(head).chain(runs.iter().map(row)).map(|row| row.to_vec()).collect();
    let indent = rows.iter().map(|row| row[0].width()).max().unwrap_or(0) + 2;
    let mut text = String::new();
    for (at, line) in aligned(&rows, |column| matches!(column, 0 | 4 | 6)).iter().enumerate() {
        text.push_str(line);
        text.push('\n');
        if let Some(run) = at.checked_sub(1).and_then(|at| runs.get(at)) {
            text.push_str(&format!("{:indent$}{}\n", "", about(run)));
        }
    }
    console.answer(&text);
    Ok(Exit::Done)
}

/// The most runs of older notebooks that are compared for their verdicts.
const JUDGED_MOST: usize = 20;

/// Verdicts of runs that ended before verdicts were kept, of the latest ones. A run that cannot be compared
/// has none, nor has one whose plan is not complete: early cells are no sample of it.
fn judge(notebook: &Notebook, runs: &mut [RunSummary]) {
    let without = |run: &&mut RunSummary| {
        run.verdict.is_none() && run.cells_done > 0 && run.state == notebook::RunState::Finished
    };
    for run in runs.iter_mut().rev().filter(without).take(JUDGED_MOST) {
        run.verdict = report::compare(notebook, run.id).ok().map(|comparison| comparison.kept_verdict());
    }
}

/// The verdict of a run: `1.62x, better`; `-` for one without.
fn verdict(run: &RunSummary) -> String {
    let kept = run.verdict.as_deref().and_then(KeptVerdict::read);
    kept.map_or_else(|| "-".to_owned(), |kept| kept.in_short())
}

fn row(run: &RunSummary) -> [String; 8] {
    [
        run.id.to_string(),
        run.key.to_string(),
        local(&run.started_at),
        run.state.to_string(),
        format!("{}/{}", run.cells_done, run.cells_planned),
        in_one_line(&format!("{}{}", run.realm, scale(run.scale))),
        size(run.size_bytes),
        in_one_line(&verdict(run)),
    ]
}

/// `demo [good] "after the update": Is an NVMe drive worth it? (NVMe, SATA)`.
fn about(run: &RunSummary) -> String {
    let mut text = run.name.clone();
    if !run.tags.is_empty() {
        text.push_str(&format!(" [{}]", run.tags.join(", ")));
    }
    text.extend(run.label.iter().map(|label| format!(" \"{label}\"")));
    text.push_str(&format!(
        ": {} ({})",
        words::asked(run.question.as_ref().unwrap_or(&run.title)),
        run.beds.join(", ")
    ));
    in_one_line(&text)
}

/// The start in the zone of this machine, with its offset from UTC: `2026-05-04 12:07 +02:00`.
fn local(started_at: &str) -> String {
    let moment = started_at.parse::<jiff::Timestamp>();
    let zoned = moment.map(|moment| moment.to_zoned(jiff::tz::TimeZone::system()));
    zoned.map_or_else(|_| in_one_line(started_at), |zoned| zoned.strftime("%Y-%m-%d %H:%M %:z").to_string())
}

/// Nothing for full size, else ` 1/600`.
fn scale(scale: f64) -> String {
    let parts = 1.0 / scale;
    match scale {
        1.0 => String::new(),
        _ if (parts - parts.round()).abs() < 1e-6 => format!(" 1/{}", parts.round()),
        _ => format!(" {scale:.3}"),
    }
}

fn size(bytes: i64) -> String {
    match bytes as f64 {
        bytes if bytes >= 1e6 => format!("{:.1} MB", bytes / 1e6),
        bytes => format!("{:.0} kB", bytes / 1e3),
    }
}

fn document(run: &RunSummary) -> serde_json::Value {
    serde_json::json!({
        "run": run.id.0, "id": run.key, "name": run.name, "label": run.label, "tags": run.tags,
        "title": run.title, "question": run.question, "beds": run.beds, "realm": run.realm, "scale": run.scale,
        "started_at": run.started_at, "state": run.state.name(), "verdict": run.verdict.as_ref().map(|_| verdict(run)),
        "cells_done": run.cells_done, "cells_planned": run.cells_planned, "size_bytes": run.size_bytes,
    })
}
