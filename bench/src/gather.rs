//! The time and the memory that the lead of a large fleet takes to gather one cell: 64 ranks, each a process
//! of its own with ten histograms and ten series of 600 s.
//!
//! The results are ready before the clock starts: what counts are encoding by the ranks, the pipes, decoding,
//! joining, and the cell's way into the lead's notebook.

use std::fs;
use std::time::Duration;

use anyhow::Context as _;
use fleet::{
    Callbacks, Coordinator, Done, Fleet as _, Hello, Hosts, Launch, Limits, Live, Meeting, Member, Offset,
    Wait, Watch, decode, encode, start_ranks,
};
use ground::{Clock, Random};
use lab::{Joined, Part};
use measure::{Histogram, Series};
use notebook::{Bed, CellRecord, CellState, Notebook, Phase, PlannedCell, RunPlan};
use words::{HistogramName, PhaseName};

use crate::machine;
use crate::options::Options;

/// The verb of a rank.
pub(crate) const RANK: &str = "gather-rank";
const VERSION: &str = "bench gather";
const HISTOGRAMS: usize = 10;
/// Figures that a fleet has second by second.
const SERIES: [(&str, &str); 10] = [
    ("iops", "1/s"),
    ("bandwidth", "MB/s"),
    ("latency_mean", "ms"),
    ("latency_p50", "ms"),
    ("latency_p99", "ms"),
    ("latency_p999", "ms"),
    ("tpm", "1/min"),
    ("tps", "1/s"),
    ("qps", "1/s"),
    ("cpu_idle", "%"),
];
/// Events of one histogram: enough to fill the buckets that a drive's latencies fill.
const EVENTS: u64 = 20_000;
const GOAL_S: f64 = 2.0;
const GOAL_BYTES: f64 = 200e6;
/// A rank may take so long to make its result.
const READY_MAX: Duration = Duration::from_secs(300);

/// Gathers as often as there are pairs.
pub(crate) fn run(options: &Options) -> anyhow::Result<String> {
    let (ranks, seconds) = if options.smoke { (3, 20) } else { (64, 600) };
    let temp = tempfile::Builder::new().prefix("drivetrain-bench-").tempdir_in(&options.dir)?;
    let mut text = format!(
        "# Gathering {ranks} ranks x {HISTOGRAMS} histograms x {} series of {seconds} s\n\n{}\n\n\
         | bytes of a result | seconds, of which joining and keeping | memory of the lead before | at most | goal |\n\
         |---:|---:|---:|---:|---|\n",
        SERIES.len(),
        machine::describe()
    );
    for number in 0..options.pairs {
        let gathered = gather(ranks, seconds, &temp.path().join(format!("{number}.db")))?;
        text += &gathered.row();
    }
    Ok(text)
}

/// One gathering.
struct Gathered {
    result_bytes: usize,
    seconds: f64,
    /// Of these, from the last result to the cell in the notebook.
    last_s: f64,
    before_bytes: f64,
    most_bytes: f64,
}

impl Gathered {
    fn row(&self) -> String {
        let kept = self.seconds <= GOAL_S && self.most_bytes <= GOAL_BYTES;
        format!(
            "| {} | {:.2}, {:.2} | {:.0} MB | {:.0} MB | <= {GOAL_S} s and {:.0} MB: {} |\n",
            self.result_bytes,
            self.seconds,
            self.last_s,
            self.before_bytes / 1e6,
            self.most_bytes / 1e6,
            GOAL_BYTES / 1e6,
            if kept { "kept" } else { "MISSED" }
        )
    }
}

fn gather(ranks: u32, seconds: u32, file: &std::path::Path) -> anyhow::Result<Gathered> {
    let program = std::env::current_exe()?.display().to_string();
    let launch = Launch {
        remote: Vec::new(),
        local_program: program.clone(),
        remote_program: program,
        arguments: vec![RANK.to_owned(), seconds.to_string()],
    };
    let hosts = Hosts::read(&format!("localhost:{ranks}"))?;
    let limits = Limits::of(READY_MAX);
    let mut lead = Coordinator::assemble(start_ranks(&hosts, &launch)?, VERSION, limits, &Nobody)?;
    let all = lead.all();
    let wait = Wait { ranks: &all, limit: READY_MAX };
    lead.words(Meeting::Cell, wait, &Nobody)?;
    let (notebook, cell) = notebook(file)?;
    let before_bytes = forget_peak()?;
    let start = Clock::Wall.stopwatch();
    lead.answer(&all, &[]);
    let mut joined = Joined::new(false, None);
    let mut result_bytes = 0;
    let taken = lead.gather(wait, &Nobody, |rank, result| {
        result_bytes = result_bytes.max(result.len());
        let done = Done { late_ns: Some(1000 * u64::from(rank)), ..Done::default() };
        joined.add(Part {
            rank,
            host: rank.to_string(),
            machine: rank.to_string(),
            record: decode(result)?,
            done,
            offset: Offset::default(),
        });
        Ok::<(), anyhow::Error>(())
    })?;
    taken.into_iter().collect::<Result<(), _>>()?;
    let last = Clock::Wall.stopwatch();
    let record = joined.record();
    notebook.record_cell(cell, &record)?;
    let (seconds, last_s) = (start.elapsed().as_secs_f64(), last.elapsed().as_secs_f64());
    let most_bytes = status_bytes("VmHWM")?;
    anyhow::ensure!(record.histograms.len() == HISTOGRAMS, "{} histograms", record.histograms.len());
    let events = record.histograms.iter().all(|(_, all)| all.len() == u64::from(ranks) * EVENTS);
    anyhow::ensure!(events && record.series.len() == SERIES.len(), "the cell is not the sum of its ranks");
    lead.byes(READY_MAX, &Nobody)?;
    Ok(Gathered { result_bytes, seconds, last_s, before_bytes, most_bytes })
}

