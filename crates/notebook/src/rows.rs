//! The rows of a run: what is copied with it and what is removed with it.

use rusqlite::Connection;

use crate::records::RunId;

/// The owner of the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The run's own row.
    Itself,
    /// The run.
    Run,
    /// A bed of the run.
    Bed,
    /// A cell of the run.
    Cell,
    /// An attempt at a cell.
    Attempt,
    /// A set of facts of the run.
    FactSet,
}

/// The tables that hold a run, owners before the rows that they own.
pub(crate) const TABLES: &[(&str, Owner)] = &[
    ("run", Owner::Itself),
    ("bed", Owner::Run),
    ("bed_fact", Owner::Bed),
    ("cell", Owner::Run),
    ("attempt", Owner::Cell),
    ("phase", Owner::Attempt),
    ("measurement", Owner::Attempt),
    ("series", Owner::Attempt),
    ("histogram", Owner::Attempt),
    ("event", Owner::Attempt),
    ("point", Owner::Attempt),
    ("point_value", Owner::Attempt),
    ("fact_set", Owner::Run),
    ("fact", Owner::FactSet),
    ("note", Owner::Run),
    ("tag", Owner::Run),
    ("published", Owner::Run),
];

impl Owner {
    /// The condition on the rows that belong to run `:run` of the attached database `schema`.
    pub(crate) fn rows(self, schema: &str) -> String {
        match self {
            Owner::Itself => "id = :run".to_owned(),
            Owner::Run => "run = :run".to_owned(),
            Owner::Bed => format!("bed IN (SELECT id FROM {schema}.bed WHERE run = :run)"),
            Owner::Cell => format!("cell IN (SELECT id FROM {schema}.cell WHERE run = :run)"),
            Owner::Attempt => "attempt IN (SELECT id FROM temp.attempts)".to_owned(),
            Owner::FactSet => format!("fact_set IN (SELECT id FROM {schema}.fact_set WHERE run = :run)"),
        }
    }
}

/// Notes the attempts of the run, which most rows belong to; [`end`] forgets them.
pub(crate) fn begin(connection: &Connection, schema: &str, run: RunId) -> rusqlite::Result<()> {
    let sql = format!(
        "CREATE TEMP TABLE attempts AS SELECT id FROM {schema}.attempt
         WHERE cell IN (SELECT id FROM {schema}.cell WHERE run = ?1)"
    );
    connection.execute(&sql, [run.0]).map(drop)
}

/// Forgets the attempts that [`begin`] noted.
pub(crate) fn end(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("DROP TABLE temp.attempts")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables that belong to no run: names shared by all, and the numbers of removed runs.
    const SHARED: [&str; 2] = ["metric", "removed"];

    #[test]
    fn every_table_of_a_notebook_is_copied_and_removed_with_its_run() {
        let connection = Connection::open_in_memory().unwrap();
        crate::schema::migrate(&connection).unwrap();
        let sql =
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
        let mut statement = connection.prepare(sql).unwrap();
        let there: Vec<String> =
            statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
        let mut known: Vec<&str> = TABLES.iter().map(|(table, _)| *table).chain(SHARED).collect();
        known.sort_unstable();
        assert_eq!(there, known);
    }
}
