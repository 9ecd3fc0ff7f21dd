//! `profile` of a target: models in virtual time, a directory of this machine, and targets that are none.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::common::{Ran, Scratch, interrupt};

/// Loads of every form, as short as they get.
const LOADS: &str = r#"
schema = 1
title = "A few loads"

[[bed]]
name = "target"
storage = { emulated = "kingston-dc1500m-960g", path = "." }

[[workload]]
kind = "block"
name = "sizes"
size = "64MiB"
reuse = true
depth = [1]
ramp_up = "50ms"
measure = "200ms"
matrix = { read = ["100%", "0%"], block_size = ["4KiB", "64KiB"] }
[[workload.stream]]
read = "100%"
block_size = "4KiB"

[[workload]]
kind = "block"
name = "flushes"
size = "64MiB"
reuse = true
depth = [1]
ramp_up = "100ms"
measure = "1s"
[[workload.stream]]
read = "0%"
block_size = "4KiB"
fdatasync = 8

[[workload]]
kind = "block"
name = "mix"
size = "64MiB"
reuse = true
depth = [4]
ramp_up = "50ms"
measure = "200ms"
curve = ["50%"]
[[workload.stream]]
read = "70%"
block_size = "4KiB"

[design]
repeats = 1
order = "sequential"
"#;

/// The load of this name.
#[track_caller]
fn load<'a>(document: &'a Value, name: &str) -> &'a Value {
    let loads = document["loads"].as_array().expect("the document has loads");
    let names: Vec<&str> = loads.iter().filter_map(|load| load["name"].as_str()).collect();
    loads.iter().find(|load| load["name"] == name).unwrap_or_else(|| panic!("no `{name}` in {names:#?}"))
}

#[test]
fn a_model_is_measured_in_virtual_time_and_gives_its_own_numbers() {
    let scratch = Scratch::with("loads.toml", LOADS);
    let measure = ["profile", "--drive", "micron-5200-eco-1920g", "--loads", "loads.toml", "--seed", "3"];
    let first = scratch.run(&[&measure[..], &["--json"]].concat()).expect(0).json();
    let mean_us =
        |name: &str, direction: &str| load(&first, name)[direction]["mean_ns"].as_f64().unwrap() / 1e3;
    // The catalogue's latency of an idle read, and of a write while the buffer has room.
    let read_us = mean_us("random 4KiB reads, depth 1", "reads");
    assert!((read_us / 145.0 - 1.0).abs() < 0.05, "{read_us}");
    let write_us = mean_us("random 4KiB writes, depth 1", "writes");
    assert!((write_us / 45.0 - 1.0).abs() < 0.05, "{write_us}");
    let flushes = load(&first, "random 4KiB writes, depth 1, a flush after 8");
    let per_s = |direction: &str| flushes[direction]["per_s"].as_f64().unwrap();
    assert!((per_s("writes") / per_s("flushes") - 8.0).abs() < 0.1, "{flushes:#}");
    // Half of the rate that the same mix had at its depth.
    let mixed = load(&first, "random 4KiB, 70 % reads, depth 4");
    let rate =
        |load: &Value| load["reads"]["per_s"].as_f64().unwrap() + load["writes"]["per_s"].as_f64().unwrap();
    let offered: Vec<&Value> =
        first["loads"].as_array().unwrap().iter().filter(|load| !load["offered_per_s"].is_null()).collect();
    assert_eq!(offered.len(), 1, "{first:#}");
    assert!((rate(offered[0]) / rate(mixed) - 0.5).abs() < 0.1, "{} of {}", rate(offered[0]), rate(mixed));
    // The loads are in the notebook, and the same seed gives the same.
    let again = scratch.run(&["profile", "--from-run", "1", "--json"]).expect(0).json();
    assert_eq!(again["loads"], first["loads"]);
    let repeated = scratch.run(&[&measure[..], &["--json"]].concat()).expect(0).json();
    assert_eq!(repeated["loads"], first["loads"]);
    let told = scratch.run(&["profile", "--from-run", "1"]).expect(0).stdout;
    assert!(told.contains("random 64KiB reads, depth 1") && told.contains("read p50"), "{told}");
    let told = scratch.run(&["profile", "--from-run", "1", "--language", "ko"]).expect(0).stdout;
    assert!(
        told.contains("\u{c784}\u{c758} 64KiB \u{c77d}\u{ae30}, \u{ae4a}\u{c774} 1"),
        "loads have names in Korean: {told}"
    );
}

