//! A drive beside its emulated twin: the error of the model in the figures that people ask for.

use crate::error::ReportError;
use crate::figure::forest::{self, Ground, Row};
use crate::figure::{Caption, Figure};
use crate::level::level;
use crate::number;
use crate::page::Section;
use crate::sentences::{self, strong};
use crate::svg::BedMark;
use crate::table::{Entry, Table, Tone, columns};
use notebook::{Notebook, RunId};
use study::StudyError;
use study::profile::{TwinFigure, twin_figures};
use words::{Latency, Metric, Statistic, say};

/// The figures of all loads, twin against drive.
#[derive(Clone, Debug)]
pub(crate) struct Twin {
    /// The drive that was modelled.
    drive: String,
    figures: Vec<TwinFigure>,
}

/// The tail of commits.
const COMMIT_P99: Metric = Metric::Latency(Latency::Commit, Statistic::P99);
/// A model that is off by less than this is good enough for most questions.
const GOOD: f64 = 0.1;

impl Twin {
    /// Reads the figures; `None` for a run that has not two beds.
    pub(super) fn read(notebook: &Notebook, run: RunId, drive: String) -> Result<Option<Twin>, ReportError> {
        match twin_figures(notebook, run) {
            Ok(figures) => Ok(Some(Twin { drive: short_name(&drive), figures })),
            Err(StudyError::Notebook(error)) => Err(error.into()),
            Err(_) => Ok(None),
        }
    }

    fn of(&self, metric: Metric) -> impl Iterator<Item = &TwinFigure> {
        self.figures.iter().filter(move |figure| figure.metric == metric)
    }

    /// The figures that the answer is about: throughput and tail of orders, else of I/Os.
    fn asked(&self) -> (Twin, Vec<Metric>) {
        let first = if self.of(Metric::Nopm).next().is_some() { Metric::Nopm } else { Metric::Iops };
        let workloads: Vec<&str> = self.of(first).map(|figure| figure.workload.as_str()).collect();
        let is_asked = |figure: &&TwinFigure| workloads.contains(&figure.workload.as_str());
        let figures = self.figures.iter().filter(is_asked).cloned().collect();
        let of = Twin { drive: self.drive.clone(), figures };
        // An embedded engine has no commits of their own.
        let tails = [COMMIT_P99, Metric::LATENCY_P99];
        let tail = tails.into_iter().find(|metric| of.of(*metric).next().is_some());
        let metrics = [Some(first), tail].into_iter().flatten();
        let metrics = metrics.filter(|metric| of.of(*metric).next().is_some()).collect();
        (of, metrics)
    }

    /// The largest error of a metric over its loads, and the largest that the intervals leave possible.
    fn most(&self, metric: Metric) -> (f64, f64) {
        let off = |ratio: f64| (ratio - 1.0).abs();
        let figures = || self.of(metric).map(|figure| &figure.ratio);
        let value = figures().map(|ratio| off(ratio.value)).fold(0.0, f64::max);
        let bound = figures().map(|ratio| off(ratio.low).max(off(ratio.high))).fold(0.0, f64::max);
        (value, bound)
    }

    /// The error of the model in one sentence.
    pub(super) fn answer(&self) -> String {
        let (drive, (of, asked)) = (&self.drive, self.asked());
        let Some(first) = asked.first() else { return say!("twin-answer-none", drive) };
        let within = |share: fn((f64, f64)) -> f64, mark: fn(&str) -> String| {
            words::list(asked.iter().map(|metric| {
                let percent = mark(&number::percent_rounded(share(of.most(*metric))));
                say!("twin-within", percent, metric = metric_name(*metric))
            }))
        };
        let loads = sentences::grouped(of.of(*first).count());
        let told = within(|(value, _)| value, strong);
        let bounds = within(|(_, bound)| bound, str::to_owned);
        say!("twin-answer", drive, told, loads, bounds)
    }

    /// Every figure of every load.
    pub(super) fn table(&self) -> Table {
        let mut table = Table::new(columns![
            text say!("column-load"),
            text say!("twin-column-figure"),
            number say!("twin-column-drive"),
            number say!("twin-column-twin"),
            number say!("twin-column-error"),
            number say!("column-interval-95"),
            number say!("twin-column-pairs"),
        ]);
        for figure in &self.figures {
            let ratio = &figure.ratio;
            let interval = number::span((ratio.low, ratio.high), |end| percent(end - 1.0));
            table.row([
                Entry::from(load(figure)),
                Entry::from(with_unit(figure.metric)),
                number::plain(figure.drive).into(),
                number::plain(figure.twin).into(),
                Entry::toned(percent(ratio.value - 1.0), Tone::Strong),
                interval.into(),
                number::count(ratio.pairs_or_runs.0 as u64).into(),
            ]);
        }
        table
    }

