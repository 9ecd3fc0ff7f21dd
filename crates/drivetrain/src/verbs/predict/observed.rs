//! The figures of a load that was observed, on another drive.

use device::catalogue::Entry;
use notebook::RunId;
use serde_json::json;
use study::{Figure, Observation};
use words::say;

use super::PredictArgs;
use super::cautions::{Cautions, OF_DATABASES};
use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::verbs::drives;

/// Bytes that others read, as a share of those of the load, from which on they are told; and the bytes of a
/// transaction that count at least.
const FOREIGN_SHARE: f64 = 0.1;
const FOREIGN_LEAST_BYTES: f64 = 4096.0;

/// Predicts and prints.
pub(super) fn predict(
    observation: &Observation,
    args: &PredictArgs,
    run: RunId,
    console: &Console,
) -> anyhow::Result<Exit> {
    if let Some(option) = args.of_beds_alone() {
        return Err(Coded::usage(format!("{option}: run {run} was observed on a server and has no beds")));
    }
    let Some(to) = &args.drive else {
        return Err(Coded::usage(format!(
            "run {run} was observed: say with --to which drive to predict for (`drivetrain drives` lists them; a profile of your own is a .toml file)"
        )));
    };
    let Some(from) = args.measured_on.as_ref().or(observation.drive.as_ref()) else {
        return Err(Coded::usage(format!(
            "run {run} does not say which drive it was observed on: name it with --from (a name of the catalogue, or the .toml file of `drivetrain profile`), \
             or give --drive to `observe`"
        )));
    };
    let mut cautions = Cautions::new(console);
    let mut find = |given: &str| {
        let entry = drives::find(given)?;
        cautions.of_error(given, &entry);
        anyhow::Ok(entry)
    };
    let (from, to) = (find(from)?, find(to)?);
    warn_of_gaps(observation, run, [&from, &to], &mut cautions);
    let found = observation.on(&from, &to, args.seed)?;
    let rows = [
        ("tps", say!("predict-tps"), Some(observation.per_s), found.per_s),
        (
            "latency_mean_ms",
            say!("predict-latency-mean"),
            observation.knows_latency.then(|| observation.latency_ns() / 1e6),
            in_ms(found.latency_mean_ns),
        ),
    ];
    if console.json() {
        let mut document = json!({
            "run": run.0, "server": observation.server, "from": from.name, "drive": to.name,
            "clients": observation.clients, "unexplained_ms": found.unexplained_ns / 1e6,
            "cautions": cautions.told(),
        });
        for (name, _, observed, figure) in rows {
            document[name] = json!({ "observed": observed, "value": figure.value, "low": figure.low, "high": figure.high });
        }
        console.document(&document);
        return Ok(Exit::Done);
    }
    let clients = words::decimals(observation.clients, 1);
    let (server, from, to) = (&observation.server, &from.title, &to.title);
    let mut text = say!("predict-observed", server, clients, from, to) + "\n\n";
    for (_, title, observed, figure) in rows {
        let line = say!(
            "predict-observed-line",
            title,
            observed = observed.map_or_else(|| "?".to_owned(), shown),
            value = shown(figure.value),
            low = shown(figure.low),
            high = shown(figure.high)
        );
        text.push_str(&format!("  {line}\n"));
    }
    console.answer(&text);
    Ok(Exit::Done)
}

/// Names what the prediction does not know: a load that was hardly seen, processors that others take, and
/// numbers of a drive that no measurement says.
fn warn_of_gaps(observation: &Observation, run: RunId, drives: [&Entry; 2], cautions: &mut Cautions<'_>) {
    if observation.observed_s < study::OBSERVED_LEAST_S {
        cautions.add(format!(
            "run {run} observed {:.0} s, with one reading of the clients in each: the intervals do not hold how little that says; observe for a minute at least",
            observation.observed_s
        ));
    }
    if observation.went_away {
        cautions.add(format!(
            "the server did not answer at the end of run {run}: a load before a failure may be another than usual"
        ));
    }
    if !observation.knows_latency {
        cautions.add(format!(
            "hardly any sample of run {run} met a client in a transaction: the latency and the pauses of the clients are hardly known; observe for longer"
        ));
    }
    let own_bytes = observation.reads * observation.read_bytes;
    if observation.foreign_bytes > FOREIGN_SHARE * own_bytes.max(FOREIGN_LEAST_BYTES) {
        cautions.add(format!(
            "the drive of run {run} read {:.0} kB for each transaction that the server's buffer pool did not ask for: for other programs, or for temporary files, the log or a backup of the server; a prediction leaves them out, but the drive was slower by them",
            observation.foreign_bytes / 1e3
        ));
    }
    let others = observation.others_share.map(|share| share * 1e2);
    if let Some(percent) = others.filter(|percent| *percent > report::OTHERS_MOST_PERCENT) {
        cautions.add(format!(
            "programs beside this load took {percent:.0} % of the processors while run {run} observed it, which a prediction takes for free: where they go on, it is too high",
        ));
    }
    let [read, ack, flush] = OF_DATABASES;
    let (reads, writes) = (observation.reads > 0.0, observation.writing_share > 0.0);
    let depends = [(read, reads), (ack, writes), (flush, writes)];
    let depends: Vec<&str> = depends.iter().filter(|(_, does)| *does).map(|(key, _)| *key).collect();
    drives.iter().for_each(|entry| cautions.of_gaps(entry, &depends));
}

fn in_ms(figure: Figure) -> Figure {
    Figure { value: figure.value / 1e6, low: figure.low / 1e6, high: figure.high / 1e6 }
}

/// Whole numbers from a hundred on, three decimals below ten.
fn shown(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.3}"),
    }
}
