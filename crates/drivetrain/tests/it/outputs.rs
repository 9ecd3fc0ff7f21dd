//! The matrix of outputs: every verb that writes a file, against everything that can lie where the file is to
//! go.

#![allow(clippy::print_stdout)] // The matrix is printed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use crate::common::{self, BLOCK, QUICK, Scratch};

const FIO_JOB: &str = "[job]\nrw=randread\nsize=1m\nruntime=1\ntime_based=1\n";
const JOURNALLED: [&str; 10] =
    ["block", "--rw", "randwrite", "--verify", "--fsync", "4", "--time", "50ms", "--size", "1MiB"];

/// A verb that writes a file, the arguments before the file's name and behind it, and which inputs it has.
struct Verb {
    name: &'static str,
    before: Vec<&'static str>,
    behind: Vec<&'static str>,
    /// True if one of its own files may be replaced: it says that it is ours.
    replaces_own: bool,
    /// True if success takes so long that only refusals are tried.
    is_long: bool,
    /// A file that it reads or measures.
    needs: Option<&'static str>,
}

fn verb(name: &'static str, before: &[&'static str]) -> Verb {
    Verb {
        name,
        before: before.to_vec(),
        behind: Vec::new(),
        replaces_own: false,
        is_long: false,
        needs: None,
    }
}

fn verbs() -> Vec<Verb> {
    let run = ["run", "x.toml", "--realm", "simulated", "--set", "design.repeats=1", "--report"];
    let marked = |verb: Verb| Verb { replaces_own: true, ..verb };
    vec![
        marked(verb("report", &["report", "-o"])),
        Verb { needs: Some("x.toml"), ..marked(verb("run --report", &run)) },
        marked(verb("block --report", &["block", "--engine", "null", "--time", "50ms", "--report"])),
        marked(verb("export csv", &["export", "-o"])),
        marked(verb("export series-csv", &["export", "--format", "series-csv", "-o"])),
        marked(verb("export jsonl", &["export", "--format", "jsonl", "-o"])),
        verb("export fio-json", &["export", "--format", "fio-json", "-o"]),
        marked(verb("init", &["init", "-o"])),
        Verb { needs: Some("job.fio"), ..verb("import-job", &["import-job", "job.fio", "-o"]) },
        verb(
            "block --record",
            &["block", "--drive", "dc1500m", "--rw", "randread", "--time", "50ms", "--record"],
        ),
        Verb {
            behind: vec!["data"],
            needs: Some("data"),
            ..verb("block --journal", &[&JOURNALLED[..], &["--journal"]].concat())
        },
        Verb {
            behind: vec!["data"],
            ..marked(verb(
                "block --journal --new-journal",
                &[&JOURNALLED[..], &["--new-journal", "--journal"]].concat(),
            ))
        },
        Verb { is_long: true, ..verb("calibrate", &["calibrate", "--out"]) },
    ]
}

impl Verb {
    fn run(&self, scratch: &Scratch, output: &str) -> common::Ran {
        scratch.run(&[&self.before[..], &[output], &self.behind[..]].concat())
    }
}

/// The expected result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Written,
    /// Exit code 6, and everything stays as it is.
    Refused,
    /// Any other failure, and everything stays as it is.
    Failed,
}

/// Everything in the folder: kind and bytes of each entry.
fn picture(dir: &Path) -> BTreeMap<String, (String, Vec<u8>)> {
    let entry = |entry: fs::DirEntry| {
        let kind = entry.file_type().unwrap();
        let bytes = if kind.is_file() { fs::read(entry.path()).unwrap() } else { Vec::new() };
        (entry.file_name().into_string().unwrap(), (format!("{kind:?}"), bytes))
    };
    fs::read_dir(dir).unwrap().map(|found| entry(found.unwrap())).collect()
}

fn node(path: &Path, words: &[&str]) -> bool {
    Command::new("mknod").arg(path).args(words).status().unwrap().success()
}

