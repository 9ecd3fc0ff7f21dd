//! The cost of backups for the users that work meanwhile.

use crate::error::ReportError;
use crate::figure::line::REPEATS_DRAWN_MIN;
use crate::figure::seconds::beside::Beside;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::naming::BedName;
use crate::number::{self, Digits};
use measure::Estimate;
use notebook::{Cell, Notebook};
use words::{Metric, MetricName, say};

/// Fewer whole seconds on either side are no rate.
const SECONDS_MIN: usize = 2;

/// The users' rate inside and outside of the backups of a cell; read from its series, so that notebooks of
/// every age have it.
pub(super) fn beside(notebook: &Notebook, cell: &Cell) -> Result<Option<Beside>, ReportError> {
    if cell.level == 0.0 {
        return Ok(None);
    }
    let series = notebook.series(cell.id)?;
    let users = series.iter().find(|series| MetricName::read(&series.metric) == Metric::Tpm);
    let phases = notebook.phases(cell.id)?;
    Ok(users.and_then(|users| Beside::of(users, &phases)))
}

/// The loss of the users of one bed by backups, over all of its cells.
pub(super) struct Cost {
    /// The share of their rate, with its 95 % interval (Student's): shares have an arithmetic mean.
    share: Estimate,
    /// Transactions not done because of one backup.
    pub(super) transactions: Estimate,
    /// Mean transactions per minute during backups, and otherwise.
    pub(super) rates: (f64, f64),
}

impl Cost {
    /// `None` for a load without users, or with too few seconds in all but one cell.
    pub(super) fn of(loaded: &LoadedRun, key: &GroupKey<'_>) -> Option<Cost> {
        let (mut shares, mut transactions, mut during, mut otherwise) = (vec![], vec![], vec![], vec![]);
        for cell in loaded.valid(key) {
            let enough = |seconds: (usize, usize)| seconds.0.min(seconds.1) >= SECONDS_MIN;
            let Some(beside) = cell.beside.filter(|beside| enough(beside.seconds)) else { continue };
            let Some(backup_s) = cell.values.get(Metric::BackupTime) else { continue };
            shares.push(beside.lost());
            transactions.push((beside.otherwise - beside.during) / 60.0 * backup_s);
            during.push(beside.during);
            otherwise.push(beside.otherwise);
        }
        Some(Cost {
            share: measure::mean_interval(&shares)?,
            transactions: measure::mean_interval(&transactions)?,
            rates: (measure::arithmetic_mean(&during)?, measure::arithmetic_mean(&otherwise)?),
        })
    }

    /// True if enough cells agree that the users lose something, as a share and as transactions.
    pub(super) fn is_seen(&self) -> bool {
        self.has_interval() && self.share.low.min(self.transactions.low) > 0.0
    }

    /// True if the cells are enough for an interval that is shown.
    fn has_interval(&self) -> bool {
        self.share.n >= REPEATS_DRAWN_MIN
    }

    /// `40 %`.
    pub(super) fn share(&self) -> String {
        number::percent_rounded(self.share.value)
    }

    /// `17 to 64 %`.
    pub(super) fn share_interval(&self) -> String {
        let [low, high] =
            [self.share.low, self.share.high.min(1.0)].map(|end| Digits::decimals(0).show(100.0 * end));
        format!("{} %", say!("figure-from-to", low, high))
    }

    /// `1,240 (300 to 2,200)`; of fewer cells than an interval needs the mean alone.
    pub(super) fn transactions(&self) -> String {
        let Estimate { value, low, high, .. } = self.transactions;
        if !self.has_interval() {
            return number::plain(value);
        }
        let digits = Digits::of_interval(value, (high - low) / 2.0);
        let interval = say!("figure-from-to", low = digits.show(low), high = digits.show(high));
        say!("backup-ratio", value = digits.show(value), interval)
    }
}

/// The beds whose users are seen to lose something, and the others of which there are numbers.
fn told<'a>(
    loaded: &LoadedRun,
    (workload, level): (&str, f64),
    beds: &[&'a BedName],
) -> [Vec<(&'a BedName, Cost)>; 2] {
    let of =
        |bed: &&'a BedName| Some((*bed, Cost::of(loaded, &GroupKey { workload, level, bed: &bed.name })?));
    let (seen, open) = beds.iter().filter_map(of).partition(|(_, cost)| cost.is_seen());
    [seen, open]
}

/// The second sentence of the answer: the loss on these beds; `None` where nothing is known.
pub(super) fn sentence(loaded: &LoadedRun, place: (&str, f64), beds: &[&BedName]) -> Option<String> {
    let [seen, open] = told(loaded, place, beds);
    let lost = words::list(seen.iter().map(|(bed, cost)| {
        say!("backup-users-part", share = cost.share(), bed = bed.shown, interval = cost.share_interval())
    }));
    let on = words::list(open.iter().map(|(bed, _)| bed.shown.clone()));
    match (seen.is_empty(), open.is_empty()) {
        (true, true) => None,
        (true, false) => Some(say!("backup-users-open", beds = on)),
        (false, true) => Some(say!("backup-users-lose", lost)),
        (false, false) => Some(say!("backup-users-lose-some", lost, beds = on)),
    }
}

/// The finding of the users' rate second by second.
pub(super) fn title(loaded: &LoadedRun, place: (&str, f64), beds: &[&BedName]) -> Option<String> {
    let [seen, open] = told(loaded, place, beds);
    let lost = words::list(
        seen.iter().map(|(bed, cost)| say!("backup-users-title-part", share = cost.share(), bed = bed.shown)),
    );
    let on = words::list(open.iter().map(|(bed, _)| bed.shown.clone()));
    match (seen.is_empty(), open.is_empty()) {
        (true, true) => None,
        (true, false) => Some(say!("backup-users-title-open").to_owned()),
        (false, true) => Some(say!("backup-users-title", lost)),
        (false, false) => Some(say!("backup-users-title-some", lost, beds = on)),
    }
}
