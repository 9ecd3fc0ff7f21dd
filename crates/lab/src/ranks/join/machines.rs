//! Ranks of one machine. Each knows the processor time of itself and its server alone, and counts that of the
//! other ranks as other programs'.

use std::collections::BTreeMap;

use notebook::Measurement;
use words::Metric;

use super::Part;
use crate::watch::limiter::beside_own_ranks;

/// Takes the processor time of the other ranks of a machine out of that of other programs, in the figures and
/// the limiter of each rank. With n ranks that all find the processors busy for b, each has b without its own
/// time: their sum less (n - 1) b is b without the time of all.
pub(super) fn know_each_other(parts: &mut [Part]) {
    let mut machines: BTreeMap<String, Vec<&mut Part>> = BTreeMap::new();
    for part in parts {
        machines.entry(part.machine.clone()).or_default().push(part);
    }
    for ranks in machines.into_values().filter(|ranks| ranks.len() > 1) {
        let of_all = |of: fn(&[Measurement]) -> Option<f64>| {
            ranks.iter().map(|rank| of(&rank.record.measurements)).sum::<Option<f64>>()
        };
        let (Some(others), Some(busy)) = (of_all(others_percent), of_all(busy_percent)) else { continue };
        let mean_busy = busy / ranks.len() as f64;
        let others = (others - (busy - mean_busy)).max(0.0);
        for rank in ranks {
            let record = &mut rank.record;
            let metric = Metric::CpuOthers.name();
            let stored = record.measurements.iter_mut().filter(|measurement| measurement.metric == metric);
            stored.for_each(|measurement| measurement.value = others);
            if mean_busy > 0.0 {
                beside_own_ranks((&mut record.limiter, &mut record.limiter_figures), others / mean_busy);
            }
        }
    }
}

fn value(list: &[Measurement], metric: Metric) -> Option<f64> {
    list.iter().find_map(|measurement| measurement.of(metric))
}

fn others_percent(list: &[Measurement]) -> Option<f64> {
    value(list, Metric::CpuOthers)
}

fn busy_percent(list: &[Measurement]) -> Option<f64> {
    Some(100.0 - value(list, Metric::CpuIdle)? - value(list, Metric::CpuSteal).unwrap_or(0.0))
}
