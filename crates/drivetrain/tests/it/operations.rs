//! Backups, scans, fragmentation and neighbours by the built binary, as short as they get.

use crate::common::{self, Scratch, SmallDisk};
use serde_json::Value;

fn experiment(engine: &str, storage: &str, workload: &str, repeats: u32) -> String {
    format!(
        r#"
schema = 1
title = "Operations, small"

[[bed]]
name = "here"
storage = {storage}

[database]
engine = "{engine}"
memory = "16MiB"

[[workload]]
{workload}

[design]
repeats = {repeats}
seed = 5
"#
    )
}

/// Its time is the model's: a busy machine's drive decides no test, and users that wait leave the processors
/// to others.
const MODELLED: &str = "{ emulated = \"micron-5200-eco-1920g\", path = \".\" }";
const REAL: &str = "{ real = \".\" }";

fn run(text: &str, code: i32) -> (Scratch, Value) {
    let scratch = Scratch::new();
    scratch.write("operations.toml", text);
    let json = scratch.run(&["run", "operations.toml", "--json"]).expect(code).json();
    (scratch, json)
}

fn operation<'a>(json: &'a Value, workload: &str) -> &'a Value {
    let operations = json["comparison"]["operations"].as_array().unwrap();
    operations.iter().find(|one| one["workload"] == workload).unwrap()
}

/// A finding of the only workload.
fn finding<'a>(json: &'a Value, at: &str, what: &str) -> &'a Value {
    let [only] = &json["comparison"]["operations"].as_array().unwrap()[..] else { panic!("{json:#}") };
    finding_of(json, only["workload"].as_str().unwrap(), at, what)
}

fn finding_of<'a>(json: &'a Value, workload: &str, at: &str, what: &str) -> &'a Value {
    let findings = operation(json, workload)["findings"].as_array().unwrap();
    let found = findings.iter().find(|f| f["at"] == at && f["what"] == what);
    found.unwrap_or_else(|| panic!("no {what} {at} in {findings:#?}"))
}

/// The measurements of every cell: name and value.
fn measured(json: &Value) -> Vec<std::collections::BTreeMap<String, f64>> {
    let of_cell = |cell: &Value| {
        let all = cell["metrics"].as_object().unwrap().iter();
        all.map(|(name, one)| (name.clone(), one["value"].as_f64().unwrap())).collect()
    };
    json["cells"].as_array().unwrap().iter().map(of_cell).collect()
}

/// The parts of a backup and of a restore that were measured, none of them longer than the whole.
fn parts_add_up(json: &Value, engine: &str) {
    for cell in measured(json) {
        for (work, whole) in [("backup", cell["backup_time"]), ("restore", cell["restore_time"])] {
            let parts = ["read", "write", "flush", "copy", "recover", "start"];
            let part = |part: &&str| cell.get(&format!("{work}_{part}_time")).copied();
            let sum: f64 = parts.iter().filter_map(part).sum();
            assert!(sum > 0.2 * whole && sum <= whole * 1.000_001, "{engine} {work}: {sum} of {whole} s");
            let told = if engine == "sqlite" { ["read", "write"] } else { ["copy", "flush"] };
            assert!(told.iter().all(|name| part(name).is_some()), "{engine} {work}: {cell:?}");
        }
    }
}

