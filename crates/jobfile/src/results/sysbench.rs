//! The output of sysbench's OLTP tests: one or several, one after the other in a file.

mod checked;

use words::{LevelName, Metric, NoteKind, PhaseName, Remark, WorkloadKind};

use super::text::{Line, lines, required};
use super::{ToolCell, ToolResult, check_count, check_length, percentile, series_of};
use crate::fault::FileFault;
use checked::Stated;
use words::{Latency, Statistic};

/// The first words of an output, before the version.
pub(crate) const BANNER: &str = "sysbench ";
/// The part that only tests of databases have.
pub(crate) const STATISTICS: &str = "SQL statistics:";

/// One output as far as it was read.
#[derive(Debug, Default)]
struct Output {
    /// The line in which it begins.
    from: usize,
    version: Option<String>,
    threads: Option<f64>,
    rate: Option<f64>,
    is_database: bool,
    total_s: Option<f64>,
    /// Figures of the summary.
    values: Vec<(Metric, f64)>,
    /// Counts with their rates, and latencies, with their lines.
    stated: Stated,
    /// A percentile that has no metric here.
    percent: Option<f64>,
    /// Readings of the interval lines: seconds and value.
    readings: Vec<(Metric, Vec<(f64, f64)>)>,
    section: Section,
}

/// The part of the summary in which a line stands; some names occur in several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Section {
    #[default]
    Head,
    Statistics,
    Latency,
    Other,
}

/// Reads the outputs of a file.
pub(super) fn read(text: &str) -> Result<ToolResult, FileFault> {
    let mut outputs: Vec<Output> = Vec::new();
    for line in lines(text) {
        let is_banner = line.text.strip_prefix(BANNER).is_some_and(is_version);
        if is_banner || (outputs.is_empty() && !line.text.is_empty()) {
            check_count(outputs.len(), "outputs of sysbench")?;
            outputs.push(Output { from: line.number, ..Output::default() });
        }
        if let Some(output) = outputs.last_mut() {
            output.take(line)?;
        }
    }
    if outputs.is_empty() {
        return Err(FileFault::whole("is empty", "give the output of sysbench ... run"));
    }
    let version = outputs.iter().find_map(|output| output.version.clone());
    let mut percents: Vec<f64> = outputs.iter().filter_map(|output| output.percent).collect();
    percents.dedup();
    let remark = |percent: f64| (NoteKind::Warning, Remark::ImportedPercentile { percent });
    let mut asked = toml::Table::new();
    if let Some(rate) = outputs.iter().find_map(|output| output.rate) {
        asked.insert("rate".to_owned(), rate.into());
    }
    let mut cells = Vec::new();
    let mut begun_s = 0.0;
    for output in outputs {
        let from = output.from;
        let cell = output.cell(begun_s)?;
        begun_s += cell.length_s();
        check_length(from, begun_s)?;
        cells.push(cell);
    }
    Ok(ToolResult {
        tool: "sysbench",
        version,
        title: "OLTP test".to_owned(),
        started_at: None,
        asked,
        host: Vec::new(),
        cells,
        remarks: percents.into_iter().map(remark).collect(),
    })
}

/// True for the rest of a banner: `1.0.20 (using system LuaJIT 2.1.0-beta3)`.
fn is_version(rest: &str) -> bool {
    rest.starts_with(|c: char| c.is_ascii_digit())
}

impl Output {
    fn take(&mut self, line: Line<'_>) -> Result<(), FileFault> {
        if line.text.starts_with("FATAL:") {
            let said = crate::fault::quoted(line.text);
            return Err(line.fault(format!("sysbench failed: {said}")));
        }
        if line.text.starts_with('[') {
            return self.interval(line);
        }
        match line.text {
            STATISTICS => (self.section, self.is_database) = (Section::Statistics, true),
            "Latency (ms):" => self.section = Section::Latency,
            "General statistics:" | "Threads fairness:" => self.section = Section::Other,
            _ => {}
        }
        match self.section {
            Section::Head => self.head(line),
            Section::Statistics => self.statistics(line),
            Section::Latency => self.latency(line),
            Section::Other => {
                if let Some(rest) = line.after("total time:") {
                    self.total_s = Some(line.seconds(rest)?);
                }
                Ok(())
            }
        }
    }

    fn head(&mut self, line: Line<'_>) -> Result<(), FileFault> {
        if let Some(rest) = line.text.strip_prefix(BANNER).filter(|rest| is_version(rest)) {
            self.version = rest.split_whitespace().next().map(str::to_owned);
        }
        if let Some(rest) = line.after("Number of threads:") {
            self.threads = Some(line.users(rest, "threads")?);
        }
        if let Some(rest) = line.after("Target transaction rate:") {
            self.rate = Some(line.amount(rest)?);
        }
        Ok(())
    }

