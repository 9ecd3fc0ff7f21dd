//! A drive from a latency map.

use std::path::Path;

use device::catalogue::Accuracy;
use serde_json::json;
use study::profile::{Described, Fitted, Judgement};
use words::shell;

use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::outputs;
use crate::progress::Counting;
use crate::verbs::drives;
use crate::{input, signals};

use super::ProfileArgs;
use super::described::{Unsaid, described};
use super::numbers::{self, errors_document, percent};

/// Fits, judges, writes.
pub(super) fn profile(
    args: &ProfileArgs,
    from: &Path,
    notebook: &Path,
    console: &Console,
) -> anyhow::Result<Exit> {
    let mut outputs = outputs::beside_notebook(notebook, args.force, console);
    outputs.keep(from, "an input");
    let output = args.output.as_ref().map(|path| outputs.plan(path, outputs::DRIVE)).transpose();
    let output = output.map_err(outputs::coded)?;
    let file = from.display().to_string();
    let text = input::text(from)?;
    let map =
        study::profile::parse_map(&text, &file).map_err(|faults| Coded::faulty(faults.render(false)))?;
    let described = described(args, unsaid(from))?;
    signals::listen(*console, signals::OF_OTHERS)?;
    let mut counting = Counting::begin(console, signals::flag(), "judging the fit");
    let judgement = study::profile::judge(&map, &mut |done, all| counting.goes_on(done, all))
        .ok_or_else(|| Coded::interrupted("stopped before the fit was judged"))?;
    drop(counting);
    let fitted = study::profile::fit_map(&map);
    let drive = study::profile::write(&described, &map, &fitted, &judgement);
    // An entry that every verb refuses must not be written.
    let entry = device::catalogue::parse(&drive, &described.name).map_err(|faults| {
        Coded::faulty(format!("error: the map makes no drive\n{}", faults.render(false)))
    })?;
    // The file has no value for a point that was not measured, as for one that the drive did not sustain.
    if let (absent @ 1.., points) = map.absent()
        && drives::holds_together(&entry, from).is_err()
    {
        return Err(Coded::usage(format!(
            "{file}: {absent} of {points} points have no line, too many for a drive's file; write a line for each, both percentiles empty where the drive did not sustain the load"
        )));
    }
    let written = output.map(|output| {
        let path = output.path().display().to_string();
        output.write(drive.as_bytes()).map_err(outputs::coded).map(|()| path)
    });
    let written = written.transpose()?;
    if console.json() {
        console.document(&document(&described, &fitted, &judgement, written.as_deref()));
    } else {
        console.answer(&answer(&fitted, &judgement, written.as_deref(), from));
    }
    Ok(Exit::Done)
}

/// Defaults from the map's file.
fn unsaid(from: &Path) -> Unsaid {
    let text = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    Unsaid {
        name: text(from.file_stem()),
        title: None,
        maker: None,
        interface: None,
        capacity: None,
        from: text(from.file_name()),
    }
}

/// The bars of a good map: median error of p50 and p95, and what nine in ten points keep.
const BARS: (f64, f64, f64) = (0.10, 0.20, Accuracy::GOOD_PERCENT / 1e2);

/// The error first, then the numbers.
fn answer(fitted: &Fitted, judgement: &Judgement, written: Option<&str>, from: &Path) -> String {
    let Judgement { p50, p95, p50_lean, points } = judgement;
    let mut text = format!(
        "error at {} points that the fit did not see (every other point hidden, then the others)\n  p50   {}\n  p95   {}\n",
        points.len(),
        percent(p50),
        percent(p95)
    );
    let missed = [
        (p50.median > BARS.0, "the median error of p50 is above 10 %"),
        (p95.median > BARS.1, "the median error of p95 is above 20 %"),
        (p50.nine_in_ten > BARS.2, "more than one p50 in ten is off by over 35 %"),
        (p95.nine_in_ten > BARS.2, "more than one p95 in ten is off by over 35 %"),
    ];
    for (_, words) in missed.iter().filter(|(is_missed, _)| *is_missed) {
        text.push_str(&format!(
            "  too inaccurate: {words}: points side by side differ that much, or the map is too coarse\n"
        ));
    }
    if p50_lean.abs() > BARS.0 {
        let side = if *p50_lean > 0.0 { "slow" } else { "fast" };
        text.push_str(&format!(
            "  the model leans to the {side} side by {:.0} % (median)\n",
            p50_lean.abs() * 1e2
        ));
    }
    text.push_str(&format!("\n{}", numbers::text(fitted)));
    text.push_str(&match written {
        Some(path) => {
            format!("\nwritten to {path}\nnext: drivetrain drives --map {}", shell::path(Path::new(path)))
        }
        None => format!("\nnext: drivetrain profile --from-map {} -o my-drive.toml", shell::path(from)),
    });
    text
}

fn document(
    described: &Described,
    fitted: &Fitted,
    judgement: &Judgement,
    written: Option<&str>,
) -> serde_json::Value {
    let [numbers, words] = numbers::document(fitted);
    json!({
        "name": described.name,
        "p50_error": errors_document(&judgement.p50),
        "p95_error": errors_document(&judgement.p95),
        "p50_lean": judgement.p50_lean,
        "numbers": numbers,
        "words": words,
        "written": written,
    })
}