/// Backups and restores beside a number of users. On a modelled drive the backup is read and written there,
/// and so is the restored data.
fn backups_are_proven_and_a_turned_bit_is_caught(engine: &str, storage: &str, users: u32, cycles: u32) {
    let Some(()) = common::engine(engine) else { return };
    let workload = format!(
        "kind = \"backup\"\nwarehouses = 1\ncycles = {cycles}\nvirtual_users = [{users}]\nramp_up = \"200ms\""
    );
    let (scratch, json) = run(&experiment(engine, storage, &workload, 1), 0);
    parts_add_up(&json, engine);
    let [cell] = &measured(&json)[..] else { panic!("{json:#}") };
    if storage == MODELLED {
        let least = 1.5 * f64::from(cycles) * cell["backup_size"] * 1e6;
        assert!(cell["written_bytes"] > least && cell["read_bytes"] > least, "{engine}: {cell:#?}");
    }
    let answer = json["comparison"]["operations"][0]["answer"].to_string();
    let proven = format!("{cycles} of {cycles} restored instances were proven");
    assert!(answer.contains(&proven), "{engine}: {answer}");
    let page = std::fs::read_to_string(scratch.report("drivetrain-report-1-")).unwrap();
    assert!(page.contains("was flipped and caught: the backup in"), "{engine}");
    if users == 0 {
        for phase in ["backup 1".to_owned(), format!("restore {cycles}")] {
            assert!(page.contains(&format!("<title>{phase}, ")), "{phase} stands in the figure");
        }
        let part = if engine == "sqlite" { "reading the source" } else { "copy" };
        assert!(page.contains(&format!("<title>here, {part}: ")), "{part} is a part of the bar");
    }
    let at = if users == 0 { "alone" } else { "under 1 virtual user" };
    assert!(finding(&json, at, "backup")["value"].as_f64().unwrap() > 0.0);
    if users > 0 {
        let meanwhile = finding(&json, at, "new orders during backups");
        assert!(meanwhile["value"].as_f64().unwrap() > 0.0);
        assert!(page.contains("acknowledged orders are present"), "{engine}");
    }
}

#[test]
fn backups_of_sqlite_are_proven_and_take_the_time_of_their_modelled_drive() {
    backups_are_proven_and_a_turned_bit_is_caught("sqlite", MODELLED, 0, 2);
}

#[test]
fn a_backup_of_postgresql_is_proven_and_takes_the_time_of_its_modelled_drive() {
    backups_are_proven_and_a_turned_bit_is_caught("postgresql", MODELLED, 0, 1);
}

/// The second backup takes the place of the first.
#[test]
fn backups_of_postgresql_are_proven_under_load() {
    backups_are_proven_and_a_turned_bit_is_caught("postgresql", REAL, 1, 2);
}

#[test]
fn a_backup_of_mariadb_is_proven_and_takes_the_time_of_its_modelled_drive() {
    backups_are_proven_and_a_turned_bit_is_caught("mariadb", MODELLED, 0, 1);
}

#[test]
fn a_backup_that_cannot_be_made_is_an_invalid_cell_with_its_reason() {
    let Some(()) = common::engine("mariadb") else { return };
    let workload = "kind = \"backup\"\nwarehouses = 1\ncycles = 1";
    let scratch = Scratch::new();
    scratch.write("operations.toml", &experiment("mariadb", REAL, workload, 1));
    let mut command = scratch.command(&["run", "operations.toml", "--json"]);
    command.env("DRIVETRAIN_BACKUP_BIN", scratch.path().join("no-tools"));
    let json = common::Ran::from(command.output().unwrap()).expect(7).json();
    let reason = json["comparison"]["excluded"][0]["reason"].to_string();
    assert!(reason.contains("mariadb-backup") && reason.contains("was not found"), "{reason}");
}

