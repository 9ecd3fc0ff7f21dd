//! A drive from a latency map.

use std::path::Path;
use std::sync::atomic::Ordering;

use serde_json::json;
use study::profile::{Described, Errors, Fitted, Judgement};

use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::outputs;
use crate::{input, signals};

use super::ProfileArgs;

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
    let described = described(args, from)?;
    signals::listen(*console, signals::OF_OTHERS)?;
    let stop = signals::flag();
    let judgement = study::profile::judge(&map, &mut |_, _| !stop.load(Ordering::Relaxed))
        .ok_or_else(|| Coded::interrupted("stopped before the fit was judged"))?;
    let fitted = study::profile::fit_map(&map);
    let drive = study::profile::write(&described, &map, &fitted, &judgement);
    // What every verb refuses must not be written.
    device::catalogue::parse(&drive, &described.name)
        .map_err(|faults| Coded::faulty(format!("the map makes no drive\n{}", faults.render(false))))?;
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

fn described(args: &ProfileArgs, from: &Path) -> anyhow::Result<Described> {
    let stem = from.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let plain = |c: char| {
        if c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.' | '_') { c } else { '-' }
    };
    let name = args.name.clone().unwrap_or_else(|| stem.chars().map(plain).collect());
    if name.is_empty() || name.chars().any(|c| plain(c) != c) {
        return Err(Coded::usage(format!(
            "`{name}` cannot be a name: use small letters, digits, `-`, `.` and `_`"
        )));
    }
    let texts = [&args.title, &args.maker, &args.interface, &args.source];
    if texts.into_iter().flatten().any(|text| text.trim().is_empty() || text.contains(char::is_control)) {
        return Err(Coded::usage(
            "--title, --maker, --interface and --source are one line each, and not empty",
        ));
    }
    let or = |text: &Option<String>, default: &str| text.clone().unwrap_or_else(|| default.to_owned());
    let file = from.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Described {
        title: or(&args.title, &name),
        maker: or(&args.maker, "not stated"),
        interface: or(&args.interface, "not stated"),
        capacity: args.capacity.map(|size| (size.bytes(), "given to `drivetrain profile`".to_owned())),
        from: or(&args.source, &file),
        name,
    })
}

fn percent(errors: &Errors) -> String {
    format!("median {:>5.1} %   nine in ten within {:>5.1} %", errors.median * 1e2, errors.nine_in_ten * 1e2)
}

/// The bars of a good map: median error of p50 and p95, and what nine in ten points keep.
const BARS: (f64, f64, f64) = (0.10, 0.20, 0.35);

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
            "  MISSED: {words}: points side by side differ that much, or the map is too coarse\n"
        ));
    }
    if p50_lean.abs() > BARS.0 {
        let side = if *p50_lean > 0.0 { "slow" } else { "fast" };
        text.push_str(&format!(
            "  the model leans to the {side} side by {:.0} % (median)\n",
            p50_lean.abs() * 1e2
        ));
    }
    text.push('\n');
    for number in &fitted.numbers {
        if let Some((low, high)) = number.interval {
            text.push_str(&format!(
                "{:32} {:>12}   {} to {}\n",
                number.key,
                Rounded(number.value).to_string(),
                Rounded(low),
                Rounded(high)
            ));
        }
    }
    let open: Vec<&str> =
        fitted.numbers.iter().filter(|number| number.interval.is_none()).map(|number| number.key).collect();
    text.push_str(&format!("not identified: {}\n", open.join(", ")));
    text.push_str(&match written {
        Some(path) => format!("\nwritten to {path}\nnext: drivetrain drives --map {path}"),
        None => format!("\nnext: drivetrain profile --from-map {} -o my-drive.toml", from.display()),
    });
    text
}

/// A number as it is printed in a column.
struct Rounded(f64);

impl std::fmt::Display for Rounded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = if self.0.abs() >= 1e3 { 0 } else { 2 };
        f.pad(&format!("{:.digits$}", self.0))
    }
}

fn document(
    described: &Described,
    fitted: &Fitted,
    judgement: &Judgement,
    written: Option<&str>,
) -> serde_json::Value {
    let errors = |errors: &Errors| json!({ "median": errors.median, "nine_in_ten": errors.nine_in_ten, "points": errors.points });
    let number = |number: &study::profile::FittedNumber| {
        let value = number.value.is_finite().then_some(number.value);
        let (low, high) = number.interval.unzip();
        json!({ "key": number.key, "value": value, "low": low, "high": high, "identified": number.interval.is_some() })
    };
    json!({
        "name": described.name,
        "p50_error": errors(&judgement.p50),
        "p95_error": errors(&judgement.p95),
        "p50_lean": judgement.p50_lean,
        "numbers": fitted.numbers.iter().map(number).collect::<Vec<_>>(),
        "written": written,
    })
}
