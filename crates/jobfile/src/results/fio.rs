//! fio's `--output-format=json` and `json+`, of version 3.

mod checked;
mod direction;
mod times;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;
use words::{LevelName, Metric, NoteKind, PhaseName, Remark, WorkloadKind};

use super::{ToolCell, ToolResult, check_count};
use crate::fault::FileFault;
use crate::tree::{self, Node};
use direction::Direction;

/// The key that tells the document apart.
pub(crate) const VERSION: &str = "fio version";
/// The most I/Os outstanding, and the most copies of a job.
const COUNT_MOST: u32 = 1_000_000;
/// A depth is kept if this share of the I/Os was started at it, per cent: the first ones find an empty queue.
const DEPTH_KEPT_PERCENT: f64 = 90.0;

/// Reads a document.
pub(super) fn read(text: &str) -> Result<ToolResult, FileFault> {
    let (documents, mut remarks) = documents(text)?;
    let Some(value) = documents.last() else {
        return Err(FileFault::whole("holds no JSON document", "write it with fio --output-format=json"));
    };
    let root = Node::root(value);
    let version = root.get(VERSION)?;
    let number = version.text()?.trim_start_matches("fio-").to_owned();
    if number.starts_with(['1', '2']) && number[1..].starts_with('.') {
        let help = "run it again with fio 3 or newer, whose latencies are nanoseconds";
        return Err(version.fault(format!("is {number:?}"), help));
    }
    if root.find("jobs").is_none() && root.find("client_stats").is_some() {
        let help = "import the results of each client; fio --client gives them together";
        return Err(root.fault("is the output of a fio client (`client_stats`)", help));
    }
    let global = root.find("global options");
    let jobs = jobs(&root, global.as_ref())?;
    let ended_at = times::ended_at(&root)?;
    let places = times::places(&jobs, ended_at)?;
    if places.are_guessed {
        remarks.push((NoteKind::Warning, Remark::ImportedFioTimes));
    }
    let names = names(&jobs, &mut remarks);
    let cells = jobs.iter().zip(names).zip(&places.starts_s).map(|((job, name), start_s)| {
        let mut cell = job.cell(name)?;
        cell.start_s = *start_s;
        Ok(cell)
    });
    let cells = cells.collect::<Result<Vec<_>, FileFault>>()?;
    remarks.extend(remarks_of(&jobs));
    let title = match jobs.as_slice() {
        [one] => one.name.clone(),
        many => format!("{} jobs: {}", many.len(), listed(many.iter().map(|job| job.name.as_str()))),
    };
    Ok(ToolResult {
        tool: "fio",
        version: Some(number),
        title,
        started_at: places.started_at,
        asked: asked(&jobs, global.as_ref())?,
        host: drives(&root)?,
        cells,
        remarks,
    })
}

fn jobs<'a>(root: &Node<'a>, global: Option<&Node<'a>>) -> Result<Vec<Job<'a>>, FileFault> {
    let nodes = root.get("jobs")?.items()?;
    check_count(nodes.len(), "jobs")?;
    if nodes.is_empty() {
        return Err(root.fault("has no job", "write it with fio --output-format=json"));
    }
    let mut jobs = nodes.into_iter().map(|node| Job::read(node, global)).collect::<Result<Vec<_>, _>>()?;
    let mut named: BTreeMap<String, usize> = BTreeMap::new();
    jobs.iter().for_each(|job| *named.entry(job.name.clone()).or_default() += 1);
    for job in &mut jobs {
        job.is_alone = named.get(&job.name) == Some(&1);
    }
    Ok(jobs)
}

/// Remarks for the reader.
type Remarks = Vec<(NoteKind, Remark)>;

/// The documents of an output; the last one is the result. Messages of fio before and after it are no part of
/// it, and `--status-interval` writes a document each time.
fn documents(text: &str) -> Result<(Vec<Value>, Remarks), FileFault> {
    let is_begin = |line: &&str| line.trim_start().starts_with('{');
    let before: usize = text.split_inclusive('\n').take_while(|line| !is_begin(line)).map(str::len).sum();
    let json = &text[before..];
    let line = text[..before].matches('\n').count() + 1;
    // A message after the document begins in a line of its own; a document there is read, or found to be cut.
    let end = json.rfind("\n}").map_or(json.len(), |end| end + 2);
    let end = if json[end..].lines().any(|line| is_begin(&line)) { json.len() } else { end };
    let documents = tree::documents(&json[..end], line)?;
    let mut remarks = Vec::new();
    if documents.len() > 1 {
        let count = documents.len() as u64;
        remarks.push((NoteKind::Warning, Remark::ImportedFioDocuments { count }));
    }
    Ok((documents, remarks))
}

/// One element of `jobs`.
struct Job<'a> {
    node: Node<'a>,
    name: String,
    options: BTreeMap<String, String>,
    directions: Vec<Direction>,
    /// Jobs of one group ran together.
    group: u32,
    /// True if no other element has its name: copies of a job are then reported together.
    is_alone: bool,
}

