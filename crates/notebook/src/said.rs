//! Sentences as the data that is stored beside them or in their place, in JSON.

use rusqlite::Row;
use serde::Serialize;
use serde::de::DeserializeOwned;
use words::Happening;

use crate::records::Event;
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
        None => (stored, None),
    }
}

fn data(stored: &str) -> Option<Happening> {
    stored.starts_with(HAPPENING).then(|| serde_json::from_str(stored).ok()).flatten()
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
    fn a_figure_that_json_cannot_hold_leaves_its_sentence() {
        let slow = Happening::Settled { measured_s: f64::NAN, most_s: 1.0 };
        let event = Event::once(EventKind::Steady, slow);
        assert_eq!(read_message(message(&event)), (event.message.clone(), None));
    }
}
