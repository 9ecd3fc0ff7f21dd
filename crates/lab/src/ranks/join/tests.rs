use measure::{Histogram, Series};
use notebook::{Measurement, Phase};
use words::{Latency, LimiterFigures, Metric, PhaseName, ProcessorFigures};

use super::*;
use crate::metrics::{Metrics, event};

fn histogram(latencies_us: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    latencies_us.iter().for_each(|us| histogram.record(us * 1000));
    histogram
}

fn part(rank: u32, iops: f64, latencies_us: &[u64]) -> Part {
    let latency = histogram(latencies_us);
    let mut metrics = Metrics::default();
    metrics.add(Metric::Iops, iops);
    metrics.add(Metric::CpuPerIo, 100.0 * f64::from(rank + 1));
    metrics.add(Metric::Errors, 1.0);
    metrics.add(Metric::LongestGap, f64::from(rank));
    metrics.add(Metric::CpuIdle, 10.0 * f64::from(rank));
    metrics.add_latency(Latency::Answer, &latency);
    metrics.add_latency(Latency::Lag, &latency);
    let second = |metric: &str, unit: &str, values: Vec<f64>| Series::new(metric, unit, 0.0, values);
    let record = CellRecord {
        state: CellState::Done,
        limiter: Some(if rank == 0 { "client" } else { "drive" }.to_owned()),
        phases: vec![Phase { name: PhaseName::RampUp.into(), start_s: 0.0, end_s: 1.0 }],
        measurements: metrics.0,
        series: vec![
            second("iops", "1/s", vec![iops, f64::NAN, iops]),
            second("latency_mean", "ms", vec![f64::from(rank + 1); 3]),
            second("latency_p99", "ms", vec![f64::from(rank + 1), f64::NAN, f64::NAN]),
        ],
        histograms: vec![(Latency::Answer.into(), latency)],
        events: vec![event(EventKind::Error, "timed out"), event(EventKind::Setting, "a = b")],
        ..CellRecord::default()
    };
    let late_ns = 1_000_000 * u64::from(rank);
    let done = Done { late_ns: Some(late_ns), counts_after_ns: late_ns, after_ns: Some(2_000_000_000) };
    Part {
        rank,
        host: format!("h{rank}"),
        machine: format!("m{rank}"),
        record,
        done,
        offset: Offset { error_ns: 5_000, ..Offset::default() },
    }
}

fn value(list: &[Measurement], name: &str) -> Option<f64> {
    list.iter().find(|measurement| measurement.metric == name).map(|measurement| measurement.value)
}

fn joined(parts: Vec<Part>) -> CellRecord {
    dealt(parts, None)
}

fn dealt(parts: Vec<Part>, dealt: Option<u32>) -> CellRecord {
    let mut joined = Joined::new(false, dealt);
    parts.into_iter().for_each(|part| joined.add(part));
    joined.record()
}

#[test]
fn work_is_summed_and_percentiles_come_from_all_events() {
    // In any order of arrival.
    let record = joined(vec![part(1, 100.0, &[900; 50]), part(0, 300.0, &[100; 150])]);
    let of = |name: &str| value(&record.measurements, name);
    assert_eq!((of("iops"), of("errors"), of("longest_gap")), (Some(400.0), Some(2.0), Some(1.0)));
    assert_eq!((of("cpu_per_io"), of("cpu_idle")), (Some(125.0), Some(5.0)));
    let all = histogram(&[[100; 150].as_slice(), &[900; 50]].concat());
    assert_eq!(record.histograms, [(Latency::Answer.into(), all.clone())]);
    assert_eq!(of("latency_count"), Some(200.0));
    assert_eq!(of("latency_p50"), Some(all.quantile_ns(0.5) as f64 / 1e6));
    assert_eq!(of("latency_p99"), Some(all.quantile_ns(0.99) as f64 / 1e6));
    assert_eq!((of("iops_host_1"), of("iops_host_2")), (Some(300.0), Some(100.0)));
    assert_eq!((of("start_skew"), of("start_delay"), of("clock_error")), (Some(1.0), Some(1.0), Some(0.005)));
}

