//! Translations held to the English messages: each has every message, and no other, with the same data.

use std::collections::BTreeMap;

use super::{Data, Message};

/// A message of more words is not the same in two languages.
const WORDS_ALIKE_MOST: usize = 3;

/// The number of words in the texts of a message.
fn words_of(message: &Message) -> usize {
    let words = message.texts.iter().flat_map(|text| text.split_whitespace());
    words.filter(|word| word.chars().all(|c| c.is_ascii_lowercase())).count()
}

/// The faults of the translation in `locales/TAG` against the English messages.
pub(super) fn faults(
    tag: &str,
    english: &BTreeMap<String, Message>,
    translated: &BTreeMap<String, Message>,
) -> Vec<String> {
    let missing = english.iter().filter(|(id, _)| !translated.contains_key(*id));
    let mut faults: Vec<String> = missing
        .map(|(id, message)| {
            format!("{}: `{id}` has no translation in `locales/{tag}`; write it there", message.place)
        })
        .collect();
    for (id, message) in translated {
        match english.get(id) {
            None => faults.push(format!("{}: no English message is called `{id}`; remove it", message.place)),
            Some(of) if of.data != message.data => {
                let list = |data: &Data| data.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
                let (own, of) = (list(&message.data), list(&of.data));
                faults
                    .push(format!("{}: `{id}` names [{own}], and the English message [{of}]", message.place));
            }
            // A message without data is printed as it stands in the file.
            Some(of) if of.data.is_empty() && !message.is_text => faults
                .push(format!("{}: `{id}` takes no data, so it is one line without braces", message.place)),
            // Words that are alike in both languages, such as "buffer pool", are short.
            Some(of) if of.texts == message.texts && words_of(of) > WORDS_ALIKE_MOST => {
                faults.push(format!("{}: `{id}` is in English; translate it", message.place));
            }
            Some(_) => {}
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(of: &[(&str, &[&str], bool)]) -> BTreeMap<String, Message> {
        let message = |(id, data, is_text): &(&str, &[&str], bool)| {
            let data = data.iter().map(|name| (*name).to_owned()).collect();
            ((*id).to_owned(), Message { place: format!("{id}.ftl"), data, is_text: *is_text, texts: vec![] })
        };
        of.iter().map(message).collect()
    }

    #[test]
    fn a_translation_has_all_messages_with_their_data() {
        let english = messages(&[("a", &[], true), ("b", &["n"], false)]);
        assert!(faults("ko", &english, &english).is_empty());
        let mut copied = english.clone();
        let texts = |text: &str| vec![text.to_owned()];
        copied.entry("a".to_owned()).and_modify(|message| message.texts = texts("the buffer pool is cold"));
        assert_eq!(faults("ko", &copied, &copied).len(), 1);
        copied.entry("a".to_owned()).and_modify(|message| message.texts = texts("buffer pool"));
        assert!(faults("ko", &copied, &copied).is_empty());
        for odd in [
            &[("a", &[] as &[&str], true)][..],
            &[("a", &[], true), ("b", &["m"], false)],
            &[("a", &[], true), ("b", &[], false)],
            &[("a", &[], false), ("b", &["n"], false)],
            &[("a", &[], true), ("b", &["n"], false), ("c", &[], true)],
        ] {
            assert_eq!(faults("ko", &english, &messages(odd)).len(), 1, "{odd:?}");
        }
    }
}
