//! The words that lead and ranks exchange.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use words::{Remark, ScaleStatement};

/// The permissions and wishes of the lead's user, for every rank, besides the experiment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// Devices that may be overwritten: their names, each with its serial number.
    pub destroy: Vec<String>,
    /// Signatures on them that may go.
    pub overwrite: Vec<String>,
    /// The name of each rank's notebook, with `{rank}` in place of its number.
    pub notebook: String,
}

/// The plan as the lead tells it to a rank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Asked {
    /// The experiment as it runs, with `{rank}` and `{host}` in its paths.
    pub(crate) toml: String,
    pub(crate) name: String,
    pub(crate) scale: f64,
    pub(crate) scale_statement: ScaleStatement,
    pub(crate) seed: u64,
    /// The folder of the run's data, the same for all ranks but for its end.
    pub(crate) work_dir: String,
    pub(crate) tool_version: String,
    /// The name of the rank's host, as the user of the lead calls it.
    pub(crate) host: String,
    /// Beds that all ranks load together.
    pub(crate) shared: Vec<String>,
    /// The places of the cells that are to be run.
    pub(crate) open: Vec<u32>,
    /// Repeats of every cell, where they were added to the plan.
    pub(crate) repeats: Option<u32>,
    pub(crate) terms: Terms,
}

impl Asked {
    /// The folder of its data.
    pub(crate) fn work_dir_of(&self, rank: u32) -> String {
        work_dir_of(&self.work_dir, rank)
    }
}

/// The mark of a rank in the name of its folder.
const OF_RANK: &str = "-rank-";

/// The folder of a rank's data in a run with this one.
pub(crate) fn work_dir_of(work_dir: &str, rank: u32) -> String {
    format!("{work_dir}{OF_RANK}{rank}")
}

/// The folder of the whole run, by that of one of its ranks or by itself.
pub(crate) fn run_of(work_dir: &str) -> &str {
    let of_rank = work_dir.rsplit_once(OF_RANK).filter(|(_, rank)| rank.parse::<u32>().is_ok());
    of_rank.map_or(work_dir, |(run, _)| run)
}

/// A text with `{rank}` and `{host}` filled in.
pub(crate) fn of_rank(text: &str, rank: u32, host: &str) -> String {
    text.replace("{rank}", &rank.to_string()).replace("{host}", host)
}

/// The findings of a rank on its machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Found {
    pub(crate) host: Option<BTreeMap<String, String>>,
    pub(crate) findings: Vec<Remark>,
    /// The file of the rank's notebook.
    pub(crate) notebook: String,
    /// The machine, by its name and its present life: ranks of one share its processors.
    pub(crate) machine: String,
    /// The facts of its real drives, by the scope of their bed.
    pub(crate) drives: BTreeMap<String, BTreeMap<String, String>>,
}

/// A rank at a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct At {
    pub(crate) position: u32,
    /// Its machine asks it to end.
    pub(crate) stops: bool,
}

/// The answer to a rank at a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Next {
    Go,
    End,
}
