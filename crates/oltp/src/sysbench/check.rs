//! Whether the tables still add up: set by set, in the database.

use database::Access;

use super::error::SysbenchError;
use super::options::tables_and_rows;
use super::sql::{Dialect, table_name};
use super::tables::Questions;

/// One condition on one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Which table.
    pub table: String,
    /// What has to hold.
    pub what: &'static str,
    /// How many rows violate it.
    pub violations: u64,
    /// Both sides of the comparison.
    pub detail: String,
}

impl Condition {
    /// Whether it holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.violations == 0
    }
}

/// Checks `tables` tables of `rows` rows. No test changes the number of rows or the set of ids, and every
/// test leaves `k` at 1 or above and the texts in their pattern; the index on `k`, where there is one, must
/// agree with the table in number and sum. It reads every table twice; nothing may change them meanwhile.
///
/// # Errors
/// When a table is absent or the engine refuses a question.
pub fn check(access: Access<'_>, tables: u32, rows: u32) -> Result<Vec<Condition>, SysbenchError> {
    tables_and_rows(tables, rows)?;
    let mut questions = Questions::connect(access)?;
    let mut conditions = Vec::new();
    for table in 1..=tables {
        let name = table_name(table);
        let not_loaded = |why| SysbenchError::NotLoaded { table: name.clone(), why };
        conditions.extend(check_table(&mut questions, table, i64::from(rows)).map_err(not_loaded)?);
    }
    Ok(conditions)
}

fn check_table(questions: &mut Questions, table: u32, rows: i64) -> Result<Vec<Condition>, String> {
    let (dialect, name) = (questions.dialect(), table_name(table));
    if dialect == Dialect::PostgreSql {
        questions.row("SET enable_indexonlyscan = off")?;
        questions.row("SET enable_indexscan = off")?;
        questions.row("SET enable_bitmapscan = off")?;
        questions.row("SET enable_seqscan = on")?;
    }
    let whole = match dialect {
        Dialect::Sqlite => format!("{name} NOT INDEXED"),
        Dialect::PostgreSql => name.clone(),
        Dialect::MariaDb => format!("{name} FORCE INDEX (PRIMARY)"),
    };
    let [count, low, high, sum, below] = questions.numbers(&format!(
        "SELECT COUNT(*), MIN(id), MAX(id), SUM(k), SUM(CASE WHEN k < 1 THEN 1 ELSE 0 END) FROM {whole}"
    ))?;
    let condition = |what, violations: i64, detail| Condition {
        table: name.clone(),
        what,
        violations: violations.unsigned_abs(),
        detail,
    };
    let mut conditions = vec![
        condition(
            "the number of rows is what was loaded",
            count - rows,
            format!("{count} rows, {rows} expected"),
        ),
        condition(
            "the ids are 1 to the number of rows",
            (low - 1).abs() + (high - rows).abs(),
            format!("{low} to {high}"),
        ),
        condition("every k is at least 1", below, format!("{below} are below, the sum is {sum}")),
    ];
    let [strange] = questions.numbers(&strange_texts(dialect, &whole))?;
    conditions.push(condition("every text has its pattern", strange, format!("{strange} have another")));
    if let Some(indexed) = indexed(questions, table)? {
        let question = format!("SELECT COUNT(k), SUM(k) FROM {indexed} WHERE k > -2147483648");
        let [index_count, index_sum] = questions.numbers(&question)?;
        let off = (index_count - count).abs() + i64::from(index_sum != sum);
        let detail = format!("{index_count} entries, sum {index_sum}; table: {count} rows, sum {sum}");
        conditions.push(condition("the index on k agrees with the table", off, detail));
    }
    Ok(conditions)
}

/// The table read through its index on `k`; `None` when it has none.
fn indexed(questions: &mut Questions, table: u32) -> Result<Option<String>, String> {
    let name = table_name(table);
    let (exists, indexed) = match questions.dialect() {
        Dialect::Sqlite => (
            format!("SELECT COUNT(*) FROM sqlite_schema WHERE type='index' AND name='k_{table}'"),
            format!("{name} INDEXED BY k_{table}"),
        ),
        Dialect::PostgreSql => (
            format!("SELECT COUNT(*) FROM pg_indexes WHERE tablename='{name}' AND indexname='k_{table}'"),
            name.clone(),
        ),
        Dialect::MariaDb => (
            format!(
                "SELECT COUNT(*) FROM information_schema.statistics \
                 WHERE table_schema=DATABASE() AND table_name='{name}' AND index_name='k_{table}'"
            ),
            format!("{name} FORCE INDEX (k_{table})"),
        ),
    };
    let [count] = questions.numbers(&exists)?;
    if questions.dialect() == Dialect::PostgreSql {
        questions.row("SET enable_indexonlyscan = on")?;
        questions.row("SET enable_indexscan = on")?;
        questions.row("SET enable_seqscan = off")?;
    }
    Ok((count > 0).then_some(indexed))
}

/// How many rows have a text that is not ten or five groups of eleven digits.
fn strange_texts(dialect: Dialect, table: &str) -> String {
    let regular = |groups: u32| format!("^[0-9]{{11}}(-[0-9]{{11}}){{{}}} *$", groups - 1);
    let glob = |groups: usize| vec!["[0-9]".repeat(11); groups].join("-");
    match dialect {
        Dialect::Sqlite => {
            format!(
                "SELECT COUNT(*) FROM {table} WHERE NOT (c GLOB '{}' AND pad GLOB '{}')",
                glob(10),
                glob(5)
            )
        }
        Dialect::PostgreSql => {
            format!(
                "SELECT COUNT(*) FROM {table} WHERE NOT (c ~ '{}' AND pad ~ '{}')",
                regular(10),
                regular(5)
            )
        }
        Dialect::MariaDb => format!(
            "SELECT COUNT(*) FROM {table} WHERE NOT (c REGEXP '{}' AND pad REGEXP '{}')",
            regular(10),
            regular(5)
        ),
    }
}
