//! Asks the built program one question in a folder of its own, and writes its answer down without the machine
//! and the time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;

use super::question::Question;

/// Keys of JSON documents, and begins of lines, whose values are of the machine or of the moment.
const OF_THE_MOMENT: &[&str] =
    &["\"started_at\":", "\"finished_at\":", "\"host\":", "\"free_bytes\":", "\"version\":"];

/// Begins of lines that a machine with more room does not have.
const OF_THE_MACHINE: &[&str] = &["warning: no room "];

/// A built program.
pub(super) struct Program {
    path: PathBuf,
    root: PathBuf,
    scratch: PathBuf,
    folders: AtomicU64,
}

impl Program {
    /// `path` is absolute; `root` is the workspace's.
    ///
    /// # Errors
    /// When no scratch folder can be made.
    pub(super) fn new(path: PathBuf, root: PathBuf) -> anyhow::Result<Self> {
        let scratch = std::env::temp_dir().join(format!("drivetrain-golden-{}", std::process::id()));
        fs::create_dir(&scratch).with_context(|| format!("making {}", scratch.display()))?;
        Ok(Self { path, root, scratch, folders: AtomicU64::new(0) })
    }

    /// A new empty folder.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(super) fn folder(&self) -> anyhow::Result<PathBuf> {
        let folder = self.scratch.join(self.folders.fetch_add(1, Ordering::Relaxed).to_string());
        fs::create_dir(&folder).with_context(|| format!("making {}", folder.display()))?;
        Ok(folder)
    }

    /// Runs the program in `folder` and returns its exit code, stdout and stderr.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(super) fn run(&self, folder: &Path, arguments: &[String]) -> anyhow::Result<(i32, String, String)> {
        let mut command = Command::new(&self.path);
        command.args(arguments).current_dir(folder).stdin(Stdio::null());
        command.env("NO_COLOR", "1").env("COLUMNS", "100").env_remove("DRIVETRAIN_NOTEBOOK");
        // Remains of this user's other runs are no part of the answer.
        command.env("DRIVETRAIN_RUNTIME_DIR", self.scratch.join("remains"));
        let ran = command.output().with_context(|| format!("starting {}", self.path.display()))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok((ran.status.code().unwrap_or(-1), text(&ran.stdout), text(&ran.stderr)))
    }

    /// The answer to one question: the exit code, stdout, stderr, and every file that the program wrote.
    ///
    /// # Errors
    /// When the program cannot be started, or a file cannot be read.
    pub(super) fn answer(&self, question: &Question) -> anyhow::Result<String> {
        let folder = self.folder()?;
        if let Some(notebook) = &question.notebook {
            let copy = folder.join("drivetrain.db");
            fs::copy(notebook, &copy).with_context(|| format!("copying {}", notebook.display()))?;
        }
        let mut answer = String::new();
        for arguments in &question.calls {
            let (code, stdout, stderr) = self.run(&folder, arguments)?;
            answer += &format!("== {} -> {code}\n", arguments.join(" "));
            answer += &stdout;
            answer += &stderr;
            answer.push('\n');
        }
        for path in written(&folder)? {
            let name = path.strip_prefix(&folder).unwrap_or(&path).display().to_string();
            let text = fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
            answer += &format!("== file {name}\n{}\n", String::from_utf8_lossy(&text));
        }
        let places =
            [(&folder, "HERE"), (&self.root, "TREE")].map(|(path, name)| (path.display().to_string(), name));
        fs::remove_dir_all(&folder).with_context(|| format!("removing {}", folder.display()))?;
        Ok(without_moment(&places.iter().fold(answer, |text, (path, name)| text.replace(path, name))))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Remains lie in the system's temporary directory.
        let _ = fs::remove_dir_all(&self.scratch);
    }
}

/// The files below a folder, sorted, without notebooks: their exports are asked for.
fn written(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(written(&path)?);
        } else if !path.file_name().is_some_and(|name| name.to_string_lossy().contains(".db")) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The text with the values of the moment and of the machine left out.
fn without_moment(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for line in text.lines().filter(|line| !OF_THE_MACHINE.iter().any(|begin| line.starts_with(begin))) {
        let key = OF_THE_MOMENT.iter().find(|key| line.trim_start().starts_with(**key));
        match key {
            Some(key) => {
                kept += key;
                kept += " (of the moment)";
            }
            None => kept += line,
        }
        kept.push('\n');
    }
    kept
}
