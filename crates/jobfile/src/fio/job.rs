//! Jobs of a fio file: their options after the global ones, with typed readers that report faults with their
//! places.

use std::collections::HashMap;
use std::rc::Rc;

use experiment::Share;

use super::catalogue;
use super::lines::{Section, Written};
use super::number::{self, Amount, KbBase};
use crate::source::{Handling, Reading, SourcePlace};

/// Options by their first names.
type Options = HashMap<&'static str, Rc<Written>>;

/// One job section with everything that holds for it.
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// The section's name, or the value of `name=`.
    pub(super) name: String,
    /// The start of the section.
    pub(super) place: SourcePlace,
    /// Shared with other jobs where they are global.
    options: Options,
}

/// The jobs in their order. Global sections hold for every job after them, as in fio.
pub(super) fn jobs(reading: &mut Reading<'_>, sections: &[Section]) -> Vec<Job> {
    let mut global = Options::new();
    let mut jobs = Vec::new();
    for section in sections {
        if section.is_global {
            gather(reading, section, &mut global);
            // A name in [global] is nobody's in particular.
            global.remove("name");
            continue;
        }
        let mut options = global.clone();
        gather(reading, section, &mut options);
        let named = options.get("name").and_then(|written| written.value.clone());
        let name = named.filter(|name| !name.is_empty()).unwrap_or_else(|| section.name.clone());
        jobs.push(Job { name, place: section.place.clone(), options });
    }
    if jobs.is_empty() && !reading.has_faults() {
        let place = sections.last().map(|section| section.place.clone()).unwrap_or_default();
        reading.fault(&place, "the file has no job", "", "write a section [name of the job]");
    }
    jobs
}

/// Adds a section's options; reports unknown, refused and ineffective ones.
fn gather(reading: &mut Reading<'_>, section: &Section, options: &mut Options) {
    for written in &section.options {
        let Some((name, handling)) = catalogue::find(&written.key) else {
            let near = catalogue::nearest(&written.key);
            let help = near.map_or_else(
                || "remove the line, or correct it after fio's manual".to_owned(),
                |name| format!("did you mean `{name}`?"),
            );
            reading.fault(&written.place, &format!("fio has no option `{}`", written.key), "unknown", &help);
            continue;
        };
        match handling {
            Handling::Used => {}
            Handling::Silent => continue,
            // Switched off is as if it were not there.
            Handling::Noted(_) | Handling::Refused(_) if is_off(written) => continue,
            Handling::Noted(why) => {
                reading.note(&written.place, format!("`{}`: {why}", written.key));
                continue;
            }
            Handling::Refused(why) => {
                let message = format!("`{}` cannot be carried over: {why}", written.key);
                reading.fault(
                    &written.place,
                    &message,
                    "",
                    "remove the line if the job means the same without it",
                );
                continue;
            }
        }
        options.insert(name, Rc::new(Written { key: name.to_owned(), ..written.clone() }));
    }
}

fn is_off(written: &Written) -> bool {
    matches!(written.value.as_deref(), Some("0" | "none" | ""))
}

impl Job {
    /// The place of an option, or of the section without that option.
    pub(super) fn place_of(&self, name: &str) -> &SourcePlace {
        self.options.get(name).map_or(&self.place, |written| &written.place)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.options.contains_key(name)
    }

    /// The text of an option; `None` when it is not given or has no value.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.options.get(name)?.value.as_deref().filter(|text| !text.is_empty())
    }

    /// Two options with the same meaning: the last one counts. Here, the one later in the text.
    pub(super) fn is_later(&self, name: &str, other: &str) -> bool {
        let order = |name: &str| self.options.get(name).map(|w| (w.place.file, w.place.span.start));
        order(name) > order(other)
    }

    pub(super) fn kb_base(&self) -> KbBase {
        KbBase(if self.text("kb_base") == Some("1000") { 1000 } else { 1024 })
    }

    pub(super) fn flag(&self, reading: &mut Reading<'_>, name: &str) -> bool {
        let Some(written) = self.options.get(name) else { return false };
        self.checked(reading, name, number::boolean(written.value.as_deref())).unwrap_or(false)
    }

    /// `direct` and `buffered` are opposites: the one written last counts.
    pub(super) fn direct(&self, reading: &mut Reading<'_>) -> bool {
        if self.has("buffered") && self.is_later("buffered", "direct") {
            return !self.flag(reading, "buffered");
        }
        self.flag(reading, "direct")
    }

    pub(super) fn amount(&self, reading: &mut Reading<'_>, name: &str) -> Option<Amount> {
        let text = self.text(name)?;
        self.checked(reading, name, number::amount(text, self.kb_base()))
    }

    pub(super) fn bytes(&self, reading: &mut Reading<'_>, name: &str) -> Option<u64> {
        let text = self.text(name)?;
        self.checked(reading, name, number::bytes(text, self.kb_base()))
    }

    pub(super) fn integer(&self, reading: &mut Reading<'_>, name: &str) -> Option<u64> {
        let text = self.text(name)?;
        self.checked(reading, name, number::integer(text, self.kb_base()))
    }

    pub(super) fn decimal(&self, reading: &mut Reading<'_>, name: &str) -> Option<f64> {
        let text = self.text(name)?;
        self.checked(reading, name, number::decimal(text.trim_end_matches('%')))
    }

    /// A time in seconds; bare numbers are in units of `unit_s`.
    pub(super) fn seconds(&self, reading: &mut Reading<'_>, name: &str, unit_s: f64) -> Option<f64> {
        let text = self.text(name)?;
        self.checked(reading, name, number::seconds(text, unit_s))
    }

    /// A share from a percentage written without its sign.
    pub(super) fn percent(&self, reading: &mut Reading<'_>, name: &str) -> Option<f64> {
        let percent = self.decimal(reading, name)?;
        if (0.0..=100.0).contains(&percent) {
            return Some(Share::of_percent(percent).0);
        }
        let message = format!("`{name}` is not between 0 and 100");
        reading.fault(self.place_of(name), &message, "", "write a percentage");
        None
    }

    /// The value, or its fault said at the option.
    pub(super) fn checked<T>(
        &self,
        reading: &mut Reading<'_>,
        name: &str,
        result: Result<T, String>,
    ) -> Option<T> {
        result
            .map_err(|why| {
                let help = "correct the value after fio's manual";
                reading.fault(self.place_of(name), &format!("`{name}`: {why}"), "", help);
            })
            .ok()
    }

    /// Says that an option's value cannot be carried over.
    pub(super) fn refuse(&self, reading: &mut Reading<'_>, name: &str, why: &str, help: &str) {
        reading.fault(self.place_of(name), &format!("`{name}` cannot be carried over: {why}"), "", help);
    }

    pub(super) fn note(&self, reading: &mut Reading<'_>, name: &str, text: impl Into<String>) {
        reading.note(self.place_of(name), text);
    }
}
