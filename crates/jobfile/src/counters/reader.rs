//! The common part of all forms: lines of limited length, and the chosen counters as they come.

use std::collections::HashMap;
use std::io::{BufRead, Read as _};

use jiff::Timestamp;

use super::{Choice, Counter, Counters, CountersError, Pattern, unit};
use crate::fault::{FileFault, not_utf8, quoted, utf16};
use crate::moment::{Zone, seconds_between};

/// The longest line, bytes: a header of some hundred thousand counters.
const LINE_LONGEST: u64 = 64 << 20;
/// The most counters of one import.
const CHOSEN_MOST: usize = 100;
/// The most counters that are listed, and the most of a file.
const NAMES_MOST: usize = 1_000_000;
/// The most values that are kept.
const VALUES_MOST: usize = 20_000_000;

/// The lines of a file, one at a time.
pub(super) struct Lines<R> {
    input: R,
    bytes: Vec<u8>,
    /// The number of the line that was read last, from 1.
    number: usize,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn of(input: R) -> Lines<R> {
        Lines { input, bytes: Vec::new(), number: 0 }
    }

    /// Goes on to the next line, which [`Lines::text`] then is, and gives its number; `None` after the last
    /// one.
    pub(super) fn advance(&mut self) -> Result<Option<usize>, CountersError> {
        self.bytes.clear();
        let mut limited = (&mut self.input).take(LINE_LONGEST + 1);
        limited.read_until(b'\n', &mut self.bytes)?;
        if self.bytes.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        if self.bytes.len() as u64 > LINE_LONGEST {
            let message = format!("is longer than {} MiB", LINE_LONGEST >> 20);
            return Err(self.fault(message, "no tool writes such a line").into());
        }
        if self.number == 1 {
            if self.bytes.starts_with(&[0xff, 0xfe]) || self.bytes.starts_with(&[0xfe, 0xff]) {
                return Err(utf16().into());
            }
            if self.bytes.starts_with(b"\xef\xbb\xbf") {
                self.bytes.drain(..3);
            }
        }
        if std::str::from_utf8(&self.bytes).is_err() {
            return Err(not_utf8(self.number).into());
        }
        Ok(Some(self.number))
    }

    /// The line that was read last, without its end.
    pub(super) fn text(&self) -> &str {
        // `advance` found it to be text.
        std::str::from_utf8(&self.bytes).unwrap_or_default().trim_end_matches(['\n', '\r'])
    }

    /// A fault of the line that was read last.
    pub(super) fn fault(&self, message: impl Into<String>, help: impl Into<String>) -> FileFault {
        // An empty file has its first line all the same.
        FileFault::line(self.number.max(1), message, help)
    }
}

/// So many names of a file are kept, whatever was chosen.
const FIRST_MOST: usize = 200;

/// Gathers counters by their names.
pub(super) struct Collector<'a> {
    patterns: Vec<Pattern>,
    keeps_values: bool,
    zone: Option<&'a Zone>,
    /// The zone that the file states.
    stated: Option<Zone>,
    /// Every name of the file; the index of its counter where it is chosen.
    names: HashMap<String, Option<usize>>,
    /// The first names of the file, for a reader who chose none of them.
    first: Vec<String>,
    chosen: Vec<Counter>,
    values: usize,
    span: Option<(Timestamp, Timestamp)>,
    /// The first moment that was read.
    origin: Option<Timestamp>,
    /// The moment of the present samples, seconds after the origin.
    now_s: f64,
}

