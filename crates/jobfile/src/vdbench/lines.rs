//! The lines of a vdbench parameter file: definitions of `key=value` pairs, with comments, continuations and
//! includes.

use crate::source::{Reading, SourcePlace};

const INCLUDES_MAX: usize = 16;
const PAIRS_MAX: usize = 100_000;

/// One `key=value`; a list in brackets has several values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) key: String,
    pub(super) values: Vec<String>,
    pub(super) place: SourcePlace,
}

/// One definition: its first pair gives its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) pairs: Vec<Pair>,
}

/// Reads the definitions of the whole file and of its includes.
pub(super) fn lines(reading: &mut Reading<'_>) -> Vec<Line> {
    let mut lexer = Lexer { reading, lines: Vec::new(), pairs: 0, continued: false };
    lexer.file(0, 0);
    lexer.lines
}

struct Lexer<'r, 's> {
    reading: &'r mut Reading<'s>,
    lines: Vec<Line>,
    pairs: usize,
    continued: bool,
}

impl Lexer<'_, '_> {
    fn file(&mut self, file: usize, depth: usize) {
        let text = self.reading.text(file).to_owned();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let bare = line.trim();
            let offset = start + line.find(bare).unwrap_or(0);
            start += line.len();
            if bare.is_empty() || bare.starts_with(['*', '/', '#']) {
                continue;
            }
            if bare.to_ascii_lowercase().starts_with("eof") {
                break;
            }
            self.line(bare, file, offset, depth);
        }
    }

    fn line(&mut self, bare: &str, file: usize, offset: usize, depth: usize) {
        let written = parameters(bare);
        let place = |from: usize, to: usize| SourcePlace { file, span: offset + from..offset + to };
        let mut pairs = Vec::new();
        for (from, to) in split(written) {
            let piece = &written[from..to];
            let Some((key, value)) = piece.split_once('=') else {
                if !piece.trim().is_empty() {
                    let message = format!("`{}` is no `key=value`", piece.trim());
                    let help = "write key=value, key=(value,value), or * before a comment";
                    self.reading.fault(&place(from, to), &message, "", help);
                }
                continue;
            };
            self.pairs += 1;
            if self.pairs > PAIRS_MAX {
                return;
            }
            let place = place(from, to);
            let values = self.values(value, &place);
            pairs.push(Pair { key: key.trim().to_ascii_lowercase(), values, place });
        }
        let ends_open = written.trim_end().ends_with(',');
        if let [Pair { key, values, place }] = pairs.as_slice()
            && key == "include"
            && !self.continued
        {
            let path = values.join(",");
            self.include(&path, &place.clone(), depth);
            return;
        }
        match self.lines.last_mut().filter(|_| self.continued) {
            Some(line) => line.pairs.extend(pairs),
            None if pairs.is_empty() => {}
            None => self.lines.push(Line { pairs }),
        }
        self.continued = ends_open;
    }

    fn include(&mut self, path: &str, place: &SourcePlace, depth: usize) {
        if depth >= INCLUDES_MAX {
            self.reading.fault(place, "includes are nested too deeply", "", "break the circle");
            return;
        }
        match self.reading.open(path, place.file) {
            Ok(file) => self.file(file, depth + 1),
            Err(why) => {
                let help = "correct the path: it counts from the directory of the including file";
                self.reading.fault(place, &format!("`{path}` cannot be included: {why}"), "", help);
            }
        }
    }

    /// The values of a pair, without brackets and quotation marks, variables replaced.
    fn values(&mut self, text: &str, place: &SourcePlace) -> Vec<String> {
        let text = self.substitute(text.trim(), place);
        let inner = match text.strip_prefix('(') {
            Some(rest) => rest.strip_suffix(')').unwrap_or(rest),
            None => &text,
        };
        if text.starts_with('(') != text.ends_with(')') {
            self.reading.fault(place, "a bracket is not closed", "", "write (value,value)");
        }
        inner.split(',').map(|value| value.trim().trim_matches(['"', '\'']).to_owned()).collect()
    }

    /// `$name` comes from the command line of vdbench; here, from the environment.
    fn substitute(&mut self, text: &str, place: &SourcePlace) -> String {
        let mut replaced = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            replaced.push_str(&rest[..at]);
            let name = rest[at + 1..].trim_start_matches('{');
            let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
            let (name, after) = name.split_at(end);
            match self.reading.surroundings().variable(name) {
                Some(value) => replaced.push_str(&value),
                None => {
                    let help = format!("set it in the environment: {name}=VALUE drivetrain ...");
                    self.reading.fault(place, &format!("the variable `${name}` has no value"), "", &help);
                }
            }
            rest = after.strip_prefix('}').unwrap_or(after);
        }
        replaced.push_str(rest);
        replaced
    }
}

/// The text before the first blank outside brackets: the rest is a comment, unless a comma announces more.
fn parameters(line: &str) -> &str {
    let mut depth = 0_i32;
    let mut quoted = false;
    let mut last = ' ';
    for (index, character) in line.char_indices() {
        match character {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ if character.is_whitespace() && depth <= 0 && !quoted => {
                let rest = line[index..].trim_start();
                let key_follows = rest.split(',').next().is_some_and(|piece| {
                    piece
                        .split_once('=')
                        .is_some_and(|(key, _)| !key.trim().is_empty() && !key.trim().contains(' '))
                });
                let more = (last == ',' && key_follows) || last == '=' || rest.starts_with(['=', ',']);
                if !more {
                    return &line[..index];
                }
                continue;
            }
            _ => {}
        }
        last = character;
    }
    line
}

/// The pieces between commas outside brackets, as ranges.
fn split(text: &str) -> Vec<(usize, usize)> {
    let mut pieces = Vec::new();
    let (mut start, mut depth, mut quoted) = (0, 0_i32, false);
    for (index, character) in text.char_indices() {
        match character {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            ',' if depth <= 0 && !quoted => {
                pieces.push((start, index));
                start = index + 1;
            }
            _ => {}
        }
    }
    pieces.push((start, text.len()));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tests::Fixed;

    fn read(text: &str) -> (Vec<Line>, Vec<String>) {
        let fixed = Fixed::with(&[("more", "sd=sd2,lun=/dev/b\n")]);
        let mut reading = Reading::new("x", text, &fixed);
        let lines = lines(&mut reading);
        (lines, reading.messages())
    }

    #[test]
    fn pairs_lists_comments_and_continuations() {
        let text = "* comment\nsd=sd1,lun=/dev/a,size=10g this is a comment\ninclude=more\nwd=wd1,sd=(sd1,sd2),\n  xfersize=(4k,50,8k,50)\neof\nsd=sd9\n";
        let (lines, faults) = read(text);
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0].pairs.len(), 3);
        assert_eq!(lines[2].pairs[2].values, ["4k", "50", "8k", "50"]);
        assert_eq!(&text[lines[0].pairs[1].place.span.clone()], "lun=/dev/a");
    }

    #[test]
    fn blanks_where_people_write_them() {
        let (lines, faults) =
            read("wd=wd1, sd=sd*, xfersize=(4k, 50, 8k, 50), rdpct=70\nrd=r1,wd=wd1,lun=$NO\n");
        assert_eq!(lines[0].pairs.len(), 4, "{:?}", lines[0]);
        assert!(faults.len() == 1 && faults[0].contains("$NO"), "{faults:?}");
    }
}
