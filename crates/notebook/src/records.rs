//! The records that go into a notebook and come out of it: plain data, no SQL.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use words::{
    CellState, EventKind, Happening, HistogramName, LimiterFigures, Metric, MetricName, Reasons, Remark,
    RunState, ScaleStatement, Stored, StoredPhase, WorkloadKind,
};

use crate::labels::RunKey;
use crate::told;
use measure::{Histogram, Series};
use serde::{Deserialize, Serialize};

/// Names one run inside one notebook (its row number, printed to the user).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct RunId(pub i64);

/// Names one cell inside one notebook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct CellId(pub i64);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for CellId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A run before its first cell: everything needed to repeat it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunPlan {
    /// Name of the experiment, as given on the command line (`kingston-dc1500m/test-2`, a file's stem).
    pub name: String,
    /// Title of the experiment.
    pub title: String,
    /// The question the experiment asks, if it states one.
    pub question: Option<String>,
    /// The experiment after scaling, `--set` and `--storage`, as TOML.
    pub experiment_toml: String,
    /// The study and test for comparison.
    pub published: Option<String>,
    /// Seed of the order of cells and of every random stream.
    pub seed: u64,
    /// 1 for full size; smaller when the experiment was shrunk.
    pub scale: f64,
    /// The scaled parts and their rule.
    pub scale_statement: ScaleStatement,
    /// `emulated`, `real` or `mixed`.
    pub realm: String,
    /// Version of the tool that ran it.
    pub tool_version: String,
    /// Name of the bed the others are compared with.
    pub baseline: String,
    /// The factors varied on purpose.
    pub treatment: Vec<String>,
    /// Smallest effect of interest on throughput, as a share (0.03 is 3 %).
    pub smallest_effect_throughput: f64,
    /// Smallest effect of interest on p99 latency, as a share.
    pub smallest_effect_p99: f64,
    /// Order of cells: `interleaved` or `sequential`.
    pub order: String,
    /// Directory that holds the run's data files, needed to resume. Of an imported run: below the path of the
    /// notebook that owns them.
    pub work_dir: String,
    /// The directory in which relative paths of the experiment begin. `None` in a notebook of an older
    /// version, and if the path is no text.
    #[serde(skip)]
    pub directory: Option<String>,
}

/// Of no experiment, at full size.
impl Default for RunPlan {
    fn default() -> RunPlan {
        RunPlan {
            name: String::new(),
            title: String::new(),
            question: None,
            experiment_toml: String::new(),
            published: None,
            seed: 0,
            scale: 1.0,
            scale_statement: ScaleStatement::default(),
            realm: String::new(),
            tool_version: String::new(),
            baseline: String::new(),
            treatment: Vec::new(),
            smallest_effect_throughput: 0.0,
            smallest_effect_p99: 0.0,
            order: String::new(),
            work_dir: String::new(),
            directory: None,
        }
    }
}

impl RunPlan {
    /// The notebook from which this run was imported. It alone owns the run's data and can go on with it.
    #[must_use]
    pub fn owner(&self) -> Option<&str> {
        self.work_dir.rsplit_once('/').map(|(owner, _)| owner).filter(|owner| owner.starts_with('/'))
    }

    /// The name of the directory of the run's data, the same in all notebooks that know the run.
    #[must_use]
    pub fn folder(&self) -> &str {
        self.work_dir.rsplit('/').next().unwrap_or_default()
    }
}

/// One bed of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Bed {
    /// Name in the experiment file; unique within the run.
    pub name: String,
    /// Name for tables and figures, where it differs.
    pub label: Option<String>,
    /// `emulated` or `real`.
    pub realm: String,
    /// One line: the drive or path the bed keeps its bytes on.
    pub storage_summary: String,
    /// The set-up as written in the experiment or the study.
    pub facts: BTreeMap<String, String>,
}

/// One cell of the plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PlannedCell {
    /// Place in the order of the run, from 0; unique within the run.
    pub position: u32,
    /// Name of the bed.
    pub bed: String,
    /// Name of the workload.
    pub workload: String,
    /// Load of this step, in the unit that `level_name` names.
    pub level: f64,
    /// `virtual users`, `depth` or `IOPS`.
    pub level_name: String,
    /// The number of the repeat, from 0; exports and reports count from 1.
    pub repeat: u32,
    /// The kind of the workload.
    #[serde(skip)]
    pub kind: WorkloadKind,
}

/// A run as read back. It dereferences to its plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
    /// The run's number in this notebook.
    pub id: RunId,
    /// The run as it was started.
    #[serde(flatten)]
    pub plan: RunPlan,
    /// The state of the run.
    pub state: RunState,
    /// When it was started: RFC 3339, UTC, milliseconds.
    pub started_at: String,
    /// When it ended, if it did: RFC 3339, UTC, milliseconds.
    pub ended_at: Option<String>,
    /// The name that its user gave it.
    pub label: Option<String>,
}

impl Deref for Run {
    type Target = RunPlan;

    fn deref(&self) -> &RunPlan {
        &self.plan
    }
}

/// One line of a list of runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSummary {
    /// The run's number in this notebook.
    pub id: RunId,
    /// Name of the experiment.
    pub name: String,
    /// Title of the experiment.
    pub title: String,
    /// When it was started: RFC 3339, UTC, milliseconds.
    pub started_at: String,
    /// The state of the run.
    pub state: RunState,
    /// Cells whose latest attempt is done.
    pub cells_done: u32,
    /// Cells in the plan, the done ones included.
    pub cells_planned: u32,
    /// Its id in every notebook.
    pub key: RunKey,
    /// The question of the experiment.
    pub question: Option<String>,
    /// `emulated`, `real`, `mixed` or `simulated`.
    pub realm: String,
    /// 1 for full size.
    pub scale: f64,
    /// Labels of the beds, in the order of the experiment.
    pub beds: Vec<String>,
    /// The name that its user gave it.
    pub label: Option<String>,
    /// Its tags, sorted.
    pub tags: Vec<String>,
    /// The verdict when it ended, as it is kept.
    pub verdict: Option<String>,
    /// Bytes of its series, its histograms and its experiment in the notebook.
    pub size_bytes: i64,
}

