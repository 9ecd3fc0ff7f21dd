//! SCHEMA.md and the file a fresh build makes say the same.

use std::collections::BTreeMap;

use notebook::{APPLICATION_ID, Notebook, SCHEMA_VERSION};

/// Table name (views as `name (view)`) to its columns as `name TYPE` or `name TYPE?`, in order.
type Tables = BTreeMap<String, Vec<String>>;

fn documented() -> Tables {
    let document = include_str!("../../SCHEMA.md");
    let mut tables = Tables::new();
    let mut table = String::new();
    for line in document.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            table = name.to_owned();
            tables.insert(table.clone(), Vec::new());
        } else if let Some(row) = line.strip_prefix("| ") {
            let cells: Vec<&str> = row.trim_end_matches('|').split(" | ").map(str::trim).collect();
            assert_eq!(cells.len(), 3, "a row of SCHEMA.md has column, type and meaning: {line}");
            assert!(!cells[2].is_empty(), "no meaning: {line}");
            if cells[0] != "column" {
                tables.get_mut(&table).unwrap().push(format!("{} {}", cells[0], cells[1]));
            }
        }
    }
    tables
}

fn actual() -> Tables {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.db");
    drop(Notebook::open_or_create(&path).unwrap());
    let file = rusqlite::Connection::open(&path).unwrap();
    let objects: Vec<(String, String)> = file
        .prepare("SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view')")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let columns_of = |table: &str, is_view: bool| -> Vec<String> {
        file.prepare(&format!("PRAGMA table_info({table})"))
            .unwrap()
            .query_map([], |row| {
                let (name, kind): (String, String) = (row.get("name")?, row.get("type")?);
                let (not_null, key): (bool, i64) = (row.get("notnull")?, row.get("pk")?);
                // A view's columns bear no constraint; an INTEGER PRIMARY KEY is never NULL.
                let nullable = !is_view && !not_null && key == 0;
                Ok(format!("{name} {kind}{}", if nullable { "?" } else { "" }))
            })
            .unwrap()
            .map(Result::unwrap)
            .collect()
    };
    let named = |(name, kind): (String, String)| {
        let is_view = kind == "view";
        let columns = columns_of(&name, is_view);
        (if is_view { format!("{name} (view)") } else { name }, columns)
    };
    objects.into_iter().map(named).collect()
}

#[test]
fn the_document_describes_every_table_and_column_and_no_other() {
    let (documented, actual) = (documented(), actual());
    let names = |tables: &Tables| tables.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&documented), names(&actual), "tables: SCHEMA.md on the left, the file on the right");
    for (table, columns) in &actual {
        assert_eq!(
            &documented[table], columns,
            "columns of {table}: SCHEMA.md on the left, the file on the right"
        );
    }
}

#[test]
fn the_document_names_the_mark_and_the_file_bears_it() {
    assert!(include_str!("../../SCHEMA.md").contains(&format!("{APPLICATION_ID:#x}")));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.db");
    drop(Notebook::open_or_create(&path).unwrap());
    let file = rusqlite::Connection::open(&path).unwrap();
    let pragma = |name: &str| file.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(pragma("application_id"), i64::from(APPLICATION_ID));
    assert_eq!(pragma("user_version"), SCHEMA_VERSION);
}
