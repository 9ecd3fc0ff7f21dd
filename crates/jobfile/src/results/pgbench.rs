//! The output of pgbench: one or several, one after the other in a file.
//!
//! Progress and messages go to stderr and the summary to stdout, so that the lines of one output can stand in
//! several orders: progress belongs to the summary that follows it.

mod checked;

use jiff::Timestamp;
use words::{Latency, LevelName, Metric, NoteKind, PhaseName, Remark, Statistic, WorkloadKind};

use super::text::{Line, lines, required};
use super::{ToolCell, ToolResult, check_count, check_length, series_of};
use crate::fault::FileFault;
use crate::moment::seconds_between;
use crate::steps::LONGEST_S;
use checked::Stated;

/// The first words of an output, before the version.
pub(crate) const BANNER: &str = "pgbench (";
/// The first line of every summary.
pub(crate) const SUMMARY: &str = "transaction type:";
/// Times of progress lines beyond this are moments (`--progress-timestamp`).
const MOMENT_LEAST_S: f64 = 1e9;

const MEAN: Metric = Metric::LATENCY_MEAN;
const STDDEV: Metric = Metric::Latency(Latency::Answer, Statistic::Stddev);

/// One output as far as it was read.
#[derive(Debug, Default)]
struct Output {
    /// The line in which it begins.
    from: usize,
    script: Option<String>,
    asked: Vec<(&'static str, String)>,
    clients: Option<f64>,
    duration_s: Option<f64>,
    processed: Option<f64>,
    stated: Stated,
    scripts: u64,
    values: Vec<(Metric, f64)>,
    progress: Progress,
}

/// The progress lines before a summary.
#[derive(Debug, Default)]
struct Progress {
    readings: Vec<(Metric, Vec<(f64, f64)>)>,
    /// The moments of the lines, where they have some.
    began_at: Option<Timestamp>,
    last_s: f64,
}

/// Reads the outputs of a file.
pub(super) fn read(text: &str) -> Result<ToolResult, FileFault> {
    let (mut outputs, mut progress) = (Vec::<Output>::new(), Progress::default());
    let mut version = None;
    for line in lines(text) {
        if let Some(rest) = line.after(BANNER) {
            let number = rest.trim_start_matches("PostgreSQL) ").split([' ', ')']).next();
            version = version.or_else(|| number.map(str::to_owned));
        } else if let Some(rest) = line.after("progress:") {
            progress.take(line, rest)?;
        } else if let Some(script) = line.after(SUMMARY) {
            check_count(outputs.len(), "outputs of pgbench")?;
            let (from, script) = (line.number, Some(script.to_owned()));
            outputs.push(Output {
                from,
                script,
                progress: std::mem::take(&mut progress),
                ..Output::default()
            });
        } else if let Some(output) = outputs.last_mut() {
            output.take(line)?;
        }
    }
    if outputs.is_empty() {
        let help = "the file is cut, or pgbench was stopped before its summary; import a whole output";
        return Err(FileFault::whole("holds no summary of pgbench (`transaction type: ...`)", help));
    }
    result(outputs, version)
}

fn result(outputs: Vec<Output>, version: Option<String>) -> Result<ToolResult, FileFault> {
    let started_at = outputs.first().and_then(|output| output.progress.began_at);
    let scripts = outputs.iter().map(|output| output.scripts).max().unwrap_or(0);
    let mut remarks = Vec::new();
    if scripts > 1 {
        remarks.push((NoteKind::Warning, Remark::ImportedPgbenchScripts { count: scripts }));
    }
    let mut asked = toml::Table::new();
    for (key, value) in outputs.iter().flat_map(|output| &output.asked) {
        asked.insert((*key).to_owned(), value.clone().into());
    }
    let title = outputs.first().and_then(|output| output.script.clone()).unwrap_or_default();
    let mut cells = Vec::new();
    let (mut begun_s, mut all_s) = (0.0, 0.0);
    for output in outputs {
        let began = output.progress.began_at.zip(started_at);
        let start_s =
            began.map(|(at, first)| seconds_between(first, at)).filter(|s| (0.0..=LONGEST_S).contains(s));
        let from = output.from;
        let cell = output.cell(start_s.unwrap_or(begun_s))?;
        begun_s = cell.start_s + cell.length_s();
        all_s += cell.length_s();
        check_length(from, all_s.max(begun_s))?;
        cells.push(cell);
    }
    let host = Vec::new();
    Ok(ToolResult { tool: "pgbench", version, title, started_at, asked, host, cells, remarks })
}

impl Progress {
    /// `1.0 s, 220.0 tps, lat 4.506 ms stddev 2.092, 0 failed`.
    fn take(&mut self, line: Line<'_>, rest: &str) -> Result<(), FileFault> {
        let mut at_s = line.amount(rest)?;
        if at_s >= MOMENT_LEAST_S {
            let moment = Timestamp::from_millisecond((at_s * 1e3) as i64)
                .map_err(|_| line.fault("has no time that a calendar knows"))?;
            at_s = match self.began_at {
                Some(began) => seconds_between(began, moment),
                None => {
                    // The first interval began a second before its end, or as pgbench's option says; a second
                    // is what people ask for.
                    let second = jiff::SignedDuration::from_secs(1);
                    self.began_at = moment.checked_sub(second).ok();
                    1.0
                }
            };
        }
        if !(at_s > self.last_s && at_s <= LONGEST_S) {
            return Err(line.fault("is not later than the progress before it, or later than a week"));
        }
        self.last_s = at_s;
        let found = [
            (Metric::Tps, line.between(" s, ", " tps")?),
            (MEAN, latency(line, "lat ", " ms")?),
            (STDDEV, latency(line, "stddev ", ",")?),
        ];
        for (metric, value) in found {
            let Some(value) = value else { continue };
            match self.readings.iter_mut().find(|(known, _)| *known == metric) {
                Some((_, readings)) => readings.push((at_s, value)),
                None => self.readings.push((metric, vec![(at_s, value)])),
            }
        }
        Ok(())
    }
}

/// A latency of a progress line; an interval without a transaction has none, and older versions print `-nan`.
fn latency(line: Line<'_>, before: &str, after: &str) -> Result<Option<f64>, FileFault> {
    let is_nan = line.text.split_once(before).is_some_and(|(_, rest)| {
        rest.trim_start_matches('-').get(..3).is_some_and(|word| word.eq_ignore_ascii_case("nan"))
    });
    if is_nan { Ok(None) } else { line.between(before, after) }
}

impl Output {
    fn take(&mut self, line: Line<'_>) -> Result<(), FileFault> {
        for (begin, key) in
            [("scaling factor:", "scale"), ("query mode:", "query_mode"), ("number of threads:", "threads")]
        {
            if let Some(rest) = line.after(begin) {
                self.asked.push((key, rest.to_owned()));
            }
        }
        if let Some(rest) = line.after("number of clients:") {
            self.clients = Some(line.users(rest, "clients")?);
        }
        if let Some(rest) = line.after("duration:") {
            self.duration_s = Some(line.seconds(rest)?);
        }
        if let Some(rest) = line.after("number of transactions actually processed:") {
            self.processed = Some(line.amount(rest)?);
        }
        self.stated.take(line)?;
        if line.text.starts_with("SQL script ") {
            self.scripts += 1;
        }
        self.figures(line)
    }

