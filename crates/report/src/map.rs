//! Read latency over the load: the measured map, the model's own, and the error of the model at points that
//! its fit did not see, as figures and as a page.

mod classes;
mod draw;
mod judged;
mod page;

use device::ReadMap;
use device::catalogue::Entry;
use words::say;

use crate::error::ReportError;
use crate::export::FigureFile;
use crate::figure::{Figure, Width};
use crate::page::style;
use crate::table::{Table, columns};
use crate::{number, sentences};
use judged::Judged;

/// One percentile of a map, ns.
type Values = fn(&ReadMap) -> &[f64];

/// The maps of a drive: its own numbers, in virtual time, and the measured ones where there are some.
#[derive(Clone, Copy, Debug)]
pub struct DriveMaps<'a> {
    /// The drive's name in files.
    pub name: &'a str,
    /// The drive with the sources of its numbers.
    pub entry: &'a Entry,
    /// The model's map.
    pub model: &'a ReadMap,
    /// The measured map.
    pub measured: Option<MeasuredMap<'a>>,
}

/// A measured map.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredMap<'a> {
    /// Its points.
    pub map: &'a ReadMap,
    /// The place where it was measured.
    pub from: &'a str,
    /// The same points, each predicted by a fit that did not see it; not a number where none was predicted.
    pub predicted: &'a ReadMap,
}

/// A percentile that is drawn.
#[derive(Clone, Copy, Debug)]
struct Percentile {
    id: &'static str,
    name: &'static str,
    of: Values,
}

/// The tail, which people ask for first, and the median.
fn percentiles() -> [Percentile; 2] {
    [
        Percentile { id: "p95", name: say!("map-p95"), of: |map| &map.p95_ns },
        Percentile { id: "p50", name: say!("map-median"), of: |map| &map.p50_ns },
    ]
}

/// The figures of a drive's maps, each as a file: median and 95th percentile.
#[must_use]
pub fn map_figures(maps: &DriveMaps<'_>) -> Vec<FigureFile> {
    let (css, source) = (style::of_drawing(), maps.source());
    let file = |percentile: Percentile| {
        let figure = maps.figure(percentile);
        let svg = figure.drawings[0].standing_alone(&figure.title, &figure.reading, &source, &css);
        FigureFile { name: figure.id, title: figure.title, svg }
    };
    percentiles().into_iter().map(file).collect()
}

/// The maps as one HTML document without scripts: the error of the model first, then its numbers.
///
/// # Errors
/// When the page cannot be put together, which is an error of this program.
pub fn map_page(maps: &DriveMaps<'_>) -> Result<String, ReportError> {
    page::render(maps)
}

impl DriveMaps<'_> {
    /// The line that says where the numbers of a figure come from.
    fn source(&self) -> String {
        match &self.measured {
            Some(measured) => say!("map-source-measured", from = measured.from),
            None => say!("map-source-model").to_owned(),
        }
    }

    /// The errors of a percentile at points that the fit did not see.
    fn judged(&self, percentile: Percentile) -> Option<Judged> {
        let measured = self.measured.as_ref()?;
        Judged::of(measured.map, measured.predicted, percentile.of)
    }

    /// The figure of a percentile at every width that a page needs.
    fn figure(&self, percentile: Percentile) -> Figure {
        let judged = self.judged(percentile);
        let (name, drive) = (percentile.name, self.entry.title.as_str());
        let mut reading = say!("map-reading").to_owned();
        let title = match &judged {
            Some(judged) => {
                if let Some((near, elsewhere)) = judged.near_the_limit() {
                    let [near, elsewhere] = [near, elsewhere].map(number::percent_rounded);
                    reading = format!("{reading} {}", say!("map-reading-limit", near, elsewhere));
                }
                let (within, points) = (judged.within(GOOD), judged.points());
                say!("map-title-judged", percentile = name, within, points = sentences::grouped(points))
            }
            None => say!("map-title", percentile = name, drive),
        };
        let widths = if judged.is_some() { &Width::ROW[..] } else { &Width::SHARED[..] };
        let id = format!("{}-map-{}", self.name, percentile.id);
        let draw = |at: &Width| draw::draw(self, percentile, judged.as_ref(), (&id, &title, *at));
        Figure {
            drawings: widths.iter().map(draw).collect(),
            table: self.table(percentile, judged.as_ref()),
            wide: judged.is_some(),
            id: id.clone(),
            title: title.clone(),
            reading,
        }
    }

    /// Every point that the model answers.
    fn table(&self, percentile: Percentile, judged: Option<&Judged>) -> Table {
        let mut table = Table::new(columns![
            number say!("map-reads"),
            number say!("map-writes"),
            number say!("map-column-measured"),
            number say!("map-column-model"),
            number say!("map-column-error"),
        ]);
        let columns = self.model.reads_per_s.len();
        let ms = |value: Option<f64>| match value {
            Some(value) if value.is_finite() => number::plain(value / 1e6),
            _ => String::new(),
        };
        for (index, model) in (percentile.of)(self.model).iter().enumerate() {
            let measured = self.measured.as_ref().map(|measured| (percentile.of)(measured.map)[index]);
            if model.is_nan() && measured.is_none_or(f64::is_nan) {
                continue;
            }
            let error = judged.and_then(|judged| judged.at(index));
            table.row([
                number::short(self.model.reads_per_s[index % columns]),
                number::short(self.model.write_bytes_per_s[index / columns] / 1e6),
                ms(measured),
                ms(Some(*model)),
                error.map(|error| format!("{} %", judged::signed(error))).unwrap_or_default(),
            ]);
        }
        table
    }
}

