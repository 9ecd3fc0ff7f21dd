//! What the README shows works: its example runs, its commands are commands.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test with its place.

mod common;

use common::Scratch;

const README: &str = include_str!("../../../README.md");

/// The fenced blocks of one language.
fn blocks(language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    README.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).map(str::to_owned).collect()
}

#[test]
fn the_example_runs_as_written() {
    let example = blocks("toml").into_iter().next().expect("the README shows an experiment");
    let scratch = Scratch::with("my.toml", &example);
    let ran = scratch.run(&["run", "my.toml", "--seed", "1"]).expect(0);
    assert!(ran.stdout.contains("report: ") && ran.stdout.contains("interval"), "{}", ran.stdout);
    assert!(scratch.path().join("drivetrain-report-1.html").exists());
}

#[test]
fn every_command_shown_is_understood() {
    let scratch = Scratch::new();
    let in_text = README.split('`').filter(|part| part.starts_with("drivetrain ")).map(str::to_owned);
    let in_blocks =
        blocks("sh").into_iter().flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>());
    let commands: Vec<String> =
        in_text.chain(in_blocks).filter(|line| line.starts_with("drivetrain ")).collect();
    assert!(commands.len() >= 10, "the README shows commands: {commands:?}");
    for command in commands {
        // Help is printed only when the words before it are understood.
        let words: Vec<&str> = command.split_whitespace().skip(1).take_while(|word| *word != "#").collect();
        scratch.run(&[&words[..], &["--help"]].concat()).expect(0);
    }
}
