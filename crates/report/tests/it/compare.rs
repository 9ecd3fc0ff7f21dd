//! Comparisons of whole runs, read from a notebook.

use crate::fixture::Fixture;
use measure::Verdict;
use notebook::{Notebook, RunId};
use report::Comparison;
use serde_json::Value;
use words::Metric;

/// Writes the fixture into a notebook of its own; the directory lives as long as the answer.
fn written(fixture: &Fixture) -> (tempfile::TempDir, Notebook, RunId) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (notebook, run) = fixture.write(&directory.path().join("notebook.db"));
    (directory, notebook, run)
}

fn compared(fixture: &Fixture) -> Comparison {
    let (_directory, notebook, run) = written(fixture);
    report::compare(&notebook, run).expect("a comparison")
}

/// Rounds every number to six significant digits: the last bits of logarithms differ between C libraries.
fn rounded(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let exact = number.as_f64().expect("a float");
            serde_json::json!(format!("{exact:.5e}").parse::<f64>().expect("a numeral"))
        }
        Value::Array(items) => Value::Array(items.into_iter().map(rounded).collect()),
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(key, item)| (key, rounded(item))).collect())
        }
        other => other,
    }
}

#[test]
fn text_of_a_whole_run() {
    insta::assert_snapshot!(compared(&Fixture::default()).to_text());
}

#[test]
fn json_of_a_small_run() {
    let fixture = Fixture { beds: vec!["nvme", "eco"], levels: vec![2.0, 8.0], ..Fixture::default() };
    insta::assert_json_snapshot!(rounded(compared(&fixture).to_json()));
}

#[test]
fn summary_of_a_run() {
    let (_directory, notebook, run) = written(&Fixture::default());
    let summary = report::summary(&notebook, run).unwrap();
    // The start is the only thing that the clock decides.
    let begun = summary.find("begun ").unwrap() + 6;
    let fixed = format!("{}(time){}", &summary[..begun], &summary[begun + 16..]);
    insta::assert_snapshot!(fixed);
}

#[test]
fn cells_that_do_not_count_make_their_contrasts_unpaired_and_are_named() {
    let comparison = compared(&Fixture::default());
    let at = |level: f64, bed: &str| {
        comparison
            .contrasts
            .iter()
            .find(|c| c.metric == Metric::Nopm && c.level == level && c.treatment_bed == bed)
            .unwrap()
    };
    assert!(at(8.0, "nvme").judgement.ratio.paired);
    assert_eq!(at(8.0, "nvme").judgement.ratio.pairs_or_runs, (6, 6));
    // The invalid cell is one of the baseline at 2 users, the interrupted one of the second bed at 4.
    assert!(!at(2.0, "nvme").judgement.ratio.paired);
    assert_eq!(at(2.0, "nvme").judgement.ratio.pairs_or_runs, (6, 5));
    assert_eq!(at(4.0, "dc500m").judgement.ratio.pairs_or_runs, (5, 6));
    assert_eq!(comparison.excluded.len(), 2);
    assert!(comparison.excluded.iter().any(|cell| cell.reason().contains("consistency condition 3")));
}

#[test]
fn the_headline_is_the_highest_level_of_the_first_bed() {
    let comparison = compared(&Fixture::default());
    let headline = comparison.headline.as_ref().unwrap();
    assert_eq!(
        (headline.metric.name().as_str(), headline.level, headline.treatment_bed.as_str()),
        ("nopm", 8.0, "nvme")
    );
    assert_eq!(headline.judgement.verdict, Verdict::Better);
    let expected =
        (headline.treatment_value / headline.baseline_value - headline.judgement.ratio.value).abs();
    assert!(expected < 0.01, "means and ratio tell the same story");
    assert!(
        comparison.answer.contains("2.18x") && comparison.answer.contains("better"),
        "{}",
        comparison.answer
    );
}

#[test]
fn exploratory_contrasts_are_corrected_for_their_number() {
    let comparison = compared(&Fixture::default());
    let exploratory: Vec<_> = comparison.contrasts.iter().filter(|contrast| !contrast.primary).collect();
    assert_eq!(exploratory.len(), 48);
    assert!(exploratory.iter().all(|contrast| contrast.p_adjusted.is_some()));
    assert!(comparison.contrasts.iter().filter(|contrast| contrast.primary).all(|c| c.p_adjusted.is_none()));
    for contrast in exploratory {
        if matches!(contrast.verdict(), Verdict::Better | Verdict::Worse) {
            assert!(contrast.p_adjusted.unwrap() <= 0.05, "{contrast:?}");
        }
    }
}