#[test]
fn a_directory_gets_one_file_that_goes_away() {
    let scratch = Scratch::with("loads.toml", LOADS);
    std::fs::create_dir(scratch.path().join("disk")).unwrap();
    let measured = scratch.run(&["profile", "disk", "--loads", "loads.toml", "--json"]).expect(0).json();
    assert_eq!(measured["loads"].as_array().unwrap().len(), 7, "{measured:#}");
    let file_bytes = 64 << 20;
    // The file was written once; what the loads wrote before is counted.
    assert_eq!(load(&measured, "random 4KiB reads, depth 1")["written_before_bytes"], file_bytes);
    let before_flushes =
        load(&measured, "random 4KiB writes, depth 1, a flush after 8")["written_before_bytes"].as_u64();
    assert!(before_flushes.unwrap() > file_bytes, "{before_flushes:?}");
    assert!(
        before_flushes.unwrap() < 2 * file_bytes + (16 << 30),
        "the file is made once: {before_flushes:?}"
    );
    assert_eq!(std::fs::read_dir(scratch.path().join("disk")).unwrap().count(), 0, "nothing is left");
    assert!(scratch.report("drivetrain-report-1-").exists());
}

#[test]
fn ctrl_c_keeps_what_was_measured_and_resume_goes_on() {
    let scratch = Scratch::with("loads.toml", LOADS);
    std::fs::create_dir(scratch.path().join("disk")).unwrap();
    let long = ["--set", "workload.flushes.measure=3s"];
    let mut command = scratch.command(&[&["profile", "disk", "--loads", "loads.toml"][..], &long].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The line of the first cell: the second has begun.
    let mut progress = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = progress.by_ref().map(Result::unwrap).find(|line| line.starts_with("[1/3]"));
    interrupt(&child);
    assert!(first.is_some());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("random 64KiB writes, depth 1") && told.contains("2 cells are missing"), "{told}");
    assert!(told.contains("drivetrain resume 1"), "{told}");
    let loads = || scratch.run(&["profile", "--from-run", "1", "--json"]).expect(0).json()["loads"].clone();
    assert_eq!(loads().as_array().unwrap().len(), 4);
    scratch.run(&["resume"]).expect(0);
    assert_eq!(loads().as_array().unwrap().len(), 7);
    assert_eq!(std::fs::read_dir(scratch.path().join("disk")).unwrap().count(), 0, "nothing is left");
}

#[test]
fn a_shortened_profile_says_so_and_one_in_virtual_time_is_resumed_in_it() {
    let scratch = Scratch::with("loads.toml", LOADS);
    let measure = ["profile", "--drive", "micron-5200-eco-1920g", "--loads", "loads.toml", "--seed", "3"];
    let shortened = ["--scale", "0.5", "-o", "my.toml"];
    let told = scratch.run(&[&measure[..], &shortened].concat()).expect(0).stdout;
    assert!(told.contains("shortened to") && told.contains("0.5 of the full length"), "{told}");
    let file = std::fs::read_to_string(scratch.path().join("my.toml")).unwrap();
    assert!(file.contains("\nscale = \"0.5 of the full length"), "{file}");
    let shown = scratch.run(&["drives", "my.toml"]).expect(0).stdout;
    assert!(shown.contains("1920 GB"), "the capacity of the model: {shown}");
    let whole = || scratch.run(&["profile", "--from-run", "2", "--json"]).expect(0).json()["loads"].clone();
    scratch.run(&measure).expect(0);
    let before = whole();
    // No variable of the environment is needed for a run that knows its clock.
    let told = scratch.run(&["resume", "2", "--cells", "1-3"]).expect(0).stdout;
    assert!(told.contains("profile --from-run 2 -o my-drive.toml"), "{told}");
    assert!(told.contains("no model is fitted to them yet"), "the fit is of the loads before: {told}");
    assert_eq!(whole(), before, "the same loads in the same time");
}

