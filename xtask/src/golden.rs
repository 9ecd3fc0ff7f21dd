//! `cargo xtask golden`: what the built program answers to a fixed list of questions, kept and compared.
//!
//! A change that moves code and no number must leave every answer as it was. `keep DIR` writes the answers of
//! one build, and notebooks that it measured; `compare DIR` asks another build the same questions about the
//! same notebooks. Without a directory, `compare` takes the few answers that lie in `xtask/golden/`, as CI
//! does.
//!
//! Invariant: every question has a seed, and an answer holds nothing of the machine or of the time at which
//! it was given.

#![allow(clippy::print_stdout)] // A part of a command line program: its answer goes to stdout.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use ask::Program;
use question::Question;

use crate::crowd;

mod alike;
mod ask;
mod notebooks;
mod question;

/// Lines of differences that are shown of one answer.
const LINES_SHOWN: usize = 6;

/// The arguments of a call.
#[derive(Debug, PartialEq, Eq)]
pub struct Asked {
    keeps: bool,
    /// `None`: the small set of the tree.
    folder: Option<PathBuf>,
    /// `None`: the development build of the workspace.
    program: Option<PathBuf>,
    at_once: usize,
    /// Begins of names; all questions when empty.
    names: Vec<String>,
}

impl Asked {
    /// Reads `keep|compare [DIR] [--program FILE] [--at-once N] [--only NAME ...]`.
    ///
    /// # Errors
    /// For a word that is not known, or an option without its value.
    pub fn from_arguments(mut arguments: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let keeps = match arguments.next().as_deref() {
            Some("keep") => true,
            Some("compare") => false,
            _ => bail!("golden needs `keep` or `compare`"),
        };
        let mut asked = Self { keeps, folder: None, program: None, at_once: 2, names: Vec::new() };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().with_context(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--program" => asked.program = Some(value()?.into()),
                "--at-once" => {
                    let text = value()?;
                    asked.at_once =
                        text.parse::<usize>().with_context(|| format!("--at-once {text}"))?.max(1);
                }
                "--only" => asked.names.push(value()?),
                option if option.starts_with('-') => bail!("{option} is not known"),
                folder if asked.folder.is_none() => asked.folder = Some(folder.into()),
                more => bail!("{more}: one directory is enough"),
            }
        }
        Ok(asked)
    }
}

/// Keeps or compares; true when every answer is as it was.
///
/// # Errors
/// When the program or the set is missing, or a file cannot be read or written.
pub fn run(root: &Path, asked: &Asked) -> anyhow::Result<bool> {
    let small = asked.folder.is_none();
    let folder = asked.folder.clone().unwrap_or_else(|| root.join("xtask/golden"));
    let program = asked.program.clone().unwrap_or_else(|| root.join("target/debug/drivetrain"));
    let program = program.canonicalize().with_context(|| {
        format!("{}: build it first (cargo build), or name it with --program", program.display())
    })?;
    let program = Program::new(program, root.to_path_buf())?;
    let kept = folder.join("notebooks");
    let is_asked =
        |name: &str| asked.names.is_empty() || asked.names.iter().any(|begin| name.starts_with(begin));
    if asked.keeps
        && (asked.names.is_empty() || asked.names.iter().any(|name| question::needs_notebooks(name)))
    {
        notebooks::measure(&program, &kept, small)?;
    }
    let mut questions = question::all(root, &kept)?;
    questions.retain(|question| (question.small || !small) && is_asked(&question.name));
    if questions.is_empty() {
        bail!("no question of that name");
    }
    let changed = crowd::each(&questions, asked.at_once, |question| {
        let path = folder.join(&question.name);
        keep_or_compare(&program, question, &path, asked.keeps).with_context(|| question.name.clone())
    })?;
    let changed = changed.into_iter().filter(|changed| *changed).count();
    println!("{} answers, {changed} changed", questions.len());
    Ok(changed == 0)
}

/// Asks one question; true when its answer is another one than before, which is printed.
fn keep_or_compare(program: &Program, question: &Question, path: &Path, keeps: bool) -> anyhow::Result<bool> {
    let answer = program.answer(question)?;
    if keeps {
        write(path, &answer)?;
        return Ok(false);
    }
    let before =
        fs::read_to_string(path).with_context(|| format!("reading {}; keep it first", path.display()))?;
    let differences = alike::differences(&before, &answer);
    if differences.is_empty() {
        return Ok(false);
    }
    let shown = differences.iter().take(LINES_SHOWN).map(|line| format!("\n    {line}"));
    // One call, so that the answers of two threads stay apart.
    println!("{}: {} lines differ{}", question.name, differences.len(), shown.collect::<String>());
    Ok(true)
}

fn write(path: &Path, answer: &str) -> anyhow::Result<()> {
    let folder = path.parent().context("an answer lies in a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    fs::write(path, answer).with_context(|| format!("writing {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> anyhow::Result<Asked> {
        Asked::from_arguments(text.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn calls_are_read() {
        let whole = asked("keep /dev/shm/golden --program a --at-once 1 --only plan/").unwrap();
        assert!(whole.keeps && whole.at_once == 1 && whole.names == ["plan/"]);
        assert_eq!(whole.folder.as_deref(), Some(Path::new("/dev/shm/golden")));
        let small = asked("compare").unwrap();
        assert!(!small.keeps && small.folder.is_none() && small.program.is_none());
        for wrong in ["", "look", "keep a b", "compare --program", "keep --fast", "keep --at-once x"] {
            assert!(asked(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_small_set_has_an_answer_for_each_of_its_questions() {
        let root = crate::workspace_root();
        let folder = root.join("xtask/golden");
        let questions = question::all(&root, &folder.join("notebooks")).unwrap();
        let small: Vec<&Question> = questions.iter().filter(|question| question.small).collect();
        assert!(small.len() >= 10, "{} questions", small.len());
        for question in small {
            assert!(folder.join(&question.name).is_file(), "{} is not kept", question.name);
        }
    }
}
