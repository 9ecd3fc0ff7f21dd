//! The fit of a drive: its error first, then its numbers.

use super::names::{name_of, unit_of};
use crate::html::{details, list};
use crate::lines::wrap;
use crate::number::{self, Digits};
use crate::page::Section;
use crate::sentences::{self, strong};
use crate::table::{Entry, Table, Tone, columns};
use device::catalogue::Accuracy;
use study::profile::{AtQueue, Errors, JUDGED, KeptFit, KeptNumber, KeptPoint, KeptValue, Worst};
use words::say;

/// Places of the mean and the 99th percentile among the judged figures.
const MEAN: usize = 0;
const P99: usize = 3;
/// A rate at the queue limit that is lower than the rate without one by more than this is told.
const AT_QUEUE: f64 = 0.97;

/// True if the fit predicted loads that it had not seen.
pub(super) fn is_judged(fit: &KeptFit) -> bool {
    fit.errors[MEAN].points > 0
}

/// The error of the model in one sentence.
pub(super) fn answer(fit: &KeptFit) -> String {
    let drive = &fit.drive;
    if !is_judged(fit) {
        return say!("profile-answer-unjudged", drive, loads = sentences::grouped(fit.loads));
    }
    let [median, nine] = shares(&fit.errors[MEAN]);
    let (mean, points) = (strong(&median), sentences::grouped(fit.errors[MEAN].points));
    match shares(&fit.errors[P99]) {
        [p99, p99_nine] if fit.errors[P99].points > 0 => {
            let p99 = strong(&p99);
            say!("profile-answer", drive, mean, p99, mean_nine = nine, p99_nine, points)
        }
        _ => say!("profile-answer-mean", drive, mean, mean_nine = nine, points),
    }
}

/// The caution about a model whose mean or 99th percentile was off by more than that of a good one; `None`
/// for a good model, and for one that was not judged.
pub(super) fn inaccurate(fit: &KeptFit) -> Option<String> {
    let judged = [MEAN, P99].map(|place| (JUDGED[place], &fit.errors[place])).into_iter();
    let judged = judged.filter(|(_, errors)| errors.points > 0);
    let (figure, errors) = judged.max_by(|(_, a), (_, b)| a.nine_in_ten.total_cmp(&b.nine_in_ten))?;
    (errors.nine_in_ten * 1e2 > Accuracy::GOOD_PERCENT)
        .then(|| say!("profile-inaccurate", figure, error = number::percent_rounded(errors.nine_in_ten)))
}

/// The median error, and what nine in ten points keep.
fn shares(errors: &Errors) -> [String; 2] {
    [errors.median, errors.nine_in_ten].map(number::percent_rounded)
}

/// The errors at points that the fit did not see.
pub(super) fn error_table(fit: &KeptFit) -> Table {
    let mut table = Table::new(columns![
        text say!("profile-column-figure"),
        number say!("profile-column-median"),
        number say!("profile-column-nine"),
        number say!("profile-column-points"),
    ]);
    for (figure, errors) in JUDGED.iter().zip(&fit.errors).filter(|(_, errors)| errors.points > 0) {
        let [median, nine] = shares(errors);
        let name = if *figure == JUDGED[MEAN] { say!("profile-mean") } else { figure };
        table.row([
            Entry::from(name),
            Entry::toned(median, Tone::Strong),
            nine.into(),
            number::count(errors.points as u64).into(),
        ]);
    }
    table
}

/// The tables of a drive's file, in its order.
const TABLES: [&str; 6] = ["link", "read", "write", "interference", "flush", "limit"];

/// Every number of the drive with its interval. Where the data do not say it the table has the stand-in that
/// the model takes, marked as one.
pub(super) fn number_table(fit: &KeptFit) -> Table {
    let mut table = Table::new(columns![
        text say!("profile-column-number"),
        number say!("column-value"),
        text say!("profile-column-unit"),
        number say!("column-interval-95"),
        text say!("profile-column-key"),
    ]);
    for of in TABLES {
        let is_of = |number: &&KeptNumber| number.key.split_once('.').is_some_and(|(table, _)| table == of);
        fit.numbers.iter().filter(is_of).for_each(|number| table.row(row(number)));
    }
    table
}

fn row(number: &KeptNumber) -> [Entry; 5] {
    let (unit, factor) = unit_of(&number.key);
    // Nobody has half a unit.
    let is_count = number.key == "read.units" || number.key == "link.queue_limit";
    let (value, interval) = match &number.value {
        KeptValue::Known(value, (low, high)) => {
            let [value, low, high] = [value, low, high].map(|value| value * factor);
            let digits = match is_count {
                true => Digits::decimals(0),
                false => Digits::of_interval(value, (high - low) / 2.0),
            };
            let interval = number::span((low, high), |end| digits.show(end));
            (Entry::toned(digits.show(value), Tone::Strong), Entry::from(interval))
        }
        KeptValue::Open(value) if value.is_infinite() => stand_in(say!("profile-no-limit")),
        KeptValue::Open(value) if is_count => stand_in(&Digits::decimals(0).show(*value)),
        KeptValue::Open(value) => stand_in(&number::plain(value * factor)),
        KeptValue::Word(word, false) => stand_in(word),
        KeptValue::Word(word, true) => (Entry::toned(word.as_str(), Tone::Strong), Entry::default()),
    };
    let is_limitless = matches!(number.value, KeptValue::Open(value) if value.is_infinite());
    let unit = if is_limitless { "" } else { unit };
    [name_of(&number.key).into(), value, unit.into(), interval, Entry::toned(number.key.as_str(), Tone::Soft)]
}

