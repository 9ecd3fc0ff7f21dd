//! The limits of the run, the workload's deviations from TPC-C, and the commands that repeat the run.

use super::{Section, list};
use crate::html::details;
use crate::loaded_run::LoadedRun;
use crate::pace::has_pace;
use crate::sentences;
use crate::source::Source;
use crate::svg::escape;
use words::{Engine, NoteKind, Realm, say, shell};

/// Made from the facts of the run: each sentence is printed only if its cause exists.
pub(super) fn not_shown(source: &Source<'_>) -> Section {
    let loaded = source.loaded;
    let mut limits: Vec<String> = Vec::new();
    if loaded.is_emulated() {
        limits.push(say!("limits-emulated").to_owned());
    }
    if loaded.is_simulated() {
        limits.push(say!("limits-simulated").to_owned());
    }
    if loaded.is_imported() {
        let is_observed = loaded.is_observed();
        limits.push(if is_observed { say!("limits-observed") } else { say!("limits-imported") }.to_owned());
    }
    if loaded.run.scale < 1.0 {
        limits.push(say!("limits-scale").to_owned());
    }
    if !loaded.is_imported() && loaded.workloads().iter().any(|workload| loaded.kind(workload).is_order_entry)
    {
        limits.extend(transaction_limits(loaded));
    }
    if !source.comparison.crashes.is_empty() {
        limits.push(say!("limits-crashes").to_owned());
    }
    let own = loaded.workloads().into_iter().filter(|_| !loaded.is_imported());
    for limit in own.filter_map(|workload| loaded.kind(workload).limits) {
        let limit = limit().to_owned();
        if !limits.contains(&limit) {
            limits.push(limit);
        }
    }
    if !loaded.is_simulated() && !loaded.is_imported() {
        let (loads, machine) = match has_database(loaded) {
            true => (say!("limits-loads-database"), say!("limits-machine-database")),
            false => (say!("limits-loads"), say!("limits-machine")),
        };
        let is_fleet = !source.comparison.hosts.is_empty();
        let machine = if is_fleet { say!("limits-machine-fleet") } else { machine };
        limits.extend([loads, machine].map(str::to_owned));
    }
    if !source.comparison.nuisances.is_empty() {
        limits.push(say!("limits-nuisances").to_owned());
    }
    if source.comparison.contrasts.iter().any(|contrast| contrast.primary && contrast.judgement.exploratory) {
        limits.push(say!("limits-few-repeats").to_owned());
    }
    Section {
        id: "limits".into(),
        heading: say!("limits-heading").to_owned(),
        body: list(&limits),
        ..Section::default()
    }
}

fn has_database(loaded: &LoadedRun) -> bool {
    loaded.workloads().iter().any(|workload| loaded.kind(workload).has_database)
}

fn transaction_limits(loaded: &LoadedRun) -> Vec<String> {
    let engine = loaded.facts.iter().find_map(|(scope, facts)| match scope.split_once(':') {
        Some(("database", _)) => facts.get("engine"),
        Some(("bed", _)) => facts.get("database.engine"),
        _ => None,
    });
    let name = engine.map_or_else(|| Engine::default().name(), |name| name.as_str());
    let known = Engine::of(name);
    let engine = known.map_or(name, |engine| engine.title());
    let other = match known.is_none_or(Engine::is_server) {
        true => say!("limits-server", engine),
        false => say!("limits-embedded", engine),
    };
    let has_pauses = |workload: &&str| loaded.asked(workload).is_some_and(has_pace);
    let is_saturated = loaded
        .workloads()
        .iter()
        .any(|workload| loaded.kind(workload).is_order_entry && !has_pauses(workload));
    std::iter::once(other).chain(is_saturated.then(|| say!("limits-think").to_owned())).collect()
}

/// The deviations from TPC-C and the disclaimer, when the workload is derived from it.
pub(super) fn deviations(source: &Source<'_>) -> Option<Section> {
    let loaded = source.loaded;
    let deviations: Vec<String> = loaded.notes_of(NoteKind::Deviation).map(str::to_owned).collect();
    let disclaimer: Vec<String> = loaded.notes_of(NoteKind::Disclaimer).map(str::to_owned).collect();
    if deviations.is_empty() && disclaimer.is_empty() {
        return None;
    }
    let body = match deviations.is_empty() {
        true => String::new(),
        false => format!("<p>{}</p>{}", say!("limits-clauses"), list(&deviations)),
    };
    Some(Section {
        id: "deviations".into(),
        heading: say!("limits-deviations").to_owned(),
        lead: disclaimer,
        figures: Vec::new(),
        body,
    })
}

