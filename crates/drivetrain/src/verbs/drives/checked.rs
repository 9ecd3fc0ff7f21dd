//! `drivetrain drives --check`: whether a drive's file holds together.

use std::path::Path;

use device::catalogue::{self, Accuracy, Entry, Reliability};
use study::profile::{Judgement, LatencyMap};
use words::shell;

use super::{of_file, own, warn_of_error};
use crate::console::Console;
use crate::exit::{Coded, Exit};

/// A stated error may differ from the one found by this many percentage points and this share: the model
/// draws.
const POINTS: f64 = 0.5;
const SHARE: f64 = 0.1;

/// Checks a file and says what it holds.
pub(super) fn check(file: &Path, console: &Console) -> anyhow::Result<Exit> {
    let (entry, _) = of_file(file).map_err(|error| named(error, file))?;
    own::has_a_proper_name(&entry, file)?;
    holds_together(&entry, file)?;
    let is_inaccurate = warn_of_error(&file.display().to_string(), &entry, console).is_some();
    if entry.facts.iter().any(|fact| fact.key == "flush.cost" && !fact.is_identified) {
        console.warn(
            "no load determined its flush.cost, which every commit depends on: a whole profile of the drive measures flushes",
        );
    }
    let Reliability { numbers, guesses, open } = entry.reliability();
    if console.json() {
        console.document(&serde_json::json!({
            "name": entry.name, "numbers": numbers, "guesses": guesses, "not_identified": open,
            "has_map": entry.spec.read_map.is_some(), "limits": entry.spec.limits.len(),
        }));
        return Ok(Exit::Done);
    }
    let judged = match &entry.accuracy {
        Some(accuracy) if entry.spec.read_map.is_some() => format!(
            "its stated error was found again: p50 {} %, p95 {} % (medians)",
            accuracy.p50_percent.0, accuracy.p95_percent.0
        ),
        Some(accuracy) => {
            let rows = accuracy.rows().into_iter();
            let rows = rows.map(|(name, (median, nine))| format!("{name} {median} % ({nine} %)"));
            format!(
                "it states a median error (and one that nine in ten points keep) of {}; this cannot be checked from the file, which does not hold the loads: `drivetrain profile` of the drive measures it again",
                rows.collect::<Vec<_>>().join(", ")
            )
        }
        None => "it states no error of its model".to_owned(),
    };
    let marks = (entry.is_certificate_of_these(), entry.is_certificate_as_written());
    let certified = match (entry.certificate(), marks) {
        (None, _) => "",
        (Some(_), (Some(_), Some(_))) => "\nits certificate was measured with these numbers",
        (Some(_), (Some(_), None)) => {
            "\nits certificate was measured with these numbers; nothing tells whether its text was edited"
        }
        (Some(_), (None, _)) => {
            "\nits certificate has no mark: nothing tells whether it was measured with these numbers, or edited"
        }
    };
    // A file of the catalogue itself is checked as well.
    let next = match (own::is_taken(&entry.name), own::is_short_for(&entry.name)) {
        (true, _) => {
            "the catalogue has a drive of this name: `drivetrain drives --add` wants another one".to_owned()
        }
        (false, Some(meant)) => {
            format!("this name is short for {meant}: `drivetrain drives --add` wants another one")
        }
        (false, None) if is_inaccurate => format!(
            "next: measure the drive for longer (`drivetrain profile`); to add it as it is: drivetrain drives --add {}",
            shell::path(file)
        ),
        (false, None) => format!("next: drivetrain drives --add {}", shell::path(file)),
    };
    console.answer(&format!(
        "{} is valid: {}, {numbers} numbers, {guesses} guesses, {open} not identified\n{judged}{certified}\n{next}",
        file.display(),
        entry.name
    ));
    Ok(Exit::Done)
}

/// The error of a file that cannot be read, with the file that was meant where a drive's name was given.
fn named(error: anyhow::Error, given: &Path) -> anyhow::Error {
    let entry = given.to_str().filter(|_| !given.exists()).and_then(catalogue::find);
    match entry.and_then(|entry| own::place_of(&entry.name)).filter(|place| place.exists()) {
        Some(place) => Coded::usage(format!(
            "--check takes a file; that of the drive {} is {}",
            given.display(),
            place.display()
        )),
        None => error,
    }
}

/// Checks that a certificate is of the numbers of its file and was not edited, and finds the error again that
/// a file with a map states.
///
/// # Errors
/// Exit code 2 for an error of a map without the map, for one that its map does not give, and for a
/// certificate of other numbers or with another text. The loads of a drive that was fitted to loads are not
/// in its file.
pub(crate) fn holds_together(entry: &Entry, file: &Path) -> anyhow::Result<()> {
    let Some(accuracy) = &entry.accuracy else { return Ok(()) };
    if entry.is_certificate_of_these() == Some(false) {
        return Err(Coded::usage(format!(
            "{}: profile.certificate was measured with other numbers of this drive than the file has; measure it anew with `drivetrain profile --twin`, or leave certificate and certified_numbers out",
            file.display()
        )));
    }
    if entry.is_certificate_as_written() == Some(false) {
        return Err(Coded::usage(format!(
            "{}: the text of profile.certificate was edited after it was measured; put it back, measure it anew with `drivetrain profile --twin`, or leave certificate and certified_numbers out",
            file.display()
        )));
    }
    let Some(map) = &entry.spec.read_map else {
        if accuracy.mean_percent.is_some() {
            return Ok(());
        }
        return Err(Coded::usage(format!(
            "{}: [profile] states an error, and there is no [map] to find it again; leave [profile] out",
            file.display()
        )));
    };
    let judgement = study::profile::judge(&LatencyMap::of_drive(map), &mut |_, _| true);
    let differing = judgement.and_then(|judgement| differs(accuracy, &judgement));
    differing.map_or(Ok(()), |(key, stated, found)| {
        Err(Coded::usage(format!(
            "{}: profile.{key} is {stated}, and the map gives {found:.1}; write the file anew with `drivetrain profile --from-map`, or correct it",
            file.display()
        )))
    })
}

/// The first stated error that is another than the one found, in percent.
fn differs(accuracy: &Accuracy, judgement: &Judgement) -> Option<(&'static str, f64, f64)> {
    let rows = [
        ("p50_error_median_percent", accuracy.p50_percent.0, judgement.p50.median),
        ("p50_error_nine_in_ten_percent", accuracy.p50_percent.1, judgement.p50.nine_in_ten),
        ("p95_error_median_percent", accuracy.p95_percent.0, judgement.p95.median),
        ("p95_error_nine_in_ten_percent", accuracy.p95_percent.1, judgement.p95.nine_in_ten),
    ];
    let far = |stated: f64, found: f64| (stated - found).abs() > POINTS + SHARE * found;
    rows.into_iter().map(|(key, stated, found)| (key, stated, found * 1e2)).find(|row| far(row.1, row.2))
}