#[test]
fn a_rank_with_a_smaller_part_is_not_slow() {
    let parts = || vec![part(0, 400.0, &[100; 150]), part(1, 150.0, &[100; 75]), part(2, 75.0, &[100; 75])];
    let slow = |record: &CellRecord| {
        let messages = record.events.iter().map(|event| event.message.to_string());
        messages.filter(|message| message.contains("% of the mean")).collect::<Vec<String>>()
    };
    assert_eq!(slow(&joined(parts())).len(), 2);
    // Two, one and one of four parts: the last one alone is slow.
    let record = dealt(parts(), Some(4));
    let slow = slow(&record);
    assert!(slow.len() == 1 && slow[0].contains("rank 2"), "{slow:?}");
    let even = dealt(vec![part(0, 300.0, &[100; 150]), part(1, 150.0, &[100; 75])], Some(3));
    assert_eq!(value(&even.measurements, "fairness"), Some(1.0), "300 by two parts, 150 by one");
}

#[test]
fn a_percentile_without_a_histogram_is_left_out_and_never_averaged() {
    let record = joined(vec![part(0, 1.0, &[100; 300]), part(1, 1.0, &[200; 300])]);
    assert_eq!(value(&record.measurements, "lag_p99"), None);
    assert_eq!(value(&record.measurements, "lag_count"), Some(600.0));
    assert!(value(&record.measurements, "lag_mean").is_some_and(|mean| (mean - 0.15).abs() < 1e-3));
}

#[test]
fn seconds_are_joined_by_time() {
    let record = joined(vec![part(0, 300.0, &[1]), part(1, 100.0, &[1])]);
    let of = |name: &str| record.series.iter().find(|series| series.metric == name).unwrap().values.clone();
    let rates = of("iops");
    assert!(rates[0] == 400.0 && rates[1].is_nan() && rates[2] == 400.0, "{rates:?}");
    assert_eq!(of("latency_mean")[0], (300.0 + 200.0) / 400.0);
    assert_eq!(of("latency_p99")[0], 2.0);
    // A host that needed two seconds for its preparation has its load two seconds later on its own clock.
    let mut later = part(1, 100.0, &[1]);
    later.record.phases[0] = Phase { name: PhaseName::RampUp.into(), start_s: 2.0, end_s: 3.0 };
    later.record.series.iter_mut().for_each(|series| series.values.splice(0..0, [0.0, 0.0]).for_each(drop));
    let record = joined(vec![part(0, 300.0, &[1]), later]);
    let rates = record.series.iter().find(|series| series.metric == "iops").unwrap();
    assert_eq!((rates.start_s, rates.values[0], rates.values[2], rates.values[4]), (0.0, 0.0, 400.0, 400.0));
    assert_eq!(record.phases[0].start_s, 2.0);
}

#[test]
fn stragglers_and_clients_are_named_and_equal_events_are_one() {
    let record = joined(vec![part(0, 100.0, &[1]), part(1, 300.0, &[1]), part(2, 300.0, &[1])]);
    assert_eq!(record.limiter.as_deref(), Some("drive"));
    let told: Vec<String> =
        record.events.iter().map(|e| format!("{} {} {}", e.kind, e.count, e.message)).collect();
    assert!(
        told.contains(&"error 3 timed out".to_owned()) && told.contains(&"setting 1 a = b".to_owned()),
        "{told:?}"
    );
    assert!(told.contains(&"host-limiter 1 1: client".to_owned()), "{told:?}");
    let warned = |part: &str| told.iter().any(|text| text.starts_with("warning") && text.contains(part));
    assert!(
        warned("rank 0 (h0) was bounded by its load generator") && warned("rank 0 (h0) did 43 %"),
        "{told:?}"
    );
    assert!(!warned("rank 1"), "{told:?}");
}

#[test]
fn a_cell_counts_when_it_counts_on_every_host() {
    let mut bad = part(1, 100.0, &[1]);
    (bad.record.state, bad.record.reasons) = (CellState::Invalid, Reason::NothingCompleted.into());
    let record = joined(vec![part(0, 100.0, &[1]), bad]);
    assert_eq!(record.state, CellState::Invalid);
    assert!(record.reasons.to_string().starts_with("rank 1 (h1): "), "{}", record.reasons);
    let mut cut = part(1, 100.0, &[1]);
    cut.record.state = CellState::Interrupted;
    assert_eq!(joined(vec![part(0, 100.0, &[1]), cut]).state, CellState::Interrupted);
}