/// The loads of an imported run, as its file states them.
fn origin(source: &Source<'_>) -> Section {
    let run = &source.loaded.run;
    let (version, begun) = (crate::naming::version(run), crate::naming::minute(&run.started_at));
    let (mark, cells) = (&source.mark, sentences::cells(source.loaded.cells.len()));
    Section {
        id: "reproduce".into(),
        heading: say!("page-imported").to_owned(),
        lead: vec![
            say!("page-imported-lead").to_owned(),
            say!("page-imported-run", version, begun, mark, cells),
        ],
        figures: Vec::new(),
        body: format!("<pre>{}</pre>", escape_lines(&run.experiment_toml)),
    }
}

/// Seed, command and experiment.
pub(super) fn reproduce(source: &Source<'_>) -> Section {
    if source.loaded.is_imported() {
        return origin(source);
    }
    let run = &source.loaded.run;
    let toml = escape_lines(&run.experiment_toml);
    let (lead, line) = match source.loaded.command() {
        Some(command) => (say!("page-repeat-lead"), format!("<pre class=\"wrap\">{}</pre>", escape(command))),
        None => (
            match source.loaded.is_simulated() {
                true => say!("page-reproduce-lead-simulated"),
                false => say!("page-reproduce-lead"),
            },
            format!(
                "<pre class=\"wrap\">{}drivetrain run experiment.toml --set design.seed={}{}{}</pre>",
                escape(&launcher(source.loaded)),
                run.seed,
                realm_option(source.loaded),
                escape(&hosts_options(source.loaded))
            ),
        ),
    };
    let body = format!("{line}{}", details("experiment.toml", &format!("<pre>{toml}</pre>")));
    let (version, begun) = (crate::naming::version(run), crate::naming::minute(&run.started_at));
    let (mark, cells) = (&source.mark, sentences::cells(source.loaded.cells.len()));
    let told = match run.ended_at.as_deref().map(crate::naming::minute) {
        Some(ended) => say!("page-reproduce-run", version, begun, ended, mark, cells),
        None => say!("page-reproduce-open-run", version, begun, mark, cells),
    };
    Section {
        id: "reproduce".into(),
        heading: say!("page-reproduce").to_owned(),
        lead: vec![lead.to_owned(), told],
        figures: Vec::new(),
        body,
    }
}

/// The options without which a run of the same file would be another one: the beds of the file say whether
/// storage is real or emulated, and nothing there says that a run is simulated.
fn realm_option(loaded: &LoadedRun) -> String {
    match loaded.is_simulated() {
        true => format!(" --realm {}", Realm::Simulated.name()),
        false => String::new(),
    }
}

/// The value of `--hosts` of a fleet under mpirun.
const MPI: &str = "mpi";

/// The command that starts the ranks, where the run itself does not.
fn launcher(loaded: &LoadedRun) -> String {
    match loaded.scope("fleet") {
        Some(fleet) if fleet.get("hosts").is_some_and(|hosts| hosts == MPI) => {
            format!("mpirun -n {} ", fleet.get("ranks").map_or("", String::as_str))
        }
        _ => String::new(),
    }
}

/// The hosts of a fleet and the way to them, as options: without them one process would run the file.
fn hosts_options(loaded: &LoadedRun) -> String {
    let Some(fleet) = loaded.scope("fleet") else { return String::new() };
    let is_mpi = fleet.get("hosts").is_some_and(|hosts| hosts == MPI);
    let usual = [("hosts", ""), ("ssh", "ssh -o BatchMode=yes"), ("program", "drivetrain")];
    let given = usual.into_iter().filter(|(key, _)| *key == "hosts" || !is_mpi);
    let option = |(key, usual)| {
        let value = fleet.get(key).filter(|value| *value != usual)?;
        Some(format!(" --{key} {}", shell::word(value)))
    };
    given.filter_map(option).collect()
}

/// Escapes line by line: a line end is not a control character to be replaced here.
fn escape_lines(text: &str) -> String {
    text.lines().map(escape).collect::<Vec<_>>().join("\n")
}
