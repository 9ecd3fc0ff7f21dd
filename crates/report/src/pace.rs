//! The pace of loads that ask for one: by how much the load generator was late, and how long its users waited
//! for a connection. A latency contains both.

use crate::level::LevelUnit;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::number;
use crate::table::{Column, Entry, Table, columns};
use experiment::Workload;
use words::{Latency, LevelName, Metric, Statistic, say};

/// The pace of one bed at one level, means over the valid cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Pace {
    /// Name of the workload.
    pub workload: String,
    /// The load.
    pub level: f64,
    /// The unit of levels.
    pub level_name: LevelUnit,
    /// Name of the bed.
    pub bed: String,
    /// From the moment at which a request was due to its start, without the wait for a connection: median and
    /// 99th percentile, ms.
    pub delay_ms: (Option<f64>, Option<f64>),
    /// Of users that share connections, the wait for one: median and 99th percentile, ms.
    pub wait_ms: (Option<f64>, Option<f64>),
}

/// Every bed and level of the loads with a pace.
pub(crate) fn of_all(loaded: &LoadedRun) -> Vec<Pace> {
    let has_pace = |place: &GroupKey<'_>| loaded.asked(place.workload).is_some_and(has_pace);
    loaded.places().filter(has_pace).filter_map(|place| of(loaded, &place)).collect()
}

/// True for a load whose requests are due at a moment of their own.
pub(crate) fn has_pace(workload: &Workload) -> bool {
    match workload {
        Workload::Tpcc(tpcc) => tpcc.pacing.is_paced(),
        Workload::Sysbench(sysbench) => sysbench.rate.is_some(),
        other => other.level_name() == LevelName::Iops,
    }
}

fn of(loaded: &LoadedRun, place: &GroupKey<'_>) -> Option<Pace> {
    let both = |of: Latency| {
        let mean = |statistic| loaded.mean(place, Metric::Latency(of, statistic));
        (mean(Statistic::P50), mean(Statistic::P99))
    };
    let of_block = || both(Latency::Lag);
    let delay_ms = Some(both(Latency::Lateness)).filter(|(median, _)| median.is_some());
    let pace = Pace {
        workload: place.workload.to_owned(),
        level: place.level,
        level_name: loaded.level_name(place.workload).clone(),
        bed: place.bed.to_owned(),
        delay_ms: delay_ms.unwrap_or_else(of_block),
        wait_ms: both(Latency::PoolWait),
    };
    pace.delay_ms.0.is_some().then_some(pace)
}

/// One line for each bed and level; the waits where any users share connections.
pub(crate) fn table<'a>(all: &'a [Pace], shown: impl Fn(&'a str) -> &'a str) -> Table {
    let waits = all.iter().any(|pace| pace.wait_ms.0.is_some());
    let mut columns = columns![text say!("column-bed"), text say!("column-workload"), text say!("column-load"), number say!("column-delay-p50"), number say!("column-delay-p99")];
    if waits {
        columns.push(Column::number(say!("column-wait-p50")));
        columns.push(Column::number(say!("column-wait-p99")));
    }
    let mut table = Table::new(columns);
    let figure = |value: Option<f64>| Entry::from(value.map_or_else(|| "-".to_owned(), number::plain));
    for pace in all {
        let mut row = vec![
            Entry::from(shown(&pace.bed)),
            Entry::from(pace.workload.clone()),
            Entry::from(pace.level_name.said(pace.level)),
            figure(pace.delay_ms.0),
            figure(pace.delay_ms.1),
        ];
        if waits {
            row.extend([figure(pace.wait_ms.0), figure(pace.wait_ms.1)]);
        }
        table.row(row);
    }
    table
}