/// A stand-in is no result: value and interval of a number that the data do not say.
fn stand_in(value: &str) -> (Entry, Entry) {
    let value = say!("profile-stand-in", value);
    (Entry::toned(value, Tone::Soft), Entry::toned(say!("profile-not-identified"), Tone::Soft))
}

/// The reasons why numbers are not identified.
fn reasons(fit: &KeptFit) -> Vec<String> {
    let reason = |number: &KeptNumber| {
        Some(say!("profile-stand-in-why", number = name_of(&number.key), reason = number.why.as_deref()?))
    };
    fit.numbers.iter().filter_map(reason).collect()
}

/// The systematic errors of a fit.
fn leans(fit: &KeptFit) -> Vec<String> {
    fit.systematic.iter().map(|lean| say!("profile-systematic", what = lean.said())).collect()
}

/// The largest errors, the systematic ones, and how the rate of reads is to be read.
fn told_of(fit: &KeptFit) -> Vec<String> {
    let worst = fit.worst();
    let mut told = Vec::new();
    if !worst.is_empty() {
        told.push(say!("profile-worst", loads = words::parts(worst.iter().map(Worst::said))));
    }
    told.extend(leans(fit));
    let reads = fit.numbers.iter().find(|number| number.key == "read.rate_4k_per_s");
    if let (Some(AtQueue { depth, per_s }), Some(KeptValue::Known(rate, _))) =
        (fit.at_queue, reads.map(|reads| &reads.value))
        && per_s < AT_QUEUE * rate
    {
        let [rate, per_s] = [*rate, per_s].map(number::plain);
        told.push(say!("profile-at-queue", rate, depth, per_s));
    }
    told
}

/// Loads whose 99th percentile had too few operations, each once: reads and writes of a load, and its
/// repeats, are points of their own.
fn without_p99(fit: &KeptFit) -> Vec<String> {
    let without = |point: &&KeptPoint| point.predicted_ns[P99].is_none();
    let mut loads: Vec<String> = Vec::new();
    for load in fit.points.iter().filter(without).map(|point| point.shape.said()) {
        if !loads.contains(&load) {
            loads.push(load);
        }
    }
    loads
}

/// Remarks about the error, and the loads that could not be judged.
fn remarks(fit: &KeptFit) -> Vec<String> {
    let mut remarks = told_of(fit);
    if !fit.alone.is_empty() {
        let loads = words::parts(fit.alone.iter().map(study::profile::LoadShape::said));
        remarks.push(say!("profile-not-judged", loads));
    }
    let without_p99 = without_p99(fit);
    if !without_p99.is_empty() {
        remarks.push(say!("profile-not-judged-p99", loads = words::parts(without_p99)));
    }
    remarks
}

/// Errors, remarks and numbers, for a terminal.
pub(super) fn told(fit: &KeptFit) -> String {
    let mut text = String::new();
    if is_judged(fit) {
        text.push_str(&format!("{}\n{}", say!("profile-errors"), error_table(fit).to_text("  ")));
    }
    text.extend(remarks(fit).iter().map(|remark| wrap(remark, "  ")));
    text.push_str(&format!("\n{}\n{}", say!("profile-numbers"), number_table(fit).to_text("  ")));
    text.extend(reasons(fit).iter().map(|reason| wrap(reason, "  ")));
    text
}

/// The section of the page.
pub(super) fn section(fit: &KeptFit, mark: &str) -> Section {
    let mut body = String::new();
    if is_judged(fit) {
        body.push_str(&error_table(fit).to_html(&say!("profile-errors-caption", mark)));
    }
    body.push_str(&list(&told_of(fit)));
    if !fit.alone.is_empty() {
        let names: Vec<String> = fit.alone.iter().map(study::profile::LoadShape::said).collect();
        let summary = say!("profile-alone", count = sentences::grouped(names.len()));
        body.push_str(&details(&summary, &list(&names)));
    }
    let without_p99 = without_p99(fit);
    if !without_p99.is_empty() {
        let loads = words::parts(without_p99);
        body.push_str(&list(&[say!("profile-not-judged-p99", loads)]));
    }
    body.push_str(&number_table(fit).to_html(&say!("profile-numbers-caption", drive = fit.drive, mark)));
    body.push_str(&list(&reasons(fit)));
    Section {
        id: "fitted".into(),
        heading: say!("profile-numbers").to_owned(),
        lead: vec![say!("profile-numbers-lead").to_owned()],
        body,
        ..Section::default()
    }
}

