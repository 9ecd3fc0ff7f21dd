//! `cargo xtask fuzz`: the targets of `fuzz/` on the stable compiler: replays the corpus of each, then goes
//! on with inputs of its own.

#![allow(clippy::print_stdout)] // A part of a command line program: its answer goes to stdout.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

/// cargo-fuzz's flags for the compiler, without the sanitizer that only the nightly compiler has.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing";
/// The memory, in megabytes, to which an input may make a target grow.
const MEMORY_MB: u32 = 1024;
/// The seed of the random numbers, so that two runs of a build try the same inputs in the same order.
const SEED: u32 = 13;
/// Seconds that an input of a long run may take.
const SLOW_S: u32 = 1;
/// The number of trials alone before a slow input counts as slow.
const TRIES: usize = 5;
/// Seconds that an input may take on a machine that does other things as well.
const PATIENCE_S: u32 = 60;
/// Targets that run at once.
const AT_ONCE: usize = 2;

/// The arguments of a call.
#[derive(Debug, PartialEq, Eq)]
pub struct Asked {
    /// Seconds for each target.
    seconds: u32,
    /// Inputs for each target instead, with everything optimised and no input over a second.
    runs: Option<u64>,
    at_once: usize,
    /// All when empty.
    targets: Vec<String>,
}

impl Asked {
    /// Reads `[--seconds N | --runs N] [--at-once N] [TARGET ...]`.
    ///
    /// # Errors
    /// For an option that is not known or lacks its number.
    pub fn from_arguments(arguments: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut asked = Self { seconds: 20, runs: None, at_once: AT_ONCE, targets: Vec::new() };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut number = || {
                let text = arguments.next().with_context(|| format!("{argument} needs a number"))?;
                text.parse::<u64>().with_context(|| format!("{argument} {text}"))
            };
            match argument.as_str() {
                "--seconds" => asked.seconds = u32::try_from(number()?)?,
                "--runs" => asked.runs = Some(number()?),
                "--at-once" => asked.at_once = usize::try_from(number()?)?.max(1),
                option if option.starts_with('-') => bail!("{option} is not known"),
                target => asked.targets.push(target.to_owned()),
            }
        }
        Ok(asked)
    }
}

/// Builds the targets and runs them; true when none found anything.
///
/// # Errors
/// When they cannot be built or started, or one that was asked for does not exist.
pub fn run(root: &Path, asked: &Asked) -> anyhow::Result<bool> {
    let home = root.join("fuzz");
    let known = names(&home)?;
    if let Some(wrong) = asked.targets.iter().find(|target| !known.contains(target)) {
        bail!("there is no target {wrong}; there are {}", known.join(", "));
    }
    let targets = if asked.targets.is_empty() { known } else { asked.targets.clone() };
    let built = build(&home, asked, &targets)?;
    println!("seed {SEED}");
    println!("{:14} {:>10} {:>9} {:>8}  result", "target", "inputs", "exec/s", "peak MB");
    let sound = crate::crowd::each(&targets, asked.at_once, |target| one(&home, &built, target, asked))?;
    Ok(sound.into_iter().all(|sound| sound))
}