#[test]
fn beds_that_differ_in_more_than_the_treatment_are_called_by_letters() {
    let comparison = compared(&Fixture { nuisance: true, ..Fixture::default() });
    assert!(!comparison.named_by_treatment);
    assert_eq!(comparison.nuisances.len(), 1);
    assert_eq!(comparison.nuisances[0].fact, "database.page_size");
    assert!(comparison.answer.contains("A: DC1500M 960G completed 2.18x"), "{}", comparison.answer);
    assert!(comparison.to_text().contains("A: DC1500M 960G is `nvme` in the experiment"));
    assert!(compared(&Fixture::default()).named_by_treatment, "the treatment itself is no nuisance");
}

#[test]
fn file_systems_that_differ_are_not_said_to_be_the_same() {
    let comparison = compared(&Fixture { other_file_system: true, ..Fixture::default() });
    let facts: Vec<&str> = comparison.nuisances.iter().map(|nuisance| nuisance.fact.as_str()).collect();
    assert_eq!(facts, ["storage.fs"]);
    assert!(!comparison.named_by_treatment);
}

#[test]
fn a_sequential_order_is_unpaired_and_said_to_be_so() {
    let comparison = compared(&Fixture { order: "sequential", faults: false, ..Fixture::default() });
    assert!(comparison.contrasts.iter().all(|contrast| !contrast.judgement.ratio.paired));
    assert!(
        comparison.warnings.iter().any(|warning| warning.contains("not randomised")),
        "{:?}",
        comparison.warnings
    );
}

#[test]
fn few_repeats_are_only_exploratory() {
    let comparison = compared(&Fixture::of_kind("few"));
    assert!(comparison.contrasts.iter().all(|contrast| contrast.judgement.exploratory));
    assert!(comparison.answer.contains("too few repeats"), "{}", comparison.answer);
}

#[test]
fn a_run_that_measured_nothing_has_no_verdict_and_says_why() {
    let comparison = compared(&Fixture::of_kind("dead"));
    assert_eq!(comparison.headline, None);
    assert!(comparison.answer.starts_with("No verdict: NOPM"), "{}", comparison.answer);
    assert!(
        comparison.warnings.iter().any(|warning| warning.contains("16 primary contrasts")),
        "{:?}",
        comparison.warnings
    );

    let nothing = compared(&Fixture { unrun: 72, ..Fixture::default() });
    assert!(nothing.answer.starts_with("Nothing can be said yet"), "{}", nothing.answer);
    assert!(nothing.warnings[0].contains("interrupted after 0 cells of 72"), "{:?}", nothing.warnings);
}

#[test]
fn a_verdict_that_late_completions_make_says_so_and_by_how_much() {
    let plain = Fixture { levels: vec![8.0], beds: vec!["nvme", "eco"], faults: false, ..Fixture::default() };
    let told = |late| {
        let comparison = compared(&Fixture { late: Some(late), ..plain.clone() });
        assert_eq!(comparison.headline.as_ref().unwrap().verdict(), Verdict::Better);
        let (grave, _) = comparison.warnings.split_at(comparison.grave_warnings);
        grave.iter().find(|warning| warning.contains("later than the drive's model took")).cloned()
    };
    assert_eq!(told(("eco", 2.0)), None, "it would be better all the same");
    let text = told(("eco", 70.0)).unwrap();
    assert!(text.contains("70.0 % with 5200 ECO"), "{text}");
    assert!(text.contains("instead of 2.") && text.contains("its verdict worse instead of better"), "{text}");
    let paced = Fixture { late: Some(("eco", 70.0)), paced: Some((100.0, 104.0)), ..plain };
    let comparison = compared(&paced);
    assert!(comparison.answer.contains("p99"), "the latency at that rate is asked: {}", comparison.answer);
    let all = format!("{:?} {}", comparison.warnings, comparison.answer);
    assert!(!all.contains("instead of") && !all.contains("made late"), "arrivals fix the throughput: {all}");
}

/// Where every cell kept a requested rate, the rates are the same by design: sentence, table and page compare
/// the latency.
#[test]
fn beds_that_keep_a_rate_are_compared_in_their_latency() {
    let free = Fixture { levels: vec![8.0], beds: vec!["nvme", "eco"], faults: false, ..Fixture::default() };
    for (fixture, ratio) in
        [(free.clone(), "NOPM ratio"), (Fixture { paced: Some((100.0, 100.0)), ..free }, "p99 ratio")]
    {
        let (_directory, notebook, run) = written(&fixture);
        let brief = report::brief(&notebook, run).unwrap();
        let page = report::render_html(&notebook, run).unwrap();
        for text in [&brief.text, &page] {
            let told: Vec<&str> =
                ["NOPM ratio", "p99 ratio"].into_iter().filter(|head| text.contains(head)).collect();
            assert_eq!(told, [ratio], "{}", brief.text);
        }
        let noise = format!("variation of the {} of one bed", ratio.split_once(' ').unwrap().0);
        assert!(page.contains(&noise), "the noise is that of the answer's metric: {noise}");
    }
}

