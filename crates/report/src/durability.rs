//! The durability test: rounds of crashes, the acknowledged orders before each and the present ones
//! afterwards. Nothing is compared; a bed keeps its promises or it does not.

use notebook::CellState;
use words::{Metric, say};

use crate::loaded_run::{LoadedRun, Measured};
use crate::number;
use crate::sentences::{self, Span};
use crate::table::{Entry, Table, Tone, columns};

/// The rounds of one bed.
#[derive(Clone, Debug, PartialEq)]
pub struct Crashes {
    /// Name of the bed.
    pub bed: String,
    /// Rounds that were run to their end.
    pub rounds: usize,
    /// Rounds after which everything acknowledged was there and consistent.
    pub passed: usize,
    /// Orders that were acknowledged before the crashes.
    pub acknowledged: u64,
    /// Of those, orders that were missing or incomplete afterwards.
    pub lost: u64,
    /// The longest recovery, s; `None` when the database never came back.
    pub longest_recovery_s: Option<f64>,
}

/// The rounds of every bed; empty when the run has no durability test.
pub(crate) fn of_all(loaded: &LoadedRun) -> Vec<Crashes> {
    let rounds: Vec<&Measured> = loaded
        .cells
        .iter()
        .filter(|measured| measured.values.get(Metric::OrdersAcknowledged).is_some())
        .collect();
    let beds = loaded.beds.iter().filter(|bed| rounds.iter().any(|measured| measured.cell.bed == bed.name));
    beds.map(|bed| of_bed(&bed.name, rounds.iter().filter(|m| m.cell.bed == bed.name).copied())).collect()
}

fn of_bed<'a>(bed: &str, rounds: impl Iterator<Item = &'a Measured>) -> Crashes {
    let empty = Crashes {
        bed: bed.to_owned(),
        rounds: 0,
        passed: 0,
        acknowledged: 0,
        lost: 0,
        longest_recovery_s: None,
    };
    rounds.fold(empty, |mut crashes, measured| {
        let count = |metric: Metric| measured.values.get(metric).map_or(0, |value| value as u64);
        crashes.rounds += 1;
        crashes.passed += usize::from(measured.cell.state == CellState::Done);
        crashes.acknowledged += count(Metric::OrdersAcknowledged);
        crashes.lost += count(Metric::OrdersLost);
        let recovery_s = measured.values.get(Metric::RecoveryTime);
        crashes.longest_recovery_s =
            crashes.longest_recovery_s.into_iter().chain(recovery_s).reduce(f64::max);
        crashes
    })
}

/// The answer where the run is a durability test.
pub(crate) fn answer<'a>(all: &'a [Crashes], shown: impl Fn(&'a str) -> &'a str) -> Option<Vec<Span>> {
    let mut spans = Vec::new();
    for crashes in all {
        if !spans.is_empty() {
            spans.push(Span::Plain(" ".to_owned()));
        }
        spans.extend(sentence(shown(&crashes.bed), crashes));
    }
    (!spans.is_empty()).then_some(spans)
}

fn sentence(bed: &str, crashes: &Crashes) -> Vec<Span> {
    let whole = |number: u64| number::level(number as f64);
    let (rounds, acknowledged) = (sentences::grouped(crashes.rounds), whole(crashes.acknowledged));
    if crashes.passed == crashes.rounds {
        let outcome = sentences::strong(&say!("crash-none-lost", acknowledged));
        return sentences::spans(&say!("crash-promises-kept", bed, rounds, outcome));
    }
    let failed = crashes.rounds - crashes.passed;
    let outcome = sentences::strong(&say!("crash-orders-lost", lost = whole(crashes.lost), acknowledged));
    sentences::spans(&say!("crash-promises-broken", bed, failed, rounds, outcome))
}

/// One line for each bed of the durability test.
pub(crate) fn table<'a>(crashes: &'a [Crashes], shown: impl Fn(&'a str) -> &'a str) -> Table {
    let mut table = Table::new(
        columns![text say!("column-bed"), number say!("column-crashes"), number say!("column-passed"), number say!("column-orders-acknowledged"), number say!("column-orders-lost"), number say!("column-longest-recovery")],
    );
    for crashes in crashes {
        let tone = if crashes.lost > 0 { Tone::Flag } else { Tone::Plain };
        let recovery = crashes
            .longest_recovery_s
            .map_or(say!("crash-never-recovered").to_owned(), |s| words::decimals(s, 1));
        table.row([
            Entry::from(shown(&crashes.bed)),
            Entry::from(crashes.rounds.to_string()),
            Entry::from(crashes.passed.to_string()),
            Entry::from(crashes.acknowledged.to_string()),
            Entry::toned(crashes.lost.to_string(), tone),
            Entry::from(recovery),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crashes(passed: usize, lost: u64) -> Crashes {
        Crashes {
            bed: "a".to_owned(),
            rounds: 20,
            passed,
            acknowledged: 4_500,
            lost,
            longest_recovery_s: Some(0.4),
        }
    }

    #[test]
    fn a_loss_is_said_as_plainly_as_none() {
        let text = |crashes: &Crashes| sentences::join(&sentence("A", crashes));
        assert_eq!(
            text(&crashes(20, 0)),
            "A kept its promises: after 20 crashes under load none of 4,500 acknowledged orders was lost."
        );
        assert_eq!(
            text(&crashes(17, 31)),
            "A did not keep its promises: after 3 of 20 crashes under load 31 of 4,500 acknowledged orders were lost or the data were damaged; every such round is listed with its reason."
        );
    }
}