#[test]
fn a_fleet_of_one_keeps_its_figures() {
    let alone = part(0, 300.0, &[100, 200, 300]).record;
    let record = joined(vec![part(0, 300.0, &[100, 200, 300])]);
    for before in alone.measurements.iter().filter(|measurement| !measurement.metric.starts_with("lag")) {
        assert_eq!(value(&record.measurements, &before.metric), Some(before.value), "{}", before.metric);
    }
    assert_eq!(record.histograms, alone.histograms);
}

#[test]
fn sixty_four_ranks_are_gathered_in_bounded_memory() {
    let many = |rank: u32| {
        let mut part = part(rank, 100.0, &[100, 200, 5000]);
        part.record.histograms = (0..10)
            .map(|number| (HistogramName::read(&format!("h{number}")), histogram(&[number + 1, 77, 900_000])))
            .collect();
        part.record.series = (0..10)
            .map(|number| Series::new(format!("beside:{number}"), "1/s", 0.0, vec![f64::from(rank); 600]))
            .collect();
        let bytes = fleet::encode(&part.record);
        Part { record: fleet::decode(&bytes).unwrap(), ..part }
    };
    // One after the other, as the lead takes them.
    let mut joined = Joined::new(false, None);
    (0..64).for_each(|rank| joined.add(many(rank)));
    let record = joined.record();
    assert_eq!(record.histograms.len(), 10);
    assert!(record.histograms.iter().all(|(_, histogram)| histogram.len() == 3 * 64));
}

/// A rank on a machine without idle processors, half of whose time it counts as other programs'.
fn beside(rank: u32, machine: &str, others: f64) -> Part {
    let mut part = part(rank, 1000.0, &[10]);
    part.machine = machine.to_owned();
    part.record.measurements.retain(|measurement| measurement.of(Metric::CpuIdle).is_none());
    let mut metrics = Metrics::default();
    metrics.add(Metric::CpuIdle, 0.0);
    metrics.add(Metric::CpuOthers, others);
    part.record.measurements.extend(metrics.0);
    let rest = Box::new(LimiterFigures::Workers { generator_percent: 90.0, kernel_percent: 8.0 });
    let processors =
        ProcessorFigures::Known { idle_percent: 0.0, others_percent_of_busy: others, steal_percent: 0.0 };
    part.record.limiter = Some(words::Limiter::OtherPrograms.into());
    part.record.limiter_figures = Some(LimiterFigures::WithProcessors { rest, processors });
    part
}

#[test]
fn ranks_of_one_machine_are_no_other_programs_of_each_other() {
    let of = |record: &CellRecord| {
        let Some(LimiterFigures::WithProcessors { processors, .. }) = &record.limiter_figures else {
            panic!("{:?}", record.limiter_figures)
        };
        (
            record.limiter.clone().unwrap(),
            value(&record.measurements, "cpu_others").unwrap(),
            processors.clone(),
        )
    };
    let known = |others_percent_of_busy| ProcessorFigures::Known {
        idle_percent: 0.0,
        others_percent_of_busy,
        steal_percent: 0.0,
    };
    let together = joined(vec![beside(0, "m", 52.0), beside(1, "m", 50.0)]);
    assert_eq!(of(&together), ("client".to_owned(), 2.0, known(2.0)));
    // Two thirds of the time are of programs that are no ranks.
    let disturbed = joined(vec![beside(0, "m", 84.0), beside(1, "m", 82.0)]);
    assert_eq!(of(&disturbed), ("other programs".to_owned(), 66.0, known(66.0)));
    let apart = joined(vec![beside(0, "m", 52.0), beside(1, "n", 50.0)]);
    assert_eq!(of(&apart).0, "other programs");
    let of_three = joined(vec![beside(0, "m", 52.0), beside(1, "n", 40.0), beside(2, "m", 52.0)]);
    assert!((value(&of_three.measurements, "cpu_others").unwrap() - (4.0 + 40.0 + 4.0) / 3.0).abs() < 1e-9);
}
