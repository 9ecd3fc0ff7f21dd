//! Texts in Rust source: every literal with its line and the calls around it.

/// A text of a source file.
#[derive(Debug, PartialEq)]
pub(super) struct Literal {
    /// From 1.
    pub(super) line: usize,
    /// As it is written, without quotes.
    pub(super) text: String,
    /// The text before each open bracket around it, the outermost first: `Err`, `format!`, `json!`.
    pub(super) within: Vec<String>,
    /// The function that it stands in, the innermost one before it.
    pub(super) function: String,
    /// True for the pattern of a match.
    pub(super) is_pattern: bool,
    /// Of the id in `say!("id", ...)`: the names of its data.
    pub(super) data: Vec<String>,
}

impl Literal {
    /// True if it is the id of `say!`.
    pub(super) fn is_said(&self) -> bool {
        self.within.last().is_some_and(|call| call == "say!" || call.ends_with("::say!"))
    }
}

/// The literals of a file, but for those in comments and attributes.
pub(super) fn literals(source: &str) -> Vec<Literal> {
    let mut reader = Reader {
        source,
        at: 0,
        line: 1,
        within: Vec::new(),
        found: Vec::new(),
        after_comma: false,
        function: String::new(),
        after_fn: false,
    };
    while reader.at < source.len() {
        reader.step();
    }
    reader.found
}

