//! `bench builds AFTER BEFORE`: two builds of drivetrain against each other, so that a change which should
//! only move code is shown to cost nothing.
//!
//! A build is the folder that holds its programs `drivetrain` and `bench`. Everything is measured through
//! them, so that any two commits can be compared: their `block` and `run` must know the options used here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use crate::machine;
use crate::options::Options;
use crate::pairs::{Goal, Row, interleave, median, table};

pub(crate) const USAGE: &str = "usage: bench builds AFTER BEFORE [--only LOAD] [OPTION ...]\n\
    AFTER and BEFORE are folders with the programs `drivetrain` and `bench` of one build each\n\
    --only takes the loads whose names hold LOAD: null, reads, load, SQLite, PostgreSQL";

/// The allowed cost of a later build above an earlier one; the rest is the machine's noise.
const MORE_AT_MOST: f64 = 1.03;
const LESS_AT_LEAST: f64 = 0.97;

/// Cells of order entry at each level in one run of one build, of which the median counts: the first one
/// after a load takes up to a quarter more processor time than those that follow.
const REPEATS: u32 = 3;

/// A cost or a rate of one build.
struct Figure {
    what: String,
    value: f64,
    digits: usize,
    goal: Goal,
}

impl Figure {
    fn cost(what: &str, value: f64, digits: usize) -> Self {
        Self { what: what.to_owned(), value, digits, goal: Goal::RatioAtMost(MORE_AT_MOST) }
    }

    fn rate(what: &str, value: f64, digits: usize) -> Self {
        Self { what: what.to_owned(), value, digits, goal: Goal::RatioAtLeast(LESS_AT_LEAST) }
    }
}

/// One load that both builds run in turn.
struct Load {
    name: &'static str,
    run: fn(&Build<'_>) -> anyhow::Result<Vec<Figure>>,
}

const LOADS: [Load; 5] = [
    Load { name: "null engine", run: null_engine },
    Load { name: "reads at depth 32", run: reads },
    Load { name: "load into SQLite", run: load_into_sqlite },
    Load { name: "order entry on SQLite", run: order_entry_on_sqlite },
    Load { name: "order entry on PostgreSQL", run: order_entry_on_postgresql },
];

/// One build, and where and how long it works.
struct Build<'a> {
    programs: PathBuf,
    dir: &'a Path,
    options: &'a Options,
}

/// Reads the two folders and the options behind them, runs all loads and gives the report.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<String> {
    let [after, before, rest @ ..] = arguments else { anyhow::bail!(USAGE) };
    let (only, rest) = match rest {
        [only, load, rest @ ..] if only == "--only" => (load.as_str(), rest),
        _ => ("", rest),
    };
    let loads: Vec<&Load> = LOADS.iter().filter(|load| load.name.contains(only)).collect();
    ensure!(!loads.is_empty(), "no load is called `{only}`\n{USAGE}");
    let options = Options::parse(rest.iter().cloned())?;
    let temp = tempfile::Builder::new().prefix("drivetrain-bench-").tempdir_in(&options.dir)?;
    let build = |folder: &str| -> anyhow::Result<Build<'_>> {
        let programs = fs::canonicalize(folder).with_context(|| folder.to_owned())?;
        Ok(Build { programs, dir: temp.path(), options: &options })
    };
    let (after, before) = (build(after)?, build(before)?);
    let mut rows: Vec<Row> = Vec::new();
    let mut circumstances = String::new();
    for load in loads {
        let runs = interleave(load.name, &options, || figures(load, &after), || figures(load, &before))?;
        circumstances += &format!("{}: {}", load.name, runs.circumstances());
        rows.extend(rows_of(&runs.runs));
    }
    Ok(format!(
        "# Two builds\n\n{}\n\n{}\n{circumstances}",
        machine::describe(),
        table("build", "before", &rows)
    ))
}

fn figures(load: &Load, build: &Build<'_>) -> anyhow::Result<Vec<Figure>> {
    (load.run)(build).with_context(|| format!("{}, {}", load.name, build.programs.display()))
}

/// One row for each figure of a load.
fn rows_of(runs: &[(Vec<Figure>, Vec<Figure>)]) -> Vec<Row> {
    let Some((first, _)) = runs.first() else { return Vec::new() };
    let row = |(index, figure): (usize, &Figure)| Row {
        what: figure.what.clone(),
        pairs: runs.iter().map(|(after, before)| (after[index].value, before[index].value)).collect(),
        digits: figure.digits,
        goal: Some(figure.goal),
    };
    first.iter().enumerate().map(row).collect()
}

