//! The seconds of a cell as fio's log files (`write_bw_log` and its kin, one-second averages), and its
//! histograms as HdrHistogram logs.

use std::io::Write;
use words::{Metric, PhaseName};

use measure::Series;

use super::fio_job::FioCell;
use super::fio_json::{jiff_seconds, of_direction};
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
        let count = |name: &str| Ok::<u64, NotebookError>(self.histogram(id, name)?.map_or(0, |h| h.len()));
        let (reads, writes, discards) = (count("read")?, count("write")?, count("discard")?);
        let all = reads + writes + discards;
        let bytes = cell.job.mean_bytes;
        let directions = [
            (0, of_direction(&series, "read", reads, all), named(&series, "read")),
            (1, of_direction(&series, "write", writes, all), named(&series, "write")),
            (2, of_direction(&series, "discard", discards, all), named(&series, "discard")),
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
        for (metric, histogram) in self.histograms(id)? {
            let tag: String = metric.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
            let encoded = base64(&histogram.encode_compressed());
            let max_ms = histogram.max_ns() as f64 / 1e6;
            writeln!(out, "Tag={tag},{start_s:.3},{:.3},{max_ms:.6},{encoded}", end_s - start_s)?;
        }
        Ok(out.flush()?)
    }
}

/// Mean latencies by the second, in ms: of the direction, else of the cell.
fn named(series: &[Series], word: &str) -> Vec<f64> {
    let find =
        |name: String| series.iter().find(|series| series.metric == name).map(|series| series.values.clone());
    find(format!("{word}_latency_mean")).or_else(|| find(Metric::LATENCY_MEAN.name())).unwrap_or_default()
}

/// Base64 after RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for index in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * index)) as usize & 63];
            text.push(if index <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (plain, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }
}
