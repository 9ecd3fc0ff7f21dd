//! Sentences: every text of a result is a message of `locales/LANGUAGE/*.ftl` and is printed by its id, with
//! its data as arguments. A translation is a folder of files, and no code.

use std::borrow::Cow;

use fluent_bundle::FluentArgs;
use fluent_bundle::types::{FluentNumber, FluentNumberOptions};
use fluent_syntax::ast::{Pattern, PatternElement};

use crate::Language;
use crate::language::Bundle;
use crate::numeral::whole;

pub use fluent_bundle::FluentValue as Datum;

/// A message that takes no data: `say!("id")`. The id of an attribute is `id.attribute`.
///
/// The tidy rules hold the ids of the code and of the files to each other, so every message is found.
pub fn text(id: &str) -> &'static str {
    let plain = pattern(id).and_then(|(_, pattern)| match pattern.elements.as_slice() {
        [PatternElement::TextElement { value }] => Some(*value),
        _ => None,
    });
    debug_assert!(plain.is_some(), "no message without data is called {id}");
    plain.unwrap_or_default()
}

/// A message that takes no data in each language, for texts that were kept in the language of their time.
pub fn in_every_language(id: &str) -> impl Iterator<Item = &'static str> {
    Language::all().filter_map(move |language| text_in(language, id))
}

/// A message that takes no data in English, whatever is spoken: for data, which is in one language.
pub fn in_english(id: &str) -> &'static str {
    let text = text_in(Language::ENGLISH, id);
    debug_assert!(text.is_some(), "no message without data is called {id}");
    text.unwrap_or_default()
}

/// A message that takes no data in this language, if it has it.
fn text_in(language: Language, id: &str) -> Option<&'static str> {
    match language.bundle().get_message(id)?.value()?.elements.as_slice() {
        [PatternElement::TextElement { value }] => Some(*value),
        _ => None,
    }
}

/// A message with its data: `say!("id", name = value)`.
pub fn sentence(id: &str, data: &[(&'static str, Datum<'_>)]) -> String {
    let Some((bundle, pattern)) = pattern(id) else {
        debug_assert!(false, "no message is called {id}");
        return id.to_owned();
    };
    let arguments: FluentArgs<'_> = data.iter().map(|(name, datum)| (*name, datum.clone())).collect();
    let mut faults = Vec::new();
    let said = bundle.format_pattern(pattern, Some(&arguments), &mut faults).into_owned();
    debug_assert!(faults.is_empty(), "{id}: {faults:?}");
    if Language::writes_spaces() { said } else { without_spaces_in_han(&said) }
}

/// Chinese has no spaces between its characters, but a message has one on both sides of its data, which are
/// Latin letters or digits in most cases.
fn without_spaces_in_han(text: &str) -> String {
    let is_han =
        |c: char| matches!(c, '\u{3001}'..='\u{3002}' | '\u{4e00}'..='\u{9fff}' | '\u{ff01}'..='\u{ff1f}');
    let mut joined = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let before = joined.chars().next_back().is_some_and(is_han);
        if c != ' ' || !before || !characters.peek().copied().is_some_and(is_han) {
            joined.push(c);
        }
    }
    joined
}

/// The message in the spoken language; in English where a translation lacks it.
fn pattern(id: &str) -> Option<(&'static Bundle, &'static Pattern<&'static str>)> {
    let of = |language: Language| {
        let bundle = language.bundle();
        let pattern = match id.split_once('.') {
            None => bundle.get_message(id)?.value(),
            Some((id, attribute)) => Some(bundle.get_message(id)?.get_attribute(attribute)?.value()),
        };
        Some((bundle, pattern?))
    };
    of(Language::spoken()).or_else(|| of(Language::ENGLISH))
}

/// Says a message: `say!("id")` is the text of one that takes no data (`&'static str`); `say!("id", name =
/// value, other)` is a `String` with its data, where `other` stands for `other = other`.
#[macro_export]
macro_rules! say {
    ($id:literal) => {
        $crate::text($id)
    };
    ($id:literal, $($name:ident $(= $value:expr)?),+ $(,)?) => {
        $crate::sentence($id, &[$((stringify!($name), $crate::Said::said(&$crate::say!(@ $name $($value)?)))),+])
    };
    (@ $name:ident) => { $name };
    (@ $name:ident $value:expr) => { $value };
}

/// The data of a message. Whole numbers stay numbers, by which a message can select; a measured value comes
/// as text, written by the code that knows its digits.
pub trait Said {
    /// The value as an argument.
    fn said(&self) -> Datum<'_>;
}

/// A count that is written with separators between its thousands: `1,024`.
#[derive(Clone, Copy, Debug)]
pub struct Grouped(pub usize);

impl Said for Grouped {
    fn said(&self) -> Datum<'_> {
        number(self.0 as u64, true)
    }
}

/// A double holds whole numbers up to 2^53; beyond it the digits come as text.
fn number(value: u64, use_grouping: bool) -> Datum<'static> {
    if value > 1 << 53 {
        return Datum::String(
            if use_grouping { whole(&value.to_string()) } else { value.to_string() }.into(),
        );
    }
    Datum::Number(FluentNumber::new(value as f64, FluentNumberOptions { use_grouping, ..Default::default() }))
}

macro_rules! whole {
    ($($Whole:ty)*) => {$(
        impl Said for $Whole {
            fn said(&self) -> Datum<'_> {
                number(*self as u64, false)
            }
        }
    )*};
}
whole!(u8 u16 u32 u64 usize);

impl Said for str {
    fn said(&self) -> Datum<'_> {
        Datum::String(Cow::Borrowed(self))
    }
}

impl Said for String {
    fn said(&self) -> Datum<'_> {
        self.as_str().said()
    }
}

impl Said for Cow<'_, str> {
    fn said(&self) -> Datum<'_> {
        self.as_ref().said()
    }
}

impl<T: Said + ?Sized> Said for &T {
    fn said(&self) -> Datum<'_> {
        (**self).said()
    }
}

impl<T: Said + ?Sized> Said for Box<T> {
    fn said(&self) -> Datum<'_> {
        (**self).said()
    }
}

/// The data of a message that are texts themselves.
macro_rules! said_as_shown {
    ($($Type:ty)*) => {$(
        impl $crate::Said for $Type {
            fn said(&self) -> $crate::Datum<'_> {
                $crate::Datum::String(self.to_string().into())
            }
        }
    )*};
}
pub(crate) use said_as_shown;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_whole_with_and_without_separators() {
        let said = |text: Datum<'_>| sentence("reason-told", &[("text", text)]);
        assert_eq!(said(7u8.said()), "7");
        assert_eq!(said(1_234_567u64.said()), "1234567");
        assert_eq!(said(u64::MAX.said()), u64::MAX.to_string());
        assert_eq!(said(Grouped(999).said()), "999");
        assert_eq!(said(Grouped(1_234_567).said()), "1,234,567");
        assert_eq!(said(Grouped(usize::MAX).said()), "18,446,744,073,709,551,615");
    }

    #[test]
    fn a_space_between_two_han_characters_goes() {
        let joined = without_spaces_in_han("\u{7684} \u{5e73}\u{5747} \u{4e3a} 5 ms\u{ff0c} \u{7b2c} 2");
        assert_eq!(joined, "\u{7684}\u{5e73}\u{5747}\u{4e3a} 5 ms\u{ff0c}\u{7b2c} 2");
    }

    #[test]
    fn text_is_said_as_it_is() {
        for text in ["{ $brace }", "two\nlines", "  spaces ", "\u{202e}", ""] {
            assert_eq!(say!("reason-told", text), text);
        }
    }
}