/// A cell as read back, with its latest attempt. It dereferences to its plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// The cell's number in this notebook.
    pub id: CellId,
    /// The cell as planned.
    #[serde(flatten)]
    pub plan: PlannedCell,
    /// Number of the latest attempt, from 1.
    pub attempt: u32,
    /// The state of the latest attempt.
    pub state: CellState,
    /// The reasons why it is invalid or interrupted.
    pub reasons: Reasons,
    /// The limiter of the cell: drive, log flush, CPU, locks, client, pacing.
    pub limiter: Option<String>,
    /// The figures that name the limiter.
    pub limiter_figures: Option<LimiterFigures>,
    /// When the attempt began: RFC 3339, UTC, milliseconds.
    pub started_at: Option<String>,
    /// When the attempt ended: RFC 3339, UTC, milliseconds.
    pub ended_at: Option<String>,
}

impl Deref for Cell {
    type Target = PlannedCell;

    fn deref(&self) -> &PlannedCell {
        &self.plan
    }
}

/// Everything one attempt at a cell produced; recorded whole or not at all.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CellRecord {
    /// `Done`, `Invalid` or `Interrupted`.
    pub state: CellState,
    /// The reasons why it is invalid or interrupted.
    pub reasons: Reasons,
    /// The limiter of the cell.
    pub limiter: Option<String>,
    /// The figures that name the limiter.
    pub limiter_figures: Option<LimiterFigures>,
    /// The phases in their order.
    pub phases: Vec<Phase>,
    /// Single numbers; a metric may occur once.
    pub measurements: Vec<Measurement>,
    /// One-second series; a metric may occur once.
    #[serde(with = "told::series")]
    pub series: Vec<Series>,
    /// Latency histograms; a name may occur once.
    #[serde(with = "told::histograms")]
    pub histograms: Vec<(HistogramName, Histogram)>,
    /// Parts of the cell with a load and figures of their own.
    pub points: Vec<Point>,
    /// Errors and other happenings, counted.
    pub events: Vec<Event>,
}

impl CellRecord {
    /// The value of a metric, if the attempt has it.
    pub fn value(&self, metric: Metric) -> Option<f64> {
        self.measurements.iter().find_map(|measurement| measurement.of(metric))
    }
}

/// A part of a cell with a load and figures of its own. Times are seconds on the cell's own clock.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Point {
    /// `matrix`, `curve`, `search` or `round`.
    pub kind: String,
    /// Its name in tables: `maximum`, `50%`, `65% read, 64KiB`.
    pub name: String,
    /// The number of its round, from 1.
    pub round: u32,
    /// Share of reads asked, 0 to 1, where the point says it.
    pub read_share: Option<f64>,
    /// Block size asked, where the point says it.
    pub block_size_bytes: Option<u64>,
    /// I/Os outstanding, where the point keeps a depth.
    pub depth: Option<f64>,
    /// I/Os per second asked, where the point keeps a rate.
    pub rate_asked: Option<f64>,
    /// Start of its measuring, in seconds.
    pub start_s: f64,
    /// End of its measuring, in seconds.
    pub end_s: f64,
    /// True if it belongs to the cell's result: the window of a steady state, the point that a search found.
    pub counts: bool,
    /// Its figures; a metric occurs once.
    pub values: Vec<Measurement>,
}

impl Point {
    /// The value of one figure.
    pub fn value(&self, metric: Metric) -> Option<f64> {
        self.values.iter().find_map(|value| value.of(metric))
    }
}

/// A part of a cell. Times are seconds on the cell's own clock, the one its series use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Its kind, with its number where there are several.
    pub name: StoredPhase,
    /// Start, in seconds.
    pub start_s: f64,
    /// End, in seconds.
    pub end_s: f64,
}

/// One number of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Name of the metric (`nopm`, `latency_p99`).
    pub metric: String,
    /// The value; finite.
    pub value: f64,
    /// Its unit (`1/min`, `ms`).
    pub unit: String,
}

impl Measurement {
    /// True if its metric can have this value.
    pub(crate) fn is_possible(&self) -> bool {
        MetricName::read(&self.metric).holds(self.value, &self.unit)
    }

    /// The value in the unit of today, if it is one of `metric`.
    pub fn of(&self, metric: Metric) -> Option<f64> {
        let name = MetricName::read(&self.metric);
        (name == metric).then(|| name.in_unit_of_today(self.value, &self.unit))
    }
}

/// Something that happened in a cell, counted by kind: errors are data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Its kind.
    pub kind: Stored<EventKind>,
    /// The number of occurrences.
    pub count: u64,
    /// The message of one of them.
    pub message: String,
    /// The data behind it, where it is made of data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub happening: Option<Happening>,
}

impl Event {
    /// Something that happened once.
    pub fn once(kind: impl Into<Stored<EventKind>>, what: impl Into<Happening>) -> Event {
        let what = what.into();
        let message = what.to_string();
        Event { kind: kind.into(), count: 1, message, happening: what.as_data().cloned() }
    }
}

/// A sentence kept with a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Note {
    /// `deviation`, `disclaimer`, `warning`, `doctor`.
    pub kind: String,
    /// The sentence.
    pub text: String,
    /// The data behind it, where it is made of data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<Remark>,
}
