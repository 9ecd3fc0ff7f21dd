//! `drivetrain calibrate`: fit the parameters of the simulated beds to printed numbers, in the open.

use std::path::{Path, PathBuf};

use clap::Args;
use disk::Output;
use serde_json::json;
use study::beside::spread;
use study::{Calibrated, Calibration, Choice, Known, LeftOut, Values};

use super::published::{lines, row_document, short, values};
use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::outputs::{self, ForceArgs};

/// Arguments of `calibrate`.
#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    /// Fit only procedures whose name begins like this, for example K-5 or SR-4c (may be repeated)
    #[arg(long = "fit", value_name = "PROCEDURE")]
    procedures: Vec<String>,

    /// Leave out procedures whose name begins like this, or one number by its id (may be repeated)
    #[arg(long, value_name = "WHICH")]
    without: Vec<String>,

    /// Leave out one Kingston test after the other, and print the error of the model for that test
    #[arg(long)]
    leave_one_out: bool,

    /// Parameters with bounds and starting values, in place of the shipped file
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,

    /// Start from the values of a calibration file, or from the shipped ones with --from shipped
    #[arg(long, value_name = "FILE")]
    from: Option<String>,

    /// Maximum number of steps
    #[arg(long, default_value_t = 12)]
    steps: u32,

    /// File for the calibration
    #[arg(long, value_name = "FILE", default_value = "calibrated.toml")]
    out: PathBuf,

    #[command(flatten)]
    force: ForceArgs,

    /// Seed of the simulations
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Parameter sets drawn to show what the data leaves open.
const ALTERNATIVES: usize = 8;

/// Fits, or fits without one test after the other.
pub(crate) fn calibrate(args: &CalibrateArgs, notebook: &Path, console: &Console) -> anyhow::Result<Exit> {
    let parameters = match &args.parameters {
        None => study::shipped_parameters().to_vec(),
        Some(path) => {
            let text = crate::input::text(path)?;
            study::parse_parameters(&text, &path.display().to_string())
                .map_err(|faults| Coded::faulty(faults.render(console.color())))?
        }
    };
    let calibration = Calibration { parameters, seed: args.seed, steps_max: args.steps };
    let start = start(args, console)?;
    let choice = Choice { procedures: args.procedures.clone(), without: args.without.clone() };
    let step = |step, sum| console.note(&format!("step {step}: sum of squares {sum:.0}"));
    if args.leave_one_out {
        let started = |test: &str| console.note(&format!("without {test}"));
        print_left_out(&study::leave_one_out(&calibration, &choice, &started, &step)?, console);
        return Ok(Exit::Done);
    }
    let mut outputs = outputs::beside_notebook(notebook, args.force, console);
    let inputs = [args.parameters.as_deref(), args.from.as_deref().map(Path::new)];
    inputs.into_iter().flatten().for_each(|input| outputs.keep(input, "an input"));
    // A fit takes minutes: whether its result can be kept is known before.
    let output = outputs.plan(&args.out, outputs::PARAMETERS).map_err(outputs::coded)?;
    let done = study::calibrate(&calibration, &choice, start.as_ref(), &step)?;
    keep(args, &done, output)?;
    if console.json() {
        console.document(&document(&done, args));
    } else {
        console.answer(&report(&done, args));
    }
    Ok(Exit::Done)
}

fn start(args: &CalibrateArgs, console: &Console) -> anyhow::Result<Option<Values>> {
    match args.from.as_deref() {
        None => Ok(None),
        Some("shipped") => Ok(Some(Values::calibrated())),
        Some(path) => values(false, Some(Path::new(path)), console).map(Some),
    }
}

/// Writes a calibration that converged.
fn keep(args: &CalibrateArgs, done: &Calibrated, output: Output) -> anyhow::Result<()> {
    if !done.converged {
        anyhow::bail!(
            "the calibration did not converge in {} steps: the sum of squares still fell from step to step; allow more with --steps, or narrow the bounds of {}",
            done.steps,
            args.parameters.as_ref().map_or("the parameters".to_owned(), |path| path.display().to_string())
        );
    }
    let text = done.to_toml(&command(args), &done.alternatives(ALTERNATIVES, args.seed));
    output.write(text.as_bytes()).map_err(outputs::coded)
}

/// The command that makes the same calibration again.
fn command(args: &CalibrateArgs) -> String {
    let mut command = "drivetrain calibrate".to_owned();
    for procedure in &args.procedures {
        command.push_str(&format!(" --fit {procedure}"));
    }
    for without in &args.without {
        command.push_str(&format!(" --without {without}"));
    }
    if let Some(path) = &args.parameters {
        command.push_str(&format!(" --parameters {}", path.display()));
    }
    if let Some(from) = &args.from {
        command.push_str(&format!(" --from {from}"));
    }
    format!("{command} --steps {} --seed {}", args.steps, args.seed)
}

fn report(done: &Calibrated, args: &CalibrateArgs) -> String {
    let (median, nine_in_ten) = spread(&done.rows);
    let wide = done.known.iter().map(|k| k.name.len()).max().unwrap_or(0);
    let mut text =
        format!("{:wide$}  {:>10}  {:>10}  {:>9}  \n", "parameter", "start", "fitted", "left open");
    for known in &done.known {
        text.push_str(&format!(
            "{:wide$}  {:>10}  {:>10}  {:>7.0} %  {}\n",
            known.name,
            short(known.start),
            short(known.value),
            known.left_open * 100.0,
            known.state()
        ));
    }
    text.push_str(&format!(
        "\n{}\n{} numbers fitted with {} parameters, of which {} are identified: median error {:.1} %, nine in ten within {:.1} %\nwritten to {}\n",
        lines(&done.rows),
        done.rows.len(),
        done.known.len(),
        done.known.iter().filter(|k| k.is_identified()).count(),
        median * 100.0,
        nine_in_ten * 100.0,
        args.out.display()
    ));
    text
}

fn document(done: &Calibrated, args: &CalibrateArgs) -> serde_json::Value {
    let (median, nine_in_ten) = spread(&done.rows);
    let known = |k: &Known| {
        json!({ "name": k.name, "start": k.start, "value": k.value, "left_open": k.left_open,
            "identified": k.is_identified(), "on_bound": k.on_bound })
    };
    json!({
        "parameters": done.known.iter().map(known).collect::<Vec<_>>(),
        "numbers": done.rows.iter().map(row_document).collect::<Vec<_>>(),
        "median_error": median, "nine_in_ten_within": nine_in_ten, "steps": done.steps,
        "misfit": done.misfit(), "written": args.out.display().to_string(),
    })
}

/// Prints how far off the model is for each test that it was not fitted to.
fn print_left_out(all: &[LeftOut], console: &Console) {
    let (mut text, mut documents) = (String::new(), Vec::new());
    for LeftOut { test, rows, converged } in all {
        let (median, nine_in_ten) = spread(rows);
        text.push_str(&format!(
            "{test}, predicted by a fit to the other tests: median error {:.1} %, nine in ten within {:.1} %\n{}\n",
            median * 100.0,
            nine_in_ten * 100.0,
            lines(rows)
        ));
        documents.push(json!({
            "left_out": test, "median_error": median, "nine_in_ten_within": nine_in_ten, "converged": converged,
            "numbers": rows.iter().map(row_document).collect::<Vec<_>>(),
        }));
    }
    if console.json() { console.document(&documents.into()) } else { console.answer(&text) }
}
