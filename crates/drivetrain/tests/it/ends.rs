//! The ends of runs: by signals, a closed terminal, errors and a lack of space; their states afterwards, and
//! the removals of `clean`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{BLOCK, QUICK, Ran, SMALL, Scratch, SmallDisk};
use crate::terminal::{Terminal, with_hangup};

/// Modelled drives, no bytes: a run that begins at once and would take half a minute, and leaves the
/// processors to other tests.
fn long() -> String {
    BLOCK.replace("measure = \"1s\"", "measure = \"3s\"").replace("depth = [4]", "rate = [100]")
}

fn state(scratch: &Scratch) -> String {
    scratch.run(&["show", "--json"]).expect(0).json()["state"].as_str().unwrap().to_owned()
}

/// Waits until a run is under way and one of its cells, too: a cell that a kill cut off stays in its state
/// until the run goes on.
pub(crate) fn wait_for_a_cell(scratch: &Scratch) {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(50));
        let shown = scratch.run(&["show", "--json"]);
        if shown.code != Some(0) {
            continue;
        }
        let shown = shown.json();
        let has_cell = shown["cells"].as_array().unwrap().iter().any(|cell| cell["state"] == "running");
        if shown["state"] == "running" && has_cell {
            return;
        }
    }
    panic!("no cell began to run");
}

