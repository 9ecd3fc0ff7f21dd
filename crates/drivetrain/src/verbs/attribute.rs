//! `drivetrain attribute`: what part of a published gain is the drive, the processor, the network and the
//! rest.

use std::path::Path;

use clap::Args;
use serde_json::json;
use simulate::{Attribution, Factor, Values};

use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::notebooks;

/// Arguments of `attribute`.
#[derive(Debug, Args)]
pub(crate) struct AttributeArgs {
    /// A published test by its experiment, for example kingston-dc1500m/test-2
    test: String,

    /// The bed whose gain is split (default: every bed but the baseline)
    #[arg(long)]
    bed: Option<String>,

    /// The bed it is compared with (default: the experiment's baseline)
    #[arg(long)]
    over: Option<String>,

    /// Keep the answer with a run of this test (the latest, or the one with this number): its report then
    /// shows it beside the ratio here
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "0")]
    keep: Option<i64>,

    /// Seed of the simulations
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Splits and prints.
pub(crate) fn attribute(args: &AttributeArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let Some(named) = experiment::find_named(&args.test) else {
        let hint = experiment::suggest_named(&args.test)
            .map(|n| format!("; did you mean `{n}`?"))
            .unwrap_or_default();
        return Err(Coded::usage(format!("no built-in experiment `{}`{hint}", args.test)));
    };
    let experiment =
        experiment::parse(named.text, named.name).map_err(|d| Coded::usage(d.render(console.color())))?;
    let published = experiment.published.clone().unwrap_or_default();
    let over = match &args.over {
        Some(name) => name.clone(),
        None => experiment.baseline().map(|bed| bed.name.clone()).unwrap_or_default(),
    };
    let test_of = |bed: &str| {
        experiment::published::test_of(&published, bed).ok_or_else(|| {
            Coded::usage(format!("`{}` has no published test of a bed `{bed}` that is simulated", args.test))
        })
    };
    let baseline = test_of(&over)?;
    let (best, alternatives) = (Values::calibrated(), Values::alternatives());
    let (mut found, mut bed_of) = (Vec::new(), Vec::new());
    for bed in experiment.bed.iter().filter(|bed| bed.name != over) {
        if args.bed.as_ref().is_some_and(|wanted| *wanted != bed.name) {
            continue;
        }
        let test = test_of(&bed.name)?;
        console.note(&format!("{} over {over}: {} parameter sets", bed.name, alternatives.len() + 1));
        match simulate::attribute(test, baseline, &best, &alternatives, args.seed)? {
            Some(split) => {
                bed_of.push(bed.name.clone());
                found.push(split);
            }
            None => return Err(Coded::usage(format!("`{}` is no order entry that is simulated", args.test))),
        }
    }
    if found.is_empty() {
        return Err(Coded::usage(format!(
            "`{}` has no such bed; see `drivetrain init {}`",
            args.test, args.test
        )));
    }
    if let Some(run) = args.keep {
        keep(path, run, &found, &bed_of)?;
    }
    if console.json() {
        console.document(&found.iter().map(document).collect::<Vec<_>>().into());
    } else {
        console.answer(&found.iter().map(text).collect::<Vec<_>>().join("\n"));
    }
    Ok(Exit::Done)
}

/// Keeps the drive's part with a run, for its report.
fn keep(path: &Path, run: i64, found: &[Attribution], beds: &[String]) -> anyhow::Result<()> {
    let notebook = notebooks::open(path)?;
    let run = notebooks::chosen(&notebook, (run > 0).then_some(run))?;
    for (split, bed) in found.iter().zip(beds) {
        let Some(drive) = split.shares.iter().find(|share| share.factor == Factor::Drive) else { continue };
        let facts = [
            ("drive", drive.ratio),
            ("drive_low", drive.range.0),
            ("drive_high", drive.range.1),
            ("gain", split.gain),
        ];
        let facts = facts.map(|(key, value)| (key.to_owned(), format!("{value:.4}"))).into_iter().collect();
        notebook.add_fact_set(run, &format!("attribution:{bed}"), &facts)?;
    }
    Ok(())
}

/// The published gain in new orders between two tests, where both are printed.
fn published_gain(of: &str, over: &str) -> Option<f64> {
    let nopm = |test: &str| {
        experiment::published::all().find(|n| n.test == test && n.metric.ends_with("NOPM")).map(|n| n.value)
    };
    Some(nopm(of)? / nopm(over)?)
}

fn text(split: &Attribution) -> String {
    let (low, high) = split.gain_range;
    let published = published_gain(&split.of, &split.over)
        .map_or(String::new(), |gain| format!("published {gain:.2}x, "));
    let mut text = format!(
        "{} over {}: {published}simulated {:.2}x ({low:.2}x to {high:.2}x over {} parameter sets that fit)\n\n",
        split.of, split.over, split.gain, split.sets
    );
    let wide = split.shares.iter().map(|share| share.factor.name().len()).max().unwrap_or(0);
    text.push_str(&format!(
        "{:wide$}  {:>6}  {:>16}  {:>14}  {:>16}\n",
        "factor", "ratio", "range", "swapped first", "swapped last"
    ));
    for share in &split.shares {
        let remark = if share.is_told() { "" } else { "  the data cannot tell" };
        text.push_str(&format!(
            "{:wide$}  {:>5.2}x  {:>7.2}x-{:.2}x  {:>13.2}x  {:>15.2}x{remark}\n",
            share.factor.name(),
            share.ratio,
            share.range.0,
            share.range.1,
            share.first_and_last.0,
            share.first_and_last.1
        ));
    }
    text.push_str("\nThe ratios multiply to the simulated gain. A factor swapped first moves alone to the slower bed; swapped last, all others moved before it.\n");
    text
}

fn document(split: &Attribution) -> serde_json::Value {
    let share = |s: &simulate::Share| {
        json!({ "factor": s.factor.name(), "ratio": s.ratio, "low": s.range.0, "high": s.range.1,
            "swapped_first": s.first_and_last.0, "swapped_last": s.first_and_last.1, "told_by_the_data": s.is_told() })
    };
    json!({
        "of": split.of, "over": split.over, "published": published_gain(&split.of, &split.over),
        "simulated": split.gain, "low": split.gain_range.0, "high": split.gain_range.1, "sets": split.sets,
        "factors": split.shares.iter().map(share).collect::<Vec<_>>(),
    })
}
