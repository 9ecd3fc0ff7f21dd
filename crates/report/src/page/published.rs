//! Published numbers beside ours, with what makes them differ in kind.

use super::surroundings::study_setup;
use super::{Section, Source};
use crate::book::Place;
use crate::figure::forest::{self, Ground, Row};
use crate::figure::levels::Point;
use crate::figure::{Caption, Figure};
use crate::metric::{self, Metric};
use crate::naming::BedName;
use crate::number;
use crate::svg::escape;
use crate::table::{Entry, Table, Tone};
use crate::words;
use notebook::PublishedNumber;

/// A published number that was measured on a system that one of our beds models, in a metric that we measure,
/// too.
struct Match<'a> {
    number: &'a PublishedNumber,
    bed: &'a BedName,
    metric: &'static Metric,
}

/// The study's words for metrics, in lower case, and ours.
const METRICS: [(&str, &str); 8] = [
    ("nopm", "nopm"),
    ("tpm", "tpm"),
    ("tpm per virtual user", "tpm_per_user"),
    ("cpu idle", "cpu_idle"),
    ("iops", "iops"),
    ("mean latency", "latency_mean"),
    ("bandwidth", "bandwidth"),
    ("p99 latency", "latency_p99"),
];

/// The section, when the experiment has published numbers.
pub(super) fn section(source: &Source<'_>) -> Option<Section> {
    let numbers = &source.book.published;
    if numbers.is_empty() {
        return None;
    }
    let beds = &source.comparison.beds;
    let mut matches: Vec<Match<'_>> = numbers.iter().filter_map(|number| matched(number, beds)).collect();
    matches.sort_by_key(|one| METRICS.iter().position(|(_, ours)| *ours == one.metric.name));
    let figures = ratio_figure(source, &matches).into_iter().collect();
    let mut body = number_table(source, numbers, &matches)
        .to_html(&format!("Every published number of the test ({})", source.mark));
    if let Some(setup) = study_setup(source) {
        body.push_str(&format!(
            "<details><summary>The set-up of the study</summary>{}</details>",
            setup.to_html("The study's own beds as printed; not part of this run")
        ));
    }
    Some(Section {
        id: "published",
        heading: "Beside the published numbers".to_owned(),
        lead: lead(source),
        figures,
        body,
    })
}

/// What must be known before the two columns are read together.
fn lead(source: &Source<'_>) -> Vec<String> {
    let book = source.book;
    let mut lead = Vec::new();
    if let Some(conditions) = shared_conditions(&book.published) {
        let name = book.run.published.as_deref().unwrap_or("The study");
        lead.push(format!("{name}: {}", words::sentence(conditions)));
    } else if let Some(name) = &book.run.published {
        lead.push(format!("Published in {name}."));
    }
    if book.run.scale < 1.0 {
        lead.push(format!(
            "Not the same experiment: here everything is shrunk ({}). Compare ratios between beds, not absolute numbers.",
            number::scale(book.run.scale)
        ));
    }
    let has_tpm = book.published.iter().any(|number| number.metric.eq_ignore_ascii_case("tpm"));
    if has_tpm && book.published.iter().any(|number| number.study.starts_with("kingston")) {
        lead.push(
            "TPM is not the same count: the study's TPM counts batch requests of SQL Server, 4.6 for each new order; TPM here counts \
             committed transactions, 2.3 for each. NOPM means the same in both."
                .to_owned(),
        );
    }
    let setups: Vec<_> = book.beds.iter().map(|bed| &bed.facts).collect();
    let differing: Vec<&str> = setups
        .first()
        .into_iter()
        .flat_map(|first| first.iter())
        .filter(|(key, value)| setups.iter().any(|other| other.get(*key) != Some(*value)))
        .map(|(key, _)| key.as_str())
        .collect();
    if !differing.is_empty() && book.is_emulated() {
        lead.push(format!(
            "In the study the beds also differed in {}; here they do not, so the study's ratio holds those effects, too.",
            differing.join(", ")
        ));
    }
    lead
}

/// The bed and metric that a published number belongs to, if exactly one bed fits and it is one system's
/// measurement.
fn matched<'a>(number: &'a PublishedNumber, beds: &'a [BedName]) -> Option<Match<'a>> {
    let word = number.metric.to_lowercase();
    let (_, ours) = METRICS.iter().find(|(theirs, _)| *theirs == word)?;
    let metric = metric::find(ours)?;
    if !number.kind.starts_with("measured") {
        return None;
    }
    let score =
        |bed: &BedName| common_words(&number.system, &format!("{} {} {}", bed.name, bed.label, bed.storage));
    let best = beds.iter().map(score).max().filter(|best| *best > 0)?;
    let mut fitting = beds.iter().filter(|bed| score(bed) == best);
    let bed = fitting.next()?;
    fitting.next().is_none().then_some(Match { number, bed, metric })
}

/// Letters of the words that both texts hold, so that `DC1500M` weighs more than `K`. Words of one letter do
/// not count.
fn common_words(a: &str, b: &str) -> usize {
    let words = |text: &str| -> Vec<String> {
        let lower = text.to_lowercase();
        let mut words: Vec<String> = lower
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.len() > 1)
            .map(str::to_owned)
            .collect();
        words.sort();
        words.dedup();
        words
    };
    let other = words(b);
    words(a).iter().filter(|word| other.contains(word)).map(String::len).sum()
}

/// Our value of a matched number: the mean at the highest level at which the bed has a valid cell.
fn ours(source: &Source<'_>, bed: &str, metric: &Metric) -> Option<(String, Point)> {
    let book = source.book;
    for workload in book.workloads() {
        for level in book.levels(workload).into_iter().rev() {
            let values = book.values(&Place { workload, level, bed }, metric.name);
            if let Some(point) = Point::new(level, values.into_iter().map(|pair| pair.1).collect()) {
                return Some((words::level(level, book.level_name(workload)), point));
            }
        }
    }
    None
}

