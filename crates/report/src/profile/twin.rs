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
use device::catalogue::short_name;
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
            Ok(figures) => Ok(Some(Twin { drive: short_name(&drive).to_owned(), figures })),
            Err(StudyError::Notebook(error)) => Err(error.into()),
            Err(_) => Ok(None),
        }
    }

    fn of(&self, metric: Metric) -> impl Iterator<Item = &TwinFigure> {
        self.figures.iter().filter(move |figure| figure.metric == metric)
    }

    /// The figures from the greatest error to the smallest.
    pub(super) fn worst_first(&self) -> Twin {
        let mut twin = self.clone();
        twin.figures.sort_by(|a, b| b.factor().total_cmp(&a.factor()));
        twin
    }

    /// The figure with the greatest error.
    fn worst(&self) -> Option<&TwinFigure> {
        self.figures.iter().max_by(|a, b| a.factor().total_cmp(&b.factor()))
    }

    /// The numbers of figures that are shown to be good, and of all.
    fn good(&self) -> [String; 2] {
        let within = self.figures.iter().filter(|figure| figure.is_within(GOOD)).count();
        [within, self.figures.len()].map(|count| number::count(count as u64))
    }

    /// The greatest error of the model, and the number of good figures, in one sentence.
    pub(super) fn answer(&self) -> String {
        let drive = &self.drive;
        let Some(worst) = self.worst() else { return say!("twin-answer-none", drive) };
        let ends = (worst.ratio.low, worst.ratio.high);
        let error = number::with_interval(strong(&percent(worst.error())), ends, |end| percent(end - 1.0));
        let ([within, all], good) = (self.good(), number::percent(GOOD));
        let (metric, load) = (metric_name(worst.metric), load(worst));
        say!("twin-answer", drive, error, metric, load, within, all, good)
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
                Entry::toned(percent(figure.error()), Tone::Strong),
                interval.into(),
                number::count(ratio.pairs_or_runs.0 as u64).into(),
            ]);
        }
        table
    }

    /// Every figure as a ratio of twin to drive.
    pub(super) fn figure(&self) -> Option<Figure> {
        let worst = self.worst().filter(|_| self.figures.len() > 1)?;
        let rows: Vec<Row> = self.figures.iter().map(row).collect();
        let ground = Ground {
            zone: (1.0 - GOOD, 1.0 + GOOD),
            heading: say!("column-load").to_owned(),
            sides: (say!("twin-side-lower").to_owned(), say!("twin-side-higher").to_owned()),
        };
        let ([within, all], good) = (self.good(), number::percent(GOOD));
        let (error, metric, load) = (percent(worst.error()), metric_name(worst.metric), load(worst));
        let title = say!("twin-title", error, metric, load, within, all, good);
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

    /// The two worst figures beside that of the answer, and the pairs.
    pub(super) fn tiles(&self) -> Vec<[String; 4]> {
        let mut others: Vec<Metric> = Vec::new();
        for metric in self.worst_first().figures.iter().map(|figure| figure.metric) {
            if !others.contains(&metric) {
                others.push(metric);
            }
        }
        let mut tiles: Vec<[String; 4]> = others
            .into_iter()
            .skip(1)
            .take(2)
            .filter_map(|metric| {
                let worst = self.of(metric).max_by(|a, b| a.factor().total_cmp(&b.factor()))?;
                let ends = (worst.ratio.low, worst.ratio.high);
                let interval = number::span(ends, |end| percent(end - 1.0));
                let detail = say!("twin-tile-where", load = load(worst), interval);
                let name = say!("twin-tile", metric = metric_name(metric));
                Some([name, percent(worst.error()), say!("twin-tile-most").to_owned(), detail])
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
        word: percent(figure.error()),
        hollow: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::Ratio;

    fn figure(workload: &str, metric: Metric, level: f64, value: f64) -> TwinFigure {
        TwinFigure {
            workload: workload.to_owned(),
            level,
            level_name: "depth".to_owned(),
            metric,
            drive: 100.0,
            twin: 100.0 * value,
            ratio: Ratio {
                value,
                low: value * 0.98,
                high: value * 1.02,
                pairs_or_runs: (6, 6),
                paired: true,
                method: "",
                p_value: None,
                degrees_of_freedom: 5.0,
            },
        }
    }

    #[test]
    fn the_greatest_error_comes_first_with_its_load_level_and_figure() {
        let figures = vec![
            figure("orders", Metric::Nopm, 8.0, 1.01),
            figure("mix", Metric::Iops, 4.0, 1.2),
            figure("mix", Metric::LATENCY_P99, 16.0, 0.62),
            figure("mix", Metric::LATENCY_MEAN, 16.0, 1.03),
        ];
        let twin = Twin { drive: "my".to_owned(), figures };
        assert_eq!(
            sentences::join(&sentences::spans(&twin.answer())),
            "The largest error of the twin of my is \u{2212}38 % (95 % interval \u{2212}39 % to \u{2212}37 %) in p99 of mix, \
             queue depth 16; 2 of 4 figures are shown to be within 10 % of the drive."
        );
        let drawn = twin.figure().expect("four figures");
        assert!(
            drawn.title.starts_with("Largest error \u{2212}38 % (p99 of mix, queue depth 16); "),
            "{}",
            drawn.title
        );
        assert_eq!(twin.worst_first().table().rows[0][4].text, "\u{2212}38 %", "no room cuts it off");
        let tiles: Vec<String> = twin.tiles().into_iter().map(|[name, ..]| name).collect();
        assert_eq!(tiles, ["Error of IOPS", "Error of mean", "Pairs of each load"]);
        let of_iops = &twin.tiles()[0];
        assert_eq!(of_iops[1..3], ["+20 %", "the largest of all loads"], "an error has a direction");
        assert_eq!(of_iops[3], "mix, queue depth 4; 95 % interval +18 % to +22 %.");
        let none = Twin { figures: Vec::new(), ..twin };
        assert!(none.answer().contains("Nothing can be said yet") && none.figure().is_none());
    }

    #[test]
    fn an_error_has_its_sign() {
        assert_eq!((percent(0.0512), percent(-0.25)), ("+5.1 %".to_owned(), "\u{2212}25 %".to_owned()));
    }
}
