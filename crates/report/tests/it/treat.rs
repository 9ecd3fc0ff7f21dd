//! Differences between two runs that are named as varied on purpose.

use crate::alike::{answer, set, text};
use crate::given::{BLOCK, Given, ORDERS};
use report::ReportError;

#[test]
fn a_name_of_nothing_is_no_factor() {
    let base = Given::of(ORDERS);
    let bigger = set("database.memory=\"16MiB\"")(base.clone());
    let said = |run: &Given, treat: &[&str]| {
        let directory = tempfile::tempdir().unwrap();
        let (old, b) = base.write(&directory.path().join("old.db"));
        let (new, a) = run.write(&directory.path().join("new.db"));
        let treat: Vec<String> = treat.iter().map(|name| (*name).to_owned()).collect();
        let error = report::compare_runs((&new, a), (&old, b), &treat, report::Declared::MayDiffer).err()?;
        assert!(matches!(error, ReportError::NoFactor { .. }), "{error}");
        Some(error.to_string())
    };
    let text = said(&bigger, &["bogus", "memory", ""]).expect("it is refused");
    assert_eq!(text, "--treat bogus,: nothing is called `bogus` or ``; it can be bed.memory");
    let text = said(&base, &["bogus"]).expect("it is refused where nothing differs, too");
    for name in ["bed.memory", "bed.storage", "bed.engine.version", "workload.warehouses", "realm", "scale"] {
        assert!(text.contains(&format!(" {name}")), "{name}: {text}");
    }
    for known in
        ["storage", "log", "bed.cpus", "engine.version", "workload.tpcc", "model", "experiment", "realm"]
    {
        assert_eq!(said(&base, &[known]), None, "{known}");
    }
}

#[test]
fn a_bed_that_one_run_lacks_is_told_once_in_either_order() {
    let two = Given { engine: None, ..Given::of(ORDERS) };
    let one = text("name = \"eco\"", "name = \"other\"")(two.clone());
    let about = |text: String, bed: &str| {
        let lines = text.lines().filter(|line| line.contains(&format!("bed.{bed}."))).count();
        assert!(text.contains(&format!("the bed `{bed}` is in")), "{text}");
        lines
    };
    for (run, baseline) in [(&two, &one), (&one, &two)] {
        for bed in ["eco", "other"] {
            assert_eq!(about(answer(run, baseline, &[]).unwrap_err(), bed), 0);
        }
    }
}

#[test]
fn what_was_named_as_varied_stands_beside_the_verdict() {
    let base = Given::of(BLOCK);
    let run = set("workload.mixed.stream.block_size=\"4KiB\"")(base.clone());
    let comparison = answer(&run, &base, &["block_size", "memory"]).unwrap();
    assert_eq!(comparison.treatment.len(), 1);
    assert_eq!(comparison.treatment[0].fact, "workload.mixed.stream.1.block_size");
    let words = comparison.to_text();
    assert!(
        words.contains("workload.mixed.stream.1.block_size")
            && words.contains("64KiB")
            && words.contains("4KiB"),
        "{words}"
    );
    assert!(
        comparison.warnings.iter().any(|w| w.contains("`memory` was named as varied")),
        "{:?}",
        comparison.warnings
    );
}