#[test]
fn a_profiled_volume_has_a_name_and_the_capacity_of_its_purchase() {
    let scratch = Scratch::with("loads.toml", LOADS);
    let volume = "aws-ebs-gp3:size=500GiB,iops=6000,throughput=250MiB/s";
    scratch.run(&["profile", "--drive", volume, "--loads", "loads.toml", "-o", "my.toml"]).expect(0);
    let shown = scratch.run(&["drives", "my.toml", "--json"]).expect(0).json();
    assert_eq!(
        (&shown["name"], &shown["capacity_bytes"]),
        (&"aws-ebs-gp3-profiled".into(), &(500u64 << 30).into())
    );
    let text = scratch.run(&["drives", "my.toml"]).expect(0).stdout;
    assert!(text.contains("NOT IDENTIFIED  ") && !text.contains("not identified: "), "said once: {text}");
    let digits = |word: &str| word.chars().filter(char::is_ascii_digit).count();
    let is_long = |word: &&str| word.parse::<f64>().is_ok_and(|of| of.fract() != 0.0) && digits(word) > 5;
    assert_eq!(text.split(' ').filter(is_long).count(), 0, "numbers are rounded: {text}");
}

#[test]
fn a_scaled_profile_tells_the_size_that_is_used_and_the_time_that_it_leaves_out() {
    let scratch = Scratch::with("loads.toml", &LOADS.replace("size = \"64MiB\"", "size = \"1GiB\""));
    let measure = ["profile", "--drive", "micron-5200-eco-1920g", "--loads", "loads.toml", "--scale", "0.5"];
    let told = scratch.run(&[&measure[..], &["--size", "128MiB"]].concat()).expect(0).stderr;
    assert!(told.contains("the file of 128MiB is not scaled") && !told.contains("files x s"), "{told}");
    assert!(told.contains("3 of 3 cells to do, about 0:0") && told.contains(" of virtual time"), "{told}");
    let told = scratch.run(&measure).expect(0).stderr;
    assert!(told.contains("the file of 1GiB became 512MiB") && told.contains("files x s"), "{told}");
    std::fs::create_dir(scratch.path().join("disk")).unwrap();
    let here = ["profile", "disk", "--loads", "loads.toml", "--size", "64MiB"];
    let told = scratch.run(&here).expect(0).stderr;
    assert!(told.contains("loads beside which other programs are busy are repeated"), "{told}");
    // A try is no model, so it does not wait for a quiet machine.
    let told = scratch.run(&[&here[..], &["--scale", "0.5"]].concat()).expect(0).stderr;
    assert!(told.contains("and longer: the file is filled first") && !told.contains("repeated"), "{told}");
    assert!(!told.contains("measured once more"), "{told}");
}

#[test]
fn two_runs_on_one_storage_know_of_each_other() {
    let scratch = Scratch::with("loads.toml", LOADS);
    std::fs::create_dir(scratch.path().join("disk")).unwrap();
    let long = ["profile", "disk", "--loads", "loads.toml", "--set", "workload.flushes.measure=60s"];
    let mut command = scratch.command(&[&long[..], &["--notebook", "other.db"]].concat());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut progress = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(progress.by_ref().map(Result::unwrap).any(|line| line.starts_with("[1/3]")));
    let told = scratch.run(&["profile", "disk", "--loads", "loads.toml"]).expect(0).stderr;
    let shown = scratch.run(&["show", "1", "--full"]).expect(0).stdout;
    interrupt(&child);
    child.wait().unwrap();
    for told in [told, shown] {
        assert!(told.contains("another run was at work on the same storage"), "{told}");
    }
}