/// The error of the tail, how many numbers the data say, and on how much the error rests.
pub(super) fn tiles(fit: &KeptFit) -> Vec<[String; 4]> {
    let mut tiles = Vec::new();
    if fit.errors[P99].points > 0 {
        let [median, nine] = shares(&fit.errors[P99]);
        tiles.push([
            say!("profile-tile-p99").to_owned(),
            median,
            say!("profile-tile-median").to_owned(),
            say!("profile-tile-nine", nine),
        ]);
    }
    let known = fit.numbers.iter().filter(|number| number.value.is_identified()).count();
    let open = fit.numbers.iter().filter(|number| !number.value.is_identified());
    let open: Vec<String> = open.map(|number| name_of(&number.key)).collect();
    let detail = match open.as_slice() {
        [] => say!("profile-tile-all").to_owned(),
        _ => say!("profile-tile-open", numbers = words::list(open)),
    };
    let all = number::count(fit.numbers.len() as u64);
    tiles.push([
        say!("profile-tile-numbers").to_owned(),
        number::count(known as u64),
        say!("tile-of", number = all),
        detail,
    ]);
    tiles.push([
        say!("profile-tile-points").to_owned(),
        number::count(fit.errors[MEAN].points as u64),
        String::new(),
        say!("profile-tile-loads", loads = sentences::grouped(fit.loads)),
    ]);
    tiles
}

#[cfg(test)]
mod tests {
    use super::super::given::shape;
    use super::*;
    use study::profile::Side;

    fn fit() -> KeptFit {
        let shape = shape(0.5);
        let predicted_ns = [Some(1e5), Some(1e5), Some(1e5), None];
        let point = |side| KeptPoint { side, shape, measured_ns: [1e5; 4], predicted_ns };
        let number = |key: &str, value, why: Option<&str>| KeptNumber {
            key: key.to_owned(),
            value,
            why: why.map(str::to_owned),
        };
        KeptFit {
            drive: "A".to_owned(),
            loads: 1,
            errors: [Errors { median: 0.48, nine_in_ten: 0.6, points: 2 }; 4],
            points: vec![point(Side::Reads), point(Side::Writes)],
            systematic: Vec::new(),
            alone: Vec::new(),
            at_queue: None,
            numbers: vec![
                number("link.queue_limit", KeptValue::Open(65_536.0), Some("more than 256 are taken")),
                number("link.read_bandwidth_mb_per_s", KeptValue::Open(f64::INFINITY), None),
                number("write.ack_us", KeptValue::Open(27.04), Some("no write was alone")),
                number("write.buffer_bytes", KeptValue::Open(4e6), Some("it was never full")),
                number("link.duplex", KeptValue::Word("half".to_owned(), false), Some("no mix")),
            ],
        }
    }

    #[test]
    fn a_model_that_is_far_off_is_called_inaccurate_by_its_worst_figure() {
        let mut far = fit();
        let told = inaccurate(&far).unwrap();
        assert!(
            told.starts_with(
                "The model is inaccurate: one in ten of its predictions of p99 was off by 60 % or"
            )
        );
        far.errors[P99].points = 0;
        assert!(inaccurate(&far).unwrap().contains("of the mean was"));
        far.errors[MEAN].nine_in_ten = Accuracy::GOOD_PERCENT / 1e2;
        assert_eq!(inaccurate(&far), None);
    }

    #[test]
    fn a_stand_in_is_shown_and_marked_with_its_reason() {
        let table = number_table(&fit());
        let rows: Vec<[&str; 3]> =
            table.rows.iter().map(|row| [1, 2, 3].map(|at| row[at].text.as_str())).collect();
        assert_eq!(
            rows,
            [
                ["65,536 (stand-in)", "", "not identified"],
                ["no limit (stand-in)", "", "not identified"],
                ["half (stand-in)", "", "not identified"],
                ["27.0 (stand-in)", "\u{b5}s", "not identified"],
                ["4.00 (stand-in)", "MB", "not identified"],
            ]
        );
        let (text, page) = (told(&fit()), section(&fit(), "a mark").body);
        for told in [text, page] {
            assert!(told.contains("write buffer, not identified: it was never full"), "{told}");
            assert!(
                !told.contains("read bandwidth, not identified"),
                "an older notebook has no reason: {told}"
            );
        }
    }

    #[test]
    fn a_load_is_listed_once_and_a_median_is_called_one() {
        assert_eq!(without_p99(&fit()), ["random 4KiB, 50 % reads, depth 4"]);
        let mut judged = fit();
        judged.errors[P99].points = 0;
        assert!(answer(&judged).contains("with a median error of "), "{}", answer(&judged));
        assert!(!answer(&judged).contains("within a median"), "{}", answer(&judged));
    }
}