/// Room that runs out in the middle of a copy of pages, and under a tool.
#[test]
fn a_full_target_is_an_invalid_cell_and_the_others_go_on() {
    let scratch = Scratch::new();
    let target = scratch.path().join("small");
    let Some(_disk) = SmallDisk::mount(&target, "6m") else { return };
    let scan = "kind = \"scan\"\nname = \"roomy\"\nrows = 1000\nselectivity = [\"100%\"]";
    let backup = "kind = \"backup\"\nname = \"roomy\"\nwarehouses = 1\ncycles = 1\ndrill = false";
    for (engine, more, roomy) in [("sqlite", "", scan), ("postgresql", "compress = true", backup)] {
        let Some(()) = common::engine(engine) else { continue };
        let full = format!(
            "kind = \"backup\"\nname = \"full\"\nwarehouses = 1\ncycles = 1\ntarget = {{ real = \"small\" }}\n{more}\n\n\
             [[workload]]\n{roomy}"
        );
        scratch.write("operations.toml", &experiment(engine, REAL, &full, 1));
        let json = scratch.run(&["run", "operations.toml", "--json"]).expect(7).json();
        let cells = json["cells"].as_array().unwrap();
        let of = |workload: &str| cells.iter().find(|cell| cell["workload"] == workload).unwrap();
        assert_eq!(of("roomy")["state"], "done", "{engine}: {json:#}");
        let reason = of("full")["reason"].as_str().unwrap();
        assert_eq!(of("full")["state"], "invalid", "{engine}: {json:#}");
        assert!(
            reason.contains("small") && reason.contains(" is full") && reason.contains("free some space"),
            "{engine}: {reason}"
        );
        assert!(servers_below(&scratch.path().canonicalize().unwrap()).is_empty());
    }
}

#[test]
fn both_ways_find_the_same_rows_and_the_break_even_is_told() {
    let workload = "kind = \"scan\"\nrows = 60000\nselectivity = [\"0.1%\", \"100%\"]";
    let text = experiment("sqlite", MODELLED, workload, 1).replace("16MiB", "1MiB");
    let (_scratch, json) = run(&text, 0);
    let share = finding(&json, "cold cache", "break-even")["value"].as_f64().unwrap();
    assert!((0.1..100.0).contains(&share), "{share}");
    let answer = json["comparison"]["answer"].to_string();
    assert!(answer.contains("lookups by the index lose to a full scan above"), "{answer}");
}

#[test]
fn pieces_are_counted_and_scanned() {
    let workload = "kind = \"fragmentation\"\nrows = 60000\nfragments = [\"64KiB\"]";
    let scratch = Scratch::new();
    scratch.write("operations.toml", &experiment("sqlite", REAL, workload, 2));
    let output = scratch.run(&["run", "operations.toml", "--json"]);
    if output.stdout.contains("does not tell where the pieces of a file lie") {
        testkit::need::skip("the file system does not tell where the pieces of a file lie");
    } else {
        let json = output.expect(0).json();
        let fragments = |at| finding(&json, at, "fragments as laid out")["value"].as_f64().unwrap();
        assert!(fragments("pieces of 64 KiB") > fragments("in one piece"), "{json:#}");
        finding(&json, "pieces of 64 KiB / in one piece", "time of a cold scan");
    }
}

#[test]
fn a_neighbours_arms_keep_the_victims() {
    let arms = "kind = \"neighbour\"\nvictims = 2\nwarehouses = 1\nvirtual_users = 1\nramp_up = \"200ms\"\nmeasure = \"1s\"\n\
        neighbour = \"backup\"\nmitigation = \"rate-limit\"\nlimit = \"20MiB\"";
    let (scratch, json) = run(&experiment("sqlite", MODELLED, arms, 2), 0);
    let slowdown = finding(&json, "with neighbour / together", "slowdown");
    assert!(slowdown["low"].as_f64().unwrap() <= slowdown["value"].as_f64().unwrap());
    finding(&json, "mitigated / together", "p99 inflation, victim 2");
    assert!(
        finding(&json, "neighbour alone", "the neighbour's own progress")["value"].as_f64().unwrap() > 0.0
    );
    let page = std::fs::read_to_string(scratch.report("drivetrain-report-1-")).unwrap();
    assert!(page.contains("Effect of the arms on the same victims"));
}