fn null_engine(build: &Build<'_>) -> anyhow::Result<Vec<Figure>> {
    let answer = build.block(&["--engine", "null", "--size", "1g"])?;
    Ok(vec![Figure::cost("null engine: CPU per I/O (ns)", number(&answer, "/cpu_per_io_ns")?, 1)])
}

fn reads(build: &Build<'_>) -> anyhow::Result<Vec<Figure>> {
    let file = build.dir.join("reads");
    if !file.exists() {
        let size_bytes = if build.options.smoke { 16 << 20 } else { 1 << 30 };
        fs::write(&file, vec![0x5a; size_bytes])?;
    }
    let file = file.to_str().context("the path of the temporary directory is not text")?;
    let answer = build.block(&[file])?;
    Ok(vec![
        Figure::cost("reads at depth 32: CPU per I/O (ns)", number(&answer, "/cpu_per_io_ns")?, 0),
        Figure::rate("reads at depth 32: IOPS", number(&answer, "/iops")?, 0),
    ])
}

fn load_into_sqlite(build: &Build<'_>) -> anyhow::Result<Vec<Figure>> {
    let mut command = Command::new(build.programs.join("bench"));
    command.args(["load", "--pairs", "1", "--dir"]).arg(build.dir);
    if build.options.smoke {
        command.arg("--smoke");
    }
    let report = answer(command)?;
    let row = report.lines().rfind(|line| line.starts_with("| ")).context("`bench load` gave no row")?;
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    // The columns of the table in `load.rs`.
    let cell = |column: usize| -> anyhow::Result<f64> {
        cells.get(column).and_then(|text| text.parse().ok()).with_context(|| format!("`{row}`"))
    };
    Ok(vec![
        Figure::rate("load into SQLite: warehouses per minute", cell(6)?, 1),
        Figure::cost("load into SQLite: CPU (s)", cell(8)?, 2),
    ])
}

fn order_entry_on_sqlite(build: &Build<'_>) -> anyhow::Result<Vec<Figure>> {
    let cells = build.order_entry("engine = \"sqlite\"", "[1, 4]")?;
    let mut figures = Vec::new();
    for (level, users) in [(1.0, "1 user"), (4.0, "4 users")] {
        let nopm = median_at(&cells, level, "/metrics/nopm/value")?;
        let cpu_us = median_at(&cells, level, "/metrics/own_cpu_per_transaction/value")?;
        figures.push(Figure::rate(&format!("SQLite, {users}: NOPM"), nopm, 0));
        figures.push(Figure::cost(&format!("SQLite, {users}: CPU per transaction (us)"), cpu_us, 1));
    }
    Ok(figures)
}

fn order_entry_on_postgresql(build: &Build<'_>) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for mode in ["statements", "procedures"] {
        let cells = build.order_entry(&format!("engine = \"postgresql\"\nmode = \"{mode}\""), "[8]")?;
        let cpu_us = median_at(&cells, 8.0, "/metrics/client_cpu_per_transaction/value")?;
        let server_us = median_at(&cells, 8.0, "/metrics/server_cpu_per_transaction/value")?;
        let nopm = median_at(&cells, 8.0, "/metrics/nopm/value")?;
        figures.push(Figure::cost(
            &format!("PostgreSQL, {mode}: client CPU per transaction (us)"),
            cpu_us,
            1,
        ));
        // The server is the same program in both builds: its time holds the machine's speed of the moment.
        let of_server = 100.0 * cpu_us / server_us;
        figures.push(Figure::cost(
            &format!("PostgreSQL, {mode}: client CPU, % of the server's"),
            of_server,
            2,
        ));
        figures.push(Figure::rate(&format!("PostgreSQL, {mode}: NOPM"), nopm, 0));
    }
    Ok(figures)
}

