//! The output for the reader: one JSON document for every command line, exit codes as documented, no control
//! sequences.

use crate::common::{BLOCK, Scratch};

#[test]
fn every_command_line_with_json_prints_one_document() {
    let scratch = Scratch::with("small.toml", BLOCK);
    scratch.write("bad.toml", "schema = 1\ntitel = 3\n");
    scratch.write("job.fio", "[a]\nrw=read\nfilename=x\nsize=1m\n");
    scratch.write("io.log", "fio version 2 iolog\n");
    scratch.run_in_virtual_time(&["run", "small.toml", "--set", "design.repeats=1"]).expect(0);
    let lines: [(&str, i32); 68] = [
        ("--help", 0),
        ("help run", 0),
        ("help options", 0),
        ("help nothing", 2),
        ("--version", 0),
        ("", 2),
        ("frobnicate", 2),
        ("ls --frobnicate", 2),
        ("ls", 0),
        ("ls --notebook none.db", 1),
        ("init --list", 0),
        ("init -o -", 0),
        ("init none -o -", 2),
        ("init -o new.toml", 0),
        ("init -o small.toml", 6),
        ("plan small.toml", 0),
        ("plan bad.toml", 2),
        ("plan", 2),
        ("plan small.toml --seed x", 2),
        ("run bad.toml", 2),
        ("run none.toml", 2),
        ("run small.toml --scale huge", 2),
        ("resume 99", 2),
        ("show", 0),
        ("show 99", 2),
        ("show x", 2),
        ("report 99", 2),
        ("tag 1 x", 0),
        ("tag 1 3", 2),
        ("tag 1", 2),
        ("note 1 x", 0),
        ("rm 1", 6),
        ("check", 2),
        ("report -o r.html", 0),
        ("compare 99", 2),
        ("export", 0),
        ("export --format series-csv", 0),
        ("export --format jsonl", 0),
        ("export --format fio-json", 0),
        ("export --format fio-log -o logs --force", 0),
        ("export --format hdr-log -o hdr --force", 0),
        ("export --format nope", 2),
        ("export -o out.csv", 0),
        ("export 99", 2),
        ("import none.db", 2),
        ("import-job job.fio", 0),
        ("import-job none.fio", 2),
        ("import-job bad.toml", 2),
        ("drives", 0),
        ("drives dc1500m", 0),
        ("drives none", 2),
        ("mount --drive none a b", 2),
        ("mount", 2),
        ("block", 2),
        ("block --engine null --time 100ms", 0),
        ("block --drive dc1500m --time 100ms", 0),
        ("block --depth x", 2),
        ("replay none y", 2),
        ("replay io.log", 2),
        ("verify small.toml", 2),
        // The whole table takes seconds; it is one of the golden answers.
        ("published K-1", 0),
        ("published --frob", 2),
        ("audit kingston-dc1500m", 0),
        ("audit bad.toml", 2),
        ("audit none.toml", 2),
        ("schema", 0),
        ("completions bash", 0),
        ("man", 0),
    ];
    for (line, code) in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        for arguments in &[[&["--json"][..], &words].concat(), [&words[..], &["--json"]].concat()] {
            let ran = scratch.run(arguments);
            assert_eq!(ran.code, Some(code), "{arguments:?}: {ran:#?}");
            let mut documents =
                serde_json::Deserializer::from_str(&ran.stdout).into_iter::<serde_json::Value>();
            assert!(documents.next().is_some_and(|one| one.is_ok()), "{arguments:?}: {ran:#?}");
            assert!(documents.next().is_none(), "{arguments:?} prints more than one: {ran:#?}");
        }
    }
}

#[test]
fn files_that_cannot_be_read_as_what_they_should_be_are_usage() {
    let scratch = Scratch::new();
    std::fs::write(scratch.path().join("latin.toml"), b"title = \"caf\xe9\"").unwrap();
    std::fs::create_dir(scratch.path().join("directory")).unwrap();
    std::fs::create_dir(scratch.path().join("directory.toml")).unwrap();
    for verb in [&["plan"][..], &["run"], &["audit"], &["import-job"], &["drives"]] {
        for file in ["latin.toml", "directory", "directory.toml", "none.toml", "latin.toml/below"] {
            let ran = scratch.run(&[verb, &[file]].concat());
            assert_eq!(ran.code, Some(2), "{verb:?} {file}: {ran:#?}");
        }
    }
    let ran = scratch.run(&["replay", "directory", "x"]).expect(2);
    assert!(ran.stderr.contains("is a directory"), "{ran:#?}");
}

#[test]
fn nothing_that_a_terminal_obeys_comes_through() {
    let scratch = Scratch::with("job.fio", "[j]\nname=\u{1b}]0;pwned\u{7}\nrw=read\nfilename=x\nsize=1m\n");
    let evil = "\\u001b]0;pwned\\u0007\\u009b2J\\u202e";
    scratch.write("title.toml", &BLOCK.replace("Two drives, block reads", evil));
    scratch.write("raw.toml", &format!("schema = 1\ntitle = 3 # \u{9b}2J\u{202e}\n{}", "x"));
    scratch.write("audit.toml", &format!("[[statement]]\ntext = \"{evil}\"\n"));
    for arguments in [
        &["plan", "title.toml"][..],
        &["run", "title.toml"],
        &["plan", "raw.toml"],
        &["plan", "job.fio"],
        &["audit", "audit.toml"],
        &["plan", "\u{1b}]0;pwned\u{7}"],
        &["\u{1b}[2J"],
        &["drives", "\u{9b}2J"],
        &["ls", "--notebook", "\u{1b}c.db"],
        &["plan", "title.toml", "--json"],
        &["--color", "always", "plan", "title.toml"],
    ] {
        let ran = scratch.run(arguments);
        let orders = |text: &str| {
            let without = text.replace("\u{1b}[", "").replace('\n', "");
            let is_styled = arguments.contains(&"always");
            let text = if is_styled { without } else { text.replace('\n', "") };
            text.chars()
                .any(|c| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
        };
        assert!(!orders(&ran.stdout) && !orders(&ran.stderr), "{arguments:?}: {ran:?}");
        assert_ne!(ran.code, Some(0), "{arguments:?}");
    }
}

#[test]
fn a_refused_file_is_never_said_to_be_filled() {
    let scratch = Scratch::with("precious.dat", "do not lose this");
    let ran = scratch.run(&["block", "--rw", "randwrite", "--time", "1s", "precious.dat"]).expect(6);
    assert!(!ran.stderr.contains("filling"), "{ran:#?}");
}

#[test]
fn a_modelled_drive_is_named_with_its_late_answers() {
    let scratch = Scratch::new();
    let arguments = ["block", "--drive", "dc1500m", "--time", "100ms"];
    let text = scratch.run(&arguments).expect(0).stdout;
    assert!(text.starts_with("MODELLED drive kingston-dc1500m-960g") && text.contains("late: "), "{text}");
    let document = scratch.run(&[&arguments[..], &["--json"]].concat()).expect(0).json();
    assert_eq!(document["modelled"]["drive"], "kingston-dc1500m-960g");
    assert!(
        document["modelled"]["late"].is_u64() && document["modelled"]["answers"].as_u64().unwrap() > 0,
        "{document}"
    );
}
