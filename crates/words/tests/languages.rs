//! Every language says every message. One test, for the language is that of the whole process.

use words::{Datum, Language, Remark, decimals, in_english, numeral, sentence, speak, text};

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
        texts_kept_in_english_are_said(language);
        let (point, comma) = (text("language-decimal"), text("language-thousands"));
        assert_ne!(point, comma, "{tag}");
        assert_eq!(numeral("-1234567.5"), format!("\u{2212}1{comma}234{comma}567{point}5"), "{tag}");
        assert_eq!(decimals(0.25, 2), format!("0{point}25"), "{tag}");
    }
}

/// The reasons of the doctor's checks, the deviations from clauses and the conditions on sysbench's tables;
/// any other text as it was kept.
fn texts_kept_in_english_are_said(language: Language) {
    let finding = |why: &str| {
        let (check, read) = ("load.io".to_owned(), "busy".into());
        Remark::Doctor { check, read, why: why.into() }.to_string()
    };
    let deviation = |what: &str| Remark::Deviation { clause: "9".to_owned(), what: what.into() }.to_string();
    let kept = words::messages().map(|(id, _)| id);
    let is_kept =
        |id: &String| ["doctor-why-", "deviation-", "condition-"].iter().any(|of| id.starts_with(of));
    for id in kept.filter(is_kept) {
        let (english, said) = (in_english(&id), text(&id));
        assert_eq!(english == said, language == Language::ENGLISH, "{}: {id}", language.tag());
        assert!(finding(english).contains(said) && deviation(english).contains(said), "{id}: {said}");
    }
    assert!(finding("as it was once").contains("as it was once"));
    assert!(deviation("as it was once").contains("as it was once"));
}
