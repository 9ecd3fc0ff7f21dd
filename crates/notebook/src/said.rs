//! Sentences as the data that is stored beside them, in JSON.

use rusqlite::Row;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::runs::malformed;

/// The data of a sentence. `None` for a figure that JSON cannot hold: only the sentence is then stored.
pub(crate) fn to_json<T: Serialize + DeserializeOwned>(said: &T) -> Option<String> {
    let text = serde_json::to_string(said).ok()?;
    serde_json::from_str::<T>(&text).is_ok().then_some(text)
}

/// Reads the data of `column`, which is named with its table; `None` where only a sentence is stored.
pub(crate) fn read<T: DeserializeOwned>(row: &Row<'_>, column: &'static str) -> rusqlite::Result<Option<T>> {
    let name = column.rsplit('.').next().unwrap_or(column);
    let Some(text) = row.get::<_, Option<String>>(name)? else { return Ok(None) };
    serde_json::from_str(&text).map(Some).map_err(|_| malformed(column, &text))
}
