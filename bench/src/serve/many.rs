//! The pages of a notebook of many runs: how long the list and one report take.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use ::serve::{Server, Site};
use lab::{Interrupt, Silent};
use notebook::{Notebook, RunId};
use rusqlite::Connection;

use super::client::{get, host_of};
use super::{request, seconds};
use crate::options::Options;
use crate::pairs::median;

/// Runs in the notebook, and in that of a smoke test.
const RUNS: usize = 2000;
const RUNS_OF_SMOKE: usize = 20;
/// Each page is asked for so often; the first is the slowest, with nothing in any cache.
const ASKED: usize = 5;

/// A page and the longest that it may take.
struct Page {
    what: &'static str,
    path: &'static str,
    at_most: Duration,
}

const PAGES: [Page; 6] = [
    Page { what: "index of the notebook", path: "/", at_most: Duration::from_secs(1) },
    Page { what: "index, page 2", path: "/?before=1900", at_most: Duration::from_secs(1) },
    Page { what: "index, a text", path: "/?q=page", at_most: Duration::from_secs(1) },
    Page {
        what: "index, every limit",
        path: "/?q=page&kind=tpcc&realm=simulated&state=finished",
        at_most: Duration::from_secs(1),
    },
    Page { what: "report of one run", path: "/run/1", at_most: Duration::from_secs(2) },
    Page { what: "report of the last run", path: "/run/2000", at_most: Duration::from_secs(2) },
];

/// Times the pages of a notebook whose runs are copies of a simulated one: two beds, four levels, three
/// repeats.
pub(super) fn run(options: &Options) -> anyhow::Result<String> {
    let home = tempfile::Builder::new().prefix("drivetrain-bench-").tempdir_in(&options.dir)?;
    let path = home.path().join("many.db");
    let runs = if options.smoke { RUNS_OF_SMOKE } else { RUNS };
    let mut notebook = Notebook::open_or_create(&path)?;
    let first = simulated(&mut notebook, options.smoke)?;
    let cells = notebook.cells(first)?.len();
    drop(notebook);
    multiply(&path, runs)?;
    let size_mb = std::fs::metadata(&path)?.len() as f64 / 1e6;
    let server = Server::start(&Site { notebook: path, listen: "127.0.0.1:0".parse()? })?;
    let host = host_of(server.address());
    let mut text = format!(
        "A notebook of {runs} runs with {cells} cells each, {size_mb:.0} MB; each page {ASKED} times.\n\n\
         | page | kB | first | median | goal |\n|---|---:|---:|---:|---|\n"
    );
    for page in &PAGES {
        let address = page.path.replace("/run/2000", &format!("/run/{runs}"));
        let asked = (0..ASKED).map(|_| get(&host, &address)).collect::<anyhow::Result<Vec<_>>>()?;
        let times: Vec<f64> = asked.iter().map(|(_, time)| time.as_secs_f64()).collect();
        let (bytes, slowest) = asked[0];
        let kept = if slowest <= page.at_most { "kept" } else { "MISSED" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | first <= {} s: {kept} |",
            page.what,
            bytes / 1000,
            seconds(slowest),
            seconds(Duration::from_secs_f64(median(&times))),
            page.at_most.as_secs(),
        );
    }
    text.push('\n');
    Ok(text)
}

/// Two drives in virtual time: a run with every series and histogram, in a moment.
const EXPERIMENT: &str = r#"
schema = 1
title = "The page of many runs"
question = "How long does a page of many runs take?"

[[bed]]
name = "nvme"
storage = { emulated = "kingston-dc1500m-960g", path = "." }
[[bed]]
name = "sata"
storage = { emulated = "micron-5200-eco-1920g", path = "." }

[database]
engine = "sqlite"
memory = "16MiB"

[[workload]]
kind = "tpcc"
warehouses = 1
virtual_users = [1, 2, 4, 8]
ramp_up = "2s"
measure = "60s"

[design]
treatment = ["storage"]
repeats = 3
"#;

/// The run that the others are copies of.
fn simulated(notebook: &mut Notebook, smoke: bool) -> anyhow::Result<RunId> {
    let text = match smoke {
        true => EXPERIMENT.replace("[1, 2, 4, 8]", "[1]").replace("\"60s\"", "\"3s\""),
        false => EXPERIMENT.to_owned(),
    };
    let request = request(text)?;
    let beds = study::Values::calibrated();
    Ok(lab::simulate(&request, &beds, notebook, &Interrupt::new(), &Silent)?.run)
}

/// The tables of a run, each with its columns that name a row: its own or one of another table.
const TABLES: [(&str, &[(&str, &str)]); 12] = [
    ("run", &[("id", "run")]),
    ("bed", &[("id", "bed"), ("run", "run")]),
    ("bed_fact", &[("bed", "bed")]),
    ("cell", &[("id", "cell"), ("run", "run"), ("bed", "bed")]),
    ("attempt", &[("id", "attempt"), ("cell", "cell")]),
    ("phase", &[("attempt", "attempt")]),
    ("measurement", &[("attempt", "attempt")]),
    ("series", &[("id", "series"), ("attempt", "attempt")]),
    ("histogram", &[("id", "histogram"), ("attempt", "attempt")]),
    ("event", &[("attempt", "attempt")]),
    ("fact_set", &[("id", "fact_set"), ("run", "run")]),
    ("fact", &[("fact_set", "fact_set")]),
];

/// Copies the one run of a notebook, each time with another seed, in one transaction: to run it again, or to
/// record it cell by cell, would take an hour.
fn multiply(path: &Path, runs: usize) -> anyhow::Result<()> {
    let mut connection = Connection::open(path)?;
    let transaction = connection.transaction()?;
    let mut copies = Vec::new();
    for (table, names) in TABLES {
        transaction
            .execute_batch(&format!("CREATE TEMP TABLE \"of_{table}\" AS SELECT * FROM \"{table}\""))?;
        let columns: Vec<String> = transaction
            .prepare(&format!("SELECT name FROM pragma_table_info('{table}')"))?
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let mut values = Vec::new();
        for column in &columns {
            values.push(match names.iter().find(|(name, _)| name == column) {
                Some((_, of)) => {
                    let rows = format!("SELECT coalesce(max(id), 0) FROM \"{of}\"");
                    let step: i64 = transaction.query_row(&rows, [], |row| row.get(0))?;
                    format!("\"{column}\" + ?1 * {step}")
                }
                None if column == "seed" => "CAST(?1 + 1 AS TEXT)".to_owned(),
                None => format!("\"{column}\""),
            });
        }
        let columns = columns.iter().map(|column| format!("\"{column}\"")).collect::<Vec<_>>().join(", ");
        let values = values.join(", ");
        copies.push(format!("INSERT INTO \"{table}\" ({columns}) SELECT {values} FROM \"of_{table}\""));
    }
    for number in 1..runs as i64 {
        for copy in &copies {
            transaction.prepare_cached(copy)?.execute([number])?;
        }
    }
    Ok(transaction.commit()?)
}
