//! `drivetrain attribute`: the parts of a published gain that come from the drive, the processor, the network
//! and the rest.

use std::path::Path;

use clap::Args;
use serde_json::json;
use study::Attribution;

use crate::console::Console;
use crate::exit::Exit;
use crate::notebooks;

/// Arguments of `attribute`.
#[derive(Debug, Args)]
pub(crate) struct AttributeArgs {
    /// A published test by its experiment, for example kingston-dc1500m/test-2
    test: String,

    /// The bed whose gain is split (default: every bed but the baseline)
    #[arg(long)]
    bed: Option<String>,

    /// The bed to compare with (default: the experiment's baseline)
    #[arg(long)]
    over: Option<String>,

    /// Store the answer with a run of this test (the latest, or the one with this number); the run's report
    /// shows it beside the measured ratio
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "0")]
    keep: Option<i64>,

    /// Seed of the simulations
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Splits and prints.
pub(crate) fn attribute(args: &AttributeArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let beds = (args.bed.as_deref(), args.over.as_deref());
    let found = study::attribute_test(&args.test, beds, args.seed, &|bed, over, sets| {
        console.note(&format!("{bed} over {over}: {sets} parameter sets"));
    })?;
    if let Some(run) = args.keep {
        let notebook = notebooks::open(path)?;
        let run = notebooks::chosen(&notebook, (run > 0).then(|| run.to_string()).as_deref())?;
        found.iter().try_for_each(|attribution| attribution.keep(&notebook, run))?;
    }
    let splits = found.iter().map(|attribution| &attribution.split);
    if console.json() {
        console.document(&splits.map(document).collect::<Vec<_>>().into());
    } else {
        console.answer(&splits.map(text).collect::<Vec<_>>().join("\n"));
    }
    Ok(Exit::Done)
}

fn text(split: &Attribution) -> String {
    let (low, high) = split.gain_range;
    let published = split.published_gain().map_or(String::new(), |gain| format!("published {gain:.2}x, "));
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
    let share = |s: &study::Share| {
        json!({ "factor": s.factor.name(), "ratio": s.ratio, "low": s.range.0, "high": s.range.1,
            "swapped_first": s.first_and_last.0, "swapped_last": s.first_and_last.1, "told_by_the_data": s.is_told() })
    };
    json!({
        "of": split.of, "over": split.over, "published": split.published_gain(),
        "simulated": split.gain, "low": split.gain_range.0, "high": split.gain_range.1, "sets": split.sets,
        "factors": split.shares.iter().map(share).collect::<Vec<_>>(),
    })
}
