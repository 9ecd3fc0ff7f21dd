//! `cargo xtask test`: all tests of the workspace, or the fast ones; those of a target that failed once more,
//! by themselves; and at the end the tests that passed, the time, the skips and their reasons.
//!
//! Many tests run real servers, kill them, and wait for what follows. A machine that does other things can
//! starve one of them; a fault fails again. What passed only by itself is named, so that it is looked into.

#![allow(clippy::print_stderr, clippy::print_stdout)] // A part of a command line program, which says what cargo says.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::Context;
use testkit::need::SKIPS;

use crate::{fast, packages};

/// How many tests of one binary run at once, for Rust's test harness.
const THREADS: &str = "RUST_TEST_THREADS";
/// The seed of random tests, for ours and for those of proptest.
const SEEDS: [&str; 2] = ["DRIVETRAIN_SEED", "PROPTEST_RNG_SEED"];
/// What cargo says before the arguments that name a target whose tests failed.
const RERUN: &str = "to rerun pass `";

/// Runs the tests with further arguments of `cargo test`, the fast ones alone for `--fast`; true when all
/// passed.
///
/// # Errors
/// When packages cannot be installed, cargo cannot be started, or a file below `target` cannot be used.
pub fn run(root: &Path, mut arguments: Vec<String>) -> anyhow::Result<bool> {
    if arguments.first().is_some_and(|argument| argument == "--fast") {
        arguments.splice(..1, fast::arguments());
    } else {
        packages::install_missing()?;
        let names_its_own =
            arguments.iter().any(|argument| argument.starts_with("-p") || argument == "--package");
        let whole = if names_its_own { &["--no-fail-fast"][..] } else { &["--workspace", "--no-fail-fast"] };
        arguments.splice(..0, whole.iter().map(|argument| (*argument).to_owned()));
    }
    let session = Session::begin(root)?;
    println!("seed {}: {}={} repeats it", session.seed, SEEDS[0], session.seed);
    let begun = Instant::now();
    let trial = trial(&session, &arguments, &|line| eprintln!("{line}"), &|line| println!("{line}"))?;
    println!("\n{} tests passed in {:.0} s", trial.passed, begun.elapsed().as_secs_f64());
    print!("{}", told(&session.skips()?));
    Ok(trial.sound)
}

/// The environment that the tests of one call share.
struct Session<'a> {
    root: &'a Path,
    seed: String,
    skips: std::path::PathBuf,
}

impl<'a> Session<'a> {
    fn begin(root: &'a Path) -> anyhow::Result<Self> {
        let skips = root.join("target").join(format!("skips-{}", std::process::id()));
        std::fs::create_dir_all(root.join("target")).context("making target")?;
        std::fs::write(&skips, "").with_context(|| format!("writing {}", skips.display()))?;
        let new = || std::time::UNIX_EPOCH.elapsed().unwrap_or_default().subsec_nanos().to_string();
        Ok(Self { root, seed: std::env::var(SEEDS[0]).unwrap_or_else(|_| new()), skips })
    }

    /// The tests that were skipped, by reason.
    fn skips(&self) -> anyhow::Result<BTreeMap<String, BTreeSet<String>>> {
        let text = std::fs::read_to_string(&self.skips).context("reading the skips")?;
        std::fs::remove_file(&self.skips).context("removing the skips")?;
        let mut skips: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (test, why) in text.lines().filter_map(|line| line.split_once('\t')) {
            skips.entry(why.to_owned()).or_default().insert(test.to_owned());
        }
        Ok(skips)
    }
}

/// The skips as text: their number, then each reason with its tests.
fn told(skips: &BTreeMap<String, BTreeSet<String>>) -> String {
    let count: usize = skips.values().map(BTreeSet::len).sum();
    let reasons = skips.iter().map(|(why, tests)| {
        let tests: Vec<&str> = tests.iter().map(String::as_str).collect();
        format!("  {why}: {}\n", tests.join(", "))
    });
    format!("{count} skipped{}\n{}", if count > 0 { ":" } else { "" }, reasons.collect::<String>())
}

/// What came of the tests.
struct Trial {
    /// All passed, some perhaps only alone.
    sound: bool,
    passed: usize,
}

/// Receives lines of cargo or of tests.
type Say<'a> = &'a (dyn Fn(&str) + Sync);

fn trial(
    session: &Session<'_>,
    arguments: &[String],
    say: Say<'_>,
    answer: Say<'_>,
) -> anyhow::Result<Trial> {
    // The tests through the built binary wait for the time of their loads more than for a processor.
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = std::env::var(THREADS).unwrap_or_else(|_| (2 * processors).to_string());
    let first = once(session, arguments, &threads, say, answer)?;
    if first.sound || first.failed.is_empty() {
        return Ok(Trial { sound: first.sound, passed: first.passed });
    }
    let mut lasting = Vec::new();
    for target in &first.failed {
        say(&format!("\nonce more, one test at a time: {target}"));
        let words: Vec<String> = target.split_whitespace().map(str::to_owned).collect();
        if !once(session, &words, "1", say, answer)?.sound {
            lasting.push(target);
        }
    }
    say("");
    for target in &first.failed {
        let outcome =
            if lasting.contains(&target) { "FAILED TWICE" } else { "failed among others, passed alone" };
        say(&format!("{outcome}: {target}"));
    }
    Ok(Trial { sound: lasting.is_empty(), passed: first.passed })
}