    fn statistics(&mut self, line: Line<'_>) -> Result<(), FileFault> {
        for (name, metric) in [("transactions:", Metric::Tps), ("queries:", Metric::Qps)] {
            if line.after(name).is_some() {
                let rate = line.between("(", "per sec")?.ok_or_else(|| line.fault("states no rate"))?;
                let count = line.amount(&line.text[name.len()..])?;
                self.add(metric, rate, line)?;
                self.stated.rates.push((line.number, count, rate));
            }
        }
        if let Some(rest) = line.after("ignored errors:") {
            let errors = line.amount(rest)?;
            self.add(Metric::Errors, errors, line)?;
        }
        if let Some(rest) = line.after("reconnects:") {
            let reconnects = line.amount(rest)?;
            self.add(Metric::Reconnects, reconnects, line)?;
        }
        Ok(())
    }

    fn latency(&mut self, line: Line<'_>) -> Result<(), FileFault> {
        let of = |statistic| Metric::Latency(Latency::Answer, statistic);
        if let Some(rest) = line.after("min:") {
            self.stated.below_max.push((line.number, "min", line.amount(rest)?));
        }
        for (name, statistic) in [("avg:", Statistic::Mean), ("max:", Statistic::Max)] {
            if let Some(rest) = line.after(name) {
                let value = line.amount(rest)?;
                self.add(of(statistic), value, line)?;
                match statistic {
                    Statistic::Max => self.stated.max = Some(value),
                    _ => self.stated.below_max.push((line.number, "avg", value)),
                }
            }
        }
        if let Some((percent, rest)) = line.text.split_once("th percentile:") {
            let (percent, value) = (line.amount(percent)?, line.amount(rest)?);
            if percent > 100.0 {
                return Err(line.fault("is of no percentage"));
            }
            self.stated.below_max.push((line.number, "percentile", value));
            match percentile(percent) {
                Some(metric) => self.add(metric, value, line)?,
                None => self.percent = Some(percent),
            }
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

    /// `[ 1s ] thds: 1 tps: 152.61 qps: 3071.18 (r/w/o: ...) lat (ms,95%): 14.73 err/s: 0.00 reconn/s: 0.00`.
    fn interval(&mut self, line: Line<'_>) -> Result<(), FileFault> {
        let Some((time, figures)) = line.text[1..].split_once(']') else {
            return Err(line.fault("is no line of an interval"));
        };
        if figures.contains("Checkpoint report:") {
            return Err(line.fault(
                "begins the report of a part of the run, and no report of the whole run follows; \
                 run sysbench without --report-checkpoints",
            ));
        }
        if !figures.contains("tps:") {
            return Ok(()); // A message of a script.
        }
        let at_s = line.seconds(time)?;
        let figures = Line { text: figures, ..line };
        let mut found = Vec::new();
        found.extend(figures.between("tps:", "qps:")?.map(|value| (Metric::Tps, value)));
        found.extend(figures.between("qps:", "(")?.map(|value| (Metric::Qps, value)));
        if let Some(percent) = figures.between("lat (ms,", "%")? {
            let value = figures.between("%):", "err/s")?;
            found.extend(percentile(percent).zip(value));
        }
        for (metric, value) in found {
            let known = self.readings.iter_mut().position(|(known, _)| *known == metric);
            let known = known.unwrap_or_else(|| {
                self.readings.push((metric, Vec::new()));
                self.readings.len() - 1
            });
            let readings = &mut self.readings[known].1;
            if readings.last().is_some_and(|(before, _)| at_s <= *before) {
                return Err(line.fault("is not later than the interval before it"));
            }
            readings.push((at_s, value));
        }
        Ok(())
    }

    fn cell(self, start_s: f64) -> Result<ToolCell, FileFault> {
        let needs = |value: Option<f64>, what| required(value, what, self.from, "sysbench");
        if !self.is_database {
            let message = "the output of sysbench that begins here has no `SQL statistics`";
            let help = "only its OLTP tests are imported, and only with their summary; drivetrain block measures files";
            return Err(FileFault::line(self.from, message, help));
        }
        let threads = needs(self.threads, "its number of threads")?;
        let length_s = needs(self.total_s, "its total time")?;
        let of = |metric: Metric| self.values.iter().find(|(known, _)| *known == metric).map(|found| found.1);
        let tps = needs(of(Metric::Tps), "its transactions per second")?;
        needs(of(Metric::LATENCY_MEAN), "its latency")?;
        self.stated.check(length_s)?;
        let series =
            self.readings.iter().filter_map(|(metric, readings)| series_of(*metric, readings, length_s));
        Ok(ToolCell {
            workload: "sysbench".to_owned(),
            kind: WorkloadKind::Sysbench,
            level: threads,
            level_name: LevelName::Threads,
            repeat: 0,
            start_s,
            phases: vec![(PhaseName::Measure, 0.0, length_s)],
            series: series.collect(),
            values: self.values,
            histograms: Vec::new(),
            failed: (tps == 0.0).then(|| "no transaction was finished".to_owned()),
        })
    }
}
