//! The SQL of the tables, and the words in which that of engines differs.

use database::Engine;

use super::statement::Statement;

/// The words in which engines' SQL differs.
pub(crate) trait Dialect {
    /// Its engine.
    const ENGINE: Engine;
    /// The definition of the column `id`, and the options after the columns of a table.
    const DEFINITIONS: [&'static str; 2];
    /// The settings of a session that reads whole tables, and of one that reads by the index on `k`.
    const SETTINGS: [&'static [&'static str]; 2] = [&[], &[]];

    /// The placeholder of a statement's n-th value, from 1.
    fn placeholder(_number: usize) -> String {
        "?".to_owned()
    }

    /// The statements after the rows besides the index on `k`: the one before it, and the one after it.
    fn around_index(_table: u32, _rows: u32) -> [Option<String>; 2] {
        [None, None]
    }

    /// The statement that gathers statistics.
    fn analyze(table: u32) -> String;

    /// The table `name`, to be read as a whole.
    fn whole(name: &str) -> String;

    /// The table `name`, to be read by its index.
    fn by_index(name: &str, index: &str) -> String;

    /// The query that counts the indexes of that name on a table.
    fn count_indexes(name: &str, index: &str) -> String;

    /// The condition that a column's text is that number of groups of eleven digits.
    fn has_groups(column: &str, groups: usize) -> String;
}

/// Name of a table, counted from 1.
pub(crate) fn table_name(table: u32) -> String {
    format!("sbtest{table}")
}

/// Name of a table's index on `k`.
pub(crate) fn index_name(table: u32) -> String {
    format!("k_{table}")
}

/// A statement on a table, its values as the engine's placeholders.
pub(crate) fn statement<D: Dialect>(statement: Statement, table: u32) -> String {
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
    let text = text.replace('#', &table.to_string());
    let mut parts = text.split('?');
    let first = parts.next().unwrap_or_default().to_owned();
    (1..).zip(parts).fold(first, |text, (number, part)| text + &D::placeholder(number) + part)
}

/// The statement that creates a table.
pub(crate) fn create<D: Dialect>(table: u32) -> String {
    let [id, end] = D::DEFINITIONS;
    format!(
        "CREATE TABLE sbtest{table} (id {id}, k INTEGER DEFAULT 0 NOT NULL, \
         c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL{end}"
    )
}

/// The statements after the rows, in this order.
pub(crate) fn finish<D: Dialect>(table: u32, rows: u32) -> Vec<String> {
    let [before, behind] = D::around_index(table, rows);
    let index = format!("CREATE INDEX {} ON {}(k)", index_name(table), table_name(table));
    [before, Some(index), behind].into_iter().flatten().collect()
}

/// The regular expression of a text of this many groups of eleven digits; engines may pad a text with blanks.
pub(crate) fn regular(groups: usize) -> String {
    format!("^[0-9]{{11}}(-[0-9]{{11}}){{{}}} *$", groups - 1)
}

#[cfg(test)]
mod tests {
    use database::mariadb::MariaDb;
    use database::postgresql::PostgreSql;
    use database::sqlite::Sqlite;

    use super::*;

    #[test]
    fn statements_are_sysbenchs() {
        assert_eq!(
            statement::<PostgreSql<'_>>(Statement::Insert, 7),
            "INSERT INTO sbtest7 (id, k, c, pad) VALUES ($1, $2, $3, $4)"
        );
        assert_eq!(
            statement::<MariaDb<'_>>(Statement::DistinctRange, 7),
            "SELECT DISTINCT c FROM sbtest7 WHERE id BETWEEN ? AND ? ORDER BY c"
        );
        assert_eq!(statement::<&Sqlite>(Statement::Commit, 7), "COMMIT");
        assert_eq!(Statement::OF_TABLES.len(), 9);
    }
}
