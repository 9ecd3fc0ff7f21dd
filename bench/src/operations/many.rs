//! Many servers and several backup loops at once, all driven by this process: what of the processors it takes
//! for itself.

use std::fmt::Write as _;

use anyhow::Context as _;
use lab::{Interrupt, Request, Silent};
use notebook::{CellState, Notebook};

use super::folder;
use crate::options::Options;

/// Twelve servers under load, four of them besides with backups without pause.
const SERVERS: u32 = 12;
const BACKUP_LOOPS: u32 = 4;
const OWN_SHARE_MAX: f64 = 5.0;

pub(super) fn run(options: &Options) -> anyhow::Result<String> {
    let temp = folder(options)?;
    let (victims, neighbours) = if options.smoke { (2, 1) } else { (SERVERS, BACKUP_LOOPS) };
    let text = experiment(&temp.path().display().to_string(), victims, neighbours, options.seconds.max(1.0));
    let parsed = experiment::parse(&text, "many").map_err(|faults| anyhow::anyhow!("{faults}"))?;
    let mut notebook = Notebook::open_or_create(temp.path().join("many.sqlite"))?;
    let request = Request {
        experiment: parsed,
        experiment_toml: text,
        name: "many".to_owned(),
        scale: 1.0,
        scale_statement: Default::default(),
        seed: 1,
        work_dir: "many".to_owned(),
        directory: None,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        world: lab::World::default(),
    };
    let finished = lab::run(&request, &mut notebook, &Interrupt::new(), &Silent)?;
    let mut table = format!(
        "## {victims} PostgreSQL servers under load and {neighbours} more with backups without pause, one process\n\n\
         | repeat | own share of the processors, % | all busy, % | new orders/min of all | backups finished | backed up, MB/s | goal |\n\
         |---:|---:|---:|---:|---:|---:|---|\n"
    );
    for cell in notebook.cells(finished.run)? {
        anyhow::ensure!(cell.state == CellState::Done, "{}", cell.reasons);
        let measured = notebook.measurements(cell.id)?;
        let value = |metric: &str| {
            let found = measured.iter().find(|m| m.metric == metric);
            found.map(|m| m.value).with_context(|| format!("no `{metric}` was measured"))
        };
        let (own, busy) = (value("own_cpu")?, 100.0 - value("cpu_idle")?);
        // Of what the machine did, not of what it could have done.
        let share = own / busy * 100.0;
        let kept = if share <= OWN_SHARE_MAX { "kept" } else { "MISSED" };
        let _ = writeln!(
            table,
            "| {} | {share:.2} | {busy:.0} | {:.0} | {:.0} | {:.1} | <= {OWN_SHARE_MAX}: {kept} |",
            cell.repeat + 1,
            value("nopm")?,
            value("neighbour_deeds")?,
            value("neighbour_rate")?,
        );
    }
    Ok(table + "\n")
}

fn experiment(path: &str, victims: u32, neighbours: u32, seconds: f64) -> String {
    format!(
        "schema = 1\ntitle = \"Many\"\n[[bed]]\nname = \"here\"\nstorage = {{ real = {path:?} }}\n\
         [database]\nengine = \"postgresql\"\nmemory = \"16MiB\"\nmode = \"procedures\"\n\
         [[workload]]\nkind = \"neighbour\"\nvictims = {victims}\nwarehouses = 1\nvirtual_users = 1\n\
         ramp_up = \"2s\"\nmeasure = \"{}s\"\nneighbour = \"backup\"\nneighbours = {neighbours}\n\
         arms = [\"with-neighbour\"]\n[design]\nrepeats = {}\n",
        (4.0 * seconds).ceil(),
        if seconds > 1.0 { 3 } else { 1 },
    )
}