/// A model that is off by less than this is good enough for most questions.
const GOOD: f64 = 0.1;

#[cfg(test)]
mod tests {
    use super::*;

    fn map(factor: f64) -> ReadMap {
        ReadMap {
            reads_per_s: vec![0.0, 1000.0],
            write_bytes_per_s: vec![0.0, 1e8],
            p50_ns: vec![1e5 * factor, 2e5, 4e5, f64::NAN],
            p95_ns: vec![2e5 * factor, 4e5, 8e5, f64::NAN],
        }
    }

    fn entry() -> Entry {
        let mut entry = device::catalogue::find("kingston-dc1500m-960g").unwrap().clone();
        entry.title = "A <drive>".to_owned();
        entry
    }

    #[test]
    fn both_maps_are_drawn_on_one_scale_with_a_square_for_each_known_point_and_the_error_beside_them() {
        let (model, measured, predicted, entry) = (map(1.0), map(1.1), map(1.3), entry());
        let measured = MeasuredMap { map: &measured, from: "a bench", predicted: &predicted };
        let maps = DriveMaps { name: "a", entry: &entry, model: &model, measured: Some(measured) };
        let figures = map_figures(&maps);
        assert_eq!(figures.len(), 2);
        for figure in &figures {
            // Three known points in each map, and the classes of its key.
            let squares = figure.svg.matches("class=\"k-heat ").count();
            assert_eq!(squares, 2 * (3 + classes::LATENCY_CLASSES), "{}", figure.svg);
            let errors = figure.svg.matches("class=\"k-error ").count();
            assert_eq!(errors, 3 + classes::Classes::of_errors().count(), "{}", figure.svg);
            assert!(figure.svg.contains("a bench") && figure.title.contains("2 of 3"), "{}", figure.title);
        }
        let alone = map_figures(&DriveMaps { measured: None, ..maps });
        assert_eq!(alone[0].svg.matches("class=\"k-heat ").count(), 3 + classes::LATENCY_CLASSES);
        assert!(alone[0].svg.contains("A &lt;drive&gt;") && !alone[0].svg.contains("\"k-error "));
    }

    #[test]
    fn the_page_says_the_error_first_and_marks_every_number_that_is_a_guess() {
        let (model, measured, predicted, entry) = (map(1.0), map(1.1), map(1.3), entry());
        let measured = MeasuredMap { map: &measured, from: "a bench", predicted: &predicted };
        let maps = DriveMaps { name: "a", entry: &entry, model: &model, measured: Some(measured) };
        let page = map_page(&maps).unwrap();
        assert!(page.contains("A &lt;drive&gt;") && !page.contains("<drive>") && !page.contains("<script"));
        let guesses = entry.reliability().guesses;
        assert_eq!(page.matches(say!("map-guess")).count() - page.matches("map-guess").count(), guesses);
        let alone = map_page(&DriveMaps { measured: None, ..maps }).unwrap();
        let drive = crate::svg::escape(&entry.title);
        assert!(alone.contains(&say!("map-answer-alone", drive)), "{alone}");
    }
}