fn wait_until(failure: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{failure}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

pub(crate) fn start(scratch: &Scratch, arguments: &[&str]) -> Child {
    let mut command = scratch.command(arguments);
    with_hangup(&mut command, true);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn send(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn signals_that_ask_for_the_end_keep_what_was_measured() {
    for signal in ["-HUP", "-QUIT", "-XCPU", "-TERM"] {
        let scratch = Scratch::with("x.toml", &long());
        let mut child = start(&scratch, &["run", "x.toml"]);
        wait_for_a_cell(&scratch);
        send(&child, signal);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        assert_eq!(state(&scratch), "interrupted", "{signal}");
    }
}

#[test]
fn a_hangup_that_is_ignored_stays_ignored() {
    let scratch = Scratch::with("x.toml", BLOCK);
    let mut command = scratch.command(&["run", "x.toml", "--set", "design.repeats=1"]);
    with_hangup(&mut command, false);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for_a_cell(&scratch);
    send(&child, "-HUP");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(state(&scratch), "finished");
}

#[test]
fn a_terminal_that_closes_ends_a_run_in_order() {
    let scratch = Scratch::with("x.toml", &long());
    let terminal = Terminal::open();
    let mut command = scratch.command(&["run", "x.toml"]);
    with_hangup(&mut command, true);
    let mut child = terminal.start(&mut command);
    wait_for_a_cell(&scratch);
    drop(terminal);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(state(&scratch), "interrupted");
}

#[test]
fn nobody_has_to_read_what_is_printed() {
    let scratch = Scratch::with("x.toml", BLOCK);
    let mut command = scratch.command(&["run", "x.toml", "--set", "design.repeats=1"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(state(&scratch), "finished");
    // An answer that somebody waits for is another matter.
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut told = scratch.command(&["ls"]);
    assert_eq!(told.stdout(full).stderr(Stdio::null()).status().unwrap().code(), Some(1));
}

#[test]
fn a_run_that_was_killed_says_so_until_somebody_goes_on() {
    let scratch = Scratch::with("x.toml", &long());
    let mut child = start(&scratch, &["run", "x.toml"]);
    wait_for_a_cell(&scratch);
    assert_eq!(scratch.run(&["ls", "--json"]).expect(0).json()[0]["state"], "running");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(scratch.run(&["ls", "--json"]).expect(0).json()[0]["state"], "killed");
    assert_eq!(state(&scratch), "killed");
    let mut child = start(&scratch, &["resume"]);
    wait_for_a_cell(&scratch);
    assert_eq!(state(&scratch), "running");
    send(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(state(&scratch), "interrupted");
}

#[test]
fn a_run_without_a_server_has_failed_and_keeps_the_error() {
    let text = SMALL.replace("treatment = [\"storage\"]", "treatment = []").replace(
        "engine = \"sqlite\"",
        "engine = \"postgresql\"\nurl = \"postgresql://nobody@127.0.0.1:1/none\"",
    );
    let scratch = Scratch::with("x.toml", &text);
    let failed = scratch.run(&["run", "x.toml"]).expect(1);
    assert!(failed.stderr.contains("drivetrain resume 1"), "{}", failed.stderr);
    assert_eq!(scratch.run(&["ls", "--json"]).expect(0).json()[0]["state"], "failed");
    let shown = scratch.run(&["show", "--json"]).expect(0).json();
    let error = shown["notes"].as_array().unwrap().iter().find(|note| note["kind"] == "error");
    assert!(error.unwrap()["text"].as_str().unwrap().contains("127.0.0.1"), "{:#}", shown["notes"]);
    let cells = shown["cells"].as_array().unwrap();
    assert!(cells.iter().all(|cell| cell["state"] == "invalid" && cell["reason"].is_string()), "{shown:#}");
    assert!(scratch.run(&["show"]).expect(0).stdout.contains("failed"));
    scratch.run(&["resume"]).expect(1);
    assert_eq!(state(&scratch), "failed");
}

#[test]
fn a_bed_without_room_has_invalid_cells_and_the_others_run() {
    let scratch = Scratch::with("x.toml", &QUICK.replace("rows = 500", "rows = 20000"));
    let Some(disk) = SmallDisk::mount(&scratch.path().join("small"), "4m") else { return };
    let short = ["--set", "design.repeats=1", "--set", "workload.threads=[1]", "--storage", "sata=small"];
    let ran = scratch.run(&[&["run", "x.toml", "--mixed"], &short[..]].concat()).expect(7);
    assert!(ran.stdout.contains("invalid"), "{ran:#?}");
    assert!(
        scratch.run(&["resume"]).expect(7).stdout.contains("invalid"),
        "there is no more room than before"
    );
    let shown = scratch.run(&["show", "--json"]).expect(0).json();
    assert_eq!(shown["state"], "finished");
    for cell in shown["cells"].as_array().unwrap() {
        let expected = if cell["bed"] == "sata" { "invalid" } else { "done" };
        assert_eq!(cell["state"], expected, "{cell:#}");
        let reason = cell["reason"].as_str().unwrap_or_default();
        assert!(cell["bed"] != "sata" || reason.contains("free") || reason.contains("full"), "{reason}");
    }
    assert_eq!(fs::read_dir(&disk.0).unwrap().count(), 0, "what had no room takes none");
}

/// Nobody else's things are in danger there: no refusal, but an error.
#[test]
fn a_storage_that_cannot_be_written_is_an_error() {
    let scratch = Scratch::with("x.toml", BLOCK);
    let Some(disk) = SmallDisk::mount(&scratch.path().join("small"), "4m") else { return };
    assert!(Command::new("mount").args(["-o", "remount,ro"]).arg(&disk.0).status().unwrap().success());
    let real = ["--storage", "sata=small"];
    for arguments in
        [&[&["run", "x.toml", "--mixed"], &real[..]].concat()[..], &["block", "--rw", "write", "small/file"]]
    {
        let ran = scratch.run(arguments).expect(1);
        assert_eq!(ran.stderr.matches("Read-only file system").count(), 1, "{}", ran.stderr);
        assert!(!ran.stderr.contains("refused"), "{}", ran.stderr);
    }
}

#[test]
fn a_block_run_none_of_whose_cells_has_room_has_failed() {
    let text =
        BLOCK.replace("{ emulated = \"kingston-dc1500m-960g\", path = \".\" }", "{ real = \"small\" }");
    let scratch = Scratch::with("x.toml", &text.replace("treatment = [\"storage\"]", "treatment = []"));
    let Some(_disk) = SmallDisk::mount(&scratch.path().join("small"), "4m") else { return };
    let both = ["--set", "design.repeats=1", "--storage", "sata=small"];
    let ran = scratch.run(&[&["run", "x.toml"], &both[..]].concat()).expect(1);
    assert!(ran.stderr.contains("bytes free") || ran.stderr.contains(" free;"), "{}", ran.stderr);
    assert_eq!(state(&scratch), "failed");
    let shown = scratch.run(&["show", "--json"]).expect(0).json();
    let cells = shown["cells"].as_array().unwrap();
    let is_short = |cell: &serde_json::Value| cell["reason"].as_str().unwrap_or_default().contains("free");
    assert!(cells.iter().all(|cell| cell["state"] == "invalid" && is_short(cell)), "{shown:#}");
    // One bed that can is enough.
    scratch.run(&["run", "x.toml", "--mixed", "--set", "design.repeats=1"]).expect(7);
    assert_eq!(state(&scratch), "finished");
}

#[test]
fn the_target_of_a_killed_load_goes_unless_somebody_has_touched_it() {
    let scratch = Scratch::new();
    let target = scratch.path().join("target");
    let load = ["block", "target", "--rw", "randwrite", "--buffered", "--time", "10min"];
    let names = || {
        let entries = fs::read_dir(scratch.path()).unwrap().map(|entry| entry.unwrap().file_name());
        entries.filter_map(|name| name.into_string().ok()).collect::<Vec<_>>()
    };
    let start_until = |more: &[&str], is_so: &dyn Fn() -> bool| {
        let mut child = start(&scratch, &[&load[..], more].concat());
        while !is_so() {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::sleep(Duration::from_millis(1));
        }
        child
    };
    let kill = |mut child: Child| {
        child.kill().unwrap();
        child.wait().unwrap();
    };
    let clean = |code: i32| scratch.run(&["clean", "--json"]).expect(code).json()["things"].clone();
    // While it is made: then it has another name yet.
    kill(start_until(&["--size", "512MiB"], &|| names().iter().any(|name| name.starts_with(".drivetrain-"))));
    assert!(!names().is_empty());
    let due = scratch.run(&["clean", "--json", "--dry-run"]).expect(0).json();
    assert_eq!(due["things"][0]["outcome"], "to remove", "{due:#}");
    let gone = clean(0);
    assert_eq!((&gone[0]["kind"], &gone[0]["outcome"]), (&"target".into(), &"removed".into()), "{gone:#}");
    assert_eq!(names(), Vec::<String>::new());
    // While it is written to, in pieces that end in the middle of sectors as well.
    for bs in ["4k", "2300"] {
        let child = start_until(&["--size", "8MiB", "--bs", bs], &|| target.exists());
        std::thread::sleep(Duration::from_millis(300)); // Some of it is written by then; it need not be.
        kill(child);
        // Other commands tell of a file whose name the user chose, and a look changes nothing.
        assert!(scratch.run(&["schema"]).expect(0).stderr.contains("a killed load left"), "{bs}");
        let marker = || fs::read_to_string(scratch.path().join("target.drivetrain-owned")).unwrap();
        scratch.run(&["clean", "--dry-run"]).expect(0);
        assert!(target.exists() && marker().contains("in-use"), "{bs}: {}", marker());
        assert_eq!(clean(0)[0]["outcome"], "removed", "{bs}");
        assert_eq!(names(), Vec::<String>::new(), "{bs}");
    }
    // Somebody else's bytes keep it, by its note and by its name.
    kill(start_until(&["--size", "8MiB"], &|| target.exists()));
    let file = fs::OpenOptions::new().write(true).open(&target).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &[b'w'; 512], 4096).unwrap();
    let kept = clean(6);
    assert!(kept[0]["why"].as_str().unwrap().contains("not of this tool"), "{kept:#}");
    scratch.run(&["clean", "target"]).expect(6);
    assert!(target.exists());
    // Whoever gives up the data of a run does not ask for it.
    scratch.run(&["block", "--engine", "null", "--size", "1g", "--time", "1s", "--quiet"]).expect(0);
    let given_up = scratch.run(&["clean", "--run", "1", "--yes", "--json"]).expect(0).json();
    assert_eq!(given_up["things"], serde_json::json!([]), "{given_up:#}");
    // A file in its place is not what the kill left, and no other command speaks of it.
    fs::rename(&target, scratch.path().join("moved")).unwrap();
    fs::write(&target, "mine").unwrap();
    assert_eq!(scratch.run(&["schema"]).expect(0).stderr, "");
    scratch.run(&["clean"]).expect(6);
    assert_eq!(fs::read(&target).unwrap(), b"mine");
}

#[test]
fn what_lies_elsewhere_under_the_name_of_a_killed_target_stays() {
    let scratch = Scratch::new();
    let [one, other, link] = ["one", "other", "link"].map(|name| scratch.path().join(name));
    fs::create_dir(&one).unwrap();
    fs::create_dir(&other).unwrap();
    let load = ["block", "link/f", "--rw", "randwrite", "--buffered", "--size", "4MiB"];
    std::os::unix::fs::symlink("other", &link).unwrap();
    scratch.run(&[&load[..], &["--time", "100ms", "--keep"]].concat()).expect(0);
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("one", &link).unwrap();
    let mut child = start(&scratch, &[&load[..], &["--time", "10min"]].concat());
    while !one.join("f").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("other", &link).unwrap();
    scratch.run(&["clean"]).expect(0);
    assert!(other.join("f").exists() && !one.join("f").exists());
}

#[test]
fn a_target_that_is_to_be_kept_is_no_remains() {
    let scratch = Scratch::new();
    let target = scratch.path().join("target");
    let load = ["block", "target", "--rw", "randwrite", "--buffered", "--time", "10min", "--size", "4MiB"];
    let mut child = start(&scratch, &[&load[..], &["--keep"]].concat());
    while !target.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(500)); // It says so right after the file has its name.
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(scratch.run(&["clean"]).expect(0).stdout.contains("nothing is left"));
    assert!(target.exists());
    // It goes by its name.
    assert!(scratch.run(&["clean", "target"]).expect(0).stdout.contains("removed"));
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    let foreign = scratch.run(&["clean", "/"]).expect(6);
    assert!(foreign.stdout.contains("is no folder that drivetrain made"), "{}", foreign.stdout);
}

#[test]
fn a_notebook_without_room_leaves_no_file_and_says_what_is_true() {
    let scratch = Scratch::with("x.toml", BLOCK);
    let Some(disk) = SmallDisk::mount(&scratch.path().join("small"), "64k") else { return };
    fs::write(disk.0.join("filler"), vec![1; 40 << 10]).unwrap();
    let ran = scratch.run(&["run", "x.toml", "--notebook", "small/n.db"]).expect(1);
    assert!(ran.stderr.contains("nothing was recorded") && !ran.stderr.contains("resume"), "{}", ran.stderr);
    let left: Vec<_> = fs::read_dir(&disk.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["filler"]);
}

/// Even a drive without a free block takes the state of the run.
#[test]
fn a_run_whose_notebook_has_no_room_has_failed() {
    let scratch = Scratch::with("x.toml", &long());
    let Some(disk) = SmallDisk::mount(&scratch.path().join("small"), "600k") else { return };
    let of_small = ["--notebook", "small/n.db"];
    let child = start(&scratch, &[&["run", "x.toml"], &of_small[..]].concat());
    let show = || scratch.run(&[&["show", "--json"], &of_small[..]].concat());
    wait_until("no cell began to run", || show().code == Some(0) && show().stdout.contains("\"running\""));
    let mut filler = fs::File::create(disk.0.join("filler")).unwrap();
    while std::io::Write::write_all(&mut filler, &[1; 4096]).is_ok() {}
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(1));
    let listed = scratch.run(&[&["ls", "--json"], &of_small[..]].concat()).expect(0).json();
    assert_eq!(listed[0]["state"], "failed");
}

#[test]
fn a_notebook_that_is_removed_during_a_run_is_saved() {
    let scratch = Scratch::with("x.toml", &long());
    let mut command = scratch.command(&["run", "x.toml", "-q", "--set", "design.repeats=2"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_a_cell(&scratch);
    for name in ["drivetrain.db", "drivetrain.db-wal", "drivetrain.db-shm"] {
        fs::remove_file(scratch.path().join(name)).unwrap();
    }
    let ran = Ran::from(child.wait_with_output().unwrap()).expect(1);
    assert!(ran.stderr.contains("drivetrain.db is gone") && !ran.stdout.contains("next:"), "{ran:#?}");
    assert!(ran.stderr.contains("drivetrain-rescued.db: drivetrain show 1"), "{ran:#?}");
    let saved = ["--notebook", "drivetrain-rescued.db"];
    assert_eq!(scratch.run(&[&["ls", "--json"], &saved[..]].concat()).expect(0).json()[0]["state"], "failed");
    scratch.run(&[&["resume"], &saved[..]].concat()).expect(0);
    assert!(!scratch.path().join("drivetrain.db").exists());
}

/// The run's own data may lie elsewhere then, so that nobody may say that nothing is left.
#[test]
fn what_is_in_the_place_of_a_runs_data_keeps_the_run() {
    let scratch = Scratch::with("x.toml", QUICK);
    let mut child = start(&scratch, &["run", "x.toml"]);
    wait_for_a_cell(&scratch);
    child.kill().unwrap();
    child.wait().unwrap();
    let data = scratch.path().join("drivetrain-data");
    let place = fs::read_dir(&data).unwrap().next().unwrap().unwrap().path();
    let (moved, precious) = (scratch.path().join("moved"), scratch.path().join("precious"));
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("thesis"), "work of years").unwrap();
    fs::rename(&place, &moved).unwrap();
    let refused = |what: &str| {
        for verb in [&["clean", "--run", "1", "--yes"][..], &["clean", "--all", "--dry-run"]] {
            let ran = scratch.run(verb).expect(6);
            assert!(ran.stdout.contains(what) && ran.stdout.contains("nothing was touched"), "{ran:#?}");
        }
        let ran = scratch.run(&["rm", "1", "--yes"]).expect(6);
        assert!(ran.stderr.contains("run 1 stays") && ran.stderr.contains(what), "{ran:#?}");
        assert!(scratch.run(&["clean"]).expect(0).stdout.contains(what), "it is told to everybody");
        assert_eq!(state(&scratch), "killed");
        assert_eq!(fs::read_to_string(precious.join("thesis")).unwrap(), "work of years");
    };
    std::os::unix::fs::symlink(&precious, &place).unwrap();
    refused("a link to");
    fs::remove_file(&place).unwrap();
    fs::rename(&precious, &place).unwrap();
    std::os::unix::fs::symlink(&place, &precious).unwrap();
    refused("a directory without drivetrain's mark");
    fs::rename(&place, scratch.path().join("away")).unwrap();
    assert!(scratch.run(&["clean", "--run", "1", "--yes"]).expect(0).stdout.contains("nothing is left"));
    fs::rename(&moved, &place).unwrap();
    scratch.run(&["rm", "1", "--yes"]).expect(0);
    assert!(!data.exists());
}

#[test]
fn a_folder_of_notes_that_the_user_made_stays() {
    let scratch = Scratch::with("x.toml", BLOCK);
    let short = ["run", "x.toml", "--set", "design.repeats=1"];
    scratch.run_in_virtual_time(&short).expect(0);
    assert!(!scratch.notes().exists(), "drivetrain made it");
    std::os::unix::fs::DirBuilderExt::mode(&mut fs::DirBuilder::new(), 0o700)
        .create(scratch.notes())
        .unwrap();
    scratch.run_in_virtual_time(&short).expect(0);
    assert_eq!(fs::read_dir(scratch.notes()).unwrap().count(), 0);
}

#[test]
fn the_data_of_a_run_stays_until_it_is_given_up() {
    // Some megabytes of data.
    let scratch = Scratch::with("x.toml", &QUICK.replace("rows = 500", "rows = 10000"));
    let mut child = start(&scratch, &["run", "x.toml"]);
    wait_for_a_cell(&scratch);
    let busy = scratch.run(&["clean", "--run", "1"]).expect(6);
    assert!(busy.stderr.contains("run 1 is still running"), "{}", busy.stderr);
    child.kill().unwrap();
    child.wait().unwrap();
    let data = scratch.path().join("drivetrain-data");
    let look = |arguments: &[&str]| scratch.run(&[&["clean", "--json"], arguments].concat()).expect(0).json();
    let outcome = |document: &serde_json::Value| {
        let things = document["things"].as_array().unwrap().clone();
        things.iter().map(|thing| thing["outcome"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let kept = look(&[]);
    assert_eq!(outcome(&kept), ["kept"], "{kept:#}");
    assert!(kept["things"][0]["why"].as_str().unwrap().contains("drivetrain clean --run 1"), "{kept:#}");
    assert!(kept["things"][0]["bytes"].as_u64() > Some(1_000_000), "{kept:#}");
    let due = look(&["--all", "--dry-run"]);
    assert_eq!(outcome(&due), ["to remove"]);
    assert!(data.exists() && due["freed_bytes"].as_u64() > Some(1_000_000), "{due:#}");
    assert_eq!(outcome(&look(&["--run", "1"])), ["removed"]);
    assert!(!data.exists());
    assert!(scratch.run(&["clean"]).expect(0).stdout.contains("nothing is left"));
    scratch.run(&["clean", "--run", "7"]).expect(2);
    let resumed = scratch.run(&["resume", "--json"]).expect(0).json();
    assert_eq!(resumed["state"], "finished", "it loads its data anew");
}

#[test]
fn forged_notes_and_foreign_folders_are_harmless() {
    let scratch = Scratch::new();
    let notes = scratch.notes();
    let make_notes = |mode: u32| {
        std::os::unix::fs::DirBuilderExt::mode(&mut fs::DirBuilder::new(), mode).create(&notes).unwrap();
        let home = scratch.path().join("home");
        fs::create_dir_all(home.join("drivetrain-0123456789ab")).unwrap();
        fs::write(home.join("thesis"), "work of years").unwrap();
        fs::write(home.join("drivetrain-0123456789ab/mysql.sock"), "mine").unwrap();
        let kinds = ["server", "mount", "image", "control group", "socket folder", "data", "target"];
        let paths = [
            home.clone(),
            home.join("drivetrain-0123456789ab"),
            home.join("../home"),
            "/".into(),
            "/home".into(),
        ];
        for (number, (kind, path)) in
            kinds.iter().flat_map(|kind| paths.iter().map(move |path| (kind, path))).enumerate()
        {
            let text = format!(
                "drivetrain remains 1\nprocess 4194303 1 another-boot\nkind {}\npath {}\ndetail \n",
                kind,
                path.display()
            );
            fs::write(notes.join(format!("{number}.note")), text).unwrap();
        }
        home
    };
    let home = make_notes(0o700);
    for command in [&["ls"][..], &["schema"], &["clean", "--dry-run"], &["clean"]] {
        let _ = scratch.run(command);
        assert_eq!(fs::read_to_string(home.join("thesis")).unwrap(), "work of years", "{command:?}");
        assert!(home.join("drivetrain-0123456789ab/mysql.sock").exists(), "{command:?}");
    }
    // A folder that somebody else could have written is not even read.
    let _ = fs::remove_dir_all(&notes);
    make_notes(0o777);
    let before = fs::read_dir(&notes).unwrap().count();
    fs::set_permissions(&notes, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    scratch.run(&["schema"]).expect(0);
    assert_eq!(fs::read_dir(&notes).unwrap().count(), before);
}

/// A line end in the name of a file must not make a line that looks like one of ours.
#[test]
fn a_name_with_a_line_end_is_told_in_one_line() {
    let name = "a\nerror: fake";
    let scratch = Scratch::with(name, "x\n");
    let lines = |ran: &Ran| ran.stderr.lines().map(str::to_owned).collect::<Vec<_>>();
    for call in [&["replay", name, "nothing"][..], &["run", "q\nz.toml"]] {
        let ran = scratch.run(call).expect(2);
        assert_eq!(lines(&ran).len(), 1, "{}", ran.stderr);
    }
    scratch
        .run(&["block", "f\ng", "--rw", "randwrite", "--size", "4MiB", "--time", "100ms", "--keep"])
        .expect(0);
    scratch.write("f\ng", "work of years");
    let refused = scratch.run(&["clean", "f\ng"]).expect(6);
    assert!(refused.stdout.contains("f\\ng") && !refused.stdout.contains("f\ng"), "{}", refused.stdout);
    assert_eq!(fs::read(scratch.path().join("f\ng")).unwrap(), b"work of years");
}

/// A load that writes until it is killed.
const WRITES: [&str; 10] =
    ["block", "target", "--rw", "randwrite", "--buffered", "--size", "1MiB", "--time", "10min", "-q"];

#[test]
fn what_cannot_be_noted_is_not_made() {
    let scratch = Scratch::new();
    scratch.write("x.toml", BLOCK);
    let nothing_made = |says: &str| {
        for (verb, code) in [(&WRITES[..], 6), (&["run", "x.toml", "-q"], 6)] {
            let refused = scratch.run(verb).expect(code);
            assert!(refused.stderr.contains(says) && refused.stderr.contains("mode 700"), "{refused:?}");
        }
        let names: Vec<_> = fs::read_dir(scratch.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["x.toml"]);
    };
    fs::create_dir(scratch.notes()).unwrap();
    fs::set_permissions(scratch.notes(), fs::Permissions::from_mode(0o755)).unwrap();
    nothing_made("its mode 755 lets other users in");
    assert!(scratch.run(&["clean"]).expect(6).stderr.contains("mode 755"), "its notes do not count");
    assert!(scratch.run(&["schema"]).expect(0).stderr.contains("mode 755"));
    fs::remove_dir(scratch.notes()).unwrap();
    let Some(_disk) = SmallDisk::mount(&scratch.notes(), "64k,mode=700") else { return };
    let _ = fs::write(scratch.notes().join("full"), [0; 1 << 20]);
    nothing_made("No space left");
    scratch.run(&["clean"]).expect(0);
}

#[test]
fn more_threads_than_psync_may_have_are_refused_before_the_file_is_made() {
    let scratch = Scratch::new();
    let load =
        ["block", "target", "--rw", "randwrite", "--size", "1MiB", "--engine", "psync", "--depth", "1025"];
    let refused = scratch.run(&load).expect(2);
    assert!(refused.stderr.contains("use engine io_uring"), "{refused:?}");
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[test]
fn a_target_whose_note_is_lost_is_noted_by_the_next_load() {
    let scratch = Scratch::new();
    let target = scratch.path().join("target");
    let kill_when = |is_so: &dyn Fn() -> bool| {
        let mut child = start(&scratch, &WRITES);
        wait_until("the load is under way", is_so);
        child.kill().unwrap();
        child.wait().unwrap();
    };
    let has_note = || fs::read_dir(scratch.notes()).is_ok_and(|mut notes| notes.next().is_some());
    kill_when(&|| target.exists() && has_note());
    fs::remove_dir_all(scratch.notes()).unwrap();
    kill_when(&has_note);
    for _ in 0..2 {
        let told = scratch.run(&["schema"]).expect(0).stderr;
        assert_eq!(told.matches("a killed load left").count(), 1, "{told}");
        kill_when(&|| true);
    }
    let things = scratch.run(&["clean", "--json"]).expect(0).json()["things"].clone();
    assert_eq!(
        (&things[0]["outcome"], things.as_array().unwrap().len()),
        (&"removed".into(), 1),
        "{things:#}"
    );
    assert!(!target.exists() && !has_note());
}

#[test]
fn a_load_that_was_stopped_and_went_on_says_so() {
    let scratch = Scratch::new();
    for shape in [["--rate", "500"], ["--depth", "2"]] {
        let load = ["block", "--drive", "kingston-dc1500m-960g", "--time", "6s", "--json"];
        let mut command = scratch.command(&[&load[..], &shape].concat());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let signal = |name: &str| {
            assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
        };
        // Times are the subject: the load is under way, also on a busy machine, and then it stands still.
        std::thread::sleep(Duration::from_millis(3000));
        signal("-STOP");
        std::thread::sleep(Duration::from_secs(2));
        signal("-CONT");
        let told = Ran::from(child.wait_with_output().unwrap()).expect(0).json();
        let warnings = told["warnings"].to_string();
        assert!(warnings.contains("drivetrain itself did not run for 2."), "{shape:?}: {warnings}");
        assert!(warnings.contains("not the drive's"), "{shape:?}: {warnings}");
    }
}
