//! `drivetrain tag`: words by which runs are found again, and names of one's own.

use std::path::Path;

use clap::Args;
use notebook::{Labels, Notebook, RunId, RunKey, Tag};
use words::NoteKind;

use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::notebooks;
use crate::printable::in_one_line;

const AFTER: &str = "\
A tag stands for the latest run that bears it, wherever a verb takes a run. `check --baseline last-good` judges by the latest run of the \
same experiment with the tag `good`.";

/// Arguments of `tag`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub(crate) struct TagArgs {
    /// The run: number, id, tag or name; `latest`
    run: String,

    /// Tags to add
    #[arg(value_parser = Tag::new)]
    tags: Vec<Tag>,

    /// Take this tag away (may be repeated)
    #[arg(long, value_name = "TAG", value_parser = Tag::new)]
    remove: Vec<Tag>,

    /// Name the run; an empty name takes its name away
    #[arg(long, value_parser = name)]
    name: Option<String>,
}

/// A user's labels for a run as it starts.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LabelArgs {
    /// Name the run
    #[arg(long, value_parser = name)]
    name: Option<String>,

    /// Tag the run (may be repeated)
    #[arg(long, value_name = "TAG", value_parser = Tag::new)]
    tag: Vec<Tag>,

    /// Keep a remark with the run
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

/// The most characters of a name.
const NAME_LONGEST: usize = 80;

/// A name by which its run can be found: not what verbs take for another run, and printable.
fn name(text: &str) -> Result<String, String> {
    let means_another =
        matches!(text, "latest" | "last-good") || text.parse::<i64>().is_ok() || RunKey::is_one(text);
    match text {
        _ if means_another => Err("it means another run".to_owned()),
        _ if text.chars().count() > NAME_LONGEST => {
            Err(format!("a name has at most {NAME_LONGEST} characters"))
        }
        _ if in_one_line(text) != text => Err("a name has no control characters".to_owned()),
        _ if !text.is_empty() && text.trim().is_empty() => Err("it is blank".to_owned()),
        _ => Ok(text.to_owned()),
    }
}

impl LabelArgs {
    pub(crate) fn labels(&self) -> Labels {
        Labels { name: self.name.clone(), tags: self.tag.clone(), note: self.note.clone() }
    }

    /// Gives the labels to a run that is in the notebook already; a remark that it has is not repeated. False
    /// where there is no label to give.
    pub(crate) fn give(&self, notebook: &Notebook, run: RunId) -> anyhow::Result<bool> {
        if let Some(name) = &self.name {
            notebook.name_run(run, Some(name.as_str()).filter(|name| !name.is_empty()))?;
        }
        self.tag.iter().try_for_each(|tag| notebook.add_tag(run, tag))?;
        if let Some(text) = &self.note {
            let is_known = |note: &notebook::Note| note.kind == NoteKind::User && note.text == *text;
            if !notebook.notes(run)?.iter().any(is_known) {
                notebook.add_note(run, NoteKind::User, text.as_str())?;
            }
        }
        Ok(self.name.is_some() || !self.tag.is_empty() || self.note.is_some())
    }

    /// True if a name is given, which is one run's.
    pub(crate) fn has_name(&self) -> bool {
        self.name.is_some()
    }
}

/// Tags and names, and says what the run bears now.
pub(crate) fn tag(args: &TagArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    if args.tags.is_empty() && args.remove.is_empty() && args.name.is_none() {
        return Err(Coded::usage("nothing to do: give a tag to add, --remove TAG or --name NAME"));
    }
    let notebook = notebooks::open(path)?;
    let run = notebooks::the_one(&notebook, &args.run)?;
    let borne = notebook.tags(run)?;
    if let Some(lacking) = args.remove.iter().find(|tag| !borne.contains(tag)) {
        let borne: Vec<&str> = borne.iter().map(Tag::as_str).collect();
        let has =
            if borne.is_empty() { "no tags".to_owned() } else { format!("the tags {}", borne.join(", ")) };
        return Err(Coded::usage(format!("run {run} does not bear the tag `{lacking}`; it has {has}")));
    }
    args.tags.iter().try_for_each(|tag| notebook.add_tag(run, tag))?;
    args.remove.iter().try_for_each(|tag| notebook.remove_tag(run, tag))?;
    if let Some(name) = &args.name {
        notebook.name_run(run, Some(name.as_str()).filter(|name| !name.is_empty()))?;
    }
    let (tags, name) = (notebook.tags(run)?, notebook.run(run)?.label);
    if let Some(name) = &name
        && let Some(other) =
            notebook.runs()?.iter().find(|other| other.id != run && other.label.as_ref() == Some(name))
    {
        console.warn(&format!(
            "run {} has this name, too; a verb that is given the name takes the latest run with it",
            other.id
        ));
    }
    if console.json() {
        console.document(&serde_json::json!({ "run": run.0, "name": name, "tags": tags }));
        return Ok(Exit::Done);
    }
    let tags: Vec<&str> = tags.iter().map(Tag::as_str).collect();
    let shown = if tags.is_empty() { "no tags".to_owned() } else { tags.join(", ") };
    let name = name.map(|name| format!(" \"{}\"", in_one_line(&name))).unwrap_or_default();
    console.answer(&format!("run {run}{name}: {shown}"));
    Ok(Exit::Done)
}