/// Databases and scans as neighbours, and the published design, beside copies of one loaded database.
#[test]
fn other_neighbours_work_too_and_the_published_design_is_told_apart() {
    // Long enough that a victim among other tests completes something.
    let workload = |kind: &str, victims: u32, more: &str| {
        format!(
            "kind = \"neighbour\"\nname = \"{kind}\"\nneighbour = \"{kind}\"\nvictims = {victims}\nwarehouses = 1\n\
             virtual_users = 1\nramp_up = \"200ms\"\nmeasure = \"3s\"\narms = [\"together\", \"with-neighbour\"]\n{more}"
        )
    };
    let workloads = [
        workload("database", 1, ""),
        workload("scan", 1, ""),
        workload("block", 2, "victims_taken_away = 1"),
    ];
    let text = experiment("sqlite", MODELLED, &workloads.join("\n\n[[workload]]\n"), 1);
    let (_scratch, json) = run(&text, 0);
    let progress = |kind: &str, what: &str| {
        finding_of(&json, kind, "victims with neighbour", what)["value"].as_f64().unwrap()
    };
    assert!(progress("database", "the neighbour's own new orders") > 0.0, "{json:#}");
    // The end of the arm cuts a scan off, which may be its first.
    progress("scan", "actions that the neighbour finished");
    let answer = operation(&json, "block")["answer"].to_string();
    assert!(answer.contains("no slowdown can be computed"), "{answer}");
}

/// Process numbers of the servers below this folder.
fn servers_below(folder: &std::path::Path) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        if command.contains("config-file=") && command.contains(&folder.display().to_string()) {
            found.push((pid, command));
        }
    }
    found
}

