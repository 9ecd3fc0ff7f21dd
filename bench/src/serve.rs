//! The cost of the page for the run: order entry without it, with a browser that follows it, and with one
//! that never reads; then the cost of a notebook of many runs for the page.

mod client;
mod many;

use std::path::Path;
use std::time::Duration;

use ::serve::{Feed, Server, Site};
use anyhow::{Context as _, ensure};
use lab::{Interrupt, Request, Silent, World};
use notebook::{CellState, Notebook};
use words::Metric;

use crate::machine;
use crate::options::Options;
use crate::pairs::{Goal, Row, interleave, median, table};
use client::Client;

/// The allowed cost of a page, and the noise that a pair may have beside it.
const COST_AT_MOST: f64 = 1.02;
const RATE_AT_LEAST: f64 = 0.98;

/// The reader of a run's page.
#[derive(Clone, Copy, Debug)]
enum Reader {
    /// There is no page.
    None,
    /// A browser that shows every second.
    Reading,
    /// A browser that asked for the events and never reads one.
    Stuck,
}

/// The allowed processor time of the server's threads, as a share of that of the run.
const SHARE_AT_MOST: f64 = 0.02;
/// The names of the server's threads begin with these: the one that answers, and those that read notebooks.
const SERVER_THREADS: [&str; 2] = ["web", "tokio-"];

/// The figures of one run: its rate, the processor time of one transaction or I/O, and the processor time of
/// the server's threads as a share of that of the run.
#[derive(Clone, Copy, Debug)]
struct Figures {
    rate: f64,
    cost: f64,
    server_share: f64,
}

