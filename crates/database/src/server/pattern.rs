//! Paths that a layout knows, written as patterns.
//!
//! In a pattern `<n>` stands for digits, `<X>` for capital hexadecimal digits and `<X24>` for 24 of them,
//! `<x>` for small ones, `<t>` for the name of a table or file as engines write it, `<w>` for a word of small
//! letters, digits and `_`; `[...]` is optional, `(a|b)` is one of them. A pattern that ends in `/` is a
//! directory that may be empty.

/// True if a pattern is the path of this file.
pub(crate) fn is_file(pattern: &str, path: &str) -> bool {
    !pattern.ends_with('/') && matches(pattern, path)
}

/// True if a pattern lies below this directory, or is it.
pub(crate) fn is_dir(pattern: &str, path: &str) -> bool {
    let depth = path.split('/').count();
    let steps: Vec<&str> = pattern.split('/').collect();
    steps.len() > depth && matches(&steps[..depth].join("/"), path)
}

fn matches(pattern: &str, text: &str) -> bool {
    match pattern.chars().next() {
        None => text.is_empty(),
        Some('[') => {
            let (inside, rest) = group(pattern, '[', ']');
            matches(rest, text) || matches(&format!("{inside}{rest}"), text)
        }
        Some('(') => {
            let (inside, rest) = group(pattern, '(', ')');
            inside.split('|').any(|choice| matches(&format!("{choice}{rest}"), text))
        }
        Some('<') => {
            let (class, rest) = group(pattern, '<', '>');
            class_matches(class, rest, text)
        }
        Some(literal) => {
            text.strip_prefix(literal).is_some_and(|text| matches(&pattern[literal.len_utf8()..], text))
        }
    }
}

/// The text between the first bracket and its closing one, and the text after it. Groups of one kind do not
/// nest.
fn group(pattern: &str, open: char, close: char) -> (&str, &str) {
    let inside = pattern.strip_prefix(open).unwrap_or(pattern);
    inside.split_once(close).unwrap_or((inside, ""))
}

fn class_matches(class: &str, rest: &str, text: &str) -> bool {
    let (kind, count) = class.split_at(1);
    let belongs = |c: char| match kind {
        "n" => c.is_ascii_digit(),
        "X" => c.is_ascii_digit() || ('A'..='F').contains(&c),
        "x" => c.is_ascii_digit() || ('a'..='f').contains(&c),
        "w" => c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_',
        "t" => c.is_ascii_alphanumeric() || "_$#@-".contains(c),
        "p" => c.is_ascii_lowercase() || c.is_ascii_digit() || c == '.' || c == '-',
        _ => false,
    };
    let longest = text.chars().take_while(|c| belongs(*c)).count();
    match count.parse::<usize>() {
        Ok(count) => longest >= count && matches(rest, &text[count..]),
        // All characters of the classes are of one byte.
        Err(_) => (1..=longest).rev().any(|taken| matches(rest, &text[taken..])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_what_they_say() {
        for (pattern, path) in [
            ("base/<n>/[t<n>_]<n>[_(fsm|vm)][.<n>]", "base/5/16384"),
            ("base/<n>/[t<n>_]<n>[_(fsm|vm)][.<n>]", "base/5/t3_16384_fsm.12"),
            ("<X24>[.partial]", "0000000100000000000000AB"),
            ("(ca|ca-key).pem", "ca-key.pem"),
            ("<t>.ibd", "#sql-1_a@002d$x.ibd"),
        ] {
            assert!(is_file(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("base/<n>/<n>", "base/5/thesis"),
            ("base/<n>/<n>", "base/thesis.tex"),
            ("base/<n>/<n>", "base/5/16384.tex"),
            ("<X24>", "0000000100000000000000ABC"),
            ("<X24>", "00000001000000000000000g"),
            ("<n>", ""),
            ("a/", "a"),
        ] {
            assert!(!is_file(pattern, path), "{pattern} {path}");
        }
        assert!(is_dir("base/<n>/<n>", "base") && is_dir("base/<n>/<n>", "base/5") && is_dir("a/", "a"));
        assert!(!is_dir("base/<n>/<n>", "base/5/6") && !is_dir("base/<n>/<n>", "core"));
    }
}
