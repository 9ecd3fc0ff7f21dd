//! The names of the beds: their own when only the treatment differs, else letters.
//!
//! "NVMe is twice as fast" is a claim about NVMe. When the beds also differ in processor or memory the
//! numbers do not support it, so the report says "A: NVMe" and lets the reader see what bed A is.

use crate::loaded_run::LoadedRun;
use crate::svg::{BedMark, width};
use words::{BedStorage, say};

/// The name of one bed.
#[derive(Clone, Debug, PartialEq)]
pub struct BedName {
    /// Name in the experiment and the notebook.
    pub name: String,
    /// Its name in sentences and tables.
    pub shown: String,
    /// The bed's own label, or its name.
    pub label: String,
    /// One line: the drive or path it keeps its bytes on.
    pub storage: String,
    /// Colour, dash, marker and short name in figures.
    pub(crate) mark: BedMark,
}

/// A label up to this width is at the end of a line; the bed's name replaces a wider one.
const LABEL_WIDTH_MOST: f64 = 132.0;
/// Size of the letters of such a label.
const LABEL_FONT: f64 = 12.5;

/// Names for all beds of a run, in their order.
pub(crate) fn of(loaded: &LoadedRun, by_treatment: bool) -> Vec<BedName> {
    let name = |(slot, bed): (usize, &notebook::Bed)| {
        let label = bed.label.clone().unwrap_or_else(|| bed.name.clone());
        let fits = |name: &str| width::of(name, LABEL_FONT, true) <= LABEL_WIDTH_MOST;
        let short = match fits(&label) {
            true => label.clone(),
            // The one bed of a command has the same name in every run.
            false if loaded.command().is_some() => end_of(&label, fits).unwrap_or(&bed.name).to_owned(),
            false => bed.name.clone(),
        };
        // A figure that is taken elsewhere has no key beside it: a letter alone would mean nothing there.
        let marked = |name: String| match by_treatment {
            true => name,
            false => say!("name-bed", letter = letter(slot), name),
        };
        let shown = if by_treatment { label.clone() } else { marked(label.clone()) };
        BedName {
            name: bed.name.clone(),
            shown,
            label,
            storage: BedStorage::read(&bed.storage_summary).spoken(),
            mark: match loaded.command() {
                Some(_) => BedMark { slot, way: 0, short: short.clone(), name: short },
                None => {
                    BedMark { slot, way: 0, short: marked(tight(&loaded.beds, bed)), name: marked(short) }
                }
            },
        }
    };
    loaded.beds.iter().enumerate().map(name).collect()
}

/// The longest end of a label in whole words that fits: of a drive, what follows its maker.
fn end_of(label: &str, fits: impl Fn(&str) -> bool) -> Option<&str> {
    label.match_indices(' ').map(|(at, _)| &label[at + 1..]).find(|end| !end.is_empty() && fits(end))
}

/// The marks of beds by their own names, where nothing is compared.
pub(crate) fn marks(beds: &[notebook::Bed]) -> Vec<BedMark> {
    let mark = |(slot, bed): (usize, &notebook::Bed)| {
        let label = bed.label.clone().unwrap_or_else(|| bed.name.clone());
        BedMark { slot, way: 0, name: label, short: tight(beds, bed) }
    };
    beds.iter().enumerate().map(mark).collect()
}

/// A word in brackets up to this width is a bed's name in tight places.
const TIGHT_WIDTH_MOST: f64 = 76.0;

/// The name of a bed in tight places: what its label has in brackets at its end, `DC1500M` of "NVMe
/// (DC1500M)", where that is short and no other bed has it, else its name in the experiment.
fn tight(beds: &[notebook::Bed], bed: &notebook::Bed) -> String {
    let of = |bed: &notebook::Bed| in_brackets(bed.label.as_deref()?).map(str::to_owned);
    let alone = |word: &String| beds.iter().filter(|other| of(other).as_ref() == Some(word)).count() == 1;
    let fits = |word: &String| width::of(word, LABEL_FONT, true) <= TIGHT_WIDTH_MOST;
    of(bed).filter(alone).filter(fits).unwrap_or_else(|| bed.name.clone())
}

