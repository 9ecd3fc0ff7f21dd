//! A long table or JSON lines as the rows of one JSON document.

use serde_json::{Map, Value};

/// The columns of a long table that hold numbers; an empty one holds none.
const NUMBERS: [&str; 7] = ["run", "cell", "level", "repeat", "value", "second", "scale"];

/// The rows of a table with a header line, or of JSON lines.
///
/// # Errors
/// A line of JSON that is none.
pub(super) fn of(text: &str, is_json: bool) -> anyhow::Result<Vec<Value>> {
    if is_json {
        return Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?);
    }
    let mut records = records(text).into_iter();
    let header = records.next().unwrap_or_default();
    Ok(records.map(|record| row(&header, record)).collect())
}

fn row(header: &[String], record: Vec<String>) -> Value {
    let field = |(key, field): (&String, String)| {
        let value = match NUMBERS.contains(&key.as_str()) {
            true => field.parse::<serde_json::Number>().map_or(Value::Null, Value::Number),
            false => Value::String(field),
        };
        (key.clone(), value)
    };
    Value::Object(header.iter().zip(record).map(field).collect::<Map<_, _>>())
}

/// The fields of each record, by RFC 4180.
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut all, mut record, mut field, mut is_quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => record.push(std::mem::take(&mut field)),
            '\n' if !is_quoted => {
                record.push(std::mem::take(&mut field));
                all.push(std::mem::take(&mut record));
            }
            c => field.push(c),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_becomes_rows_with_numbers_and_text() {
        let rows =
            of("run,bed,value,unit\n1,\"a, \"\"b\"\"\nc\",1.5,ms\n1,d,,ms\n", false).expect("it is a table");
        assert_eq!(
            rows[0],
            serde_json::json!({ "run": 1, "bed": "a, \"b\"\nc", "value": 1.5, "unit": "ms" })
        );
        assert_eq!(rows[1]["value"], Value::Null);
        assert_eq!(of("{\"a\":1}\n{\"a\":2}\n", true).expect("they are lines").len(), 2);
    }
}