    /// Every figure as a ratio of twin to drive.
    pub(super) fn figure(&self) -> Option<Figure> {
        if self.figures.len() < 2 {
            return None;
        }
        let rows: Vec<Row> = self.figures.iter().map(row).collect();
        let ground = Ground {
            zone: (1.0 - GOOD, 1.0 + GOOD),
            heading: say!("column-load").to_owned(),
            sides: (say!("twin-side-lower").to_owned(), say!("twin-side-higher").to_owned()),
        };
        let within = self.figures.iter().filter(|figure| figure.is_within(GOOD)).count();
        let (all, good) = (self.figures.len(), number::percent(GOOD));
        let title = say!("twin-title", within, all, good);
        let caption = Caption {
            id: "twin".to_owned(),
            reading: say!("twin-reading", good),
            description: sentences::join(&sentences::spans(&self.answer())),
            title,
        };
        Some(forest::lead(caption, &ground, &rows, self.table()))
    }

    /// The section of the page.
    pub(super) fn section(&self, mark: &str) -> Section {
        let body = if self.figures.is_empty() {
            String::new()
        } else {
            self.table().to_html(&say!("twin-caption", drive = self.drive, mark))
        };
        Section {
            id: "twin-numbers".into(),
            heading: say!("profile-twin").to_owned(),
            lead: vec![say!("twin-lead").to_owned()],
            body,
            ..Section::default()
        }
    }

    /// The tail, the block I/Os or the mean, and the pairs.
    pub(super) fn tiles(&self) -> Vec<[String; 4]> {
        let (_, asked) = self.asked();
        let commit_mean = Metric::Latency(Latency::Commit, Statistic::Mean);
        let others = [commit_mean, Metric::LATENCY_MEAN, Metric::Iops, Metric::LATENCY_P99];
        let others = others.into_iter().filter(|metric| !asked.contains(metric));
        let mut tiles: Vec<[String; 4]> = others
            .filter(|metric| self.of(*metric).next().is_some())
            .take(2)
            .map(|metric| {
                let (value, bound) = self.most(metric);
                let bound = number::percent_rounded(bound);
                let name = say!("twin-tile", metric = metric_name(metric));
                let value = format!("\u{b1}{}", number::percent_rounded(value));
                [name, value, say!("twin-tile-most").to_owned(), say!("twin-tile-bound", bound)]
            })
            .collect();
        let pairs = self.figures.iter().map(|figure| figure.ratio.pairs_or_runs.0);
        if let Some(least) = pairs.min() {
            tiles.push([
                say!("twin-tile-pairs").to_owned(),
                number::count(least as u64),
                String::new(),
                say!("twin-tile-interleaved").to_owned(),
            ]);
        }
        tiles
    }
}

/// The name of a drive that its experiment takes from a file: that of the file.
fn short_name(drive: &str) -> String {
    let name = drive.rsplit('/').next().unwrap_or(drive);
    name.strip_suffix(".toml").unwrap_or(name).to_owned()
}

/// `+1.2 %`.
fn percent(share: f64) -> String {
    let sign = if share < 0.0 { "\u{2212}" } else { "+" };
    let percent = share.abs() * 100.0;
    let decimals = if percent < 10.0 { 1 } else { 0 };
    format!("{sign}{} %", words::decimals(percent, decimals))
}

/// `orders, 8 virtual users`.
fn load(figure: &TwinFigure) -> String {
    format!("{}, {}", figure.workload, level(figure.level, &figure.level_name))
}

/// `orders, users 8`, for a narrow column.
fn load_short(figure: &TwinFigure) -> String {
    let of = words::level_short(&figure.level_name);
    format!("{}, {of} {}", figure.workload, number::level(figure.level))
}

/// `p99 of commits`.
fn metric_name(metric: Metric) -> String {
    match metric {
        Metric::Latency(Latency::Commit, Statistic::Mean) => say!("twin-commit-mean").to_owned(),
        COMMIT_P99 => say!("twin-commit-p99").to_owned(),
        metric => metric.short(),
    }
}

fn with_unit(metric: Metric) -> String {
    let (name, unit) = (metric_name(metric), "ms");
    match metric {
        Metric::Latency(..) => say!("twin-in-unit", name, unit),
        _ => name,
    }
}

fn row(figure: &TwinFigure) -> Row {
    let name = metric_name(figure.metric);
    let ratio = &figure.ratio;
    Row {
        bed: BedMark { slot: 1, way: 0, name: name.clone(), short: name },
        what: load_short(figure),
        value: ratio.value,
        interval: Some((ratio.low, ratio.high)),
        shown: number::ratio_alone(ratio.value),
        word: percent(ratio.value - 1.0),
        hollow: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_its_sign_and_a_drive_its_name() {
        assert_eq!((percent(0.0512), percent(-0.25)), ("+5.1 %".to_owned(), "\u{2212}25 %".to_owned()));
        assert_eq!(short_name("/a/b/my-drive.toml"), "my-drive");
        assert_eq!(short_name("micron-5200-eco-1920g"), "micron-5200-eco-1920g");
    }
}
