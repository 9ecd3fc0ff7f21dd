//! Progress on a terminal: one line that is drawn anew and fits, and the answer to Ctrl-C.

use crate::common::{PACED, QUICK, SMALL, Scratch};
use crate::terminal::Terminal;

const CTRL_C: &[u8] = b"\x03";
const COLUMNS: u16 = 72;

/// The live lines that were shown, each as wide as the terminal at most.
#[track_caller]
fn live_lines(terminal: &Terminal, with: &[&str]) -> Vec<String> {
    let lines = terminal.lines();
    // The terminal writes `^C` behind the line.
    let lines = lines.iter().map(|line| line.trim_end_matches("^C").trim_end().to_owned());
    let live: Vec<String> = lines.filter(|line| line.starts_with("[#") || line.starts_with("[-")).collect();
    for line in &live {
        assert!(line.chars().count() <= usize::from(COLUMNS), "{line}");
    }
    let whole = live.iter().filter(|line| with.iter().all(|part| line.contains(part))).count();
    assert!(whole >= 2, "{with:?} in {live:#?}");
    live
}

/// The number of times that a text was shown.
fn count(terminal: &Terminal, text: &str) -> usize {
    terminal.lines().iter().filter(|line| line.contains(text)).count()
}

#[test]
fn a_run_has_one_line_that_fits_and_says_at_once_what_ctrl_c_does() {
    let scratch = Scratch::with("x.toml", SMALL);
    let mut terminal = Terminal::open();
    terminal.set_columns(COLUMNS);
    let run = [&["run", "x.toml", "--set", "workload.measure=60s"], &PACED[..]].concat();
    let mut run = terminal.start(&mut scratch.command(&run));
    terminal.wait_for("p99 ");
    terminal.wait_for("measure  ");
    terminal.write(CTRL_C);
    terminal.wait_for("stopping: this phase ends and what was measured is kept; Ctrl-C again ends at once");
    assert_eq!(run.wait().unwrap().code(), Some(130));
    terminal.wait_for("drivetrain resume 1");
    live_lines(&terminal, &["new orders/s", "p99", " ms", " left"]);
    assert_eq!(count(&terminal, "stopping: "), 1, "{}", terminal.shown());
}

#[test]
fn a_second_ctrl_c_ends_a_run_at_once() {
    let scratch = Scratch::with("x.toml", QUICK);
    let mut terminal = Terminal::open();
    terminal.set_columns(COLUMNS);
    let mut run = terminal.start(&mut scratch.command(&["run", "x.toml", "--set", "workload.ramp_up=60s"]));
    terminal.wait_for("ramp-up");
    terminal.write(CTRL_C);
    terminal.wait_for("stopping: this phase ends");
    terminal.write(CTRL_C);
    terminal.wait_for("stopping at once: ");
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert_eq!((count(&terminal, "stopping: "), count(&terminal, "stopping at once: ")), (1, 1));
}

#[test]
fn a_block_load_has_the_same_line() {
    let scratch = Scratch::new();
    let mut terminal = Terminal::open();
    terminal.set_columns(COLUMNS);
    let load = ["block", "--drive", "micron-5200-eco-1920g", "--time", "60s", "--ramp", "3s", "--depth", "4"];
    let mut block = terminal.start(&mut scratch.command(&load));
    terminal.wait_for("ramp-up");
    terminal.wait_for("measure  ");
    terminal.wait_for("0:56 left");
    terminal.write(CTRL_C);
    terminal.wait_for("stopping: the load ends and what was measured is kept; Ctrl-C twice more kills");
    assert_eq!(block.wait().unwrap().code(), Some(130));
    terminal.wait_for("p99.9 (ms)");
    live_lines(&terminal, &["measure", "IOPS", "p99", " ms", " left"]);
    assert_eq!(count(&terminal, "stopping: "), 1, "{}", terminal.shown());
}

#[test]
fn without_a_terminal_there_are_plain_lines_alone() {
    let scratch = Scratch::with("x.toml", QUICK);
    let ran = scratch.run(&["run", "x.toml", "--set", "design.repeats=1"]).expect(0);
    assert!(ran.stderr.contains("4 of 4 cells to do") && ran.stderr.contains("[4/4]"), "{}", ran.stderr);
    assert!(!ran.stderr.contains(['\r', '\u{1b}', '#']), "nothing is drawn anew: {}", ran.stderr);
}
