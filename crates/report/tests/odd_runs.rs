//! Runs whose storage is no contrast at all, and runs with texts that a terminal would obey.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod given;

use given::{BLOCK, Given};

/// A run of real beds, each on the source and mount that is given.
fn on(places: [(&str, &str); 2]) -> Given {
    let run = Given { realm: "real", ..Given::of(BLOCK) };
    ["nvme", "eco"].into_iter().zip(places).fold(run, |run, (bed, (source, mount))| {
        run.with_drive(bed, &[("data.source", source), ("data.mount", mount), ("data.fs", "xfs")])
    })
}

fn warnings(run: &Given) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let (notebook, run) = run.write(&directory.path().join("run.db"));
    report::compare(&notebook, run).unwrap().warnings
}

#[test]
fn two_folders_of_one_file_system_are_no_two_drives() {
    let said = |run: &Given| warnings(run).into_iter().find(|w| w.contains("on one file system"));
    let shared = said(&on([("/dev/sda1", "/data"), ("/dev/sda1", "/data")])).unwrap();
    assert!(shared.starts_with("nvme and eco keep their data on one file system (/dev/sda1"), "{shared}");
    assert_eq!(said(&on([("/dev/sda1", "/data"), ("/dev/sdb1", "/other")])), None);
    let nodes = on([("devtmpfs", "/dev"), ("devtmpfs", "/dev")]);
    let nodes = ["nvme", "eco"].into_iter().fold(nodes, |run, bed| {
        run.with_drive(bed, &[("data.source", "devtmpfs"), ("data.mount", "/dev"), ("data.fs", "devtmpfs")])
    });
    assert_eq!(said(&nodes), None, "device nodes are drives of their own");
    let memory = Given {
        toml: BLOCK.replace("treatment = [\"storage\"]", "treatment = []"),
        ..on([("/dev/sda1", "/data"), ("/dev/sda1", "/data")])
    };
    assert_eq!(said(&memory), None, "the storage is not what is compared");
    assert_eq!(said(&Given::of(BLOCK)), None, "modelled drives are what they are named");
}

#[test]
fn a_page_holds_nothing_that_a_terminal_obeys() {
    let directory = tempfile::tempdir().unwrap();
    // The title of an experiment is refused with these; a notebook of another program can hold them anywhere.
    let hostile = Given { tool: "\u{1b}]0;gone\u{7} \u{9b}2J", ..Given::of(BLOCK) };
    let (notebook, run) = hostile.write(&directory.path().join("run.db"));
    let page = report::render_html(&notebook, run).unwrap();
    assert!(page.contains("]0;gone"), "the name is there");
    let orders: Vec<char> = page.chars().filter(|c| c.is_control() && *c != '\n' && *c != '\t').collect();
    assert!(orders.is_empty(), "{orders:?}");
}
