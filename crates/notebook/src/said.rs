//! Sentences as the data that is stored beside them or in their place, in JSON.

use rusqlite::Row;
use serde::Serialize;
use serde::de::DeserializeOwned;
use words::{Happening, ScaleStatement};

use crate::readable;
use crate::records::Event;

/// The data of a sentence. `None` for a figure that JSON cannot hold: only the sentence is then stored.
pub(crate) fn to_json<T: Serialize + DeserializeOwned>(said: &T) -> Option<String> {
    let text = serde_json::to_string(said).ok()?;
    serde_json::from_str::<T>(&text).is_ok().then_some(text)
}

/// Reads the data of a column. `None` where the sentence beside them must do: of an older notebook, in words
/// of a newer build, or damaged.
pub(crate) fn read<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<T>> {
    Ok(readable::data(row, column)?.and_then(of_json))
}

fn of_json<T: DeserializeOwned>(stored: &str) -> Option<T> {
    serde_json::from_value(readable::texts_of(serde_json::from_str(stored).ok()?)).ok()
}

/// The beginning of the data of an event.
const HAPPENING: &str = r#"{"happening":""#;

/// The message of an event as it is stored: the JSON of its data, where it has some, or the text. A text that
/// would be read as data becomes the data of a text.
pub(crate) fn message(event: &Event) -> String {
    let text = || match data(&event.message) {
        Some(_) => to_json(&Happening::from(event.message.as_str())),
        None => Some(event.message.clone()),
    };
    event.happening.as_ref().and_then(to_json).or_else(text).unwrap_or_default()
}

/// Reads a stored message: its sentence, and the data behind it. Older notebooks have the sentence alone.
pub(crate) fn read_message(stored: String) -> (String, Option<Happening>) {
    match data(&stored) {
        Some(happening) => (happening.to_string(), happening.as_data().cloned()),
        None => (readable::text(stored), None),
    }
}

fn data(stored: &str) -> Option<Happening> {
    stored.starts_with(HAPPENING).then(|| of_json(stored)).flatten()
}

/// The beginning of the data of a statement about the scale.
const SCALE: &str = r#"{"scale":""#;

/// A statement about the scale as it is stored: the JSON of its data, or a text that has none.
pub(crate) fn statement(statement: &ScaleStatement) -> String {
    match statement {
        ScaleStatement::Told { text } if scale(text).is_none() => text.clone(),
        statement => to_json(statement).unwrap_or_default(),
    }
}

/// Reads a stored statement; older notebooks have a sentence.
pub(crate) fn read_statement(stored: String) -> ScaleStatement {
    scale(&stored).unwrap_or_else(|| ScaleStatement::Told { text: readable::text(stored) })
}

fn scale(stored: &str) -> Option<ScaleStatement> {
    stored.starts_with(SCALE).then(|| of_json(stored)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use words::EventKind;

    #[test]
    fn a_message_is_stored_as_data_and_a_text_as_it_is() {
        let purged = Event::once(EventKind::Purge, Happening::PurgeDiscarded);
        assert_eq!(message(&purged), r#"{"happening":"purge-discarded"}"#);
        assert_eq!(read_message(message(&purged)), (purged.message.clone(), purged.happening));
        for text in ["disk full", "", "{\"happening\":", r#"{"happening":"of-the-future"}"#] {
            let error = Event::once(EventKind::Error, text);
            assert_eq!((message(&error).as_str(), error.happening), (text, None));
            assert_eq!(read_message(text.to_owned()), (text.to_owned(), None));
        }
    }

    #[test]
    fn a_text_that_looks_like_data_comes_back_as_it_was() {
        let text = r#"{"happening":"purge-discarded"}"#;
        let error = Event::once(EventKind::Error, text);
        assert_eq!(read_message(message(&error)), (text.to_owned(), None));
    }

    #[test]
    fn a_statement_is_stored_as_data_and_an_older_sentence_as_it_is() {
        let data = ScaleStatement::NothingShrunk { factor: "tiny (1/600)".to_owned() };
        let stored = r#"{"scale":"nothing-shrunk","factor":"tiny (1/600)"}"#;
        assert_eq!((statement(&data).as_str(), read_statement(stored.to_owned())), (stored, data));
        for text in ["Run at full scale, as written.", "", stored, r#"{"scale":"of-the-future"}"#] {
            let told = ScaleStatement::from(text);
            assert_eq!(read_statement(statement(&told)), told);
        }
    }

    #[test]
    fn a_figure_that_json_cannot_hold_leaves_its_sentence() {
        let slow = Happening::Settled { measured_s: f64::NAN, most_s: 1.0 };
        let event = Event::once(EventKind::Steady, slow);
        assert_eq!(read_message(message(&event)), (event.message.clone(), None));
    }
}
