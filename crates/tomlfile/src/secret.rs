//! Passwords in an experiment's text: found so that they can be refused, and never shown.

use std::ops::Range;

/// The places of passwords in the address of a server: after `user:`, and as the option `password`.
pub fn passwords(url: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if let Some(start) = url.find("://").map(|at| at + 3) {
        let end = url[start..].find('?').map_or(url.len(), |at| start + at);
        let login = url[start..end].rfind('@').map(|at| start..start + at);
        let colon = login.and_then(|login| Some((login.start + url[login.clone()].find(':')?, login.end)));
        found.extend(colon.map(|(colon, end)| colon + 1..end));
    }
    found.extend(assigned(url));
    found
}

/// The names of passwords, in lower case.
const WORDS: [&str; 3] = ["password", "passwd", "pwd"];

/// The places of values of `password=` and the like in one line of text.
fn assigned(line: &str) -> Vec<Range<usize>> {
    let lower = line.to_ascii_lowercase();
    let mut found = Vec::new();
    for word in WORDS {
        for (at, _) in lower.match_indices(word) {
            let after = &line[at + word.len()..];
            let Some(value) = after.trim_start_matches([' ', '"', '\'']).strip_prefix('=') else { continue };
            let value = value.trim_start();
            let start = line.len() - value.len();
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
            let (start, value) = if quote.is_some() { (start + 1, &value[1..]) } else { (start, value) };
            let ends = |c: char| match quote {
                Some(quote) => c == quote,
                None => c.is_whitespace() || matches!(c, '&' | '"' | '\''),
            };
            found.push(start..start + value.find(ends).unwrap_or(value.len()));
        }
    }
    found
}

/// `text` with every byte of every password replaced by `*`, so that places in it stay the same.
pub(crate) fn hidden(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    // Texts have few of these words and most lines have none; that is faster to find than a word's place.
    let words: Vec<&str> = WORDS.into_iter().filter(|word| lower.contains(word)).collect();
    let mut bytes = text.as_bytes().to_vec();
    let mut hide = |range: Range<usize>| bytes[range].fill(b'*');
    let mut line_start = 0;
    for line in text.split('\n') {
        let line_lower = &lower[line_start..line_start + line.len()];
        let addresses = line.contains("://").then(|| line.match_indices("://"));
        for (at, _) in addresses.into_iter().flatten() {
            let quoted = &line[at..];
            let end = quoted.find(['"', '\'']).unwrap_or(quoted.len());
            for range in passwords(&quoted[..end]) {
                hide(line_start + at + range.start..line_start + at + range.end);
            }
        }
        if words.iter().any(|word| line_lower.contains(word)) {
            for range in assigned(line) {
                hide(line_start + range.start..line_start + range.end);
            }
        }
        line_start += line.len() + 1;
    }
    String::from_utf8(bytes).expect("whole characters were replaced, each byte by one of ASCII")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn passwords_are_found_in_both_places_of_an_address() {
        let of = |url: &'static str| passwords(url).into_iter().map(|range| &url[range]).collect::<Vec<_>>();
        assert_eq!(of("postgresql://me@host:5432/db"), Vec::<&str>::new());
        assert_eq!(of("postgresql://[::1]:5432/db?sslmode=disable"), Vec::<&str>::new());
        assert_eq!(of("postgresql://me:secret@host:5432/db"), ["secret"]);
        assert_eq!(of("mysql://me:a:b/c@d@host/db"), ["a:b/c@d"]);
        assert_eq!(of("postgresql://host/db?user=me&password=secret&sslmode=disable"), ["secret"]);
        assert_eq!(of("me:secret@host"), Vec::<&str>::new());
    }

    #[test]
    fn hidden_text_keeps_its_places() {
        let text =
            "url = \"mysql://me:gehéim@host/db\"  # at home\npassword = 'a b'\nurl = \"h?pwd=x&y=1\"\n";
        let expected =
            "url = \"mysql://me:*******@host/db\"  # at home\npassword = '***'\nurl = \"h?pwd=*&y=1\"\n";
        assert_eq!(hidden(text), expected);
        assert_eq!(hidden("title = \"x\""), "title = \"x\"");
    }

    proptest! {
        #[test]
        fn any_text_is_hidden_without_moving_anything(text in "(\\PC|[:/@?&='\"\n]|password|://){0,60}") {
            let hidden = hidden(&text);
            prop_assert_eq!(hidden.len(), text.len());
            prop_assert_eq!(hidden.split('\n').count(), text.split('\n').count());
        }
    }
}