/// The targets, sorted.
fn names(home: &Path) -> anyhow::Result<Vec<String>> {
    let folder = home.join("fuzz_targets");
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))? {
        names.extend(entry?.path().file_stem().and_then(|name| name.to_str()).map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

/// Builds the targets and returns the folder of their programs.
fn build(home: &Path, asked: &Asked, targets: &[String]) -> anyhow::Result<PathBuf> {
    // A target of its own name keeps the flags away from build scripts.
    let version = Command::new("rustc").arg("-vV").output().context("asking rustc for its host")?;
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    let profile = if asked.runs.is_some() { "release" } else { "dev" };
    // Not `--locked`: a dependency that the workspace gained is found by its own lock, and would be missing
    // from this one.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(home).env("RUSTFLAGS", FLAGS).env("CARGO_INCREMENTAL", "0");
    command.args(["build", "--quiet", "--target", host, "--target-dir", "target", "--profile", profile]);
    for target in targets {
        command.args(["--bin", target]);
    }
    if !command.status().context("building the targets")?.success() {
        bail!("the targets cannot be built");
    }
    let folder = if asked.runs.is_some() { "release" } else { "debug" };
    Ok(home.join("target").join(host).join(folder))
}

/// Bytes of the longest input: a notebook without any cell is longer than any other file that makes sense.
fn max_len(target: &str) -> u32 {
    if target == "notebook" { 64 << 10 } else { 2048 }
}

/// Runs one target and prints what came of it; true when it found nothing.
fn one(home: &Path, built: &Path, target: &str, asked: &Asked) -> anyhow::Result<bool> {
    let of = |kind: &str| home.join("target").join(kind).join(target);
    for folder in [of("found"), of("artifacts")] {
        fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    }
    let mut command = Command::new(built.join(target));
    command.args([of("found"), home.join("corpus").join(target)]);
    command.arg(format!("-artifact_prefix={}/", of("artifacts").display()));
    command.args(["-print_final_stats=1", &format!("-seed={SEED}")]);
    command.args([format!("-rss_limit_mb={MEMORY_MB}"), format!("-max_len={}", max_len(target))]);
    match asked.runs {
        // Replayed inputs count too.
        Some(runs) => command.arg(format!("-runs={runs}")),
        None => command.arg(format!("-max_total_time={}", asked.seconds)),
    };
    // A busy machine may stop a program for longer than an input takes: what seemed slow is kept, and tried
    // alone afterwards.
    command.args([format!("-timeout={PATIENCE_S}"), format!("-report_slow_units={SLOW_S}")]);
    let dictionary = home.join("dictionaries").join(format!("{target}.dict"));
    if dictionary.exists() {
        command.arg(format!("-dict={}", dictionary.display()));
    }
    let ran = command.stdin(Stdio::null()).output().with_context(|| format!("starting {target}"))?;
    let text = String::from_utf8_lossy(&ran.stderr);
    let figure = |name: &str| {
        let line = text.lines().rev().find_map(|line| line.strip_prefix("stat::")?.strip_prefix(name));
        line.map_or("-", |value| value.trim_start_matches(':').trim()).to_owned()
    };
    let slow = if asked.runs.is_some() { slow_input(&built.join(target), &of("artifacts"))? } else { None };
    let sound = ran.status.success() && slow.is_none();
    let result = if sound { "nothing found" } else { "FOUND SOMETHING" };
    println!(
        "{target:14} {:>10} {:>9} {:>8}  {result}",
        figure("number_of_executed_units"),
        figure("average_exec_per_sec"),
        figure("peak_rss_mb")
    );
    if !ran.status.success() {
        let lines: Vec<&str> = text.lines().collect();
        println!("{}", lines[lines.len().saturating_sub(40)..].join("\n"));
    }
    if let Some(input) = slow {
        println!("{} takes more than {SLOW_S} s", input.display());
    }
    Ok(sound)
}

/// The first of the inputs that were kept as slow which is slow whenever it is tried.
fn slow_input(program: &Path, folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let input = entry?.path();
        if !input.file_name().is_some_and(|name| name.to_string_lossy().starts_with("slow-unit-")) {
            continue;
        }
        let is_quick = || -> anyhow::Result<bool> {
            let mut command = Command::new(program);
            command.arg(&input).args([
                format!("-timeout={SLOW_S}"),
                format!("-artifact_prefix={}/tried-", folder.display()),
            ]);
            let ran = command.stdin(Stdio::null()).output().context("trying a slow input again")?;
            Ok(ran.status.success())
        };
        let mut tries = std::iter::repeat_with(is_quick).take(TRIES);
        if !tries.any(|quick| quick.unwrap_or(false)) {
            return Ok(Some(input));
        }
        fs::remove_file(&input).with_context(|| format!("removing {}", input.display()))?;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> anyhow::Result<Asked> {
        Asked::from_arguments(text.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn calls_are_read() {
        let two = vec!["fio".to_owned(), "trace".to_owned()];
        let timed = Asked { seconds: 5, runs: None, at_once: AT_ONCE, targets: two };
        assert_eq!(asked("--seconds 5 fio trace").unwrap(), timed);
        assert_eq!(asked("--runs 10000000 --at-once 1").unwrap().runs, Some(10_000_000));
        assert!(asked("--seconds").is_err() && asked("--seconds x").is_err() && asked("--fast").is_err());
    }

    #[test]
    fn every_target_has_its_program_and_its_corpus() {
        let home = crate::workspace_root().join("fuzz");
        let manifest = fs::read_to_string(home.join("Cargo.toml")).unwrap();
        for name in names(&home).unwrap() {
            assert!(manifest.contains(&format!("name = \"{name}\"")), "fuzz/Cargo.toml has no {name}");
            let corpus = home.join("corpus").join(&name);
            let inputs: Vec<_> = fs::read_dir(&corpus).unwrap().map(|entry| entry.unwrap()).collect();
            assert!(!inputs.is_empty(), "fuzz/corpus/{name} is empty");
            for input in inputs.iter().filter(|_| name == "notebook") {
                let length = input.metadata().unwrap().len();
                assert!(length <= u64::from(max_len(&name)), "{} would be cut", input.path().display());
            }
        }
    }
}
