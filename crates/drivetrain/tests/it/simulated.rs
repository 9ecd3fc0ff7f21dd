//! The simulated realm through the built binary: runs, the table of published numbers, attribution, audit and
//! prediction.

use crate::common::{self, Scratch};

const SHORT: [&str; 4] = ["--set", "design.repeats=2", "--set", "workload.virtual_users=[8, 89]"];

/// The JSON document of a run without the two lines that must differ: when it was started, and where its
/// report lies.
fn without_time_and_place(text: &str) -> String {
    let differs =
        |line: &&str| ["\"started_at\":", "\"report\":"].iter().any(|key| line.trim().starts_with(key));
    text.lines().filter(|line| !differs(line)).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_published_test_is_simulated_at_its_size_into_the_same_notebook_and_report() {
    let scratch = Scratch::new();
    let run = |notebook: &str| {
        let test = "kingston-dc1500m/test-2";
        let mut args =
            vec!["run", test, "--realm", "simulated", "--seed", "5", "--json", "--notebook", notebook];
        args.extend(SHORT);
        scratch.run(&args).expect(0)
    };
    let (first, second) = (run("a.db"), run("b.db"));
    assert_eq!(
        without_time_and_place(&first.stdout),
        without_time_and_place(&second.stdout),
        "the same seed gives the same bytes"
    );
    let first = first.json();
    assert_eq!(first["realm"], "simulated");
    assert_eq!(first["scale"], 1.0);
    let report =
        std::fs::read_to_string(scratch.report("a-drivetrain-report-1-")).expect("the report is written");
    for part in ["simulated", "relative error", "no byte was moved"] {
        assert!(report.contains(part), "{part}");
    }
}

/// The p99 of one bed at one level, repeat by repeat, as a stretch of progress lines says it.
fn told_p99s(progress: &str, bed: &str, users: &str) -> Vec<f64> {
    let cell = format!("{bed}, {users} virtual users, repeat ");
    let lines = progress.lines().filter(|line| line.contains(&cell));
    lines.map(|line| number_after(line, "p99 ")).collect()
}

fn number_after(text: &str, mark: &str) -> f64 {
    let rest = &text[text.find(mark).unwrap_or_else(|| panic!("{mark} is in {text}")) + mark.len()..];
    let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    digits.parse().unwrap_or_else(|_| panic!("a number follows {mark} in {text}"))
}

fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

#[test]
fn a_percentile_is_one_number_wherever_it_is_told() {
    let text = common::SMALL.replace("repeats = 2", "repeats = 3").replace("\"1s\"", "\"4s\"");
    let scratch = Scratch::with("x.toml", &text);
    let run =
        scratch.run(&["run", "x.toml", "--realm", "simulated", "--report", "r.html", "--json"]).expect(0);
    let told = told_p99s(&run.stderr, "nvme", "2");
    assert_eq!(told.len(), 3, "{}", run.stderr);
    let wanted = geometric_mean(&told);
    let document = run.json();

    let cells = document["cells"].as_array().expect("cells");
    let is_meant = |cell: &&serde_json::Value| cell["bed"] == "nvme" && cell["level"] == 2.0;
    let of_cell = |cell: &serde_json::Value| cell["metrics"]["latency_p99"]["value"].as_f64().expect("p99");
    let shown: Vec<f64> = cells.iter().filter(is_meant).map(of_cell).collect();
    let compared = document["comparison"]["contrasts"].as_array().expect("contrasts");
    let compared = compared
        .iter()
        .find(|of| of["metric"] == "latency_p99" && of["level"] == 2.0 && of["treatment_bed"] == "nvme")
        .expect("the p99 is compared");
    let csv = scratch.run(&["export"]).expect(0).stdout;
    let rows = csv.lines().filter(|row| row.contains(",nvme,tpcc,2,") && row.contains(",latency_p99,"));
    let exported: Vec<f64> = rows.map(|row| number_after(row, ",latency_p99,")).collect();
    let page = std::fs::read_to_string(scratch.path().join("r.html")).expect("the report is written");
    let tile = page.split("<h3>p99 latency at 2 ").nth(1).expect("the tile");
    let tile = tile.split("<span>").find(|row| row.starts_with("nvme")).expect("its row");
    let table = scratch.run(&["show"]).expect(0).stdout;
    let row =
        table.lines().find(|line| line.trim_start().starts_with("2  nvme")).expect("a row of the table");
    let in_table = row.split_whitespace().nth(4).and_then(|number| number.parse().ok()).expect("its p99");

    for (place, found) in [
        ("show --json", geometric_mean(&shown)),
        ("compare", compared["treatment_geometric_mean"].as_f64().expect("a mean")),
        ("export", geometric_mean(&exported)),
        ("tile", number_after(tile, "<b>")),
        ("show", in_table),
    ] {
        // Progress tells hundredths of a millisecond, tables three digits.
        assert!((found / wanted - 1.0).abs() < 0.005, "{place}: {found} instead of {wanted}");
    }
    assert_eq!((shown.len(), exported.len()), (3, 3));
    // Percentiles of all repeats together are another number, and have another name.
    assert!(page.contains("pooled p99"), "the distribution says so");
    assert!(page.contains("<b>Simulated, ") && !page.contains("Measured"), "nothing here was measured");
    // Cells and repeats count from 1 in all outputs.
    let counted = |key: &str| cells.iter().map(|cell| cell[key].as_u64().expect(key)).min();
    assert_eq!((counted("cell"), counted("repeat")), (Some(1), Some(1)));
    assert!(cells.iter().all(|cell| cell["position"].is_null()), "and under one name");
    assert!(!csv.lines().any(|row| row.split(',').nth(5) == Some("0")), "{csv}");
    // One user waits for no lock, and the model has none.
    assert!(cells.iter().all(|cell| cell["limiter"] != "locks"), "{document:#}");
}

#[test]
fn backups_neighbours_and_block_loads_are_simulated_at_their_size() {
    let scratch = Scratch::new();
    for (name, settings, expected) in [
        (
            "kingston-dc1500m/test-4",
            &["workload.cycles=1"][..],
            &["593", "relative error", "nothing could be proven"][..],
        ),
        (
            "kingston-dc1500m/test-5-as-published",
            &["workload.virtual_users=8"],
            &["113,812", "relative error", "no slowdown can be computed"],
        ),
        (
            "kingston-dc1500m/test-5",
            &["workload.virtual_users=8", "workload.victims=2", "workload.neighbours=3"],
            &["slowed down"],
        ),
        ("iodrive-2009/sqlio", &[], &["IOPS"]),
    ] {
        let mut args = vec!["run", name, "--realm", "simulated", "--json", "--set", "design.repeats=1"];
        settings.iter().for_each(|setting| args.extend(["--set", setting]));
        let json = scratch.run(&args).expect(0).json();
        assert_eq!(json["realm"], "simulated", "{name}");
        let report = std::fs::read_to_string(json["report"].as_str().expect("a path")).expect("the report");
        for part in expected {
            assert!(report.contains(part), "{name}: {part}");
        }
    }
}

#[test]
fn what_cannot_be_simulated_is_refused_in_words() {
    let scratch = Scratch::new();
    for (name, why) in [
        ("durability/sqlite", "would prove nothing"),
        ("iodrive-2009/fragmentation", "do not know where the pieces"),
        ("storagereview-skhynix/sysbench-mariadb", "fitted to nothing"),
        ("sql-server-streams", "several streams"),
    ] {
        let output = scratch.run(&["run", name, "--realm", "simulated"]).expect(2);
        assert!(output.stderr.contains(why) && output.stderr.contains("what to do"), "{output:?}");
    }
}

/// A load of reads on one modelled drive; `keys` follow those of the workload, `stream` those of its stream.
fn reads(keys: &str, stream: &str) -> String {
    format!(
        "schema = 1\ntitle = \"reads\"\n[[bed]]\nname = \"drive\"\n\
         storage = {{ emulated = \"kingston-dc1500m-960g\", path = \".\" }}\n[[workload]]\nkind = \"block\"\nsize = \"64MiB\"\n\
         ramp_up = \"0s\"\nmeasure = \"4s\"\n{keys}[[workload.stream]]\nread = \"100%\"\nblock_size = \"4KiB\"\n{stream}\
         [design]\nrepeats = 1\n"
    )
}

#[test]
fn a_simulated_matrix_has_the_figures_of_its_tracked_points() {
    let scratch = Scratch::new();
    let matrix = "depth = [4]\n[workload.matrix]\nread = [\"100%\"]\nblock_size = [\"64KiB\", \"4KiB\"]\n\
                  [workload.steady]\ntrack = [{ metric = \"iops\", block_size = \"4KiB\" }]\n";
    scratch.write("matrix.toml", &reads(matrix, ""));
    scratch.write("alone.toml", &reads("depth = [4]\n", ""));
    let iops = |file: &str| {
        let json =
            scratch.run(&["run", file, "--realm", "simulated", "--json", "--seed", "3"]).expect(0).json();
        let run = json["run"].to_string();
        let shown = scratch.run(&["show", &run, "--json"]).expect(0).json();
        shown["cells"][0]["metrics"]["iops"]["value"].as_f64().expect("a rate")
    };
    let (matrix, alone) = (iops("matrix.toml"), iops("alone.toml"));
    assert!((matrix / alone - 1.0).abs() < 0.05, "{matrix} of the tracked point, {alone} of that load alone");
}

#[test]
fn an_amount_of_one_stream_is_not_ignored() {
    let scratch = Scratch::new();
    for key in ["bytes = \"1KiB\"", "passes = 1", "run_for = \"1s\"", "start_after = \"1s\""] {
        scratch.write("some.toml", &reads("", &format!("depth = 4\n{key}\n")));
        let output = scratch.run(&["run", "some.toml", "--realm", "simulated"]).expect(2);
        assert!(output.stderr.contains("amounts and times of one stream"), "{key}: {output:?}");
    }
}

#[test]
fn what_no_bed_can_be_is_refused_with_what_is_allowed() {
    let scratch = Scratch::new();
    let refused = |name: &str, text: &str, why: &str| {
        scratch.write(name, text);
        let output = scratch.run(&["run", name, "--realm", "simulated"]);
        assert_ne!(output.code, Some(0), "{name}");
        assert!(format!("{}{}", output.stderr, output.stdout).contains(why), "{output:?}");
    };
    let unknown = common::SMALL.replacen("path = \".\" }", "path = \".\" }\nsimulated = \"kingston-nvm\"", 1);
    refused("unknown.toml", &unknown, "did you mean \"kingston-nvme\"?");
    let drive = include_str!("../../../../catalogue/drives/kingston-dc500m-1920g.toml")
        .replace("kingston-dc500m-1920g", "impossible")
        .replace("read_bandwidth_mb_per_s = { value = 555", "read_bandwidth_mb_per_s = { value = 0");
    scratch.write("impossible.toml", &drive);
    let impossible = common::SMALL.replacen("kingston-dc1500m-960g", "impossible.toml", 1);
    refused("impossible-bed.toml", &impossible, "read_bandwidth");
    let crowd = common::SMALL
        .replace("virtual_users = [1, 2]", "virtual_users = [100000]")
        .replace("memory = \"16MiB\"", "memory = \"16MiB\"\ninstances = 12");
    refused("crowd.toml", &crowd, "more memory");
    scratch.write("values.toml", "[values]\npool_share = 7\n");
    let output = scratch.run(&["published", "K-4", "--values", "values.toml"]).expect(2);
    assert!(output.stderr.contains("the model holds from"), "{output:?}");
    let output = scratch.run(&["calibrate", "--fit", "K-4", "--steps", "1", "--out", "c.toml"]);
    assert!(output.stderr.contains("did not converge in 1 step"), "{output:?}");
}

#[test]
fn published_numbers_stand_beside_simulated_ones() {
    let scratch = Scratch::new();
    let table = scratch.run(&["published", "SR-4c", "--json"]).expect(0).json();
    assert_eq!(table["numbers"].as_array().map(Vec::len), Some(17));
    assert!(table["median_error"].as_f64().is_some_and(|error| error < 0.06), "{table}");
    scratch.run(&["published", "no-such"]).expect(2);
    // A number with a large error has its cause beside it, and a ratio is separate from the measurements.
    let table = scratch.run(&["published", "K-4", "--json"]).expect(0).json();
    let rows = |of: &str| table[of].as_array().cloned().unwrap_or_default();
    let far =
        |row: &serde_json::Value| row["relative_error"].as_f64().is_some_and(|error| error.abs() > 0.15);
    assert_eq!((rows("numbers").len(), rows("ratios").len()), (6, 2), "{table}");
    for row in rows("numbers").iter().chain(&rows("ratios")).filter(|row| far(row)) {
        assert!(row["remark"].as_str().is_some_and(|why| !why.contains("no reason")), "{row}");
    }
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
    let output = scratch.run(&["audit", "kingston"]).expect(2);
    assert!(
        output.stderr.contains("the studies are ") && output.stderr.contains("iodrive-2009"),
        "{output:?}"
    );
    scratch.write("numbers.toml", "[[number]]\nmetric = \"TPM\"\nvalue = 1\n");
    let output = scratch.run(&["audit", "numbers.toml"]).expect(0);
    assert!(output.stdout.contains("numbers.toml claims nothing: it has no [[statement]]"), "{output:?}");
    scratch.write("one.toml", "[[claim]]\ntext = \"5x\"\nformula = \"2 / 2\"\n");
    let output = scratch.run(&["audit", "one.toml"]).expect(0);
    assert!(output.stdout.contains("\n1 finding; 0 claims are right"), "{output:?}");
    assert!(!output.stdout.contains("claims nothing"), "{output:?}");
}

#[test]
fn a_run_that_is_not_there_is_said_once() {
    let scratch = Scratch::new();
    scratch.write("block.toml", common::BLOCK);
    scratch.run_in_virtual_time(&["run", "block.toml", "--quiet"]).expect(0);
    let output = scratch.run(&["compare", "99"]).expect(2);
    assert_eq!(output.stderr.matches("drivetrain ls").count(), 1, "{output:?}");
}

#[test]
fn a_measured_run_is_predicted_on_another_drive() {
    let scratch = Scratch::new();
    scratch.write("small.toml", &common::SMALL.replace("repeats = 2", "repeats = 1"));
    scratch.run(&["run", "small.toml", "--quiet"]).expect(0);
    let predicted = scratch
        .run(&["predict", "--bed", "sata", "--drive", "kingston-dc1500m-960g", "--json"])
        .expect(0)
        .json();
    assert_eq!(predicted["predictions"].as_array().map(Vec::len), Some(1), "{predicted}");
    assert_eq!(predicted["verdict"][0]["of"].as_u64(), Some(2), "{predicted}");
    for level in predicted["predictions"][0]["levels"].as_array().expect("a list") {
        let nopm = &level["nopm"];
        assert!(
            nopm["low"].as_f64() < nopm["value"].as_f64() && nopm["value"].as_f64() < nopm["high"].as_f64(),
            "{level}"
        );
    }
    // Without a drive: each of the two beds from the other, two levels each, and what became of it.
    let all = scratch.run(&["predict", "--json"]).expect(0).json();
    assert_eq!(all["predictions"].as_array().map(Vec::len), Some(2), "{all}");
    let nopm = &all["verdict"][0];
    assert_eq!((nopm["figure"].as_str(), nopm["of"].as_u64()), (Some("nopm"), Some(4)), "{all}");
    let told = scratch.run(&["predict"]).expect(0);
    assert!(told.stdout.contains("of 4 within 10 %"), "{told:?}");
    // Every value outside of its interval is marked, and they are counted.
    let figures =
        all["predictions"].as_array().unwrap().iter().flat_map(|bed| bed["levels"].as_array().unwrap());
    let figures = figures.flat_map(|level| level.as_object().unwrap().values());
    let judged: Vec<bool> = figures.filter_map(|figure| figure["is_within_interval"].as_bool()).collect();
    let outside = judged.iter().filter(|is_within| !**is_within).count();
    let counted = format!("outside of the 95 % interval: {outside} of {} measured values", judged.len());
    assert!(!judged.is_empty() && told.stdout.contains(&counted), "{told:?}");
    let marked = told.stdout.lines().filter(|line| line.ends_with("  outside")).count();
    assert_eq!(marked, outside, "{told:?}");
    assert_eq!(all["outside_interval"].as_u64(), Some(outside as u64), "{all}");
    // A bed does not judge what is predicted from itself.
    let itself = ["predict", "--bed", "sata", "--drive", "micron-5200-eco-1920g"];
    let told_of_itself = scratch.run(&itself).expect(0).stdout;
    assert!(!told_of_itself.contains("kept") && !told_of_itself.contains("MISSED"), "{told_of_itself}");
    let refused = scratch.run(&[&itself[..], &["--judge", "sata"]].concat()).expect(2).stderr;
    assert!(refused.contains("cannot judge a prediction from bed `sata`"), "{refused}");
    let refused = scratch.run(&[&itself[..], &["--judge", "nvme"]].concat()).expect(2).stderr;
    assert!(refused.contains("is on kingston-dc1500m-960g: it cannot judge"), "{refused}");
    let refused = scratch.run(&["predict", "--judge", "nvme"]).expect(2).stderr;
    assert!(refused.contains("say with --drive"), "{refused}");
    // Whoever else was at work is named with the prediction.
    let others = all["cpu_others_most_percent"].as_f64().expect("a number");
    assert_eq!(told.stderr.contains("other programs took up to"), others > 10.0, "{told:?}");
    let steal = all["cpu_steal_most_percent"].as_f64().expect("a number");
    assert_eq!(told.stderr.contains("the host of this virtual machine took"), steal > 10.0, "{told:?}");
    scratch.run(&["predict", "--drive", "no-such-drive"]).expect(2);
    // The drive of an emulated bed is known; another in its place is told.
    let from = |drive: &str| {
        let asked = ["predict", "--bed", "sata", "--to", "kingston-dc1500m-960g", "--from", drive];
        scratch.run(&asked).expect(0).stderr
    };
    assert!(from("toshiba-dt01aca200").contains("takes its place"));
    assert!(!from("micron-5200-eco-1920g").contains("takes its place"));
}

/// Drives that a run took from files are in no catalogue.
#[test]
fn a_run_on_drives_of_files_is_predicted() {
    let scratch = Scratch::new();
    let mut experiment = common::SMALL.replace("repeats = 2", "repeats = 1").replace("[1, 2]", "[1]");
    for (name, own) in [("micron-5200-eco-1920g", "slow"), ("kingston-dc1500m-960g", "fast")] {
        let path = format!("{}/../../catalogue/drives/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("it is in the catalogue");
        let named = text.replace(&format!("name = \"{name}\""), &format!("name = \"my-{own}\""));
        scratch.write(&format!("{own}.toml"), &named);
        experiment = experiment.replace(&format!("\"{name}\""), &format!("\"{own}.toml\""));
    }
    scratch.write("small.toml", &experiment);
    scratch.run(&["run", "small.toml", "--quiet"]).expect(0);
    let predicted = scratch.run(&["predict", "--json"]).expect(0).json();
    let drives: Vec<&str> =
        predicted["predictions"].as_array().unwrap().iter().map(|p| p["drive"].as_str().unwrap()).collect();
    assert!(drives.len() == 2 && drives.iter().all(|drive| drive.ends_with(".toml")), "{predicted}");
    assert_eq!(predicted["verdict"][0]["of"].as_u64(), Some(2), "{predicted}");

    // From another directory the drives are those of the run, and numbers that have changed are told.
    let notebook = scratch.path().join("drivetrain.db").display().to_string();
    let again = Scratch::new().run(&["predict", "--json", "--notebook", &notebook]).expect(0);
    assert!(!again.stderr.contains("on other numbers"), "{}", again.stderr);
    assert_eq!(again.json()["verdict"], predicted["verdict"]);
    // Behind a layer nothing judges the drive itself, and what no measurement says is told.
    let itself = scratch.run(&["predict", "--bed", "nvme", "--drive", "slow.toml", "--real", "--json"]);
    assert!(itself.expect(0).json()["predictions"][0]["judged_by"].is_null());
    let judged =
        scratch.run(&["predict", "--bed", "nvme", "--drive", "slow.toml", "--real", "--judge", "sata"]);
    assert!(judged.expect(2).stderr.contains("--real leaves out"));
    let of_a_map = scratch.run(&["predict", "--drive", "aws-i3-2xlarge"]).expect(0).stderr;
    assert!(of_a_map.contains("did not tell: write.ack"), "{of_a_map}");
    let slow = std::fs::read_to_string(scratch.path().join("slow.toml")).expect("it was written");
    scratch
        .write("slow.toml", &slow.replace("latency_8k_us = { value = 190", "latency_8k_us = { value = 200"));
    let refused = scratch.run(&["predict"]).expect(2).stderr;
    let why = "bed sata of run 1 was measured on other numbers than ";
    assert!(refused.contains(why) && refused.contains("--measured-on"), "{refused}");
    let told = scratch.run(&["predict", "--bed", "nvme", "--drive", "slow.toml", "--json"]).expect(0);
    assert!(told.stderr.contains(why) && told.stderr.contains("cannot judge"), "{}", told.stderr);
    let judged = told.json();
    assert!(judged["predictions"][0]["judged_by"].is_null() && judged["measured_values"] == 0, "{judged}");
    assert!(judged["cautions"].to_string().contains("cannot judge"), "{judged}");
    std::fs::remove_file(scratch.path().join("slow.toml")).expect("it was there");
    let gone = scratch.run(&["predict"]).expect(2).stderr;
    assert!(gone.contains("slow.toml: No such file") && gone.contains("bed sata of run 1"), "{gone}");
}