impl<'a> Collector<'a> {
    pub(super) fn new(choice: &Choice, zone: Option<&'a Zone>) -> Collector<'a> {
        let (patterns, keeps_values) = match choice {
            Choice::Names => (Pattern::built_in(), false),
            Choice::Matching(patterns) => (patterns.clone(), true),
        };
        Collector {
            patterns,
            keeps_values,
            zone,
            stated: None,
            names: HashMap::new(),
            first: Vec::new(),
            chosen: Vec::new(),
            values: 0,
            span: None,
            origin: None,
            now_s: 0.0,
        }
    }

    /// Notes the zone that the file states.
    pub(super) fn state_zone(&mut self, zone: Zone) {
        self.stated = Some(zone);
    }

    /// The zone of times without one: the one that was given comes before the one of the file, which can be
    /// wrong. `None` where neither is there; a list of names needs none.
    pub(super) fn zone(&self) -> Option<Zone> {
        let known = self.zone.cloned().or_else(|| self.stated.clone());
        known.or_else(|| (!self.keeps_values).then(Zone::utc))
    }

    /// The counter of this name, if it is chosen.
    pub(super) fn counter(&mut self, name: String) -> Result<Option<usize>, FileFault> {
        if let Some(known) = self.names.get(&name) {
            return Ok(*known);
        }
        if self.names.len() >= NAMES_MOST {
            return Err(FileFault::whole(
                format!("has more than {NAMES_MOST} counters"),
                "write fewer of them with relog -c or sar's options",
            ));
        }
        let index = Pattern::any(&self.patterns, &name).then_some(self.chosen.len());
        if index.is_some() {
            if self.keeps_values && self.chosen.len() >= CHOSEN_MOST {
                let help = "choose fewer: import --beside without --counter lists names";
                return Err(FileFault::whole(
                    format!("the patterns fit more than {CHOSEN_MOST} counters"),
                    help,
                ));
            }
            let unit = unit::unit_of(&name);
            self.chosen.push(Counter { name: name.clone(), unit, readings: Vec::new() });
        }
        if self.first.len() < FIRST_MOST {
            self.first.push(name.clone());
        }
        self.names.insert(name, index);
        Ok(index)
    }

    /// Goes on to the samples of a moment in a file whose moments are ascending.
    ///
    /// # Errors
    /// A moment before the last one.
    pub(super) fn at(&mut self, line: usize, moment: Timestamp) -> Result<(), FileFault> {
        if self.span.is_some_and(|(_, last)| moment < last) {
            let message = "is earlier than the sample before it";
            return Err(FileFault::line(
                line,
                message,
                "sort the file by time, or import its parts one by one",
            ));
        }
        self.reach(moment);
        Ok(())
    }

    /// Goes on to the samples of a moment in a file whose tables each begin anew.
    pub(super) fn reach(&mut self, moment: Timestamp) {
        let origin = *self.origin.get_or_insert(moment);
        let (first, last) = self.span.unwrap_or((moment, moment));
        self.span = Some((first.min(moment), last.max(moment)));
        self.now_s = seconds_between(origin, moment);
    }

    /// Keeps the value of a field at the present moment, where it has one.
    ///
    /// # Errors
    /// A field that is no number.
    pub(super) fn add(&mut self, line: usize, counter: usize, field: &str) -> Result<(), FileFault> {
        if !self.keeps_values {
            return Ok(());
        }
        let counter = &mut self.chosen[counter];
        let Some(value) = value_of(line, &counter.name, field)? else { return Ok(()) };
        if counter.readings.last().is_some_and(|(before, _)| self.now_s < *before) {
            let message = format!("{} is earlier here than in the sample before it", quoted(&counter.name));
            return Err(FileFault::line(line, message, "import the parts of the file one by one"));
        }
        self.values += 1;
        if self.values > VALUES_MOST {
            let message = format!("holds more than {VALUES_MOST} values of the chosen counters");
            return Err(FileFault::line(line, message, "choose fewer counters, or cut the file in parts"));
        }
        counter.readings.push((self.now_s, value));
        Ok(())
    }

    /// The gathered counters.
    ///
    /// # Errors
    /// A file whose zone nobody states.
    pub(super) fn end(self) -> Result<Counters, FileFault> {
        let zone = self.zone().ok_or_else(no_zone)?;
        Ok(Counters {
            zone,
            zone_is_stated: self.zone.is_none() && self.stated.is_some(),
            in_all: self.names.len(),
            first: self.first,
            chosen: self.chosen,
            origin: self.origin,
            span: self.span,
        })
    }
}

/// The fault of a file that does not state the zone of its times.
pub(super) fn no_zone() -> FileFault {
    FileFault::whole(
        "does not state the time zone of its times",
        "give it with --zone, for example --zone local, --zone UTC or --zone +09:00",
    )
}

/// A value of a counter. `None` for a sample without one: blank, or the -1 by which typeperf says so.
fn value_of(line: usize, name: &str, field: &str) -> Result<Option<f64>, FileFault> {
    let field = field.trim();
    if field.is_empty() || field == "-1" {
        return Ok(None);
    }
    // sar writes numbers by the language of its user.
    let number = field.parse::<f64>().ok().or_else(|| field.replacen(',', ".", 1).parse().ok());
    let wrong = |what: &str| {
        let message = format!("{}: {} {what}", quoted(name), quoted(field));
        FileFault::line(line, message, "mend the line, or leave this counter out")
    };
    match number {
        Some(value) if !value.is_finite() => Err(wrong("is no finite number")),
        Some(value) if value < 0.0 => Err(wrong("is less than nothing")),
        Some(value) if value > 1e18 => Err(wrong("is more than any counter counts")),
        Some(value) => Ok(Some(value)),
        None => Err(wrong("is no number")),
    }
}