impl<'a> Job<'a> {
    fn read(node: Node<'a>, global: Option<&Node<'a>>) -> Result<Job<'a>, FileFault> {
        let name = node.get("jobname")?.text()?;
        let mut options = BTreeMap::new();
        for given in [global.cloned(), node.find("job options")].into_iter().flatten() {
            for (key, value) in given.entries() {
                options.insert(key.to_owned(), value.text()?);
            }
        }
        let directions = Direction::all(&node)?;
        let group = node.find("groupid").map_or(Ok(0.0), |group| group.amount())? as u32;
        Ok(Job { node, name, options, directions, group, is_alone: true })
    }

    /// An option that is a whole number; `otherwise` where it is not given.
    fn number(&self, option: &str, otherwise: u32) -> Result<u32, FileFault> {
        let Some(text) = self.options.get(option) else { return Ok(otherwise) };
        let number = text.trim().parse::<u32>().ok().filter(|number| (1..=COUNT_MOST).contains(number));
        number.ok_or_else(|| {
            let message = format!("has the option {option}={text:?}, not a number from 1 to {COUNT_MOST}");
            self.node.fault(message, "export the result again; an edited file is not imported")
        })
    }

    /// The depth of each job, and the number of jobs whose figures these are.
    fn load(&self) -> Result<(u32, u32), FileFault> {
        let jobs = if self.is_alone { self.number("numjobs", 1)? } else { 1 };
        let asked = self.number("iodepth", 1)?;
        Ok((self.kept_depth()?.map_or(asked, |kept| asked.clamp(kept.0, kept.1)), jobs))
    }

    /// The depths between which nearly all I/Os were started, as fio printed them: an engine that waits for
    /// each I/O has one outstanding, whatever depth was asked for. `None` where no depth is kept.
    fn kept_depth(&self) -> Result<Option<(u32, u32)>, FileFault> {
        let Some(levels) = self.node.find("iodepth_level") else { return Ok(None) };
        for (name, share) in levels.entries() {
            // An entry is of depths from its own up to the next one.
            let from = name.trim_start_matches(">=").parse::<u32>().ok();
            if let Some(from) = from.filter(|from| (1..=COUNT_MOST).contains(from))
                && share.amount()? >= DEPTH_KEPT_PERCENT
            {
                let to = if name.starts_with(">=") { COUNT_MOST } else { 2 * from - 1 };
                return Ok(Some((from, to)));
            }
        }
        Ok(None)
    }

    /// The depth that was asked for and the one that was kept, where they differ.
    fn shallower(&self) -> Option<(u32, u32)> {
        let (asked, (kept, _)) = (self.number("iodepth", 1).ok()?, self.load().ok()?);
        (kept < asked).then_some((asked, kept))
    }

    fn active(&self) -> impl Iterator<Item = &Direction> {
        self.directions.iter().filter(|direction| direction.ios > 0.0)
    }

    /// Seconds that were measured.
    fn runtime_s(&self) -> f64 {
        self.directions.iter().map(|direction| direction.runtime_s).fold(0.0, f64::max)
    }

    fn cell(&self, workload: String) -> Result<ToolCell, FileFault> {
        let (depth, jobs) = self.load()?;
        let mut values = direction::totals(&self.directions);
        values.extend(self.cpu_per_io()?);
        let errors = self.node.find("total_err").map(|errors| errors.amount()).transpose()?;
        values.extend(errors.map(|errors| (Metric::Errors, errors)));
        let code = self.node.find("error").map_or(Ok(0.0), |error| error.amount())?;
        let failed = match () {
            () if code != 0.0 => Some(format!("fio ended the job with error {code}")),
            () if self.active().next().is_none() => Some("the job finished no I/O".to_owned()),
            () if self.runtime_s() == 0.0 => {
                Some("the job took less than a millisecond, of which fio states no rate".to_owned())
            }
            () => None,
        };
        Ok(ToolCell {
            workload,
            kind: WorkloadKind::Block,
            level: f64::from(depth) * f64::from(jobs),
            level_name: LevelName::Depth,
            repeat: 0,
            start_s: 0.0,
            phases: vec![(PhaseName::Measure, 0.0, self.runtime_s())],
            values,
            series: Vec::new(),
            histograms: direction::histograms(&self.directions),
            failed,
        })
    }

    /// Processor time of an I/O: `usr_cpu` and `sys_cpu` are per cent of `job_runtime`.
    fn cpu_per_io(&self) -> Result<Option<(Metric, f64)>, FileFault> {
        let ios: f64 = self.active().map(|direction| direction.ios).sum();
        let find = |key: &str| self.node.find(key).map(|node| node.amount()).transpose();
        let (Some(user), Some(system), Some(runtime_ms)) =
            (find("usr_cpu")?, find("sys_cpu")?, find("job_runtime")?)
        else {
            return Ok(None);
        };
        let cpu_ns = (user + system) / 100.0 * runtime_ms * 1e6;
        Ok((ios > 0.0).then(|| (Metric::CpuPerIo, cpu_ns / ios)))
    }
}