/// A scratch folder like the one prepared: a notebook with a run, inputs, somebody's work.
fn folder(notebook: &[u8]) -> Scratch {
    let scratch = Scratch::with("x.toml", BLOCK);
    fs::write(scratch.path().join("drivetrain.db"), notebook).unwrap();
    scratch.write("job.fio", FIO_JOB);
    scratch.write("thesis", "work of years");
    scratch
}

/// Lays something at `out.json` and says what a verb must do with it; `None` where it cannot be laid here.
fn lay(case: &str, verb: &Verb, scratch: &Scratch) -> Option<Wanted> {
    let (dir, out) = (scratch.path().to_owned(), scratch.path().join("out.json"));
    let refused = Some(Wanted::Refused);
    match case {
        "absent" => return (!verb.is_long).then_some(Wanted::Written),
        "own" => {
            if verb.is_long {
                return None;
            }
            verb.run(scratch, "out.json").expect(0);
            return Some(if verb.replaces_own { Wanted::Written } else { Wanted::Refused });
        }
        "foreign" => fs::write(&out, "work of years").unwrap(),
        "link" => symlink(dir.join("thesis"), &out).unwrap(),
        "dangling link" => symlink(dir.join("nothing"), &out).unwrap(),
        "hard link" => fs::hard_link(dir.join("thesis"), &out).unwrap(),
        "block device" => return node(&out, &["b", "7", "211"]).then_some(Wanted::Refused),
        "device" => return node(&out, &["c", "10", "211"]).then_some(Wanted::Refused),
        "null device" => {
            let laid = node(&out, &["c", "1", "3"]) && !verb.is_long;
            let wanted = if verb.name.contains("journal") { Wanted::Refused } else { Wanted::Written };
            return laid.then_some(wanted);
        }
        "pipe" => assert!(node(&out, &["p"])),
        "directory" => fs::create_dir(&out).unwrap(),
        "notebook" => fs::rename(dir.join("drivetrain.db"), &out).unwrap(),
        "second name of the notebook" => fs::hard_link(dir.join("drivetrain.db"), &out).unwrap(),
        "link to the notebook" => symlink(dir.join("drivetrain.db"), &out).unwrap(),
        "input" => match verb.needs? {
            // The target is made by the run, so its place is kept before it is there.
            "data" => return Some(Wanted::Refused),
            input => fs::hard_link(dir.join(input), &out).unwrap(),
        },
        other => unreachable!("{other}"),
    }
    refused
}

const CASES: [&str; 16] = [
    "absent",
    "own",
    "foreign",
    "link",
    "dangling link",
    "hard link",
    "block device",
    "device",
    "null device",
    "pipe",
    "directory",
    "notebook",
    "second name of the notebook",
    "link to the notebook",
    "input",
    "socket",
];

#[test]
fn every_verb_leaves_alone_what_is_not_its_own() {
    let made = Scratch::with("x.toml", BLOCK);
    made.run(&[
        "run",
        "x.toml",
        "--realm",
        "simulated",
        "--set",
        "design.repeats=1",
        "--report",
        "/dev/null",
    ])
    .expect(0);
    let notebook = fs::read(made.path().join("drivetrain.db")).unwrap();
    let mut tried = 0;
    for verb in verbs() {
        for case in CASES {
            let scratch = folder(&notebook);
            let _socket =
                (case == "socket").then(|| UnixListener::bind(scratch.path().join("out.json")).unwrap());
            let wanted = if case == "socket" { Some(Wanted::Refused) } else { lay(case, &verb, &scratch) };
            let Some(wanted) = wanted else { continue };
            let (output, with_notebook) = match case {
                "notebook" => ("out.json", true),
                "input" if verb.needs == Some("data") => ("./data", false),
                _ => ("out.json", false),
            };
            let before = picture(scratch.path());
            let ran = if with_notebook {
                let global = ["--notebook", "out.json"];
                scratch.run(&[&verb.before[..], &[output], &verb.behind[..], &global[..]].concat())
            } else {
                verb.run(&scratch, output)
            };
            println!("{:32} {case:28} {wanted:?} exit {:?}", verb.name, ran.code);
            judge(&verb, case, wanted, &ran, &before, &scratch);
            tried += 1;
        }
        tried += missing_directory(&verb, &notebook);
    }
    println!("{tried} pairs of verb and place");
    assert!(tried > 140, "{tried}");
}