    /// The figures of the summary. Those of single scripts stand after them, behind dashes.
    fn figures(&mut self, line: Line<'_>) -> Result<(), FileFault> {
        let of = |of, statistic| Metric::Latency(of, statistic);
        for (begin, metric) in [
            ("number of failed transactions:", Metric::Errors),
            ("latency average =", MEAN),
            ("latency stddev =", STDDEV),
            ("rate limit schedule lag: avg", of(Latency::Lateness, Statistic::Mean)),
        ] {
            if let Some(rest) = line.after(begin) {
                let value = line.amount(rest)?;
                self.add(metric, value, line)?;
            }
        }
        if line.text.starts_with("rate limit schedule lag") {
            let longest = line.between("(max ", ")")?;
            longest.map(|value| self.add(of(Latency::Lateness, Statistic::Max), value, line)).transpose()?;
        }
        if let Some(rest) = line.after("tps =") {
            let value = line.amount(rest)?;
            // Up to version 13 there were two rates; the second is without the connecting.
            if rest.contains("excluding") {
                self.values.retain(|(metric, _)| *metric != Metric::Tps);
            }
            self.add(Metric::Tps, value, line)?;
        }
        Ok(())
    }

    fn add(&mut self, metric: Metric, value: f64, line: Line<'_>) -> Result<(), FileFault> {
        if self.values.iter().any(|(known, _)| *known == metric) {
            return Err(line.fault("occurs twice in one output"));
        }
        self.values.push((metric, value));
        Ok(())
    }

    fn cell(self, start_s: f64) -> Result<ToolCell, FileFault> {
        let needs = |value: Option<f64>, what| required(value, what, self.from, "pgbench");
        let clients = needs(self.clients, "its number of clients")?;
        let of = |metric: Metric| self.values.iter().find(|(known, _)| *known == metric).map(|found| found.1);
        let tps = needs(of(Metric::Tps), "its transactions per second (`tps = ...`)")?;
        let processed = needs(self.processed, "its number of transactions")?;
        let mean_ms = needs(of(MEAN), "its latency")?;
        let latency_s = (mean_ms / 1e3, of(STDDEV).map(|ms| ms / 1e3));
        self.stated.check((clients, processed), self.duration_s, latency_s)?;
        // A number of transactions (-t) instead of a duration: their rate gives the time.
        let length_s = self.duration_s.unwrap_or(if tps > 0.0 { processed / tps } else { 0.0 });
        if length_s > LONGEST_S {
            return Err(FileFault::line(self.from, "lasted more than a week", "mend its numbers"));
        }
        let readings = self.progress.readings.iter();
        let series =
            readings.filter_map(|(metric, readings)| series_of(*metric, readings, length_s)).collect();
        Ok(ToolCell {
            workload: self.script.unwrap_or_default(),
            kind: WorkloadKind::Pgbench,
            level: clients,
            level_name: LevelName::Clients,
            repeat: 0,
            start_s,
            phases: vec![(PhaseName::Measure, 0.0, length_s)],
            values: self.values,
            series,
            histograms: Vec::new(),
            failed: (processed == 0.0).then(|| "no transaction was finished".to_owned()),
        })
    }
}
