//! Every malformed file under `tests/fixtures` is refused with file, line, column and caret, in the words of
//! its snapshot.

use std::path::{Path, PathBuf};

fn malformed_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn each_malformed_file_is_explained() {
    let files = malformed_files();
    assert!(files.len() >= 40, "the malformed files are there: {}", files.len());
    for path in files {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let file = format!("{name}.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        let faults = experiment::parse_with(&text, &file, &[]).expect_err(&file);
        let shown = faults.to_string();
        for fault in faults.iter() {
            let place = format!("--> {file}:{}:{}", fault.line, fault.column);
            assert!(shown.contains(&place), "{place} is missing from\n{shown}");
        }
        assert_eq!(shown.matches("error: ").count(), faults.iter().len(), "{file}");
        assert!(shown.contains('^'), "{file} has no caret:\n{shown}");
        insta::assert_snapshot!(name, shown);
    }
}

#[test]
fn colours_change_no_word() {
    for path in malformed_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let faults = experiment::parse_with(&text, "file.toml", &[]).unwrap_err();
        let mut plain = String::new();
        let mut escaped = false;
        for c in faults.render(true).chars() {
            match c {
                '\u{1b}' => escaped = true,
                'm' if escaped => escaped = false,
                _ if escaped => {}
                _ => plain.push(c),
            }
        }
        assert_eq!(plain, faults.render(false), "{}", path.display());
    }
}

#[test]
fn every_fault_says_what_to_do_next() {
    for path in malformed_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let faults = experiment::parse_with(&text, "file.toml", &[]).unwrap_err();
        assert!(faults.iter().all(|fault| fault.help.is_some()), "{}:\n{faults}", path.display());
    }
}

#[test]
fn many_faults_are_counted_and_the_first_ones_shown() {
    let keys: String = (0..50).map(|index| format!("key_{index} = 1\n")).collect();
    let faults = experiment::parse(&format!("schema = 1\n{keys}"), "file.toml").unwrap_err();
    let shown = faults.to_string();
    assert_eq!(faults.iter().len(), 53);
    assert_eq!(shown.matches("error: ").count(), 20);
    assert!(shown.ends_with("... and 33 more in file.toml"), "{shown}");
}

#[test]
fn a_fault_that_follows_from_another_is_not_reported() {
    let text = std::fs::read_to_string(
        malformed_files().iter().find(|path| path.ends_with("unknown-key.toml")).unwrap(),
    )
    .unwrap();
    let faults = experiment::parse_with(&text, "file.toml", &[]).unwrap_err();
    let messages: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
    assert_eq!(messages, ["unknown key `storge`", "unknown key `virtul_users`"]);
}

#[test]
fn faults_of_meaning_stand_beside_faults_of_other_values() {
    let text = r#"
schema = 1
title = "t"
[[bed]]
name = "a"
storage = { emulated = "dc1500m" }
memory = 5
[[bed]]
name = "a"
storge = { real = "/x" }
[database]
memory = "32MiB"
[[workload]]
kind = "tpcc"
warehouses = 1
virtual_users = [1]
[design]
baseline = "nobody"
smallest_effect = { nopm = "300%", p98 = "1%" }
"#;
    let faults = experiment::parse_with(text, "file.toml", &[]).unwrap_err();
    let messages: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
    for part in [
        "`memory` must be a size",
        "there are two beds called `a`",
        "unknown key `storge`",
        "no bed is called `nobody`",
        "`300%` is more than the whole",
        "unknown key `p98`",
    ] {
        assert!(messages.iter().any(|message| message.contains(part)), "{part}: {messages:#?}");
    }
}

#[test]
fn no_password_is_shown() {
    for path in malformed_files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let shown = experiment::parse_with(&text, "file.toml", &[]).unwrap_err().to_string();
        assert!(!shown.contains("hunter2"), "{}", path.display());
        assert_eq!(text.contains("hunter2"), shown.contains("*******"), "{}", path.display());
    }
}
