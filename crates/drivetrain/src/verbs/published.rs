//! `drivetrain published`: every published measurement of a procedure beside the simulated one.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use study::beside::{FAR, Row, consistent, spread, table};
use study::{Care, Values, procedures};

use crate::console::Console;
use crate::exit::{Coded, Exit};

/// Arguments of `published`.
#[derive(Debug, Args)]
pub(crate) struct PublishedArgs {
    /// Only procedures whose name begins like this, for example K-5 or SR-4c
    procedure: Option<String>,

    /// Use the starting values from datasheets and derivations alone, without a fit
    #[arg(long)]
    uncalibrated: bool,

    /// Use the values of a calibration file instead of the shipped ones
    #[arg(long, value_name = "FILE")]
    values: Option<PathBuf>,

    /// Seed of the simulations
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Simulates and prints the table.
pub(crate) fn published(args: &PublishedArgs, console: &Console) -> anyhow::Result<Exit> {
    let values = values(args.uncalibrated, args.values.as_deref(), console)?;
    let wanted = args.procedure.clone().unwrap_or_default();
    let rows = table(&values, Care::Full, args.seed, |name| name.starts_with(&wanted))?;
    if rows.is_empty() {
        let known: Vec<String> = procedures(&values).into_iter().map(|procedure| procedure.name).collect();
        return Err(Coded::usage(format!(
            "no published measurement of a procedure that begins with `{wanted}`; the procedures are {}",
            known.join(", ")
        )));
    }
    if console.json() {
        console.document(&document(&rows, args.uncalibrated));
    } else {
        console.answer(&text(&rows, args.uncalibrated));
    }
    Ok(Exit::Done)
}

/// The parameter values that were asked for: shipped, starting, or those of a file.
pub(crate) fn values(uncalibrated: bool, file: Option<&Path>, console: &Console) -> anyhow::Result<Values> {
    let Some(path) = file else {
        return Ok(if uncalibrated { Values::uncalibrated() } else { Values::calibrated() });
    };
    let text = crate::input::text(path)?;
    Values::uncalibrated()
        .with_file(&text, &path.display().to_string())
        .map_err(|faults| Coded::faulty(faults.render(console.color())))
}

/// Rows as text, one line each, with the cause of large errors.
pub(crate) fn lines(rows: &[Row]) -> String {
    let wide = |of: fn(&Row) -> usize| rows.iter().map(of).max().unwrap_or(0);
    let (name, metric) = (wide(|row| row.procedure.len()), wide(|row| row.number.metric.len()));
    let mut text = format!(
        "{:5}  {:name$}  {:metric$}  {:>11}  {:>11}  {:>9}  unit\n",
        "id", "procedure", "metric", "published", "simulated", "error"
    );
    for row in rows {
        let remark = row.remark().map(|why| format!("  ({why})")).unwrap_or_default();
        text.push_str(&format!(
            "{:5}  {:name$}  {:metric$}  {:>11}  {:>11}  {:>+7.1} %  {}{remark}\n",
            row.number.id,
            row.procedure,
            row.number.metric,
            row.number.value,
            short(row.simulated),
            row.error() * 100.0,
            row.number.unit
        ));
    }
    text
}

fn text(rows: &[Row], uncalibrated: bool) -> String {
    let kind = if uncalibrated {
        "starting values, nothing fitted"
    } else {
        "calibrated: fitted numbers are no predictions"
    };
    let (measured, ratios): (Vec<Row>, Vec<Row>) = rows.iter().cloned().partition(|row| !row.is_ratio);
    let mut text = format!(
        "published measurements and simulation ({kind})\n\n{}\n{}",
        lines(&measured),
        summary(&measured)
    );
    if !ratios.is_empty() {
        text.push_str(&format!("\nratios printed in the place of a measurement\n\n{}", lines(&ratios)));
    }
    text
}

/// The errors of the simulated measurements, with and without those that contradict others of their run,
/// which no model can meet.
fn summary(measured: &[Row]) -> String {
    let consistent = consistent(measured);
    let line = |what: &str, rows: &[Row]| {
        let (median, nine_in_ten) = spread(rows);
        let far = rows.iter().filter(|row| row.is_far()).count();
        format!(
            "{} {what}: median error {:.1} %, nine in ten within {:.1} %; {far} off by more than {:.0} %\n",
            rows.len(),
            median * 100.0,
            nine_in_ten * 100.0,
            FAR * 100.0
        )
    };
    let all = line("numbers", measured);
    match consistent.len() == measured.len() || consistent.is_empty() {
        true => all,
        false => all + &line("consistent with the other numbers of their run", &consistent),
    }
}

fn document(rows: &[Row], uncalibrated: bool) -> serde_json::Value {
    let (median, nine_in_ten) = spread(rows);
    let (consistent_median, consistent_nine_in_ten) = spread(&consistent(rows));
    let documents = |is_ratio: bool| -> Vec<serde_json::Value> {
        rows.iter().filter(|row| row.is_ratio == is_ratio).map(row_document).collect()
    };
    json!({
        "calibrated": !uncalibrated,
        "median_error": median,
        "nine_in_ten_within": nine_in_ten,
        "without_contradicted": { "median_error": consistent_median, "nine_in_ten_within": consistent_nine_in_ten },
        "numbers": documents(false),
        "ratios": documents(true),
    })
}

/// One row as JSON.
pub(crate) fn row_document(row: &Row) -> serde_json::Value {
    json!({
        "id": row.number.id, "study": row.number.study, "procedure": row.procedure, "metric": row.number.metric,
        "unit": row.number.unit, "published": row.number.value, "simulated": row.simulated,
        "relative_error": row.error(), "contradiction": row.contradiction, "remark": row.remark(),
    })
}

/// Four digits.
pub(crate) fn short(value: f64) -> String {
    let digits = (3.0 - value.abs().max(1e-9).log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{value:.digits$}")
}
