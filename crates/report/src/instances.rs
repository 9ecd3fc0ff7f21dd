//! Beds of several instances: how evenly the storage served them.

use crate::level::LevelUnit;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::number::{self, Digits};
use crate::table::{Entry, Table, columns};
use words::{Family, Metric, MetricName, say};

/// The results of one bed's instances at one level, means over the valid cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Instances {
    /// Name of the workload.
    pub workload: String,
    /// The load of each instance.
    pub level: f64,
    /// The unit of levels.
    pub level_name: LevelUnit,
    /// Name of the bed.
    pub bed: String,
    /// The number of instances.
    pub count: u64,
    /// The metric of the rates: NOPM or TPS.
    pub metric: Metric,
    /// Rate of all together, of the slowest and of the fastest.
    pub rates: (f64, f64, f64),
    /// Jain's index: 1 when all got the same, 1 / count when one got all.
    pub fairness: f64,
}

/// The instances of every bed at every level; empty when every bed has one.
pub(crate) fn of_all(loaded: &LoadedRun) -> Vec<Instances> {
    let by_either =
        |place| [Metric::Nopm, Metric::Tps].into_iter().find_map(|metric| of(loaded, &place, metric));
    loaded.places().filter_map(by_either).collect()
}

fn of(loaded: &LoadedRun, place: &GroupKey<'_>, metric: Metric) -> Option<Instances> {
    let mean = |name: MetricName| loaded.mean(place, name);
    Some(Instances {
        workload: place.workload.to_owned(),
        level: place.level,
        level_name: loaded.level_name(place.workload).clone(),
        bed: place.bed.to_owned(),
        count: mean(Metric::Instances.into())? as u64,
        metric,
        rates: (
            mean(metric.into())?,
            mean(MetricName::Of(metric, Family::SlowestInstance))?,
            mean(MetricName::Of(metric, Family::FastestInstance))?,
        ),
        fairness: mean(Metric::Fairness.into())?,
    })
}

/// One line for each bed and level.
pub(crate) fn table<'a>(instances: &'a [Instances], shown: impl Fn(&'a str) -> &'a str) -> Table {
    let mut table = Table::new(
        columns![text say!("column-bed"), text say!("column-workload"), number say!("column-load-of-each"), number say!("column-instances"), text say!("column-rate"), number say!("column-all"), number say!("column-slowest"), number say!("column-fastest"), number say!("column-fairness")],
    );
    for of in instances {
        let rate = |value: f64| Entry::from(Digits::alone(value).show(value));
        table.row([
            Entry::from(shown(&of.bed)),
            Entry::from(of.workload.clone()),
            Entry::from(format!("{} {}", number::level(of.level), of.level_name.heading())),
            Entry::from(of.count.to_string()),
            Entry::from(if of.metric == Metric::Nopm { "NOPM" } else { "TPS" }),
            rate(of.rates.0),
            rate(of.rates.1),
            rate(of.rates.2),
            Entry::from(words::decimals(of.fairness, 3)),
        ]);
    }
    table
}
