//! A small run that every test of the notebook uses, with content that follows from the cell's number.
#![allow(dead_code)] // Each test binary uses its part.

use std::collections::BTreeMap;

use measure::{Histogram, Series};
use words::{EventKind, Latency, LimiterFigures, PhaseName, Reasons};

use notebook::{Bed, CellRecord, CellState, Event, Measurement, Phase, PlannedCell, Point, RunPlan};

pub(crate) fn new_run() -> RunPlan {
    RunPlan {
        name: "demo".into(),
        title: "NVMe or SATA".into(),
        question: Some("Which?".into()),
        experiment_toml: "schema = 1\n".into(),
        published: None,
        seed: u64::MAX,
        scale: 1.0 / 60.0,
        scale_statement: "warehouses x 1/60".into(),
        realm: "emulated".into(),
        tool_version: "0.1.0".into(),
        baseline: "sata".into(),
        treatment: vec!["storage".into(), "memory".into()],
        smallest_effect_throughput: 0.03,
        smallest_effect_p99: 0.1,
        order: "interleaved".into(),
        work_dir: "/tmp/somewhere".into(),
        directory: Some("/tmp".into()),
    }
}

pub(crate) fn beds() -> Vec<Bed> {
    let bed = |name: &str, label: Option<&str>| Bed {
        name: name.into(),
        label: label.map(str::to_owned),
        realm: "emulated".into(),
        storage_summary: format!("a {name} drive"),
        facts: BTreeMap::from([("cpu".into(), "Xeon \"Gold\", 6252".into())]),
    };
    vec![bed("nvme", Some("NVMe")), bed("sata", None)]
}

/// `count` cells that alternate between the two beds.
pub(crate) fn plan(count: u32) -> Vec<PlannedCell> {
    (0..count)
        .map(|position| PlannedCell {
            position,
            bed: if position % 2 == 0 { "nvme" } else { "sata" }.into(),
            workload: "tpcc".into(),
            level: f64::from(1 << (position / 2 % 3)),
            level_name: "virtual users".into(),
            repeat: position / 6,
            kind: words::WorkloadKind::Tpcc,
        })
        .collect()
}

pub(crate) fn measurement(metric: &str, value: f64, unit: &str) -> Measurement {
    Measurement { metric: metric.into(), value, unit: unit.into() }
}

/// The results of a cell, derived from a number for later checks.
pub(crate) fn record(number: i64) -> CellRecord {
    let number = number as f64;
    let mut latency = Histogram::new();
    for step in 1..200 {
        latency.record(step * 1_000 + number as u64);
    }
    CellRecord {
        state: CellState::Done,
        reasons: Reasons::default(),
        limiter: Some("drive".into()),
        limiter_figures: Some(LimiterFigures::Workers { generator_percent: number, kernel_percent: 1.5 }),
        phases: vec![
            Phase { name: PhaseName::RampUp.into(), start_s: 0.0, end_s: 5.0 },
            Phase { name: PhaseName::Measure.into(), start_s: 5.0, end_s: 25.5 },
        ],
        measurements: (0..40)
            .map(|m| measurement(&format!("metric_{m}"), number + f64::from(m), "ms"))
            .collect(),
        series: (0..10)
            .map(|s| Series {
                metric: format!("series_{s}"),
                unit: "1/min".into(),
                start_s: 0.5,
                values: (0..60).map(|t| number * f64::from(t + s)).collect(),
            })
            .collect(),
        histograms: vec![(Latency::Answer.into(), latency.clone()), (Latency::NewOrder.into(), latency)],
        points: vec![Point {
            name: "maximum".into(),
            round: 1,
            block_size_bytes: Some(4096),
            end_s: 1.5,
            values: vec![measurement("iops", number, "1/s")],
            ..Point::default()
        }],
        events: vec![Event { count: 3, ..Event::once(EventKind::Error, "disk I/O error") }],
    }
}
