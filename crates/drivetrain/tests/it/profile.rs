//! Drives of one's own: from a map to a file, into the catalogue, and under a load; volumes by their
//! purchase.

use std::process::Command;

use crate::common::Scratch;

/// A map of a queue: 100 us at rest, reads and writes sharing 10,000 reads per second.
fn map() -> String {
    let mut text = "w_mb_per_s,r_iops,p50_ms,p95_ms\n".to_owned();
    for (write, read) in (0..8).flat_map(|write| (0..8).map(move |read| (write, read))) {
        let load = f64::from(read) * 0.13 + f64::from(write) * 0.08;
        let ms = 0.1 / (1.0 - load);
        let values = if load < 0.95 { format!("{ms:.4},{:.4}", 2.0 * ms) } else { ",".to_owned() };
        text.push_str(&format!("{},{},{values}\n", write * 40, read * 1300));
    }
    text
}

/// A command with a catalogue of its own in the scratch directory.
fn with_own_drives(scratch: &Scratch, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command: Command = scratch.command(arguments);
    let output = command.env("DRIVETRAIN_DRIVES", scratch.path().join("mine")).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A file cannot tell a point that was not measured from one that the drive did not sustain: with many of
/// them it would give another error than the one that it states.
#[test]
fn a_sparse_map_makes_a_file_that_is_good_or_none() {
    let whole = map();
    for (percent, code) in [(50, 0), (30, 2)] {
        // 7919 is prime to 100: another share of the points, evenly spread.
        let is_kept = |(line, _): &(usize, &str)| *line == 0 || ((line - 1) * 7919) % 100 < percent;
        let kept: Vec<&str> = whole.lines().enumerate().filter(is_kept).map(|(_, line)| line).collect();
        let scratch = Scratch::with("map.csv", &(kept.join("\n") + "\n"));
        let made = scratch.run(&["profile", "--from-map", "map.csv", "-o", "my.toml"]).expect(code);
        if code == 0 {
            scratch.run(&["drives", "--check", "my.toml"]).expect(0);
        } else {
            assert!(made.stderr.contains("37 of 56 points have no line"), "{made:?}");
            assert!(!scratch.path().join("my.toml").exists());
        }
    }
}

#[test]
fn a_map_becomes_a_drive_of_ones_own_that_every_verb_takes() {
    let scratch = Scratch::with("map.csv", &map());
    let made =
        scratch.run(&["profile", "--from-map", "map.csv", "-o", "my.toml", "--name", "my-queue"]).expect(0);
    assert!(made.stdout.starts_with("error at "), "the error comes first: {}", made.stdout);
    assert!(
        made.stdout.contains("limit.shared_per_s") && made.stdout.contains("not identified: "),
        "{}",
        made.stdout
    );
    let (first, again) = (scratch.path().join("my.toml"), scratch.path().join("again.toml"));
    scratch.run(&["profile", "--from-map", "map.csv", "-o", "again.toml", "--name", "my-queue"]).expect(0);
    let read = |path| std::fs::read_to_string(path).unwrap();
    assert_eq!(read(&first), read(&again), "the same map gives the same drive");
    let shown = scratch.run(&["drives", "my.toml"]).expect(0).stdout;
    assert!(shown.contains("NOT IDENTIFIED") && shown.contains("error of the model at "), "{shown}");
    assert!(!shown.contains("GUESS"), "{shown}");
    let good = scratch.run(&["drives", "--check", "my.toml"]).expect(0).stdout;
    assert!(good.contains("0 guesses") && good.contains("found again"), "{good}");

    let (code, added, _) = with_own_drives(&scratch, &["drives", "--add", "my.toml"]);
    assert!(code == Some(0) && added.contains("my-queue is in your catalogue"), "{added}");
    let (_, listed, _) = with_own_drives(&scratch, &["drives"]);
    assert!(listed.contains("my-queue"), "{listed}");
    let load = ["block", "--drive", "my-queue", "--depth", "1", "--time", "1s", "--ramp", "0s", "--json"];
    let (code, _, told) = with_own_drives(&scratch, &load);
    assert_eq!(code, Some(0), "{told}");
    let (code, again, told) = with_own_drives(&scratch, &["drives", "--add", "my.toml"]);
    assert!(code == Some(0) && again.contains("my-queue is in your catalogue already"), "{again}{told}");
    std::fs::write(scratch.path().join("other.toml"), format!("# another\n{}", read(&first))).unwrap();
    let (code, _, told) = with_own_drives(&scratch, &["drives", "--add", "other.toml"]);
    assert!(code == Some(6) && told.contains("another drive called my-queue"), "nothing is replaced: {told}");
    // A broken file among the own drives is named, and the verb goes on.
    std::fs::write(scratch.path().join("mine/broken.toml"), "[drive]\nname = 1\n").unwrap();
    let (code, listed, told) = with_own_drives(&scratch, &["drives"]);
    assert!(code == Some(0) && listed.contains("my-queue") && told.contains("broken.toml"), "{told}");
}

#[test]
fn the_maps_of_model_and_measurement_are_drawn() {
    let scratch = Scratch::with("map.csv", &map());
    scratch.run(&["profile", "--from-map", "map.csv", "-o", "my.toml"]).expect(0);
    let drawn = scratch.run(&["drives", "--map", "my.toml", "-o", "figures", "--json"]).expect(0).json();
    assert_eq!(drawn["figures"].as_array().unwrap().len(), 4, "{drawn:#}");
    let svg = std::fs::read_to_string(scratch.path().join("figures/map-map-p50.svg")).unwrap();
    assert!(svg.contains(">measured<") && svg.contains(">model<"), "{svg}");
    let page = drawn["page"].as_str().unwrap();
    let page = std::fs::read_to_string(scratch.path().join(page)).unwrap();
    assert!(page.contains("How well does the model know this drive?") && page.contains("not identified"));
    assert_eq!(page.matches(">error at points left out of the fit<").count(), 6, "at each width");
    scratch.run(&["drives", "--map", "free"]).expect(2);
    // A page in another language is one of ours, too.
    let again = ["drives", "--map", "my.toml", "-o", "figures", "--language", "ko"];
    scratch.run(&again).expect(0);
    scratch.run(&["drives", "--map", "my.toml", "-o", "figures"]).expect(0);
}

#[test]
fn faults_of_maps_and_drives_are_told_with_their_places() {
    let scratch = Scratch::with("map.csv", "w_mb_per_s,r_iops,p50_ms,p95_ms\n0,x,1,1\n0,1,2,1\n");
    let told = scratch.run(&["profile", "--from-map", "map.csv"]).expect(2).stderr;
    assert!(told.contains("map.csv:2:3") && told.contains("map.csv:3:1") && told.contains('^'), "{told}");
    scratch.write("map.csv", &map());
    scratch.run(&["profile", "--from-map", "map.csv", "-o", "my.toml"]).expect(0);
    let good = std::fs::read_to_string(scratch.path().join("my.toml")).unwrap();
    for (from, to, words) in [
        ("p95_error_nine_in_ten_percent = ", "p95_error_nine_in_ten_percent = 9", "the map gives"),
        ("p95_us = [\n    [", "p95_us = [\n    [0.001, ", "the map has 8 write bandwidths and 8 read rates"),
        ("shared_per_read = { value = 1", "shared_per_read = { value = 7", "outside of its interval"),
        ("[read]", "[read]\ntail_ratio = 2", "no effect beside [map]"),
    ] {
        assert!(good.contains(from), "{from}");
        scratch.write("bad.toml", &good.replacen(from, to, 1));
        let told = scratch.run(&["drives", "--check", "bad.toml"]).expect(2).stderr;
        assert!(told.contains(words), "{to}: {told}");
    }
}

#[test]
fn a_catalogue_of_ones_own_waits_for_no_pipe_and_has_names() {
    let scratch = Scratch::with("map.csv", &map());
    scratch.run(&["profile", "--from-map", "map.csv", "-o", "my.toml"]).expect(0);
    let good = std::fs::read_to_string(scratch.path().join("my.toml")).unwrap();
    let own = good.lines().find(|line| line.starts_with("name = ")).unwrap();
    scratch.write("dots.toml", &good.replacen(own, "name = \"..\"", 1));
    let (code, _, told) = with_own_drives(&scratch, &["drives", "--add", "dots.toml"]);
    assert_eq!((code, told.contains("begins with a letter")), (Some(2), true), "{told}");
    let checked = scratch.run(&["drives", "--check", "dots.toml"]).expect(2).stderr;
    assert!(checked.contains("begins with a letter"), "what is good can be added: {checked}");
    scratch.write("taken.toml", &good.replacen(own, "name = \"kingston-dc1500m-960g\"", 1));
    let checked = scratch.run(&["drives", "--check", "taken.toml"]).expect(0).stdout;
    assert!(checked.contains("wants another one"), "a file of the catalogue is checked, too: {checked}");
    scratch.write("short.toml", &good.replacen(own, "name = \"dc1500m\"", 1));
    let (code, _, told) = with_own_drives(&scratch, &["drives", "--add", "short.toml"]);
    assert_eq!(
        (code, told.contains("dc1500m is short for kingston-dc1500m-960g")),
        (Some(2), true),
        "{told}"
    );
    let checked = scratch.run(&["drives", "--check", "short.toml"]).expect(0).stdout;
    assert!(checked.contains("short for kingston-dc1500m-960g"), "{checked}");
    std::fs::create_dir_all(scratch.path().join("mine")).unwrap();
    let pipe = scratch.path().join("mine/a.toml");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (code, _, told) = with_own_drives(&scratch, &["drives"]);
    assert_eq!((code, told.contains("no regular file")), (Some(0), true), "{told}");
}

#[test]
fn a_drive_goes_to_a_file() {
    let scratch = Scratch::with("map.csv", &map());
    for nowhere in ["/dev/null", "/dev/stdout"] {
        let told = scratch.run(&["profile", "--from-map", "map.csv", "-o", nowhere]).expect(6).stderr;
        assert!(told.contains("a drive has to be a file"), "{told}");
    }
}

#[test]
fn a_volume_is_named_by_its_purchase() {
    let scratch = Scratch::new();
    let shown = scratch.run(&["drives", "aws-ebs-gp3:size=500GiB,iops=6000"]).expect(0).stdout;
    assert!(shown.contains("limit.operations") && shown.contains("6000"), "{shown}");
    let told = scratch.run(&["drives", "aws-ebs-gp3:size=1GiB,iops=6000"]).expect(2).stderr;
    assert!(told.contains("3000 to 3000"), "{told}");
    let load =
        ["block", "--drive", "aws-ebs-gp3:size=500GiB", "--depth", "64", "--time", "5s", "--ramp", "1s"];
    let told = scratch.run_in_virtual_time(&load).expect(0).stdout;
    assert!(told.contains("3,0"), "3000 IOPS of the rule: {told}");
}
