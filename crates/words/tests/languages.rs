//! Every language says every message. One test, for the language is that of the whole process.

use words::{Datum, Language, decimals, numeral, sentence, speak, text};

#[test]
fn every_language_says_its_words_and_numbers() {
    for language in Language::all() {
        speak(language);
        let tag = language.tag();
        assert_eq!(Language::spoken(), language);
        for (id, data) in words::messages() {
            if data.is_empty() {
                assert!(!text(&id).is_empty(), "{tag}: {id}");
                continue;
            }
            // A number for each: selectors accept it, and texts print it.
            for number in [0.0, 1.0, 2.0, 1_000.0] {
                let data: Vec<(&'static str, Datum<'_>)> =
                    data.iter().map(|name| (*name, Datum::from(number))).collect();
                assert!(!sentence(&id, &data).is_empty(), "{tag}: {id}");
            }
        }
        let (point, comma) = (text("language-decimal"), text("language-thousands"));
        assert_ne!(point, comma, "{tag}");
        assert_eq!(numeral("-1234567.5"), format!("\u{2212}1{comma}234{comma}567{point}5"), "{tag}");
        assert_eq!(decimals(0.25, 2), format!("0{point}25"), "{tag}");
    }
}
