//! The domain of each stored value: what this program can have written there. A value outside it is named
//! with its place, its column and the rule, and is never told as a result.
//!
//! Columns have their domains in [`COLUMNS`]; values of metrics have those of `words` (`MetricName::holds`).

use jiff::Timestamp;
use measure::Series;
use rusqlite::Row;
use rusqlite::types::{FromSql, ValueRef};
use words::MetricName;

use crate::readable::{name, outside};
use crate::records::Measurement;

/// The domain of a column.
enum Domain {
    /// A number from the first to the second.
    From(f64, f64),
    /// A number above the first, and at most the second.
    Above(f64, f64),
    /// A whole number from the first to the second.
    Whole(i64, i64),
    /// A moment: RFC 3339.
    Moment,
}

/// Seconds on the clock of a cell. What comes before its load, such as the reset, is below zero.
const CLOCK: Domain = Domain::From(-1e10, 1e10);
/// An amount: of load, of a rate, of a depth.
const AMOUNT: Domain = Domain::From(0.0, 1e15);
const SHARE: Domain = Domain::From(0.0, 1.0);
const FINITE: Domain = Domain::From(f64::MIN, f64::MAX);
const COUNT: Domain = Domain::Whole(0, i64::MAX);

/// Every column whose type allows more than this program writes. Words have types of their own, and positions
/// are `u32` where they are read.
const COLUMNS: &[(&str, Domain)] = &[
    ("run.scale", Domain::Above(0.0, 1.0)),
    ("run.smallest_effect_throughput", SHARE),
    ("run.smallest_effect_p99", SHARE),
    ("run.started_at", Domain::Moment),
    ("run.ended_at", Domain::Moment),
    ("cell.level", AMOUNT),
    ("attempt.number", Domain::Whole(1, u32::MAX as i64)),
    ("attempt.started_at", Domain::Moment),
    ("attempt.ended_at", Domain::Moment),
    ("phase.start_s", CLOCK),
    ("phase.end_s", CLOCK),
    ("series.start_s", CLOCK),
    ("point.read_share", SHARE),
    ("point.block_size_bytes", COUNT),
    ("point.depth", AMOUNT),
    ("point.rate_asked", AMOUNT),
    ("point.start_s", CLOCK),
    ("point.end_s", CLOCK),
    ("point.counts", Domain::Whole(0, 1)),
    ("event.count", COUNT),
    ("fact_set.added_at", Domain::Moment),
    ("published.value", FINITE),
];

/// The end of a part may lie before its start by this much: a rounding.
const ROUNDING_S: f64 = 1e-6;

impl Domain {
    /// The rule that a value breaks. A value of another type has an error of its own.
    fn broken_by(&self, value: ValueRef<'_>) -> Option<String> {
        match (self, value) {
            (Domain::From(low, high), ValueRef::Real(number)) => {
                (!(*low..=*high).contains(&number)).then(|| between(*low, *high))
            }
            (Domain::Above(low, high), ValueRef::Real(number)) => {
                let is_in = number > *low && number <= *high;
                (!is_in).then(|| format!("is not above {low} and at most {high}"))
            }
            (Domain::Whole(low, high), ValueRef::Integer(number)) => {
                (!(*low..=*high).contains(&number)).then(|| format!("is not from {low} to {high}"))
            }
            (Domain::Moment, ValueRef::Text(text)) => {
                let moment = std::str::from_utf8(text).ok().and_then(|text| text.parse::<Timestamp>().ok());
                moment.is_none().then(|| "is no moment (such as 2026-01-31T12:00:00.000Z)".to_owned())
            }
            _ => None,
        }
    }
}

fn between(low: f64, high: f64) -> String {
    match low == f64::MIN {
        true => "is not a finite number".to_owned(),
        false => format!("is not from {} to {}", shown(low), shown(high)),
    }
}

/// A number in an error, short whatever its size.
fn shown(number: f64) -> String {
    let is_plain = number == 0.0 || (1e-6..1e7).contains(&number.abs()) || !number.is_finite();
    if is_plain { number.to_string() } else { format!("{number:e}") }
}

/// The fault of a stored value, by its table and column: the value and the rule that it breaks.
pub(crate) fn fault(column: &str, value: ValueRef<'_>) -> Option<(String, String)> {
    let (_, domain) = COLUMNS.iter().find(|(known, _)| *known == column)?;
    let rule = domain.broken_by(value)?;
    let value = match value {
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => shown(number),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Null | ValueRef::Blob(_) => String::new(),
    };
    Some((value, rule))
}

/// Reads the value of `column`, which is named with its table, if it lies in its domain.
pub(crate) fn read<T: FromSql>(row: &Row<'_>, column: &str) -> rusqlite::Result<T> {
    let name = column.rsplit('.').next().unwrap_or(column);
    match fault(column, row.get_ref(name)?) {
        Some((value, rule)) => Err(outside(column, &value, &rule)),
        None => row.get(name),
    }
}

/// Reads the start and the end of a part of a cell.
pub(crate) fn read_span(row: &Row<'_>, table: &str) -> rusqlite::Result<(f64, f64)> {
    let end = format!("{table}.end_s");
    let (start_s, end_s) = (read(row, &format!("{table}.start_s"))?, read(row, &end)?);
    if end_s < start_s - ROUNDING_S {
        return Err(outside(&end, &shown(end_s), &format!("is before its start at {}", shown(start_s))));
    }
    Ok((start_s, end_s))
}

