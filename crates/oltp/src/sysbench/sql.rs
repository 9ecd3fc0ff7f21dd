//! The SQL of each engine.

use super::statement::Statement;

/// What the engines' languages differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    PostgreSql,
    MariaDb,
}

/// Name of a table, counted from 1.
pub(crate) fn table_name(table: u32) -> String {
    format!("sbtest{table}")
}

impl Dialect {
    /// The engine's name in messages.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::PostgreSql => "PostgreSQL",
            Self::MariaDb => "MariaDB",
        }
    }

    /// A statement on a table, its values as this engine's placeholders.
    pub(crate) fn statement(self, statement: Statement, table: u32) -> String {
        let text = match statement {
            Statement::Begin => "BEGIN",
            Statement::PointSelect => "SELECT c FROM sbtest# WHERE id=?",
            Statement::SimpleRange => "SELECT c FROM sbtest# WHERE id BETWEEN ? AND ?",
            Statement::SumRange => "SELECT SUM(k) FROM sbtest# WHERE id BETWEEN ? AND ?",
            Statement::OrderRange => "SELECT c FROM sbtest# WHERE id BETWEEN ? AND ? ORDER BY c",
            Statement::DistinctRange => "SELECT DISTINCT c FROM sbtest# WHERE id BETWEEN ? AND ? ORDER BY c",
            Statement::IndexUpdate => "UPDATE sbtest# SET k=k+1 WHERE id=?",
            Statement::NonIndexUpdate => "UPDATE sbtest# SET c=? WHERE id=?",
            Statement::Delete => "DELETE FROM sbtest# WHERE id=?",
            Statement::Insert => "INSERT INTO sbtest# (id, k, c, pad) VALUES (?, ?, ?, ?)",
            Statement::Commit => "COMMIT",
        };
        self.placeholders(&text.replace('#', &table.to_string()))
    }

    fn placeholders(self, text: &str) -> String {
        if self != Self::PostgreSql {
            return text.to_owned();
        }
        let mut parts = text.split('?');
        let mut numbered = parts.next().unwrap_or_default().to_owned();
        for (number, part) in (1..).zip(parts) {
            numbered += &format!("${number}{part}");
        }
        numbered
    }

    /// Creates a table. PostgreSQL's gets its primary key after the rows.
    pub(crate) fn create(self, table: u32) -> String {
        let (id, end) = match self {
            Self::Sqlite => ("INTEGER NOT NULL PRIMARY KEY", ")"),
            Self::PostgreSql => ("SERIAL", ")"),
            Self::MariaDb => ("INTEGER NOT NULL AUTO_INCREMENT", ", PRIMARY KEY (id)) ENGINE=innodb"),
        };
        format!(
            "CREATE TABLE sbtest{table} (id {id}, k INTEGER DEFAULT 0 NOT NULL, \
             c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL{end}"
        )
    }

    /// What follows the rows, in this order.
    pub(crate) fn finish(self, table: u32, rows: u32) -> Vec<String> {
        let index = format!("CREATE INDEX k_{table} ON sbtest{table}(k)");
        match self {
            Self::Sqlite => vec![index],
            Self::PostgreSql => vec![
                format!("ALTER TABLE sbtest{table} ADD PRIMARY KEY (id)"),
                index,
                // As if the sequence had numbered the rows.
                format!("SELECT setval('sbtest{table}_id_seq', {rows})"),
            ],
            Self::MariaDb => vec![index],
        }
    }

    /// Gathers statistics.
    pub(crate) fn analyze(self, table: u32) -> String {
        match self {
            Self::Sqlite => format!("ANALYZE sbtest{table}"),
            Self::PostgreSql => format!("VACUUM (ANALYZE) sbtest{table}"),
            Self::MariaDb => format!("ANALYZE TABLE sbtest{table}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_sysbenchs() {
        let text = |dialect: Dialect, statement| dialect.statement(statement, 7);
        assert_eq!(
            text(Dialect::PostgreSql, Statement::Insert),
            "INSERT INTO sbtest7 (id, k, c, pad) VALUES ($1, $2, $3, $4)"
        );
        assert_eq!(
            text(Dialect::MariaDb, Statement::DistinctRange),
            "SELECT DISTINCT c FROM sbtest7 WHERE id BETWEEN ? AND ? ORDER BY c"
        );
        assert_eq!(text(Dialect::Sqlite, Statement::Commit), "COMMIT");
        assert_eq!(Statement::OF_TABLES.len(), 9);
    }
}
