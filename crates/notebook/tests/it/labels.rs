//! Names, tags and notes of runs; runs removed by their user.

use notebook::{CellId, Labels, Notebook, NotebookError, RunId, Tag};

use crate::support::{beds, new_run, plan, record};

fn tag(text: &str) -> Tag {
    Tag::new(text).unwrap()
}

fn fresh() -> (tempfile::TempDir, Notebook) {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open_or_create(dir.path().join("a.db")).unwrap();
    (dir, notebook)
}

/// A run with its first cell recorded.
fn measured(notebook: &Notebook, seed: u64) -> (RunId, CellId) {
    let run = notebook.start_run(&notebook::RunPlan { seed, ..new_run() }, &beds(), &plan(3)).unwrap();
    let cell = notebook.cells(run).unwrap()[0].id;
    notebook.begin_cell(cell).unwrap();
    notebook.record_cell(cell, &record(1)).unwrap();
    (run, cell)
}

#[test]
fn what_is_said_of_the_next_run_is_stored_with_its_plan_and_of_no_other() {
    let (_dir, mut notebook) = fresh();
    let note = Some("=1+1 <b>\u{1b}[2J".to_owned());
    notebook.label_next_run(Labels { name: Some("mine".into()), tags: vec![tag("b"), tag("a")], note });
    let (first, _) = measured(&notebook, 1);
    let (second, _) = measured(&notebook, 2);
    assert_eq!(notebook.run(first).unwrap().label.as_deref(), Some("mine"));
    assert_eq!(notebook.tags(first).unwrap(), [tag("a"), tag("b")]);
    assert_eq!(notebook.notes(first).unwrap().last().unwrap().text, "=1+1 <b>\\u{1b}[2J");
    assert!(notebook.tags(second).unwrap().is_empty() && notebook.run(second).unwrap().label.is_none());
    let listed = &notebook.runs().unwrap()[0];
    assert_eq!((listed.tags.join(" "), listed.beds.join(" ")), ("a b".to_owned(), "NVMe sata".to_owned()));
    assert!(listed.size_bytes > 5_000 && listed.key == notebook.run(first).unwrap().key());
}

#[test]
fn a_run_is_found_by_all_that_it_is_called() {
    let (_dir, notebook) = fresh();
    let ((first, _), (second, _)) = (measured(&notebook, 1), measured(&notebook, 2));
    notebook.add_tag(first, &tag("good")).unwrap();
    notebook.add_tag(first, &tag("good")).unwrap();
    notebook.name_run(first, Some("before the update")).unwrap();
    let key = notebook.run(first).unwrap().key();
    for name in ["1", "good", "before the update", key.as_str()] {
        assert_eq!(notebook.find_runs(name).unwrap().first(), Some(&first), "{name}");
    }
    assert_eq!(
        notebook.find_runs("demo").unwrap().first(),
        Some(&second),
        "the latest run of the experiment"
    );
    assert_eq!(notebook.find_runs("demo").unwrap(), [second, first], "both are runs of it");
    assert_eq!(notebook.find_runs("good").unwrap(), [first]);
    assert!(notebook.find_runs("nothing").unwrap().is_empty());
    notebook.add_tag(second, &Tag::good()).unwrap();
    assert_eq!(notebook.tagged(&Tag::good()).unwrap(), [second, first]);
    notebook.remove_tag(second, &Tag::good()).unwrap();
    notebook.name_run(first, None).unwrap();
    assert_eq!(notebook.find_runs("before the update").unwrap(), []);
    assert_eq!(notebook.find_runs("good").unwrap().first(), Some(&first));
    assert!(matches!(notebook.add_tag(RunId(9), &tag("x")), Err(NotebookError::NoSuchRun { .. })));
}

#[test]
fn a_removed_run_leaves_nothing_but_its_number_and_the_rest_whole() {
    let (dir, notebook) = fresh();
    let ((first, kept), (second, _)) = (measured(&notebook, 1), measured(&notebook, 2));
    notebook.add_tag(second, &tag("x")).unwrap();
    notebook.remove_run(second).unwrap();
    assert!(matches!(notebook.remove_run(second), Err(NotebookError::NoSuchRun { .. })));
    notebook.verify().unwrap();
    assert!(!notebook.series(kept).unwrap().is_empty() && notebook.runs().unwrap().len() == 1);
    assert_eq!(measured(&notebook, 3).0, RunId(3), "its number is not given again");
    // An import gets none of the removed numbers either, and a removed run can come back.
    let there = Notebook::open_or_create(dir.path().join("b.db")).unwrap();
    let (run, _) = measured(&there, 4);
    notebook.remove_run(RunId(3)).unwrap();
    assert_eq!(notebook.import_runs(&there, &[run]).unwrap(), [RunId(4)]);
    notebook.remove_run(RunId(4)).unwrap();
    assert_eq!(notebook.import_runs(&there, &[run]).unwrap(), [RunId(5)]);
    assert_eq!(notebook.import_runs(&there, &[run]).unwrap(), [RunId(5)], "it is here");
    drop(notebook);
    // The file refuses again what it refused before.
    let file = rusqlite::Connection::open(dir.path().join("a.db")).unwrap();
    let refused = file.execute("DELETE FROM measurement", []).unwrap_err().to_string();
    assert!(refused.contains("never removed"), "{refused}");
    let left = |table: &str| -> i64 {
        let sql = format!("SELECT count(*) FROM {table} WHERE run NOT IN ({}, 5)", first.0);
        file.query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    for table in ["cell", "bed", "tag", "note", "fact_set"] {
        assert_eq!(left(table), 0, "{table}");
    }
}