#[test]
fn a_rate_well_above_the_requested_one_was_not_met() {
    let plain = Fixture { levels: vec![8.0], beds: vec!["nvme", "eco"], faults: false, ..Fixture::default() };
    let told = |per_s| {
        let comparison = compared(&Fixture { paced: Some((4.8, per_s)), ..plain.clone() });
        let figures = comparison.limiters[0].figures.as_ref().unwrap().to_string();
        (comparison.warnings.join("\n"), figures)
    };
    let (warnings, figures) = told(5.0);
    assert!(
        warnings.contains("The requested rate was met by") && !warnings.contains("a tenth"),
        "{warnings}"
    );
    assert!(figures.starts_with("the requested rate was met: 5.0 of 4.8/s"), "{figures}");
    let (warnings, figures) = told(10.0);
    assert!(warnings.contains("ran more than a tenth above the requested rate"), "{warnings}");
    assert!(!warnings.contains("rate was met"), "{warnings}");
    assert!(figures.starts_with("ran above the requested rate: 10.0 of 4.8/s"), "{figures}");
}

#[test]
fn one_bed_is_described_and_not_compared() {
    let comparison = compared(&Fixture::of_kind("single"));
    assert!(comparison.contrasts.is_empty());
    assert!(comparison.answer.contains("There is one bed only"), "{}", comparison.answer);
}

#[test]
fn two_runs_of_the_same_beds_are_neither_better_nor_worse() {
    for seed in 1..=5 {
        let (_first, notebook_a, a) = written(&Fixture { seed, faults: false, ..Fixture::default() });
        let (_second, notebook_b, b) =
            written(&Fixture { seed: seed + 100, faults: false, ..Fixture::default() });
        let comparison =
            report::compare_runs((&notebook_a, a), (&notebook_b, b), &[], report::Declared::MayDiffer)
                .unwrap();
        for contrast in &comparison.contrasts {
            assert!(!contrast.judgement.ratio.paired);
            assert!(
                !matches!(contrast.verdict(), Verdict::Better | Verdict::Worse),
                "seed {seed}: {} of {} at {}: {:?}",
                contrast.metric,
                contrast.treatment_bed,
                contrast.level,
                contrast.judgement
            );
        }
    }
}

#[test]
fn the_page_of_two_runs_has_what_can_be_compared_before_what_was_found() {
    let small = Fixture { levels: vec![8.0], faults: false, hostile: true, ..Fixture::default() };
    let (_first, notebook_a, a) = written(&small);
    let (_second, notebook_b, b) = written(&Fixture { seed: 9, ..small });
    let page = report::compare_runs((&notebook_a, a), (&notebook_b, b), &[], report::Declared::MayDiffer)
        .unwrap()
        .to_markup();
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text} in {page}"));
    assert!(place("class=\"answer\"") < place("The recorded surroundings of the two runs are the same."));
    assert!(place("The recorded surroundings") < place("<table"));
    assert!(page.contains("<span class=\"verdict v-") && !page.contains("<script"), "{page}");
}

#[test]
fn the_first_run_named_stands_above_the_line() {
    let (_first, notebook_a, a) = written(&Fixture { levels: vec![8.0], ..Fixture::default() });
    let (_second, notebook_b, b) = written(&Fixture { levels: vec![8.0], seed: 9, ..Fixture::default() });
    let forth = report::compare_runs((&notebook_a, a), (&notebook_b, b), &[], report::Declared::MayDiffer)
        .unwrap()
        .headline
        .unwrap();
    let back = report::compare_runs((&notebook_b, b), (&notebook_a, a), &[], report::Declared::MayDiffer)
        .unwrap()
        .headline
        .unwrap();
    assert!((forth.judgement.ratio.value * back.judgement.ratio.value - 1.0).abs() < 1e-12);
    let run_a = report::compare(&notebook_a, a).unwrap();
    let mean =
        run_a.contrasts.iter().find(|c| c.metric == Metric::Nopm && c.treatment_bed == "nvme").unwrap();
    assert_eq!(forth.treatment_value, mean.treatment_value);
}

#[test]
fn beds_that_are_the_same_are_compared_as_noise() {
    let comparison = compared(&Fixture { twin: true, ..Fixture::default() });
    assert!(!comparison.same_bed.is_empty());
    for contrast in &comparison.same_bed {
        assert_eq!((contrast.treatment_bed.as_str(), contrast.baseline_bed.as_str()), ("twin", "eco"));
        assert!(!matches!(contrast.judgement.verdict, Verdict::Better | Verdict::Worse), "{contrast:?}");
    }
    let words = comparison.to_text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("the same bed twice"), "{words}");
    assert!(compared(&Fixture::default()).same_bed.is_empty());
}

#[test]
fn a_run_that_does_not_exist_is_an_error_that_says_what_to_do() {
    let (_directory, notebook, _) = written(&Fixture::of_kind("single"));
    let missing = report::compare(&notebook, RunId(99)).unwrap_err();
    assert!(missing.to_string().contains("drivetrain ls"), "{missing}");
}