impl Build<'_> {
    /// 4 KiB random reads at depth 32.
    fn block(&self, more: &[&str]) -> anyhow::Result<Value> {
        let mut command = Command::new(self.programs.join("drivetrain"));
        command.args(["block", "--quiet", "--json", "--rw", "randread", "--bs", "4k", "--depth", "32"]);
        command.arg("--time").arg(format!("{}s", self.options.seconds)).args(more);
        Ok(serde_json::from_str(&answer(command)?)?)
    }

    /// The cells of order entry on two warehouses in the directory of this bench.
    fn order_entry(&self, database: &str, users: &str) -> anyhow::Result<Vec<Value>> {
        let work = tempfile::tempdir_in(self.dir)?;
        let file = work.path().join("builds.toml");
        let measure_ms = (1e3 * self.options.seconds.max(1.0)).round() as u64;
        let ramp_up_ms = measure_ms / 5;
        let repeats = if self.options.smoke { 1 } else { REPEATS };
        let text = format!(
            "schema = 1\ntitle = \"Two builds\"\n\n[[bed]]\nname = \"here\"\nstorage = {{ real = \".\" }}\n\n\
             [database]\n{database}\nmemory = \"256MiB\"\nsynchronous = \"off\"\n\n[[workload]]\nkind = \"tpcc\"\nwarehouses = 2\n\
             virtual_users = {users}\nramp_up = \"{ramp_up_ms}ms\"\nmeasure = \"{measure_ms}ms\"\n\n[design]\nrepeats = {repeats}\n"
        );
        fs::write(&file, text)?;
        let mut command = Command::new(self.programs.join("drivetrain"));
        command.args(["run", "--quiet", "--json", "builds.toml"]).current_dir(work.path());
        let document: Value = serde_json::from_str(&answer(command)?)?;
        let cells = document.pointer("/cells").and_then(Value::as_array).context("no cells")?;
        for cell in cells {
            ensure!(cell["state"] == "done", "a cell does not count: {}", cell["reason"]);
        }
        Ok(cells.clone())
    }
}

/// The median of a figure of the cells at one level.
fn median_at(cells: &[Value], level: f64, pointer: &str) -> anyhow::Result<f64> {
    let at_level = cells.iter().filter(|cell| cell["level"].as_f64() == Some(level));
    let values = at_level.map(|cell| number(cell, pointer)).collect::<anyhow::Result<Vec<f64>>>()?;
    ensure!(!values.is_empty(), "no cell at {level}");
    Ok(median(&values))
}

/// The standard output of a program that must end well.
pub(crate) fn answer(mut command: Command) -> anyhow::Result<String> {
    // Not with its variables, one of which may be a password.
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let called = words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    let output = command.output().with_context(|| called.clone())?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{called}` ended with {}: {errors}", output.status);
    Ok(String::from_utf8(output.stdout)?)
}

pub(crate) fn number(document: &Value, pointer: &str) -> anyhow::Result<f64> {
    document.pointer(pointer).and_then(Value::as_f64).with_context(|| format!("no number at {pointer}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn figures_of_pairs_become_rows() {
        let side = |value: f64| vec![Figure::cost("CPU", value, 1), Figure::rate("IOPS", 10.0 * value, 0)];
        let rows = rows_of(&[(side(1.0), side(2.0)), (side(3.0), side(2.0))]);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].pairs, [(1.0, 2.0), (3.0, 2.0)]);
        assert_eq!(rows[1].pairs, [(10.0, 20.0), (30.0, 20.0)]);
    }

    #[test]
    fn the_cells_of_one_level_count_by_their_median() {
        let cell = |level: u32, nopm: u32| json!({"level": level, "metrics": {"nopm": {"value": nopm}}});
        let cells = [cell(1, 10), cell(4, 1), cell(1, 30), cell(4, 2), cell(1, 11)];
        assert_eq!(median_at(&cells, 1.0, "/metrics/nopm/value").unwrap(), 11.0);
        assert!(median_at(&cells, 8.0, "/metrics/nopm/value").unwrap_err().to_string().contains("at 8"));
        assert!(median_at(&cells, 1.0, "/metrics/tpm/value").is_err());
    }

    #[test]
    fn folders_are_needed_and_named_when_they_are_missing() {
        assert!(run(&[]).unwrap_err().to_string().contains("usage: bench builds"));
        let gone = ["/nowhere/after".to_owned(), "/nowhere/before".to_owned()];
        assert!(run(&gone).unwrap_err().to_string().contains("/nowhere/after"));
        let only = [&gone[..], &["--only".to_owned(), "tape".to_owned()]].concat();
        assert!(run(&only).unwrap_err().to_string().contains("no load is called `tape`"));
    }
}
