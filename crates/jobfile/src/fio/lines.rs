//! The lines of a fio job file: sections and options, with comments, `include`, `${VARIABLES}` and fio's own
//! keywords.

use crate::source::{Reading, SourcePlace, Surroundings};

/// Includes within includes deeper than this go round in circles.
const INCLUDES_MAX: usize = 16;
/// More text than this after all includes is no job file.
const OPTIONS_MAX: usize = 100_000;

/// One option as it is written, after substitution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    /// Its name.
    pub(super) key: String,
    /// The text after `=`, if there is one.
    pub(super) value: Option<String>,
    /// Its place.
    pub(super) place: SourcePlace,
}

/// A section with its options. The name of a global section is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) is_global: bool,
    pub(super) place: SourcePlace,
    pub(super) options: Vec<Written>,
}

/// Reads the lines of file number `file` and of its includes.
pub(super) fn sections(reading: &mut Reading<'_>, file: usize) -> Vec<Section> {
    let mut lexer = Lexer { reading, sections: Vec::new(), options: 0 };
    lexer.file(file, 0);
    lexer.sections
}

struct Lexer<'r, 's> {
    reading: &'r mut Reading<'s>,
    sections: Vec<Section>,
    options: usize,
}

impl Lexer<'_, '_> {
    fn file(&mut self, file: usize, depth: usize) {
        let text = self.reading.text(file).to_owned();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let place = |part: &str| {
                let offset = part.as_ptr() as usize - line.as_ptr() as usize + start;
                SourcePlace { file, span: offset..offset + part.len() }
            };
            // fio cuts a line at the first `;` or `#`, at any place.
            let bare = line.split([';', '#']).next().unwrap_or_default().trim();
            if !bare.is_empty() {
                self.line(bare, place(bare), depth);
            }
            start += line.len();
        }
    }

    fn line(&mut self, bare: &str, place: SourcePlace, depth: usize) {
        if let Some(rest) = bare.strip_prefix('[') {
            let name = rest.split(']').next().unwrap_or(rest).trim();
            let is_global = name.eq_ignore_ascii_case("global");
            if !rest.contains(']') {
                self.reading.fault(&place, "the section's name is not closed", "", "write [name]");
            }
            let name = if is_global { String::new() } else { name.to_owned() };
            self.sections.push(Section { name, is_global, place, options: Vec::new() });
            return;
        }
        if let Some(path) = bare.strip_prefix("include").filter(|rest| rest.starts_with([' ', '\t'])) {
            self.include(path.trim(), &place, depth);
            return;
        }
        self.options += 1;
        if self.options > OPTIONS_MAX {
            if self.options == OPTIONS_MAX + 1 {
                self.reading.fault(&place, "the job file has too many lines", "", "split it");
            }
            return;
        }
        let option = self.option(bare, &place);
        match self.sections.last_mut() {
            Some(section) => section.options.push(option),
            None => {
                let help = "write [global] or [name of a job] above the first option";
                self.reading.fault(&place, "this option belongs to no section", "", help);
            }
        }
    }

    fn option(&mut self, bare: &str, place: &SourcePlace) -> Written {
        let replaced = self.substitute(bare, place);
        let (key, value) = match replaced.split_once('=') {
            Some((key, value)) => (key.trim_end().to_owned(), Some(value.trim().to_owned())),
            None => (replaced.trim().to_owned(), None),
        };
        let key = key.strip_prefix("--").unwrap_or(&key).to_owned();
        Written { key, value, place: place.clone() }
    }

    fn include(&mut self, path: &str, place: &SourcePlace, depth: usize) {
        let path = self.substitute(path, place);
        if depth >= INCLUDES_MAX {
            self.reading.fault(place, "includes are nested too deeply", "", "break the circle");
            return;
        }
        match self.reading.open(&path, place.file) {
            Ok(file) => self.file(file, depth + 1),
            Err(why) => {
                let help = "correct the path: it counts from the directory of the including file";
                self.reading.fault(place, &format!("`{path}` cannot be included: {why}"), "", help);
            }
        }
    }

    /// Replaces `${VARIABLE}` and fio's keywords `$pagesize`, `$mb_memory` and `$ncpus`.
    fn substitute(&mut self, text: &str, place: &SourcePlace) -> String {
        let mut replaced = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            replaced.push_str(&rest[..at]);
            let Some(end) = rest[at..].find('}') else {
                self.reading.fault(place, "a `${` is not closed", "", "write ${NAME}");
                return replaced;
            };
            let name = &rest[at + 2..at + end];
            match self.reading.surroundings().variable(name) {
                Some(value) => replaced.push_str(&value),
                None => {
                    let help = format!("set it, as for fio: {name}=VALUE drivetrain ...");
                    let message = format!("the environment has no variable `{name}`");
                    self.reading.fault(place, &message, "", &help);
                }
            }
            rest = &rest[at + end + 1..];
        }
        replaced.push_str(rest);
        keywords(&replaced, self.reading.surroundings())
    }
}

/// fio's keywords name properties of the machine.
fn keywords(text: &str, surroundings: &dyn Surroundings) -> String {
    if !text.contains('$') {
        return text.to_owned();
    }
    text.replace("$pagesize", &surroundings.page_bytes().to_string())
        .replace("$mb_memory", &surroundings.memory_mebibytes().to_string())
        .replace("$ncpus", &surroundings.processors().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tests::Fixed;

    fn read(text: &str) -> (Vec<Section>, Vec<String>) {
        let fixed = Fixed::with(&[("more.inc", "iodepth=8\n"), ("round.inc", "include round.inc\n")]);
        let mut reading = Reading::new("x.fio", text, &fixed);
        let sections = sections(&mut reading, 0);
        (sections, reading.messages())
    }

    #[test]
    fn sections_options_comments_and_includes() {
        let (sections, faults) = read(
            "; a comment\n[global]\nbs = 4k ; half\ndirect\ninclude more.inc\n[job one]\nfilename=/dev/${DISK}# x\n",
        );
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!(sections.len(), 2);
        assert!(sections[0].is_global);
        let pairs: Vec<_> =
            sections[0].options.iter().map(|o| (o.key.as_str(), o.value.as_deref())).collect();
        assert_eq!(pairs, [("bs", Some("4k")), ("direct", None), ("iodepth", Some("8"))]);
        assert_eq!(sections[1].name, "job one");
        assert_eq!(sections[1].options[0].value.as_deref(), Some("/dev/nvme9n1"));
    }

    #[test]
    fn keywords_are_replaced_and_what_is_missing_is_said() {
        let (sections, faults) =
            read("[a]\nsize=2*$pagesize\nfilename=${NOTHING}\ninclude round.inc\ninclude no.inc\n");
        assert_eq!(sections[0].options[0].value.as_deref(), Some("2*4096"));
        assert_eq!(faults.len(), 3, "{faults:?}");
        assert!(
            faults[0].contains("NOTHING") && faults[1].contains("nested") && faults[2].contains("no.inc")
        );
    }

    #[test]
    fn an_option_before_any_section_is_a_fault() {
        assert!(read("bs=4k\n[a]\n").1[0].contains("belongs to no section"));
    }
}
