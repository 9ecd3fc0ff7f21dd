//! Text for a terminal, in which no quoted title, name or message can move the cursor, rename the window or
//! hide a line.

use std::borrow::Cow;

use words::is_order;

/// `text` with every order to the terminal written out, as `\u{1b}`.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_order) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_order(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// `1 cell`, `2 cells`.
pub(crate) fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// [`printable`] text for one row of a table: line ends and tabs, too, are written out.
pub(crate) fn in_one_line(text: &str) -> String {
    printable(text).replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t")
}

/// As [`printable`], except that the colours of rendered diagnostics stay; quoted text was made harmless
/// before.
pub(crate) fn styled(text: &str) -> Cow<'_, str> {
    let mut parts = text.split('\u{1b}');
    let mut shown = printable(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let end = part.find('m').filter(|end| part.starts_with('[') && is_colour(&part[1..*end]));
        match end {
            Some(end) => {
                shown.push('\u{1b}');
                shown.push_str(&part[..=end]);
                shown.push_str(&printable(&part[end + 1..]));
            }
            None => {
                shown.push_str("\\u{1b}");
                shown.push_str(&printable(part));
            }
        }
    }
    Cow::Owned(shown)
}

/// A styled text for readers that are no terminals.
pub(crate) fn without_colours(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.find('m').filter(|end| part.starts_with('[') && is_colour(&part[1..*end])) {
            Some(end) => plain.push_str(&part[end + 1..]),
            None => {
                plain.push('\u{1b}');
                plain.push_str(part);
            }
        }
    }
    plain
}

fn is_colour(parameters: &str) -> bool {
    parameters.chars().all(|c| c.is_ascii_digit() || c == ';')
}

/// A JSON document in which control characters that JSON itself permits (DEL, C1, direction) are escapes:
/// they can only occur in its strings.
pub(crate) fn ascii_json(document: &str) -> Cow<'_, str> {
    if !document.contains(is_order) {
        return Cow::Borrowed(document);
    }
    let mut shown = String::with_capacity(document.len() + 16);
    for c in document.chars() {
        if is_order(c) { shown.push_str(&format!("\\u{:04x}", u32::from(c))) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_a_table_stays_one() {
        assert_eq!(in_one_line("evil\nok\t\r\u{1b}[2J"), "evil\\nok\\t\\u{d}\\u{1b}[2J");
    }

    #[test]
    fn orders_to_a_terminal_are_written_out() {
        assert_eq!(
            printable("a\u{1b}]0;x\u{7}b\u{9b}2J\u{7f}\u{202e}\r"),
            "a\\u{1b}]0;x\\u{7}b\\u{9b}2J\\u{7f}\\u{202e}\\u{d}"
        );
        assert_eq!(printable("two\nlines\tand µs, é"), "two\nlines\tand µs, é");
    }

    #[test]
    fn only_colours_pass_a_styled_text() {
        assert_eq!(styled("\u{1b}[1m\u{1b}[38;5;9merror\u{1b}[0m"), "\u{1b}[1m\u{1b}[38;5;9merror\u{1b}[0m");
        assert_eq!(without_colours("\u{1b}[1m\u{1b}[38;5;9merror\u{1b}[0m: x"), "error: x");
        assert_eq!(styled("\u{1b}]0;m\u{7}\u{1b}[2J"), "\\u{1b}]0;m\\u{7}\\u{1b}[2J");
    }

    #[test]
    fn json_keeps_its_meaning() {
        let document = serde_json::json!({ "title": "a\u{7f}\u{9b}\u{202e}\u{1b}" });
        let text = ascii_json(&document.to_string()).into_owned();
        assert!(!text.contains(is_order), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("it is JSON"), document);
    }
}