/// The load of a run, and the figures that tell what it did.
struct Load {
    text: String,
    rate: (Metric, &'static str),
    cost: (Metric, &'static str),
}

/// Runs the bench.
pub(crate) fn run(options: &Options) -> anyhow::Result<String> {
    let mut text = format!("# The page of a run\n\n{}\n\n", machine::describe());
    let load = Load::of(options);
    let readers = [
        ("a page that is read", "with a page that is read, and without a page", Reader::Reading),
        ("a page that is never read", "with a page that is never read, and without a page", Reader::Stuck),
    ];
    for (name, title, reader) in readers {
        let pairs = interleave(
            name,
            options,
            || once(options, &load, reader),
            || once(options, &load, Reader::None),
        )?;
        let row = |what: &str, of: fn(&Figures) -> f64, digits, goal| Row {
            what: what.to_owned(),
            pairs: pairs.runs.iter().map(|(ours, peer)| (of(ours), of(peer))).collect(),
            digits,
            goal: Some(goal),
        };
        let rows = [
            row(load.rate.1, |run| run.rate, 0, Goal::RatioAtLeast(RATE_AT_LEAST)),
            row(load.cost.1, |run| run.cost, 1, Goal::RatioAtMost(COST_AT_MOST)),
        ];
        let shares: Vec<f64> = pairs.runs.iter().map(|(ours, _)| ours.server_share).collect();
        text += &format!(
            "{}\n{}\n{}\n",
            table(title, "without", &rows),
            server_share(&shares),
            pairs.circumstances()
        );
    }
    text += &many::run(options)?;
    if options.smoke {
        text += "These are figures of a smoke test: they mean nothing.\n";
    }
    Ok(text)
}

impl Load {
    /// Order entry on SQLite over a drive without times: nothing but processors bounds it, so that it is
    /// where a page would be felt most. A smoke test has block I/O, which needs no data to be loaded.
    fn of(options: &Options) -> Load {
        let measure_ms = (1e3 * options.seconds).round().max(1000.0) as u64;
        let ramp_up_ms = measure_ms / 5;
        let times = format!("ramp_up = \"{ramp_up_ms}ms\"\nmeasure = \"{measure_ms}ms\"\n");
        let (workload, rate, cost) = match options.smoke {
            true => (
                format!(
                    "[[workload]]\nkind = \"block\"\nsize = \"16MiB\"\ndepth = [1]\n{times}\
                     [[workload.stream]]\nread = \"100%\"\nblock_size = \"4KiB\"\n"
                ),
                (Metric::Iops, "IOPS"),
                (Metric::CpuPerIo, "CPU per I/O (ns)"),
            ),
            false => (
                format!(
                    "[database]\nengine = \"sqlite\"\nmemory = \"256MiB\"\nsynchronous = \"off\"\n\n\
                     [[workload]]\nkind = \"tpcc\"\nwarehouses = 1\nvirtual_users = [2]\n{times}"
                ),
                (Metric::Nopm, "NOPM"),
                (Metric::OwnCpuPerTransaction, "CPU per transaction (us)"),
            ),
        };
        let text = format!(
            "schema = 1\ntitle = \"The page of a run\"\n\n[[bed]]\nname = \"here\"\n\
             storage = {{ emulated = \"free\", path = \".\" }}\n\n{workload}\n[design]\nrepeats = 1\n"
        );
        Load { text, rate, cost }
    }
}

/// The share of the server in one sentence. Two runs differ by more than the server takes, so its threads are
/// counted by themselves.
fn server_share(shares: &[f64]) -> String {
    let most = shares.iter().copied().fold(0.0, f64::max);
    format!(
        "The server's threads took {:.2} % of the processor time of the run (median; at most {:.2} %; goal {} %): {}.\n",
        1e2 * median(shares),
        1e2 * most,
        1e2 * SHARE_AT_MOST,
        if median(shares) <= SHARE_AT_MOST { "kept" } else { "MISSED" }
    )
}

/// One run with this reader.
fn once(options: &Options, load: &Load, reader: Reader) -> anyhow::Result<Figures> {
    let home = tempfile::Builder::new().prefix("drivetrain-bench-").tempdir_in(&options.dir)?;
    let path = home.path().join("bench.db");
    let mut notebook = Notebook::open_or_create(&path)?;
    let listen = "127.0.0.1:0".parse()?;
    let server = match reader {
        Reader::None => None,
        _ => Some(Server::start(&Site { notebook: path.clone(), listen })?),
    };
    let client = match (&server, reader) {
        (Some(server), Reader::Reading) => Some(Client::reading(server.address())?),
        (Some(server), Reader::Stuck) => Some(Client::stuck(server.address())?),
        _ => None,
    };
    let before_s = [machine::own_s(), machine::threads_s(&[client::THREAD])];
    let (rate, cost) = measured(load, home.path(), &mut notebook, &path)?;
    // The server began with this run.
    let server_s = machine::threads_s(&SERVER_THREADS);
    let browser_s = machine::threads_s(&[client::THREAD]) - before_s[1];
    let run_s = machine::own_s() - before_s[0] - server_s - browser_s;
    let figures = Figures { rate, cost, server_share: server_s / run_s };
    drop(notebook);
    let seen = client.map(Client::end).transpose()?;
    if let (Reader::Reading, Some(seen)) = (reader, seen) {
        // A smoke test may end before its first second.
        ensure!(seen > 0 || options.smoke, "the browser saw no second of the run");
    }
    Ok(figures)
}

/// The run itself, which tells its feed what happens, whether or not somebody reads it: its rate, and the
/// processor time of one transaction or I/O.
fn measured(load: &Load, home: &Path, notebook: &mut Notebook, path: &Path) -> anyhow::Result<(f64, f64)> {
    let text = load.text.replace("path = \".\"", &format!("path = \"{}\"", home.display()));
    let request = request(text)?;
    let interrupt = Interrupt::new();
    let feed = Feed::new(path, &Silent, &interrupt);
    let finished = lab::run(&request, notebook, &interrupt, &feed)?;
    drop(feed);
    let cell = notebook.cells(finished.run)?.into_iter().next().context("the run has no cell")?;
    ensure!(cell.state == CellState::Done, "the cell does not count: {}", cell.reasons);
    let value = |metric: Metric| {
        let value = notebook.measurement(cell.id, &metric.name())?;
        value.with_context(|| format!("the cell has no {metric}"))
    };
    Ok((value(load.rate.0)?, value(load.cost.0)?))
}

/// The run of an experiment of this text.
fn request(text: String) -> anyhow::Result<Request> {
    Ok(Request {
        experiment: experiment::parse(&text, "bench").map_err(|faults| anyhow::anyhow!("{faults}"))?,
        experiment_toml: text,
        name: "bench".to_owned(),
        scale: 1.0,
        scale_statement: Default::default(),
        seed: 1,
        work_dir: format!("drivetrain-bench-{}", std::process::id()),
        directory: None,
        tool_version: "bench".to_owned(),
        world: World::default(),
    })
}

/// As text: `0.231 s`.
fn seconds(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smoke_run_compares_both_readers_and_times_the_pages() {
        let home = tempfile::tempdir().unwrap();
        let text = run(&Options::for_test(0.3, home.path())).unwrap();
        assert_eq!(text.matches("| IOPS |").count(), 2, "{text}");
        assert_eq!(text.matches("The server's threads took ").count(), 2, "{text}");
        assert!(text.contains("index of the notebook") && text.contains("report of one run"), "{text}");
    }
}