/// Starts the run, kills the server whose folder bears `name` in the middle of its load, and gives the result
/// of the run.
fn with_one_server_killed(scratch: &Scratch, servers: usize, name: &str) -> common::Ran {
    let mut command = scratch.command(&["run", "operations.toml", "--json"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let running = command.spawn().unwrap();
    let folder = scratch.path().canonicalize().unwrap();
    let start = std::time::Instant::now();
    let victim = loop {
        assert!(start.elapsed().as_secs() < 120, "the {servers} servers did not start");
        let found = servers_below(&folder);
        // A process that a server has just forked looks like the server for a moment, so there may be more;
        // the server was there first.
        let named = found.iter().filter(|(_, command)| command.contains(name)).map(|(pid, _)| *pid).min();
        if let Some(named) = named.filter(|_| found.len() >= servers) {
            break named;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert!(std::process::Command::new("kill").args(["-9", &victim.to_string()]).status().unwrap().success());
    let ran = common::Ran::from(running.wait_with_output().unwrap());
    assert!(servers_below(&folder).is_empty(), "nothing is left running");
    ran
}

#[test]
fn one_of_four_servers_is_killed_in_the_middle_and_the_others_finish() {
    let Some(()) = common::engine("postgresql") else { return };
    let workload = "kind = \"tpcc\"\nwarehouses = 1\nvirtual_users = [1]\nramp_up = \"500ms\"\nmeasure = \"5s\"\n\
        pacing = { arrivals_per_second = 50.0 }";
    let text = experiment("postgresql", REAL, workload, 1).replace("memory = ", "instances = 4\nmemory = ");
    let scratch = Scratch::new();
    scratch.write("operations.toml", &text);
    let ran = with_one_server_killed(&scratch, 4, "bed-here-3");
    let json = ran.expect(7).json();
    let reason = json["comparison"]["excluded"][0]["reason"].to_string();
    assert!(reason.contains("instance 3"), "{reason}");
    assert!(!reason.contains("instance 1:") && !reason.contains("instance 4:"), "{reason}");
    let metrics = &json["cells"][0]["metrics"];
    assert!(metrics["nopm"]["value"].as_f64().unwrap() > 0.0, "the others' work is kept: {metrics:#}");
}

/// Two servers of one bed.
fn told_apart_and_together(instances: &Value) {
    assert_eq!(instances["instances"], 2, "{instances:#}");
    let figure = |name: &str| instances[name].as_f64().unwrap();
    assert!(figure("slowest") > 0.0 && figure("slowest") + figure("fastest") - figure("all") < 1.0);
    assert!((0.5..=1.0).contains(&figure("fairness")), "{instances:#}");
}

/// A PostgreSQL that refuses to serve one folder represents any cause that keeps one server of several from
/// starting. The servers of the other bed are told apart and together.
#[test]
fn one_server_that_does_not_start_is_told_and_the_other_beds_go_on() {
    let Some(()) = common::engine("postgresql") else { return };
    use std::os::unix::fs::PermissionsExt as _;
    let scratch = Scratch::new();
    let anyone = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(scratch.path(), anyone.clone()).unwrap();
    let asked = "for folder in /usr/lib/postgresql/*/bin; do echo $folder; done | tail -1";
    let found = std::process::Command::new("sh").args(["-c", asked]).output().unwrap().stdout;
    let real = std::path::PathBuf::from(String::from_utf8(found).unwrap().trim());
    let bin = scratch.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    for entry in std::fs::read_dir(&real).unwrap().flatten().filter(|entry| entry.file_name() != "postgres") {
        std::os::unix::fs::symlink(entry.path(), bin.join(entry.file_name())).unwrap();
    }
    let wrapper = format!(
        "#!/bin/sh\ncase \"$*\" in *bed-there-2*) echo 'this one does not start' >&2; exit 1;; esac\nexec {}/postgres \"$@\"\n",
        real.display()
    );
    let wrapper = scratch.write("bin/postgres", &wrapper);
    std::fs::set_permissions(wrapper, anyone).unwrap();
    let workload =
        "kind = \"tpcc\"\nwarehouses = 1\nvirtual_users = [1]\nramp_up = \"200ms\"\nmeasure = \"1s\"";
    let text = experiment("postgresql", REAL, workload, 1)
        .replace("memory = ", "instances = 2\nmemory = ")
        .replace("[database]", "[[bed]]\nname = \"there\"\nstorage = { real = \".\" }\n\n[database]");
    scratch.write("operations.toml", &text);
    let mut command = scratch.command(&["run", "operations.toml", "--json"]);
    command.env("DRIVETRAIN_POSTGRESQL_BIN", &bin);
    let json = common::Ran::from(command.output().unwrap()).expect(7).json();
    let cells = json["cells"].as_array().unwrap();
    let of = |bed: &str| cells.iter().find(|cell| cell["bed"] == bed).unwrap();
    assert_eq!(of("here")["state"], "done", "{json:#}");
    told_apart_and_together(&json["comparison"]["instances"][0]);
    let written = &json["comparison"]["written"][0];
    assert!(
        written["per_transaction_bytes"].as_f64().unwrap() > 0.0,
        "commits wait for the drive: {written}"
    );
    let reason = of("there")["reason"].as_str().unwrap();
    assert!(reason.contains("instance 2: start: ") && reason.contains("this one does not start"), "{reason}");
    assert!(servers_below(&scratch.path().canonicalize().unwrap()).is_empty(), "nothing is left running");
    assert!(!scratch.path().join("drivetrain-data").exists(), "a finished run leaves no data behind");
}

#[test]
fn limits_of_processors_and_memory_hold_or_are_told_not_to_be_had() {
    let Some(()) = common::engine("postgresql") else { return };
    // Users that wait for no drive: on however busy a machine, in some tenth of a second they have more than
    // a tenth of a processor.
    let workload = "kind = \"sysbench\"\ntest = \"oltp_read_write\"\nrows = 1000\nthreads = [4]\nramp_up = \"200ms\"\nmeasure = \"2s\"";
    let text = experiment("postgresql", REAL, workload, 1).replace(
        "memory = ",
        "synchronous = \"off\"\ninstances = 2\ncpus = 0.1\nmemory_limit = \"128MiB\"\nmemory = ",
    );
    let scratch = Scratch::new();
    scratch.write("operations.toml", &text);
    let plan = scratch.run(&["plan", "operations.toml"]).expect(0).stdout;
    assert!(plan.contains("limits of each instance of here: 0.1 processors, 128 MiB of memory: "), "{plan}");
    let ran = scratch.run(&["run", "operations.toml", "--json"]);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    if !plan.contains("available here (control groups") {
        let reason = json["comparison"]["excluded"][0]["reason"].to_string();
        assert!(reason.contains("not available here") || reason.contains("not permitted here"), "{reason}");
        return testkit::need::skip(&reason);
    }
    ran.expect(0);
    let limits = &json["comparison"]["limits"][0];
    assert!(limits["limits"].to_string().contains("0.1 processors, 128 MiB of memory (control groups"));
    assert!(limits["held_back_s"].as_f64().unwrap() > 0.0, "a tenth of a processor is not enough: {limits}");
    let peak_mb = limits["memory_peak_mb"].as_f64().unwrap();
    assert!(peak_mb <= 134.3, "the page cache is counted, too: {limits}");
    let page = std::fs::read_to_string(scratch.report("drivetrain-report-1-")).unwrap();
    assert!(page.contains("Limits of the instances") && page.contains("Bytes written to the drives"));
    // Without synchronous commits the kernel writes when it likes, which may be after so short a measurement:
    // only the whole cell is held to it.
    let written = &json["comparison"]["written"][0];
    assert!(written["whole_cell_bytes"].as_f64().unwrap() > 0.0, "{written}");
}

/// The test uses the mitigations that the machine supports and reports the others: no arm is silently without
/// one.
#[test]
fn the_kernels_mitigations_work_or_are_told_not_to_be_had() {
    let Some(()) = common::engine("postgresql") else { return };
    let arm = |name: &str, neighbour: &str, mitigation: &str| {
        format!(
            "kind = \"neighbour\"\nname = \"{name}\"\nvictims = 1\nwarehouses = 1\nvirtual_users = 1\nramp_up = \"200ms\"\n\
             measure = \"1s\"\nneighbour = \"{neighbour}\"\nmitigation = \"{mitigation}\"\nlimit = \"20MiB\"\narms = [\"mitigated\"]"
        )
    };
    let workloads = [arm("a", "scan", "throttle"), arm("b", "backup", "idle-io")];
    let text = experiment("postgresql", REAL, &workloads.join("\n\n[[workload]]\n"), 1);
    let scratch = Scratch::new();
    scratch.write("operations.toml", &text);
    let weight = ["plan", "operations.toml", "--set", "workload.b.mitigation=weight"];
    let plan =
        [scratch.run(&["plan", "operations.toml"]).expect(0).stdout, scratch.run(&weight).expect(0).stdout]
            .concat();
    for mitigation in ["throttle", "idle-io", "weight"] {
        let line = format!("the mitigation {mitigation} on here: ");
        let said = plan.split(&line).nth(1).unwrap_or_else(|| panic!("{plan}"));
        let said = said.split([';', '\n']).next().unwrap();
        assert!(said.contains("vailable here") || said.contains("not permitted here"), "{said}");
    }
    let ran = scratch.run(&["run", "operations.toml", "--json"]);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    for cell in json["cells"].as_array().unwrap() {
        let reason = cell["reason"].as_str().unwrap_or_default();
        let told = reason.contains("not available here") || reason.contains("not permitted here");
        assert!(cell["state"] == "done" || told, "{cell:#}");
        if told {
            testkit::need::skip(reason);
        }
    }
}

#[test]
fn a_neighbour_that_dies_makes_its_arm_invalid_and_says_so() {
    let Some(()) = common::engine("postgresql") else { return };
    let workload = "kind = \"neighbour\"\nvictims = 1\nwarehouses = 1\nvirtual_users = 1\nramp_up = \"200ms\"\nmeasure = \"5s\"\n\
        neighbour = \"database\"\narms = [\"with-neighbour\"]";
    let scratch = Scratch::new();
    scratch.write("operations.toml", &experiment("postgresql", REAL, workload, 1));
    let ran = with_one_server_killed(&scratch, 2, "bed-here-2");
    let reason = ran.expect(7).json()["comparison"]["excluded"][0]["reason"].to_string();
    assert!(reason.contains("the neighbour: "), "{reason}");
}