/// The text in the brackets at the end of a label.
fn in_brackets(label: &str) -> Option<&str> {
    let (_, rest) = label.split_once('(')?;
    rest.strip_suffix(')').map(str::trim).filter(|word| !word.is_empty() && !word.contains(['(', ')']))
}

/// A to Z, then A1, B1 and so on.
fn letter(slot: usize) -> String {
    let letter = char::from(b'A' + u8::try_from(slot % 26).unwrap_or(0));
    if slot < 26 { letter.to_string() } else { format!("{letter}{}", slot / 26) }
}

/// Short names for two runs: `run 3`, with its start when both have the same number in different notebooks.
pub(crate) fn run_names(above: &LoadedRun, below: &LoadedRun) -> (String, String) {
    let number = |loaded: &LoadedRun| say!("name-run", number = loaded.run.id.to_string());
    let same_minute = minute(&above.run.started_at) == minute(&below.run.started_at);
    let dated = |loaded: &LoadedRun| {
        let start = &loaded.run.started_at;
        let start = if same_minute { start.replace('T', " ").replace('Z', "") } else { minute(start) };
        say!("name-run-of-time", run = number(loaded), start)
    };
    if above.run.id == below.run.id { (dated(above), dated(below)) } else { (number(above), number(below)) }
}

/// An RFC 3339 time to the minute, in UTC, as the spoken language writes it: `2026-05-04 10:07`.
pub(crate) fn minute(time: &str) -> String {
    let moment = time.parse::<jiff::Timestamp>();
    let zoned = moment.map(|moment| moment.to_zoned(jiff::tz::TimeZone::UTC));
    zoned.map_or_else(|_| time.to_owned(), |zoned| zoned.strftime(say!("language-minute")).to_string())
}

/// The name of a run in short: of one that came from a file the file's own name. Names of built-in
/// experiments have parts as well and no ending.
pub fn in_short(run: &notebook::Run) -> &str {
    file_name(&run.name)
}

fn file_name(name: &str) -> &str {
    let Some((_, last)) = name.rsplit_once('/') else { return name };
    let is_path = name.starts_with(['/', '.', '~']) || last.contains('.');
    if is_path && !last.is_empty() { last } else { name }
}

/// The version of the program that made a run, without the program's name.
pub(crate) fn version(run: &notebook::Run) -> &str {
    run.tool_version.strip_prefix("drivetrain ").unwrap_or(&run.tool_version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_cut_at_its_beginning_and_in_whole_words() {
        let short = |most: usize| end_of("Kingston DC1500M 960 GB", move |end| end.len() <= most);
        assert_eq!([short(14), short(13), short(1)], [Some("DC1500M 960 GB"), Some("960 GB"), None]);
        assert_eq!(end_of("one", |_| true), None);
    }

    #[test]
    fn a_run_from_a_file_is_called_by_the_name_of_the_file() {
        let named = |name: &str| file_name(name).to_owned();
        assert_eq!(named("/a/pages/backup.toml"), "backup.toml");
        assert_eq!([named("../gate"), named("a/b.fio"), named("x.toml")], ["gate", "b.fio", "x.toml"]);
        assert_eq!(named("kingston-dc1500m/test-2"), "kingston-dc1500m/test-2");
    }

    #[test]
    fn a_bed_is_called_by_the_brackets_of_its_label_where_they_tell_it_apart() {
        let bed = |name: &str, label: &str| notebook::Bed {
            name: name.to_owned(),
            label: Some(label.to_owned()),
            ..notebook::Bed::default()
        };
        let beds = [bed("nvme", "NVMe (DC1500M)"), bed("a", "NVMe (mirror)"), bed("b", "SATA (mirror)")];
        let shorts: Vec<String> = marks(&beds).into_iter().map(|mark| mark.short).collect();
        assert_eq!(shorts, ["DC1500M", "a", "b"]);
        assert_eq!(tight(&[], &bed("x", "(alone in an empty list)")), "x");
        let none = ["plain", "open (bracket", "a (b) c", "a ()", "a (b (c))", "a )b("];
        assert_eq!(none.map(in_brackets), [None; 6]);
    }

    #[test]
    fn letters_do_not_run_out() {
        assert_eq!([0, 1, 25, 26, 53].map(letter), ["A", "B", "Z", "A1", "B2"]);
    }
}