/// A name for every job, each once: copies of a job (`numjobs` without `group_reporting`) are numbered.
fn names(jobs: &[Job<'_>], remarks: &mut Remarks) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let count = |name: &str| jobs.iter().filter(|job| job.name == name).count();
    for (index, job) in jobs.iter().enumerate() {
        let before = jobs[..index].iter().filter(|other| other.name == job.name).count();
        let mut name = if before == 0 { job.name.clone() } else { format!("{} ({})", job.name, before + 1) };
        // Another job can have this very name.
        while names.contains(&name) || (before > 0 && count(&name) > 0) {
            name.push('\'');
        }
        if before == 1 {
            let count = count(&job.name) as u64;
            let remark = Remark::ImportedFioClones { job: job.name.clone(), count };
            remarks.push((NoteKind::Warning, remark));
        }
        names.push(name);
    }
    names
}

/// Remarks on the latencies and loads of the jobs.
fn remarks_of(jobs: &[Job<'_>]) -> Remarks {
    let mut remarks = vec![(NoteKind::Warning, Remark::ImportedFioLatency)];
    let named =
        |is: fn(&Job<'_>) -> bool| listed(jobs.iter().filter(|job| is(job)).map(|job| job.name.as_str()));
    let total = named(|job| job.active().any(|direction| direction.is_total_latency));
    if !total.is_empty() {
        remarks.push((NoteKind::Warning, Remark::ImportedFioTotalLatency { jobs: total }));
    }
    let mixed =
        named(|job| job.active().count() > 1 && job.active().any(|direction| direction.histogram.is_none()));
    if !mixed.is_empty() {
        remarks.push((NoteKind::Warning, Remark::ImportedFioMixed { jobs: mixed }));
    }
    if let Some((job, (asked, kept))) = jobs.iter().find_map(|job| Some((job, job.shallower()?))) {
        let (asked, kept) = (u64::from(asked), u64::from(kept));
        remarks.push((NoteKind::Warning, Remark::ImportedFioDepth { job: job.name.clone(), asked, kept }));
    }
    let many = jobs.iter().filter_map(|job| Some((job, job.load().ok()?))).find(|(_, (_, jobs))| *jobs > 1);
    if let Some((job, (depth, jobs))) = many {
        let (jobs, depth) = (u64::from(jobs), u64::from(depth));
        remarks
            .push((NoteKind::Warning, Remark::ImportedFioSeveralJobs { job: job.name.clone(), jobs, depth }));
    }
    remarks
}

/// More names than this are counted.
const NAMES_TOLD: usize = 6;

/// `a, b, c`; of many the first ones.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.len().checked_sub(NAMES_TOLD) {
        Some(more) if more > 0 => format!("{}, ... ({} in all)", names[..NAMES_TOLD].join(", "), names.len()),
        _ => names.join(", "),
    }
}

/// The options of the jobs, without those that are levels.
fn asked(jobs: &[Job<'_>], global: Option<&Node<'_>>) -> Result<toml::Table, FileFault> {
    const LEFT_OUT: [&str; 4] = ["name", "description", "iodepth", "output"];
    let mut asked = toml::Table::new();
    let mut tables = Vec::new();
    let kept = |key: &str| !LEFT_OUT.contains(&key);
    let mut table = toml::Table::new();
    for (key, value) in global.map(Node::entries).unwrap_or_default() {
        if kept(key) {
            table.insert(key.to_owned(), value.text()?.into());
        }
    }
    asked.insert("global".to_owned(), table.into());
    for job in jobs {
        let mut table = toml::Table::from_iter([("name".to_owned(), job.name.clone().into())]);
        let own = job.node.find("job options").map(|options| options.entries()).unwrap_or_default();
        for (key, value) in own.into_iter().filter(|(key, _)| kept(key)) {
            table.insert(key.to_owned(), value.text()?.into());
        }
        tables.push(toml::Value::Table(table));
    }
    asked.insert("job".to_owned(), tables.into());
    Ok(asked)
}

/// The drives whose use fio counted.
fn drives(root: &Node<'_>) -> Result<Vec<(String, String)>, FileFault> {
    let mut names = Vec::new();
    for drive in root.find("disk_util").map(|list| list.items()).transpose()?.unwrap_or_default() {
        names.push(drive.get("name")?.text()?);
    }
    if names.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![("storage.drives".to_owned(), names.join(", "))])
}

/// A moment from milliseconds since 1970.
fn moment_of(node: &Node<'_>, unit_ms: f64) -> Result<Timestamp, FileFault> {
    Timestamp::from_millisecond((node.amount()? * unit_ms) as i64)
        .map_err(|_| node.fault("is no time", "export the result again"))
}
