//! The notebook as people live with it: names, tags, notes, lists, removal, and hostile names in all of them.

use crate::common::{BLOCK, Scratch};

const HOSTILE: &str = "<script>alert(1)</script>\u{1b}[2J=1+1\nrun 9";
/// A name has no control characters, and may be hostile all the same.
const HOSTILE_NAME: &str = "<script>alert(1)</script>=1+1";

/// A notebook with two runs, the first of them named, tagged and noted.
fn two_runs() -> Scratch {
    let scratch = Scratch::with("x.toml", &BLOCK.replace("repeats = 6", "repeats = 1"));
    let labels = ["--name", HOSTILE_NAME, "--tag", "good", "--tag", "v1", "--note", HOSTILE];
    scratch.run_in_virtual_time(&[&["run", "x.toml"], &labels[..]].concat()).expect(0);
    scratch.run_in_virtual_time(&["run", "x.toml", "--seed", "9"]).expect(0);
    scratch
}

#[test]
fn runs_are_listed_with_what_people_say_of_them() {
    let scratch = two_runs();
    let listed = scratch.run(&["ls"]).expect(0).stdout;
    assert_eq!(listed.lines().count(), 5, "a head and two lines a run: {listed}");
    assert!(!listed.contains('\u{1b}') && listed.contains("[good, v1] \"<script>"), "{listed}");
    assert!(listed.contains("+00:00") || listed.contains(":00  finished"), "a zone: {listed}");
    let runs = |arguments: &[&str]| {
        let listed = scratch.run(&[&["ls", "--json"], arguments].concat()).expect(0).json();
        listed.as_array().unwrap().iter().map(|run| run["run"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(runs(&["--tag", "v1"]), [1]);
    assert_eq!(runs(&["--last", "1"]), [2]);
    assert_eq!(runs(&["--state", "interrupted"]), [0i64; 0]);
    assert_eq!(runs(&["--realm", "emulated", "SCRIPT"]), [1]);
    let id = scratch.run(&["ls", "--json"]).expect(0).json()[1]["id"].as_str().unwrap().to_owned();
    assert_eq!(runs(&[&id]), [2]);
    assert!(scratch.report(&format!("drivetrain-report-2-{id}")).exists());
    assert_eq!(scratch.run(&["show", &id, "--json"]).expect(0).json()["run"], 2);
    assert_eq!(scratch.run(&["show", "v1", "--json"]).expect(0).json()["run"], 1);
    let notes = scratch.run(&["note", "v1"]).expect(0).stdout;
    assert!(notes.contains("alert(1)") && !notes.contains('\u{1b}'), "{notes}");
    let page = std::fs::read_to_string(scratch.report("drivetrain-report-1-")).unwrap();
    assert!(!page.contains("<script>alert"), "no name becomes markup");
    for none in [HOSTILE, "latest", "last-good", "12", "  ", &"n".repeat(81)] {
        let refused = scratch.run(&["tag", "1", "--name", none]).expect(2).stderr;
        assert!(refused.contains("--name") && !refused.contains('\u{1b}'), "{refused}");
    }
    scratch.run(&["ls", "--state", "fnished"]).expect(2);
    let unknown = scratch.run(&["show", "v2"]).expect(2).stderr;
    assert!(unknown.contains("no run of") && unknown.contains("drivetrain ls"), "{unknown}");
}

#[test]
fn the_last_good_run_is_the_baseline_that_nobody_names() {
    let scratch = two_runs();
    let check = |arguments: &[&str]| scratch.run(&[&["check"], arguments].concat());
    let few = check(&[]).expect(4).stdout;
    assert!(
        few.starts_with("UNDECIDED: a loss of run 2 against run 1 is neither shown nor excluded"),
        "{few}"
    );
    check(&["--baseline", "v1"]).expect(4);
    // The judged run is no baseline of itself, whatever it bears.
    let named = scratch.run(&["tag", "latest", "--name", "nightly", "good"]).expect(0).stderr;
    let other = scratch.run(&["tag", "1", "--name", "nightly"]).expect(0).stderr;
    assert!(named.is_empty() && other.contains("run 2 has this name, too"), "{named}{other}");
    scratch.run(&["tag", "latest", "--name", ""]).expect(0);
    assert!(check(&[]).expect(4).stdout.contains("against run 1"));
    scratch.run(&["tag", "1", "--remove", "good", "--remove", "v1", "--name", ""]).expect(0);
    let none = check(&[]).expect(2).stderr;
    assert!(
        none.contains("no other run of `x.toml` in") && none.contains("drivetrain tag RUN good"),
        "{none}"
    );
}

#[test]
fn a_run_is_removed_only_by_a_yes() {
    let scratch = two_runs();
    let refused = scratch.run(&["rm", "1"]).expect(6).stderr;
    assert!(refused.contains("--yes"), "{refused}");
    let removed = scratch.run(&["rm", "good", "1", "--yes"]).expect(0).stdout;
    assert!(removed.starts_with("removed run 1 (r"), "{removed}");
    let told: Vec<&str> = removed.lines().skip(1).collect();
    assert!(matches!(told[..], [one] if one.contains("drivetrain-report-1-")), "{removed}");
    scratch.run(&["show", "1"]).expect(2);
    assert_eq!(scratch.run(&["ls", "--json"]).expect(0).json()[0]["run"], 2);
    // A report that somebody wrote into is no longer ours to remove.
    let page = scratch.report("drivetrain-report-2-");
    let text = std::fs::read_to_string(&page).unwrap();
    std::fs::write(&page, text + "<!-- mine -->").unwrap();
    let removed = scratch.run(&["rm", "2", "--yes"]).expect(0).stdout;
    assert!(removed.contains("left ") && page.exists(), "{removed}");
    scratch.run_in_virtual_time(&["run", "x.toml"]).expect(0);
    assert_eq!(scratch.run(&["ls", "--json"]).expect(0).json()[0]["run"], 3, "no number means two runs");
}

#[test]
fn a_name_of_several_runs_changes_none_of_them() {
    let scratch = two_runs();
    scratch.run(&["tag", "2", "good"]).expect(0);
    let before = scratch.run(&["ls", "--json"]).expect(0).stdout;
    for name in ["good", "x.toml"] {
        for line in [
            &["rm", name, "--yes"][..],
            &["tag", name, "v2"],
            &["note", name, "seen"],
            &["clean", "--run", name],
        ] {
            let refused = scratch.run(line).expect(2).stderr;
            assert!(
                refused.contains(&format!("`{name}` means 2 runs of "))
                    && refused.contains(": 1 (r")
                    && refused.contains("), 2 (r"),
                "{refused}"
            );
        }
    }
    assert_eq!(scratch.run(&["ls", "--json"]).expect(0).stdout, before);
    assert_eq!(
        scratch.run(&["show", "good", "--json"]).expect(0).json()["run"],
        2,
        "to look at it, the latest"
    );
    scratch.run(&["tag", "latest", "v2"]).expect(0);
}

#[test]
fn a_path_in_place_of_a_run_is_told_apart() {
    let scratch = two_runs();
    scratch.write("other.toml", "schema = 1\n");
    for line in [
        &["show", "drivetrain.db"][..],
        &["compare", "1", "drivetrain.db"],
        &["check", "--baseline", "drivetrain.db"],
    ] {
        let refused = scratch.run(line).expect(2).stderr;
        assert!(
            refused.contains("`drivetrain.db` is a notebook") && refused.contains("--baseline-notebook"),
            "{refused}"
        );
    }
    for path in ["other.toml", "not/here"] {
        let refused = scratch.run(&["report", path]).expect(2).stderr;
        assert!(refused.contains(&format!("`{path}` is a path, and a run is expected here")), "{refused}");
        assert!(refused.contains(&format!("`drivetrain run {path}`")), "{refused}");
    }
}

#[test]
fn a_finished_run_takes_more_repeats_and_single_cells_again() {
    let scratch = two_runs();
    let cells = |run: &str| {
        let shown = scratch.run(&["show", run, "--json"]).expect(0).json();
        assert_eq!(shown["state"], "finished");
        shown["cells"].as_array().unwrap().clone()
    };
    let before = cells("1");
    scratch.run_in_virtual_time(&["resume", "1", "--repeats", "3"]).expect(0);
    let after = cells("1");
    assert_eq!(after.len(), 3 * before.len());
    assert_eq!(after[..before.len()], before[..], "what was measured stays as it is");
    assert!(after.iter().all(|cell| cell["state"] == "done"), "{after:#?}");
    // The order of the added blocks is that of a run that was planned with them.
    let planned = ["run", "x.toml", "--set", "design.repeats=3", "--seed"];
    let seed = scratch.run(&["show", "1", "--json"]).expect(0).json()["seed"].to_string();
    scratch.run_in_virtual_time(&[&planned[..], &[seed.as_str()]].concat()).expect(0);
    let place =
        |cell: &serde_json::Value| (cell["bed"].clone(), cell["level"].clone(), cell["repeat"].clone());
    assert_eq!(cells("3").iter().map(place).collect::<Vec<_>>(), after.iter().map(place).collect::<Vec<_>>());
    scratch.run_in_virtual_time(&["resume", "1", "--cells", "2-3"]).expect(0);
    assert_eq!(cells("1").len(), after.len());
    let file = rusqlite::Connection::open(scratch.path().join("drivetrain.db")).unwrap();
    let sql = "SELECT count(*) FROM attempt JOIN cell ON cell.id = attempt.cell WHERE run = 1 AND attempt.state = 'done'";
    let attempts: i64 = file.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(attempts, after.len() as i64 + 2, "the earlier results stay on record");
    let refused = |arguments: &[&str], words: &str| {
        let said = scratch.run_in_virtual_time(&[&["resume", "1"], arguments].concat());
        assert!(said.code != Some(0) && said.stderr.contains(words), "{said:#?}");
    };
    refused(&["--repeats", "2"], "2 repeats or more already");
    refused(&["--cells", "99"], "no cell 99");
    let data = std::fs::read_dir(scratch.path().join("drivetrain-data")).map_or(0, Iterator::count);
    assert_eq!(data, 0, "a refusal makes nothing");
    assert_eq!(cells("1").len(), after.len(), "a refusal changes nothing");
}

#[test]
fn the_wide_table_has_a_row_for_each_cell_and_a_column_for_each_metric() {
    let scratch = two_runs();
    scratch.run(&["export", "--format", "wide-csv", "-o", "wide.csv"]).expect(0);
    // It is ours, and replaced unasked.
    scratch.run(&["export", "--format", "wide-csv", "-o", "wide.csv"]).expect(0);
    let table = std::fs::read_to_string(scratch.path().join("wide.csv")).unwrap();
    let cells = scratch.run(&["show", "--json"]).expect(0).json()["cells"].as_array().unwrap().clone();
    let mut lines = table.lines();
    let heads: Vec<&str> = lines.next().unwrap().split(',').collect();
    let iops = heads.iter().position(|head| *head == "iops (1/s)").unwrap();
    for (line, cell) in lines.by_ref().zip(&cells) {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!((fields.len(), fields[2]), (heads.len(), cell["bed"].as_str().unwrap()));
        assert_eq!(fields[iops].parse::<f64>().unwrap(), cell["metrics"]["iops"]["value"].as_f64().unwrap());
    }
    assert_eq!(table.lines().count(), cells.len() + 1);
}

#[test]
fn a_word_for_several_runs_changes_none_of_them() {
    let scratch = two_runs();
    scratch.run(&["tag", "2", "--name", HOSTILE_NAME]).expect(0);
    for change in
        [&["rm", HOSTILE_NAME, "--yes"][..], &["tag", HOSTILE_NAME, "x"], &["note", HOSTILE_NAME, "x"]]
    {
        let refused = scratch.run(change).expect(2).stderr;
        let ids = scratch.run(&["ls", "--json"]).expect(0).json();
        for id in [&ids[0]["id"], &ids[1]["id"]] {
            assert!(refused.contains("means 2 runs") && refused.contains(id.as_str().unwrap()), "{refused}");
        }
    }
    // A tag of one run that is the name of another.
    scratch.run(&["tag", "2", "--name", "v1"]).expect(0);
    assert_eq!(scratch.run(&["show", "v1", "--json"]).expect(0).json()["run"], 1, "to look at: the tag");
    assert!(scratch.run(&["rm", "v1", "--yes"]).expect(2).stderr.contains("means 2 runs"));
    let id = scratch.run(&["ls", "--json"]).expect(0).json()[0]["id"].as_str().unwrap().to_owned();
    for (option, word) in [("--name", id.as_str()), ("--name", "2")] {
        scratch.run(&["tag", "1", option, word]).expect(2);
    }
    scratch.run(&["tag", "1", &id]).expect(2);
    let lacking = scratch.run(&["tag", "1", "--remove", "v3", "more"]).expect(2).stderr;
    assert!(lacking.contains("does not bear the tag `v3`; it has the tags good, v1"), "{lacking}");
    let tags = scratch.run(&["tag", "1", "--remove", "v1", "--json"]).expect(0).json()["tags"].clone();
    assert_eq!(tags, serde_json::json!(["good"]), "a refusal adds nothing");
}

#[test]
fn cells_have_numbers_and_those_that_stray_are_measured_again() {
    let scratch = Scratch::with("x.toml", &BLOCK.replace("repeats = 6", "repeats = 5"));
    scratch.run_in_virtual_time(&["run", "x.toml"]).expect(0);
    let shown = scratch.run(&["show", "--full"]).expect(0).stdout;
    assert!(shown.contains("by the numbers that `drivetrain resume --cells` takes"), "{shown}");
    let before = scratch.run_in_virtual_time(&["resume", "1", "--cells"]).expect(0);
    assert!(
        before.stderr.contains("no cell strays") && before.stdout.contains("nothing to resume"),
        "{before:?}"
    );
    // A cell that was disturbed.
    let file = rusqlite::Connection::open(scratch.path().join("drivetrain.db")).unwrap();
    let (name, trigger): (String, String) = file
        .query_row(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'measurement' AND sql LIKE '%UPDATE%'",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    let slower = "UPDATE measurement SET value = value / 2 WHERE metric = (SELECT id FROM metric WHERE name = 'iops') AND attempt =
        (SELECT attempt.id FROM attempt JOIN cell ON cell.id = attempt.cell WHERE cell.position = 2)";
    file.execute_batch(&format!("DROP TRIGGER {name}; {slower}; {trigger};")).unwrap();
    drop(file);
    let shown = scratch.run(&["show", "--full"]).expect(0).stdout;
    let line = shown.lines().find(|line| line.contains("strays")).unwrap_or_else(|| panic!("{shown}"));
    assert!(line.trim_start().starts_with("3 "), "{line}");
    let again = scratch.run_in_virtual_time(&["resume", "1", "--cells"]).expect(0);
    let told =
        again.stderr.lines().find(|line| line.contains("stray from their repeats: ")).unwrap_or_default();
    let cells = told.rsplit(": ").next().unwrap().split(',').count();
    assert_eq!(cells, 2, "the cell and that of the other bed: {told}");
    let shown = scratch.run(&["show", "--full"]).expect(0).stdout;
    assert!(!shown.contains("strays"));
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("their earlier results no longer count"), "the choice is told: {shown}");
    let wrong = scratch.run(&["resume", "1", "--cells", "0"]).expect(2).stderr;
    assert!(wrong.contains("`0` is no number of a cell"), "{wrong}");
    let wrong = scratch.run(&["resume", "1", "--cells", "2-1"]).expect(2).stderr;
    assert!(wrong.contains("`2-1` is no number of a cell"), "{wrong}");
}
