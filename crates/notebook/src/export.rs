//! Taking results elsewhere: CSV in long form, tables with a row for each cell, and JSON lines with
//! everything.

mod fio_job;
mod fio_json;
mod fio_log;
#[cfg(feature = "parquet")]
mod parquet;
mod wide;

use std::io::Write;

pub use fio_job::{FioCell, FioJob};
pub use fio_log::FIO_LOGS;
use serde_json::{Value, json};

use crate::error::NotebookError;
use crate::open::Notebook;
use crate::records::{Cell, RunId};

/// The first lines of the CSV exports.
pub const CSV_HEADERS: [&str; 2] = [CSV_HEADER, SERIES_CSV_HEADER];
/// The first columns of the CSV with a column for each metric.
pub const WIDE_CSV_HEADER: &str = "run,cell,bed,workload,level,repeat,level_name,state,realm,scale";
const CSV_HEADER: &str = "run,cell,bed,workload,level,repeat,metric,value,unit,level_name,state,realm,scale";
const SERIES_CSV_HEADER: &str =
    "run,cell,bed,workload,level,repeat,metric,second,value,unit,level_name,state,realm,scale";

impl Notebook {
    /// Writes the measurements of a run as CSV (RFC 4180, `\n` line ends, a header line), one number a line.
    ///
    /// Every line has the state, because cells that are invalid or interrupted are exported too. It has realm
    /// and scale, because an emulated or scaled number must not be mistaken for another.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`], [`NotebookError::Export`] when `out` fails.
    pub fn export_csv(&self, run: RunId, out: &mut dyn Write) -> Result<(), NotebookError> {
        writeln!(out, "{CSV_HEADER}")?;
        self.for_each_cell(run, |cell, realm, scale| {
            for measurement in self.measurements(cell.id)? {
                writeln!(
                    out,
                    "{},{},{},{},{}",
                    left_columns(run, cell),
                    quoted(&measurement.metric),
                    measurement.value,
                    quoted(&measurement.unit),
                    right_columns(cell, realm, scale)
                )?;
            }
            Ok(())
        })?;
        Ok(out.flush()?)
    }

    /// Writes the one-second series of a run as CSV, one second of one metric a line; `second` is on the
    /// cell's clock. A second without a value has an empty `value`.
    ///
    /// # Errors
    /// As [`Notebook::export_csv`].
    pub fn export_series_csv(&self, run: RunId, out: &mut dyn Write) -> Result<(), NotebookError> {
        writeln!(out, "{SERIES_CSV_HEADER}")?;
        self.for_each_cell(run, |cell, realm, scale| {
            for series in self.series(cell.id)? {
                for (index, value) in series.values.iter().enumerate() {
                    let second = series.start_s + index as f64;
                    let value = if value.is_finite() { value.to_string() } else { String::new() };
                    writeln!(
                        out,
                        "{},{},{second},{value},{},{}",
                        left_columns(run, cell),
                        quoted(&series.metric),
                        quoted(&series.unit),
                        right_columns(cell, realm, scale)
                    )?;
                }
            }
            Ok(())
        })?;
        Ok(out.flush()?)
    }

    /// Writes all data of a run as JSON lines: one object a line, each with a `type` that is the name of its
    /// table, in the order run, bed, fact_set, note, published, then each cell followed by its results.
    ///
    /// Histograms come as `[value_ns, count]` pairs, which lose nothing; a second without a value is `null`.
    ///
    /// # Errors
    /// As [`Notebook::export_csv`].
    pub fn export_json_lines(&self, run: RunId, out: &mut dyn Write) -> Result<(), NotebookError> {
        let mut line = |kind: &str, value: Value| -> Result<(), NotebookError> {
            let mut object = serde_json::Map::new();
            object.insert("type".to_owned(), kind.into());
            object.insert("run".to_owned(), run.0.into());
            if let Value::Object(fields) = value {
                object.extend(fields);
            }
            Ok(writeln!(out, "{}", Value::Object(object))?)
        };
        line("run", as_json(&self.run(run)?))?;
        for bed in self.beds(run)? {
            line("bed", as_json(&bed))?;
        }
        for set in self.fact_set_history(run)? {
            line("fact_set", json!({ "scope": set.scope, "added_at": set.added_at, "facts": set.facts }))?;
        }
        for note in self.notes(run)? {
            line("note", as_json(&note))?;
        }
        for number in self.published(run)? {
            line("published", as_json(&number))?;
        }
        for cell in self.cells(run)? {
            line("cell", cell_fields(&cell))?;
            self.cell_lines(&cell, &mut line)?;
        }
        Ok(out.flush()?)
    }

