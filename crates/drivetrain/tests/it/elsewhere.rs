//! Runs that somebody resumes or cleans in another directory than that in which they began.

use crate::common::{BLOCK, QUICK, Scratch, below};
use crate::ends::{start, wait_for_a_cell};

/// A run with its bytes in `disk` that was killed while a cell ran, and its folder of data.
fn killed() -> (Scratch, std::path::PathBuf) {
    let text = QUICK.replace("path = \".\"", "path = \"disk\"").replace("repeats = 2", "repeats = 1");
    let scratch = Scratch::with("x.toml", &text.replace("[1, 2]", "[1]").replace("\"1s\"", "\"3s\""));
    std::fs::create_dir(scratch.path().join("disk")).unwrap();
    let mut child = start(&scratch, &["run", "x.toml"]);
    wait_for_a_cell(&scratch);
    child.kill().unwrap();
    child.wait().unwrap();
    let data = scratch.path().join("disk/drivetrain-data");
    let folder = std::fs::read_dir(data).unwrap().next().unwrap().unwrap().path();
    (scratch, folder)
}

#[test]
fn a_run_is_cleaned_and_resumed_where_its_bytes_lie() {
    let (scratch, folder) = killed();
    let elsewhere = Scratch::new();
    // The same paths lead somewhere there, too.
    std::fs::create_dir(elsewhere.path().join("disk")).unwrap();
    let notebook = scratch.path().join("drivetrain.db");
    let at = ["--notebook", notebook.to_str().unwrap()];
    let before = below(elsewhere.path());

    let told = elsewhere.run(&[&["clean", "--dry-run", "--run", "1"], &at[..]].concat()).expect(0).stdout;
    assert!(told.contains("to remove") && told.contains(folder.to_str().unwrap()), "{told}");

    // Results are copied to another notebook; the data stays with the one of the run.
    elsewhere.run(&["import", at[1], "--notebook", "copy.db"]).expect(0);
    let copy = ["--notebook", "copy.db"];
    let listed = elsewhere.run(&[&["ls", "--json"], &copy[..]].concat()).expect(0).json();
    assert_eq!(listed[0]["state"], "interrupted");
    let (made, bytes) = (below(elsewhere.path()), below(&folder));
    for arguments in [&["resume"][..], &["clean", "--run", "1"]] {
        let refused = elsewhere.run(&[arguments, &copy[..]].concat());
        assert_ne!(refused.code, Some(0), "{refused:#?}");
        assert!(refused.stderr.contains(at[1]) && refused.stderr.contains("imported"), "{}", refused.stderr);
    }
    elsewhere.run(&[&["clean", "--all"], &copy[..]].concat()).expect(0);
    assert_eq!((below(elsewhere.path()), below(&folder)), (made, bytes));
    std::fs::remove_file(elsewhere.path().join("copy.db")).unwrap();

    elsewhere.run(&[&["resume"], &at[..]].concat()).expect(0);
    assert_eq!(below(elsewhere.path()), before, "nothing is measured in the other directory");
    assert!(!folder.exists(), "the data of the finished run is gone from its own place");
}

/// A notebook of an older version does not say where its run began.
#[test]
fn a_run_of_unknown_origin_goes_on_where_its_data_is_or_not_at_all() {
    let (scratch, folder) = killed();
    let elsewhere = Scratch::new();
    std::fs::create_dir(elsewhere.path().join("disk")).unwrap();
    let notebook = scratch.path().join("drivetrain.db");
    let forget = |path: &std::path::Path| {
        let file = rusqlite::Connection::open(path).unwrap();
        assert_eq!(file.execute("UPDATE run SET directory = NULL", []).unwrap(), 1);
    };
    forget(&notebook);
    // Neither the working directory nor that of the notebook is the run's.
    std::fs::copy(&notebook, elsewhere.path().join("copy.db")).unwrap();
    let refused = elsewhere.run(&["resume", "--notebook", "copy.db"]);
    assert_ne!(refused.code, Some(0), "{refused:#?}");
    assert!(refused.stderr.contains("does not name"), "{refused:#?}");
    assert!(below(&elsewhere.path().join("disk")).len() <= 1, "nothing is made there");

    let at = ["resume", "--notebook", notebook.to_str().unwrap()];
    elsewhere.run(&at).expect(0);
    assert!(!folder.exists() && below(&elsewhere.path().join("disk")).len() <= 1);
}

#[test]
fn a_finished_run_is_not_touched_by_resume() {
    let scratch = Scratch::with("x.toml", &BLOCK.replace("repeats = 6", "repeats = 1"));
    scratch.run_in_virtual_time(&["run", "x.toml"]).expect(0);
    let before = below(scratch.path());
    let resumed = scratch.run(&["resume"]).expect(0);
    assert_eq!(resumed.stdout.trim(), "nothing to resume: run 1 is finished");
    assert_eq!(scratch.run(&["resume", "--json"]).expect(0).json()["state"], "finished");
    assert_eq!(below(scratch.path()), before);
}