/// True for a start on the clock of a cell and an end that is not before it.
pub(crate) fn is_span(start_s: f64, end_s: f64) -> bool {
    let is_moment = |moment_s: f64| CLOCK.broken_by(ValueRef::Real(moment_s)).is_none();
    is_moment(start_s) && is_moment(end_s) && end_s >= start_s - ROUNDING_S
}

/// A number for `column`, or nothing in place of one that would not be read.
pub(crate) fn possible(column: &str, value: Option<f64>) -> Option<f64> {
    value.filter(|value| fault(column, ValueRef::Real(*value)).is_none())
}

/// Reads the value of a metric from the columns `name`, `unit` and `value`; `column` is that of the value.
pub(crate) fn read_measurement(row: &Row<'_>, column: &str) -> rusqlite::Result<Measurement> {
    let metric = name(row, "name")?;
    let one = Measurement { value: row.get("value")?, unit: name(row, "unit")?, metric };
    let metric = MetricName::read(&one.metric);
    check_unit(&metric, &one.unit)?;
    if metric.holds(one.value, &one.unit) {
        return Ok(one);
    }
    Err(outside(&format!("{column} of `{}`", one.metric), &shown(one.value), &rule_of(&metric)))
}

/// Gives the series back if its unit and its values are possible. NaN is a second without a value.
pub(crate) fn checked(series: Series) -> rusqlite::Result<Series> {
    let metric = MetricName::read(&series.metric);
    check_unit(&metric, &series.unit)?;
    let is_possible = |value: f64| value.is_nan() || metric.holds(value, &series.unit);
    match series.values.iter().enumerate().find(|(_, value)| !is_possible(**value)) {
        None => Ok(series),
        Some((second, value)) => {
            let place = format!("series.samples of `{}`, value {},", series.metric, second + 1);
            Err(outside(&place, &shown(*value), &rule_of(&metric)))
        }
    }
}

fn check_unit(metric: &MetricName, unit: &str) -> rusqlite::Result<()> {
    if metric.has_unit(unit) {
        return Ok(());
    }
    let own = metric.unit().map_or("", |unit| unit.name());
    Err(outside(&format!("metric.unit of `{metric}`"), unit, &format!("is not its unit `{own}`")))
}

fn rule_of(metric: &MetricName) -> String {
    let domain = metric.domain().unwrap_or(f64::MIN..=f64::MAX);
    let unit = metric.unit().map_or("", |unit| unit.name());
    format!("{} {unit}", between(*domain.start(), *domain.end())).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_outside_its_domain_is_told_with_the_rule() {
        let real = ValueRef::Real;
        let long = "9".repeat(30);
        for (column, value, told) in [
            ("run.scale", real(0.0), "0 is not above 0 and at most 1"),
            ("run.smallest_effect_p99", real(f64::INFINITY), "inf is not from 0 to 1"),
            ("cell.level", real(-1.0), "-1 is not from 0 to 1e15"),
            ("cell.level", real(f64::NAN), "NaN is not from 0 to 1e15"),
            ("phase.start_s", real(1e300), "1e300 is not from -1e10 to 1e10"),
            ("published.value", real(f64::NEG_INFINITY), "-inf is not a finite number"),
            ("attempt.number", ValueRef::Integer(0), "0 is not from 1 to 4294967295"),
            ("event.count", ValueRef::Integer(-3), "-3 is not from 0 to 9223372036854775807"),
            ("run.ended_at", ValueRef::Text(long.as_bytes()), "is no moment"),
        ] {
            let (value, rule) = fault(column, value).unwrap();
            assert!(format!("{value} {rule}").contains(told), "{column}: {value} {rule}");
        }
        for (column, value) in [
            ("run.scale", real(1.0)),
            ("phase.start_s", real(-30.0)),
            ("point.depth", ValueRef::Null),
            ("attempt.started_at", ValueRef::Text(b"1970-01-01T00:00:00.000Z")),
            ("cell.workload", ValueRef::Integer(-1)),
        ] {
            assert_eq!(fault(column, value), None, "{column}");
        }
    }

    #[test]
    fn every_column_of_the_table_is_one_of_the_notebook() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        crate::schema::migrate(&connection).unwrap();
        for (column, _) in COLUMNS {
            let (table, column) = column.split_once('.').unwrap();
            let asked = format!("SELECT count(*) FROM pragma_table_info('{table}') WHERE name = '{column}'");
            assert_eq!(connection.query_row(&asked, [], |row| row.get(0)), Ok(1), "{table}.{column}");
        }
    }

    #[test]
    fn every_number_of_the_notebook_has_a_domain() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        crate::schema::migrate(&connection).unwrap();
        let asked =
            "SELECT t.name || '.' || c.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
             WHERE t.type = 'table' AND c.type = 'REAL'";
        let mut statement = connection.prepare(asked).unwrap();
        let columns: Vec<String> =
            statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
        // Those of metrics have the domain of their metric.
        let is_known = |column: &String| {
            column == "measurement.value"
                || column == "point_value.value"
                || COLUMNS.iter().any(|(known, _)| known == column)
        };
        assert_eq!(columns.iter().filter(|column| !is_known(column)).collect::<Vec<_>>(), [""; 0]);
    }
}