fn judge(
    verb: &Verb,
    case: &str,
    wanted: Wanted,
    ran: &common::Ran,
    before: &BTreeMap<String, (String, Vec<u8>)>,
    scratch: &Scratch,
) {
    let what = format!("{} on {case}: {ran:#?}", verb.name);
    let after = picture(scratch.path());
    match wanted {
        Wanted::Written => {
            assert_eq!(ran.code, Some(0), "{what}");
            let kind = fs::symlink_metadata(scratch.path().join("out.json")).unwrap().file_type();
            assert_eq!(kind.is_char_device(), case == "null device", "{what}");
        }
        Wanted::Refused => {
            assert_eq!(ran.code, Some(6), "{what}");
            assert!(ran.stderr.contains("name "), "a refusal says what to do: {what}");
            assert_eq!(*before, after, "{what}");
        }
        Wanted::Failed => {
            assert!(matches!(ran.code, Some(1 | 2)), "{what}");
            assert_eq!(*before, after, "{what}");
        }
    }
    assert_eq!(after["thesis"].1, b"work of years", "{what}");
    assert!(!after.keys().any(|name| name.ends_with(".partial")), "{what}");
}

fn missing_directory(verb: &Verb, notebook: &[u8]) -> u32 {
    let scratch = folder(notebook);
    let before = picture(scratch.path());
    let ran = verb.run(&scratch, "no/such/out.json");
    judge(verb, "missing directory", Wanted::Failed, &ran, &before, &scratch);
    1
}

#[test]
fn a_foreign_file_goes_by_force_and_a_journal_never_by_it() {
    let scratch = Scratch::with("x.toml", BLOCK);
    scratch.write("out.toml", "work of years");
    scratch.run(&["init", "-o", "out.toml", "--force"]).expect(0);
    // An untouched file makes room, and names no schema, which lies in the source tree only.
    scratch.run(&["init", "demo", "-o", "out.toml"]).expect(0);
    scratch.run(&["init", "demo", "-o", "out.toml"]).expect(0);
    assert!(!fs::read_to_string(scratch.path().join("out.toml")).unwrap().contains("#:schema"));
    assert!(fs::read_to_string(scratch.path().join("out.toml")).unwrap().contains("schema = 1"));
    scratch.write("thesis", "work of years");
    let forced = [&JOURNALLED[..], &["--journal", "thesis", "--force", "--new-journal", "data"]].concat();
    scratch.run(&forced).expect(6);
    assert_eq!(fs::read(scratch.path().join("thesis")).unwrap(), b"work of years");
}

#[test]
fn two_outputs_of_one_command_are_two_files() {
    let scratch = Scratch::new();
    let both = [&JOURNALLED[..], &["--journal", "one", "--record", "./one", "data"]].concat();
    let refused = scratch.run(&both).expect(6);
    assert!(refused.stderr.contains("another output"), "{refused:#?}");
    assert_eq!(picture(scratch.path()).len(), 0, "nothing was made, the target neither");
}

#[test]
fn the_marker_that_a_target_will_have_is_no_place_for_an_output() {
    let scratch = Scratch::new();
    for output in [&["--journal"][..], &["--new-journal", "--journal"], &["--force", "--record"]] {
        let refused =
            scratch.run(&[&JOURNALLED[..], output, &["data.drivetrain-owned", "data"]].concat()).expect(6);
        assert!(refused.stderr.contains("the marker of the target"), "{refused:#?}");
        assert_eq!(picture(scratch.path()).len(), 0, "nothing was made, the target neither");
    }
}

