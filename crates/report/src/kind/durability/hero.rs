//! The first figure of a durability test: every crash, what was acknowledged before it and lost by it.

use crate::durability::Crashes;
use crate::figure::rounds::{self, Panel, Round};
use crate::figure::{Caption, Figure};
use crate::loaded_run::Measured;
use crate::naming::BedName;
use crate::number;
use crate::source::Source;
use crate::titles::{id, titled};
use notebook::CellState;
use words::{Metric, say};

/// The shortest recovery, s, that is worth a plot: below it there is nothing to see.
const RECOVERY_MIN_S: f64 = 0.1;

/// Orders by crash, and the time of each recovery where any was long; `None` of fewer than two crashes.
pub(super) fn of(source: &Source<'_>, workload: &str) -> Option<Figure> {
    let mut panels = Vec::new();
    for bed in &source.comparison.beds {
        let rounds = rounds_of(source, workload, bed);
        if rounds.len() < 2 {
            continue;
        }
        let panel = |axis: &str, of: fn(&Measured) -> Option<Round>| Panel {
            bed: bed.mark.clone(),
            axis: axis.to_owned(),
            rounds: rounds.iter().filter_map(|measured| of(measured)).collect(),
        };
        panels.push(panel(say!("crash-axis-orders"), orders));
        let recoveries = panel(say!("crash-axis-recovery"), recovery);
        if recoveries.rounds.iter().any(|round| round.whole >= RECOVERY_MIN_S) {
            panels.push(recoveries);
        }
    }
    if panels.is_empty() {
        return None;
    }
    let title = title(source);
    let caption = Caption {
        id: id(source, workload, "crashes"),
        title: titled(source, workload, &title),
        reading: say!("crash-reading").to_owned(),
        description: title,
    };
    Some(rounds::figure(caption, &panels, source.comparison.crash_table()))
}

/// The rounds of a bed that were run to their end, by repeat.
fn rounds_of<'a>(source: &Source<'a>, workload: &str, bed: &BedName) -> Vec<&'a Measured> {
    let of_bed = |measured: &&Measured| {
        measured.cell.bed == bed.name && measured.values.get(Metric::OrdersAcknowledged).is_some()
    };
    let mut rounds: Vec<&Measured> = source.loaded.of(workload).filter(of_bed).collect();
    rounds.sort_by_key(|measured| measured.cell.repeat);
    rounds
}

fn orders(measured: &Measured) -> Option<Round> {
    let whole = measured.values.get(Metric::OrdersAcknowledged)?;
    let lost = measured.values.get(Metric::OrdersLost).unwrap_or(0.0).min(whole);
    Some(Round {
        whole,
        lost,
        failed: measured.cell.state != CellState::Done,
        hint: say!(
            "crash-hint",
            crash = (measured.cell.repeat + 1).to_string(),
            lost = number::level(lost),
            acknowledged = number::level(whole)
        ),
    })
}

fn recovery(measured: &Measured) -> Option<Round> {
    let whole = measured.values.get(Metric::RecoveryTime)?;
    let crash = (measured.cell.repeat + 1).to_string();
    let hint = say!("crash-hint-recovery", crash, seconds = number::plain(whole));
    Some(Round { whole, lost: 0.0, failed: false, hint })
}

/// The finding: what was lost, bed by bed.
fn title(source: &Source<'_>) -> String {
    let crashes = &source.comparison.crashes;
    let one = |of: &Crashes| {
        let rounds = of.rounds;
        let told = match of.passed == of.rounds {
            true => say!("crash-title-none", rounds),
            false => say!(
                "crash-title-lost",
                lost = number::count(of.lost),
                acknowledged = number::count(of.acknowledged),
                failed = of.rounds - of.passed,
                rounds
            ),
        };
        let bed =
            source.comparison.beds.iter().find(|bed| bed.name == of.bed).map(|bed| bed.mark.name.as_str());
        match bed {
            Some(bed) if crashes.len() > 1 => say!("crash-title-bed", bed, told),
            _ => told,
        }
    };
    words::parts(crashes.iter().map(one))
}
