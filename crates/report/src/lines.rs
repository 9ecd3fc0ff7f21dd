//! Lines of a terminal: the columns that a text takes, and prose that is broken into lines.

use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};
use words::say;

/// Columns of a text block of prose.
pub(crate) const WIDTH: usize = 100;

/// The columns that a text takes on a terminal: a character of Chinese or Korean takes two.
pub(crate) fn width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// Breaks prose into lines of at most [`WIDTH`] columns; `lead` precedes the first line and the others are
/// indented as far. It is broken at spaces alone, so that paths and options stay whole; in a language that
/// writes no spaces also where its script allows it.
pub(crate) fn wrap(text: &str, lead: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let indent = " ".repeat(width(lead));
    let separator = match say!("language-han-spaces") {
        "no" => WordSeparator::UnicodeBreakProperties,
        _ => WordSeparator::AsciiSpace,
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
        false => textwrap::fill(&text, options) + "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_broken_at_spaces_and_indented() {
        let text = wrap(&"word ".repeat(40), "- ");
        assert!(text.lines().all(|line| width(line) <= WIDTH), "{text}");
        assert!(text.starts_with("- word") && text.lines().skip(1).all(|line| line.starts_with("  word")));
        assert_eq!(wrap("", "- "), "- \n");
        let path = format!("{}/{}", "a-b/".repeat(30), "c");
        assert_eq!(wrap(&path, ""), format!("{path}\n"));
    }
}