/// A file that was kept on purpose is removed only by its owner.
#[test]
fn a_kept_target_stays_when_the_next_load_does_not_keep_its_own() {
    let scratch = Scratch::new();
    // Long enough that a busy disk answers once.
    let load = ["block", "--rw", "randwrite", "--time", "500ms", "--size", "1MiB", "data"];
    scratch.run(&[&load[..], &["--keep"]].concat()).expect(0);
    scratch.run(&load).expect(0);
    assert!(scratch.path().join("data").exists());
    fs::remove_file(scratch.path().join("data")).unwrap();
    scratch.run(&load).expect(0);
    assert!(!scratch.path().join("data").exists());
}

#[test]
fn reports_of_two_notebooks_in_one_directory_both_stay() {
    let scratch = Scratch::with("x.toml", BLOCK);
    let run = |notebook: &str, repeats: &str| {
        let set = format!("design.repeats={repeats}");
        scratch
            .run(&["run", "x.toml", "--realm", "simulated", "--set", &set, "--notebook", notebook, "--json"])
            .expect(0)
            .json()["report"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (first, second) = (run("a.db", "1"), run("b.db", "2"));
    assert_ne!(first, second);
    // The same run's page is written anew; a second notebook of the same name finds the name taken.
    let again = scratch.run(&["report", "--notebook", "a.db"]).expect(0).stdout;
    assert_eq!(again.trim(), first);
    fs::remove_file(scratch.path().join("a.db")).unwrap();
    assert_ne!(run("a.db", "1"), first);
    assert!(Path::new(&first).exists() && Path::new(&second).exists());
}

#[test]
fn directories_of_many_files_are_written_into_file_by_file() {
    let scratch = Scratch::with("x.toml", BLOCK);
    scratch.run(&["run", "x.toml", "--realm", "simulated", "--set", "design.repeats=1"]).expect(0);
    for format in ["fio-log", "hdr-log", "fio-json"] {
        let export = ["export", "--format", format, "-o", format];
        scratch.run(&export).expect(0);
        scratch.run(&export).expect(6);
        scratch.run(&[&export[..], &["--force"]].concat()).expect(0);
        assert_ne!(scratch.run(&["export", "--format", format, "-o", "no/such"]).code, Some(0));
    }
    scratch.run(&["man", "pages"]).expect(0);
    scratch.run(&["man", "pages"]).expect(0);
    let page = scratch.path().join("pages/drivetrain-run.1");
    assert!(fs::read_to_string(&page).unwrap().contains(".TH drivetrain-run"));
    fs::write(&page, "work of years").unwrap();
    scratch.run(&["man", "pages"]).expect(6);
    assert_eq!(fs::read(&page).unwrap(), b"work of years");
    assert_ne!(scratch.run(&["man", "no/such"]).code, Some(0));
    assert!(!scratch.path().join("no").exists());
}

#[test]
fn stdout_by_any_of_its_names_is_written_to_unless_a_document_has_it() {
    let scratch = Scratch::with("job.fio", FIO_JOB);
    for name in ["/dev/stdout", "/dev/fd/1", "-"] {
        let import = ["import-job", "job.fio", "-o", name];
        let shown = scratch.run(&import).expect(0);
        assert!(shown.stdout.contains("schema = 1"), "{shown:#?}");
        let refused = scratch.run(&[&import[..], &["--json"]].concat()).expect(6);
        assert!(refused.json()["error"].as_str().unwrap().contains("leave out --json"), "{refused:#?}");
    }
    let file = fs::File::create(scratch.path().join("answer")).unwrap();
    let mut both = scratch.command(&["import-job", "job.fio", "-o", "answer", "--json", "--force"]);
    assert_eq!(both.stdout(file).status().unwrap().code(), Some(6), "the answer goes there");
}

#[test]
fn what_nobody_writes_twice_is_spared_even_by_force() {
    let scratch = Scratch::with("x.toml", BLOCK);
    let laid: [(&str, &[u8]); 5] = [
        ("other.db", b"SQLite format 3\0and pages"),
        ("other.db-wal", b"pages"),
        ("j", &fs::read(journal(&scratch)).unwrap()),
        (".drivetrain", b"work of years"),
        ("a.drivetrain-owned", b"work of years"),
    ];
    for (name, bytes) in laid {
        fs::write(scratch.path().join(name), bytes).unwrap();
        let refused = scratch.run(&["init", "-o", name, "--force"]).expect(6);
        assert!(refused.stderr.contains("name another file"), "{refused:#?}");
        assert_eq!(fs::read(scratch.path().join(name)).unwrap(), bytes, "{name}");
    }
    let target = scratch.path().join("data");
    let kept = fs::read(&target).unwrap();
    scratch.run(&["init", "-o", "data", "--force"]).expect(6);
    assert_eq!(fs::read(target).unwrap(), kept);
}

/// A journal of a run whose target, `data`, was kept.
fn journal(scratch: &Scratch) -> std::path::PathBuf {
    scratch.run(&[&JOURNALLED[..], &["--keep", "--journal", "journal", "data"]].concat()).expect(0);
    scratch.path().join("journal")
}

#[test]
fn only_the_head_of_a_page_says_that_it_is_a_report() {
    let scratch = Scratch::with("x.toml", BLOCK);
    scratch
        .run(&["run", "x.toml", "--realm", "simulated", "--set", "design.repeats=1", "--report", "r.html"])
        .expect(0);
    let page = fs::read_to_string(scratch.path().join("r.html")).unwrap();
    let maker = page.lines().find(|line| line.contains("generator")).unwrap().to_owned();
    for foreign in [
        format!("<!-- {maker} -->\n{page}"),
        format!("<html>\n<!--\n{maker}\n-->\n<title>thesis</title>"),
        page.replacen("<meta name=\"generator\"", "<title>\n<meta name=\"generator\"", 1),
        format!("{maker}\n"),
    ] {
        scratch.write("thesis.html", &foreign);
        scratch.run(&["report", "-o", "thesis.html"]).expect(6);
        assert_eq!(fs::read_to_string(scratch.path().join("thesis.html")).unwrap(), foreign);
    }
    for (name, args, text) in [
        ("a.csv", &["export", "-o"][..], "run,cell,bed,workload,level,repeat,my own column\n1\n"),
        ("a.1", &["man"], "my notes on .TH drivetrain\n"),
    ] {
        if name == "a.1" {
            fs::create_dir(scratch.path().join("pages")).unwrap();
            scratch.write("pages/drivetrain.1", text);
            scratch.run(&[args, &["pages"]].concat()).expect(6);
        } else {
            scratch.write(name, text);
            scratch.run(&[args, &[name]].concat()).expect(6);
        }
    }
}

#[test]
fn a_replaced_file_keeps_its_permissions_and_its_other_names_keep_their_bytes() {
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = Scratch::with("x.toml", BLOCK);
    scratch
        .run(&["run", "x.toml", "--realm", "simulated", "--set", "design.repeats=1", "--report", "r.html"])
        .expect(0);
    let page = scratch.path().join("r.html");
    fs::set_permissions(&page, fs::Permissions::from_mode(0o640)).unwrap();
    scratch.run(&["report", "-o", "r.html"]).expect(0);
    assert_eq!(fs::metadata(&page).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn directories_for_many_files_are_no_links_and_are_checked_before_a_run() {
    let scratch = Scratch::with("x.toml", BLOCK);
    scratch.run(&["run", "x.toml", "--realm", "simulated", "--set", "design.repeats=1"]).expect(0);
    // Of a finished run there is nothing to resume.
    let notebook = rusqlite::Connection::open(scratch.path().join("drivetrain.db")).unwrap();
    notebook.execute("UPDATE run SET state = 'interrupted'", []).unwrap();
    drop(notebook);
    fs::create_dir(scratch.path().join("elsewhere")).unwrap();
    symlink("elsewhere", scratch.path().join("link")).unwrap();
    scratch.write("file", "work of years");
    for there in ["link", "link/", "file"] {
        for verb in [
            &["man"][..],
            &["export", "--format", "fio-log", "-o"],
            &["export", "--format", "fio-json", "-o"],
            &["run", "x.toml", "--record"],
            &["resume", "--record"],
        ] {
            let refused = scratch.run(&[verb, &[there]].concat()).expect(6);
            assert!(refused.stderr.contains("name a directory"), "{verb:?} {there}: {refused:#?}");
        }
    }
    assert_eq!(fs::read_dir(scratch.path().join("elsewhere")).unwrap().count(), 0);
    assert_ne!(scratch.run(&["run", "x.toml", "--record", "no/such"]).code, Some(0));
    let simulated = scratch.run(&["run", "x.toml", "--realm", "simulated", "--record", "traces"]).expect(2);
    assert!(simulated.stderr.contains("leave out --record"), "{simulated:#?}");
    assert!(!scratch.path().join("traces").exists());
    // One file that may not be replaced keeps all the others as they were.
    scratch.run(&["export", "--format", "fio-log", "-o", "logs"]).expect(0);
    let mut logs: Vec<_> =
        fs::read_dir(scratch.path().join("logs")).unwrap().map(|found| found.unwrap().path()).collect();
    logs.sort();
    let kept = logs.pop().unwrap();
    logs.iter().filter(|path| path.is_file()).for_each(|path| fs::remove_file(path).unwrap());
    scratch.run(&["export", "--format", "fio-log", "-o", "logs"]).expect(6);
    assert!(kept.exists() && logs.iter().filter(|path| path.is_file()).count() == 0, "{logs:?}");
}

/// The hour of measuring that made a drive's file goes by no slip of the pen, and not by `--force`.
#[test]
fn the_file_of_a_drive_in_use_is_no_place_for_an_output() {
    let text = include_str!("../../../../catalogue/drives/kingston-dc1500m-960g.toml")
        .replace("\"kingston-dc1500m-960g\"", "\"mine\"");
    let scratch = Scratch::with("mine.toml", &text);
    let experiment = BLOCK.replacen("\"kingston-dc1500m-960g\"", "\"mine.toml\"", 1);
    assert!(experiment.contains("mine.toml"), "{experiment}");
    scratch.write("x.toml", &experiment);
    let profile = ["profile", "--drive", "mine.toml", "--quick", "--scale", "tiny", "--force"];
    let run = ["run", "x.toml", "--force"];
    let block = ["block", "--drive", "mine.toml", "--time", "50ms", "--force"];
    for command in [
        &[&profile[..], &["-o", "mine.toml"]].concat(),
        &[&profile[..], &["--report", "mine.toml"]].concat(),
        &[&run[..], &["--report", "mine.toml"]].concat(),
        &[&block[..], &["--report", "./mine.toml"]].concat(),
    ] {
        let refused = scratch.run(command).expect(6);
        assert!(refused.stderr.contains("the drive's file"), "{command:?}: {}", refused.stderr);
        assert_eq!(fs::read_to_string(scratch.path().join("mine.toml")).unwrap(), text);
    }
}

/// The second workload's own answer is one of its figures, and is drawn once.
#[test]
fn figures_of_two_workloads_have_names_of_their_own() {
    let loads = BLOCK.split("[[workload]]").nth(1).and_then(|rest| rest.split("[design]").next()).unwrap();
    let both = QUICK.replacen("[[workload]]", &format!("[[workload]]{loads}\n[[workload]]"), 1);
    let scratch = Scratch::with("x.toml", &both);
    scratch.run(&["run", "x.toml"]).expect(0);
    let told = scratch.run(&["report", "--figures", "figures"]).expect(0).stdout;
    assert!(told.contains("f1-"), "{told}");
}
