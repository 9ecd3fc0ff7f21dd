//! The questions: every named experiment planned and, where it can be, simulated; the published numbers; job
//! files of other tools; old notebooks.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// Calls of the program whose answers are kept together.
pub(super) struct Question {
    /// Names the file of the answer, with a folder.
    pub(super) name: String,
    /// The arguments of each call, in order, in one folder.
    pub(super) calls: Vec<Vec<String>>,
    /// A notebook that is there as `drivetrain.db` before the first call.
    pub(super) notebook: Option<PathBuf>,
    /// Part of the set that lies in the tree.
    pub(super) small: bool,
}

/// Begins of the names of what lies in the tree: each answer takes a moment and some kilobytes.
const SMALL: &[&str] = &[
    "plan/demo",
    "plan/kingston-dc1500m.test-5",
    "plan/storagereview-skhynix.four-corners",
    "published/table",
    "audit/",
    "import/",
    "notebook/",
];

/// All questions; `kept` is the folder of old notebooks.
///
/// # Errors
/// When a folder of the tree cannot be read.
pub(super) fn all(root: &Path, kept: &Path) -> anyhow::Result<Vec<Question>> {
    let mut questions = experiments(root)?;
    questions.extend(studies(root)?);
    questions.extend(jobs(root)?);
    questions.extend(notebooks(kept)?);
    let words = [&["drives"][..], &["drives", "kingston-dc1500m-960g"], &["schema"]];
    questions.push(asks("words/drives".to_owned(), &words));
    for question in &mut questions {
        question.small = SMALL.iter().any(|begin| question.name.starts_with(begin));
    }
    Ok(questions)
}

/// Every named experiment planned, simulated and attributed; one that cannot be answers with its reason.
fn experiments(root: &Path) -> anyhow::Result<Vec<Question>> {
    let mut questions = Vec::new();
    for name in named(&root.join("experiments"))? {
        let file = name.replace('/', ".");
        let plan = ["plan", &name, "--seed", "5"];
        let plans =
            [&["--cells"][..], &["--json"], &["--scale", "tiny"]].map(|more| [&plan[..], more].concat());
        questions.push(asks(format!("plan/{file}"), &plans));
        // Its page tells when it was made; pages are asked for of the kept notebooks.
        let run = [
            "run",
            &name,
            "--realm",
            "simulated",
            "--seed",
            "5",
            "--json",
            "--quiet",
            "--report",
            "/dev/null",
        ];
        let calls = [&run[..], &["compare", "--json"], &["export"]];
        questions.push(asks(format!("simulated/{file}"), &calls));
        questions.push(asks(format!("attribute/{file}"), &[["attribute", &name, "--seed", "5", "--json"]]));
    }
    Ok(questions)
}

/// The printed numbers of every study.
fn studies(root: &Path) -> anyhow::Result<Vec<Question>> {
    let mut questions = vec![
        asks("published/table".to_owned(), &[&["published"][..], &["published", "--json"]]),
        asks("published/uncalibrated".to_owned(), &[["published", "--uncalibrated"]]),
    ];
    for study in files(&root.join("published"))? {
        let study = study.trim_end_matches(".toml");
        let calls = [["audit", study, "--all"], ["audit", study, "--json"]];
        questions.push(asks(format!("audit/{study}"), &calls));
    }
    Ok(questions)
}

/// The job files of other tools that the tests have.
fn jobs(root: &Path) -> anyhow::Result<Vec<Question>> {
    let jobs = root.join("crates/jobfile/tests/jobs");
    let mut questions = Vec::new();
    for kind in files(&jobs)? {
        for job in files(&jobs.join(&kind))? {
            let path = jobs.join(&kind).join(&job).display().to_string();
            questions.push(asks(format!("import/{kind}.{job}"), &[["import-job", &path]]));
        }
    }
    Ok(questions)
}

/// Folders of the answers about kept notebooks.
const OF_NOTEBOOKS: [&str; 2] = ["notebook/", "page/"];

/// True if questions whose names begin like this are about kept notebooks.
pub(super) fn needs_notebooks(begin: &str) -> bool {
    OF_NOTEBOOKS.iter().any(|folder| folder.starts_with(begin) || begin.starts_with(folder))
}

/// The questions about every kept notebook, and the pages made of it.
fn notebooks(kept: &Path) -> anyhow::Result<Vec<Question>> {
    let mut questions = Vec::new();
    if !kept.is_dir() {
        return Ok(questions);
    }
    for notebook in files(kept)? {
        let Some(name) = notebook.strip_suffix(".db") else { continue };
        let told = [&["ls"][..], &["show", "--json"], &["compare"], &["compare", "--json"], &["export"]];
        let pages = [
            &["export", "--format", "series-csv"][..],
            &["export", "--format", "jsonl"],
            &["report", "-o", "report.html"],
        ];
        for mut question in [asks(format!("notebook/{name}"), &told), asks(format!("page/{name}"), &pages)] {
            question.notebook = Some(kept.join(&notebook));
            questions.push(question);
        }
    }
    Ok(questions)
}

fn asks<'a>(name: String, calls: &[impl AsRef<[&'a str]>]) -> Question {
    let calls =
        calls.iter().map(|call| call.as_ref().iter().map(|&word| word.to_owned()).collect()).collect();
    Question { name, calls, notebook: None, small: false }
}

/// The named experiments, by the files that hold them.
fn named(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for name in files(folder)? {
        if folder.join(&name).is_dir() {
            names.extend(named(&folder.join(&name))?.into_iter().map(|below| format!("{name}/{below}")));
        } else if let Some(name) = name.strip_suffix(".toml").filter(|name| *name != "template") {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// The names in a folder, sorted.
fn files(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}
