//! The simulated realm through the built binary: runs, the table of published numbers, attribution, audit and prediction.

mod common;

use common::Scratch;

const SHORT: [&str; 4] = ["--set", "design.repeats=2", "--set", "workload.virtual_users=[8, 89]"];

#[test]
fn a_published_test_is_simulated_at_its_size_into_the_same_notebook_and_report() {
    let scratch = Scratch::new();
    let run = |notebook: &str| {
        let mut args = vec![
            "run",
            "kingston-dc1500m/test-2",
            "--realm",
            "simulated",
            "--seed",
            "5",
            "--json",
            "--notebook",
            notebook,
        ];
        args.extend(SHORT);
        scratch.run(&args).expect(0).json()
    };
    let (first, second) = (run("a.db"), run("b.db"));
    assert_eq!(first["realm"], "simulated");
    assert_eq!(first["scale"], 1.0);
    assert_eq!(
        first["comparison"]["contrasts"], second["comparison"]["contrasts"],
        "the same seed gives the same figures"
    );
    let report = std::fs::read_to_string(scratch.path().join("drivetrain-report-1.html"))
        .expect("the report is written");
    for part in ["simulated", "relative error", "no byte was moved"] {
        assert!(report.contains(part), "{part}");
    }
}

#[test]
fn what_cannot_be_simulated_is_refused_in_words() {
    let scratch = Scratch::new();
    scratch.write("block.toml", common::BLOCK);
    let output = scratch.run(&["run", "block.toml", "--realm", "simulated"]);
    assert_ne!(output.code, Some(0));
    assert!(output.stderr.contains("is not simulated"), "{output:?}");
}

#[test]
fn published_numbers_stand_beside_simulated_ones() {
    let scratch = Scratch::new();
    let table = scratch.run(&["published", "SR-4c", "--json"]).expect(0).json();
    assert_eq!(table["numbers"].as_array().map(Vec::len), Some(17));
    assert!(table["median_error"].as_f64().is_some_and(|error| error < 0.06), "{table}");
    scratch.run(&["published", "no-such"]).expect(2);
}

#[test]
fn a_calibration_writes_its_values_and_refuses_bad_parameters() {
    let scratch = Scratch::new();
    let done = scratch
        .run(&["calibrate", "--fit", "IOD-scan", "--fit", "IOD-frag", "--out", "c.toml", "--json"])
        .expect(0)
        .json();
    let identified =
        done["parameters"].as_array().expect("a list").iter().filter(|p| p["identified"] == true).count();
    assert!((1..=5).contains(&identified), "{done}");
    let table = scratch.run(&["published", "IOD-scan", "--values", "c.toml", "--json"]).expect(0).json();
    assert_eq!(table["numbers"].as_array().map(Vec::len), Some(6));
    scratch.write(
        "p.toml",
        "[[parameter]]\nname = \"x\"\nvalue = 3\nlow = 1\nhigh = 2\nspread = 1\nwhat = \"\"\nsource = \"\"\n",
    );
    let output = scratch.run(&["calibrate", "--parameters", "p.toml"]);
    assert!(output.stderr.contains("not between its bounds"), "{output:?}");
}

#[test]
fn a_gain_is_split_and_a_study_is_audited() {
    let scratch = Scratch::new();
    let split =
        scratch.run(&["attribute", "kingston-dc1500m/test-2", "--bed", "dc500m", "--json"]).expect(0).json();
    assert_eq!(split[0]["factors"][0]["factor"], "drive");
    let found = scratch.run(&["audit", "kingston-dc1500m", "--json"]).expect(0).json();
    let wrong = |f: &&serde_json::Value| f["verdict"] == "wrong" && f["about"][0] == "K059";
    assert_eq!(found.as_array().expect("a list").iter().filter(wrong).count(), 1);
    scratch.write("empty.toml", "");
    let output = scratch.run(&["audit", "empty.toml"]);
    assert!(output.stderr.contains("nothing to audit"), "{output:?}");
}

#[test]
fn a_measured_run_is_predicted_on_another_drive() {
    let scratch = Scratch::new();
    scratch.write("small.toml", common::SMALL);
    scratch.run(&["run", "small.toml", "--quiet"]).expect(0);
    let predicted = scratch
        .run(&["predict", "--bed", "sata", "--drive", "kingston-dc1500m-960g", "--json"])
        .expect(0)
        .json();
    for level in predicted["levels"].as_array().expect("a list") {
        let nopm = &level["nopm"];
        assert!(
            nopm["low"].as_f64() < nopm["value"].as_f64() && nopm["value"].as_f64() < nopm["high"].as_f64(),
            "{level}"
        );
    }
    scratch.run(&["predict", "--drive", "no-such-drive"]).expect(2);
}