#[test]
fn a_storage_that_is_moved_away_makes_no_result_and_is_found_by_clean() {
    let scratch = Scratch::with("loads.toml", LOADS);
    let (disk, moved) = (scratch.path().join("disk"), scratch.path().join("moved"));
    std::fs::create_dir(&disk).unwrap();
    let mut command = scratch.command(&[
        "profile",
        "disk",
        "--loads",
        "loads.toml",
        "--set",
        "workload.flushes.measure=2s",
    ]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut progress = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(progress.by_ref().map(Result::unwrap).any(|line| line.starts_with("[1/3]")));
    // The second cell has its file.
    let files = || std::fs::read_dir(format!("/proc/{}/fd", child.id())).unwrap().map_while(Result::ok);
    let is_target = |file: std::fs::DirEntry| {
        std::fs::read_link(file.path()).is_ok_and(|target| target.ends_with("block.dat"))
    };
    while !files().any(is_target) {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::fs::rename(&disk, &moved).unwrap();
    let told: Vec<String> = progress.map(Result::unwrap).collect();
    assert_ne!(child.wait().unwrap().code(), Some(0));
    assert!(!disk.exists(), "nothing is made where the storage was: {told:#?}");
    let cells = scratch.run(&["show", "1", "--json"]).expect(0).json()["cells"].clone();
    let states: Vec<&str> =
        cells.as_array().unwrap().iter().filter_map(|cell| cell["state"].as_str()).collect();
    assert_eq!(states, ["done", "invalid", "invalid"], "{cells:#}");
    assert!(cells[1].to_string().contains("was moved to"), "{cells:#}");
    assert!(told.iter().any(|line| line.contains("could not be removed")), "{told:#?}");
    assert!(told.iter().any(|line| line.contains("no drive was fitted: 2 of the 3 loads")), "{told:#?}");
    // Its note says where it is. Its marker is good for its own place alone.
    let told = scratch.run(&["clean"]).stdout;
    assert!(told.contains("move it back") && told.contains("/moved/drivetrain-data/"), "{told}");
    std::fs::rename(&moved, &disk).unwrap();
    scratch.run(&["clean"]).expect(0);
    assert_eq!(std::fs::read_dir(&disk).unwrap().count(), 0, "nothing is left");
}

#[test]
fn a_fit_that_nothing_judged_states_no_error() {
    let lone =
        LOADS.replace("matrix = { read = [\"100%\", \"0%\"], block_size = [\"4KiB\", \"64KiB\"] }\n", "");
    let lone = lone.replace("measure = \"200ms\"", "measure = \"1s\"");
    let lone = &lone[..lone.find("[[workload]]\nkind = \"block\"\nname = \"flushes\"").unwrap()];
    let scratch =
        Scratch::with("lone.toml", &format!("{lone}\n[design]\nrepeats = 1\norder = \"sequential\"\n"));
    let measure =
        ["profile", "--drive", "micron-5200-eco-1920g", "--loads", "lone.toml", "-o", "lone-drive.toml"];
    let described = ["--name", "mine", "--maker", "Nobody", "--interface", "SATA", "--capacity", "2TB"];
    let told = scratch.run(&[&measure[..], &described].concat()).expect(0).stdout;
    assert!(told.contains("error is not judged") && !told.contains("nine in ten"), "{told}");
    let checked = scratch.run(&["drives", "--check", "lone-drive.toml"]).expect(0).stdout;
    assert!(checked.contains("it states no error of its model"), "{checked}");
    let document = scratch.run(&["profile", "--from-run", "1", "--json"]).expect(0).json();
    let text = document.to_string();
    assert!(text.contains("\"median\":null"), "{text}");
    // The file of a run gives way to the same run, until somebody changes it.
    let anew = ["profile", "--from-run", "1", "-o", "lone-drive.toml", "--title", "A lone drive"];
    scratch.run(&anew).expect(0);
    let drive = std::fs::read_to_string(scratch.path().join("lone-drive.toml")).unwrap();
    assert!(drive.contains("A lone drive"), "{drive}");
    // The description that was given with the measurement counts for a later fit.
    let kept = ["name = \"mine\"", "maker = \"Nobody\"", "interface = \"SATA\"", "2000000000000"];
    assert!(kept.iter().all(|part| drive.contains(part)), "{drive}");
    scratch.write("lone-drive.toml", &format!("{drive}# by hand\n"));
    assert!(scratch.run(&anew).expect(6).stderr.contains("--force"));
}

#[test]
fn what_is_no_target_is_refused_with_words() {
    let scratch = Scratch::with("loads.toml", LOADS);
    let told = |target: &str| scratch.run(&["profile", target]).expect(2).stderr;
    assert!(told("nowhere").contains("name a directory"));
    assert!(told("loads.toml").contains("neither a directory nor a block device"));
    assert!(scratch.run(&["profile"]).expect(2).stderr.contains("--from-map"));
    scratch.run(&["profile", ".", "--drive", "free"]).expect(2);
    scratch.run(&["profile", ".", "--quick", "--full"]).expect(2);
    let huge = scratch.run(&["profile", ".", "--quick", "--capacity", "16777215TiB"]).expect(2).stderr;
    assert!(huge.contains("4 KiB to 1 EB"), "{huge}");
    let of_database = crate::common::SMALL;
    scratch.write("database.toml", of_database);
    let told = scratch.run(&["profile", ".", "--loads", "database.toml"]).expect(2).stderr;
    assert!(told.contains("one bed"), "{told}");
    let told = scratch.run(&["profile", ".", "--loads", "loads.toml", "--name", "x\ny"]).expect(2).stderr;
    assert!(told.contains("cannot be a name"), "{told}");
    assert!(!scratch.path().join("drivetrain.db").exists(), "no notebook is made for it");
}

#[test]
fn memory_and_read_only_file_systems_are_refused() {
    let scratch = Scratch::with("loads.toml", LOADS);
    let Some(disk) = crate::common::SmallDisk::mount(&scratch.path().join("memory"), "200m") else { return };
    let told = scratch.run(&["profile", "memory", "--loads", "loads.toml"]).expect(2).stderr;
    assert!(told.contains("tmpfs") && told.contains("the drive that is meant"), "{told}");
    let remounted = std::process::Command::new("mount").args(["-o", "remount,ro"]).arg(&disk.0).status();
    assert!(remounted.unwrap().success());
    let told = scratch.run(&["profile", "memory", "--loads", "loads.toml"]).expect(2).stderr;
    assert!(told.contains("read-only"), "{told}");
}

/// One load on a drive and on its model.
const TWIN: &str = r#"
schema = 1
title = "Twins"

[[bed]]
name = "drive"
storage = { emulated = "kingston-dc500m-1920g", path = "." }
[[bed]]
name = "twin"
storage = { emulated = "micron-5200-eco-1920g", path = "." }

[[workload]]
kind = "block"
name = "mix"
size = "64MiB"
depth = [1]
ramp_up = "0s"
measure = "1s"
[[workload.stream]]
read = "70%"
block_size = "8KiB"

[design]
treatment = ["storage"]
baseline = "drive"
repeats = 2
mixed = true
"#;

/// A profile of a modelled drive as `my.toml`, and what was told of it.
fn profiled() -> (Scratch, String) {
    let scratch = Scratch::with("loads.toml", LOADS);
    scratch.write("twin.toml", TWIN);
    std::fs::create_dir(scratch.path().join("disk")).unwrap();
    let measure = ["profile", "--drive", "micron-5200-eco-1920g", "--loads", "loads.toml", "-o", "my.toml"];
    let told = scratch.run(&measure).expect(0).stdout;
    (scratch, told)
}

/// Measures the certificate of `my.toml` into the same file.
const CERTIFY: [&str; 8] = ["profile", "--twin", "my.toml", "disk", "--loads", "twin.toml", "-o", "my.toml"];

#[test]
fn a_certificate_is_of_the_numbers_that_were_measured() {
    let (scratch, _) = profiled();
    scratch.run(&CERTIFY).expect(0);
    let file = std::fs::read_to_string(scratch.path().join("my.toml")).unwrap();
    let edited = file.replace("queue_limit = { value = 65536", "queue_limit = { value = 32");
    assert_ne!(file, edited);
    scratch.write("edited.toml", &edited);
    let told = scratch.run(&["drives", "--check", "edited.toml"]).expect(2).stderr;
    assert!(told.contains("measured with other numbers of this drive"), "{told}");
    // A figure of the certificate that somebody made better.
    let (from, to) = (": IOPS ", ": IOPS +0.0 % and ");
    assert!(file.contains(from), "{file}");
    scratch.write("better.toml", &file.replace(from, to));
    let refused = scratch.run(&["drives", "--check", "better.toml"]).expect(2).stderr;
    assert!(refused.contains("was edited after it was measured"), "{refused}");
    let told = scratch.run(&["drives", "edited.toml"]).expect(0).stdout;
    assert!(told.contains("certificate: (OF OTHER NUMBERS than those below) "), "{told}");
    // Numbers that change under the measurement get no certificate.
    let mut child = scratch.command(&CERTIFY).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut progress = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(progress.by_ref().any(|line| line.contains("1/4]")));
    scratch.write("my.toml", &edited);
    assert!(progress.any(|line| line.contains("were changed while its certificate was measured")));
    assert_eq!(child.wait().unwrap().code(), Some(2));
    // A change of other lines stays beside the certificate.
    scratch.write("my.toml", &file);
    let mut child = scratch.command(&CERTIFY).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut progress = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(progress.by_ref().any(|line| line.contains("1/4]")));
    scratch.write("my.toml", &format!("# mine\n{file}"));
    progress.for_each(drop);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let kept = std::fs::read_to_string(scratch.path().join("my.toml")).unwrap();
    assert!(kept.starts_with("# mine\n"), "{kept}");
}

#[test]
fn a_certificate_that_cannot_be_written_is_refused_before_the_measurement() {
    let (scratch, _) = profiled();
    let own = |arguments: &[&str]| {
        let mut command = scratch.command(arguments);
        Ran::from(command.env("DRIVETRAIN_DRIVES", scratch.path().join("own")).output().unwrap())
    };
    let onto = |drive: &str, output: &str| {
        own(&["profile", "--twin", drive, "disk", "--loads", "twin.toml", "-o", output, "--force"])
    };
    let told = onto("my.toml", "twin.toml").expect(6).stderr;
    assert!(told.contains("the loads") && !told.contains("1/4]"), "{told}");
    for (from, to, why) in [
        ("repeats = 2", "repeats = 1", "a certificate needs two pairs"),
        ("name = \"twin\"\n", "name = \"twin\"\nmemory = \"1GiB\"\n", "differ in more than their storage"),
    ] {
        scratch.write("other.toml", &TWIN.replace(from, to));
        let certify = ["profile", "--twin", "my.toml", "disk", "--loads", "other.toml", "-o", "my.toml"];
        let told = own(&certify).expect(2).stderr;
        assert!(told.contains(why) && !told.contains("1/"), "{told}");
    }
    let told = onto("toshiba-dt01aca200", "new.toml").expect(2).stderr;
    assert!(told.contains("is a drive of the catalogue") && !told.contains("1/4]"), "{told}");
    // A drive of the user's own catalogue has a file there.
    own(&["drives", "--add", "my.toml"]).expect(0);
    let told = onto("micron-5200-eco-1920g-profiled", "new.toml").expect(0);
    assert!(told.stderr.contains("your own catalogue has a copy"), "{told:?}");
    let told = own(&["drives", "--check", "new.toml"]).expect(0).stdout;
    assert!(told.contains("its certificate was measured with these numbers"), "{told}");
    // What was measured is told although the file is gone.
    let mut child = scratch.command(&CERTIFY).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut progress = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(progress.by_ref().any(|line| line.contains("1/4]")));
    std::fs::remove_file(scratch.path().join("my.toml")).unwrap();
    let drain = std::thread::spawn(move || progress.count());
    let output = child.wait_with_output().unwrap();
    drain.join().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("the certificate, which is not written: ") && !output.status.success(), "{told}");
}

#[test]
fn a_profiled_drive_gets_a_certificate_beside_its_twin() {
    let (scratch, told) = profiled();
    assert!(told.starts_with("The model of "), "the error comes first: {told}");
    assert!(told.contains("latency of a 4KiB read") && told.contains("read.latency_4k_us"), "{told}");
    let shown = scratch.run(&["show", "1"]).expect(0).stdout;
    assert!(shown.contains("The model of ") && shown.contains("median error"), "{shown}");
    assert!(shown.lines().count() <= 20, "{shown}");
    let page = std::fs::read_to_string(scratch.report("drivetrain-report-1-")).unwrap();
    let stand_ins = ["65,536 (stand-in)", "commands in the queue, not identified: "];
    for part in stand_ins {
        assert!(told.contains(part), "the terminal lacks {part}: {told}");
    }
    let parts = ["id=\"fitted\"", "Fitted numbers", "not identified", "id=\"predicted-", "Measured loads"];
    for part in parts.into_iter().chain(stand_ins) {
        assert!(page.contains(part), "the report lacks {part}");
    }
    let checked = scratch.run(&["drives", "my.toml"]).expect(0).stdout;
    assert!(checked.contains("micron-5200-eco-1920g-profiled"), "{checked}");
    let ran = scratch.run(&[&CERTIFY[..], &["--json"]].concat()).expect(0).json();
    assert_eq!(ran["certified"].as_str(), Some("my.toml"));
    let shown = scratch.run(&["show", "2"]).expect(0).stdout;
    assert!(shown.contains("The largest error of the twin of my is "), "{shown}");
    assert!(
        shown.contains("95 % interval")
            && shown.replace('\n', " ").contains(" of 3 figures are shown to be "),
        "{shown}"
    );
    assert!(!shown.contains("better") && !shown.contains("worse"), "a model is neither: {shown}");
    let page = std::fs::read_to_string(scratch.report("drivetrain-report-2-")).unwrap();
    assert!(page.contains("The twin beside the drive") && page.contains("twin lower"));
    let figures: Vec<&str> =
        ran["twin"].as_array().unwrap().iter().filter_map(|figure| figure["metric"].as_str()).collect();
    assert_eq!(figures, ["iops", "latency_mean", "latency_p99"], "{ran:#}");
    assert!(ran["twin"][0]["low"].as_f64() < ran["twin"][0]["ratio"].as_f64(), "{ran:#}");
    let file = std::fs::read_to_string(scratch.path().join("my.toml")).unwrap();
    assert!(file.contains("\ncertificate = [\n    \""), "a line for each level: {file}");
    let cells = ", 2 pairs\",\n    \"mix, depth 1: IOPS ";
    assert!(file.contains(cells), "the time of a cell and the pairs: {file}");
    scratch.run(&["drives", "--check", "my.toml"]).expect(0);
    let told = scratch.run(&["drives", "my.toml"]).expect(0).stdout;
    assert!(told.contains(", 2 pairs\n    mix, depth 1: IOPS "), "{told}");
    // A drive of the catalogue has no table for it.
    let told = scratch.run(&["profile", "--twin", "free", "disk", "-o", "other.toml"]).expect(2).stderr;
    assert!(told.contains("was not profiled"), "{told}");
}

#[test]
fn an_interrupted_comparison_is_certified_when_it_was_resumed() {
    let (scratch, _) = profiled();
    let text = || std::fs::read_to_string(scratch.path().join("my.toml")).unwrap();
    let before = text();
    let certified = ["profile", "--twin", "my.toml", "--from-run", "2", "-o", "my.toml"];
    let told = scratch.run(&["profile", "--twin", "my.toml", "--from-run", "1"]).expect(2).stderr;
    assert!(told.contains("run 1 did not compare a drive with its twin"), "{told}");
    let twice = ["--set", "design.repeats=9", "--seed", "1"];
    let mut command = scratch.command(&[&CERTIFY[..], &twice].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut progress = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(progress.by_ref().map(Result::unwrap).any(|line| line.contains("4/18]")));
    interrupt(&child);
    let drain = std::thread::spawn(move || progress.count());
    let output = child.wait_with_output().unwrap();
    drain.join().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("14 cells are left") && !told.contains("certificate written"), "{told}");
    assert_eq!(text(), before, "a part is no certificate");
    let told = scratch.run(&certified).expect(2).stderr;
    let why = "no certificate of run 2: 14 cells of it are not measured or do not count";
    assert!(told.contains(why) && !told.contains("\\n"), "{told}");
    let told = scratch.run(&["resume", "2", "--quiet"]).expect(0).stdout;
    assert!(told.contains("drivetrain profile --twin my.toml --from-run 2 -o my.toml"), "{told}");
    // An edit of other lines of the drive's own file stays.
    scratch.write("my.toml", &format!("# mine\n{before}"));
    let told = scratch.run(&certified).expect(0).stdout;
    assert!(told.contains("certificate written to my.toml"), "{told}");
    let file = text();
    assert!(
        file.starts_with("# mine\n") && file.contains(", 9 pairs\",\n    \"mix, depth 1: IOPS "),
        "{file}"
    );
    scratch.run(&["drives", "--check", "my.toml"]).expect(0);
    // A new fit would take it away.
    let told = scratch.run(&["profile", "--from-run", "1", "-o", "my.toml"]).expect(6).stderr;
    assert!(told.contains("it has a certificate, which a new fit would remove"), "{told}");
    // Cells that are measured again count until their next measurement begins.
    let mut command = scratch.command(&["resume", "2", "--cells", "1-18"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut progress = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(progress.by_ref().map(Result::unwrap).any(|line| line.contains("2/18]")));
    interrupt(&child);
    progress.for_each(drop);
    child.wait().unwrap();
    let shown = scratch.run(&["show", "2", "--json"]).expect(0).json();
    let cells = shown["cells"].as_array().unwrap();
    let done = cells.iter().filter(|cell| cell["state"] == "done").count();
    assert!(cells.len() == 18 && done >= 17, "{done} of {}", cells.len());
    scratch.run(&["resume", "2", "--quiet"]).expect(0);
    // The numbers of the run are not those of an edited drive.
    let edited = before.replace("queue_limit = { value = 65536", "queue_limit = { value = 32");
    assert_ne!(edited, before);
    scratch.write("my.toml", &edited);
    let told = scratch.run(&certified).expect(2).stderr;
    assert!(told.contains("link.queue_limit was 65536 and is 32"), "{told}");
    assert_eq!(text(), edited);
}
