use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

#[test]
fn every_metric_has_a_name_of_its_own_and_is_found_by_it() {
    let mut names = BTreeSet::new();
    for metric in Metric::all() {
        let name = metric.name();
        assert_eq!(Metric::of(&name), Some(metric), "{name}");
        assert_eq!(MetricName::read(&name), metric, "{name}");
        assert!(names.insert(name.clone()), "{name} stands twice");
    }
    for (old, metric) in ALIASES {
        assert!(!names.contains(old), "{old} is a name of today");
        assert_eq!(Metric::of(old), Some(metric));
    }
}

#[test]
fn families_are_read_back() {
    let families = [
        Family::Victim(3),
        Family::Instance(12),
        Family::SlowestInstance,
        Family::FastestInstance,
        Family::Cycle(1),
        Family::Host(64),
    ];
    for metric in Metric::all() {
        for family in &families {
            let name = MetricName::Of(metric, family.clone());
            assert_eq!(MetricName::read(&name.to_string()), name);
        }
    }
}

#[test]
fn values_of_older_notebooks_come_in_the_units_of_today() {
    let drive = MetricName::read("drive_read_latency_mean");
    assert_eq!(drive.in_unit_of_today(250.0, "us"), 0.25);
    assert_eq!(drive.in_unit_of_today(250.0, "ms"), 250.0);
    assert_eq!(MetricName::read("nopm").in_unit_of_today(7.0, "1/min"), 7.0);
    assert_eq!(MetricName::read("of a newer build").in_unit_of_today(7.0, "us"), 7.0);
}

#[test]
fn what_is_waited_for_is_a_latency_and_a_number_of_samples_is_none() {
    assert!(Metric::LATENCY_P99.is_latency() && Metric::of("lock_wait_mean").is_some_and(Metric::is_latency));
    assert!(!Metric::Latency(Latency::Answer, Statistic::Count).is_latency() && !Metric::Nopm.is_latency());
}

#[test]
fn a_share_of_the_input_and_its_sample_are_told_apart() {
    for (text, name) in [
        ("input_new_orders", MetricName::Input("new_orders".to_owned())),
        ("input_new_orders_sample", MetricName::InputSample("new_orders".to_owned())),
    ] {
        assert_eq!(MetricName::read(text), name);
        assert_eq!(name.to_string(), text);
    }
}

#[test]
fn the_head_of_a_column_has_a_unit_where_there_is_one() {
    let head = |metric: Metric| metric.shown().map(|shown| shown.head());
    assert_eq!(head(Metric::LATENCY_P99).as_deref(), Some("p99 (ms)"));
    assert_eq!(head(Metric::ActiveClients).as_deref(), Some("active clients"));
}

proptest! {
    #[test]
    fn streams_of_any_name_are_read_back(stream in "[a-zA-Z0-9_. -]{1,20}") {
        for metric in [Metric::Iops, Metric::Latency(Latency::Flush, Statistic::P999)] {
            let name = MetricName::Of(metric, Family::Stream(stream.clone()));
            prop_assert_eq!(MetricName::read(&name.to_string()), name);
        }
    }

    #[test]
    fn every_text_is_a_name_and_stays_what_it_is(text in ".{0,40}") {
        let name = MetricName::read(&text);
        prop_assert!(ALIASES.iter().any(|(old, _)| text.contains(old)) || name.to_string() == text);
    }
}
