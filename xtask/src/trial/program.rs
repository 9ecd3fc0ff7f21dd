//! One program of tests: the unit tests of a crate, or a target in its `tests/`.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, bail};
use ground::Clock;

use super::session::Session;

/// A built program of tests.
pub(super) struct Program {
    /// The crate, and the target where it is another one.
    pub(super) name: String,
    path: PathBuf,
    /// The folder of the crate, in which cargo runs its tests.
    folder: PathBuf,
}

/// The end of a program.
pub(super) struct Outcome {
    pub(super) sound: bool,
    pub(super) passed: usize,
    /// Names of the tests that failed; none when the program died.
    pub(super) failed: Vec<String>,
}

impl Program {
    /// Builds the tests that these arguments of `cargo test` choose; those of the highest floor, which take
    /// the longest, are the first.
    pub(super) fn build(root: &Path, arguments: &[String]) -> anyhow::Result<Vec<Self>> {
        let mut build = super::cargo(root);
        build
            .args(["test", "--no-run", "--quiet", "--message-format=json-render-diagnostics"])
            .args(arguments);
        let built = build.stderr(Stdio::inherit()).output().context("running cargo test")?;
        if !built.status.success() {
            bail!("the tests cannot be built");
        }
        let text = String::from_utf8_lossy(&built.stdout);
        let mut programs: Vec<Self> = text.lines().filter_map(Self::of_message).collect();
        programs.reverse();
        // Those through the built binary end last, whichever of them was built last.
        programs.sort_by_key(|program| !program.name.starts_with("drivetrain"));
        Ok(programs)
    }

    /// The program that a message of cargo tells of.
    fn of_message(line: &str) -> Option<Self> {
        let profile = line.split_once("\"profile\":{")?.1.split_once('}')?.0;
        if !profile.ends_with("\"test\":true") {
            return None;
        }
        let folder = PathBuf::from(text_after(line, "\"manifest_path\":\"")?).parent()?.to_owned();
        let path = PathBuf::from(text_after(line, "\"executable\":\"")?);
        let target = text_after(line.split_once("\"target\":{")?.1, "\"name\":\"")?;
        let of = folder.file_name()?.to_str()?;
        let name = if of == target { target.to_owned() } else { format!("{of} {target}") };
        Some(Self { name, path, folder })
    }

    /// Runs the tests of these names, all when there are none, and prints the outcome.
    pub(super) fn run(&self, session: &Session, tests: &[String], threads: usize) -> anyhow::Result<Outcome> {
        let begun = Clock::Wall.stopwatch();
        let mut command = std::process::Command::new(&self.path);
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command.env("RUST_TEST_THREADS", threads.to_string());
        session.share_with(&mut command);
        if !tests.is_empty() {
            command.arg("--exact").args(tests);
        }
        let ended = command.output().with_context(|| format!("starting {}", self.path.display()))?;
        let text = String::from_utf8_lossy(&ended.stdout);
        let sound = ended.status.success();
        let outcome = Outcome { sound, passed: passed_in(&text), failed: failed_in(&text) };
        let result = if sound { "ok" } else { "FAILED" };
        let seconds = begun.seconds();
        // One call, so that the answers of two threads stay apart.
        let line = format!("{result:6} {seconds:6.1} s {:5} passed  {}", outcome.passed, self.name);
        match sound {
            true => println!("{line}"),
            false => {
                let errors = String::from_utf8_lossy(&ended.stderr);
                println!("{}{errors}{line}, {}", told_of_failures(&text), ended.status);
            }
        }
        Ok(outcome)
    }
}

/// The text from `key` to the next quotation mark.
fn text_after<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    Some(line.split_once(key)?.1.split_once('"')?.0)
}

/// The number of tests that passed.
fn passed_in(text: &str) -> usize {
    let counts = text.rsplit_once("test result: ").and_then(|(_, result)| result.split_once(". "));
    let passed = counts.and_then(|(_, counts)| counts.split_once(" passed"));
    passed.and_then(|(passed, _)| passed.parse().ok()).unwrap_or(0)
}

/// The failed tests with their output: a log that is cut in its middle must not lose the reason between
/// hundreds of tests that passed. The whole text when the program died before it listed any.
fn told_of_failures(text: &str) -> String {
    let Some((tests, failures)) = text.split_once("\nfailures:\n") else { return text.to_owned() };
    let failed = tests.lines().filter(|line| line.ends_with(" ... FAILED"));
    failed.chain(failures.lines()).map(|line| format!("{line}\n")).collect()
}

/// The names in the last list of failures.
fn failed_in(text: &str) -> Vec<String> {
    let list = text.rsplit_once("\nfailures:\n").map_or("", |(_, list)| list);
    list.lines().map_while(|line| line.strip_prefix("    ")).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &str = r##"{"reason":"compiler-artifact","package_id":"path+file:///w/crates/block#0.1.0","manifest_path":"/w/crates/block/Cargo.toml","target":{"kind":["test"],"crate_types":["bin"],"name":"it","src_path":"/w/crates/block/tests/it/main.rs","edition":"2024","doc":false,"doctest":false,"test":true},"profile":{"opt_level":"1","debuginfo":0,"debug_assertions":true,"overflow_checks":true,"test":true},"features":[],"filenames":["/w/target/debug/deps/it-1"],"executable":"/w/target/debug/deps/it-1","fresh":true}"##;

    #[test]
    fn programs_are_found_in_what_cargo_says() {
        let program = Program::of_message(MESSAGE).unwrap();
        assert_eq!(
            (program.name.as_str(), program.folder.as_path()),
            ("block it", Path::new("/w/crates/block"))
        );
        assert_eq!(program.path, Path::new("/w/target/debug/deps/it-1"));
        let unit = MESSAGE.replace("\"name\":\"it\"", "\"name\":\"block\"");
        assert_eq!(Program::of_message(&unit).unwrap().name, "block");
        let library = MESSAGE.replace("\"overflow_checks\":true,\"test\":true", "\"test\":false");
        assert!(Program::of_message(&library).is_none());
        let built = "\"executable\":\"/w/target/debug/deps/it-1\"";
        assert!(Program::of_message(&MESSAGE.replace(built, "\"executable\":null")).is_none());
    }

    #[test]
    fn passes_and_failures_are_found_in_what_a_program_says() {
        let text = "running 3 tests\ntest a::b ... FAILED\ntest d ... ok\n\nfailures:\n\n---- a::b stdout ----\nfailures:\n\nfailures:\n    a::b\n    c\n\ntest result: FAILED. 1 passed; 2 failed; 0 ignored\n";
        assert_eq!(passed_in(text), 1);
        assert_eq!(failed_in(text), ["a::b", "c"]);
        assert_eq!((passed_in("a crash"), failed_in("a crash").len()), (0, 0));
        assert!(told_of_failures(text).starts_with("test a::b ... FAILED\n\n---- a::b stdout"));
        assert_eq!(told_of_failures("a crash"), "a crash");
    }
}