    fn cell_lines(
        &self,
        cell: &Cell,
        line: &mut dyn FnMut(&str, Value) -> Result<(), NotebookError>,
    ) -> Result<(), NotebookError> {
        let id = cell.id.0;
        let mut of_cell = |kind: &str, mut value: Value| {
            value["cell"] = id.into();
            line(kind, value)
        };
        for phase in self.phases(cell.id)? {
            of_cell("phase", as_json(&phase))?;
        }
        for measurement in self.measurements(cell.id)? {
            of_cell("measurement", as_json(&measurement))?;
        }
        for point in self.points(cell.id)? {
            of_cell("point", as_json(&point))?;
        }
        for event in self.events(cell.id)? {
            of_cell("event", as_json(&event))?;
        }
        for series in self.series(cell.id)? {
            // serde_json writes a number that is not finite as null.
            let value = json!({ "metric": series.metric, "unit": series.unit, "start_s": series.start_s,
                "step_s": 1, "values": series.values });
            of_cell("series", value)?;
        }
        for (metric, histogram) in self.histograms(cell.id)? {
            let pairs: Vec<(u64, u64)> = histogram.recorded().collect();
            of_cell("histogram", json!({ "metric": metric, "unit": "ns", "recorded": pairs }))?;
        }
        Ok(())
    }

    fn for_each_cell(
        &self,
        run: RunId,
        mut visit: impl FnMut(&Cell, &str, f64) -> Result<(), NotebookError>,
    ) -> Result<(), NotebookError> {
        let scale = self.run(run)?.scale;
        let beds = self.beds(run)?;
        for cell in self.cells(run)? {
            let realm = beds.iter().find(|bed| bed.name == cell.bed).map_or("", |bed| bed.realm.as_str());
            visit(&cell, realm, scale)?;
        }
        Ok(())
    }
}

/// Cells count in the order of the run, repeats as they came, both from 1 as everywhere where people read
/// them.
fn left_columns(run: RunId, cell: &Cell) -> String {
    format!(
        "{run},{},{},{},{},{}",
        cell.position + 1,
        quoted(&cell.bed),
        quoted(&cell.workload),
        cell.level,
        cell.repeat + 1
    )
}

fn right_columns(cell: &Cell, realm: &str, scale: f64) -> String {
    format!("{},{},{},{scale}", quoted(&cell.level_name), cell.state, quoted(realm))
}

/// A CSV field of text after RFC 4180: quoted only when it must be. A field that a spreadsheet would take for
/// a formula begins with an apostrophe, as spreadsheets themselves write such text.
fn quoted(field: &str) -> String {
    if let Some(harmless) = without_orders(field) {
        return quoted(&harmless);
    }
    let trimmed = field.trim_start_matches([' ', '\u{a0}', '\u{feff}']);
    if trimmed.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
        return quoted(&format!("'{field}"));
    }
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// The text with each order to a terminal as its escape; `None` where there is none. CSV has a form for all
/// line ends.
fn without_orders(text: &str) -> Option<String> {
    let is_order = |c: char| words::is_order(c) && c != '\r';
    let escaped = |c: char| if is_order(c) { c.escape_unicode().to_string() } else { c.to_string() };
    text.contains(is_order).then(|| text.chars().map(escaped).collect())
}

/// A cell with its sentences before their data, and its repeat counted from 1.
fn cell_fields(cell: &Cell) -> Value {
    let Value::Object(fields) = as_json(cell) else { return Value::Null };
    let mut told = serde_json::Map::new();
    for (key, value) in fields {
        match key.as_str() {
            "reasons" => drop(told.insert("reason".to_owned(), cell.reasons.text().into())),
            "limiter_figures" => {
                let text = cell.limiter_figures.as_ref().map(ToString::to_string);
                told.insert("limiter_detail".to_owned(), text.into());
            }
            _ => {}
        }
        told.insert(key, value);
    }
    told.insert("repeat".to_owned(), (cell.repeat + 1).into());
    Value::Object(told)
}

/// The records hold only strings, numbers and maps with string keys, which JSON always takes.
fn as_json(record: &impl serde::Serialize) -> Value {
    serde_json::to_value(record).unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_a_formula() {
        assert_eq!(quoted("=HYPERLINK(1)"), "'=HYPERLINK(1)");
        assert_eq!(quoted("@SUM(1,2)"), "\"'@SUM(1,2)\"");
        assert_eq!(quoted("\t=1"), "'\t=1");
        assert_eq!(quoted(" +1"), "' +1");
        assert_eq!(quoted("-2+3"), "'-2+3");
        assert_eq!(quoted("\r=1"), "\"'\r=1\"");
        assert_eq!(quoted("read 4k, =1"), "\"read 4k, =1\"");
        assert_eq!(quoted("tpcc"), "tpcc");
    }

    #[test]
    fn no_text_steers_a_terminal() {
        assert_eq!(quoted("C:\u{1b}[31m\u{7}\0"), "C:\\u{1b}[31m\\u{7}\\u{0}");
        assert_eq!(quoted("a,\u{202e}b"), "\"a,\\u{202e}b\"");
        assert_eq!(quoted("two\nlines"), "\"two\nlines\"");
    }
}
