//! Families: one metric for each victim, instance, host, cycle or stream.

use super::{Latency, Metric};

/// The owner of a metric's value, if a cell has several of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Of a victim, from 1: `nopm_victim_2`.
    Victim(u32),
    /// Of an instance, from 1: `nopm_instance_2`.
    Instance(u32),
    /// Of the instance with the lowest value: `nopm_slowest_instance`.
    SlowestInstance,
    /// Of the instance with the highest value: `nopm_fastest_instance`.
    FastestInstance,
    /// Of a host of a fleet, from 1: `nopm_host_2` is of rank 1.
    Host(u32),
    /// Of a cycle of backup and restore, from 1: `backup_time_cycle_2`.
    Cycle(u32),
    /// Of a stream of a block load: `stream_log_iops`.
    Stream(String),
}

impl Family {
    pub(super) fn metric_name(&self, metric: Metric) -> String {
        match self {
            Family::Victim(number) => format!("{metric}_victim_{number}"),
            Family::Instance(number) => format!("{metric}_instance_{number}"),
            Family::SlowestInstance => format!("{metric}_slowest_instance"),
            Family::FastestInstance => format!("{metric}_fastest_instance"),
            Family::Host(number) => format!("{metric}_host_{number}"),
            Family::Cycle(number) => format!("{metric}_cycle_{number}"),
            Family::Stream(name) => format!("stream_{name}_{metric}"),
        }
    }

    /// The metric and its family of a stored name.
    pub(super) fn of(name: &str) -> Option<(Metric, Family)> {
        if let Some(rest) = name.strip_prefix("stream_") {
            return of_stream(rest);
        }
        for (end, family) in
            [("_slowest_instance", Family::SlowestInstance), ("_fastest_instance", Family::FastestInstance)]
        {
            if let Some(metric) = name.strip_suffix(end).and_then(Metric::of) {
                return Some((metric, family));
            }
        }
        let (rest, number) = name.rsplit_once('_')?;
        let number: u32 = number.parse().ok()?;
        let numbered = |end: &str| rest.strip_suffix(end).and_then(Metric::of);
        None.or_else(|| Some((numbered("_victim")?, Family::Victim(number))))
            .or_else(|| Some((numbered("_instance")?, Family::Instance(number))))
            .or_else(|| Some((numbered("_host")?, Family::Host(number))))
            .or_else(|| Some((numbered("_cycle")?, Family::Cycle(number))))
    }
}

/// A stream's name may hold anything, so the metric is found from the end: the longest that a stream has.
fn of_stream(rest: &str) -> Option<(Metric, Family)> {
    let is_of_streams = |metric: &Metric| match metric {
        Metric::Iops => true,
        Metric::Latency(of, _) => {
            matches!(of, Latency::Read | Latency::Write | Latency::Discard | Latency::Flush)
        }
        _ => false,
    };
    Metric::all().filter(is_of_streams).find_map(|metric| {
        let stream = rest.strip_suffix(metric.name().as_str())?.strip_suffix('_')?;
        Some((metric, Family::Stream(stream.to_owned())))
    })
}