/// What one call of `cargo test` said.
struct Once {
    sound: bool,
    passed: usize,
    /// The targets with tests that failed.
    failed: BTreeSet<String>,
}

fn once(
    session: &Session<'_>,
    arguments: &[String],
    threads: &str,
    say: Say<'_>,
    answer: Say<'_>,
) -> anyhow::Result<Once> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut test = Command::new(cargo);
    test.arg("test").args(arguments).current_dir(session.root);
    test.env(THREADS, threads).env(SKIPS, &session.skips).envs(SEEDS.map(|name| (name, &session.seed)));
    let mut child =
        test.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().context("running cargo test")?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (passed, failed) = std::thread::scope(|scope| {
        let passed = scope.spawn(|| lines(stdout, answer, passed_in).map(|found| found.into_iter().sum()));
        let failed = lines(stderr, say, |line| target_in(line).map(str::to_owned))?;
        let passed = passed.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        anyhow::Ok((passed, failed.into_iter().collect()))
    })?;
    Ok(Once { sound: child.wait().context("waiting for cargo test")?.success(), passed, failed })
}

/// Passes the lines on, and gives what `find` finds in them.
fn lines<T>(
    from: Option<impl Read>,
    say: Say<'_>,
    find: impl Fn(&str) -> Option<T>,
) -> anyhow::Result<Vec<T>> {
    let mut found = Vec::new();
    for line in from.into_iter().flat_map(|from| BufReader::new(from).split(b'\n')) {
        let line = String::from_utf8_lossy(&line.context("reading what cargo says")?).into_owned();
        say(&line);
        found.extend(find(&line));
    }
    Ok(found)
}

/// The number of tests that passed, in the last line of a target.
fn passed_in(line: &str) -> Option<usize> {
    let (_, counts) = line.split_once("test result: ")?.1.split_once(". ")?;
    counts.split_once(" passed")?.0.parse().ok()
}

/// The arguments that name a target, where cargo says that its tests failed.
fn target_in(line: &str) -> Option<&str> {
    line.strip_prefix("error: ")?.split_once(RERUN)?.1.strip_suffix('`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_that_failed_are_named_by_cargo() {
        let said = "error: test failed, to rerun pass `-p drivetrain --test alike`";
        assert_eq!(target_in(said), Some("-p drivetrain --test alike"));
        assert_eq!(
            target_in("error: doctest failed, to rerun pass `-p block --doc`"),
            Some("-p block --doc")
        );
        for other in ["error: could not compile `block`", "    `-p drivetrain --test alike`", "test x ... ok"]
        {
            assert_eq!(target_in(other), None, "{other}");
        }
    }

    #[test]
    fn tests_are_counted_and_skips_are_told_with_their_reasons() {
        let result =
            "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.1s";
        assert_eq!(passed_in(result), Some(12));
        assert_eq!(passed_in("test result: FAILED. 1 passed; 2 failed; 0 ignored"), Some(1));
        assert_eq!(passed_in("test a ... ok"), None);
        let temp = tempfile::tempdir().unwrap();
        let session = Session::begin(temp.path()).unwrap();
        std::fs::write(&session.skips, "b\tit needs root\na\tit needs root\na\tit needs root\nc\tno fio\n")
            .unwrap();
        let skips = session.skips().unwrap();
        assert_eq!(told(&skips), "3 skipped:\n  it needs root: a, b\n  no fio: c\n");
        assert_eq!(told(&BTreeMap::new()), "0 skipped\n");
    }

    #[test]
    fn a_test_that_fails_twice_fails() {
        let temp = tempfile::tempdir().unwrap();
        let (manifest, marker) = (temp.path().join("Cargo.toml"), temp.path().join("once"));
        std::fs::write(
            manifest,
            "[package]\nname = \"tried\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n",
        )
        .unwrap();
        let of = |body: &str| format!("#[test]\nfn tried() {{ {body} }}\n");
        let outcome = |body: &str| {
            std::fs::write(temp.path().join("lib.rs"), of(body)).unwrap();
            let session = Session::begin(temp.path()).unwrap();
            trial(&session, &["--quiet", "--no-fail-fast"].map(str::to_owned), &|_| (), &|_| ()).unwrap()
        };
        assert!(!outcome("panic!()").sound);
        assert!(!outcome("does not compile").sound);
        let path = marker.display();
        assert!(
            outcome(&format!("std::fs::create_dir(\"{path}\").unwrap_err();")).sound,
            "it passes at the second time"
        );
        let passed = outcome("");
        assert_eq!((passed.sound, passed.passed), (true, 1));
    }
}
