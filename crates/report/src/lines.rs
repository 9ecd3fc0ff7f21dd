//! Lines of a terminal: the columns that a text takes, and prose that is broken into lines.

use textwrap::core::Word;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};
use words::Language;

/// Columns of a text block of prose.
pub(crate) const WIDTH: usize = 100;

/// The columns that a text takes on a terminal: a character of Chinese or Korean takes two.
pub(crate) fn width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// A text that takes at most so many columns: its beginning and its end, which tell names of one sort apart.
pub(crate) fn in_the_middle(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let within = |letters: &mut dyn Iterator<Item = char>, room: usize| {
        let mut taken = 0;
        let fits = letters.take_while(|c| {
            taken += unicode_width::UnicodeWidthChar::width(*c).unwrap_or(0);
            taken <= room
        });
        fits.collect::<Vec<char>>()
    };
    let begin = within(&mut text.chars(), room - room / 2);
    let end = within(&mut text.chars().rev(), room / 2);
    begin.into_iter().chain(['\u{2026}']).chain(end.into_iter().rev()).collect()
}

/// Units that stay on the line of their number.
const UNITS: [&str; 13] =
    ["%", "ms", "s", "\u{b5}s", "ns", "B", "kB", "KiB", "MB", "MiB", "GB", "GiB", "MB/s"];

/// The text with a no-break space between each number and its unit.
pub(crate) fn bound(text: &str) -> String {
    let mut bound = String::with_capacity(text.len());
    let mut after_number = false;
    for (index, word) in text.split(' ').enumerate() {
        let unit = word.trim_end_matches(['.', ',', ';', ':', ')', ']']);
        if index > 0 {
            bound.push(if after_number && UNITS.contains(&unit) { '\u{a0}' } else { ' ' });
        }
        bound.push_str(word);
        after_number = word.ends_with(|c: char| c.is_ascii_digit());
    }
    bound
}

/// Breaks prose into lines of at most [`WIDTH`] columns; `lead` precedes the first line and the others are
/// indented as far. It is broken at spaces alone, so that paths and options stay whole, and not between a
/// number and its unit; in a language that
/// writes no spaces also where its script allows it.
pub(crate) fn wrap(text: &str, lead: &str) -> String {
    let text = bound(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    let indent = " ".repeat(width(lead));
    let separator = match Language::writes_spaces() {
        true => WordSeparator::AsciiSpace,
        false => WordSeparator::Custom(han_words),
    };
    let options = Options::new(WIDTH)
        .initial_indent(lead)
        .subsequent_indent(&indent)
        .word_separator(separator)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
        .break_words(false);
    match text.is_empty() {
        true => format!("{lead}\n"),
        false => textwrap::fill(&text, options).replace('\u{a0}', " ") + "\n",
    }
}

/// Words of Chinese text: every character is one, together with the punctuation that belongs to it, and so is
/// everything between two spaces that is not Chinese.
fn han_words(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let mut starts = vec![0];
    let mut before = None;
    for (at, c) in line.char_indices() {
        if before.is_some_and(|before| may_break(before, c)) {
            starts.push(at);
        }
        before = Some(c);
    }
    let ends: Vec<usize> = starts.iter().copied().skip(1).chain([line.len()]).collect();
    Box::new(starts.into_iter().zip(ends).map(|(start, end)| Word::from(&line[start..end])))
}

/// True if a line may end between the two characters.
fn may_break(before: char, after: char) -> bool {
    let is_wide = |c: char| unicode_width::UnicodeWidthChar::width(c) == Some(2);
    let (opens, closes) = (
        "\u{ff08}\u{201c}\u{300a}(\"",
        "\u{ff0c}\u{3002}\u{3001}\u{ff1b}\u{ff1a}\u{ff01}\u{ff1f}\u{ff09}\u{201d}\u{300b}),.;:%",
    );
    match (before, after) {
        (_, ' ') => false,
        (' ', _) => true,
        _ => (is_wide(before) || is_wide(after)) && !opens.contains(before) && !closes.contains(after),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_not_separated_from_its_unit() {
        assert_eq!(bound("(99 % interval 4 ms, 6 pairs)"), "(99\u{a0}% interval 4\u{a0}ms, 6 pairs)");
        let words = "word ".repeat(18);
        let wrapped = wrap(&format!("{words}almost (99 % interval)"), "");
        assert!(wrapped.ends_with("\n(99 % interval)\n"), "{wrapped}");
    }

    #[test]
    fn a_long_name_keeps_its_beginning_and_its_end() {
        assert_eq!(in_the_middle("random-read", 40), "random-read");
        assert_eq!(in_the_middle("abcdefghij", 5), "ab\u{2026}ij");
        assert_eq!(in_the_middle("abcdefghij", 6), "abc\u{2026}ij");
        assert_eq!(
            width(&in_the_middle(&"\u{ac00}".repeat(30), 11)),
            9,
            "a wide letter is whole or left out"
        );
        for columns in 0..12 {
            assert!(width(&in_the_middle("abcdefghijkl", columns)) <= columns.max(1));
        }
    }

    #[test]
    fn prose_is_broken_at_spaces_and_indented() {
        let text = wrap(&"word ".repeat(40), "- ");
        assert!(text.lines().all(|line| width(line) <= WIDTH), "{text}");
        assert!(text.starts_with("- word") && text.lines().skip(1).all(|line| line.starts_with("  word")));
        assert_eq!(wrap("", "- "), "- \n");
        let path = format!("{}/{}", "a-b/".repeat(30), "c");
        assert_eq!(wrap(&path, ""), format!("{path}\n"));
    }

    #[test]
    fn chinese_is_broken_between_its_characters_and_never_before_a_comma() {
        let line = "\u{6bcf}\u{5206}\u{949f}\u{ff0c}\u{ff08}99 % \u{533a}\u{95f4}\u{ff09} NOPM \u{4e3a}";
        let words: Vec<String> =
            han_words(line).map(|word| format!("{}{}", word.word, word.whitespace)).collect();
        let broken = [
            "\u{6bcf}",
            "\u{5206}",
            "\u{949f}\u{ff0c}",
            "\u{ff08}99 ",
            "% ",
            "\u{533a}",
            "\u{95f4}\u{ff09} ",
            "NOPM ",
            "\u{4e3a}",
        ];
        assert_eq!(words, broken);
        assert_eq!(words.concat(), line);
    }
}
