//! The published numbers: all of them there, said in the study's words, and put beside ours with what must be
//! said.

#![allow(clippy::unwrap_used)] // Tests may unwrap: a failed unwrap is a failed test with its place.

use published::Number;

fn value(published: &str, bed: &str, metric: &str) -> f64 {
    published::beside(published, bed, metric, 89).unwrap().value
}

#[test]
fn every_number_of_tests_1_and_2_is_there() {
    let ids = |name: &str| published::of(name).iter().map(|number| number.id.as_str()).collect::<Vec<_>>();
    assert_eq!(ids("kingston-dc1500m/test-1"), ["K040", "K041", "K042", "K043", "K044", "K045", "K046"]);
    let test_2 = ["K050", "K051", "K056", "K060", "K052", "K053", "K057", "K054", "K055", "K058", "K059"];
    assert_eq!(ids("kingston-dc1500m/test-2"), test_2);
    assert!(published::of("kingston-dc1500m/test-9").is_empty());
}

#[test]
fn tests_of_which_we_have_no_number_have_their_set_up_and_what_limits_it() {
    let names = published::names();
    let without: Vec<&str> = names.into_iter().filter(|name| published::of(name).is_empty()).collect();
    let expected = ["kingston-dc1500m/test-3", "storagereview-skhynix/sql", "storagereview-skhynix/sysbench"];
    assert_eq!(without, expected);
    for name in without {
        assert!(published::confounds(name).len() >= 2, "{name}");
        assert!(published::bed_facts(name, "nvme").unwrap().len() >= 12, "{name}");
    }
}

#[test]
fn numbers_stand_beside_our_beds_and_metrics() {
    assert_eq!(value("kingston-dc1500m/test-2", "nvme", "nopm"), 318_092.0);
    assert_eq!(value("kingston-dc1500m/test-2", "dc500m", "tpm"), 738_067.0);
    assert_eq!(value("kingston-dc1500m/test-2", "eco", "cpu_idle"), 44.2);
    assert_eq!(value("kingston-dc1500m/test-1", "1b", "nopm"), 208_311.0);
    assert_eq!(value("kingston-dc1500m/test-1", "1c", "tpm_per_user"), 16_441.0);
    assert_eq!(published::beside("kingston-dc1500m/test-2", "nvme", "nopm", 55), None);
    assert_eq!(published::beside("kingston-dc1500m/test-2", "eco", "latency_p99", 89), None);
}

#[test]
fn their_tpm_is_never_shown_as_ours_without_saying_so() {
    let everything = published::names().into_iter().flat_map(published::of);
    let measured: Vec<&Number> = everything.filter(|number| number.ours().is_some()).collect();
    assert!(measured.len() >= 16);
    for number in measured {
        let ours = number.ours().unwrap();
        let differs =
            ["tpm", "tpm_per_user", "baseline_tpm", "cpu_idle", "restore_time", "restore_bandwidth"];
        assert_eq!(!ours.same_definition, differs.contains(&ours.metric), "{}", number.id);
        if ours.metric.contains("tpm") {
            assert!(
                ours.note.contains("batch requests") && ours.note.contains("Not the same count"),
                "{}",
                number.id
            );
        }
        let told = number.in_our_words().unwrap();
        assert_eq!((told.system.as_str(), told.metric.as_str()), (ours.bed, ours.metric));
        assert!(told.note.ends_with(ours.note) && told.note.starts_with(&number.note));
        assert_eq!(told.conditions, number.conditions);
        let factor = if number.unit == "GB/s" { 1000.0 } else { 1.0 };
        assert_eq!(told.value, number.value * factor);
    }
}

#[test]
fn printed_pairs_of_tpm_and_nopm_agree_with_batch_requests_but_for_the_one_that_is_marked() {
    for name in published::names() {
        for number in published::of(name).into_iter().filter(|number| number.metric == "NOPM") {
            let bed = number.ours().unwrap().bed;
            let ratio = value(name, bed, "tpm") / number.value;
            let agrees = (ratio - 4.6).abs() < 0.01;
            assert_eq!(agrees, number.confidence == "high", "{}: {ratio}", number.id);
        }
    }
}

#[test]
fn claims_have_no_counterpart_of_ours() {
    let claim = published::find("K059").unwrap();
    assert_eq!((claim.kind.name(), claim.value, claim.confidence.as_str()), ("claim", 235.0, "low"));
    assert_eq!(claim.in_our_words(), None);
    assert_eq!(published::find("K999"), None);
}

#[test]
fn what_else_differs_between_the_beds_is_told() {
    let factors =
        |name: &str| published::confounds(name).iter().map(|c| c.factor.as_str()).collect::<Vec<_>>();
    assert!(factors("kingston-dc1500m/test-2").contains(&"CPU model"));
    assert!(factors("kingston-dc1500m/test-1").contains(&"load driver"));
    assert!(factors("kingston-dc1500m/test-1").contains(&"repeats"));
    assert!(factors("demo").is_empty());
    let facts = published::bed_facts("kingston-dc1500m/test-2", "eco").unwrap();
    assert_eq!(facts["nodes"], "3");
    assert_eq!(published::bed_facts("kingston-dc1500m/test-2", "1a"), None);
}