/// Ratios of each bed to the baseline, the study's and ours.
fn ratio_figure(source: &Source<'_>, matches: &[Match<'_>]) -> Option<Figure> {
    let comparison = source.comparison;
    let mut rows = Vec::new();
    let mut table = Table::new(&["ratio", "#published", "#here", "#95 % interval here"]);
    let mut description = Vec::new();
    for one in matches.iter().filter(|m| m.bed.name != comparison.baseline && m.metric.direction.is_some()) {
        let Some(base) = matches.iter().find(|m| {
            m.bed.name == comparison.baseline
                && m.metric.name == one.metric.name
                && m.number.conditions == one.number.conditions
        }) else {
            continue;
        };
        let here = comparison
            .contrasts
            .iter()
            .filter(|c| c.metric == one.metric.name && c.treatment_bed == one.bed.name);
        let Some(here) = here.max_by(|a, b| a.level.total_cmp(&b.level)) else { continue };
        if base.number.value <= 0.0 {
            continue;
        }
        let theirs = one.number.value / base.number.value;
        let ratio = &here.judgement.ratio;
        let [shown, low, high] = number::ratio(ratio.value, ratio.low, ratio.high);
        let published = number::ratio_alone(theirs);
        let what =
            format!("{}, {} to {}", one.metric.short, one.bed.shown, comparison.shown(&comparison.baseline));
        description.push(format!("{what}: published {published}, here {shown}."));
        table.row([what, published.clone(), shown.clone(), format!("{low} to {high}")]);
        let row = |value, interval, shown, word: &str, hollow| Row {
            bed: one.bed.mark.clone(),
            what: one.metric.short.to_owned(),
            value,
            interval,
            shown,
            word: word.to_owned(),
            hollow,
        };
        rows.push(row(theirs, None, published, "published", true));
        rows.push(row(ratio.value, Some((ratio.low, ratio.high)), shown, "here", false));
    }
    let ground = Ground { zone: (1.0, 1.0), heading: String::new(), sides: (String::new(), String::new()) };
    let caption = Caption {
        id: "published-ratios".to_owned(),
        title: format!("Ratio to {}, published and here", comparison.shown(&comparison.baseline)),
        reading:
            "Hollow: the study, one run each, so without an interval. Filled: this run at its highest level."
                .to_owned(),
        description: description.join(" "),
    };
    (!rows.is_empty()).then(|| forest::figure(caption, &ground, &rows, table))
}

/// The conditions of the study, when they are the same for all its numbers.
fn shared_conditions(numbers: &[PublishedNumber]) -> Option<&str> {
    let first = numbers.first()?.conditions.as_str();
    (!first.is_empty() && numbers.iter().all(|number| number.conditions == first)).then_some(first)
}

fn number_table(source: &Source<'_>, numbers: &[PublishedNumber], matches: &[Match<'_>]) -> Table {
    let shared = shared_conditions(numbers).is_some();
    let mut heads = vec!["metric", "system of the study", "#published", "#here", "here at"];
    heads.extend((!shared).then_some("conditions of the study"));
    heads.push("remarks");
    let mut table = Table::new(&heads);
    let order = |number: &&PublishedNumber| matches.iter().position(|one| std::ptr::eq(one.number, *number));
    let mut sorted: Vec<&PublishedNumber> = numbers.iter().collect();
    sorted.sort_by_key(|number| order(number).unwrap_or(usize::MAX));
    for number in sorted {
        let here = matches.iter().find(|one| std::ptr::eq(one.number, number));
        let mut row = vec![
            Entry::from(number.metric.clone()),
            Entry::from(number.system.clone()),
            Entry::from(format!("{} {}", shown(number.value), number.unit)),
        ];
        match here.and_then(|one| ours(source, &one.bed.name, one.metric).map(|(at, point)| (one, at, point)))
        {
            Some((one, at, point)) => {
                row.push(Entry::toned(format!("{} {}", point.shown(), one.metric.unit), Tone::Strong));
                row.push(Entry::from(format!("{}, {at}", one.bed.shown)));
            }
            None => row.extend([Entry::toned("-", Tone::Soft), Entry::toned("no counterpart", Tone::Soft)]),
        }
        row.extend((!shared).then(|| Entry::toned(number.conditions.clone(), Tone::Soft)));
        row.push(Entry::toned(remarks(number), Tone::Soft));
        table.row(row);
    }
    table
}

/// Kind of the number, confidence where it is not high, and the note.
fn remarks(number: &PublishedNumber) -> String {
    let mut remarks = vec![number.kind.clone()];
    if number.confidence != "high" {
        remarks.push(format!("confidence {}", number.confidence));
    }
    if !number.note.is_empty() {
        remarks.push(number.note.clone());
    }
    remarks.join("; ")
}

/// A printed number keeps the digits with which it was printed.
fn shown(value: f64) -> String {
    let text = format!("{value}");
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    escape(&number::Digits::decimals(u32::try_from(decimals).unwrap_or(0)).show(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_told_apart_by_their_words() {
        let (nvme, eco) =
            ("nvme DC1500M emulated kingston-dc1500m-960g", "eco 5200 ECO micron-5200-eco-1920g");
        let system = "K-SATA / Micron 5200 ECO 1920GB";
        assert!(common_words(system, eco) > common_words(system, nvme));
        assert_eq!(common_words("a b", "a b"), 0);
    }

    #[test]
    fn printed_numbers_keep_their_digits() {
        assert_eq!(shown(1_463_290.0), "1,463,290");
        assert_eq!(shown(15.5), "15.5");
    }
}