/// The process of a rank: its result, handed in when the lead asks.
pub(crate) fn rank(arguments: &[String]) -> anyhow::Result<String> {
    let seconds: usize = arguments.first().context("the seconds are missing")?.parse()?;
    let hello = Hello { version: VERSION.to_owned(), machine: String::new(), pid: std::process::id() };
    let callbacks = Callbacks { on_stop: Box::new(|_| {}), on_gone: Box::new(|| std::process::exit(1)) };
    let member = Member::join(hello, (std::io::stdin(), std::io::stdout()), 0, callbacks)?;
    let record = record(u64::from(member.rank()), seconds);
    member.agree(Meeting::Cell, &[])?;
    member.gather(&encode(&record))?;
    member.bye(&[])?;
    Ok(String::new())
}

/// A cell with latencies around 90 us, spread as those of a drive, that differ from rank to rank.
fn record(rank: u64, seconds: usize) -> CellRecord {
    let mut random = Random::stream(1, rank);
    let mut normal = || (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
    let mut histogram = |number: usize| {
        let mut histogram = Histogram::new();
        (0..EVENTS).for_each(|_| histogram.record((90_000.0 * (0.5 * normal()).exp()) as u64));
        (HistogramName::read(&format!("latency {number}")), histogram)
    };
    let histograms = (0..HISTOGRAMS).map(&mut histogram).collect();
    let mut series = |(metric, unit): &(&str, &str)| {
        Series::new(*metric, *unit, 0.0, (0..seconds).map(|_| 100.0 + normal()).collect())
    };
    CellRecord {
        state: CellState::Done,
        phases: vec![Phase { name: PhaseName::Measure.into(), start_s: 0.0, end_s: seconds as f64 }],
        series: SERIES.iter().map(&mut series).collect(),
        histograms,
        ..CellRecord::default()
    }
}

/// A notebook with one cell that is under way.
fn notebook(file: &std::path::Path) -> anyhow::Result<(Notebook, notebook::CellId)> {
    let notebook = Notebook::open_or_create(file)?;
    let plan =
        RunPlan { name: "gather".to_owned(), scale: 1.0, realm: "real".to_owned(), ..RunPlan::default() };
    let bed = Bed { name: "bed".to_owned(), realm: "real".to_owned(), ..Bed::default() };
    let cell = PlannedCell { workload: "reads".to_owned(), bed: bed.name.clone(), ..PlannedCell::default() };
    let run = notebook.start_run(&plan, &[bed], &[cell])?;
    let cell = notebook.cells(run)?.first().context("the run has a cell")?.id;
    notebook.begin_cell(cell)?;
    Ok((notebook, cell))
}

/// Memory of this process now; its peak is counted from here on (proc(5): 5 resets it).
fn forget_peak() -> anyhow::Result<f64> {
    fs::write("/proc/self/clear_refs", "5").context("resetting the peak of the memory")?;
    status_bytes("VmRSS")
}

fn status_bytes(key: &str) -> anyhow::Result<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(key)).with_context(|| format!("no {key}"))?;
    let kilobytes: f64 = line.trim_matches(|c: char| !c.is_ascii_digit()).parse()?;
    Ok(kilobytes * 1024.0)
}

/// Nobody watches.
struct Nobody;

impl Watch for Nobody {
    fn live(&self, _: u32, _: Live) {}

    fn loading(&self, _: &str, _: f64) {}

    fn told(&self, host: &str, _: bool, text: &str) {
        eprintln!("{host}: {text}");
    }

    fn stops(&self) -> Option<bool> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_of_a_rank_is_like_a_cells() {
        let one = record(0, 30);
        assert_eq!((one.histograms.len(), one.series.len()), (HISTOGRAMS, SERIES.len()));
        assert_ne!(one.histograms[0].1, record(1, 30).histograms[0].1, "ranks measure different latencies");
        assert!(status_bytes("VmRSS").unwrap() > 1e6);
    }
}
