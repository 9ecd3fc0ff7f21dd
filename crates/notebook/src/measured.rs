//! The results of a cell: measurements, series, histograms, phases and events of its latest attempt.

use std::collections::BTreeSet;

use measure::{Histogram, Series};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, params};
use words::{EventKind, Happening, HistogramName, MetricName, Stored, StoredPhase};

use crate::domain;
use crate::error::NotebookError;
use crate::metrics::intern;
use crate::open::Notebook;
use crate::points;
use crate::readable::{name, placed};
use crate::records::{CellId, CellRecord, Event, Measurement, Phase};
use crate::said;

/// Histograms hold times in nanoseconds.
const HISTOGRAM_UNIT: &str = "ns";

impl Notebook {
    /// Reads the single numbers of a cell.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchCell`].
    pub fn measurements(&self, cell: CellId) -> Result<Vec<Measurement>, NotebookError> {
        self.of_attempt(
            cell,
            "SELECT metric.name, measurement.value, metric.unit FROM measurement
             JOIN metric ON metric.id = measurement.metric WHERE attempt = ?1 ORDER BY metric.id",
            |row| domain::read_measurement(row, "measurement.value"),
        )
    }

    /// Reads one number of a cell, if the cell has it.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchCell`].
    pub fn measurement(&self, cell: CellId, metric: &str) -> Result<Option<f64>, NotebookError> {
        let attempt = self.latest_attempt(cell)?;
        let read = |row: &Row<'_>| {
            let read = domain::read_measurement(row, "measurement.value");
            read.map(|one| one.value).map_err(|error| placed(row, &attempt.place, error))
        };
        self.connection()
            .prepare_cached(
                "SELECT metric.name, measurement.value, metric.unit FROM measurement
                 JOIN metric ON metric.id = measurement.metric WHERE attempt = ?1 AND metric.name = ?2",
            )
            .and_then(|mut statement| statement.query_row(params![attempt.id, metric], read).optional())
            .map_err(self.failed("reading a measurement"))
    }

    /// Reads the one-second series of a cell, in the order they were recorded.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchCell`].
    pub fn series(&self, cell: CellId) -> Result<Vec<Series>, NotebookError> {
        self.of_attempt(
            cell,
            "SELECT metric.name, metric.unit, series.start_s, series.samples FROM series
             JOIN metric ON metric.id = series.metric WHERE attempt = ?1 ORDER BY series.id",
            |row| {
                let start_s = domain::read(row, "series.start_s")
                    .map_err(|error| placed(row, &format!("series `{}`", shown_name(row)), error))?;
                Ok(Series { start_s, ..read_series(row)? })
            },
        )
    }

    /// Reads one histogram of a cell, if the cell has it.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchCell`], [`NotebookError::Unreadable`] when the stored form cannot be decoded.
    pub fn histogram(
        &self,
        cell: CellId,
        name: impl Into<HistogramName>,
    ) -> Result<Option<Histogram>, NotebookError> {
        let name = name.into();
        let attempt = self.latest_attempt(cell)?;
        let encoded: Option<Vec<u8>> = self
            .connection()
            .prepare_cached(
                "SELECT histogram.encoded FROM histogram JOIN metric ON metric.id = histogram.metric
                 WHERE attempt = ?1 AND metric.name = ?2",
            )
            .and_then(|mut statement| {
                statement.query_row(params![attempt.id, name.to_string()], |row| row.get(0)).optional()
            })
            .map_err(self.failed("reading a histogram"))?;
        encoded.map(|encoded| self.decode(&attempt.place, &name, &encoded)).transpose()
    }

    /// Reads all histograms of a cell by their names, in the order they were recorded.
    ///
    /// # Errors
    /// As [`Notebook::histogram`].
    pub fn histograms(&self, cell: CellId) -> Result<Vec<(HistogramName, Histogram)>, NotebookError> {
        let stored: Vec<(String, Vec<u8>)> = self.of_attempt(
            cell,
            "SELECT metric.name, histogram.encoded FROM histogram
             JOIN metric ON metric.id = histogram.metric WHERE attempt = ?1 ORDER BY histogram.id",
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let place = self.latest_attempt(cell)?.place;
        stored
            .into_iter()
            .map(|(name, encoded)| {
                let name = HistogramName::read(&name);
                let histogram = self.decode(&place, &name, &encoded)?;
                Ok((name, histogram))
            })
            .collect()
    }

    /// Reads the phases of a cell, in their order.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchCell`].
    pub fn phases(&self, cell: CellId) -> Result<Vec<Phase>, NotebookError> {
        self.of_attempt(
            cell,
            "SELECT name, start_s, end_s FROM phase WHERE attempt = ?1 ORDER BY position",
            |row| {
                let name = name(row, 0)?;
                let span = domain::read_span(row, "phase");
                let (start_s, end_s) =
                    span.map_err(|error| placed(row, &format!("phase `{name}`"), error))?;
                Ok(Phase { name: StoredPhase::read(&name), start_s, end_s })
            },
        )
    }

    /// Reads the events of a cell, in the order they were recorded.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchCell`].
    pub fn events(&self, cell: CellId) -> Result<Vec<Event>, NotebookError> {
        self.of_attempt(
            cell,
            "SELECT kind, count, message FROM event WHERE attempt = ?1 ORDER BY position",
            |row| {
                let kind = name(row, 0)?;
                // Counts are stored in SQLite's signed integers; see `store`.
                let count = domain::read::<i64>(row, "event.count")
                    .map_err(|error| placed(row, &format!("event `{kind}`"), error))?
                    .unsigned_abs();
                let kind = Stored::read(&kind);
                let (message, happening) = said::read_message(row.get(2)?);
                Ok(Event { kind, count, message, happening })
            },
        )
    }

    fn decode(&self, place: &str, name: &HistogramName, encoded: &[u8]) -> Result<Histogram, NotebookError> {
        Histogram::decode(encoded).map_err(|error| NotebookError::Unreadable {
            path: self.path().to_owned(),
            detail: format!("{place}: the histogram `{name}` cannot be decoded: {error}"),
        })
    }

    pub(crate) fn of_attempt<T>(
        &self,
        cell: CellId,
        sql: &'static str,
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, NotebookError> {
        let attempt = self.latest_attempt(cell)?;
        let failed = self.failed("reading what a cell produced");
        let mut statement = self.connection().prepare_cached(sql).map_err(&failed)?;
        let read = |row: &Row<'_>| read(row).map_err(|error| placed(row, &attempt.place, error));
        let rows = statement.query_map([attempt.id], read).map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    }
}

/// Refuses a record in which a metric occurs twice or has a unit of others, or a time is not possible.
pub(crate) fn check(record: &CellRecord) -> Result<(), NotebookError> {
    let bad = |detail| Err(NotebookError::BadRecord { detail });
    let kinds: [(&str, Vec<String>); 3] = [
        ("measurement", record.measurements.iter().map(|m| m.metric.clone()).collect()),
        ("series", record.series.iter().map(|s| s.metric.clone()).collect()),
        ("histogram", record.histograms.iter().map(|(name, _)| name.to_string()).collect()),
    ];
    for (kind, metrics) in kinds {
        let mut seen = BTreeSet::new();
        if let Some(twice) = metrics.into_iter().find(|metric| !seen.insert(metric.clone())) {
            return bad(format!("the {kind} `{twice}` occurs twice in one cell"));
        }
    }
    let units = record.measurements.iter().map(|m| (&m.metric, &m.unit));
    for (metric, unit) in units.chain(record.series.iter().map(|s| (&s.metric, &s.unit))) {
        if !MetricName::read(metric).has_unit(unit) {
            return bad(format!("the metric `{metric}` has no values of the unit `{unit}`"));
        }
    }
    if let Some(phase) = record.phases.iter().find(|phase| !domain::is_span(phase.start_s, phase.end_s)) {
        return bad(format!("the phase `{}` has no finite start with an end after it", phase.name));
    }
    if let Some(point) = record.points.iter().find(|point| !domain::is_span(point.start_s, point.end_s)) {
        return bad(format!("the point `{}` has no finite start with an end after it", point.name));
    }
    match record.series.iter().find(|series| !domain::is_span(series.start_s, series.start_s)) {
        Some(series) => bad(format!("the series `{}` has no finite start", series.metric)),
        None => Ok(()),
    }
}

/// Stores a record that was checked, inside the caller's transaction.
pub(crate) fn store(connection: &Connection, attempt: i64, record: &CellRecord) -> rusqlite::Result<()> {
    for (position, phase) in (0_i64..).zip(&record.phases) {
        connection
            .prepare_cached(
                "INSERT INTO phase (attempt, position, name, start_s, end_s) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![attempt, position, phase.name.to_string(), phase.start_s, phase.end_s])?;
    }
    let (possible, unmeasurable): (Vec<_>, Vec<_>) =
        record.measurements.iter().partition(|measurement| measurement.is_possible());
    for measurement in possible {
        let metric = intern(connection, &measurement.metric, &measurement.unit)?;
        connection
            .prepare_cached("INSERT INTO measurement (attempt, metric, value) VALUES (?1, ?2, ?3)")?
            .execute(params![attempt, metric, measurement.value])?;
    }
    record.series.iter().try_for_each(|series| store_series(connection, attempt, series))?;
    for (name, histogram) in &record.histograms {
        let metric = intern(connection, &name.to_string(), HISTOGRAM_UNIT)?;
        connection
            .prepare_cached("INSERT INTO histogram (attempt, metric, encoded) VALUES (?1, ?2, ?3)")?
            .execute(params![attempt, metric, histogram.encode()])?;
    }
    points::store(connection, attempt, &record.points)?;
    let lost = unmeasurable.into_iter().map(|measurement| {
        let (metric, value) = (measurement.metric.clone(), measurement.value.to_string());
        Event::once(EventKind::Unmeasurable, Happening::Unmeasurable { metric, value })
    });
    for (position, event) in (0_i64..).zip(record.events.iter().cloned().chain(lost)) {
        // SQLite's integers are signed; no count comes near the limit, so clamping loses nothing.
        let count = i64::try_from(event.count).unwrap_or(i64::MAX);
        connection
            .prepare_cached(
                "INSERT INTO event (attempt, position, kind, count, message) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![attempt, position, event.kind.name(), count, said::message(&event)])?;
    }
    Ok(())
}

/// Stores one series of an attempt. A second with an impossible value had none.
pub(crate) fn store_series(connection: &Connection, attempt: i64, series: &Series) -> rusqlite::Result<()> {
    let name = MetricName::read(&series.metric);
    let possible = |value: &f64| match name.holds(*value, &series.unit) {
        true => *value,
        false => f64::NAN,
    };
    let values: Vec<f64> = series.values.iter().map(possible).collect();
    let metric = intern(connection, &series.metric, &series.unit)?;
    connection
        .prepare_cached("INSERT INTO series (attempt, metric, start_s, samples) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![attempt, metric, series.start_s, samples(&values)])?;
    Ok(())
}

/// The stored form of the values of a series.
pub(crate) fn samples(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn shown_name(row: &Row<'_>) -> String {
    name(row, "name").unwrap_or_default()
}

/// Reads a series by the columns `name`, `unit` and `samples`; its start is read by the caller.
pub(crate) fn read_series(row: &Row<'_>) -> rusqlite::Result<Series> {
    let values = read_samples(row.get_ref("samples")?)?;
    domain::checked(Series { metric: row.get("name")?, unit: row.get("unit")?, start_s: 0.0, values })
}

/// Series are stored as little-endian f64, one after the other: NaN marks a second without a value. Older
/// versions stored an infinite number as it was, which is none either.
fn read_samples(value: ValueRef<'_>) -> rusqlite::Result<Vec<f64>> {
    let bytes = value.as_blob()?;
    let (samples, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() {
        let message = format!("a series of {} bytes is no whole number of samples", bytes.len());
        return Err(rusqlite::Error::FromSqlConversionFailure(3, value.data_type(), message.into()));
    }
    let values = samples.iter().map(|sample| f64::from_le_bytes(*sample));
    Ok(values.map(|value| if value.is_finite() { value } else { f64::NAN }).collect())
}