struct Reader<'a> {
    source: &'a str,
    at: usize,
    line: usize,
    /// The name before each open bracket, and the literal that is its first argument.
    within: Vec<(String, Option<usize>)>,
    found: Vec<Literal>,
    /// True if an argument begins here.
    after_comma: bool,
    /// The last function's name, and whether a name comes now that is one.
    function: String,
    after_fn: bool,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    fn skip(&mut self, bytes: usize) {
        let end = (self.at + bytes).min(self.source.len());
        self.line += self.source[self.at..end].matches('\n').count();
        self.at = end;
    }

    fn step(&mut self) {
        let rest = self.rest();
        if rest.starts_with("//") {
            self.skip(rest.find('\n').unwrap_or(rest.len()));
        } else if rest.starts_with("/*") {
            self.skip(rest.find("*/").map_or(rest.len(), |at| at + 2));
        } else if rest.starts_with("#[") || rest.starts_with("#![") {
            self.attribute();
        } else if let Some((before, text, whole)) = text_at(rest) {
            let (text, whole) = (text.to_owned(), whole);
            if before != "b" {
                let after = rest[whole..].trim_start();
                let is_pattern =
                    after.starts_with("=>") || after.starts_with("| ") || after.starts_with("if ");
                self.literal(text, is_pattern);
            }
            self.skip(whole);
        } else if rest.starts_with('\'') {
            self.skip(character(rest));
        } else if rest.starts_with(is_name) {
            self.name();
        } else {
            self.mark();
        }
    }

    fn literal(&mut self, text: String, is_pattern: bool) {
        let within = self.within.iter().map(|(name, _)| name.clone()).collect();
        let index = self.found.len();
        if let Some((_, first @ None)) = self.within.last_mut() {
            *first = Some(index);
        }
        self.found.push(Literal {
            line: self.line,
            text,
            within,
            function: self.function.clone(),
            is_pattern,
            data: Vec::new(),
        });
        self.after_comma = false;
    }

    /// A name; as an argument of `say!` one of the data.
    fn name(&mut self) {
        let rest = self.rest();
        let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (name, after) = (rest[..length].to_owned(), rest[length..].trim_start());
        let is_datum = after.starts_with([',', ')']) || after.starts_with('=') && !after.starts_with("==");
        if let (true, true, Some((call, Some(id)))) = (self.after_comma, is_datum, self.within.last())
            && (call == "say!" || call.ends_with("::say!"))
        {
            let id = *id;
            self.found[id].data.push(name.clone());
        }
        if self.after_fn {
            self.function.clone_from(&name);
        }
        self.after_fn = name == "fn";
        self.after_comma = false;
        self.skip(length);
    }

    fn mark(&mut self) {
        let mark = self.rest().chars().next().unwrap_or(' ');
        match mark {
            '(' | '[' | '{' => {
                let name = before(&self.source[..self.at]);
                self.within.push((name, None));
            }
            ')' | ']' | '}' => drop(self.within.pop()),
            _ => {}
        }
        self.after_comma = mark == ',' || self.after_comma && mark.is_whitespace();
        self.skip(mark.len_utf8());
    }

    fn attribute(&mut self) {
        let mut depth = 0;
        while self.at < self.source.len() {
            let rest = self.rest();
            if let Some((_, _, whole)) = text_at(rest) {
                self.skip(whole);
                continue;
            }
            let mark = rest.chars().next().unwrap_or(' ');
            self.skip(mark.len_utf8());
            depth += i32::from(mark == '[') - i32::from(mark == ']');
            if mark == ']' && depth == 0 {
                return;
            }
        }
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The path before an open bracket: `LabError::Bed`, `format!`; of a block mostly nothing.
fn before(text: &str) -> String {
    let text = text.trim_end();
    let begin = text
        .rfind(|c| !is_name(c) && !matches!(c, ':' | '!'))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    text[begin..].to_owned()
}

/// A text that begins here: its prefix, its inside, and the bytes of the whole.
fn text_at(rest: &str) -> Option<(&str, &str, usize)> {
    let prefix = rest.find(|c| !matches!(c, 'b' | 'c' | 'r' | '#'))?;
    let (before, quoted) = rest.split_at(prefix);
    let inside = quoted.strip_prefix('"')?;
    let hashes = before.matches('#').count();
    let kind = before.trim_end_matches('#');
    if !matches!(kind, "" | "b" | "c" | "r" | "br" | "cr") || hashes > 0 && !kind.ends_with('r') {
        return None;
    }
    let length = if kind.ends_with('r') {
        inside.find(&format!("\"{}", "#".repeat(hashes)))?
    } else {
        let mut escaped = false;
        inside.bytes().position(|b| {
            let ends = b == b'"' && !escaped;
            escaped = b == b'\\' && !escaped;
            ends
        })?
    };
    Some((kind.trim_end_matches('r'), &inside[..length], prefix + 1 + length + 1 + hashes))
}

/// The bytes of a character in quotes, or of the quote of a lifetime.
fn character(rest: &str) -> usize {
    let mut inside = rest[1..].char_indices();
    match inside.next() {
        Some((_, '\\')) => {
            inside.next();
            inside.find(|(_, c)| *c == '\'').map_or(1, |(at, _)| at + 2)
        }
        Some(_) => match inside.next() {
            Some((at, '\'')) => at + 2,
            _ => 1,
        },
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_stand_with_their_lines_and_the_calls_around_them() {
        let source = r##"
            // "no" and 'no'
            #[doc = "no ]"]
            fn a<'a>() { call('"', b'\'', "one \" two"); Err(LabError::Bed { why: format!(r#"three "3""#) }) }
        "##;
        let found = literals(source);
        let texts: Vec<&str> = found.iter().map(|l| l.text.as_str()).collect();
        assert_eq!(texts, ["one \\\" two", "three \"3\""]);
        assert_eq!(found[0].line, 4);
        assert!(
            found[1].within.ends_with(&["Err".into(), "LabError::Bed".into(), "format!".into()]),
            "{found:?}"
        );
    }

    #[test]
    fn a_message_stands_with_the_names_of_its_data() {
        let found =
            literals("say!(\n\"cells-left\", count = f(a, \"x\"), bed, at = b == c,\n); say!(\"plain\")");
        let said: Vec<&Literal> = found.iter().filter(|l| l.is_said()).collect();
        assert_eq!(said.iter().map(|l| l.text.as_str()).collect::<Vec<_>>(), ["cells-left", "plain"]);
        assert_eq!(said[0].data, ["count", "bed", "at"]);
        assert_eq!(said[1].data, [""; 0]);
    }
}
