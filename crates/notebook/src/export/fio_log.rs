//! The seconds of a cell as fio's log files (`write_bw_log` and its kin, one-second averages), and its
//! histograms as HdrHistogram logs.

use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use words::{Latency, Metric, PhaseName, Statistic};

use measure::Series;

use super::fio_job::FioCell;
use super::fio_json::{jiff_seconds, of_direction, values};
use crate::error::NotebookError;
use crate::open::Notebook;

/// The kinds of log that fio writes.
pub const FIO_LOGS: [&str; 5] = ["bw", "iops", "lat", "clat", "slat"];

impl Notebook {
    /// Writes one kind of log of a cell: `milliseconds, value, direction, block size, offset`, a line for
    /// each second and direction; KiB/s, IOPS or nanoseconds. Direction 0 is read, 1 write, 2 discard.
    ///
    /// # Errors
    /// [`NotebookError::Export`] when `out` fails, and what reading a cell can answer.
    pub fn export_fio_log(
        &self,
        cell: &FioCell,
        kind: &str,
        out: &mut dyn Write,
    ) -> Result<(), NotebookError> {
        let id = cell.cell.id;
        let series = self.series(id)?;
        let count =
            |of: Latency| Ok::<u64, NotebookError>(self.histogram(id, of)?.map_or(0, |times| times.len()));
        let (reads, writes, discards) =
            (count(Latency::Read)?, count(Latency::Write)?, count(Latency::Discard)?);
        let all = reads + writes + discards;
        let bytes = cell.job.mean_bytes;
        let directions = [
            (0, of_direction(&series, Metric::ReadIops, reads, all), means(&series, Latency::Read)),
            (1, of_direction(&series, Metric::WriteIops, writes, all), means(&series, Latency::Write)),
            (2, of_direction(&series, Metric::DiscardIops, discards, all), means(&series, Latency::Discard)),
        ];
        let seconds = directions.iter().map(|(_, iops, _)| iops.len()).max().unwrap_or(0);
        for second in 0..seconds {
            for (direction, iops, latency_ms) in &directions {
                let Some(iops) = iops.get(second).filter(|iops| iops.is_finite() && **iops > 0.0) else {
                    continue;
                };
                let latency_ns =
                    latency_ms.get(second).filter(|ms| ms.is_finite()).map_or(0.0, |ms| ms * 1e6);
                let value = match kind {
                    "bw" => iops * bytes / 1024.0,
                    "iops" => *iops,
                    "slat" => 0.0,
                    _ => latency_ns,
                };
                writeln!(
                    out,
                    "{}, {}, {direction}, {}, 0",
                    (second + 1) * 1000,
                    value.round() as u64,
                    bytes as u64
                )?;
            }
        }
        Ok(out.flush()?)
    }

    /// Writes the histograms of a cell as an HdrHistogram log (version 1.3): one interval, a tag for each
    /// metric, values in nanoseconds.
    ///
    /// # Errors
    /// As [`Notebook::export_fio_log`].
    pub fn export_hdr_log(&self, cell: &FioCell, out: &mut dyn Write) -> Result<(), NotebookError> {
        let id = cell.cell.id;
        let phases = self.phases(id)?;
        let (start_s, end_s) = phases
            .iter()
            .rfind(|phase| phase.name == PhaseName::Measure)
            .map_or((0.0, 0.0), |p| (p.start_s, p.end_s));
        let started = jiff_seconds(cell.cell.started_at.as_deref().unwrap_or_default());
        writeln!(out, "#[Histogram log format version 1.3]")?;
        if let Some(modelled) = &cell.modelled {
            // A comment of a line; names of drives come from files.
            writeln!(out, "#[{}]", modelled.replace(char::is_control, " "))?;
        }
        writeln!(out, "#[StartTime: {started}.000 (seconds since epoch)]")?;
        writeln!(
            out,
            "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\""
        )?;
        for (name, histogram) in self.histograms(id)? {
            let tag: String =
                name.to_string().chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
            let encoded = BASE64.encode(histogram.encode_compressed());
            let max_ms = histogram.max_ns() as f64 / 1e6;
            writeln!(out, "Tag={tag},{start_s:.3},{:.3},{max_ms:.6},{encoded}", end_s - start_s)?;
        }
        Ok(out.flush()?)
    }
}

/// Mean latencies by the second, in ms: of the direction, else of the cell.
fn means(series: &[Series], of: Latency) -> Vec<f64> {
    let own = values(series, Metric::Latency(of, Statistic::Mean));
    own.or_else(|| values(series, Metric::LATENCY_MEAN)).unwrap_or_default()
}
