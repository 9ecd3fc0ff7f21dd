//! The check that the tables still add up: set by set, in the database.

use database::Access;

use super::error::SysbenchError;
use super::options::tables_and_rows;
use super::sql::{Dialect, index_name, table_name};
use super::tables::{Ask, Questions};

/// One condition on one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The table.
    pub table: String,
    /// The condition, in English.
    pub what: &'static str,
    /// The number of rows that violate it.
    pub violations: u64,
    /// Both sides of the comparison.
    pub detail: String,
}

impl Condition {
    /// True if it holds.
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
    database::on_engine!(access, engine => check_on(engine, tables, rows))
}

fn check_on<E: Ask>(engine: E, tables: u32, rows: u32) -> Result<Vec<Condition>, SysbenchError> {
    tables_and_rows(tables, rows)?;
    let mut questions = engine.ask()?;
    let mut conditions = Vec::new();
    for table in 1..=tables {
        let not_loaded = |why| SysbenchError::NotLoaded { table: table_name(table), why };
        conditions.extend(check_table::<E>(&mut questions, table, i64::from(rows)).map_err(not_loaded)?);
    }
    Ok(conditions)
}

fn check_table<D: Dialect>(
    questions: &mut impl Questions,
    table: u32,
    rows: i64,
) -> Result<Vec<Condition>, String> {
    let name = table_name(table);
    let [whole_settings, index_settings] = D::SETTINGS;
    for setting in whole_settings {
        questions.row(setting)?;
    }
    let whole = D::whole(&name);
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
            words::in_english("condition-rows"),
            count - rows,
            format!("{count} rows, {rows} expected"),
        ),
        condition(
            words::in_english("condition-ids"),
            (low - 1).abs() + (high - rows).abs(),
            format!("{low} to {high}"),
        ),
        condition(words::in_english("condition-k"), below, format!("{below} are below, the sum is {sum}")),
    ];
    let (c, pad) = (D::has_groups("c", 10), D::has_groups("pad", 5));
    let [strange] = questions.numbers(&format!("SELECT COUNT(*) FROM {whole} WHERE NOT ({c} AND {pad})"))?;
    conditions.push(condition(
        words::in_english("condition-texts"),
        strange,
        format!("{strange} have another"),
    ));
    let index = index_name(table);
    let [indexes] = questions.numbers(&D::count_indexes(&name, &index))?;
    if indexes > 0 {
        for setting in index_settings {
            questions.row(setting)?;
        }
        let indexed = D::by_index(&name, &index);
        let question = format!("SELECT COUNT(k), SUM(k) FROM {indexed} WHERE k > -2147483648");
        let [index_count, index_sum] = questions.numbers(&question)?;
        let off = (index_count - count).abs() + i64::from(index_sum != sum);
        let detail = format!("{index_count} entries, sum {index_sum}; table: {count} rows, sum {sum}");
        conditions.push(condition(words::in_english("condition-index"), off, detail));
    }
    Ok(conditions)
}
