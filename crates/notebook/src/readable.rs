//! Values of a row as readers see them: texts without orders to a terminal, and the error of a value in no
//! form that this build knows, with its place.

use rusqlite::types::{FromSqlError, Type, ValueRef};
use rusqlite::{Row, RowIndex, Statement};
use serde_json::Value;

/// The characters of a value that its error quotes.
const QUOTED_MAX: usize = 80;

/// The description of a value in no known form: of another version, or damaged.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Malformed(String);

/// A value the file must hold in a known form; `column` is named with its table.
pub(crate) fn malformed(column: &str, value: &str) -> rusqlite::Error {
    described(held(column, value))
}

/// A value that its column never holds, with the rule that it breaks.
pub(crate) fn outside(column: &str, value: &str, rule: &str) -> rusqlite::Error {
    described(format!("{}, which {rule}", held(column, value)))
}

fn held(column: &str, value: &str) -> String {
    let quoted: String = value.chars().take(QUOTED_MAX).collect();
    let rest = if quoted.len() < value.len() { "..." } else { "" };
    format!("{} holds `{}{rest}`", one_line(column.to_owned()), one_line(quoted))
}

fn described(what: String) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Malformed(what).into())
}

/// Puts the place of a row before the error of a value that cannot be read.
pub(crate) fn placed(row: &Row<'_>, place: &str, error: rusqlite::Error) -> rusqlite::Error {
    let statement: &Statement<'_> = row.as_ref();
    let column = |index| statement.column_name(index).unwrap_or("a column");
    let what = match error {
        rusqlite::Error::FromSqlConversionFailure(_, _, source) if source.is::<Malformed>() => {
            source.to_string()
        }
        rusqlite::Error::FromSqlConversionFailure(index, _, source) => {
            format!("{} cannot be read: {source}", column(index))
        }
        rusqlite::Error::IntegralValueOutOfRange(index, value) => {
            format!("{} holds {value}, which is out of range", column(index))
        }
        rusqlite::Error::InvalidColumnType(_, name, kind) => format!("{name} holds a value of type {kind}"),
        other => return other,
    };
    described(format!("{place}: {what}"))
}

/// Reads a name. Line ends stay: each format that is written has a rule of its own for them.
pub(crate) fn name(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<String> {
    row.get(column).map(text)
}

/// Reads a text of one line, such as a title, where there may be none.
pub(crate) fn optional_line(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<Option<String>> {
    Ok(row.get::<_, Option<String>>(column)?.map(one_line))
}

/// Reads a text, where there may be none.
pub(crate) fn optional_text(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<Option<String>> {
    Ok(row.get::<_, Option<String>>(column)?.map(text))
}

/// A text of data that a sentence stands beside; `None` also for bytes that are no text.
pub(crate) fn data<'a>(row: &'a Row<'_>, column: &str) -> rusqlite::Result<Option<&'a str>> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(None),
        value => Ok(value.as_str().map_err(|_: FromSqlError| ()).ok()),
    }
}

/// A text for people as one line: no notebook that was made elsewhere puts lines of its own between ours.
pub(crate) fn one_line(text: String) -> String {
    escaped(text, |c| c.is_control() || words::is_order(c))
}

/// A text for people, whose line ends are its own: no notebook that was made elsewhere steers a terminal.
pub(crate) fn text(text: String) -> String {
    escaped(text, words::is_order)
}

fn escaped(text: String, is_order: impl Fn(char) -> bool) -> String {
    if !text.contains(&is_order) {
        return text;
    }
    text.chars().fold(String::new(), |mut shown, c| {
        if is_order(c) {
            shown.extend(c.escape_default())
        } else {
            shown.push(c)
        }
        shown
    })
}

/// The same for every text in data.
pub(crate) fn texts_of(data: Value) -> Value {
    match data {
        Value::String(told) => Value::String(text(told)),
        Value::Array(items) => Value::Array(items.into_iter().map(texts_of).collect()),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(key, value)| (key, texts_of(value))).collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_file_turns_or_steers_what_is_around_it() {
        assert_eq!(one_line("a\u{202e}b\nc\u{1b}".to_owned()), "a\\u{202e}b\\nc\\u{1b}");
        assert_eq!(text("a\u{2066}b\nc\t\u{1b}".to_owned()), "a\\u{2066}b\nc\t\\u{1b}");
        assert_eq!(text("가 – 1".to_owned()), "가 – 1");
        let data = serde_json::json!({ "why": ["a\u{202e}", 1.5, u64::MAX] });
        assert_eq!(texts_of(data).to_string(), r#"{"why":["a\\u{202e}",1.5,18446744073709551615]}"#);
    }

    #[test]
    fn a_long_value_is_cut() {
        let told = malformed("cell.kind", &"가".repeat(200)).to_string();
        assert!(told.ends_with(&format!("cell.kind holds `{}...`", "가".repeat(80))), "{told}");
    }
}
